import { rbacGroup } from "../authorize/rbac-grants.ts";
import { type PolicyRule, rulesOf } from "../authorize/rbac-rule.ts";
import type { StoredObject } from "../registry/api-object.ts";
import { type LabelSelector, selects } from "../registry/label-selector.ts";
import type { GroupResource } from "../registry/object-reader.ts";
import { isOf, type ObservedChange } from "./cluster-access.ts";
import type { Controller, ControllerPorts } from "./controller.ts";
import { createKeyWorker } from "./key-worker.ts";

const clusterRoles: GroupResource = { group: rbacGroup, resource: "clusterroles" };
const fieldManager = "clusterrole-aggregation-controller";

/** Fills ClusterRoles that have an aggregation rule with the rules of the roles that it selects. */
export function aggregateRoles({ access, clock, onFailure }: ControllerPorts): Controller {
  const worker = createKeyWorker({ clock, onFailure, work: (name) => aggregate(name) });

  const addAll = (): void => {
    for (const role of access.list(clusterRoles))
      if (role.aggregationRule !== undefined) worker.add(role.metadata.name);
  };
  const observe = (change: ObservedChange): void => {
    if (isOf(change, clusterRoles)) addAll();
  };
  const aggregate = async (name: string): Promise<void> => {
    const role = access.find(clusterRoles, { name });
    if (role === undefined || role.aggregationRule === undefined) return;
    const rules = aggregatedRules(role, access.list(clusterRoles));
    if (JSON.stringify(rulesOf(role)) === JSON.stringify(rules)) return;
    const { apiVersion, kind } = role;
    await access.apply(clusterRoles, { apiVersion, kind, metadata: { name }, rules }, fieldManager);
  };
  addAll();
  const watching = access.watchAll(observe);
  return {
    readAll: addAll,
    async [Symbol.asyncDispose](): Promise<void> {
      watching[Symbol.dispose]();
      await worker[Symbol.asyncDispose]();
    },
  };
}

/** Of the selected roles by name, each rule once. */
function aggregatedRules(role: StoredObject, roles: readonly StoredObject[]): readonly PolicyRule[] {
  const { clusterRoleSelectors = [] } = role.aggregationRule as {
    readonly clusterRoleSelectors?: readonly LabelSelector[];
  };
  const rules = new Map<string, PolicyRule>();
  for (const selector of clusterRoleSelectors) {
    for (const other of roles) {
      if (other.metadata.name === role.metadata.name || !selects(selector, other.metadata.labels)) continue;
      for (const rule of rulesOf(other)) rules.set(JSON.stringify(rule), rule);
    }
  }
  return [...rules.values()];
}
