import { createManager, shutdownSignal } from "farwatch";
import { seed } from "./seed.ts";

const probe = async (bucket: { spec: { url: string } }, signal: AbortSignal) =>
  (await fetch(bucket.spec.url, { method: "HEAD", signal })).ok;
const { ticker, controller } = seed({ every: "30s", probe });
await using manager = createManager();
await manager.add(ticker).add(controller).start({ signal: shutdownSignal() });
