import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";
import type { CustomKind } from "../custom-kind.ts";
import { type Answering, type Review, startWebhookServer, WholeAnswer } from "../webhook-server.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Sent {
  readonly desiredAPIVersion: string;
  readonly objects: readonly (Fields & { readonly apiVersion: string; readonly metadata: Fields })[];
}

const requestOf = (review: Review): Sent => review.request as unknown as Sent;

/** Answers with the objects as `change` makes them of those that were sent, in the version that is asked for. */
function converting(change: (object: Sent["objects"][number]) => Fields = (object) => object): Answering {
  return (review) => {
    const { desiredAPIVersion: apiVersion, objects } = requestOf(review);
    const convertedObjects = objects.map((object) => ({ ...change(object), apiVersion }));
    return { result: { status: "Success" }, convertedObjects };
  };
}

/** The size is `spec.size` in v1, and a text in `spec.measure.size` in v2. */
const measured: Answering = (review) => {
  const toV2 = requestOf(review).desiredAPIVersion.endsWith("/v2");
  return converting(({ spec, ...object }) => {
    const { size, measure } = (spec ?? {}) as { readonly size?: number; readonly measure?: { readonly size?: string } };
    if (toV2) return { ...object, spec: size === undefined ? {} : { measure: { size: `${size}` } } };
    return { ...object, spec: measure?.size === undefined ? {} : { size: Number(measure.size) } };
  })(review);
};

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };

function versions(): readonly Fields[] {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } };
  return ["v1", "v2"].map((name) => ({
    name,
    served: true,
    storage: name === "v1",
    schema,
    subresources: { status: {}, ...(name === "v1" ? { scale } : {}) },
  }));
}

/** Without what is another in every run. */
function withoutRun({ metadata, ...object }: Fields): Fields {
  const { uid: _uid, creationTimestamp: _time, managedFields: _owners, ...rest } = metadata as Fields;
  return { ...object, metadata: rest };
}

interface Converted {
  readonly kind: CustomKind;
  /** An object in the second version. */
  second(name: string, rest?: Fields): Fields;
  /** What the webhook was sent first, without what is another in every run. */
  firstReview(): unknown;
}

/** A kind of two versions between which a webhook converts. */
async function convertedKind(
  { crd, cleanup }: Conversation,
  answering: Answering | undefined = measured,
): Promise<Converted> {
  const server = await startWebhookServer();
  cleanup(async () => server[Symbol.asyncDispose]());
  server.on("convert", answering);
  const clientConfig = { url: server.url("convert"), caBundle: server.caBundle };
  const webhook = { clientConfig, conversionReviewVersions: ["v1"] };
  const kind = await crd({ versions: versions(), spec: { conversion: { strategy: "Webhook", webhook } } });
  return {
    kind,
    second: (name, rest = {}) => ({ ...kind.object(name, rest), apiVersion: `${kind.group}/v2` }),
    firstReview() {
      const [first] = server.asked("convert");
      if (first === undefined) return "nothing";
      const { request, ...review } = first.review;
      const { uid: _, objects, ...rest } = request;
      const same = (objects as readonly Fields[]).map(withoutRun);
      return { query: first.query, review: { ...review, request: { ...rest, objects: same } } };
    },
  };
}

const omit = ["metadata.managedFields", "items.*.metadata.managedFields"];

export const area: Area = defineArea("conversion-webhook", (check) => {
  check("an object is shown as the webhook converts it", async (conversation) => {
    const { send } = conversation;
    const { kind } = await convertedKind(conversation);
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 3 } }), omit });
    await send("GET", `${kind.pathIn("v2")}/a`, { omit });
    await send("GET", kind.pathIn("v2"), { omit });
    await send("GET", `${kind.path}/a`, { omit });
  });

  check("an object is stored as the webhook converts it", async (conversation) => {
    const { send } = conversation;
    const { kind, second } = await convertedKind(conversation);
    await send("POST", kind.pathIn("v2"), { body: second("a", { spec: { measure: { size: "4" } } }), omit });
    await send("GET", `${kind.path}/a`, { omit });
    await send("PATCH", `${kind.pathIn("v2")}/a`, { body: { spec: { measure: { size: "5" } } }, omit });
    await send("GET", `${kind.path}/a`, { omit });
    await send("PATCH", `${kind.pathIn("v2")}/a/status`, { body: { status: { size: 1 } }, omit });
    await send("GET", `${kind.path}/a/scale`);
    await send("DELETE", `${kind.pathIn("v2")}/a`);
  });

  check("a write of another version that changes nothing makes no version", async (conversation) => {
    const { send } = conversation;
    const { kind } = await convertedKind(conversation);
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 3 } }), omit });
    const { body } = await send("GET", `${kind.pathIn("v2")}/a`, { omit });
    await send("PUT", `${kind.pathIn("v2")}/a`, { body, omit });
    await send("PATCH", `${kind.pathIn("v2")}/a`, { body: {}, omit });
  });

  check("the owners of fields are told by the versions in which they wrote", async (conversation) => {
    const { send } = conversation;
    const { kind } = await convertedKind(conversation);
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 3 } }), query: { fieldManager: "one" } });
    const query = { fieldManager: "two" };
    await send("PATCH", `${kind.pathIn("v2")}/a`, { body: { spec: { measure: { size: "5" } } }, query });
    await send("GET", `${kind.path}/a`);
  });

  check("a watch shows what the webhook makes of each object", async (conversation) => {
    const { quietly, watch } = conversation;
    const { kind } = await convertedKind(conversation);
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { size: 3 } }) });
    const view = ({ type, object }: { readonly type: string; readonly object: Fields }): unknown => ({
      type,
      apiVersion: object.apiVersion,
      spec: object.spec,
    });
    const stream = await watch(kind.pathIn("v2"));
    await stream.events(1, { view });
    await quietly("PATCH", `${kind.path}/a`, { body: { spec: { size: 4 } } });
    await stream.events(1, { view });
    await quietly("DELETE", `${kind.path}/a`);
    await stream.events(1, { view });
  });

  check("a webhook is sent the objects and the version that is wanted", async (conversation) => {
    const { send, quietly } = conversation;
    const { kind, firstReview } = await convertedKind(conversation);
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { size: 3 } }) });
    await send("GET", `${kind.pathIn("v2")}/a`, { view: firstReview });
  });

  check("a webhook may change labels and annotations, and no other metadata", async (conversation) => {
    const { send } = conversation;
    const { kind } = await convertedKind(
      conversation,
      converting(({ metadata, ...object }) => ({
        ...object,
        metadata: {
          ...metadata,
          labels: { by: "webhook" },
          annotations: { by: "webhook" },
          finalizers: ["example.com/none"],
          generation: 99,
        },
      })),
    );
    await send("POST", kind.path, { body: kind.object("a", { metadata: { name: "a", labels: { x: "1" } } }), omit });
    await send("GET", `${kind.pathIn("v2")}/a`, { omit });
  });

  const answers: Readonly<Record<string, Answering>> = {
    "says that it failed, and not why": () => ({ result: { status: "Failure" } }),
    "says neither": () => ({}),
    "gives back too few objects": () => ({ result: { status: "Success" }, convertedObjects: [] }),
    "gives back another version": (review) => ({
      result: { status: "Success" },
      convertedObjects: requestOf(review).objects,
    }),
    "gives back another kind": converting((object) => ({ ...object, kind: "Gadget" })),
    "gives back another name": converting(({ metadata, ...object }) => ({
      ...object,
      metadata: { ...metadata, name: "b" },
    })),
    "gives back another uid": converting(({ metadata, ...object }) => ({
      ...object,
      metadata: { ...metadata, uid: "00000000-0000-4000-8000-000000000000" },
    })),
    "gives back no metadata": converting(({ metadata: _, ...object }) => object),
    "gives back labels of a wrong type": converting(({ metadata, ...object }) => ({
      ...object,
      metadata: { ...metadata, labels: { a: 1 } },
    })),
    "answers with 500": () => new WholeAnswer(500, "it broke", "text/plain"),
    "answers with 404": () => new WholeAnswer(404, "not here", "text/plain"),
    "answers something else": () => new WholeAnswer(200, { apiVersion: "v1", kind: "Pod" }),
    "does not say what it answers": ({ request: { uid } }) =>
      new WholeAnswer(200, { response: { uid, result: { status: "Success" } } }),
    "answers another request": (review) =>
      new WholeAnswer(200, { ...review, response: { uid: "another", result: { status: "Success" } } }),
  };
  for (const [what, answering] of Object.entries(answers)) {
    check(`a webhook that ${what} fails the request`, async (conversation) => {
      const { send } = conversation;
      const { kind } = await convertedKind(conversation, answering);
      await send("POST", kind.path, { body: kind.object("a", { spec: { size: 3 } }), omit });
      await send("GET", `${kind.pathIn("v2")}/a`);
      await send("GET", `${kind.path}/a`, { only: ["spec"] });
    });
  }

  check("a list of what a webhook cannot convert fails", async (conversation) => {
    const { quietly, send } = conversation;
    const { kind } = await convertedKind(conversation, () => ({ result: { status: "Failure" } }));
    await quietly("POST", kind.path, { body: kind.object("a", { spec: { size: 3 } }) });
    await quietly("POST", kind.path, { body: kind.object("b", { spec: { size: 3 } }) });
    await send("GET", kind.pathIn("v2"));
  });

  check("a webhook that cannot be reached fails the request", async (conversation) => {
    const { send, crd } = conversation;
    const webhook = { clientConfig: { url: "https://127.0.0.1:1/" }, conversionReviewVersions: ["v1"] };
    const kind = await crd({ versions: versions(), spec: { conversion: { strategy: "Webhook", webhook } } });
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 3 } }), omit });
    await send("GET", `${kind.pathIn("v2")}/a`);
    await send("POST", kind.pathIn("v2"), { body: { ...kind.object("b"), apiVersion: `${kind.group}/v2` } });
  });
});
