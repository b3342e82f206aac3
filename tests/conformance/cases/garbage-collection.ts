import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";
import type { Answer } from "../request.ts";

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: boolean;
  readonly controller?: boolean;
}

const blocking = { blockOwnerDeletion: true };
const nobody: Owner = {
  apiVersion: "v1",
  kind: "ConfigMap",
  name: "nobody",
  uid: "11111111-1111-4111-8111-111111111111",
};

function configMaps({ namespace }: Pick<Conversation, "namespace">): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}

/** Creates a ConfigMap, and gives the reference that makes it an owner. */
async function create(
  conversation: Conversation,
  name: string,
  metadata: { readonly ownerReferences?: readonly Owner[]; readonly finalizers?: readonly string[] } = {},
): Promise<Owner> {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata } };
  const answer = await conversation.quietly("POST", configMaps(conversation), { body });
  return { apiVersion: "v1", kind: "ConfigMap", name, uid: answer.body.metadata.uid as string };
}

/** The garbage collector learns of new objects a moment after they were created. */
function noticed({ sleep }: Conversation): Promise<void> {
  return sleep("500ms");
}

function gone(conversation: Conversation, name: string): Promise<Answer> {
  return conversation.until(`${configMaps(conversation)}/${name}`, ({ status }) => status === 404);
}

function remove(conversation: Conversation, name: string, propagationPolicy?: string): Promise<Answer> {
  const body = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy };
  return conversation.send("DELETE", `${configMaps(conversation)}/${name}`, {
    ...(propagationPolicy !== undefined && { body }),
  });
}

function release(conversation: Conversation, name: string): Promise<Answer> {
  const body = { metadata: { finalizers: null } };
  return conversation.quietly("PATCH", `${configMaps(conversation)}/${name}`, { body });
}

export const area: Area = defineArea("garbage-collection", { controllers: true }, (check) => {
  check("dependents go after their owner, down the chain", async (conversation) => {
    const owner = await create(conversation, "o");
    const middle = await create(conversation, "m", { ownerReferences: [owner] });
    await create(conversation, "l", { ownerReferences: [middle] });
    await noticed(conversation);
    await remove(conversation, "o");
    for (const name of ["m", "l"]) await gone(conversation, name);
  });

  check("dependents stay while their owner's own finalizer holds it", async (conversation) => {
    const { send, sleep } = conversation;
    const owner = await create(conversation, "o", { finalizers: ["example.com/held"] });
    await create(conversation, "d", { ownerReferences: [owner] });
    await noticed(conversation);
    await remove(conversation, "o", "Background");
    await sleep("1s");
    await send("GET", `${configMaps(conversation)}/d`);
    await release(conversation, "o");
    await gone(conversation, "d");
  });

  check("an owner that is deleted in the foreground waits for those that block it", async (conversation) => {
    const { send, until } = conversation;
    const owner = await create(conversation, "o");
    const ownerReferences = [{ ...owner, ...blocking }];
    await create(conversation, "held", { ownerReferences, finalizers: ["example.com/held"] });
    await create(conversation, "free", { ownerReferences: [owner] });
    await noticed(conversation);
    await remove(conversation, "o", "Foreground");
    await until(`${configMaps(conversation)}/held`, ({ body }) => body.metadata.deletionTimestamp !== undefined);
    await gone(conversation, "free");
    await send("GET", `${configMaps(conversation)}/o`);
    await release(conversation, "held");
    await gone(conversation, "o");
  });

  check(
    "an owner that is deleted in the foreground does not wait for those that do not block it",
    async (conversation) => {
      const { until } = conversation;
      const owner = await create(conversation, "o");
      await create(conversation, "d", { ownerReferences: [owner], finalizers: ["example.com/held"] });
      await noticed(conversation);
      await remove(conversation, "o", "Foreground");
      await gone(conversation, "o");
      await until(`${configMaps(conversation)}/d`, ({ body }) => body.metadata.deletionTimestamp !== undefined);
      await release(conversation, "d");
      await gone(conversation, "d");
    },
  );

  check("a chain is deleted in the foreground", async (conversation) => {
    const { until } = conversation;
    const owner = await create(conversation, "o");
    const middle = await create(conversation, "m", { ownerReferences: [{ ...owner, ...blocking }] });
    await create(conversation, "l", {
      ownerReferences: [{ ...middle, ...blocking }],
      finalizers: ["example.com/held"],
    });
    await noticed(conversation);
    await remove(conversation, "o", "Foreground");
    await until(`${configMaps(conversation)}/l`, ({ body }) => body.metadata.deletionTimestamp !== undefined);
    await until(`${configMaps(conversation)}/m`, ({ status }) => status === 200);
    await release(conversation, "l");
    for (const name of ["m", "o"]) await gone(conversation, name);
  });

  check("an owner without dependents is deleted in the foreground a moment later", async (conversation) => {
    await create(conversation, "o");
    await noticed(conversation);
    await remove(conversation, "o", "Foreground");
    await gone(conversation, "o");
  });

  check("dependents are orphaned where the deletion asks for it", async (conversation) => {
    const { send } = conversation;
    const owner = await create(conversation, "o");
    const other = await create(conversation, "other");
    await create(conversation, "a", { ownerReferences: [owner] });
    await create(conversation, "b", { ownerReferences: [owner, other] });
    await noticed(conversation);
    await remove(conversation, "o", "Orphan");
    await gone(conversation, "o");
    for (const name of ["a", "b"]) await send("GET", `${configMaps(conversation)}/${name}`);
  });

  check("dependents are orphaned by the old option as well", async (conversation) => {
    const { send } = conversation;
    const owner = await create(conversation, "o");
    await create(conversation, "a", { ownerReferences: [owner] });
    await noticed(conversation);
    const body = { apiVersion: "v1", kind: "DeleteOptions", orphanDependents: true };
    await send("DELETE", `${configMaps(conversation)}/o`, { body });
    await gone(conversation, "o");
    await send("GET", `${configMaps(conversation)}/a`);
  });

  check("another owner holds a dependent", async (conversation) => {
    const { until } = conversation;
    const owner = await create(conversation, "o");
    const other = await create(conversation, "other");
    await create(conversation, "d", { ownerReferences: [owner, other] });
    await noticed(conversation);
    await remove(conversation, "o");
    await until(`${configMaps(conversation)}/d`, ({ body }) => body.metadata.ownerReferences.length === 1);
    await remove(conversation, "other");
    await gone(conversation, "d");
  });

  check("another owner holds a dependent of one that is deleted in the foreground", async (conversation) => {
    const { until } = conversation;
    const owner = await create(conversation, "o");
    const other = await create(conversation, "other");
    await create(conversation, "d", { ownerReferences: [{ ...owner, ...blocking }, other] });
    await noticed(conversation);
    await remove(conversation, "o", "Foreground");
    await gone(conversation, "o");
    await until(`${configMaps(conversation)}/d`, ({ body }) => body.metadata.ownerReferences.length === 1);
  });

  check("an object goes whose owner is not there", async (conversation) => {
    await create(conversation, "d", { ownerReferences: [nobody] });
    await gone(conversation, "d");
  });

  check("an object goes whose owner was another one of that name", async (conversation) => {
    const other = await create(conversation, "other");
    await create(conversation, "d", { ownerReferences: [{ ...other, uid: nobody.uid }] });
    await gone(conversation, "d");
  });

  check("a reference to an owner that is not there goes beside one that is", async (conversation) => {
    const { until } = conversation;
    const other = await create(conversation, "other");
    await noticed(conversation);
    await create(conversation, "d", { ownerReferences: [nobody, other] });
    await until(`${configMaps(conversation)}/d`, ({ body }) => body.metadata.ownerReferences.length === 1);
  });

  check("an owner of the whole cluster is one in every namespace", async (conversation) => {
    const { quietly, send, sleep, namespace, cleanup } = conversation;
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const name = `${namespace}-owner`;
    cleanup(() => quietly("DELETE", `${path}/${name}`));
    const { body } = await quietly("POST", path, { body: { metadata: { name }, rules: [] } });
    const apiVersion = "rbac.authorization.k8s.io/v1";
    const uid = body.metadata.uid as string;
    await create(conversation, "d", { ownerReferences: [{ apiVersion, kind: "ClusterRole", name, uid }] });
    await sleep("1s");
    await send("GET", `${configMaps(conversation)}/d`);
    await quietly("DELETE", `${path}/${name}`);
    await gone(conversation, "d");
  });

  check("an owner in another namespace is none, which an Event tells", async (conversation) => {
    const { quietly, until, namespace, cleanup } = conversation;
    const far = "/api/v1/namespaces/default/configmaps";
    cleanup(() => quietly("DELETE", `${far}/${namespace}`));
    const { body } = await quietly("POST", far, { body: { metadata: { name: namespace } } });
    await noticed(conversation);
    const uid = body.metadata.uid as string;
    await create(conversation, "d", {
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: namespace, uid }],
    });
    await gone(conversation, "d");
    await until(`/api/v1/namespaces/${namespace}/events`, ({ body: list }) => list.items.length > 0, {
      omit: ["items.*.metadata.name"],
    });
  });

  check("an owner in a namespace is none of the cluster's objects, which stay", async (conversation) => {
    const { quietly, until, namespace, cleanup } = conversation;
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const name = `${namespace}-dependent`;
    const owner = await create(conversation, "o");
    await noticed(conversation);
    cleanup(() => quietly("DELETE", `${path}/${name}`));
    await quietly("POST", path, { body: { metadata: { name, ownerReferences: [owner] }, rules: [] } });
    const query = { fieldSelector: `involvedObject.name=${name}` };
    await until("/api/v1/namespaces/default/events", ({ body }) => body.items.length > 0, {
      query,
      omit: ["items.*.metadata.name"],
    });
    await until(`${path}/${name}`, ({ status }) => status === 200);
  });

  check("an object stays whose owner is of a kind that nobody knows", async (conversation) => {
    const { send, sleep } = conversation;
    const owner = { apiVersion: "unknown.example.com/v1", kind: "Thing", name: "t", uid: nobody.uid };
    await create(conversation, "d", { ownerReferences: [owner] });
    await sleep("1s");
    await send("GET", `${configMaps(conversation)}/d`);
  });
});
