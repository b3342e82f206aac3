import { type ConnectedClient, type Controller, type Random, seededRandom, type Transport } from "farwatch";
import { overTransport } from "./over-transport.ts";

/** A promise that is broken on purpose, by a port that misbehaves: the simulation must notice. */
export interface Mutant {
  readonly transport?: (transport: Transport) => Transport;
  readonly client?: (client: ConnectedClient) => ConnectedClient;
  readonly controller?: (controller: Controller) => Controller;
}

export const mutantNames = ["drop-event", "skip-fence", "drop-requeue"] as const;
export type MutantName = (typeof mutantNames)[number];

export function createMutant(name: MutantName, seed: number): Mutant {
  const random = seededRandom(seed);
  switch (name) {
    case "drop-event":
      return { transport: (transport) => dropEvents(transport, random) };
    case "skip-fence":
      return { client: skipFence };
    case "drop-requeue":
      return { controller: (controller) => dropRequeues(controller, random) };
  }
}

/** One event in ten of a watch never arrives. */
function dropEvents(transport: Transport, random: Random): Transport {
  return overTransport(transport, async (request) => {
    const response = await transport.request(request);
    if (!request.streaming || !request.url.includes("/storagebuckets?")) return response;
    return { ...response, body: withoutSome(response.body, random) };
  });
}

async function* withoutSome(
  body: AsyncIterable<Uint8Array>,
  random: Random,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of body) {
    const lines = Buffer.from(chunk)
      .toString("utf8")
      .split(/(?<=\n)/);
    const kept = lines.filter((line) => !/^\{"type":"(?:ADDED|DELETED|MODIFIED)"/.test(line) || random() > 0.1);
    if (kept.length > 0) yield Buffer.from(kept.join(""));
  }
}

/** Leader work gets a client that asks nobody whether the lease still holds. */
function skipFence(client: ConnectedClient): ConnectedClient {
  return {
    ...client,
    view: (view) => client.view({ ...view, fence: undefined }),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** Half of the failed reconciles are taken for done. */
function dropRequeues(controller: Controller, random: Random): Controller {
  const { options } = controller;
  return {
    ...controller,
    options: {
      ...options,
      async reconcile(request, context) {
        try {
          return await options.reconcile(request, context);
        } catch (error) {
          if (random() < 0.5) return undefined;
          throw error;
        }
      },
    },
  };
}
