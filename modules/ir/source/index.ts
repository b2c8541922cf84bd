// SPDX-License-Identifier: Apache-2.0
/**
 * The typed SSA intermediate representation: types, data layout, op table, modules, builder, text and binary forms,
 * verifier, analyses.
 *
 * @packageDocumentation
 */
import * as Op from "./generated/op.ts";

export { Op };
export { OPS, type OpEffects, type OpRow, type OpRule, opNumber } from "./op.table.ts";
export {
  ADDRESS_SPACE_NAMES,
  CONSTANT,
  F16,
  F32,
  F64,
  GENERIC,
  GLOBAL,
  I1,
  I16,
  I32,
  I64,
  I8,
  LOCAL,
  PRIVATE,
  VOID,
  Type,
  arrayType,
  floatType,
  intType,
  isFloat,
  isInt,
  isPointer,
  laneCount,
  opaqueType,
  pointerType,
  scalarOf,
  structType,
  MAX_VECTOR_LANES,
  vectorType,
  withLanesOf,
  type AddressSpace,
  type TypeKind,
  type TypeParts,
} from "./type.ts";
export {
  KERNEL_ENTRY,
  PLAIN,
  WORK_ITEM_PARAMETERS,
  WORK_ITEM_PARAMETER_COUNT,
  WORK_ITEM_PARAMETER_NAMES,
  indexType,
  workItemConvention,
  workItemIndex,
  workItemParameter,
  workItemPosition,
  type CallingConvention,
  type WorkItemParameterName,
} from "./calling-convention.ts";
export type { ProgramBytes, ProgramLayout } from "./program-layout.ts";
export {
  LAYOUT_32,
  LAYOUT_64,
  alignmentOf,
  pointerBytes,
  sizeOf,
  structLayout,
  type DataLayout,
  type StructLayout,
} from "./data-layout.ts";
export {
  Constant,
  Parameter,
  bigintValue,
  constantBits,
  constantFloat,
  constantInt,
  constantLane,
  constantSplat,
  constantVector,
  constantZero,
  floatValue,
  signedValue,
  smallValue,
  type Value,
} from "./value.ts";
export {
  APPROXIMATE,
  CONTRACT,
  EXACT,
  FLAG_NAMES,
  FUSED,
  NO_INFINITY,
  NO_NAN,
  NO_SIGNED_WRAP,
  NO_OPERANDS,
  NO_SIGNED_ZERO,
  NO_UNSIGNED_WRAP,
  NON_UNIFORM,
  ORDER_GLOBAL,
  ORDER_IMAGE,
  ORDER_LOCAL,
  REASSOCIATE,
  RECIPROCAL,
  VOLATILE,
  Instruction,
  cloneInstruction,
  hasEffect,
  type AtomicKind,
  type BuiltinReference,
  type DebugVariable,
  type MemoryOrder,
  type Scope,
  type SymbolReference,
} from "./instruction.ts";
export { copyOf, listOf } from "./list.ts";
export { inlinedAt, type Location } from "./location.ts";
export {
  Block,
  Global,
  IrFunction,
  Module,
  UNROLL_FULLY,
  type InlineHint,
  type Linkage,
  type Relocation,
} from "./function.ts";
export type { ArgumentDescription, KernelDescription } from "./kernel.ts";
export { BlockMap } from "./block-map.ts";
export { TAKES_FLOAT_FLAGS } from "./float-flags.ts";
export { Builder } from "./builder.ts";
export { predecessors, replaceUses, reversePostorder, walk } from "./walk.ts";
export { applyReplacements, clearMarks, replaceLater, resolved } from "./replace.ts";
export { liveness, uses, type Liveness } from "./uses.ts";
export { constantText } from "./constant-text.ts";
export { TextFinder, type TextObstacle, type TextSources } from "./text-sources.ts";
export { splitCriticalEdges } from "./critical-edges.ts";
export { Dominators, dominators } from "./dominators.ts";
export { loops, type Loop, type LoopForest } from "./loops.ts";
export {
  STRANDS,
  combinationOf,
  isGroupOperation,
  reduceItems,
  reduceLanes,
  scanItems,
  type Combination,
} from "./group-operations.ts";
export { convergence, hasNonUniformGroupOperation, type Convergence } from "./convergence.ts";
export { MIRRORED_COMPARISONS, OPPOSITE_COMPARISONS } from "./comparisons.ts";
export { inductionStep, isCountedLoop, tripCount, type InductionStep, type TripCount } from "./trip-count.ts";
export { cloneBlocks, cloneFunction, cloneModule, createCloneMap, type CloneMap } from "./clone.ts";
export {
  evaluate,
  floatBitsOfNumber,
  laneOperation,
  numberOfFloatBits,
  permutedLane,
  recastLanes,
  type EvaluationExtra,
  type LaneOperation,
} from "./evaluate.ts";
export { bigintToFloat32, fusedMultiplyAdd } from "./exact.ts";
export { printConstant } from "./print-constant.ts";
export { Labels, printFunction, printInstruction, printModule, type PrintOptions } from "./print.ts";
export { describeVerifierError, verifyModule, type VerifierError } from "./verify.ts";
export type { ParseError } from "./lex.ts";
export { describeParseError, parseConstant, parseModule } from "./parse.ts";
export { encodeModule } from "./encode.ts";
export { decodeLibrary, decodeModule, type BinaryError, type Library } from "./decode.ts";
export { switchCases } from "./switch-cases.ts";
