import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { eventGridBody, readEventGridEvents } from "./event-grid.ts";
import { request } from "./scripted-sender.fixture.ts";

const account = "/subscriptions/0000/resourceGroups/Storage/providers/Microsoft.Storage/storageAccounts/photos";
const ctx = { clock: createVirtualClock(), covers: "request" } as const;
const format = eventGridBody({ topics: [account] });

const read = (value: unknown) => format.read(request({}), Buffer.from(JSON.stringify(value)), ctx);

const created = {
  topic: account,
  subject: "/blobServices/default/containers/uploads/blobs/a.jpg",
  eventType: "Microsoft.Storage.BlobCreated",
  eventTime: "2030-01-01T00:00:00.1234567Z",
  id: "831e1650-001e-001b-66ab-eeb76e069631",
  data: { contentLength: 524_288, url: "https://photos.blob.core.windows.net/uploads/a.jpg" },
  dataVersion: "",
  metadataVersion: "1",
};
const { topic: source, eventType: type, eventTime: time, subject, id, data } = created;
const cloudEvent = { specversion: "1.0", source, type, time, subject, id, data };

const validation = {
  id: "2d1781af-3a4c-4d7c-bd0c-e34b19da4e66",
  topic: account,
  subject: "",
  data: {
    validationCode: "512d38b6-c7b8-40c8-89fe-f46f9e9622b6",
    validationUrl: "https://rp-eastus2.eventgrid.azure.net/eventsubscriptions/estest/validate?id=x",
  },
  eventType: "Microsoft.EventGrid.SubscriptionValidationEvent",
  eventTime: "2030-01-01T00:00:00.4518186Z",
  metadataVersion: "1",
  dataVersion: "2",
};

test("eventGridBody reads both schemas, and each event has the identity of its topic and id", async () => {
  const readings = [await read([created]), await read(cloudEvent), await read([cloudEvent])];
  for (const reading of readings) {
    assert.ok(reading.type === "events");
    const [event, ...more] = reading.events;
    assert.deepEqual(more, []);
    assert.equal(event?.id, JSON.stringify([account.toLowerCase(), id]));
    assert.equal(event?.occurredAt?.toISOString(), "2030-01-01T00:00:00.123Z");
    const { body } = event ?? {};
    assert.deepEqual(
      [body?.topic, body?.subject, body?.type, body?.data],
      [account.toLowerCase(), subject, type, data],
    );
  }
  for (const mediaType of ["application/json", "application/cloudevents+json", "application/cloudevents-batch+json"]) {
    assert.equal(format.accepts(mediaType, new Map()), true, mediaType);
  }
  assert.equal(format.accepts("text/plain", new Map()), false);
});

test("eventGridBody answers the validation of a configured topic with its code, in whatever case Azure writes it", async () => {
  for (const topic of [account, account.toUpperCase().replace("/SUBSCRIPTIONS", "/subscriptions")]) {
    const reading = await read([{ ...validation, topic }]);
    assert.ok(reading.type === "answer");
    const { status, headers, body } = reading.answer;
    assert.deepEqual([status, headers], [200, { "content-type": "application/json" }]);
    assert.deepEqual(JSON.parse(body ?? ""), { validationResponse: validation.data.validationCode });
  }
});

test("eventGridBody answers whatever is of another topic with 403, validations as well", async () => {
  const topic = `${account}2`;
  for (const value of [[{ ...validation, topic }], [{ ...created, topic }], [created, { ...created, topic }]]) {
    assert.deepEqual(await read(value), { type: "answer", answer: { status: 403 } });
  }
});

test("eventGridBody allows Event Grid alone to send when it asks by OPTIONS", () => {
  const ask = (headers: Readonly<Record<string, string>>) =>
    format.preflight?.(request({ method: "OPTIONS", headers }));
  const allowed = ask({
    "webhook-request-origin": "eventgrid.azure.net",
    "webhook-request-rate": "120",
    "webhook-request-callback": "https://rp-eastus2.eventgrid.azure.net/validate",
  });
  assert.deepEqual(allowed, {
    status: 200,
    headers: { allow: "POST, OPTIONS", "webhook-allowed-origin": "eventgrid.azure.net", "webhook-allowed-rate": "*" },
  });
  assert.deepEqual(ask({ "webhook-request-origin": "attacker.test" }), { status: 403 });
  assert.deepEqual(ask({}), { status: 403 });
});

test("eventGridBody names the field that is wrong", async () => {
  const { id: _, ...nameless } = created;
  const { source: __, ...homeless } = cloudEvent;
  for (const [value, reason] of [
    [[nameless], "event 0: id is missing"],
    [homeless, "source is missing"],
    [[created, { ...created, eventTime: "yesterday" }], "event 1: eventTime is no RFC 3339 time"],
    [["event"], "event 0: an event is a JSON object"],
    [[{ ...created, subject: 1 }], "event 0: subject is no string"],
    [[{ ...validation, data: {} }], "data.validationCode is missing"],
  ] as const) {
    assert.deepEqual(await read(value), { type: "malformed", reason });
  }
});

test("eventGridBody refuses a topic that is no resource id", () => {
  assert.throws(
    () => eventGridBody({ topics: ["photos"] }),
    (error) => isCodedError(error, "InvalidOption"),
  );
});

test("readEventGridEvents reads hostile values as nothing, and throws never", () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const reading = readEventGridEvents(value);
      assert.ok(!reading.ok || reading.events.length === 0);
    }),
  );
});
