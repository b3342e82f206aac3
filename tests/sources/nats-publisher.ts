import type { NatsServer } from "@farwatch/testing";
import { connect, createInbox } from "@nats-io/transport-node";
import { eventually } from "../eventually.ts";

/** Publishes on core NATS; each call has a connection of its own, since servers are killed. */
export interface NatsPublisher {
  /** Resolves when the server has it, whether or not somebody listens. */
  publish(subject: string, data: string | Uint8Array): Promise<void>;
  /** The same, again and again until somebody listens: then it was handed on once. */
  publishHeard(subject: string, data: string): Promise<void>;
}

export function createNatsPublisher({ url }: Pick<NatsServer, "url">): NatsPublisher {
  /** False when nobody listens: the server says so in a message to the sender, before it answers the flush. */
  const send = async (subject: string, data: string | Uint8Array): Promise<boolean> => {
    const connection = await connect({ servers: url, reconnect: false, timeout: 2_000, name: "test" });
    try {
      let isHeard = true;
      const reply = createInbox();
      connection.subscribe(reply, {
        callback(_error, { headers }) {
          if (headers?.code === 503) isHeard = false;
        },
      });
      connection.publish(subject, data, { reply });
      await connection.flush();
      return isHeard;
    } finally {
      await connection.close();
    }
  };
  return {
    async publish(subject, data): Promise<void> {
      await send(subject, data);
    },
    async publishHeard(subject, data): Promise<void> {
      await eventually(`somebody listens to ${subject}`, () => send(subject, data));
    },
  };
}
