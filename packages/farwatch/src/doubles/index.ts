export { createScriptedCluster, type ObjectInput, type ScriptedCluster } from "./scripted-cluster.ts";
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
