import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceEvent } from "../event/source-event.ts";
import { debounce } from "../handler/debounce.ts";
import { enqueueAll } from "../handler/enqueue-all.ts";
import { enqueueRequestForObject } from "../handler/enqueue-request-for-object.ts";
import { enqueueRequestForOwner } from "../handler/enqueue-request-for-owner.ts";
import { enqueueRequestsFromMapFunc } from "../handler/enqueue-requests-from-map-func.ts";
import { labelsMatch } from "../predicate/labels-match.ts";
import { defineBuiltin } from "../resource/define-builtin.ts";
import type { CustomObject, Resource } from "../resource/resource.ts";
import { channelSource } from "../source/channel-source.ts";
import { iterableSource } from "../source/iterable-source.ts";
import { kindSource } from "../source/kind-source.ts";
import { tickerSource } from "../source/ticker-source.ts";
import { timerSource } from "../source/timer-source.ts";
import { type Watch, watch } from "./watch.ts";

interface Spec {
  readonly bucket: string;
}

const Bucket: Resource<CustomObject<Spec, unknown>> = defineBuiltin({
  group: "example.farwatch.dev",
  version: "v1",
  kind: "Bucket",
});

// What the compiler must refuse. tsc fails when an error that is expected here does not come.

test("watch ties a handler only to a source whose events it understands", () => {
  const ticks = tickerSource({ every: "1s" });
  const uploads = channelSource<{ readonly bucket: string }>();
  const buckets = kindSource(Bucket);

  assert.equal(watch(ticks, enqueueAll(Bucket)).source, ticks);
  assert.equal(watch(buckets, enqueueRequestForObject, labelsMatch({ a: "b" })).predicates.length, 1);
  assert.equal(watch(buckets, enqueueRequestForOwner(Bucket)).source, buckets);
  assert.equal(
    watch(
      uploads,
      enqueueRequestsFromMapFunc(({ bucket }) => [{ name: bucket }]),
    ).source,
    uploads,
  );
  assert.equal(watch(timerSource(Bucket, { period: () => "1m" }), enqueueRequestForObject).predicates.length, 0);

  const ofSpec = enqueueRequestsFromMapFunc(({ bucket }: Spec) => [{ name: bucket }]);
  const calm = { wait: "1s" } as const;
  const debounced = [
    watch(
      uploads,
      debounce(
        enqueueRequestsFromMapFunc(({ bucket }) => [{ name: bucket }]),
        calm,
      ),
    ),
    watch(uploads, debounce(ofSpec, calm)),
    watch(
      debounce(uploads, calm),
      enqueueRequestsFromMapFunc(({ bucket }) => [{ name: bucket }]),
    ),
  ];
  assert.equal(debounced.length, 3);

  const bySpec = (event: SourceEvent<Spec>): boolean => event.object.bucket !== "";
  const refused: Watch[] = [];
  // @ts-expect-error a Tick is not a Kubernetes object
  refused.push(watch(ticks, enqueueRequestForObject));
  // @ts-expect-error nor does it have an owner
  refused.push(watch(ticks, enqueueRequestForOwner(Bucket)));
  // @ts-expect-error a Tick has no bucket
  refused.push(watch(ticks, ofSpec));
  // @ts-expect-error an upload is not a Kubernetes object
  refused.push(watch(uploads, enqueueRequestForObject));
  // @ts-expect-error a predicate over labels needs a Kubernetes object
  refused.push(watch(uploads, enqueueAll(Bucket), labelsMatch({ a: "b" })));
  // @ts-expect-error a predicate over other objects
  refused.push(watch(buckets, enqueueRequestForObject, bySpec));
  // @ts-expect-error a request needs a name
  refused.push(watch(uploads, () => [{ namespace: "ns" }]));
  assert.equal(refused.length, 7);
});

test("watch refuses what plain JavaScript may give for a source, a handler or a predicate", () => {
  const source = channelSource({ name: "uploads" });
  const refusals: readonly (readonly [() => unknown, RegExp])[] = [
    [() => watch(undefined as never, () => []), /^Cannot watch what is given: it is no source/],
    [() => watch(source, undefined as never), /^Cannot watch source uploads: it has no handler, give one such as/],
    [() => watch(source, () => [], "all" as never), /^Cannot watch source uploads: a predicate is none/],
  ];
  for (const [make, message] of refusals) assert.throws(make, { code: "InvalidOption", message });
});

test("watch has the compiler refuse a source of what it cannot work with", async () => {
  // @ts-expect-error there is no such property in its spec
  assert.ok(timerSource(Bucket, { period: ({ spec }) => spec.periodSeconds }));
  // @ts-expect-error a duration needs a unit that is known
  assert.ok(timerSource(Bucket, { period: () => "5 minutes" }));
  const uploads = channelSource<Spec>({ name: "typed" });
  // @ts-expect-error an upload has a bucket
  await uploads.send({ bukcet: "a" });
  const numbers = iterableSource("numbers", async function* () {
    yield 1;
  });
  const ofText = enqueueRequestsFromMapFunc((name: string) => [{ name }]);
  // @ts-expect-error its events carry numbers
  assert.ok(watch(numbers, ofText));
});
