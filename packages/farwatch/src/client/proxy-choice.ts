import { BlockList, isIP } from "node:net";
import { CodedError } from "../error/coded-error.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that a request to this URL goes through: the value of HTTPS_PROXY for https and HTTP_PROXY for http, as a
 * URL with a scheme, or undefined for a direct connection. Upper case wins over lower case; a value without a scheme
 * means http.
 *
 * Direct are `localhost` and loopback addresses, and what NO_PROXY names, a list parted by commas or spaces: `*` (all),
 * `example.com` (it and what is under it), `.example.com` or `*.example.com` (only what is under it), an address, a
 * range of addresses (`10.96.0.0/12`), each but a range with a port if wanted. Names are not resolved. These are the
 * rules of Go's net/http, which kubectl follows.
 *
 * @throws CodedError `InvalidConfig` when the proxy is no http or https URL, `InvalidOption` when the target is no URL.
 */
export function chooseProxy(url: string, env: Environment): string | undefined {
  if (!URL.canParse(url)) throw new CodedError("InvalidOption", "Cannot choose a proxy: the target is no absolute URL");
  const { protocol, hostname, port } = new URL(url);
  const secure = protocol === "https:";
  const variable = secure ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = env[variable] || env[variable.toLowerCase()];
  if (value === undefined || value === "") return undefined;
  if (goesDirect(hostOf(hostname), port || (secure ? "443" : "80"), env.NO_PROXY || env.no_proxy || ""))
    return undefined;
  const proxy = readProxy(value);
  if ("problem" in proxy) throw new CodedError("InvalidConfig", `Cannot use ${variable}: its value ${proxy.problem}`);
  return proxy.url;
}

/** The host of a URL without brackets and without the dot of an absolute name. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/**
 * A proxy's URL with a scheme and without a path, or what is wrong with it, as the end of a sentence without the value.
 */
export function readProxy(value: string): { readonly url: string } | { readonly problem: string } {
  const text = value.trim();
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  if (scheme !== undefined && !/^https?$/i.test(scheme)) {
    return { problem: `is a ${scheme.toLowerCase()} proxy, give an http or https one` };
  }
  const withScheme = scheme === undefined ? `http://${text}` : text;
  if (!URL.canParse(withScheme)) return { problem: "is no URL, give one such as http://proxy.example:3128" };
  const { protocol, username, password, host } = new URL(withScheme);
  const login = username === "" && password === "" ? "" : `${username}:${password}@`;
  return { url: `${protocol}//${login}${host}` };
}

function goesDirect(host: string, port: string, noProxy: string): boolean {
  if (isLoopback(host)) return true;
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((rule) => rule !== "" && ruleMatches(rule, host, port));
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** True for `localhost` and addresses that never leave the machine; IPv6 without brackets. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || listHas(loopback, host);
}

function listHas(list: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && list.check(host, version === 4 ? "ipv4" : "ipv6");
}

function ruleMatches(rule: string, host: string, port: string): boolean {
  if (rule === "*") return true;
  const [, address, bits] = /^([^/]+)\/(\d{1,3})$/.exec(rule) ?? [];
  if (address !== undefined) return rangeHas(address, Number(bits), host);
  const { name, rulePort } = splitPort(rule);
  if (rulePort !== undefined && rulePort !== port) return false;
  if (isIP(name) !== 0) return rangeHas(name, isIP(name) === 4 ? 32 : 128, host);
  const suffix = name.replace(/^\*/, "");
  return suffix.startsWith(".") ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

function rangeHas(address: string, bits: number, host: string): boolean {
  const version = isIP(address);
  if (version === 0 || bits > (version === 4 ? 32 : 128)) return false;
  const range = new BlockList();
  range.addSubnet(address, bits, version === 4 ? "ipv4" : "ipv6");
  return listHas(range, host);
}

/** `host:80`, `1.2.3.4:80`, `[::1]:80`; a bare IPv6 address has no port. */
function splitPort(rule: string): { readonly name: string; readonly rulePort: string | undefined } {
  const [, bracketed, plain, rulePort] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(rule) ?? [];
  return { name: bracketed ?? plain ?? rule, rulePort };
}
