// SPDX-License-Identifier: Apache-2.0
// Accesses to the kernel's memory: scalars, vectors, under masks, by pointers, atomic, in bulk. Vectors are written
// exactly; reading may take the bytes around them, which docs/kernel-abi.md allows.
import { type Instruction, Op, type Type, type Value, laneCount } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { chunkCount, chunkOf } from "./chunks.ts";
import { byteBits, scalarBits, scalarFromBits } from "./lanes.ts";
import { type Address, form, vectorForm } from "./machine-builder.ts";
import { GENERAL, IN_KERNEL, MASK, VECTOR } from "./machine-function.ts";
import { LOOPED_KINDS, MACRO } from "./macros.ts";
import { keepLanes, firstLanes, limitedMask } from "./masks.ts";
import { emitModified } from "./modified.ts";
import type { Selector } from "./selector.ts";
import { isFloatRegister, isMask, scalarBytes } from "./shape.ts";

const NOTHING = -1;

/** A pointer in a register as an address. */
export function at(base: number, displacement: number = 0): Address {
  return { kind: IN_KERNEL, base, index: NOTHING, scale: 0, displacement };
}

/** An address that only has a base, for instructions that are expanded. */
function plainAddress(s: Selector, pointer: Value): Address {
  const address = s.address(pointer);
  if (address.index === NOTHING && address.base !== NOTHING) return address;
  return at(s.addressValue(address));
}

const LOADS: Readonly<Record<number, string>> = {
  1: "movzx r32, r8/m8",
  2: "movzx r32, r16/m16",
  4: "mov r32, r32/m32",
  8: "mov r64, r64/m64",
};

const STORES: Readonly<Record<number, string>> = {
  1: "mov m8, r8",
  2: "mov m16, r16",
  4: "mov m32, r32",
  8: "mov m64, r64",
};

/** A scalar from memory. */
export function loadScalar(s: Selector, type: Type, address: Address): number {
  const { build } = s;
  if (isFloatRegister(type))
    return build.emit(form(type.bits === 64 ? "vmovsd x, m64" : "vmovss x, m32"), [MEMORY], address);
  const value = build.emit(form(LOADS[scalarBytes(type)] as string), [MEMORY], address);
  return type.kind === "int" && type.bits === 1 ? build.emit(form("and r32/m32, s8"), [value, 1]) : value;
}

function storeScalar(s: Selector, type: Type, value: number, address: Address): void {
  if (isFloatRegister(type))
    s.build.emit(form(type.bits === 64 ? "vmovsd m64, x" : "vmovss m32, x"), [MEMORY, value], address);
  else {
    s.build.emit(form(STORES[scalarBytes(type)] as string), [MEMORY, value], address);
  }
}

/** The same address, some bytes further. */
export function further(address: Address, bytes: number): Address {
  return bytes === 0 ? address : { ...address, displacement: (address.displacement + bytes) | 0 };
}

/** Bytes of a vector in memory, without padding; a lane of a mask has one. */
function memoryBytes(type: Type): number {
  return laneCount(type) * scalarBytes(type);
}

function loadVector(s: Selector, type: Type, address: Address): readonly number[] {
  let offset = 0;
  return s.widths(memoryBytes(type)).map((width) => {
    const part = s.build.emit(vectorForm("vmovups v, v/m", width), [MEMORY], further(address, offset));
    offset += width;
    return part;
  });
}

/** A mask of lanes of one byte from memory, where they are 0 and 1. */
function maskOfBits(s: Selector, parts: readonly number[]): readonly number[] {
  return parts.map((part) => {
    const width = s.fn.width[part] as number;
    const ones = s.poolAddress(new Uint8Array(width).fill(1));
    if (s.tier.isWide) return s.build.emit(vectorForm("vptestmb k, v, v/m", width), [part, MEMORY], ones);
    const bit = s.build.emit(vectorForm("vpand v, v, v/m", width), [part, MEMORY], ones);
    return s.build.emit(vectorForm("vpsubb v, v, v/m", width), [s.zero(width), bit]);
  });
}

/** The reverse, for memory; of other values the parts as they are. */
export function partsForMemory(s: Selector, value: Value): readonly number[] {
  if (!isMask(value.type)) return s.parts(value);
  const widths = s.widths(laneCount(value.type));
  return s.mask(value, 1).map((part, i) => {
    const width = widths[i] as number;
    return keepLanes(s, { given: MEMORY, address: s.poolAddress(new Uint8Array(width).fill(1)) }, part, 1, width);
  });
}

/** Writes the first `bytes` bytes of a chunk. */
function storePrefix(s: Selector, chunk: number, bytes: number, address: Address): void {
  const { build } = s;
  if (bytes === 16) {
    build.emit(form("vmovups m128, x"), [MEMORY, chunk], address);
    return;
  }
  let done = 0;
  for (const size of [8, 4, 2, 1]) {
    if (bytes - done < size) continue;
    const key = {
      8: "vpextrq r64/m64, x, i8",
      4: "vpextrd r32/m32, x, i8",
      2: "vpextrw m16, x, i8",
      1: "vpextrb r32/m8, x, i8",
    }[size] as string;
    build.emit(form(key), [MEMORY, chunk, done / size], further(address, done));
    done += size;
  }
}

/** Vectors of any number of bytes by masks of bytes. */
function storeWide(s: Selector, parts: readonly number[], bytes: number, address: Address): void {
  s.widths(bytes).forEach((width, i) => {
    const place = further(address, 64 * i);
    const left = bytes - 64 * i;
    const part = parts[i] as number;
    if (left >= width) s.build.emit(vectorForm("vmovups m, v", width), [MEMORY, part], place);
    else if (left <= 8) storePrefix(s, part, left, place);
    else s.build.emitMasked(vectorForm("vmovdqu8 m, v", width), [MEMORY, part], firstLanes(s, left), false, place);
  });
}

function storeVector(s: Selector, parts: readonly number[], bytes: number, address: Address): void {
  if (s.tier.isWide) {
    storeWide(s, parts, bytes, address);
    return;
  }
  let done = 0;
  s.widths(bytes).forEach((width, i) => {
    const part = parts[i] as number;
    if (width === 32 && bytes - done >= 32) {
      s.build.emit(form("vmovups m256, y"), [MEMORY, part], further(address, done));
      done += 32;
      return;
    }
    for (let chunk = 2 * i; chunk * 16 < Math.min(bytes, 32 * (i + 1)); chunk++)
      storePrefix(s, chunkOf(s, parts, chunk), Math.min(16, bytes - chunk * 16), further(address, chunk * 16));
    done += width;
  });
}

/** A load. */
export function emitLoad(s: Selector, instruction: Instruction): void {
  const { type } = instruction;
  const address = s.address(instruction.operands[0] as Value);
  if (type.kind !== "vector") s.define(instruction, [loadScalar(s, type, address)]);
  else {
    const parts = loadVector(s, type, address);
    s.define(instruction, isMask(type) ? maskOfBits(s, parts) : parts);
  }
}

/** A store. */
export function emitStore(s: Selector, instruction: Instruction): void {
  const [value, pointer] = instruction.operands as [Value, Value];
  const { type } = value;
  if (type.kind !== "vector") {
    if (emitModified(s, instruction)) return;
    const constant = s.immediate(value);
    const bytes = scalarBytes(type);
    if (constant !== undefined && bytes <= 4) {
      const key = { 1: "mov m8, s8", 2: "mov m16, s16", 4: "mov m32, s32" }[bytes] as string;
      const own = type.kind === "int" && type.bits === 1 ? constant & 1 : constant;
      s.build.emit(form(key), [MEMORY, own], s.address(pointer));
      return;
    }
    const register = s.one(value);
    storeScalar(s, type, register, s.address(pointer));
    return;
  }
  const parts = partsForMemory(s, value);
  storeVector(s, parts, memoryBytes(type), s.address(pointer));
}

/** What is not zero where some lane of a mask is on: the parts joined, without what lies behind the last lane. */
function someLane(s: Selector, parts: readonly number[], bytes: number, total: number): number {
  const widths = s.widths(total);
  return parts
    .map((part, i) => limitedMask(s, part, (total - 32 * i) / bytes, bytes, widths[i] as number))
    .reduce((joined, own) => s.build.emit(vectorForm("vpor v, v, v/m", widths[0] as number), [joined, own]));
}

/** Loads and stores under masks in wide tiers: lanes that are off are not accessed. */
function loadWideMasked(s: Selector, type: Type, pointer: Value, mask: readonly number[]): readonly number[] {
  const bytes = scalarBytes(type);
  const total = memoryBytes(type);
  const address = s.address(pointer);
  const loaded = s.widths(total).map((width, i) => {
    const own = limitedMask(s, mask[i] as number, (total - 64 * i) / bytes, bytes, width);
    return keepLanes(s, { given: MEMORY, address: further(address, 64 * i) }, own, bytes, width);
  });
  return isMask(type) ? maskOfBits(s, loaded) : loaded;
}

function storeWideMasked(s: Selector, value: Value, pointer: Value, mask: readonly number[]): void {
  const bytes = scalarBytes(value.type);
  const total = memoryBytes(value.type);
  const parts = partsForMemory(s, value);
  const address = s.address(pointer);
  s.widths(total).forEach((width, i) => {
    const own = limitedMask(s, mask[i] as number, (total - 64 * i) / bytes, bytes, width);
    const key = vectorForm(`vmovdqu${8 * bytes} m, v`, width);
    s.build.emitMasked(key, [MEMORY, parts[i] as number], own, false, further(address, 64 * i));
  });
}

/** A masked load. */
export function emitMaskedLoad(s: Selector, instruction: Instruction): void {
  const { build } = s;
  const { type } = instruction;
  const [pointer, condition] = instruction.operands as [Value, Value];
  const bytes = scalarBytes(type);
  const mask = s.mask(condition, bytes);
  if (s.tier.isWide) {
    s.define(instruction, loadWideMasked(s, type, pointer, mask));
    return;
  }
  const total = memoryBytes(type);
  const widths = s.widths(total);
  if (bytes >= 4) {
    const name = bytes === 8 ? "vpmaskmovq" : "vpmaskmovd";
    const address = s.address(pointer);
    const parts = widths.map((width, i) => {
      const own = limitedMask(s, mask[i] as number, (total - 32 * i) / bytes, bytes, width);
      return build.emit(vectorForm(`${name} v, v, m`, width), [own, MEMORY], further(address, 32 * i));
    });
    s.define(instruction, parts);
    return;
  }
  // Where no lane is on the pointer may be anything: then address 0 is read.
  const some = someLane(s, mask, bytes, total);
  const address = s.addressValue(s.address(pointer));
  const zero = s.integer(0);
  build.emit(vectorForm("vptest v, v/m", widths[0] as number), [some, some]);
  const safe = build.emit(form("cmovcc r32, r32/m32, cc"), [address, zero, 4]);
  const loaded = loadVector(s, type, at(safe));
  const values = isMask(type) ? maskOfBits(s, loaded) : loaded;
  s.define(
    instruction,
    values.map((part, i) => build.emit(vectorForm("vpand v, v, v/m", widths[i] as number), [part, mask[i] as number])),
  );
}

/** A masked store. */
export function emitMaskedStore(s: Selector, instruction: Instruction): void {
  const { build, fn } = s;
  const [value, pointer, condition] = instruction.operands as [Value, Value, Value];
  const { type } = value;
  const bytes = scalarBytes(type);
  const mask = s.mask(condition, bytes);
  if (s.tier.isWide) {
    storeWideMasked(s, value, pointer, mask);
    return;
  }
  const parts = partsForMemory(s, value);
  const total = memoryBytes(type);
  const widths = s.widths(total);
  if (bytes >= 4) {
    const name = bytes === 8 ? "vpmaskmovq" : "vpmaskmovd";
    const address = s.address(pointer);
    widths.forEach((width, i) => {
      const own = limitedMask(s, mask[i] as number, (total - 32 * i) / bytes, bytes, width);
      build.emit(vectorForm(`${name} m, v, v`, width), [MEMORY, own, parts[i] as number], further(address, 32 * i));
    });
    return;
  }
  const address = plainAddress(s, pointer);
  const lanes = laneCount(type);
  for (let chunk = 0; chunk < chunkCount(total); chunk++) {
    const bits = byteBits(s, chunkOf(s, mask, chunk));
    const count = Math.min(16 / bytes, lanes - (chunk * 16) / bytes);
    build.pseudo(MACRO.storeLanes, bytes, count, [address.base, chunkOf(s, parts, chunk), bits]);
    fn.displacement[fn.instructionCount - 1] = address.displacement + 16 * chunk;
  }
}

// Atomics.

const LOCKED: Readonly<Record<string, string>> = { add: "lock xadd", sub: "lock xadd", exchange: "xchg" };
/** Those that need no loop where nobody reads what was there. */
const UNREAD: ReadonlySet<string> = new Set(["add", "sub", "and", "or", "xor"]);

/** Atomic accesses and fences. */
export function emitAtomic(s: Selector, instruction: Instruction): void {
  const { build } = s;
  const { op, operands } = instruction;
  if (op === Op.FENCE) {
    build.emit(form("mfence"), []);
    return;
  }
  const isStore = op === Op.ATOMIC_STORE;
  const pointer = operands[isStore ? 1 : 0] as Value;
  const type = isStore ? (operands[0] as Value).type : instruction.type;
  if (type.kind !== "pointer" && type.bits < 32) s.refuse(instruction, "atomics have 32 or 64 bits");
  const bits = scalarBytes(type) * 8;
  const bitsOf = (value: Value): number => scalarBits(s, type, s.one(value));
  switch (op) {
    case Op.ATOMIC_LOAD:
      s.define(instruction, [loadScalar(s, type, s.address(pointer))]);
      return;
    case Op.ATOMIC_STORE: {
      const value = bitsOf(operands[0] as Value);
      build.emit(form(`xchg m${bits}, r${bits}`), [MEMORY, value], s.address(pointer));
      return;
    }
    case Op.ATOMIC_COMPARE_EXCHANGE: {
      const expected = bitsOf(operands[1] as Value);
      const value = bitsOf(operands[2] as Value);
      build.emit(form(`lock cmpxchg m${bits}, r${bits}`), [MEMORY, value, expected], s.address(pointer));
      s.define(instruction, [scalarFromBits(s, type, build.results[0] as number)]);
      return;
    }
    default:
      if (s.isUnread(instruction) && UNREAD.has(instruction.atomicKind) && !isFloatRegister(type)) {
        const value = bitsOf(operands[1] as Value);
        build.emit(form(`lock ${instruction.atomicKind} m${bits}, r${bits}`), [MEMORY, value], s.address(pointer));
      } else s.define(instruction, [scalarFromBits(s, type, modify(s, instruction, pointer, type, bits))]);
  }
}

function modify(s: Selector, instruction: Instruction, pointer: Value, type: Type, bits: number): number {
  const { build, fn } = s;
  const { atomicKind } = instruction;
  let value = scalarBits(s, type, s.one(instruction.operands[1] as Value));
  const name = LOCKED[atomicKind];
  if (name !== undefined && !(atomicKind === "sub" && isFloatRegister(type))) {
    if (atomicKind === "sub") value = build.emit(form(`neg r${bits}/m${bits}`), [value]);
    return build.emit(form(`${name} m${bits}, r${bits}`), [MEMORY, value], s.address(pointer));
  }
  const kind = LOOPED_KINDS.indexOf(atomicKind);
  if (kind === -1) s.refuse(instruction, "no such atomic operation");
  const address = plainAddress(s, pointer);
  build.pseudo(MACRO.atomicLoop, kind | (bits === 64 ? 256 : 0), 0, [address.base, value]);
  fn.displacement[fn.instructionCount - 1] = address.displacement;
  const old = build.addResult(GENERAL, 8, 0, 4);
  build.addTemporary(GENERAL);
  if (atomicKind.startsWith("f")) {
    for (let i = 0; i < 3; i++) build.addTemporary(VECTOR, 16);
    if (s.tier.isWide) build.addTemporary(MASK);
  }
  return old;
}

// Bulk.

function count32(s: Selector, value: Value): number {
  return s.one(value);
}

/** A copy or a fill of memory. */
export function emitBulk(s: Selector, instruction: Instruction): void {
  const { build } = s;
  const [target, source, size] = instruction.operands as [Value, Value, Value];
  if (instruction.op === Op.MEMORY_FILL) {
    const byte = build.emit(form("vmovd x, r32/m32"), [s.one(source)]);
    const vector = build.emit(form("vpbroadcastb x, x/m8"), [byte]);
    s.fill(s.one(target), count32(s, size), vector);
    return;
  }
  build.pseudo(MACRO.copyMemory, 0, 0, [s.one(target), s.one(source), count32(s, size)]);
  for (let i = 0; i < 3; i++) build.addTied(GENERAL, 8, i);
  build.addTemporary(VECTOR, 16);
}
