import { CodedError } from "../error/coded-error.ts";

/** Refuses a schema: throws `InvalidSchema` with the path and what is wrong there. */
export type Refuse = (path: string, state: string) => never;

/** @param kind What is being defined. */
export function refuseSchema(kind: string): Refuse {
  return (path, state) => {
    throw new CodedError("InvalidSchema", `Cannot define ${kind}: ${path} ${state}`);
  };
}
