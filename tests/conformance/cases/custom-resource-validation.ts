import { type Area, defineArea } from "../area.ts";
import { judgeField, judgeSpecs, judgeUpdates, kindOf, verdict } from "../judged-spec.ts";

const formats: Readonly<Record<string, readonly string[]>> = {
  bsonobjectid: ["507f1f77bcf86cd799439011", "507f1f77"],
  uri: ["https://a.b/c", "/a", "a", "http://[::1]:80/", "http://a b/", "http://a/%zz", ""],
  email: ["a@b.c", "A <a@b.c>", "a", "@b"],
  hostname: ["a.example", "a-", "-a", "example", "a_b"],
  ipv4: ["1.2.3.4", "01.2.3.4", "1.2.3", "::ffff:1.2.3.4", "1.2.3.256"],
  ipv6: ["::1", "1::2::3", "::ffff:1.2.3.4", "fe80::1%eth0", "1.2.3.4"],
  cidr: ["10.0.0.0/8", "10.0.0.0/33", "::1/64", "10.0.0.0"],
  mac: ["01:23:45:67:89:ab", "01-23-45-67-89-ab", "0123.4567.89ab", "01:23:45:67:89"],
  uuid: ["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000", "123e4567"],
  uuid3: ["123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"],
  uuid4: ["123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-c456-426614174000"],
  uuid5: ["123e4567-e89b-52d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000"],
  isbn: ["0321751043", "978-0321751041", "0321751044"],
  isbn10: ["0321751043", "978-0321751041"],
  isbn13: ["978-0321751041", "0321751043"],
  creditcard: ["4111 1111 1111 1111", "4111 1111 1111 1112"],
  ssn: ["111-22-3333", "111223333", "111-22-333"],
  hexcolor: ["#fff", "FFFFFF", "#ffff"],
  rgbcolor: ["rgb(1, 2, 255)", "rgb(1,2,256)"],
  byte: ["YWJj", "YWJ", "", "YW=="],
  password: ["anything"],
  date: ["2026-02-28", "2026-02-29", "2026-2-1"],
  duration: ["1h30m", "22 ns", "3 days", "1x", "1.5s"],
  "date-time": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.6+02:00", "2026-01-02 03:04:05Z", "2026-01-02T24:00:00Z"],
  "k8s-short-name": ["a-b", "A", "a."],
  "k8s-long-name": ["a.b-c", "a..b"],
  unheard: ["anything"],
};

export const area: Area = defineArea("custom-resource-validation", (check) => {
  const types: Readonly<Record<string, unknown>> = {
    string: { type: "string" },
    integer: { type: "integer" },
    number: { type: "number" },
    boolean: { type: "boolean" },
    object: { type: "object", properties: { a: { type: "string" } } },
    array: { type: "array", items: { type: "string" } },
  };
  for (const [type, schema] of Object.entries(types)) {
    check(`a value of another type than ${type} is refused`, (conversation) =>
      judgeField(conversation, schema, ["a", 1, 1.5, true, {}, [], ["a"], null, 1e21]),
    );
  }

  for (const [format, values] of Object.entries(formats)) {
    check(`strings are held to the format ${format}`, (conversation) =>
      judgeField(conversation, { type: "string", format }, values),
    );
  }

  check("a value of another type than a string with a format is refused in terms of the format", (conversation) =>
    judgeField(conversation, { type: "string", format: "ipv4" }, [1, 1.5, true, {}, []]),
  );

  check("formats of numbers are not looked at", (conversation) =>
    judgeField(conversation, { type: "integer", format: "int32" }, [1, 2 ** 40, "a"]),
  );

  check("a pattern may match anywhere in the text", (conversation) =>
    judgeField(conversation, { type: "string", pattern: "b+$" }, ["abb", "ba", ""]),
  );

  check("a pattern is one of RE2", (conversation) =>
    judgeField(conversation, { type: "string", pattern: "^\\pL+\\z" }, ["äb", "a\n", "1"]),
  );

  check("a pattern looks at code points", (conversation) =>
    judgeField(conversation, { type: "string", pattern: "^.$", maxLength: 1 }, ["😀", "ab"]),
  );

  check("lengths are counted in code points", (conversation) =>
    judgeField(conversation, { type: "string", minLength: 2, maxLength: 3 }, ["a", "ab", "😀😀😀", "abcd", "ääää"]),
  );

  check("of length, pattern and enum what fails first is told with the enum", (conversation) =>
    judgeField(conversation, { type: "string", maxLength: 2, pattern: "^a", enum: ["a", "ab"] }, [
      "bbb",
      "b",
      "a",
      "ac",
    ]),
  );

  check("an enum of several types is told in its order", (conversation) =>
    judgeField(
      conversation,
      { "x-kubernetes-preserve-unknown-fields": true, enum: ["b", "a", 1, true, null, { k: 1 }] },
      ["c", 1, 2, false, null, { k: 1 }, { k: 2 }],
    ),
  );

  check("limits of integers are told", (conversation) =>
    judgeField(conversation, { type: "integer", minimum: 2, maximum: 10, multipleOf: 2 }, [1, 2, 3, 10, 11, 12]),
  );

  check("limits that are excluded are told", (conversation) =>
    judgeField(
      conversation,
      { type: "number", minimum: 0.5, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true, multipleOf: 0.25 },
      [0.5, 0.75, 2, 1.1, 1],
    ),
  );

  check("large and small numbers are printed as Go prints them", (conversation) =>
    judgeField(
      conversation,
      { type: "number", maximum: 1, minimum: 0.5 },
      [1_000_000.25, 0.000_012_5, 1e22, 123_456_789],
    ),
  );

  check("numbers of items are told", (conversation) =>
    judgeField(conversation, { type: "array", minItems: 1, maxItems: 2, items: { type: "integer", minimum: 0 } }, [
      [],
      [1],
      [1, 2, 3],
      [-1, "a"],
    ]),
  );

  check("one item at most is told in the singular", (conversation) =>
    judgeField(conversation, { type: "array", maxItems: 1, items: { type: "integer" } }, [[1, 2]]),
  );

  check("numbers of entries of a map are told", (conversation) =>
    judgeField(
      conversation,
      { type: "object", minProperties: 1, maxProperties: 2, additionalProperties: { type: "integer" } },
      [{}, { a: 1 }, { a: 1, b: 2, c: 3 }, { a: "b" }, { "a.b/c": "d" }],
    ),
  );

  check("required fields are told with their paths", async (conversation) => {
    const inner = {
      type: "object",
      required: ["a", "b"],
      properties: { a: { type: "string" }, b: { type: "integer" } },
    };
    const kind = await kindOf(conversation, {
      type: "object",
      required: ["one"],
      properties: { one: inner, list: { type: "array", items: inner } },
    });
    await judgeSpecs(conversation, kind, [
      {},
      { one: {} },
      { one: { a: "x", b: 1 }, list: [{ a: "x" }] },
      { one: { a: null, b: 1 } },
    ]);
  });

  check("a required spec is told", async (conversation) => {
    const kind = await conversation.crd({
      schema: { type: "object", required: ["spec"], properties: { spec: { type: "object" } } },
    });
    await conversation.send("POST", kind.path, { body: kind.object("a"), view: verdict });
  });

  check("null is taken where it is nullable, and dropped or refused where it is not", async (conversation) => {
    const kind = await kindOf(conversation, {
      type: "object",
      properties: {
        yes: { type: "string", nullable: true },
        no: { type: "string" },
        list: { type: "array", items: { type: "string" } },
        nullable: { type: "array", items: { type: "string", nullable: true } },
        map: { type: "object", additionalProperties: { type: "string" } },
        open: { type: "object", nullable: true, enum: [{ a: 1 }], "x-kubernetes-preserve-unknown-fields": true },
      },
    });
    await judgeSpecs(conversation, kind, [
      { yes: null, no: null },
      { list: [null] },
      { nullable: [null] },
      { map: { a: null } },
      { open: null },
    ]);
  });

  check("int-or-string takes integers and strings", (conversation) =>
    judgeField(conversation, { "x-kubernetes-int-or-string": true, pattern: "^\\d+%$", maximum: 100 }, [
      1,
      "5%",
      "5",
      101,
      1.5,
      true,
      {},
    ]),
  );

  check("int-or-string may state its types", (conversation) =>
    judgeField(conversation, { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }, [
      1,
      "a",
      1.5,
      [],
    ]),
  );

  check("anyOf tells the errors of the best alternative", (conversation) =>
    judgeField(
      conversation,
      {
        type: "object",
        properties: { a: { type: "integer" }, b: { type: "string" } },
        anyOf: [{ required: ["a"] }, { required: ["b"], properties: { b: { minLength: 3 } } }],
      },
      [{}, { a: 1 }, { b: "x" }, { b: "xyz" }],
    ),
  );

  check("oneOf tells none and several", (conversation) =>
    judgeField(
      conversation,
      {
        type: "object",
        properties: { a: { type: "integer" }, b: { type: "string" } },
        oneOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      [{}, { a: 1 }, { a: 1, b: "x" }],
    ),
  );

  check("allOf tells all", (conversation) =>
    judgeField(conversation, { type: "string", allOf: [{ minLength: 2 }, { pattern: "^a" }] }, ["b", "bb", "a", "ab"]),
  );

  check("not tells itself", (conversation) =>
    judgeField(conversation, { type: "string", not: { enum: ["no"] } }, ["no", "yes"]),
  );

  check("combinations below one another", (conversation) =>
    judgeField(
      conversation,
      {
        type: "array",
        items: {
          type: "object",
          properties: { type: { type: "string" }, port: { type: "integer" } },
          oneOf: [
            { properties: { type: { enum: ["a"] }, port: { maximum: 10 } } },
            { properties: { type: { enum: ["b"] }, port: { minimum: 20 } }, not: { required: ["none"] } },
          ].slice(0, 1),
          allOf: [{ anyOf: [{ required: ["type"] }, { required: ["port"] }] }],
        },
      },
      [[{}], [{ type: "a", port: 5 }], [{ type: "a", port: 15 }]],
    ),
  );

  check("embedded resources need apiVersion and kind, and good metadata", (conversation) =>
    judgeField(
      conversation,
      { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      [
        {},
        { apiVersion: "v1", kind: "Pod", spec: { a: 1 } },
        { apiVersion: "", kind: "" },
        { apiVersion: "a/b/c", kind: "no_kind" },
        { apiVersion: 1, kind: "Pod" },
        { apiVersion: "v1", kind: "Pod", metadata: { name: "a/b", labels: { "a b": "c" } } },
        { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: 1 } } },
        { apiVersion: "v1", kind: "Pod", metadata: "a" },
      ],
    ),
  );

  check("items of a set must differ", (conversation) =>
    judgeField(conversation, { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } }, [
      ["a", "b"],
      ["a", "b", "a"],
      ["a", "a", "a"],
    ]),
  );

  check("items of a set of objects must differ as a whole", (conversation) =>
    judgeField(
      conversation,
      {
        type: "array",
        "x-kubernetes-list-type": "set",
        items: {
          type: "object",
          "x-kubernetes-map-type": "atomic",
          properties: { a: { type: "integer" }, b: { type: "integer" } },
        },
      },
      [
        [{ a: 1 }, { a: 2 }],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ),
  );

  check("keys of a list of type map must differ", (conversation) =>
    judgeField(
      conversation,
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "protocol"],
        items: {
          type: "object",
          required: ["port"],
          properties: {
            port: { type: "integer" },
            protocol: { type: "string", default: "TCP" },
            name: { type: "string" },
          },
        },
      },
      [
        [{ port: 1 }, { port: 1, protocol: "UDP" }],
        [{ port: 1 }, { port: 1, protocol: "TCP", name: "b" }],
        [1],
        [{ protocol: "TCP" }, { protocol: "TCP" }],
      ],
    ),
  );

  check("a wrong type keeps rules from being asked", async (conversation) => {
    const kind = await kindOf(conversation, {
      type: "object",
      properties: { n: { type: "integer", maximum: 5 }, s: { type: "string", maxLength: 3 } },
      "x-kubernetes-validations": [{ rule: "self.n > 3" }],
    });
    await judgeSpecs(conversation, kind, [{ n: "a" }, { n: 1, s: "long" }, { n: 9 }, { n: 1 }, { n: 4 }]);
  });

  check("an update tolerates what was wrong and did not change", async (conversation) => {
    const loose = {
      type: "object",
      properties: {
        a: { type: "string" },
        list: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: { type: "object", required: ["k"], properties: { k: { type: "string" }, v: { type: "string" } } },
        },
        plain: { type: "array", items: { type: "string" } },
        other: { type: "integer" },
      },
    };
    const kind = await kindOf(conversation, loose);
    const long = "longer";
    const from = {
      a: long,
      list: [
        { k: "x", v: long },
        { k: "y", v: "b" },
      ],
      plain: [long],
      other: 1,
    };
    await conversation.quietly("POST", kind.path, { body: kind.object("a", { spec: from }) });
    const { body: definition } = await conversation.quietly("GET", kind.crdPath);
    const strict = structuredClone(definition);
    const { properties } = strict.spec.versions[0].schema.openAPIV3Schema.properties.spec;
    properties.a.maxLength = 3;
    properties.list.items.properties.v.maxLength = 3;
    properties.plain.items.maxLength = 3;
    await conversation.quietly("PUT", kind.crdPath, { body: strict });
    await conversation.until(kind.path, () => true, { view: () => "changed" });
    await conversation.sleep("2s");
    const { body: made } = await conversation.quietly("GET", `${kind.path}/a`);
    const offers = [
      { ...from, other: 2 },
      { ...from, a: "other long" },
      {
        ...from,
        list: [
          { k: "y", v: "c" },
          { k: "x", v: long },
        ],
      },
      { ...from, list: [{ k: "x", v: "also long" }] },
      { ...from, list: [{ k: "z", v: long }] },
      { ...from, plain: [long, "b"] },
    ];
    for (const spec of offers) {
      await conversation.send("PUT", `${kind.path}/a`, {
        body: { ...made, spec },
        query: { dryRun: "All" },
        view: verdict,
      });
    }
  });

  check("duplicate keys that were there are tolerated", async (conversation) => {
    const list = { type: "array", items: { type: "string" } };
    const kind = await kindOf(conversation, { type: "object", properties: { list } });
    await conversation.quietly("POST", kind.path, { body: kind.object("a", { spec: { list: ["a", "a"] } }) });
    const { body: definition } = await conversation.quietly("GET", kind.crdPath);
    const strict = structuredClone(definition);
    strict.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.list["x-kubernetes-list-type"] = "set";
    await conversation.quietly("PUT", kind.crdPath, { body: strict });
    await conversation.sleep("2s");
    const { body: made } = await conversation.quietly("GET", `${kind.path}/a`);
    for (const spec of [{ list: ["a", "a", "b"] }, { list: ["c", "c"] }]) {
      await conversation.send("PUT", `${kind.path}/a`, {
        body: { ...made, spec },
        query: { dryRun: "All" },
        view: verdict,
      });
    }
  });

  check("an update is held to the schema", async (conversation) => {
    const kind = await kindOf(conversation, {
      type: "object",
      required: ["n"],
      properties: { n: { type: "integer", minimum: 1 } },
    });
    await judgeUpdates(conversation, kind, { from: { n: 1 }, to: [{ n: 2 }, { n: 0 }, {}, { n: "a" }] });
  });

  check("a status is held to its schema, and told apart from the rest", async (conversation) => {
    const { send, crd } = conversation;
    const status = {
      type: "object",
      required: ["phase"],
      properties: { phase: { type: "string", enum: ["A", "B"] }, n: { type: "integer", minimum: 1 } },
    };
    const kind = await crd({ schema: { type: "object", properties: { spec: { type: "object" }, status } } });
    await conversation.quietly("POST", kind.path, { body: kind.object("a") });
    for (const value of [{ phase: "A" }, { phase: "C" }, { n: 0 }, { phase: "B", n: "x" }, "text"]) {
      await send("PATCH", `${kind.path}/a/status`, {
        body: { status: value },
        query: { dryRun: "All" },
        view: verdict,
      });
    }
  });

  check("numbers of replicas are held to what a scale can be", async (conversation) => {
    const number = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const kind = await conversation.crd({
      schema: { type: "object", properties: { spec: number, status: number } },
      subresources: {
        scale: {
          specReplicasPath: ".spec.replicas",
          statusReplicasPath: ".status.replicas",
          labelSelectorPath: ".status.selector",
        },
      },
    });
    await judgeSpecs(conversation, kind, [
      { replicas: 3 },
      { replicas: -1 },
      { replicas: 2 ** 31 },
      { replicas: "a" },
      {},
    ]);
    for (const status of [{ replicas: -1 }, { selector: 1 }]) {
      await conversation.send("POST", kind.path, {
        body: kind.object("a", { status }),
        query: { dryRun: "All" },
        view: verdict,
      });
    }
  });

  check("metadata of a wrong type is refused before anything else", async (conversation) => {
    const kind = await conversation.crd();
    const wrong = [
      { labels: { a: 1 } },
      { labels: [] },
      { annotations: "a" },
      { finalizers: "a" },
      { finalizers: [1] },
      { generation: "1" },
      { deletionGracePeriodSeconds: 1.5 },
      { creationTimestamp: "yesterday" },
      { creationTimestamp: 1 },
      { ownerReferences: [{ apiVersion: 1 }] },
      { ownerReferences: [{ controller: "yes" }] },
      { managedFields: [{ time: "2026-13-01T00:00:00Z" }] },
    ];
    for (const metadata of wrong) {
      await conversation.send("POST", kind.path, {
        body: { ...kind.object("a"), metadata: { name: "a", ...metadata } },
        view: verdict,
      });
    }
  });
});
