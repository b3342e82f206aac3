import { ApiError } from "../failure/api-error.ts";

/** What an object is to be turned into, as an Accept header names it: `;as=Table;g=meta.k8s.io;v=v1`. */
export interface Transform {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The form in which a value is answered. */
export interface AnswerForm {
  readonly mediaType: "application/json" | "application/yaml";
  readonly transform: Transform | undefined;
  readonly pretty: boolean;
}

const protobuf = "application/vnd.kubernetes.protobuf";
const negotiable: readonly string[] = ["application/json", "application/yaml", protobuf];

export interface FormOptions {
  readonly pretty: boolean;
  /** Whether values can be turned into this; default: into nothing. */
  readonly allows?: (transform: Transform) => boolean;
}

/**
 * Chooses the first form of an Accept header that this server writes; without a header, JSON. Protobuf is read, and
 * never written: clients that prefer it name JSON too.
 *
 * @throws ApiError 406.
 */
export function chooseForm(accept: string | undefined, { pretty, allows = () => false }: FormOptions): AnswerForm {
  const clauses = readAccept(accept ?? "");
  if ((accept ?? "") === "") return { mediaType: "application/json", transform: undefined, pretty };
  for (const { type, parameters } of clauses) {
    const mediaType = written.find((one) => matches(type, one));
    const transform = transformOf(parameters);
    if (mediaType === undefined || parameters.has("sv") || (parameters.get("stream") ?? "watch") !== "watch") continue;
    if (transform !== undefined && !allows(transform)) continue;
    return { mediaType, transform, pretty: pretty || parameters.get("pretty") === "1" };
  }
  // Whoever wants nothing but protobuf is told what there is instead.
  const wantsProtobuf = clauses.some(({ type }) => type === protobuf);
  throw notAcceptable(mediaTypesText(wantsProtobuf ? written : negotiable));
}

/** 406 that names what is accepted. */
export function mediaTypesText(types: readonly string[]): string {
  return `only the following media types are accepted: ${types.join(", ")}`;
}

const written = ["application/json", "application/yaml"] as const;

function matches(type: string, mediaType: string): boolean {
  return type === mediaType || type === "application/*" || type === "*/*";
}

function transformOf(parameters: ReadonlyMap<string, string>): Transform | undefined {
  const [kind, group, version] = ["as", "g", "v"].map((name) => parameters.get(name));
  if (kind === undefined && group === undefined && version === undefined) return undefined;
  return { group: group ?? "", version: version ?? "", kind: kind ?? "" };
}

/** What the paths of built-in kinds can answer, as the real server's router says it. */
export const routedTypes: Readonly<Record<"collection" | "object" | "version", readonly string[]>> = {
  object: negotiable,
  collection: [...negotiable, "application/json;stream=watch", `${protobuf};stream=watch`],
  version: ["application/json"],
};

/**
 * What the real server's router, which serves built-in kinds, lets pass: one of the types, whatever its parameters and
 * its quality.
 *
 * @throws ApiError 406 in the words of the router.
 */
export function checkRoutable(accept: string | undefined, types: readonly string[]): void {
  if ((accept ?? "") === "") return;
  const asked = (accept ?? "").split(",").map((clause) => (clause.split(";", 1)[0] ?? "").trim());
  if (asked.some((type) => type === "*/*" || types.includes(type))) return;
  throw new ApiError({
    code: 406,
    reason: "NotAcceptable",
    message: `406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`,
    details: {},
  });
}

export function notAcceptable(message: string): ApiError {
  return new ApiError({ code: 406, reason: "NotAcceptable", message });
}

interface Clause {
  /** `application/json`, `*` for any part. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** Headers that were read: a client sends one or two of them, again and again. */
const readHeaders = new Map<string, readonly Clause[]>();
const mostHeaders = 100;

/** The clauses of a header, the most wanted first; those that are no media type are left out. */
function readAccept(header: string): readonly Clause[] {
  let clauses = readHeaders.get(header);
  if (clauses === undefined) {
    clauses = header
      .split(",")
      .flatMap((clause) => readClause(clause) ?? [])
      .sort((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b));
    if (readHeaders.size >= mostHeaders) readHeaders.clear();
    readHeaders.set(header, clauses);
  }
  return clauses;
}

function wildcards({ type }: Clause): number {
  return type.startsWith("*/") ? 2 : type.endsWith("/*") ? 1 : 0;
}

function readClause(clause: string): Clause | undefined {
  const [type = "", ...parts] = clause.split(";").map((part) => part.trim());
  const [main = "", sub, ...more] = type.split("/").map((part) => part.trim());
  if (more.length > 0 || (sub === undefined && main !== "*")) return undefined;
  const parameters = new Map<string, string>();
  for (const part of parts) {
    const [name = "", value, ...rest] = part.split("=").map((one) => one.trim());
    if (value !== undefined && value !== "" && rest.length === 0) parameters.set(name, value);
  }
  const quality = parameters.get("q");
  parameters.delete("q");
  return { type: `${main}/${sub ?? "*"}`, parameters, quality: quality === undefined ? 1 : Number(quality) || 0 };
}
