import {
  validatingAdmissionPolicyBindingStrategy,
  validatingAdmissionPolicyStrategy,
} from "./built-in/admission-policy.ts";
import { horizontalPodAutoscalerStrategy } from "./built-in/autoscaler.ts";
import { persistentVolumeClaimStrategy } from "./built-in/claim.ts";
import { configMapStrategy, secretStrategy } from "./built-in/config.ts";
import { cronJobStrategy } from "./built-in/cron-job.ts";
import { daemonSetStrategy } from "./built-in/daemon-set.ts";
import { deploymentStrategy } from "./built-in/deployment.ts";
import { podDisruptionBudgetStrategy } from "./built-in/disruption-budget.ts";
import { endpointSliceStrategy, endpointsStrategy } from "./built-in/endpoint.ts";
import { eventStrategy } from "./built-in/event.ts";
import { ingressClassStrategy, ingressStrategy } from "./built-in/ingress.ts";
import { jobStrategy } from "./built-in/job.ts";
import { leaseStrategy } from "./built-in/lease.ts";
import { namespaceStrategy } from "./built-in/namespace.ts";
import { networkPolicyStrategy } from "./built-in/network-policy.ts";
import { nodeStrategy } from "./built-in/node.ts";
import { podStrategy } from "./built-in/pod.ts";
import { podTemplateStrategy } from "./built-in/pod-template.ts";
import { priorityClassStrategy } from "./built-in/priority-class.ts";
import { replicaSetStrategy, replicationControllerStrategy } from "./built-in/replica-set.ts";
import { limitRangeStrategy, resourceQuotaStrategy } from "./built-in/resource-limit.ts";
import { clusterRoleBindingStrategy, clusterRoleStrategy, roleBindingStrategy, roleStrategy } from "./built-in/role.ts";
import { serviceStrategy } from "./built-in/service.ts";
import { serviceAccountStrategy } from "./built-in/service-account.ts";
import { controllerRevisionStrategy, statefulSetStrategy } from "./built-in/stateful-set.ts";
import { storageClassStrategy } from "./built-in/storage-class.ts";
import { persistentVolumeStrategy } from "./built-in/volume.ts";
import { mutatingWebhookStrategy, validatingWebhookStrategy } from "./built-in/webhook-configuration.ts";
import { definitionStrategy } from "./definition/definition-strategy.ts";
import { withNilFields } from "./nil-field.ts";
import type { Strategy } from "./strategy.ts";

/** By group and Kind. In schemas of definitions null is a value. */
const strategies: ReadonlyMap<string, Strategy> = new Map(
  Object.entries<Strategy>({
    "/ConfigMap": configMapStrategy,
    "/Endpoints": endpointsStrategy,
    "/Event": eventStrategy,
    "/LimitRange": limitRangeStrategy,
    "/Namespace": namespaceStrategy,
    "/Node": nodeStrategy,
    "/PersistentVolume": persistentVolumeStrategy,
    "/PersistentVolumeClaim": persistentVolumeClaimStrategy,
    "/Pod": podStrategy,
    "/PodTemplate": podTemplateStrategy,
    "/ReplicationController": replicationControllerStrategy,
    "/ResourceQuota": resourceQuotaStrategy,
    "/Secret": secretStrategy,
    "/Service": serviceStrategy,
    "/ServiceAccount": serviceAccountStrategy,
    "admissionregistration.k8s.io/MutatingWebhookConfiguration": mutatingWebhookStrategy,
    "admissionregistration.k8s.io/ValidatingAdmissionPolicy": validatingAdmissionPolicyStrategy,
    "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": validatingAdmissionPolicyBindingStrategy,
    "admissionregistration.k8s.io/ValidatingWebhookConfiguration": validatingWebhookStrategy,
    "apiextensions.k8s.io/CustomResourceDefinition": definitionStrategy,
    "apps/ControllerRevision": controllerRevisionStrategy,
    "apps/DaemonSet": daemonSetStrategy,
    "apps/Deployment": deploymentStrategy,
    "apps/ReplicaSet": replicaSetStrategy,
    "apps/StatefulSet": statefulSetStrategy,
    "autoscaling/HorizontalPodAutoscaler": horizontalPodAutoscalerStrategy,
    "batch/CronJob": cronJobStrategy,
    "batch/Job": jobStrategy,
    "coordination.k8s.io/Lease": leaseStrategy,
    "discovery.k8s.io/EndpointSlice": endpointSliceStrategy,
    "events.k8s.io/Event": eventStrategy,
    "networking.k8s.io/Ingress": ingressStrategy,
    "networking.k8s.io/IngressClass": ingressClassStrategy,
    "networking.k8s.io/NetworkPolicy": networkPolicyStrategy,
    "policy/PodDisruptionBudget": podDisruptionBudgetStrategy,
    "rbac.authorization.k8s.io/ClusterRole": clusterRoleStrategy,
    "rbac.authorization.k8s.io/ClusterRoleBinding": clusterRoleBindingStrategy,
    "rbac.authorization.k8s.io/Role": roleStrategy,
    "rbac.authorization.k8s.io/RoleBinding": roleBindingStrategy,
    "scheduling.k8s.io/PriorityClass": priorityClassStrategy,
    "storage.k8s.io/StorageClass": storageClassStrategy,
  }).map(([kind, strategy]) => [kind, strategy === definitionStrategy ? strategy : withNilFields(strategy)]),
);

const plain: Strategy = {};

/** The strategy of a built-in kind; one without rules of its own for a kind that has none here. */
export function strategyOf(group: string, kind: string): Strategy {
  return strategies.get(`${group}/${kind}`) ?? plain;
}
