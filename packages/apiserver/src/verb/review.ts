import { formatTime } from "farwatch";
import { recordUpdate } from "../patch/record-update.ts";
import type { ServedKind } from "../registry/registry.ts";
import { decodeBody } from "./decode-body.ts";
import { fieldOwner } from "./field-owner.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";
import { writeStep } from "./write.ts";
import { readWriteOptions } from "./write-option.ts";

/** Whether a kind is a question that is asked by a create, and stores nothing. */
export function isReview({ kind }: ServedKind): boolean {
  return kind.group === "authentication.k8s.io" || kind.group === "authorization.k8s.io";
}

/** Answers a question: the body with its answer. */
export async function answerReview(core: ServerCore, request: ResourceRequest): Promise<unknown> {
  const { served, namespace, user, query } = request;
  const options = readWriteOptions(query, "CreateOptions");
  const body = decodeBody(core, request, options.fieldValidation);
  const review = core.reviews.get(`${served.kind.group}/${served.kind.plural}`);
  if (review === undefined) throw new Error(`there is no answer to ${served.kind.kind}`);
  const owner = fieldOwner(writeStep(core, request, options), options.fieldManager);
  await recordUpdate({ ...owner, before: undefined, after: body });
  return review(body, { user, namespace, now: formatTime(core.clock.now()) });
}
