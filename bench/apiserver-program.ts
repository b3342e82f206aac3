// The measured process of `npm run bench:apiserver`. `start` starts the embedded server; `load` puts load on it in this process
// or, with KUBECONFIG, on a server outside; `day` plays simulated days. Prints one JSON object.
import type { ConnectedClient } from "farwatch";
import type { DayPlan } from "../tests/simulation/day-plan.ts";

const fromMs = performance.now();
const since = (ms: number): number => Math.round((performance.now() - ms) * 10) / 10;
const [what, ...numbers] = process.argv.slice(2);
const say = (fields: object): void => {
  process.stdout.write(`${JSON.stringify(fields)}\n`);
};

if (what === "start") await start();
else if (what === "day") await day();
else await load(...(numbers.map(Number) as [number, number, number]));

/** From the call to the first answer; the import of the modules before it. */
async function start(): Promise<void> {
  const { createApiServer } = await import("@farwatch/apiserver");
  const importMs = since(fromMs);
  const startMs = performance.now();
  await using server = createApiServer();
  const { transport, config } = server;
  const answer = await transport.request({
    method: "GET",
    url: `${(await config).server}/readyz`,
    headers: { authorization: `Bearer ${server.token()}` },
  });
  for await (const _ of answer.body);
  if (answer.status !== 200) throw new Error(`/readyz answers ${answer.status}`);
  say({ import_ms: importMs, start_ms: since(startMs) });
}

/** 24 hours of the operator: the first ones of a process, and later ones, for which V8 has compiled what it needs. */
async function day(): Promise<void> {
  const { planDay } = await import("../tests/simulation/day-plan.ts");
  const { simulateDay } = await import("../tests/simulation/simulated-day.ts");
  const play = async (plan: DayPlan): Promise<{ readonly ms: number; readonly cpuMs: number }> => {
    const startMs = performance.now();
    const before = process.threadCpuUsage();
    const { violations } = await simulateDay(plan);
    const { user, system } = process.threadCpuUsage(before);
    if (violations.length > 0) throw new Error(`seed ${plan.seed} breaks a promise`);
    return { ms: since(startMs), cpuMs: Math.round((user + system) / 100) / 10 };
  };
  const first = await play(planDay(2));
  await play(planDay(3));
  const next = await play(planDay(2));
  say({ simulated_first_day_ms: first.ms, simulated_day_ms: next.ms, simulated_day_cpu_ms: next.cpuMs });
}

async function load(objects: number, watchers: number, events: number): Promise<void> {
  const { createClient, CustomResourceDefinition, loadConfig, Namespace } = await import("farwatch");
  const { serveKind } = await import("@farwatch/testing");
  const { namespace, StorageBucket } = await import("./storage-bucket.ts");
  await using undo = new AsyncDisposableStack();
  const options = async (): Promise<Parameters<typeof createClient>[0]> => {
    if (process.env.KUBECONFIG !== undefined) return { config: loadConfig() };
    const { createApiServer } = await import("@farwatch/apiserver");
    return undo.use(createApiServer());
  };
  const client = undo.use(createClient(await options()));
  const served = await serveKind(client, StorageBucket);
  undo.defer(async () => {
    await client.delete(CustomResourceDefinition, { name: served.crd.metadata.name });
  });
  await client.create(Namespace, { metadata: { name: namespace } });
  const nameOf = (i: number): string => `bucket-${String(i).padStart(6, "0")}`;
  const path = `/apis/${StorageBucket.group}/${StorageBucket.version}/namespaces/${namespace}/storagebuckets`;

  const createMs = performance.now();
  await inParallel(objects, async (i) => {
    await client.create(StorageBucket, {
      metadata: { namespace, name: nameOf(i), labels: { team: `team-${i % 10}` } },
      spec: { provider: "s3", endpoint: "https://s3.example.com", bucket: nameOf(i), region: "eu-central-1" },
    });
  });
  const created = since(createMs);

  const listMs = performance.now();
  const { length } = await client.list(StorageBucket, { namespace });
  const listed = since(listMs);
  if (length !== objects) throw new Error(`the list has ${length} objects, not ${objects}`);
  const wholeMs = performance.now();
  const { items, metadata } = await client.rest.json<{
    readonly items: readonly unknown[];
    readonly metadata: { readonly resourceVersion: string };
  }>({ method: "GET", path });
  const listedWhole = since(wholeMs);
  if (items.length !== objects) throw new Error(`the whole list has ${items.length} objects, not ${objects}`);

  const { resourceVersion } = metadata;
  const stop = new AbortController();
  const watches = await Promise.all(
    Array.from({ length: watchers }, () => openWatch(client, path, resourceVersion, stop.signal)),
  );
  const watchMs = performance.now();
  const seen = Promise.all(watches.map((watch) => watch(events)));
  await inParallel(events, async (i) => {
    const body = { metadata: { annotations: { "bench/event": `${i}` } } };
    const at = `${path}/${nameOf(i % objects)}`;
    await client.rest.json({ method: "PATCH", path: at, body, contentType: "application/merge-patch+json" });
  });
  const patched = since(watchMs);
  const first = (await seen)[0];
  if (!(await seen).every((versions) => versions === first)) throw new Error("watchers saw different orders");
  const watched = since(watchMs);
  stop.abort();
  say({
    objects,
    create_ms: created,
    list_ms: listed,
    list_whole_ms: listedWhole,
    watchers,
    events,
    patch_ms: patched,
    watch_ms: watched,
    // Of client and server, where both are this process.
    ...(process.env.KUBECONFIG === undefined && { rss_mb: Math.round(process.memoryUsage.rss() / 1_048_576) }),
  });
}

async function inParallel(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const i = next;
      next += 1;
      await work(i);
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

/** Opens a watch, and gives what reads so many events from it and answers with their versions, which must ascend. */
async function openWatch(
  client: ConnectedClient,
  path: string,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<(events: number) => Promise<string>> {
  const query = { watch: "true", resourceVersion };
  const { body } = await client.rest.request({ method: "GET", path, query, streaming: true, signal });
  return async (events) => {
    const versions: number[] = [];
    let rest = "";
    for await (const chunk of body) {
      const lines = (rest + Buffer.from(chunk).toString("utf8")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) versions.push(Number(/"resourceVersion":"(\d+)"/.exec(line)?.[1]));
      if (versions.length >= events) break;
    }
    if (!versions.every((version, i) => i === 0 || version > (versions[i - 1] ?? 0)))
      throw new Error("a watcher saw versions that do not ascend");
    if (versions.length !== events) throw new Error(`a watcher saw ${versions.length} events, not ${events}`);
    return versions.join();
  };
}
