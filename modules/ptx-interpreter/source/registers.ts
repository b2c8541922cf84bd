// SPDX-License-Identifier: Apache-2.0
/**
 * Where the registers of a kernel and of the functions that it calls are. No function calls itself, so each has its
 * registers and private variables once, like the kernel's: lanes do not disturb each other. Immediates and special
 * registers are registers too, whose contents are written before a launch.
 */
import type { ConstantSlot } from "./image.ts";
import type { Operand, PtxFunction, Statement } from "./parse.ts";
import type { Letter } from "./step.ts";
import { LANES } from "./warp.ts";
import { SPECIAL_REGISTERS } from "./special-registers.table.ts";

/** A refusal while a module is compiled. */
export class CompileFailure extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** A register of the text. */
interface Register {
  readonly slot: number;
  /** 1, 16, 32 or 64. */
  readonly bits: number;
  readonly isFloat: boolean;
}

/** Bits of operands, by letter. */
const BITS: Readonly<Record<Letter, number>> = {
  s: 32,
  u: 32,
  v: 16,
  w: 16,
  x: 8,
  y: 8,
  h: 16,
  f: 32,
  g: 64,
  p: 1,
  l: 64,
  k: 0,
};

function bitsOf(type: string): number {
  return type === ".pred" ? 1 : Number(/\d+$/u.exec(type)?.[0] ?? 0);
}

/** Numbers of words that are taken, and what fixed registers hold. */
export class Slots {
  words = 0;
  readonly constants: ConstantSlot[] = [];
  readonly symbols: { readonly slot: number; readonly name: string }[] = [];
  readonly specials: { readonly slot: number; readonly name: string }[] = [];
  private readonly known = new Map<string, number>();

  /** A new register. */
  take(isWide: boolean): number {
    const slot = this.words;
    this.words += isWide ? 2 * LANES : LANES;
    return slot;
  }

  private once(key: string, isWide: boolean, add: (slot: number) => void): number {
    const found = this.known.get(key);
    if (found !== undefined) return found;
    const slot = this.take(isWide);
    this.known.set(key, slot);
    add(slot);
    return slot;
  }

  /** A register with a number. */
  constant(value: bigint, isWide: boolean): number {
    const [low, high] = [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))];
    return this.once(`${isWide ? "wide" : "word"} ${low} ${isWide ? high : 0}`, isWide, (slot) => {
      this.constants.push({ slot, isWide, low, high });
    });
  }

  /** A register with the address of a variable in global memory. */
  symbol(name: string): number {
    return this.once(`variable ${name}`, true, (slot) => this.symbols.push({ slot, name }));
  }

  /** A register that holds a special one. */
  special(name: string): number {
    return this.once(name, false, (slot) => this.specials.push({ slot, name }));
  }
}

/** The registers of one function, and operands as places. */
export class Registers {
  private readonly names = new Map<string, Register>();
  private readonly slots: Slots;

  constructor({ registers }: PtxFunction, slots: Slots) {
    this.slots = slots;
    for (const { prefix, type, count } of registers) {
      const [bits, isFloat] = [bitsOf(type), type.startsWith(".f")];
      for (let i = 0; i < (count ?? 1); i++)
        this.names.set(count === null ? prefix : `${prefix}${i}`, { slot: slots.take(bits === 64), bits, isFloat });
    }
  }

  /** A register of the text. Throws CompileFailure for one that is not declared. */
  find(name: string, line: number): Register {
    const found = this.names.get(name);
    if (found !== undefined) return found;
    if (SPECIAL_REGISTERS.has(name)) return { slot: this.slots.special(name), bits: 32, isFloat: false };
    throw new CompileFailure(line, `the register ${name} is not declared`);
  }

  /** The place of a predicate. */
  predicate(name: string, line: number): number {
    const { slot, bits } = this.find(name, line);
    if (bits !== 1) throw new CompileFailure(line, `${name} is no predicate`);
    return slot;
  }

  /** Where an operand is that is read or written by a letter. `type`: of the instruction, to tell floats from ints. */
  place(operand: Operand | undefined, letter: Letter, type: string, { line, opcode }: Statement): number {
    if (operand === undefined) throw new CompileFailure(line, `${opcode} lacks an operand`);
    const bits = BITS[letter];
    if (operand.kind === "register") {
      const { slot, bits: own, isFloat } = this.find(operand.name, line);
      // Narrow ints may be in registers of 32 bits.
      const fits = own === bits || (bits < 32 && own === 32 && letter !== "p" && letter !== "h");
      if (!fits || (own === 16 && bits === 8 ? false : isFloat && /^[su]\d/u.test(type)))
        throw new CompileFailure(line, `${opcode} takes no register like ${operand.name}`);
      return slot;
    }
    if (operand.kind === "integer" && letter !== "f" && letter !== "g" && letter !== "h") {
      if (letter === "k") return Number(operand.value);
      return this.slots.constant(letter === "p" ? BigInt(operand.value !== 0n) : operand.value, bits === 64);
    }
    if (operand.kind === "float" && operand.bits === bits) return this.slots.constant(operand.value, bits === 64);
    throw new CompileFailure(line, `${opcode} takes no operand like this`);
  }
}
