import { type LabelSelector, selectorText } from "../../registry/label-selector.ts";
import { sinceText } from "./age-text.ts";

/** An object as columns read it: any field, absent ones as undefined. */
export interface Reading {
  // biome-ignore lint/suspicious/noExplicitAny: columns read fields of thirty kinds, which the API has checked
  readonly object: any;
  readonly nowMs: number;
}

/** The columns of a built-in kind beside its name, and what stands in them. */
export interface BuiltInColumns {
  /**
   * `Ready`, `Desired:integer`, `Images*`: with `*` shown only in wide output; the type is a string where none is
   * named.
   */
  readonly names: readonly string[];
  cells(reading: Reading): readonly unknown[];
  /** Conditions of a row, which say that an object is at its end. */
  readonly conditions?: (object: Reading["object"]) => readonly object[] | undefined;
  /** True: the name is a last, wide column, as of Events. */
  readonly nameLast?: boolean;
  /** True: the real server does not say that the name is one, as of a Scale. */
  readonly plainName?: boolean;
}

/** Columns by group and Kind: `apps/Deployment`. */
export type ColumnsByKind = Readonly<Record<string, BuiltInColumns>>;

export const none = "<none>";
export const unset = "<unset>";

/** The age of an object. */
export function age({ object, nowMs }: Reading): string {
  return sinceText(object.metadata.creationTimestamp, nowMs);
}

export function orNone(text: string | undefined): string {
  return text === undefined || text === "" ? none : text;
}

/** How many keys or items there are. */
export function count(value: Readonly<Record<string, unknown>> | readonly unknown[] | null | undefined): number {
  return value === undefined || value === null ? 0 : Object.keys(value).length;
}

/** Labels, or a selector that is nothing but labels. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  return orNone(selectorText({ matchLabels: labels ?? {} }));
}

export function labelSelectorText(selector: LabelSelector | undefined): string {
  return orNone(selectorText(selector ?? {}));
}

/** The first of them, and how many more there are. */
export function firstOf(
  texts: readonly string[],
  { most, separator = "," }: { readonly most: number; readonly separator?: string },
): string {
  const first = texts.slice(0, most).join(separator);
  return texts.length > most ? `${first} + ${texts.length - most} more...` : first;
}

/** Addresses of a load balancer. */
export function ingressAddresses(status: Reading["object"]): readonly string[] {
  return (status.loadBalancer?.ingress ?? []).map(
    ({ ip, hostname }: { readonly ip?: string; readonly hostname?: string }) => ip ?? hostname ?? "",
  );
}

interface Containers {
  readonly containers?: readonly { readonly name: string; readonly image?: string }[];
}

/** Names and images of a pod's containers. */
export function containersOf(spec: Containers | undefined): readonly [names: string, images: string] {
  const { containers = [] } = spec ?? {};
  return [containers.map(({ name }) => name).join(","), containers.map(({ image }) => image ?? "").join(",")];
}

/** What wide output shows of a pod template. */
export const templateWide: readonly string[] = ["Containers*", "Images*", "Selector*"];

/** Columns and then the age. */
export function aged(
  names: readonly string[],
  cells: (object: Reading["object"]) => readonly unknown[],
): BuiltInColumns {
  return { names: [...names, "Age"], cells: (reading) => [...cells(reading.object), age(reading)] };
}

/** Columns, the age, and then what only wide output shows. */
export function agedWide(
  names: readonly string[],
  wide: readonly string[],
  cells: (object: Reading["object"]) => { readonly narrow: readonly unknown[]; readonly wide: readonly unknown[] },
): BuiltInColumns {
  return {
    names: [...names, "Age", ...wide],
    cells: (reading) => {
      const { narrow, wide: more } = cells(reading.object);
      return [...narrow, age(reading), ...more];
    },
  };
}
