import { CodedError } from "../error/coded-error.ts";

/** What the reply subject of a message says of its delivery. */
export interface JetStreamDelivery {
  /** Where it is acknowledged. */
  readonly reply: string;
  readonly deliveries: number;
  /** Its number in the stream. */
  readonly sequence: number;
  readonly storedMs: number;
}

/**
 * `$JS.ACK.<stream>.<consumer>.<delivered>.<stream sequence>.<consumer
 * sequence>.<nanoseconds>.<pending>`, in newer servers with the domain and the account after `ACK`, and with more to
 * come (NATS ADR-15).
 *
 * @throws CodedError `ProtocolError` for anything else.
 */
export function parseDelivery(reply: string | undefined): JetStreamDelivery {
  const tokens = reply?.split(".") ?? [];
  const numbers = tokens.length === 9 ? tokens.slice(4) : tokens.length >= 11 ? tokens.slice(6) : [];
  const [deliveries = 0, sequence = 0] = numbers.map(Number);
  const nanos = numbers[3] ?? "";
  const isOne =
    tokens[0] === "$JS" && tokens[1] === "ACK" && deliveries >= 1 && sequence >= 1 && /^\d{7,}$/.test(nanos);
  if (reply === undefined || !isOne) {
    throw new CodedError(
      "ProtocolError",
      "Cannot read a message: it does not come from JetStream, its reply says no delivery",
    );
  }
  // Nanoseconds are more than a number holds.
  return { reply, deliveries, sequence, storedMs: Number(nanos.slice(0, -6)) };
}
