import { badRequest, forbidden, internalError } from "../../failure/api-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import type { KindVersion } from "../../registry/kind.ts";
import type { GroupResource, ObjectReader } from "../../registry/object-reader.ts";
import type { Registry, ServedKind } from "../../registry/registry.ts";
import type { AdmissionAttributes } from "../attributes.ts";
import { type Webhook, webhooksOf } from "../built-in/webhook-configuration.ts";
import { admissionReview, readVerdict, requestFields, type Verdict } from "./admission-review.ts";
import { meetsConditions } from "./match-conditions.ts";
import { type AdmissionView, bodyOf, createRequestMatcher } from "./match-request.ts";
import { type WebhookAnswer, type WebhookCall, WebhookFailure, type WebhookPost } from "./webhook-post.ts";

/** Between the versions of a kind; what verb/codec.ts does for requests. */
export interface AdmissionCodec {
  /** The object of plain JSON in the version of the request. @throws ApiError 400 for what is no such object. */
  decode(served: ServedKind, value: unknown): { readonly object: DraftObject };
  convert(served: ServedKind, object: DraftObject | StoredObject, to: KindVersion): DraftObject | Promise<DraftObject>;
}

/** Where a Service that a webhook names is reached: `https://127.0.0.1:8443`; undefined where it is not. */
export type ResolveService = (service: {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}) => string | undefined;

export interface WebhookOptions {
  readonly reader: ObjectReader;
  readonly registry: Registry;
  readonly codec: AdmissionCodec;
  readonly uuid: () => string;
  readonly post: WebhookPost;
  /** Without it no webhook is reached by a Service: nothing runs behind one here. */
  readonly resolveService?: ResolveService | undefined;
}

/** Calls the webhooks of one kind of configuration. */
export interface WebhookCaller {
  /**
   * All of them, by the name of their configuration and then in its order; none for requests that no webhook may see.
   */
  hooks(attributes: AdmissionAttributes): readonly Webhook[];
  /**
   * The request as this webhook is to see it; undefined where it is not asked.
   *
   * @throws ApiError 403 for conditions that cannot be told.
   */
  view(hook: Webhook, attributes: AdmissionAttributes): Promise<AdmissionView | undefined>;
  /**
   * Asks the webhook.
   *
   * @throws WebhookFailure, ApiError 400 for a dry run that would not be one.
   */
  call(hook: Webhook, attributes: AdmissionAttributes, view: AdmissionView): Promise<Verdict>;
}

const configurationKinds: ReadonlySet<string> = new Set(
  ["Webhook", "AdmissionPolicy", "AdmissionPolicyBinding"].flatMap((suffix) =>
    ["Mutating", "Validating"].map((prefix) => `${prefix}${suffix}${suffix === "Webhook" ? "Configuration" : ""}`),
  ),
);

/** Whether a request is about admission itself: no webhook and no policy may lock the door to its own removal. */
export function isExempt({ served: { kind } }: AdmissionAttributes): boolean {
  return kind.group === "admissionregistration.k8s.io" && configurationKinds.has(kind.kind);
}

/** The request in another version, by the codec. */
export async function viewIn(
  served: ServedKind,
  attributes: AdmissionAttributes,
  codec: AdmissionCodec,
): Promise<AdmissionView> {
  const { served: asked, object, old } = attributes;
  if (served.version === asked.version || bodyOf(attributes) !== undefined) return { served, object, old };
  const converted = async (one: DraftObject | StoredObject | undefined): Promise<DraftObject | undefined> =>
    one === undefined ? undefined : codec.convert(served, one, served.version);
  return { served, object: await converted(object), old: await converted(old) };
}

export function createWebhookCaller(configurations: "mutating" | "validating", options: WebhookOptions): WebhookCaller {
  const { reader, codec, uuid, post } = options;
  const mutating = configurations === "mutating";
  const resource: GroupResource = {
    group: "admissionregistration.k8s.io",
    resource: `${configurations}webhookconfigurations`,
  };
  const matcher = createRequestMatcher(options);

  const ask = async (hook: Webhook, body: string, signal: AbortSignal): Promise<WebhookAnswer> => {
    const { clientConfig = {}, timeoutSeconds = 10 } = hook;
    try {
      const target = webhookTarget(clientConfig, { ...options, timeoutSeconds });
      return await post({ ...target, body, timeoutMs: timeoutSeconds * 1000, signal });
    } catch (error) {
      throw error instanceof WebhookFailure ? new WebhookFailure(`failed to call webhook: ${error.message}`) : error;
    }
  };

  return {
    hooks: (attributes) => (isExempt(attributes) ? [] : reader.list(resource).flatMap(webhooksOf)),
    async view(hook, attributes): Promise<AdmissionView | undefined> {
      const { rules = [], matchPolicy, namespaceSelector, objectSelector, matchConditions } = hook;
      const served = matcher.match({ rules, matchPolicy, namespaceSelector, objectSelector }, attributes);
      if (served === undefined) return undefined;
      const view = await viewIn(served, attributes, codec);
      if ((matchConditions ?? []).length === 0) return view;
      const met = meetsConditions(matchConditions, {
        object: view.object ?? null,
        oldObject: view.old ?? null,
        request: requestFields(attributes, served),
        namespaceObject: null,
      });
      if (met === true) return view;
      if (met === false || hook.failurePolicy === "Ignore") return undefined;
      const { group, plural } = attributes.served.kind;
      throw forbidden({ group, resource: plural, name: attributes.name }, met.error);
    },
    async call(hook, attributes, view): Promise<Verdict> {
      const { name = "", sideEffects, admissionReviewVersions = [] } = hook;
      if (attributes.dryRun && sideEffects !== "None" && sideEffects !== "NoneOnDryRun") {
        throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
      }
      const version = admissionReviewVersions.find((one) => one === "v1" || one === "v1beta1") ?? "v1";
      const uid = uuid();
      const body = JSON.stringify(admissionReview(attributes, { view, uid, version }));
      const answer = await ask(hook, body, attributes.signal);
      const verdict = readVerdict(answer, { uid, version, mutating });
      for (const warning of verdict.warnings) attributes.warn(warning);
      return verdict;
    },
  };
}

/** How a request ends whose webhook has failed; undefined where it goes on without it. */
export function failureOf({ name = "", failurePolicy }: Webhook, { message }: WebhookFailure): Error | undefined {
  if (failurePolicy === "Ignore") return undefined;
  return internalError(`failed calling webhook ${JSON.stringify(name)}: ${message}`);
}

/** Where a webhook is reached, by its URL or its Service. @throws WebhookFailure when nothing is there. */
export function webhookTarget(
  clientConfig: NonNullable<Webhook["clientConfig"]>,
  {
    reader,
    resolveService,
    timeoutSeconds,
  }: Pick<WebhookOptions, "reader" | "resolveService"> & { readonly timeoutSeconds: number },
): Pick<WebhookCall, "ca" | "serverName" | "url"> {
  const { url, service, caBundle = "" } = clientConfig;
  const query = `timeout=${timeoutSeconds}s`;
  const ca = caBundle === "" ? undefined : Buffer.from(caBundle, "base64").toString("utf8");
  if (service === undefined) return { url: `${url ?? ""}?${query}`, ca };
  const { namespace = "", name = "", path = "", port = 443 } = service;
  const serverName = `${name}.${namespace}.svc`;
  const base = resolveService?.({ namespace, name, port });
  const suffix = `${path.startsWith("/") || path === "" ? path : `/${path}`}?${query}`;
  if (base !== undefined) return { url: `${base}${suffix}`, ca, serverName };
  const isThere = reader.find({ group: "", resource: "services" }, { namespace, name }) !== undefined;
  const why = isThere
    ? `no endpoints available for service ${JSON.stringify(name)}: nothing runs in this cluster, give the webhook a url`
    : `service ${JSON.stringify(name)} not found`;
  throw new WebhookFailure(`Post ${JSON.stringify(`https://${serverName}:${port}${suffix}`)}: ${why}`);
}
