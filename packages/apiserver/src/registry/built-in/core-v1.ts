// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const coreV1: string = `
AWSElasticBlockStoreVolumeSource
 volumeID 1 string required
 fsType 2 string
 partition 3 int32
 readOnly 4 bool
Affinity
 nodeAffinity 1 *NodeAffinity
 podAffinity 2 *PodAffinity
 podAntiAffinity 3 *PodAntiAffinity
AppArmorProfile union=type:localhostProfile
 type 1 string required enum=Localhost|RuntimeDefault|Unconfined go=v1.AppArmorProfileType
 localhostProfile 2 *string
AttachedVolume
 name 1 string required go=v1.UniqueVolumeName
 devicePath 2 string required
AzureDiskVolumeSource
 diskName 1 string required
 diskURI 2 string required
 cachingMode 3 *string default="ReadWrite" enum=None|ReadOnly|ReadWrite go=v1.AzureDataDiskCachingMode
 fsType 4 *string default="ext4"
 readOnly 5 *bool default=false
 kind 6 *string default="Shared" enum=Dedicated|Managed|Shared go=v1.AzureDataDiskKind
AzureFilePersistentVolumeSource
 secretName 1 string required
 shareName 2 string required
 readOnly 3 bool
 secretNamespace 4 *string written
AzureFileVolumeSource
 secretName 1 string required
 shareName 2 string required
 readOnly 3 bool
Binding
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 target 2 ObjectReference required
CSIPersistentVolumeSource
 driver 1 string required
 volumeHandle 2 string required
 readOnly 3 bool
 fsType 4 string
 volumeAttributes 5 {}string
 controllerPublishSecretRef 6 *SecretReference
 nodeStageSecretRef 7 *SecretReference
 nodePublishSecretRef 8 *SecretReference
 controllerExpandSecretRef 9 *SecretReference
 nodeExpandSecretRef 10 *SecretReference
CSIVolumeSource
 driver 1 string required
 readOnly 2 *bool
 fsType 3 *string
 volumeAttributes 4 {}string
 nodePublishSecretRef 5 *LocalObjectReference
Capabilities
 add 1 []string list=atomic go=[]v1.Capability
 drop 2 []string list=atomic go=[]v1.Capability
CephFSPersistentVolumeSource
 monitors 1 []string required list=atomic
 path 2 string
 user 3 string
 secretFile 4 string
 secretRef 5 *SecretReference
 readOnly 6 bool
CephFSVolumeSource
 monitors 1 []string required list=atomic
 path 2 string
 user 3 string
 secretFile 4 string
 secretRef 5 *LocalObjectReference
 readOnly 6 bool
CinderPersistentVolumeSource
 volumeID 1 string required
 fsType 2 string
 readOnly 3 bool
 secretRef 4 *SecretReference
CinderVolumeSource
 volumeID 1 string required
 fsType 2 string
 readOnly 3 bool
 secretRef 4 *LocalObjectReference
ClientIPConfig
 timeoutSeconds 1 *int32
ClusterTrustBundleProjection
 name 1 *string
 signerName 2 *string
 labelSelector 3 *meta.v1.LabelSelector
 optional 5 *bool
 path 4 string required
ComponentCondition
 type 1 string required go=v1.ComponentConditionType
 status 2 string required go=v1.ConditionStatus
 message 3 string
 error 4 string
ComponentStatus
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 conditions 2 []ComponentCondition list=map:type patch=merge key=type
ComponentStatusList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []ComponentStatus required
ConfigMap
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 immutable 4 *bool
 data 2 {}string
 binaryData 3 {}bytes
ConfigMapEnvSource
 ... 1 LocalObjectReference
 optional 2 *bool
ConfigMapKeySelector map=atomic
 ... 1 LocalObjectReference
 key 2 string required
 optional 3 *bool
ConfigMapList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []ConfigMap required
ConfigMapNodeConfigSource
 namespace 1 string required
 name 2 string required
 uid 3 string go=types.UID
 resourceVersion 4 string
 kubeletConfigKey 5 string required
ConfigMapProjection
 ... 1 LocalObjectReference
 items 2 []KeyToPath list=atomic
 optional 4 *bool
ConfigMapVolumeSource
 ... 1 LocalObjectReference
 items 2 []KeyToPath list=atomic
 defaultMode 3 *int32
 optional 4 *bool
Container
 name 1 string required
 image 2 string
 command 3 []string list=atomic
 args 4 []string list=atomic
 workingDir 5 string
 ports 6 []ContainerPort list=map:containerPort,protocol patch=merge key=containerPort
 envFrom 19 []EnvFromSource list=atomic
 env 7 []EnvVar list=map:name patch=merge key=name
 resources 8 ResourceRequirements
 resizePolicy 23 []ContainerResizePolicy list=atomic
 restartPolicy 24 *string go=v1.ContainerRestartPolicy
 restartPolicyRules 25 []ContainerRestartRule list=atomic
 volumeMounts 9 []VolumeMount list=map:mountPath patch=merge key=mountPath
 volumeDevices 21 []VolumeDevice list=map:devicePath patch=merge key=devicePath
 livenessProbe 10 *Probe
 readinessProbe 11 *Probe
 startupProbe 22 *Probe
 lifecycle 12 *Lifecycle
 terminationMessagePath 13 string
 terminationMessagePolicy 20 string enum=FallbackToLogsOnError|File go=v1.TerminationMessagePolicy
 imagePullPolicy 14 string enum=Always|IfNotPresent|Never go=v1.PullPolicy
 securityContext 15 *SecurityContext
 stdin 16 bool
 stdinOnce 17 bool
 tty 18 bool
ContainerExtendedResourceRequest
 containerName 1 string required
 resourceName 2 string required
 requestName 3 string required
ContainerImage
 names 1 []string written list=atomic
 sizeBytes 2 int64
ContainerPort
 name 1 string
 hostPort 2 int32
 containerPort 3 int32 required
 protocol 4 string default="TCP" enum=SCTP|TCP|UDP go=v1.Protocol
 hostIP 5 string
ContainerResizePolicy
 resourceName 1 string required go=v1.ResourceName
 restartPolicy 2 string required go=v1.ResourceResizeRestartPolicy
ContainerRestartRule
 action 1 string required omitempty go=v1.ContainerRestartRuleAction
 exitCodes 2 *ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes
 operator 1 string required omitempty go=v1.ContainerRestartRuleOnExitCodesOperator
 values 2 []int32 list=set
ContainerState
 waiting 1 *ContainerStateWaiting
 running 2 *ContainerStateRunning
 terminated 3 *ContainerStateTerminated
ContainerStateRunning
 startedAt 1 Time
ContainerStateTerminated
 exitCode 1 int32 required
 signal 2 int32
 reason 3 string
 message 4 string
 startedAt 5 Time
 finishedAt 6 Time
 containerID 7 string
ContainerStateWaiting
 reason 1 string
 message 2 string
ContainerStatus
 name 1 string required
 state 2 ContainerState
 lastState 3 ContainerState
 ready 4 bool required
 restartCount 5 int32 required
 image 6 string required
 imageID 7 string required
 containerID 8 string
 started 9 *bool
 allocatedResources 10 {}Quantity go=v1.ResourceList
 resources 11 *ResourceRequirements
 volumeMounts 12 []VolumeMountStatus list=map:mountPath patch=merge key=mountPath
 user 13 *ContainerUser
 allocatedResourcesStatus 14 []ResourceStatus list=map:name patch=merge key=name
 stopSignal 15 *string enum=SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ go=v1.Signal
ContainerUser
 linux 1 *LinuxContainerUser
DaemonEndpoint
 Port 1 int32 required
DownwardAPIProjection
 items 1 []DownwardAPIVolumeFile list=atomic
DownwardAPIVolumeFile
 path 1 string required
 fieldRef 2 *ObjectFieldSelector
 resourceFieldRef 3 *ResourceFieldSelector
 mode 4 *int32
DownwardAPIVolumeSource
 items 1 []DownwardAPIVolumeFile list=atomic
 defaultMode 2 *int32
EmptyDirVolumeSource
 medium 1 string go=v1.StorageMedium
 sizeLimit 2 *Quantity
EndpointAddress map=atomic
 ip 1 string required
 hostname 3 string
 nodeName 4 *string
 targetRef 2 *ObjectReference
EndpointPort map=atomic
 name 1 string
 port 2 int32 required
 protocol 3 string enum=SCTP|TCP|UDP go=v1.Protocol
 appProtocol 4 *string
EndpointSubset
 addresses 1 []EndpointAddress list=atomic
 notReadyAddresses 2 []EndpointAddress list=atomic
 ports 3 []EndpointPort list=atomic
Endpoints
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 subsets 2 []EndpointSubset list=atomic
EndpointsList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []Endpoints required
EnvFromSource
 prefix 1 string
 configMapRef 2 *ConfigMapEnvSource
 secretRef 3 *SecretEnvSource
EnvVar
 name 1 string required
 value 2 string
 valueFrom 3 *EnvVarSource
EnvVarSource
 fieldRef 1 *ObjectFieldSelector
 resourceFieldRef 2 *ResourceFieldSelector
 configMapKeyRef 3 *ConfigMapKeySelector
 secretKeyRef 4 *SecretKeySelector
 fileKeyRef 5 *FileKeySelector
EphemeralContainer
 ... 1 EphemeralContainerCommon
 targetContainerName 2 string
EphemeralContainerCommon
 name 1 string required
 image 2 string
 command 3 []string list=atomic
 args 4 []string list=atomic
 workingDir 5 string
 ports 6 []ContainerPort list=map:containerPort,protocol patch=merge key=containerPort
 envFrom 19 []EnvFromSource list=atomic
 env 7 []EnvVar list=map:name patch=merge key=name
 resources 8 ResourceRequirements
 resizePolicy 23 []ContainerResizePolicy list=atomic
 restartPolicy 24 *string go=v1.ContainerRestartPolicy
 restartPolicyRules 25 []ContainerRestartRule list=atomic
 volumeMounts 9 []VolumeMount list=map:mountPath patch=merge key=mountPath
 volumeDevices 21 []VolumeDevice list=map:devicePath patch=merge key=devicePath
 livenessProbe 10 *Probe
 readinessProbe 11 *Probe
 startupProbe 22 *Probe
 lifecycle 12 *Lifecycle
 terminationMessagePath 13 string
 terminationMessagePolicy 20 string enum=FallbackToLogsOnError|File go=v1.TerminationMessagePolicy
 imagePullPolicy 14 string enum=Always|IfNotPresent|Never go=v1.PullPolicy
 securityContext 15 *SecurityContext
 stdin 16 bool
 stdinOnce 17 bool
 tty 18 bool
EphemeralVolumeSource
 volumeClaimTemplate 1 *PersistentVolumeClaimTemplate
Event
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta required
 involvedObject 2 ObjectReference required
 reason 3 string
 message 4 string
 source 5 EventSource
 firstTimestamp 6 Time
 lastTimestamp 7 Time
 count 8 int32
 type 9 string
 eventTime 10 MicroTime
 series 11 *EventSeries
 action 12 string
 related 13 *ObjectReference
 reportingComponent 14 string written
 reportingInstance 15 string written
EventList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []Event required
EventSeries
 count 1 int32
 lastObservedTime 2 MicroTime
EventSource
 component 1 string
 host 2 string
ExecAction
 command 1 []string list=atomic
FCVolumeSource
 targetWWNs 1 []string list=atomic
 lun 2 *int32
 fsType 3 string
 readOnly 4 bool
 wwids 5 []string list=atomic
FileKeySelector map=atomic
 volumeName 1 string required
 path 2 string required
 key 3 string required
 optional 4 *bool default=false
FlexPersistentVolumeSource
 driver 1 string required
 fsType 2 string
 secretRef 3 *SecretReference
 readOnly 4 bool
 options 5 {}string
FlexVolumeSource
 driver 1 string required
 fsType 2 string
 secretRef 3 *LocalObjectReference
 readOnly 4 bool
 options 5 {}string
FlockerVolumeSource
 datasetName 1 string
 datasetUUID 2 string
GCEPersistentDiskVolumeSource
 pdName 1 string required
 fsType 2 string
 partition 3 int32
 readOnly 4 bool
GRPCAction
 port 1 int32 required
 service 2 *string written default=""
GitRepoVolumeSource
 repository 1 string required
 revision 2 string
 directory 3 string
GlusterfsPersistentVolumeSource
 endpoints 1 string required
 path 2 string required
 readOnly 3 bool
 endpointsNamespace 4 *string
GlusterfsVolumeSource
 endpoints 1 string required
 path 2 string required
 readOnly 3 bool
HTTPGetAction
 path 1 string
 port 2 IntOrString required
 host 3 string
 scheme 4 string enum=HTTP|HTTPS go=v1.URIScheme
 httpHeaders 5 []HTTPHeader list=atomic
HTTPHeader
 name 1 string required
 value 2 string required
HostAlias
 ip 1 string required
 hostnames 2 []string list=atomic
HostIP
 ip 1 string required
HostPathVolumeSource
 path 1 string required
 type 2 *string enum=|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket go=v1.HostPathType
ISCSIPersistentVolumeSource
 targetPortal 1 string required
 iqn 2 string required
 lun 3 int32 required
 iscsiInterface 4 string default="default"
 fsType 5 string
 readOnly 6 bool
 portals 7 []string list=atomic
 chapAuthDiscovery 8 bool
 chapAuthSession 11 bool
 secretRef 10 *SecretReference
 initiatorName 12 *string
ISCSIVolumeSource
 targetPortal 1 string required
 iqn 2 string required
 lun 3 int32 required
 iscsiInterface 4 string default="default"
 fsType 5 string
 readOnly 6 bool
 portals 7 []string list=atomic
 chapAuthDiscovery 8 bool
 chapAuthSession 11 bool
 secretRef 10 *LocalObjectReference
 initiatorName 12 *string
ImageVolumeSource
 reference 1 string
 pullPolicy 2 string enum=Always|IfNotPresent|Never go=v1.PullPolicy
KeyToPath
 key 1 string required
 path 2 string required
 mode 3 *int32
Lifecycle
 postStart 1 *LifecycleHandler
 preStop 2 *LifecycleHandler
 stopSignal 3 *string enum=SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ go=v1.Signal
LifecycleHandler
 exec 1 *ExecAction
 httpGet 2 *HTTPGetAction
 tcpSocket 3 *TCPSocketAction
 sleep 4 *SleepAction
LimitRange
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 LimitRangeSpec
LimitRangeItem
 type 1 string required go=v1.LimitType
 max 2 {}Quantity go=v1.ResourceList
 min 3 {}Quantity go=v1.ResourceList
 default 4 {}Quantity go=v1.ResourceList
 defaultRequest 5 {}Quantity go=v1.ResourceList
 maxLimitRequestRatio 6 {}Quantity go=v1.ResourceList
LimitRangeList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []LimitRange required
LimitRangeSpec
 limits 1 []LimitRangeItem required list=atomic
LinuxContainerUser
 uid 1 int64 required
 gid 2 int64 required
 supplementalGroups 3 []int64 list=atomic
LoadBalancerIngress
 ip 1 string
 hostname 2 string
 ipMode 3 *string go=v1.LoadBalancerIPMode
 ports 4 []PortStatus list=atomic
LoadBalancerStatus
 ingress 1 []LoadBalancerIngress list=atomic
LocalObjectReference map=atomic
 name 1 string default=""
LocalVolumeSource
 path 1 string required
 fsType 2 *string
ModifyVolumeStatus
 targetVolumeAttributesClassName 1 string
 status 2 string required enum=InProgress|Infeasible|Pending go=v1.PersistentVolumeClaimModifyVolumeStatus
NFSVolumeSource
 server 1 string required
 path 2 string required
 readOnly 3 bool
Namespace
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 NamespaceSpec
 status 3 NamespaceStatus
NamespaceCondition
 type 1 string required go=v1.NamespaceConditionType
 status 2 string required go=v1.ConditionStatus
 lastTransitionTime 4 Time
 reason 5 string
 message 6 string
NamespaceList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []Namespace required
NamespaceSpec
 finalizers 1 []string list=atomic go=[]v1.FinalizerName
NamespaceStatus
 phase 1 string enum=Active|Terminating go=v1.NamespacePhase
 conditions 2 []NamespaceCondition list=map:type patch=merge key=type
Node
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 NodeSpec
 status 3 NodeStatus
NodeAddress
 type 1 string required go=v1.NodeAddressType
 address 2 string required
NodeAffinity
 requiredDuringSchedulingIgnoredDuringExecution 1 *NodeSelector
 preferredDuringSchedulingIgnoredDuringExecution 2 []PreferredSchedulingTerm list=atomic
NodeCondition
 type 1 string required go=v1.NodeConditionType
 status 2 string required go=v1.ConditionStatus
 lastHeartbeatTime 3 Time
 lastTransitionTime 4 Time
 reason 5 string
 message 6 string
NodeConfigSource
 configMap 2 *ConfigMapNodeConfigSource
NodeConfigStatus
 assigned 1 *NodeConfigSource
 active 2 *NodeConfigSource
 lastKnownGood 3 *NodeConfigSource
 error 4 string
NodeDaemonEndpoints
 kubeletEndpoint 1 DaemonEndpoint
NodeFeatures
 supplementalGroupsPolicy 1 *bool
NodeList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []Node required
NodeRuntimeHandler
 name 1 string written
 features 2 *NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures
 recursiveReadOnlyMounts 1 *bool
 userNamespaces 2 *bool
NodeSelector map=atomic
 nodeSelectorTerms 1 []NodeSelectorTerm required list=atomic
NodeSelectorRequirement
 key 1 string required
 operator 2 string required enum=DoesNotExist|Exists|Gt|In|Lt|NotIn go=v1.NodeSelectorOperator
 values 3 []string list=atomic
NodeSelectorTerm map=atomic
 matchExpressions 1 []NodeSelectorRequirement list=atomic
 matchFields 2 []NodeSelectorRequirement list=atomic
NodeSpec
 podCIDR 1 string
 podCIDRs 7 []string list=set patch=merge
 providerID 3 string
 unschedulable 4 bool
 taints 5 []Taint list=atomic
 configSource 6 *NodeConfigSource
 externalID 2 string
NodeStatus
 capacity 1 {}Quantity go=v1.ResourceList
 allocatable 2 {}Quantity go=v1.ResourceList
 phase 3 string enum=Pending|Running|Terminated go=v1.NodePhase
 conditions 4 []NodeCondition list=map:type patch=merge key=type
 addresses 5 []NodeAddress list=map:type patch=merge key=type
 daemonEndpoints 6 NodeDaemonEndpoints
 nodeInfo 7 NodeSystemInfo
 images 8 []ContainerImage list=atomic
 volumesInUse 9 []string list=atomic go=[]v1.UniqueVolumeName
 volumesAttached 10 []AttachedVolume list=atomic
 config 11 *NodeConfigStatus
 runtimeHandlers 12 []NodeRuntimeHandler list=atomic
 features 13 *NodeFeatures
 declaredFeatures 14 []string list=atomic
NodeSwapStatus
 capacity 1 *int64
NodeSystemInfo
 machineID 1 string required
 systemUUID 2 string required
 bootID 3 string required
 kernelVersion 4 string required
 osImage 5 string required
 containerRuntimeVersion 6 string required
 kubeletVersion 7 string required
 kubeProxyVersion 8 string required
 operatingSystem 9 string required
 architecture 10 string required
 swap 11 *NodeSwapStatus
ObjectFieldSelector map=atomic
 apiVersion 1 string
 fieldPath 2 string required
ObjectReference map=atomic
 kind 1 string
 namespace 2 string
 name 3 string
 uid 4 string go=types.UID
 apiVersion 5 string
 resourceVersion 6 string
 fieldPath 7 string
PersistentVolume
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 PersistentVolumeSpec
 status 3 PersistentVolumeStatus
PersistentVolumeClaim
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 PersistentVolumeClaimSpec
 status 3 PersistentVolumeClaimStatus
PersistentVolumeClaimCondition
 type 1 string required go=v1.PersistentVolumeClaimConditionType
 status 2 string required go=v1.ConditionStatus
 lastProbeTime 3 Time
 lastTransitionTime 4 Time
 reason 5 string
 message 6 string
PersistentVolumeClaimList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []PersistentVolumeClaim required
PersistentVolumeClaimSpec
 accessModes 1 []string each=ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod list=atomic go=[]v1.PersistentVolumeAccessMode
 selector 4 *meta.v1.LabelSelector
 resources 2 VolumeResourceRequirements
 volumeName 3 string
 storageClassName 5 *string
 volumeMode 6 *string enum=Block|Filesystem go=v1.PersistentVolumeMode
 dataSource 7 *TypedLocalObjectReference
 dataSourceRef 8 *TypedObjectReference
 volumeAttributesClassName 9 *string
PersistentVolumeClaimStatus
 phase 1 string enum=Bound|Lost|Pending go=v1.PersistentVolumeClaimPhase
 accessModes 2 []string each=ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod list=atomic go=[]v1.PersistentVolumeAccessMode
 capacity 3 {}Quantity go=v1.ResourceList
 conditions 4 []PersistentVolumeClaimCondition list=map:type patch=merge key=type
 allocatedResources 5 {}Quantity go=v1.ResourceList
 allocatedResourceStatuses 7 {}string each=ControllerResizeInProgress|ControllerResizeInfeasible|NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending map=granular go=map[v1.ResourceName]v1.ClaimResourceStatus
 currentVolumeAttributesClassName 8 *string
 modifyVolumeStatus 9 *ModifyVolumeStatus
PersistentVolumeClaimTemplate
 metadata 1 meta.v1.ObjectMeta
 spec 2 PersistentVolumeClaimSpec required
PersistentVolumeClaimVolumeSource
 claimName 1 string required
 readOnly 2 bool
PersistentVolumeList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []PersistentVolume required
PersistentVolumeSource
 gcePersistentDisk 1 *GCEPersistentDiskVolumeSource
 awsElasticBlockStore 2 *AWSElasticBlockStoreVolumeSource
 hostPath 3 *HostPathVolumeSource
 glusterfs 4 *GlusterfsPersistentVolumeSource
 nfs 5 *NFSVolumeSource
 rbd 6 *RBDPersistentVolumeSource
 iscsi 7 *ISCSIPersistentVolumeSource
 cinder 8 *CinderPersistentVolumeSource
 cephfs 9 *CephFSPersistentVolumeSource
 fc 10 *FCVolumeSource
 flocker 11 *FlockerVolumeSource
 flexVolume 12 *FlexPersistentVolumeSource
 azureFile 13 *AzureFilePersistentVolumeSource
 vsphereVolume 14 *VsphereVirtualDiskVolumeSource
 quobyte 15 *QuobyteVolumeSource
 azureDisk 16 *AzureDiskVolumeSource
 photonPersistentDisk 17 *PhotonPersistentDiskVolumeSource
 portworxVolume 18 *PortworxVolumeSource
 scaleIO 19 *ScaleIOPersistentVolumeSource
 local 20 *LocalVolumeSource
 storageos 21 *StorageOSPersistentVolumeSource
 csi 22 *CSIPersistentVolumeSource
PersistentVolumeSpec
 capacity 1 {}Quantity go=v1.ResourceList
 ... 2 PersistentVolumeSource
 accessModes 3 []string each=ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod list=atomic go=[]v1.PersistentVolumeAccessMode
 claimRef 4 *ObjectReference map=granular
 persistentVolumeReclaimPolicy 5 string enum=Delete|Recycle|Retain go=v1.PersistentVolumeReclaimPolicy
 storageClassName 6 string
 mountOptions 7 []string list=atomic
 volumeMode 8 *string enum=Block|Filesystem go=v1.PersistentVolumeMode
 nodeAffinity 9 *VolumeNodeAffinity
 volumeAttributesClassName 10 *string
PersistentVolumeStatus
 phase 1 string enum=Available|Bound|Failed|Pending|Released go=v1.PersistentVolumePhase
 message 2 string
 reason 3 string
 lastPhaseTransitionTime 4 *Time
PhotonPersistentDiskVolumeSource
 pdID 1 string required
 fsType 2 string
Pod
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 PodSpec
 status 3 PodStatus
PodAffinity
 requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm list=atomic
 preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm list=atomic
PodAffinityTerm
 labelSelector 1 *meta.v1.LabelSelector
 namespaces 2 []string list=atomic
 topologyKey 3 string required
 namespaceSelector 4 *meta.v1.LabelSelector
 matchLabelKeys 5 []string list=atomic
 mismatchLabelKeys 6 []string list=atomic
PodAntiAffinity
 requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm list=atomic
 preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm list=atomic
PodCertificateProjection
 signerName 1 string required omitempty
 keyType 2 string required omitempty
 maxExpirationSeconds 3 *int32
 credentialBundlePath 4 string
 keyPath 5 string
 certificateChainPath 6 string
 userAnnotations 7 {}string
PodCondition
 type 1 string required go=v1.PodConditionType
 observedGeneration 7 int64
 status 2 string required go=v1.ConditionStatus
 lastProbeTime 3 Time
 lastTransitionTime 4 Time
 reason 5 string
 message 6 string
PodDNSConfig
 nameservers 1 []string list=atomic
 searches 2 []string list=atomic
 options 3 []PodDNSConfigOption list=atomic
PodDNSConfigOption
 name 1 string
 value 2 *string
PodExtendedResourceClaimStatus
 requestMappings 1 []ContainerExtendedResourceRequest required list=atomic
 resourceClaimName 2 string required
PodIP
 ip 1 string required
PodList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []Pod required
PodOS
 name 1 string required go=v1.OSName
PodReadinessGate
 conditionType 1 string required go=v1.PodConditionType
PodResourceClaim
 name 1 string required
 resourceClaimName 3 *string
 resourceClaimTemplateName 4 *string
PodResourceClaimStatus
 name 1 string required
 resourceClaimName 2 *string
PodSchedulingGate
 name 1 string required
PodSecurityContext
 seLinuxOptions 1 *SELinuxOptions
 windowsOptions 8 *WindowsSecurityContextOptions
 runAsUser 2 *int64
 runAsGroup 6 *int64
 runAsNonRoot 3 *bool
 supplementalGroups 4 []int64 list=atomic
 supplementalGroupsPolicy 12 *string enum=Merge|Strict go=v1.SupplementalGroupsPolicy
 fsGroup 5 *int64
 sysctls 7 []Sysctl list=atomic
 fsGroupChangePolicy 9 *string enum=Always|OnRootMismatch go=v1.PodFSGroupChangePolicy
 seccompProfile 10 *SeccompProfile
 appArmorProfile 11 *AppArmorProfile
 seLinuxChangePolicy 13 *string go=v1.PodSELinuxChangePolicy
PodSpec
 volumes 1 []Volume list=map:name patch=merge,retainKeys key=name
 initContainers 20 []Container list=map:name patch=merge key=name
 containers 2 []Container required list=map:name patch=merge key=name
 ephemeralContainers 34 []EphemeralContainer list=map:name patch=merge key=name
 restartPolicy 3 string enum=Always|Never|OnFailure go=v1.RestartPolicy
 terminationGracePeriodSeconds 4 *int64
 activeDeadlineSeconds 5 *int64
 dnsPolicy 6 string enum=ClusterFirst|ClusterFirstWithHostNet|Default|None go=v1.DNSPolicy
 nodeSelector 7 {}string map=atomic
 serviceAccountName 8 string
 serviceAccount 9 string
 automountServiceAccountToken 21 *bool
 nodeName 10 string
 hostNetwork 11 bool
 hostPID 12 bool
 hostIPC 13 bool
 shareProcessNamespace 27 *bool
 securityContext 14 *PodSecurityContext
 imagePullSecrets 15 []LocalObjectReference list=map:name patch=merge key=name
 hostname 16 string
 subdomain 17 string
 affinity 18 *Affinity
 schedulerName 19 string
 tolerations 22 []Toleration list=atomic
 hostAliases 23 []HostAlias list=map:ip patch=merge key=ip
 priorityClassName 24 string
 priority 25 *int32
 dnsConfig 26 *PodDNSConfig
 readinessGates 28 []PodReadinessGate list=atomic
 runtimeClassName 29 *string
 enableServiceLinks 30 *bool
 preemptionPolicy 31 *string enum=Never|PreemptLowerPriority go=v1.PreemptionPolicy
 overhead 32 {}Quantity go=v1.ResourceList
 topologySpreadConstraints 33 []TopologySpreadConstraint list=map:topologyKey,whenUnsatisfiable patch=merge key=topologyKey
 setHostnameAsFQDN 35 *bool
 os 36 *PodOS
 hostUsers 37 *bool
 schedulingGates 38 []PodSchedulingGate list=map:name patch=merge key=name
 resourceClaims 39 []PodResourceClaim list=map:name patch=merge,retainKeys key=name
 resources 40 *ResourceRequirements
 hostnameOverride 41 *string
 workloadRef 42 *WorkloadReference
PodStatus
 observedGeneration 17 int64
 phase 1 string enum=Failed|Pending|Running|Succeeded|Unknown go=v1.PodPhase
 conditions 2 []PodCondition list=map:type patch=merge key=type
 message 3 string
 reason 4 string
 nominatedNodeName 11 string
 hostIP 5 string
 hostIPs 16 []HostIP list=atomic patch=merge key=ip
 podIP 6 string
 podIPs 12 []PodIP list=map:ip patch=merge key=ip
 startTime 7 *Time
 initContainerStatuses 10 []ContainerStatus list=atomic
 containerStatuses 8 []ContainerStatus list=atomic
 qosClass 9 string enum=BestEffort|Burstable|Guaranteed go=v1.PodQOSClass
 ephemeralContainerStatuses 13 []ContainerStatus list=atomic
 resize 14 string go=v1.PodResizeStatus
 resourceClaimStatuses 15 []PodResourceClaimStatus list=map:name patch=merge,retainKeys key=name
 extendedResourceClaimStatus 18 *PodExtendedResourceClaimStatus
 allocatedResources 19 {}Quantity go=v1.ResourceList
 resources 20 *ResourceRequirements
PodTemplate
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 template 2 PodTemplateSpec
PodTemplateList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []PodTemplate required
PodTemplateSpec
 metadata 1 meta.v1.ObjectMeta
 spec 2 PodSpec
PortStatus
 port 1 int32 required
 protocol 2 string required enum=SCTP|TCP|UDP go=v1.Protocol
 error 3 *string
PortworxVolumeSource
 volumeID 1 string required
 fsType 2 string
 readOnly 3 bool
PreferredSchedulingTerm
 weight 1 int32 required
 preference 2 NodeSelectorTerm required
Probe
 ... 1 ProbeHandler
 initialDelaySeconds 2 int32
 timeoutSeconds 3 int32
 periodSeconds 4 int32
 successThreshold 5 int32
 failureThreshold 6 int32
 terminationGracePeriodSeconds 7 *int64
ProbeHandler
 exec 1 *ExecAction
 httpGet 2 *HTTPGetAction
 tcpSocket 3 *TCPSocketAction
 grpc 4 *GRPCAction
ProjectedVolumeSource
 sources 1 []VolumeProjection written list=atomic
 defaultMode 2 *int32
QuobyteVolumeSource
 registry 1 string required
 volume 2 string required
 readOnly 3 bool
 user 4 string
 group 5 string
 tenant 6 string
RBDPersistentVolumeSource
 monitors 1 []string required list=atomic
 image 2 string required
 fsType 3 string
 pool 4 string default="rbd"
 user 5 string default="admin"
 keyring 6 string default="/etc/ceph/keyring"
 secretRef 7 *SecretReference
 readOnly 8 bool
RBDVolumeSource
 monitors 1 []string required list=atomic
 image 2 string required
 fsType 3 string
 pool 4 string default="rbd"
 user 5 string default="admin"
 keyring 6 string default="/etc/ceph/keyring"
 secretRef 7 *LocalObjectReference
 readOnly 8 bool
ReplicationController
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 ReplicationControllerSpec
 status 3 ReplicationControllerStatus
ReplicationControllerCondition
 type 1 string required go=v1.ReplicationControllerConditionType
 status 2 string required go=v1.ConditionStatus
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
ReplicationControllerList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []ReplicationController required
ReplicationControllerSpec
 replicas 1 *int32 default=1
 minReadySeconds 4 int32 default=0
 selector 2 {}string map=atomic
 template 3 *PodTemplateSpec
ReplicationControllerStatus
 replicas 1 int32 required
 fullyLabeledReplicas 2 int32
 readyReplicas 4 int32
 availableReplicas 5 int32
 observedGeneration 3 int64
 conditions 6 []ReplicationControllerCondition list=map:type patch=merge key=type
ResourceClaim
 name 1 string required
 request 2 string
ResourceFieldSelector map=atomic
 containerName 1 string
 resource 2 string required
 divisor 3 Quantity
ResourceHealth
 resourceID 1 string required go=v1.ResourceID
 health 2 string go=v1.ResourceHealthStatus
ResourceQuota
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 ResourceQuotaSpec
 status 3 ResourceQuotaStatus
ResourceQuotaList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []ResourceQuota required
ResourceQuotaSpec
 hard 1 {}Quantity go=v1.ResourceList
 scopes 2 []string each=BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass list=atomic go=[]v1.ResourceQuotaScope
 scopeSelector 3 *ScopeSelector
ResourceQuotaStatus
 hard 1 {}Quantity go=v1.ResourceList
 used 2 {}Quantity go=v1.ResourceList
ResourceRequirements
 limits 1 {}Quantity go=v1.ResourceList
 requests 2 {}Quantity go=v1.ResourceList
 claims 3 []ResourceClaim list=map:name
ResourceStatus
 name 1 string required go=v1.ResourceName
 resources 2 []ResourceHealth list=map:resourceID
SELinuxOptions
 user 1 string
 role 2 string
 type 3 string
 level 4 string
ScaleIOPersistentVolumeSource
 gateway 1 string required
 system 2 string required
 secretRef 3 *SecretReference required
 sslEnabled 4 bool
 protectionDomain 5 string
 storagePool 6 string
 storageMode 7 string default="ThinProvisioned"
 volumeName 8 string
 fsType 9 string default="xfs"
 readOnly 10 bool
ScaleIOVolumeSource
 gateway 1 string required
 system 2 string required
 secretRef 3 *LocalObjectReference required
 sslEnabled 4 bool
 protectionDomain 5 string
 storagePool 6 string
 storageMode 7 string default="ThinProvisioned"
 volumeName 8 string
 fsType 9 string default="xfs"
 readOnly 10 bool
ScopeSelector map=atomic
 matchExpressions 1 []ScopedResourceSelectorRequirement list=atomic
ScopedResourceSelectorRequirement
 scopeName 1 string required enum=BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass go=v1.ResourceQuotaScope
 operator 2 string required enum=DoesNotExist|Exists|In|NotIn go=v1.ScopeSelectorOperator
 values 3 []string list=atomic
SeccompProfile union=type:localhostProfile
 type 1 string required enum=Localhost|RuntimeDefault|Unconfined go=v1.SeccompProfileType
 localhostProfile 2 *string
Secret
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 immutable 5 *bool
 data 2 {}bytes
 stringData 4 {}string
 type 3 string go=v1.SecretType
SecretEnvSource
 ... 1 LocalObjectReference
 optional 2 *bool
SecretKeySelector map=atomic
 ... 1 LocalObjectReference
 key 2 string required
 optional 3 *bool
SecretList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []Secret required
SecretProjection
 ... 1 LocalObjectReference
 items 2 []KeyToPath list=atomic
 optional 4 *bool
SecretReference map=atomic
 name 1 string
 namespace 2 string
SecretVolumeSource
 secretName 1 string
 items 2 []KeyToPath list=atomic
 defaultMode 3 *int32
 optional 4 *bool
SecurityContext
 capabilities 1 *Capabilities
 privileged 2 *bool
 seLinuxOptions 3 *SELinuxOptions
 windowsOptions 10 *WindowsSecurityContextOptions
 runAsUser 4 *int64
 runAsGroup 8 *int64
 runAsNonRoot 5 *bool
 readOnlyRootFilesystem 6 *bool
 allowPrivilegeEscalation 7 *bool
 procMount 9 *string enum=Default|Unmasked go=v1.ProcMountType
 seccompProfile 11 *SeccompProfile
 appArmorProfile 12 *AppArmorProfile
Service
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 ServiceSpec
 status 3 ServiceStatus
ServiceAccount
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 secrets 2 []ObjectReference list=map:name patch=merge key=name
 imagePullSecrets 3 []LocalObjectReference list=atomic
 automountServiceAccountToken 4 *bool
ServiceAccountList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []ServiceAccount required
ServiceAccountTokenProjection
 audience 1 string
 expirationSeconds 2 *int64
 path 3 string required
ServiceList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []Service required
ServicePort
 name 1 string
 protocol 2 string default="TCP" enum=SCTP|TCP|UDP go=v1.Protocol
 appProtocol 6 *string
 port 3 int32 required
 targetPort 4 IntOrString
 nodePort 5 int32
ServiceSpec
 ports 1 []ServicePort list=map:port,protocol patch=merge key=port
 selector 2 {}string map=atomic
 clusterIP 3 string
 clusterIPs 18 []string list=atomic
 type 4 string enum=ClusterIP|ExternalName|LoadBalancer|NodePort go=v1.ServiceType
 externalIPs 5 []string list=atomic
 sessionAffinity 7 string enum=ClientIP|None go=v1.ServiceAffinity
 loadBalancerIP 8 string
 loadBalancerSourceRanges 9 []string list=atomic
 externalName 10 string
 externalTrafficPolicy 11 string enum=Cluster|Local go=v1.ServiceExternalTrafficPolicy
 healthCheckNodePort 12 int32
 publishNotReadyAddresses 13 bool
 sessionAffinityConfig 14 *SessionAffinityConfig
 ipFamilies 19 []string each=|IPv4|IPv6 list=atomic go=[]v1.IPFamily
 ipFamilyPolicy 17 *string enum=PreferDualStack|RequireDualStack|SingleStack go=v1.IPFamilyPolicy
 allocateLoadBalancerNodePorts 20 *bool
 loadBalancerClass 21 *string
 internalTrafficPolicy 22 *string enum=Cluster|Local go=v1.ServiceInternalTrafficPolicy
 trafficDistribution 23 *string
ServiceStatus
 loadBalancer 1 LoadBalancerStatus
 conditions 2 []meta.v1.Condition list=map:type patch=merge key=type
SessionAffinityConfig
 clientIP 1 *ClientIPConfig
SleepAction
 seconds 1 int64 required
StorageOSPersistentVolumeSource
 volumeName 1 string
 volumeNamespace 2 string
 fsType 3 string
 readOnly 4 bool
 secretRef 5 *ObjectReference
StorageOSVolumeSource
 volumeName 1 string
 volumeNamespace 2 string
 fsType 3 string
 readOnly 4 bool
 secretRef 5 *LocalObjectReference
Sysctl
 name 1 string required
 value 2 string required
TCPSocketAction
 port 1 IntOrString required
 host 2 string
Taint
 key 1 string required
 value 2 string
 effect 3 string required enum=NoExecute|NoSchedule|PreferNoSchedule go=v1.TaintEffect
 timeAdded 4 *Time
Toleration
 key 1 string
 operator 2 string enum=Equal|Exists|Gt|Lt go=v1.TolerationOperator
 value 3 string
 effect 4 string enum=NoExecute|NoSchedule|PreferNoSchedule go=v1.TaintEffect
 tolerationSeconds 5 *int64
TopologySelectorLabelRequirement
 key 1 string required
 values 2 []string required list=atomic
TopologySelectorTerm map=atomic
 matchLabelExpressions 1 []TopologySelectorLabelRequirement list=atomic
TopologySpreadConstraint
 maxSkew 1 int32 required
 topologyKey 2 string required
 whenUnsatisfiable 3 string required enum=DoNotSchedule|ScheduleAnyway go=v1.UnsatisfiableConstraintAction
 labelSelector 4 *meta.v1.LabelSelector
 minDomains 5 *int32
 nodeAffinityPolicy 6 *string enum=Honor|Ignore go=v1.NodeInclusionPolicy
 nodeTaintsPolicy 7 *string enum=Honor|Ignore go=v1.NodeInclusionPolicy
 matchLabelKeys 8 []string list=atomic
TypedLocalObjectReference map=atomic
 apiGroup 1 *string written
 kind 2 string required
 name 3 string required
TypedObjectReference
 apiGroup 1 *string written
 kind 2 string required
 name 3 string required
 namespace 4 *string
Volume
 name 1 string required
 ... 2 VolumeSource
VolumeDevice
 name 1 string required
 devicePath 2 string required
VolumeMount
 name 1 string required
 readOnly 2 bool
 recursiveReadOnly 7 *string go=v1.RecursiveReadOnlyMode
 mountPath 3 string required
 subPath 4 string
 mountPropagation 5 *string enum=Bidirectional|HostToContainer|None go=v1.MountPropagationMode
 subPathExpr 6 string
VolumeMountStatus
 name 1 string required
 mountPath 2 string required
 readOnly 3 bool
 recursiveReadOnly 4 *string go=v1.RecursiveReadOnlyMode
VolumeNodeAffinity
 required 1 *NodeSelector
VolumeProjection
 secret 1 *SecretProjection
 downwardAPI 2 *DownwardAPIProjection
 configMap 3 *ConfigMapProjection
 serviceAccountToken 4 *ServiceAccountTokenProjection
 clusterTrustBundle 5 *ClusterTrustBundleProjection
 podCertificate 6 *PodCertificateProjection
VolumeResourceRequirements
 limits 1 {}Quantity go=v1.ResourceList
 requests 2 {}Quantity go=v1.ResourceList
VolumeSource
 hostPath 1 *HostPathVolumeSource
 emptyDir 2 *EmptyDirVolumeSource
 gcePersistentDisk 3 *GCEPersistentDiskVolumeSource
 awsElasticBlockStore 4 *AWSElasticBlockStoreVolumeSource
 gitRepo 5 *GitRepoVolumeSource
 secret 6 *SecretVolumeSource
 nfs 7 *NFSVolumeSource
 iscsi 8 *ISCSIVolumeSource
 glusterfs 9 *GlusterfsVolumeSource
 persistentVolumeClaim 10 *PersistentVolumeClaimVolumeSource
 rbd 11 *RBDVolumeSource
 flexVolume 12 *FlexVolumeSource
 cinder 13 *CinderVolumeSource
 cephfs 14 *CephFSVolumeSource
 flocker 15 *FlockerVolumeSource
 downwardAPI 16 *DownwardAPIVolumeSource
 fc 17 *FCVolumeSource
 azureFile 18 *AzureFileVolumeSource
 configMap 19 *ConfigMapVolumeSource
 vsphereVolume 20 *VsphereVirtualDiskVolumeSource
 quobyte 21 *QuobyteVolumeSource
 azureDisk 22 *AzureDiskVolumeSource
 photonPersistentDisk 23 *PhotonPersistentDiskVolumeSource
 projected 26 *ProjectedVolumeSource
 portworxVolume 24 *PortworxVolumeSource
 scaleIO 25 *ScaleIOVolumeSource
 storageos 27 *StorageOSVolumeSource
 csi 28 *CSIVolumeSource
 ephemeral 29 *EphemeralVolumeSource
 image 30 *ImageVolumeSource
VsphereVirtualDiskVolumeSource
 volumePath 1 string required
 fsType 2 string
 storagePolicyName 3 string
 storagePolicyID 4 string
WeightedPodAffinityTerm
 weight 1 int32 required
 podAffinityTerm 2 PodAffinityTerm required
WindowsSecurityContextOptions
 gmsaCredentialSpecName 1 *string
 gmsaCredentialSpec 2 *string
 runAsUserName 3 *string
 hostProcess 4 *bool
WorkloadReference
 name 1 string required
 podGroup 2 string required
 podGroupReplicaKey 3 string
`;
