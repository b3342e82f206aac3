import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { apiServerNames, startApiServer } from "../servers/api-server.ts";
import { openStage, readTranscript, type Stage, transcriptNames } from "./stage.ts";
import { formatTranscript, kubectls } from "./transcript.ts";

const transcripts = await transcriptNames();

for (const server of apiServerNames) {
  suite(server, { concurrency: 4 }, () => {
    const opened = new AsyncDisposableStack();
    let stage: Stage;
    before(async () => {
      const { kubeconfigFile } = opened.use(await startApiServer(server));
      stage = opened.use(await openStage(kubeconfigFile));
    });
    after(() => opened.disposeAsync());

    for (const which of kubectls) {
      for (const name of transcripts) {
        // B22
        test(`${which} prints as recorded what ${name}.txt asks of ${server}`, async () => {
          const seen = formatTranscript(await stage.replay(name, which), which);
          assert.equal(seen, formatTranscript(await readTranscript(name), which));
        });
      }
    }
  });
}
