// SPDX-License-Identifier: Apache-2.0
// Names for ids: what OpName says, else what a type or a constant is, else the number. Names are made in the order of
// the module; a name that is taken gets a number behind it.
import { OperandCursor } from "../binary/cursor.ts";
import { type SpirvModule, stringAt } from "../binary/module.ts";
import { enumerant, enumerantName, enumeration, opRow } from "../grammar/tables.ts";
import type { OpName } from "../generated/names.ts";
import { numberText } from "./number.ts";

/** Longer names of types are numbers: a chain of pointers would need memory in the square of its length. */
const LONGEST = 1000;

/** The name of an id, without its `%`. @public */
export type NameOf = (id: number) => string;

/** Names that are numbers. */
export function rawName(id: number): string {
  return String(id);
}

const INTEGERS: Readonly<Record<number, string>> = { 8: "char", 16: "short", 32: "int", 64: "long" };
const FLOATS: Readonly<Record<number, string>> = { 16: "half", 32: "float", 64: "double" };

/** Built-in variables as GLSL calls them, where it is not `gl_` and the built-in's name. */
const GLSL_NAMES: Readonly<Record<string, string>> = {
  VertexId: "VertexID",
  InstanceId: "InstanceID",
  PrimitiveId: "PrimitiveID",
  InvocationId: "InvocationID",
  SampleId: "SampleID",
  NumWorkgroups: "NumWorkGroups",
  WorkgroupSize: "WorkGroupSize",
  WorkgroupId: "WorkGroupID",
  LocalInvocationId: "LocalInvocationID",
  GlobalInvocationId: "GlobalInvocationID",
};
const WORK_DIM = enumerant("BuiltIn", "WorkDim");
const LOCAL_INVOCATION_ID = enumerant("BuiltIn", "SubgroupLocalInvocationId");
const INSTANCE_INDEX = enumerant("BuiltIn", "InstanceIndex");
const BASE_INSTANCE = enumerant("BuiltIn", "BaseInstance");
const EQUAL_MASK = enumerant("BuiltIn", "SubgroupEqMask");
const LESS_MASK = enumerant("BuiltIn", "SubgroupLtMask");
const BUILT_IN = enumerant("Decoration", "BuiltIn");

/** A built-in variable's name; empty: it has none but its number. */
function builtInName(value: number): string {
  const name = enumeration("BuiltIn").byValue.get(value)?.name;
  if (name === undefined) return "";
  if (value >= EQUAL_MASK && value <= LESS_MASK) return name.endsWith("KHR") ? name : `${name}KHR`;
  if (value >= WORK_DIM && value <= LOCAL_INVOCATION_ID) return name;
  return value <= INSTANCE_INDEX || value === BASE_INSTANCE ? `gl_${GLSL_NAMES[name] ?? name}` : "";
}

function sanitized(name: string): string {
  if (name === "") return "_";
  return name.replaceAll(/[^\w]/gu, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return "_".repeat(point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);
  });
}

/** What a rule of a name sees: the operands' words after the result, as far as there are any. */
interface Context {
  readonly module: SpirvModule;
  readonly instruction: number;
  /** The instruction's words: 0 is the opcode. */
  readonly word: (index: number) => number;
  readonly name: NameOf;
}

const TYPE_NAMES: Partial<Readonly<Record<OpName, (context: Context) => string>>> = {
  OpTypeVoid: () => "void",
  OpTypeBool: () => "bool",
  OpTypeInt: ({ word }) => {
    const root = INTEGERS[word(2)];
    const isSigned = word(3) !== 0;
    return root === undefined ? `${isSigned ? "i" : "u"}${word(2)}` : `${isSigned ? "" : "u"}${root}`;
  },
  OpTypeFloat: ({ word }) => FLOATS[word(2)] ?? `fp${word(2)}`,
  OpTypeVector: ({ word, name }) => `v${word(3)}${name(word(2))}`,
  OpTypeMatrix: ({ word, name }) => `mat${word(3)}${name(word(2))}`,
  OpTypeArray: ({ word, name }) => `_arr_${name(word(2))}_${name(word(3))}`,
  OpTypeRuntimeArray: ({ word, name }) => `_runtimearr_${name(word(2))}`,
  OpTypePointer: ({ word, name }) => `_ptr_${enumerantName("StorageClass", word(2))}_${name(word(3))}`,
  OpTypePipe: ({ word }) => `Pipe${enumerantName("AccessQualifier", word(2))}`,
  OpTypeEvent: () => "Event",
  OpTypeDeviceEvent: () => "DeviceEvent",
  OpTypeReserveId: () => "ReserveId",
  OpTypeQueue: () => "Queue",
  OpTypeOpaque: ({ module: { words, offsets }, instruction }) =>
    `Opaque_${sanitized(stringAt(words, (offsets[instruction] ?? 0) + 2, offsets[instruction + 1] ?? 0))}`,
  OpTypePipeStorage: () => "PipeStorage",
  OpTypeNamedBarrier: () => "NamedBarrier",
  OpTypeStruct: ({ word }) => `_struct_${word(1)}`,
  OpConstantTrue: () => "true",
  OpConstantFalse: () => "false",
  OpConstant: ({ module, instruction, word, name }) => {
    const cursor = new OperandCursor(module);
    cursor.begin(instruction);
    while (cursor.next());
    const type = cursor.numberType();
    if (type === null || cursor.problem !== "") return rawName(word(2));
    return `${name(word(1))}_${numberText(word(3), word(4), type).replaceAll("-", "n")}`;
  },
};

/** Names for people: of OpName, of types, of constants; each is unique and has only letters, digits and `_`. */
export function friendlyNames(module: SpirvModule): NameOf {
  const { words, offsets, opcodes, results, count } = module;
  const names = new Map<number, string>();
  const used = new Map<string, number>();
  const name = (id: number): string => names.get(id) ?? String(id);
  const save = (id: number, wanted: string): void => {
    if (names.has(id)) return;
    const clean = sanitized(wanted);
    let unique = clean;
    let number = used.get(clean);
    if (number !== undefined) {
      do unique = `${clean}_${number++}`;
      while (used.has(unique));
      used.set(clean, number);
    }
    used.set(unique, 0);
    names.set(id, unique);
  };
  for (let instruction = 0; instruction < count; instruction++) {
    const begin = offsets[instruction] ?? 0;
    const end = offsets[instruction + 1] ?? 0;
    const word = (index: number): number => (begin + index < end ? (words[begin + index] ?? 0) : 0);
    const { name: op } = opRow(opcodes[instruction] ?? 0) ?? { name: "OpNop" };
    const result = results[instruction] ?? 0;
    if (op === "OpName") save(word(1), stringAt(words, begin + 2, end));
    else if (op === "OpDecorate" && word(2) === BUILT_IN) {
      const suggested = builtInName(word(3));
      if (suggested !== "") save(word(1), suggested);
    } else if (result !== 0) {
      const suggested = TYPE_NAMES[op]?.({ module, instruction, word, name }) ?? "";
      save(result, suggested === "" || suggested.length > LONGEST ? String(result) : suggested);
    }
  }
  return name;
}
