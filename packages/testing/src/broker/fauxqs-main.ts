/**
 * The process of `startSqs`: `node fauxqs-main.js PORT FOLDER`. fauxqs listens on every address of the machine and has no
 * option for another one, so what this process listens on is put on 127.0.0.1.
 */
import { Server } from "node:net";
import { startFauxqs } from "fauxqs";

const [port, dataDir = ""] = process.argv.slice(2);
const { listen } = Server.prototype;
Server.prototype.listen = function onLoopback(this: Server, ...args: readonly unknown[]): Server {
  const [options, ...others] = args;
  const local = typeof options === "object" && options !== null ? { ...options, host: "127.0.0.1" } : options;
  return Reflect.apply(listen, this, [local, ...others]);
} as typeof listen;

await startFauxqs({ port: Number(port), dataDir, logger: false });
