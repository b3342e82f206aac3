import { ApiError } from "../failure/api-error.ts";

/** The form in which an object is answered. */
export interface AnswerForm {
  readonly mediaType: "application/json" | "application/yaml";
  readonly as: "object" | "partial" | "table";
  /** `;pretty=1`, which people's clients ask for by the query. */
  readonly pretty: boolean;
}

const accepted = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/**
 * Chooses the first form of an Accept header that this server writes; without a header, JSON. Protobuf is read, and never
 * written: clients that prefer it name JSON too.
 *
 * @throws ApiError 406.
 */
export function chooseForm(
  accept: string | undefined,
  options: { readonly transforms: boolean; readonly pretty: boolean },
): AnswerForm {
  const { pretty } = options;
  if (accept === undefined || accept.trim() === "") return { mediaType: "application/json", as: "object", pretty };
  for (const clause of accept.split(",")) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim());
    const mediaType = mediaTypeOf(type);
    if (mediaType === undefined) continue;
    const named = new Map(parameters.map((parameter) => splitOnce(parameter)));
    const as = named.get("as");
    if (as === undefined) return { mediaType, as: "object", pretty };
    if (!options.transforms || named.get("g") !== "meta.k8s.io" || named.get("v") !== "v1") continue;
    if (as === "Table") return { mediaType, as: "table", pretty };
    if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList")
      return { mediaType, as: "partial", pretty };
  }
  throw new ApiError({
    code: 406,
    reason: "NotAcceptable",
    message: `only the following media types are accepted: ${accepted.join(", ")}`,
  });
}

function mediaTypeOf(type: string): AnswerForm["mediaType"] | undefined {
  if (type === "*/*" || type === "application/*" || type === "application/json") return "application/json";
  return type === "application/yaml" ? "application/yaml" : undefined;
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf("=");
  return at === -1 ? [text, ""] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
