import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import type { GroupResource } from "../registry/object-reader.ts";
import { isOf, type ObservedChange } from "./cluster-access.ts";
import type { Controller, ControllerPorts } from "./controller.ts";
import { createKeyWorker } from "./key-worker.ts";

export interface FurnishNamespacesOptions extends ControllerPorts {
  /** PEM of the authority that signed the server's certificate; empty where it has none. */
  readonly rootCertificate: string;
}

const namespaces: GroupResource = { group: "", resource: "namespaces" };
const serviceAccounts: GroupResource = { group: "", resource: "serviceaccounts" };
const configMaps: GroupResource = { group: "", resource: "configmaps" };
const accountName = "default";
const certificateName = "kube-root-ca.crt";
const descriptionKey = "kubernetes.io/description";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/**
 * Keeps in each namespace the service account `default` and the ConfigMap `kube-root-ca.crt`, and puts back what is
 * taken or changed.
 */
export function furnishNamespaces(options: FurnishNamespacesOptions): Controller {
  const { access, clock, onFailure, rootCertificate } = options;
  const worker = createKeyWorker({ clock, onFailure, work: (name) => furnish(name) });

  const observe = (change: ObservedChange): void => {
    const { type, object } = change;
    const { name, namespace } = object.metadata;
    if (isOf(change, namespaces)) {
      if (type !== "DELETED") worker.add(name);
    } else if (namespace === undefined) return;
    else if (name === accountName && isOf(change, serviceAccounts)) {
      if (type === "DELETED") worker.add(namespace);
    } else if (name === certificateName && isOf(change, configMaps)) worker.add(namespace);
  };

  const furnish = async (name: string): Promise<void> => {
    const namespace = access.find(namespaces, { name });
    if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return;
    if (access.find(serviceAccounts, { namespace: name, name: accountName }) === undefined) {
      const metadata = { name: accountName, namespace: name };
      await access.create(serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    }
    await publish(name);
  };

  const publish = async (namespace: string): Promise<void> => {
    const found = access.find(configMaps, { namespace, name: certificateName });
    const data = { "ca.crt": rootCertificate };
    if (found === undefined) {
      await access.create(configMaps, certificateMap(namespace, data));
    } else if (!isPublished(found, rootCertificate)) {
      const { resourceVersion, annotations } = found.metadata;
      const told = { ...annotations, [descriptionKey]: description };
      const stray = Object.keys((found.data ?? {}) as object).filter((key) => key !== "ca.crt");
      const patch = {
        metadata: { resourceVersion, annotations: told },
        data: { ...Object.fromEntries(stray.map((key) => [key, null])), ...data },
      };
      await access.patch(configMaps, { namespace, name: certificateName }, patch);
    }
  };

  const readAll = (): void => {
    for (const object of access.list(namespaces)) worker.add(object.metadata.name);
  };
  readAll();
  const watching = access.watchAll(observe);
  return {
    readAll,
    async [Symbol.asyncDispose](): Promise<void> {
      watching[Symbol.dispose]();
      await worker[Symbol.asyncDispose]();
    },
  };
}

function certificateMap(namespace: string, data: Readonly<Record<string, string>>): DraftObject {
  const annotations = { [descriptionKey]: description };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: certificateName, namespace, annotations }, data };
}

function isPublished({ data, metadata }: StoredObject, certificate: string): boolean {
  const entries = Object.entries((data ?? {}) as Readonly<Record<string, unknown>>);
  const isSame = entries.length === 1 && entries[0]?.[0] === "ca.crt" && entries[0][1] === certificate;
  return isSame && metadata.annotations?.[descriptionKey] !== undefined;
}
