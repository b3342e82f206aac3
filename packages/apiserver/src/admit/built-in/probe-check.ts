import { type FieldError, forbiddenField, invalidValue, required } from "../../failure/field-error.ts";
import { checkNonNegative, checkOneOf, checkPort, checkPortNumberOrName } from "../field-check.ts";
import type { Container, Handler, Probe } from "./pod-shape.ts";

/** What is run and asked of a container while it lives; `graceSeconds` is what its pod gives it to end. */
export function checkHooksAndProbes(
  errors: FieldError[],
  path: string,
  { container, graceSeconds }: { readonly container: Container; readonly graceSeconds: number },
): void {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  if (lifecycle?.postStart !== undefined)
    checkHandler(errors, `${path}.lifecycle.postStart`, { handler: lifecycle.postStart, graceSeconds });
  if (lifecycle?.preStop !== undefined)
    checkHandler(errors, `${path}.lifecycle.preStop`, { handler: lifecycle.preStop, graceSeconds });
  checkProbe(errors, `${path}.livenessProbe`, { probe: livenessProbe, graceSeconds, onlyOneSuccess: true });
  checkProbe(errors, `${path}.readinessProbe`, { probe: readinessProbe, graceSeconds, onlyOneSuccess: false });
  checkProbe(errors, `${path}.startupProbe`, { probe: startupProbe, graceSeconds, onlyOneSuccess: true });
}

function checkProbe(
  errors: FieldError[],
  path: string,
  {
    probe,
    graceSeconds,
    onlyOneSuccess,
  }: { readonly probe: Probe | undefined; readonly graceSeconds: number; readonly onlyOneSuccess: boolean },
): void {
  if (probe === undefined) return;
  checkHandler(errors, path, { handler: probe, graceSeconds });
  for (const field of [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ] as const) {
    checkNonNegative(errors, `${path}.${field}`, probe[field]);
  }
  const { terminationGracePeriodSeconds: grace, successThreshold = 0 } = probe;
  if (grace !== undefined && grace <= 0) {
    errors.push(invalidValue(`${path}.terminationGracePeriodSeconds`, grace, "must be greater than 0"));
  }
  if (onlyOneSuccess) {
    if (successThreshold !== 1) errors.push(invalidValue(`${path}.successThreshold`, successThreshold, "must be 1"));
  } else if (grace !== undefined) {
    errors.push(invalidValue(`${path}.terminationGracePeriodSeconds`, grace, "must not be set for readinessProbes"));
  }
}

const headerText =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

function checkHandler(
  errors: FieldError[],
  path: string,
  { handler, graceSeconds }: { readonly handler: Handler; readonly graceSeconds: number },
): void {
  const kinds = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;
  const [first, ...others] = kinds.filter((kind) => handler[kind] !== undefined);
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (first === undefined) errors.push(required(path, "must specify a handler type"));
  else if (first === "exec") {
    if ((exec?.command ?? []).length === 0) errors.push(required(`${path}.exec.command`));
  } else if (first === "httpGet") {
    if ((httpGet?.path ?? "") === "") errors.push(required(`${path}.httpGet.path`));
    checkPortNumberOrName(errors, `${path}.httpGet.port`, httpGet?.port);
    checkOneOf(errors, `${path}.httpGet.scheme`, {
      value: httpGet?.scheme,
      of: ["HTTP", "HTTPS"],
      missing: "notSupported",
    });
    for (const { name = "" } of httpGet?.httpHeaders ?? []) {
      if (!/^[-A-Za-z0-9]+$/.test(name)) errors.push(invalidValue(`${path}.httpGet.httpHeaders`, name, headerText));
    }
  } else if (first === "tcpSocket") checkPortNumberOrName(errors, `${path}.tcpSocket.port`, tcpSocket?.port);
  else if (first === "grpc") checkPort(errors, `${path}.grpc.port`, grpc?.port);
  else {
    const seconds = sleep?.seconds ?? 0;
    if (seconds < 0 || seconds > graceSeconds) {
      const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
      errors.push(invalidValue(`${path}.sleep`, seconds, detail));
    }
  }
  for (const other of others)
    errors.push(forbiddenField(`${path}.${other}`, "may not specify more than 1 handler type"));
}
