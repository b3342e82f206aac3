import { validateFieldManager } from "../admit/object-meta.ts";
import { badRequest, invalid } from "../failure/api-error.ts";
import { type FieldError, forbiddenField, notSupported, required } from "../failure/field-error.ts";
import type { FieldValidation } from "../schema/built-in-body.ts";
import { typeMetaProblem } from "./decode-body.ts";
import { booleanOption, textOption } from "./query-option.ts";
import type { RequestBody } from "./resource-request.ts";

/** metav1.CreateOptions, UpdateOptions and PatchOptions. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string | undefined;
  readonly fieldValidation: FieldValidation;
  /** Of an apply alone. */
  readonly force: boolean;
}

const validations: readonly string[] = ["Ignore", "Strict", "Warn"];

/** Reads and checks the options of a write; 422 as the real server's validation of them. `applying`: of a patch that is an apply. */
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

/** What is asked for when an object is deleted. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: "Background" | "Foreground" | "Orphan" | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
}

const policies: readonly string[] = ["Foreground", "Background", "Orphan", "nil"];

/** Reads DeleteOptions from a body, or from the query where there is none. */
export function readDeleteOptions(query: URLSearchParams, body: RequestBody | undefined): DeleteOptions {
  if (body?.problem !== undefined) throw badRequest(body.problem);
  const options = body === undefined || body.value === null ? fromQuery(query) : fromBody(body.value);
  const errors: FieldError[] = [];
  const { propagationPolicy, orphanDependents } = options;
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.push({
      type: "Invalid",
      field: "propagationPolicy",
      value: propagationPolicy,
      detail: "orphanDependents and deletionPropagation cannot be both set",
    });
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    errors.push(notSupported("propagationPolicy", propagationPolicy, policies));
  }
  errors.push(...dryRunErrors(options.dryRunValues));
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions", name: "" }, errors);
  return { ...options, dryRun: options.dryRunValues.length > 0 };
}

type ReadOptions = Omit<DeleteOptions, "dryRun"> & { readonly dryRunValues: readonly string[] };

function fromQuery(query: URLSearchParams): ReadOptions {
  const grace = textOption(query, "gracePeriodSeconds");
  if (grace !== undefined && !/^[-+]?\d+$/.test(grace)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  }
  return {
    dryRunValues: query.getAll("dryRun"),
    gracePeriodSeconds: grace === undefined ? undefined : Number(grace),
    propagationPolicy: textOption(query, "propagationPolicy") as DeleteOptions["propagationPolicy"],
    orphanDependents: booleanOption(query, "orphanDependents"),
    preconditions: {},
  };
}

function fromBody(body: unknown): ReadOptions {
  if (typeof body !== "object" || Array.isArray(body) || body === null) {
    throw badRequest(`couldn't get version/kind; json parse error: ${typeMetaProblem(body)}`);
  }
  const given = body as {
    readonly apiVersion?: unknown;
    readonly kind?: unknown;
    readonly dryRun?: readonly string[] | null;
    readonly gracePeriodSeconds?: number | null;
    readonly propagationPolicy?: string | null;
    readonly orphanDependents?: boolean | null;
    readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | null;
  };
  if (given.kind !== undefined && given.kind !== "" && given.kind !== "DeleteOptions") {
    throw badRequest("decoded object cannot be converted to DeleteOptions");
  }
  return {
    dryRunValues: given.dryRun ?? [],
    gracePeriodSeconds: given.gracePeriodSeconds ?? undefined,
    propagationPolicy: (given.propagationPolicy ?? undefined) as DeleteOptions["propagationPolicy"],
    orphanDependents: given.orphanDependents ?? undefined,
    preconditions: given.preconditions ?? {},
  };
}
