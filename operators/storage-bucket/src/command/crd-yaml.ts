import { toCrd, toYaml } from "farwatch";
import { StorageBucket } from "../resource/storage-bucket.ts";

/** The CustomResourceDefinition of StorageBucket, as `manifests/crd.yaml` holds it. */
export function crdYaml(): string {
  return toYaml(toCrd(StorageBucket));
}
