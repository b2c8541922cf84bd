// SPDX-License-Identifier: Apache-2.0
// The JavaScript environment of the host target: Node, a page, or a worker of a page. `#system`, of package.json, is
// the one that this code runs in: bundles for browsers have nothing of Node.
import type { ClockEpoch } from "./clock.ts";

/** Facts and services of the environment. */
export interface System {
  /** Threads that the machine runs at once. */
  readonly parallelism: () => number;
  /** Bytes of memory of the machine, as far as the environment reports it. */
  readonly memoryBytes: () => number;
  /** Model, empty where unknown, and clock, in MHz, of the processor. */
  readonly processor: () => { readonly model: string; readonly speed: number };
  /** The monotonic clock, the same one for all threads. */
  readonly now: () => ClockEpoch;
  /** A setting of the user's, by the name of its environment variable; empty where there are none. */
  readonly setting: (name: string) => string;
  /** Sets flags of the engine for the whole process; null where that is not possible. */
  readonly setEngineFlags: ((flag: string) => void) | null;
  /** The major version of V8 where it compiles for x86-64; 0: another engine or machine. */
  readonly v8OnX64: () => number;
  /** Shows what kernels print. */
  readonly print: (text: string) => void;
  /** Tells the user of something that no call can answer with. */
  readonly warn: (text: string, name: string) => void;
}

/** What browsers report about the machine. */
interface Navigator {
  readonly hardwareConcurrency?: number;
  /** GiB, rounded and at most 8; only some browsers report it. */
  readonly deviceMemory?: number;
}

const USUAL_GIB = 8;
/** MHz of a processor that tells nothing. */
const USUAL_MHZ = 1000;

/**
 * MHz by what the system tells: the operating system's number, the text of /proc/cpuinfo (virtual machines often have
 * no other), the model's name.
 */
export function clockSpeed(speed: number, cpuinfo: string, model: string): number {
  const listed = /^cpu MHz\s*:\s*(?<mhz>[\d.]+)/mu.exec(cpuinfo)?.groups?.["mhz"];
  const named = /(?<ghz>\d+(?:\.\d+)?) ?GHz/iu.exec(model)?.groups?.["ghz"];
  const known = [speed, Number(listed ?? 0), Number(named ?? 0) * 1000].map(Math.round);
  return known.find((mhz) => mhz > 0) ?? USUAL_MHZ;
}

/**
 * The clock of a runtime whose monotonic clocks count from each thread's own start: where it started, and how long ago
 * (docs/decisions/054-one-clock.md).
 */
function sinceOrigin(): ClockEpoch {
  const { timeOrigin } = performance;
  const seconds = Math.floor(timeOrigin / 1000);
  return [seconds, (timeOrigin - seconds * 1000 + performance.now()) * 1e6];
}

/** Node as the environment, and what runs programs for Node. */
export function nodeSystem(process: NodeJS.Process): System {
  // Loaded on first use: a short program pays only for what it uses.
  const os = (): typeof import("node:os") => process.getBuiltinModule("node:os");
  const cpuinfo = (): string => {
    const { existsSync, readFileSync } = process.getBuiltinModule("node:fs");
    return existsSync("/proc/cpuinfo") ? readFileSync("/proc/cpuinfo", "utf8") : "";
  };
  return {
    parallelism: () => os().availableParallelism(),
    memoryBytes: () => os().totalmem(),
    processor: () => {
      const [first] = os().cpus();
      const model = first?.model.trim() ?? "";
      const speed = first?.speed ?? 0;
      return { model, speed: clockSpeed(speed, speed > 0 ? "" : cpuinfo(), model) };
    },
    now: "bun" in process.versions || "deno" in process.versions ? sinceOrigin : () => process.hrtime(),
    setting: (name) => process.env[name] ?? "",
    setEngineFlags: (flag) => {
      process.getBuiltinModule("node:v8").setFlagsFromString(flag);
    },
    v8OnX64: () => (process.arch === "x64" ? Number.parseInt(process.versions.v8 ?? "0", 10) : 0),
    print: (text) => {
      process.stdout.write(text);
    },
    warn: (text, name) => {
      process.emitWarning(text, name);
    },
  };
}

/** A page, or a worker of a page, as the environment. */
export function webSystem(): System {
  const { navigator = {} } = globalThis as { readonly navigator?: Navigator };
  return {
    parallelism: () => navigator.hardwareConcurrency ?? 1,
    memoryBytes: () => (navigator.deviceMemory ?? USUAL_GIB) * 2 ** 30,
    processor: () => ({ model: "", speed: USUAL_MHZ }),
    now: sinceOrigin,
    setting: () => "",
    setEngineFlags: null,
    v8OnX64: () => 0,
    print: (text) => {
      console.log(text.endsWith("\n") ? text.slice(0, -1) : text);
    },
    warn: (text, name) => {
      console.warn(`${name}: ${text}`);
    },
  };
}
