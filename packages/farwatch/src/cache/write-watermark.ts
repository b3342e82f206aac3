import { labelMatcher } from "../wire/label-selector.ts";
import { formatKey, type KubeObject } from "../wire/object.ts";
import type { Selection } from "./selection.ts";
import { compareVersions } from "./version.ts";

/** How far an informer has read, and what that means for a write of one's own (promise 9). */
export interface WriteWatermark {
  /**
   * To be called when the server has answered a write. The function that it gives tells, whenever it is asked, whether
   * the informer has caught up: it has seen that version or a later one, the object's deletion, or a list begun later.
   * Once true it stays true. Of a deletion the object carries the last version known, or an empty one: then its
   * creation is taken for seen.
   */
  after(object: KubeObject, change: "written" | "deleted"): () => boolean;
  /** Calls back whenever the informer has read on. */
  onProgress(listener: () => void): Disposable;
  listBegins(): void;
  listEnds(version: string): void;
  reach(version: string): void;
}

export function createWriteWatermark(options: {
  readonly selection: Selection;
  /** What the informer has of an object now. */
  readonly find: (key: string) => KubeObject | undefined;
}): WriteWatermark {
  const { selection, find } = options;
  const selectsLabels = labelMatcher(selection.labels ?? "");
  const listeners = new Set<() => void>();
  let begun = 0;
  let ended = 0;
  let reached: string | undefined;

  const hasPassed = (version: string): boolean =>
    reached !== undefined && (compareVersions(reached, version) ?? -1) >= 0;

  /** False when it is certain that the informer does not hold such an object. */
  const maySelect = ({ metadata }: KubeObject): boolean =>
    (selection.namespace === undefined || selection.namespace === metadata.namespace) && selectsLabels(metadata.labels);

  const hasSeenWrite = (object: KubeObject): boolean => {
    const { uid, resourceVersion } = object.metadata;
    if (hasPassed(resourceVersion)) return true;
    const stored = find(formatKey(object.metadata));
    if (stored === undefined) return !maySelect(object);
    return (
      stored.metadata.uid === uid && (compareVersions(stored.metadata.resourceVersion, resourceVersion) ?? -1) >= 0
    );
  };

  const hasSeenDeletion = (object: KubeObject, wasStored: boolean): boolean => {
    const stored = find(formatKey(object.metadata));
    if (stored === undefined || stored.metadata.uid !== object.metadata.uid) {
      // Not there, and was not there before: its deletion has been seen already, or not even its creation.
      const { resourceVersion } = object.metadata;
      return wasStored || resourceVersion === "" || hasPassed(resourceVersion);
    }
    // Finalizers keep it; that it is going away is all that there is to see.
    return stored.metadata.deletionTimestamp !== undefined;
  };

  return {
    after(object, change): () => boolean {
      const listsBefore = begun;
      const wasStored = find(formatKey(object.metadata))?.metadata.uid === object.metadata.uid;
      let hasSeen = false;
      return () => {
        hasSeen ||=
          ended > listsBefore || (change === "written" ? hasSeenWrite(object) : hasSeenDeletion(object, wasStored));
        return hasSeen;
      };
    },
    onProgress(listener): Disposable {
      listeners.add(listener);
      return {
        [Symbol.dispose]() {
          listeners.delete(listener);
        },
      };
    },
    listBegins(): void {
      begun += 1;
    },
    listEnds(version): void {
      ended = begun;
      reached = version;
    },
    reach(version): void {
      reached = version;
      for (const listener of [...listeners]) listener();
    },
  };
}
