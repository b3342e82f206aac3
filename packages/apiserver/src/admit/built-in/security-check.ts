import { type FieldError, forbiddenField, invalidValue, required } from "../../failure/field-error.ts";
import { checkOneOf } from "../field-check.ts";
import { rangeText } from "../name-rule.ts";
import type { SeccompProfile, SecurityContext } from "./pod-shape.ts";
import { pushDescendingPathErrors } from "./volume-check.ts";

const maxId = 2 ** 31 - 1;

/** A Unix user or group. */
export function pushIdErrors(errors: FieldError[], path: string, id: number | undefined): void {
  if (id !== undefined && (id < 0 || id > maxId)) errors.push(invalidValue(path, id, rangeText(0, maxId)));
}

/** A profile of system calls; a file names it only where its type is Localhost. */
export function checkSeccomp(errors: FieldError[], path: string, profile: SeccompProfile | undefined): void {
  if (profile === undefined) return;
  const { type = "", localhostProfile } = profile;
  checkOneOf(errors, `${path}.type`, { value: type, of: ["Localhost", "RuntimeDefault", "Unconfined"] });
  if (type === "Localhost") {
    if (localhostProfile === undefined) {
      errors.push(required(`${path}.localhostProfile`, "must be set when seccomp type is Localhost"));
    } else pushDescendingPathErrors(errors, `${path}.localhostProfile`, localhostProfile);
  } else if (localhostProfile !== undefined) {
    const printed = { Type: type, LocalhostProfile: localhostProfile };
    errors.push(invalidValue(`${path}.localhostProfile`, printed, "can only be set when seccomp type is Localhost"));
  }
}

/** The rights of a container: what it may not say together. */
export function checkSecurityContext(errors: FieldError[], path: string, context: SecurityContext | undefined): void {
  if (context === undefined) return;
  pushIdErrors(errors, `${path}.runAsUser`, context.runAsUser);
  pushIdErrors(errors, `${path}.runAsGroup`, context.runAsGroup);
  checkSeccomp(errors, `${path}.seccompProfile`, context.seccompProfile);
  if (context.privileged === true) errors.push(forbiddenField(`${path}.privileged`, "disallowed by cluster policy"));
  if (context.allowPrivilegeEscalation !== false) return;
  if (context.privileged === true) {
    const detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
    errors.push(invalidValue(path, printedContext(context), detail));
  }
  for (const capability of context.capabilities?.add ?? []) {
    if (capability !== "CAP_SYS_ADMIN") continue;
    const detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
    errors.push(invalidValue(path, printedContext(context), detail));
  }
}

/** As Go prints the type that the real server works on. */
function printedContext(context: SecurityContext): object {
  const fields = [
    "capabilities",
    "privileged",
    "seLinuxOptions",
    "windowsOptions",
    "runAsUser",
    "runAsGroup",
    "runAsNonRoot",
    "readOnlyRootFilesystem",
    "allowPrivilegeEscalation",
    "procMount",
    "seccompProfile",
    "appArmorProfile",
  ];
  const values = context as Readonly<Record<string, unknown>>;
  const goName = (field: string): string =>
    `${(field[0] ?? "").toUpperCase()}${field.slice(1)}`.replace("SeLinux", "SELinux");
  return Object.fromEntries(fields.map((field) => [goName(field), values[field] ?? null]));
}
