// SPDX-License-Identifier: Apache-2.0
// The layer of constants and of variables outside of functions.
import type { OpName } from "../generated/names.ts";
import { OP_ROWS, enumerant, opRow, opcodeOf } from "../grammar/tables.ts";
import type { Validation } from "./validation.ts";

type Check = (validation: Validation, at: number) => void;

const VECTOR = opcodeOf("OpTypeVector");
const MATRIX = opcodeOf("OpTypeMatrix");
const ARRAY = opcodeOf("OpTypeArray");
const STRUCT = opcodeOf("OpTypeStruct");
const RUNTIME_ARRAY = opcodeOf("OpTypeRuntimeArray");
const SAMPLER = opcodeOf("OpTypeSampler");
const FUNCTION = opcodeOf("OpFunction");
const VARIABLE = opcodeOf("OpVariable");
const UNDEF = opcodeOf("OpUndef");
const FUNCTION_CLASS = enumerant("StorageClass", "Function");
const NULLABLE_NOT: ReadonlySet<number> = new Set(
  (
    [
      "OpTypeVoid",
      "OpTypeFunction",
      "OpTypeImage",
      "OpTypeSampler",
      "OpTypeSampledImage",
      "OpTypeRuntimeArray",
      "OpTypeOpaque",
    ] as const
  ).map((name) => opcodeOf(name)),
);

/** Operations of OpSpecConstantOp: for every module, for shaders, for kernels. */
const OPERATIONS: Readonly<Record<"any" | "Shader" | "Kernel", readonly OpName[]>> = {
  any: [
    "OpSConvert",
    "OpUConvert",
    "OpFConvert",
    "OpSNegate",
    "OpNot",
    "OpIAdd",
    "OpISub",
    "OpIMul",
    "OpUDiv",
    "OpSDiv",
    "OpUMod",
    "OpSRem",
    "OpSMod",
    "OpShiftRightLogical",
    "OpShiftRightArithmetic",
    "OpShiftLeftLogical",
    "OpBitwiseOr",
    "OpBitwiseXor",
    "OpBitwiseAnd",
    "OpVectorShuffle",
    "OpCompositeExtract",
    "OpCompositeInsert",
    "OpLogicalOr",
    "OpLogicalAnd",
    "OpLogicalNot",
    "OpLogicalEqual",
    "OpLogicalNotEqual",
    "OpSelect",
    "OpIEqual",
    "OpINotEqual",
    "OpULessThan",
    "OpSLessThan",
    "OpUGreaterThan",
    "OpSGreaterThan",
    "OpULessThanEqual",
    "OpSLessThanEqual",
    "OpUGreaterThanEqual",
    "OpSGreaterThanEqual",
    "OpQuantizeToF16",
  ],
  Shader: [],
  Kernel: [
    "OpConvertFToS",
    "OpConvertSToF",
    "OpConvertFToU",
    "OpConvertUToF",
    "OpConvertPtrToU",
    "OpConvertUToPtr",
    "OpGenericCastToPtr",
    "OpPtrCastToGeneric",
    "OpBitcast",
    "OpFNegate",
    "OpFAdd",
    "OpFSub",
    "OpFMul",
    "OpFDiv",
    "OpFRem",
    "OpFMod",
    "OpAccessChain",
    "OpInBoundsAccessChain",
    "OpPtrAccessChain",
    "OpInBoundsPtrAccessChain",
  ],
};
const ANY: ReadonlySet<number> = new Set(OPERATIONS.any.map((name) => opcodeOf(name)));
const KERNEL: ReadonlySet<number> = new Set(OPERATIONS.Kernel.map((name) => opcodeOf(name)));

/** What defines a constant. */
const IS_CONSTANT: readonly boolean[] = (() => {
  const is: boolean[] = [];
  for (const row of OP_ROWS.values()) is[row.opcode] = row.class === "Constant-Creation";
  is[UNDEF] = true;
  return is;
})();

/** True for constants, and for variables outside of functions, whose addresses are constants. */
export function isConstant(validation: Validation, id: number): boolean {
  const opcode = validation.op(id);
  return (
    IS_CONSTANT[opcode] === true || (opcode === VARIABLE && validation.functionOf[validation.definition(id)] === -1)
  );
}

function checkScalar(is: (validation: Validation, type: number) => boolean, what: string): Check {
  return (validation, at) => {
    if (!is(validation, validation.word(at, 1)))
      validation.fail(at, "constant-type", `the type of the constant is no ${what}`, 1);
  };
}

/** The type of each part of a composite: by its number; 0: there is none. */
export function partType(validation: Validation, type: number, part: number): number {
  const definition = validation.definition(type);
  const opcode = validation.module.opcodes[definition];
  if (opcode === STRUCT) return part + 2 < validation.size(definition) ? validation.word(definition, 2 + part) : 0;
  return opcode === VECTOR || opcode === MATRIX || opcode === ARRAY || opcode === RUNTIME_ARRAY
    ? validation.word(definition, 2)
    : 0;
}

/** How many parts a composite has; null: its length is no plain constant. */
export function partCount(validation: Validation, type: number): number | null {
  const definition = validation.definition(type);
  const opcode = validation.module.opcodes[definition];
  if (opcode === STRUCT) return validation.size(definition) - 2;
  if (opcode === VECTOR || opcode === MATRIX) return validation.word(definition, 3);
  return opcode === ARRAY ? validation.constant(validation.word(definition, 3)) : null;
}

function isComposite(validation: Validation, type: number): boolean {
  const opcode = validation.op(type);
  return opcode === STRUCT || opcode === VECTOR || opcode === MATRIX || opcode === ARRAY;
}

function checkComposite(validation: Validation, at: number): void {
  const type = validation.word(at, 1);
  if (!isComposite(validation, type)) {
    validation.fail(at, "constant-type", "the type of the constant is no composite", 1);
    return;
  }
  const parts = validation.size(at) - 3;
  const count = partCount(validation, type);
  if (count !== null && count !== parts) {
    validation.fail(at, "constant-composite", `there are ${parts} parts, the type has ${count}`, 3);
    return;
  }
  for (let part = 0; part < parts && !validation.isFull; part++) {
    const id = validation.word(at, 3 + part);
    if (!isConstant(validation, id)) validation.fail(at, "constant-composite", `%${id} is no constant`, 3 + part);
    else if (validation.typeOf(id) !== partType(validation, type, part))
      validation.fail(at, "constant-composite", `%${id} has another type than the part`, 3 + part);
  }
}

const ROWS: Partial<Readonly<Record<OpName, Check>>> = {
  OpConstantTrue: checkScalar((validation, type) => validation.isBool(type), "boolean"),
  OpConstantFalse: checkScalar((validation, type) => validation.isBool(type), "boolean"),
  OpSpecConstantTrue: checkScalar((validation, type) => validation.isBool(type), "boolean"),
  OpSpecConstantFalse: checkScalar((validation, type) => validation.isBool(type), "boolean"),
  OpConstantSampler: checkScalar((validation, type) => validation.op(type) === SAMPLER, "sampler"),
  OpConstantNull: (validation, at) => {
    if (NULLABLE_NOT.has(validation.op(validation.word(at, 1))))
      validation.fail(at, "constant-type", "the type of the constant has no null", 1);
  },
  OpConstantComposite: checkComposite,
  OpSpecConstantComposite: checkComposite,
  OpSpecConstantOp: (validation, at) => {
    const opcode = validation.word(at, 3);
    const isShaderAccess = validation.isShader && opRow(opcode)?.name === "OpCooperativeMatrixLengthNV";
    if (!ANY.has(opcode) && !isShaderAccess && !(validation.isKernel && KERNEL.has(opcode)))
      validation.fail(at, "constant-operation", `${opRow(opcode)?.name ?? opcode} makes no constant here`, 3);
    for (let word = 4; word < validation.size(at); word++) {
      const name = opRow(opcode)?.name;
      if ((name === "OpVectorShuffle" && word > 5) || (name === "OpCompositeExtract" && word > 4)) break;
      if (name === "OpCompositeInsert" && word > 5) break;
      if (!isConstant(validation, validation.word(at, word)))
        validation.fail(at, "constant-operation", `%${validation.word(at, word)} is no constant`, word);
    }
  },
};
const rowOf: (Check | undefined)[] = [];
for (const [name, check] of Object.entries(ROWS)) rowOf[opcodeOf(name as OpName)] = check;

/** Variables anywhere: their type is a pointer of their storage class, their initialiser a constant of its pointee. */
function checkVariable(validation: Validation, at: number): void {
  const type = validation.word(at, 1);
  const storage = validation.word(at, 3);
  if (!validation.isPointer(type)) {
    validation.fail(at, "result-type", "the type of a variable is no pointer", 1);
    return;
  }
  if (validation.storageClass(type) !== storage)
    validation.fail(at, "storage-class", "a variable has another storage class than its type", 3);
  const isLocal = (validation.functionOf[at] ?? -1) >= 0;
  // LLVM keeps initial values of arrays in functions outside of them, and its translator their storage class.
  const isInitialValue = validation.isLenient && !isLocal && validation.isKernel && validation.size(at) > 4;
  if (isLocal !== (storage === FUNCTION_CLASS) && !isInitialValue)
    validation.fail(
      at,
      "storage-class",
      isLocal
        ? "a variable of a function has the storage class Function"
        : "a variable of the storage class Function stands outside of functions",
      3,
    );
  if (storage === GENERIC) validation.fail(at, "storage-class", "no variable has the storage class Generic", 3);
  if (validation.size(at) > 4) {
    const initialiser = validation.word(at, 4);
    if (!isConstant(validation, initialiser))
      validation.fail(at, "operand-type", `the initialiser %${initialiser} is no constant`, 4);
    else if (validation.typeOf(initialiser) !== validation.pointee(type))
      validation.fail(at, "operand-type", `the initialiser %${initialiser} has another type than the variable`, 4);
  }
}
const GENERIC = enumerant("StorageClass", "Generic");

/** Every constant and variable. */
export function checkConstants(validation: Validation): void {
  const { opcodes, count } = validation.module;
  let isGlobal = true;
  for (let at = 0; at < count && !validation.isFull; at++) {
    const opcode = opcodes[at] ?? 0;
    if (opcode === FUNCTION) isGlobal = false;
    if (opcode === VARIABLE) checkVariable(validation, at);
    else if (isGlobal) rowOf[opcode]?.(validation, at);
  }
}
