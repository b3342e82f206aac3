import type { Resource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import { type PollEachOptions, type Polled, pollEach } from "./poll-each.ts";
import { type PollListOptions, pollList } from "./poll-list.ts";
import type { Source } from "./source.ts";

/**
 * Create, update and delete events of things that can only be asked for, by comparing each answer with what was told
 * before.
 *
 * One poll tells of all (`list`), or one of each object of a kind (`fetch`). The second has the times of `timerSource`:
 * phase(uid) + n · period on the wall clock, so that polls are spread, and the same after a restart. The first polls at
 * once when it is opened, then every `every` on a grid of its own; opened again within `every` it waits for the grid.
 *
 * - Events: the first poll of an opening that succeeds tells everything that is there (`create`, `inInitialList`), and
 *   what is gone of that which was told before, or is in `known` (`delete`, `stateUnknown`). After that, what changed.
 *   An object of Kubernetes that is deleted is polled no more, and no event tells of what belonged to it.
 * - Failures: a poll that throws, or takes longer than `timeout`, is counted (`farwatch_source_failed_polls_total`) and
 *   logged; the next comes at its time, whatever other objects do. The source shows as failing while the last polls of
 *   all objects failed. Two polls of one object never overlap: one that ignores its signal is waited for, which counts
 *   as failed polls, while others go on.
 * - Delivery: at least once. What comes and goes between two polls is not seen. While an event waits, a later one of
 *   its key merges into it.
 * - Durability: `process`. After a restart all that is there is told anew, so only a deletion can be missed, unless
 *   `known` has it. A deletion is acknowledged when it was worked on, and told again when it is given back.
 * - Back pressure: while events of a poll are not taken, what they belong to is not polled. At most `capacity` things
 *   wait, each once.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`. Authentication: that of your
 *   `list` or `fetch`.
 *
 * The last answer is kept in memory. For polls over HTTP see `conditionalGet`.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`.
 * @example
 * watch(
 *   pollSource({ every: "1m", list: ({ signal }) => registry.images({ signal }), key: ({ digest }) => digest }),
 *   enqueueRequestsFromMapFunc(({ repository }) => [{ namespace: "default", name: repository }]),
 * )
 * @example
 * watch(
 *   pollSource(Invoice, { period: () => "5m", fetch: ({ spec }, { signal }) => get(spec.url, { signal }) }),
 *   enqueueRequestsFromMapFunc(({ subject }) => [keyOf(subject)]),
 * )
 */
export function pollSource<T>(options: PollListOptions<T>): Source<T>;
export function pollSource<O extends KubeObject, T>(
  resource: Resource<O>,
  options: PollEachOptions<NoInfer<O>, T>,
): Source<Polled<O, T>>;
export function pollSource<O extends KubeObject, T>(
  ...args: readonly [PollListOptions<T>] | readonly [Resource<O>, PollEachOptions<O, T>]
): Source<T> | Source<Polled<O, T>> {
  return args.length === 1 ? pollList(args[0]) : pollEach(args[0], args[1]);
}
