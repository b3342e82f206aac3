import { isIPv6 } from "node:net";
import { duplicate, type FieldError, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import { pushIpErrors } from "./ip-check.ts";
import { isHeadless, needsClusterIp, type ServiceSpec } from "./service-shape.ts";

const families = ["IPv4", "IPv6"];
const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** clusterIP, clusterIPs and families, which say the same thing three times. */
export function checkClusterIps(errors: FieldError[], spec: ServiceSpec, old: ServiceSpec | undefined): void {
  if (!needsClusterIp(spec)) return;
  const { clusterIP = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const path = "spec.clusterIPs";
  if (clusterIP === "") {
    if (clusterIPs.length > 0)
      errors.push(invalidValue(path, clusterIPs, "must be empty when `clusterIP` is not specified"));
  } else if (clusterIPs.length === 0) errors.push(required(path));
  else if (clusterIPs[0] !== clusterIP)
    errors.push(invalidValue(path, clusterIPs, "first value must match `clusterIP`"));
  const seen = new Set<string>();
  for (const [index, family] of ipFamilies.entries()) {
    if (!families.includes(family)) errors.push(notSupported(`spec.ipFamilies[${index}]`, family, families));
    if (seen.has(family)) errors.push(duplicate(`spec.ipFamilies[${index}]`, family));
    seen.add(family);
  }
  if (ipFamilyPolicy !== undefined && !familyPolicies.includes(ipFamilyPolicy)) {
    errors.push(notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, familyPolicies));
  }
  const before = errors.length;
  for (const [index, ip] of clusterIPs.entries()) {
    if (index === 0 && ip === "None") {
      if (clusterIPs.length > 1) errors.push(invalidValue(path, clusterIPs, "'None' must be the first and only value"));
    } else if (old?.clusterIPs?.includes(ip) !== true) pushIpErrors(errors, `${path}[${index}]`, ip);
  }
  const hasBadIp = errors.length > before;
  if (clusterIPs.length > 2) errors.push(invalidValue(path, clusterIPs, "may only hold up to 2 values"));
  if (hasBadIp) return;
  if (clusterIPs.length === 2 && isIPv6(clusterIPs[0] ?? "") === isIPv6(clusterIPs[1] ?? "")) {
    errors.push(invalidValue(path, clusterIPs, "may specify no more than one IP for each IP family"));
  }
  if (isHeadless(spec)) return;
  for (const [index, ip] of clusterIPs.entries()) {
    const family = ipFamilies[index];
    if (family === undefined || isIPv6(ip) === (family === "IPv6")) continue;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalidValue(`${path}[${index}]`, ip, detail));
  }
}

/** Addresses stay what they were, unless a service comes from or goes to ExternalName. */
export function checkKeptAddresses(errors: FieldError[], spec: ServiceSpec, old: ServiceSpec): void {
  if (!needsClusterIp(spec) || !needsClusterIp(old)) return;
  if (isHeadless(spec) && isHeadless(old)) return;
  const [now, before] = [spec.clusterIPs ?? [], old.clusterIPs ?? []];
  if (now.length === before.length) {
    for (const [index, ip] of before.entries()) {
      if (ip !== now[index]) errors.push(invalidValue(`spec.clusterIPs[${index}]`, now, "may not change once set"));
    }
  } else if (before.length > 0 && now.length === 0) {
    errors.push(invalidValue("spec.clusterIPs[0]", null, "primary clusterIP can not be unset"));
  } else if (before.length > 0 && now[0] !== before[0]) {
    errors.push(invalidValue("spec.clusterIPs[0]", now, "may not change once set"));
  }
  if (before.length > 1 && now.length === 1 && spec.ipFamilyPolicy !== "SingleStack") {
    const detail = "must be set to 'SingleStack' when releasing the secondary clusterIP";
    errors.push(invalidValue("spec.ipFamilyPolicy", spec.ipFamilyPolicy ?? null, detail));
  }
}
