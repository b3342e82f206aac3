import { CodedError } from "../error/coded-error.ts";

/** Thrown by a reconciler when trying again cannot help until something changes: the request is dropped and counted. */
export class TerminalError extends CodedError {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super("Terminal", message, options);
  }
}
