import { type FieldError, forbiddenField, invalidValue, required } from "../failure/field-error.ts";

/** authorization.k8s.io/v1 FieldSelectorAttributes or LabelSelectorAttributes. */
export interface ReviewedSelector {
  readonly rawSelector?: string;
  readonly requirements?: readonly {
    readonly key?: string;
    readonly operator?: string;
    readonly values?: readonly string[];
  }[];
}

/** What is wrong with a selector of an access review. Operators that nobody knows are taken. */
export function selectorErrors(
  selector: ReviewedSelector | undefined,
  kind: "field" | "label",
  path: string,
): readonly FieldError[] {
  if (selector === undefined) return [];
  const { rawSelector = "", requirements = [] } = selector;
  if (rawSelector !== "" && requirements.length > 0) {
    return [invalidValue(`${path}.rawSelector`, rawSelector, "may not specified at the same time as requirements")];
  }
  if (rawSelector === "" && requirements.length === 0) {
    return [required(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`)];
  }
  return requirements.flatMap(({ key = "", operator, values = [] }, index) => {
    const at = `${path}.requirements[${index}]`;
    const errors: FieldError[] = [];
    if (kind === "field" && key === "") errors.push(required(`${at}.key`, "must be specified"));
    const ofSet = operator === "In" || operator === "NotIn";
    const ofPresence = operator === "Exists" || operator === "DoesNotExist";
    if (ofSet && values.length === 0) {
      errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
    if (ofPresence && values.length > 0) {
      errors.push(forbiddenField(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
    return errors;
  });
}
