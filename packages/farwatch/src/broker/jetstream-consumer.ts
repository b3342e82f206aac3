import type { ConsumerConfig, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Clock } from "../clock/clock.ts";
import { toMs } from "../clock/duration.ts";
import { CodedError, type ErrorCode, messageOf } from "../error/coded-error.ts";
import type { Logger } from "../observe/logger.ts";
import { redactText } from "../observe/redact.ts";
import { loadPackage } from "../source/optional-package.ts";
import { type JetStreamPlace, nanosPerMs } from "./jetstream-place.ts";
import type { OpenNats } from "./nats-connection.ts";
import { comesOf } from "./nats-error.ts";

export interface JetStreamConsumerOptions extends JetStreamPlace {
  readonly source: string;
  readonly connection: NatsConnection;
  readonly failed: OpenNats["failed"];
  readonly clock: Clock;
  readonly log: Logger;
  readonly maxDeliveries: number;
}

/** What a consumer allows who reads it, by its configuration. */
export interface JetStreamLimits {
  /** After this, at the shortest, it hands a message over again. */
  readonly ackWaitMs: number;
  /** Messages that it hands over, to all replicas together, before one of them is settled. */
  readonly mostHeld: number;
  /** Messages that one request may ask for. */
  readonly mostAtOnce: number;
  /** What it may ask for in bytes, where it says so. */
  readonly mostBytes: number;
  /** How long one request may wait. */
  readonly longestWaitMs: number;
}

const answerMs = 10_000;
const consumerNotFound = 10_014;
const streamNotFound = 10_059;

/**
 * Sees to it that there is a consumer from which every message is handed over until it is acknowledged. Warns of what
 * falls short of the source's promises.
 *
 * @throws CodedError `MissingDependency`, `NotFound` without the stream, `InvalidConfig` for a consumer that does not
 * wait for acknowledgements or pushes, `Forbidden` when the user may not ask, `ServerUnavailable` for another error of
 * JetStream's, `ConnectionFailed` without an answer.
 */
export async function ensureConsumer(options: JetStreamConsumerOptions): Promise<JetStreamLimits> {
  const { source, connection, failed, clock, log, stream, consumer, maxDeliveries } = options;
  const load = () => import("@nats-io/jetstream");
  const { jetstreamManager, JetStreamApiError, AckPolicy } = await loadPackage({
    source,
    name: "@nats-io/jetstream",
    clock,
    load,
  });
  const codeOf = (error: unknown): number | undefined =>
    error instanceof JetStreamApiError ? error.apiError().err_code : undefined;

  const find = async (manager: JetStreamManager): Promise<ConsumerConfig> => {
    try {
      return (await manager.consumers.info(stream, consumer)).config;
    } catch (error) {
      if (codeOf(error) !== consumerNotFound) throw error;
    }
    const subjects = options.filterSubjects ?? [];
    const [only] = subjects;
    const filter =
      subjects.length > 1 ? { filter_subjects: [...subjects] } : only === undefined ? {} : { filter_subject: only };
    const made = await manager.consumers.add(stream, {
      durable_name: consumer,
      ack_policy: AckPolicy.Explicit,
      ack_wait: toMs(options.ackWait ?? "30s") * nanosPerMs,
      ...filter,
    });
    return made.config;
  };
  try {
    const [{ config: streamConfig }, config] = await clock.outside(
      (async () => {
        const manager = await jetstreamManager(connection, { checkAPI: false, timeout: answerMs });
        return [await manager.streams.info(stream), await find(manager)] as const;
      })(),
    );
    const refused = refusal(config, AckPolicy.Explicit);
    if (refused !== undefined) {
      throw new CodedError(
        "InvalidConfig",
        `Cannot read consumer ${consumer} of stream ${stream}: it ${refused}; make another with explicit acknowledgements`,
      );
    }
    if (streamConfig.storage === "memory") {
      log.warn("The stream is kept in memory: its messages do not survive the server", { stream });
    }
    const [given, found] = [options.filterSubjects ?? [], subjectsOf(config)];
    if (given.length > 0 && new Set(given).symmetricDifference(new Set(found)).size > 0) {
      log.warn("The consumer was there and reads other subjects: make it anew, or name another", {
        consumer,
        filterSubjects: given,
        reads: found,
      });
    }
    const { max_deliver: maxDeliver = -1 } = config;
    if (maxDeliver > 0 && maxDeliver <= maxDeliveries) {
      log.warn(
        "The consumer gives messages up before they are dead letters: raise its max_deliver, or lower maxDeliveries",
        {
          consumer,
          maxDeliver,
          maxDeliveries,
        },
      );
    }
    return limitsOf(config);
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    const refused = (code: ErrorCode, state: string): CodedError =>
      new CodedError(code, `Cannot read stream ${stream}: ${state}`, { cause });
    if (codeOf(cause) === streamNotFound) throw refused("NotFound", "there is none on this server; make it first");
    const said = redactText(messageOf(cause));
    if (comesOf(cause, "PermissionViolationError")) {
      const subjects = "$JS.API.STREAM.INFO and $JS.API.CONSUMER.> of the stream, and subscribe to its inbox";
      throw refused("Forbidden", `${said}; let the user of source ${source} publish to ${subjects}`);
    }
    if (comesOf(cause, "JetStreamNotEnabled")) {
      throw refused("ServerUnavailable", `${said}; switch JetStream on for the user of source ${source}`);
    }
    if (cause instanceof JetStreamApiError) throw refused("ServerUnavailable", `JetStream answers: ${said}`);
    throw failed(messageOf(cause), cause);
  }
}

/**
 * Whether a consumer hands nothing more over, though there is something, before what it has handed over to all its
 * replicas is settled. False where that cannot be seen.
 */
export async function isConsumerFull(options: JetStreamConsumerOptions): Promise<boolean> {
  const { source, connection, clock, log, stream, consumer } = options;
  const load = () => import("@nats-io/jetstream");
  const { jetstreamManager } = await loadPackage({ source, name: "@nats-io/jetstream", clock, load });
  try {
    const asking = jetstreamManager(connection, { checkAPI: false, timeout: answerMs });
    const info = await clock.outside(asking.then((manager) => manager.consumers.info(stream, consumer)));
    return info.num_pending > 0 && info.num_ack_pending >= limitsOf(info.config).mostHeld;
  } catch (error) {
    log.debug("Cannot see whether the consumer hands nothing more over", { consumer, error });
    return false;
  }
}

/** Left out, none or negative: without a limit. */
function limitsOf(config: ConsumerConfig): JetStreamLimits {
  const limit = (given = 0): number => (given > 0 ? given : Number.POSITIVE_INFINITY);
  const waits = [config.ack_wait ?? 30_000 * nanosPerMs, ...(config.backoff ?? [])];
  return {
    ackWaitMs: Math.min(...waits) / nanosPerMs,
    mostHeld: limit(config.max_ack_pending),
    mostAtOnce: limit(config.max_batch),
    mostBytes: limit(config.max_bytes),
    longestWaitMs: limit(config.max_expires) / nanosPerMs,
  };
}

/** None: all of the stream. */
function subjectsOf({ filter_subject: one = "", filter_subjects: many = [] }: ConsumerConfig): readonly string[] {
  return one === "" ? many : [one];
}

function refusal(config: ConsumerConfig, explicit: ConsumerConfig["ack_policy"]): string | undefined {
  if (config.ack_policy !== explicit) return `has ack_policy ${config.ack_policy}`;
  if (config.deliver_subject !== undefined) return "pushes its messages";
  return undefined;
}
