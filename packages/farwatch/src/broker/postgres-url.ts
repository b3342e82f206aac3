import { checkText } from "../error/given-text.ts";
import type { FreshSecret } from "./fresh-secret.ts";

/**
 * `postgres://user:password@host:port/database?sslmode=verify-full`. Left out: the server that PGHOST and the other
 * variables of libpq name.
 */
export type PostgresUrl = FreshSecret<string>;

/**
 * The client takes any text, and reads a database's name from what is no URL. Without a host: the one of libpq's
 * variables.
 */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(url) && URL.canParse(url.replace(/(\/\/|@)\//, "$1host/"));
}

/** @throws CodedError `InvalidOption` when it names no server, without the text: it may hold a password. */
export function checkPostgresUrl(url: unknown): void {
  if (url === undefined || typeof url === "function") return;
  const give = "postgres://USER@HOST:5432/DATABASE or a function that gives it";
  checkText(url, { doing: "read from PostgreSQL", what: "url", give, isRight: isPostgresUrl });
}
