import { CodedError } from "../error/coded-error.ts";
import { checkText } from "../error/given-text.ts";

/** How to prove who asks. */
export type KafkaSasl =
  | {
      readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
      readonly username: string;
      readonly password: string;
    }
  | { readonly mechanism: "oauthbearer"; readonly token: () => Promise<string> };

const mechanisms = ["plain", "scram-sha-256", "scram-sha-512", "oauthbearer"] as const;

/** @throws CodedError `InvalidOption`, without what was given: it may be a password. */
export function checkSasl(given: unknown, doing: string): void {
  if (given === undefined || typeof given === "function") return;
  const { mechanism, username, password, token } = Object(given) as { readonly [part: string]: unknown };
  const isRight = (text: string): boolean => mechanisms.some((each) => each === text);
  checkText(mechanism, { doing, what: "sasl.mechanism", give: `one of ${mechanisms.join(", ")}`, isRight });
  if (mechanism !== "oauthbearer") {
    checkText(username, { doing, what: "sasl.username", give: "a name" });
    checkText(password, { doing, what: "sasl.password", give: "a text, or make sasl a function that reads it" });
  } else if (typeof token !== "function") {
    throw new CodedError("InvalidOption", `Cannot ${doing}: sasl.token is no function, give one that gives a token`);
  }
}
