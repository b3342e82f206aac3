import { CodedError } from "../error/coded-error.ts";

/** The labels of an object. */
export type LabelMap = Readonly<Record<string, string>>;

/** Whether labels are selected. */
export type LabelMatcher = (labels: LabelMap | undefined) => boolean;

/** One part of a label selector; all of them must hold. */
export interface LabelRequirement {
  readonly key: string;
  /** `NotIn` and `DoesNotExist` also hold where there is no such label; `Gt` and `Lt` compare integers. */
  readonly operator: "DoesNotExist" | "Exists" | "Gt" | "In" | "Lt" | "NotIn";
  /** One or more for In and NotIn, one for Gt and Lt, otherwise none. */
  readonly values: readonly string[];
}

const word = "[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
const part = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const keyPattern = new RegExp(`^(?:(?=[^/]{1,253}/)${part}(?:\\.${part})*/)?${word}$`);
const valuePattern = new RegExp(`^(?:${word})?$`);
/** No label value begins with a sign, so that no integer here is negative. */
const integerPattern = /^\d+$/;
const largestInteger = 2n ** 63n - 1n;

/**
 * Reads a label selector: equality as a map, or the API's text form
 * (`a=b, c!=d, e in (f, g), h notin (i), j, !k, l>1`), by the grammar of the API server. An empty selector has no
 * requirement.
 *
 * @throws CodedError `InvalidSelector` naming the part that cannot be read.
 */
export function parseLabelSelector(selector: LabelMap | string): readonly LabelRequirement[] {
  if (typeof selector !== "string") return Object.entries(selector).map(equality);
  const parts = selector.trim() === "" ? [] : selector.split(/,(?![^()]*\))/);
  return parts.map((text) => {
    const requirement = readRequirement(text.trim());
    if (requirement !== undefined) return requirement;
    throw new CodedError(
      "InvalidSelector",
      `Cannot read label selector ${JSON.stringify(selector)}: ${JSON.stringify(text.trim())} is no requirement, write "a=b", "a!=b", "a in (b, c)", "a notin (b)", "a", "!a", "a>1" or "a<1"`,
    );
  });
}

/** A name or value that is none would be read as something else once it stands in a text. */
function equality([key, value]: readonly [string, string]): LabelRequirement {
  if (keyPattern.test(key) && valuePattern.test(value)) return { key, operator: "In", values: [value] };
  throw new CodedError(
    "InvalidSelector",
    `Cannot select by label ${JSON.stringify(key)} with value ${JSON.stringify(value)}: no object can have it, write at most 63 letters, digits, "-", "_" and "."`,
  );
}

function readRequirement(text: string): LabelRequirement | undefined {
  const [, not, key = "", rest = ""] = /^(!?)\s*([^\s!=<>(),]+)\s*(.*)$/s.exec(text) ?? [];
  if (!keyPattern.test(key)) return undefined;
  if (rest === "") return { key, operator: not === "!" ? "DoesNotExist" : "Exists", values: [] };
  if (not === "!") return undefined;
  const [, sign, value] = /^(==|=|!=|<|>)\s*([^\s!=<>(),]*)$/.exec(rest) ?? [];
  if (sign !== undefined && value !== undefined) {
    if (sign === "<" || sign === ">") {
      return integerOf(value) !== undefined
        ? { key, operator: sign === "<" ? "Lt" : "Gt", values: [value] }
        : undefined;
    }
    return valuePattern.test(value) ? { key, operator: sign === "!=" ? "NotIn" : "In", values: [value] } : undefined;
  }
  const [, membership, list] = /^(in|notin)\s*\(([^()]*)\)$/.exec(rest) ?? [];
  if (membership === undefined || list === undefined) return undefined;
  const values = [...new Set(list.split(",").map((one) => one.trim()))];
  if (!values.every((one) => valuePattern.test(one))) return undefined;
  return { key, operator: membership === "in" ? "In" : "NotIn", values };
}

/** The text form of requirements, in which `parseLabelSelector` reads them again. */
export function formatLabelSelector(requirements: readonly LabelRequirement[]): string {
  return requirements.map(formatRequirement).join(",");
}

/** The text form of a selector, which the API server takes; a text stays as it is, and is for the server to judge. */
export function labelSelectorText(selector: LabelMap | string): string {
  return typeof selector === "string" ? selector : formatLabelSelector(parseLabelSelector(selector));
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    case "Gt":
      return `${key}>${values[0]}`;
    case "Lt":
      return `${key}<${values[0]}`;
    case "In":
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${[...values].sort().join(",")})`;
    case "NotIn":
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin (${[...values].sort().join(",")})`;
  }
}

/**
 * A function that says whether labels meet a selector, which is read once.
 *
 * @throws CodedError `InvalidSelector` as `parseLabelSelector` does.
 */
export function labelMatcher(selector: LabelMap | string): LabelMatcher {
  const matchers = parseLabelSelector(selector).map(requirementMatcher);
  const [first] = matchers;
  if (first === undefined) return () => true;
  return matchers.length === 1 ? first : (labels) => matchers.every((matches) => matches(labels));
}

function requirementMatcher({ key, operator, values }: LabelRequirement): LabelMatcher {
  const [only = ""] = values;
  switch (operator) {
    case "Exists":
      return (labels) => labelOf(labels, key) !== undefined;
    case "DoesNotExist":
      return (labels) => labelOf(labels, key) === undefined;
    case "In":
      if (values.length === 1) return (labels) => labelOf(labels, key) === only;
      return (labels) => {
        const label = labelOf(labels, key);
        return label !== undefined && values.includes(label);
      };
    case "NotIn":
      return (labels) => {
        const label = labelOf(labels, key);
        return label === undefined || !values.includes(label);
      };
    case "Gt":
    case "Lt": {
      const bound = integerOf(only);
      return (labels) => {
        const label = integerOf(labelOf(labels, key));
        if (label === undefined || bound === undefined) return false;
        return operator === "Gt" ? label > bound : label < bound;
      };
    }
  }
}

function integerOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !integerPattern.test(text)) return undefined;
  const value = BigInt(text);
  return value > largestInteger ? undefined : value;
}

function labelOf(labels: LabelMap | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}
