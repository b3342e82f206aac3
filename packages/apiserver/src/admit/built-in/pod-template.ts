import type { FieldError } from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import { dnsSubdomain } from "../name-rule.ts";
import type { Strategy } from "../strategy.ts";
import { countGeneration, metaErrors, metaUpdateErrors } from "./object-kind.ts";
import { applyTemplateDefaults } from "./pod-default.ts";
import type { PodTemplate } from "./pod-shape.ts";
import { templateWarnings } from "./pod-warning.ts";
import { checkTemplate } from "./workload-check.ts";

const templateOf = (object: DraftObject): PodTemplate => (object.template ?? {}) as PodTemplate;

function check(errors: FieldError[], object: DraftObject): FieldError[] {
  checkTemplate(errors, "template", templateOf(object));
  return errors;
}

/** PodTemplate of core/v1. */
export const podTemplateStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    object.template ??= {};
    applyTemplateDefaults(templateOf(object));
  },
  prepareForCreate(object): void {
    object.metadata.generation = 1;
  },
  prepareForUpdate(object, old): void {
    countGeneration(object, old, "template");
  },
  validate: (object) => check(metaErrors(object, { namespaced: true, nameRule: dnsSubdomain }), object),
  validateUpdate: (object, old) => check(metaUpdateErrors(object, old), object),
  warnings(object, old): readonly string[] {
    if (old !== undefined && object.metadata.generation === old.metadata.generation) return [];
    return templateWarnings(templateOf(object), "template");
  },
};
