import { access, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { CodedError } from "farwatch";
import { runProcess } from "../process/server-process.ts";
import type { BrokerServerOptions } from "./broker-server.ts";
import { findProgram } from "./find-program.ts";

const version = "4.1.1";

/** A broker as jars. Without log4j it has no log, and nobody learns why it did not start. */
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>dev.farwatch</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${version}</version>
    </dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId>
      <artifactId>log4j-slf4j-impl</artifactId>
      <version>2.24.3</version>
    </dependency>
  </dependencies>
</project>
`;
const goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

function jarFolder(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "farwatch", `kafka-${version}`);
}

async function hasJars(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).length > 0;
}

/**
 * The folder of its jars, which `installKafka` fills.
 *
 * @throws CodedError `NotFound` where there are none.
 */
export async function findKafka(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const folder = jarFolder(env);
  if (await hasJars(folder)) return folder;
  throw new CodedError(
    "NotFound",
    `Cannot find Kafka: ${folder} has no jars; install it with installKafka of @farwatch/testing, which takes Maven`,
  );
}

/**
 * Copies Kafka's jars out of Maven's repository into the cache folder, once a machine: 43 MB, 15 seconds.
 *
 * @throws CodedError `NotFound` without Maven, `ServerUnavailable` with the end of its output when it fails; the
 * signal's reason when it aborts.
 */
export async function installKafka(options: Pick<BrokerServerOptions, "log" | "env" | "signal"> = {}): Promise<string> {
  const { env = process.env, log, signal } = options;
  const folder = jarFolder(env);
  if (await hasJars(folder)) return folder;
  const command = await findProgram("mvn", env);
  log?.(`Copying Kafka ${version} with Maven into ${folder}: about 15 seconds the first time`);
  await mkdir(join(folder, ".."), { recursive: true });
  const filling = await mkdtemp(`${folder}.`);
  try {
    const [jars, project] = [join(filling, "jars"), join(filling, "pom.xml")];
    await writeFile(project, pom);
    await runProcess({
      doing: "copy the jars of Kafka",
      name: "Maven",
      command,
      args: ["-q", "-B", "-f", project, goal, "-DincludeScope=runtime", `-DoutputDirectory=${jars}`],
      logFile: join(filling, "maven.log"),
      signal,
    });
    // Of several processes that copy it, one is first.
    await rename(jars, folder).catch(async (error: unknown) => {
      await access(folder).catch(() => Promise.reject(error));
    });
  } finally {
    await rm(filling, { recursive: true, force: true });
  }
  return folder;
}
