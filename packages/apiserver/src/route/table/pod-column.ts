import { sinceText } from "./age-text.ts";
import { age, type BuiltInColumns, type ColumnsByKind, none, orNone, type Reading } from "./column.ts";

interface Terminated {
  readonly exitCode?: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly finishedAt?: string | null;
}

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly running?: object;
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

interface Condition {
  readonly type: string;
  readonly status?: string;
  readonly reason?: string;
}

interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly conditions?: readonly Condition[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

interface InitContainer {
  readonly name: string;
  readonly restartPolicy?: string;
}

/** What is counted of a pod's containers, one after the other. */
interface Count {
  reason: string;
  ready: number;
  restarts: number;
  /** RFC 3339; empty for none. */
  lastRestart: string;
}

function has(conditions: readonly Condition[] | undefined, type: string): boolean {
  return (conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
}

function countRestarts(count: Count, { restartCount = 0, lastState }: ContainerStatus): void {
  count.restarts += restartCount;
  const finished = lastState?.terminated?.finishedAt ?? "";
  if (finished > count.lastRestart) count.lastRestart = finished;
}

function endText({ reason = "", signal = 0, exitCode = 0 }: Terminated): string {
  if (reason !== "") return reason;
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

/** Looks at the containers that run before the others; true where one of them is not done. */
function countInit(count: Count, spec: readonly InitContainer[], { initContainerStatuses = [] }: PodStatus): boolean {
  const sidecars = new Set(spec.flatMap(({ name, restartPolicy }) => (restartPolicy === "Always" ? [name] : [])));
  const ofSidecars: Count = { reason: "", ready: 0, restarts: 0, lastRestart: "" };
  for (const [index, status] of initContainerStatuses.entries()) {
    const isSidecar = sidecars.has(status.name);
    const { terminated, waiting } = status.state ?? {};
    countRestarts(count, status);
    if (isSidecar) countRestarts(ofSidecars, status);
    if (terminated !== undefined && (terminated.exitCode ?? 0) === 0) continue;
    if (isSidecar && status.started === true) {
      if (status.ready === true) count.ready += 1;
      continue;
    }
    const waits = waiting?.reason ?? "";
    if (terminated !== undefined) count.reason = `Init:${endText(terminated)}`;
    else if (waits !== "" && waits !== "PodInitializing") count.reason = `Init:${waits}`;
    else count.reason = `Init:${index}/${spec.length}`;
    return true;
  }
  count.restarts = ofSidecars.restarts;
  count.lastRestart = ofSidecars.lastRestart;
  return false;
}

function countContainers(count: Count, { containerStatuses = [], conditions }: PodStatus): void {
  let runs = false;
  for (const status of [...containerStatuses].reverse()) {
    const { waiting, running, terminated } = status.state ?? {};
    countRestarts(count, status);
    if ((waiting?.reason ?? "") !== "") count.reason = waiting?.reason ?? "";
    else if (terminated !== undefined) count.reason = endText(terminated);
    else if (status.ready === true && running !== undefined) {
      runs = true;
      count.ready += 1;
    }
  }
  // Some containers have done their work, and others go on.
  if (count.reason === "Completed" && runs) count.reason = has(conditions, "Ready") ? "Running" : "NotReady";
}

function podCount({ spec = {}, status = {}, metadata }: Reading["object"]): Count {
  const { phase = "", conditions = [] } = status as PodStatus;
  const isGated = (conditions as readonly Condition[]).some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  const count: Count = {
    reason: isGated ? "SchedulingGated" : status.reason || phase,
    ready: 0,
    restarts: 0,
    lastRestart: "",
  };
  const starts = countInit(count, spec.initContainers ?? [], status);
  if (!starts || has(conditions, "Initialized")) {
    if (starts) Object.assign(count, { restarts: 0, lastRestart: "" });
    countContainers(count, status);
  }
  const isOver = phase === "Failed" || phase === "Succeeded";
  if (metadata.deletionTimestamp !== undefined) {
    if (status.reason === "NodeLost") count.reason = "Unknown";
    else if (!isOver) count.reason = "Terminating";
  }
  return count;
}

function gatesText({ spec = {}, status = {} }: Reading["object"]): string {
  const gates: readonly { readonly conditionType: string }[] = spec.readinessGates ?? [];
  const open = gates.filter(({ conditionType }) => has(status.conditions, conditionType));
  return gates.length === 0 ? none : `${open.length}/${gates.length}`;
}

const pod: BuiltInColumns = {
  names: ["Ready", "Status", "Restarts", "Age", "IP*", "Node*", "Nominated Node*", "Readiness Gates*"],
  conditions({ status }) {
    if (status?.phase === "Succeeded") {
      const message = "The pod has completed successfully.";
      return [{ type: "Completed", status: "True", reason: "Succeeded", message }];
    }
    if (status?.phase !== "Failed") return undefined;
    return [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }];
  },
  cells(reading) {
    const { spec = {}, status = {} } = reading.object;
    const { reason, ready, restarts, lastRestart } = podCount(reading.object);
    const sidecars = (spec.initContainers ?? []).filter((one: InitContainer) => one.restartPolicy === "Always");
    const since = restarts === 0 || lastRestart === "" ? "" : ` (${sinceText(lastRestart, reading.nowMs)} ago)`;
    return [
      `${ready}/${(spec.containers ?? []).length + sidecars.length}`,
      reason,
      `${restarts}${since}`,
      age(reading),
      orNone(status.podIPs?.[0]?.ip),
      orNone(spec.nodeName),
      orNone(status.nominatedNodeName),
      gatesText(reading.object),
    ];
  },
};

export const podColumns: ColumnsByKind = { "/Pod": pod };
