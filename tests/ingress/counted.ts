import { type Manager, systemClock } from "farwatch";

/** Resolves when a counter of the source `webhook` has come so far: time must not move on before what a socket brings. */
export async function counted(
  { manager }: { readonly manager: Pick<Manager, "metrics"> },
  name: string,
  count: number,
): Promise<void> {
  const counter = manager.metrics.counter({ name: `farwatch_${name}_total`, help: "", labelNames: ["source"] });
  while (counter.read({ source: "webhook" }) < count) await systemClock.sleep(1);
}
