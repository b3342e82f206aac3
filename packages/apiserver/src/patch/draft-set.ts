import { emptySet, type FieldSet } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

interface Draft {
  [element: PathElement]: Draft;
}

const leaf = emptySet as Draft;

/** A set in the making, to which a walk adds the fields that it finds. */
export class DraftSet {
  readonly #root: Draft = {};

  /** The whole object, with an empty path, belongs to no set. */
  add(path: readonly PathElement[]): void {
    const last = path.at(-1);
    if (last === undefined) return;
    let node = this.#root;
    for (let index = 0; index < path.length - 1; index += 1) {
      const element = path[index] as PathElement;
      let next = node[element];
      if (next === undefined || next === leaf) {
        // What was a member without children stays one.
        next = next === undefined ? {} : { ".": leaf };
        node[element] = next;
      }
      node = next;
    }
    const known = node[last];
    if (known === undefined) node[last] = leaf;
    else if (known !== leaf) known["."] = leaf;
  }

  /** What has been added; adding goes on to change it. */
  get set(): FieldSet {
    return this.#root;
  }
}
