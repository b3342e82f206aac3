import { messageOf, systemClock } from "farwatch";
import { sendAsGithub } from "./github-sender.ts";

export interface PersistentSenderOptions {
  /** Of the replicas, on 127.0.0.1: each try of an event goes to the next. */
  readonly ports: readonly number[];
  /** How many; they are numbered from 0. */
  readonly events: number;
  bodyOf(n: number): string;
  /** Events under way at once. */
  readonly concurrency: number;
}

export interface AcceptedEvent {
  /** Of the replica that answered with 202. */
  readonly port: number;
  /** Wall clock: when it was first sent to a replica that was there. */
  readonly sentMs: number;
}

/** Sends each event until it is answered with 202. Disposal stops it. */
export interface PersistentSender extends AsyncDisposable {
  readonly accepted: ReadonlyMap<number, AcceptedEvent>;
  /** Tries that found nobody who listens. */
  readonly refused: number;
  /** Resolves when all are accepted; rejects with the first answer that no repetition would mend. */
  readonly done: Promise<void>;
}

/** What a sender takes for a pause where nobody says how long. */
const pauseMs = 1_000;
const worthAnotherTry: ReadonlySet<number> = new Set([408, 429, 503]);

export function startSender({ ports, events, bodyOf, concurrency }: PersistentSenderOptions): PersistentSender {
  const accepted = new Map<number, AcceptedEvent>();
  const stopped = new AbortController();
  const { signal } = stopped;
  let refused = 0;
  let next = 0;

  const sendOne = async (n: number): Promise<void> => {
    let sentMs: number | undefined;
    for (let tries = n; ; tries += 1) {
      const port = ports[tries % ports.length] ?? 0;
      const startedMs = systemClock.now().getTime();
      try {
        const response = await sendAsGithub({ host: "127.0.0.1", port }, bodyOf(n), { signal });
        await response.body?.cancel();
        sentMs ??= startedMs;
        if (response.status === 202) {
          accepted.set(n, { port, sentMs });
          return;
        }
        if (!worthAnotherTry.has(response.status)) throw new Error(`event ${n} was answered with ${response.status}`);
        const after = response.headers.get("retry-after");
        await systemClock.sleep(after === null ? pauseMs : `${Number(after)}s`, signal);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        // It may have arrived, unless nobody was there.
        if (isRefused(error)) refused += 1;
        else sentMs ??= startedMs;
        await systemClock.sleep(pauseMs, signal);
      }
    }
  };

  const work = async (): Promise<void> => {
    while (next < events) {
      next += 1;
      await sendOne(next - 1);
    }
  };
  const done = Promise.all(Array.from({ length: concurrency }, work)).then(() => {});
  done.catch(() => stopped.abort(new Error("another event cannot be sent")));

  return {
    accepted,
    get refused() {
      return refused;
    },
    done,
    async [Symbol.asyncDispose](): Promise<void> {
      stopped.abort(new Error("the sender was stopped"));
      await Promise.allSettled([done]);
    },
  };
}

function isRefused({ cause }: Error): boolean {
  return /ECONNREFUSED/.test(`${messageOf(cause)} ${(cause as NodeJS.ErrnoException | undefined)?.code}`);
}
