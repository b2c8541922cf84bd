// SPDX-License-Identifier: Apache-2.0
// SPIR-V to the IR: kernels of OpenCL's memory model, and compute shaders (shader/).
//
// A module is a stream of instructions in an order that the specification fixes, and everything is declared before it
// is used but for functions, labels and the values of phis. So one walk reads it:
//
//   1. names, strings, decorations, entry points and execution modes, which come first;
//      Then instructions of functions that are not read are refused, before anything is made of what follows;
//   2. types, constants and variables (types.ts, constants.ts, globals.ts); of types and constants those that somebody
//      asks for. A constant is an operand: a value of the IR, a tree of them for structs and arrays, the address of a
//      variable. Specialization constants have their values when the module is read, so that everything that follows
//      from them is a constant;
//   3. heads of functions, so that calls may refer to any of them; entry points become kernels (kernels.ts), imports
//      that are built-in functions of OpenCL C rows of their table (imported-builtins.ts);
//   4. bodies (function-reader.ts): a block of the IR for each label, parameters of blocks for phis, and for each
//      instruction the row of its opcode (instructions.ts and the tables that it joins).
//
// Where the IR has an op a row writes it; where OpenCL C has a function a row writes a call of it by name and types,
// which the passes lower as they do for OpenCL C. Structs and arrays as values are held member by member.
//
// A module of 64-bit addressing runs on a device of 32 bits: ints of 64 bits that come from ids, sizes and pointers are
// i64 in the IR, pointers are the device's, and memory has the layout of the module (types.ts). What its size_t cannot
// hold here does not exist on the device. The reverse, 32-bit addressing on a device of 64 bits, is refused: an address
// would not fit where the module keeps it.
//
// What is not taken is refused with the word, the instruction and a sentence. Cost: linear in the words.
import {
  IrFunction,
  type KernelDescription,
  type Module,
  type Type,
  VOID,
  describeVerifierError,
  pointerType,
  verifyModule,
} from "@muxkit/ir";
import { type Result, err, ok } from "@muxkit/cargo";

import { type SpirvModule, parseModule } from "../binary/module.ts";
import type { SpirvError } from "../binary/error.ts";
import { OP_ROWS, enumerant, enumerantName, opcodeOf } from "../grammar/tables.ts";
import type { OpName } from "../generated/names.ts";
import { instructionText } from "../text/disassemble.ts";
import { placeOf } from "../text/source-place.ts";
import { validateModule } from "../validate/validate.ts";
import { constantReader } from "./constants.ts";
import { FunctionReader } from "./function-reader.ts";
import { declareVariable, linkageOf } from "./globals.ts";
import { importedBuiltin } from "./imported-builtins.ts";
import { READ_INSTRUCTIONS, readInstruction, requireHandlers } from "./instructions.ts";
import { type EntryPoint, type ExecutionMode, describeKernel, writtenArguments } from "./kernels.ts";
import {
  type FunctionBody,
  type FunctionFacts,
  MOST_LEVELS,
  ModuleReader,
  ReadError,
  type ReaderOptions,
} from "./module-reader.ts";
import { argumentsOf, describeShader, hiddenTypes } from "./shader/entry.ts";
import { type ShaderVariable, interfaceOf, variablesOf } from "./shader/interface.ts";
import { type SpirvType, TYPE_NOTES, leavesOf, typeReader } from "./types.ts";

export type { ReaderOptions, RobustBufferAccess } from "./module-reader.ts";

/** What is collected while the module is walked. */
export interface Reading {
  readonly m: ModuleReader;
  readonly entryPoints: EntryPoint[];
  readonly kernelNames: Set<string>;
  readonly modes: Map<number, ExecutionMode[]>;
}

/** An instruction outside of functions; `at`: the word after the result. */
interface Place {
  readonly index: number;
  readonly at: number;
  readonly end: number;
}

type Step = (reading: Reading, place: Place) => void;

/** Lists by keys. */
interface Lists<K, V> {
  get(key: K): V[] | undefined;
  set(key: K, list: V[]): unknown;
}

function addTo<K, V>(map: Lists<K, V>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

const mode =
  (isById: boolean): Step =>
  ({ m, modes }, { at, end }) =>
    addTo(modes, m.words[at] ?? 0, {
      kind: m.words[at + 1] ?? 0,
      operands: [...m.words.subarray(at + 2, end)],
      isById,
      at,
    });

/** Ends the reading where the word at a place names no group of decorations. */
function requireGroup(m: ModuleReader, at: number): void {
  const id = m.words[at] ?? 0;
  if (definedBy(m, id) !== "OpDecorationGroup") m.refuse(at, `%${id} is no group of decorations`);
}

const ADDRESSING = {
  32: enumerant("AddressingModel", "Physical32"),
  64: enumerant("AddressingModel", "Physical64"),
  logical: enumerant("AddressingModel", "Logical"),
  buffers: enumerant("AddressingModel", "PhysicalStorageBuffer64"),
};
const OPENCL = enumerant("MemoryModel", "OpenCL");
const SHADER_MODELS: ReadonlySet<number> = new Set([
  enumerant("MemoryModel", "GLSL450"),
  enumerant("MemoryModel", "Vulkan"),
]);
const KERNEL = enumerant("ExecutionModel", "Kernel");
const COMPUTE = enumerant("ExecutionModel", "GLCompute");
const OPENCL_C = enumerant("SourceLanguage", "OpenCL_C");
const EQUAL_GROUPS_UNTIL = 200_000;

/** Capabilities that change what a module means, and that devices do not have. */
const REFUSED_CAPABILITIES: Readonly<Record<string, string>> = {
  DeviceEnqueue: "a kernel cannot start kernels on these devices",
  ImageMipmap: "images have one level on these devices",
  FunctionPointersINTEL: "functions cannot be called through pointers",
};

/** The name of the instruction that defines an id; null: none does. */
function definedBy(m: ModuleReader, id: number): OpName | null {
  const index = m.module.definitions.of(id);
  return index < 0 ? null : m.opName(index);
}

const STEPS: Partial<Record<OpName, Step>> = {
  OpCapability: ({ m }, { at }) => {
    const name = enumerantName("Capability", m.words[at] ?? 0);
    const reason = REFUSED_CAPABILITIES[name];
    if (reason !== undefined) m.refuse(at, `the capability ${name} is not supported: ${reason}`);
  },
  OpMemoryModel: ({ m }, { at }) => {
    const [addressing = 0, memory = 0] = m.words.subarray(at, at + 2);
    m.isShader = SHADER_MODELS.has(memory);
    if (m.isShader) {
      m.isWide = addressing === ADDRESSING.buffers && m.pointerBytes === 4;
      if (addressing === ADDRESSING.logical || addressing === ADDRESSING.buffers) return;
      m.refuse(at, "shaders have logical addresses, or those of PhysicalStorageBuffer64");
    }
    if (memory !== OPENCL)
      m.refuse(
        at + 1,
        `the memory model ${enumerantName("MemoryModel", memory)} is not supported; kernels have OpenCL's, shaders GLSL450 or Vulkan`,
      );
    const bits = m.options.layout.sizeBits;
    if (addressing === ADDRESSING[64]) m.isWide = m.pointerBytes === 4;
    else if (addressing !== ADDRESSING[32])
      m.refuse(
        at,
        `the addressing model ${enumerantName("AddressingModel", addressing)} is not supported; kernels have physical addresses`,
      );
    else if (bits === 64) m.refuse(at, "the module is for 32-bit addresses, and the device's do not fit in them");
  },
  OpEntryPoint: ({ m, entryPoints, kernelNames }, { at, end }) => {
    if (m.words[at] !== (m.isShader ? COMPUTE : KERNEL))
      m.refuse(
        at,
        `the execution model ${enumerantName("ExecutionModel", m.words[at] ?? 0)} is not supported; only kernels and compute shaders are, each with memory models of their own`,
      );
    const name = m.text(at + 2, end);
    entryPoints.push({ id: m.words[at + 1] ?? 0, name, at });
    kernelNames.add(name);
  },
  OpExecutionMode: mode(false),
  OpExecutionModeId: mode(true),
  OpString: ({ m }, { index, at, end }) => void m.strings.set(m.module.results[index] ?? 0, m.text(at, end)),
  OpName: ({ m }, { index, at }) => m.names.set(m.words[at] ?? 0, index),
  OpSource: ({ m }, { at, end }) => {
    // Of several sources the first is the one that was compiled, and others were included.
    const file = end - at > 2 ? m.strings.get(m.words[at + 2] ?? 0) : undefined;
    if (file !== undefined && m.ir.name === m.options.name) m.ir.name = file;
    if (m.words[at] === OPENCL_C && (m.words[at + 1] ?? 0) < EQUAL_GROUPS_UNTIL) m.hasUniformGroups = true;
  },
  OpGroupDecorate: ({ m }, { at, end }) => {
    requireGroup(m, at);
    for (let word = at + 1; word < end; word++)
      if (definedBy(m, m.words[word] ?? 0) === "OpDecorationGroup")
        m.refuse(word, "a group of decorations cannot decorate a group");
  },
  OpGroupMemberDecorate: ({ m }, { at }) => requireGroup(m, at),
  OpTypeForwardPointer: ({ m }, { at }) => {
    const id = m.words[at] ?? 0;
    if (definedBy(m, id) !== "OpTypePointer") m.refuse(at, `%${id} is declared forward as a pointer, and is none`);
  },
};

/** What reads an instruction outside of functions. */
interface Declaration {
  readonly step: Step | undefined;
  readonly type: ReturnType<typeof typeReader>;
  /** What is noted of a type that nobody has asked for yet. */
  readonly note: ((m: ModuleReader, at: number) => void) | undefined;
  /** True for what is read when somebody asks for it. */
  readonly waits: boolean;
  readonly constant: ReturnType<typeof constantReader>;
}

const DECLARATIONS: Declaration[] = [];
for (const { name, opcode } of OP_ROWS.values())
  DECLARATIONS[opcode] ??= {
    step: STEPS[name],
    type: typeReader(name),
    note: TYPE_NOTES[name],
    // Operations may be made of operations, any number of times: those before are known when one is read.
    waits: typeReader(name) !== undefined || (constantReader(name) !== undefined && name !== "OpSpecConstantOp"),
    constant: constantReader(name),
  };

const FUNCTION = opcodeOf("OpFunction");
const FUNCTION_END = opcodeOf("OpFunctionEnd");
const LABEL = opcodeOf("OpLabel");

/** Where functions are, from an index on. */
function* bodiesFrom({ opcodes, count }: SpirvModule, first: number): Generator<FunctionBody> {
  for (let begin = first; begin < count; begin++) {
    if (opcodes[begin] !== FUNCTION) continue;
    let end = begin + 1;
    while (end < count && opcodes[end] !== FUNCTION_END) end++;
    yield { begin, end };
    begin = end;
  }
}

/** The first instruction that declares a type, a constant or a variable, of those before an index. */
function firstDeclared({ types, opcodes }: SpirvModule, end: number): number {
  for (let index = 0; index < end; index++)
    if (types[index] !== 0 || DECLARATIONS[opcodes[index] ?? 0]?.type !== undefined) return index;
  return end;
}

/** Reads what is outside of functions, from one index to another. */
function readDeclarations(reading: Reading, begin: number, end: number): void {
  const { m } = reading;
  const levels = { types: 0, constants: 0 };
  // Types and constants are read when somebody asks for them; and translators from LLVM write constants before the
  // variables whose addresses they are.
  m.readAhead = (index) => {
    const kind = DECLARATIONS[m.module.opcodes[index] ?? 0]?.type === undefined ? "constants" : "types";
    if (++levels[kind] > MOST_LEVELS)
      m.refuse(m.at, `${kind} come more than ${MOST_LEVELS} levels before what they are made of`);
    const { at } = m;
    readDeclaration(reading, index);
    m.at = at;
    levels[kind]--;
  };
  const { opcodes, offsets } = m.module;
  for (let index = begin; index < end; index++) {
    const { waits, note } = DECLARATIONS[opcodes[index] ?? 0] ?? NOTHING;
    if (!waits) readDeclaration(reading, index);
    else note?.(m, (offsets[index] ?? 0) + 2);
  }
}

function readDeclaration(reading: Reading, index: number): void {
  const { m } = reading;
  const { module } = m;
  const id = module.results[index] ?? 0;
  const typeId = module.types[index] ?? 0;
  m.at = module.offsets[index] ?? 0;
  const at = m.at + 1 + (typeId === 0 ? 0 : 1) + (id === 0 ? 0 : 1);
  const end = module.offsets[index + 1] ?? 0;
  const { step, type, constant } = DECLARATIONS[module.opcodes[index] ?? 0] ?? NOTHING;
  if (step !== undefined) step(reading, { index, at, end });
  else if (type !== undefined) {
    if (!m.types.has(id)) m.declareType(type(m, at, end, id), m.at);
  } else if (typeId !== 0) readOperand(m, constant, index, typeId, id, at, end);
  else if (m.opName(index).startsWith("OpType")) m.refuse(m.at, `the type ${m.opName(index)} is not supported`);
}

const NOTHING: Declaration = { step: undefined, type: undefined, note: undefined, waits: false, constant: undefined };

const DEBUG_SOURCE = 35;

/** A source file of debug information stands for its name. */
function noteDebugSource(m: ModuleReader, id: number, at: number): void {
  const set = m.module.imports.get(m.words[at] ?? 0) ?? "";
  const file = m.strings.get(m.words[at + 2] ?? 0);
  if (set.endsWith("DebugInfo.100") && m.words[at + 1] === DEBUG_SOURCE && file !== undefined) m.strings.set(id, file);
}

function readOperand(
  m: ModuleReader,
  constant: Declaration["constant"],
  index: number,
  typeId: number,
  id: number,
  at: number,
  end: number,
): void {
  const name = constant === undefined ? m.opName(index) : "OpConstant";
  // What was read ahead is there; an id that is defined twice is its first definition.
  if (name === "OpExtInst") return noteDebugSource(m, id, at);
  if (m.operands.has(id)) return;
  const type = m.typeAt(typeId, at);
  if (constant === undefined && name !== "OpVariable") m.refuse(m.at, `${name} is not supported outside of functions`);
  const operand = constant === undefined ? declareVariable(m, type, id, at, end) : constant({ m, type, id, at, end });
  m.defineOperand(id, type, operand);
}

const CONTRACTION_OFF = enumerant("ExecutionMode", "ContractionOff");
const INLINE = enumerant("FunctionControl", "Inline");
const DONT_INLINE = enumerant("FunctionControl", "DontInline");
const NOT_OPTIMIZED = enumerant("FunctionControl", "OptNoneINTEL");

const BETWEEN_FUNCTIONS: ReadonlySet<OpName> = new Set<OpName>(["OpLine", "OpNoLine"]);

/** The heads of all functions. */
function readHeads(reading: Reading, first: number): FunctionFacts[] {
  const { m, entryPoints } = reading;
  const { module } = m;
  const kernels = new Map(entryPoints.map((entry) => [entry.id, entry]));
  // Names of kernels first: a function that a kernel only wraps may have the same.
  for (const { name, id, at } of entryPoints) {
    if (m.symbol(name) !== name) m.refuse(at, `two entry points are called "${name}"`);
    if (kernels.get(id)?.name !== name) m.refuse(at, "a function is an entry point under two names");
  }
  const all: FunctionFacts[] = [];
  for (let begin = first; begin < module.count; begin++) {
    if (BETWEEN_FUNCTIONS.has(m.opName(begin))) continue;
    if (module.opcodes[begin] !== FUNCTION)
      m.refuse(module.offsets[begin] ?? 0, `${m.opName(begin)} is outside of a function`);
    let end = begin + 1;
    while (end < module.count && module.opcodes[end] !== FUNCTION_END) end++;
    m.at = module.offsets[begin] ?? 0;
    const id = module.results[begin] ?? 0;
    all.push(functionHead(reading, begin, end, kernels.get(id)));
    begin = end;
  }
  return all;
}

/** True where a function has blocks. */
function hasBody(m: ModuleReader, begin: number, end: number): boolean {
  const { opcodes } = m.module;
  for (let index = begin + 1; index < end; index++) if (opcodes[index] === LABEL) return true;
  return false;
}

/**
 * How a function is inlined. A function that is not to be optimised at all is one that its producer has not optimised
 * yet, as clang -O0 marks each: what is done with it here is said by the options of this build.
 */
function inliningOf(control: number, isWrapped: boolean): IrFunction["inline"] {
  if (isWrapped || (control & INLINE) !== 0) return "always";
  return (control & (DONT_INLINE | NOT_OPTIMIZED)) === DONT_INLINE ? "never" : "none";
}

/** Parameters of the IR's function; `entry`: the id of an entry point, else 0. */
function parametersOf(
  m: ModuleReader,
  { members }: SpirvType,
  hasResultAddress: boolean,
  hidden: readonly ShaderVariable[],
  entry: number,
): { type: Type; name: string }[] {
  return [
    ...(hasResultAddress ? [{ type: pointerType(0), name: "result" }] : []),
    ...members.flatMap((member) => unnamed(leavesOf(m, member))),
    ...hidden.flatMap((variable) => unnamed(hiddenTypes(m, variable))),
    ...(entry === 0 ? [] : argumentsOf(m, entry)).map(({ type, description: { name } }) => ({ type, name })),
  ];
}

const unnamed = (types: readonly Type[]): { type: Type; name: string }[] => types.map((type) => ({ type, name: "" }));

function describeEntry(
  m: ModuleReader,
  entry: EntryPoint,
  facts: FunctionFacts,
  modes: readonly ExecutionMode[],
): KernelDescription {
  if (facts.type.element?.kind !== "void") m.refuse(m.module.offsets[facts.begin] ?? 0, "a kernel returns nothing");
  return (m.isShader ? describeShader : describeKernel)(m, entry, facts, modes);
}

function functionHead(
  { m, modes, kernelNames }: Reading,
  begin: number,
  end: number,
  entry: EntryPoint | undefined,
): FunctionFacts {
  const { module } = m;
  const at = module.offsets[begin] ?? 0;
  const id = module.results[begin] ?? 0;
  const control = m.words[at + 3] ?? 0;
  const type = m.typeAt(m.words[at + 4] ?? 0, at + 4);
  const { element: result } = type;
  if (type.kind !== "function" || result === null)
    return m.refuse(at + 4, "the type of a function must be a function type");
  if (m.functions.has(id)) return m.refuse(at, `%${id} is defined twice`);
  const linkage = linkageOf(m, id);
  const hasResultAddress = result.ir === null;
  const hidden = entry === undefined ? variablesOf(m.shader, id) : [];
  const parameters = parametersOf(m, type, hasResultAddress, hidden, entry === undefined ? 0 : id);
  const own = m.names.get(id) ?? "";
  const name = linkage?.name ?? own;
  const isWrapped = kernelNames.has(name) || kernelNames.has(own);
  const symbol = entry?.name ?? m.symbol(name === "" ? `function${id}` : name);
  const ir = new IrFunction(symbol, result.ir ?? VOID, parameters);
  ir.isInternal = entry === undefined && (linkage === null || linkage.kind === "LinkOnceODR" || isWrapped);
  ir.inline = inliningOf(control, entry === undefined && isWrapped);
  const isImport = linkage?.kind === "Import" && entry === undefined && !hasBody(m, begin, end);
  const builtin = isImport ? importedBuiltin(linkage.name, type, m.sizeName) : null;
  const facts: FunctionFacts = { id, begin, end, type, ir, hasResultAddress, builtin, hidden };
  if (entry !== undefined) ir.kernel = describeEntry(m, entry, facts, modes.get(id) ?? []);
  if (builtin === null) m.ir.addFunction(ir);
  m.functions.set(id, facts);
  return facts;
}

function readBodies(m: ModuleReader, all: readonly FunctionFacts[]): void {
  for (const facts of all) {
    if (hasBody(m, facts.begin, facts.end)) {
      new FunctionReader(m, facts).read(readInstruction);
      m.forgetFunction(facts);
    } else if (facts.ir.kernel !== null) m.refuse(m.module.offsets[facts.begin] ?? 0, "a kernel must have a body");
  }
}

/** Instructions outside of functions that are read without a row of their own. */
const MODULE_LEVEL: ReadonlySet<OpName> = new Set<OpName>([
  "OpFunction",
  "OpFunctionEnd",
  "OpExtension",
  "OpExtInstImport",
  "OpSourceContinued",
  "OpSourceExtension",
  "OpModuleProcessed",
  "OpMemberName",
  "OpMemberDecorateString",
  "OpDecorationGroup",
]);

/** True for an instruction that the reader takes, whatever its operands are. @internal */
export function isRead(name: OpName): boolean {
  return (
    MODULE_LEVEL.has(name) ||
    STEPS[name] !== undefined ||
    typeReader(name) !== undefined ||
    constantReader(name) !== undefined ||
    READ_INSTRUCTIONS.includes(name)
  );
}

/** The index of the instruction that a word belongs to. */
function instructionAt(offsets: Uint32Array, count: number, word: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((offsets[middle] ?? 0) <= word) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Reads the declarations of a module; `first`: the index of its first function. With bodies, what is not read in one of
 * them is refused before anything is made of types, variables and functions.
 */
export function readModuleDeclarations(
  m: ModuleReader,
  hasBodies: boolean,
): { readonly reading: Reading; readonly first: number } {
  const { opcodes, count } = m.module;
  const reading: Reading = { m, entryPoints: [], kernelNames: new Set(), modes: new Map() };
  const found = opcodes.indexOf(FUNCTION);
  const first = found < 0 ? count : found;
  m.firstFunction = first;
  const declared = firstDeclared(m.module, first);
  readDeclarations(reading, 0, declared);
  if (hasBodies) requireHandlers(m, bodiesFrom(m.module, first));
  readDeclarations(reading, declared, first);
  return { reading, first };
}

/** What reading a module has made, or where it ended and why. */
export function withReadErrors<T>(module: SpirvModule, read: () => T): Result<T, SpirvError> {
  try {
    return ok(read());
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    const { offset, message } = error;
    const index = instructionAt(module.offsets, module.count, offset);
    const shown = { instruction: instructionText(module, index), ...placeOf(module, index) };
    return err({ offset, rule: "reader", message, ...shown });
  }
}

/**
 * Reads a module to the IR. What it does not take is an error with the word and the instruction.
 *
 * @public
 */
export function readSpirv(binary: Uint8Array, options: ReaderOptions): Result<Module, SpirvError> {
  const parsed = parseModule(binary);
  if (!parsed.ok) return parsed;
  const [wrong] = validateModule(parsed.value, { lenient: true, blockLayout: "scalar" });
  if (wrong !== undefined) return err(wrong);
  const m = new ModuleReader(parsed.value, options);
  const done = withReadErrors(parsed.value, () => {
    const { reading, first } = readModuleDeclarations(m, true);
    m.writtenArguments = writtenArguments(m.strings);
    if (m.isShader) m.shader = interfaceOf(m, first);
    m.contracts = ![...reading.modes.values()].flat().some(({ kind }) => kind === CONTRACTION_OFF);
    const all = readHeads(reading, first);
    for (const { id, name, at } of reading.entryPoints)
      if (!m.functions.has(id)) m.refuse(at + 1, `the entry point "${name}" is no function`);
    readBodies(m, all);
  });
  if (!done.ok) return done;
  const [broken] = verifyModule(m.ir);
  if (broken !== undefined)
    return err({ offset: 0, rule: "reader", message: describeVerifierError(broken), instruction: "" });
  return ok(m.ir);
}
