import { type Instant, parseTime } from "../clock/instant.ts";

/** What happened in a bucket, as its provider tells it. */
export interface BucketChange {
  readonly bucket: string;
  /** As it was put, not as it was encoded; "" for what happened to the bucket itself. */
  readonly key: string;
  /** `created` also for an object that was replaced; `deleted` also for one that only got a delete marker. */
  readonly type: "created" | "deleted" | "other";
  readonly occurredAt: Instant;
  /** The provider's own, to order the events of one key; compared as its provider says. */
  readonly sequence?: string | undefined;
  /** In bytes, of an object that was created. */
  readonly size?: number | undefined;
}

/** A change, and what only its reader needs of it. */
export interface ToldChange {
  readonly change: BucketChange;
  /** The same in two deliveries of one event, where the provider gives it an identity. */
  readonly id?: string | undefined;
}

/** The changes that a message tells of, perhaps none; or what is wrong with it, by the name of the field. */
export type ToldChanges =
  | { readonly ok: true; readonly changes: readonly ToldChange[] }
  | { readonly ok: false; readonly reason: string };

/**
 * The member of a value of JSON by a path of names and indexes; undefined where there is none, whatever the value is.
 */
export function memberOf(value: unknown, ...path: readonly (string | number)[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string | number, unknown>>)[name];
  }
  return at;
}

/** The text at a path; undefined when something else, or nothing, is there. */
export function textOf(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const member = memberOf(value, ...path);
  return typeof member === "string" && member !== "" ? member : undefined;
}

/** A time in RFC 3339. */
export function timeOf(value: unknown, ...path: readonly (string | number)[]): Instant | undefined {
  return parseTime(textOf(value, ...path) ?? "");
}

/** Bytes, as a number or in decimal. */
export function sizeOf(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const member = memberOf(value, ...path);
  const bytes = typeof member === "string" && /^\d{1,16}$/.test(member) ? Number(member) : member;
  return typeof bytes === "number" && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : undefined;
}

export function refused(reason: string): ToldChanges {
  return { ok: false, reason };
}
