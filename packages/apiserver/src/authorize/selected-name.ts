import { CodedError, parseFieldSelector } from "farwatch";

/**
 * The one name that a list, a watch or a deletion of a collection is about, when its field selector asks for
 * `metadata.name=x`: whoever may list that object alone may do so.
 */
export function selectedName(fieldSelector: string | null): string | undefined {
  if (fieldSelector === null) return undefined;
  try {
    const exact = parseFieldSelector(fieldSelector).find(({ field, isEqual }) => field === "metadata.name" && isEqual);
    return exact !== undefined && isPathSegment(exact.value) ? exact.value : undefined;
  } catch (error) {
    // Whoever reads the selector for its own sake refuses it with the right words.
    if (error instanceof CodedError) return undefined;
    throw error;
  }
}

function isPathSegment(name: string): boolean {
  return name !== "." && name !== ".." && !/[/%]/.test(name);
}
