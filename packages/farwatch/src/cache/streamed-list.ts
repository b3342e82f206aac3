import type { Bookmark } from "../client/watch-stream.ts";
import { isCodedError } from "../error/coded-error.ts";

/** Asks a watch to begin with all objects there are (WatchList, KEP-3157). */
export const streamedList: Readonly<Record<string, string>> = {
  sendInitialEvents: "true",
  resourceVersionMatch: "NotOlderThan",
};

/** The server does not stream lists, or not as it should. */
export class NoStreamedList extends Error {
  constructor(cause?: unknown) {
    super("the server does not stream lists", { cause });
  }
}

/** An older server refuses the option by name, a stranger one by any of these. */
export function refusesStreaming(error: unknown): boolean {
  return (
    isCodedError(error, "Invalid") || isCodedError(error, "BadRequest") || isCodedError(error, "UnsupportedMediaType")
  );
}

/** The version of a streamed list, from the bookmark that ends it. @throws NoStreamedList for any other bookmark. */
export function endOfList({ metadata }: Bookmark): string {
  // A server that does not know sendInitialEvents sends what it has too, but not this mark: nobody could tell where the
  // list ends.
  if (metadata.annotations?.["k8s.io/initial-events-end"] !== "true") throw new NoStreamedList();
  if (metadata.resourceVersion === "" || metadata.resourceVersion === "0") throw new NoStreamedList();
  return metadata.resourceVersion;
}
