import { createRequire } from "node:module";
import { messageOf } from "farwatch";
import type { RE2JS } from "re2js";

/**
 * A regular expression in the syntax of RE2, which takes time in proportion to the text; or Go's sentence why it is
 * none.
 */
export type Compiled = { readonly regexp: RE2JS } | { readonly error: string };

const load = createRequire(import.meta.url);
const compiled = new Map<string, Compiled>();
/** Of schemas in use and no more; what is dropped is compiled again. */
const most = 1_000;

/** Compiles once per pattern. re2js is loaded at the first call, in 20 ms. */
export function compileRegexp(pattern: string): Compiled {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const fresh = compile(pattern);
  if (compiled.size >= most) compiled.clear();
  compiled.set(pattern, fresh);
  return fresh;
}

function compile(pattern: string): Compiled {
  const { RE2JS } = load("re2js") as typeof import("re2js");
  try {
    return { regexp: RE2JS.compile(pattern) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
