import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { startKubeApiserver } from "@farwatch/testing";
import { openStage, readTranscript, type Stage, transcriptNames } from "./stage.ts";
import { formatTranscript, kubectls } from "./transcript.ts";

const transcripts = await transcriptNames();

suite("kube-apiserver", { concurrency: 4 }, () => {
  const opened = new AsyncDisposableStack();
  let stage: Stage;
  before(async () => {
    const server = opened.use(await startKubeApiserver({ controllerManager: true }));
    stage = opened.use(await openStage(server.kubeconfigFile));
  });
  after(() => opened.disposeAsync());

  for (const which of kubectls) {
    for (const name of transcripts) {
      // B22
      test(`${which} prints as recorded what ${name}.txt asks of kube-apiserver`, async () => {
        const seen = formatTranscript(await stage.replay(name, which), which);
        assert.equal(seen, formatTranscript(await readTranscript(name), which));
      });
    }
  }
});
