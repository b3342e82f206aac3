import { validateFieldManager } from "../admit/object-meta.ts";
import { invalid } from "../failure/api-error.ts";
import { type FieldError, forbiddenField, notSupported, required } from "../failure/field-error.ts";
import type { FieldValidation } from "../schema/built-in-body.ts";
import { booleanOption, textOption } from "./query-option.ts";

/** metav1.CreateOptions, UpdateOptions and PatchOptions. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string | undefined;
  readonly fieldValidation: FieldValidation;
  /** Of an apply alone. */
  readonly force: boolean;
}

const validations: readonly string[] = ["Ignore", "Strict", "Warn"];

/**
 * Reads and checks the options of a write; 422 as the real server's validation of them. `applying`: of a patch that is
 * an apply.
 */
export function readWriteOptions(
  query: URLSearchParams,
  kind: "CreateOptions" | "PatchOptions" | "UpdateOptions",
  applying = false,
): WriteOptions {
  const dryRun = query.getAll("dryRun");
  const fieldManager = textOption(query, "fieldManager");
  const fieldValidation = textOption(query, "fieldValidation");
  const force = booleanOption(query, "force");
  const errors: FieldError[] = [];
  if (kind === "PatchOptions") {
    if (applying) {
      if (fieldManager === undefined) errors.push(required("fieldManager", "is required for apply patch"));
    } else if (force !== undefined) errors.push(forbiddenField("force", "may not be specified for non-apply patch"));
  }
  errors.push(...validateFieldManager(fieldManager ?? "", "fieldManager"), ...dryRunErrors(dryRun));
  if (fieldValidation !== undefined && !validations.includes(fieldValidation)) {
    errors.push(notSupported("fieldValidation", fieldValidation, ["", ...validations]));
  }
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind, name: "" }, errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: (fieldValidation ?? "Warn") as FieldValidation,
    force: force ?? false,
  };
}

/** The errors of `dryRun`, which may be `All` alone. */
export function dryRunErrors(values: readonly string[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const value of values) if (value !== "All") errors.push(notSupported("dryRun", values, ["All"]));
  return errors;
}
