import { isGoDuration } from "../../schema/go-duration.ts";

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
/** Minute, hour, day of the month, month, day of the week. */
const fieldBounds: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const descriptors = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
/** Words of a time zone are checked elsewhere: a schedule that names one is refused as such. */
const zonePrefix = /^(?:TZ|CRON_TZ)=\S* /;

/**
 * What is wrong with a schedule in the grammar of crontab, in the words of the real server; undefined for a good one.
 */
export function cronScheduleFault(text: string): string | undefined {
  const schedule = text.replace(zonePrefix, "").trim();
  if (schedule === "") return "empty spec string";
  if (schedule.startsWith("@")) return descriptorFault(schedule);
  const fields = schedule.split(/\s+/);
  if (fields.length !== fieldBounds.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  }
  for (const [index, bounds] of fieldBounds.entries()) {
    for (const range of (fields[index] ?? "").split(",").filter((part) => part !== "")) {
      const fault = rangeFault(range, bounds);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function descriptorFault(text: string): string | undefined {
  if (descriptors.includes(text)) return undefined;
  if (!text.startsWith("@every ")) return `unrecognized descriptor: ${text}`;
  const duration = text.slice("@every ".length);
  if (isGoDuration(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

/** A number, or what is wrong with its text. */
function numberIn(text: string, names: readonly string[] | undefined, first: number): number | string {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + first;
  if (!/^[-+]?\d+$/.test(text))
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  const number = Number.parseInt(text, 10);
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}

function rangeFault(range: string, { min, max, names }: Bounds): string | undefined {
  const [span = "", stepText, ...moreSteps] = range.split("/");
  const [low = "", high, ...moreEnds] = span.split("-");
  const isAll = low === "*" || low === "?";
  const start = isAll ? min : numberIn(low, names, min);
  if (typeof start === "string") return start;
  let end: number | string = isAll ? max : start;
  if (!isAll && high !== undefined) {
    end = numberIn(high, names, min);
    if (moreEnds.length > 0) return `too many hyphens: ${range}`;
  }
  if (typeof end === "string") return end;
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  const step = stepText === undefined ? 1 : numberIn(stepText, undefined, 0);
  if (typeof step === "string") return step;
  if (stepText !== undefined && high === undefined) end = max;
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${range}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return step === 0 ? `step of range should be a positive number: ${range}` : undefined;
}
