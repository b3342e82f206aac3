import { CelError, type Value } from "./value.ts";

/** What a call does with its arguments, the receiver first. Where no overload fits them it throws `noOverload`. */
export type CelFunction = (args: readonly Value[]) => Value;

export function noOverload(): CelError {
  return new CelError("no such overload");
}

/** @throws CelError `no such overload` for anything but a string. */
export function asString(value: Value | undefined): string {
  if (typeof value === "string") return value;
  throw noOverload();
}

/** @throws CelError `no such overload` for anything but an int. */
export function asInt(value: Value | undefined): bigint {
  if (typeof value === "bigint") return value;
  throw noOverload();
}

/** The result of an operation on ints. @throws CelError `integer overflow` */
export function checkedInt(value: bigint): bigint {
  if (BigInt.asIntN(64, value) === value) return value;
  throw new CelError("integer overflow");
}

/** @throws CelError `unsigned integer overflow` */
export function checkedUint(value: bigint): bigint {
  if (BigInt.asUintN(64, value) === value) return value;
  throw new CelError("unsigned integer overflow");
}
