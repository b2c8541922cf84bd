// SPDX-License-Identifier: Apache-2.0
// The first layer: every operand is well-formed, and what the module uses it has declared. The rows of the grammar say
// which capabilities, extensions and versions an instruction or an enumerant needs.
import { OperandCursor } from "../binary/cursor.ts";
import { stringAt } from "../binary/module.ts";
import { KIND_ENUMERATION, KIND_NUMBER, KIND_OPCODE } from "../grammar/kinds.ts";
import {
  type Availability,
  EXTENDED_SETS,
  KNOWN_EXTENSIONS,
  enumerant,
  enumerantName,
  enumeration,
  enumerationOfKind,
  opRow,
  opcodeOf,
} from "../grammar/tables.ts";
import { versionText } from "../text/disassemble.ts";
import type { ValidationRuleName } from "./rule.table.ts";
import type { Validation } from "./validation.ts";

const CAPABILITY = opcodeOf("OpCapability");
const EXTENSION = opcodeOf("OpExtension");
const EXT_INST_IMPORT = opcodeOf("OpExtInstImport");
const CONSTANT_SAMPLER = opcodeOf("OpConstantSampler");
const MEMORY_MODEL = opcodeOf("OpMemoryModel");
const CAPABILITIES = enumeration("Capability");
const BUILT_IN_KIND = enumeration("BuiltIn").kind;
const DECORATION_KIND = enumeration("Decoration").kind;
/** Built-ins that any shader may name; capabilities are needed to read them. */
const FREE_BUILT_INS: ReadonlySet<number> = new Set(
  (["PointSize", "ClipDistance", "CullDistance"] as const).map((name) => enumerant("BuiltIn", name)),
);
const ROUNDING_MODE = enumerant("Decoration", "FPRoundingMode");
/** Versions that have what earlier ones have as an extension. */
const PROMOTED: Readonly<Record<string, number>> = {
  SPV_KHR_shader_ballot: 0x10300,
  SPV_KHR_shader_draw_parameters: 0x10300,
  SPV_KHR_subgroup_vote: 0x10300,
  SPV_KHR_16bit_storage: 0x10300,
  SPV_KHR_device_group: 0x10300,
  SPV_KHR_multiview: 0x10300,
  SPV_KHR_variable_pointers: 0x10300,
  SPV_KHR_storage_buffer_storage_class: 0x10300,
  SPV_KHR_8bit_storage: 0x10500,
  SPV_EXT_descriptor_indexing: 0x10500,
  SPV_EXT_shader_viewport_index_layer: 0x10500,
  SPV_EXT_physical_storage_buffer: 0x10500,
  SPV_KHR_physical_storage_buffer: 0x10500,
  SPV_KHR_vulkan_memory_model: 0x10500,
  SPV_KHR_float_controls: 0x10400,
  SPV_KHR_no_integer_wrap_decoration: 0x10400,
  SPV_GOOGLE_decorate_string: 0x10400,
  SPV_GOOGLE_hlsl_functionality1: 0x10400,
  SPV_KHR_integer_dot_product: 0x10600,
  SPV_KHR_terminate_invocation: 0x10600,
  SPV_EXT_demote_to_helper_invocation: 0x10600,
  SPV_KHR_non_semantic_info: 0x10600,
};

/** Declares a capability and all that it implies. */
function declare(validation: Validation, first: number): void {
  const open = [first];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (validation.capabilities.has(one)) continue;
    validation.capabilities.add(one);
    const implied = CAPABILITIES.byValue.get(one)?.capabilities ?? [];
    for (const next of implied) open.push(next);
  }
}

/** What is lacking for a row; null: nothing is. */
function lack(
  validation: Validation,
  row: Availability,
  what: string,
): { readonly rule: ValidationRuleName; readonly message: string } | null {
  const { version } = validation.module;
  const { capabilities, extensions, since, until } = row;
  if (capabilities.length > 0 && !capabilities.some((one) => validation.capabilities.has(one))) {
    const names = capabilities.map((one) => enumerantName("Capability", one)).join(" or ");
    return { rule: "capability", message: `${what} needs the capability ${names}` };
  }
  if (version > until)
    return { rule: "version-removed", message: `${what} is only in versions up to ${versionText(until)}` };
  if (version >= since) return null;
  if (extensions.length > 0) {
    if (extensions.some((name) => isDeclared(validation, name))) return null;
    // The capability itself cannot be declared without its extension.
    if (capabilities.length > 0) return null;
    return { rule: "extension", message: `${what} needs the extension ${extensions.join(" or ")}` };
  }
  if (capabilities.length > 0 || since === Infinity) return null;
  return { rule: "version-needed", message: `${what} needs version ${versionText(since)}` };
}

function isDeclared(validation: Validation, extension: string): boolean {
  return validation.extensions.has(extension) || validation.module.version >= (PROMOTED[extension] ?? Infinity);
}

/** The capability for which LLVM's translator lists no extension (`clang -ffp-contract=fast`). */
const FAST_MATH = enumerant("Capability", "FPFastMathModeINTEL");

/** What a declared capability needs: its extension, or its version. */
function lackOfCapability(validation: Validation, value: number): ReturnType<typeof lack> {
  const row = CAPABILITIES.byValue.get(value);
  if (row === undefined || validation.module.version >= row.since) return null;
  const { name, extensions, since } = row;
  if (extensions.some((one) => isDeclared(validation, one))) return null;
  if (validation.isLenient && value === FAST_MATH) return null;
  if (extensions.length > 0)
    return { rule: "extension", message: `the capability ${name} needs the extension ${extensions.join(" or ")}` };
  return since === Infinity
    ? null
    : { rule: "version-needed", message: `the capability ${name} needs version ${versionText(since)}` };
}

const NON_SEMANTIC = "SPV_KHR_non_semantic_info";
/** Extensions that somebody asks for. A module may claim any number of others. */
const ASKED_EXTENSIONS: ReadonlySet<string> = new Set([...KNOWN_EXTENSIONS, NON_SEMANTIC]);

function declareExtension(validation: Validation, name: string): void {
  if (ASKED_EXTENSIONS.has(name)) validation.extensions.add(name);
}

/** Reads what the module declares. */
function readDeclarations(validation: Validation): void {
  const { module } = validation;
  const { opcodes, words, offsets, count } = module;
  for (let at = 0; at < count; at++) {
    if (opcodes[at] === CAPABILITY) declare(validation, validation.word(at, 1));
    else if (opcodes[at] === EXTENSION)
      declareExtension(validation, stringAt(words, (offsets[at] ?? 0) + 1, offsets[at + 1] ?? 0));
    else if (opcodes[at] === MEMORY_MODEL) return;
  }
}

function checkOperand(validation: Validation, cursor: OperandCursor, instruction: number, opcode: number): void {
  const { kind, value, offset } = cursor;
  const begin = validation.module.offsets[instruction] ?? 0;
  const note = (found: ReturnType<typeof lack>): void => {
    if (found !== null) validation.fail(instruction, found.rule, found.message, offset - begin);
  };
  if (kind === KIND_OPCODE) {
    const row = opRow(value);
    if (row !== undefined && !OPEN_IN_CONSTANTS.has(row.name)) note(lack(validation, row, row.name));
    return;
  }
  const of = enumerationOfKind(kind);
  if (of === undefined) return;
  if (opcode === CAPABILITY) {
    note(lackOfCapability(validation, value));
    return;
  }
  if (kind === BUILT_IN_KIND && FREE_BUILT_INS.has(value)) return;
  if (kind === DECORATION_KIND && value === ROUNDING_MODE) return;
  if (!of.isMask || value === 0) {
    const row = of.byValue.get(value);
    if (row !== undefined) note(lack(validation, row, `the ${of.name} ${row.name}`));
    return;
  }
  for (let rest = value; rest !== 0;) {
    const bit = (rest & -rest) >>> 0;
    const row = of.byValue.get(bit);
    if (row !== undefined) note(lack(validation, row, `the ${of.name} ${row.name}`));
    rest = (rest ^ bit) >>> 0;
  }
}

/** Operations of kernels that shaders' constants may not use need Kernel; the layer of constants says so. */
const OPEN_IN_CONSTANTS: ReadonlySet<string> = new Set(["OpPtrAccessChain", "OpInBoundsPtrAccessChain"]);

/** Numbers of less than a word fill it with zeros, or with their sign. */
function checkNumber(validation: Validation, cursor: OperandCursor, instruction: number): void {
  const type = cursor.numberType();
  if (type === null || type.bits >= 32) return;
  const shift = 32 - type.bits;
  const { value } = cursor;
  const filled = type.form === "signed" ? ((value << shift) >> shift) >>> 0 : (value << shift) >>> shift;
  if (value !== filled)
    validation.fail(
      instruction,
      "number-bits",
      `a number of ${type.bits} bits has others above them`,
      cursor.offset - (validation.module.offsets[instruction] ?? 0),
    );
}

/** Every operand, and what it needs. False: something is malformed, later layers would read nonsense. */
export function checkDeclared(validation: Validation): boolean {
  const { module } = validation;
  readDeclarations(validation);
  const cursor = new OperandCursor(module);
  for (let at = 0; at < module.count && !validation.isFull; at++) {
    const opcode = module.opcodes[at] ?? 0;
    const row = opRow(opcode);
    if (row === undefined) continue;
    const found = lack(validation, row, row.name);
    if (found !== null) validation.fail(at, found.rule, found.message);
    cursor.begin(at);
    while (cursor.next())
      if (cursor.kind === KIND_NUMBER) checkNumber(validation, cursor, at);
      else if (cursor.kind >= KIND_ENUMERATION || cursor.kind === KIND_OPCODE)
        checkOperand(validation, cursor, at, opcode);
    // Translators write ~0 for a filter that nobody chose, as the last operand.
    const isOpen = validation.isLenient && opcode === CONSTANT_SAMPLER && cursor.rule === "enumerant";
    if (cursor.problem !== "" && !isOpen) {
      validation.fail(at, cursor.rule as ValidationRuleName, cursor.problem, cursor.offset - (module.offsets[at] ?? 0));
      return false;
    }
    if (opcode === EXT_INST_IMPORT) {
      const name = module.imports.get(module.results[at] ?? 0) ?? "";
      if (name.startsWith("NonSemantic.")) {
        if (!isDeclared(validation, NON_SEMANTIC))
          validation.fail(at, "extension", `the set "${name}" needs the extension ${NON_SEMANTIC}`);
      } else if (!EXTENDED_SETS.has(name) && !name.startsWith("SPV_"))
        validation.fail(at, "extended-set", `there is no extended set "${name}"`);
    }
  }
  return validation.errors.length === 0;
}
