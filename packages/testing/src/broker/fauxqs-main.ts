/**
 * The process of `startSqs`: `node fauxqs-main.js PORT FOLDER`. It mends what fauxqs 2.4.1 cannot be told to do
 * otherwise.
 */
import { Server } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { startFauxqs } from "fauxqs";

const [port, dataDir = ""] = process.argv.slice(2);

// It listens on every address of the machine.
const { listen } = Server.prototype;
Server.prototype.listen = function onLoopback(this: Server, ...args: readonly unknown[]): Server {
  const [options, ...others] = args;
  const local = typeof options === "object" && options !== null ? { ...options, host: "127.0.0.1" } : options;
  return Reflect.apply(listen, this, [local, ...others]);
} as typeof listen;

// It loses a message that is made visible at once while it keeps its queues in a file: the write that says so breaks a
// constraint.
interface QueueClass {
  readonly SqsQueue: { readonly prototype: { changeVisibility(receipt: string, seconds: number): unknown } };
}
const store = new URL("./sqs/sqsStore.js", import.meta.resolve("fauxqs"));
const { SqsQueue } = (await import(store.href)) as QueueClass;
const { changeVisibility } = SqsQueue.prototype;
SqsQueue.prototype.changeVisibility = function inTime(receipt: string, seconds: number): unknown {
  return Reflect.apply(changeVisibility, this, [receipt, Math.max(0.001, seconds)]);
};

// It waits for the disk after each message that is sent, received or deleted. Without that no message is lost but with
// the machine.
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function withoutWaiting(this: DatabaseSync, sql: string): void {
  Reflect.apply(exec, this, [sql]);
  if (sql.includes("journal_mode = WAL")) Reflect.apply(exec, this, ["PRAGMA synchronous = NORMAL"]);
};

await startFauxqs({ port: Number(port), dataDir, logger: false });
