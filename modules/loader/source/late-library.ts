// SPDX-License-Identifier: Apache-2.0
// Compilers that are loaded when the first program has to be compiled, and a memory of what they made.
import { InternalError, type Result, err, ok } from "@muxkit/cargo";
import {
  type CompilerError,
  type CompilerFacts,
  type Context,
  type Info,
  type Module,
  type ShaderReflection,
  type TakeoverPolicy,
  type Target,
  compilerError,
} from "@muxkit/compiler";
import type { MuxDeviceInfo } from "@muxkit/mux";

import { type CompilePort, CompileThread } from "./compile-thread.ts";
import { certainFeatures, runsOn } from "./device-features.ts";
import type { Compiling } from "./late-kernel.ts";
import { LateModule } from "./late-module.ts";
import type { CompilerLibrary } from "./loader.ts";
import type { DeviceStore, ProgramStore } from "./program-store.ts";
import { COMPILE_BUDGET, TAKEOVER } from "./settings.table.ts";

/** Device properties that no code depends on. */
const OF_NO_MATTER: ReadonlySet<string> = new Set([
  "id",
  "devicePriority",
  "clockFrequency",
  "computeUnits",
  "memorySize",
  "allocationSize",
]);

/** All that code depends on besides the program, as text. */
function worldOf({ name, build }: CompilerFacts, device: MuxDeviceInfo): string {
  return (
    `${name}\n${build ?? ""}\n` +
    JSON.stringify(device, (field, value: unknown) => (OF_NO_MATTER.has(field) ? undefined : value))
  );
}

/** The result of a function, computed at its first use. */
function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | null = null;
  return () => (known ??= { value: compute() }).value;
}

/** A store as one device uses it, whose promises were in `world` and now are in another. */
function storeOf(store: ProgramStore, device: MuxDeviceInfo, world: () => string, now: () => string): DeviceStore {
  return {
    read: (name) => store.read(name),
    write: (name, bytes, isVerified) => {
      store.write(name, bytes, isVerified);
    },
    ...(store.isVerified === undefined
      ? {}
      : { isVerified: (name, bytes) => store.isVerified?.(name, bytes) === true }),
    runs: (binary) => runsOn(device, binary),
    keeps: () => device.lacksFeature === undefined || now() === world(),
  };
}

/** How many times as long as a job the first one of a thread takes, which has to start. */
const START_FACTOR = 8;
/** A launch has run for this part of what it still has to take: by then an estimate means something. */
const SEEN_PART = 1 / 8;

/** When launches go on by code that a thread makes; null: there is no such thread. */
function takeoverPolicy(thread: CompileThread, remaining: number): TakeoverPolicy | null {
  if (!thread.isUsable) return null;
  const least = thread.running > 0 ? remaining : remaining * START_FACTOR;
  return { after: least * SEEN_PART, remaining: least };
}

function lateInfo(
  facts: CompilerFacts,
  load: () => Info,
  store: ProgramStore | null,
  compiling: Compiling,
  thread: { readonly thread: CompileThread; readonly compiler: number } | null,
  compileBudget: () => number,
  takeover: () => number,
): Info {
  const { build = null } = facts;
  // What another build made would be run instead of what this one makes.
  const kept = build === null ? null : store;
  const info: Info = {
    ...facts,
    createContext: (): Context => {
      const context = once(() => load().createContext());
      return {
        info,
        createTarget: (device, notify): Result<Target, CompilerError> => {
          if (!facts.supports(device))
            return err(compilerError("feature_unsupported", `${facts.name} makes no code for ${device.deviceName}`));
          const target = once((): Target => {
            const made = context().createTarget(device, notify);
            if (!made.ok)
              throw new InternalError(
                `${facts.name} supports ${device.deviceName} and gives no target: ${made.error.message}`,
                ["loader"],
              );
            return made.value;
          });
          // What crosses to another thread is data.
          const plain = once((): MuxDeviceInfo => {
            const data = JSON.parse(JSON.stringify(device)) as MuxDeviceInfo;
            return { ...data, codeFeatures: certainFeatures(device) };
          });
          const world = once(() => worldOf(facts, device));
          const here = kept === null ? null : storeOf(kept, device, world, () => worldOf(facts, device));
          return ok({
            info,
            device,
            reflectShader: (input): Result<ShaderReflection, CompilerError> =>
              target().reflectShader?.(input) ??
              err(compilerError("feature_unsupported", `${facts.name} reads no shaders`)),
            createModule: (): Module =>
              new LateModule(() => target().createModule(), {
                store: here,
                world,
                compiling,
                compileBudget,
                takeover: () =>
                  thread !== null && facts.takesOver?.(device) === true
                    ? takeoverPolicy(thread.thread, takeover())
                    : null,
                thread: thread === null ? null : { ...thread, device: plain },
              }),
          });
        },
      };
    },
  };
  return info;
}

/** What a late library may have besides compilers. @public */
export interface LateOptions {
  /**
   * Starts a thread that compiles: it does jobs by `compileAnswers` for the library that `load` returns. Called when
   * the first job is there, and when there is work for one more; null: there are no more threads. Absent: everything is
   * compiled by the calling thread.
   */
  readonly startThread?: () => CompilePort | null;
  /** Most threads that compile at the same time; absent: 1. */
  readonly mostThreads?: number;
  /** Runs what the compilers do, whenever that is; absent: it is just called. */
  readonly compiling?: <T>(work: () => T) => T;
  /**
   * Estimated ms of making a kernel's code above which its first launches run code that was made quickly; absent:
   * the fallback of {@link COMPILE_SETTINGS}. 0: all of them do.
   */
  readonly compileBudget?: () => number;
  /**
   * Estimated ms that a launch still has to take for other code to be made for its rest; absent: the fallback of
   * {@link COMPILE_SETTINGS}. 0: all launches wait for that code.
   */
  readonly takeover?: () => number;
}

/**
 * A library whose compilers are loaded when the first program has to be compiled. Programs whose build is in the store
 * need no compiler.
 *
 * @param facts - of the compilers that `load` returns, in its order
 * @param load - loads them
 * @param store - keeps builds by source, options, device and compiler, and what headers they read; null: nothing is
 * kept. So is nothing of compilers whose facts name no build
 * @param options - threads that compile, and how this one does
 *
 * @public
 */
export function lateLibrary(
  facts: readonly CompilerFacts[],
  load: () => CompilerLibrary,
  store: ProgramStore | null,
  {
    startThread,
    mostThreads,
    compiling = (work) => work(),
    compileBudget = () => COMPILE_BUDGET,
    takeover = () => TAKEOVER,
  }: LateOptions = {},
): CompilerLibrary {
  const loaded = once(load);
  const thread = startThread === undefined ? null : new CompileThread(startThread, mostThreads);
  return {
    compilers: facts.map((one, i) =>
      lateInfo(
        one,
        () => {
          const info = loaded().compilers[i];
          if (info === undefined) throw new InternalError(`the library has no compiler ${one.name}`, ["loader"]);
          return info;
        },
        store,
        compiling,
        thread === null ? null : { thread, compiler: i },
        compileBudget,
        takeover,
      ),
    ),
  };
}
