import { CodedError } from "../error/coded-error.ts";

/** @throws CodedError `InvalidOption`. `why` says what is given and, where that is not plain, what to give. */
export function refuseSource(name: string, why: string): never {
  throw new CodedError("InvalidOption", `Cannot make source ${name}: ${why}`);
}
