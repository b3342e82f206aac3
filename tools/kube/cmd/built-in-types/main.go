// Built-in-types prints what Go's types of the built-in kinds say of their fields and the published schemas do not: which
// are pointers, which are always written, their order, and their numbers in protobuf. One JSON object; see built-in-types.ts.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type field struct {
	Name   string `json:"name"`
	Inline bool   `json:"inline,omitempty"`
	Number string `json:"number,omitempty"`
	Type   string `json:"type"`
	// As Go names it in errors, where that does not follow from Type.
	GoType   string `json:"goType,omitempty"`
	Always   bool   `json:"always,omitempty"`
	OmitZero bool   `json:"omitZero,omitempty"`
	Strategy string `json:"strategy,omitempty"`
	MergeKey string `json:"mergeKey,omitempty"`
}

type message struct {
	// Of a named list, which is a message of its own in protobuf: its items.
	Items  string  `json:"items,omitempty"`
	Fields []field `json:"fields,omitempty"`
}

// Written in JSON as something else than an object of their fields.
var scalars = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                     "Time",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                "MicroTime",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                 "FieldsV1",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                 "Quantity",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               "IntOrString",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                  "RawExtension",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "JSON",
}

var found = map[string]*message{}

// k8s.io/api/apps/v1.Deployment is apps.v1.Deployment.
func shortName(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	return strings.Join(append(parts[len(parts)-2:], t.Name()), ".")
}

func typeName(t reflect.Type) string {
	if name, ok := scalars[t.PkgPath()+"."+t.Name()]; ok {
		return name
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeName(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		if _, ok := reflect.PointerTo(t).MethodByName("Marshal"); ok {
			found[shortName(t)] = &message{Items: typeName(t.Elem())}
			return shortName(t)
		}
		return "[]" + typeName(t.Elem())
	case reflect.Map:
		return "{}" + typeName(t.Elem())
	case reflect.Struct:
		visit(t)
		return shortName(t)
	default:
		return t.Kind().String()
	}
}

// Whether the type, or what a list or map of it holds, is a scalar or collection with a name of its own.
func hasOwnName(t reflect.Type) bool {
	if _, ok := scalars[t.PkgPath()+"."+t.Name()]; ok || t.Kind() == reflect.Struct {
		return false
	}
	if t.PkgPath() != "" {
		return true
	}
	return t.Kind() == reflect.Slice && hasOwnName(t.Elem()) || t.Kind() == reflect.Map && (hasOwnName(t.Key()) || hasOwnName(t.Elem()))
}

func goTypeName(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if hasOwnName(t) {
		return t.String()
	}
	return ""
}

func visit(t reflect.Type) {
	name := shortName(t)
	if _, ok := found[name]; ok {
		return
	}
	m := &message{}
	found[name] = m
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		tag := strings.Split(f.Tag.Get("json"), ",")
		if tag[0] == "-" {
			continue
		}
		has := func(option string) bool {
			for _, o := range tag[1:] {
				if o == option {
					return true
				}
			}
			return false
		}
		one := field{
			Name:     tag[0],
			Inline:   f.Anonymous && tag[0] == "",
			Type:     typeName(f.Type),
			GoType:   goTypeName(f.Type),
			Always:   !has("omitempty") && !has("omitzero"),
			OmitZero: has("omitzero"),
			Strategy: f.Tag.Get("patchStrategy"),
			MergeKey: f.Tag.Get("patchMergeKey"),
		}
		if proto := strings.Split(f.Tag.Get("protobuf"), ","); len(proto) > 1 {
			one.Number = proto[1]
		}
		if one.Name == "" && !one.Inline {
			one.Name = f.Name
		}
		m.Fields = append(m.Fields, one)
	}
}

func main() {
	s := scheme.Scheme
	check(apiextensions.AddToScheme(s))
	check(apiregistration.AddToScheme(s))
	for _, name := range os.Args[1:] {
		gv, err := schema.ParseGroupVersion(name)
		check(err)
		for kind, t := range s.KnownTypes(gv) {
			if kind != "WatchEvent" {
				visit(t)
			}
		}
	}
	for _, t := range []any{metav1.Status{}, metav1.CreateOptions{}, metav1.UpdateOptions{}, metav1.PatchOptions{}, metav1.DeleteOptions{}, metav1.GetOptions{}, metav1.ListOptions{}} {
		visit(reflect.TypeOf(t))
	}
	check(json.NewEncoder(os.Stdout).Encode(found))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
