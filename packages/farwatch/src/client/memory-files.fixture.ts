// What the tests of configuration and credentials share.
/** Files that a test keeps in memory, read as the client's `readFile` port reads them from the disk. */
export interface MemoryFiles {
  /** Rejects with the system's `ENOENT` for a path that was not written. */
  readonly readFile: (path: string) => Promise<string>;
  /** Every path that was asked for, in order. */
  readonly reads: readonly string[];
  write(path: string, text: string): void;
  remove(path: string): void;
}

export function createMemoryFiles(initial: Readonly<Record<string, string>> = {}): MemoryFiles {
  const files = new Map(Object.entries(initial));
  const reads: string[] = [];
  return {
    reads,
    readFile: async (path) => {
      reads.push(path);
      const text = files.get(path);
      if (text !== undefined) return text;
      throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: "ENOENT" });
    },
    write(path, text): void {
      files.set(path, text);
    },
    remove(path): void {
      files.delete(path);
    },
  };
}
