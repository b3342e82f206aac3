import { type Clock, formatTime, instantOf } from "farwatch";
import { type ApiError, badRequest, conflict, invalid, notFound } from "../failure/api-error.ts";
import { invalidValue } from "../failure/field-error.ts";
import { goQuoted } from "../failure/go-quoted.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import type { ObjectReader } from "../registry/object-reader.ts";
import { managedFieldsOf } from "./review.ts";
import type { ServiceAccountClaim, ServiceAccountTokens } from "./service-account-token.ts";

interface BoundObjectReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

interface TokenRequestSpec {
  readonly audiences?: readonly string[] | null;
  readonly expirationSeconds?: number | null;
  readonly boundObjectRef?: BoundObjectReference | null;
}

export interface TokenRequestOptions {
  readonly clock: Clock;
  readonly reader: ObjectReader;
  readonly tokens: ServiceAccountTokens;
  /** A random (version 4) UUID. */
  readonly uuid: () => string;
}

/** POST of serviceaccounts/NAME/token: the body with a token in its status. */
export type TokenRequest = (
  body: DraftObject,
  account: { readonly namespace: string; readonly name: string },
) => Promise<DraftObject>;

const group = "authentication.k8s.io";
const defaultSeconds = 3600;
const minSeconds = 600;
const maxSeconds = 2 ** 32;
/**
 * What kubelets ask for; a token for the API server that is bound to a pod lasts a year then, and is frowned upon after
 * this.
 */
const kubeletSeconds = 3607;
const yearSeconds = 365 * 24 * 60 * 60;

/** Sets the duration where none is asked for, as the API's defaulting does. */
export function applyTokenRequestDefaults(body: DraftObject): void {
  const spec = (body.spec ?? {}) as TokenRequestSpec;
  body.spec = { ...spec, expirationSeconds: spec.expirationSeconds ?? defaultSeconds };
}

/** Answers requests for tokens of service accounts, with the real server's checks. */
export function createTokenRequest(options: TokenRequestOptions): TokenRequest {
  const { clock, reader, tokens, uuid } = options;
  return async (body, { namespace, name }) => {
    const account = reader.find({ group: "", resource: "serviceaccounts" }, { namespace, name });
    if (account === undefined) throw notFound({ group: "", resource: "serviceaccounts", name });
    checkMeta(body, account);
    const { audiences, boundObjectRef, ...spec } = (body.spec ?? {}) as TokenRequestSpec;
    const expirationSeconds = spec.expirationSeconds ?? defaultSeconds;
    checkDuration(expirationSeconds, body);
    const bound = boundObjectRef ? boundClaim(boundObjectRef, account, reader) : {};
    const named = audiences?.length ? audiences : [tokens.issuer];

    const now = Math.floor(clock.now().getTime() / 1000);
    const lasts = expirationSeconds === kubeletSeconds && bound.pod !== undefined && named.includes(tokens.issuer);
    const claim: ServiceAccountClaim = {
      namespace,
      ...bound,
      serviceaccount: { name, uid: account.metadata.uid },
      ...(lasts && { warnafter: now + expirationSeconds }),
    };
    const token = await tokens.issue({
      audiences: named,
      claim,
      issuedAt: now,
      expiresAt: now + (lasts ? yearSeconds : expirationSeconds),
      id: uuid(),
    });
    const { generateName, labels, annotations } = body.metadata;
    return {
      apiVersion: body.apiVersion,
      kind: body.kind,
      metadata: {
        name,
        ...(generateName !== undefined && { generateName }),
        namespace,
        uid: account.metadata.uid,
        creationTimestamp: formatTime(instantOf(now * 1000)),
        ...(labels !== undefined && { labels }),
        ...(annotations !== undefined && { annotations }),
        ...managedFieldsOf(body),
      },
      // The real server always writes boundObjectRef, as null where there is none.
      spec: { audiences: named, expirationSeconds, boundObjectRef: boundObjectRef ?? null },
      status: { token, expirationTimestamp: formatTime(instantOf((now + expirationSeconds) * 1000)) },
    };
  };
}

function checkMeta({ metadata }: DraftObject, account: StoredObject): void {
  const { name, uid } = account.metadata;
  if ((metadata.name ?? "") !== "" && metadata.name !== name) {
    const why = "must match the service account name if specified";
    throw invalid({ group, kind: "TokenRequest", name }, [invalidValue("metadata.name", metadata.name, why)]);
  }
  if ((metadata.uid ?? "") !== "" && metadata.uid !== uid) {
    const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group, resource: "TokenRequest", name }, why);
  }
}

function checkDuration(seconds: number, { metadata }: DraftObject): void {
  const why =
    seconds < minSeconds
      ? "may not specify a duration less than 10 minutes"
      : seconds > maxSeconds
        ? "may not specify a duration larger than 2^32 seconds"
        : undefined;
  if (why === undefined) return;
  throw invalid({ group, kind: "TokenRequest", name: metadata.name ?? "" }, [
    invalidValue("spec.expirationSeconds", seconds, why),
  ]);
}

type BoundClaim = Pick<ServiceAccountClaim, "node" | "pod" | "secret">;

const boundResources: Readonly<Record<string, { readonly resource: string; readonly namespaced: boolean }>> = {
  Pod: { resource: "pods", namespaced: true },
  Secret: { resource: "secrets", namespaced: true },
  Node: { resource: "nodes", namespaced: false },
};

function boundClaim(reference: BoundObjectReference, account: StoredObject, reader: ObjectReader): BoundClaim {
  const { kind = "", apiVersion = "", name = "", uid = "" } = reference;
  const core = apiVersion === "v1" || apiVersion === "" || apiVersion.split("/").length > 2;
  const found = core && Object.hasOwn(boundResources, kind) ? boundResources[kind] : undefined;
  if (found === undefined) {
    const [first = "", version] = apiVersion.split("/");
    const groupVersion = version === undefined ? `/${first}` : `${first}/${version}`;
    throw badRequest(`cannot bind token to object of type ${groupVersion}, Kind=${kind}`);
  }
  if (name === "") throw badRequest("Name parameter required.");
  const { namespace = "" } = account.metadata;
  const key = { namespace: found.namespaced ? namespace : undefined, name };
  const object = reader.find({ group: "", resource: found.resource }, key);
  if (object === undefined) throw notFound({ group: "", resource: found.resource, name });
  if (uid !== "" && uid !== object.metadata.uid) throw otherUid(kind, name, uid);
  const claim = { name, uid: object.metadata.uid };
  if (kind === "Node") return { node: claim };
  return kind === "Secret" ? { secret: claim } : podClaim(object, account, reader);
}

function podClaim(pod: StoredObject, account: StoredObject, reader: ObjectReader): BoundClaim {
  const { serviceAccountName, nodeName } = (pod.spec ?? {}) as {
    readonly serviceAccountName?: string;
    readonly nodeName?: string;
  };
  if (serviceAccountName !== account.metadata.name) {
    const quoted = goQuoted(account.metadata.name);
    throw badRequest(
      `cannot bind token for serviceaccount ${quoted} to pod running with different serviceaccount name.`,
    );
  }
  const claim = { pod: { name: pod.metadata.name, uid: pod.metadata.uid } };
  if (nodeName === undefined || nodeName === "") return claim;
  const uid = reader.find({ group: "", resource: "nodes" }, { name: nodeName })?.metadata.uid;
  return { node: { name: nodeName, ...(uid !== undefined && { uid }) }, ...claim };
}

function otherUid(kind: string, name: string, uid: string): ApiError {
  const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  return conflict({ group: "", resource: kind, name }, why);
}
