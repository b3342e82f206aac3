import { configMapStrategy, secretStrategy } from "./built-in/config.ts";
import { daemonSetStrategy } from "./built-in/daemon-set.ts";
import { deploymentStrategy } from "./built-in/deployment.ts";
import { eventStrategy } from "./built-in/event.ts";
import { cronJobStrategy, jobStrategy } from "./built-in/job.ts";
import { leaseStrategy } from "./built-in/lease.ts";
import { namespaceStrategy } from "./built-in/namespace.ts";
import { podStrategy } from "./built-in/pod.ts";
import { podTemplateStrategy } from "./built-in/pod-template.ts";
import { replicaSetStrategy, replicationControllerStrategy } from "./built-in/replica-set.ts";
import { clusterRoleBindingStrategy, clusterRoleStrategy, roleBindingStrategy, roleStrategy } from "./built-in/role.ts";
import { serviceAccountStrategy } from "./built-in/service-account.ts";
import { controllerRevisionStrategy, statefulSetStrategy } from "./built-in/stateful-set.ts";
import type { Strategy } from "./strategy.ts";

/** By group and Kind. */
const strategies: ReadonlyMap<string, Strategy> = new Map(
  Object.entries({
    "/ConfigMap": configMapStrategy,
    "/Event": eventStrategy,
    "/Namespace": namespaceStrategy,
    "/Pod": podStrategy,
    "/PodTemplate": podTemplateStrategy,
    "/ReplicationController": replicationControllerStrategy,
    "/Secret": secretStrategy,
    "/ServiceAccount": serviceAccountStrategy,
    "apps/ControllerRevision": controllerRevisionStrategy,
    "apps/DaemonSet": daemonSetStrategy,
    "apps/Deployment": deploymentStrategy,
    "apps/ReplicaSet": replicaSetStrategy,
    "apps/StatefulSet": statefulSetStrategy,
    "batch/CronJob": cronJobStrategy,
    "batch/Job": jobStrategy,
    "coordination.k8s.io/Lease": leaseStrategy,
    "events.k8s.io/Event": eventStrategy,
    "rbac.authorization.k8s.io/ClusterRole": clusterRoleStrategy,
    "rbac.authorization.k8s.io/ClusterRoleBinding": clusterRoleBindingStrategy,
    "rbac.authorization.k8s.io/Role": roleStrategy,
    "rbac.authorization.k8s.io/RoleBinding": roleBindingStrategy,
  }),
);

const plain: Strategy = {};

/** The strategy of a built-in kind; one without rules of its own for a kind that has none here. */
export function strategyOf(group: string, kind: string): Strategy {
  return strategies.get(`${group}/${kind}`) ?? plain;
}
