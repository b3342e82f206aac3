import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";
import { judgeSpecs, judgeUpdates, kindOf } from "../judged-spec.ts";

const schema = {
  type: "object",
  properties: {
    n: { type: "integer" },
    m: { type: "integer" },
    d: { type: "number" },
    s: { type: "string", maxLength: 50 },
    t: { type: "string", maxLength: 50 },
    at: { type: "string", format: "date-time" },
    lasts: { type: "string", format: "duration" },
    bytes: { type: "string", format: "byte", maxLength: 20 },
    ios: { "x-kubernetes-int-or-string": true },
    list: { type: "array", maxItems: 10, items: { type: "string", maxLength: 10 } },
    numbers: { type: "array", maxItems: 10, items: { type: "integer" } },
    set: { type: "array", maxItems: 10, "x-kubernetes-list-type": "set", items: { type: "string", maxLength: 10 } },
    map: { type: "object", maxProperties: 10, additionalProperties: { type: "string", maxLength: 10 } },
    items: {
      type: "array",
      maxItems: 10,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: {
        type: "object",
        required: ["k"],
        properties: { k: { type: "string", maxLength: 10 }, v: { type: "integer" } },
      },
    },
    "with-dash": { type: "string", maxLength: 10 },
    "a.b/c": { type: "string", maxLength: 10 },
    __under: { type: "string", maxLength: 10 },
    namespace: { type: "string", maxLength: 10 },
    none: { type: "string", maxLength: 10, nullable: true },
    obj: { type: "object", properties: { a: { type: "integer" }, b: { type: "string", maxLength: 5 } } },
  },
} as const;

const sample = {
  n: 3,
  m: -4,
  d: 1.5,
  s: "hello world",
  t: "10.0.0.1",
  at: "2026-01-02T03:04:05Z",
  lasts: "1h30m",
  bytes: "YWJj",
  ios: "5%",
  list: ["b", "a", "c"],
  numbers: [3, 1, 2],
  set: ["x", "y"],
  map: { one: "1", two: "2" },
  items: [
    { k: "a", v: 1 },
    { k: "b", v: 2 },
  ],
  "with-dash": "dash",
  "a.b/c": "path",
  __under: "under",
  namespace: "ns",
  none: null,
  obj: { a: 1, b: "x" },
};

/** Rules over the sample; each reports what its message expression finds, so that results are seen, not only truth. */
async function evaluate(conversation: Conversation, expressions: readonly string[]): Promise<void> {
  const rules = expressions.map((expression) => ({ rule: expression, message: expression.slice(0, 200) }));
  const kind = await kindOf(conversation, { ...schema, "x-kubernetes-validations": rules });
  await judgeSpecs(conversation, kind, [sample]);
}

/** The rules that hold are silent: each expression is asked with its opposite, and one of the two must be told. */
const both = (expressions: readonly string[]): readonly string[] =>
  expressions.flatMap((expression) => [expression, `!(${expression})`]);

const families: Readonly<Record<string, readonly string[]>> = {
  arithmetic: [
    "self.n + self.m == -1",
    "self.n * 2 - 1 == 5",
    "self.n / 2 == 1",
    "self.m / 3 == -1",
    "self.m % 3 == -1",
    "-self.n == -3",
    "self.d * 2.0 == 3.0",
  ],
  comparison: [
    "self.n < self.d",
    "self.n == 3",
    "self.s < self.t",
    "self.n >= 3 && self.m <= -4",
    "self.d > 1",
    "self.list != self.set",
    "dyn(self.n) == 3.0",
  ],
  logic: [
    "self.n > 5 || self.m < 0",
    "self.n / 0 == 1 || true",
    "true || self.n / 0 == 1",
    "self.n > 2 ? self.m < 0 : false",
    "!(self.n == 3)",
  ],
  presence: [
    "has(self.n)",
    "has(self.obj.a)",
    "has(self.none)",
    "dyn(self.none) == null",
    "!has(self.obj.b) || self.obj.b == 'x'",
    "'one' in self.map",
    "has(self.map.one)",
  ],
  strings: [
    "self.s.startsWith('hello')",
    "self.s.endsWith('x')",
    "self.s.contains('lo w')",
    "self.s.matches('^[a-z ]+$')",
    "self.s.size() == 11",
    "self.s + '!' == 'hello world!'",
  ],
  "strings extension": [
    "self.s.charAt(4) == 'o'",
    "self.s.indexOf('o') == 4 && self.s.indexOf('o', 5) == 7",
    "self.s.lastIndexOf('o') == 7",
    "self.s.lowerAscii() == self.s",
    "self.s.upperAscii() == 'HELLO WORLD'",
    "self.s.replace('l', 'L') == 'heLLo worLd'",
    "self.s.replace('l', 'L', 1) == 'heLlo world'",
    "self.s.split(' ') == ['hello', 'world']",
    "self.s.split('o', 2).size() == 2",
    "self.s.substring(6) == 'world' && self.s.substring(0, 5) == 'hello'",
    "'  a '.trim() == 'a'",
    "self.list.join('-') == 'b-a-c'",
    "strings.quote(self.s) == '\"hello world\"'",
  ],
  format: [
    "'%s is %d'.format([self.s, self.n]) == 'hello world is 3'",
    "'%.2f'.format([self.d]) == '1.50'",
    "'%x %b %o'.format([255, 5, 8]) == 'ff 101 10'",
    "'%s'.format([self.list]) == '[b, a, c]'",
    "'%e'.format([1234.5]) == '1.234500e+03'",
  ],
  "regular expressions": [
    "self.s.find('w.r') == 'wor'",
    "self.s.findAll('o').size() == 2",
    "self.s.findAll('[a-z]+', 1) == ['hello']",
    "self.s.find('[0-9]') == ''",
  ],
  lists: [
    "self.list.size() == 3",
    "'a' in self.list",
    "self.list[0] == 'b'",
    "self.list + ['d'] == ['b', 'a', 'c', 'd']",
    "self.numbers.sum() == 6 && self.numbers.min() == 1 && self.numbers.max() == 3",
    "self.list.isSorted()",
    "self.list.indexOf('a') == 1 && self.list.lastIndexOf('z') == -1",
    "self.numbers.sort() == [1, 2, 3]",
    "self.numbers.reverse() == [2, 1, 3]",
    "self.numbers.slice(0, 2) == [3, 1]",
    "[1, 1, 2].distinct() == [1, 2]",
    "[[1], [2, 3]].flatten() == [1, 2, 3]",
    "lists.range(3) == [0, 1, 2]",
    "self.items.sortBy(i, -i.v)[0].k == 'b'",
    "self.numbers.first().value() == 3 && self.numbers.last().orValue(0) == 2",
  ],
  macros: [
    "self.list.all(x, x.size() == 1)",
    "self.list.exists(x, x == 'z')",
    "self.list.exists_one(x, x == 'a')",
    "self.list.map(x, x + x) == ['bb', 'aa', 'cc']",
    "self.numbers.map(x, x > 1, x * 10) == [30, 20]",
    "self.list.filter(x, x < 'c') == ['b', 'a']",
    "self.map.all(k, self.map[k].size() == 1)",
    "self.map.exists(k, v, v == '2')",
    "self.numbers.all(i, v, v > i)",
    "self.numbers.transformList(i, v, i + v) == [3, 2, 4]",
    "self.map.transformMap(k, v, k + v) == {'one': 'one1', 'two': 'two2'}",
    "self.numbers.exists(x, 6 / (x - 1) == 3)",
    "self.numbers.all(x, 6 / (x - 1) == 3)",
  ],
  "sets and lists by keys": [
    "self.set == ['y', 'x']",
    "(self.set + ['y', 'z']).size() == 3",
    "sets.contains(self.list, ['a', 'b'])",
    "sets.equivalent(self.numbers, [1, 2, 3, 3])",
    "sets.intersects(self.list, ['z'])",
    "self.items.exists(i, i.k == 'a' && i.v == 1)",
  ],
  optionals: [
    "self.?n.orValue(0) == 3",
    "self.obj.?a.hasValue()",
    "self.map[?'three'].orValue('none') == 'none'",
    "self.list[?9].hasValue()",
    "optional.of(1).optMap(x, x + 1).value() == 2",
    "optional.none().or(optional.of(2)).value() == 2",
    "optional.ofNonZeroValue('').hasValue()",
    "[?self.list[?0], ?self.list[?9]] == ['b']",
    "self.?obj.b.orValue('') == 'x'",
  ],
  conversions: [
    "int('12') + 1 == 13",
    "string(self.n) == '3' && string(self.d) == '1.5' && string(true) == 'true'",
    "double('1.5') == self.d",
    "uint(3) == 3u",
    "bytes('abc') == self.bytes",
    "bool('true')",
    "int(1.9) == 1",
    "type(self.n) == int && type(self.s) == string",
    "string(self.at) == '2026-01-02T03:04:05Z'",
  ],
  times: [
    "self.at.getFullYear() == 2026 && self.at.getMonth() == 0 && self.at.getDate() == 2",
    "self.at.getHours('America/New_York') == 22",
    "self.at + self.lasts == timestamp('2026-01-02T04:34:05Z')",
    "self.lasts == duration('90m')",
    "self.lasts.getMinutes() == 90",
    "self.at - timestamp('2026-01-01T00:00:00Z') > duration('24h')",
    "self.at.getDayOfWeek() == 5 && self.at.getDayOfYear() == 1",
    "string(self.lasts) == '5400s'",
  ],
  "int-or-string": [
    "type(self.ios) == string",
    "self.ios == '5%'",
    "type(self.ios) == int ? self.ios > 3 : self.ios.endsWith('%')",
    "self.ios == 5",
  ],
  "escaped names": [
    "self.with__dash__dash == 'dash'",
    "self.a__dot__b__slash__c == 'path'",
    "self.__underscores__under == 'under'",
    "self.__namespace__ == 'ns'",
  ],
  addresses: [
    "isIP(self.t) && ip(self.t).family() == 4",
    "ip('::1').isLoopback() && !ip('10.0.0.1').isLoopback()",
    "ip.isCanonical('2001:DB8::1')",
    "string(ip('2001:DB8:0::1')) == '2001:db8::1'",
    "ip('169.254.1.1').isLinkLocalUnicast() && ip('8.8.8.8').isGlobalUnicast()",
    "cidr('10.0.0.0/8').containsIP(self.t) && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
    "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.0/8').prefixLength() == 8",
    "isCIDR('10.0.0.0/33')",
    "url('https://a.b:8443/c%20d?q=1&q=2').getHost() == 'a.b:8443' && url('https://a.b:8443/').getHostname() == 'a.b'",
    "url('https://a.b/c%20d?q=1&q=2').getQuery() == {'q': ['1', '2']} && url('https://a.b/c%20d').getEscapedPath() == '/c%20d'",
    "isURL('https://a.b/') && !isURL('a b')",
  ],
  quantities: [
    "quantity('1Gi').isGreaterThan(quantity('1G'))",
    "quantity('500m').add(quantity('1')).compareTo(quantity('1500m')) == 0",
    "isQuantity('12x')",
    "quantity('2k').asInteger() == 2000 && quantity('1500m').isInteger() == false",
    "quantity('1500m').asApproximateFloat() == 1.5",
    "quantity('5').sub(2) == quantity('3')",
    "sign(quantity('-1')) == -1",
  ],
  versions: [
    "semver('1.2.3').isLessThan(semver('1.10.0'))",
    "semver('1.2.3-rc.1').compareTo(semver('1.2.3')) == -1",
    "isSemver('1.2')",
    "semver('v1.2', true).minor() == 2",
    "semver('1.2.3').major() == 1 && semver('1.2.3').patch() == 3",
  ],
  formats: [
    "!format.dns1123Label().validate('abc').hasValue()",
    "format.dns1123Label().validate('A_').hasValue()",
    "format.named('uuid').value().validate('x').value() == ['does not match the UUID format']",
    "!format.named('unheard').hasValue()",
    "!format.qualifiedName().validate('a.b/c').hasValue()",
    "format.labelValue().validate('-').hasValue()",
  ],
};

const failures: readonly string[] = [
  "self.list[7] == 'a'",
  "self.map['three'] == '3'",
  "self.n / 0 == 1",
  "self.n % 0 == 1",
  "self.ios < 3",
  "int(self.s) == 1",
  "9223372036854775807 + self.n > 0",
  "ip('x').family() == 4",
  "cidr('x').prefixLength() == 1",
  "url('a b').getHost() == ''",
  "quantity('x').asInteger() == 1",
  "optional.none().value() == 1",
  "self.s.substring(99) == ''",
  "self.s.charAt(-1) == ''",
  "[].min() == 1",
  "duration(self.s) == self.lasts",
  "self.s.matches(self.t + '[')",
];

export const area: Area = defineArea("custom-resource-rules", (check) => {
  for (const [family, expressions] of Object.entries(families)) {
    check(`rules with ${family}`, (conversation) => evaluate(conversation, both(expressions)));
  }

  for (const expression of failures) {
    check(`a rule that fails: ${expression}`, async (conversation) => {
      const kind = await kindOf(conversation, { ...schema, "x-kubernetes-validations": [{ rule: expression }] });
      await judgeSpecs(conversation, kind, [sample]);
    });
  }

  check("a broken rule tells itself, its message, or what its expression says", async (conversation) => {
    const rules = [
      { rule: " self.n > 5 " },
      { rule: "self.n > 6", message: " too small " },
      { rule: "self.n > 7", messageExpression: "'n is ' + (self.n > 3 ? 'large' : 'small')" },
      { rule: "self.n > 8", message: "fallback", messageExpression: "self.map['none']" },
      { rule: "self.n > 9", messageExpression: "'a\\nb'" },
      { rule: "self.n > 10", message: "fallback", messageExpression: "'  '" },
    ];
    const kind = await kindOf(conversation, { ...schema, "x-kubernetes-validations": rules });
    await judgeSpecs(conversation, kind, [
      { ...sample, n: 3 },
      { ...sample, n: 20 },
    ]);
  });

  check("a rule's reason and path", async (conversation) => {
    const rules = [
      { rule: "self.n > 5", reason: "FieldValueForbidden", fieldPath: ".n" },
      { rule: "has(self.obj.c) || self.n > 5", reason: "FieldValueRequired", fieldPath: ".obj.a" },
      { rule: "self.n > 6", reason: "FieldValueDuplicate", fieldPath: ".map['one']", message: "twice" },
      { rule: "self.n > 7", reason: "FieldValueInvalid", fieldPath: "['with-dash']" },
    ].map((one) => ({ ...one, rule: one.rule.replace("has(self.obj.c)", "has(self.obj.b) && self.obj.b == 'y'") }));
    const kind = await kindOf(conversation, { ...schema, "x-kubernetes-validations": rules });
    await judgeSpecs(conversation, kind, [sample]);
  });

  check("rules on scalars, items and values tell the value", async (conversation) => {
    const positive = [{ rule: "self > 0", message: "must be positive" }];
    const kind = await kindOf(conversation, {
      type: "object",
      properties: {
        n: { type: "integer", "x-kubernetes-validations": positive },
        d: { type: "number", "x-kubernetes-validations": [{ rule: "self > 0.0" }] },
        list: { type: "array", maxItems: 5, items: { type: "integer", "x-kubernetes-validations": positive } },
        map: {
          type: "object",
          maxProperties: 5,
          additionalProperties: { type: "integer", "x-kubernetes-validations": positive },
        },
        objects: {
          type: "array",
          maxItems: 5,
          items: {
            type: "object",
            properties: { a: { type: "integer" } },
            "x-kubernetes-validations": [{ rule: "self.a > 0", fieldPath: ".a" }],
          },
        },
      },
    });
    await judgeSpecs(conversation, kind, [
      { n: -1, d: -1.5, list: [1, -2], map: { ok: 1, "bad.key": -3 }, objects: [{ a: 1 }, { a: -4 }] },
      { n: 1, list: [] },
      { objects: [{}] },
    ]);
  });

  check("a rule on a nullable field is not asked of null", async (conversation) => {
    const kind = await kindOf(conversation, {
      type: "object",
      properties: {
        s: { type: "string", maxLength: 5, nullable: true, "x-kubernetes-validations": [{ rule: "self == 'a'" }] },
      },
    });
    await judgeSpecs(conversation, kind, [{ s: null }, { s: "b" }, {}]);
  });

  check("rules at the root see names and kind", async (conversation) => {
    const rules = [
      { rule: "self.metadata.name.startsWith('a') && self.kind == 'Widget'", message: "bad name" },
      { rule: "self.spec.n > 0" },
    ];
    const kind = await conversation.crd({
      schema: {
        type: "object",
        properties: { spec: { type: "object", properties: { n: { type: "integer" } } } },
        "x-kubernetes-validations": rules,
      },
    });
    for (const name of ["a", "b"]) {
      await conversation.send("POST", kind.path, {
        body: kind.object(name, { spec: { n: 0 } }),
        query: { dryRun: "All" },
      });
    }
    await conversation.send("POST", kind.path, { body: kind.object("a"), query: { dryRun: "All" } });
  });

  check("transition rules are asked on updates alone", async (conversation) => {
    const kind = await kindOf(conversation, {
      type: "object",
      properties: {
        n: { type: "integer", "x-kubernetes-validations": [{ rule: "self >= oldSelf", message: "may not shrink" }] },
        s: {
          type: "string",
          maxLength: 10,
          "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "immutable" }],
        },
        items: {
          type: "array",
          maxItems: 5,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: {
            type: "object",
            required: ["k"],
            properties: { k: { type: "string", maxLength: 5 }, v: { type: "integer" } },
            "x-kubernetes-validations": [{ rule: "self.v >= oldSelf.v", message: "item may not shrink" }],
          },
        },
        map: {
          type: "object",
          maxProperties: 5,
          additionalProperties: { type: "integer", "x-kubernetes-validations": [{ rule: "self >= oldSelf" }] },
        },
      },
      "x-kubernetes-validations": [{ rule: "!has(oldSelf.s) || has(self.s)", message: "s may not go" }],
    });
    const from = {
      n: 5,
      s: "a",
      items: [
        { k: "a", v: 1 },
        { k: "b", v: 2 },
      ],
      map: { x: 1 },
    };
    await judgeUpdates(conversation, kind, {
      from,
      to: [
        { ...from, n: 6 },
        { ...from, n: 4 },
        { ...from, s: "b" },
        { ...from, s: undefined },
        {
          ...from,
          items: [
            { k: "b", v: 1 },
            { k: "c", v: 0 },
          ],
        },
        { ...from, map: { x: 0, y: -1 } },
      ],
    });
  });

  check("optionalOldSelf is asked at creation too", async (conversation) => {
    const kind = await kindOf(conversation, {
      type: "object",
      properties: {
        n: {
          type: "integer",
          "x-kubernetes-validations": [
            {
              rule: "oldSelf.hasValue() ? self >= oldSelf.value() : self == 1",
              optionalOldSelf: true,
              message: "begins at 1 and grows",
            },
          ],
        },
      },
    });
    await judgeSpecs(conversation, kind, [{ n: 1 }, { n: 2 }]);
    await judgeUpdates(conversation, kind, { from: { n: 1 }, to: [{ n: 2 }, { n: 0 }] });
  });

  check("a rule that an unchanged part breaks is only warned of", async (conversation) => {
    const properties = {
      a: { type: "string", maxLength: 10 },
      b: { type: "object", properties: { c: { type: "integer" } } },
    };
    const kind = await kindOf(conversation, { type: "object", properties });
    await conversation.quietly("POST", kind.path, { body: kind.object("a", { spec: { a: "x", b: { c: 1 } } }) });
    const { body: definition } = await conversation.quietly("GET", kind.crdPath);
    const strict = structuredClone(definition);
    const { spec } = strict.spec.versions[0].schema.openAPIV3Schema.properties;
    spec.properties.b["x-kubernetes-validations"] = [{ rule: "self.c > 5", message: "c too small" }];
    await conversation.quietly("PUT", kind.crdPath, { body: strict });
    await conversation.sleep("2s");
    const { body: made } = await conversation.quietly("GET", `${kind.path}/a`);
    for (const changed of [
      { a: "y", b: { c: 1 } },
      { a: "x", b: { c: 2 } },
      { a: "x", b: { c: 9 } },
    ]) {
      await conversation.send("PUT", `${kind.path}/a`, {
        body: { ...made, spec: changed },
        query: { dryRun: "All" },
        omit: ["metadata"],
      });
    }
  });

  check("rules on an embedded resource see its names", async (conversation) => {
    const kind = await kindOf(conversation, {
      type: "object",
      properties: {
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
          "x-kubernetes-validations": [
            { rule: "self.kind == 'Pod' && self.metadata.name != ''", message: "a named pod" },
          ],
        },
      },
    });
    await judgeSpecs(conversation, kind, [
      { template: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } } },
      { template: { apiVersion: "v1", kind: "Job", metadata: { name: "a" } } },
      { template: { apiVersion: "v1", kind: "Pod" } },
    ]);
  });

  check("a rule that costs too much at last is stopped", async (conversation) => {
    const kind = await kindOf(conversation, {
      type: "object",
      properties: {
        s: { type: "string", maxLength: 100 },
        list: { type: "array", maxItems: 60, items: { type: "string", maxLength: 2 } },
      },
      "x-kubernetes-validations": [
        { rule: "self.list.all(a, self.list.all(b, self.list.exists(c, a != b || c != '')))" },
      ],
    });
    await judgeSpecs(conversation, kind, [{ list: Array.from({ length: 60 }, () => "ab") }]);
  });
});
