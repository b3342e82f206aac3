/** What Go's url.ParseRequestURI finds in a URL; hosts keep their brackets and port. */
export interface GoUrl {
  /** In lower case; empty for an absolute path. */
  readonly scheme: string;
  readonly host: string;
  /** Still escaped. */
  readonly path: string;
  /** Still escaped, without the question mark. */
  readonly query: string;
}

const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const badEscape = /%(?![0-9A-Fa-f]{2})/;
/** What may stand in a host besides letters, digits, escapes and everything above ASCII. */
const badHost = /[ "<>\\^`{|}/?#@]/;

/** An absolute URL or an absolute path, as Go reads it in a request; undefined when the text is neither. */
export function parseGoUrl(text: string): GoUrl | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused.
  if (text === "" || /[\u0000-\u001f\u007f]/.test(text)) return undefined;
  if (text === "*") return { scheme: "", host: "", path: "*", query: "" };
  if (text.startsWith(":")) return undefined;
  const name = scheme.exec(text)?.[1] ?? "";
  const rest = name === "" ? text : text.slice(name.length + 1);
  const question = rest.indexOf("?");
  const query = question === -1 ? "" : rest.slice(question + 1);
  let path = question === -1 ? rest : rest.slice(0, question);
  if (!path.startsWith("/")) return name === "" ? undefined : { scheme: name.toLowerCase(), host: "", path: "", query };
  let host = "";
  if (name !== "" && path.startsWith("//")) {
    const end = path.indexOf("/", 2);
    const authority = path.slice(2, end === -1 ? undefined : end);
    path = end === -1 ? "" : path.slice(end);
    const at = authority.lastIndexOf("@");
    if (at !== -1 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) return undefined;
    host = authority.slice(at + 1);
    if (!isHost(host)) return undefined;
  }
  return badEscape.test(path) ? undefined : { scheme: name.toLowerCase(), host, path, query };
}

function isHost(host: string): boolean {
  const bracketed = /^\[[^\]]*\](.*)$/.exec(host);
  if (host.startsWith("[")) return bracketed !== null && /^(?::\d*)?$/.test(bracketed[1] ?? "");
  const colon = host.lastIndexOf(":");
  if (colon !== -1 && !/^:\d*$/.test(host.slice(colon))) return false;
  const name = colon === -1 ? host : host.slice(0, colon);
  // Of escapes Go takes those alone in a host that stand for bytes above ASCII.
  return !badHost.test(name) && !/%(?![89A-Fa-f][0-9A-Fa-f])/.test(name) && !name.includes("[") && !name.includes("]");
}
