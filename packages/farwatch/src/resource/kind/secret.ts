import type { KubeObject } from "../../wire/object.ts";
import { type BuiltinInput, type BuiltinResource, defineBuiltin } from "../define-builtin.ts";

/** core/v1 Secret. */
export interface Secret extends KubeObject {
  readonly type?: string;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

/** What `create` and `apply` take for a Secret. */
export interface SecretInput extends BuiltinInput<Secret> {
  /** Plain text that the server adds to `data`; it is never given back. */
  readonly stringData?: Readonly<Record<string, string>>;
}

export const Secret: BuiltinResource<Secret, SecretInput> = defineBuiltin({ version: "v1", kind: "Secret" });
