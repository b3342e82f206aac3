import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";
import type { Answer } from "../request.ts";

const held = ["example.com/held"];

function put(
  { quietly, namespace }: Conversation,
  resource: string,
  name: string,
  metadata: object = {},
): Promise<Answer> {
  return quietly("POST", `/api/v1/namespaces/${namespace}/${resource}`, { body: { metadata: { name, ...metadata } } });
}

function release({ quietly, namespace }: Conversation, path: string): Promise<Answer> {
  const body = { metadata: { finalizers: null } };
  return quietly("PATCH", `/api/v1/namespaces/${namespace}/${path}`, { body });
}

function end({ send, namespace }: Conversation): Promise<Answer> {
  return send("DELETE", `/api/v1/namespaces/${namespace}`);
}

function ended({ until, namespace }: Conversation): Promise<Answer> {
  return until(`/api/v1/namespaces/${namespace}`, ({ status }) => status === 404);
}

interface Conditions {
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function says(type: string, { status }: Conditions): boolean {
  return status.conditions?.some((one) => one.type === type && one.status === "True") ?? false;
}

export const area: Area = defineArea("namespace", { controllers: true }, (check) => {
  check("a namespace has a service account and the root certificate", async ({ until, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}`;
    await until(`${path}/serviceaccounts/default`, ({ status }) => status === 200);
    await until(`${path}/configmaps/kube-root-ca.crt`, ({ status }) => status === 200, { omit: ["data"] });
  });

  check("its service account and root certificate come back", async ({ quietly, until, namespace }) => {
    for (const path of ["serviceaccounts/default", "configmaps/kube-root-ca.crt"]) {
      const whole = `/api/v1/namespaces/${namespace}/${path}`;
      await until(whole, ({ status }) => status === 200, { only: ["metadata.name"] });
      const { body } = await quietly("GET", whole);
      await quietly("DELETE", whole);
      await until(whole, ({ status, body: next }) => status === 200 && next.metadata.uid !== body.metadata.uid, {
        only: ["metadata.name"],
      });
    }
  });

  check("its root certificate is put right", async ({ quietly, until, namespace }) => {
    const path = `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`;
    await until(path, ({ status }) => status === 200, { only: ["metadata.name"] });
    const metadata = { labels: { a: "b" }, annotations: null };
    await quietly("PATCH", path, { body: { metadata, data: { "ca.crt": "x", more: "y" } } });
    await until(path, ({ body }) => body.data.more === undefined, { omit: ["data"] });
  });

  check("a namespace is deleted with everything in it", async (conversation) => {
    const { until, crd, quietly, namespace } = conversation;
    const kind = await crd();
    await put(conversation, "configmaps", "a");
    await put(conversation, "secrets", "a");
    await quietly("POST", kind.path, { body: kind.object("a") });
    await end(conversation);
    await ended(conversation);
    await until(`/api/v1/namespaces/${namespace}/configmaps`, ({ body }) => body.items.length === 0);
    await until(kind.path, ({ body }) => body.items.length === 0);
  });

  check("a namespace says what holds it", async (conversation) => {
    const { until, namespace } = conversation;
    await put(conversation, "configmaps", "a", { finalizers: [...held, "example.com/more"] });
    await put(conversation, "configmaps", "b", { finalizers: held });
    await put(conversation, "secrets", "b", { finalizers: held });
    await end(conversation);
    await until(`/api/v1/namespaces/${namespace}`, ({ body }) => says("NamespaceFinalizersRemaining", body));
    for (const path of ["configmaps/a", "configmaps/b", "secrets/b"]) await release(conversation, path);
    await ended(conversation);
  });

  check("a namespace deletes its pods before the rest", async (conversation) => {
    const { until, send, quietly, namespace } = conversation;
    const spec = { containers: [{ name: "a", image: "a" }] };
    await quietly("POST", `/api/v1/namespaces/${namespace}/pods`, {
      body: { metadata: { name: "p", finalizers: held }, spec },
    });
    await put(conversation, "configmaps", "a");
    await end(conversation);
    await until(`/api/v1/namespaces/${namespace}`, ({ body }) => body.status.conditions !== undefined);
    await send("GET", `/api/v1/namespaces/${namespace}/configmaps/a`);
    await release(conversation, "pods/p");
    await ended(conversation);
  });

  check("a namespace that ends takes nothing new", async (conversation) => {
    const { send, namespace } = conversation;
    await put(conversation, "configmaps", "a", { finalizers: held });
    await end(conversation);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await send("POST", path, { body: { metadata: { name: "late" } } });
    await send("POST", path, { body: { metadata: { generateName: "late-" } } });
    // Whether it has been marked by now is a matter of time.
    await send("PATCH", `${path}/a`, { body: { data: { still: "possible" } }, only: ["data"] });
    await release(conversation, "configmaps/a");
    await ended(conversation);
  });

  check("a namespace that ends may be deleted again", async (conversation) => {
    await put(conversation, "configmaps", "a", { finalizers: held });
    const { send, namespace } = conversation;
    await end(conversation);
    // Conditions come five seconds later on the real cluster.
    const only = ["kind", "metadata.name", "metadata.deletionTimestamp", "spec", "status.phase"];
    await send("DELETE", `/api/v1/namespaces/${namespace}`, { only });
    await release(conversation, "configmaps/a");
    await ended(conversation);
  });

  check("a namespace waits for the finalizers of its spec", async (conversation) => {
    const { send, quietly, until, namespace } = conversation;
    const name = `${namespace}-own`;
    const path = `/api/v1/namespaces/${name}`;
    await send("POST", "/api/v1/namespaces", {
      body: { metadata: { name }, spec: { finalizers: ["example.com/own"] } },
    });
    await send("DELETE", path);
    await until(path, ({ body }) => body.spec.finalizers.length === 1, { omit: ["status", "metadata.managedFields"] });
    const { body } = await quietly("GET", path);
    await quietly("PUT", `${path}/finalize`, { body: { ...body, spec: {} } });
    await until(path, ({ status }) => status === 404);
  });

  check("a namespace waits for the finalizers of its metadata", async (conversation) => {
    const { send, quietly, until, namespace } = conversation;
    const name = `${namespace}-held`;
    const path = `/api/v1/namespaces/${name}`;
    await quietly("POST", "/api/v1/namespaces", { body: { metadata: { name, finalizers: held } } });
    await quietly("DELETE", path);
    await until(path, ({ body }) => body.spec.finalizers === undefined, { omit: ["status", "metadata.managedFields"] });
    await send("PATCH", path, { body: { metadata: { finalizers: null } }, omit: ["status", "metadata.managedFields"] });
    await until(path, ({ status }) => status === 404);
  });

  check("some namespaces stay", async ({ send }) => {
    for (const name of ["default", "kube-system", "kube-public"]) await send("DELETE", `/api/v1/namespaces/${name}`);
  });

  check("a definition is deleted after its objects", async (conversation) => {
    const { crd, quietly, send, until } = conversation;
    const kind = await crd();
    await quietly("POST", kind.path, { body: kind.object("a") });
    await send("DELETE", kind.crdPath, {
      only: ["metadata.finalizers", "metadata.generation", "status.conditions", "kind"],
    });
    await until(kind.crdPath, ({ status }) => status === 404);
    await until(kind.path, ({ status }) => status === 404);
  });

  check("a definition waits for the finalizers of its objects, and takes no new ones", async (conversation) => {
    const { crd, quietly, send, until } = conversation;
    const kind = await crd();
    const metadata = { name: "a", finalizers: held };
    await quietly("POST", kind.path, { body: kind.object("a", { metadata }) });
    await quietly("DELETE", kind.crdPath);
    const isAtWork = ({ body }: Answer): boolean =>
      body.status.conditions.some(({ reason }: { readonly reason: string }) => reason === "InstanceDeletionInProgress");
    await until(kind.crdPath, isAtWork, { only: ["metadata.finalizers", "status.conditions"] });
    await until(`${kind.path}/a`, ({ body }) => body.metadata.deletionTimestamp !== undefined);
    await send("POST", kind.path, { body: kind.object("late") });
    await quietly("PATCH", `${kind.path}/a`, { body: { metadata: { finalizers: null } } });
    await until(kind.crdPath, ({ status }) => status === 404);
  });
});
