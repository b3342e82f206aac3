import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedManager } from "../doubles/scripted-manager.fixture.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { channelSource } from "../source/channel-source.ts";
import type { DeadLetter } from "./controller.ts";
import { defineController } from "./define-controller.ts";
import { watch } from "./watch.ts";

test("controller names two sources that nobody named apart in dead letters and metrics", async () => {
  const { manager, start, stopped } = createScriptedManager();
  const sources = [channelSource(), channelSource()];
  const letters: DeadLetter[] = [];
  manager.add(
    defineController({
      for: ConfigMap,
      watches: sources.map((source) =>
        watch(source, () => {
          throw new Error("no such object");
        }),
      ),
      handlerAttempts: 1,
      onDeadLetter: (letter) => {
        letters.push(letter);
      },
      async reconcile() {},
    }),
  );
  for (const source of sources) await source.send(undefined);
  await start();
  assert.deepEqual(letters.map(({ source }) => source).toSorted(), ["channel", "channel-2"]);
  const { body } = await manager.metrics.expose();
  assert.match(body, /^farwatch_dead_letters_total\{controller="configmap",source="channel-2"\} 1$/m);
  assert.match(body, /^farwatch_handler_errors_total\{controller="configmap",source="channel-2"\} 1$/m);
  await stopped();
});
