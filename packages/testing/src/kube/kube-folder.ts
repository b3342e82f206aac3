import { generateKeyPairSync, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  type Kubeconfig,
  kubeconfigFor,
  writeKubeconfig,
} from "@farwatch/apiserver/access";
import { CodedError } from "farwatch";

/** A user that the server knows by a bearer token, from its start. */
export interface TestUser {
  readonly name: string;
  /** `system:masters` may do everything; default: none, so that RBAC decides. */
  readonly groups?: readonly string[];
  /** Default: a random one. */
  readonly token?: string;
}

/** A user of a started server, and how to be that user. */
export interface KubeUser {
  readonly name: string;
  readonly token: string;
  readonly kubeconfig: Kubeconfig;
  readonly kubeconfigFile: string;
}

/** What lies in an API server's folder before its first start: certificates, keys, tokens, kubeconfigs. */
export interface KubeFolder {
  readonly authority: CertificateAuthority;
  readonly admin: KubeUser;
  /** By name, `admin` among them. */
  readonly users: ReadonlyMap<string, KubeUser>;
  readonly serviceAccountKeyFile: string;
  /** The flags of kube-apiserver that name these files. */
  readonly flags: readonly string[];
}

/** @throws CodedError `DuplicateName` when two users have one name. */
export async function writeKubeFolder(
  folder: string,
  options: { readonly url: string; readonly users: readonly TestUser[] },
): Promise<KubeFolder> {
  const write = async (name: string, content: string | Buffer, mode = 0o600): Promise<string> => {
    await writeFile(join(folder, name), content, { mode });
    return join(folder, name);
  };
  const authority = await createCertificateAuthority();
  const serving = await authority.issue({
    commonName: "kube-apiserver",
    hosts: ["127.0.0.1", "localhost", "10.0.0.1", "kubernetes.default.svc"],
    usage: "server",
  });
  const users = new Map<string, KubeUser>();
  const tokenLines: string[] = [];
  const addUser = async ({
    name,
    groups = [],
    token = randomBytes(24).toString("base64url"),
  }: TestUser): Promise<KubeUser> => {
    if (users.has(name)) {
      throw new CodedError(
        "DuplicateName",
        `Cannot add user ${name}: the API server has one of that name, rename one of them`,
      );
    }
    const kubeconfig = kubeconfigFor({ url: options.url, ca: authority.cert, user: { token } });
    const kubeconfigFile = join(folder, `${name.replaceAll(/[^\w.-]/g, "-")}.kubeconfig`);
    await writeKubeconfig(kubeconfigFile, kubeconfig);
    tokenLines.push([token, name, name, ...(groups.length === 0 ? [] : [`"${groups.join(",")}"`])].join(","));
    const user: KubeUser = { name, token, kubeconfig, kubeconfigFile };
    users.set(name, user);
    return user;
  };
  const admin = await addUser({ name: "admin", groups: ["system:masters"] });
  for (const user of options.users) await addUser(user);

  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const serviceAccountKeyFile = await write("service-account.key", privateKey.export({ type: "pkcs8", format: "pem" }));
  return {
    authority,
    admin,
    users,
    serviceAccountKeyFile,
    flags: [
      `--client-ca-file=${await write("ca.crt", authority.cert, 0o644)}`,
      `--tls-cert-file=${await write("serving.crt", serving.cert, 0o644)}`,
      `--tls-private-key-file=${await write("serving.key", serving.key)}`,
      `--token-auth-file=${await write("tokens.csv", `${tokenLines.join("\n")}\n`)}`,
      `--service-account-key-file=${serviceAccountKeyFile}`,
      `--service-account-signing-key-file=${serviceAccountKeyFile}`,
    ],
  };
}
