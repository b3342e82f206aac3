import { type FieldError, invalidField, invalidValue, required } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { checkNonNegative } from "../field-check.ts";
import { immutableText } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import { specOf, statusOf } from "./object-kind.ts";

interface JobStatus {
  active?: number;
  ready?: number;
  terminating?: number;
  succeeded?: number;
  failed?: number;
  startTime?: string;
  completionTime?: string;
  completedIndexes?: string;
  failedIndexes?: string;
  conditions?: { type?: string; status?: string }[];
  uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
}

interface JobView {
  readonly status: JobStatus;
  readonly suspend: boolean;
  readonly completions: number | undefined;
  readonly parallelism: number | undefined;
  readonly isIndexed: boolean;
  is(condition: string): boolean;
  readonly isFinished: boolean;
}

function viewOf(object: DraftObject | StoredObject): JobView {
  const status = statusOf(object) as JobStatus;
  const spec = specOf<{ suspend?: boolean; completions?: number; parallelism?: number; completionMode?: string }>(
    object,
  );
  const is = (condition: string): boolean =>
    (status.conditions ?? []).some((one) => one.type === condition && one.status === "True");
  return {
    status,
    suspend: spec.suspend === true,
    completions: spec.completions,
    parallelism: spec.parallelism,
    isIndexed: spec.completionMode === "Indexed",
    is,
    isFinished: is("Complete") || is("Failed"),
  };
}

const conditions = "status.conditions";

/**
 * Writes to a job's status: most rules bind only what such a write changes, so that older faults do not stand in its
 * way.
 */
export function checkJobStatus(errors: FieldError[], object: DraftObject, old: StoredObject): void {
  const [job, before] = [viewOf(object), viewOf(old)];
  const { status } = job;
  const changed = (field: keyof JobStatus): boolean => !semanticEqual(status[field], before.status[field]);
  const turned = (condition: string): boolean => job.is(condition) !== before.is(condition);
  for (const field of ["active", "succeeded", "failed", "ready", "terminating"] as const) {
    checkNonNegative(errors, `status.${field}`, status[field]);
  }
  const completeTurned = turned("Complete");
  const finishedTurned = job.isFinished !== before.isFinished;
  checkTimes(errors, job, { changed, completeTurned, finishedTurned });
  const refuse = (detail: string): void => {
    errors.push(invalidField(conditions, detail));
  };
  if ((completeTurned || turned("Failed")) && job.is("Complete") && job.is("Failed")) {
    refuse("cannot set Complete=True and Failed=true conditions");
  }
  if ((completeTurned || turned("FailureTarget")) && job.is("Complete") && job.is("FailureTarget")) {
    refuse("cannot set Complete=True and FailureTarget=true conditions");
  }
  if ((turned("Failed") || changed("failedIndexes")) && job.is("Failed") && !job.is("FailureTarget")) {
    refuse("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if ((completeTurned || turned("SuccessCriteriaMet")) && job.is("Complete") && !job.is("SuccessCriteriaMet")) {
    refuse("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
  checkPods(errors, job, { changed, finishedTurned });
  if (job.is("SuccessCriteriaMet") && job.is("Failed"))
    refuse("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (job.is("SuccessCriteriaMet") && job.is("FailureTarget")) {
    refuse("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  }
  for (const condition of ["Failed", "Complete", "FailureTarget"]) {
    if (before.is(condition) && !job.is(condition)) refuse(`cannot disable the terminal ${condition}=True condition`);
  }
  checkCounters(errors, job, before);
  if (before.is("SuccessCriteriaMet") && !job.is("SuccessCriteriaMet")) {
    refuse("cannot disable the SuccessCriteriaMet=True condition");
  }
  if (before.is("Complete") && !before.is("SuccessCriteriaMet") && job.is("SuccessCriteriaMet")) {
    refuse("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}

interface Changes {
  changed(field: keyof JobStatus): boolean;
  readonly completeTurned?: boolean;
  readonly finishedTurned: boolean;
}

function checkTimes(errors: FieldError[], job: JobView, { changed, completeTurned, finishedTurned }: Changes): void {
  const { status } = job;
  const { startTime, completionTime } = status;
  if (completeTurned || changed("completionTime")) {
    if (completionTime !== undefined && !job.is("Complete")) {
      const detail = "cannot set completionTime when there is no Complete=True condition";
      errors.push(invalidValue("status.completionTime", completionTime, detail));
    }
    if (completionTime === undefined && job.is("Complete")) {
      errors.push(required("status.completionTime", "completionTime is required for Complete jobs"));
    }
  }
  const timesChanged = changed("startTime") || changed("completionTime");
  // Times of the API are in one form, so that their texts are in their order.
  if (timesChanged && startTime !== undefined && completionTime !== undefined && completionTime < startTime) {
    errors.push(invalidValue("status.completionTime", completionTime, "must be equal to or after `startTime`"));
  }
  const neverRan = job.suspend && job.completions === 0;
  if ((finishedTurned || changed("startTime")) && !neverRan && startTime === undefined && job.isFinished) {
    errors.push(required("status.startTime", "startTime is required for finished job"));
  }
}

function checkPods(errors: FieldError[], job: JobView, { changed, finishedTurned }: Changes): void {
  const { active = 0, ready = 0, terminating = 0, completedIndexes = "", uncountedTerminatedPods } = job.status;
  if ((finishedTurned || changed("active")) && active > 0 && job.isFinished) {
    errors.push(invalidValue("status.active", active, "active>0 is invalid for finished job"));
  }
  const uncounted = [...(uncountedTerminatedPods?.failed ?? []), ...(uncountedTerminatedPods?.succeeded ?? [])];
  if ((finishedTurned || changed("uncountedTerminatedPods")) && job.isFinished && uncounted.length > 0) {
    const printed = {
      Succeeded: uncountedTerminatedPods?.succeeded ?? null,
      Failed: uncountedTerminatedPods?.failed ?? null,
    };
    errors.push(invalidValue("status.uncountedTerminatedPods", printed, "must be empty for finished job"));
  }
  if (changed("completedIndexes") && completedIndexes !== "" && !job.isIndexed) {
    const detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
    errors.push(invalidValue("status.completedIndexes", completedIndexes, detail));
  }
  if ((finishedTurned || changed("terminating")) && terminating > 0 && job.isFinished) {
    errors.push(invalidValue("status.terminating", terminating, "terminating>0 is invalid for finished job"));
  }
  if ((changed("ready") || changed("active")) && ready > active) {
    errors.push(invalidValue("status.ready", ready, "cannot set more ready pods than active"));
  }
}

function checkCounters(errors: FieldError[], job: JobView, before: JobView): void {
  const { status } = job;
  if ((status.failed ?? 0) < (before.status.failed ?? 0)) {
    errors.push(invalidValue("status.failed", status.failed ?? 0, "cannot decrease the failed counter"));
  }
  const mayShrink = job.isIndexed && job.completions === job.parallelism;
  if (!mayShrink && (status.succeeded ?? 0) < (before.status.succeeded ?? 0)) {
    errors.push(invalidValue("status.succeeded", status.succeeded ?? 0, "cannot decrease the succeeded counter"));
  }
  const [ended, endedBefore] = [status.completionTime, before.status.completionTime];
  if (ended !== undefined && endedBefore !== undefined && ended !== endedBefore) {
    errors.push(invalidValue("status.completionTime", ended, immutableText));
  }
  const resumed =
    before.is("Suspended") &&
    (status.conditions ?? []).some((one) => one.type === "Suspended" && one.status === "False");
  const startBefore = before.status.startTime;
  if (startBefore !== undefined && startBefore !== status.startTime && !resumed && !job.suspend) {
    errors.push(required("status.startTime", "startTime cannot be removed for unsuspended job"));
  }
}
