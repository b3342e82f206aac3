import assert from "node:assert/strict";
import { test } from "node:test";
import { type AnswerForm, checkRoutable, chooseForm, routedTypes } from "./accept.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

function chosen(accept: string | undefined, allows?: boolean): string {
  const { mediaType, transform, pretty }: AnswerForm = chooseForm(accept, {
    pretty: false,
    ...(allows === undefined ? {} : { allows: () => allows }),
  });
  return [mediaType, transform?.kind, transform?.version, pretty ? "pretty" : undefined].filter(Boolean).join(" ");
}

test("chooseForm answers JSON where nothing is asked for, or anything will do", () => {
  for (const accept of [undefined, "", "*/*", "*", "application/*", "text/html, */*;q=0.1"])
    assert.equal(chosen(accept), "application/json", accept);
});

test("chooseForm takes the most wanted clause, plain types before wildcards", () => {
  assert.equal(chosen("application/json;q=0.1, application/yaml"), "application/yaml");
  assert.equal(chosen("*/*, application/yaml"), "application/yaml");
  assert.equal(
    chosen("application/json;q=0"),
    "application/json",
    "as the real server, which refuses none by its quality",
  );
});

test("chooseForm turns objects into what is allowed, and goes on to the next clause where it is not", () => {
  assert.equal(chosen(`${table},application/json`, true), "application/json Table v1");
  assert.equal(chosen(`${table},application/yaml`, false), "application/yaml");
  assert.throws(() => chosen(table, false), { code: 406 });
});

test("chooseForm leaves out clauses with a version of the server or another stream", () => {
  assert.equal(chosen("application/json;stream=watch"), "application/json");
  assert.throws(() => chosen("application/json;stream=other"), { code: 406 });
  assert.throws(() => chosen("application/json;sv=v1"), { code: 406 });
});

test("chooseForm prints in lines for who asks so", () => {
  assert.equal(chosen("application/json;pretty=1"), "application/json pretty");
});

test("chooseForm tells whoever wants protobuf alone what there is instead", () => {
  assert.throws(() => chosen("application/vnd.kubernetes.protobuf"), {
    message: "only the following media types are accepted: application/json, application/yaml",
  });
  assert.equal(chosen("application/vnd.kubernetes.protobuf, application/json"), "application/json");
});

test("chooseForm takes nonsense for nothing that it could answer", () => {
  for (const accept of ["nonsense", ";;;", "a/b/c", "application/json/x", ",", "=;q=x"])
    assert.throws(() => chosen(accept), { code: 406 }, accept);
});

test("checkRoutable lets pass what a path answers, whatever its parameters and its quality", () => {
  for (const accept of [undefined, "", "*/*;q=0", "text/html, application/yaml;q=0", table])
    checkRoutable(accept, routedTypes.object);
  for (const accept of ["application/*", "text/html", "application/json;stream=watch, text/html"]) {
    const isStream = accept.includes("stream");
    if (isStream) checkRoutable(accept, routedTypes.collection);
    else assert.throws(() => checkRoutable(accept, routedTypes.object), { code: 406, message: /^406: Not Acceptable/ });
  }
});
