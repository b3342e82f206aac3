import assert from "node:assert/strict";
import { test } from "node:test";
import { staticConfig } from "./static-config.ts";

test("staticConfig is what it is given, and looks at nothing else", async () => {
  const { credentials, ...config } = staticConfig({
    server: "https://127.0.0.1:6443/",
    token: "t",
    namespace: "a",
    insecureSkipVerify: true,
  });
  assert.deepEqual(config, {
    server: "https://127.0.0.1:6443",
    namespace: "a",
    proxy: undefined,
    origin: "the static configuration",
    inCluster: false,
  });
  const credential = await credentials.current();
  assert.deepEqual(credential, { headers: { authorization: "Bearer t" }, tls: { insecureSkipVerify: true } });
  assert.equal(await credentials.refused(credential), false);
});

test("staticConfig is anonymous without a token, in the namespace default", async () => {
  const config = staticConfig({ server: "http://127.0.0.1:8080" });
  assert.equal(config.namespace, "default");
  assert.deepEqual(await config.credentials.current(), { headers: {}, tls: {} });
});

test("staticConfig names what is wrong", async () => {
  assert.throws(() => staticConfig({ server: "localhost" }), {
    code: "InvalidConfig",
    message:
      "Cannot read the static configuration: server is no URL of an API server, give one such as https://host:6443",
  });
  await assert.rejects(staticConfig({ server: "https://a.example", ca: "hunter2" }).credentials.current(), {
    code: "InvalidConfig",
    message: "Cannot read the static configuration: ca holds no certificate in PEM form",
  });
});
