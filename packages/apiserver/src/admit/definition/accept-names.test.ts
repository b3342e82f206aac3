import assert from "node:assert/strict";
import { test } from "node:test";
import type { DraftObject } from "../../registry/api-object.ts";
import { nextDefinitionStatus } from "./accept-names.ts";
import { type DefinitionNames, type DefinitionStatus, statusOf } from "./definition.ts";

const now = "2026-01-01T00:00:00Z";
const later = "2026-01-01T00:01:00Z";

function definition(names: DefinitionNames, status: DefinitionStatus = {}): DraftObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.example.com` },
    spec: { group: "example.com", names },
    status,
  };
}

const widgets: DefinitionNames = {
  plural: "widgets",
  singular: "widget",
  kind: "Widget",
  listKind: "WidgetList",
  shortNames: ["wd"],
};

/** Takes every step that there is to take. */
function settled(one: DraftObject, others: readonly DraftObject[], at: string): DraftObject {
  const next = nextDefinitionStatus(one, others, at);
  return next === undefined ? one : settled({ ...one, status: next }, others, at);
}

const toldBy = (one: DraftObject): unknown =>
  (statusOf(one).conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`);

test("a definition is first installed and then established", () => {
  const one = definition(widgets);
  const first = nextDefinitionStatus(one, [one], now);
  assert.deepEqual(toldBy({ ...one, status: first }), [
    "NamesAccepted True NoConflicts",
    "Established False Installing",
  ]);
  assert.deepEqual(first?.acceptedNames, widgets);
  const done = settled(one, [one], now);
  assert.deepEqual(toldBy(done), ["NamesAccepted True NoConflicts", "Established True InitialNamesAccepted"]);
  assert.equal(nextDefinitionStatus(done, [done], later), undefined);
});

test("a name that another definition of the group has is told, and the others are accepted", () => {
  const other = settled(definition(widgets), [], now);
  const one = definition({
    plural: "gadgets",
    singular: "gadget",
    kind: "Widget",
    listKind: "GadgetList",
    shortNames: ["wd", "gd"],
  });
  const told = settled(one, [one, other], now);
  assert.deepEqual(toldBy(told), ["NamesAccepted False KindConflict", "Established False NotAccepted"]);
  assert.deepEqual(statusOf(told).acceptedNames, { plural: "gadgets", singular: "gadget", listKind: "GadgetList" });
  const free = settled(told, [told], later);
  assert.deepEqual(toldBy(free), ["NamesAccepted True NoConflicts", "Established True InitialNamesAccepted"]);
  assert.equal(statusOf(free).conditions?.[0]?.lastTransitionTime, later);
});

test("a definition that is established stays so when it asks for a name that is in use", () => {
  const other = settled(
    definition({
      ...widgets,
      plural: "others",
      singular: "other",
      kind: "Other",
      listKind: "OtherList",
      shortNames: ["o"],
    }),
    [],
    now,
  );
  const one = settled(definition(widgets), [], now);
  const changed = { ...one, spec: { group: "example.com", names: { ...widgets, shortNames: ["wd", "o"] } } };
  const told = settled(changed, [changed, other], later);
  assert.deepEqual(toldBy(told), ["NamesAccepted False ShortNamesConflict", "Established True InitialNamesAccepted"]);
  assert.deepEqual(statusOf(told).acceptedNames?.shortNames, ["wd"]);
});

test("a definition whose webhook's certificates cannot be read is not established", () => {
  const one = definition(widgets);
  const conversion = { strategy: "Webhook", webhook: { clientConfig: { caBundle: "eA==" } } };
  const told = settled({ ...one, spec: { ...(one.spec as object), conversion } }, [], now);
  assert.deepEqual(toldBy(told), ["NamesAccepted True NoConflicts", "Established False InvalidCABundle"]);
});
