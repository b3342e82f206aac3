import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "@farwatch/testing";
import { handledAtAnnotation, parseTime, requestedAtAnnotation } from "farwatch";
import { eventually } from "../eventually.ts";
import { type PersistentSender, startSender } from "../ingress/persistent-sender.ts";
import { type Candidate, isMutation, isStatusWrite, startElection } from "./fail-over.ts";
import type { LampObject } from "./lamp.ts";
import { serveLamps } from "./served-lamps.ts";

const suite = "webhooks-fail-over";
const { Lamp, server, client } = serveLamps(suite);

/** Processes that are flooded on a busy machine renew late. */
const election = { leaseDuration: "15s", renewDeadline: "12s" } as const;

const events = 10_000;
const lamps: readonly string[] = Array.from({ length: 200 }, (_, n) => `lamp-${String(n).padStart(3, "0")}`);
/** A Lamp has all of its events within a quarter of them: the first ones have none any more when the leader is killed. */
const quarter = { events: events / 4, lamps: lamps.length / 4 };
const lampOf = (n: number): string =>
  lamps[Math.floor(n / quarter.events) * quarter.lamps + (n % quarter.lamps)] ?? "none";
const bodyOf = (n: number): string => JSON.stringify({ lamp: lampOf(n), delivery: n });

const requestedOf = ({ metadata }: LampObject): string | undefined => metadata.annotations?.[requestedAtAnnotation];
const handledOf = ({ metadata }: LampObject): string | undefined => metadata.annotations?.[handledAtAnnotation];

/** The names of Lamps, and when the newest annotation of each that the server stored was made, which is just before it is sent. */
function storedMs(candidates: readonly Candidate[]): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const { path, body, status } of candidates.flatMap(({ proxy }) => proxy.requests.filter(isMutation))) {
    const [, lamp] = /\/lamps\/([^/?]+)(?:\?|$)/.exec(path) ?? [];
    if (lamp === undefined || status !== 200) continue;
    const { metadata } = JSON.parse(body) as LampObject;
    const [time = ""] = metadata.annotations?.[requestedAtAnnotation]?.split("/") ?? [];
    newest.set(lamp, Math.max(newest.get(lamp) ?? 0, parseTime(time)?.getTime() ?? 0));
  }
  return newest;
}

/**
 * Events that were accepted, though nothing that was stored after they were sent asks for a run of their Lamp. The annotation that
 * is left need not be the newest: what is sent first may be stored last.
 */
function lost({ accepted }: PersistentSender, candidates: readonly Candidate[]): readonly string[] {
  const stored = storedMs(candidates);
  return [...accepted]
    .filter(([n, { sentMs }]) => (stored.get(lampOf(n)) ?? 0) < sentMs)
    .map(([n]) => `${n} for ${lampOf(n)}`);
}

// Promise 1
// Promise 5
// B19
test("webhooks that were answered with 202 are handled by the next leader, of 10,000 that were sent before the start, to runs that stall and over a SIGKILL", async () => {
  const namespace = "webhooks-fail-over";
  await using candidates = await startElection({ server, client, suite, namespace });
  await Promise.all(
    lamps.map((name) => client.create(Lamp, { metadata: { namespace, name }, spec: { mode: "blink" } })),
  );
  const [first, second] = [await freePort(), await freePort()];
  await using sender = startSender({ ports: [first, second], events, bodyOf, concurrency: 400 });
  await eventually("events were sent to nobody", () => sender.refused > 0);

  const leader = await candidates.join("first", { ...election, webhooks: { port: first, maxRequests: 1_000 } });
  // Its runs begin and never end, so that whatever it takes is left to the next one.
  using _ = leader.proxy.intercept({ when: isStatusWrite }, { type: "ignore" });
  const next = await candidates.join("second", { ...election, webhooks: { port: second, maxRequests: 1_000 } });
  const early = Array.from({ length: quarter.events }, (_, n) => n);
  const half = (): boolean => {
    assert.equal(leader.program.ending, undefined, leader.program.stdout.slice(-1_000));
    const { size } = sender.accepted;
    assert.ok(size >= events / 2, `${size} events were accepted`);
    return early.every((n) => sender.accepted.has(n));
  };
  await eventually("half of the events, and all of the first Lamps, were accepted", half, { within: "2m" });
  leader.program.kill("SIGKILL");
  await leader.program.ended();
  assert.ok(sender.accepted.size < events, "the leader was killed too late");
  const left = await client.list(Lamp, { namespace });
  const waiting = left.filter((lamp) => requestedOf(lamp) !== undefined && handledOf(lamp) === undefined);
  assert.ok(waiting.length >= quarter.lamps, `${waiting.length} Lamps waited for a run`);

  await sender.done;
  await next.program.said("Became leader");
  assert.deepEqual([sender.accepted.size, lost(sender, [leader, next])], [events, []]);
  const handled = await eventually("every request was handled", async () => {
    const now = await client.list(Lamp, { namespace });
    return now.every((lamp) => handledOf(lamp) === requestedOf(lamp)) && now;
  });
  assert.deepEqual(new Set(handled.map(({ status }) => status?.writer)), new Set(["second"]));
  for (const port of [first, second]) {
    const share = [...sender.accepted.values()].filter((answer) => answer.port === port).length;
    assert.ok(share > events / 20, `one replica took ${share}`);
  }
  assert.deepEqual([next.program.ending, next.program.stderr], [undefined, ""]);
});
