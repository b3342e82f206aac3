import { type CelType, dyn, isExactly } from "./cel-type.ts";

/** What type parameters stand for so far. */
export type Substitutions = Map<string, CelType>;

/** Whether a value of type `a` may stand where `b` is asked for; parameters are bound on the way. */
export function isAssignable(bound: Substitutions, a: CelType, b: CelType): boolean {
  if (b.kind === "param") {
    const { valid, known } = canSubstitute(bound, a, b);
    if (valid) return true;
    if (known) return false;
  }
  if (a.kind === "param") return canSubstitute(bound, b, a).valid;
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === "null") return isNullable(b);
  if (b.kind === "null") return isNullable(a);
  switch (a.kind) {
    case "type":
      return b.kind === "type";
    case "opaque":
    case "list":
    case "map":
      return a.kind === b.kind && a.name === b.name && areAssignable(bound, a.params, b.params);
    default:
      return a.kind === b.kind && a.name === b.name;
  }
}

export function areAssignable(bound: Substitutions, a: readonly CelType[], b: readonly CelType[]): boolean {
  return a.length === b.length && a.every((type, index) => isAssignable(bound, type, b[index] ?? dyn));
}

export function isDynOrError({ kind }: CelType): boolean {
  return kind === "dyn" || kind === "error";
}

function isNullable({ kind }: CelType): boolean {
  return kind === "null" || kind === "opaque" || kind === "struct" || kind === "duration" || kind === "timestamp";
}

function canSubstitute(bound: Substitutions, type: CelType, param: CelType): { valid: boolean; known: boolean } {
  if (isExactly(type, param)) return { valid: true, known: true };
  const known = bound.get(param.name);
  if (known !== undefined) {
    if (isExactly(type, known)) return { valid: true, known: true };
    if (!isAssignable(bound, type, known)) return { valid: false, known: true };
    const general = mostGeneral(type, known);
    if (!occurs(bound, param, general)) bound.set(param.name, general);
    return { valid: true, known: true };
  }
  if (occurs(bound, param, type)) return { valid: false, known: false };
  bound.set(param.name, type);
  return { valid: true, known: false };
}

export function mostGeneral(a: CelType, b: CelType): CelType {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === "dyn" || a.kind === "param") return true;
  if (b.kind === "dyn" || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  return (
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((param, index) => isLessSpecific(param, b.params[index] ?? dyn))
  );
}

function occurs(bound: Substitutions, param: CelType, within: CelType): boolean {
  if (isExactly(param, within)) return true;
  if (within.kind === "param") {
    const known = bound.get(within.name);
    return known !== undefined && occurs(bound, param, known);
  }
  return within.params.some((each) => occurs(bound, param, each));
}

/** The type with its bound parameters replaced; the others too, by dyn, where `free` says so. */
export function substitute(bound: Substitutions, type: CelType, free?: "dyn"): CelType {
  if (type.kind === "param") {
    const known = bound.get(type.name);
    if (known !== undefined) return substitute(bound, known, free);
    return free === "dyn" ? dyn : type;
  }
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((param) => substitute(bound, param, free)) };
}
