import assert from "node:assert/strict";
import { createScriptedTransport, type ScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import { type ErrorCode, isCodedError } from "../error/coded-error.ts";
import { type BuiltinResource, defineBuiltin } from "../resource/define-builtin.ts";
import type { KubeObject } from "../wire/object.ts";
import type { ConnectedClient } from "./connected-client.ts";
import { createClient } from "./create-client.ts";
import { staticConfig } from "./static-config.ts";

/** A kind with subresources, and one object of it that every test of the client's verbs is about. */
export interface Gauge extends KubeObject {
  readonly spec: { readonly replicas: number; readonly unit?: string };
  readonly status?: { readonly value?: string; readonly replicas?: number; readonly marks?: readonly string[] };
}
export const Gauge: BuiltinResource<Gauge> = defineBuiltin({
  group: "x.dev",
  version: "v1",
  kind: "Gauge",
  subresources: ["status", "scale"],
});

export const path = "/apis/x.dev/v1/namespaces/a/gauges/b";

export function gauge(
  changes: { readonly version?: string; readonly uid?: string; readonly generation?: number } = {},
): Gauge {
  const { version = "7", uid = "u1", generation = 1 } = changes;
  return {
    apiVersion: "x.dev/v1",
    kind: "Gauge",
    metadata: { namespace: "a", name: "b", uid, resourceVersion: version, generation },
    spec: { replicas: 1 },
    status: { value: "low", marks: ["p"] },
  };
}

export const failure = (code: number, reason: string, details: object = {}) => ({
  status: code,
  body: { kind: "Status", status: "Failure", code, reason, message: `server says ${reason}`, details },
});

export function setUp(
  options: { readonly resources?: readonly (typeof Gauge)[]; readonly fieldManager?: string } = {},
): {
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly client: ConnectedClient;
} {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  const config = staticConfig({ server: "https://api.test", token: "t" });
  return { clock, transport, client: createClient({ config, transport, clock, resources: [Gauge], ...options }) };
}

export async function refused(work: Promise<unknown>, code: ErrorCode, message?: string | RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(isCodedError(error, code), `${code} wanted, not ${String(error)}`);
    if (typeof message === "string") assert.equal(error.message, message);
    else if (message !== undefined) assert.match(error.message, message);
    return true;
  });
}
