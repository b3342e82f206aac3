import { dump } from "js-yaml";

/**
 * The objects as YAML documents, in the order in which they are given, that kubectl and every YAML 1.1 or 1.2 parser
 * read as the same JSON: whatever else could be taken for a boolean, a number or a time is quoted.
 */
export function toYaml(...objects: readonly object[]): string {
  return objects
    .map((object) => dump(JSON.parse(JSON.stringify(object)), { noRefs: true, lineWidth: 120 }))
    .join("---\n");
}
