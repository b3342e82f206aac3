import type { Clock, PeerCertificate, Transport, TransportRequest, TransportResponse } from "farwatch";
import { matchesFault } from "../fault/fault-matcher.ts";
import { FaultRelay } from "../fault/fault-relay.ts";
import { createFaultSchedule, type Faults } from "../fault/fault-schedule.ts";
import { isTransportFault } from "../fault/transport-fault.ts";
import { answerInProcess } from "./answer-in-process.ts";
import { type ServeTransportOptions, serveTransport, type TransportServer } from "./serve-transport.ts";
import { type ServedAnswer, type ServedRequest, servedRequest } from "./served-request.ts";
import { matchesAsk, type ServiceFault, type StoreAsk, type StoreFault, type StoreMatcher } from "./store-fault.ts";

export interface ObjectStoreOptions {
  /** Tells the service the time, and times faults; default: the system's. The socket door needs that one. */
  readonly clock?: Clock | undefined;
  /** Of the draws of faults with a probability; default 1. */
  readonly seed?: number | undefined;
  /** What connect policies of the Transport door are told that host names resolve to; default 127.0.0.1. */
  readonly address?: string | undefined;
  /** What https requests through the Transport door see of the service's certificate. */
  readonly certificate?: PeerCertificate | undefined;
}

/** A request that a store was sent, in order. */
export interface StoreRequest extends StoreAsk {
  /** Monotonic milliseconds of the store's clock. */
  readonly at: number;
  readonly method: string;
  readonly url: string;
  /** The kind of the fault that struck it. */
  readonly fault: string | undefined;
  /** What the service answered; undefined while it has not, and where a fault kept the request from it. */
  readonly status: number | undefined;
  /** The provider's error code. */
  readonly code: string | undefined;
}

/** An object store in this process, with two doors. Disposal closes its servers. */
export interface ObjectStore extends AsyncDisposable {
  /** Sends requests for any host to this store: no sockets, and in virtual time on a virtual clock. */
  readonly transport: Transport;
  /** Serves the same store on 127.0.0.1. */
  listen(options?: ServeTransportOptions): Promise<TransportServer>;
  readonly faults: Faults<StoreFault, StoreMatcher>;
  /** The last 10,000. */
  readonly requests: readonly StoreRequest[];
}

/** What a provider adds to make it a store. */
export interface StoreCore<A extends StoreAsk> {
  /** What a request is about, before anything of it is checked. */
  read(request: ServedRequest): A;
  answer(request: ServedRequest, ask: A, fault: ServiceFault | undefined): Promise<ServedAnswer>;
}

const requestsKept = 10_000;

export function createObjectStore<A extends StoreAsk>(
  core: StoreCore<A>,
  options: ObjectStoreOptions & { readonly clock: Clock },
): ObjectStore {
  const { clock, seed, address = "127.0.0.1", certificate } = options;
  const requests: { -readonly [Key in keyof StoreRequest]: StoreRequest[Key] }[] = [];
  const servers = new Set<TransportServer>();
  const relay = new FaultRelay(clock);
  const schedule = createFaultSchedule<
    StoreFault,
    StoreMatcher,
    { readonly request: TransportRequest; readonly ask: StoreAsk }
  >({
    seed,
    matches: (matcher, { request, ask }) => matchesAsk(matcher, ask) && matchesFault(matcher, request),
    onChange(): void {
      for (const server of servers) heed(server);
    },
  });
  const heed = (server: TransportServer): void => {
    if (schedule.isConstant("refused")) server.refuse();
    else server.resume();
  };

  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    const served = servedRequest(request);
    const ask = core.read(served);
    const { operation, bucket, key, user } = ask;
    const fault = schedule.draw({ request, ask });
    const record: (typeof requests)[number] = {
      at: clock.elapsed(),
      method: request.method,
      url: request.url,
      ...{ operation, bucket, key, user },
      fault: fault?.kind,
      status: undefined,
      code: undefined,
    };
    requests.push(record);
    if (requests.length > requestsKept) requests.shift();
    const ofNetwork = fault !== undefined && isTransportFault(fault) ? fault : undefined;
    const ofService = fault === undefined || isTransportFault(fault) ? undefined : fault;
    return await relay.request(request, ofNetwork, (passed) =>
      answerInProcess(passed, {
        clock,
        address,
        certificate,
        async serve(): Promise<ServedAnswer> {
          const answer = await core.answer(served, ask, ofService);
          record.status = answer.status;
          record.code = answer.code;
          return answer;
        },
      }),
    );
  };

  const transport: Transport = {
    get inFlight() {
      return relay.inFlight;
    },
    request: send,
    async [Symbol.asyncDispose](): Promise<void> {},
  };
  return {
    transport,
    faults: schedule,
    requests,
    async listen(serving): Promise<TransportServer> {
      const server = await serveTransport(transport, serving);
      servers.add(server);
      heed(server);
      return {
        ...server,
        async [Symbol.asyncDispose](): Promise<void> {
          servers.delete(server);
          await server[Symbol.asyncDispose]();
        },
      };
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all([...servers].map((server) => server[Symbol.asyncDispose]()));
      servers.clear();
    },
  };
}
