import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { TransportError } from "../transport/transport-error.ts";
import { createClient } from "./create-client.ts";
import { staticConfig } from "./static-config.ts";

test("client counts the answers of the API server, those that it repeats and those that never came too", async () => {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  const metrics = createMetrics();
  const client = createClient({ config: staticConfig({ server: "https://api:6443" }), transport, clock, metrics });
  const status = (code: number) => ({ status: code, body: { kind: "Status", code, message: "no" } });
  transport.on({}, status(429), status(404), {
    error: new TransportError("Cannot reach the server", { phase: "connect", sent: false }),
  });
  const key = { namespace: "a", name: "b" };
  const found = client.find(ConfigMap, key).catch(() => {});
  await clock.advance("20s");
  await found;
  await assert.rejects(client.get(ConfigMap, key), { code: "ConnectionFailed" });
  const counter = metrics.counter({
    name: "rest_client_requests_total",
    help: "",
    labelNames: ["code", "method", "host"],
  });
  const count = (code: string): number => counter.read({ code, method: "GET", host: "api:6443" });
  assert.deepEqual([count("429"), count("404"), count("<error>")], [1, 1, 1]);
});
