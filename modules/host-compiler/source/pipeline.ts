// SPDX-License-Identifier: Apache-2.0
// The host's build: a finalized module is lowered for WebAssembly (@muxkit/work-item-lowering), code is generated, and
// an executable is made of it, generic or for one launch.
import { alignUp, assert } from "@muxkit/cargo";
import type { CompilerOptions, KernelReport } from "@muxkit/compiler";
import type { Module } from "@muxkit/ir";
import { LARGEST_ALIGNMENT, STACK_ALIGNMENT, sharedMemoryPatch } from "@muxkit/kernel-abi";
import {
  type ArgumentMetadata,
  type ExecutableImage,
  type KernelMetadata,
  type VariantMetadata,
  writeExecutable,
} from "@muxkit/metadata";
import { type MachineTarget, privateBytes } from "@muxkit/machine-target";
import type { PassContext } from "@muxkit/passes";
import { generateModule, wasmMachine } from "@muxkit/wasm";
import {
  type LoweredKernel,
  type Specialization,
  type VectorizationChoice,
  lowerProgram,
} from "@muxkit/work-item-lowering";

import { reportKernel } from "./vector-report.ts";

/** What to build. @public */
export interface BuildRequest {
  /** Finalized module; it is not changed. */
  readonly module: Module;
  /** The library. */
  readonly context: PassContext;
  /** Only this kernel; null: all of them. */
  readonly only: string | null;
  /** For launches like this; null: generic. */
  readonly specialization: Specialization | null;
  /**
   * Features of the engine that the code may use, see `engineFeatures` of the runtime: `relaxed-simd`, `fused-madd`.
   */
  readonly features: readonly string[];
  /** False for `-cl-opt-disable`. */
  readonly optimize: boolean;
  /** How kernels are vectorised. */
  readonly vectorization: VectorizationChoice;
  /** Kernels of which something else was asked; absent: there are none. */
  readonly kernelVectorization?: CompilerOptions["kernelVectorization"];
  /** Called with what became of each kernel; absent: nobody watches. */
  readonly report?: (report: KernelReport) => void;
  /** Called with the module that the code generator is given; absent: nobody watches. */
  readonly lowered?: (module: Module) => void;
  /** True: every pass is verified. */
  readonly verifyEach: boolean;
  /** A module of the same program that was built before, whose data stays where it is; absent: there is none. */
  readonly layoutOf?: Module;
}

/** How a kernel is vectorised. */
function choiceFor(name: string, { vectorization, kernelVectorization = [] }: BuildRequest): VectorizationChoice {
  return kernelVectorization.find(({ kernel }) => kernel === name)?.mode ?? vectorization;
}

/** Bytes of the executable. Throws InternalError when a pass is wrong. @public */
export function buildExecutable(request: BuildRequest): Uint8Array {
  return writeExecutable(buildImage(request));
}

/** The executable. Throws InternalError when a pass is wrong. */
export function buildImage(request: BuildRequest): ExecutableImage {
  const { features, report } = request;
  const machine = wasmMachine(features);
  const { module, kernels, programData, printfCalls } = lowerProgram({
    ...request,
    machine,
    vectorization: (kernel) => choiceFor(kernel, request),
  });
  if (report !== undefined) for (const kernel of kernels) report(reportKernel(kernel));
  request.lowered?.(module);
  const generated = generateModule(module, {
    exports: kernels.map(({ name }) => name),
    sharedMemory: true,
    features,
  });
  return {
    target: "host",
    features: generated.features,
    code: [
      {
        name: ".wasm",
        bytes: generated.bytes,
        features: generated.features,
        patches: [sharedMemoryPatch(generated.memoryFlagOffset)],
      },
    ],
    kernels: kernels.map((kernel) => kernelMetadata(module, kernel, machine, generated.features)),
    programData,
    printfCalls: printfCalls.map((one) => ({ format: one.format, argumentTypes: one.types, strings: one.strings })),
    extraBlocks: [],
  };
}

function kernelMetadata(
  module: Module,
  kernel: LoweredKernel,
  machine: MachineTarget,
  features: readonly string[],
): KernelMetadata {
  const { name, description, packed, specialization, liveBytes } = kernel;
  const entry = module.functions.get(name);
  assert(entry !== undefined, () => `${name} has an entry`);
  const stack = alignUp(privateBytes(machine, entry) + STACK_ALIGNMENT, STACK_ALIGNMENT);
  const variant: VariantMetadata = {
    functionName: name,
    section: ".wasm",
    localSize: specialization?.localSize ?? [0, 0, 0],
    needsUniformGroups: specialization?.uniformGroups ?? false,
    needsZeroOffset: specialization?.zeroOffset ?? false,
    staticLocalBytes: kernel.localBytes,
    liveBytes,
    privateBytes: stack,
    vectorWidth: kernel.vectors.width,
    vectorDimension: kernel.vectors.axis,
    subGroupSize: kernel.subGroupSize,
    engineFeatures: features,
  };
  const list: ArgumentMetadata[] = description.arguments.map((argument, i) => ({
    ...argument,
    size: argument.kind === "local" ? argument.size : (packed.sizes[i] ?? 0),
    alignment: argument.kind === "local" ? LARGEST_ALIGNMENT : argument.alignment,
    offset: packed.offsets[i] ?? 0,
  }));
  return {
    name,
    arguments: list,
    packedSize: packed.bytes,
    requiredWorkGroupSize: description.requiredWorkGroupSize,
    workGroupSizeHint: description.workGroupSizeHint,
    vecTypeHint: description.vecTypeHint,
    requiredSubGroupSize: description.requiredSubGroupSize,
    uniformWorkGroups: description.uniformWorkGroups,
    attributes: description.attributes,
    privateMemorySize: stack + liveBytes,
    variants: [variant],
  };
}
