import { createHash, createHmac } from "node:crypto";
import { CodedError, type Duration, formatTime, instantOf, systemClock, toMs } from "farwatch";
import { createObjectStore, type ObjectStore } from "../store/object-store.ts";
import type { ServedAnswer } from "../store/served-request.ts";
import type { ServiceFault } from "../store/store-fault.ts";
import { type AzureAsk, type AzureNames, readAzureAsk } from "./azure-ask.ts";
import { type AzureToken, authenticate } from "./azure-authentication.ts";
import { AzureError, containerNotFound, notAuthorized } from "./azure-error.ts";
import { performAzure } from "./azure-operation.ts";
import type { AzureAccountOptions, AzureContainerOptions, AzureStoreOptions } from "./azure-options.ts";
import { type AzureAccount, createAccount, createBlob, createContainer, nameProblem } from "./azure-state.ts";

export interface ContainerSasOptions {
  /** Letters of `sp`, in Azure's order; default `rl`. */
  readonly permissions?: string;
  /** From now; default `1h`. */
  readonly validFor?: Duration;
  /** Of one blob instead. */
  readonly blob?: string;
}

/** Azure Blob Storage in this process, and the hand that changes what it holds. Containers are its buckets. */
export interface AzureStore extends ObjectStore {
  /** Adds the account, or replaces it: a rotated key counts from the next request on. */
  putAccount(name: string, options: AzureAccountOptions): void;
  removeAccount(name: string): void;
  /**
   * Adds the container, or replaces it with everything in it. @throws CodedError `NotFound` without the account;
   * `InvalidOption` for a name that Azure does not take.
   */
  putContainer(account: string, name: string, options?: AzureContainerOptions): void;
  removeContainer(account: string, name: string): void;
  /** Puts a block blob there as somebody else would. @throws CodedError `NotFound` without account or container. */
  putBlob(account: string, container: string, name: string, content: string | Uint8Array): void;
  /** The content of each blob by its name. @throws CodedError `NotFound` without account or container. */
  blobsOf(account: string, container: string): Readonly<Record<string, Uint8Array>>;
  /** An access token of Entra ID for this principal; default: for an hour. What it may, containers' `grants` say. */
  issueToken(principal: string, options?: { readonly validFor?: Duration }): string;
  /**
   * The query of a service SAS, signed with the account's first key. @throws CodedError `NotFound` without the account.
   */
  signSas(account: string, container: string, options?: ContainerSasOptions): string;
}

/**
 * A small Azure Blob Storage for tests and demos: containers (list, create, properties, delete) and block blobs (list,
 * put, properties, get, delete). It checks Shared Key signatures and their date (15 min), account and service SAS,
 * access tokens, and public access. Accounts are addressed by host or, as by emulators, by path. Anything else answers
 * 501.
 *
 * It follows Azure's REST reference ("Authorize with Shared Key", "Create a service SAS", "Create an account SAS",
 * "Blob service error codes", "Status and error codes"). azurite answers the same requests in
 * tests/servers/azure-store.test.ts, which says where that one is not as Azure.
 */
export function createAzureStore(options: AzureStoreOptions): AzureStore {
  const { clock = systemClock } = options;
  const accounts = new Map<string, AzureAccount>();
  const tokens = new Map<string, AzureToken>();
  let answered = 0;

  const held = (name: string): AzureAccount => {
    const account = accounts.get(name);
    if (account !== undefined) return account;
    throw new CodedError("NotFound", `Cannot reach into account ${name}: the store has none of that name`);
  };
  const blobsOf = (account: string, container: string): ReturnType<typeof createContainer>["blobs"] => {
    const found = held(account).containers.get(container);
    if (found !== undefined) return found.blobs;
    throw new CodedError(
      "NotFound",
      `Cannot reach into container ${container}: account ${account} has none of that name`,
    );
  };
  const putContainer = (account: string, name: string, container: AzureContainerOptions = {}): void => {
    if (nameProblem(name) !== undefined)
      throw new CodedError("InvalidOption", `Cannot put container ${name}: Azure takes no such name`);
    held(account).containers.set(name, createContainer(name, container, clock.now()));
  };
  const putAccount = (name: string, { keys, containers }: AzureAccountOptions): void => {
    accounts.set(name, createAccount(name, { keys, containers: {} }, clock.now()));
    for (const [container, each] of Object.entries(containers)) putContainer(name, container, each);
  };
  for (const [name, account] of Object.entries(options.accounts)) putAccount(name, account);
  const names: AzureNames = {
    isAccount: (name) => accounts.has(name),
    principalOf: (token) => tokens.get(token)?.principal,
  };

  const store = createObjectStore(
    {
      read: (request): AzureAsk => readAzureAsk(request, names),
      async answer(request, ask, fault): Promise<ServedAnswer> {
        answered += 1;
        const now =
          fault?.kind === "clockSkew" ? instantOf(clock.now().getTime() + toMs(fault.by ?? "20m")) : clock.now();
        const requestId = requestIdOf(answered);
        const perform = (): ServedAnswer => {
          if (fault !== undefined) throwIfOverloaded(fault);
          const account = accounts.get(ask.account ?? "");
          if (account === undefined) throw resourceNotFound();
          const authorization = authenticate(request, ask, { account, tokens, now });
          if (fault?.kind === "bucketDeleted" && ask.bucket !== undefined) throw containerNotFound();
          if (fault?.kind === "accessDenied") {
            throw notAuthorized("AuthorizationFailure", "This request is not authorized to perform this operation.");
          }
          return performAzure({ request, ask, account, authorization, now });
        };
        const { headers, ...answer } = refusable(perform, (error) => error.toAnswer(requestId, now));
        return {
          ...answer,
          headers: {
            date: now.toUTCString(),
            server: "Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0",
            "x-ms-request-id": requestId,
            "x-ms-version": request.headers["x-ms-version"] ?? "2021-12-02",
            ...headers,
          },
        };
      },
    },
    { ...options, clock },
  );

  return {
    ...store,
    putAccount,
    removeAccount: (name) => accounts.delete(name),
    putContainer,
    removeContainer: (account, name) => held(account).containers.delete(name),
    putBlob: (account, container, name, content) =>
      blobsOf(account, container).set(name, createBlob({ content }, clock.now())),
    blobsOf: (account, container) =>
      Object.fromEntries([...blobsOf(account, container)].map(([name, { content }]) => [name, content] as const)),
    issueToken(principal, { validFor = "1h" } = {}): string {
      const token = createHash("sha256").update(`${principal} ${tokens.size}`).digest("base64url");
      tokens.set(token, { principal, expiresAtMs: clock.now().getTime() + toMs(validFor) });
      return token;
    },
    signSas(account, container, { permissions = "rl", validFor = "1h", blob } = {}): string {
      const [key = ""] = held(account).keys;
      const se = formatTime(instantOf(clock.now().getTime() + toMs(validFor)));
      const [sv, sr] = ["2021-12-02", blob === undefined ? "c" : "b"];
      const resource = `/blob/${account}/${container}${blob === undefined ? "" : `/${blob}`}`;
      const text = [permissions, "", se, resource, "", "", "", sv, sr, "", "", "", "", "", "", ""].join("\n");
      const sig = createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");
      return new URLSearchParams({ sp: permissions, se, sv, sr, sig }).toString();
    },
  };
}

function refusable(perform: () => ServedAnswer, refuse: (error: AzureError) => ServedAnswer): ServedAnswer {
  try {
    return perform();
  } catch (error) {
    if (error instanceof AzureError) return refuse(error);
    throw error;
  }
}

function requestIdOf(count: number): string {
  return `fa12a7c4-001e-0000-0000-${count.toString(16).padStart(12, "0")}`;
}

/** An account that is none has no host; only addressed by path it comes as far as here. */
function resourceNotFound(): AzureError {
  return new AzureError({ status: 404, code: "ResourceNotFound", message: "The specified resource does not exist." });
}

function throwIfOverloaded(fault: ServiceFault): void {
  if (fault.kind === "throttled") {
    throw new AzureError({
      status: 503,
      code: "ServerBusy",
      message: "Operations per second is over the account limit.",
      headers: fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) },
    });
  }
  if (fault.kind !== "serverError") return;
  throw new AzureError({
    status: 500,
    code: "InternalError",
    message: "The server encountered an internal error. Please retry the request.",
  });
}
