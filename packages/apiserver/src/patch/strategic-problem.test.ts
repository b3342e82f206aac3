import assert from "node:assert/strict";
import { test } from "node:test";
import { strategicProblem } from "./strategic-problem.ts";

test("a wrong type is told in the words of the converter that reads strategic merge patches", () => {
  const words: Readonly<Record<string, string>> = {
    "number into Go struct field Deployment.spec of type v1.DeploymentSpec": "cannot restore struct from: int64",
    "array into Go struct field Deployment.spec of type v1.DeploymentSpec": "cannot restore struct from: slice",
    "string into Go struct field PodSpec.spec.containers of type []v1.Container": "cannot restore slice from string",
    "array into Go struct field ObjectMeta.labels of type map[string]string": "cannot restore map from slice",
    "number into Go struct field ObjectMeta.name of type string": "cannot convert int64 to string",
    "number 1.5 into Go struct field DeploymentSpec.replicas of type int32": "cannot convert float64 to int32",
    "string into Go struct field DeploymentSpec.replicas of type int32": "unrecognized type: int32",
    "object into Go value of type bool": "unrecognized type: bool",
  };
  for (const [given, wanted] of Object.entries(words)) {
    assert.equal(strategicProblem(`json: cannot unmarshal ${given}`), wanted);
  }
  assert.equal(
    strategicProblem('strict decoding error: unknown field "a"'),
    'strict decoding error: unknown field "a"',
  );
});
