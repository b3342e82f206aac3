import { aged, agedWide, type ColumnsByKind, count, type Reading, unset } from "./column.ts";

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** In an order of their own. */
function modesText(given: readonly string[] | undefined): string {
  return Object.keys(modes)
    .filter((mode) => given?.includes(mode))
    .map((mode) => modes[mode])
    .join(",");
}

function phaseOf({ status = {}, metadata }: Reading["object"]): string {
  return metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating";
}

/** What keeps data. */
export const storageColumns: ColumnsByKind = {
  "/ConfigMap": aged(["Data"], ({ data, binaryData }) => [count(data) + count(binaryData)]),
  "/PersistentVolume": agedWide(
    [
      "Capacity",
      "Access Modes",
      "Reclaim Policy",
      "Status",
      "Claim",
      "StorageClass",
      "VolumeAttributesClass",
      "Reason",
    ],
    ["VolumeMode*"],
    (object) => {
      const { spec = {}, status = {} } = object;
      return {
        narrow: [
          spec.capacity?.storage ?? "",
          modesText(spec.accessModes),
          spec.persistentVolumeReclaimPolicy ?? "",
          phaseOf(object),
          spec.claimRef === undefined ? "" : `${spec.claimRef.namespace}/${spec.claimRef.name}`,
          spec.storageClassName ?? "",
          spec.volumeAttributesClassName ?? unset,
          status.reason ?? "",
        ],
        wide: [spec.volumeMode ?? unset],
      };
    },
  ),
  "/PersistentVolumeClaim": agedWide(
    ["Status", "Volume", "Capacity", "Access Modes", "StorageClass", "VolumeAttributesClass"],
    ["VolumeMode*"],
    (object) => {
      const { spec = {}, status = {} } = object;
      const isBound = (spec.volumeName ?? "") !== "";
      return {
        narrow: [
          phaseOf(object),
          spec.volumeName ?? "",
          isBound ? (status.capacity?.storage ?? "") : "",
          isBound ? modesText(status.accessModes) : "",
          spec.storageClassName ?? "",
          spec.volumeAttributesClassName ?? unset,
        ],
        wide: [spec.volumeMode ?? unset],
      };
    },
  ),
  "/Secret": aged(["Type", "Data"], ({ type = "", data }) => [type, count(data)]),
  "storage.k8s.io/StorageClass": aged(
    ["Provisioner", "ReclaimPolicy", "VolumeBindingMode", "AllowVolumeExpansion"],
    ({ provisioner, reclaimPolicy = "Delete", volumeBindingMode = "Immediate", allowVolumeExpansion = false }) => [
      provisioner,
      reclaimPolicy,
      volumeBindingMode,
      allowVolumeExpansion,
    ],
  ),
};
