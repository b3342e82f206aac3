import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { Duration } from "farwatch";
import { freePort, withFreePorts } from "../process/free-port.ts";
import { runProcess } from "../process/server-process.ts";
import { type BrokerServer, type BrokerServerOptions, startBroker } from "./broker-server.ts";
import { findProgram } from "./find-program.ts";
import { findKafka } from "./kafka-jars.ts";

/** One Kafka node, broker and controller in one (KRaft), without topics; none is made by being named. */
export interface Kafka extends BrokerServer {
  readonly port: number;
  /** `127.0.0.1:PORT` */
  readonly bootstrap: string;
}

export interface KafkaOptions extends BrokerServerOptions {
  /** Passwords by name: whoever connects must prove by SASL PLAIN to be one of them. Default: everybody may connect. */
  readonly users?: Readonly<Record<string, string>> | undefined;
  /** Those of `users` who may do everything; others then only what an ACL allows. Default: everybody may. */
  readonly admins?: readonly string[] | undefined;
}

const readyWithin: Duration = "60s";

/** @throws CodedError `NotFound` where its jars or Java are not; `ServerUnavailable` when it does not come up. */
export async function startKafka(options: KafkaOptions = {}): Promise<Kafka> {
  const jars = await findKafka(options.env);
  const command = await findProgram("java", options.env);
  return await withFreePorts(async () => {
    const [port, controllerPort] = [await freePort(), await freePort()];
    const java = (heap: string, ...args: readonly string[]): { command: string; args: readonly string[] } => ({
      command,
      args: [heap, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", join(jars, "*"), ...args],
    });
    const settingsOf = (folder: string): string => join(folder, "server.properties");
    const server = await startBroker({
      name: "kafka",
      options,
      readyWithin,
      async prepare({ folder, data }): Promise<void> {
        await writeFile(settingsOf(folder), properties({ port, controllerPort, data, options }), {
          mode: 0o600,
        });
        // It may begin with a dash, so it is joined to its flag.
        const id = Buffer.from(randomUUID().replaceAll("-", ""), "hex").toString("base64url");
        await runProcess({
          doing: "format the data of Kafka",
          name: "its storage tool",
          ...java("-Xmx64m", "kafka.tools.StorageTool", "format", `--cluster-id=${id}`, "-c", settingsOf(folder)),
          logFile: join(folder, "kafka.log"),
          signal: options.signal,
        });
      },
      command: ({ folder }) => java("-Xmx384m", "kafka.Kafka", settingsOf(folder)),
      // It opens its port when it takes requests.
      check: () => connectProblem(port),
    });
    return Object.assign(server, { port, bootstrap: `127.0.0.1:${port}` });
  });
}

interface Placement {
  readonly port: number;
  readonly controllerPort: number;
  readonly data: string;
  readonly options: Pick<KafkaOptions, "users" | "admins">;
}

function properties({ port, controllerPort, data, options: { users, admins } }: Placement): string {
  const settings = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@127.0.0.1:${controllerPort}`,
    listeners: `CLIENT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    "advertised.listeners": `CLIENT://127.0.0.1:${port}`,
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "CLIENT",
    "listener.security.protocol.map": `CONTROLLER:PLAINTEXT,CLIENT:${users === undefined ? "PLAINTEXT" : "SASL_PLAINTEXT"}`,
    ...(users === undefined ? {} : saslSettings(users)),
    ...(admins === undefined ? {} : aclSettings(admins)),
    "log.dirs": data,
    "auto.create.topics.enable": false,
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "group.initial.rebalance.delay.ms": 0,
    // A broker that was killed may register again when its session is over.
    "broker.session.timeout.ms": 2_000,
    "broker.heartbeat.interval.ms": 500,
    // A consumer that was killed is given up soon, so that tests of that need not wait for it.
    "group.min.session.timeout.ms": 1_000,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

/** The broker, which speaks to itself as well, is a user of its own. */
function saslSettings(users: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const broker = randomUUID();
  const known = Object.entries({ ...users, broker }).map(
    ([name, password]) => `user_${name}=${JSON.stringify(password)}`,
  );
  const module = "org.apache.kafka.common.security.plain.PlainLoginModule required";
  return {
    "sasl.enabled.mechanisms": "PLAIN",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "listener.name.client.plain.sasl.jaas.config": `${module} username="broker" password="${broker}" ${known.join(" ")};`,
  };
}

/** The controller's own connections prove nothing. */
function aclSettings(admins: readonly string[]): Readonly<Record<string, string>> {
  return {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": ["ANONYMOUS", "broker", ...admins].map((name) => `User:${name}`).join(";"),
  };
}

function connectProblem(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once("error", (error) => resolve(error.message));
  });
}
