import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadAreas } from "./areas.ts";
import { readRecording } from "./recording.ts";
import { type ServerName, startServer } from "./server.ts";
import { byServer, type CaseResult, runSuite } from "./suite.ts";

/** Registers one test a case. The cases run together before the first, since most of their time is waiting. */
export async function testSuite(server: ServerName): Promise<void> {
  const areas = await loadAreas();
  const cases = areas.flatMap((area) => area.cases.map(({ name }) => `${area.name}: ${name}`));
  const results = new Map<string, CaseResult>();

  before(async () => {
    for (const group of byServer(areas)) {
      await using started = await startServer(server, group);
      await runSuite(started, group, { onResult: (result) => results.set(`${result.area}: ${result.name}`, result) });
    }
  });

  for (const name of cases) {
    test(`${server} ${name}`, () => {
      const result = results.get(name);
      assert.ok(result !== undefined, "the case did not run");
      assert.equal(result.failure, undefined);
    });
  }

  test(`${server} is asked every case that was recorded, and no other`, () => {
    const recorded = areas.flatMap(({ name }) => Object.keys(readRecording(name)).map((each) => `${name}: ${each}`));
    assert.deepEqual(cases.toSorted(), recorded.toSorted());
    assert.ok(cases.length >= 300, `${cases.length} cases are fewer than 300`);
  });
}
