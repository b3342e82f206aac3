import { isCodedError } from "farwatch";

/** How one of the servers that the suites run on comes onto this machine. */
export interface Installer {
  readonly name: string;
  /** What is done, and how long it takes on two cores with nothing cached. */
  readonly does: string;
  /** True when there is nothing to do. */
  isThere(): Promise<boolean>;
  install(log: (line: string) => void): Promise<void>;
}

/** True unless a search ends with `NotFound`. */
export async function isFound(search: Promise<unknown>): Promise<boolean> {
  try {
    await search;
    return true;
  } catch (error) {
    if (isCodedError(error, "NotFound")) return false;
    throw error;
  }
}
