// SPDX-License-Identifier: Apache-2.0
// Executables of CPU-like targets: a finalized program is lowered by @muxkit/work-item-lowering, a target's code
// generator makes code of it, and both are described for the runtime. What differs between targets is a `CpuBackend`.
import { alignUp, assert } from "@muxkit/cargo";
import type { CompilerOptions, KernelReport } from "@muxkit/compiler";
import type { IrFunction, Module } from "@muxkit/ir";
import { STACK_ALIGNMENT } from "@muxkit/kernel-abi";
import { type MachineTarget, privateBytes } from "@muxkit/machine-target";
import type { CodeSection, ExecutableImage, KernelMetadata, VariantMetadata } from "@muxkit/metadata";
import type { PassContext } from "@muxkit/passes";
import {
  type LoweredKernel,
  type Specialization,
  type Tier,
  type VectorizationChoice,
  lowerProgram,
} from "@muxkit/work-item-lowering";

import { describedKernel } from "./target-lowering.ts";
import { reportKernel } from "./vector-report.ts";

/** What to build for a CPU-like target. @public */
export interface CpuBuildRequest {
  /** Finalized module; it is not changed. */
  readonly module: Module;
  /** The library. */
  readonly context: PassContext;
  /** Only this kernel; null: all of them. */
  readonly only: string | null;
  /** For launches like this; null: generic. */
  readonly specialization: Specialization | null;
  /** False for `-cl-opt-disable`. */
  readonly optimize: boolean;
  /** How much is done where something is; absent: `full`. */
  readonly tier?: Tier;
  /** How kernels are vectorised. */
  readonly vectorization: VectorizationChoice;
  /** Kernels that are vectorised in another way; absent: there are none. */
  readonly kernelVectorization?: CompilerOptions["kernelVectorization"];
  /** Called with the report of each kernel; absent: no observer. */
  readonly report?: (report: KernelReport) => void;
  /** Called with the input module of the code generator; absent: no observer. */
  readonly lowered?: (module: Module) => void;
  /** True: every pass is verified. */
  readonly verifyEach: boolean;
  /** A module of the same program that was built before, whose data stays where it is; absent: there is none. */
  readonly layoutOf?: Module;
}

/** What a CPU-like target supplies to {@link buildCpuImage}. @public */
export interface CpuBackend {
  /** Name of the target in executables; its runtime half checks it. */
  readonly target: string;
  /** The machine that passes lower and vectorise for. */
  readonly machine: MachineTarget;
  /**
   * The code generator. It gets plain functions (docs/kernel-abi.md) and the names of the kernels' entries, and returns
   * the section with the code. The section's `features` are those that the code needs.
   */
  readonly generate: (module: Module, entries: readonly string[]) => CodeSection;
  /**
   * Bytes of the private stack above the caller's frame that a call of a lowered function takes for what it passes;
   * absent: nothing is passed there.
   */
  readonly passedBytes?: (callee: IrFunction) => number;
}

/** The executable of a program, or of one kernel. Throws InternalError when a pass is wrong. @public */
export function buildCpuImage(request: CpuBuildRequest, backend: CpuBackend): ExecutableImage {
  const { target, machine, generate } = backend;
  const { vectorization, kernelVectorization = [], report } = request;
  const { module, kernels, programData, printfCalls } = lowerProgram({
    ...request,
    machine,
    vectorization: (name) => kernelVectorization.find(({ kernel }) => kernel === name)?.mode ?? vectorization,
  });
  if (report !== undefined) for (const kernel of kernels) report(reportKernel(kernel));
  request.lowered?.(module);
  const section = generate(
    module,
    kernels.map(({ name }) => name),
  );
  return {
    target,
    features: section.features,
    code: [section],
    kernels: kernels.map((kernel) => kernelMetadata(module, kernel, backend, section)),
    programData,
    printfCalls: printfCalls.map((one) => ({ format: one.format, argumentTypes: one.types, strings: one.strings })),
    extraBlocks: [],
  };
}

function kernelMetadata(
  module: Module,
  kernel: LoweredKernel,
  { machine, passedBytes }: CpuBackend,
  section: CodeSection,
): KernelMetadata {
  const { name, description, packed, specialization, liveBytes } = kernel;
  const entry = module.functions.get(name);
  assert(entry !== undefined, () => `${name} has an entry`);
  const stack = alignUp(privateBytes(machine, entry, passedBytes) + STACK_ALIGNMENT, STACK_ALIGNMENT);
  const variant: VariantMetadata = {
    functionName: name,
    section: section.name,
    localSize: specialization?.localSize ?? [0, 0, 0],
    needsUniformGroups: specialization?.uniformGroups ?? false,
    needsZeroOffset: specialization?.zeroOffset ?? false,
    ...(kernel.vectors.unsure.size === 0 ? {} : { offersOneByOne: true }),
    staticLocalBytes: kernel.localBytes,
    liveBytes,
    privateBytes: stack,
    vectorWidth: kernel.vectors.width,
    vectorDimension: kernel.vectors.axis,
    subGroupSize: kernel.subGroupSize,
    engineFeatures: section.features,
  };
  return describedKernel(name, description, packed, variant, stack + liveBytes);
}
