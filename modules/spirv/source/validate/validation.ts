// SPDX-License-Identifier: Apache-2.0
// What the layers of the validator share: the module, what it declares, questions about types, and the errors so far.
// Questions take any id and any instruction: for what is not there they say 0 or false, never throw.
import { Decorations } from "../binary/decorations.ts";
import type { SpirvError } from "../binary/error.ts";
import type { SpirvModule } from "../binary/module.ts";
import { OP_ROWS, enumerant, opRow, opcodeOf } from "../grammar/tables.ts";
import { instructionText } from "../text/disassemble.ts";
import { placeOf } from "../text/source-place.ts";
import type { BlockLayout } from "./explicit-layout.ts";
import { LENIENT_RULES, type ValidationRuleName } from "./rule.table.ts";

/** Whose rules a module is checked by, over the universal ones. @public */
export type ValidationEnvironment = "universal" | "opencl" | "vulkan";

const VOID = opcodeOf("OpTypeVoid");
const BOOL = opcodeOf("OpTypeBool");
const INT = opcodeOf("OpTypeInt");
const FLOAT = opcodeOf("OpTypeFloat");
const VECTOR = opcodeOf("OpTypeVector");
const MATRIX = opcodeOf("OpTypeMatrix");
const POINTER = opcodeOf("OpTypePointer");
const CONSTANT = opcodeOf("OpConstant");
const NULL = opcodeOf("OpConstantNull");
const FORWARD_POINTER = opcodeOf("OpTypeForwardPointer");

const IS_TYPE: readonly boolean[] = (() => {
  const is: boolean[] = [];
  for (let opcode = 0; opcode < 0x10000; opcode++) {
    const row = opRow(opcode);
    if (row?.class === "Type-Declaration" || (row?.name.startsWith("OpType") === true && row.hasResult && !row.hasType))
      is[opcode] = row.opcode !== FORWARD_POINTER && row.hasResult;
  }
  return is;
})();

/** How a module is validated. */
export interface ValidationSettings {
  readonly environment: ValidationEnvironment;
  readonly blockLayout: BlockLayout;
  /** True: what producers write and readers can read passes. */
  readonly isLenient: boolean;
  readonly mostErrors: number;
}

/** Ids that something is said of: those that are defined. A byte for each instruction, from the first mark on. */
export class Marks {
  readonly #module: SpirvModule;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(module: SpirvModule) {
    this.#module = module;
  }

  add(id: number): void {
    const { definitions, count } = this.#module;
    const definition = definitions.of(id);
    if (definition < 0) return;
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(count);
    this.#bytes[definition] = 1;
  }

  has(id: number): boolean {
    return this.#bytes[this.#module.definitions.of(id)] === 1;
  }
}

/** A module under validation. */
export class Validation {
  readonly module: SpirvModule;
  readonly environment: ValidationEnvironment;
  readonly errors: SpirvError[] = [];
  /** Every capability that is declared, and what those imply. */
  readonly capabilities: Set<number> = new Set();
  readonly extensions: Set<string> = new Set();
  /** Of which function each instruction is: the number of its OpFunction; -1: of none. */
  readonly functionOf: Int32Array;
  /** In which block each instruction is: the number of its OpLabel; -1: in none. */
  readonly blockOf: Int32Array;
  /** The instructions OpFunction. */
  readonly functions: number[] = [];
  readonly blockLayout: BlockLayout;
  readonly isLenient: boolean;
  readonly #mostErrors: number;
  #decorations: Decorations | null = null;
  #models: readonly number[] | null = null;
  #logicalClasses: Int32Array | null = null;

  constructor(module: SpirvModule, settings: ValidationSettings) {
    this.module = module;
    this.environment = settings.environment;
    this.blockLayout = settings.blockLayout;
    this.isLenient = settings.isLenient;
    this.#mostErrors = settings.mostErrors;
    this.functionOf = new Int32Array(module.count).fill(-1);
    this.blockOf = new Int32Array(module.count).fill(-1);
  }

  /** An empty set of ids. */
  marks(): Marks {
    return new Marks(this.module);
  }

  get isFull(): boolean {
    return this.errors.length >= this.#mostErrors;
  }

  /** Notes an error of an instruction; `word` counts from its first one. */
  fail(instruction: number, rule: ValidationRuleName, message: string, word = 0): void {
    if (this.isFull || (this.isLenient && LENIENT_RULES[rule] !== undefined)) return;
    const { offsets } = this.module;
    this.errors.push({
      offset: (offsets[instruction] ?? 0) + word,
      rule,
      message,
      instruction: instruction >= 0 && instruction < this.module.count ? shortened(this.module, instruction) : "",
      ...placeOf(this.module, instruction),
    });
  }

  has(capability: Parameters<typeof enumerant<"Capability">>[1]): boolean {
    return this.capabilities.has(enumerant("Capability", capability));
  }

  get isKernel(): boolean {
    return this.capabilities.has(KERNEL);
  }

  get isShader(): boolean {
    return this.capabilities.has(SHADER);
  }

  /** True where control flow is structured: in shaders. Modules of kernels may declare Shader for another reason. */
  get isStructured(): boolean {
    return this.isShader && !(this.isLenient && this.isKernel);
  }

  get decorations(): Decorations {
    return (this.#decorations ??= new Decorations(this.module));
  }

  /** Classes of types of one logical shape, as a forest: the definition above each one, and one more; 0: none. */
  get logicalClasses(): Int32Array {
    return (this.#logicalClasses ??= new Int32Array(this.module.count));
  }

  /** True if an entry point has such a model. */
  hasModel(is: (model: number) => boolean): boolean {
    if (this.#models === null) {
      const { opcodes, count } = this.module;
      const models: number[] = [];
      for (let at = 0; at < count && opcodes[at] !== FUNCTION; at++)
        if (opcodes[at] === ENTRY_POINT) models.push(this.word(at, 1));
      this.#models = models;
    }
    return this.#models.some(is);
  }

  /** True for what a constant instruction defines. */
  isConstant(id: number): boolean {
    return IS_CONSTANT[this.op(id)] === true;
  }

  /** A word of an instruction: 0 is the first one; 0 where it has none. */
  word(instruction: number, index: number): number {
    const { words, offsets } = this.module;
    const at = (offsets[instruction] ?? 0) + index;
    return instruction >= 0 && at < (offsets[instruction + 1] ?? 0) ? (words[at] ?? 0) : 0;
  }

  /** How many words an instruction has. */
  size(instruction: number): number {
    const { offsets } = this.module;
    return instruction < 0 ? 0 : (offsets[instruction + 1] ?? 0) - (offsets[instruction] ?? 0);
  }

  definition(id: number): number {
    return this.module.definitions.of(id);
  }

  /** The opcode that defines an id; -1: nothing does. */
  op(id: number): number {
    return this.module.opcodes[this.definition(id)] ?? -1;
  }

  /** The type of a value; 0: it has none. */
  typeOf(id: number): number {
    return this.module.types[this.definition(id)] ?? 0;
  }

  isType(id: number): boolean {
    return IS_TYPE[this.op(id)] === true;
  }

  /** True for what has a type: results of instructions, constants, variables, parameters. */
  isValue(id: number): boolean {
    return this.typeOf(id) !== 0;
  }

  isVoid(type: number): boolean {
    return this.op(type) === VOID;
  }

  isInt(type: number): boolean {
    return this.op(type) === INT;
  }

  isFloat(type: number): boolean {
    return this.op(type) === FLOAT;
  }

  isBool(type: number): boolean {
    return this.op(type) === BOOL;
  }

  isVector(type: number): boolean {
    return this.op(type) === VECTOR;
  }

  isMatrix(type: number): boolean {
    return this.op(type) === MATRIX;
  }

  isPointer(type: number): boolean {
    return this.op(type) === POINTER;
  }

  isScalar(type: number): boolean {
    return this.isInt(type) || this.isFloat(type) || this.isBool(type);
  }

  /** The type of the components of a scalar, vector or matrix: the scalar itself, or of its vectors. */
  component(type: number): number {
    let at = type;
    for (let depth = 0; depth < 2 && (this.isVector(at) || this.isMatrix(at)); depth++)
      at = this.word(this.definition(at), 2);
    return at;
  }

  /** How many components a scalar or vector has. */
  components(type: number): number {
    return this.isVector(type) ? this.word(this.definition(type), 3) : 1;
  }

  /** The bits of a scalar, or of a vector's component; 0: it has none. */
  width(type: number): number {
    const scalar = this.component(type);
    return this.isInt(scalar) || this.isFloat(scalar) ? this.word(this.definition(scalar), 2) : 0;
  }

  isUnsigned(type: number): boolean {
    const scalar = this.component(type);
    return this.isInt(scalar) && this.word(this.definition(scalar), 3) === 0;
  }

  pointee(type: number): number {
    return this.isPointer(type) ? this.word(this.definition(type), 3) : 0;
  }

  storageClass(type: number): number {
    return this.isPointer(type) ? this.word(this.definition(type), 2) : -1;
  }

  /** The value of a constant integer of up to 32 bits, or of more whose upper half is 0; null: it is none. */
  constant(id: number): number | null {
    const definition = this.definition(id);
    const opcode = this.module.opcodes[definition];
    if (!this.isInt(this.typeOf(id))) return null;
    if (opcode === NULL) return 0;
    if (opcode !== CONSTANT || this.word(definition, 4) !== 0) return null;
    return this.word(definition, 3);
  }
}

const FUNCTION = opcodeOf("OpFunction");
const ENTRY_POINT = opcodeOf("OpEntryPoint");
const IS_CONSTANT: boolean[] = [];
for (const row of OP_ROWS.values())
  if (row.class === "Constant-Creation" || row.name === "OpUndef") IS_CONSTANT[row.opcode] = true;
const KERNEL = enumerant("Capability", "Kernel");
const SHADER = enumerant("Capability", "Shader");
/** Longer instructions are shown by their beginnings. */
const LONGEST = 300;

function shortened(module: SpirvModule, instruction: number): string {
  const text = instructionText(module, instruction);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
}
