// SPDX-License-Identifier: Apache-2.0
// What targets share after the passes that need no launch: the library is linked, types that the machine lacks are
// lowered.
import type { CompilerOptions } from "@muxkit/compiler";
import {
  APPROXIMATE,
  type BuiltinReference,
  F32,
  F64,
  GLOBAL,
  type Instruction,
  type IrFunction,
  type KernelDescription,
  LOCAL,
  type Module,
  Op,
  type Type,
  cloneModule,
  pointerBytes,
  scalarOf,
  sizeOf,
} from "@muxkit/ir";
import { LARGEST_ALIGNMENT, type PackedLayout, packArgumentLayout } from "@muxkit/kernel-abi";
import type { MachineTarget } from "@muxkit/machine-target";
import type { ArgumentMetadata, KernelMetadata, VariantMetadata } from "@muxkit/metadata";
import type { PrintfDescription } from "@muxkit/printf";
import { type Pass, type PassContext, isPrintfQuery, runPasses } from "@muxkit/passes";
import { linkLibrary } from "@muxkit/work-item-lowering";

import { libraryContext } from "./library-linker.ts";

/** Passes of a target's own, by name or as they are, at the three points of a build. @public */
export interface TargetPasses {
  /**
   * On the program as it is linked: every location of the source, nothing optimised. What instruments programs goes
   * here.
   */
  readonly linked?: readonly (string | Pass)[];
  /** After the passes that need no launch; calls of built-ins are still calls. */
  readonly finalized?: readonly (string | Pass)[];
  /** On the input of the code generator: library linked, types legal. */
  readonly lowered?: readonly (string | Pass)[];
}

/** Which types the machine computes with; vectors of them too. Ints up to 32 bits and binary32 it has. @public */
export interface LegalTypes {
  /** Binary16. False: halves are loaded, stored and moved as they are, and computed in binary32. */
  readonly half: boolean;
  /**
   * Binary64. False: code that needs it is refused; a device whose `doubleCapabilities` are 0 has no programs that ask
   * for it.
   */
  readonly double: boolean;
  /** Ints of 64 bits. False: what needs them is refused. */
  readonly long: boolean;
}

/** Every type. @public */
export const ALL_TYPES: LegalTypes = { half: true, double: true, long: true };

/** How a target wants programs for its code generator. @public */
export interface TargetLowering {
  /**
   * Built-ins whose calls stay calls, because the machine implements them; absent: none. Rows of the table of built-ins
   * by name and parameters. `isExact`: the program wants divisions and square roots rounded correctly; a target may
   * then leave to the library what would have other bits.
   */
  readonly keepsBuiltin?: (row: BuiltinReference, isExact: boolean) => boolean;
  /** The machine, for passes that choose by it; absent: `genericMachine` with the layout of the module. */
  readonly machine?: MachineTarget;
  /** What the machine computes with; absent: {@link ALL_TYPES}. */
  readonly legalTypes?: LegalTypes;
  /** Passes of its own; absent: none. */
  readonly passes?: TargetPasses;
  /**
   * True: the machine divides and takes square roots of floats faster where they need not be rounded correctly, which
   * the flag `afn` of those of the program says; absent: it does not.
   */
  readonly approximatesDivideSqrt?: boolean;
}

/**
 * The context of a target's passes: the library, except for the built-ins that the target keeps. `isExact`: for a
 * program that wants divisions and square roots rounded correctly.
 *
 * @public
 */
export function targetContext(
  module: Module,
  { keepsBuiltin, machine }: TargetLowering,
  isExact: boolean = false,
): PassContext {
  const context = libraryContext(module.layout);
  return {
    ...context,
    machine: machine ?? context.machine,
    keepsBuiltin: (row) => isPrintfQuery(row) || keepsBuiltin?.(row, isExact) === true,
  };
}

/** Passes after the library is linked: what it brought is put into the kernels and tidied. */
const AFTER_LIBRARY = [
  "inline",
  "simplify-cfg",
  "sroa",
  "mem2reg",
  "infer-address-space",
  "mem2reg",
  "simplify",
  "gvn",
  "loop-rotate",
  "licm",
  "simplify-cfg",
  "simplify",
  "dce",
  "simplify-cfg",
  "global-dce",
];

/** The types of an instruction and of what it uses. */
function typesOf({ type, operands }: Instruction): readonly Type[] {
  return [type, ...operands.map((value) => value.type)].map(scalarOf);
}

/** A sentence: what in a program the machine has no type for; null: nothing. */
function illegalType(module: Module, { double, long }: LegalTypes): string | null {
  if (double && long) return null;
  for (const fn of module.functions.values()) {
    for (const block of fn.blocks) {
      for (const instruction of block.instructions) {
        const types = typesOf(instruction);
        const name =
          !double && types.includes(F64)
            ? "double"
            : !long && types.some(({ kind, bits }) => kind === "int" && bits > 32)
              ? "long"
              : null;
        if (name === null) continue;
        const { location } = instruction;
        return (
          `${fn.name} computes with ${name}, which the device has ` +
          `not${location === null ? "" : ` (${location.file}:${location.line}:${location.column})`}`
        );
      }
    }
  }
  return null;
}

/** OpenCL C 7.4 allows 2.5 ULP for divisions of floats and 3 for square roots, unless a program wants them exact. */
function markApproximate(module: Module): void {
  for (const fn of module.functions.values())
    for (const { instructions } of fn.blocks)
      for (const instruction of instructions)
        if ((instruction.op === Op.FDIV || instruction.op === Op.FSQRT) && scalarOf(instruction.type) === F32)
          instruction.flags |= APPROXIMATE;
}

/** The printf of OpenCL C, whatever it prints. */
const PRINTF: BuiltinReference = { kind: "builtin", name: "printf", parameters: ["format"] };

/** What {@link lowerProgram} gives. @public */
export interface LoweredForTarget {
  /** The module. */
  readonly module: Module;
  /** A sentence that names a type that the machine lacks; null: there is none. */
  readonly problem: string | null;
  /** What each call of printf prints, in the order of the numbers in records; empty where the machine prints itself. */
  readonly printfCalls: readonly PrintfDescription[];
}

/**
 * A finalized program as a code generator wants it; the program itself is not changed. Images are the addresses of
 * their descriptors, samplers their bits (docs/kernel-abi.md).
 *
 * Calls of printf write records (docs/kernel-abi.md), unless the target keeps that built-in.
 *
 * @public
 */
export function lowerProgram(
  program: Module,
  lowering: TargetLowering,
  {
    optDisable,
    correctlyRoundedDivideSqrt = true,
  }: Pick<CompilerOptions, "optDisable"> & Partial<Pick<CompilerOptions, "correctlyRoundedDivideSqrt">>,
): LoweredForTarget {
  const module = cloneModule(program);
  const printfCalls: PrintfDescription[] = [];
  const context: PassContext = {
    ...targetContext(module, lowering, correctlyRoundedDivideSqrt),
    printfCall: (description) => printfCalls.push(description),
  };
  const legal = lowering.legalTypes ?? ALL_TYPES;
  // The library's own rely on their rounding.
  if (lowering.approximatesDivideSqrt === true && !correctlyRoundedDivideSqrt) markApproximate(module);
  const keepsPrintf = lowering.keepsBuiltin?.(PRINTF, false) === true;
  runPasses(module, ["global-dce", "image-arg-subst", ...(keepsPrintf ? [] : ["replace-printf"])], context);
  linkLibrary(module, context.machine, context);
  runPasses(module, optDisable ? ["simplify-cfg", "global-dce"] : AFTER_LIBRARY, context);
  if (!legal.half) runPasses(module, ["lower-half", ...(optDisable ? [] : ["simplify", "dce"])], context);
  runPasses(module, lowering.passes?.lowered ?? [], context);
  return { module, problem: illegalType(module, legal), printfCalls };
}

/** Bytes of local memory that a kernel declares itself, and what it calls. @public */
export function declaredLocalBytes(module: Module, kernel: IrFunction): number {
  const seen = new Set<unknown>([kernel]);
  const work: IrFunction[] = [kernel];
  let bytes = 0;
  for (let fn = work.pop(); fn !== undefined; fn = work.pop()) {
    for (const block of fn.blocks) {
      for (const { symbol } of block.instructions) {
        if (symbol === null || symbol.kind === "builtin" || seen.has(symbol)) continue;
        seen.add(symbol);
        if (symbol.kind === "function") work.push(symbol);
        else if (symbol.kind === "global" && symbol.addressSpace === LOCAL) bytes += sizeOf(module.layout, symbol.type);
      }
    }
  }
  return bytes;
}

/**
 * What a code generator adds to the description of a kernel; a sub-group size holds for kernels
 * that demand none.
 *
 * @public
 */
export type VariantFacts = Pick<VariantMetadata, "section"> & Partial<VariantMetadata>;

/** The arguments of a kernel as executables describe them: declarations, and where they are packed. */
function argumentMetadata(
  { arguments: list }: KernelDescription,
  { offsets, sizes }: PackedLayout,
): readonly ArgumentMetadata[] {
  return list.map((argument, i): ArgumentMetadata => {
    const isLocal = argument.kind === "local";
    return {
      ...argument,
      size: isLocal ? argument.size : (sizes[i] ?? 0),
      alignment: isLocal ? LARGEST_ALIGNMENT : argument.alignment,
      offset: offsets[i] ?? 0,
    };
  });
}

/** The metadata of a kernel with one variant, by its description. `privateMemorySize`: bytes that a work-item takes. */
export function describedKernel(
  name: string,
  description: KernelDescription,
  packed: PackedLayout,
  variant: VariantMetadata,
  privateMemorySize: number,
): KernelMetadata {
  return {
    name,
    arguments: argumentMetadata(description, packed),
    packedSize: packed.bytes,
    requiredWorkGroupSize: description.requiredWorkGroupSize,
    workGroupSizeHint: description.workGroupSizeHint,
    vecTypeHint: description.vecTypeHint,
    requiredSubGroupSize: description.requiredSubGroupSize,
    uniformWorkGroups: description.uniformWorkGroups,
    attributes: description.attributes,
    privateMemorySize,
    variants: [variant],
  };
}

/**
 * The metadata of a program's kernels for an executable, each with one variant for launches of any size. Arguments are
 * packed one after the other at their alignments.
 *
 * @public
 */
export function kernelRecords(module: Module, facts: VariantFacts): readonly KernelMetadata[] {
  return module.kernels.flatMap((kernel): readonly KernelMetadata[] => {
    const { name, kernel: description } = kernel;
    if (description === null) return [];
    const packed = packArgumentLayout(description.arguments, pointerBytes(module.layout, GLOBAL) === 8 ? 8 : 4);
    const variant: VariantMetadata = {
      functionName: name,
      localSize: [0, 0, 0],
      needsUniformGroups: false,
      needsZeroOffset: false,
      staticLocalBytes: declaredLocalBytes(module, kernel),
      liveBytes: 0,
      privateBytes: 0,
      vectorWidth: 1,
      vectorDimension: 0,
      engineFeatures: [],
      ...facts,
      subGroupSize: description.requiredSubGroupSize ?? facts.subGroupSize ?? 1,
    };
    return [describedKernel(name, description, packed, variant, variant.privateBytes)];
  });
}
