import type { ProbeReason } from "../resource/reason.ts";

/** What one probe found. */
export interface ProbeResult {
  readonly reason: ProbeReason;
  /** For a person; the same text for the same finding: no ids, times or ports of one request. */
  readonly message: string;
  readonly httpStatus?: number | undefined;
  readonly durationMs: number;
  /** The provider's request id and error code, for the log alone. */
  readonly detail?: Readonly<Record<string, string>> | undefined;
}
