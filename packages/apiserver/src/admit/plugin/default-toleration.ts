import { draftSpec } from "../built-in/object-kind.ts";
import { type AdmissionPlugin, writtenObject } from "./admission-plugin.ts";

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

interface Taint {
  readonly key?: string;
  readonly effect?: string;
}

const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";

/** Pods stay for five minutes on a node that is not well, unless they say otherwise. */
export const defaultTolerations: AdmissionPlugin = {
  admit(attributes): void {
    const pod = writtenObject(attributes, "", "pods");
    if (pod === undefined) return;
    const spec = draftSpec<{ tolerations?: Toleration[] }>(pod);
    const given = spec.tolerations ?? [];
    const isTolerated = (taint: string): boolean =>
      given.some(
        ({ key = "", effect = "" }) => (key === taint || key === "") && (effect === "NoExecute" || effect === ""),
      );
    const added = [notReady, unreachable]
      .filter((taint) => !isTolerated(taint))
      .map((key): Toleration => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
    if (added.length > 0) spec.tolerations = [...given, ...added];
  },
};

/** Nothing is scheduled to a new node before it is known to be well. */
export const newNodeTaint: AdmissionPlugin = {
  admit(attributes): void {
    const node = attributes.operation === "CREATE" ? writtenObject(attributes, "", "nodes") : undefined;
    if (node === undefined) return;
    const spec = draftSpec<{ taints?: Taint[] }>(node);
    const taints = spec.taints ?? [];
    if (taints.some(({ key, effect }) => key === notReady && effect === "NoSchedule")) return;
    spec.taints = [...taints, { key: notReady, effect: "NoSchedule" }];
  },
};
