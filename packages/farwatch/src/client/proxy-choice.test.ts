import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseProxy } from "./proxy-choice.ts";

const proxy = "http://proxy.example:3128";

test("chooseProxy takes the variable of the target's scheme", () => {
  const env = { HTTPS_PROXY: "http://secure.example:1", HTTP_PROXY: "http://plain.example:2" };
  assert.equal(chooseProxy("https://api.example", env), "http://secure.example:1");
  assert.equal(chooseProxy("http://api.example", env), "http://plain.example:2");
  assert.equal(chooseProxy("https://api.example", { HTTP_PROXY: proxy }), undefined);
  assert.equal(chooseProxy("https://api.example", {}), undefined);
});

test("chooseProxy reads lower-case variables, and prefers upper-case ones that are not empty", () => {
  assert.equal(chooseProxy("https://api.example", { https_proxy: proxy }), proxy);
  assert.equal(chooseProxy("https://api.example", { HTTPS_PROXY: proxy, https_proxy: "http://other.example" }), proxy);
  assert.equal(chooseProxy("https://api.example", { HTTPS_PROXY: "", https_proxy: proxy }), proxy);
  assert.equal(chooseProxy("https://api.example", { HTTPS_PROXY: proxy, no_proxy: "api.example" }), undefined);
});

// B52 (d)
test("chooseProxy reads a value without a scheme as http", () => {
  assert.equal(chooseProxy("https://api.example", { HTTPS_PROXY: "proxy.example:3128" }), proxy);
  assert.equal(chooseProxy("https://api.example", { HTTPS_PROXY: "10.1.2.3:3128" }), "http://10.1.2.3:3128");
  assert.equal(
    chooseProxy("https://api.example", { HTTPS_PROXY: "a:b@proxy.example:3128" }),
    "http://a:b@proxy.example:3128",
  );
});

test("chooseProxy keeps an https proxy and its login, and drops a path", () => {
  assert.equal(
    chooseProxy("http://api.example", { HTTP_PROXY: "https://me:pass@proxy.example/" }),
    "https://me:pass@proxy.example",
  );
});

test("chooseProxy refuses what is no http proxy without repeating it", () => {
  const choose = (value: string) => () => chooseProxy("https://api.example", { HTTPS_PROXY: value });
  assert.throws(choose("socks5://me:hunter2@proxy.example:1080"), {
    code: "InvalidConfig",
    message: "Cannot use HTTPS_PROXY: its value is a socks5 proxy, give an http or https one",
  });
  assert.throws(choose("http://me:hunter2@:port"), {
    code: "InvalidConfig",
    message: "Cannot use HTTPS_PROXY: its value is no URL, give one such as http://proxy.example:3128",
  });
  assert.throws(() => chooseProxy("api.example", {}), {
    code: "InvalidOption",
    message: "Cannot choose a proxy: the target is no absolute URL",
  });
});

const direct: readonly (readonly [noProxy: string, url: string])[] = [
  ["*", "https://anything.example"],
  ["api.example", "https://api.example:6443"],
  ["api.example", "https://deep.api.example"],
  ["API.Example", "https://api.example"],
  [".svc", "https://minio.store.svc"],
  ["*.svc", "https://minio.store.svc"],
  ["10.96.0.0/12,.svc", "https://10.96.0.1"],
  ["10.96.0.0/12,.svc", "https://10.111.255.255:443/api"],
  ["other.example, api.example", "https://api.example"],
  ["other.example api.example", "https://api.example"],
  ["10.0.0.1", "https://10.0.0.1:6443"],
  ["api.example:6443", "https://api.example:6443"],
  ["api.example:443", "https://api.example"],
  ["api.example:80", "http://api.example"],
  ["10.0.0.1:6443", "https://10.0.0.1:6443"],
  ["fd00::/8", "https://[fd00::1]:6443"],
  ["[fd00::1]:6443", "https://[fd00::1]:6443"],
  ["fd00::1", "https://[fd00:0::0:1]"],
  ["api.example", "https://api.example."],
  ["", "https://localhost:6443"],
  ["", "https://127.0.0.1:6443"],
  ["", "https://127.8.8.8"],
  ["", "https://[::1]:6443"],
];

const proxied: readonly (readonly [noProxy: string, url: string])[] = [
  ["", "https://api.example"],
  ["api.example", "https://myapi.example"],
  [".api.example", "https://api.example"],
  ["*.api.example", "https://api.example"],
  ["10.96.0.0/12", "https://10.112.0.1"],
  ["10.96.0.0/12", "https://api.example"],
  ["10.96.0.0/33", "https://10.96.0.1"],
  ["nonsense/12", "https://10.96.0.1"],
  ["10.0.0.1", "https://10.0.0.10"],
  ["api.example:6443", "https://api.example"],
  ["fd00::/8", "https://[fe80::1]"],
  ["fd00::/8", "https://10.0.0.1"],
  [",,", "https://api.example"],
];

// B52 (c)
test("chooseProxy goes direct to hosts, suffixes, ranges and ports that NO_PROXY names, and to no others", () => {
  const choose = ([noProxy, url]: readonly [string, string]) =>
    chooseProxy(url, { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: noProxy });
  assert.deepEqual(
    direct.filter((row) => choose(row) !== undefined),
    [],
  );
  assert.deepEqual(
    proxied.filter((row) => choose(row) !== proxy),
    [],
  );
});
