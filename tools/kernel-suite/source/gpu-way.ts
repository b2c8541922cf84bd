// SPDX-License-Identifier: Apache-2.0
// The way through code for NVIDIA GPUs, which the interpreter of PTX runs: another lowering of groups and of control
// flow, text, and an interpreter that is strict about memory. Everything is rounded correctly, so the bits are those of
// the other ways.
import type { ProgramInput } from "@muxkit/compiler";
import { type CoarseLaunches, type CudaDriver, CudaDevice, deviceInfo } from "@muxkit/cuda";
import { CUDA_COMPILER } from "@muxkit/cuda-compiler";
import { MuxFloatingPointCapabilities } from "@muxkit/mux";
import { ptxDriver } from "@muxkit/ptx-interpreter";

import type { AnyLaunch, Outcome } from "./differential.ts";
import { HalWay } from "./hal-way.ts";
import { hashOf } from "./share.ts";

/** What programs are built with, so that divisions and roots are not approximations. */
export const GPU_OPTIONS = "-cl-fp32-correctly-rounded-divide-sqrt";

/** Blocks after which a kernel is taken for an endless one. */
const MOST_BLOCKS = 2e7;

/** Every launch that is fit runs the form in which a thread does several work-items, however small it is. */
const COARSE: CoarseLaunches = { threads: 1, groupThreads: 1 };

function openedGpu(driver: CudaDriver, print: (text: string) => void): CudaDevice {
  const gpu = driver.open(0);
  const device = gpu.ok ? CudaDevice.open(gpu.value, print, { limits: COARSE }) : gpu;
  if (!device.ok) throw new Error(device.error.message);
  return device.value;
}

/** A way through a GPU of its own: a fault of a kernel loses the GPU. */
function newWay(): HalWay {
  const driver = ptxDriver({ mostBlocks: MOST_BLOCKS });
  const [facts] = driver.gpus;
  if (facts === undefined) throw new Error("the driver has a GPU");
  const info = deviceInfo(facts);
  return new HalWay({
    name: "GPU",
    compiler: CUDA_COMPILER,
    info: { ...info, id: 1, floatCapabilities: info.floatCapabilities | MuxFloatingPointCapabilities.full },
    open: (print) => openedGpu(driver, print),
  });
}

let way = newWay();

/**
 * `alone`: launches take no other way but the interpreter's; `share`: one in some takes it besides the others.
 * KERNEL_SUITE_GPU decides.
 */
export const GPU_ALONE: boolean = process.env["KERNEL_SUITE_GPU"] === "alone";
const ONE_IN = GPU_ALONE ? 1 : 8;
/** GPUs have these functions themselves, and compute them in their own way; their sub-groups have another size. */
const OWN_FUNCTIONS = /\b(?:(?:native|half)_\w+|rsqrt|\w*sub_group\w*)\b/u;
/** Work-items of the largest launch that the interpreter of PTX runs. */
const MOST_ITEMS = 1 << 14;
/** Work-items of the largest group. */
const MOST_LOCAL = 1024;

function product(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total * size, 1);
}

/** True for launches that take this way: of those that can, a share that their text decides. */
export function takesGpu({ source, kernel, global, local, isInterpreted = true }: AnyLaunch): boolean {
  if (typeof source !== "string" || OWN_FUNCTIONS.test(source)) return false;
  if (!isInterpreted || product(global) > MOST_ITEMS || product(local) > MOST_LOCAL) return false;
  return hashOf(`${source}${kernel} gpu`) % ONE_IN === 0;
}

/** Builds a program. Throws with the log. */
export function buildGpu(source: string | ProgramInput, options: string): Uint8Array {
  return way.build(source, `${options} ${GPU_OPTIONS}`);
}

/** Runs a launch, and those after it; `binary` is what {@link buildGpu} made of its source. */
export function runGpu(binary: Uint8Array, launch: AnyLaunch): Outcome {
  try {
    return way.run(binary, launch);
  } catch (error) {
    way = newWay();
    throw error;
  }
}
