import { type AdmissionPlugin, writtenObject } from "./admission-plugin.ts";

const finalizers: ReadonlyMap<string, string> = new Map([
  ["persistentvolumeclaims", "kubernetes.io/pvc-protection"],
  ["persistentvolumes", "kubernetes.io/pv-protection"],
]);

/** Volumes and claims do not go while they are in use: whoever knows that takes the finalizer away. */
export const storageProtection: AdmissionPlugin = {
  admit(attributes): void {
    if (attributes.operation !== "CREATE") return;
    for (const [plural, finalizer] of finalizers) {
      const metadata = writtenObject(attributes, "", plural)?.metadata;
      if (metadata === undefined || metadata.finalizers?.includes(finalizer) === true) continue;
      metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
    }
  },
};
