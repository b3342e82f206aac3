// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const apiextensionsV1: string = `
CustomResourceColumnDefinition
 name 1 string required
 type 2 string required
 format 3 string
 description 4 string
 priority 5 int32
 jsonPath 6 string required
CustomResourceConversion
 strategy 1 string required go=v1.ConversionStrategyType
 webhook 2 *WebhookConversion
CustomResourceDefinition
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 CustomResourceDefinitionSpec required
 status 3 CustomResourceDefinitionStatus
CustomResourceDefinitionCondition
 type 1 string required go=v1.CustomResourceDefinitionConditionType
 status 2 string required go=v1.ConditionStatus
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
 observedGeneration 6 int64
CustomResourceDefinitionList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []CustomResourceDefinition required
CustomResourceDefinitionNames
 plural 1 string required
 singular 2 string
 shortNames 3 []string list=atomic
 kind 4 string required
 listKind 5 string
 categories 6 []string list=atomic
CustomResourceDefinitionSpec
 group 1 string required
 names 3 CustomResourceDefinitionNames required
 scope 4 string required go=v1.ResourceScope
 versions 7 []CustomResourceDefinitionVersion required list=atomic
 conversion 9 *CustomResourceConversion
 preserveUnknownFields 10 bool
CustomResourceDefinitionStatus
 conditions 1 []CustomResourceDefinitionCondition written list=map:type
 acceptedNames 2 CustomResourceDefinitionNames written
 storedVersions 3 []string written list=atomic
 observedGeneration 4 int64
CustomResourceDefinitionVersion
 name 1 string required
 served 2 bool required
 storage 3 bool required
 deprecated 7 bool
 deprecationWarning 8 *string
 schema 4 *CustomResourceValidation
 subresources 5 *CustomResourceSubresources
 additionalPrinterColumns 6 []CustomResourceColumnDefinition list=atomic
 selectableFields 9 []SelectableField list=atomic
CustomResourceSubresourceScale
 specReplicasPath 1 string required
 statusReplicasPath 2 string required
 labelSelectorPath 3 *string
CustomResourceSubresourceStatus
CustomResourceSubresources
 status 1 *CustomResourceSubresourceStatus
 scale 2 *CustomResourceSubresourceScale
CustomResourceValidation
 openAPIV3Schema 1 *JSONSchemaProps
ExternalDocumentation
 description 1 string
 url 2 string
JSONSchemaProps
 id 1 string
 $schema 2 string go=v1.JSONSchemaURL
 $ref 3 *string
 description 4 string
 type 5 string
 format 6 string
 title 7 string
 default 8 *JSON
 maximum 9 *float64
 exclusiveMaximum 10 bool
 minimum 11 *float64
 exclusiveMinimum 12 bool
 maxLength 13 *int64
 minLength 14 *int64
 pattern 15 string
 maxItems 16 *int64
 minItems 17 *int64
 uniqueItems 18 bool
 multipleOf 19 *float64
 enum 20 []JSON list=atomic
 maxProperties 21 *int64
 minProperties 22 *int64
 required 23 []string list=atomic
 items 24 *JSONSchemaPropsOrArray
 allOf 25 []JSONSchemaProps list=atomic
 oneOf 26 []JSONSchemaProps list=atomic
 anyOf 27 []JSONSchemaProps list=atomic
 not 28 *JSONSchemaProps
 properties 29 {}JSONSchemaProps
 additionalProperties 30 *JSONSchemaPropsOrBool
 patternProperties 31 {}JSONSchemaProps
 dependencies 32 {}JSONSchemaPropsOrStringArray go=v1.JSONSchemaDependencies
 additionalItems 33 *JSONSchemaPropsOrBool
 definitions 34 {}JSONSchemaProps go=v1.JSONSchemaDefinitions
 externalDocs 35 *ExternalDocumentation
 example 36 *JSON
 nullable 37 bool
 x-kubernetes-preserve-unknown-fields 38 *bool
 x-kubernetes-embedded-resource 39 bool
 x-kubernetes-int-or-string 40 bool
 x-kubernetes-list-map-keys 41 []string list=atomic
 x-kubernetes-list-type 42 *string
 x-kubernetes-map-type 43 *string
 x-kubernetes-validations 44 []ValidationRule list=map:rule go=v1.ValidationRules patch=merge key=rule
JSONSchemaPropsOrArray
 Schema 1 *JSONSchemaProps written
 JSONSchemas 2 []JSONSchemaProps written
JSONSchemaPropsOrBool
 Allows 1 bool written
 Schema 2 *JSONSchemaProps written
JSONSchemaPropsOrStringArray
 Schema 1 *JSONSchemaProps written
 Property 2 []string written
SelectableField
 jsonPath 1 string required
ServiceReference
 namespace 1 string required
 name 2 string required
 path 3 *string
 port 4 *int32
ValidationRule
 rule 1 string required
 message 2 string
 messageExpression 3 string
 reason 4 *string enum=FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired go=v1.FieldValueErrorReason
 fieldPath 5 string
 optionalOldSelf 6 *bool
WebhookClientConfig
 url 3 *string
 service 1 *ServiceReference
 caBundle 2 bytes
WebhookConversion
 clientConfig 2 *WebhookClientConfig
 conversionReviewVersions 3 []string required list=atomic
`;
