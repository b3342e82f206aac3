import { collectionPath } from "../client/api-path.ts";
import {
  createScriptedStream,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedStream,
  type ScriptedTransport,
} from "../doubles/scripted-transport.ts";
import type { Resource } from "../resource/resource.ts";
import { TransportError } from "../transport/transport-error.ts";
import { labelMatcher } from "../wire/label-selector.ts";
import { formatKey, type KubeObject, type ObjectKey, type Status } from "../wire/object.ts";

/** What a test says of an object; the rest is made up as a server would. */
export interface ScriptedObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [member: string]: unknown;
}

/** How the server misbehaves, or is merely old; may be changed at any time. */
export interface KindScript {
  /**
   * Of initial lists in a watch: sends them, refuses the option, or does not know it and sends no end mark. Default
   * `sends`.
   */
  streams: "sends" | "refuses" | "ignores";
  /** How a watch from a version that is gone is refused; default an ERROR event with reason Expired. */
  gone: "event Expired" | "event Gone" | "http";
  /** Every request fails like this while it is set. */
  failure: ScriptedAnswer | undefined;
  /** Called before each page of a list with its number, counted from 1. */
  onPage: ((page: number) => void) | undefined;
}

/** A moment of the server's state, to go back to. */
export interface KindSnapshot {
  readonly version: number;
  readonly objects: readonly KubeObject[];
}

/**
 * The list and watch side of an API server for one kind, on a scripted transport: it has versions, a history that can
 * be compacted, pages, label selectors, bookmarks and streamed initial lists, and it can be cut, silenced, taken down
 * and restored.
 */
export interface ScriptedKind<O extends KubeObject> {
  readonly script: KindScript;
  readonly version: number;
  readonly objects: readonly O[];
  /** Lists begun, streamed ones included; the look at one object for its version is none. */
  readonly lists: number;
  /** Watches accepted, and those that are open now. */
  readonly watches: number;
  readonly openWatches: number;
  /** Creates the object, or updates the one of its name. */
  put(object: ScriptedObject): O;
  remove(key: ObjectKey): void;
  /** A bookmark on every watch. */
  bookmark(): void;
  /** Every watch ends, cleanly or as a lost connection. */
  end(): void;
  cut(): void;
  /** Every open watch says nothing any more; its connection stays open. */
  silence(): void;
  /** Versions before now are gone. */
  compact(): void;
  snapshot(): KindSnapshot;
  /** Goes back to the snapshot, version included, with no history; connections break. */
  restore(snapshot: KindSnapshot): void;
}

interface Watcher {
  readonly stream: ScriptedStream;
  readonly from: number;
  readonly selects: (object: KubeObject) => boolean;
  readonly shape: (object: KubeObject) => unknown;
  isSilent: boolean;
}

interface Change {
  readonly version: number;
  readonly before: KubeObject | undefined;
  readonly object: KubeObject;
  readonly isDeleted: boolean;
}

const endMark = { "k8s.io/initial-events-end": "true" };

export function createScriptedKind<O extends KubeObject>(
  transport: ScriptedTransport,
  resource: Resource<O>,
  options: Partial<KindScript> & { readonly namespace?: string } = {},
): ScriptedKind<O> {
  const { namespace, ...given } = options;
  const script: KindScript = {
    streams: "sends",
    gone: "event Expired",
    failure: undefined,
    onPage: undefined,
    ...given,
  };
  const { apiVersion, kind } = resource;
  let objects = new Map<string, KubeObject>();
  let history: Change[] = [];
  let version = 100;
  let compacted = 0;
  let uids = 0;
  let lists = 0;
  let watches = 0;
  const watchers = new Set<Watcher>();

  const tell = (watcher: Watcher, { version: at, before, object, isDeleted }: Change): void => {
    if (watcher.isSilent || at <= watcher.from) return;
    const was = before !== undefined && watcher.selects(before);
    const is = !isDeleted && watcher.selects(object);
    if (!was && !is) return;
    watcher.stream.write({ type: is ? (was ? "MODIFIED" : "ADDED") : "DELETED", object: watcher.shape(object) });
  };

  const commit = (before: KubeObject | undefined, object: KubeObject, isDeleted: boolean): void => {
    const change: Change = { version, before, object, isDeleted };
    history.push(change);
    for (const watcher of watchers) tell(watcher, change);
  };

  const bookmark = (watcher: Watcher, annotations?: Readonly<Record<string, string>>): void => {
    if (watcher.isSilent || version < watcher.from) return;
    const metadata = { resourceVersion: String(version), ...(annotations !== undefined && { annotations }) };
    watcher.stream.write({ type: "BOOKMARK", object: { apiVersion, kind, metadata } });
  };

  const list = ({ query, headers }: RecordedRequest): ScriptedAnswer => {
    const token = query.get("continue");
    const limit = Number(query.get("limit") ?? "0");
    const [from = "0", at = String(version)] = token?.split("@") ?? [];
    if (limit !== 1) {
      if (token === null) lists += 1;
      script.onPage?.(Number(from) / Math.max(limit, 1) + 1);
    }
    if (token !== null && Number(at) < compacted) return { status: 410, body: goneStatus("Expired") };
    const selects = selector(query);
    const all = [...objects.values()].filter(selects).map(shaper(headers?.accept, "List"));
    const start = Number(from);
    const items = limit === 0 ? all : all.slice(start, start + limit);
    const isLast = limit === 0 || start + limit >= all.length;
    const metadata = { resourceVersion: at, ...(!isLast && { continue: `${start + limit}@${at}` }) };
    return { body: { apiVersion, kind: `${kind}List`, metadata, items } };
  };

  /** The stream of a watch, which is over as soon as its reader leaves, even while the next bytes are awaited. */
  const watched = (watcher: Watcher): AsyncIterable<Uint8Array> => ({
    [Symbol.asyncIterator]() {
      const parts = watcher.stream[Symbol.asyncIterator]();
      return {
        next: () => parts.next(),
        return() {
          watchers.delete(watcher);
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  });

  const watch = ({ query, headers, signal }: RecordedRequest): ScriptedAnswer => {
    const asksList = query.get("sendInitialEvents") === "true";
    if (asksList && script.streams === "refuses") {
      return { status: 422, body: { ...goneStatus("Invalid"), code: 422, message: "sendInitialEvents: Forbidden" } };
    }
    const from = query.get("resourceVersion");
    const stream = createScriptedStream();
    if (from !== null && Number(from) < compacted) {
      const status = goneStatus(script.gone === "event Gone" ? "Gone" : "Expired");
      if (script.gone === "http") return { status: 410, body: status };
      stream.write({ type: "ERROR", object: status });
      stream.end();
      return { body: stream };
    }
    watches += 1;
    const shape = shaper(headers?.accept, "");
    const watcher: Watcher = {
      stream,
      from: Number(from ?? version),
      selects: selector(query),
      shape,
      isSilent: false,
    };
    watchers.add(watcher);
    signal?.addEventListener("abort", () => watchers.delete(watcher), { once: true });
    if (from === null) {
      lists += 1;
      for (const object of objects.values()) {
        if (watcher.selects(object)) stream.write({ type: "ADDED", object: shape(object) });
      }
      if (script.streams === "sends") bookmark(watcher, endMark);
    } else for (const change of history) tell(watcher, change);
    return { body: watched(watcher) };
  };

  transport.on({ method: "GET", path: collectionPath(resource, namespace) }, (request) => {
    if (script.failure !== undefined) return script.failure;
    return request.query.get("watch") === "true" ? watch(request) : list(request);
  });

  const drop = (error?: unknown): void => {
    for (const { stream } of watchers) stream.end(error);
    watchers.clear();
  };
  const lost = (): TransportError =>
    new TransportError("Cannot read the answer: the connection was lost", { phase: "body", sent: true });

  return {
    script,
    get version() {
      return version;
    },
    get objects() {
      return [...objects.values()] as O[];
    },
    get lists() {
      return lists;
    },
    get watches() {
      return watches;
    },
    get openWatches() {
      return watchers.size;
    },
    put(object): O {
      const key = formatKey(object.metadata);
      const before = objects.get(key);
      version += 1;
      if (before === undefined) uids += 1;
      const uid = before?.metadata.uid ?? `uid-${uids}`;
      const metadata = { ...object.metadata, uid, resourceVersion: String(version) };
      const stored = { ...object, apiVersion, kind, metadata };
      objects.set(key, stored);
      commit(before, stored, false);
      // A test says of the object what the kind requires.
      return stored as unknown as O;
    },
    remove(key): void {
      const before = objects.get(formatKey(key));
      if (before === undefined) return;
      version += 1;
      objects.delete(formatKey(key));
      commit(before, { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } }, true);
    },
    bookmark(): void {
      for (const watcher of watchers) bookmark(watcher);
    },
    end: () => drop(),
    cut: () => drop(lost()),
    silence(): void {
      for (const watcher of watchers) watcher.isSilent = true;
    },
    compact(): void {
      compacted = version;
      history = [];
    },
    snapshot: () => ({ version, objects: [...objects.values()] }),
    restore(snapshot): void {
      objects = new Map(snapshot.objects.map((object) => [formatKey(object.metadata), object]));
      version = snapshot.version;
      compacted = version;
      history = [];
      drop(lost());
    },
  };
}

function selector(query: URLSearchParams): (object: KubeObject) => boolean {
  const matches = labelMatcher(query.get("labelSelector") ?? "");
  return ({ metadata }) => matches(metadata.labels);
}

function shaper(accept: string | readonly string[] | undefined, suffix: "" | "List"): (object: KubeObject) => unknown {
  if (!String(accept).includes(`as=PartialObjectMetadata${suffix};`)) return (object) => object;
  return ({ metadata }) => ({ apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata });
}

function goneStatus(reason: string): Status {
  return {
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    message: "too old resource version",
    reason,
    code: 410,
  };
}
