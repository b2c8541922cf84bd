// SPDX-License-Identifier: Apache-2.0
// The host's compiler, as the compiler interfaces describe it: compiles programs, and specialises kernels for launches.
import type { CompilerError, CompilerOptions, Info, Kernel, KernelReport, LaunchFacts } from "@muxkit/compiler";
import { compilerInfo, libraryContext, specializableKernel, usefulFacts } from "@muxkit/compiler-base";
import { GLOBAL, LAYOUT_32, type Module } from "@muxkit/ir";
import { writeExecutable } from "@muxkit/metadata";
import { MuxFloatingPointCapabilities } from "@muxkit/mux";
import type { Specialization } from "@muxkit/work-item-lowering";

import { HOST_COMPILER_FACTS } from "./facts.ts";
import { withinLimits } from "./limits.ts";
import { buildExecutable, buildImage } from "./pipeline.ts";
import { buildPortable } from "./portable.ts";

/** The name of the engine's feature that fuses products with sums. */
const FUSED_MULTIPLY_ADD = "fused-madd";

function build(
  module: Module,
  options: CompilerOptions,
  features: readonly string[],
  only: string | null,
  specialization: Specialization | null,
  report: ((report: KernelReport) => void) | null,
): Uint8Array | CompilerError {
  return withinLimits(() =>
    buildExecutable({
      ...(report === null ? {} : { report }),
      module,
      features,
      context: libraryContext(LAYOUT_32),
      only,
      specialization,
      optimize: !options.optDisable,
      vectorization: options.vectorization,
      kernelVectorization: options.kernelVectorization,
      verifyEach: false,
    }),
  );
}

function hasKernel(module: Module, name: string): boolean {
  return module.kernels.some((kernel) => kernel.name === name);
}

/** True where kernels share variables of the program. */
function hasVariables(module: Module): boolean {
  return [...module.globals.values()].some(({ addressSpace }) => addressSpace === GLOBAL);
}

/** Private bytes of a work-item above which the quick form, which may take more of them, is not run. */
const MOST_PRIVATE = 2 ** 14;

/** The quick form of a kernel; null: it is beyond a limit, which the full form may not be. */
function buildQuick(
  module: Module,
  features: readonly string[],
  name: string,
  specialization: LaunchFacts,
): Uint8Array | null {
  const image = withinLimits(() =>
    buildImage({
      module,
      features,
      context: libraryContext(LAYOUT_32),
      only: name,
      specialization,
      optimize: true,
      tier: "quick",
      vectorization: "never",
      verifyEach: false,
    }),
  );
  const isSmall = "kernels" in image && image.kernels.every((kernel) => kernel.privateMemorySize <= MOST_PRIVATE);
  return isSmall ? writeExecutable(image) : null;
}

/** A kernel that is compiled again for launches; null: there is none of that name. */
function hostKernel(
  module: Module,
  name: string,
  options: CompilerOptions,
  features: readonly string[],
): Kernel | null {
  return specializableKernel(module, name, {
    useful: options.optDisable ? () => null : usefulFacts(module, name),
    takesAnySize: true,
    build: (facts) => {
      let report: KernelReport | null = null;
      const binary = build(module, options, features, name, facts, (own) => {
        if (own.kernel === name) report = own;
      });
      return binary instanceof Uint8Array ? { binary, report } : binary;
    },
    ...(options.optDisable
      ? {}
      : {
          quick: {
            context: libraryContext(LAYOUT_32),
            build: (facts: LaunchFacts) => buildQuick(module, features, name, facts),
          },
        }),
  });
}

/** The compiler of the host target: OpenCL C to WebAssembly. @public */
export const HOST_COMPILER: Info = compilerInfo(HOST_COMPILER_FACTS, (device) => ({
  layout: LAYOUT_32,
  fusesMultiplyAdd: device.codeFeatures.includes(FUSED_MULTIPLY_ADD),
  correctlyRoundedDivideSqrt: (device.floatCapabilities & MuxFloatingPointCapabilities.full) !== 0,
  build: (module, options, report) => build(module, options, device.codeFeatures, null, null, report),
  buildPortable: (variants, options) =>
    withinLimits(() =>
      buildPortable(variants, {
        context: libraryContext(LAYOUT_32),
        only: null,
        specialization: null,
        optimize: !options.optDisable,
        vectorization: options.vectorization,
        kernelVectorization: options.kernelVectorization,
        verifyEach: false,
      }),
    ),
  buildKernel: (module, name, options) =>
    hasKernel(module, name) && !hasVariables(module)
      ? build(module, options, device.codeFeatures, name, null, null)
      : null,
  kernel: (module, name, options) => hostKernel(module, name, options, device.codeFeatures),
}));

/** The compilers of this package, for the loader. @public */
export const compilers: readonly Info[] = [HOST_COMPILER];
