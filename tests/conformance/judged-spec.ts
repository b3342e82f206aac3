import type { Conversation } from "./conversation.ts";
import type { CustomKind } from "./custom-kind.ts";
import type { Answer } from "./request.ts";

interface Cause {
  readonly field?: string;
  readonly message?: string;
}

/** What was refused and why, the causes sorted: the real server walks its maps in any order. What was taken is shown as it came out. */
export function verdict(body: Answer["body"]): unknown {
  if (body.kind !== "Status") return { spec: body.spec ?? null, status: body.status ?? null };
  const { causes = [], ...details } = body.details ?? {};
  if (causes.length === 0) return { reason: body.reason, message: body.message };
  const text = ({ field = "", message = "" }: Cause): string => `${field} ${message}`;
  const sorted = [...causes].sort((a: Cause, b: Cause) => (text(a) < text(b) ? -1 : 1));
  return { reason: body.reason, details, causes: sorted, ...(causes.length === 1 && { message: body.message }) };
}

/** A custom kind whose spec has this schema. */
export function kindOf({ crd }: Conversation, spec: unknown): Promise<CustomKind> {
  return crd({ schema: { type: "object", properties: { spec } } });
}

/** Offers each value as the spec of a new object that is not kept. */
export async function judgeSpecs(
  conversation: Conversation,
  kind: CustomKind,
  specs: readonly unknown[],
): Promise<void> {
  for (const spec of specs) {
    const body = kind.object("a", { spec });
    await conversation.send("POST", kind.path, { body, query: { dryRun: "All" }, view: verdict });
  }
}

/** Offers each value as the field `x` of a spec whose `x` has this schema. */
export async function judgeField(
  conversation: Conversation,
  schema: unknown,
  values: readonly unknown[],
): Promise<void> {
  const kind = await kindOf(conversation, { type: "object", properties: { x: schema } });
  await judgeSpecs(
    conversation,
    kind,
    values.map((x) => ({ x })),
  );
}

/** Creates an object, then offers each spec as an update of it that is not kept. */
export async function judgeUpdates(
  conversation: Conversation,
  kind: CustomKind,
  { from, to }: { readonly from: unknown; readonly to: readonly unknown[] },
): Promise<void> {
  const { body: made } = await conversation.quietly("POST", kind.path, { body: kind.object("a", { spec: from }) });
  for (const spec of to) {
    await conversation.send("PUT", `${kind.path}/a`, {
      body: { ...made, spec },
      query: { dryRun: "All" },
      view: verdict,
    });
  }
}
