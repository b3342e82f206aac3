// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const storageV1: string = `
CSIDriver
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 CSIDriverSpec required
CSIDriverList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []CSIDriver required
CSIDriverSpec
 attachRequired 1 *bool
 podInfoOnMount 2 *bool
 volumeLifecycleModes 3 []string list=set go=[]v1.VolumeLifecycleMode
 storageCapacity 4 *bool
 fsGroupPolicy 5 *string go=v1.FSGroupPolicy
 tokenRequests 6 []TokenRequest list=atomic
 requiresRepublish 7 *bool
 seLinuxMount 8 *bool
 nodeAllocatableUpdatePeriodSeconds 9 *int64
 serviceAccountTokenInSecrets 10 *bool
CSINode
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 CSINodeSpec required
CSINodeDriver
 name 1 string required
 nodeID 2 string required
 topologyKeys 3 []string written list=atomic
 allocatable 4 *VolumeNodeResources
CSINodeList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []CSINode required
CSINodeSpec
 drivers 1 []CSINodeDriver required list=map:name patch=merge key=name
CSIStorageCapacity
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 nodeTopology 2 *meta.v1.LabelSelector
 storageClassName 3 string required
 capacity 4 *Quantity
 maximumVolumeSize 5 *Quantity
CSIStorageCapacityList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []CSIStorageCapacity required
StorageClass
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 provisioner 2 string required
 parameters 3 {}string
 reclaimPolicy 4 *string enum=Delete|Recycle|Retain go=v1.PersistentVolumeReclaimPolicy
 mountOptions 5 []string list=atomic
 allowVolumeExpansion 6 *bool
 volumeBindingMode 7 *string enum=Immediate|WaitForFirstConsumer go=v1.VolumeBindingMode
 allowedTopologies 8 []core.v1.TopologySelectorTerm list=atomic
StorageClassList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []StorageClass required
TokenRequest
 audience 1 string required
 expirationSeconds 2 *int64
VolumeAttachment
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 VolumeAttachmentSpec required
 status 3 VolumeAttachmentStatus
VolumeAttachmentList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []VolumeAttachment required
VolumeAttachmentSource
 persistentVolumeName 1 *string
 inlineVolumeSpec 2 *core.v1.PersistentVolumeSpec
VolumeAttachmentSpec
 attacher 1 string required
 source 2 VolumeAttachmentSource required
 nodeName 3 string required
VolumeAttachmentStatus
 attached 1 bool required
 attachmentMetadata 2 {}string
 attachError 3 *VolumeError
 detachError 4 *VolumeError
VolumeAttributesClass
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 driverName 2 string required
 parameters 3 {}string
VolumeAttributesClassList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []VolumeAttributesClass required
VolumeError
 time 1 Time
 message 2 string
 errorCode 3 *int32
VolumeNodeResources
 count 1 *int32
`;
