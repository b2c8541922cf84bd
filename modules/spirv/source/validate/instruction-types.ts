// SPDX-License-Identifier: Apache-2.0
// The layer of types of results and operands: instruction.table.ts as checks.
import { OperandCursor } from "../binary/cursor.ts";
import type { OpName } from "../generated/names.ts";
import { KIND_ID, KIND_RESULT, KIND_SCOPE, KIND_SEMANTICS, KIND_TYPE } from "../grammar/kinds.ts";
import { enumerant, opcodeOf } from "../grammar/tables.ts";
import { TYPE_RULES } from "./instruction.table.ts";
import type { Validation } from "./validation.ts";

/** What a word of a column says of a type; `result` and `first` are those of the result and the first operand. */
type Test = (validation: Validation, type: number, result: number, first: number) => boolean;

/** What a value is called in a message, and whether it holds. */
interface Word {
  readonly what: string;
  readonly test: Test;
}

const componentIs =
  (is: (validation: Validation, type: number) => boolean): Test =>
  (validation, type) =>
    (validation.isScalar(type) || validation.isVector(type)) && is(validation, validation.component(type));

const WORDS: Readonly<Record<string, Word>> = {
  any: { what: "a value", test: () => true },
  int: { what: "an integer or a vector of integers", test: componentIs((v, type) => v.isInt(type)) },
  uint: { what: "an unsigned integer or a vector of such", test: componentIs((v, type) => v.isUnsigned(type)) },
  float: { what: "a float or a vector of floats", test: componentIs((v, type) => v.isFloat(type)) },
  bool: { what: "a boolean or a vector of booleans", test: componentIs((v, type) => v.isBool(type)) },
  number: { what: "a number or a vector of numbers", test: componentIs((v, type) => !v.isBool(type)) },
  scalar: { what: "a scalar", test: (v, type) => v.isScalar(type) },
  vector: { what: "a vector", test: (v, type) => v.isVector(type) },
  matrix: { what: "a matrix", test: (v, type) => v.isMatrix(type) },
  pointer: { what: "a pointer", test: (v, type) => v.isPointer(type) },
  same: { what: "of the result's type", test: (_, type, result) => type === result },
  component: {
    what: "of the type of the result's components",
    test: (v, type, result) => type === v.component(result),
  },
  shape: {
    what: "of as many components as the result",
    test: (v, type, result) => v.components(type) === v.components(result),
  },
  width: { what: "of as many bits as the result", test: (v, type, result) => v.width(type) === v.width(result) },
  resized: { what: "of other bits than the result", test: (v, type, result) => v.width(type) !== v.width(result) },
  same1: { what: "of the first operand's type", test: (_, type, _result, first) => type === first },
  width1: {
    what: "of as many bits as the first operand",
    test: (v, type, _, first) => v.width(type) === v.width(first),
  },
  pointee: {
    what: "a pointer to the result's type",
    test: (v, type, result) => v.isPointer(type) && v.pointee(type) === result,
  },
  target1: {
    what: "of the type to which the first operand points",
    test: (v, type, _, first) => v.pointee(first) === type,
  },
};

/** The columns of an instruction. */
interface Columns {
  readonly result: readonly Word[];
  readonly operands: readonly (readonly Word[])[];
}

const columnsOf: (Columns | undefined)[] = [];
for (const line of TYPE_RULES.trim().split("\n")) {
  const [names = [], ...cells] = line.split(" | ").map((cell) => cell.trim().split(" "));
  const [result = [], ...operands] = cells.map((words) =>
    words.flatMap((word) => (word === "-" || WORDS[word] === undefined ? [] : [WORDS[word]])),
  );
  for (const name of names) columnsOf[opcodeOf(name as OpName)] = { result, operands };
}

/** Instructions that have a row. */
export function hasTypeRule(opcode: number): boolean {
  return columnsOf[opcode] !== undefined;
}

const SPEC_CONSTANT_OP = opcodeOf("OpSpecConstantOp");
const SCOPES = enumerant("Scope", "ShaderCallKHR");
const ORDERS =
  enumerant("MemorySemantics", "Acquire") |
  enumerant("MemorySemantics", "Release") |
  enumerant("MemorySemantics", "AcquireRelease") |
  enumerant("MemorySemantics", "SequentiallyConsistent");
const SEQUENTIAL = enumerant("MemorySemantics", "SequentiallyConsistent");
const RELEASES = enumerant("MemorySemantics", "Release") | enumerant("MemorySemantics", "AcquireRelease");
const ACQUIRES = enumerant("MemorySemantics", "Acquire") | enumerant("MemorySemantics", "AcquireRelease");
const ATOMIC_LOAD = opcodeOf("OpAtomicLoad");
const ATOMIC_STORE = opcodeOf("OpAtomicStore");

function checkScope(validation: Validation, at: number, id: number, word: number): void {
  const type = validation.typeOf(id);
  const value = validation.constant(id);
  if (!validation.isInt(type) || validation.width(type) !== 32)
    validation.fail(at, "scope", `the scope %${id} is no integer of 32 bits`, word);
  else if (value !== null && value > SCOPES) validation.fail(at, "scope", `there is no scope ${value}`, word);
  else if (validation.isShader && !validation.isKernel && value === null && !isSpecialized(validation, id))
    validation.fail(at, "scope", `the scope %${id} is no constant`, word);
}

/** True for specialization constants, whose value nobody knows yet. */
function isSpecialized(validation: Validation, id: number): boolean {
  const opcode = validation.op(id);
  return opcode === SPEC_CONSTANT_OP || opcode === opcodeOf("OpSpecConstant");
}

function checkSemantics(validation: Validation, at: number, id: number, word: number): void {
  const type = validation.typeOf(id);
  const value = validation.constant(id);
  const opcode = validation.module.opcodes[at];
  if (!validation.isInt(type) || validation.width(type) !== 32)
    validation.fail(at, "semantics", `the memory semantics %${id} are no integer of 32 bits`, word);
  else if (value === null) {
    if (validation.isShader && !validation.isKernel && !isSpecialized(validation, id))
      validation.fail(at, "semantics", `the memory semantics %${id} are no constant`, word);
  } else {
    const order = value & ORDERS;
    if ((order & (order - 1)) !== 0)
      validation.fail(at, "semantics", `the memory semantics ${value} have several orders`, word);
    if (opcode === ATOMIC_LOAD && (order & RELEASES) !== 0)
      validation.fail(at, "semantics", "a load does not release", word);
    if (opcode === ATOMIC_STORE && (order & ACQUIRES) !== 0)
      validation.fail(at, "semantics", "a store does not acquire", word);
    if (order === SEQUENTIAL && validation.has("VulkanMemoryModel"))
      validation.fail(at, "semantics", "the Vulkan memory model has no sequential consistency", word);
  }
}

/** Columns of the operation in OpSpecConstantOp, or of the instruction. */
function columns(validation: Validation, at: number, opcode: number): Columns | undefined {
  return columnsOf[opcode === SPEC_CONSTANT_OP ? validation.word(at, 3) : opcode];
}

/** The types of every instruction that has a row, and every scope and every memory semantics. */
export function checkInstructionTypes(validation: Validation): void {
  const { module } = validation;
  const { opcodes, types, offsets, count } = module;
  const cursor = new OperandCursor(module);
  for (let at = 0; at < count && !validation.isFull; at++) {
    const opcode = opcodes[at] ?? 0;
    const rule = columns(validation, at, opcode);
    const result = types[at] ?? 0;
    if (rule !== undefined)
      for (const { what, test } of rule.result)
        if (!test(validation, result, result, 0)) {
          validation.fail(at, "result-type", `the result is not ${what}`, 1);
          break;
        }
    let place = 0;
    let first = 0;
    cursor.begin(at);
    while (cursor.next()) {
      const { kind, value } = cursor;
      if (kind > KIND_SEMANTICS || kind === KIND_RESULT || kind === KIND_TYPE) continue;
      const word = cursor.offset - (offsets[at] ?? 0);
      if (kind === KIND_SCOPE) checkScope(validation, at, value, word);
      else if (kind === KIND_SEMANTICS) checkSemantics(validation, at, value, word);
      const type = kind === KIND_ID ? validation.typeOf(value) : 0;
      if (place === 0) first = type;
      const wanted = rule?.operands[place++];
      if (wanted === undefined || kind !== KIND_ID) continue;
      for (const { what, test } of wanted)
        if (!test(validation, type, result, first)) {
          validation.fail(at, "operand-type", `%${value} is not ${what}`, word);
          break;
        }
    }
  }
}
