import { hash } from "node:crypto";
import { CodedError } from "../error/coded-error.ts";
import type { Ingress, IngressAnswer, IngressPlace, IngressRequest, IngressRoute } from "./ingress.ts";
import { tryAgain } from "./try-again.ts";

/** The routes of a manager's sources; what brings requests to it, a socket or a test, is not its concern. */
export interface IngressRouter extends Ingress {
  /** Answers one request. Rejects with what a route throws. */
  answer(request: IngressRequest): Promise<IngressAnswer>;
  /** The place that serves a path, if one was reserved. */
  find(path: string): ReservedPlace | undefined;
}

/** What was reserved, for limits that hold before a request is read. */
export interface ReservedPlace {
  readonly source: string;
  readonly route: Omit<IngressRoute, "handle">;
  /** Undefined while its source is not open here. */
  readonly handle: IngressRoute["handle"] | undefined;
}

interface Place extends ReservedPlace {
  handle: IngressRoute["handle"] | undefined;
}

/** In place of an ingress that nothing would listen for. */
export const noIngress: Ingress = {
  reserve(source): never {
    throw new CodedError(
      "InvalidOption",
      `Cannot serve source ${source}: the manager has no ingress, give createManager \`ingress: { port }\``,
    );
  },
};

/** For whoever asks for a path that no source has. */
export const unknownPath: IngressAnswer = { status: 404, body: "nothing is served under this path" };

/** Paths are looked up by their digest: how long it takes to find none says nothing of one that is a secret. */
const keyOf = (path: string): string => hash("sha256", path);

export function createIngress(): IngressRouter {
  const places = new Map<string, Place>();
  return {
    reserve(source, route): IngressPlace {
      const key = keyOf(route.path);
      const other = places.get(key);
      if (other !== undefined) {
        throw new CodedError(
          "DuplicateName",
          `Cannot serve source ${source}: source ${other.source} has its path, give one of the two another`,
        );
      }
      const place: Place = { source, route, handle: undefined };
      places.set(key, place);
      return {
        serve({ handle }): Disposable {
          place.handle = handle;
          return {
            [Symbol.dispose](): void {
              if (place.handle === handle) place.handle = undefined;
            },
          };
        },
        [Symbol.dispose](): void {
          if (places.get(key) === place) places.delete(key);
        },
      };
    },
    find: (path) => places.get(keyOf(path)),
    async answer(request): Promise<IngressAnswer> {
      const place = places.get(keyOf(request.path));
      return place === undefined ? unknownPath : await answerAt(place, request);
    },
  };
}

/** Answers a request whose path is that of the place. Rejects with what the route throws. */
export async function answerAt({ route, handle }: ReservedPlace, request: IngressRequest): Promise<IngressAnswer> {
  if (!route.methods.includes(request.method)) {
    const allow = route.methods.join(", ");
    return { status: 405, headers: { allow }, body: `this path takes ${allow}` };
  }
  return handle === undefined ? tryAgain(503) : await handle(request);
}
