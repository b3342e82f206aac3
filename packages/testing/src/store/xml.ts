/** The content of an XML element: text, or elements in order; undefined leaves the element out. */
export type XmlContent = string | number | boolean | readonly XmlElement[] | undefined;
export type XmlElement = readonly [name: string, content: XmlContent];

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A document of one element. */
export function xmlDocument(
  name: string,
  content: readonly XmlElement[],
  attributes: Readonly<Record<string, string>> = {},
): string {
  const texts = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name}${texts.join("")}>${xmlElements(content)}</${name}>`;
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
  return text.replace(/[&<>"]/g, (character) => escapes[character] ?? character);
}
