export { CodedError, type ErrorCode, isCodedError, messageOf } from "./error/coded-error.ts";
export type { Clock, TimeoutSignal } from "./clock/clock.ts";
export { type Duration, toMs } from "./clock/duration.ts";
export { type Instant, instantOf } from "./clock/instant.ts";
export { systemClock } from "./clock/system-clock.ts";
