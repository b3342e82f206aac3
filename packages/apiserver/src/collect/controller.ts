import type { Clock } from "farwatch";
import type { ClusterAccess } from "./cluster-access.ts";

/** What every controller works with. */
export interface ControllerPorts {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  /** Told of each failed try, which is repeated: what it was about, and the error. */
  readonly onFailure: (key: string, error: unknown) => void;
}

/** Something that keeps a part of a cluster's state in order, from its making until it is disposed of. */
export interface Controller extends AsyncDisposable {
  /** Looks at everything anew: for a server that has gone to another state without changes that anybody was told of. */
  readAll(): void;
}
