import type { KindVersion } from "../registry/kind.ts";
import type { ServedKind } from "../registry/registry.ts";
import type { WrittenKind } from "./before-write.ts";
import { customChecks } from "./custom-checks.ts";
import { customStrategy } from "./custom-strategy.ts";
import type { Strategy } from "./strategy.ts";
import { strategyOf } from "./strategy-of.ts";

const customStrategies = new WeakMap<KindVersion, Strategy>();

/** Of what kind an object that is written is, and by which rules: those of its schema for a custom one. */
export function writtenKind({ kind, version }: ServedKind): WrittenKind {
  const { group, namespaced } = kind;
  if (!kind.custom) {
    const strategy = strategyOf(group, kind.kind);
    // Events are of the core group, whichever group they are written in.
    return { group: kind.storedAs?.group ?? group, kind: kind.kind, namespaced, strategy };
  }
  let strategy = customStrategies.get(version);
  if (strategy === undefined) {
    const hasStatus = version.subresources.some(({ name }) => name === "status");
    strategy = customStrategy({ namespaced, hasStatus, checks: customChecks(version) });
    customStrategies.set(version, strategy);
  }
  return { group, kind: kind.kind, namespaced, strategy };
}
