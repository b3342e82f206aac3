import type { Duration } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import { CodedError } from "../error/coded-error.ts";
import { checkText } from "../error/given-text.ts";
import type { ObjectEvent } from "../event/source-event.ts";
import { abortable } from "../flow/abortable.ts";
import { createDoorbell } from "../flow/doorbell.ts";
import { createFileSigns } from "./file-signs.ts";
import { type FileContents, readMountedFiles } from "./mounted-files.ts";
import { checkBounds } from "./refuse-source.ts";
import type { Source, SourceContext } from "./source.ts";
import { checkOptions, declaredBy } from "./source-options.ts";

/** What an event of a file source carries: all files of one version. */
export interface MountedFiles {
  /** The path of the source, as it was given. */
  readonly path: string;
  /**
   * Content by name; of a single file under its own name. A Map, so that no name is special and no content is printed
   * as JSON.
   */
  readonly files: FileContents;
}

export interface FileSourceOptions {
  /** A folder, such as where a ConfigMap or Secret is mounted, or a single file. It may not be there yet. */
  readonly path: string;
  /** It is read at least this often, since not every file system tells of changes; default 30 s. */
  readonly poll?: Duration;
  /** How long it waits after a sign of a change, so that a burst of them is read once; default 100 ms. */
  readonly settle?: Duration;
  /** All files together; default 4 MiB. */
  readonly maxBytes?: number;
  /** Default: `files <path>`. */
  readonly name?: string;
  /** Default: on the leader alone. */
  readonly needLeaderElection?: boolean;
}

/** A look that takes longer is overdue: a network mount whose server is away may never answer. */
const overdueMs = 30_000;

/**
 * The files of a folder, or one file: a create event when they are there, an update when any content or name changed, a
 * delete when the folder or file is gone. A mounted ConfigMap or Secret that the kubelet exchanges is one update with
 * all of the new version and nothing of the old, whatever the number of its keys. Each opening tells the content anew
 * (`inInitialList`), or that what this process knew of is gone (`stateUnknown`).
 *
 * Changes come within moments where the file system tells of them (inotify), else within `poll`; contents that come and
 * go in between are not seen. A file that is written in place may be seen half-written, and whole in the next update:
 * rename a finished file over it. A Secret mounted with `subPath` is never exchanged by the kubelet, so there is
 * nothing to see.
 *
 * Delivered at least once by this process; while an event waits, a later one merges into it. Contents are kept in
 * memory (the last version, for `oldObject`), and are in no log, error or metric; names and paths may be. In virtual
 * time a change is seen no later than `poll` after the last look; the kernel's signs are not the clock's, so do not
 * count on them there.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`. What cannot be read fails the source with `FileFailed`, and it
 * is opened again. While a look takes longer than 30 s the source shows as failing with `Timeout`.
 * @example
 * watch(fileSource({ path: "/etc/settings" }), enqueueAll(StorageBucket, { spread: "1m" }))
 */
export function fileSource(options: FileSourceOptions): Source<MountedFiles> {
  checkOptions("files", options);
  const { path, maxBytes = 4 * 1_048_576 } = options;
  checkText(path, { doing: "make source files", what: "path", give: "that of a folder or a file" });
  const declared = declaredBy(options, `files ${path}`);
  const doing = `make source ${declared.name}`;
  const pollMs = givenMs(options.poll ?? "30s", { doing, what: "poll" });
  const settleMs = givenMs(options.settle ?? "100ms", { doing, what: "settle", least: "0ms" });
  checkBounds(declared.name, { maxBytes });
  /** What was told last, in any opening. */
  let told: MountedFiles | undefined;
  /** What was there last, once it is gone. */
  let gone: MountedFiles | undefined;

  /** Under way. One that hangs keeps a thread of the few that all files and names share: there is never another beside it. */
  let look: Promise<unknown> | undefined;

  async function* events(ctx: SourceContext): AsyncGenerator<ObjectEvent<MountedFiles>, void, undefined> {
    const { clock, log, signal, health } = ctx;
    let isFirst = true;
    let bell = createDoorbell(clock);
    using signs = createFileSigns(path, () => bell.ring(), log);
    const nextLook = async (): Promise<void> => {
      if (!(await bell.wait(pollMs, signal))) return;
      await clock.sleep(settleMs, signal);
      // Whatever else was to come with it has come, and is no sign of another change.
      bell = createDoorbell(clock);
    };

    const lookNow = async (): Promise<FileContents | undefined> => {
      using _overdue = clock.schedule(overdueMs, () => {
        const error = new CodedError(
          "Timeout",
          `Cannot read ${path}: it has taken longer than ${overdueMs} ms and goes on; is its file system there?`,
        );
        log.warn("Files cannot be read yet", { error });
        health.failing(error);
      });
      // That of an earlier opening.
      while (look !== undefined) await abortable(look, signal);
      const reading = clock.outside(signs.renew().then(() => readMountedFiles(path, maxBytes)));
      const ended = (): void => {
        look = undefined;
      };
      look = reading.then(ended, ended);
      const files = await abortable(reading, signal);
      health.serving();
      return files;
    };

    while (!signal.aborted) {
      let files: FileContents | undefined;
      try {
        files = await lookNow();
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      // What waited when the source was closed was dropped, so the next opening tells of a removal too.
      const before = told ?? (isFirst ? gone : undefined);
      const event = eventBetween(before, files === undefined ? undefined : { path, files }, isFirst);
      isFirst = false;
      if (event !== undefined) {
        [told, gone] = event.type === "delete" ? [undefined, event.object] : [event.object, undefined];
        yield event;
      }
      try {
        if (!signal.aborted) await nextLook();
      } catch (reason) {
        if (!signal.aborted) throw reason;
      }
    }
  }

  return {
    ...declared,
    delivery: "atLeastOnce",
    durability: "process",
    overflow: { coalesce: () => "files" },
    restates: true,
    connects: true,
    events,
  };
}

function eventBetween(
  before: MountedFiles | undefined,
  now: MountedFiles | undefined,
  isFirst: boolean,
): ObjectEvent<MountedFiles> | undefined {
  if (now === undefined) {
    return before === undefined ? undefined : { type: "delete", object: before, stateUnknown: isFirst };
  }
  if (isFirst || before === undefined) return { type: "create", object: now, inInitialList: isFirst };
  return areEqual(before.files, now.files) ? undefined : { type: "update", oldObject: before, object: now };
}

function areEqual(before: FileContents, now: FileContents): boolean {
  return before.size === now.size && [...now].every(([name, content]) => before.get(name)?.equals(content) ?? false);
}
