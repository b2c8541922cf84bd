// SPDX-License-Identifier: Apache-2.0
// The layer of types of results and operands: instruction.table.ts as checks.
import { OperandCursor } from "../binary/cursor.ts";
import type { ExtendedNames, OpClass, OpName } from "../generated/names.ts";
import { KIND_ID, KIND_RESULT, KIND_SCOPE, KIND_SEMANTICS, KIND_TYPE } from "../grammar/kinds.ts";
import { OP_ROWS, extendedNumber, opcodeOf } from "../grammar/tables.ts";
import { GLSL_RULES, OPENCL_RULES } from "./extended.table.ts";
import { TYPE_RULES } from "./instruction.table.ts";
import { checkScope, checkSemantics } from "./memory-model.ts";
import type { ValidationRuleName } from "./rule.table.ts";
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

type Rules = readonly (Columns | undefined)[];

/** A table's rows by the numbers of its names. */
function readRules(table: string, numberOf: (name: string) => number): Rules {
  const rules: (Columns | undefined)[] = [];
  for (const line of table.trim().split("\n")) {
    const [names = [], ...cells] = line.split(" | ").map((cell) => cell.trim().split(" "));
    const [result = [], ...operands] = cells.map((words) =>
      words.flatMap((word) => (word === "-" || WORDS[word] === undefined ? [] : [WORDS[word]])),
    );
    for (const name of names) rules[numberOf(name)] = { result, operands };
  }
  return rules;
}
const columnsOf = readRules(TYPE_RULES, (name) => opcodeOf(name as OpName));
const GLSL = "GLSL.std.450";
const OPENCL = "OpenCL.std";
const extended: ReadonlyMap<string, Rules> = new Map([
  [GLSL, readRules(GLSL_RULES, (name) => extendedNumber(GLSL, name as ExtendedNames[typeof GLSL]))],
  [OPENCL, readRules(OPENCL_RULES, (name) => extendedNumber(OPENCL, name as ExtendedNames[typeof OPENCL]))],
]);

/** The names of the rules that a class of instructions breaks by a wrong result, and by a wrong operand. */
const CLASS_RULES: Partial<Readonly<Record<OpClass, readonly [ValidationRuleName, ValidationRuleName]>>> = {
  Arithmetic: ["arithmetic-result", "arithmetic-operand"],
  Bit: ["bit-result", "bit-operand"],
  Conversion: ["conversion-result", "conversion-operand"],
  "Relational-and-Logical": ["comparison-result", "comparison-operand"],
  Atomic: ["atomic-result", "atomic-operand"],
  Group: ["group-result", "group-operand"],
  "Non-Uniform": ["group-result", "group-operand"],
  Composite: ["composite-result", "composite-operand"],
};
const RESULT_RULES: (ValidationRuleName | undefined)[] = [];
const OPERAND_RULES: (ValidationRuleName | undefined)[] = [];
for (const { class: of, opcode } of OP_ROWS.values())
  [RESULT_RULES[opcode], OPERAND_RULES[opcode]] = CLASS_RULES[of] ?? [];

/** Instructions that have a row. */
export function hasTypeRule(opcode: number): boolean {
  return columnsOf[opcode] !== undefined;
}

const EXT_INST = opcodeOf("OpExtInst");
const SPEC_CONSTANT_OP = opcodeOf("OpSpecConstantOp");
/** Columns of the operation in OpSpecConstantOp, of an extended instruction, or of the instruction. */
function columns(validation: Validation, at: number, opcode: number): Columns | undefined {
  if (opcode === EXT_INST)
    return extended.get(validation.module.imports.get(validation.word(at, 3)) ?? "")?.[validation.word(at, 4)];
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
    const operandRule = opcode === EXT_INST ? "extended-operand" : (OPERAND_RULES[opcode] ?? "operand-type");
    const resultRule = opcode === EXT_INST ? "extended-result" : (RESULT_RULES[opcode] ?? "result-type");
    if (rule !== undefined)
      for (const { what, test } of rule.result)
        if (!test(validation, result, result, 0)) {
          validation.fail(at, resultRule, `the result is not ${what}`, 1);
          break;
        }
    // The first id of an extended instruction is its set.
    let place = opcode === EXT_INST ? -1 : 0;
    let first = 0;
    let scopes = 0;
    let semantics = 0;
    cursor.begin(at);
    while (cursor.next()) {
      const { kind, value } = cursor;
      if (kind > KIND_SEMANTICS || kind === KIND_RESULT || kind === KIND_TYPE) continue;
      const word = cursor.offset - (offsets[at] ?? 0);
      if (kind === KIND_SCOPE) checkScope(validation, at, value, word, scopes++ === 0);
      else if (kind === KIND_SEMANTICS) checkSemantics(validation, at, value, word, semantics++ > 0);
      const type = kind === KIND_ID ? validation.typeOf(value) : 0;
      if (place === 0) first = type;
      const wanted = rule?.operands[place++];
      if (wanted === undefined || kind !== KIND_ID) continue;
      for (const { what, test } of wanted)
        if (!test(validation, type, result, first)) {
          validation.fail(at, operandRule, `%${value} is not ${what}`, word);
          break;
        }
    }
  }
}
