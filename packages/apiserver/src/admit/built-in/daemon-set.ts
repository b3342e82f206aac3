import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { type LabelSelector, selectsAll } from "../../registry/label-selector.ts";
import { checkImmutable, checkLabelSelector, checkNonNegative, type IntOrString } from "../field-check.ts";
import { dnsSubdomain } from "../name-rule.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import {
  draftSpec,
  metaErrors,
  metaUpdateErrors,
  preparesStatus,
  setDefault,
  setDefaultText,
  specOf,
  statusOf,
} from "./object-kind.ts";
import { applyTemplateDefaults } from "./pod-default.ts";
import type { PodTemplate } from "./pod-shape.ts";
import { templateWarnings } from "./pod-warning.ts";
import {
  amountOf,
  checkAmountOrPercent,
  checkAtMost100Percent,
  checkCollisions,
  checkCounts,
  checkTemplate,
  checkTemplateSelected,
} from "./workload-check.ts";

interface DaemonSetSpec {
  selector?: LabelSelector;
  template?: PodTemplate;
  updateStrategy?: { type?: string; rollingUpdate?: { maxUnavailable?: IntOrString; maxSurge?: IntOrString } };
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
}

/** Where the number of changes to the template is kept; the server alone counts it. */
const templateGeneration = "deprecated.daemonset.template.generation";
const prepare = preparesStatus({
  empty: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  generation: ["spec"],
});

function setTemplateGeneration({ metadata }: DraftObject, value: string): void {
  metadata.annotations = { ...metadata.annotations, [templateGeneration]: value };
}

function generationOf({ metadata }: DraftObject | StoredObject): number {
  const text = metadata.annotations?.[templateGeneration] ?? "";
  return /^\d{1,15}$/.test(text) ? Number.parseInt(text, 10) : 0;
}

function checkUpdateStrategy(errors: FieldError[], updateStrategy: NonNullable<DaemonSetSpec["updateStrategy"]>): void {
  const path = "spec.updateStrategy";
  const { type = "", rollingUpdate } = updateStrategy;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    const printed = {
      Type: type,
      RollingUpdate:
        rollingUpdate === undefined
          ? null
          : { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 },
    };
    errors.push(notSupported(path, printed, ["RollingUpdate", "OnDelete"]));
  } else if (rollingUpdate === undefined) errors.push(required(`${path}.rollingUpdate`));
  else {
    const { maxUnavailable, maxSurge } = rollingUpdate;
    const at = `${path}.rollingUpdate`;
    checkAmountOrPercent(errors, `${at}.maxUnavailable`, maxUnavailable);
    checkAmountOrPercent(errors, `${at}.maxSurge`, maxSurge);
    checkAtMost100Percent(errors, `${at}.maxUnavailable`, maxUnavailable);
    checkAtMost100Percent(errors, `${at}.maxSurge`, maxSurge);
    const [unavailable, surge] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0];
    if (unavailable && surge) {
      errors.push(invalidValue(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero"));
    } else if (!unavailable && !surge) {
      errors.push(required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
    }
  }
}

function checkSpec(errors: FieldError[], spec: DaemonSetSpec): FieldError[] {
  const { selector, template = {} } = spec;
  const before = errors.length;
  checkLabelSelector(errors, "spec.selector", selector);
  if (errors.length === before) checkTemplateSelected(errors, selector, template);
  if (selector !== undefined && selectsAll(selector)) {
    errors.push(invalidValue("spec.selector", selector, "empty selector is invalid for daemonset"));
  }
  checkTemplate(errors, "spec.template", template);
  const { restartPolicy = "", activeDeadlineSeconds } = template.spec ?? {};
  if (restartPolicy !== "Always") {
    errors.push(notSupported("spec.template.spec.restartPolicy", restartPolicy, ["Always"]));
  }
  if (activeDeadlineSeconds !== undefined) {
    const detail = "activeDeadlineSeconds in DaemonSet is not Supported";
    errors.push(forbiddenField("spec.template.spec.activeDeadlineSeconds", detail));
  }
  checkNonNegative(errors, "spec.minReadySeconds", spec.minReadySeconds);
  checkUpdateStrategy(errors, spec.updateStrategy ?? {});
  checkNonNegative(errors, "spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  return errors;
}

const counts = {
  fields: [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ],
} as const;

/** DaemonSet of apps/v1. */
export const daemonSetStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    const spec = draftSpec<DaemonSetSpec>(object);
    spec.template ??= {};
    applyTemplateDefaults(spec.template);
    spec.updateStrategy ??= {};
    const { updateStrategy } = spec;
    setDefaultText(updateStrategy, "type", "RollingUpdate");
    if (updateStrategy.type === "RollingUpdate") {
      updateStrategy.rollingUpdate ??= {};
      setDefault(updateStrategy.rollingUpdate, "maxUnavailable", 1);
      setDefault(updateStrategy.rollingUpdate, "maxSurge", 0);
    }
    setDefault(spec, "revisionHistoryLimit", 10);
  },
  prepareForCreate(object, context): void {
    prepare.prepareForCreate(object, context);
    setTemplateGeneration(object, String(Math.max(1, generationOf(object))));
  },
  prepareForUpdate(object, old, context): void {
    prepare.prepareForUpdate(object, old, context);
    if (context.subresource !== undefined) return;
    const changed = !semanticEqual(
      specOf<DaemonSetSpec>(object).template ?? {},
      specOf<DaemonSetSpec>(old).template ?? {},
    );
    setTemplateGeneration(object, String(generationOf(old) + (changed ? 1 : 0)));
  },
  validate: (object) => checkSpec(metaErrors(object, { namespaced: true, nameRule: dnsSubdomain }), specOf(object)),
  validateUpdate(object, old, { subresource }): FieldError[] {
    const errors = metaUpdateErrors(object, old);
    if (subresource === "status") {
      checkCounts(errors, statusOf(object), counts);
      checkCollisions(errors, statusOf(object), statusOf(old));
      return errors;
    }
    const spec = specOf<DaemonSetSpec>(object);
    checkImmutable(errors, "spec.selector", { value: spec.selector, old: specOf<DaemonSetSpec>(old).selector });
    return checkSpec(errors, spec);
  },
  warnings(object, old): readonly string[] {
    if (old !== undefined && object.metadata.generation === old.metadata.generation) return [];
    return templateWarnings(specOf<DaemonSetSpec>(object).template, "spec.template");
  },
};
