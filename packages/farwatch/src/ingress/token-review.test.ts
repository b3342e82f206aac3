import assert from "node:assert/strict";
import { test } from "node:test";
import { request, verifierContext } from "./scripted-sender.fixture.ts";
import { tokenReview } from "./token-review.ts";

const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
const accessReviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
const account = "system:serviceaccount:ci:sender";
const audience = "farwatch.dev/ingress";

const bearer = (token: string) => request({ headers: { authorization: `Bearer ${token}` } });
const reviewed = (status: object) => ({
  status: 201,
  body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", metadata: {}, status },
});
const genuine = reviewed({
  authenticated: true,
  user: { username: account, uid: "u1", groups: ["system:serviceaccounts"], extra: { pod: ["p"] } },
  audiences: [audience],
});
const access = (allowed: boolean) => ({
  status: 201,
  body: { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", metadata: {}, status: { allowed } },
});

test("tokenReview asks whose token it is, for its own audience, and whether that one may post to the source", async () => {
  const ctx = verifierContext("builds");
  ctx.transport.on({ method: "POST", path: reviews }, genuine);
  ctx.transport.on({ method: "POST", path: accessReviews }, access(true));
  assert.deepEqual(await tokenReview().verify(bearer("abc"), ctx), { identity: account });
  assert.deepEqual(
    ctx.transport.requests.map(({ json }) => (json as { readonly spec: unknown }).spec),
    [
      { token: "abc", audiences: [audience] },
      {
        user: account,
        uid: "u1",
        groups: ["system:serviceaccounts"],
        extra: { pod: ["p"] },
        nonResourceAttributes: { path: "/ingress/builds", verb: "post" },
      },
    ],
  );
});

test("tokenReview refuses a token of another audience, one that is nobody's, and one whose owner may not", async () => {
  const user = { username: account };
  for (const [review, allowed] of [
    [reviewed({ authenticated: true, user, audiences: ["https://kubernetes.default.svc"] }), true],
    [reviewed({ authenticated: true, user }), true],
    [reviewed({ authenticated: false, user, audiences: [audience], error: "expired" }), true],
    [reviewed({ authenticated: true, user: {}, audiences: [audience] }), true],
    [reviewed({}), true],
    [genuine, false],
  ] as const) {
    const ctx = verifierContext();
    ctx.transport.on({ path: reviews }, review);
    ctx.transport.on({ path: accessReviews }, access(allowed));
    assert.equal(await tokenReview().verify(bearer("abc"), ctx), undefined, JSON.stringify(review.body.status));
  }
});

test("tokenReview takes a list of service accounts in place of RBAC", async () => {
  const ctx = verifierContext();
  ctx.transport.on({ path: reviews }, genuine);
  assert.ok(await tokenReview({ serviceAccounts: ["other/one", "ci/sender"] }).verify(bearer("abc"), ctx));
  assert.equal(await tokenReview({ serviceAccounts: ["other/sender"] }).verify(bearer("abc"), ctx), undefined);
  assert.throws(() => tokenReview({ serviceAccounts: ["sender"] }), { code: "InvalidOption" });
});

test("tokenReview logs who has a genuine token and may not send, and nothing of tokens that are none", async () => {
  for (const [review, options, logged] of [
    [genuine, {}, [account]],
    [genuine, { serviceAccounts: ["other/sender"] }, [account]],
    [reviewed({ authenticated: false, user: { username: account }, error: "expired" }), {}, []],
  ] as const) {
    const ctx = verifierContext("builds");
    ctx.transport.on({ path: reviews }, review);
    ctx.transport.on({ path: accessReviews }, access(false));
    assert.equal(await tokenReview(options).verify(bearer("abc"), ctx), undefined);
    const expected = logged.map((user) => ({
      level: "warn",
      message: "A sender with a genuine token may not send",
      fields: { user, path: "/ingress/builds" },
    }));
    assert.deepEqual(ctx.log.lines, expected);
  }
});

test("tokenReview asks nobody about a request without a bearer token", async () => {
  const ctx = verifierContext();
  for (const authorization of [
    "",
    "Basic abc",
    "Bearer",
    "Bearer ",
    "Bearer a b",
    "Bearer a, Bearer b",
    "Bearer a\u0000",
  ]) {
    assert.equal(await tokenReview().verify(request({ headers: { authorization } }), ctx), undefined, authorization);
  }
  assert.equal(ctx.transport.requests.length, 0);
});

test("tokenReview keeps what it was told: 60 s when accepted, 10 s when refused, and for one source", async () => {
  const ctx = verifierContext();
  ctx.transport.on({ path: reviews }, ({ json }) =>
    (json as { readonly spec: { readonly token: string } }).spec.token === "good" ? genuine : reviewed({}),
  );
  const verifier = tokenReview({ serviceAccounts: ["ci/sender"] });
  const askedFor = async (token: string, source = "hook"): Promise<number> => {
    const before = ctx.transport.requests.length;
    const verified = await verifier.verify(bearer(token), { ...ctx, source });
    assert.equal(verified !== undefined, token === "good");
    return ctx.transport.requests.length - before;
  };
  assert.deepEqual([await askedFor("good"), await askedFor("bad")], [1, 1]);
  assert.equal(await askedFor("good", "other"), 1);
  await ctx.clock.advance("9s");
  assert.deepEqual([await askedFor("good"), await askedFor("bad")], [0, 0]);
  await ctx.clock.advance("1s");
  assert.deepEqual([await askedFor("good"), await askedFor("bad")], [0, 1]);
  await ctx.clock.advance("50s");
  assert.equal(await askedFor("good"), 1);
});

test("tokenReview asks once for many requests with one token", async () => {
  const ctx = verifierContext();
  ctx.transport.on({ path: reviews }, { ...genuine, after: "1s" });
  const verifier = tokenReview({ serviceAccounts: ["ci/sender"] });
  const all = Promise.all(Array.from({ length: 50 }, () => verifier.verify(bearer("abc"), ctx)));
  await ctx.clock.advance("1s");
  assert.equal((await all).filter((verified) => verified?.identity === account).length, 50);
  assert.equal(ctx.transport.requests.length, 1);
});

test("tokenReview asks 16 times a second at most for tokens that nobody knows, for all sources together, and cannot check beyond", async () => {
  const ctx = verifierContext();
  ctx.transport.on({ path: reviews }, reviewed({}));
  const verifiers = [tokenReview(), tokenReview()];
  const flood = async (round: number): Promise<readonly string[]> =>
    Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        try {
          return (await verifiers[n % 2]?.verify(bearer(`t${round}-${n}`), ctx)) === undefined ? "refused" : "accepted";
        } catch (error) {
          return (error as { readonly code: string }).code;
        }
      }),
    );
  const first = await flood(1);
  assert.equal(first.filter((outcome) => outcome === "refused").length, 16);
  assert.equal(first.filter((outcome) => outcome === "TooManyRequests").length, 44);
  await ctx.clock.advance("1s");
  await flood(2);
  assert.equal(ctx.transport.requests.length, 32);
});

test("tokenReview goes on letting in who was let in before, however many tokens strangers make up", async () => {
  const ctx = verifierContext();
  ctx.transport.on({ path: reviews }, ({ json }) =>
    (json as { readonly spec: { readonly token: string } }).spec.token.startsWith("good") ? genuine : reviewed({}),
  );
  const verifier = tokenReview({ serviceAccounts: ["ci/sender"] });
  const good = Array.from({ length: 4 }, (_, n) => bearer(`good${n}`));
  for (const each of good) assert.ok(await verifier.verify(each, ctx));
  const before = ctx.transport.requests.length;
  for (let second = 0; second < 180; second += 1) {
    await ctx.clock.advance("1s");
    await Promise.allSettled(Array.from({ length: 30 }, (_, n) => verifier.verify(bearer(`t${second}-${n}`), ctx)));
    for (const each of good) assert.ok(await verifier.verify(each, ctx), `after ${second} s`);
  }
  assert.ok(ctx.transport.requests.length - before <= 180 * 20);
});

test("tokenReview that gets no answer leaves the check undone, and remembers nothing", async () => {
  const ctx = verifierContext();
  ctx.transport.on({ path: reviews }, { silent: true });
  const verifier = tokenReview({ serviceAccounts: ["ci/sender"] });
  const checking = verifier.verify(bearer("abc"), ctx);
  const failing = assert.rejects(checking, { code: "Timeout" });
  await ctx.clock.advance("5s");
  await failing;
  ctx.transport.on({ path: reviews }, { status: 403, body: { kind: "Status", code: 403, reason: "Forbidden" } });
  await assert.rejects(verifier.verify(bearer("abc"), ctx), { code: "Forbidden" });
  ctx.transport.on({ path: reviews }, genuine);
  assert.ok(await verifier.verify(bearer("abc"), ctx));
});
