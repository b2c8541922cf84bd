// SPDX-License-Identifier: Apache-2.0
// Writes instructions over values at the end of a block: operands by the table of instructions, results as new values.
import { InternalError } from "@muxkit/cargo";
import { FORM_COUNT, MEMORY, evexTwin, formAt, formOf } from "@muxkit/x64-assembler";

import {
  DEF,
  EARLY,
  FIXED_SHIFT,
  GENERAL,
  IS_ZEROING,
  LAST,
  MASK,
  type MachineBlock,
  type MachineFunction,
  NO_ADDRESS,
  PSEUDO,
  SLOT_IMPLIED,
  SLOT_MASK,
  SLOT_SHIFT,
  TIED_SHIFT,
  USE,
  VECTOR,
  rolesOf,
} from "./machine-function.ts";

/** No base or no index of an address. */
const NOTHING = -1;

/** Where an operand in memory is. */
export interface Address {
  readonly kind: number;
  readonly base: number;
  readonly index: number;
  readonly scale: number;
  readonly displacement: number;
  /** Whether it is that of one lane, which all lanes get: wide tiers only. */
  readonly isBroadcast?: boolean;
}

interface Shape {
  readonly classes: readonly number[];
  readonly widths: readonly number[];
  readonly roles: readonly number[];
  readonly implied: readonly number[];
  readonly mayBeMemory: readonly boolean[];
  /** Where the immediate is; -1 for none. */
  readonly immediate: number;
}

const SHAPES: (Shape | undefined)[] = [];
const BYTES_OF: Readonly<Record<string, number>> = { x: 16, y: 32, z: 64 };

function shapeOf(id: number): Shape {
  let known = SHAPES[id];
  if (known === undefined) {
    const { shown, implied } = rolesOf(id);
    const operands = formAt(id).operands.filter((operand) => !operand.implied);
    const classes = operands.map(({ register }) =>
      register === undefined ? -1 : register === "k" ? MASK : register.startsWith("g") ? GENERAL : VECTOR,
    );
    const widths = operands.map(({ register }) => BYTES_OF[register ?? ""] ?? 8);
    const immediate = operands.findIndex(({ place }) => place === "immediate" || place === "condition");
    const mayBeMemory = operands.map(({ memoryBits }) => memoryBits !== 0);
    SHAPES[id] = known = { classes, widths, roles: shown, implied, immediate, mayBeMemory };
  }
  return known;
}

const KNOWN_FORMS = new Map<string, number>();

/** The number of a form by its key, remembered. */
export function form(key: string): number {
  let known = KNOWN_FORMS.get(key);
  if (known === undefined) KNOWN_FORMS.set(key, (known = formOf(key)));
  return known;
}

/** Forms by template, then by bits: 8, 16, 32, 64. */
const GENERAL_FORMS = new Map<string, Int32Array>();

/** The number of a form for 8 to 64 bits that a template stands for: `add r64, r64/m64` of `add r, r/m`. */
export function general(template: string, bits: number): number {
  let known = GENERAL_FORMS.get(template);
  if (known === undefined) GENERAL_FORMS.set(template, (known = new Int32Array(4).fill(-1)));
  const column = 28 - Math.clz32(bits);
  let id = known[column] as number;
  if (id === -1) known[column] = id = form(template.replaceAll(/\b([rm])\b/gu, `$1${bits}`));
  return id;
}

/** What EVEX calls otherwise than VEX. */
const EVEX_NAMES: Readonly<Record<string, string>> = {
  vpand: "vpandd",
  vpandn: "vpandnd",
  vpor: "vpord",
  vpxor: "vpxord",
  vroundps: "vrndscaleps",
  vroundpd: "vrndscalepd",
  vroundss: "vrndscaless",
  vroundsd: "vrndscalesd",
  vinserti128: "vinserti32x4",
  vextracti128: "vextracti32x4",
};

/** The key of what EVEX has in place of a form of VEX: another name, or memory as an operand besides. */
function evexKey(key: string): string {
  const space = key.indexOf(" ");
  const name = key.slice(0, space);
  const operands = key.slice(space);
  const byAmount = /^vps(?:[lr]l|ra)(?:dq|[wdq])$/u.test(name);
  return (
    (EVEX_NAMES[name] ?? name) +
    (byAmount
      ? operands.replace(/^ ([xyz]), [xyz], i8$/u, (_, v: string) => ` ${v}, ${v}/${MEMORY_OF[v]}, i8`)
      : operands)
  );
}

const MEMORY_OF: Readonly<Record<string, string>> = { x: "m128", y: "m256", z: "m512" };

const REACHING = new Int32Array(FORM_COUNT).fill(-1);

/** The form that does what a form does, for 32 vectors. */
function reaching(id: number): number {
  let known = REACHING[id] as number;
  if (known === -1) {
    const { kind, key, operands } = formAt(id);
    const reachesAll =
      kind !== "VEX" || evexTwin(id) !== -1 || !operands.some(({ register = "k" }) => "xyz".includes(register));
    known = reachesAll ? id : formOf(evexKey(key));
    if (!reachesAll && known === id) throw new InternalError(`"${key}" reaches 16 vectors only`);
    REACHING[id] = known;
  }
  return known;
}

const VECTOR_FORMS = new Map<string, Int32Array>();

/**
 * The number of a form for vectors of 16, 32 or 64 bytes. In the key `v` stands for a register of that width and `m`
 * for memory of it, `h` and `mh` for half of it.
 */
export function vectorForm(template: string, width: number): number {
  let known = VECTOR_FORMS.get(template);
  if (known === undefined) VECTOR_FORMS.set(template, (known = new Int32Array(3).fill(-1)));
  const column = width >> 5;
  let id = known[column] as number;
  if (id === -1) {
    const key = template.replaceAll(/\b(?:v|m|h|mh)\b/gu, (one) => {
      const bytes = one.endsWith("h") ? width / 2 : width;
      return one.startsWith("m") ? `m${8 * bytes}` : bytes > 32 ? "z" : bytes > 16 ? "y" : "x";
    });
    known[column] = id = form(width === 64 ? evexKey(key) : key);
  }
  return id;
}

/** Writes into one block at a time. */
export class MachineBuilder {
  readonly fn: MachineFunction;
  /** Whether vectors may be any of 32 registers. */
  private readonly isWide: boolean;
  block: MachineBlock;
  /** Results of the last instruction, in the order of its operands, implied ones last. */
  readonly results: number[] = [];

  constructor(fn: MachineFunction, block: MachineBlock, isWide: boolean = false) {
    this.fn = fn;
    this.block = block;
    this.isWide = isWide;
  }

  private start(id: number, immediate: number = 0, extra: number = 0): number {
    const made = this.fn.newInstruction(id, immediate, extra);
    this.block.instructions.push(made);
    this.results.length = 0;
    return made;
  }

  private result(registerClass: number, width: number, role: number): number {
    const value = this.fn.newValue(registerClass, width);
    this.fn.operand(value, role);
    this.results.push(value);
    return value;
  }

  /**
   * Writes an instruction. `given` are its operands in the order of the text: values where one is read, numbers for
   * immediates and conditions, `MEMORY` for what `address` says; nothing stands for a result. Operands that are read
   * and written give a value and yield another one. Implied operands that are read come last. Yields the first result.
   */
  emit(wanted: number, given: readonly number[], address: Address | null = null): number {
    const { fn } = this;
    const id = this.isWide ? reaching(wanted) : wanted;
    const { classes, widths, roles, implied, immediate, mayBeMemory } = shapeOf(id);
    this.start(id);
    let at = 0;
    for (let i = 0; i < classes.length; i++) {
      const role = roles[i] as number;
      if (i === immediate) {
        fn.immediate[fn.instructionCount - 1] = given[at++] as number;
        continue;
      }
      const isMemory = mayBeMemory[i] === true && given[at] === MEMORY && address !== null;
      if (isMemory || (classes[i] as number) === -1) {
        at++;
        continue;
      }
      const isRead = (role & USE) !== 0;
      let place = -1;
      if (isRead) {
        const value = given[at++] as number;
        if (fn.classOf[value] !== classes[i] || value < 0)
          throw new InternalError(`"${formAt(id).key}" gets a value of a wrong class as operand ${i}`);
        place = fn.operand(value, USE | (i << SLOT_SHIFT));
      }
      if ((role & DEF) !== 0)
        this.result(
          classes[i] as number,
          widths[i] as number,
          DEF | (role & EARLY) | (i << SLOT_SHIFT) | (isRead ? (place + 1) << TIED_SHIFT : 0),
        );
    }
    for (const role of implied) {
      const fixed = role & (255 << FIXED_SHIFT);
      let place = -1;
      if ((role & USE) !== 0) place = fn.operand(given[at++] as number, USE | (SLOT_IMPLIED << SLOT_SHIFT) | fixed);
      if ((role & DEF) !== 0)
        this.result(
          GENERAL,
          8,
          DEF | (SLOT_IMPLIED << SLOT_SHIFT) | fixed | (place === -1 ? 0 : (place + 1) << TIED_SHIFT),
        );
    }
    if (at !== given.length) throw new InternalError(`"${formAt(id).key}" gets ${given.length} operands, not ${at}`);
    if (address !== null && address.kind !== NO_ADDRESS) {
      const { kind, base, index, scale, displacement, isBroadcast } = address;
      fn.address(kind, base, index, scale, displacement, isBroadcast);
      // An address by registers is read together with the other operands, before any result is written.
    }
    return this.results[0] ?? NOTHING;
  }

  /** The same under a mask; lanes that it leaves out become 0, or those of an instruction that has both. */
  emitMasked(
    id: number,
    given: readonly number[],
    mask: number,
    isZeroing: boolean,
    address: Address | null = null,
  ): number {
    const { fn } = this;
    const result = this.emit(id, given, address);
    fn.operand(mask, USE | (SLOT_MASK << SLOT_SHIFT));
    const last = fn.instructionCount - 1;
    if (isZeroing) fn.addressing[last] = (fn.addressing[last] as number) | IS_ZEROING;
    return result;
  }

  /** The same where the instruction clears the mask: of a gather or a scatter. */
  emitClearing(id: number, given: readonly number[], mask: number, address: Address): number {
    const { fn } = this;
    const result = this.emit(id, given, address);
    const place = fn.operand(mask, USE | (SLOT_MASK << SLOT_SHIFT));
    this.addTied(MASK, 8, place);
    return result;
  }

  /** A copy of a value. */
  copy(value: number): number {
    const { fn } = this;
    this.start(PSEUDO.copy, 0, fn.width[value]);
    const made = this.result(fn.classOf[value] as number, fn.width[value] as number, DEF);
    fn.operand(value, USE);
    return made;
  }

  /** A pseudo-instruction with operands that are read, in fixed registers or any (-1). */
  pseudo(id: number, immediate: number, extra: number, used: readonly number[], fixed: readonly number[] = []): void {
    this.start(id, immediate, extra);
    used.forEach((value, i) => {
      const register = fixed[i] ?? -1;
      this.fn.operand(value, USE | (SLOT_IMPLIED << SLOT_SHIFT) | ((register + 1) << FIXED_SHIFT));
    });
  }

  /** Adds a result to the last instruction. */
  addResult(registerClass: number, width: number, fixed: number = -1, flags: number = 0): number {
    return this.result(registerClass, width, DEF | flags | (SLOT_IMPLIED << SLOT_SHIFT) | ((fixed + 1) << FIXED_SHIFT));
  }

  /** Adds a result in the register of an operand of the last instruction. */
  addTied(registerClass: number, width: number, place: number): number {
    const { fn } = this;
    const use = (fn.firstOperand[fn.instructionCount - 1] as number) + place;
    const fixed = (fn.role[use] as number) & (255 << FIXED_SHIFT);
    return this.result(registerClass, width, DEF | fixed | (SLOT_IMPLIED << SLOT_SHIFT) | ((place + 1) << TIED_SHIFT));
  }

  /** A register for use within the last instruction. */
  addTemporary(registerClass: number, width: number = 8): void {
    this.result(registerClass, width, DEF | EARLY | LAST | (SLOT_IMPLIED << SLOT_SHIFT));
  }

  /** A value that an instruction without operands makes anew wherever it is needed. */
  constant(id: number, registerClass: number, width: number, immediate: number, extra: number = 0): number {
    const made = this.start(id, immediate, extra);
    this.fn.location[made] = 0;
    const value = this.result(registerClass, width, DEF);
    this.fn.origin[value] = made;
    return value;
  }

  /** Jumps to another block. */
  jump(to: MachineBlock, args: readonly number[] = []): void {
    this.start(PSEUDO.jump);
    this.fn.connect(this.block, to, args);
  }

  /** Jumps by the flags of the instruction before. */
  branch(
    condition: number,
    yes: MachineBlock,
    no: MachineBlock,
    yesArgs: readonly number[] = [],
    noArgs: readonly number[] = [],
  ): void {
    this.start(PSEUDO.branch, condition);
    this.fn.connect(this.block, yes, yesArgs);
    this.fn.connect(this.block, no, noArgs);
  }
}
