import { ApiError, internalError } from "../../failure/api-error.ts";
import { readJson } from "../../failure/read-json.ts";
import { jsonKindText } from "../../patch/go-text.ts";
import { applyJsonPatch } from "../../patch/json-patch.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import { builtInSchema } from "../../registry/built-in-schema.ts";
import type { Subresource } from "../../registry/kind.ts";
import { typeNameOf } from "../../registry/type-table.ts";
import { decodeBuiltIn } from "../../schema/built-in-body.ts";
import { copyJson, isObject } from "../../schema/plain-object.ts";
import type { AdmissionAttributes } from "../attributes.ts";
import type { Webhook } from "../built-in/webhook-configuration.ts";
import { semanticEqual } from "../semantic-equal.ts";
import { denial, type Verdict } from "./admission-review.ts";
import { type AdmissionView, bodyOf } from "./match-request.ts";
import { createWebhookCaller, failureOf, type WebhookOptions } from "./webhook-caller.ts";
import { WebhookFailure } from "./webhook-post.ts";

/** One round of the mutating webhooks. */
export interface MutatingRound {
  readonly object: DraftObject | undefined;
  readonly changed: boolean;
}

/**
 * The mutating webhooks over one request: each sees what the ones before it made of the object. They are asked in
 * rounds: when one has changed the object, those before it that want to know are asked once more.
 */
export interface MutatingWebhooks {
  /**
   * The first round, or the second where the first has changed something or `elsewhere` something was changed since.
   */
  run(attributes: AdmissionAttributes): Promise<MutatingRound>;
  again(attributes: AdmissionAttributes, elsewhere: boolean): Promise<MutatingRound>;
}

export function createMutatingWebhooks(options: WebhookOptions): () => MutatingWebhooks {
  const caller = createWebhookCaller("mutating", options);

  /** The object after this webhook, in the version of the request; undefined where it leaves the object alone. */
  const ask = async (
    hook: Webhook,
    attributes: AdmissionAttributes,
    view: AdmissionView,
  ): Promise<DraftObject | undefined> => {
    let verdict: Verdict;
    let operations: readonly unknown[] | undefined;
    try {
      verdict = await caller.call(hook, attributes, view);
      if (!verdict.allowed) throw denial(hook.name ?? "", verdict);
      operations = readPatch(verdict);
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error;
      const failure = failureOf(hook, error);
      if (failure === undefined) return undefined;
      throw failure;
    }
    if (operations === undefined || operations.length === 0) return undefined;
    const { object, served } = view;
    if (object === undefined) {
      const what = `admission webhook ${JSON.stringify(hook.name ?? "")} attempted to modify the object`;
      throw internalError(`${what}, which is not supported for this operation`);
    }
    const patched = applyJsonPatch(object, operations, internalError);
    const body = bodyOf(attributes);
    const decoded = decode(() =>
      body === undefined ? options.codec.decode(served, copyJson(patched)).object : decodeBody(body, patched),
    );
    if (semanticEqual(decoded, object)) return undefined;
    if (body !== undefined) return decoded;
    const { version } = attributes.served;
    return served.version === version ? decoded : options.codec.convert(attributes.served, decoded, version);
  };

  return () => {
    const curious = new Set<Webhook>();
    const due = new Set<Webhook>();
    const round = async (
      attributes: AdmissionAttributes,
      only: ReadonlySet<Webhook> | undefined,
    ): Promise<MutatingRound> => {
      let current = attributes;
      let changed = false;
      for (const hook of caller.hooks(attributes)) {
        if (only !== undefined && !only.has(hook)) continue;
        const view = await caller.view(hook, current);
        if (view === undefined) continue;
        const object = await ask(hook, current, view);
        if (object !== undefined) {
          changed = true;
          current = { ...current, object };
          for (const one of curious) due.add(one);
          curious.clear();
        }
        if (hook.reinvocationPolicy === "IfNeeded") curious.add(hook);
      }
      return { object: current.object, changed };
    };
    return {
      run: (attributes) => round(attributes, undefined),
      again(attributes, elsewhere): Promise<MutatingRound> {
        if (elsewhere) for (const one of curious) due.add(one);
        return round(attributes, due);
      },
    };
  };
}

/** The operations of a verdict's patch. @throws WebhookFailure for what is no patch. */
function readPatch({ patch, patchType }: Verdict): readonly unknown[] | undefined {
  if (patch === undefined) return undefined;
  const text = Buffer.from(patch, "base64").toString("utf8");
  const fail = (why: string): never => {
    throw new WebhookFailure(`received undecodable patch in webhook response: ${why}`);
  };
  const operations = readJson(text, fail);
  if (operations === null) return undefined;
  if (!Array.isArray(operations)) {
    return fail(`json: cannot unmarshal ${jsonKindText(operations)} into Go value of type jsonpatch.Patch`);
  }
  for (const one of operations) {
    if (one === null || isObject(one)) continue;
    return fail(`json: cannot unmarshal ${jsonKindText(one)} into Go value of type jsonpatch.Operation`);
  }
  if (operations.length > 0 && patchType !== "JSONPatch") {
    throw new WebhookFailure(`unsupported patch type ${JSON.stringify(patchType ?? "")}`);
  }
  return operations;
}

function decodeBody(type: NonNullable<Subresource["body"]>, value: unknown): DraftObject {
  const schema = builtInSchema(typeNameOf(type) ?? type.kind);
  return decodeBuiltIn<DraftObject>(schema, copyJson(value), type).object;
}

/** What a webhook has made of an object is the server's trouble, not the client's. */
function decode(run: () => DraftObject): DraftObject {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError) throw internalError(error.inner ?? error.message);
    throw error;
  }
}
