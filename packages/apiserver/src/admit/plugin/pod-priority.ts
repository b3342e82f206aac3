import type { StoredObject } from "../../registry/api-object.ts";
import type { ObjectReader } from "../../registry/object-reader.ts";
import { draftSpec, specOf } from "../built-in/object-kind.ts";
import { type AdmissionPlugin, refusal, writtenObject } from "./admission-plugin.ts";

interface PodPriority {
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
}

interface PriorityClass {
  readonly globalDefault?: boolean;
  readonly value?: number;
  readonly preemptionPolicy?: string;
}

const classes = { group: "scheduling.k8s.io", resource: "priorityclasses" } as const;

/** Gives pods the priority of their class; only one class may be the default. */
export function createPodPriority(reader: ObjectReader): AdmissionPlugin {
  const defaultClass = (): StoredObject | undefined =>
    reader
      .list(classes)
      .filter((one) => classOf(one).globalDefault === true)
      .reduce<StoredObject | undefined>(
        (least, one) => (least !== undefined && (classOf(least).value ?? 0) <= (classOf(one).value ?? 0) ? least : one),
        undefined,
      );

  return {
    admit(attributes): void {
      const pod = writtenObject(attributes, "", "pods");
      if (pod === undefined) return;
      const spec = draftSpec<PodPriority>(pod);
      if (attributes.operation === "UPDATE") {
        const before = attributes.old === undefined ? {} : specOf<PodPriority>(attributes.old);
        if (before.priority !== undefined) spec.priority ??= before.priority;
        if (before.preemptionPolicy !== undefined) spec.preemptionPolicy ??= before.preemptionPolicy;
        return;
      }
      const name = spec.priorityClassName ?? "";
      const found = name === "" ? defaultClass() : reader.find(classes, { name });
      if (found === undefined && name !== "") throw refusal(attributes, `no PriorityClass with name ${name} was found`);
      if (found !== undefined) spec.priorityClassName = found.metadata.name;
      const { value = 0, preemptionPolicy }: PriorityClass =
        found === undefined ? { preemptionPolicy: "PreemptLowerPriority" } : classOf(found);
      const given = (what: string, has: number | string, computed: number | string): string =>
        `the ${what} (${has}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
      if (spec.priority !== undefined && spec.priority !== value) {
        throw refusal(attributes, given("integer value of priority", spec.priority, value));
      }
      spec.priority = value;
      if (preemptionPolicy === undefined) return;
      if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
        throw refusal(attributes, given("string value of PreemptionPolicy", spec.preemptionPolicy, preemptionPolicy));
      }
      spec.preemptionPolicy = preemptionPolicy;
    },
    validate(attributes): void {
      const object = writtenObject(attributes, classes.group, classes.resource);
      if (object === undefined || classOf(object).globalDefault !== true) return;
      const name = defaultClass()?.metadata.name;
      if (name === undefined || (attributes.operation === "UPDATE" && name === object.metadata.name)) return;
      throw refusal(attributes, `PriorityClass ${name} is already marked as default. Only one default can exist`);
    },
  };
}

function classOf(object: object): PriorityClass {
  return object;
}
