import { createServer } from "node:https";
import { text } from "node:stream/consumers";
import { createCertificateAuthority } from "@farwatch/testing";
import { listenOnLoopback } from "../loopback-server.ts";

/** What a webhook was sent. */
export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: Readonly<Record<string, unknown>> & { readonly uid: string };
}

/** What a webhook does: answers a response without its uid, or the whole of an HTTP answer. */
export type Answering = (review: Review) => object | WholeAnswer;

export class WholeAnswer {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;

  constructor(status: number, body: unknown, contentType = "application/json") {
    this.status = status;
    this.body = typeof body === "string" ? body : JSON.stringify(body);
    this.contentType = contentType;
  }
}

/** A server of webhooks, each at a path of its own. */
export interface WebhookServer extends AsyncDisposable {
  /** Of a path; the port is another one in every run. */
  url(path: string): string;
  /** Of its authority, as a configuration has it. */
  readonly caBundle: string;
  /** Lets a path answer; `undefined`: it never does. */
  on(path: string, answering: Answering | undefined): void;
  /** What a path was sent, with the query of the URL. */
  asked(path: string): readonly { readonly query: string; readonly review: Review }[];
}

export async function startWebhookServer(): Promise<WebhookServer> {
  const authority = await createCertificateAuthority();
  const { cert, key } = await authority.issue({ commonName: "webhook", hosts: ["127.0.0.1"], usage: "server" });
  const answers = new Map<string, Answering | undefined>();
  const calls = new Map<string, { query: string; review: Review }[]>();
  const server = createServer({ cert, key }, async (request, response) => {
    // A caller whose patience ends, which is a second in some cases, hangs up.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const review: Review = JSON.parse(body);
    const { pathname, search } = new URL(request.url ?? "/", "https://webhook");
    const path = pathname.slice(1);
    calls.set(path, [...(calls.get(path) ?? []), { query: search, review }]);
    const answer = answers.get(path)?.(review);
    if (answer === undefined) return;
    const whole =
      answer instanceof WholeAnswer
        ? answer
        : new WholeAnswer(200, {
            apiVersion: review.apiVersion,
            kind: review.kind,
            response: { uid: review.request.uid, ...answer },
          });
    response.writeHead(whole.status, { "content-type": whole.contentType }).end(whole.body);
  });
  const loopback = await listenOnLoopback(server);
  const base = `https://127.0.0.1:${loopback.port}`;
  return {
    url: (path) => `${base}/${path}`,
    caBundle: Buffer.from(authority.cert).toString("base64"),
    on: (path, answering) => answers.set(path, answering),
    asked: (path) => calls.get(path) ?? [],
    [Symbol.asyncDispose]: () => loopback[Symbol.asyncDispose](),
  };
}
