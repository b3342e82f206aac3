import type { KubeObject } from "../../wire/object.ts";
import { type BuiltinResource, defineBuiltin } from "../define-builtin.ts";

/** core/v1 ConfigMap. */
export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  /** Base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

export const ConfigMap: BuiltinResource<ConfigMap> = defineBuiltin({ version: "v1", kind: "ConfigMap" });
