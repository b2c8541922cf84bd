// SPDX-License-Identifier: Apache-2.0
/**
 * Binary containers: executables with their kernel metadata, ELF files, typed metadata blocks.
 *
 * @packageDocumentation
 */
export { metadataError, type MetadataError, type MetadataErrorCode } from "./error.ts";
export {
  EXECUTABLE_FORMAT_VERSION,
  IR_BLOCK,
  findCode,
  patchedBytes,
  findExtraBlock,
  findGenericVariant,
  findKernelMetadata,
  type ArgumentAccess,
  type ArgumentAddressSpace,
  type ArgumentMetadata,
  type BytePatch,
  type CodeSection,
  type DataRelocation,
  type ExecutableImage,
  type ExtraBlock,
  type KernelMetadata,
  type LoadedExecutable,
  type PrintfCall,
  type ProgramData,
  type Size3,
  type VariantMetadata,
} from "./executable-image.ts";
export {
  SectionFlag,
  SectionType,
  readElf,
  writeElf,
  type ElfFile,
  type ElfSection,
  type LoadedElfSection,
} from "./elf.ts";
export { isExecutable, readExecutable, stripBinaryHeader, writeExecutable } from "./executable.ts";
export { isVerifiedCode, markVerifiedCode } from "./verified-code.ts";
export { readBlocks, writeBlocks, type MetadataBlock, type TypedKey, type TypedValue } from "./typed-blocks.ts";
export { initializePipe, pipeBytes } from "./pipe.ts";
