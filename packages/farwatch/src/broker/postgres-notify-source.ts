import type { Source } from "../source/source.ts";
import { checkOptions } from "../source/source-options.ts";
import { type HeardSourceOptions, heardSource } from "./heard-source.ts";
import { openPostgres } from "./postgres-connection.ts";
import { quoteName } from "./postgres-name.ts";
import { checkPostgresUrl, type PostgresUrl } from "./postgres-url.ts";

export interface PostgresNotifyOptions<T> extends HeardSourceOptions {
  /** As NOTIFY names it, in its exact case. */
  readonly channel: string;
  /** A direct connection: a pooler that shares one among transactions swallows LISTEN. */
  readonly url?: PostgresUrl | undefined;
  /** What the event carries; what throws is logged and dropped. Default: the payload, `""` where NOTIFY gives none. */
  readonly read?: ((payload: string) => T) | undefined;
}

/**
 * Events from LISTEN alone, where there is no table: what is notified while nobody listens, is lost. For what must
 * arrive take `postgresOutboxSource`.
 *
 * - Delivery: at most once. The server merges equal notifications of one transaction, and tells in the order of
 *   commits.
 * - Durability: `process`: what has come is kept while this process lives. Overflow: `dropOldest`: a listener that does
 *   not read would in the end make NOTIFY fail for everybody, so there is no back pressure.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`.
 * - Authentication: what the URL says; `sslmode=verify-full` checks the server. Any role may listen to any channel.
 *
 * Needs the package pg.
 *
 * @throws CodedError `InvalidOption`; its stream throws `MissingDependency`, `CredentialFailed` and `ConnectionFailed`.
 * @example
 * watch(postgresNotifySource({ channel: "buckets", url: process.env.DATABASE_URL }), enqueueAll(StorageBucket));
 */
export function postgresNotifySource<T = string>(options: PostgresNotifyOptions<T>): Source<T> {
  checkOptions("postgres", options);
  const { channel } = options;
  // Without `read` T is string, which is what the default says, but the compiler cannot conclude it.
  const read = options.read ?? ((payload: string): T => payload as unknown as T);
  checkPostgresUrl(options.url);
  quoteName(channel, "channel");
  return heardSource(options, {
    name: `postgres-${channel}`,
    read,
    describe: () => ({ channel }),
    async open({ clock, signal }, { source, heard, lost }): Promise<AsyncDisposable> {
      await using undo = new AsyncDisposableStack();
      const { url } = options;
      const connection = undo.use(
        await openPostgres({ source, url, clock, signal, onLost: lost, onNotification: heard }),
      );
      await connection.listen(channel);
      return undo.move();
    },
  });
}
