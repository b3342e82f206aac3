import { createManager, shutdownSignal } from "farwatch";
import { seed } from "./seed.ts";

const { ticker, controller } = seed({
  every: "30s",
  probe: async ({ spec }, signal) => (await fetch(spec.url, { method: "HEAD", signal })).ok,
});
await using manager = createManager();
await manager.add(ticker).add(controller).start({ signal: shutdownSignal() });
