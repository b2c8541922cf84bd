// SPDX-License-Identifier: Apache-2.0
/**
 * Machine code of x86-64 by one table of instructions: encoder, decoder, text, constraints.
 *
 * @packageDocumentation
 */
export { ADDRESS, Assembler, MEMORY, NONE } from "./assembler.ts";
export { CODE_ALIGNMENT, type CodeObject, writeCodeObject } from "./code-object.ts";
export { ConstantPool } from "./constant-pool.ts";
export { type FormConstraints, type OperandConstraint, constraintsOf } from "./constraints.ts";
export { Decoder, encodeDecoded } from "./decoder.ts";
export { FEATURES, type FeatureRow, featureBit, featureNames } from "./feature.table.ts";
export { FORM_COUNT, evexTwin, formAt, formOf } from "./forms.ts";
export { type JumpTableRegisters, emitJumpTable } from "./jump-table.ts";
export { KERNEL_STACK_BYTES } from "./kernel-stack.ts";
export { readCodeObject } from "./read-code-object.ts";
export type { Form, Operand, Place, RegisterClass } from "./row.ts";
export { PAGE_BYTES } from "./elf-tables.ts";
export { type ObjectSymbol, type SharedObject, writeSharedObject } from "./shared-object.ts";
export { CONDITIONS, printInstruction, registerName } from "./text.ts";
export { verifyObject } from "./verify-object.ts";
export { type Refusal, type VerifiedCode, type VerifyRequest, verifyCode } from "./verify.ts";
export { type DebugFunction, type DebugLine, type DebugUnit, debugSections } from "./dwarf-lines.ts";
export { type FrameFunction, type FrameStep, frameSections } from "./dwarf-frames.ts";
export {
  type ElfContent,
  type ElfReference,
  type ElfSection,
  type ElfSymbol,
  writeRelocatable,
  writeShared,
} from "./elf-file.ts";
