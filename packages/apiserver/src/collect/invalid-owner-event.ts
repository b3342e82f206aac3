import { type Clock, formatTime } from "farwatch";
import type { DraftObject, DraftOwner, StoredObject } from "../registry/api-object.ts";
import type { ClusterAccess } from "./cluster-access.ts";

const component = "garbage-collector-controller";
const events = { group: "", resource: "events" };

/** Tells in an Event that an owner is out of an object's reach; an object of the cluster is told of in `default`. */
export type RecordInvalidOwner = (object: StoredObject, owner: DraftOwner) => Promise<void>;

export function createInvalidOwnerRecorder(access: ClusterAccess, clock: Clock): RecordInvalidOwner {
  let recorded = 0n;
  return async (object, owner) => {
    recorded += 1n;
    // As client-go names Events: the time in nanoseconds, in hexadecimal. A virtual clock may stand still meanwhile.
    const suffix = (BigInt(clock.now().getTime()) * 1_000_000n + recorded).toString(16);
    await access.create(events, eventOf(object, owner, { suffix, time: formatTime(clock.now()) }));
  };
}

function eventOf(
  object: StoredObject,
  owner: DraftOwner,
  { suffix, time }: { readonly suffix: string; readonly time: string },
): DraftObject {
  const { name, uid, namespace } = object.metadata;
  const home = namespace ?? "";
  const reference = `${owner.apiVersion}/${owner.kind}, namespace: ${home}, name: ${owner.name}, uid: ${owner.uid}`;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.${suffix}`, namespace: namespace ?? "default" },
    involvedObject: {
      kind: object.kind,
      ...(namespace !== undefined && { namespace }),
      name,
      uid,
      apiVersion: object.apiVersion,
    },
    reason: "OwnerRefInvalidNamespace",
    message: `ownerRef [${reference}] does not exist in namespace ${JSON.stringify(home)}`,
    source: { component },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: "Warning",
    reportingComponent: component,
  };
}
