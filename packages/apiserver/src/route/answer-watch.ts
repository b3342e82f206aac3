import { Buffer } from "node:buffer";
import type { StoredObject } from "../registry/api-object.ts";
import { apiVersionOf } from "../registry/registry.ts";
import type { ResourceRequest } from "../verb/resource-request.ts";
import type { ServerCore } from "../verb/server-core.ts";
import { type OpenWatch, openWatch, type WatchFrame } from "../verb/watch.ts";
import type { AnswerForm } from "./accept.ts";
import { EventBody } from "./event-body.ts";
import { jsonOf, partialOf } from "./render.ts";
import type { ServerResponse } from "./server-request.ts";
import { tableOf } from "./table/table.ts";

/** Opens a watch and gives its events as lines of JSON, for as long as somebody reads them. */
export function answerWatch(core: ServerCore, request: ResourceRequest, form: AnswerForm): ServerResponse {
  const line = lineWriter(core, request, form);
  let watch: OpenWatch | undefined;
  const body = new EventBody(() => watch?.[Symbol.dispose]());
  watch = openWatch(core, request, { frame: (frame) => body.push(line(frame)), end: () => body.end() });
  const opened = watch;
  const stop = (): void => {
    opened[Symbol.dispose]();
    body.end();
  };
  if (request.signal.aborted) stop();
  else request.signal.addEventListener("abort", stop, { once: true });
  return { status: 200, headers: { "content-type": form.mediaType, "cache-control": "no-cache, private" }, body };
}

function lineWriter(
  core: ServerCore,
  { served, query }: ResourceRequest,
  form: AnswerForm,
): (frame: WatchFrame) => Uint8Array {
  let first = true;
  const include = query.get("includeObject") as "Metadata" | "None" | "Object" | null;
  return (frame) => {
    if (frame.type === "ERROR") return lineOf("ERROR", JSON.stringify(frame.error.toStatus()));
    if (frame.type === "BOOKMARK") return lineOf("BOOKMARK", JSON.stringify(bookmarkOf(frame)));
    if (form.as === "object") return sharedLine(frame.type, frame.object);
    if (form.as === "partial") return lineOf(frame.type, JSON.stringify(partialOf(frame.object)));
    const table = tableOf(served, [frame.object], {
      clock: core.clock,
      include: include ?? "Metadata",
      metadata: { resourceVersion: frame.object.metadata.resourceVersion },
      withColumns: first,
    });
    first = false;
    return lineOf(frame.type, JSON.stringify(table));
  };

  function bookmarkOf({ resourceVersion, initialEventsEnd }: WatchFrame & { readonly type: "BOOKMARK" }): object {
    const { kind, version } = served;
    return {
      kind: form.as === "partial" ? "PartialObjectMetadata" : kind.kind,
      apiVersion: form.as === "partial" ? "meta.k8s.io/v1" : apiVersionOf(kind.group, version.version),
      metadata: {
        resourceVersion,
        ...(initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
      },
    };
  }
}

function lineOf(type: string, json: string): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":${json}}\n`);
}

const lines = new WeakMap<StoredObject, Map<string, Uint8Array>>();

/** The line of an event, made once for all watches that get it. */
function sharedLine(type: string, object: StoredObject): Uint8Array {
  let known = lines.get(object);
  if (known === undefined) {
    known = new Map();
    lines.set(object, known);
  }
  let line = known.get(type);
  if (line === undefined) {
    line = lineOf(type, jsonOf(object));
    known.set(type, line);
  }
  return line;
}
