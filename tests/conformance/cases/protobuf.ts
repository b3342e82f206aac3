import { type Area, defineArea } from "../area.ts";

/** A field of bytes of a protobuf message: its tag, its length, its content. */
function field(number: number, ...content: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part)));
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}

function integer(number: number, value: number): Buffer {
  return Buffer.from([number << 3, value]);
}

const magic = Buffer.from("k8s\0");

/** What clients of Go send: runtime.Unknown around the object. */
function message(apiVersion: string, kind: string, ...object: readonly Buffer[]): Buffer {
  return Buffer.concat([magic, field(1, field(1, apiVersion), field(2, kind)), field(2, ...object)]);
}

const metadata = (name: string): Buffer => field(1, field(1, name));
const contentType = "application/vnd.kubernetes.protobuf";

export const area: Area = defineArea("protobuf", {}, (check) => {
  check("a ConfigMap is created from a message", async ({ send, namespace }) => {
    const entry = (key: string, value: string): Buffer => Buffer.concat([field(1, key), field(2, value)]);
    const labels = field(11, entry("app", "a"));
    const body = message(
      "v1",
      "ConfigMap",
      field(1, field(1, "made"), labels),
      field(2, entry("b", "2")),
      field(2, entry("a", "1")),
      field(2, field(1, "no-value")),
      field(3, entry("binary", "\u0000\u0001")),
      integer(4, 0),
    );
    await send("POST", `/api/v1/namespaces/${namespace}/configmaps`, { body, contentType });
  });

  check("a Lease is created from a message, with its times", async ({ send, namespace }) => {
    const time = Buffer.from([8, 0x80, 0xa6, 0xc6, 0xac, 6, 16, 0xc0, 0xc4, 7]);
    const spec = field(2, field(1, "holder"), integer(2, 15), field(4, time), integer(5, 0));
    const body = message("coordination.k8s.io/v1", "Lease", metadata("made"), spec);
    await send("POST", `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, { body, contentType });
  });

  check("a ServiceAccount is created from a message and its pointer to false is kept", async ({ send, namespace }) => {
    const body = message("v1", "ServiceAccount", metadata("made"), field(3, field(1, "pull")), integer(4, 0));
    await send("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body, contentType });
  });

  check("a ResourceQuota is created from a message, its quantities in canonical form", async ({ send, namespace }) => {
    const amount = (name: string, value: string): Buffer => field(1, field(1, name), field(2, field(1, value)));
    const body = message(
      "v1",
      "ResourceQuota",
      metadata("made"),
      field(2, amount("pods", "10"), amount("cpu", "1500m")),
    );
    await send("POST", `/api/v1/namespaces/${namespace}/resourcequotas`, { body, contentType });
  });

  check(
    "a PodDisruptionBudget is created from a message, with numbers and percentages",
    async ({ send, namespace }) => {
      const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
      const selector = field(2, field(1, field(1, "a"), field(2, "b")));
      for (const [name, minAvailable] of [
        ["number", integer(2, 2)],
        ["percentage", Buffer.concat([integer(1, 1), field(3, "50%")])],
        ["zero", Buffer.alloc(0)],
      ] as const) {
        const body = message(
          "policy/v1",
          "PodDisruptionBudget",
          metadata(name),
          field(2, field(1, minAvailable), selector),
        );
        await send("POST", path, { body, contentType, only: ["metadata.name", "spec"] });
      }
    },
  );

  check("a ClusterRole without rules is created from a message", async ({ send, namespace, cleanup }) => {
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const body = message("rbac.authorization.k8s.io/v1", "ClusterRole", metadata(namespace));
    cleanup(async () => {
      await send("DELETE", `${path}/${namespace}`);
    });
    await send("POST", path, { body, contentType });
  });

  check("a review is answered", async ({ send }) => {
    const attributes = field(1, field(1, "default"), field(2, "get"), field(5, "pods"));
    const body = message("authorization.k8s.io/v1", "SelfSubjectAccessReview", field(2, attributes));
    await send("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { body, contentType });
  });

  check("an object is replaced by a message", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await send("POST", path, { body: { metadata: { name: "old" }, data: { a: "1" } } });
    const body = message("v1", "ConfigMap", metadata("old"), field(2, field(1, "b"), field(2, "2")));
    await send("PUT", `${path}/old`, { body, contentType });
  });

  check("DeleteOptions are read from a message", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await send("POST", path, { body: { metadata: { name: "one" } } });
    const wrong = message("v1", "DeleteOptions", field(2, field(1, "no-such-uid")));
    await send("DELETE", `${path}/one`, { body: wrong, contentType, only: ["code", "reason"] });
    await send("DELETE", `${path}/one`, {
      body: message("v1", "DeleteOptions", integer(1, 0)),
      contentType,
      only: ["status"],
    });
  });

  check("a message that does not say what it is, is what the path wants", async ({ send, namespace }) => {
    const body = Buffer.concat([magic, field(2, metadata("unnamed"))]);
    await send("POST", `/api/v1/namespaces/${namespace}/configmaps`, { body, contentType });
  });

  check("fields of unknown numbers are passed over, strict validation or not", async ({ send, namespace }) => {
    const body = message("v1", "ConfigMap", metadata("unknown"), field(15, "what"));
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await send("POST", path, { body, contentType, query: { fieldValidation: "Strict" } });
  });

  check("what is no message answers 400", async ({ send, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    for (const body of [
      Buffer.from("abc"),
      Buffer.from(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"json"}}`),
      magic,
      Buffer.concat([magic, Buffer.from([10, 2, 8])]),
      message("v1", "Foo"),
      message("v9", "ConfigMap"),
      message("v1", "ConfigMap", Buffer.from([8, 1])),
      message("v1", "ConfigMap", Buffer.from([10, 5])),
    ]) {
      await send("POST", path, { body, contentType });
    }
  });

  check("a message of another kind answers 400", async ({ send, namespace }) => {
    const body = message("v1", "Secret", metadata("other"));
    await send("POST", `/api/v1/namespaces/${namespace}/configmaps`, { body, contentType });
  });
});
