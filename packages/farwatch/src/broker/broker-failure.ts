import { CodedError, type ErrorCode } from "../error/coded-error.ts";
import { redactText } from "../observe/redact.ts";

export interface BrokerFailureOptions {
  readonly source: string;
  /** "NATS" */
  readonly broker: string;
  /** Default `ConnectionFailed`. */
  readonly code?: ErrorCode | undefined;
  /** What to do, with what goes before it; default: nothing. */
  readonly advice?: string | undefined;
  readonly cause?: unknown;
}

/** What a source of a broker fails with. What the server or its client `said` is told without secrets. */
export function brokerFailure(
  said: string,
  { source, broker, code = "ConnectionFailed", advice = "", cause }: BrokerFailureOptions,
): CodedError {
  return new CodedError(code, `Cannot read source ${source} from ${broker}: ${redactText(said)}${advice}`, { cause });
}
