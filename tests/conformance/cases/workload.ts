import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";
import { container, podTemplate, selector } from "../pod.ts";

const omit = ["metadata.managedFields"];
const query = { dryRun: "All" };

type Fields = Readonly<Record<string, unknown>>;

function paths(namespace: string): Readonly<Record<string, string>> {
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const batch = `/apis/batch/v1/namespaces/${namespace}`;
  return {
    deployments: `${apps}/deployments`,
    replicasets: `${apps}/replicasets`,
    statefulsets: `${apps}/statefulsets`,
    daemonsets: `${apps}/daemonsets`,
    jobs: `${batch}/jobs`,
    cronjobs: `${batch}/cronjobs`,
    replicationcontrollers: `/api/v1/namespaces/${namespace}/replicationcontrollers`,
  };
}

/** Only what an answer says of its spec, or its refusal. */
async function tries({ send, namespace }: Conversation, resource: string, ...specs: readonly Fields[]): Promise<void> {
  const path = paths(namespace)[resource] ?? "";
  for (const spec of specs) await send("POST", path, { body: { metadata: { name: "w" }, spec }, query, omit });
}

const template = podTemplate();
const workload = { selector, template };
const job = { template: { spec: { containers: [container()], restartPolicy: "Never" } } };

export const area: Area = defineArea("workload", (check) => {
  check("workloads have defaults", async (conversation) => {
    await tries(conversation, "deployments", workload);
    await tries(conversation, "replicasets", workload);
    await tries(conversation, "statefulsets", { ...workload, serviceName: "s" });
    await tries(conversation, "daemonsets", workload);
    await tries(conversation, "replicationcontrollers", { template });
  });

  check("workloads need a selector and a template", async (conversation) => {
    for (const resource of ["deployments", "replicasets", "statefulsets", "daemonsets"]) {
      await tries(conversation, resource, {}, { selector: {}, template });
    }
  });

  check("a selector matches the labels of the template", async (conversation) => {
    const other = podTemplate({}, { app: "b" });
    for (const resource of ["deployments", "replicasets", "statefulsets", "daemonsets"]) {
      await tries(conversation, resource, { selector, template: other });
    }
    await tries(conversation, "replicationcontrollers", { selector: { app: "a" }, template: other });
  });

  check("selectors have known operators with values that fit", async (conversation) => {
    const matchExpressions = [
      { key: "a b", operator: "In", values: [] },
      { key: "a", operator: "Exists", values: ["x"] },
      { key: "a", operator: "X" },
      { key: "a", operator: "NotIn", values: ["x y"] },
    ];
    await tries(conversation, "deployments", { selector: { matchExpressions, matchLabels: { é: "é" } }, template });
  });

  check("a template is a pod that always starts again", async (conversation) => {
    for (const resource of ["deployments", "replicasets", "statefulsets", "daemonsets"]) {
      await tries(conversation, resource, { selector, template: podTemplate({ restartPolicy: "Never" }) });
    }
    await tries(conversation, "deployments", { selector, template: podTemplate({ containers: [{ name: "c" }] }) });
  });

  check("numbers of a Deployment are not negative", async (conversation) => {
    await tries(conversation, "deployments", {
      ...workload,
      replicas: -1,
      minReadySeconds: -1,
      revisionHistoryLimit: -1,
      progressDeadlineSeconds: -1,
    });
    await tries(conversation, "deployments", { ...workload, minReadySeconds: 10, progressDeadlineSeconds: 5 });
  });

  check("strategies of a Deployment", async (conversation) => {
    const strategies = [
      { type: "X" },
      { type: "Recreate", rollingUpdate: { maxSurge: 1 } },
      { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
      { type: "RollingUpdate", rollingUpdate: { maxSurge: "x", maxUnavailable: "101%" } },
      { type: "RollingUpdate", rollingUpdate: { maxSurge: -1, maxUnavailable: "10%" } },
      { type: "Recreate" },
      { rollingUpdate: { maxUnavailable: 2 } },
    ];
    await tries(conversation, "deployments", ...strategies.map((strategy) => ({ ...workload, strategy })));
  });

  check("a selector stays", async ({ send, quietly, namespace }) => {
    const changed = { selector: { matchLabels: { app: "b" } }, template: podTemplate({}, { app: "b" }) };
    for (const resource of ["deployments", "replicasets", "daemonsets"]) {
      const path = paths(namespace)[resource] ?? "";
      await quietly("POST", path, { body: { metadata: { name: "w" }, spec: workload } });
      await send("PATCH", `${path}/w`, { body: { spec: changed } });
    }
  });

  check("a generation counts changes of the spec alone", async ({ send, quietly, namespace }) => {
    for (const resource of ["deployments", "replicasets", "statefulsets", "daemonsets"]) {
      const path = paths(namespace)[resource] ?? "";
      await quietly("POST", path, { body: { metadata: { name: "w" }, spec: { ...workload, serviceName: "s" } } });
      const only = ["metadata.generation", "message"];
      await send("PATCH", `${path}/w`, { body: { metadata: { labels: { a: "b" } } }, only });
      await send("PATCH", `${path}/w/status`, { body: { status: { observedGeneration: 1 } }, only });
      await send("PATCH", `${path}/w`, { body: { spec: { minReadySeconds: 3 } }, only });
      await send("PATCH", `${path}/w`, { body: { spec: { minReadySeconds: 3 } }, only });
    }
  });

  check("a status is dropped at creation, and written by itself", async ({ send, namespace }) => {
    const path = paths(namespace).deployments ?? "";
    const body = { metadata: { name: "w" }, spec: workload, status: { replicas: 3 } };
    await send("POST", path, { body, omit });
    await send("PATCH", `${path}/w`, { body: { status: { replicas: 3 } }, omit });
    await send("PATCH", `${path}/w/status`, { body: { status: { replicas: 3 }, spec: { replicas: 9 } }, omit });
    await send("PATCH", `${path}/w/status`, { body: { status: { replicas: -3, readyReplicas: 4 } } });
  });

  check("a StatefulSet's volume claims", async (conversation) => {
    const claim = (name: string, spec: Fields = {}): Fields => ({ metadata: { name }, spec });
    const size = { resources: { requests: { storage: "1Gi" } } };
    await tries(
      conversation,
      "statefulsets",
      { ...workload, volumeClaimTemplates: [claim("d", { accessModes: ["ReadWriteOnce"], ...size })] },
      { ...workload, volumeClaimTemplates: [claim("d")] },
      { ...workload, volumeClaimTemplates: [claim("A_b", size)] },
    );
  });

  check("a StatefulSet changes in a few fields", async ({ send, quietly, namespace }) => {
    const path = paths(namespace).statefulsets ?? "";
    await quietly("POST", path, { body: { metadata: { name: "w" }, spec: { ...workload, serviceName: "s" } } });
    await send("PATCH", `${path}/w`, { body: { spec: { serviceName: "t", podManagementPolicy: "Parallel" } } });
    await send("PATCH", `${path}/w`, { body: { spec: { replicas: 3, minReadySeconds: 1 } }, only: ["spec.replicas"] });
  });

  check("strategies of a StatefulSet and a DaemonSet", async (conversation) => {
    const updateStrategies = [
      { type: "X" },
      { type: "OnDelete", rollingUpdate: { partition: 1 } },
      { type: "RollingUpdate", rollingUpdate: { partition: -1 } },
    ];
    await tries(conversation, "statefulsets", ...updateStrategies.map((one) => ({ ...workload, updateStrategy: one })));
    const rolling = [
      { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0 } },
      { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
      { type: "X" },
      { type: "OnDelete" },
    ];
    await tries(conversation, "daemonsets", ...rolling.map((one) => ({ ...workload, updateStrategy: one })));
  });

  check("a Job's selector and labels come from the server", async (conversation) => {
    await tries(conversation, "jobs", job);
  });

  check("a Job's own selector is a mistake unless it is said to be manual", async (conversation) => {
    await tries(conversation, "jobs", { ...job, selector }, { ...job, selector, manualSelector: true });
    await tries(conversation, "jobs", {
      template: podTemplate({ restartPolicy: "OnFailure" }),
      selector,
      manualSelector: true,
    });
  });

  check("a Job's pods end", async (conversation) => {
    await tries(
      conversation,
      "jobs",
      { template: { spec: { containers: [container()] } } },
      { template: { spec: { containers: [container()], restartPolicy: "Always" } } },
      { ...job, parallelism: -1, completions: -1, activeDeadlineSeconds: -1, backoffLimit: -1 },
      { ...job, completionMode: "X", ttlSecondsAfterFinished: -1 },
      { ...job, completionMode: "Indexed" },
      { ...job, completions: 3, completionMode: "Indexed", parallelism: 2, suspend: true },
    );
  });

  check("a Job's policies for failures", async (conversation) => {
    const onExitCodes = { operator: "In", values: [1] };
    await tries(
      conversation,
      "jobs",
      { ...job, podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes }] } },
      { ...job, podFailurePolicy: { rules: [{ action: "X" }, { action: "Ignore", onExitCodes: { operator: "X" } }] } },
      { ...job, podReplacementPolicy: "X" },
      { ...job, backoffLimitPerIndex: 1 },
    );
  });

  check("a Job changes in a few fields", async ({ send, quietly, namespace }) => {
    const path = paths(namespace).jobs ?? "";
    await quietly("POST", path, { body: { metadata: { name: "w" }, spec: job } });
    await send("PATCH", `${path}/w`, { body: { spec: { completions: 4, completionMode: "Indexed" } } });
    await send("PATCH", `${path}/w`, { body: { spec: { parallelism: 4, suspend: true } }, only: ["spec.parallelism"] });
    await send("PATCH", `${path}/w`, {
      body: { spec: { selector: { matchLabels: { app: "b" } } } },
      view: ({ message, details }) => [message, details?.causes?.length],
    });
  });

  check("a CronJob has defaults", async (conversation) => {
    await tries(conversation, "cronjobs", { schedule: "*/5 * * * *", jobTemplate: { spec: job } });
  });

  check("a CronJob's schedule is one of cron", async (conversation) => {
    const schedules = [
      "",
      "x",
      "* * * *",
      "60 * * * *",
      "* * * * 8",
      "*/0 * * * *",
      "@daily",
      "@every 1h",
      "@x",
      "5-1 * * * *",
    ];
    for (const schedule of schedules) {
      const { send, namespace } = conversation;
      const body = { metadata: { name: "w" }, spec: { schedule, jobTemplate: { spec: job } } };
      await send("POST", paths(namespace).cronjobs ?? "", { body, query, only: ["message", "spec.schedule"] });
    }
  });

  check("a CronJob's zone and schedule are apart", async (conversation) => {
    const { send, namespace } = conversation;
    const jobTemplate = { spec: job };
    for (const spec of [
      { schedule: "TZ=UTC 0 * * * *", jobTemplate },
      { schedule: "0 * * * *", timeZone: "Europe/Berlin", jobTemplate },
      { schedule: "0 * * * *", timeZone: "Nowhere/Land", jobTemplate },
      { schedule: "0 * * * *", timeZone: "", jobTemplate },
      { schedule: "0 * * * *", timeZone: "Local", jobTemplate },
    ]) {
      const only = ["message", "spec.schedule", "spec.timeZone"];
      await send("POST", paths(namespace).cronjobs ?? "", { body: { metadata: { name: "w" }, spec }, query, only });
    }
  });

  check("a CronJob's other fields", async (conversation) => {
    const { send, namespace } = conversation;
    const path = paths(namespace).cronjobs ?? "";
    const jobTemplate = { spec: job };
    await tries(conversation, "cronjobs", {
      schedule: "0 * * * *",
      jobTemplate,
      concurrencyPolicy: "X",
      startingDeadlineSeconds: -1,
      successfulJobsHistoryLimit: -1,
      failedJobsHistoryLimit: -1,
    });
    const body = { metadata: { name: "x".repeat(53) }, spec: { schedule: "0 * * * *", jobTemplate } };
    await send("POST", path, { body, query });
    const always = { spec: { template: { spec: { containers: [container()], restartPolicy: "Always" } } } };
    await tries(conversation, "cronjobs", { schedule: "0 * * * *", jobTemplate: always });
  });

  check("a ControllerRevision's data stays", async ({ send, namespace }) => {
    const path = `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`;
    await send("POST", path, { body: { metadata: { name: "a" }, revision: -1 } });
    await send("POST", path, { body: { metadata: { name: "a" }, revision: 1, data: { a: 1 } }, omit });
    await send("PATCH", `${path}/a`, { body: { data: { a: 2 } } });
    await send("PATCH", `${path}/a`, { body: { revision: 2 }, omit });
  });
});
