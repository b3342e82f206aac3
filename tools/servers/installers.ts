import { debianPackages, findKafka, findPostgres, findProgram, installKafka } from "@farwatch/testing";
import { aptPackages } from "./apt-packages.ts";
import { type Installer, isFound } from "./installer.ts";

/** The servers that the suites on real brokers run on, and that neither npm nor Go brings. */
export const installers: readonly Installer[] = [
  aptPackages({
    name: "NATS",
    packages: [debianPackages["nats-server"]],
    takes: "10 seconds",
    isThere: () => isFound(findProgram("nats-server")),
  }),
  aptPackages({
    name: "Redis",
    packages: [debianPackages["redis-server"]],
    takes: "10 seconds",
    isThere: () => isFound(findProgram("redis-server")),
  }),
  aptPackages({
    name: "PostgreSQL",
    packages: [debianPackages.initdb],
    takes: "30 seconds",
    isThere: () => isFound(findPostgres()),
  }),
  {
    name: "Kafka",
    does: "copies its jars with Maven into the cache folder, 43 MB, 15 seconds",
    isThere: () => isFound(findKafka()),
    async install(log): Promise<void> {
      await installKafka({ log });
    },
  },
];
