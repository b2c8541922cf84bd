// SPDX-License-Identifier: Apache-2.0
// Instructions of machine functions that stand for several of the machine, with jumps between them: atomic operations
// in loops, stores under masks, copies and fills of memory. For the allocator each is one
// instruction; it may use the scratch registers r11 and xmm15 and those that it asks for.
import type { Assembler } from "@muxkit/x64-assembler";

import { form } from "./machine-builder.ts";
import { FIRST_MACRO } from "./machine-function.ts";
import { PRIVATE_STACK_REGISTER } from "./registers.ts";

/** What an expansion gets. */
export interface Expansion {
  readonly assembler: Assembler;
  /** Numbers of the operands' registers, in their order. */
  readonly registers: readonly number[];
  readonly immediate: number;
  readonly extra: number;
  readonly displacement: number;
}

type Expand = (expansion: Expansion) => void;

const SCRATCH = 11;
const SCRATCH_VECTOR = 15;
const BELOW = 2;
const ABOVE_OR_EQUAL = 3;
const EQUAL = 4;
const NOT_EQUAL = 5;

/** What an atomic operation in a loop combines by; its number is the immediate's low byte. */
export const LOOPED_KINDS: readonly string[] = [
  "and",
  "or",
  "xor",
  "smin",
  "smax",
  "umin",
  "umax",
  "fadd",
  "fmin",
  "fmax",
  "mul",
  "fmul",
];
const CMOV: Readonly<Record<string, number>> = { smin: 0xc, smax: 0xf, umin: 2, umax: 7 };

/**
 * Operands: base, value (a register of bits), old (ax), new, for floats three vectors, and a mask in wide tiers.
 * Immediate: the kind, and 256 for 64 bits.
 */
function atomicLoop({ assembler, registers, immediate, displacement }: Expansion): void {
  const [base, value, old, made, a, b, c] = registers as [number, number, number, number, number, number, number];
  const mask = registers[7];
  const kind = LOOPED_KINDS[immediate & 255] as string;
  const isWide = immediate >= 256;
  const r = isWide ? "r64" : "r32";
  const m = isWide ? "m64" : "m32";
  const place = (): number => assembler.kernel(base, displacement);
  assembler.emit(form(`mov ${r}, ${r}/${m}`), old, place());
  const again = assembler.newLabel();
  assembler.bind(again);
  if (kind.startsWith("f")) {
    const s = isWide ? "sd" : "ss";
    const p = isWide ? "pd" : "ps";
    const toVector = isWide ? form("vmovq x, r64") : form("vmovd x, r32/m32");
    assembler.emit(toVector, a, old);
    assembler.emit(toVector, b, value);
    if (kind === "fadd" || kind === "fmul") assembler.emit(form(`v${kind.slice(1)}${s} x, x, x/${m}`), a, a, b);
    else {
      const op = form(`v${kind.slice(1)}${p} x, x, x/m128`);
      // Both orders, joined: of zeros the lesser or the greater; then the other one where one is no number.
      assembler.emit(op, c, a, b);
      assembler.emit(op, SCRATCH_VECTOR, b, a);
      assembler.emit(form(kind === "fmin" ? `vor${p} x, x, x/m128` : `vand${p} x, x, x/m128`), c, c, SCRATCH_VECTOR);
      if (mask === undefined) {
        const blend = form(`vblendv${p} x, x, x/m128, x`);
        const unordered = form(`vcmp${p} x, x, x/m128, i8`);
        assembler.emit(unordered, SCRATCH_VECTOR, a, a, 3);
        assembler.emit(blend, c, c, b, SCRATCH_VECTOR);
        assembler.emit(unordered, SCRATCH_VECTOR, b, b, 3);
        assembler.emit(blend, a, c, a, SCRATCH_VECTOR);
      } else {
        const unordered = form(`vcmp${p} k, x, x/m128, i8`);
        assembler.emit(unordered, mask, a, a, 3);
        assembler.masked(mask).emit(form(`vmova${p} x, x/m128`), c, b);
        assembler.emit(unordered, mask, b, b, 7);
        assembler.masked(mask).emit(form(`vmova${p} x, x/m128`), a, c);
      }
    }
    assembler.emit(isWide ? form("vmovq r64/m64, x") : form("vmovd r32/m32, x"), made, a);
  } else {
    assembler.emit(form(`mov ${r}, ${r}/${m}`), made, old);
    const condition = CMOV[kind];
    if (condition === undefined) assembler.emit(form(`${kind === "mul" ? "imul" : kind} ${r}, ${r}/${m}`), made, value);
    else {
      assembler.emit(form(`cmp ${r}, ${r}/${m}`), value, made);
      assembler.emit(form(`cmovcc ${r}, ${r}/${m}, cc`), made, value, condition);
    }
  }
  assembler.emit(form(`lock cmpxchg ${m}, ${r}`), place(), made);
  assembler.jumpIf(NOT_EQUAL, again);
}

/**
 * Operands: base, vector, bits (one for each byte of the vector). Immediate: bytes of a lane; extra: lanes. Stores the
 * lanes whose bit is set.
 */
function storeLanes({ assembler, registers, immediate, extra, displacement }: Expansion): void {
  const [base, vector, bits] = registers as [number, number, number];
  for (let lane = 0; lane < extra; lane++) {
    const skip = assembler.newLabel();
    assembler.emit(form("bt r32/m32, i8"), bits, lane * immediate);
    assembler.jumpIf(ABOVE_OR_EQUAL, skip);
    storeLane(assembler, vector, lane, immediate, base, displacement + lane * immediate);
    assembler.bind(skip);
  }
}

/** Stores one lane of a vector of 16 bytes. */
export function storeLane(
  assembler: Assembler,
  vector: number,
  lane: number,
  bytes: number,
  base: number,
  displacement: number,
): void {
  const key = {
    1: "vpextrb r32/m8, x, i8",
    2: "vpextrw m16, x, i8",
    4: "vpextrd r32/m32, x, i8",
    8: "vpextrq r64/m64, x, i8",
  }[bytes] as string;
  assembler.emit(form(key), assembler.kernel(base, displacement), vector, lane);
}

/** Operands: base, value, bits. Immediate: the number of the bit; extra: bytes. A store of a general register. */
function storeIf({ assembler, registers, immediate, extra, displacement }: Expansion): void {
  const [base, vector, bits] = registers as [number, number, number];
  const skip = assembler.newLabel();
  assembler.emit(form("bt r32/m32, i8"), bits, immediate);
  assembler.jumpIf(ABOVE_OR_EQUAL, skip);
  storeLane(assembler, vector, extra >> 8, extra & 255, base, displacement);
  assembler.bind(skip);
}

/** Operands: target, source, count, the same again since all are lost, a vector. */
function copyMemory({ assembler, registers }: Expansion): void {
  const [target, source, count] = registers as [number, number, number];
  const vector = registers[6] as number;
  loop(assembler, count, 16, () => {
    assembler.emit(form("vmovups x, x/m128"), vector, assembler.kernel(source));
    assembler.emit(form("vmovups m128, x"), assembler.kernel(target), vector);
    assembler.emit(form("add r32/m32, s8"), source, 16);
    assembler.emit(form("add r32/m32, s8"), target, 16);
  });
  loop(assembler, count, 1, () => {
    assembler.emit(form("movzx r32, r8/m8"), SCRATCH, assembler.kernel(source));
    assembler.emit(form("mov m8, r8"), assembler.kernel(target), SCRATCH);
    assembler.emit(form("add r32/m32, s8"), source, 1);
    assembler.emit(form("add r32/m32, s8"), target, 1);
  });
}

/** Operands: target, count (both lost), a vector of the byte in all lanes. */
function fillMemory({ assembler, registers }: Expansion): void {
  const [target, count, vector] = registers as [number, number, number];
  loop(assembler, count, 16, () => {
    assembler.emit(form("vmovups m128, x"), assembler.kernel(target), vector);
    assembler.emit(form("add r32/m32, s8"), target, 16);
  });
  loop(assembler, count, 1, () => {
    assembler.emit(form("vpextrb r32/m8, x, i8"), assembler.kernel(target), vector, 0);
    assembler.emit(form("add r32/m32, s8"), target, 1);
  });
}

/** While at least `step` are left: the body, then `step` fewer. */
function loop(assembler: Assembler, count: number, step: number, body: () => void): void {
  const again = assembler.newLabel();
  const done = assembler.newLabel();
  assembler.bind(again);
  assembler.emit(form("cmp r32/m32, s8"), count, step);
  assembler.jumpIf(BELOW, done);
  body();
  assembler.emit(form("sub r32/m32, s8"), count, step);
  assembler.jump(again);
  assembler.bind(done);
}

/** Results: the parameters of the function, in their registers. */
function enter(): void {
  // They are there already.
}

function getPrivateStack({ assembler, registers }: Expansion): void {
  assembler.emit(form("mov r32, r32/m32"), registers[0] ?? 0, PRIVATE_STACK_REGISTER);
}

function setPrivateStack({ assembler, registers }: Expansion): void {
  assembler.emit(form("mov r32, r32/m32"), PRIVATE_STACK_REGISTER, registers[0] ?? 0);
}

function movePrivateStack({ assembler, immediate }: Expansion): void {
  assembler.emit(form("add r32/m32, s32"), PRIVATE_STACK_REGISTER, immediate);
}

/** Operands: result (32 bits), whether two floats differ or are equal, by both flags. Immediate: the condition. */
function setParity({ assembler, registers, immediate }: Expansion): void {
  const result = registers[0] ?? 0;
  // Equal: zero and no parity; not equal: the reverse of both.
  const isEqual = immediate === EQUAL;
  assembler.emit(form("setcc r8/m8, cc"), SCRATCH, isEqual ? 0xb : 0xa);
  assembler.emit(form("setcc r8/m8, cc"), result, isEqual ? EQUAL : NOT_EQUAL);
  assembler.emit(form(isEqual ? "and r8, r8/m8" : "or r8, r8/m8"), result, SCRATCH);
  assembler.emit(form("movzx r32, r8/m8"), result, result);
}

/** The names of the expansions. */
export type MacroName =
  | "atomicLoop"
  | "storeLanes"
  | "storeIf"
  | "copyMemory"
  | "fillMemory"
  | "enter"
  | "getPrivateStack"
  | "setPrivateStack"
  | "movePrivateStack"
  | "setParity";

const LIST: Readonly<Record<MacroName, Expand>> = {
  atomicLoop,
  storeLanes,
  storeIf,
  copyMemory,
  fillMemory,
  enter,
  getPrivateStack,
  setPrivateStack,
  movePrivateStack,
  setParity,
};

/** Expansions by number. */
export const MACROS: readonly Expand[] = Object.values(LIST);

/** Forms of the instructions that are expanded. */
export const MACRO: Readonly<Record<MacroName, number>> = Object.fromEntries(
  Object.keys(LIST).map((name, i) => [name, FIRST_MACRO - i]),
) as Record<MacroName, number>;
