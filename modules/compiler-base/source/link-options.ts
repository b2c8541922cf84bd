// SPDX-License-Identifier: Apache-2.0
// What the options of a link and those that its objects were compiled with make together.
import type { CompilerOptions, ModuleState, VectorizationMode } from "@muxkit/compiler";
import { floatFlags } from "@muxkit/opencl-c";

/** An input of a link, as far as options go. */
export interface LinkedInput {
  readonly state: ModuleState;
  readonly options: CompilerOptions;
  /** Names of its kernels. */
  readonly kernels: readonly string[];
}

/** True where a link's options change what is linked: libraries declare whether they allow it (OpenCL 5.8.7.2). */
function takesOptions({ state, options }: LinkedInput): boolean {
  return state !== "library" || options.enableLinkOptions;
}

/** What the options of a link let floats of an input do. */
export function addedFloatFlags(
  { fastRelaxedMath, unsafeMathOptimizations, finiteMathOnly, noSignedZeros }: CompilerOptions,
  input: LinkedInput,
): number {
  return takesOptions(input)
    ? floatFlags({ fastRelaxedMath, unsafeMath: unsafeMathOptimizations, finiteMathOnly, noSignedZeros })
    : 0;
}

/** How the kernels of an input are vectorised, where that is not what everybody has. */
function modesOf(
  own: CompilerOptions,
  input: LinkedInput,
): readonly (readonly [kernel: string, mode: VectorizationMode])[] {
  if (own.vectorizationRemarks && takesOptions(input)) return [];
  const { vectorization, kernelVectorization } = input.options;
  return input.kernels
    .map((name) => [name, kernelVectorization.find(({ kernel }) => kernel === name)?.mode ?? vectorization] as const)
    .filter(([, mode]) => mode !== own.vectorization);
}

/**
 * The options of a program that is linked of inputs: code is made as each of them was compiled for, unless the link
 * overrides it.
 */
export function linkedOptions(own: CompilerOptions, inputs: readonly LinkedInput[]): CompilerOptions {
  return {
    ...own,
    kernelVectorization: inputs.flatMap((input) => modesOf(own, input)).map(([kernel, mode]) => ({ kernel, mode })),
    vectorizationRemarks: own.vectorizationRemarks || inputs.some(({ options }) => options.vectorizationRemarks),
    // Optimisation runs on the linked program as a whole.
    optDisable: own.optDisable || (inputs.length > 0 && inputs.every(({ options }) => options.optDisable)),
    deviceOptions: [...new Set([...inputs.flatMap(({ options }) => options.deviceOptions), ...own.deviceOptions])],
  };
}
