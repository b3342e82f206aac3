import type { StoredObject } from "../../registry/api-object.ts";
import type { GroupResource, ObjectReader } from "../../registry/object-reader.ts";
import { draftSpec } from "../built-in/object-kind.ts";
import { type AdmissionPlugin, writtenObject } from "./admission-plugin.ts";

const storageClasses = { group: "storage.k8s.io", resource: "storageclasses" } as const;
const ingressClasses = { group: "networking.k8s.io", resource: "ingressclasses" } as const;
const defaultStorage = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];
const defaultIngress = ["ingressclass.kubernetes.io/is-default-class"];

/** Gives claims and ingresses that ask for no class the one that is marked as the default. */
export function createDefaultClasses(reader: ObjectReader): AdmissionPlugin {
  /** The newest where there are more. */
  const defaultOf = (resource: GroupResource, marks: readonly string[]): string | undefined => {
    const age = ({ metadata }: StoredObject): string => metadata.creationTimestamp ?? "";
    const [newest] = reader
      .list(resource)
      .filter(({ metadata }) => marks.some((mark) => metadata.annotations?.[mark] === "true"))
      .toSorted((one, other) => {
        if (age(one) !== age(other)) return age(one) > age(other) ? -1 : 1;
        return one.metadata.name < other.metadata.name ? -1 : 1;
      });
    return newest?.metadata.name;
  };

  return {
    admit(attributes): void {
      if (attributes.operation !== "CREATE") return;
      const claim = writtenObject(attributes, "", "persistentvolumeclaims");
      if (claim !== undefined) {
        const spec = draftSpec<{ storageClassName?: string }>(claim);
        if (spec.storageClassName !== undefined) return;
        if (claim.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] !== undefined) return;
        const name = defaultOf(storageClasses, defaultStorage);
        if (name !== undefined) spec.storageClassName = name;
      }
      const ingress = writtenObject(attributes, "networking.k8s.io", "ingresses");
      if (ingress !== undefined) {
        const spec = draftSpec<{ ingressClassName?: string }>(ingress);
        if (spec.ingressClassName !== undefined) return;
        if (ingress.metadata.annotations?.["kubernetes.io/ingress.class"] !== undefined) return;
        const name = defaultOf(ingressClasses, defaultIngress);
        if (name !== undefined) spec.ingressClassName = name;
      }
    },
  };
}
