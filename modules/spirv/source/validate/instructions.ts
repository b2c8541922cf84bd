// SPDX-License-Identifier: Apache-2.0
// The layer of instructions whose operands depend on more than their types: a row for each that needs code. Memory,
// composites, calls, and the pointers of logical addressing.
import type { OpName } from "../generated/names.ts";
import { OP_ROWS, enumerant, opcodeOf } from "../grammar/tables.ts";
import { partCount, partType } from "./constants.ts";
import { IMAGE_ROWS } from "./images.ts";
import { checkAccess, checkAtomic } from "./memory-model.ts";
import { SPECIAL_ROWS } from "./special.ts";
import type { Validation } from "./validation.ts";

type Check = (validation: Validation, at: number) => void;

const STRUCT = opcodeOf("OpTypeStruct");
const FUNCTION = opcodeOf("OpFunction");
const FUNCTION_END = opcodeOf("OpFunctionEnd");
const TYPE_FUNCTION = opcodeOf("OpTypeFunction");
const RUNTIME_ARRAY = opcodeOf("OpTypeRuntimeArray");
const FUNCTION_CALL = opcodeOf("OpFunctionCall");
const IMAGE = opcodeOf("OpTypeImage");
const SAMPLED_IMAGE = opcodeOf("OpTypeSampledImage");
const SAMPLER = opcodeOf("OpTypeSampler");
const INPUT = enumerant("StorageClass", "Input");
const PUSH_CONSTANT = enumerant("StorageClass", "PushConstant");
const UNIFORM_CONSTANT = enumerant("StorageClass", "UniformConstant");
const LOGICAL = enumerant("AddressingModel", "Logical");
const MEMORY_MODEL = opcodeOf("OpMemoryModel");

function operand(validation: Validation, at: number, word: number): number {
  return validation.typeOf(validation.word(at, word));
}

function wrongType(validation: Validation, at: number, word: number, what: string): void {
  validation.fail(at, "operand-type", `%${validation.word(at, word)} is not ${what}`, word);
}

/** Walks from a type down by the ids or literals at words; 0: it has been noted that there is no such part. */
function walk(validation: Validation, at: number, type: number, begin: number, isLiteral: boolean): number {
  let current = type;
  for (let word = begin; word < validation.size(at); word++) {
    const raw = validation.word(at, word);
    if (!isLiteral && !validation.isInt(validation.typeOf(raw))) {
      wrongType(validation, at, word, "an integer");
      return 0;
    }
    const index = isLiteral ? raw : validation.constant(raw);
    const isStruct = validation.op(current) === STRUCT;
    if (isStruct && index === null) {
      validation.fail(at, "index", `%${raw} chooses a member of a structure and is no constant`, word);
      return 0;
    }
    const count = partCount(validation, current);
    const next = partType(validation, current, index ?? 0);
    const isBeyond = (isLiteral || isStruct) && count !== null && index !== null && index >= count;
    if (next === 0 || isBeyond) {
      const has = count === null || next === 0 ? "no such part" : `${count} parts`;
      validation.fail(at, "index", `%${current} has ${has}, there is no part ${index ?? ""}`, word);
      return 0;
    }
    current = next;
  }
  return current;
}

/** A chain of indices from a pointer, whose first `skipped` operands move over whole elements. */
function checkChain(skipped: number): Check {
  return (validation, at) => {
    const base = operand(validation, at, 3);
    const result = validation.word(at, 1);
    if (!validation.isPointer(base)) {
      wrongType(validation, at, 3, "a pointer");
      return;
    }
    if (!validation.isPointer(result)) {
      validation.fail(at, "result-type", "the result is no pointer", 1);
      return;
    }
    if (validation.storageClass(base) !== validation.storageClass(result))
      validation.fail(at, "result-type", "the result has another storage class than its base", 1);
    const end = walk(validation, at, validation.pointee(base), 4 + skipped, false);
    if (end !== 0 && end !== validation.pointee(result))
      validation.fail(
        at,
        "result-type",
        `the indices lead to %${end}, the result points to %${validation.pointee(result)}`,
        1,
      );
  };
}

function checkCopy(validation: Validation, at: number, operands: number): boolean {
  const target = operand(validation, at, 1);
  const source = operand(validation, at, 2);
  if (!validation.isPointer(target)) wrongType(validation, at, 1, "a pointer");
  else if (!validation.isPointer(source)) wrongType(validation, at, 2, "a pointer");
  else {
    checkAccess(validation, at, operands, target);
    return true;
  }
  return false;
}

/** True for a vector of booleans, which LLVM's optimiser takes for an int with a bit for each. */
function isMask(validation: Validation, type: number): boolean {
  return validation.isVector(type) && validation.isBool(validation.component(type));
}

/** How many bits a scalar, vector or pointer has; 0: nobody knows. */
function bitsOf(validation: Validation, type: number): number {
  return validation.width(type) * validation.components(type);
}

/** Casts between Generic and another storage class keep what is pointed to. */
function checkCast(validation: Validation, at: number): void {
  if (validation.pointee(operand(validation, at, 3)) !== validation.pointee(validation.word(at, 1)))
    validation.fail(at, "operand-type", "the result points to another type", 3);
}

const ROWS: Partial<Readonly<Record<OpName, Check>>> = {
  OpLoad: (validation, at) => {
    const type = operand(validation, at, 3);
    if (!validation.isPointer(type)) wrongType(validation, at, 3, "a pointer");
    else if (validation.pointee(type) !== validation.word(at, 1))
      validation.fail(at, "result-type", `the pointer points to %${validation.pointee(type)}`, 1);
    else if (validation.isVoid(validation.word(at, 1)) || validation.op(validation.word(at, 1)) === RUNTIME_ARRAY)
      validation.fail(at, "result-type", "what is loaded has no values", 1);
    checkAccess(validation, at, 4, type);
  },
  OpStore: (validation, at) => {
    const type = operand(validation, at, 1);
    if (!validation.isPointer(type)) {
      wrongType(validation, at, 1, "a pointer");
      return;
    }
    if (validation.pointee(type) !== operand(validation, at, 2))
      wrongType(validation, at, 2, `of the type %${validation.pointee(type)} to which the pointer points`);
    const storage = validation.storageClass(type);
    if (storage === INPUT || storage === PUSH_CONSTANT || (storage === UNIFORM_CONSTANT && validation.isShader))
      validation.fail(at, "storage-class", "this storage class is only read", 1);
    checkAccess(validation, at, 3, type);
  },
  OpCopyMemory: (validation, at) => {
    if (
      checkCopy(validation, at, 3) &&
      validation.pointee(operand(validation, at, 1)) !== validation.pointee(operand(validation, at, 2))
    )
      validation.fail(at, "operand-type", "the pointers point to different types", 2);
  },
  OpCopyMemorySized: (validation, at) => {
    if (!checkCopy(validation, at, 4)) return;
    if (!validation.isInt(operand(validation, at, 3))) wrongType(validation, at, 3, "an integer");
    else if (validation.constant(validation.word(at, 3)) === 0) validation.fail(at, "operand-type", "the size is 0", 3);
  },
  OpPtrCastToGeneric: checkCast,
  OpGenericCastToPtr: checkCast,
  OpAccessChain: checkChain(0),
  OpInBoundsAccessChain: checkChain(0),
  OpPtrAccessChain: checkChain(1),
  OpInBoundsPtrAccessChain: checkChain(1),
  OpCompositeExtract: (validation, at) => {
    const end = walk(validation, at, operand(validation, at, 3), 4, true);
    if (validation.size(at) < 5) validation.fail(at, "operand-count", "there is no index", 3);
    else if (end !== 0 && end !== validation.word(at, 1))
      validation.fail(at, "result-type", `the part has the type %${end}`, 1);
  },
  OpCompositeInsert: (validation, at) => {
    const composite = operand(validation, at, 4);
    if (composite !== validation.word(at, 1)) wrongType(validation, at, 4, "of the result's type");
    const end = walk(validation, at, composite, 5, true);
    if (validation.size(at) < 6) validation.fail(at, "operand-count", "there is no index", 4);
    else if (end !== 0 && end !== operand(validation, at, 3)) wrongType(validation, at, 3, "of the type of the part");
  },
  OpCompositeConstruct: (validation, at) => {
    const type = validation.word(at, 1);
    const parts = validation.size(at) - 3;
    const count = partCount(validation, type);
    if (partType(validation, type, 0) === 0 && count !== 0) {
      validation.fail(at, "result-type", "the result is no composite", 1);
      return;
    }
    if (validation.isVector(type)) {
      let components = 0;
      for (let word = 3; word < 3 + parts; word++) {
        const one = operand(validation, at, word);
        if (validation.component(one) !== validation.component(type) || validation.isMatrix(one))
          wrongType(validation, at, word, "of the type of the components, or a vector of such");
        components += validation.components(one);
      }
      if (components !== count || (parts < 2 && count > 1))
        validation.fail(at, "operand-count", `there are ${components} components for ${count ?? 0}`, 3);
      return;
    }
    if (count !== null && parts !== count)
      validation.fail(at, "operand-count", `there are ${parts} parts for ${count}`, 3);
    else
      for (let part = 0; part < parts && !validation.isFull; part++)
        if (operand(validation, at, 3 + part) !== partType(validation, type, part))
          wrongType(validation, at, 3 + part, "of the type of its part");
  },
  OpVectorShuffle: (validation, at) => {
    const type = validation.word(at, 1);
    const [one, other] = [operand(validation, at, 3), operand(validation, at, 4)];
    if (!validation.isVector(type)) validation.fail(at, "result-type", "the result is no vector", 1);
    else if (!validation.isVector(one)) wrongType(validation, at, 3, "a vector");
    else if (!validation.isVector(other)) wrongType(validation, at, 4, "a vector");
    else if (
      validation.component(one) !== validation.component(type) ||
      validation.component(other) !== validation.component(type)
    )
      validation.fail(at, "operand-type", "the vectors have other components than the result", 3);
    else if (validation.size(at) - 5 !== validation.components(type))
      validation.fail(
        at,
        "operand-count",
        `there are ${validation.size(at) - 5} components for ${validation.components(type)}`,
        5,
      );
    else
      for (let word = 5; word < validation.size(at); word++) {
        const index = validation.word(at, word);
        if (index !== 0xffffffff && index >= validation.components(one) + validation.components(other))
          validation.fail(at, "index", `there is no component ${index}`, word);
      }
  },
  OpVectorExtractDynamic: (validation, at) => {
    if (validation.component(operand(validation, at, 3)) !== validation.word(at, 1))
      validation.fail(at, "result-type", "the result is not of the type of the components", 1);
  },
  OpSelect: (validation, at) => {
    const condition = operand(validation, at, 3);
    const type = validation.word(at, 1);
    const isWhole = validation.isBool(condition) && validation.module.version >= 0x10400;
    if (!isWhole && validation.components(condition) !== validation.components(type))
      validation.fail(at, "select-shape", `%${validation.word(at, 3)} has not as many components as the result`, 3);
  },
  OpBitcast: (validation, at) => {
    const type = validation.word(at, 1);
    const from = operand(validation, at, 3);
    const bits = bitsOf(validation, type);
    const isPointer = validation.isPointer(type);
    if (bits === 0 && !isPointer)
      validation.fail(at, "result-type", "the result is neither a pointer nor made of numbers", 1);
    else if (validation.isLenient && isMask(validation, from) && validation.components(from) === bits) return;
    else if (bitsOf(validation, from) === 0 && !validation.isPointer(from))
      wrongType(validation, at, 3, "a pointer or made of numbers");
    else if (bits !== bitsOf(validation, from) && !isPointer && !validation.isPointer(from))
      validation.fail(at, "operand-type", `${bitsOf(validation, from)} bits become ${bits}`, 3);
  },
  OpFunction: (validation, at) => {
    const type = validation.word(at, 4);
    const definition = validation.definition(type);
    if (validation.op(type) !== TYPE_FUNCTION) wrongType(validation, at, 4, "a type of functions");
    else if (validation.word(definition, 2) !== validation.word(at, 1))
      validation.fail(at, "result-type", "the function returns another type than its type says", 1);
  },
  OpFunctionCall: (validation, at) => {
    const callee = validation.definition(validation.word(at, 3));
    const type = validation.definition(validation.word(callee, 4));
    if (validation.word(callee, 1) !== validation.word(at, 1))
      validation.fail(at, "result-type", "the function returns another type", 1);
    const wanted = validation.size(type) - 3;
    const given = validation.size(at) - 4;
    if (wanted !== given) validation.fail(at, "call", `there are ${given} arguments, the function takes ${wanted}`, 4);
    else
      for (let index = 0; index < given && !validation.isFull; index++)
        if (operand(validation, at, 4 + index) !== validation.word(type, 3 + index))
          validation.fail(
            at,
            "call",
            `%${validation.word(at, 4 + index)} has another type than the parameter`,
            4 + index,
          );
  },
  OpReturn: (validation, at) => {
    if (!validation.isVoid(validation.word(validation.functionOf[at] ?? -1, 1)))
      validation.fail(at, "return", "the function returns a value");
  },
  OpReturnValue: (validation, at) => {
    if (operand(validation, at, 1) !== validation.word(validation.functionOf[at] ?? -1, 1))
      validation.fail(at, "return", `%${validation.word(at, 1)} has another type than the function returns`, 1);
  },
  OpSampledImage: (validation, at) => {
    if (validation.op(validation.word(at, 1)) !== SAMPLED_IMAGE)
      validation.fail(at, "result-type", "the result is no sampled image", 1);
    else if (validation.op(operand(validation, at, 3)) !== IMAGE) wrongType(validation, at, 3, "an image");
    else if (validation.op(operand(validation, at, 4)) !== SAMPLER) wrongType(validation, at, 4, "a sampler");
  },
  OpArrayLength: (validation, at) => {
    const pointee = validation.pointee(operand(validation, at, 3));
    const definition = validation.definition(pointee);
    if (validation.op(pointee) !== STRUCT) wrongType(validation, at, 3, "a pointer to a structure");
    else if (
      validation.op(partType(validation, pointee, validation.word(at, 4))) !== RUNTIME_ARRAY ||
      validation.word(at, 4) !== validation.size(definition) - 3
    )
      validation.fail(at, "index", "the member is no array without a length", 4);
  },
};
const rowsOf: (Check[] | undefined)[] = [];
for (const rows of [ROWS, IMAGE_ROWS, SPECIAL_ROWS])
  for (const [name, check] of Object.entries(rows)) (rowsOf[opcodeOf(name as OpName)] ??= []).push(check);
for (const { class: of, opcode } of OP_ROWS.values()) if (of === "Atomic") (rowsOf[opcode] ??= []).push(checkAtomic);

/** Parameters, in the order of the function's type. */
function checkParameters(validation: Validation): void {
  const { opcodes, types, count } = validation.module;
  for (const at of validation.functions) {
    const type = validation.definition(validation.word(at, 4));
    let word = 3;
    for (let one = at + 1; one < count && opcodes[one] === PARAMETER; one++, word++)
      if (types[one] !== validation.word(type, word))
        validation.fail(one, "result-type", "the parameter has another type than the function's type says", 1);
  }
}
const PARAMETER = opcodeOf("OpFunctionParameter");

/** What makes a pointer where addresses are logical. */
const POINTER_MAKERS: ReadonlySet<number> = new Set(
  (
    [
      "OpVariable",
      "OpAccessChain",
      "OpInBoundsAccessChain",
      "OpFunctionParameter",
      "OpImageTexelPointer",
      "OpCopyObject",
      "OpFunctionCall",
    ] as const
  ).map((name) => opcodeOf(name)),
);
const VARIABLE_POINTER_MAKERS: ReadonlySet<number> = new Set(
  (["OpSelect", "OpPhi", "OpPtrAccessChain", "OpLoad", "OpConstantNull", "OpUndef"] as const).map((name) =>
    opcodeOf(name),
  ),
);
const STORAGE_BUFFER = enumerant("StorageClass", "StorageBuffer");
const WORKGROUP = enumerant("StorageClass", "Workgroup");
const UNDEF = opcodeOf("OpUndef");
const PHYSICAL_STORAGE = enumerant("StorageClass", "PhysicalStorageBuffer");

function checkPointers(validation: Validation): void {
  const { opcodes, types, count } = validation.module;
  let isLogical = false;
  for (let at = 0; at < count && !validation.isFull; at++) {
    const opcode = opcodes[at] ?? 0;
    if (opcode === MEMORY_MODEL) isLogical = validation.word(at, 1) === LOGICAL;
    if (!isLogical || (validation.functionOf[at] ?? -1) < 0 || !validation.isPointer(types[at] ?? 0)) continue;
    if (opcode === FUNCTION || POINTER_MAKERS.has(opcode)) continue;
    if (validation.storageClass(types[at] ?? 0) === PHYSICAL_STORAGE) continue;
    const storage = validation.storageClass(types[at] ?? 0);
    const isVariable =
      VARIABLE_POINTER_MAKERS.has(opcode) &&
      ((storage === STORAGE_BUFFER && validation.has("VariablePointersStorageBuffer")) ||
        (storage === WORKGROUP && validation.has("VariablePointers")) ||
        opcode === UNDEF);
    if (!isVariable) validation.fail(at, "logical-pointer", "a logical pointer does not come from here", 1);
  }
}

/** Shaders: no function calls itself over others. A walk over the graph of calls on a worklist. */
function checkRecursion(validation: Validation): void {
  const { opcodes, count } = validation.module;
  if (!validation.isShader || validation.isKernel) return;
  // Where the walk over a function's instructions stands, by its OpFunction; 0: not begun; -1: done.
  const next = new Int32Array(count);
  const stack: number[] = [];
  for (const first of validation.functions) {
    if (next[first] !== 0) continue;
    stack.push(first);
    for (let from = stack.at(-1); from !== undefined; from = stack.at(-1)) {
      let at = next[from] === 0 ? from + 1 : (next[from] ?? 0);
      while (at < count && opcodes[at] !== FUNCTION_END && opcodes[at] !== FUNCTION_CALL) at++;
      if (opcodes[at] !== FUNCTION_CALL) {
        next[from] = -1;
        stack.pop();
        continue;
      }
      next[from] = at + 1;
      const to = validation.definition(validation.word(at, 3));
      if (next[to] === 0) stack.push(to);
      else if ((next[to] ?? 0) > 0) {
        validation.fail(at, "recursion", "this call leads back to its function", 3);
        return;
      }
    }
  }
}

/** Every instruction that has a row, parameters, pointers, calls. */
export function checkInstructions(validation: Validation): void {
  const { opcodes, count } = validation.module;
  for (let at = 0; at < count && !validation.isFull; at++) {
    const rows = rowsOf[opcodes[at] ?? 0];
    if (rows !== undefined) for (const check of rows) check(validation, at);
  }
  checkParameters(validation);
  checkPointers(validation);
  checkRecursion(validation);
}
