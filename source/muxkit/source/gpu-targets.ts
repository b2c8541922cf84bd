// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine: their packages are peers that a user installs, and they are loaded when somebody asks for a
// GPU, or for all devices. Until then they cost nothing.
import { createRequire } from "node:module";
import { join } from "node:path";

import type { Environment, Result } from "@muxkit/cargo";
import type { Info } from "@muxkit/compiler";
import { type MuxTarget, registerTarget } from "@muxkit/mux";
import { addCompilers } from "@muxkit/opencl";

import { gpuStore } from "./cache/cache-folder.ts";

/** The runtime half and the compiler half. */
const RUNTIME = "@muxkit/cuda";
const COMPILER = "@muxkit/cuda-compiler";

/** What is used of the runtime half. */
interface RuntimeModule {
  readonly cudaTarget: (options: { readonly store?: GpuStore }) => Result<MuxTarget, string>;
}

type GpuStore = NonNullable<ReturnType<typeof gpuStore>>;

/** What is used of the compiler half. */
interface CompilerModule {
  readonly CUDA_COMPILER: Info;
}

/** What came of looking for GPUs; null: nobody has looked. */
let found: string | null = null;

/** A package as the program's folder has it, else as this package has it; null: neither has. */
function load(name: string, folder: string): unknown {
  for (const from of [join(folder, "package.json"), import.meta.url]) {
    const require = createRequire(from);
    let path: string;
    try {
      path = require.resolve(name);
    } catch {
      // It is not installed there.
      continue;
    }
    return require(path);
  }
  return null;
}

function look(environment: Environment, folder: string): string {
  const runtime = load(RUNTIME, folder) as RuntimeModule | null;
  const compiler = runtime === null ? null : (load(COMPILER, folder) as CompilerModule | null);
  if (runtime === null || compiler === null)
    return `NVIDIA GPUs are not looked for: npm install ${RUNTIME} ${COMPILER} koffi`;
  const store = gpuStore(environment);
  const target = runtime.cudaTarget(store === null ? {} : { store });
  if (!target.ok) return `no NVIDIA GPU: ${target.error}`;
  registerTarget(target.value);
  addCompilers({ compilers: [compiler.CUDA_COMPILER] });
  return "";
}

/** The variable that chooses a device. */
export const DEVICE_VARIABLE = "MUXKIT_DEVICE";
/** The variable that keeps GPUs from being looked for, with the value `off`. */
export const GPU_VARIABLE = "MUXKIT_GPU";

/**
 * Registers the GPUs of this machine, once. Packages are looked for from `folder`. Returns why there is none, as a
 * sentence; an empty one where there are.
 */
export function useGpus(environment: Environment, folder: string): string {
  if (environment[GPU_VARIABLE] === "off") return `GPUs are not looked for: ${GPU_VARIABLE} is off`;
  found ??= look(environment, folder);
  return found;
}
