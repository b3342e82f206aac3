import { createReadStream } from "node:fs";
import { lstat, opendir, readlink, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { systemCodeOf } from "../transport/failure.ts";

/** Content by name, in the order of names; a file of a folder within is `folder/name`. */
export type FileContents = ReadonlyMap<string, Buffer>;

/** Files and folders that are looked at; a ConfigMap or Secret has at most some hundred keys. */
const mostFiles = 1_000;
/** Times that a folder may change while it is read. */
const mostTries = 10;

/**
 * All files of a folder, or the one file, as they are now; undefined when there is none. The kubelet puts each version
 * of a ConfigMap or Secret in a folder of its own and turns the symbolic link `..data` to it in one step: what is read
 * is all of one version. Names that begin with two dots are the kubelet's own, and left out.
 *
 * @throws CodedError `FileFailed` when something cannot be read, there is too much, or it never stands still.
 */
export async function readMountedFiles(path: string, maxBytes: number): Promise<FileContents | undefined> {
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    try {
      const kind = await stat(path);
      if (!kind.isDirectory()) {
        return kind.isFile() ? new Map([[basename(path), await readBounded(path, path, maxBytes)]]) : undefined;
      }
      const version = await versionOf(path);
      const files = await readFolder(version === undefined ? path : resolve(path, version), path, maxBytes);
      if ((await versionOf(path)) === version) return files;
    } catch (error) {
      if (!isGone(error)) throw failed(path, error);
      if (!(await exists(path))) return undefined;
    }
  }
  throw new CodedError("FileFailed", `Cannot read ${path}: it changed ${mostTries} times while it was read`);
}

/** What `..data` points to. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(join(path, "..data"));
  } catch (error) {
    // EINVAL: a file of that name, and no link.
    if (isGone(error) || systemCodeOf(error) === "EINVAL") return undefined;
    throw error;
  }
}

async function readFolder(folder: string, path: string, maxBytes: number): Promise<FileContents> {
  const names: string[] = [];
  let entries = 0;
  for await (const entry of await opendir(folder, { recursive: true })) {
    entries += 1;
    if (entries > mostFiles) {
      throw new CodedError(
        "FileFailed",
        `Cannot read ${path}: it holds more than ${mostFiles} files, name a folder with fewer`,
      );
    }
    const name = relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/");
    if (!name.split("/").some((part) => part.startsWith(".."))) names.push(name);
  }
  const files = new Map<string, Buffer>();
  let leftBytes = maxBytes;
  for (const name of names.toSorted()) {
    const file = join(folder, name);
    // A pipe would wait for ever; a folder's files are entries of their own.
    if (!(await isFile(file))) continue;
    const content = await readBounded(file, path, leftBytes);
    leftBytes -= content.length;
    files.set(name, content);
  }
  return files;
}

/** Of a link: whether it leads to one. Throws when there is nothing of that name any more. */
async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (!isGone(error) && systemCodeOf(error) !== "ELOOP") throw error;
    if ((await lstat(path)).isSymbolicLink()) return false;
    throw error;
  }
}

async function readBounded(file: string, path: string, leftBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of createReadStream(file, { end: leftBytes })) {
    bytes += chunk.length;
    chunks.push(chunk);
  }
  if (bytes <= leftBytes) return Buffer.concat(chunks);
  throw new CodedError(
    "FileFailed",
    `Cannot read ${path}: its files are larger than maxBytes, raise it or leave some out`,
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw failed(path, error);
  }
}

function failed(path: string, cause: unknown): CodedError {
  if (cause instanceof CodedError) return cause;
  return new CodedError("FileFailed", `Cannot read ${path}: ${messageOf(cause)}`, { cause });
}

/** There is nothing of that name, or a folder on the way to it is none. */
export function isGone(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
