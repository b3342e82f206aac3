import { ApiError } from "../failure/api-error.ts";

/** The form in which an object is answered. */
export interface AnswerForm {
  readonly mediaType: "application/json" | "application/yaml";
  readonly as: "object" | "partial" | "table";
  /** Of meta.k8s.io, for tables and partial objects. */
  readonly tableVersion: "v1" | "v1beta1";
  /** `;pretty=1`, which people's clients ask for by the query. */
  readonly pretty: boolean;
}

const accepted = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

export interface FormOptions {
  /** Whether Table and PartialObjectMetadata may be asked for; of a list the List forms. */
  readonly transforms: "list" | "none" | "object";
  readonly pretty: boolean;
  /** Built-in kinds are refused by the real server's router, in words of its own. */
  readonly routed: boolean;
}

/**
 * Chooses the first form of an Accept header that this server writes; without a header, JSON. Protobuf is read, and never
 * written: clients that prefer it name JSON too.
 *
 * @throws ApiError 406.
 */
export function chooseForm(accept: string | undefined, options: FormOptions): AnswerForm {
  const { pretty, routed, transforms } = options;
  const plain: AnswerForm = { mediaType: "application/json", as: "object", tableVersion: "v1", pretty };
  if (accept === undefined || (accept.trim() === "" && !routed)) return plain;
  const clauses = accept.split(",").map(readClause);
  if (routed && !clauses.some(({ type, quality }) => quality > 0 && routable.test(type))) {
    throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${accepted.join(", ")}`);
  }
  for (const { type, parameters, quality } of clauses.toSorted((a, b) => b.quality - a.quality)) {
    const mediaType = mediaTypeOf(type);
    if (mediaType === undefined || quality === 0) continue;
    const as = parameters.get("as");
    if (as === undefined) return { ...plain, mediaType };
    const version = parameters.get("v");
    if (transforms === "none" || parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1"))
      continue;
    if (as === "Table") return { ...plain, mediaType, as: "table", tableVersion: version };
    if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") {
      const isList = as === "PartialObjectMetadataList";
      if (isList !== (transforms === "list")) {
        throw notAcceptable(
          isList
            ? "you requested PartialObjectMetadataList, but the requested object is not a list"
            : "you requested PartialObjectMetadata, but the requested object is a list",
        );
      }
      return { ...plain, mediaType, as: "partial", tableVersion: version };
    }
  }
  throw notAcceptable(`only the following media types are accepted: ${accepted.join(", ")}`);
}

/** What the real server's router lets pass, whatever its parameters are. */
const routable = /^(?:\*\/\*|application\/(?:\*|json|yaml|vnd\.kubernetes\.protobuf))$/;

function notAcceptable(message: string): ApiError {
  return new ApiError({ code: 406, reason: "NotAcceptable", message });
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

function readClause(clause: string): Clause {
  const [type = "", ...parts] = clause.split(";").map((part) => part.trim());
  const parameters = new Map(parts.map((part) => splitOnce(part)));
  return { type, parameters, quality: Number(parameters.get("q") ?? 1) };
}

function mediaTypeOf(type: string): AnswerForm["mediaType"] | undefined {
  if (type === "*/*" || type === "application/*" || type === "application/json") return "application/json";
  return type === "application/yaml" ? "application/yaml" : undefined;
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf("=");
  return at === -1 ? [text, ""] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
