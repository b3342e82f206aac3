import { isGone } from "../client/list-pages.ts";
import type { RestClient } from "../client/rest-client.ts";
import { statusError } from "../client/status-error.ts";
import { type Bookmark, openWatch, type WatchEvent } from "../client/watch-stream.ts";
import { backoff } from "../clock/backoff.ts";
import type { Clock } from "../clock/clock.ts";
import { CodedError, type ErrorCode, isCodedError } from "../error/coded-error.ts";
import { formatKey, type KubeObject } from "../wire/object.ts";
import type { Selection } from "./selection.ts";
import { createSilenceDeadline } from "./silence-deadline.ts";
import { endOfList, NoStreamedList, refusesStreaming, streamedList } from "./streamed-list.ts";
import { compareVersions } from "./version.ts";
import { currentVersion, listAll } from "./whole-list.ts";

/** What a reflector tells its owner. Every call is synchronous, in the order in which the server said it. */
interface ReflectorSink<O extends KubeObject> {
  /** Made of each object before it is kept or told of: what nobody needs is dropped here. */
  admit(object: O): O;
  /** A list begins: what the server knows now will be in it. */
  listBegins(): void;
  /**
   * A whole list. `newEpoch`: the server's versions went backwards, so that equal versions do not mean equal objects.
   */
  replace(objects: Iterable<O>, options: { readonly version: string; readonly newEpoch: boolean }): void;
  /** One change. */
  change(type: "ADDED" | "MODIFIED" | "DELETED", object: O): void;
  /** All changes up to this version have been told; called after each chunk of a watch and each list. */
  reached(version: string): void;
  /** A connection is being made to list what is there. */
  syncing(): void;
  /** A watch is open, and a whole list was seen. */
  watching(): void;
  /** Nothing was heard for the silence limit. */
  silent(): void;
  /** This many attempts in a row have failed; another follows. */
  failing(error: unknown, attempts: number): void;
}

export interface ReflectorOptions<O extends KubeObject> {
  readonly rest: RestClient;
  readonly clock: Clock;
  readonly selection: Selection;
  /** A watch that says nothing for so long is taken for dead. */
  readonly silenceMs: number;
  /** API groups whose server does not stream initial lists; shared by all reflectors of a server. */
  readonly pagesOnly: Set<string>;
  readonly sink: ReflectorSink<O>;
}

/**
 * A connection that held this long counts as a success, whatever ended it; one that did not is followed by a backoff.
 */
const stableMs = 10_000;
/** After the headers of a streaming list: a server that knows the form sends what it has without a pause. */
const initialSilenceMs = 10_000;
/** Failures in a row at one version, each answered by the server, after which the version is given up. */
const mostRefusals = 3;
/** Attempts in a row after which a list is read in pages, which get through where one long stream does not. */
const mostStreamedAttempts = 3;
const shortestWatchSeconds = 300;

/**
 * The server was not there. When it is again it may be another, restored to an older state, whatever its versions say
 * by then.
 */
const outages: ReadonlySet<ErrorCode> = new Set(["ConnectionFailed", "ServerUnavailable", "Timeout", "WatchSilent"]);
/** Says nothing about the version that was asked for: the same one is asked for again. */
const keepsVersion: ReadonlySet<ErrorCode> = new Set([
  "CredentialFailed",
  "Forbidden",
  "TooManyRequests",
  "Unauthorized",
]);
/** A person mends these; they want to see it work. */
const mendable: ReadonlySet<ErrorCode> = new Set(["CredentialFailed", "Forbidden", "NotFound", "Unauthorized"]);

/**
 * Keeps a sink in step with one selection on the server until the signal aborts; then resolves. Lists (streamed where
 * the server can, else in pages), watches from the list's version, resumes from the last version that it heard of when
 * a watch ends or is cut, and lists anew only when it must: the version is gone (410 in any form), is refused again and
 * again, the server was away, or its versions went backwards. Never rejects for what a server or a network does.
 */
export async function reflect<O extends KubeObject>(options: ReflectorOptions<O>, signal: AbortSignal): Promise<void> {
  const { rest, clock, selection, silenceMs, pagesOnly, sink } = options;
  // A fifth of the delay is fixed, so that bad luck cannot make a storm: at most 10 attempts in 30 s.
  const random = (): number => 0.2 + 0.8 * clock.random();
  const outage = backoff({ initial: "1s", max: "30s", random });
  const mending = backoff({ initial: "1s", max: "8s", random });

  /** From where a watch goes on; undefined when everything must be listed first. */
  let version: string | undefined;
  /** The highest version that was heard of, kept when `version` is given up: lower ones are of a new epoch. */
  let newest: string | undefined;
  /** Connections in a row that did not hold. */
  let attempts = 0;
  let refusals = 0;
  /**
   * A watch from a version that a restored server has not come to yet is silent: then its version is looked at first.
   */
  let mustVerify = false;
  /** Since when this connection has been a watch; undefined before it was one. */
  let watchingMs: number | undefined;
  /** Whether the sink was told of a failure since it last heard that all is well. */
  let failing = false;

  const advance = (to: string): void => {
    const order = newest === undefined ? undefined : compareVersions(to, newest);
    if (order !== undefined && order < 0) return;
    version = to;
    newest = to;
    refusals = 0;
  };

  const replace = (objects: Iterable<O>, at: string): void => {
    const order = newest === undefined ? undefined : compareVersions(at, newest);
    sink.replace(objects, { version: at, newEpoch: order !== undefined && order < 0 });
    version = at;
    newest = at;
    refusals = 0;
    sink.reached(at);
  };

  const opened = (): void => {
    watchingMs = clock.elapsed();
    failing = false;
    sink.watching();
  };

  const verify = async (): Promise<void> => {
    if (version !== undefined) {
      const order = compareVersions(await currentVersion(rest, selection, signal), version);
      if (order === undefined || order < 0) version = undefined;
    }
    mustVerify = false;
  };

  const list = async (): Promise<void> => {
    sink.listBegins();
    const whole = await listAll<O>(rest, selection, signal);
    replace(whole.objects.map(sink.admit), whole.version);
  };

  /** One watch, from its opening to its end; without a version it begins with the list. */
  const watch = async (): Promise<void> => {
    let staged = version === undefined ? new Map<string, O>() : undefined;
    if (staged !== undefined) sink.listBegins();
    using quiet = createSilenceDeadline({
      clock,
      limitMs: silenceMs,
      parent: signal,
      doing: `watch ${selection.name}`,
    });
    let batches: AsyncIterable<readonly WatchEvent<O>[]>;
    try {
      batches = await openWatch<O>(rest, {
        path: selection.path,
        query: {
          ...selection.query,
          ...(staged === undefined ? { resourceVersion: version } : streamedList),
          ...watchOptions(),
        },
        accept: selection.accept?.watch,
        signal: quiet.signal,
        doing: `watch ${selection.name}`,
      });
    } catch (error) {
      if (staged !== undefined && refusesStreaming(error)) throw new NoStreamedList(error);
      throw error;
    }
    quiet.heard(staged === undefined ? silenceMs : initialSilenceMs);
    if (staged === undefined) opened();
    try {
      for await (const batch of batches) {
        quiet.heard();
        for (const event of batch) {
          if (event.type === "ERROR") throw statusError({ doing: `watch ${selection.name}`, status: event.object });
          if (event.type === "BOOKMARK") {
            if (staged === undefined) passBookmark(event.object);
            else {
              replace(staged.values(), endOfList(event.object));
              staged = undefined;
              quiet.heard(silenceMs);
              opened();
            }
          } else if (staged === undefined) {
            sink.change(event.type, sink.admit(event.object));
            advance(event.object.metadata.resourceVersion);
          } else if (event.type === "DELETED") staged.delete(formatKey(event.object.metadata));
          else staged.set(formatKey(event.object.metadata), sink.admit(event.object));
        }
        if (version !== undefined) sink.reached(version);
      }
    } catch (error) {
      if (staged !== undefined && (isCodedError(error, "WatchSilent") || isCodedError(error, "ProtocolError"))) {
        throw new NoStreamedList(error);
      }
      throw error;
    }
    if (staged !== undefined) throw new NoStreamedList();
  };

  const passBookmark = ({ metadata }: Bookmark): void => {
    const order = newest === undefined ? undefined : compareVersions(metadata.resourceVersion, newest);
    if (order !== undefined && order < 0) {
      throw new CodedError(
        "Expired",
        `Cannot watch ${selection.name}: the server's versions went backwards, listing anew`,
      );
    }
    advance(metadata.resourceVersion);
  };

  const watchOptions = (): Readonly<Record<string, string>> => ({
    allowWatchBookmarks: "true",
    timeoutSeconds: String(shortestWatchSeconds + Math.floor(clock.random() * shortestWatchSeconds)),
  });

  /** One connection, from listing or resuming to its end. */
  const connect = async (): Promise<void> => {
    if (mustVerify) await verify();
    if (version === undefined) {
      if (!failing) sink.syncing();
      if (pagesOnly.has(selection.resource.apiVersion) || attempts >= mostStreamedAttempts) await list();
    }
    await watch();
  };

  /** What an error says about where to go on. */
  const learn = (error: unknown): void => {
    if (isGone(error) || isCodedError(error, "NotFound")) {
      version = undefined;
      return;
    }
    if (isCodedError(error) && outages.has(error.code)) {
      if (watchingMs === undefined) version = undefined;
      else mustVerify = isCodedError(error, "WatchSilent");
      return;
    }
    if (isCodedError(error) && keepsVersion.has(error.code)) return;
    refusals += 1;
    if (refusals >= mostRefusals) version = undefined;
  };

  while (!signal.aborted) {
    watchingMs = undefined;
    let failure: unknown;
    try {
      await connect();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof NoStreamedList) {
        pagesOnly.add(selection.resource.apiVersion);
        continue;
      }
      failure = error;
      if (isCodedError(error, "WatchSilent")) sink.silent();
      learn(error);
    }
    if (watchingMs !== undefined && clock.elapsed() - watchingMs >= stableMs) {
      attempts = 0;
      continue;
    }
    attempts += 1;
    const repeats = attempts >= mostRefusals;
    if (failure === undefined && repeats) failure = endsEarly(selection);
    // That a version is gone is no fault, unless the ones that the server gives are gone again and again.
    if (failure !== undefined && (repeats || !isGone(failure))) {
      failing = true;
      sink.failing(failure, attempts);
    }
    // A watch that was open and ended is opened again at once; the backoff is for when that does not help.
    if (attempts === 1 && watchingMs !== undefined) continue;
    const delays = isCodedError(failure) && mendable.has(failure.code) ? mending : outage;
    try {
      await clock.sleep(delays.delayMs(attempts), signal);
    } catch {
      return;
    }
  }
}

function endsEarly(selection: Selection): CodedError {
  return new CodedError(
    "ServerUnavailable",
    `Cannot watch ${selection.name}: the server ends each watch shortly after it began`,
  );
}
