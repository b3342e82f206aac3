import { formatTime, parseTime } from "farwatch";

/** A time that Go's time.Parse took, or the text of its error. */
export type GoTime = { readonly time: string } | { readonly error: string };

type Layout = "2006-01-02T15:04:05.000000Z07:00" | "2006-01-02T15:04:05Z07:00";

interface Element {
  readonly layout: string;
  readonly pattern: RegExp;
  readonly max?: number;
  readonly name?: string;
}

const seconds: readonly Element[] = [
  { layout: "2006", pattern: /^\d{4}/ },
  { layout: "-", pattern: /^-/ },
  { layout: "01", pattern: /^\d\d/, max: 12, name: "month" },
  { layout: "-", pattern: /^-/ },
  { layout: "02", pattern: /^\d\d/ },
  { layout: "T", pattern: /^T/ },
  // Go takes one digit here, whatever RFC 3339 says.
  { layout: "15", pattern: /^\d\d?/, max: 23, name: "hour" },
  { layout: ":", pattern: /^:/ },
  { layout: "04", pattern: /^\d\d/, max: 59, name: "minute" },
  { layout: ":", pattern: /^:/ },
];
const zone: Element = { layout: "Z07:00", pattern: /^(?:Z|[+-]\d\d:\d\d)/ };
const elements: Readonly<Record<Layout, readonly Element[]>> = {
  "2006-01-02T15:04:05Z07:00": [
    ...seconds,
    { layout: "05", pattern: /^\d\d(?:[.,]\d+)?/, max: 59, name: "second" },
    zone,
  ],
  "2006-01-02T15:04:05.000000Z07:00": [
    ...seconds,
    { layout: "05", pattern: /^\d\d/, max: 59, name: "second" },
    { layout: ".000000", pattern: /^[.,]\d{6}/ },
    zone,
  ],
};

/** As the server writes it, on a day that its month has in every year: nearly all that is read, and nothing to do. */
const canonicalTime =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{6})?Z$/;

/** metav1.Time: whole seconds in UTC. */
export function parseGoTime(text: string): GoTime {
  if (text.length === 20 && canonicalTime.test(text)) return { time: text };
  return parse(text, "2006-01-02T15:04:05Z07:00");
}

/** metav1.MicroTime: exactly six digits of a second. */
export function parseGoMicroTime(text: string): GoTime {
  if (text.length === 27 && canonicalTime.test(text)) return { time: text };
  return parse(text, "2006-01-02T15:04:05.000000Z07:00");
}

function parse(text: string, layout: Layout): GoTime {
  const found: string[] = [];
  let rest = text;
  for (const element of elements[layout]) {
    const match = element.pattern.exec(rest)?.[0];
    if (match === undefined) {
      return {
        error: `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(element.layout)}`,
      };
    }
    const number = Number.parseInt(match, 10);
    if (element.max !== undefined && (number > element.max || (element.name === "month" && number === 0))) {
      return { error: `parsing time ${quote(text)}: ${element.name} out of range` };
    }
    rest = rest.slice(match.length);
    found.push(match);
  }
  if (rest !== "") return { error: `parsing time ${quote(text)}: extra text: ${quote(rest)}` };
  const [year, , month, , day, , hour = "", , minute, , second = ""] = found;
  const offset = found.at(-1) ?? "Z";
  const at = parseTime(`${year}-${month}-${day}T${hour.padStart(2, "0")}:${minute}:${second.slice(0, 2)}${offset}`);
  if (at === undefined) return { error: `parsing time ${quote(text)}: day out of range` };
  const whole = formatTime(at);
  return { time: layout.includes(".") ? `${whole.slice(0, -1)}.${found.at(-2)?.slice(1)}Z` : whole };
}

function quote(text: string): string {
  return JSON.stringify(text);
}
