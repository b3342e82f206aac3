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
  const { signal } = request;
  let watch: OpenWatch | undefined;
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    // The signal may outlive the watch.
    signal.removeEventListener("abort", stop);
    watch?.[Symbol.dispose]();
    body.end();
  };
  const body = new EventBody(stop);
  watch = openWatch(core, request, { frame: (frame) => body.push(line(frame)), end: stop });
  // It may be over already, before there was anything to dispose of.
  if (stopped || signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
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

/** Holds one event at a time: what is kept for each object would be kept for all of history. */
let lastLine: { readonly type: string; readonly object: StoredObject; readonly line: Uint8Array } | undefined;

/**
 * The line of an event: all watches are told of it one after the other, and share the one that was made for the first.
 */
function sharedLine(type: string, object: StoredObject): Uint8Array {
  if (lastLine?.object !== object || lastLine.type !== type)
    lastLine = { type, object, line: lineOf(type, jsonOf(object)) };
  return lastLine.line;
}
