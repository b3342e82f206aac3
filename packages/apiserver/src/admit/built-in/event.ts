import { addErrors, type FieldError, invalidValue, required } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { checkImmutable } from "../field-check.ts";
import { dnsSubdomain, isLongerThan, qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { metaErrors, metaUpdateErrors } from "./object-kind.ts";

interface Reference {
  readonly namespace?: string;
}

interface Series {
  readonly count?: number;
  readonly lastObservedTime?: string | null;
}

/** An Event of either API, under the names that core/v1 has. */
interface EventView {
  readonly namespace: string;
  readonly involvedObject: Reference;
  readonly reason: string;
  readonly message: string;
  readonly source: { readonly component?: string; readonly host?: string };
  readonly firstTimestamp: string | null;
  readonly lastTimestamp: string | null;
  readonly count: number;
  readonly type: string;
  readonly eventTime: string | null;
  readonly series: Series | undefined;
  readonly action: string;
  readonly related: unknown;
  readonly reportingController: string;
  readonly reportingInstance: string;
}

function viewOf(object: DraftObject | StoredObject): EventView {
  const isCore = object.apiVersion === "v1";
  const field = <T>(core: string, events: string, absent: T): T => (object[isCore ? core : events] ?? absent) as T;
  return {
    namespace: object.metadata.namespace ?? "",
    involvedObject: field("involvedObject", "regarding", {}),
    reason: field("reason", "reason", ""),
    message: field("message", "note", ""),
    source: field("source", "deprecatedSource", {}),
    firstTimestamp: field<string | null>("firstTimestamp", "deprecatedFirstTimestamp", null),
    lastTimestamp: field<string | null>("lastTimestamp", "deprecatedLastTimestamp", null),
    count: field("count", "deprecatedCount", 0),
    type: field("type", "type", ""),
    eventTime: field<string | null>("eventTime", "eventTime", null),
    series: field<Series | undefined>("series", "series", undefined),
    action: field("action", "action", ""),
    related: field<unknown>("related", "related", undefined),
    reportingController: field("reportingComponent", "reportingController", ""),
    reportingInstance: field("reportingInstance", "reportingInstance", ""),
  };
}

/** What every Event must keep to, those of old clients, without eventTime, too. */
function legacyErrors(event: EventView, isCore: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const about = event.involvedObject.namespace ?? "";
  const { namespace } = event;
  const elsewhere = (): void => {
    errors.push(invalidValue("involvedObject.namespace", about, "does not match event.namespace"));
  };
  if (event.eventTime === null) {
    if (about === "" ? namespace !== "" && namespace !== "default" : namespace !== about) elsewhere();
  } else {
    if (about === "" && namespace !== "default" && namespace !== "kube-system") elsewhere();
    const controllerField = isCore ? "reportingComponent" : "reportingController";
    if (event.reportingController === "") errors.push(required(controllerField));
    pushFaults(errors, controllerField, event.reportingController, qualifiedName(event.reportingController));
    for (const [field, limit] of [
      ["reportingInstance", 128],
      ["action", 128],
      ["reason", 128],
      ["message", 1_024],
    ] as const) {
      const text = event[field];
      if (text === "" && field !== "message") errors.push(required(field));
      if (isLongerThan(text, limit)) errors.push(invalidValue(field, "", `can have at most ${limit} characters`));
    }
  }
  pushFaults(errors, "namespace", namespace, dnsSubdomain(namespace));
  return errors;
}

function checkSeries(errors: FieldError[], { series }: EventView): void {
  if (series === undefined) return;
  if ((series.count ?? 0) < 2) errors.push(invalidValue("series.count", "", "should be at least 2"));
  if ((series.lastObservedTime ?? null) === null) errors.push(required("series.lastObservedTime"));
}

/** In microseconds, which is all that clients of old keep. */
function micros(time: string | null): string | null {
  return time === null ? null : time.replace(/(\.\d{6})\d+/, "$1");
}

function validate(object: DraftObject): FieldError[] {
  const event = viewOf(object);
  const isCore = object.apiVersion === "v1";
  const errors = legacyErrors(event, isCore);
  if (isCore) return errors;
  addErrors(errors, metaErrors(object, { namespaced: true, nameRule: dnsSubdomain }));
  checkSeries(errors, event);
  const unset = (field: string, isSet: boolean): void => {
    if (isSet) errors.push(invalidValue(field, "", "needs to be unset"));
  };
  if (event.eventTime === null) errors.push(required("eventTime"));
  if (event.type !== "Normal" && event.type !== "Warning") {
    errors.push(invalidValue("type", "", `has invalid value: ${event.type}`));
  }
  unset("firstTimestamp", event.firstTimestamp !== null);
  unset("lastTimestamp", event.lastTimestamp !== null);
  unset("count", event.count !== 0);
  unset("source", (event.source.component ?? "") !== "" || (event.source.host ?? "") !== "");
  return errors;
}

const immutableFields = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "reason",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingController",
  "reportingInstance",
] as const;

function validateUpdate(object: DraftObject, old: StoredObject): FieldError[] {
  const event = viewOf(object);
  const isCore = object.apiVersion === "v1";
  const errors = legacyErrors(event, isCore);
  if (isCore) return errors;
  addErrors(errors, metaUpdateErrors(object, old));
  const before = viewOf(old);
  if (!semanticEqual(event.series, before.series)) checkSeries(errors, event);
  for (const field of immutableFields) {
    if (field === "eventTime" && micros(event.eventTime) === micros(before.eventTime)) continue;
    checkImmutable(errors, field, { value: event[field], old: before[field] });
  }
  return errors;
}

/** Event of core/v1 and of events.k8s.io/v1, which is the stricter one; refusals name fields as core/v1 does. */
export const eventStrategy: Strategy = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validate,
  validateUpdate,
};
