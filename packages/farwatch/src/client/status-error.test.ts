import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError } from "../error/coded-error.ts";
import type { Status } from "../wire/object.ts";
import { readApiCall } from "./api-path.ts";
import { StatusError, statusError } from "./status-error.ts";

const failure = (status: Omit<Status, "kind">): Status => ({ kind: "Status", status: "Failure", ...status });

test("statusError takes the code from the reason first and from the HTTP status second", () => {
  const codeOf = (reason: string | undefined, code: number): string =>
    statusError({ doing: "get x", status: failure({ code, ...(reason === undefined ? {} : { reason }) }) }).code;
  const byReason: readonly (readonly [string, number, string])[] = [
    ["NotFound", 404, "NotFound"],
    ["AlreadyExists", 409, "AlreadyExists"],
    ["Conflict", 409, "Conflict"],
    ["Forbidden", 403, "Forbidden"],
    ["Unauthorized", 401, "Unauthorized"],
    ["Invalid", 422, "Invalid"],
    ["Expired", 410, "Expired"],
    ["Gone", 410, "Gone"],
    ["TooManyRequests", 429, "TooManyRequests"],
    ["Timeout", 504, "Timeout"],
    ["ServerTimeout", 500, "Timeout"],
    ["ServiceUnavailable", 503, "ServerUnavailable"],
    ["InternalError", 500, "Internal"],
    ["BadRequest", 400, "BadRequest"],
    ["UnsupportedMediaType", 415, "UnsupportedMediaType"],
  ];
  for (const [reason, code, expected] of byReason) assert.equal(codeOf(reason, code), expected, reason);
  const byStatus: readonly (readonly [number, string])[] = [
    [302, "ProtocolError"],
    [400, "BadRequest"],
    [401, "Unauthorized"],
    [403, "Forbidden"],
    [404, "NotFound"],
    [405, "BadRequest"],
    [408, "Timeout"],
    [409, "Conflict"],
    [410, "Gone"],
    [413, "BadRequest"],
    [415, "UnsupportedMediaType"],
    [422, "Invalid"],
    [429, "TooManyRequests"],
    [500, "Internal"],
    [502, "ServerUnavailable"],
    [503, "ServerUnavailable"],
    [504, "Timeout"],
  ];
  for (const [code, expected] of byStatus) {
    assert.equal(codeOf(undefined, code), expected, String(code));
    assert.equal(codeOf("constructor", code), expected, `${code} with a reason that is none`);
  }
});

test("statusError keeps reason, causes and the time to wait, and is recognised as a CodedError", () => {
  const error = statusError({
    doing: "create gauges a/b",
    httpStatus: 422,
    status: failure({
      message: 'Gauge "b" is invalid: spec.replicas: Invalid value: -1',
      reason: "Invalid",
      code: 422,
      details: {
        retryAfterSeconds: 3,
        causes: [{ field: "spec.replicas", reason: "FieldValueInvalid", message: "Invalid value: -1" }],
      },
    }),
  });
  assert.ok(error instanceof StatusError && isCodedError(error, "Invalid"));
  assert.equal(error.name, "StatusError");
  assert.equal(error.httpStatus, 422);
  assert.equal(error.reason, "Invalid");
  assert.equal(error.retryAfterMs, 3_000);
  assert.deepEqual(error.causes, [
    { field: "spec.replicas", reason: "FieldValueInvalid", message: "Invalid value: -1" },
  ]);
  assert.equal(
    error.message,
    'Cannot create gauges a/b: Gauge "b" is invalid: spec.replicas: Invalid value: -1; try again after 3 s',
  );
});

test("statusError says which RBAC rule is missing", () => {
  const forbidden = (message: string, method: string, path: string, watch = false): string =>
    statusError({
      doing: "do it",
      status: failure({ message, reason: "Forbidden", code: 403 }),
      call: readApiCall(method, path, watch),
    }).message;
  assert.equal(
    forbidden(
      'configmaps is forbidden: User "poor" cannot list resource "configmaps" in API group "" in the namespace "default"',
      "GET",
      "/api/v1/namespaces/default/configmaps",
    ),
    'Cannot do it: configmaps is forbidden: User "poor" cannot list resource "configmaps" in API group "" in the namespace "default"; to allow it, add { apiGroups: [""], resources: ["configmaps"], verbs: ["list"] } to a Role of this user in namespace "default"',
  );
  assert.match(
    forbidden(
      'gauges.x.dev "a" is forbidden: User "poor" cannot patch resource "gauges/status" in API group "x.dev" at the cluster scope',
      "PATCH",
      "/apis/x.dev/v1/gauges/a/status",
    ),
    /; to allow it, add \{ apiGroups: \["x\.dev"\], resources: \["gauges\/status"\], verbs: \["patch"\] \} to a ClusterRole of this user$/,
  );
  assert.match(
    forbidden('forbidden: User "poor" cannot get path "/metrics"', "GET", "/metrics"),
    /; to allow it, add \{ nonResourceURLs: \["\/metrics"\], verbs: \["get"\] \} to a ClusterRole of this user$/,
  );
});

test("statusError advises no RBAC rule when an admission plugin forbids", () => {
  const message = 'pods "a" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1';
  const error = statusError({
    doing: "create pods a/a",
    status: failure({ message, reason: "Forbidden", code: 403 }),
    call: readApiCall("POST", "/api/v1/namespaces/a/pods", false),
  });
  assert.equal(error.message, `Cannot create pods a/a: ${message}`);
});

test("statusError does not repeat what a server or webhook says about a Secret", () => {
  const status = failure({
    message: 'Secret "s" is invalid: data[token]: Invalid value: "hunter2": must not be a word',
    reason: "Invalid",
    code: 422,
    details: {
      name: "s",
      kind: "Secret",
      causes: [
        { field: "data[token]", reason: "FieldValueInvalid", message: 'Invalid value: "hunter2": must not be a word' },
      ],
    },
  });
  const call = readApiCall("PATCH", "/api/v1/namespaces/a/secrets/s", false);
  for (const refusal of [
    { status, call },
    { status },
    { call, status: { ...status, details: { causes: status.details?.causes ?? [] } } },
  ]) {
    const error = statusError({ doing: "patch secrets a/s", ...refusal });
    assert.ok(!JSON.stringify([error.message, error.causes, error.stack]).includes("hunter2"));
    assert.equal(
      error.message,
      "Cannot patch secrets a/s: HTTP 422 Invalid, about data[token] (the server's words are withheld, they may quote the Secret)",
    );
    assert.deepEqual(error.causes, [{ field: "data[token]", reason: "FieldValueInvalid", message: "" }]);
  }
  const denied = statusError({
    doing: "create secrets a/s",
    httpStatus: 403,
    body: "denied: password hunter2 is too short; user cannot hunter2 resource",
    call: readApiCall("POST", "/api/v1/namespaces/a/secrets", false),
  });
  assert.ok(!denied.message.includes("hunter2"));
});

test("statusError says of a Secret that its namespace is not there", () => {
  const missing = (name: string) =>
    statusError({
      doing: "create secrets a/s",
      status: failure({
        message: `namespaces "${name}" not found`,
        reason: "NotFound",
        code: 404,
        details: { kind: "namespaces", name },
      }),
      call: readApiCall("POST", "/api/v1/namespaces/a/secrets", false),
    });
  assert.equal(
    missing("a").message,
    'Cannot create secrets a/s: HTTP 404 NotFound (the server\'s words are withheld, they may quote the Secret); there is no namespace "a"',
  );
  assert.ok(!missing("hunter2").message.includes("hunter2"));
});

test("statusError names the rule for a Secret in the words of the request, not of the server", () => {
  const error = statusError({
    doing: "patch secrets a/s",
    status: failure({
      message: 'secrets "s" is forbidden: User "x" cannot hunter resource "hunter" in API group "hunter"',
      reason: "Forbidden",
      code: 403,
    }),
    call: readApiCall("PATCH", "/api/v1/namespaces/a/secrets/s", false),
  });
  assert.equal(
    error.message,
    'Cannot patch secrets a/s: HTTP 403 Forbidden (the server\'s words are withheld, they may quote the Secret); to allow it, add { apiGroups: [""], resources: ["secrets"], verbs: ["patch"] } to a Role of this user in namespace "a"',
  );
});

test("statusError repeats what a server says of reading Secrets, since a read sends nothing of them", () => {
  const message = 'secrets is forbidden: User "x" cannot watch resource "secrets" in API group "" in the namespace "a"';
  const error = statusError({
    doing: "watch secrets in namespace a",
    status: failure({ message, reason: "Forbidden", code: 403, details: { kind: "secrets" } }),
    call: readApiCall("GET", "/api/v1/namespaces/a/secrets", true),
  });
  assert.equal(
    error.message,
    `Cannot watch secrets in namespace a: ${message}; to allow it, add { apiGroups: [""], resources: ["secrets"], verbs: ["watch"] } to a Role of this user in namespace "a"`,
  );
});

test("statusError makes one clean line of whatever a proxy answers", () => {
  const said = (httpStatus: number, body: string): string =>
    statusError({ doing: "get pods a/b", httpStatus, body }).message;
  assert.equal(said(503, ""), "Cannot get pods a/b: HTTP 503 with an empty body");
  assert.equal(
    said(502, "<html><head><title>502 Bad\n Gateway</title></head><body>token abc</body></html>"),
    'Cannot get pods a/b: HTTP 502: an HTML page, "502 Bad Gateway"',
  );
  assert.equal(said(500, "<!DOCTYPE html><body>x</body>"), "Cannot get pods a/b: HTTP 500: an HTML page");
  assert.equal(said(500, "a\u001b[31mb\r\nc\u202ed\u0000"), "Cannot get pods a/b: HTTP 500: a [31mb c d");
  assert.equal(
    said(400, "authorization: Bearer abcdefghijklmnopqrstuvwxyz was odd"),
    "Cannot get pods a/b: HTTP 400: authorization: Bearer [redacted] was odd",
  );
  assert.equal(
    said(404, "404 page not found\n"),
    "Cannot get pods a/b: HTTP 404: 404 page not found; does the server have this API: is the CRD installed, is the server's URL right?",
  );
  assert.ok(said(500, "x".repeat(1_000_000)).length < 1_100);
});

test("statusError takes only a NotFound that names the object for a missing object", () => {
  const missing = (refusal: object): boolean =>
    statusError({ doing: "get gauges a/b", httpStatus: 404, ...refusal }).missing;
  const status = failure({ code: 404, reason: "NotFound", message: "not found" });
  assert.equal(missing({ status: { ...status, details: { name: "b", group: "x.dev", kind: "gauges" } } }), true);
  assert.equal(missing({ status: { ...status, details: {} } }), false);
  assert.equal(missing({ body: "404 page not found" }), false);
  assert.equal(missing({ status: failure({ code: 403, reason: "Forbidden", details: { name: "b" } }) }), false);
});

test("statusError reads only the beginning of a page, since a hostile one would take it minutes", () => {
  const said = (body: string): string => statusError({ doing: "get x", httpStatus: 500, body }).message;
  assert.equal(said(`<html>${"<title>".repeat(100_000)}late</title>`), "Cannot get x: HTTP 500: an HTML page");
  assert.ok(!said(`${"x".repeat(100_000)} late`).includes("late"));
});

test("statusError keeps the end of a long message, where kube-apiserver says what is wrong with the object it quotes", () => {
  const said = (message: string): string =>
    statusError({ doing: "patch gauges/status a/b", status: failure({ code: 422, reason: "Invalid", message }) })
      .message;
  const quoted = (length: number): string =>
    `"" is invalid: patch: Invalid value: "{${"x".repeat(length)}}": strict decoding error: unknown field "status.linez"`;
  const long = said(quoted(4_000));
  assert.ok(long.startsWith('Cannot patch gauges/status a/b: "" is invalid: patch: Invalid value: "{xxx'), long);
  assert.ok(long.endsWith('xxx}": strict decoding error: unknown field "status.linez"'), long);
  assert.ok(long.length < 1_100);
  assert.equal(said("a".repeat(1_024)), `Cannot patch gauges/status a/b: ${"a".repeat(1_024)}`);
  // Past what is searched for credentials, the end may be the rest of one.
  assert.ok(!said(quoted(20_000)).includes("linez"));
  assert.ok(!said(`${"x".repeat(2_000)} https://user:hidden-word@host/`).includes("hidden-word"));
});

test("statusError survives a Status whose parts have the wrong types", () => {
  const odd = {
    kind: "Status",
    message: 7,
    reason: { a: 1 },
    code: 409,
    details: { causes: "none", retryAfterSeconds: "soon" },
  };
  const error = statusError({ doing: "get x", status: odd as unknown as Status });
  assert.equal(error.code, "Conflict");
  assert.equal(error.message, "Cannot get x: HTTP 409, and the server gives no reason");
  assert.deepEqual([error.reason, error.causes, error.retryAfterMs], [undefined, [], undefined]);
});
