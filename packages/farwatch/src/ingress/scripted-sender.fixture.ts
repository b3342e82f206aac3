import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { createRecordingLogger, type RecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedTransport, type ScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import type { IngressRequest } from "./ingress.ts";
import type { VerifierContext } from "./verifier.ts";

export interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly peerCertificate?: IngressRequest["peerCertificate"];
}

/** A request as the ingress hands it on. */
export function request({
  path = "/hook",
  method = "POST",
  headers = {},
  body = "",
  peerCertificate,
}: Sent): IngressRequest {
  return {
    method,
    path,
    query: new URLSearchParams(),
    headers: new Map(Object.entries(headers)),
    remoteAddress: "192.0.2.1",
    peerCertificate,
    signal: new AbortController().signal,
    body: async () => Buffer.from(body),
  };
}

/** What a verifier is given: a virtual clock, and a client whose API server is a script. */
export function verifierContext(source = "hook"): VerifierContext & {
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly log: RecordingLogger;
} {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  const client = createClient({ transport, clock, config: staticConfig({ server: "https://api.test" }) });
  return { source, clock, transport, client, log: createRecordingLogger() };
}
