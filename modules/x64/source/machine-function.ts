// SPDX-License-Identifier: Apache-2.0
/**
 * Functions of machine instructions over virtual registers, in SSA form with block parameters.
 *
 * Instructions and operands are rows of columns (typed arrays) that only grow; a block has the numbers of its
 * instructions in order, so that passes insert and leave out without moving anything. An operand is a value and a role:
 * read, written, which register it must be, which other operand it shares a register with, and where the encoder wants
 * it. After allocation the same columns hold registers in place of values (`isAllocated`).
 *
 * Registers are numbered across classes: general 0 to 15, vectors from 16, masks from 48.
 */
import { InternalError } from "@muxkit/cargo";
import type { Location } from "@muxkit/ir";
import { NONE, constraintsOf } from "@muxkit/x64-assembler";

/** Classes of registers. */
export const GENERAL = 0;
/** See {@link GENERAL}. */
export const VECTOR = 1;
/** See {@link GENERAL}. */
export const MASK = 2;

/** The first register of each class. */
export const FIRST_REGISTER: Uint8Array = Uint8Array.of(0, 16, 48);
/** How many numbers of registers there are. */
export const REGISTER_COUNT = 56;

/** Class of a register. */
export function classOfRegister(register: number): number {
  return register < 16 ? GENERAL : register < 48 ? VECTOR : MASK;
}

/** Bits of a role. */
export const USE = 1;
export const DEF = 2;
/** A result that is written before all operands are read, or a register for use within the instruction. */
export const EARLY = 4;
/** The value leaves its register here: it is dead, or only in memory from here on. */
export const LAST = 8;
/** Where the encoder wants the operand: bits 4 to 7. 0 to 3 in the order of the text, then these. */
export const SLOT_SHIFT = 4;
export const SLOT_BASE = 4;
export const SLOT_INDEX = 5;
/** Implied by the instruction: not encoded. */
export const SLOT_IMPLIED = 6;
/** The mask under which the instruction works. */
export const SLOT_MASK = 7;
/** The only register that it may be, plus 1, in bits 8 to 15. */
export const FIXED_SHIFT = 8;
/** The operand of the instruction whose register it shares, plus 1, in bits 16 to 23. */
export const TIED_SHIFT = 16;

/** What is no instruction of the machine. */
export const PSEUDO = {
  /** Result, operand. */
  copy: -1,
  /** To the first successor. */
  jump: -2,
  /** To the first successor when the condition in `immediate` holds, else to the second. */
  branch: -3,
  ret: -4,
  /** `immediate` is the number of the function. */
  call: -5,
  /** A value is read from its place on the stack. */
  reload: -6,
  /** A value leaves its register. */
  drop: -7,
  /** After allocation: register to place on the stack `immediate`, and back. */
  storeSlot: -8,
  loadSlot: -9,
  /** Control does not get here. */
  trap: -10,
  /** Constants: general by 64 bits (`immediate`, `extra`), vector by its number in the pool (`immediate`). */
  constant: -11,
  vectorConstant: -12,
  /** What is passed beyond the registers is read and written above the private stack, at the offset `immediate`. */
  take: -13,
  pass: -14,
  /** A mask, by its 64 bits (`immediate`, `extra`). */
  maskConstant: -15,
} as const;

/** From here downwards: instructions that the encoder expands, see `macros.ts`. */
export const FIRST_MACRO = -32;

/** In the column `addressing`: lanes that the mask leaves out become 0. */
export const IS_ZEROING = 32;
/** In the column `addressing`: one lane is read from memory, for all. */
export const IS_BROADCAST = 64;

/** Kinds of addresses in the column `addressing`, bits 0 to 2; the scale is in bits 3 and 4. */
export const NO_ADDRESS = 0;
/** The kernel's memory. */
export const IN_KERNEL = 1;
/** A constant of the pool, by its number in `displacement`. */
export const IN_POOL = 2;
/** A sum of registers, for `lea`. */
export const PLAIN = 3;

/** Columns begin with room for so many instructions. */
const FEWEST = 128;
const OPERANDS_PER_INSTRUCTION = 3;

/** A basic block. */
export class MachineBlock {
  readonly number: number;
  instructions: number[] = [];
  readonly parameters: number[] = [];
  readonly successors: number[] = [];
  /** Arguments for the parameters of each successor. */
  readonly args: number[][] = [];
  readonly predecessors: number[] = [];

  constructor(number: number) {
    this.number = number;
  }
}

function grown(column: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * column.length);
  larger.set(column);
  return larger;
}

function newColumn(length: number): Int32Array<ArrayBuffer> {
  return new Int32Array(length);
}

/** A function of machine code. */
export class MachineFunction {
  readonly name: string;
  /** The first is the entry, which has no predecessors. */
  readonly blocks: MachineBlock[] = [];
  isAllocated: boolean = false;
  /** Bytes of each place on the stack, once allocated. */
  readonly slotBytes: number[] = [];
  /** Bytes of its widest vectors. */
  partBytes: number = 32;
  /** Bytes above the private stack in which arguments and results of callees are passed. */
  passedBytes: number = 0;
  hasCalls: boolean = false;

  instructionCount: number = 0;
  form: Int32Array<ArrayBuffer>;
  firstOperand: Int32Array<ArrayBuffer>;
  operandsOf: Int32Array<ArrayBuffer>;
  addressing: Int32Array<ArrayBuffer>;
  displacement: Int32Array<ArrayBuffer>;
  immediate: Int32Array<ArrayBuffer>;
  extra: Int32Array<ArrayBuffer>;
  /** Number of the place in the source that the instruction is of; 0 for none of its own. */
  location: Int32Array<ArrayBuffer>;
  /** Places in the source by their numbers; the first is none. */
  readonly locations: (Location | null)[] = [null];
  /** What new instructions get. */
  private newLocation: number = 0;

  operandCount: number = 0;
  value: Int32Array<ArrayBuffer>;
  role: Int32Array<ArrayBuffer>;

  valueCount: number = 0;
  classOf: Int32Array<ArrayBuffer>;
  /** Bytes of a vector; 8 for others. */
  width: Int32Array<ArrayBuffer>;
  /** The instruction without operands that makes a value anew; -1 for none. */
  origin: Int32Array<ArrayBuffer>;

  /** Registers that a call loses, by the number in `extra` of the call. */
  readonly clobbers: Uint8Array[] = [];

  /** `expected`: about how many instructions it will have. */
  constructor(name: string, expected: number = 0) {
    this.name = name;
    const instructions = Math.max(FEWEST, expected);
    this.form = newColumn(instructions);
    this.firstOperand = newColumn(instructions);
    this.operandsOf = newColumn(instructions);
    this.addressing = newColumn(instructions);
    this.displacement = newColumn(instructions);
    this.immediate = newColumn(instructions);
    this.extra = newColumn(instructions);
    this.location = newColumn(instructions);
    this.value = newColumn(OPERANDS_PER_INSTRUCTION * instructions);
    this.role = newColumn(OPERANDS_PER_INSTRUCTION * instructions);
    this.classOf = newColumn(instructions);
    this.width = newColumn(instructions);
    this.origin = newColumn(instructions);
  }

  /** A new value. */
  newValue(registerClass: number, width: number = 8): number {
    if (this.valueCount === this.classOf.length) {
      this.classOf = grown(this.classOf);
      this.width = grown(this.width);
      this.origin = grown(this.origin);
    }
    this.classOf[this.valueCount] = registerClass;
    this.width[this.valueCount] = width;
    this.origin[this.valueCount] = -1;
    return this.valueCount++;
  }

  /** A new block at the end. */
  newBlock(): MachineBlock {
    const block = new MachineBlock(this.blocks.length);
    this.blocks.push(block);
    return block;
  }

  /** Says which place in the source the next instructions are of; null: of none. */
  locate(location: Location | null): void {
    if (location === null) this.newLocation = 0;
    else if (this.locations[this.locations.length - 1] === location) this.newLocation = this.locations.length - 1;
    else this.newLocation = this.locations.push(location) - 1;
  }

  /** Starts an instruction, whose operands follow; it is in no block yet. */
  newInstruction(form: number, immediate: number = 0, extra: number = 0): number {
    const number = this.instructionCount++;
    if (number === this.form.length) {
      this.form = grown(this.form);
      this.firstOperand = grown(this.firstOperand);
      this.operandsOf = grown(this.operandsOf);
      this.addressing = grown(this.addressing);
      this.displacement = grown(this.displacement);
      this.immediate = grown(this.immediate);
      this.extra = grown(this.extra);
      this.location = grown(this.location);
    }
    this.form[number] = form;
    this.firstOperand[number] = this.operandCount;
    this.operandsOf[number] = 0;
    this.addressing[number] = 0;
    this.displacement[number] = 0;
    this.immediate[number] = immediate;
    this.extra[number] = extra;
    this.location[number] = this.newLocation;
    return number;
  }

  /** Adds an operand to the last instruction; yields its place among the operands of the instruction. */
  operand(value: number, role: number): number {
    const instruction = this.instructionCount - 1;
    if (this.operandCount === this.value.length) {
      this.value = grown(this.value);
      this.role = grown(this.role);
    }
    this.value[this.operandCount] = value;
    this.role[this.operandCount++] = role;
    const place = this.operandsOf[instruction] as number;
    this.operandsOf[instruction] = place + 1;
    return place;
  }

  /** Says where the operand in memory of the last instruction is. */
  address(
    kind: number,
    base: number,
    index: number,
    scale: number,
    displacement: number,
    isBroadcast: boolean = false,
  ): void {
    const instruction = this.instructionCount - 1;
    this.addressing[instruction] = kind | (scale << 3) | (isBroadcast ? IS_BROADCAST : 0);
    this.displacement[instruction] = displacement;
    if (base !== NONE) this.operand(base, USE | (SLOT_BASE << SLOT_SHIFT));
    if (index !== NONE) this.operand(index, USE | (SLOT_INDEX << SLOT_SHIFT));
  }

  /** Copies an instruction with its operands. */
  cloneInstruction(from: number): number {
    const made = this.newInstruction(this.form[from] as number, this.immediate[from], this.extra[from]);
    this.addressing[made] = this.addressing[from] as number;
    this.displacement[made] = this.displacement[from] as number;
    const first = this.firstOperand[from] as number;
    for (let i = 0; i < (this.operandsOf[from] as number); i++)
      this.operand(this.value[first + i] as number, this.role[first + i] as number);
    return made;
  }

  /** Connects a block with a successor. */
  connect(from: MachineBlock, to: MachineBlock, args: readonly number[] = []): void {
    if (args.length !== to.parameters.length) throw new InternalError(`block ${to.number} gets wrong arguments`);
    from.successors.push(to.number);
    from.args.push([...args]);
    to.predecessors.push(from.number);
  }
}

/**
 * Whether a result may not take over the register of the operand that it is tied to, although that one dies: another
 * operand reads the same value, and is written as well, or read after the first result is.
 */
export function isTieShared(fn: MachineFunction, instruction: number, def: number): boolean {
  const first = fn.firstOperand[instruction] as number;
  const end = first + (fn.operandsOf[instruction] as number);
  const role = fn.role[def] as number;
  const tied = ((role >> TIED_SHIFT) & 255) - 1;
  const value = fn.value[first + tied] as number;
  const isExpanded = (fn.form[instruction] as number) < 0 || (role & EARLY) !== 0;
  for (let i = first; i < end; i++) {
    const other = fn.role[i] as number;
    if (isExpanded && i !== first + tied && (other & USE) !== 0 && fn.value[i] === value) return true;
    const otherTied = ((other >> TIED_SHIFT) & 255) - 1;
    if (i < def && otherTied >= 0 && fn.value[first + otherTied] === value) return true;
  }
  return false;
}

/** Roles of the operands of a form in the order of the text, those that are implied behind them. */
export interface FormRoles {
  /** Operands that `emit` takes; 0 for an immediate or memory alone. */
  readonly shown: readonly number[];
  /** Implied registers. */
  readonly implied: readonly number[];
}

const ROLES: (FormRoles | undefined)[] = [];
const BANKS = { general: GENERAL, vector: VECTOR, mask: MASK } as const;

/** The roles that the table of instructions gives a form's operands: `USE`, `DEF`, fixed registers. */
export function rolesOf(form: number): FormRoles {
  let known = ROLES[form];
  if (known === undefined) {
    const shown = [0, 0, 0, 0];
    const implied: number[] = [];
    for (const { operand, isRead, isWritten, bank, fixed, isDistinct } of constraintsOf(form).operands) {
      const role = (isRead ? USE : 0) | (isWritten ? DEF : 0) | (isDistinct && isWritten ? EARLY : 0);
      const register = fixed === -1 ? 0 : (FIRST_REGISTER[BANKS[bank]] as number) + fixed + 1;
      if (operand === -1) implied.push(role | (SLOT_IMPLIED << SLOT_SHIFT) | (register << FIXED_SHIFT));
      else shown[operand] = role | (operand << SLOT_SHIFT);
    }
    ROLES[form] = known = { shown, implied };
  }
  return known;
}
