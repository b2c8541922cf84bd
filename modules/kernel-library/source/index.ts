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
  type ImageAccess,
  type ImageArgument,
  type ImageParameter,
  type MemoryArgument,
  type OpenclArgument,
  type RangeArgument,
  type ValueArgument,
  type PointerParameter,
  type ReducerParameter,
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
export {
  bitsOf,
  convertScalar,
  halfBits,
  halfValue,
  integerOf,
  isReal,
  isSignedInteger,
  isWide,
  wrap,
  type ScalarType,
  type ScalarValue,
  type Width,
} from "./scalars.ts";
export {
  isVector,
  type Components,
  type TruthOf,
  type UnsignedOf,
  type Vector,
  type VectorOperators,
  type VectorPart,
  type VectorSource,
  type VectorType,
  type WideOf,
} from "./vector.ts";
export {
  hostMemory,
  type Accessor,
  type Element,
  type Elements,
  type Fields,
  type FieldValue,
  type LocalArray,
  type Pointer,
  type PrivateArray,
  type ReadonlyElements,
  type RecordOf,
  type RecordType,
  type RecordValue,
} from "./memory.ts";
export {
  HostLocal,
  runOnHost,
  type Dimensions,
  type FenceSpace,
  type GroupScope,
  type HostLaunch,
  type Item,
  type NdItem,
} from "./work-items.ts";
export {
  atomicRef,
  localArray,
  privateArray,
  record,
  type AtomicOrderName,
  type AtomicRef,
  type AtomicScopeName,
  type ElementToken,
} from "./kernel-values.ts";
export {
  FINISHING_ITEMS,
  combinationText,
  finishingText,
  halvingLines,
  hostReducer,
  scratchBytes,
  type CombinationText,
  type HostReducer,
  type Reducer,
  type ReductionOperator,
} from "./reductions.ts";
export {
  IMAGE_FORMATS_BY_NAME,
  colorScalar,
  hostImage,
  imageFormatCode,
  imageLayout,
  wholeSampler,
  type HostImage,
  type ImageAccessor,
  type ImageAddressing,
  type ImageCoordinates,
  type ImageFormatName,
  type ImageSampler,
  type ImageShape,
  type SampledImageAccessor,
} from "./images.ts";
export { isGroupFunction } from "./sub-groups.ts";
export { kernelHost, type KernelHost } from "./kernel-host.ts";
export * from "./generated/types.ts";
export * from "./generated/builtins.ts";
