import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { type BodyFormat, readContentType } from "./body-format.ts";
import { type CloudEvent, cloudEventsBody } from "./cloud-events.ts";
import { request } from "./scripted-sender.fixture.ts";

const clock = createVirtualClock();
const structured = "application/cloudevents+json";
const batch = "application/cloudevents-batch+json";
const minimal = { specversion: "1.0", id: "1", source: "/s", type: "t" };
const binary = { "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "t" };

function bytesOf(data: unknown): readonly number[] {
  assert.ok(data instanceof Uint8Array);
  return [...data];
}

async function read<D = unknown>(
  body: unknown,
  headers: Readonly<Record<string, string>>,
  format: BodyFormat<CloudEvent<D>> = cloudEventsBody() as BodyFormat<CloudEvent<D>>,
  covers: "body" | "request" = "request",
): Promise<readonly CloudEvent<D>[] | string> {
  const { mediaType } = readContentType(headers["content-type"]);
  if (!format.accepts(mediaType, new Map(Object.entries(headers)))) return "415";
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const reading = await format.read(request({ headers }), bytes, { clock, covers });
  if (reading.type === "malformed") return reading.reason;
  assert.ok(reading.type === "events");
  return reading.events.map((event) => event.body);
}

// B38
test("cloudEventsBody reads every event of a batch, never the first alone", async () => {
  const events = ["1", "2", "3"].map((id) => ({ ...minimal, id }));
  const all = await read(events, { "content-type": batch });
  assert.deepEqual(typeof all === "string" ? all : all.map(({ id }) => id), ["1", "2", "3"]);
  assert.deepEqual(await read([], { "content-type": batch }), []);
});

// B38
test("cloudEventsBody refuses an array where one event was announced, and one event where a batch was", async () => {
  assert.equal(await read([minimal], { "content-type": structured }), "a CloudEvent is a JSON object");
  assert.equal(await read(minimal, { "content-type": batch }), "a batch is an array of CloudEvents");
});

// B38
test("cloudEventsBody refuses an event without what every event has", async () => {
  for (const name of ["specversion", "id", "source", "type"] as const) {
    const { [name]: _, ...rest } = minimal;
    assert.equal(await read(rest, { "content-type": structured }), `${name} is missing`);
    assert.equal(await read({ ...minimal, [name]: "" }, { "content-type": structured }), `${name} is empty`);
    assert.equal(await read({ ...minimal, [name]: null }, { "content-type": structured }), `${name} is missing`);
    const { [`ce-${name}`]: __, ...headers } = binary as Readonly<Record<string, string>>;
    assert.equal(await read("", headers), `${name} is missing`);
  }
  assert.equal(
    await read({ ...minimal, specversion: "0.3" }, { "content-type": structured }),
    "specversion is not 1.0",
  );
  assert.equal(await read({ ...minimal, id: 1 }, { "content-type": structured }), "id is no string");
});

// B38
test("cloudEventsBody refuses a binary event whose headers say what its Content-Type says", async () => {
  const headers = { ...binary, "ce-datacontenttype": "application/json", "content-type": "application/json" };
  assert.match(String(await read({}, headers)), /^ce-datacontenttype must not be there/);
});

// B38
test("cloudEventsBody reads a binary event without a body", async () => {
  const [event] = (await read("", binary)) as readonly CloudEvent<unknown>[];
  assert.deepEqual([event?.id, event?.source, event?.data], ["1", "/s", undefined]);
});

// B38
test("cloudEventsBody refuses a whole batch for one event that is wrong, and says which", async () => {
  assert.equal(
    await read([minimal, { ...minimal, type: undefined }, minimal], { "content-type": batch }),
    "event 1: type is missing",
  );
});

test("cloudEventsBody reads attributes, extensions and data of each mode alike", async () => {
  const headers = {
    ...binary,
    "ce-subject": "a%20%F0%9F%98%80%22",
    "ce-time": "2029-12-31T23:59:00Z",
    "ce-dataschema": '"https://example.test/schema"',
    "ce-trace": "x",
    "content-type": "application/json; charset=utf-8",
    "x-other": "y",
  };
  const [fromBinary] = (await read({ a: 1 }, headers)) as readonly CloudEvent<unknown>[];
  const asJson = {
    ...minimal,
    subject: 'a 😀"',
    time: "2029-12-31T23:59:00Z",
    dataschema: "https://example.test/schema",
    datacontenttype: "application/json; charset=utf-8",
    trace: "x",
    data: { a: 1 },
  };
  const [fromJson] = (await read(asJson, { "content-type": structured })) as readonly CloudEvent<unknown>[];
  assert.deepEqual(fromBinary, fromJson);
  assert.deepEqual([...(fromJson?.extensions ?? [])], [["trace", "x"]]);
  assert.deepEqual(fromJson?.data, { a: 1 });
});

test("cloudEventsBody gives text as text, bytes as bytes, and JSON as a value", async () => {
  const data = async (more: object): Promise<unknown> => {
    const events = await read({ ...minimal, ...more }, { "content-type": structured });
    return typeof events === "string" ? events : events[0]?.data;
  };
  assert.deepEqual(await data({ datacontenttype: "text/xml", data: "<a/>" }), "<a/>");
  assert.deepEqual(await data({ datacontenttype: "text/plain", data_base64: "aGk=" }), "hi");
  assert.deepEqual(bytesOf(await data({ datacontenttype: "image/png", data_base64: "AQI=" })), [1, 2]);
  assert.deepEqual(await data({ data_base64: "eyJhIjoxfQ==" }), { a: 1 });
  assert.equal(await data({ data_base64: "%%" }), "data_base64 is no base64");
  assert.equal(await data({ data: 1, data_base64: "AQI=" }), "data and data_base64 exclude each other");
  const [event] = (await read(Uint8Array.of(1), {
    ...binary,
    "content-type": "image/png",
  })) as readonly CloudEvent<unknown>[];
  assert.deepEqual(bytesOf(event?.data), [1]);
});

test("cloudEventsBody gives no text that its bytes are not", async () => {
  const latin = Uint8Array.of(0xe9);
  assert.equal(await read(latin, { ...binary, "content-type": "text/plain" }), "data: it is no UTF-8");
  const event = { ...minimal, datacontenttype: "text/plain; charset=iso-8859-1", data_base64: "6Q==" };
  const events = await read(event, { "content-type": structured });
  assert.ok(typeof events !== "string");
  assert.deepEqual(bytesOf(events[0]?.data), [0xe9]);
});

test("cloudEventsBody names the attribute that is wrong", async () => {
  for (const [more, reason] of [
    [{ time: "yesterday" }, "time is no RFC 3339 time"],
    [{ subject: "" }, "subject is empty"],
    [{ Upper: "x" }, '"Upper" is no name of an attribute: lower-case letters and digits'],
    [{ extension: { a: 1 } }, '"extension" is neither a string, a boolean nor an integer of 32 bits'],
    [{ extension: 1.5 }, '"extension" is neither a string, a boolean nor an integer of 32 bits'],
    [{ id: "1\n2" }, "id has a character that text may not have"],
    [{ source: "/\u009b31m" }, "source has a character that text may not have"],
    [{ extension: "\ud800" }, "extension has a character that text may not have"],
    [{ extension: "\ufdd0" }, "extension has a character that text may not have"],
    [{ extension: 2 ** 31 }, '"extension" is neither a string, a boolean nor an integer of 32 bits'],
  ] as const) {
    assert.equal(await read({ ...minimal, ...more }, { "content-type": structured }), reason);
  }
  assert.equal(await read("", { ...binary, "ce-subject": "%zz" }), '"ce-subject" is not percent-encoded');
  assert.equal(await read("", { ...binary, "ce-id": "1%0a2" }), "id has a character that text may not have");
  assert.equal(typeof (await read("", { ...binary, "ce-id": "%F0%9F%AA%A3" })), "object");
});

test("cloudEventsBody reads no format that it does not know", async () => {
  for (const type of ["application/cloudevents+avro", "application/cloudevents-batch", "application/cloudevents"]) {
    assert.equal(await read("", { ...binary, "content-type": type }), "415", type);
  }
  assert.equal(await read(minimal, { "content-type": `${structured}; charset=utf-16` }), "415");
  assert.equal(await read("", { ...binary, "content-type": `${structured}, text/plain` }), "415", "two of them");
});

test("cloudEventsBody refuses binary events behind a signature that covers the body alone", async () => {
  assert.match(String(await read("{}", binary, cloudEventsBody(), "body")), /send structured CloudEvents/);
  assert.equal(typeof (await read(minimal, { "content-type": structured }, cloudEventsBody(), "body")), "object");
});

test("cloudEventsBody checks the data of each event, and names its field", async () => {
  const format = cloudEventsBody(z.object({ bucket: z.string() }));
  const [event] = (await read(
    { ...minimal, data: { bucket: "a" } },
    { "content-type": structured },
    format,
  )) as readonly CloudEvent<{
    readonly bucket: string;
  }>[];
  assert.equal(event?.data.bucket, "a");
  const events = [
    { ...minimal, data: { bucket: "a" } },
    { ...minimal, data: { bucket: 1 } },
  ];
  assert.match(String(await read(events, { "content-type": batch }, format)), /^event 1: data\.bucket /);
  assert.match(String(await read(minimal, { "content-type": structured }, format)), /^data /);
});

test("cloudEventsBody tells events apart by source and id together", async () => {
  const format = cloudEventsBody();
  const ids = async (...events: readonly object[]): Promise<readonly unknown[]> => {
    const headers = { "content-type": batch };
    const bytes = Buffer.from(JSON.stringify(events.map((event) => ({ ...minimal, ...event }))));
    const reading = await format.read(request({ headers }), bytes, { clock, covers: "request" });
    return reading.type === "events" ? reading.events.map(({ id }) => id) : [];
  };
  const [a, same, b, c] = await ids(
    { source: "/s", id: "1" },
    { source: "/s", id: "1", type: "other" },
    { source: "/s1", id: "1" },
    { source: "/s", id: "11" },
  );
  assert.equal(a, same);
  assert.equal(new Set([a, b, c]).size, 3);
});

test("cloudEventsBody never throws, whatever is sent", async () => {
  const header = fc.dictionary(fc.constantFrom("ce-id", "ce-source", "ce-type", "ce-specversion", "ce-x"), fc.string());
  const type = fc.constantFrom(structured, batch, "application/json", "text/plain", "");
  await fc.assert(
    fc.asyncProperty(header, type, fc.oneof(fc.json(), fc.string()), async (headers, contentType, body) => {
      const result = await read(body, { ...headers, "content-type": contentType });
      assert.ok(typeof result === "string" || result.every(({ id, source }) => id !== "" && source !== ""));
    }),
    { seed: 1 },
  );
});
