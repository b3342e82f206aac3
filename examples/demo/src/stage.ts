import type { S3Credentials } from "@farwatch/testing";
import type { ConnectedClient } from "farwatch";

/** What the demo is played on: an API server, an S3 server with one bucket, and later the operator. Disposal stops all of it. */
export interface Stage extends AsyncDisposable {
  /** What it is made of, for people. */
  readonly title: string;
  /** The administrator's. */
  readonly client: ConnectedClient;
  /** The administrator's, for kubectl; there once the operator has started. */
  readonly kubeconfigFile: string;
  readonly s3: DemoS3;
  readonly logFiles: Readonly<Record<string, string>>;
  startOperator(options: OperatorOptions): Promise<RunningOperator>;
  /** Leaves kubeconfig and logs where they are; gives their folders. */
  keep(): readonly string[];
}

export interface DemoS3 {
  readonly url: string;
  /** From now on its port is closed. */
  kill(): void;
  /** Resolves when it answers again, on the same port and with the same data. */
  restart(): Promise<void>;
}

export interface StageOptions {
  readonly users: readonly S3Credentials[];
  readonly bucket: { readonly name: string; readonly owner: S3Credentials };
  /** Told what is being waited for. */
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface OperatorOptions {
  /** As on the operator's command line. */
  readonly allowEndpoint: string;
  readonly namespace: string;
}

export interface RunningOperator {
  /** Where /metrics and /readyz are. */
  readonly url: string;
  /** Resolves when the operator has ended, with what it said last when that was not asked for. */
  readonly ended: Promise<string | undefined>;
}
