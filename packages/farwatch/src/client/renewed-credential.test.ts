import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { silentLogger } from "../observe/logger.ts";
import type { Credential } from "./cluster-config.ts";
import { joinedCredential, type LoadedCredential, renewedCredential } from "./renewed-credential.ts";

const log = silentLogger;

/**
 * A source whose credential is due when told so; each load gives the next token, or fails with it when it is an error.
 */
function scripted(...tokens: readonly (string | Error)[]) {
  const clock = createVirtualClock();
  const state = { due: false, usable: true, loads: 0 };
  const load = async (): Promise<LoadedCredential> => {
    const token = tokens[Math.min(state.loads, tokens.length - 1)];
    state.loads += 1;
    if (token instanceof Error) throw token;
    const credential: Credential = { headers: { authorization: String(token) }, tls: {} };
    return { credential, due: () => state.due, usable: () => state.usable };
  };
  return { clock, state, source: renewedCredential({ clock, log, load, refusedEvery: "10s" }) };
}

test("renewedCredential loads when it is first asked, and again when due", async () => {
  const { state, source } = scripted("a", "b");
  assert.equal(state.loads, 0);
  assert.equal((await source.current()).headers.authorization, "a");
  await source.current();
  assert.equal(state.loads, 1);
  state.due = true;
  assert.equal((await source.current()).headers.authorization, "b");
});

test("renewedCredential rejects when the first load fails, and tries again for the next caller", async () => {
  const { source } = scripted(new Error("not yet"), "a");
  await assert.rejects(source.current(), { message: "not yet" });
  assert.equal((await source.current()).headers.authorization, "a");
});

test("renewedCredential keeps what is usable when renewal fails, and what is not, it does not", async () => {
  const { clock, state, source } = scripted("a", new Error("down"));
  await source.current();
  state.due = true;
  assert.equal((await source.current()).headers.authorization, "a");
  assert.equal((await source.current()).headers.authorization, "a");
  assert.equal(state.loads, 2, "not tried again before 10 s have passed");
  await clock.advance("10s");
  await source.current();
  assert.equal(state.loads, 3);
  state.usable = false;
  await assert.rejects(source.current(), { message: "down" });
});

test("renewedCredential gives a caller that aborts its reason, and not the old credential", async () => {
  const clock = createVirtualClock();
  let loads = 0;
  const source = renewedCredential({
    clock,
    log,
    load: async () => {
      loads += 1;
      if (loads > 1) await new Promise(() => {});
      return { credential: { headers: {}, tls: {} }, due: () => true, usable: () => true };
    },
  });
  await source.current();
  const controller = new AbortController();
  const asked = source.current(controller.signal);
  controller.abort("enough");
  await assert.rejects(asked, (reason) => reason === "enough");
});

test("renewedCredential loads after a 401, but not after each one while the server refuses all", async () => {
  const { clock, state, source } = scripted("a", "b", "c");
  const a = await source.current();
  assert.equal(await source.refused(a), true);
  const b = await source.current();
  assert.equal(await source.refused(b), false, "b itself came of a 401 just now");
  assert.equal(state.loads, 2);
  await clock.advance("10s");
  assert.equal(await source.refused(b), true);
  assert.equal(await source.refused(a), true, "another than a is there already");
  assert.equal(state.loads, 3);
});

test("joinedCredential is the same object until a part changes, and lets the second part win", async () => {
  const first = scripted("a", "a2");
  const second = scripted("b", "b2");
  const joined = joinedCredential(first.source, second.source);
  const before = await joined.current();
  assert.equal(before.headers.authorization, "b");
  assert.equal(await joined.current(), before);
  second.state.due = true;
  assert.equal((await joined.current()).headers.authorization, "b2");
  assert.equal(await joined.refused(before), true);
  assert.deepEqual([first.state.loads, second.state.loads], [1, 3]);
});

test("joinedCredential answers a 401 with one load of each part, and yes when one of them changed", async () => {
  const first = scripted("a");
  const second = scripted("b", "b2");
  const joined = joinedCredential(first.source, second.source);
  const before = await joined.current();
  assert.deepEqual(await Promise.all([joined.refused(before), joined.refused(before)]), [true, true]);
  assert.deepEqual([first.state.loads, second.state.loads], [2, 2]);
  assert.equal((await joined.current()).headers.authorization, "b2");
});
