// SPDX-License-Identifier: Apache-2.0
// The host's compiler, as the compiler interfaces describe it: compiles programs, and specialises kernels for launches.
import { err, ok, type Result } from "@muxkit/cargo";
import {
  type CompilerError,
  type CompilerOptions,
  type Info,
  type Kernel,
  type KernelReport,
  type LaunchFacts,
  type SpecializedKernel,
  compilerError,
  launchKey,
} from "@muxkit/compiler";
import { compilerInfo, libraryContext } from "@muxkit/compiler-base";
import { GLOBAL, type IrFunction, LAYOUT_32, LOCAL, type Module, Op, isGroupOperation, sizeOf } from "@muxkit/ir";
import type { Specialization } from "@muxkit/work-item-lowering";

import { MuxFloatingPointCapabilities } from "@muxkit/mux";

import { HOST_COMPILER_FACTS } from "./facts.ts";
import { buildExecutable } from "./pipeline.ts";
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
): Uint8Array {
  return buildExecutable({
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
  });
}

/** Ops that depend on the work-group: queries, and barriers. */
const GROUP_OPS: ReadonlySet<number> = new Set([
  Op.LOCAL_ID,
  Op.LOCAL_SIZE,
  Op.ENQUEUED_LOCAL_SIZE,
  Op.GROUP_ID,
  Op.LOCAL_LINEAR_ID,
  Op.BARRIER,
]);

/**
 * True when a function, or one that it calls, depends on its work-group: code for a known local size is better then.
 */
function dependsOnGroup(fn: IrFunction, seen: Set<IrFunction>): boolean {
  if (seen.has(fn)) return false;
  seen.add(fn);
  return fn.blocks.some((block) =>
    block.instructions.some(
      ({ op, symbol }) =>
        GROUP_OPS.has(op) || isGroupOperation(op) || (symbol?.kind === "function" && dependsOnGroup(symbol, seen)),
    ),
  );
}

function hasKernel(module: Module, name: string): boolean {
  return module.kernels.some((kernel) => kernel.name === name);
}

/** True where kernels share variables of the program. */
function hasVariables(module: Module): boolean {
  return [...module.globals.values()].some(({ addressSpace }) => addressSpace === GLOBAL);
}

/** A kernel that is compiled anew for the launches that come; results are cached by key. */
class HostKernel implements Kernel {
  readonly name: string;
  readonly preferredLocalSize: readonly [number, number, number] = [64, 1, 1];
  readonly localMemorySize: number;
  /**
   * The program has variables of its own, which keep their values from launch to launch in the generic variant's data.
   */
  private readonly sharesVariables: boolean;
  /** Specialised code is better: work-items depend on their work-group, or there are samplers or images. */
  private readonly gains: boolean;
  private readonly module: Module;
  private readonly options: CompilerOptions;
  private readonly features: readonly string[];
  private readonly cache = new Map<string, SpecializedKernel>();

  constructor(module: Module, name: string, options: CompilerOptions, features: readonly string[]) {
    this.module = module;
    this.features = features;
    this.name = name;
    this.options = options;
    const fn = module.functions.get(name);
    this.gains =
      fn !== undefined &&
      (dependsOnGroup(fn, new Set()) ||
        fn.kernel?.arguments.some(({ kind }) => kind === "image" || kind === "sampler") === true);
    this.sharesVariables = hasVariables(module);
    let bytes = 0;
    for (const global of module.globals.values())
      if (global.addressSpace === LOCAL && global.name.startsWith(`${name}.`))
        bytes += sizeOf(module.layout, global.type);
    this.localMemorySize = bytes;
  }

  specializationKey(facts: LaunchFacts): string | null {
    return this.gains && !this.sharesVariables && !this.options.optDisable ? launchKey(facts) : null;
  }

  precacheLocalSize(x: number, y: number, z: number): Result<void, CompilerError> {
    const made = this.createSpecializedKernel({ localSize: [x, y, z], uniformGroups: true, zeroOffset: true });
    return made.ok ? ok() : made;
  }

  getDynamicWorkWidth(_x: number, _y: number, _z: number): number {
    return 1;
  }

  createSpecializedKernel(facts: LaunchFacts): Result<SpecializedKernel, CompilerError> {
    if (facts.localSize.some((size) => !Number.isInteger(size) || size < 1))
      return err(compilerError("invalid_value", `a local size is positive, not ${facts.localSize.join(", ")}`));
    const key = launchKey(facts);
    let made = this.cache.get(key);
    if (made === undefined) {
      let report: KernelReport | null = null;
      const binary = build(this.module, this.options, this.features, this.name, facts, (own) => {
        if (own.kernel === this.name) report = own;
      });
      made = { key, binary, report };
      this.cache.set(key, made);
    }
    return ok(made);
  }
}

/** The compiler of the host target: OpenCL C to WebAssembly. @public */
export const HOST_COMPILER: Info = compilerInfo(HOST_COMPILER_FACTS, (device) => ({
  layout: LAYOUT_32,
  fusesMultiplyAdd: device.codeFeatures.includes(FUSED_MULTIPLY_ADD),
  correctlyRoundedDivideSqrt: (device.floatCapabilities & MuxFloatingPointCapabilities.full) !== 0,
  build: (module, options, report) => build(module, options, device.codeFeatures, null, null, report),
  buildPortable: (variants, options) =>
    buildPortable(variants, {
      context: libraryContext(LAYOUT_32),
      only: null,
      specialization: null,
      optimize: !options.optDisable,
      vectorization: options.vectorization,
      kernelVectorization: options.kernelVectorization,
      verifyEach: false,
    }),
  buildKernel: (module, name, options) =>
    hasKernel(module, name) && !hasVariables(module)
      ? build(module, options, device.codeFeatures, name, null, null)
      : null,
  kernel: (module, name, options) =>
    hasKernel(module, name) ? new HostKernel(module, name, options, device.codeFeatures) : null,
}));

/** The compilers of this package, for the loader. @public */
export const compilers: readonly Info[] = [HOST_COMPILER];
