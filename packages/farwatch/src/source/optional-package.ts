import type { Clock } from "../clock/clock.ts";
import { CodedError } from "../error/coded-error.ts";

/** A package that only users of one source install. */
export interface OptionalPackage<M> {
  /** Of the source that needs it. */
  readonly source: string;
  readonly name: string;
  readonly clock: Clock;
  /** `() => import("NAME")`, written where it is used, so that bundlers see it. */
  readonly load: () => Promise<M>;
}

/** @throws CodedError `MissingDependency` when it is not installed; whatever the package throws while it loads. */
export async function loadPackage<M>({ source, name, clock, load }: OptionalPackage<M>): Promise<M> {
  try {
    return await clock.outside(load());
  } catch (cause) {
    // One that it needs itself may be missing as well: that is not mended by installing this one.
    const { code, message = "" } = cause as { readonly code?: unknown; readonly message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${name}'`)) throw cause;
    throw new CodedError(
      "MissingDependency",
      `Cannot open source ${source}: the package ${name} is not installed; install it with \`npm install ${name}\``,
      { cause },
    );
  }
}
