import { globSync } from "node:fs";

/** In the order in which they begin: those of the runner first, since they mostly wait. */
const unitPatterns = [
  "tests/setup/*.test.ts",
  "{packages,operators,examples}/*/src/**/*.test.ts",
  "{tools,bench}/**/*.test.ts",
];

/**
 * In the order in which they begin: what takes longest first, lest it go on alone at the end, and what keeps every processor
 * busy apart from its like and from the first of those that share.
 */
const independentPatterns = [
  "tests/conformance/kube-apiserver.test.ts",
  "tests/sources/{kafka,postgres-notify}.test.ts",
  "tests/kubectl/kubectl.test.ts",
  "tests/sources/{postgres-outbox,sqs}.test.ts",
  "tests/simulation/simulation.test.ts",
  "tests/{command-line,e2e/demo,testing/*}.test.ts",
  "tests/{chaos,docs,sources}/*.test.ts",
  "tests/{conformance,ingress,kubectl,leader-election,peers}/**/*.test.ts",
];

const sharingPatterns = [
  "tests/{e2e/webhooks-fail-over,servers/kube-apiserver}.test.ts",
  "tests/!(setup)/**/*.test.ts",
  "tests/*.test.ts",
];

/** Each in the order in which they begin. */
export interface TestFiles {
  readonly unit: readonly string[];
  readonly suites: {
    /** Start every server which they need. */
    readonly independent: readonly string[];
    /** Run on API servers that they share: all others. `sharedKubeApiserver` refuses whom it finds elsewhere. */
    readonly sharing: readonly string[];
  };
}

/** Finds every test below a folder, once. */
export function findTestFiles(cwd: string): TestFiles {
  const found = new Set<string>();
  const find = (patterns: readonly string[]): readonly string[] =>
    patterns.flatMap((pattern) =>
      globSync(pattern, { cwd, exclude: (path) => path.includes("node_modules") || path.includes("/dist/") })
        .filter((file) => !found.has(file))
        .toSorted()
        .map((file) => {
          found.add(file);
          return file;
        }),
    );
  return {
    unit: find(unitPatterns),
    suites: { independent: find(independentPatterns), sharing: find(sharingPatterns) },
  };
}
