import { CodedError } from "../error/coded-error.ts";
import type { CrdNames, CrdScale, CrdVersion } from "../wire/custom-resource-definition.ts";
import type { StructuralSchema } from "../wire/structural-schema.ts";
import { type FieldOptions, withFieldOptions } from "./field-option.ts";
import { jsonSchemaOf, type Schema, type SchemaInput, type SchemaObject } from "./json-schema.ts";
import { isScalar } from "./outcome.ts";
import { pluralOf } from "./plural.ts";
import { type PrinterColumn, printerColumn } from "./printer-column.ts";
import { refuseSchema } from "./refuse.ts";
import type { CustomInput, CustomObject, Resource, Scope } from "./resource.ts";
import { checkCustomNames } from "./resource-name.ts";
import { parseSchemaPath, schemaAt } from "./schema-path.ts";
import { structuralSchemaOf } from "./structural-pass.ts";

/** What defines a kind of our own. */
export interface ResourceOptions<Spec extends Schema, Status extends Schema | undefined> extends FieldOptions {
  /** A DNS name that you own: `storage.example.com`. */
  readonly group: string;
  /** `v1alpha1`, `v1beta1`, `v1`. */
  readonly version: string;
  /** In CamelCase, in the singular. */
  readonly kind: string;
  /** Default: the kind in lower case, in the English plural. */
  readonly plural?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** For kubectl: `["sb"]`. */
  readonly shortNames?: readonly string[];
  /** Groups of kinds for kubectl: `["all"]`. */
  readonly categories?: readonly string[];
  /** Default: `Namespaced`. */
  readonly scope?: Scope;
  /** For `kubectl explain`. */
  readonly description?: string;
  readonly spec: Spec;
  /**
   * Turns the status subresource on: spec and status are then written apart, and only the spec moves the generation.
   */
  readonly status?: Status;
  readonly printerColumns?: readonly PrinterColumn[];
  /** Scalars that field selectors may name, at most 8: `["spec.region"]`. */
  readonly selectableFields?: readonly string[];
  readonly scaleSubresource?: CrdScale;
  /** Whether the API server serves this version; default true. */
  readonly served?: boolean;
  /** A text for all who use this version: what to use instead. */
  readonly deprecationWarning?: string;
}

/** The token that `defineResource` makes of these schemas. */
export type DefinedResource<Spec extends Schema, Status extends Schema | undefined = undefined> = Resource<
  CustomObject<SchemaObject<Spec>, Status extends Schema ? SchemaObject<Status> : never>,
  CustomInput<SchemaInput<Spec>>
>;

/**
 * Defines a kind of our own from schemas of any library that speaks Standard JSON Schema (zod first): the static types
 * of its objects, and all that `toCrd` needs. Nothing is validated here at run time: the API server does that, by the
 * CRD.
 *
 * The CRD is made from what the schemas take, not from what they give: a transform has no effect on objects, and the
 * type of such a field is the type that it takes. What JSON Schema cannot say (refinements, the flags of a RegExp) is
 * not checked by the API server either: say it with `rules`. Objects lose fields that the schema does not name;
 * z.looseObject and z.unknown keep what is in them. Give an object a default of `{}` (zod: `.prefault({})`) when the
 * defaults of its fields shall apply although it is absent.
 *
 * A list `status.conditions` is a list map by `type`, as the API conventions say, unless `listMapKeys` says otherwise.
 *
 * @throws CodedError `InvalidSchema` when a schema has no structural form, with the path of what has none and what to
 * write instead; `InvalidResource` when a name, a column or a path is wrong.
 */
export function defineResource<const Spec extends Schema, const Status extends Schema | undefined = undefined>(
  options: ResourceOptions<Spec, Status>,
): DefinedResource<Spec, Status> {
  const { group, version, kind, shortNames = [], categories = [], scope = "Namespaced", scaleSubresource } = options;
  const singular = options.singular ?? kind.toLowerCase();
  const plural = options.plural ?? pluralOf(singular);
  checkCustomNames({ group, version, kind, plural, singular, shortNames, categories });

  const schema = schemaOf(options);
  const names: CrdNames = {
    plural,
    singular,
    kind,
    listKind: `${kind}List`,
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
  };
  const hasStatus = options.status !== undefined;
  const columns = (options.printerColumns ?? []).map((column) => printerColumn(kind, column, schema));
  const selectable = selectableFields(options, schema);
  if (scaleSubresource !== undefined) checkScale(kind, scaleSubresource, schema);
  const crdVersion: Omit<CrdVersion, "storage"> = {
    name: version,
    served: options.served ?? true,
    ...(options.deprecationWarning !== undefined && {
      deprecated: true,
      deprecationWarning: options.deprecationWarning,
    }),
    schema: { openAPIV3Schema: schema },
    ...((hasStatus || scaleSubresource !== undefined) && {
      subresources: {
        ...(hasStatus && { status: {} }),
        ...(scaleSubresource !== undefined && { scale: scaleSubresource }),
      },
    }),
    ...(columns.length > 0 && { additionalPrinterColumns: columns }),
    ...(selectable.length > 0 && { selectableFields: selectable.map((jsonPath) => ({ jsonPath })) }),
  };
  return Object.freeze({
    group,
    version,
    apiVersion: `${group}/${version}`,
    kind,
    plural,
    singular,
    scope,
    subresources: Object.freeze([
      ...(hasStatus ? ["status"] : []),
      ...(scaleSubresource === undefined ? [] : ["scale"]),
    ]),
    definition: Object.freeze({ names, version: crdVersion }),
  });
}

function schemaOf(options: ResourceOptions<Schema, Schema | undefined>): StructuralSchema {
  const { kind, description, spec, status } = options;
  const refuse = refuseSchema(kind);
  const preserve = new Set((options.preserveUnknownFields ?? []).map((path) => path.replace(/^\./, "")));
  const convert = (schema: Schema, root: string): StructuralSchema =>
    structuralSchemaOf(jsonSchemaOf(schema, `${kind}.${root}`), root, { refuse, preserve });
  const root: StructuralSchema = {
    ...(description !== undefined && { description }),
    type: "object",
    properties: { spec: convert(spec, "spec"), ...(status !== undefined && { status: convert(status, "status") }) },
    required: ["spec"],
  };
  return withFieldOptions(kind, root, options);
}

function selectableFields(
  options: ResourceOptions<Schema, Schema | undefined>,
  schema: StructuralSchema,
): readonly string[] {
  const fields = options.selectableFields ?? [];
  const refuse = (state: string): never => {
    throw new CodedError("InvalidResource", `Cannot define ${options.kind}: ${state}`);
  };
  if (fields.length > 8) refuse(`it has ${fields.length} selectable fields, and the API server takes 8`);
  return fields.map((field) => {
    const steps = parseSchemaPath(field) ?? [];
    const names = steps.map((step) => (typeof step === "string" ? "" : step.field));
    const at = steps.length === 0 ? undefined : schemaAt(schema, steps);
    if (at === undefined || names.includes(""))
      return refuse(`selectable field ${field} is not in the schema; give a path such as spec.region`);
    if (!isScalar(at) || at.type === "number" || at.type === undefined) {
      return refuse(
        `selectable field ${field} is no string, integer or boolean, and the API server selects by no other`,
      );
    }
    if (names.some((name) => !/^[A-Za-z_][\w-]*$/.test(name))) {
      return refuse(`selectable field ${field} has a name that the API server's paths cannot hold`);
    }
    return `.${names.join(".")}`;
  });
}

function checkScale(kind: string, scale: CrdScale, schema: StructuralSchema): void {
  const check = (name: "specReplicasPath" | "statusReplicasPath", root: "spec" | "status"): void => {
    const path = scale[name];
    const steps = path.startsWith(`.${root}.`) ? parseSchemaPath(path) : undefined;
    if (steps !== undefined && schemaAt(schema, steps)?.type === "integer") return;
    throw new CodedError(
      "InvalidResource",
      `Cannot define ${kind}: ${name} is ${JSON.stringify(path)}, give the path of an integer in ${root}, such as .${root}.replicas`,
    );
  };
  check("specReplicasPath", "spec");
  check("statusReplicasPath", "status");
}
