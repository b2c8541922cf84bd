// SPDX-License-Identifier: Apache-2.0
/**
 * The compiler of NVIDIA GPUs: finalized programs to PTX, which the driver compiles for the GPU that is there.
 *
 * @packageDocumentation
 */
import type { Info } from "@muxkit/compiler";
import { type TargetBuild, createCompiler, kernelRecords } from "@muxkit/compiler-base";
import { LAYOUT_64, type Module } from "@muxkit/ir";
import { SIMT_ANY_GROUPS } from "@muxkit/kernel-abi";
import { type KernelMetadata, writeExecutable } from "@muxkit/metadata";
import { OLDEST_PTX, PTX_MACHINE, WARP, generatePtx, keepsBuiltin } from "@muxkit/ptx";

import { INLINE_PROGRAM, INLINE_QUERIES } from "./inline-program.ts";
import { knownArgumentPasses, usefulFacts } from "./known-arguments.ts";
import { LOWER_GROUP_OPERATIONS } from "./lower-group-operations.ts";
import { seesGroup } from "./sees-group.ts";

/** Name of the target in executables. @public */
export const CUDA_TARGET = "cuda";

/** Section of the code: text. @public */
export const PTX_SECTION = ".ptx";

/** After the library is there: what it brought is put into the kernels, and group operations are lowered. */
const LOWERED = [
  INLINE_QUERIES,
  LOWER_GROUP_OPERATIONS,
  "inline",
  "simplify-cfg",
  "sroa",
  "mem2reg",
  "infer-address-space",
  "simplify",
  "gvn",
  "loop-rotate",
  "licm",
  "loop-unroll",
  "simplify-cfg",
  "sroa",
  "mem2reg",
  "simplify",
  "gvn",
  "loop-rotate",
  "run-time-unroll",
  "simplify-cfg",
  "simplify",
  "gvn",
  "loop-rotate",
  // Rounds of rounds.
  "run-time-unroll",
  "simplify-cfg",
  "simplify",
  "gvn",
  "decided-branches",
  "simplify-cfg",
  "licm",
  "dce",
  "step-addresses",
  "dce",
  "simplify-cfg",
  "coarsen-threads",
  "simplify",
  "gvn",
  "dce",
  "simplify-cfg",
  "share-addresses",
  "global-dce",
] as const;

/** Kernels, each with its forms: for one work-item a thread, and for several. */
function recordsOf(module: Module, entries: ReadonlyMap<string, string>): readonly KernelMetadata[] {
  const kernels = new Map(module.kernels.map((fn) => [fn.name, fn]));
  const entryOf = (name: string): string => entries.get(name) ?? name;
  return kernelRecords(module, { section: PTX_SECTION, subGroupSize: WARP }).flatMap((record) => {
    const { name } = record;
    const fn = kernels.get(name);
    if (fn === undefined || fn.kernel?.coarsened !== undefined) return [];
    const engineFeatures = seesGroup(fn) ? [] : [SIMT_ANY_GROUPS];
    const variants = record.variants.flatMap((variant) => {
      const plain = { ...variant, functionName: entryOf(name), engineFeatures };
      const forms = module.kernels.flatMap((form) => {
        const coarsened = form.kernel?.coarsened;
        if (coarsened?.of !== name) return [];
        return [{ ...plain, functionName: entryOf(form.name), vectorWidth: coarsened.items }];
      });
      return [plain, ...forms];
    });
    return [{ ...record, variants }];
  });
}

function build(module: Module, { device, printfCalls }: TargetBuild): Uint8Array {
  const architecture = device.codeFeatures.find((feature) => feature.startsWith("sm_"));
  const { text, entries } = generatePtx(module, {
    ...OLDEST_PTX,
    ...(architecture === undefined ? {} : { architecture, version: "7.8" }),
  });
  return writeExecutable({
    target: CUDA_TARGET,
    features: [],
    code: [{ name: PTX_SECTION, bytes: new TextEncoder().encode(text), features: [], patches: [] }],
    kernels: recordsOf(module, entries),
    programData: null,
    printfCalls: printfCalls.map((one) => ({ format: one.format, argumentTypes: one.types, strings: one.strings })),
    extraBlocks: [],
  });
}

/** OpenCL C and SPIR-V to executables of NVIDIA GPUs. @public */
export const CUDA_COMPILER: Info = createCompiler({
  name: "muxkit CUDA compiler",
  supports: ({ deviceName, codeFeatures }) => deviceName !== "" && codeFeatures.some((one) => one.startsWith("sm_")),
  layout: LAYOUT_64,
  machine: PTX_MACHINE,
  fusesMultiplyAdd: () => true,
  // It rounds correctly where a program wants it.
  correctlyRoundedDivideSqrt: true,
  approximatesDivideSqrt: true,
  keepsBuiltin,
  passes: { finalized: [INLINE_PROGRAM], lowered: LOWERED },
  specialization: {
    useful: usefulFacts,
    lowered: (kernel, facts) => [...knownArgumentPasses(kernel, facts), ...LOWERED],
    build: (module, _kernel, _facts, request) => build(module, request),
  },
  build,
});

/** The compilers of this package, for the loader. @public */
export const compilers: readonly Info[] = [CUDA_COMPILER];
