import { strategyOf } from "../admit/strategy-of.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { convertBuiltIn } from "../registry/convert-built-in.ts";
import { decodeCustom, readStored } from "../registry/custom-body.ts";
import type { KindVersion } from "../registry/kind.ts";
import { apiVersionOf, type ServedKind } from "../registry/registry.ts";
import { type BodyKind, decodeBuiltIn } from "../schema/built-in-body.ts";
import { dropEmptyLists } from "../schema/go-decode.ts";
import { applyDefaults } from "../schema/schema-default.ts";
import type { ServedSchema } from "../schema/served-schema.ts";
import type { WebhookConversion } from "./webhook-conversion.ts";

export interface Decoded {
  readonly object: DraftObject;
  /** Fields that were dropped since the kind does not have them. */
  readonly unknown: readonly string[];
}

/** Between bodies, the versions that clients speak, and the version that is stored. */
export interface Codec {
  /**
   * The object of a body in the version of the request: decoded, pruned, with defaults.
   *
   * @throws ApiError 400 for what is no such object.
   */
  decode(served: ServedKind, value: unknown): Decoded;
  /** Makes the draft, in the version of the request, what it will be when it has been stored and read. */
  settle(served: ServedKind, draft: DraftObject): void;
  /**
   * The draft in the version that is stored; the draft itself where that is the request's. One that is not `whole` has
   * had a part written into it after it was read, and may lack defaults of that.
   */
  toStorage(
    served: ServedKind,
    draft: DraftObject,
    options?: { readonly whole: boolean },
  ): DraftObject | Promise<DraftObject>;
  /** Stored objects in a version, defaults of its schema included. A promise only where a webhook converts. */
  read(
    served: ServedKind,
    objects: readonly StoredObject[],
  ): readonly StoredObject[] | Promise<readonly StoredObject[]>;
  /** The same as readers see them: without what the kind hides. */
  present(
    served: ServedKind,
    objects: readonly StoredObject[],
  ): readonly StoredObject[] | Promise<readonly StoredObject[]>;
  /** An object of one version as another shows it; for the bookkeeping of managedFields. */
  convert(served: ServedKind, object: DraftObject, to: KindVersion): DraftObject | Promise<DraftObject>;
}

export function createCodec(webhooks: WebhookConversion): Codec {
  /** Objects that are known to look the same when they are read by this schema. */
  const settled = new WeakMap<StoredObject, ServedSchema>();
  /** What others look like, by the version's schema. */
  const views = new WeakMap<StoredObject, Map<ServedSchema, StoredObject>>();

  const storageApiVersion = ({ kind }: ServedKind): string =>
    kind.storedAs === undefined
      ? apiVersionOf(kind.group, kind.storageVersion)
      : apiVersionOf(kind.storedAs.group, kind.storedAs.version);

  const inVersion = (served: ServedKind, object: StoredObject): StoredObject => {
    const { schema } = served.version;
    if (settled.get(object) === schema) return object;
    const known = views.get(object)?.get(schema);
    if (known !== undefined) return known;
    const view = changeVersion(served, object, apiVersionOf(served.kind.group, served.version.version)) as StoredObject;
    const byschema = views.get(object) ?? new Map<ServedSchema, StoredObject>();
    views.set(object, byschema.set(schema, view));
    return view;
  };

  const changeVersion = (
    { kind, version }: ServedKind,
    object: DraftObject | StoredObject,
    apiVersion: string,
  ): DraftObject => {
    if (!kind.custom)
      return object.apiVersion === apiVersion ? (object as DraftObject) : convertBuiltIn(object, apiVersion);
    return { ...readStored(version.schema, object as DraftObject), apiVersion };
  };

  const bodyKind = ({ kind, version }: ServedKind): BodyKind => ({ kind: kind.kind, version: version.version });

  const read: Codec["read"] = (served, objects) => {
    const apiVersion = apiVersionOf(served.kind.group, served.version.version);
    if (objects.some((object) => object.apiVersion !== apiVersion) && webhooks.converts(served.kind)) {
      return webhooks
        .convert(served.kind, objects, apiVersion)
        .then((converted) => converted.map((object) => readStored(served.version.schema, object) as StoredObject));
    }
    return objects.map((object) => inVersion(served, object));
  };

  return {
    decode(served, value): Decoded {
      const { kind, version } = served;
      if (kind.custom) return decodeCustom(version.schema, value, bodyKind(served));
      const decoded = decodeBuiltIn<DraftObject>(version.schema, value, bodyKind(served));
      const { object } = decoded;
      object.apiVersion = apiVersionOf(kind.group, version.version);
      object.kind = kind.kind;
      object.metadata ??= {};
      applyDefaults(version.schema, object);
      strategyOf(kind.group, kind.kind).applyDefaults?.(object);
      return decoded;
    },
    settle({ kind, version }, draft): void {
      if (!kind.custom) dropEmptyLists(version.schema, draft);
    },
    toStorage(served, draft, { whole } = { whole: true }): DraftObject | Promise<DraftObject> {
      const apiVersion = storageApiVersion(served);
      if (draft.apiVersion === apiVersion) {
        if (whole) settled.set(draft as StoredObject, served.version.schema);
        return draft;
      }
      if (webhooks.converts(served.kind)) {
        return webhooks.convert(served.kind, [draft], apiVersion).then(([converted = draft]) => converted);
      }
      const stored =
        served.kind.versions.find(({ version }) => version === served.kind.storageVersion) ?? served.version;
      return changeVersion({ kind: served.kind, version: stored }, draft, apiVersion);
    },
    read,
    present(served, objects): readonly StoredObject[] | Promise<readonly StoredObject[]> {
      const { kind } = served;
      const hide = kind.custom ? undefined : strategyOf(kind.group, kind.kind).shown;
      const all = read(served, objects);
      // Built-in kinds are never converted by webhooks.
      return hide === undefined || all instanceof Promise ? all : all.map(hide);
    },
    convert({ kind }, object, to): DraftObject | Promise<DraftObject> {
      const apiVersion = apiVersionOf(kind.group, to.version);
      if (object.apiVersion !== apiVersion && webhooks.converts(kind)) {
        return webhooks.convert(kind, [object], apiVersion).then(([converted = object]) => converted);
      }
      return changeVersion({ kind, version: to }, object, apiVersion);
    },
  };
}
