// SPDX-License-Identifier: Apache-2.0
/**
 * What kernels written in TypeScript use, in plain JavaScript, and what the translator makes of them as data.
 *
 * @packageDocumentation
 */
export {
  CONSTANTS_AS_ARGUMENTS,
  alignmentOf,
  argumentsOf,
  layoutRecord,
  openclRange,
  sizeOf,
  type AccessMode,
  type AccessorParameter,
  type ConstantParameter,
  type ElementType,
  type KernelParameter,
  type Lanes,
  type LocalParameter,
  type LocalArgument,
  type MemoryArgument,
  type OpenclArgument,
  type RangeArgument,
  type ValueArgument,
  type PointerParameter,
  type RecordElement,
  type RecordField,
  type ScalarElement,
  type ScalarName,
  type ScalarParameter,
  type TranslatedConstant,
  type TranslatedImage,
  type TranslatedKernel,
  type TranslatedUnit,
  type VectorElement,
} from "./translated.ts";
