import { Buffer } from "node:buffer";
import type { StoredObject } from "../registry/api-object.ts";
import { apiVersionOf } from "../registry/registry.ts";
import type { OpenWatch } from "../verb/open-watch.ts";
import type { ResourceRequest } from "../verb/resource-request.ts";
import type { ServerCore } from "../verb/server-core.ts";
import { openWatch, type WatchFrame } from "../verb/watch.ts";
import { type AnswerForm, mediaTypesText, notAcceptable } from "./accept.ts";
import { EventBody } from "./event-body.ts";
import { jsonOf, partialOf } from "./render.ts";
import type { ServerResponse } from "./server-request.ts";
import { readInclude, tableOf } from "./table/table.ts";

/** Opens a watch and gives its events as lines of JSON, for as long as somebody reads them. */
export function answerWatch(core: ServerCore, request: ResourceRequest, form: AnswerForm): ServerResponse {
  if (form.mediaType !== "application/json") throw notAcceptable(mediaTypesText(streamTypes));
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
  return { status: 200, headers: { "content-type": form.mediaType }, body };
}

const streamTypes = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

function lineWriter(
  { clock }: ServerCore,
  { served, query }: ResourceRequest,
  { transform }: AnswerForm,
): (frame: WatchFrame) => Uint8Array {
  let withColumns = true;
  const include = transform?.kind === "Table" ? readInclude(query) : "Metadata";
  return (frame) => {
    if (frame.type === "ERROR") return lineOf("ERROR", JSON.stringify(frame.error.toStatus()));
    if (frame.type === "BOOKMARK") return lineOf("BOOKMARK", JSON.stringify(bookmarkOf(frame)));
    if (transform === undefined) return sharedLine(frame.type, frame.object);
    const { version, kind } = transform;
    if (kind !== "Table") return lineOf(frame.type, JSON.stringify(partialOf(frame.object, version)));
    const metadata = { resourceVersion: frame.object.metadata.resourceVersion };
    const table = tableOf(served, [frame.object], { clock, include, version, metadata, withColumns });
    withColumns = false;
    return lineOf(frame.type, JSON.stringify(table));
  };

  function bookmarkOf({ resourceVersion, initialEventsEnd }: WatchFrame & { readonly type: "BOOKMARK" }): object {
    const { kind, version } = served;
    const isPartial = transform !== undefined && transform.kind !== "Table";
    return {
      kind: isPartial ? "PartialObjectMetadata" : kind.kind,
      apiVersion: isPartial ? `meta.k8s.io/${transform.version}` : apiVersionOf(kind.group, version.version),
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
