import { readFileSync } from "node:fs";

/** Of the kernel's USER_HZ, which is 100 wherever Node runs on Linux. */
const ticksPerSecond = 100;

/** What a process has used up to now. */
export interface Usage {
  readonly atMs: number;
  readonly cpuSeconds: number;
  readonly rssMb: number;
  /** The most it ever had. */
  readonly peakRssMb: number;
}

/** From /proc; all zero for a process that has ended. */
export function usageOf(pid: number): Usage {
  const atMs = performance.now();
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const mb = (name: string): number =>
      Math.floor(Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1_024);
    const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    return { atMs, cpuSeconds, rssMb: mb("VmRSS"), peakRssMb: mb("VmHWM") };
  } catch (error) {
    if (!["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return { atMs, cpuSeconds: 0, rssMb: 0, peakRssMb: 0 };
  }
}

/** CPU seconds that the whole machine has used, stolen time included. */
export function machineCpuSeconds(): number {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softIrq + steal) / ticksPerSecond;
}

/** Resolves after half a second in which the machine did next to nothing; after so many milliseconds in any case. */
export async function quietMachine(longestMs: number): Promise<void> {
  const startMs = performance.now();
  while (performance.now() - startMs < longestMs) {
    const before = machineCpuSeconds();
    await new Promise((resolve) => setTimeout(resolve, 500));
    if (machineCpuSeconds() - before < 0.1) return;
  }
}
