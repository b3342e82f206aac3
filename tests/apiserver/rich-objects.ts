/**
 * An object of each stored built-in kind with fields of every sort that the kind has: pointers that are zero, empty lists,
 * times, quantities, maps, bytes, numbers or names of ports. The real server takes them all in the order in which they stand.
 */
export const richObjects: readonly RichObject[] = [
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "rich",
      labels: { a: "b", c: "" },
      annotations: { "x/y": "1" },

      ownerReferences: [
        { apiVersion: "v1", kind: "Namespace", name: "n", uid: "u", controller: false, blockOwnerDeletion: true },
      ],
    },
    data: { one: "1", empty: "", uni: "häß ☃ 𝄞" },
    binaryData: { b: "AAEC/w==", none: "" },
    immutable: false,
  },
  {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "rich" },
    type: "Opaque",
    data: { k: "c2VjcmV0", empty: "" },
    stringData: { s: "text" },
  },
  {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "rich-endpoints" },
    subsets: [
      {
        addresses: [{ ip: "10.1.1.1", hostname: "h", nodeName: "n", targetRef: { kind: "Pod", name: "p" } }],
        notReadyAddresses: [{ ip: "10.1.1.2" }],
        ports: [
          { name: "p", port: 80 },
          { name: "q", port: 81, protocol: "UDP", appProtocol: "x" },
        ],
      },
    ],
  },
  {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "rich" },
    involvedObject: {
      kind: "Pod",
      name: "p",
      namespace: "NAMESPACE",
      uid: "u",
      apiVersion: "v1",
      resourceVersion: "1",
      fieldPath: "spec.containers{c}",
    },
    reason: "r",
    message: "m",
    source: { component: "c", host: "h" },
    firstTimestamp: "2024-01-01T00:00:00Z",
    lastTimestamp: "2024-01-02T03:04:05Z",
    count: 3,
    type: "Warning",
  },
  {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "richer" },
    regarding: { kind: "Pod", name: "p", namespace: "NAMESPACE" },
    related: { kind: "Node", name: "n" },
    reason: "r",
    note: "m",
    action: "a",
    type: "Normal",
    eventTime: "2024-01-01T00:00:01.000123Z",
    series: { count: 2, lastObservedTime: "2024-01-01T00:00:02.100000Z" },
    reportingController: "c/x",
    reportingInstance: "i",
  },
  {
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "rich" },
    spec: {
      limits: [
        {
          type: "Container",
          max: { cpu: "2" },
          min: { cpu: "100m" },
          default: { cpu: "1" },
          defaultRequest: { cpu: "500m" },
          maxLimitRequestRatio: { cpu: "10" },
        },
      ],
    },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "rich" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1.5Gi" } },
      storageClassName: "",
      volumeMode: "Block",
      volumeName: "v",
      selector: { matchLabels: { a: "b" }, matchExpressions: [{ key: "k", operator: "In", values: ["v"] }] },
      dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" },
    },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "rich-farwatch" },
    spec: {
      capacity: { storage: "10Gi" },
      accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
      persistentVolumeReclaimPolicy: "Retain",
      csi: {
        driver: "d.example.dev",
        volumeHandle: "h",
        readOnly: true,
        fsType: "ext4",
        volumeAttributes: { a: "b" },
        nodeStageSecretRef: { name: "s", namespace: "n" },
      },
      mountOptions: ["ro"],
      claimRef: { namespace: "NAMESPACE", name: "rich" },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "k", operator: "Exists" }] }] } },
    },
  },
  {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "rich" },
    automountServiceAccountToken: false,
    secrets: [{ name: "s" }],
    imagePullSecrets: [{ name: "i" }],
  },
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "rich-farwatch" },
    value: -5,
    globalDefault: false,
    preemptionPolicy: "Never",
    description: "d",
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "rich", labels: { app: "a" } },
    spec: {
      serviceAccountName: "rich",
      automountServiceAccountToken: false,
      priorityClassName: "rich-farwatch",
      restartPolicy: "OnFailure",
      terminationGracePeriodSeconds: 9,
      activeDeadlineSeconds: 600,
      dnsPolicy: "None",
      dnsConfig: { nameservers: ["1.1.1.1"], searches: ["s"], options: [{ name: "ndots", value: "2" }, { name: "x" }] },
      nodeSelector: { a: "b" },
      hostname: "h",
      subdomain: "s",
      enableServiceLinks: false,
      shareProcessNamespace: true,
      setHostnameAsFQDN: false,
      hostAliases: [{ ip: "127.0.0.1", hostnames: ["a", "b"] }],
      tolerations: [
        { key: "k", operator: "Equal", value: "v", effect: "NoExecute", tolerationSeconds: 0 },
        { operator: "Exists" },
      ],
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "t",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: {},
          minDomains: 1,
          matchLabelKeys: ["x"],
        },
      ],
      readinessGates: [{ conditionType: "c" }],
      securityContext: {
        runAsUser: 0,
        runAsNonRoot: false,
        fsGroup: 2000,
        supplementalGroups: [1, 2, 2147483647],
        sysctls: [{ name: "kernel.shm_rmid_forced", value: "0" }],
        seccompProfile: { type: "Localhost", localhostProfile: "p" },
        seLinuxOptions: { level: "l" },
      },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 3, preference: { matchExpressions: [{ key: "k", operator: "Gt", values: ["1"] }] } },
          ],
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              podAffinityTerm: { topologyKey: "t", namespaceSelector: {}, labelSelector: { matchLabels: { a: "b" } } },
            },
          ],
        },
      },
      initContainers: [
        { name: "i", image: "i", restartPolicy: "Always", command: ["a", "b"], args: ["c"], workingDir: "/w" },
      ],
      containers: [
        {
          name: "c",
          image: "img:1",
          imagePullPolicy: "Always",
          stdin: true,
          stdinOnce: true,
          tty: true,
          terminationMessagePath: "/t",
          terminationMessagePolicy: "FallbackToLogsOnError",
          ports: [
            { name: "http", containerPort: 8080 },
            { containerPort: 53, hostPort: 53, protocol: "UDP", hostIP: "127.0.0.1" },
          ],
          env: [
            { name: "A", value: "v" },
            { name: "EMPTY" },
            { name: "F", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
            {
              name: "R",
              valueFrom: { resourceFieldRef: { containerName: "c", resource: "limits.cpu", divisor: "1m" } },
            },
            { name: "S", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: false } } },
            { name: "M", valueFrom: { configMapKeyRef: { name: "s", key: "k", optional: true } } },
          ],
          envFrom: [{ prefix: "P_", configMapRef: { name: "m" } }, { secretRef: { name: "s", optional: true } }],
          resources: {
            limits: { cpu: "0.5", memory: "1Gi", "example.dev/gpu": "1" },
            requests: { cpu: "1e-1", memory: 128974848 },
          },
          resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }],
          livenessProbe: {
            httpGet: { path: "/h", port: "http", httpHeaders: [{ name: "n", value: "v" }], host: "h", scheme: "HTTPS" },
            initialDelaySeconds: 0,
            failureThreshold: 2,
            terminationGracePeriodSeconds: 5,
          },
          readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 7 },
          startupProbe: { grpc: { port: 9, service: "" } },
          lifecycle: { postStart: { exec: { command: ["x"] } }, preStop: { sleep: { seconds: 1 } } },
          securityContext: {
            privileged: false,
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { add: ["A"], drop: ["ALL"] },
            procMount: "Default",
          },
          volumeMounts: [
            { name: "e", mountPath: "/e", readOnly: true, subPath: "s", mountPropagation: "None" },
            { name: "p", mountPath: "/p" },
            { name: "s", mountPath: "/s", subPathExpr: "$(A)" },
          ],
          volumeDevices: [{ name: "claim", devicePath: "/d" }],
        },
      ],
      volumes: [
        { name: "e", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
        { name: "bare", emptyDir: {} },
        {
          name: "s",
          secret: { secretName: "s", defaultMode: 0, items: [{ key: "k", path: "p", mode: 256 }], optional: false },
        },
        { name: "m", configMap: { name: "m" } },
        { name: "h", hostPath: { path: "/x", type: "" } },
        { name: "claim", persistentVolumeClaim: { claimName: "c", readOnly: true } },
        {
          name: "p",
          projected: {
            defaultMode: 420,
            sources: [
              { serviceAccountToken: { audience: "a", expirationSeconds: 600, path: "t" } },
              { downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
              { configMap: { name: "m", items: [{ key: "k", path: "p" }] } },
            ],
          },
        },
        {
          name: "ephemeral",
          ephemeral: {
            volumeClaimTemplate: {
              metadata: { labels: { a: "b" } },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          },
        },
        { name: "nfs", nfs: { server: "s", path: "/p" } },
        { name: "iscsi", iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2001-04.com.example:x", lun: 0 } },
      ],
    },
  },
  {
    apiVersion: "v1",
    kind: "PodTemplate",
    metadata: { name: "rich" },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
  {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name: "rich" },
    spec: {
      replicas: 0,
      minReadySeconds: 1,
      selector: { a: "b" },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  },
  {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "rich" },
    spec: {
      hard: { cpu: "1", pods: "10" },
      scopes: ["Terminating"],
      scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["a"] }] },
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "rich" },
    spec: {
      type: "NodePort",
      selector: { a: "b" },
      ports: [
        { name: "a", port: 80, targetPort: "http", appProtocol: "x" },
        { name: "b", port: 81, targetPort: 8081, protocol: "UDP" },
      ],
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } },
      externalIPs: ["1.2.3.4"],
      publishNotReadyAddresses: true,
      externalTrafficPolicy: "Local",
    },
  },
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "rich-farwatch", labels: { a: "b" } } },
  {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "rich-farwatch" },
    spec: {
      podCIDR: "10.9.0.0/24",
      podCIDRs: ["10.9.0.0/24"],
      providerID: "p",
      unschedulable: true,
      taints: [{ key: "k", value: "v", effect: "NoSchedule", timeAdded: "2024-01-01T00:00:00Z" }],
    },
    status: {
      capacity: { cpu: "4", memory: "1Gi" },
      allocatable: { cpu: "3500m" },
      conditions: [
        {
          type: "Ready",
          status: "True",
          lastHeartbeatTime: "2024-01-01T00:00:00Z",
          lastTransitionTime: "2024-01-01T00:00:00Z",
          reason: "r",
          message: "m",
        },
      ],
      addresses: [{ type: "InternalIP", address: "1.2.3.4" }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        machineID: "m",
        systemUUID: "s",
        bootID: "b",
        kernelVersion: "k",
        osImage: "o",
        containerRuntimeVersion: "c",
        kubeletVersion: "v",
        kubeProxyVersion: "",
        operatingSystem: "linux",
        architecture: "amd64",
      },
      images: [{ names: ["a", "b"], sizeBytes: 5000000000 }],
      volumesInUse: ["v"],
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: { name: "rich" },
    revision: 7,
    data: { spec: { any: [1, { thing: null }] } },
  },
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "rich" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%", maxSurge: 0 } },
      minReadySeconds: 1,
      revisionHistoryLimit: 0,
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "rich" },
    spec: {
      replicas: 0,
      paused: true,
      progressDeadlineSeconds: 100,
      revisionHistoryLimit: 0,
      strategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: "25%" } },
      selector: { matchLabels: { a: "b" }, matchExpressions: [{ key: "a", operator: "Exists" }] },
      template: {
        metadata: { labels: { a: "b" }, annotations: {} },
        spec: { containers: [{ name: "c", image: "i" }] },
      },
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "rich" },
    spec: {
      replicas: 0,
      minReadySeconds: 2,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "rich" },
    spec: {
      serviceName: "s",
      replicas: 0,
      podManagementPolicy: "Parallel",
      ordinals: { start: 3 },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      selector: { matchLabels: { a: "b" } },
      volumeClaimTemplates: [
        {
          metadata: { name: "v" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "rich" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" },
      maxReplicas: 5,
      metrics: [
        { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "100Mi" } } },
        {
          type: "Pods",
          pods: {
            metric: { name: "p", selector: { matchLabels: { a: "b" } } },
            target: { type: "AverageValue", averageValue: "3" },
          },
        },
        {
          type: "Object",
          object: {
            describedObject: { kind: "Service", name: "s", apiVersion: "v1" },
            metric: { name: "o" },
            target: { type: "Value", value: "10k" },
          },
        },
        {
          type: "External",
          external: {
            metric: { name: "e", selector: { matchExpressions: [{ key: "k", operator: "In", values: ["v"] }] } },
            target: { type: "Value", value: "7" },
          },
        },
        {
          type: "ContainerResource",
          containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 60 } },
        },

        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
      behavior: {
        scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] },
      },
    },
  },
  {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "rich-1" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" },
      minReplicas: 2,
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 44,
    },
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "rich" },
    spec: {
      schedule: "*/5 * * * *",
      timeZone: "Etc/UTC",
      startingDeadlineSeconds: 0,
      concurrencyPolicy: "Forbid",
      suspend: true,
      successfulJobsHistoryLimit: 0,
      jobTemplate: {
        metadata: { labels: { a: "b" } },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
      },
    },
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "rich" },
    spec: {
      parallelism: 0,
      completions: 3,
      completionMode: "Indexed",
      backoffLimit: 0,
      suspend: false,
      ttlSecondsAfterFinished: 0,
      activeDeadlineSeconds: 5,
      podReplacementPolicy: "Failed",
      podFailurePolicy: {
        rules: [
          { action: "FailJob", onExitCodes: { containerName: "c", operator: "In", values: [1, 42] } },
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
        ],
      },
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } },
    },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name: "rich-farwatch" },
    spec: {
      controller: "example.dev/c",
      parameters: { apiGroup: "g.dev", kind: "K", name: "n", scope: "Namespace", namespace: "x" },
    },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "rich" },
    spec: {
      ingressClassName: "rich-farwatch",
      defaultBackend: { service: { name: "s", port: { number: 80 } } },
      tls: [{ hosts: ["h.dev"], secretName: "s" }],
      rules: [
        {
          host: "h.dev",
          http: {
            paths: [
              { path: "/a", pathType: "Prefix", backend: { service: { name: "s", port: { name: "http" } } } },
              { path: "/b", pathType: "Exact", backend: { resource: { apiGroup: "g.dev", kind: "K", name: "n" } } },
            ],
          },
        },
      ],
    },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "rich" },
    spec: {
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
      ingress: [
        {
          from: [
            { podSelector: { matchLabels: { a: "b" } } },
            { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } },
          ],
          ports: [{ port: "http" }, { protocol: "UDP", port: 53, endPort: 60 }],
        },
      ],
      egress: [{}],
    },
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "rich" },
    spec: { minAvailable: "50%", selector: { matchLabels: { a: "b" } }, unhealthyPodEvictionPolicy: "AlwaysAllow" },
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "rich-farwatch" },
    rules: [
      { apiGroups: [""], resources: ["pods", "pods/log"], verbs: ["get"], resourceNames: ["a"] },
      { nonResourceURLs: ["/healthz"], verbs: ["get"] },
    ],
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "rich-farwatch" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "rich-farwatch" },
    subjects: [
      { kind: "User", name: "u" },
      { kind: "ServiceAccount", name: "s", namespace: "n" },
    ],
  },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "rich" } },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "rich" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "rich" },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "rich-farwatch" },
    provisioner: "p.dev",
    parameters: { a: "b" },
    reclaimPolicy: "Retain",
    allowVolumeExpansion: false,
    volumeBindingMode: "WaitForFirstConsumer",
    mountOptions: ["ro"],
    allowedTopologies: [{ matchLabelExpressions: [{ key: "k", values: ["v"] }] }],
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "rich-farwatch" },
    webhooks: [
      {
        name: "a.example.dev",
        clientConfig: { service: { namespace: "n", name: "s", path: "/p", port: 443 }, caBundle: "Cg==" },
        rules: [
          {
            operations: ["CREATE", "UPDATE"],
            apiGroups: ["none.example.dev"],
            apiVersions: ["v1"],
            resources: ["x"],
            scope: "Namespaced",
          },
        ],
        failurePolicy: "Ignore",
        matchPolicy: "Exact",
        namespaceSelector: { matchExpressions: [{ key: "k", operator: "DoesNotExist" }] },
        objectSelector: { matchLabels: { a: "b" } },
        sideEffects: "None",
        timeoutSeconds: 3,
        admissionReviewVersions: ["v1"],
        reinvocationPolicy: "IfNeeded",
        matchConditions: [{ name: "c", expression: "true" }],
      },
    ],
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "rich-farwatch" },
    spec: {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConstraints: {
        resourceRules: [
          {
            resourceNames: ["r"],
            operations: ["CREATE"],
            apiGroups: ["none.example.dev"],
            apiVersions: ["v1"],
            resources: ["x"],
            scope: "Namespaced",
          },
        ],
        excludeResourceRules: [
          { operations: ["*"], apiGroups: ["other.example.dev"], apiVersions: ["*"], resources: ["*"] },
        ],
        matchPolicy: "Exact",
        objectSelector: { matchLabels: { a: "b" } },
      },
      validations: [{ expression: "variables.v", message: "m", messageExpression: "'m'", reason: "Forbidden" }],
      failurePolicy: "Ignore",
      auditAnnotations: [{ key: "k", valueExpression: "'v'" }],
      matchConditions: [{ name: "c", expression: "true" }],
      variables: [{ name: "v", expression: "true" }],
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "rich-farwatch" },
    spec: {
      policyName: "rich-farwatch",
      paramRef: { name: "p", namespace: "default", parameterNotFoundAction: "Allow" },
      matchResources: { namespaceSelector: { matchLabels: { a: "b" } } },
      validationActions: ["Warn", "Audit"],
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "rich-farwatch" },
    webhooks: [
      {
        name: "a.example.dev",
        clientConfig: { url: "https://localhost/x" },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  },
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "riches.rich.farwatch.dev" },
    spec: {
      group: "rich.farwatch.dev",
      scope: "Namespaced",
      names: { plural: "riches", kind: "Rich", shortNames: ["ri"], categories: ["all"] },
      conversion: { strategy: "None" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          deprecated: true,
          deprecationWarning: "w",
          subresources: {
            status: {},
            scale: {
              specReplicasPath: ".spec.replicas",
              statusReplicasPath: ".status.replicas",
              labelSelectorPath: ".status.selector",
            },
          },
          selectableFields: [{ jsonPath: ".spec.color" }],
          additionalPrinterColumns: [
            { name: "C", type: "string", jsonPath: ".spec.color", priority: 1, description: "d", format: "byte" },
          ],
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: "d",
              properties: {
                spec: {
                  type: "object",
                  required: ["color"],
                  default: { color: "red" },
                  "x-kubernetes-validations": [
                    {
                      rule: "self.color != 'x' || oldSelf.hasValue()",
                      message: "m",
                      messageExpression: "'a'",
                      reason: "FieldValueInvalid",
                      fieldPath: ".color",
                      optionalOldSelf: true,
                    },
                  ],
                  properties: {
                    color: {
                      type: "string",
                      enum: ["red", "green"],
                      minLength: 0,
                      maxLength: 10,
                      pattern: "^[a-z]+$",
                      nullable: true,
                      example: "red",
                    },
                    replicas: {
                      type: "integer",
                      format: "int32",
                      minimum: 0,
                      maximum: 10,
                      exclusiveMaximum: true,
                      multipleOf: 1,
                      default: 0,
                    },
                    ratio: { type: "number", maximum: 0.5 },
                    port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
                    map: { type: "object", additionalProperties: { type: "string" } },
                    list: {
                      type: "array",
                      items: { type: "object", required: ["a"], properties: { a: { type: "string" } } },
                      "x-kubernetes-list-type": "map",
                      "x-kubernetes-list-map-keys": ["a"],
                      minItems: 0,
                      maxItems: 5,
                    },
                    raw: {
                      type: "object",
                      "x-kubernetes-preserve-unknown-fields": true,
                      "x-kubernetes-embedded-resource": true,
                    },
                    atom: { type: "object", "x-kubernetes-map-type": "atomic", maxProperties: 3 },
                    not: {
                      type: "string",
                      not: { enum: ["x"] },
                      oneOf: [{ format: "uri" }, { format: "byte" }],
                      externalDocs: { url: "u", description: "d" },
                    },
                  },
                },
                status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              },
            },
          },
        },
      ],
    },
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "rich" },
    spec: {
      holderIdentity: "h",
      leaseDurationSeconds: 15,
      acquireTime: "2024-01-01T00:00:00.000001Z",
      renewTime: "2024-01-01T00:00:00.123456Z",
      leaseTransitions: 0,
    },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "rich" },
    addressType: "IPv4",
    endpoints: [
      {
        addresses: ["10.1.1.1"],
        conditions: { ready: false, serving: true },
        hostname: "h",
        nodeName: "n",
        zone: "z",
        hints: { forZones: [{ name: "z" }] },
        targetRef: { kind: "Pod", name: "p" },
      },
    ],
    ports: [
      { name: "", port: 80, protocol: "TCP" },
      { name: "x", appProtocol: "y", port: 0 },
    ],
  },
];

export interface RichObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}
