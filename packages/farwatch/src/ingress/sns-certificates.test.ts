import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { createRsaCertificate, type RsaCertificate } from "./rsa-certificate.fixture.ts";
import { createSnsCertificates } from "./sns-certificates.ts";

let signer: RsaCertificate;
before(() => {
  signer = createRsaCertificate(2029, 2031);
});

const mostRemembered = 51_032;
const urlOf = (name: string) => `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${name}.pem`;

/** SNS, which has no certificate of a name that begins with `no`. */
function stage() {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  transport.on({ path: /Service-/ }, { body: signer.pem });
  transport.on({ path: /Service-no/ }, { status: 403 });
  const certificates = createSnsCertificates(transport);
  return {
    clock,
    transport,
    certificates,
    /** A message that names this certificate: whether it has signed it. */
    verify: (name: string, passes = true) => certificates.verify(urlOf(name), clock, () => passes),
    fetchesOf: (name: string) => transport.requests.filter(({ url }) => String(url) === urlOf(name)).length,
  };
}

test("snsCertificates remembers a bounded number of names, whatever strangers make up", async () => {
  const { clock, certificates, verify } = stage();
  const flood = async (second: number): Promise<void> => {
    for (let n = 0; n < 2_500; n += 1) {
      try {
        assert.equal(await verify(`no${second}x${n}`), false);
      } catch (error) {
        assert.ok(isCodedError(error, "CredentialFailed"));
      }
    }
    await clock.advance("1s");
  };
  for (let second = 0; second < 25; second += 1) await flood(second);
  const full = certificates.remembered;
  assert.ok(full > 50_000 && full <= mostRemembered, `${full} names`);
  await flood(25);
  assert.ok(certificates.remembered <= full + 1, `${certificates.remembered} names`);
});

test("snsCertificates keeps one in use, though strangers name ever others that exist and have signed nothing", async () => {
  const { clock, certificates, verify, fetchesOf } = stage();
  assert.equal(await verify("used"), true);
  for (let n = 0; n < 100; n += 1) {
    await clock.advance("5s");
    assert.equal(await verify(`old${n}`, false), false);
  }
  assert.equal(await verify("used"), true);
  assert.deepEqual([fetchesOf("used"), fetchesOf("old99"), certificates.remembered], [1, 1, 17]);
});

test("snsCertificates keeps the sixteen that have signed last", async () => {
  const { clock, certificates, verify, fetchesOf } = stage();
  for (let n = 0; n < 17; n += 1) {
    await clock.advance("5s");
    assert.equal(await verify(`s${n}`), true);
    assert.equal(await verify("s0"), true);
  }
  assert.equal(certificates.remembered, 16);
  await clock.advance("5s");
  assert.equal(await verify("s1"), true);
  assert.deepEqual([fetchesOf("s0"), fetchesOf("s1"), fetchesOf("s2")], [1, 2, 1]);
});

test("snsCertificates asks for one that has signed nothing yet once, however often it is named", async () => {
  const { verify, fetchesOf } = stage();
  for (let times = 0; times < 50; times += 1) assert.equal(await verify("current", false), false);
  assert.equal(await verify("current"), true);
  assert.equal(fetchesOf("current"), 1);
});

test("snsCertificates has few fetches under way, one for a name, while SNS does not answer", async () => {
  const { clock, transport, certificates, verify } = stage();
  transport.on({ path: /Service-/ }, { silent: true });
  let most = 0;
  const asked: Promise<unknown>[] = [];
  for (let second = 0; second < 30; second += 1) {
    for (let n = 0; n < 200; n += 1) {
      asked.push(
        verify(`a${n}`).catch(() => undefined),
        verify(`b${second}x${n}`).catch(() => undefined),
      );
    }
    most = Math.max(most, transport.inFlight);
    await clock.advance("1s");
  }
  assert.ok(most >= 5 && most <= 12, `${most} at once`);
  await clock.advance("10s");
  await Promise.all(asked);
  assert.equal(transport.inFlight, 0);
  assert.ok(certificates.remembered <= mostRemembered);
});
