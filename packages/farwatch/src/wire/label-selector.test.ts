import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  formatLabelSelector,
  type LabelRequirement,
  labelMatcher,
  labelSelectorText,
  parseLabelSelector,
} from "./label-selector.ts";

test("parseLabelSelector reads every form of the API server's grammar", () => {
  const selector = "a=b, c == d,e!=f,g in (h, i,h), j notin(k),l,! m,example.com/n>1,o<2,p=,q in (,r)";
  assert.deepEqual(
    parseLabelSelector(selector).map(({ key, operator, values }) => `${key} ${operator} ${values.join("|")}`),
    [
      "a In b",
      "c In d",
      "e NotIn f",
      "g In h|i",
      "j NotIn k",
      "l Exists ",
      "m DoesNotExist ",
      "example.com/n Gt 1",
      "o Lt 2",
      "p In ",
      "q In |r",
    ],
  );
  assert.deepEqual(parseLabelSelector(" "), []);
  assert.deepEqual(parseLabelSelector({ a: "b" }), [{ key: "a", operator: "In", values: ["b"] }]);
});

const unreadable = [
  "a=b,",
  ",a",
  "a in b",
  "a in (b",
  "a b",
  "=a",
  "a>b",
  "a>-1",
  "a>9223372036854775808",
  "-a",
  "a=b c",
  "a=!",
  "A.Example/b",
  "a/b/c",
  "!a=b",
  "a===b",
  "a in (b c)",
  `${"a".repeat(64)}`,
  `a=${"b".repeat(64)}`,
];

test("parseLabelSelector refuses what the API server refuses", () => {
  for (const selector of unreadable) {
    assert.throws(() => parseLabelSelector(selector), { code: "InvalidSelector" }, selector);
  }
  assert.throws(() => parseLabelSelector("a=b,c>d"), {
    message:
      'Cannot read label selector "a=b,c>d": "c>d" is no requirement, write "a=b", "a!=b", "a in (b, c)", "a notin (b)", "a", "!a", "a>1" or "a<1"',
  });
});

test("parseLabelSelector refuses a map of what no label can be, which a text would be read otherwise for", () => {
  for (const [key, value] of [
    ["a", "b,c!=d"],
    ["a in (b)", ""],
    ["!a", ""],
    ["a", "é"],
  ] as const) {
    assert.throws(() => parseLabelSelector({ [key]: value }), { code: "InvalidSelector" });
    assert.throws(() => labelSelectorText({ [key]: value }), { code: "InvalidSelector" });
  }
  assert.equal(labelSelectorText({ a: "b", "example.com/c": "" }), "a=b,example.com/c=");
  assert.equal(labelSelectorText("a in(b)"), "a in(b)");
});

test("labelMatcher selects as the API server does, where a label is absent too", () => {
  const labels = { a: "b", n: "5", e: "" };
  const selected = ["a", "a=b", "a in (b, c)", "!z", "z!=b", "z notin (b)", "n>4", "n<6", "e=", "a=b,n>1", ""];
  const others = [
    "z",
    "a!=b",
    "a notin (b)",
    "!a",
    "z=b",
    "z in (b)",
    "n>5",
    "n<5",
    "a>1",
    "z<9",
    "z=",
    "a=b,z",
    "toString",
  ];
  for (const selector of selected) assert.equal(labelMatcher(selector)(labels), true, selector);
  for (const selector of others) assert.equal(labelMatcher(selector)(labels), false, selector);
  assert.equal(labelMatcher({ a: "b", n: "5" })(labels), true);
  assert.equal(labelMatcher({ a: "b" })(undefined), false);
  assert.equal(labelMatcher("!a")(undefined), true);
});

const word = fc.stringMatching(/^[a-zA-Z0-9]([-a-zA-Z0-9_.]{0,8}[a-zA-Z0-9])?$/);
const key = fc.oneof(
  word,
  word.map((name) => `example.com/${name}`),
);
const plain = { noNullPrototype: true } as const;
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record(
    { key, operator: fc.constantFrom("Exists" as const, "DoesNotExist" as const), values: fc.constant([]) },
    plain,
  ),
  fc.record(
    {
      key,
      operator: fc.constantFrom("In" as const, "NotIn" as const),
      values: fc
        .uniqueArray(fc.oneof(word, fc.constant("")), { minLength: 1, maxLength: 4 })
        .map((values) => values.toSorted()),
    },
    plain,
  ),
  fc.record(
    { key, operator: fc.constantFrom("Gt" as const, "Lt" as const), values: fc.nat().map((n) => [String(n)]) },
    plain,
  ),
);

test("formatLabelSelector is read again as the same requirements", () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
      assert.deepEqual(parseLabelSelector(formatLabelSelector(requirements)), requirements);
    }),
  );
});

test("labelMatcher and its negation never agree", () => {
  const opposites = { In: "NotIn", NotIn: "In", Exists: "DoesNotExist", DoesNotExist: "Exists" } as const;
  fc.assert(
    fc.property(requirement, fc.dictionary(key, word), (positive, labels) => {
      if (positive.operator === "Gt" || positive.operator === "Lt") return;
      const matches = (one: LabelRequirement): boolean => labelMatcher(formatLabelSelector([one]))(labels);
      assert.notEqual(matches(positive), matches({ ...positive, operator: opposites[positive.operator] }));
    }),
  );
});
