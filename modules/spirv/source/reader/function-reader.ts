// SPDX-License-Identifier: Apache-2.0
// One function: blocks, values, and the instructions in them.
//
// Blocks are read in reverse postorder, so that every value is defined before it is used, but for those of OpPhi. A phi
// becomes a parameter of its block, member by member; what the predecessors pass is filled in when all blocks have been
// read, from a list of the edges that were made. Variables are written to a block of their own before the first one,
// because some are needed while others are read; at the end it becomes one with the first block, which has no
// predecessors in either language.
import {
  type Block,
  Builder,
  CONTRACT,
  I32,
  I64,
  Instruction,
  type Location,
  Op,
  type Parameter,
  type Type,
  type Value,
  alignmentOf,
  constantInt,
  copyOf,
  opaqueType,
} from "@muxkit/ir";

import { OP_ROWS, opcodeOf } from "../grammar/tables.ts";
import type { OpName } from "../generated/names.ts";
import { constantAt, zeroOf } from "./constants.ts";
import type { WholeLoad } from "./memory.ts";
import type { FunctionBody, FunctionFacts, ModuleReader } from "./module-reader.ts";
import { BufferPointer, type Operand, isValue, madeOf } from "./operand.ts";
import { bindOuterVariables } from "./shader/entry.ts";
import { type SpirvType, isOddInt, layoutOf, leavesOf, partCount, partType } from "./types.ts";

/** The instruction that is read: its words without the type and the result. */
export class Inst {
  readonly words: Uint32Array;
  /** First word after the type and the result. */
  at = 0;
  /** The word after the last. */
  end = 0;
  opcode = 0;
  typeId = 0;
  result = 0;

  constructor(words: Uint32Array) {
    this.words = words;
  }

  /** Operands, in words. */
  get count(): number {
    return this.end - this.at;
  }

  /** A word; 0 where there is none. */
  word(index: number): number {
    return this.at + index < this.end ? (this.words[this.at + index] ?? 0) : 0;
  }
}

/** An edge to a block with phis, whose arguments are filled in at the end. */
interface Edge {
  /** Label of the block that the module says it comes from. */
  readonly from: number;
  readonly to: number;
  readonly terminator: Instruction;
  readonly index: number;
}

interface Phi {
  readonly parameters: readonly Parameter[];
  /** Words of the pairs of value and predecessor. */
  readonly at: number;
  readonly end: number;
  /** The words of values by predecessors, where there are many; null: not made yet. */
  places: Map<number, number> | null;
}

const FEW_INSTRUCTIONS = 16;

/** So many words of a phi are looked through one by one. */
const FEW_WORDS = 16;

/** The word with the value that a phi has for a predecessor; -1: it has none. */
function valueFrom(words: Uint32Array, phi: Phi, from: number): number {
  const { at: begin, end } = phi;
  if (end - begin > FEW_WORDS) {
    if (phi.places === null) {
      phi.places = new Map();
      for (let at = begin; at < end; at += 2) phi.places.set(words[at + 1] ?? 0, at);
    }
    return phi.places.get(from) ?? -1;
  }
  for (let at = begin; at < end; at += 2) if (words[at + 1] === from) return at;
  return -1;
}

/** Reads one function. */
export class FunctionReader {
  readonly m: ModuleReader;
  readonly facts: FunctionFacts;
  readonly b: Builder;
  readonly i: Inst;
  /** Label of the block that is being read. */
  label = 0;
  /** What pointers of a shader point to where that lies otherwise than their type says: parts of matrices. */
  readonly targets: Map<number, SpirvType> = new Map();
  /** The last load that may be the first half of a copy; null: there is none. */
  wholeLoad: WholeLoad | null = null;
  private graph: Graph = NO_GRAPH;
  private readonly edges: Edge[] = [];
  /** Phis by the labels of their blocks. */
  private readonly phis = new Map<number, Phi[]>();
  private readonly entry: Builder;
  /** The type of the result of the instruction that is read; null: nobody has asked. */
  private resultType: SpirvType | null = null;

  constructor(m: ModuleReader, facts: FunctionFacts) {
    this.m = m;
    this.facts = facts;
    this.i = new Inst(m.words);
    this.entry = new Builder(facts.ir.addBlock("entry"));
    this.b = new Builder(this.entry.block);
  }

  /** Ends the reading at the instruction that is read. */
  refuse(message: string, at: number = this.i.at): never {
    return this.m.refuse(at, message);
  }

  /** The type of the result. */
  get type(): SpirvType {
    return (this.resultType ??= this.m.typeAt(this.i.typeId, this.i.at));
  }

  /** Reads with another type as that of the result. */
  withType<T>(type: SpirvType, read: () => T): T {
    const own = this.resultType;
    this.resultType = type;
    const made = read();
    this.resultType = own;
    return made;
  }

  /** The IR's type of the result. */
  get ir(): Type {
    const { type } = this;
    return type.ir ?? this.refuse(`the result cannot be a ${type.kind}`);
  }

  /** True where what an instruction defines is of this function or of the whole module. */
  private sees(index: number): boolean {
    const { begin, end } = this.facts;
    return index >= 0 && (index < this.m.firstFunction || (index > begin && index < end));
  }

  /** What an id stands for. */
  operand(id: number): Operand {
    const { m } = this;
    const index = m.module.definitions.of(id);
    const operand = this.sees(index) ? m.operands.at(index) : undefined;
    if (operand === undefined && index >= 0 && index < m.firstFunction) return constantAt(m, id, this.i.at);
    return operand ?? m.refuse(this.i.at, `%${id} is no value that is defined before`);
  }

  /** The type of an id. */
  typeOf(id: number): SpirvType {
    const index = this.m.module.definitions.of(id);
    const type = this.sees(index) ? this.m.operandType(id) : undefined;
    return type ?? this.refuse(`%${id} has no type`);
  }

  /** Makes an id known. */
  define(id: number, type: SpirvType, operand: Operand): void {
    this.m.defineOperand(id, type, operand);
  }

  /** An id as one value of the IR. */
  value(id: number): Value {
    return this.valueOf(this.operand(id));
  }

  /** What operand word `index` stands for, as one value. */
  arg(index: number): Value {
    const id = this.i.word(index);
    if (this.m.hasOddInts) this.refuseOddInt(id);
    return this.value(id);
  }

  /** Like {@link arg}, of an instruction that takes ints of any width: their other bits are zero. */
  zeroExtended(index: number): Value {
    return this.value(this.i.word(index));
  }

  /** Like {@link zeroExtended}; the bits above an int's width are copies of its sign. */
  signExtended(index: number): Value {
    const value = this.zeroExtended(index);
    if (!this.m.hasOddInts) return value;
    const type = this.argType(index);
    if (!isOddInt(type)) return value;
    const amount = constantInt(value.type, value.type.bits - type.bits);
    return this.op(Op.ASHR, value.type, this.op(Op.SHL, value.type, value, amount), amount);
  }

  /** Ends the reading where an id is an int of a width that the IR has not. */
  refuseOddInt(id: number): void {
    const type = this.m.operandType(id);
    if (type !== undefined && isOddInt(type))
      this.refuse(`the instruction takes ints of 8, 16, 32 or 64 bits, not of ${type.bits}`);
  }

  /** A result as its type holds it: of an int of a width that the IR has not the other bits become zero. */
  result(operand: Operand): Operand {
    const { type } = this;
    if (!isValue(operand)) return operand;
    if (operand.type !== type.ir)
      return this.refuse(`the result is ${operand.type.text}, and its type ${type.ir?.text ?? type.kind}`);
    if (!isOddInt(type)) return operand;
    const mask = constantInt(operand.type, (1n << BigInt(type.bits)) - 1n);
    return this.op(Op.AND, operand.type, operand, mask);
  }

  /** The type of operand word `index`. */
  argType(index: number): SpirvType {
    return this.typeOf(this.i.word(index));
  }

  /** An operand as one value of the IR: addresses of variables and samplers are written here. */
  valueOf(operand: Operand): Value {
    if (isValue(operand)) return operand;
    if (operand instanceof BufferPointer) return this.valueOf(operand.address);
    if (operand.kind === "constant-address") {
      let address: Value = this.b.globalAddress(operand.global);
      if (operand.addend !== 0) address = this.b.address(address, null, 0, operand.addend);
      if (address.type === operand.type) return address;
      return this.b.convert(operand.type.kind === "int" ? Op.PTRTOINT : Op.ADDRSPACECAST, address, operand.type);
    }
    if (operand.kind === "sampler")
      return this.b.callBuiltin(
        { kind: "builtin", name: "__muxkit_sampler", parameters: ["uint"] },
        opaqueType("sampler"),
        [constantInt(I32, operand.bits)],
      );
    return this.refuse(
      operand.kind === "built-in"
        ? "a built-in variable can only be loaded from"
        : operand.kind === "choice"
          ? "an image of an array by an index that is no constant can only be read, written and asked"
          : "a struct or an array cannot be used here",
    );
  }

  /** The values that an operand of a type consists of, of every level. */
  flatten(operand: Operand, into: Value[] = []): Value[] {
    if (operand.kind === "aggregate") for (const part of operand.parts) this.flatten(part, into);
    else into.push(this.valueOf(operand));
    return into;
  }

  /** The operand of a type that consists of values. */
  unflatten(type: SpirvType, values: readonly Value[]): Operand {
    let next = 0;
    const take = (of: SpirvType): Operand => {
      if (of.ir !== null) return values[next++] ?? zeroOf(this.m, of);
      const parts = Array.from({ length: partCount(of) }, (_, i) => take(partType(this.m, of, i)));
      return madeOf(of, parts);
    };
    return take(type);
  }

  /** The constant int of operand word `index`. */
  constant(index: number): number {
    const operand = this.operand(this.i.word(index));
    if (operand.kind !== "constant" || operand.type.kind !== "int")
      return this.refuse(`%${this.i.word(index)} must be a constant int`);
    return operand.high === 0 ? operand.low : Number((BigInt(operand.high) << 32n) | BigInt(operand.low));
  }

  /** Writes an op with a result of a type. */
  op(op: number, type: Type, ...operands: Value[]): Instruction {
    return this.b.insert(new Instruction(op, type, operands, this.b.location));
  }

  /** Private memory of a type, in the entry. */
  variable(type: SpirvType, alignment: number, name: string): Value {
    const layout = layoutOf(this.m, type);
    return this.entry.alloca(layout.ir, Math.max(alignment, layout.alignment), name);
  }

  /** The type that a value is known by where it came from a 64-bit module: the device's size_t. */
  get sizeType(): Type {
    return this.m.options.layout.sizeBits === 64 ? I64 : I32;
  }

  /** A block by its label. */
  block(id: number): Block {
    const { m, facts } = this;
    const index = m.module.definitions.of(id);
    const block = index > facts.begin && index < facts.end ? m.blocks.at(index) : undefined;
    return block ?? this.refuse(`%${id} is no block of this function`);
  }

  /** Notes the edges of a terminator, one for each label, where blocks with phis are their targets. */
  addEdges(terminator: Instruction, labels: readonly number[]): void {
    const { m, facts, graph } = this;
    for (let index = 0; index < labels.length; index++) {
      const to = labels[index] ?? 0;
      if (graph.hasPhi[m.module.definitions.of(to) - facts.begin] === 1)
        this.edges.push({ from: this.label, to, terminator, index });
    }
  }

  /** Makes a phi a parameter of its block for each value that it consists of. */
  addPhi(): void {
    const { type, i } = this;
    const block = this.block(this.label);
    const parameters = leavesOf(this.m, type).map((leaf) => block.addParameter(leaf));
    const own = this.phis.get(this.label);
    const phi: Phi = { parameters, at: i.at, end: i.end, places: null };
    if (own === undefined) this.phis.set(this.label, [phi]);
    else own.push(phi);
    this.define(i.result, type, this.unflatten(type, parameters));
  }

  /** Reads the whole function. */
  read(handle: (f: FunctionReader) => void): void {
    const { facts, m } = this;
    const { module } = m;
    const { opcodes, results } = module;
    const graph = graphOf(m, facts);
    this.graph = graph;
    const [first] = graph.order;
    if (first === undefined) return m.refuse(module.offsets[facts.begin] ?? 0, "a function has no blocks");
    // Blocks of the IR stand in the order of the module, but for those that nothing reaches.
    for (const label of graph.order.toSorted())
      m.blocks.put(label, facts.ir.addBlock(m.names.get(results[label] ?? 0) ?? ""));
    this.begin(this.block(results[first] ?? 0));
    for (const label of graph.order)
      for (let index = label; ; index++) {
        this.load(index);
        handle(this);
        if (index + 1 < facts.end && opcodes[index + 1] !== LABEL) continue;
        this.requireEnd();
        break;
      }
    this.finish();
  }

  private requireEnd(): void {
    if (!this.b.isTerminated) this.m.refuse(this.m.at, "the block ends without a branch or a return");
    // A list that grows has room for many instructions, and most blocks have few.
    const { block } = this.b;
    if (block.instructions.length < FEW_INSTRUCTIONS) block.instructions = copyOf(block.instructions);
  }

  /** Parameters, then the first block. */
  private begin(first: Block): void {
    const { facts, m } = this;
    this.b.floatFlags = m.options.floatFlags | (m.contracts ? CONTRACT : 0);
    let next = facts.hasResultAddress ? 1 : 0;
    let number = 0;
    const { opcodes } = m.module;
    for (let index = facts.begin + 1; index < facts.end && opcodes[index] !== LABEL; index++) {
      if (opcodes[index] !== PARAMETER) continue;
      const type = facts.type.members[number++];
      const id = m.module.results[index] ?? 0;
      if (type === undefined)
        return m.refuse(m.module.offsets[index] ?? 0, "the function has more parameters than its type");
      const leaves = leavesOf(m, type).map(() => facts.ir.parameters[next++] as Value);
      const [value] = leaves;
      if (value?.kind === "parameter") value.name = m.names.get(id) ?? "";
      const copied = value === undefined ? null : this.ownCopy(id, type, value);
      this.define(id, type, copied ?? this.unflatten(type, leaves));
    }
    if (number !== facts.type.members.length)
      m.refuse(m.module.offsets[facts.begin] ?? 0, "the function has fewer parameters than its type");
    const start = m.shader === null ? first : bindOuterVariables(this, next, first);
    // Variables are added before this branch.
    this.entry.branch(start);
  }

  /** A pointer to a struct that is passed by value: what is written through it is the callee's own. */
  private ownCopy(id: number, type: SpirvType, value: Value): Value | null {
    const { m, entry } = this;
    if (!m.hasAttribute(id, "ByVal") || type.kind !== "pointer" || type.element === null) return null;
    const { size, alignment } = layoutOf(m, type.element);
    const copy = this.variable(type.element, alignment, m.names.get(id) ?? "");
    entry.memoryCopy(copy, value, constantInt(I32, size), alignment);
    return copy;
  }

  /** Makes an instruction the one that is read. */
  private load(index: number): void {
    const { m, i } = this;
    const { module } = m;
    const opcode = module.opcodes[index] ?? 0;
    const { offsets } = module;
    i.opcode = opcode;
    i.typeId = module.types[index] ?? 0;
    i.result = module.results[index] ?? 0;
    m.at = offsets[index] ?? 0;
    i.at = m.at + (FIRST_OPERAND[opcode] ?? 1);
    i.end = offsets[index + 1] ?? 0;
    this.resultType = null;
  }

  /** Starts a block of the module. */
  startBlock(id: number): void {
    this.label = id;
    this.b.block = this.block(id);
  }

  /** Starts a block that the module does not have, which belongs to the one that is being read. */
  startOwnBlock(block: Block): void {
    this.b.block = block;
  }

  /** Fills in what blocks pass to one another, and checks that each has an end. */
  private finish(): void {
    for (const edge of this.edges) {
      const phis = this.phis.get(edge.to);
      if (phis !== undefined) this.passArguments(edge, phis);
    }
    this.joinEntry();
  }

  /** Makes the block that the function begins with its entry: the variables come to stand in it. */
  private joinEntry(): void {
    const { entry, facts } = this;
    const { block } = entry;
    const [start] = block.terminator.successors;
    if (start === undefined) return;
    const variables = block.instructions.slice(0, -1);
    for (const variable of variables) variable.block = start;
    if (variables.length > 0) start.instructions = [...variables, ...start.instructions];
    facts.ir.blocks = [start, ...facts.ir.blocks.filter((other) => other !== start && other !== block)];
  }

  private passArguments({ from, to, terminator, index }: Edge, phis: readonly Phi[]): void {
    const { m } = this;
    const { block } = terminator;
    if (block === null) return;
    const passed: Value[] = [];
    // Addresses of variables are written before the branch.
    block.instructions.pop();
    this.b.block = block;
    for (const phi of phis) {
      m.at = phi.at;
      const found = valueFrom(m.words, phi, from);
      if (found < 0) m.refuse(phi.at, `the phi has no value for the predecessor %${from} of %${to}`);
      const values = this.flatten(this.operand(m.words[found] ?? 0));
      if (values.length !== phi.parameters.length || values.some(({ type }, n) => type !== phi.parameters[n]?.type))
        m.refuse(found, "the phi has a value of another type");
      passed.push(...values);
    }
    block.instructions.push(terminator);
    terminator.successorArguments[index] = passed;
  }

  /** Sets the source location of what is written next. */
  locate(location: Location | null): void {
    this.b.location = location;
  }

  /** Writes an alloca before the entry's branch. */
  allocate(type: SpirvType, alignment: number, name: string): Value {
    return this.beforeBranch(() => this.variable(type, alignment, name));
  }

  /** Like {@link allocate}, of a type of the IR with its own alignment. */
  allocateOf(type: Type, name: string): Value {
    return this.beforeBranch(() => this.entry.alloca(type, alignmentOf(this.m.options.layout, type), name));
  }

  private beforeBranch(write: () => Value): Value {
    const { block } = this.entry;
    const branch = block.instructions.pop();
    const made = write();
    if (branch !== undefined) block.instructions.push(branch);
    return made;
  }
}

const LABEL = opcodeOf("OpLabel");
const PARAMETER = opcodeOf("OpFunctionParameter");
const PHI = opcodeOf("OpPhi");

/** By opcode the words before the operands: the instruction's first, its type, its result. */
const FIRST_OPERAND: number[] = [];
for (const { opcode, hasType, hasResult } of OP_ROWS.values())
  FIRST_OPERAND[opcode] = 1 + Number(hasType) + Number(hasResult);

/** Labels that the terminator of a block branches to. */
type Targets = (m: ModuleReader, at: number, end: number) => number[];

/** By opcode the words of a terminator that hold labels. */
const TARGETS: (Targets | undefined)[] = [];
Object.entries<Targets>({
  OpBranch: (m, at) => [m.words[at + 1] ?? 0],
  OpBranchConditional: (m, at) => [m.words[at + 2] ?? 0, m.words[at + 3] ?? 0],
  OpSwitch: (m, at, end) => {
    const { module } = m;
    const type = m.typeAt(module.types[module.definitions.of(m.words[at + 1] ?? 0)] ?? 0, at + 1);
    const step = type.ir?.bits === 64 ? 3 : 2;
    const found = [m.words[at + 2] ?? 0];
    for (let word = at + 2 + step; word < end; word += step) found.push(m.words[word] ?? 0);
    return found;
  },
}).forEach(([name, targets]) => (TARGETS[opcodeOf(name as OpName)] = targets));

/** The blocks of a function. */
export interface Graph {
  /**
   * The indices of the labels that are reached, each after those that dominate it: reverse postorder. The specification
   * asks for such an order in the words, and not every producer keeps to it.
   */
  readonly order: Uint32Array;
  /** 1 for labels of blocks with phis, by their place in the function. */
  readonly hasPhi: Uint8Array;
}

const NO_GRAPH: Graph = { order: new Uint32Array(0), hasPhi: new Uint8Array(0) };

/** Labels, and by the place of a label in the function the place of its block among the blocks. */
function labelsOf({ module }: ModuleReader, { begin, end }: FunctionBody): Blocks {
  const { opcodes } = module;
  let count = 0;
  for (let index = begin; index < end; index++) if (opcodes[index] === LABEL) count++;
  const labels = new Uint32Array(count);
  const positions = new Int32Array(end - begin).fill(-1);
  const hasPhi = new Uint8Array(end - begin);
  let position = -1;
  for (let index = begin; index < end; index++) {
    if (opcodes[index] === LABEL) {
      labels[++position] = index;
      positions[index - begin] = position;
    } else if (opcodes[index] === PHI) hasPhi[(labels[position] ?? 0) - begin] = 1;
  }
  return { labels, positions, hasPhi };
}

interface Blocks {
  readonly labels: Uint32Array;
  readonly positions: Int32Array;
  readonly hasPhi: Uint8Array;
}

/** What each block branches to: lists of positions in one array, and where each begins, as rows of a sparse matrix. */
function successorsOf(m: ModuleReader, { end, begin }: FunctionBody, { labels, positions }: Blocks): Successors {
  const { definitions, offsets, opcodes } = m.module;
  const begins = new Uint32Array(labels.length + 1);
  const targets: number[] = [];
  for (let position = 0; position < labels.length; position++) {
    const label = labels[position] ?? 0;
    for (let at = (labels[position + 1] ?? end) - 1; at > label; at--) {
      const read = TARGETS[opcodes[at] ?? 0];
      if (read === undefined) continue;
      for (const id of read(m, offsets[at] ?? 0, offsets[at + 1] ?? 0)) {
        const target = positions[definitions.of(id) - begin] ?? -1;
        if (target >= 0) targets.push(target);
      }
      break;
    }
    begins[position + 1] = targets.length;
  }
  return { begins, targets };
}

interface Successors {
  readonly begins: Uint32Array;
  readonly targets: readonly number[];
}

/** The blocks of a function in the order in which they are read. */
export function graphOf(m: ModuleReader, facts: FunctionBody): Graph {
  const blocks = labelsOf(m, facts);
  const { labels, hasPhi } = blocks;
  if (labels.length <= 1) return { order: labels, hasPhi };
  const { begins, targets } = successorsOf(m, facts, blocks);
  const seen = new Uint8Array(labels.length);
  // Postorder takes the last successor first, so that the first comes first when it is reversed.
  const next = begins.slice(1);
  const order = new Uint32Array(labels.length);
  let free = labels.length;
  const path = new Uint32Array(labels.length);
  let depth = 1;
  seen[0] = 1;
  while (depth > 0) {
    const position = path[depth - 1] ?? 0;
    const place = next[position] ?? 0;
    if (place <= (begins[position] ?? 0)) {
      order[--free] = labels[position] ?? 0;
      depth--;
      continue;
    }
    next[position] = place - 1;
    const target = targets[place - 1] ?? 0;
    if (seen[target] === 1) continue;
    seen[target] = 1;
    path[depth++] = target;
  }
  return { order: order.subarray(free), hasPhi };
}
