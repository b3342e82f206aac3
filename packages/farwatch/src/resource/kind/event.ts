import type { KubeObject } from "../../wire/object.ts";
import { type BuiltinResource, defineBuiltin } from "../define-builtin.ts";
import type { ObjectReference } from "./object-reference.ts";

/** events.k8s.io/v1 Event. */
export interface Event extends KubeObject {
  /** MicroTime: exactly six fraction digits. */
  readonly eventTime?: string;
  readonly type?: "Normal" | "Warning";
  readonly reason?: string;
  readonly action?: string;
  readonly note?: string;
  readonly regarding?: ObjectReference;
  readonly related?: ObjectReference;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

export const Event: BuiltinResource<Event> = defineBuiltin({ group: "events.k8s.io", version: "v1", kind: "Event" });
