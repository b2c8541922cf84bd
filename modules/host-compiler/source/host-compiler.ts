// SPDX-License-Identifier: Apache-2.0
// The host's compiler, as the compiler interfaces describe it: compiles programs, and specialises kernels for launches.
import {
  type CompilerError,
  type CompilerOptions,
  type Info,
  type Kernel,
  type KernelReport,
  type LaunchFacts,
  argumentFacts,
} from "@muxkit/compiler";
import { compilerInfo, libraryContext, specializableKernel, usefulFacts } from "@muxkit/compiler-base";
import { GLOBAL, LAYOUT_32, type Module } from "@muxkit/ir";
import { type MuxDeviceInfo, MuxFloatingPointCapabilities } from "@muxkit/mux";
import type { Specialization } from "@muxkit/work-item-lowering";

import { HOST_COMPILER_FACTS } from "./facts.ts";
import { withinLimits } from "./limits.ts";
import { type NativeBackend, orElseWebAssembly, writeVerified } from "./native-fallback.ts";
import { NATIVE_ALWAYS, NATIVE_TIERS, type NativeTierName } from "./native-features.ts";
import { type BuildRequest, buildExecutable, buildImage } from "./pipeline.ts";
import { buildPortable, withNativeCode } from "./portable.ts";

/** The name of the engine's feature that fuses products with sums. */
const FUSED_MULTIPLY_ADD = "fused-madd";

/** What makes code for a device. */
interface Generators {
  /** Features of the engine that WebAssembly may use. */
  readonly features: readonly string[];
  /** Kernels that are made again for launches become machine code, others do not. */
  readonly makesHotNative: boolean;
  /** Makes machine code of kernels that are made again for launches; null: they stay WebAssembly. */
  readonly hot: () => NativeBackend | null;
  /** Makes machine code of all others; null: they are WebAssembly, which starts sooner. */
  readonly cold: NativeBackend | null;
}

function build(
  module: Module,
  options: CompilerOptions,
  features: readonly string[],
  native: NativeBackend | null,
  only: string | null,
  specialization: Specialization | null,
  report: ((report: KernelReport) => void) | null,
): Uint8Array | CompilerError {
  return withinLimits(() => {
    const request: BuildRequest = {
      module,
      features,
      context: libraryContext(LAYOUT_32),
      only,
      specialization,
      optimize: !options.optDisable,
      vectorization: options.vectorization,
      kernelVectorization: options.kernelVectorization,
      verifyEach: false,
    };
    const reported = { ...request, ...(report === null ? {} : { report }) };
    // A program without kernels has no code of its own.
    if (native === null || module.kernels.length === 0) return buildExecutable(reported);
    const image = orElseWebAssembly(reported, native);
    // Binaries of programs are loaded by devices that run no machine code, too.
    const isAlone = only !== null || !image.isNative;
    const both = isAlone ? image.built : withNativeCode(buildImage(request), image.built);
    return writeVerified(both, image.isNative);
  });
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
  { features, cold }: Generators,
  name: string,
  specialization: LaunchFacts,
): Uint8Array | null {
  const request: BuildRequest = {
    module,
    features,
    context: libraryContext(LAYOUT_32),
    only: name,
    specialization,
    optimize: true,
    tier: "quick",
    vectorization: "never",
    verifyEach: false,
  };
  const code = withinLimits(() =>
    cold === null ? { built: buildImage(request), isNative: false } : orElseWebAssembly(request, cold),
  );
  const isSmall = "built" in code && code.built.kernels.every((kernel) => kernel.privateMemorySize <= MOST_PRIVATE);
  return isSmall ? writeVerified(code.built, code.isNative) : null;
}

/** A kernel that is compiled again for launches; null: there is none of that name. */
function hostKernel(module: Module, name: string, options: CompilerOptions, generators: Generators): Kernel | null {
  const { features, hot, makesHotNative } = generators;
  const useful = usefulFacts(module, name);
  return specializableKernel(module, name, {
    // Where the generic code is WebAssembly, machine code is better even if it knows no more.
    useful: options.optDisable
      ? () => null
      : (facts) => useful(facts) ?? (makesHotNative ? argumentFacts(facts) : null),
    takesAnySize: true,
    build: (facts) => {
      let report: KernelReport | null = null;
      const binary = build(module, options, features, hot(), name, facts, (own) => {
        if (own.kernel === name) report = own;
      });
      return binary instanceof Uint8Array ? { binary, report } : binary;
    },
    ...(options.optDisable
      ? {}
      : {
          quick: {
            context: libraryContext(LAYOUT_32),
            build: (facts: LaunchFacts) => buildQuick(module, generators, name, facts),
            // A first launch waits for its code: WebAssembly is there sooner.
            ...(makesHotNative
              ? {
                  first: (facts: LaunchFacts) => {
                    const code = build(module, options, features, null, name, facts, null);
                    return code instanceof Uint8Array ? code : null;
                  },
                }
              : {}),
          },
        }),
  });
}

/** What makes machine code of a tier. */
type NativeBackends = (tier: NativeTierName) => NativeBackend;

/** What makes code for a device; `native` makes machine code where there is something. */
function generatorsFor({ codeFeatures, lacksFeature }: MuxDeviceInfo, native: NativeBackends | null): Generators {
  const best = NATIVE_TIERS.findLast((tier) => codeFeatures.includes(tier));
  const isNative = native !== null && best !== undefined;
  return {
    features: codeFeatures,
    makesHotNative: isNative && !codeFeatures.includes(NATIVE_ALWAYS),
    // What the device promises it is asked for when it counts: that may take longer than a first launch.
    hot: () => (isNative && lacksFeature?.(best) !== true ? native(best) : null),
    cold: isNative && codeFeatures.includes(NATIVE_ALWAYS) ? native(best) : null,
  };
}

/**
 * The compiler of the host target. `native` returns what makes machine code of a tier, for devices that run it; null:
 * all code is WebAssembly.
 */
export function hostCompiler(native: NativeBackends | null): Info {
  return compilerInfo(HOST_COMPILER_FACTS, (device) => {
    const generators = generatorsFor(device, native);
    const { features, cold } = generators;
    return {
      layout: LAYOUT_32,
      fusesMultiplyAdd: features.includes(FUSED_MULTIPLY_ADD),
      correctlyRoundedDivideSqrt: (device.floatCapabilities & MuxFloatingPointCapabilities.full) !== 0,
      build: (module, options, report) => build(module, options, features, cold, null, null, report),
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
          ? build(module, options, features, cold, name, null, null)
          : null,
      kernel: (module, name, options) => hostKernel(module, name, options, generators),
    };
  });
}

/** The compiler of the host target: OpenCL C to WebAssembly. @public */
export const HOST_COMPILER: Info = hostCompiler(null);

/** The compilers of this package, for the loader. @public */
export const compilers: readonly Info[] = [HOST_COMPILER];
