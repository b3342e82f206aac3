// What the tests of the probe share: one probe on a scripted S3 service in virtual time.

import {
  createScriptedTransport,
  createVirtualClock,
  type ScriptedTransport,
  type VirtualClock,
} from "farwatch/doubles";
import type { BucketSecret } from "../credential/bucket-secret.ts";
import type { ProbeResult } from "./probe-result.ts";
import { createS3Probe, type S3ProbeRequest } from "./s3-probe.ts";
import type { S3Spec } from "./s3-target.ts";

const secret: BucketSecret = {
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "example-secret-key" },
  allows: () => true,
};

export interface ScriptedProbe {
  readonly clock: VirtualClock;
  readonly s3: ScriptedTransport;
  /** Asks bucket photos at https://minio.example.com, signed, within 5 s, unless told otherwise. */
  probe(change?: { readonly spec?: Partial<S3Spec> } & Partial<Omit<S3ProbeRequest, "spec">>): Promise<ProbeResult>;
}

export function createScriptedProbe(env: Readonly<Record<string, string>> = {}): ScriptedProbe {
  const clock = createVirtualClock();
  const s3 = createScriptedTransport(clock);
  const probe = createS3Probe({ transport: s3, clock, env });
  return {
    clock,
    s3,
    async probe({ spec, ...change } = {}): Promise<ProbeResult> {
      const request: S3ProbeRequest = {
        spec: { bucket: "photos", endpoint: "https://minio.example.com", addressing: "Auto", ...spec },
        secret,
        ca: undefined,
        connectPolicy: () => {},
        timeoutMs: 5_000,
        ...change,
      };
      const probing = probe(request, new AbortController().signal);
      probing.catch(() => {});
      await clock.advance("1m");
      return probing;
    },
  };
}

/** The region that each request was signed for. */
export function signedRegions({ requests }: ScriptedTransport): readonly (string | undefined)[] {
  return requests.map(
    ({ headers }) => /Credential=[^/]+\/\d{8}\/([^/]+)\/s3\//.exec(String(headers?.authorization))?.[1],
  );
}

/** An S3 error document. */
export function errorDocument(code: string, more = ""): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>Said by the service.</Message>${more}<RequestId>4442587FB7D0A2F9</RequestId></Error>`;
}
