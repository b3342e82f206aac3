import { CodedError } from "farwatch";
import type { DraftObject, StoredObject } from "./api-object.ts";
import { autoscalerToV1, autoscalerToV2 } from "./autoscaler-conversion.ts";
import { eventFromCore, eventToCore } from "./event-conversion.ts";

const conversions: Readonly<Record<string, (object: DraftObject | StoredObject) => DraftObject>> = {
  "Event v1 events.k8s.io/v1": eventFromCore,
  "Event events.k8s.io/v1 v1": eventToCore,
  "HorizontalPodAutoscaler autoscaling/v1 autoscaling/v2": autoscalerToV2,
  "HorizontalPodAutoscaler autoscaling/v2 autoscaling/v1": autoscalerToV1,
};

/**
 * An object of a built-in kind as another version of that kind shows it. The object that is given stays as it is; the
 * one that is given back shares with it what is the same in both. With the object's own version: the object, copied one
 * level.
 *
 * @throws CodedError `NotFound` for versions between which there is no way.
 */
export function convertBuiltIn(object: DraftObject | StoredObject, apiVersion: string): DraftObject {
  if (object.apiVersion === apiVersion) return { ...object };
  const convert = conversions[`${object.kind} ${object.apiVersion} ${apiVersion}`];
  if (convert !== undefined) return convert(object);
  throw new CodedError(
    "NotFound",
    `Cannot convert ${object.kind} from ${object.apiVersion} to ${apiVersion}: no such versions`,
  );
}
