export type { SourceHub, Subscription } from "../source/source-hub.ts";
export type { SourceScope } from "../source/source-scope.ts";
export type { SourceState } from "../source/source-state.ts";
export type { Received } from "../source/watch-buffer.ts";
export { type FailureContext, transportError } from "../transport/failure.ts";
export { type BodySource, ResponseBody, type ResponseBodyOptions } from "../transport/response-body.ts";
export { createRecordingLogger, type LogLine, type RecordingLogger } from "./recording-logger.ts";
export { createScriptedCache, type ScriptedCache } from "./scripted-cache.ts";
export { createScriptedHub, type ScriptedHub } from "./scripted-hub.ts";
export {
  type Answering,
  createScriptedStream,
  createScriptedTransport,
  type RecordedRequest,
  type RequestMatcher,
  type ScriptedAnswer,
  type ScriptedStream,
  type ScriptedTransport,
} from "./scripted-transport.ts";
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from "./virtual-clock.ts";
