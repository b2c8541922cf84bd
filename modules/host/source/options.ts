// SPDX-License-Identifier: Apache-2.0
// How a device is opened: what a user may choose.
import { MAX_THREADS } from "./control-layout.ts";
import type { CoreSettings } from "./device-core.ts";
import type { HostParts } from "./parts.ts";
import type { HostEnvironment } from "./environment.ts";
import { UNSHARED_LIMIT } from "./limits.ts";
import type { NativeMode, NativeTier } from "./native-part.ts";
import { NODE_ENVIRONMENT } from "./node-environment.ts";
import { WEB_ENVIRONMENT } from "./web-environment.ts";
import type { FlaggedFeature } from "./engine.ts";
import { hostSetting, hostSettingValue } from "./settings.table.ts";
import { NODE, SYSTEM } from "#system";

/** Choices for the host target. All have defaults; `HOST_SETTINGS` has their environment variables. @public */
export interface HostOptions {
  /**
   * Threads that run work-groups, the calling one included; 1 starts none. Default: `MUXKIT_THREADS`, else the cores of
   * the machine.
   */
  readonly threads?: number;
  /**
   * Longest run time of one launch in ms; 0 is no limit. Default: `MUXKIT_DEADLINE`, else no limit. A launch that takes
   * longer gets an error.
   */
  readonly deadline?: number;
  /** True: the device gets a memory of its own; otherwise all devices of a target share one. */
  readonly isolated?: boolean;
  /**
   * How the engine is used. `eager: false` leaves V8's flags alone, so hot kernels tier up by themselves. `features`
   * asks for experimental features of V8 (Node 24 on x86-64), which stay on in the process; those that it lacks are
   * left out. Default: `MUXKIT_WASM_FEATURES`, else none. `native` runs kernels as machine code, in Node on Linux on
   * x86-64: `"on"` all of them, `"auto"` those that are worth it. Default: `MUXKIT_NATIVE`, else `"off"`.
   * `nativeTier` is the highest tier of machine code that the device takes where the processor has it: `"x64.3"` is
   * AVX2, `"x64.4"` AVX-512. Default: `MUXKIT_NATIVE_TIER`, else `"x64.4"`.
   */
  readonly engine?: {
    readonly eager?: boolean;
    readonly features?: readonly FlaggedFeature[];
    readonly native?: NativeMode;
    readonly nativeTier?: NativeTier;
  };
  /** Most bytes of device memory. Default: 4 GiB, of memory that is not shared 1 GiB: that is reserved as a whole. */
  readonly memoryLimit?: number;
  /** False runs on memory that is not shared, so on one thread. Default: true where the engine has shared memory. */
  readonly sharedMemory?: boolean;
  /** False: a thread that waits sleeps instead of taking work-groups. */
  readonly helping?: boolean;
  /**
   * Bytes of red zone on either side of each memory object and of program-scope variables. They are compared after
   * each launch: one that wrote there fails, and its error names the kernel and the argument. Launches run one by one
   * then. Default: 0.
   */
  readonly redZone?: number;
  /** True checks page 0 after each command buffer. */
  readonly debug?: boolean;
  /**
   * Where the worker's code is, for programs that are bundled into one file by a bundler that does not see
   * `new Worker(new URL(…))`.
   */
  readonly workerUrl?: URL;
  /**
   * Receives what kernels print, one text for each launch that prints, after it is complete. Default: the standard
   * output, in browsers the console.
   */
  readonly print?: (text: string) => void;
  /** Time, threads and memory of another kind. */
  readonly environment?: HostEnvironment;
}

/** The environment that this code runs in. */
const ENVIRONMENT: HostEnvironment = NODE === null ? WEB_ENVIRONMENT : NODE_ENVIRONMENT;

/** True where threads can share memory, and may. */
export function sharesMemory(options: HostOptions): boolean {
  return hostSetting("sharedMemory", options) && typeof SharedArrayBuffer !== "undefined";
}

/** The number of threads that options request. Throws a SettingError for what is none. */
export function threadCount(options: HostOptions): number {
  const count = hostSetting("threads", options);
  return sharesMemory(options) ? Math.min(count, MAX_THREADS - 2) : 1;
}

/** Most bytes that the memory may have. */
function memoryLimit(options: HostOptions): number {
  const { value, source } = hostSettingValue("memoryLimit", options);
  return source === "default" && !sharesMemory(options) ? UNSHARED_LIMIT : value;
}

/** Bytes of device memory that a device reports. */
export function reportedMemory(options: HostOptions): number {
  const limit = Math.min(memoryLimit(options), 2 ** 32) - 2 ** 20;
  return Math.min(limit, Math.max(2 ** 28, Math.floor(SYSTEM.memoryBytes() / 4)));
}

/** Options with environment variables and defaults. Throws a SettingError for a value that an option cannot have. */
export function coreSettings(options: HostOptions, parts: HostParts): CoreSettings {
  return {
    environment: options.environment ?? ENVIRONMENT,
    threads: threadCount(options),
    shared: sharesMemory(options),
    memoryLimit: memoryLimit(options),
    eager: hostSetting("eager", options),
    helps: hostSetting("helping", options),
    redZone: hostSetting("redZone", options),
    debug: hostSetting("debug", options),
    deadline: hostSetting("deadline", options),
    workerUrl: options.workerUrl ?? null,
    native: hostSetting("native", options),
    nativeTier: hostSetting("nativeTier", options),
    print: options.print ?? (options.environment ?? ENVIRONMENT).print,
    parts,
  };
}
