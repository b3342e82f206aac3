// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package
/** The built-in kinds as data, for tests and tools; a server needs nothing from here. */
export { builtInKinds } from "./registry/built-in-kinds.ts";
export { builtInSchema } from "./registry/built-in-schema.ts";
export { convertBuiltIn } from "./registry/convert-built-in.ts";
export { kindFromCrd } from "./registry/crd-kind.ts";
export type { Kind, KindVersion, Subresource } from "./registry/kind.ts";
export { apiVersionOf, createRegistry } from "./registry/registry.ts";
export { typeNameOf } from "./registry/type-table.ts";
export { openApiDocument, openApiIndex } from "./route/open-api.ts";
export { decodeProtobuf } from "./route/protobuf.ts";
export { decodeBuiltIn } from "./schema/built-in-body.ts";
