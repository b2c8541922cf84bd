// SPDX-License-Identifier: Apache-2.0
/**
 * SPIR-V: the grammar as tables, and what stands on them.
 *
 * @packageDocumentation
 */
export type { EnumerantNames, ExtendedNames, OpClass, OpName } from "./generated/names.ts";
export {
  type Enumeration,
  KIND_CASE,
  KIND_ENUMERATION,
  KIND_EXTENDED,
  KIND_ID,
  KIND_INTEGER,
  KIND_MEMBER,
  KIND_NUMBER,
  KIND_OPCODE,
  KIND_PHI,
  KIND_RESULT,
  KIND_SCOPE,
  KIND_SEMANTICS,
  KIND_STRING,
  KIND_TYPE,
  type PlainKind,
} from "./grammar/kinds.ts";
export {
  type Availability,
  ENUMERATIONS,
  EXTENDED_SETS,
  type EnumerantRow,
  type EnumerationRow,
  type ExtendedRow,
  type ExtendedSet,
  KNOWN_EXTENSIONS,
  OP_ROWS,
  type OpRow,
  type OperandRow,
  enumerant,
  enumerantName,
  enumeration,
  enumerationOfKind,
  extendedNumber,
  opRow,
  opcodeOf,
} from "./grammar/tables.ts";
export { type SpirvError, describeSpirvError } from "./binary/error.ts";
export { Definitions } from "./binary/definitions.ts";
export {
  ExtendedImports,
  HEADER_WORDS,
  SPIRV_MAGIC,
  type SpirvModule,
  bytesOfWords,
  isSpirv,
  parseModule,
  stringAt,
} from "./binary/module.ts";
export { type NumberType, OperandCursor } from "./binary/cursor.ts";
export { type DisassembleOptions, disassemble, instructionText, versionText } from "./text/disassemble.ts";
export type { NameOf } from "./text/names.ts";
export { type AssembleOptions, assemble } from "./text/assemble.ts";
export type { AssemblyError } from "./text/tokens.ts";
export { type ReaderOptions, type RobustBufferAccess, isRead, readSpirv } from "./reader/index.ts";
export type {
  BindingReflection,
  DescriptorKind,
  EntryPointReflection,
  ShaderArgumentReflection,
  ShaderReflection,
  SpecializationReflection,
} from "@muxkit/kernel-abi";
export { type ReflectOptions, reflectShader } from "./reader/shader/reflect.ts";
export type { ShaderArgument, ShaderBindings } from "./writer/shader/bindings.ts";
export { type WriterOptions, type WrittenShader, writeShader, writeSpirv } from "./writer/index.ts";
export { type WriterError, describeWriterError } from "./writer/error.ts";
export { isWritten } from "./writer/written.ts";
export { REFUSED_INSTRUCTIONS } from "./reader/instructions.ts";
export {
  LENIENT_RULES,
  VALIDATION_RULES,
  type ValidationRule,
  type ValidationRuleName,
} from "./validate/rule.table.ts";
export { type ValidateOptions, readValidModule, validateModule } from "./validate/validate.ts";
export type { ValidationEnvironment } from "./validate/validation.ts";
export type { BlockLayout } from "./validate/explicit-layout.ts";
export { readSpir } from "./bitcode/index.ts";
export { type BitcodeError, isBitcode } from "./bitcode/bitstream.ts";
