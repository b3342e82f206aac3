import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { messageOf } from "../error/coded-error.ts";
import { parseKubeconfig } from "./kubeconfig.ts";

const parse = (text: string) =>
  parseKubeconfig(text, { source: "kubeconfig /a/b", directory: "/a", clock: createVirtualClock() });

test("parseKubeconfig reads YAML and JSON alike", async () => {
  const yaml = await parse(`
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: one
  cluster: {server: "https://one.example:6443", tls-server-name: inner.example}
users:
- name: me
  user: {token: abc, as-groups: [a, b]}
contexts:
- name: dev
  context: {cluster: one, user: me, namespace: team}
preferences: {}
`);
  const json = await parse(
    JSON.stringify(
      {
        kind: "Config",
        clusters: [
          { name: "one", cluster: { server: "https://one.example:6443", "tls-server-name": "inner.example" } },
        ],
        users: [{ name: "me", user: { token: "abc", "as-groups": ["a", "b"] } }],
        contexts: [{ name: "dev", context: { cluster: "one", user: "me", namespace: "team" } }],
        "current-context": "dev",
      },
      undefined,
      "\t",
    ),
  );
  assert.deepEqual(yaml, json);
  assert.equal(yaml.clusters.get("one")?.serverName, "inner.example");
  assert.deepEqual(yaml.users.get("me")?.asGroups, ["a", "b"]);
  assert.equal(yaml.contexts.get("dev")?.namespace, "team");
});

test("parseKubeconfig resolves paths against the directory of the file, but not commands of PATH", async () => {
  const { clusters, users } = await parse(`
clusters: [{name: c, cluster: {certificate-authority: pki/ca.pem}}]
users:
- {name: relative, user: {client-certificate: ../c.pem, client-key: k.pem, tokenFile: ./t, exec: {command: bin/plugin}}}
- {name: absolute, user: {client-certificate: /c.pem, exec: {command: plugin}}}
`);
  assert.equal(clusters.get("c")?.caFile, "/a/pki/ca.pem");
  const relative = users.get("relative");
  assert.deepEqual(
    [relative?.certFile, relative?.keyFile, relative?.tokenFile, relative?.exec?.command],
    ["/c.pem", "/a/k.pem", "/a/t", "/a/bin/plugin"],
  );
  assert.deepEqual([users.get("absolute")?.certFile, users.get("absolute")?.exec?.command], ["/c.pem", "plugin"]);
});

test("parseKubeconfig takes null, empty and unknown fields as absent", async () => {
  const { users, contexts } = await parse(`
clusters: null
users: [{name: me, user: null}, {name: you, user: {token: "", exec: null, auth-provider: ~, unknown: [1]}}]
contexts:
`);
  assert.equal(users.get("me")?.token, undefined);
  assert.deepEqual(
    [users.get("you")?.token, users.get("you")?.exec, users.get("you")?.hasAuthProvider],
    [undefined, undefined, false],
  );
  assert.equal(contexts.size, 0);
});

test("parseKubeconfig follows anchors and merge keys", async () => {
  const { users } = await parse("users:\n- {name: a, user: &u {token: t}}\n- {name: b, user: {<<: *u, as: other}}\n");
  assert.deepEqual([users.get("b")?.token, users.get("b")?.as], ["t", "other"]);
});

const wrong: readonly (readonly [text: string, message: string])[] = [
  ["users: [{name: a, user: {}}, {name: b, user: {token: 12345}}]", "users[1].user.token is a number, give a string"],
  ["users: [{name: a, user: {token: [secret]}}]", "users[0].user.token is a list, give a string"],
  ["users: [{name: a, user: {password: {secret: 1}}}]", "users[0].user.password is an object, give a string"],
  ["users: [{name: a, user: {password: true}}]", "users[0].user.password is a boolean, give a string"],
  ["users: [{name: a, user: secret}]", "users[0].user is a string, give an object"],
  ["users: {a: secret}", "users is an object, give a list"],
  ["users: [secret]", "users[0] is a string, give an object"],
  ["users: [{user: {}}]", "users[0].name is missing, give a string"],
  ["users: [{name: a}, {name: a}]", 'users[1].name is "a", as that of an entry before it, give each its own'],
  ["users: [{name: a, user: {as-groups: [a, 1]}}]", "users[0].user.as-groups[1] is a number, give a string"],
  ["users: [{name: a, user: {as-groups: secret}}]", "users[0].user.as-groups is a string, give a list"],
  ["users: [{name: a, user: {as-user-extra: [a]}}]", "users[0].user.as-user-extra is a list, give an object"],
  ["users: [{name: a, user: {as-user-extra: {k: secret}}}]", "users[0].user.as-user-extra.k is a string, give a list"],
  ["users: [{name: a, user: {exec: {args: [1]}}}]", "users[0].user.exec.args[0] is a number, give a string"],
  [
    "users: [{name: a, user: {exec: {env: [{name: A, value: 1}]}}}]",
    "users[0].user.exec.env[0].value is a number, give a string",
  ],
  [
    "clusters: [{name: a, cluster: {insecure-skip-tls-verify: yes}}]",
    "clusters[0].cluster.insecure-skip-tls-verify is a string, give true or false",
  ],
  ["contexts: [{name: 7}]", "contexts[0].name is a number, give a string"],
  ["current-context: 7", "current-context is a number, give a string"],
  ["kind: Pod", "kind is not Config"],
  ["apiVersion: v2", "apiVersion is not v1"],
  ["- secret", "it is no object with clusters, users and contexts"],
  ["secret", "it is no object with clusters, users and contexts"],
  ["null", "it is no object with clusters, users and contexts"],
];

test("parseKubeconfig names file and field of a wrong type, and not the value", async () => {
  for (const [text, problem] of wrong) {
    await assert.rejects(parse(text), { code: "InvalidConfig", message: `Cannot read kubeconfig /a/b: ${problem}` });
  }
});

const broken: readonly (readonly [text: string, message: string])[] = [
  ["users:\n- name: [a\nsecret", "line 3, column 1 is broken YAML (deficient indentation)"],
  ["users:\n\t- name: secret", "line 2, column 1 is broken YAML (tab characters must not be used in indentation)"],
  ["token: *secret", "line 1, column 9 is broken YAML (unidentified alias)"],
  ["token: !secret x", "line 1, column 8 is broken YAML (unknown scalar tag)"],
  ["token: !a[secret x", "line 1, column 17 is broken YAML (tag suffix cannot contain flow indicator characters)"],
  ["token: !secret!x y", "line 1, column 17 is broken YAML (undeclared tag handle)"],
  ["token: !a^secret y", "line 1, column 17 is broken YAML (tag name cannot contain such characters)"],
  [
    "token: !<tag:yaml.org,2002:int> secret",
    "line 1, column 8 is broken YAML (cannot resolve a node with explicit tag)",
  ],
  ["secret: 1\nsecret: 2", "line 2, column 1 is broken YAML (duplicated mapping key)"],
  ["a: 1\n---\nb: secret", "it is broken YAML (expected a single document in the stream, but found more)"],
  [
    '{"users": [{"name": "secret"',
    "line 1, column 29 is broken YAML (unexpected end of the stream within a flow collection)",
  ],
];

test("parseKubeconfig gives line and column of broken YAML and repeats nothing of it", async () => {
  const seen: (readonly [string, string])[] = [];
  for (const [text] of broken) {
    await assert.rejects(parse(text), (error: unknown) => {
      seen.push([text, messageOf(error).replace("Cannot read kubeconfig /a/b: ", "")]);
      assert.equal((error as Error).cause, undefined);
      assert.doesNotMatch(String((error as Error).stack), /secret(?!\.)/);
      return true;
    });
  }
  assert.deepEqual(seen, broken);
});
