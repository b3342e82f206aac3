import { type FieldError, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import { checkNonNegative } from "../field-check.ts";
import { dnsSubdomain } from "../name-rule.ts";
import type { Strategy } from "../strategy.ts";
import { cronScheduleFault } from "./cron-schedule.ts";
import { applyPodsDefaults, checkJobSpec, type JobSpec } from "./job.ts";
import {
  draftSpec,
  metaErrors,
  metaUpdateErrors,
  preparesStatus,
  setDefault,
  setDefaultText,
  specOf,
} from "./object-kind.ts";
import { hostNameWarnings, templateWarnings } from "./pod-warning.ts";

interface CronJobSpec {
  schedule?: string;
  timeZone?: string;
  startingDeadlineSeconds?: number;
  concurrencyPolicy?: string;
  suspend?: boolean;
  jobTemplate?: { metadata?: object; spec?: JobSpec };
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
}

function checkTimeZone(errors: FieldError[], zone: string | undefined): void {
  const path = "spec.timeZone";
  if (zone === undefined) return;
  if (zone === "") {
    errors.push(invalidValue(path, zone, "timeZone must be nil or non-empty string"));
    return;
  }
  const isPart = (part: string): boolean =>
    /^[A-Za-z._0-9+][A-Za-z._0-9+-]{0,13}$/.test(part) && part !== "." && part !== "..";
  if (!zone.split("/").every(isPart)) {
    errors.push(invalidValue(path, zone, `unknown time zone ${zone}`));
    return;
  }
  if (zone.toLowerCase() === "local") {
    const detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    errors.push(invalidValue(path, zone, detail));
  } else if (!isTimeZone(zone)) errors.push(invalidValue(path, zone, `unknown time zone ${zone}`));
}

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    // A RangeError says that there is none.
    return false;
  }
}

function checkCronJob(errors: FieldError[], spec: CronJobSpec, old: CronJobSpec | undefined): FieldError[] {
  const { schedule = "", timeZone, concurrencyPolicy = "", jobTemplate = {} } = spec;
  if (schedule === "") errors.push(required("spec.schedule"));
  else {
    const fault = cronScheduleFault(schedule);
    if (fault !== undefined) errors.push(invalidValue("spec.schedule", schedule, fault));
    if (schedule.includes("TZ")) {
      const tolerated = old?.schedule?.includes("TZ") === true;
      if (!tolerated) {
        const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
        errors.push(invalidValue("spec.schedule", schedule, detail));
      } else if (timeZone !== undefined) {
        const detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
        errors.push(invalidValue("spec.schedule", schedule, detail));
      }
    }
  }
  checkNonNegative(errors, "spec.startingDeadlineSeconds", spec.startingDeadlineSeconds);
  if (old === undefined || old.timeZone !== timeZone) checkTimeZone(errors, timeZone);
  const policies = ["Allow", "Forbid", "Replace"];
  if (concurrencyPolicy === "") errors.push(required("spec.concurrencyPolicy"));
  else if (!policies.includes(concurrencyPolicy)) {
    errors.push(notSupported("spec.concurrencyPolicy", concurrencyPolicy, policies));
  }
  const job = jobTemplate.spec ?? {};
  checkJobSpec(errors, "spec.jobTemplate.spec", job);
  if (job.selector !== undefined) {
    errors.push(invalidValue("spec.jobTemplate.spec.selector", job.selector, "`selector` will be auto-generated"));
  }
  if (job.manualSelector === true) {
    errors.push(notSupported("spec.jobTemplate.spec.manualSelector", true, ["nil", "false"]));
  }
  checkNonNegative(errors, "spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit);
  checkNonNegative(errors, "spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit);
  return errors;
}

/** Leaves room for the time that becomes part of a job's name. */
const maxCronJobName = 52;

/** CronJob of batch/v1. */
export const cronJobStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    const spec = draftSpec<CronJobSpec>(object);
    spec.jobTemplate ??= {};
    spec.jobTemplate.metadata ??= {};
    spec.jobTemplate.spec ??= {};
    applyPodsDefaults(spec.jobTemplate.spec);
    setDefaultText(spec, "concurrencyPolicy", "Allow");
    setDefault(spec, "suspend", false);
    setDefault(spec, "successfulJobsHistoryLimit", 3);
    setDefault(spec, "failedJobsHistoryLimit", 1);
  },
  ...preparesStatus({ empty: {}, generation: ["spec"] }),
  validate(object): FieldError[] {
    const errors = checkCronJob(
      metaErrors(object, { namespaced: true, nameRule: dnsSubdomain }),
      specOf(object),
      undefined,
    );
    const { name = "" } = object.metadata;
    if (Buffer.byteLength(name) > maxCronJobName) {
      errors.push(invalidValue("metadata.name", name, `must be no more than ${maxCronJobName} characters`));
    }
    return errors;
  },
  validateUpdate(object, old, { subresource }): FieldError[] {
    if (subresource === "status") return [];
    return checkCronJob(metaUpdateErrors(object, old), specOf(object), specOf(old));
  },
  warnings(object, old): readonly string[] {
    const template = specOf<CronJobSpec>(object).jobTemplate?.spec?.template;
    const ofTemplate = templateWarnings(template, "spec.jobTemplate.spec.template");
    if (old === undefined) return [...hostNameWarnings(object.metadata.name, "Pod names and hostnames"), ...ofTemplate];
    return object.metadata.generation === old.metadata.generation ? [] : ofTemplate;
  },
};
