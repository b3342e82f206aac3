import type { Clock } from "../clock/clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { systemCodeOf } from "../transport/failure.ts";

/** The peer dependencies of this package: the versions with which its sources work. */
const peerRanges = {
  "@aws-sdk/client-sqs": "^3.500.0",
  "@nats-io/jetstream": "^3.4.0",
  "@nats-io/transport-node": "^3.4.0",
  kafkajs: "^2.2.4",
  pg: "^8.11.0",
  redis: "^6.0.0",
  ws: "^8.18.0",
} as const;

/** A package that only users of one source install. */
export interface OptionalPackage<M> {
  /** Of the source that needs it. */
  readonly source: string;
  readonly name: string;
  /** Other packages that the source needs: one who lacks this one is told of them as well. */
  readonly alongside?: readonly string[] | undefined;
  readonly clock: Clock;
  /** `() => import("NAME")`, written where it is used, so that bundlers see it. */
  readonly load: () => Promise<M>;
}

/** @throws CodedError `MissingDependency` when it is not installed; whatever the package throws while it loads. */
export async function loadPackage<M>({ source, name, alongside = [], clock, load }: OptionalPackage<M>): Promise<M> {
  try {
    return await clock.outside(load());
  } catch (cause) {
    // One that it needs itself may be missing as well: that is not mended by installing this one.
    if (systemCodeOf(cause) !== "ERR_MODULE_NOT_FOUND" || !messageOf(cause).includes(`'${name}'`)) throw cause;
    const wanted = [name, ...alongside].map(withRange).join(" ");
    throw new CodedError(
      "MissingDependency",
      `Cannot open source ${source}: the package ${name} is not installed; install it with \`npm install ${wanted}\``,
      { cause },
    );
  }
}

function withRange(name: string): string {
  const range = new Map(Object.entries(peerRanges)).get(name);
  return range === undefined ? name : `${name}@${range}`;
}
