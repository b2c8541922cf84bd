// SPDX-License-Identifier: Apache-2.0
// Compilers that are loaded when the first program has to be compiled, and a memory of what they made.
import { InternalError, type Result, err, ok } from "@muxkit/cargo";
import {
  type CompilerError,
  type CompilerFacts,
  type Context,
  type Info,
  type Module,
  type Target,
  compilerError,
} from "@muxkit/compiler";
import type { MuxDeviceInfo } from "@muxkit/mux";

import { LateModule } from "./late-module.ts";
import type { CompilerLibrary } from "./loader.ts";
import type { ProgramStore } from "./program-store.ts";

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

function lateInfo(facts: CompilerFacts, load: () => Info, store: ProgramStore | null): Info {
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
          const world = once(() => worldOf(facts, device));
          return ok({
            info,
            device,
            createModule: (): Module => new LateModule(() => target().createModule(), kept, world),
          });
        },
      };
    },
  };
  return info;
}

/**
 * A library whose compilers are loaded when the first program has to be compiled. Programs whose build is in the store
 * need no compiler.
 *
 * @param facts - of the compilers that `load` returns, in its order
 * @param load - loads them
 * @param store - keeps builds by source, options, device and compiler, and what headers they read; null: nothing is
 * kept. So is nothing of compilers whose facts name no build
 *
 * @public
 */
export function lateLibrary(
  facts: readonly CompilerFacts[],
  load: () => CompilerLibrary,
  store: ProgramStore | null,
): CompilerLibrary {
  const loaded = once(load);
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
      ),
    ),
  };
}
