import type { BrokerMessage } from "./broker-message.ts";

/** A message that writes down what is done with it. */
export interface Told extends BrokerMessage<string> {
  /** What was done with it at the broker. */
  readonly told: string[];
}

export function message(id: string, change: Partial<Told> = {}): Told {
  const told: string[] = [];
  return {
    id,
    deliveries: 1,
    bytes: 1,
    raw: `raw ${id}`,
    read: () => `body ${id}`,
    async done() {
      told.push("done");
    },
    async retry(afterMs) {
      told.push(`retry ${afterMs}`);
    },
    told,
    ...change,
  };
}

/** A reader that reads nothing. */
export const unreadable = (): never => {
  throw new Error("Unexpected end at https://user:secret@broker/");
};
