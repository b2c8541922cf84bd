// SPDX-License-Identifier: Apache-2.0
// The layer of types: a row for each instruction that declares one. Rows note what is wrong; they see the instruction's
// words, of which 1 is the type's own id.
import type { OpName } from "../generated/names.ts";
import { enumerant, opcodeOf } from "../grammar/tables.ts";
import { InstructionSet } from "./instruction-set.ts";
import type { Validation } from "./validation.ts";

type Check = (validation: Validation, at: number) => void;

const TYPE_FUNCTION = opcodeOf("OpTypeFunction");
const RUNTIME_ARRAY = opcodeOf("OpTypeRuntimeArray");
const IMAGE = opcodeOf("OpTypeImage");
const POINTER = opcodeOf("OpTypePointer");
const ARRAY = opcodeOf("OpTypeArray");
const STRUCT = opcodeOf("OpTypeStruct");
const FUNCTION = opcodeOf("OpFunction");
const FORWARD_POINTER = opcodeOf("OpTypeForwardPointer");
const SPEC_CONSTANTS: ReadonlySet<number> = new Set(
  (["OpSpecConstant", "OpSpecConstantOp"] as const).map((name) => opcodeOf(name)),
);
const UNIQUE_ANYWAY: ReadonlySet<number> = new Set([ARRAY, RUNTIME_ARRAY, STRUCT, POINTER]);
const SUBPASS_DATA = enumerant("Dim", "SubpassData");

/** True for types whose values can be in structures, arrays and parameters. */
function hasValues(validation: Validation, type: number): boolean {
  return validation.isType(type) && !validation.isVoid(type) && validation.op(type) !== TYPE_FUNCTION;
}

const SMALL_INT = [
  "Int8",
  "StorageBuffer8BitAccess",
  "UniformAndStorageBuffer8BitAccess",
  "StoragePushConstant8",
] as const;
const SMALL_INT_16 = [
  "Int16",
  "StorageBuffer16BitAccess",
  "UniformAndStorageBuffer16BitAccess",
  "StoragePushConstant16",
  "StorageInputOutput16",
] as const;
const HALF = [
  "Float16",
  "Float16Buffer",
  "StorageBuffer16BitAccess",
  "UniformAndStorageBuffer16BitAccess",
  "StoragePushConstant16",
  "StorageInputOutput16",
] as const;
type Names = readonly Parameters<Validation["has"]>[0][];
const INT_WIDTHS: Readonly<Record<number, Names>> = {
  8: SMALL_INT,
  16: SMALL_INT_16,
  32: [],
  64: ["Int64"],
};
const FLOAT_WIDTHS: Readonly<Record<number, Names>> = { 16: HALF, 32: [], 64: ["Float64"] };

function checkWidth(
  validation: Validation,
  at: number,
  widths: Readonly<Record<number, Names>>,
  rule: "type-int" | "type-float",
): void {
  const width = validation.word(at, 2);
  const names = widths[width];
  if (names === undefined) validation.fail(at, rule, `there are no ${rule.slice(5)}s of ${width} bits`, 2);
  else if (names.length > 0 && !names.some((name) => validation.has(name)))
    validation.fail(at, rule, `${rule.slice(5)}s of ${width} bits need the capability ${names[0] ?? ""}`, 2);
}

/** Zero to one, or another range of a word. */
function checkRange(validation: Validation, at: number, word: number, most: number, what: string): void {
  const value = validation.word(at, word);
  if (value > most) validation.fail(at, "type-image", `${what} is ${value}, at most ${most} is allowed`, word);
}

const ROWS: Partial<Readonly<Record<OpName, Check>>> = {
  OpTypeInt: (validation, at) => {
    checkWidth(validation, at, INT_WIDTHS, "type-int");
    const signedness = validation.word(at, 3);
    if (signedness > 1) validation.fail(at, "type-int", `the signedness is ${signedness}, not 0 or 1`, 3);
    else if (signedness === 1 && validation.isKernel && !validation.isShader)
      validation.fail(at, "type-int", "integers of kernels have the signedness 0", 3);
  },
  OpTypeFloat: (validation, at) => {
    checkWidth(validation, at, FLOAT_WIDTHS, "type-float");
  },
  OpTypeVector: (validation, at) => {
    const count = validation.word(at, 3);
    if (!validation.isScalar(validation.word(at, 2)))
      validation.fail(at, "type-vector", "the components of a vector are no scalars", 2);
    if ((count < 2 || count > 4) && !((count === 8 || count === 16) && validation.has("Vector16")))
      validation.fail(
        at,
        "type-vector",
        `a vector has ${count} components; 2, 3, 4, and with Vector16 8 and 16 are allowed`,
        3,
      );
  },
  OpTypeMatrix: (validation, at) => {
    const column = validation.word(at, 2);
    if (!validation.isVector(column) || !validation.isFloat(validation.component(column)))
      validation.fail(at, "type-matrix", "the columns of a matrix are no vectors of floats", 2);
    const count = validation.word(at, 3);
    if (count < 2 || count > 4) validation.fail(at, "type-matrix", `a matrix has ${count} columns, not 2 to 4`, 3);
  },
  OpTypeArray: (validation, at) => {
    if (!hasValues(validation, validation.word(at, 2)))
      validation.fail(at, "type-array", "the elements of an array have a type without values", 2);
    if (validation.op(validation.word(at, 2)) === RUNTIME_ARRAY && validation.environment === "vulkan")
      validation.fail(at, "type-array", "the elements of an array are arrays without a length", 2);
    const length = validation.word(at, 3);
    const definition = validation.definition(length);
    const isOpen = SPEC_CONSTANTS.has(validation.module.opcodes[definition] ?? -1);
    if (!validation.isInt(validation.typeOf(length)))
      validation.fail(at, "type-array", "the length of an array is no integer", 3);
    else if (!isOpen) {
      const value = validation.constant(length);
      const isNegative = (validation.word(definition, validation.size(definition) - 1) | 0) < 0;
      const isSigned = !validation.isUnsigned(validation.typeOf(length));
      const isLarge = validation.size(definition) > 4 && value === null;
      if (value === 0 || (isSigned && isNegative) || (value === null && !isLarge))
        validation.fail(at, "type-array", "the length of an array is no positive constant", 3);
    }
  },
  OpTypeRuntimeArray: (validation, at) => {
    if (!hasValues(validation, validation.word(at, 2)))
      validation.fail(at, "type-array", "the elements of an array have a type without values", 2);
  },
  OpTypeStruct: (validation, at) => {
    const size = validation.size(at);
    for (let word = 2; word < size; word++) {
      const member = validation.word(at, word);
      if (!hasValues(validation, member))
        validation.fail(at, "type-struct", `%${member} is a type without values`, word);
      else if (validation.op(member) === RUNTIME_ARRAY && word + 1 < size && validation.isShader)
        validation.fail(at, "type-struct", "an array without a length is not the last member", word);
    }
  },
  OpTypeForwardPointer: (validation, at) => {
    const type = validation.word(at, 1);
    if (!validation.isPointer(type)) validation.fail(at, "type-pointer", `%${type} is no pointer`, 1);
    else if (validation.storageClass(type) !== validation.word(at, 2))
      validation.fail(at, "type-pointer", "the pointer has another storage class than was announced", 2);
  },
  OpTypeFunction: (validation, at) => {
    for (let word = 3; word < validation.size(at); word++)
      if (!hasValues(validation, validation.word(at, word)))
        validation.fail(at, "type-function", `%${validation.word(at, word)} is a type without values`, word);
    if (validation.op(validation.word(at, 2)) === TYPE_FUNCTION)
      validation.fail(at, "type-function", "a function returns a function", 2);
  },
  OpTypeImage: (validation, at) => {
    const sampled = validation.word(at, 2);
    if (!validation.isVoid(sampled) && !validation.isInt(sampled) && !validation.isFloat(sampled))
      validation.fail(at, "type-image", "the sampled type is neither void nor a number", 2);
    checkRange(validation, at, 4, 2, "depth");
    checkRange(validation, at, 5, 1, "arrayed");
    checkRange(validation, at, 6, 1, "multisampled");
    checkRange(validation, at, 7, 2, "sampled");
    if (validation.word(at, 3) === SUBPASS_DATA && validation.word(at, 7) !== 2)
      validation.fail(at, "type-image", "an image of SubpassData is not sampled", 7);
    if (validation.environment === "opencl" && !validation.isVoid(sampled))
      validation.fail(at, "environment", "the sampled type of a kernel's image is void", 2);
    if (validation.environment === "vulkan" && validation.isVoid(sampled))
      validation.fail(at, "environment", "the sampled type of a shader's image is a number", 2);
  },
  OpTypeSampledImage: (validation, at) => {
    if (validation.op(validation.word(at, 2)) !== IMAGE)
      validation.fail(at, "type-image", "a sampled image is made of something that is no image", 2);
  },
};
const rowOf: (Check | undefined)[] = [];
for (const [name, check] of Object.entries(ROWS)) rowOf[opcodeOf(name as OpName)] = check;

/** A number for the words of a type behind its id; equal types have equal numbers. */
function hashOf(validation: Validation, at: number): number {
  let hash = validation.module.opcodes[at] ?? 0;
  for (let word = 2; word < validation.size(at); word++) hash = Math.imul(hash ^ validation.word(at, word), 0x01000193);
  return hash;
}

function isSame(validation: Validation, a: number, b: number): boolean {
  if (validation.module.opcodes[a] !== validation.module.opcodes[b] || validation.size(a) !== validation.size(b))
    return false;
  for (let word = 2; word < validation.size(a); word++)
    if (validation.word(a, word) !== validation.word(b, word)) return false;
  return true;
}

/** Every type. */
export function checkTypes(validation: Validation): boolean {
  const { opcodes, results, count } = validation.module;
  const known = new InstructionSet({
    hash: (at) => hashOf(validation, at),
    isSame: (one, other) => isSame(validation, one, other),
  });
  for (let at = 0; at < count && opcodes[at] !== FUNCTION && !validation.isFull; at++) {
    const opcode = opcodes[at] ?? 0;
    rowOf[opcode]?.(validation, at);
    if (opcode === FORWARD_POINTER || UNIQUE_ANYWAY.has(opcode) || !validation.isType(results[at] ?? 0)) continue;
    const other = known.add(at);
    if (other >= 0) validation.fail(at, "type-unique", `%${results[other] ?? 0} is the same type`, 1);
  }
  return validation.errors.length === 0;
}
