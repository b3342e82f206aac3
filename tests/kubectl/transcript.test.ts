import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTranscript, parseTranscript } from "./transcript.ts";

const text = `kubectl does one thing
  $ kubectl get a -o yaml
  kind: A
    spec: {}

  end
  $ kubectl create -f - <<EOF
  > kind: B
  > EOF
  b made
  [exit 1]
  [kubectl-older]
  b created

kubectl does another
  $ true
`;

test("transcript is read into sections, steps and what each kubectl printed", () => {
  assert.deepEqual(parseTranscript(text), [
    {
      title: "kubectl does one thing",
      steps: [
        { command: "kubectl get a -o yaml", output: both("kind: A\n  spec: {}\n\nend") },
        {
          command: "kubectl create -f - <<EOF\nkind: B\nEOF",
          output: { kubectl: "b made\n[exit 1]", "kubectl-older": "b created" },
        },
      ],
    },
    { title: "kubectl does another", steps: [{ command: "true", output: both("") }] },
  ]);
});

test("transcript is written as it was read, and for one kubectl with what that printed", () => {
  const read = parseTranscript(text);
  assert.equal(formatTranscript(read), text);
  assert.match(formatTranscript(read), /\n {2}\[exit 1\]\n {2}\[kubectl-older\]\n {2}b created\n/);
  assert.match(formatTranscript(read, "kubectl-older"), /\n {2}> EOF\n {2}b created\n\nkubectl does another\n/);
  assert.match(formatTranscript(read, "kubectl"), /\n {2}> EOF\n {2}b made\n {2}\[exit 1\]\n\nkubectl does another\n/);
});

test("transcript of which an output comes before every command is refused", () => {
  assert.throws(() => parseTranscript("kubectl does one thing\n  printed\n"), {
    message: 'Cannot read a transcript: no command comes before "  printed"',
  });
});

function both(output: string): Readonly<Record<"kubectl" | "kubectl-older", string>> {
  return { kubectl: output, "kubectl-older": output };
}
