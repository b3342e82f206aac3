import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../clock/clock.ts";
import { formatTime } from "../clock/instant.ts";
import type { AnyResource } from "../resource/resource.ts";
import { applyMergePatch } from "../wire/merge-patch.ts";
import type { KubeObject, ObjectKey } from "../wire/object.ts";
import {
  createScriptedStream,
  createScriptedTransport,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedStream,
  type ScriptedTransport,
} from "./scripted-transport.ts";

/** An object as a test writes it: what the server adds may be left out. */
export interface ObjectInput {
  readonly metadata: ObjectKey & Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/**
 * As much of an API server as virtual-time tests of the runtime need: versions, generations, the status subresource,
 * conflicts, lists, watches and merge patches, for any kind. It validates nothing, and it is no judge: suites on the
 * real kube-apiserver are.
 */
export interface ScriptedCluster {
  /** Answers from this cluster; a rule that a test adds with `on` goes before it. */
  readonly transport: ScriptedTransport;
  /** Creates or replaces an object as somebody else would. */
  put(resource: AnyResource, object: ObjectInput): KubeObject;
  /** Deletes an object as somebody else would. */
  remove(resource: AnyResource, key: ObjectKey): void;
  get(resource: AnyResource, key: ObjectKey): KubeObject | undefined;
  list(resource: AnyResource): readonly KubeObject[];
  /** Mutating requests, in order. */
  readonly writes: readonly RecordedRequest[];
  /** Ends every open watch as the server does when its time is up. */
  closeWatches(): void;
}

interface Change {
  readonly version: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

interface Kind {
  readonly objects: Map<string, KubeObject>;
  readonly changes: Change[];
  readonly watches: Set<{ readonly stream: ScriptedStream; readonly namespace: string | undefined }>;
}

const pathPattern =
  /^\/(?:api\/(?<core>v1)|apis\/(?<groupVersion>[^/]+\/[^/]+))(?:\/namespaces\/(?<namespace>[^/]+)(?=\/))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<subresource>status))?$/;
const initialEventsEnd = { "k8s.io/initial-events-end": "true" };

export function createScriptedCluster(clock: Clock): ScriptedCluster {
  const transport = createScriptedTransport(clock);
  const kinds = new Map<string, Kind>();
  const writes: RecordedRequest[] = [];
  let version = 100;

  const kindOf = (apiVersion: string, plural: string): Kind => {
    const id = `${apiVersion}/${plural}`;
    let kind = kinds.get(id);
    if (kind === undefined) {
      kind = { objects: new Map(), changes: [], watches: new Set() };
      kinds.set(id, kind);
    }
    return kind;
  };
  const idOf = ({ namespace = "", name }: { readonly namespace?: string | undefined; readonly name: string }): string =>
    `${namespace}/${name}`;

  const tell = (kind: Kind, type: Change["type"], object: KubeObject): void => {
    kind.changes.push({ version, type, object });
    for (const { stream, namespace } of kind.watches) {
      if (namespace === undefined || namespace === object.metadata.namespace) stream.write({ type, object });
    }
  };

  const store = (kind: Kind, object: KubeObject): KubeObject => {
    const id = idOf(object.metadata);
    const before = kind.objects.get(id);
    if (before !== undefined && isDeepStrictEqual(JSON.parse(JSON.stringify(object)), before)) return before;
    version += 1;
    const { status: _old, metadata: _m, ...contentBefore } = (before ?? {}) as KubeObject & { status?: unknown };
    const { status: _new, metadata, ...content } = object as KubeObject & { status?: unknown };
    const changed = before !== undefined && !isDeepStrictEqual(contentBefore, content);
    const stored = {
      ...object,
      metadata: {
        ...metadata,
        uid: before?.metadata.uid ?? `uid-${version}`,
        creationTimestamp: before?.metadata.creationTimestamp ?? formatTime(clock.now()),
        generation: (before?.metadata.generation ?? 0) + (before === undefined || changed ? 1 : 0),
        resourceVersion: String(version),
      },
    };
    const plain = JSON.parse(JSON.stringify(stored)) as KubeObject;
    kind.objects.set(id, plain);
    tell(kind, before === undefined ? "ADDED" : "MODIFIED", plain);
    return plain;
  };

  const drop = (kind: Kind, object: KubeObject): void => {
    version += 1;
    kind.objects.delete(idOf(object.metadata));
    tell(kind, "DELETED", { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
  };

  const refuse = (code: number, reason: string, name: string): ScriptedAnswer => ({
    status: code,
    body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: `${name}: ${reason}` },
  });

  const watch = (
    kind: Kind,
    request: RecordedRequest,
    namespace: string | undefined,
    apiVersion: string,
  ): ScriptedAnswer => {
    const stream = createScriptedStream();
    const inScope = ({ metadata }: KubeObject): boolean => namespace === undefined || metadata.namespace === namespace;
    if (request.query.get("sendInitialEvents") === "true") {
      for (const object of kind.objects.values()) if (inScope(object)) stream.write({ type: "ADDED", object });
      stream.write({
        type: "BOOKMARK",
        object: {
          apiVersion,
          kind: "Any",
          metadata: { resourceVersion: String(version), annotations: initialEventsEnd },
        },
      });
    } else {
      const from = Number(request.query.get("resourceVersion"));
      for (const change of kind.changes) {
        if (change.version > from && inScope(change.object)) stream.write({ type: change.type, object: change.object });
      }
    }
    const open = { stream, namespace };
    kind.watches.add(open);
    request.signal?.addEventListener("abort", () => kind.watches.delete(open), { once: true });
    return { body: stream };
  };

  const write = (
    kind: Kind,
    request: RecordedRequest,
    at: Readonly<Record<string, string | undefined>>,
    apiVersion: string,
  ): ScriptedAnswer => {
    const body = (request.json ?? {}) as KubeObject & { readonly status?: unknown };
    const name = at.name ?? body.metadata?.name ?? "";
    const before = kind.objects.get(idOf({ namespace: at.namespace, name })) as
      | (KubeObject & { status?: unknown })
      | undefined;
    if (request.method === "POST") {
      if (before !== undefined) return refuse(409, "AlreadyExists", name);
      return {
        status: 201,
        body: store(kind, {
          ...body,
          apiVersion,
          metadata: { ...body.metadata, namespace: at.namespace } as KubeObject["metadata"],
        }),
      };
    }
    if (before === undefined) return refuse(404, "NotFound", name);
    if (request.method === "DELETE") {
      drop(kind, before);
      return { body: { kind: "Status", status: "Success" } };
    }
    const asked = body.metadata?.resourceVersion;
    if (asked !== undefined && asked !== before.metadata.resourceVersion) return refuse(409, "Conflict", name);
    const replaces = request.method === "PUT";
    // An apply by the one manager that these tests have owns the whole status: fields that it leaves out go.
    const applies = request.headers?.["content-type"] === "application/apply-patch+yaml";
    if (at.subresource === "status") {
      const status = replaces || applies ? body.status : applyMergePatch(before.status, body.status);
      return { body: store(kind, { ...before, status } as KubeObject) };
    }
    const next = (replaces ? body : applyMergePatch(before, body)) as KubeObject;
    return {
      body: store(kind, {
        ...next,
        metadata: { ...before.metadata, ...next.metadata },
        status: before.status,
      } as KubeObject),
    };
  };

  transport.on({}, (request) => {
    const at = pathPattern.exec(request.path)?.groups;
    if (at === undefined) return refuse(404, "NotFound", request.path);
    const apiVersion = at.core ?? at.groupVersion ?? "";
    const kind = kindOf(apiVersion, at.plural ?? "");
    if (request.method !== "GET") {
      writes.push(request);
      return write(kind, request, at, apiVersion);
    }
    if (at.name !== undefined) {
      const object = kind.objects.get(idOf({ namespace: at.namespace, name: at.name }));
      return object === undefined ? refuse(404, "NotFound", at.name) : { body: object };
    }
    if (request.query.get("watch") === "true" || request.query.get("watch") === "1")
      return watch(kind, request, at.namespace, apiVersion);
    const items = [...kind.objects.values()].filter(
      ({ metadata }) => at.namespace === undefined || metadata.namespace === at.namespace,
    );
    return { body: { apiVersion, kind: "List", metadata: { resourceVersion: String(version) }, items } };
  });

  const ofResource = ({ apiVersion, plural }: AnyResource): Kind => kindOf(apiVersion, plural);
  return {
    transport,
    writes,
    put(resource, object): KubeObject {
      const before = ofResource(resource).objects.get(idOf(object.metadata));
      const { apiVersion, kind } = resource;
      return store(ofResource(resource), {
        ...before,
        ...object,
        apiVersion,
        kind,
        metadata: { ...before?.metadata, ...object.metadata },
      } as KubeObject);
    },
    remove(resource, key): void {
      const object = ofResource(resource).objects.get(idOf(key));
      if (object !== undefined) drop(ofResource(resource), object);
    },
    get: (resource, key) => ofResource(resource).objects.get(idOf(key)),
    list: (resource) => [...ofResource(resource).objects.values()],
    closeWatches(): void {
      for (const kind of kinds.values()) {
        for (const { stream } of kind.watches) stream.end();
        kind.watches.clear();
      }
    },
  };
}
