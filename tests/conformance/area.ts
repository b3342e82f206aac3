import type { TestUser } from "@farwatch/testing";
import type { Conversation } from "./conversation.ts";

/** One behaviour of an API server, shown by a sequence of requests. Rejects when an assertion of its own fails. */
export interface ConformanceCase {
  /** A sentence, unique in its area. */
  readonly name: string;
  readonly run: (conversation: Conversation) => Promise<void>;
}

/** Cases that stand in one file and are recorded in one. */
export interface Area {
  /** The name of its file in cases/ and of its recording. */
  readonly name: string;
  /** The servers know these besides `admin`; names are unique over all areas. */
  readonly users: readonly TestUser[];
  /** Whether garbage collection, namespaces and service accounts must be at work; default false. */
  readonly controllers: boolean;
  /** Whether its cases do what others could not bear, and run one by one on a server of their own; default false. */
  readonly alone: boolean;
  readonly cases: readonly ConformanceCase[];
}

type Check = (name: string, run: ConformanceCase["run"]) => void;

/**
 * What a file in cases/ exports as `area`.
 *
 * @example
 * export const area: Area = defineArea("get", (check) => {
 *   check("a missing object answers 404", async ({ send, namespace }) => {
 *     await send("GET", `/api/v1/namespaces/${namespace}/configmaps/missing`);
 *   });
 * });
 */
export function defineArea(
  name: string,
  ...rest:
    | readonly [collect: (check: Check) => void]
    | readonly [options: Partial<Pick<Area, "users" | "controllers" | "alone">>, collect: (check: Check) => void]
): Area {
  const [options, collect] = rest.length === 1 ? [{}, rest[0]] : rest;
  const cases: ConformanceCase[] = [];
  collect((caseName, run) => {
    if (cases.some((other) => other.name === caseName))
      throw new Error(`Cannot add ${name}: ${caseName} a second time`);
    cases.push({ name: caseName, run });
  });
  const { users = [], controllers = false, alone = false } = options;
  return { name, users, controllers, alone, cases };
}
