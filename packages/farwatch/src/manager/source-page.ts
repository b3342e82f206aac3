import type { Instant } from "../clock/instant.ts";
import type { SourceState } from "../source/source-state.ts";

/** Nothing is loaded and nothing runs, whatever a name or an error says. */
export const sourcePagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** How sources are, for programs: `{ "sources": [SourceState] }`, with times in RFC 3339. */
export function sourcesJson(states: readonly SourceState[]): string {
  return `${JSON.stringify({ sources: states })}\n`;
}

const columns = [
  "Source",
  "State",
  "Last error",
  "Watched by",
  "Last event",
  "Lag",
  "Buffered",
  "Unacknow&shy;ledged",
  "Kept",
  "Restarts",
];

/** The same for people, as a page that shows itself anew every five seconds. */
export function sourcesPage(states: readonly SourceState[], now: Instant): string {
  const rows = states.map((state) => row(state, now)).join("\n");
  const none = `<tr><td colspan="${columns.length}">No sources: nothing is watched.</td></tr>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="5">
<title>Sources</title>
<style>${style}</style>
</head>
<body>
<h1>Sources</h1>
<p>Of this replica, at ${escaped(now.toISOString())}. <a href="?format=json">As JSON</a></p>
<div class="wide">
<table>
<thead><tr>${columns.map((name) => `<th scope="col">${name}</th>`).join("")}</tr></thead>
<tbody>
${states.length === 0 ? none : rows}
</tbody>
</table>
</div>
</body>
</html>
`;
}

const style = `
:root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }
body { margin: 1.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .4rem .6rem; border-bottom: 1px solid #8884; text-align: start; vertical-align: top; }
thead th { vertical-align: bottom; }
tbody th, .error { overflow-wrap: anywhere; min-width: 8rem; max-width: 26rem; }
.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.error { min-width: 14rem; }
.serving { color: #1a7f37; } .failing, .held { color: #cf222e; font-weight: 600; } .waiting, .ended { opacity: .7; }
@media (prefers-color-scheme: dark) { .serving { color: #4ac26b; } .failing, .held { color: #ff7b72; } }
`;

function row(state: SourceState, now: Instant): string {
  const { phase, reason, lastError, lastErrorAt, lastEventAt, lagMs } = state;
  const held = reason === undefined ? "" : ` <span class="held">${reason.type}: ${escaped(reason.request)}</span>`;
  const error = lastError === undefined ? "" : `${escaped(lastError)} (${ago(lastErrorAt, now)})`;
  const numbers = [
    ago(lastEventAt, now),
    lagMs === undefined ? "" : seconds(lagMs),
    String(state.buffered),
    String(state.unacknowledged),
    String(state.kept),
    String(state.restarts),
  ];
  const cells = [
    `<th scope="row"><bdi>${escaped(state.name)}</bdi>${state.critical ? " (critical)" : ""}</th>`,
    `<td><span class="${phase}">${phase}</span>${held}</td>`,
    `<td class="error"><bdi>${error}</bdi></td>`,
    `<td>${escaped(state.watches.join(", "))}</td>`,
    ...numbers.map((text) => `<td class="number">${text}</td>`),
  ];
  return `<tr>${cells.join("")}</tr>`;
}

function ago(at: Instant | undefined, now: Instant): string {
  return at === undefined ? "" : `${seconds(now.getTime() - at.getTime())} ago`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text and nothing else: no markup, no control characters, none that turn the direction of what follows. */
function escaped(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd")
    .replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
