// SPDX-License-Identifier: Apache-2.0
// Instruction selection for shuffles: byte permutations of any number of v128 registers by few two-register shuffles.
//
// Each part of a result is 16 wanted bytes, each from some register (or zero, or any). While a part needs more than two
// registers, its registers are taken in pairs, and the wanted bytes of each pair are packed into a new register: a tree
// of merges. Parts with the same pair share new registers as far as their bytes fit (first fit). Shuffles of the same
// operands in one block are planned together, so that they share merges. Patterns that machines do in one or two
// instructions (words, rotations, interleaving) stay `i8x16.shuffle`; for others swizzles by constants are cheaper in
// V8. Cost: parts times registers, log2(registers) levels.
import { type Instruction, Op, type Value, constantLane } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import { pushMask } from "./masks.ts";
import * as Wasm from "./opcodes.ts";
import { isMask } from "./representation.ts";
import * as Simd from "./simd.table.ts";

const BYTES = 16;
/** A byte that is zero. */
const ZERO = -1;
/** A byte whose value does not matter. */
const ANY = -2;
/** A byte number that selects zero. */
const NOTHING = 0x80;

/** The 16 bytes of a part: number of a register times 16 plus a byte of it, {@link ZERO} or {@link ANY}. */
type Bytes = readonly number[];

/** A shuffle of two registers into a new one. */
interface Step {
  readonly register: number;
  readonly bytes: Bytes;
}

/** A plan: steps, then at most two registers for each part. */
export interface ShufflePlan {
  readonly steps: readonly Step[];
  readonly parts: readonly Bytes[];
}

function registersOf(bytes: Bytes): number[] {
  return [...new Set(bytes.filter((byte) => byte >= 0).map((byte) => byte >> 4))].toSorted((a, b) => a - b);
}

/** Bytes of two registers that parts use together: as many parts as fit share one new register. */
class Bin {
  readonly bytes: number[] = [];

  /** Adds the bytes of a part; true when they fit. */
  takes(wanted: readonly number[]): boolean {
    const missing = wanted.filter((byte) => !this.bytes.includes(byte));
    if (this.bytes.length + missing.length > BYTES) return false;
    this.bytes.push(...missing);
    return true;
  }
}

/** Merges pairs of registers until every part needs two at most. `next`: the first free register number. */
export function planShuffles(wanted: readonly Bytes[], firstFree: number): ShufflePlan {
  const steps: Step[] = [];
  let parts = wanted;
  let next = firstFree;
  while (parts.some((part) => registersOf(part).length > 2)) {
    const bins = new Map<string, { readonly register: number; readonly bin: Bin }[]>();
    parts = parts.map((part) => {
      const registers = registersOf(part);
      if (registers.length <= 2) return part;
      const moved = new Map<number, number>();
      for (let i = 0; i + 1 < registers.length; i += 2) {
        const pair = registers.slice(i, i + 2);
        const bytes = [...new Set(part.filter((byte) => byte >= 0 && pair.includes(byte >> 4)))];
        const key = pair.join();
        const list = bins.get(key) ?? [];
        bins.set(key, list);
        let home = list.find(({ bin }) => bin.takes(bytes));
        if (home === undefined) {
          home = { register: next++, bin: new Bin() };
          home.bin.takes(bytes);
          list.push(home);
        }
        for (const byte of bytes) moved.set(byte, home.register * BYTES + home.bin.bytes.indexOf(byte));
      }
      return part.map((byte) => moved.get(byte) ?? byte);
    });
    for (const list of bins.values())
      for (const { register, bin } of list)
        steps.push({ register, bytes: Array.from({ length: BYTES }, (_, i) => bin.bytes[i] ?? ANY) });
  }
  return { steps: steps.toSorted((a, b) => a.register - b.register), parts };
}

/** The bytes of one register in their positions; zeros elsewhere. */
function pushPicked(emitter: FunctionEmitter, bytes: Bytes, register: number, push: (register: number) => void): void {
  push(register);
  emitter.code.v128(
    Uint8Array.from({ length: BYTES }, (_, i) =>
      (bytes[i] ?? ANY) >> 4 === register ? (bytes[i] ?? 0) & 15 : NOTHING,
    ),
  );
  emitter.code.simd(Simd.SWIZZLE);
}

/**
 * True when bytes follow one another by `step` from the first one on, in the concatenation of two registers that begins
 * with `home`.
 */
function goesBy(bytes: Bytes, home: (byte: number) => number, lane: number, step: number): boolean {
  const begin = bytes.findIndex((byte) => byte >= 0);
  const offsetAt = (i: number): number => Math.floor(i / lane) * lane * step + (i % lane);
  const start = home(bytes[begin] ?? 0) - offsetAt(begin);
  return start >= 0 && bytes.every((byte, i) => byte === ANY || (byte >= 0 && home(byte) === start + offsetAt(i)));
}

/** True for interleavings of two registers' low or high halves. */
function takeTurns(bytes: Bytes, home: (byte: number) => number, lane: number): boolean {
  const isFrom = (half: number): boolean =>
    bytes.every((byte, i) => {
      const number = Math.floor(i / lane);
      return (
        byte === ANY || (byte >= 0 && home(byte) === (number & 1) * BYTES + half + (number >> 1) * lane + (i % lane))
      );
    });
  return isFrom(0) || isFrom(BYTES / 2);
}

/**
 * True for shuffles that machines do in one or two instructions: whole words, consecutive bytes, every second lane,
 * interleaved lanes. V8 writes all others with two masks that it rebuilds each time, in four instructions each; a
 * swizzle of each register by a constant in a local takes three instructions for both.
 */
function isOneInstruction(bytes: Bytes, first: number, second: number | undefined): boolean {
  const home = (byte: number): number => (byte >> 4 === first ? 0 : BYTES) + (byte & 15);
  const isByWords = [0, 4, 8, 12].every((at) =>
    [0, 1, 2, 3].every((i) => {
      const [begin, byte] = [bytes[at] ?? ANY, bytes[at + i] ?? ANY];
      return byte === ANY || (byte >= 0 && begin >= 0 && begin % 4 === 0 && byte === begin + i);
    }),
  );
  if (isByWords && !bytes.includes(ZERO)) return true;
  if (goesBy(bytes, home, BYTES, 1)) return true;
  return [1, 2].some((lane) => takeTurns(bytes, home, lane) || (second !== undefined && goesBy(bytes, home, lane, 2)));
}

/** Pushes the bytes of at most two registers; `push` pushes a register. */
function pushBytes(emitter: FunctionEmitter, bytes: Bytes, push: (register: number) => void): void {
  const { code } = emitter;
  const [first, second] = registersOf(bytes);
  if (first === undefined) {
    code.v128(new Uint8Array(BYTES));
    return;
  }
  if (!isOneInstruction(bytes, first, second)) {
    pushPicked(emitter, bytes, first, push);
    if (second === undefined) return;
    pushPicked(emitter, bytes, second, push);
    code.simd(Simd.V128_OR);
    return;
  }
  push(first);
  if (second === undefined && bytes.every((byte, i) => byte === ANY || byte === first * BYTES + i)) return;
  push(second ?? first);
  code.shuffle(bytes.map((byte, i) => (byte === ANY ? i : (byte >> 4 === first ? 0 : BYTES) + (byte & 15))));
}

/** A shuffle before it is written. */
interface Planned {
  readonly parts: readonly Bytes[];
  readonly push: (register: number) => void;
}

/** The shuffles of a function, planned together where they take the same operands in one block. */
export class Shuffles {
  private readonly planned = new Map<Instruction, Planned>();
  private readonly emitter: FunctionEmitter;

  constructor(emitter: FunctionEmitter) {
    this.emitter = emitter;
  }

  /** Leaves the parts of a shuffle on the stack. */
  emit(instruction: Instruction): void {
    let planned = this.planned.get(instruction);
    if (planned === undefined) {
      this.plan(instruction);
      planned = this.planned.get(instruction);
    }
    for (const bytes of planned?.parts ?? []) pushBytes(this.emitter, bytes, planned?.push ?? ((): void => undefined));
  }

  /** Plans a shuffle and the later ones with the same operands; shared merges are computed here. */
  private plan(instruction: Instruction): void {
    const { emitter } = this;
    const size = emitter.laneBytesOf(instruction);
    const group = sameOperands(instruction, size, (other) => emitter.laneBytesOf(other));
    const left = emitter.operand(instruction, 0);
    const right = emitter.operand(instruction, 1);
    const perOperand = Math.ceil((left.type.count * size) / BYTES);
    const wanted = group.map((one) => partsOf(one, size, perOperand));
    const { steps, parts } = planShuffles(wanted.flat(), perOperand * 2);
    const locals = new Map<number, number>();
    const push = (register: number): void => {
      const local = locals.get(register);
      if (local !== undefined) emitter.code.get(local);
      else pushRegister(emitter, register < perOperand ? left : right, size, register % perOperand);
    };
    for (const { register, bytes } of steps) {
      pushBytes(emitter, bytes, push);
      const local = emitter.code.local(Wasm.TYPE_V128);
      emitter.code.set(local);
      locals.set(register, local);
    }
    let at = 0;
    group.forEach((one, i) => {
      const count = wanted[i]?.length ?? 0;
      this.planned.set(one, { parts: parts.slice(at, at + count), push });
      at += count;
    });
  }
}

function pushRegister(emitter: FunctionEmitter, value: Value, size: number, part: number): void {
  if (isMask(value.type)) pushMask(emitter, value, size, part);
  else emitter.push(value, part);
}

/** The shuffle and the later ones in its block with the same operands and lanes of the same size. */
function sameOperands(
  first: Instruction,
  size: number,
  sizeOf: (other: Instruction) => number,
): readonly Instruction[] {
  const all = first.block?.instructions ?? [];
  return all
    .slice(all.indexOf(first))
    .filter(
      ({ op, operands }, i) =>
        op === Op.SHUFFLE && (i === 0 || operands.every((operand, k) => operand === first.operands[k])),
    )
    .filter((one) => sizeOf(one) === size);
}

function isZero(value: Value, lane: number): boolean {
  if (value.kind !== "constant") return false;
  const { low, high } = constantLane(value, lane);
  return low === 0 && high === 0;
}

/** The bytes of each part of a shuffle's result. */
function partsOf({ lanes, operands }: Instruction, size: number, perOperand: number): readonly Bytes[] {
  const [left, right] = operands;
  if (left === undefined || right === undefined) return [];
  const { count } = left.type;
  const all = lanes.flatMap((lane) => {
    const value = lane < count ? left : right;
    const within = lane % count;
    const start = within * size + (lane < count || left === right ? 0 : perOperand * BYTES);
    return Array.from({ length: size }, (_, i) => (lane < 0 || isZero(value, within) ? ZERO : start + i));
  });
  return Array.from({ length: Math.ceil(all.length / BYTES) }, (_, part) =>
    Array.from({ length: BYTES }, (_ignored, i) => all[part * BYTES + i] ?? ANY),
  );
}
