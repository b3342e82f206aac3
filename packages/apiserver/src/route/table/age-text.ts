import { parseTime } from "farwatch";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;

/** The time since an RFC 3339 time, as age columns show it; `<unknown>` where there is none. */
export function sinceText(time: unknown, nowMs: number): string {
  const at = typeof time === "string" ? parseTime(time) : undefined;
  return at === undefined ? "<unknown>" : ageText(nowMs - at.getTime());
}

/**
 * A duration as kubectl's age columns show it (duration.HumanDuration): `5s`, `3m20s`, `4h5m`, `3d2h`, `400d`, `3y20d`.
 */
export function ageText(ageMs: number): string {
  const seconds = Math.trunc(ageMs / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const pair = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
    small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;
  const minutes = Math.trunc(ageMs / minuteMs);
  if (minutes < 10) return pair(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(ageMs / hourMs);
  if (hours < 8) return pair(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(ageMs / dayMs);
  if (hours < 192) return pair(days, "d", hours % 24, "h");
  if (hours < 17_520) return `${days}d`;
  const years = Math.trunc(ageMs / yearMs);
  if (hours < 70_080) return pair(years, "y", days % 365, "d");
  return `${years}y`;
}
