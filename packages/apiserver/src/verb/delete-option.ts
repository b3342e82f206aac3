import { badRequest, invalid } from "../failure/api-error.ts";
import { type FieldError, notSupported } from "../failure/field-error.ts";
import { builtInSchema } from "../registry/built-in-schema.ts";
import { decodeGo } from "../schema/go-decode.ts";
import { GoDecodeError } from "../schema/go-scalar.ts";
import { typeMetaProblem, unregistered } from "./decode-body.ts";
import { booleanOption, integerOption, textOption } from "./query-option.ts";
import type { RequestBody } from "./resource-request.ts";
import { dryRunErrors } from "./write-option.ts";

/** What is asked for when an object is deleted. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: "Background" | "Foreground" | "Orphan" | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
}

/** metav1.DeleteOptions as a body has it. */
interface OptionsBody {
  readonly dryRun?: readonly string[];
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: DeleteOptions["preconditions"];
}

const policies: readonly string[] = ["Background", "Foreground", "Orphan"];

/** Reads DeleteOptions from a body, or from the query where there is none. */
export function readDeleteOptions(query: URLSearchParams, body: RequestBody | undefined): DeleteOptions {
  const { dryRun = [], ...options } = body === undefined ? fromQuery(query) : fromBody(body);
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions = {} } = options;
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.push({
      type: "Invalid",
      field: "propagationPolicy",
      value: propagationPolicy,
      detail: "orphanDependents and deletionPropagation cannot be both set",
    });
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    errors.push(notSupported("propagationPolicy", propagationPolicy, ["Foreground", "Background", "Orphan", "nil"]));
  }
  errors.push(...dryRunErrors(dryRun));
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions", name: "" }, errors);
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds,
    propagationPolicy: propagationPolicy as DeleteOptions["propagationPolicy"],
    orphanDependents,
    preconditions,
  };
}

function fromQuery(query: URLSearchParams): OptionsBody {
  const gracePeriodSeconds = integerOption(query, "gracePeriodSeconds");
  const propagationPolicy = textOption(query, "propagationPolicy");
  const orphanDependents = booleanOption(query, "orphanDependents");
  return {
    dryRun: query.getAll("dryRun"),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
  };
}

function fromBody({ value, problem }: RequestBody): OptionsBody {
  if (problem !== undefined) throw badRequest(problem);
  const fault = typeMetaProblem(value);
  if (fault !== undefined) throw badRequest(`couldn't get version/kind; json parse error: ${fault}`);
  const { apiVersion = "meta.k8s.io/v1", kind = "" } = (value ?? {}) as {
    readonly apiVersion?: unknown;
    readonly kind?: unknown;
  };
  if (kind !== "" && kind !== "DeleteOptions") throw badRequest(unregistered(kind, apiVersion));
  try {
    return decodeGo(builtInSchema("meta.v1.DeleteOptions"), value).value as OptionsBody;
  } catch (error) {
    throw error instanceof GoDecodeError ? badRequest(error.message) : error;
  }
}
