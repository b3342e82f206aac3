import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { IssuedCertificate } from "@farwatch/apiserver/access";
import { CodedError, type Duration, isCodedError } from "farwatch";
import { locateBinaries } from "../binaries/locate-binaries.ts";
import { freePort, lostItsPort, withFreePorts } from "../process/free-port.ts";
import { type HttpAnswer, httpProblem } from "../process/http-call.ts";
import { type ServerProcess, startProcess, untilReady } from "../process/server-process.ts";
import { createTempFolder } from "../process/temp-folder.ts";
import { type S3Credentials, type S3Request, s3Request } from "./signed-request.ts";

export interface VersitygwOptions {
  /** Created before the start resolves; none of them owns a bucket. Their keys are the caller's choice. */
  readonly users?: readonly S3Credentials[];
  /** Default `us-east-1`. */
  readonly region?: string;
  /** Serves https with this certificate; `ca` is the authority that signed it. Default: http. */
  readonly tls?: IssuedCertificate & { readonly ca: string };
  /** Further global flags. */
  readonly flags?: readonly string[];
  /** Default 30 s. */
  readonly readyWithin?: Duration;
  readonly log?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * versitygw, an S3 server, on 127.0.0.1 with its data in a temporary folder. It checks signatures, clock skew, region,
 * users and policies. A bucket belongs to who created it; another user's requests get 403 until a bucket policy allows
 * them.
 */
export interface Versitygw extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`; buckets are addressed by path. */
  readonly url: string;
  readonly region: string;
  /** May do everything. */
  readonly admin: S3Credentials;
  readonly folder: string;
  readonly logFile: string;
  /** Undefined when it does not run. */
  readonly pid: number | undefined;
  createUser(user: S3Credentials): Promise<void>;
  /** Owned by `owner`, a user of this server; default: the admin. */
  createBucket(name: string, options?: { readonly owner?: S3Credentials }): Promise<void>;
  /** An AWS bucket policy; `Principal: { AWS: [accessKeyId] }` names a user. */
  putBucketPolicy(bucket: string, policy: object): Promise<void>;
  deleteBucket(name: string): Promise<void>;
  /** One signed request, answered whatever its status. */
  request(credentials: S3Credentials, request: S3Request): Promise<HttpAnswer>;
  /** Default SIGKILL. */
  kill(signal?: NodeJS.Signals): void;
  /** Stops it where it runs, and starts it on the same port and data; resolves when it is ready. */
  restart(): Promise<void>;
  keepFolder(): void;
}

const run = promisify(execFile);

/**
 * @throws CodedError `NotFound` without a binary and Go; `ServerUnavailable` when it does not come up, with the end of
 * its log and the log's path, in which case the folder stays.
 */
export async function startVersitygw(options: VersitygwOptions = {}): Promise<Versitygw> {
  const { versitygw } = await locateBinaries(["versitygw"], options);
  return await withFreePorts(() => start(options, versitygw));
}

async function start(options: VersitygwOptions, binary: string): Promise<Versitygw> {
  await using undo = new AsyncDisposableStack();
  const { tls, region = "us-east-1" } = options;
  const temp = undo.use(await createTempFolder("farwatch-s3-"));
  const inFolder = (name: string): string => join(temp.path, name);
  const logFile = inFolder("versitygw.log");
  const port = await freePort();
  const url = `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`;
  const endpoint = { url, region, ca: tls?.ca };
  const admin: S3Credentials = { accessKeyId: "farwatch-admin", secretAccessKey: randomBytes(20).toString("hex") };
  for (const name of ["data", "iam", "meta"]) await mkdir(inFolder(name));
  if (tls !== undefined) {
    await writeFile(inFolder("tls.crt"), tls.cert);
    await writeFile(inFolder("tls.key"), tls.key, { mode: 0o600 });
  }

  let server: ServerProcess | undefined;
  undo.defer(async () => server?.[Symbol.asyncDispose]());
  const startServer = async (signal: AbortSignal | undefined): Promise<void> => {
    options.log?.("Starting versitygw");
    const started = await startProcess({
      name: "versitygw",
      command: binary,
      // Users change under a running server; metadata beside the data also works where a file system has no attributes.
      args: [
        ...[
          "--port",
          `127.0.0.1:${port}`,
          "--region",
          region,
          "--health",
          "/health",
          "--iam-dir",
          inFolder("iam"),
          "--iam-cache-disable",
        ],
        ...(tls === undefined ? [] : ["--cert", inFolder("tls.crt"), "--key", inFolder("tls.key")]),
        ...(options.flags ?? []),
        ...["posix", "--sidecar", inFolder("meta"), inFolder("data")],
      ],
      env: { ROOT_ACCESS_KEY: admin.accessKeyId, ROOT_SECRET_KEY: admin.secretAccessKey },
      logFile,
    });
    server = started;
    await untilReady(started, {
      check: () => httpProblem(url, { path: "/health", ...(tls === undefined ? {} : { ca: tls.ca }) }),
      within: options.readyWithin ?? "30s",
      signal,
    });
  };

  const request = (credentials: S3Credentials, what: S3Request): Promise<HttpAnswer> =>
    s3Request(endpoint, credentials, what);
  const must = async (what: S3Request, doing: string): Promise<void> => {
    const { status, text } = await request(admin, what);
    if (status < 200 || status > 299)
      throw new CodedError("BadRequest", `Cannot ${doing}: versitygw answers ${status} ${text}`);
  };
  const administer = async (...args: readonly string[]): Promise<void> => {
    const env = {
      ...process.env,
      ADMIN_ACCESS_KEY: admin.accessKeyId,
      ADMIN_SECRET_KEY: admin.secretAccessKey,
      ADMIN_ENDPOINT_URL: url,
      ADMIN_REGION: region,
    };
    const insecure = tls === undefined ? [] : ["--allow-insecure"];
    try {
      await run(binary, ["admin", ...insecure, ...args], { env });
    } catch (cause) {
      // The command line holds a secret, so neither it nor Node's message may be repeated.
      const { stderr = "" } = cause as { readonly stderr?: string };
      throw new CodedError("BadRequest", `Cannot run versitygw admin ${args[0]}: ${stderr.trim()}`);
    }
  };
  const createUser = ({ accessKeyId, secretAccessKey }: S3Credentials): Promise<void> =>
    administer("create-user", "--access", accessKeyId, "--secret", secretAccessKey, "--role", "user");

  try {
    await startServer(options.signal);
  } catch (error) {
    if (isCodedError(error, "ServerUnavailable") && !lostItsPort(error)) temp.keep();
    throw error;
  }
  for (const user of options.users ?? []) await createUser(user);

  const owned = undo.move();
  return {
    url,
    region,
    admin,
    folder: temp.path,
    logFile,
    get pid() {
      return server?.ended === undefined ? server?.pid : undefined;
    },
    createUser,
    async createBucket(name, { owner } = {}): Promise<void> {
      await must({ method: "PUT", path: `/${name}` }, `create bucket ${name}`);
      if (owner !== undefined) await administer("change-bucket-owner", "--bucket", name, "--owner", owner.accessKeyId);
    },
    putBucketPolicy: (bucket, policy) =>
      must(
        { method: "PUT", path: `/${bucket}`, query: { policy: "" }, body: JSON.stringify(policy) },
        `put the policy of bucket ${bucket}`,
      ),
    deleteBucket: (name) => must({ method: "DELETE", path: `/${name}` }, `delete bucket ${name}`),
    request,
    kill: (signal = "SIGKILL") => server?.kill(signal),
    async restart(): Promise<void> {
      await server?.stop();
      await startServer(undefined);
    },
    keepFolder: () => temp.keep(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
