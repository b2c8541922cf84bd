// SPDX-License-Identifier: Apache-2.0
/**
 * Loads and stores. A vector is moved in pieces of at most 16 bytes, as wide as its alignment lets them be; a scalar
 * that is aligned to less than its size, byte by byte. Addresses with constant offsets are parts of the accesses.
 *
 * Spaces: private is `.local`, local is `.shared`, both by their own addresses; global and generic addresses are the
 * same numbers. What nobody writes while a kernel runs is read by way of the read-only cache (`.nc`).
 */
import { InternalError } from "@muxkit/cargo";
import {
  CONSTANT,
  GENERIC,
  GLOBAL,
  type Instruction,
  LOCAL,
  Op,
  PRIVATE,
  type Type,
  VOLATILE,
  type Value,
  laneCount,
  scalarOf,
} from "@muxkit/ir";

import { bitsOfLane } from "./bitcast.ts";
import type { Code } from "./code.ts";
import { integerBits, numberOfPredicate, predicateOfNumber } from "./integers.ts";
import { classOf } from "./registers.ts";

/** Bytes of the widest access. */
const WIDEST = 16;

/** An address as accesses write it. */
export interface Address {
  /** A register, or the name of a parameter or variable. */
  readonly base: string;
  /** Bytes. */
  readonly offset: number;
  /** What stands between `ld` or `st` and the type, with its points. */
  readonly space: string;
}

const SPACES: Readonly<Record<number, string>> = {
  [PRIVATE]: ".local",
  [GLOBAL]: ".global",
  [CONSTANT]: ".global",
  [LOCAL]: ".shared",
  [GENERIC]: "",
};

/** What follows `ld`, `st` and `atom` for an address space. */
export function spaceOf(addressSpace: number): string {
  const found = SPACES[addressSpace];
  if (found === undefined) throw new InternalError(`PTX has no address space ${addressSpace}`);
  return found;
}

/** Bytes of a scalar in memory. */
export function bytesOf(type: Type): number {
  return Math.max(1, integerBits(type) / 8);
}

/** The type of an access to a scalar: ints of fewer than 32 bits are extended by loads. */
function accessType(type: Type): string {
  const bits = integerBits(type);
  if (type.kind === "float") return bits === 16 ? "b16" : `f${bits}`;
  return bits < 32 ? `u${Math.max(8, bits)}` : `b${bits}`;
}

function at({ base, offset }: Address, more: number): string {
  const total = offset + more;
  return total === 0 ? `[${base}]` : `[${base}+${total}]`;
}

/** How many lanes one access takes: 1, 2 or 4. */
function lanesAtOnce(bytes: number, alignment: number, left: number): number {
  for (const lanes of [4, 2]) if (lanes <= left && lanes * bytes <= Math.min(alignment, WIDEST)) return lanes;
  return 1;
}

/** A part of an access. */
interface Piece {
  readonly lane: number;
  readonly lanes: number;
}

/** How the lanes of a value are accessed together. The alignment holds at its first byte. */
function piecesOf(bytes: number, alignment: number, lanes: number): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let lane = 0; lane < lanes;) {
    const offset = lane * bytes;
    const own = offset === 0 ? alignment : Math.min(alignment, offset & -offset);
    const count = lanesAtOnce(bytes, own, lanes - lane);
    pieces.push({ lane, lanes: count });
    lane += count;
  }
  return pieces;
}

const WIDTHS: readonly string[] = ["", "", ".v2", "", ".v4"];

/** Bits of a scalar that is not aligned to its size, byte by byte, lowest first. */
function loadBytes(code: Code, name: string, address: Address, offset: number, bytes: number): string {
  const wide = bytes === 8;
  const registerClass = wide ? "b64" : "b32";
  let whole = "";
  for (let i = 0; i < bytes; i++) {
    const byte = code.into(registerClass, `${name}.u8`, at(address, offset + i));
    if (i === 0) whole = byte;
    else {
      const shifted = code.into(registerClass, `shl.b${wide ? 64 : 32}`, byte, String(8 * i));
      whole = code.into(registerClass, `or.b${wide ? 64 : 32}`, whole, shifted);
    }
  }
  return whole;
}

function storeBytes(code: Code, name: string, address: Address, offset: number, bytes: number, value: string): void {
  const wide = bytes === 8;
  for (let i = 0; i < bytes; i++) {
    const shifted = i === 0 ? value : code.into(wide ? "b64" : "b32", `shr.u${wide ? 64 : 32}`, value, String(8 * i));
    code.emit(`${name}.u8`, at(address, offset + i), shifted);
  }
}

/** A float of bits that were put together, or the int itself. */
function fromBits(code: Code, type: Type, bits: string): string {
  if (type.kind !== "float") return bits;
  if (type.bits === 16) return code.into("b16", "cvt.u16.u32", bits);
  return code.into(classOf(type), `mov.b${type.bits}`, bits);
}

/** Loads the lanes of a value. `name`: `ld` with what stands between it and the type. */
export function loadLanes(
  code: Code,
  name: string,
  address: Address,
  type: Type,
  alignment: number,
): readonly string[] {
  const element = scalarOf(type);
  const bytes = bytesOf(element);
  if (alignment < bytes)
    return Array.from({ length: laneCount(type) }, (_, lane) =>
      fromBits(code, element, loadBytes(code, name, address, lane * bytes, bytes)),
    );
  const isPredicate = integerBits(element) === 1;
  return piecesOf(bytes, alignment, laneCount(type)).flatMap(({ lane, lanes }) => {
    const registers = Array.from({ length: lanes }, () => code.registers.take(isPredicate ? "b32" : classOf(element)));
    const target = lanes === 1 ? (registers[0] as string) : `{${registers.join(", ")}}`;
    code.emit(`${name}${WIDTHS[lanes] as string}.${accessType(element)}`, target, at(address, lane * bytes));
    return isPredicate ? registers.map((register) => predicateOfNumber(code, register)) : registers;
  });
}

/** Stores the lanes of a value. `name`: `st` with what stands between it and the type. */
export function storeLanes(
  code: Code,
  name: string,
  address: Address,
  type: Type,
  alignment: number,
  operands: readonly string[],
): void {
  const element = scalarOf(type);
  const bytes = bytesOf(element);
  const values = integerBits(element) === 1 ? operands.map((one) => numberOfPredicate(code, one)) : operands;
  if (alignment < bytes) {
    values.forEach((value, lane) => {
      storeBytes(code, name, address, lane * bytes, bytes, bitsOfLane(code, element, value));
    });
    return;
  }
  for (const { lane, lanes } of piecesOf(bytes, alignment, laneCount(type))) {
    const parts = values.slice(lane, lane + lanes);
    const source = lanes === 1 ? (parts[0] as string) : `{${parts.join(", ")}}`;
    code.emit(`${name}${WIDTHS[lanes] as string}.${accessType(element)}`, at(address, lane * bytes), source);
  }
}

/** A pointer without the constant offsets that were added to it. */
export interface Rooted {
  readonly root: Value;
  readonly offset: number;
}

/** Follows `address` without an index. */
export function rootOf(pointer: Value): Rooted {
  let root = pointer;
  let offset = 0;
  while (
    root.kind === "instruction" &&
    root.op === Op.ADDRESS &&
    root.operands.length === 1 &&
    root.type.kind === "pointer"
  ) {
    offset += root.offset;
    [root] = root.operands as [Value];
  }
  return { root, offset };
}

/** The name of a load: volatile ones are executed as written. */
export function loadName({ flags }: Instruction, space: string, isReadOnly: boolean): string {
  if ((flags & VOLATILE) !== 0) return `ld.volatile${space}`;
  return isReadOnly ? `ld${space}.nc` : `ld${space}`;
}

/** The name of a store. */
export function storeName({ flags }: Instruction, space: string): string {
  return (flags & VOLATILE) !== 0 ? `st.volatile${space}` : `st${space}`;
}
