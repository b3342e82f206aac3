/** The content of an XML element: text, or elements in order; undefined leaves the element out. */
export type XmlContent = string | number | boolean | readonly XmlElement[] | undefined;
export type XmlElement = readonly [name: string, content: XmlContent];

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
  "\n": "&#xA;",
  "\r": "&#xD;",
};

/** A document of one element. */
export function xmlDocument(name: string, content: readonly XmlElement[], namespace?: string): string {
  const attributes = namespace === undefined ? "" : ` xmlns="${namespace}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name}${attributes}>${xmlElements(content)}</${name}>`;
}

function xmlElements(elements: readonly XmlElement[]): string {
  return elements
    .map(([name, content]) => {
      if (content === undefined) return "";
      const inner = typeof content === "object" ? xmlElements(content) : escapeXml(String(content));
      return `<${name}>${inner}</${name}>`;
    })
    .join("");
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"'\r\n]/g, (character) => escapes[character] ?? character);
}
