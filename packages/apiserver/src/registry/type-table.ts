import { CodedError } from "farwatch";
import { admissionregistrationV1 } from "./built-in/admissionregistration-v1.ts";
import { apiextensionsV1 } from "./built-in/apiextensions-v1.ts";
import { apiregistrationV1 } from "./built-in/apiregistration-v1.ts";
import { appsV1 } from "./built-in/apps-v1.ts";
import { authenticationV1 } from "./built-in/authentication-v1.ts";
import { authorizationV1 } from "./built-in/authorization-v1.ts";
import { autoscalingV1 } from "./built-in/autoscaling-v1.ts";
import { autoscalingV2 } from "./built-in/autoscaling-v2.ts";
import { batchV1 } from "./built-in/batch-v1.ts";
import { coordinationV1 } from "./built-in/coordination-v1.ts";
import { coreV1 } from "./built-in/core-v1.ts";
import { discoveryV1 } from "./built-in/discovery-v1.ts";
import { eventsV1 } from "./built-in/events-v1.ts";
import { metaV1 } from "./built-in/meta-v1.ts";
import { networkingV1 } from "./built-in/networking-v1.ts";
import { policyV1 } from "./built-in/policy-v1.ts";
import { rbacV1 } from "./built-in/rbac-v1.ts";
import { schedulingV1 } from "./built-in/scheduling-v1.ts";
import { storageV1 } from "./built-in/storage-v1.ts";

/**
 * The types of the built-in kinds as Go has them. Their table is text, one type after the other: a line with the name,
 * then a line a field, indented, in Go's order, which is the order of an answer's JSON:
 *
 *     name number type words…
 *
 * `number` is the field's in protobuf, `-` for none; the name `...` stands for the fields of another type, which
 * protobuf nests and JSON does not. A type is a scalar or a type of the table (of the same file, or `core.v1.Pod`),
 * behind `*` for a pointer, `[]` for a list, `{}` for a map by strings. The words:
 *
 *     required          in OpenAPI; also written even when empty, but with `omitempty`
 *     written           written even when empty, though not required
 *     omitzero          not written when it is zero, though an object
 *     default=JSON      in OpenAPI, where it is not the zero value that Go would write; `undefined` for none
 *     enum=A|B each=A|B of the value, of its items
 *     go=NAME           the Go type, where that is a scalar or collection with a name of its own
 *     list=map:A,B      list type and its keys; map=atomic
 *     patch= key=       strategy and merge key of strategic merge patches
 *
 * On a type's own line may stand `map=atomic`, `union=DISCRIMINATOR:FIELD,FIELD`, and of a list with a name `[]ITEM`.
 */
const files: Readonly<Record<string, string>> = {
  "admissionregistration.v1": admissionregistrationV1,
  "apiextensions.v1": apiextensionsV1,
  "apiregistration.v1": apiregistrationV1,
  "apps.v1": appsV1,
  "authentication.v1": authenticationV1,
  "authorization.v1": authorizationV1,
  "autoscaling.v1": autoscalingV1,
  "autoscaling.v2": autoscalingV2,
  "batch.v1": batchV1,
  "coordination.v1": coordinationV1,
  "core.v1": coreV1,
  "discovery.v1": discoveryV1,
  "events.v1": eventsV1,
  "meta.v1": metaV1,
  "networking.v1": networkingV1,
  "policy.v1": policyV1,
  "rbac.v1": rbacV1,
  "scheduling.v1": schedulingV1,
  "storage.v1": storageV1,
};

/** Types that are no objects of the table. */
export type ScalarType =
  | "FieldsV1"
  | "IntOrString"
  | "JSON"
  | "MicroTime"
  | "Quantity"
  | "RawExtension"
  | "Time"
  | "bool"
  | "bytes"
  | "float64"
  | "int32"
  | "int64"
  | "string";

export interface TypeField {
  readonly name: string;
  /** Its fields are those of the object that has this one. */
  readonly inline: boolean;
  readonly number: number | undefined;
  /** What the field holds: one, a list of them, or a map from strings to them. */
  readonly form: "list" | "map" | "one";
  /** A scalar, or the whole name of a type of the table. */
  readonly element: string;
  readonly pointer: boolean;
  /** As Go names it in errors, where that does not follow from form and element. */
  readonly goType: string | undefined;
  readonly required: boolean;
  /** When Go leaves the field out. */
  readonly omit: "empty" | "never" | "zero";
  /** In OpenAPI; undefined for none. */
  readonly default: unknown;
  readonly enum: readonly string[] | undefined;
  /** Of the items of a list or map. */
  readonly each: readonly string[] | undefined;
  readonly listType: "atomic" | "map" | "set" | undefined;
  readonly listMapKeys: readonly string[] | undefined;
  readonly mapType: "atomic" | "granular" | undefined;
  readonly patchStrategy: string | undefined;
  readonly patchMergeKey: string | undefined;
}

export interface TableType {
  /** `apps.v1.DeploymentSpec` */
  readonly name: string;
  /** Of a list with a name, such as authentication.v1.ExtraValue: what it holds. It has no fields. */
  readonly items: string | undefined;
  readonly fields: readonly TypeField[];
  readonly mapType: "atomic" | "granular" | undefined;
  /** Where one field tells which of the others may be set. */
  readonly union: { readonly discriminator: string; readonly fields: readonly string[] } | undefined;
}

const textsOf = new Map<string, ReadonlyMap<string, readonly string[]>>();
const parsed = new Map<string, TableType>();

/** The lines of each type of a file, found when the first of them is asked for. */
function texts(home: string): ReadonlyMap<string, readonly string[]> | undefined {
  const known = textsOf.get(home);
  if (known !== undefined || !Object.hasOwn(files, home)) return known;
  const found = new Map<string, readonly string[]>();
  for (const block of (files[home] ?? "").split(/\n(?! )/)) {
    const lines = block.split("\n ");
    if (block !== "") found.set(lines[0]?.split(" ", 1)[0] ?? "", lines);
  }
  textsOf.set(home, found);
  return found;
}

function homeOf(name: string): string {
  return name.slice(0, name.lastIndexOf("."));
}

/** The type of this name, parsed when it is first asked for; undefined where there is none. */
function findTableType(name: string): TableType | undefined {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const home = homeOf(name);
  const lines = texts(home)?.get(name.slice(home.length + 1));
  if (lines === undefined) return undefined;
  const type = parseType(name, lines);
  parsed.set(name, type);
  return type;
}

/** @throws CodedError `NotFound`: a name that the table does not have. */
export function tableType(name: string): TableType {
  const type = findTableType(name);
  if (type !== undefined) return type;
  throw new CodedError("NotFound", `Cannot read the type ${name}: the table of built-in types has none of this name`);
}

/** The type of a kind, where the table has it: of `apps`, `v1`, `Deployment` it is `apps.v1.Deployment`. */
export function typeNameOf(kind: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}): string | undefined {
  const { group, version, kind: name } = kind;
  const [first = ""] = group.split(".", 1);
  const candidates = [`${first === "" ? "core" : first}.${version}.${name}`, `meta.v1.${name}`];
  return candidates.find((candidate) => findTableType(candidate) !== undefined);
}

function parseType(name: string, [header = "", ...lines]: readonly string[]): TableType {
  const home = homeOf(name);
  const words = header.split(" ").slice(1);
  const items = words.find((word) => word.startsWith("[]"));
  const { map, union } = valuesOf(words);
  const [discriminator = "", members = ""] = union?.split(":") ?? [];
  return {
    name,
    items: items?.slice(2),
    mapType: map as TableType["mapType"],
    union: union === undefined ? undefined : { discriminator, fields: members.split(",") },
    fields: lines.map((line) => parseField(line, home)),
  };
}

/** The words of the form NAME=VALUE. */
function valuesOf(words: readonly string[]): Readonly<Partial<Record<string, string>>> {
  return Object.fromEntries(
    words.flatMap((word) => {
      const at = word.indexOf("=");
      return at < 0 ? [] : [[word.slice(0, at), word.slice(at + 1)]];
    }),
  );
}

function parseField(line: string, home: string): TypeField {
  const [name = "", number = "-", typeText = "", ...words] = line.split(" ");
  const values = valuesOf(words);
  const [, mark = "", bare = ""] = /^(\*|\[\]|\{\})?(.*)$/.exec(typeText) ?? [];
  const scalar = isScalar(bare);
  const element = scalar || bare.includes(".") ? bare : `${home}.${bare}`;
  const form = mark === "[]" ? "list" : mark === "{}" ? "map" : "one";
  const required = words.includes("required");
  const never = words.includes("written") || (required && !words.includes("omitempty"));
  const [listType, listMapKeys] = values.list?.split(":") ?? [];
  const field = {
    form,
    element,
    pointer: mark === "*",
    omit: words.includes("omitzero") ? "zero" : never ? "never" : "empty",
  } as const;
  return {
    ...field,
    name,
    inline: name === "...",
    number: number === "-" ? undefined : Number(number),
    required,
    goType: values.go,
    default: values.default === undefined ? zeroDefault(field) : parseDefault(values.default),
    enum: values.enum?.split("|"),
    each: values.each?.split("|"),
    listType: listType as TypeField["listType"],
    listMapKeys: listMapKeys?.split(","),
    mapType: values.map as TypeField["mapType"],
    patchStrategy: values.patch,
    patchMergeKey: values.key,
  };
}

function parseDefault(text: string): unknown {
  return text === "undefined" ? undefined : JSON.parse(text);
}

/** What OpenAPI gives as default without anybody's saying so: what Go writes. */
function zeroDefault({
  form,
  element,
  pointer,
  omit,
}: Pick<TypeField, "element" | "form" | "omit" | "pointer">): unknown {
  if (form !== "one" || pointer) return undefined;
  if (!isScalar(element)) return findTableType(element)?.items === undefined ? {} : undefined;
  return omit === "never" ? zeroOf(element) : undefined;
}

/** The zero value of a scalar that has one in OpenAPI. */
export function zeroOf(scalar: string): unknown {
  switch (scalar) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "float64":
      return 0;
    default:
      return undefined;
  }
}

const scalars: ReadonlySet<string> = new Set<ScalarType>([
  "FieldsV1",
  "IntOrString",
  "JSON",
  "MicroTime",
  "Quantity",
  "RawExtension",
  "Time",
  "bool",
  "bytes",
  "float64",
  "int32",
  "int64",
  "string",
]);

export function isScalar(element: string): element is ScalarType {
  return scalars.has(element);
}
