import { ApiError } from "../failure/api-error.ts";
import { goQuoted } from "../failure/go-quoted.ts";
import { compareText } from "../schema/compare-text.ts";
import { differenceOf, type FieldSet, isEmptySet, pathsOf, pathText } from "./field-set.ts";
import type { Manager, Managers } from "./managers.ts";
import type { Losses } from "./ownership.ts";

/** `"kubectl" with subresource "status" using v1`; of an applier there is no version. */
function managerText({ name, operation, apiVersion, subresource }: Manager): string {
  const path = subresource === "" ? "" : ` with subresource ${goQuoted(subresource)}`;
  return `${goQuoted(name)}${path}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}

/** What is left of losses that are allowed as far as a set goes. */
export function lossesWithout(losses: Losses, allowed: FieldSet): Losses {
  return new Map(
    [...losses]
      .map(([id, fields]) => [id, differenceOf(fields, allowed)] as const)
      .filter(([, fields]) => !isEmptySet(fields)),
  );
}

/** 409 for an apply that would take fields from others, with a cause a field. */
export function applyConflict(losses: Losses, managers: Managers): ApiError {
  const conflicts = [...losses]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([id, fields]) => {
      const manager = managers.get(id);
      return manager === undefined ? [] : [{ who: managerText(manager), paths: [...pathsOf(fields)].map(pathText) }];
    });
  const count = conflicts.reduce((sum, { paths }) => sum + paths.length, 0);
  const [first] = conflicts;
  const message =
    count === 1
      ? `Apply failed with 1 conflict: conflict with ${first?.who}: ${first?.paths[0]}`
      : `Apply failed with ${count} conflicts: ${conflicts
          .flatMap(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)])
          .join("\n")}`;
  const causes = conflicts.flatMap(({ who, paths }) =>
    paths.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${who}`, field })),
  );
  return new ApiError({ code: 409, reason: "Conflict", message, details: { causes } });
}
