// SPDX-License-Identifier: Apache-2.0
// The calling convention of generated kernels (docs/kernel-abi.md).
export type { ArgumentFact } from "./argument-fact.ts";
export {
  ARGUMENT_KINDS,
  PIXEL_CLASSES,
  type PixelClass,
  type ArgumentKind,
  packArgumentLayout,
  type PackableArgument,
  type PackedLayout,
} from "./arguments.ts";
export {
  CANCEL_CHECK_CLOCK,
  CANCEL_COUNTDOWN,
  CANCEL_LEAVE,
  CANCEL_NONE,
  ENTRY_PARAMETERS,
  KERNEL_ABI_VERSION,
  KERNEL_DONE,
  KERNEL_LEFT,
  LARGEST_ALIGNMENT,
  LIVE_ITEM_MULTIPLE,
  MAX_GROUPS_PER_CALL,
  OVERREAD_BYTES,
  SAMPLER_ADDRESSING,
  SAMPLER_COMPARES,
  SAMPLER_COMPARISON,
  SAMPLER_FILTER,
  SAMPLER_NORMALIZED,
  STACK_ALIGNMENT,
  MEMORY_FLAGS,
  SHARED_MEMORY_PATCH,
  sharedMemoryPatch,
} from "./convention.ts";
export {
  type ArenaLayout,
  type ArenaNeeds,
  type DispatchValues,
  layoutArena,
  localArgumentSpace,
  writeDispatchBlock,
} from "./launch.ts";
export {
  DISPATCH,
  DISPATCH_BYTES,
  IMAGE_DESCRIPTOR,
  IMAGE_DESCRIPTOR_BYTES,
  PIPE,
  PIPE_CELL_BYTES,
  PIPE_HEADER_BYTES,
  PRINTF_AREA,
  PRINTF_AREA_HEADER_BYTES,
  PRINTF_HEADER_BYTES,
  PRINTF_RECORD,
  WORKER,
  WORKER_BYTES,
} from "./offsets.ts";
export {
  type AbiField,
  type AbiStruct,
  type AbiType,
  layoutStruct,
  type PointerBytes,
  type StructLayout,
  typeBytes,
} from "./struct.ts";
export {
  DISPATCH_STRUCT,
  type DispatchField,
  IMAGE_DESCRIPTOR_STRUCT,
  type ImageDescriptorField,
  PIPE_STRUCT,
  type PipeField,
  PRINTF_AREA_STRUCT,
  type PrintfAreaField,
  PRINTF_RECORD_STRUCT,
  type PrintfRecordField,
  WORKER_STRUCT,
  type WorkerField,
} from "./structs.table.ts";
export type {
  BindingReflection,
  DescriptorKind,
  EntryPointReflection,
  ShaderArgumentReflection,
  ShaderReflection,
  SpecializationReflection,
} from "./shader.ts";
