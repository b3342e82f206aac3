import type { ValidationRule } from "farwatch";
import { optionalType } from "./cel/cel-type.ts";
import { compile, type Program } from "./cel/compile.ts";
import { schemaType } from "./cel/schema-type.ts";
import { schemaPath } from "./schema-path.ts";
import type { ServedSchema } from "./served-schema.ts";

/** One rule of a schema, ready to be asked. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined where it did not compile. */
  readonly program: Program | undefined;
  readonly error: string | undefined;
  readonly usesOldSelf: boolean;
  readonly message: Program | undefined;
  readonly messageError: string | undefined;
  /** Where the error is reported, below the node that has the rule; empty for the node itself. */
  readonly fieldPath: string;
}

/**
 * The rules that stand at one node of a schema, compiled. `isRoot` for a whole object, the custom one or an embedded
 * one.
 */
export function compileRules(schema: ServedSchema, isRoot: boolean): readonly CompiledRule[] {
  return (schema["x-kubernetes-validations"] ?? []).map((rule) => compileRule(schema, rule, isRoot));
}

function compileRule(schema: ServedSchema, rule: ValidationRule, isRoot: boolean): CompiledRule {
  const failed = {
    rule,
    program: undefined,
    usesOldSelf: false,
    message: undefined,
    messageError: undefined,
    fieldPath: "",
  };
  const self = schemaType(schema, isRoot);
  if (self === undefined) return { ...failed, error: "failed to convert to declType for CEL validation rules" };
  const oldSelf = rule.optionalOldSelf === true ? optionalType(self) : self;
  const variables = new Map([
    ["self", self],
    ["oldSelf", oldSelf],
  ]);
  const compiled = compile(rule.rule, variables);
  if ("issues" in compiled) return { ...failed, error: `compilation failed: ${compiled.issues}` };
  if ("failure" in compiled) return { ...failed, error: `program instantiation failed: ${compiled.failure}` };
  const { program } = compiled;
  if (program.type.kind !== "bool") return { ...failed, error: "cel expression must evaluate to a bool" };
  const message = compileMessage(rule, variables);
  const path = schemaPath(schema, rule.fieldPath ?? "", { brackets: true });
  return {
    rule,
    program,
    error: undefined,
    usesOldSelf: program.variables.has("oldSelf"),
    message: typeof message === "string" ? undefined : message,
    messageError: typeof message === "string" ? message : undefined,
    fieldPath: "path" in path ? path.path : "",
  };
}

/** The program of the message, none, or what is wrong with it. */
function compileMessage(
  { messageExpression = "" }: ValidationRule,
  variables: Parameters<typeof compile>[1],
): Program | string | undefined {
  if (messageExpression === "") return undefined;
  const compiled = compile(messageExpression, variables);
  if ("issues" in compiled) return `messageExpression compilation failed: ${compiled.issues}`;
  if ("failure" in compiled) return `messageExpression instantiation failed: ${compiled.failure}`;
  return compiled.program.type.kind === "string" ? compiled.program : "messageExpression must evaluate to a string";
}
