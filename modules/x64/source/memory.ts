// SPDX-License-Identifier: Apache-2.0
// Accesses to the kernel's memory: scalars, vectors, under masks, by pointers, atomic, in bulk. Vectors are written
// exactly; reading may take the bytes around them, which docs/kernel-abi.md allows.
import { type Instruction, Op, type Type, type Value, laneCount } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { bitsOfLane, byteBits, chunkCount, chunkOf, scalarBits, scalarFromBits } from "./lanes.ts";
import { type Address, form } from "./machine-builder.ts";
import { GENERAL, IN_KERNEL, VECTOR } from "./machine-function.ts";
import { LOOPED_KINDS, MACRO } from "./macros.ts";
import type { Selector } from "./selector.ts";
import { isFloatRegister, isMask, partWidths, scalarBytes } from "./shape.ts";

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
    const bits = scalarBytes(type) * 8;
    s.build.emit(form(`mov m${bits}, r${bits}`), [MEMORY, value], address);
  }
}

/** The same address, some bytes further. */
function further(address: Address, bytes: number): Address {
  return bytes === 0 ? address : { ...address, displacement: (address.displacement + bytes) | 0 };
}

/** Bytes of a vector in memory, without padding; a lane of a mask has one. */
function memoryBytes(type: Type): number {
  return laneCount(type) * scalarBytes(type);
}

function loadVector(s: Selector, type: Type, address: Address): readonly number[] {
  let offset = 0;
  return partWidths(memoryBytes(type)).map((width) => {
    const part = s.build.emit(
      form(width === 32 ? "vmovups y, y/m256" : "vmovups x, x/m128"),
      [MEMORY],
      further(address, offset),
    );
    offset += width;
    return part;
  });
}

/** Lanes of a mask in memory are 0 and 1. */
function negated(s: Selector, parts: readonly number[]): readonly number[] {
  return parts.map((part) => {
    const width = s.fn.width[part] as number;
    const v = width === 32 ? "y" : "x";
    const bit = s.build.emit(
      form(`vpand ${v}, ${v}, ${v}/m${width * 8}`),
      [part, MEMORY],
      s.poolAddress(new Uint8Array(width).fill(1)),
    );
    return s.build.emit(form(`vpsubb ${v}, ${v}, ${v}/m${width * 8}`), [s.zero(width), bit]);
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

function storeVector(s: Selector, parts: readonly number[], bytes: number, address: Address): void {
  let done = 0;
  partWidths(bytes).forEach((width, i) => {
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
    s.define(instruction, isMask(type) ? negated(s, parts) : parts);
  }
}

/** A store. */
export function emitStore(s: Selector, instruction: Instruction): void {
  const [value, pointer] = instruction.operands as [Value, Value];
  const { type } = value;
  if (type.kind !== "vector") {
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
  let parts = s.mask(value, 1);
  if (isMask(type)) {
    parts = parts.map((part) => {
      const width = s.fn.width[part] as number;
      const v = width === 32 ? "y" : "x";
      return s.build.emit(
        form(`vpand ${v}, ${v}, ${v}/m${width * 8}`),
        [part, MEMORY],
        s.poolAddress(new Uint8Array(width).fill(1)),
      );
    });
  }
  storeVector(s, parts, memoryBytes(type), s.address(pointer));
}

/** A 1 where some lane of a mask is on: the parts joined, without what lies behind the last lane. */
export function someLane(s: Selector, parts: readonly number[], bytes: number): number {
  const { build } = s;
  const wide = bytes > 16;
  let joined = -1;
  parts.forEach((part, i) => {
    const own = limited(s, part, Math.min(32, bytes - 32 * i));
    joined = joined === -1 ? own : build.emit(form(wide ? "vpor y, y, y/m256" : "vpor x, x, x/m128"), [joined, own]);
  });
  return joined;
}

/** A part whose bytes from `bytes` on are zeros. */
export function limited(s: Selector, part: number, bytes: number): number {
  const width = s.fn.width[part] as number;
  if (bytes >= width) return part;
  const keep = Uint8Array.from({ length: width }, (_, i) => (i < bytes ? 255 : 0));
  const v = width === 32 ? "y" : "x";
  return s.build.emit(form(`vpand ${v}, ${v}, ${v}/m${width * 8}`), [part, MEMORY], s.poolAddress(keep));
}

/** A masked load. */
export function emitMaskedLoad(s: Selector, instruction: Instruction): void {
  const { build } = s;
  const { type } = instruction;
  const [pointer, condition] = instruction.operands as [Value, Value];
  const bytes = scalarBytes(type);
  const mask = s.mask(condition, bytes);
  const total = memoryBytes(type);
  const widths = partWidths(total);
  if (bytes >= 4) {
    const name = bytes === 8 ? "vpmaskmovq" : "vpmaskmovd";
    const address = s.address(pointer);
    const parts = widths.map((width, i) => {
      const own = limited(s, mask[i] as number, total - 32 * i);
      return build.emit(
        form(width === 32 ? `${name} y, y, m256` : `${name} x, x, m128`),
        [own, MEMORY],
        further(address, 32 * i),
      );
    });
    s.define(instruction, parts);
    return;
  }
  // Where no lane is on the pointer may be anything: then address 0 is read.
  const some = someLane(s, mask, total);
  const address = s.addressValue(s.address(pointer));
  const v = (s.fn.width[some] as number) === 32 ? "y" : "x";
  const zero = s.integer(0);
  build.emit(form(`vptest ${v}, ${v}/m${v === "y" ? 256 : 128}`), [some, some]);
  const safe = build.emit(form("cmovcc r32, r32/m32, cc"), [address, zero, 4]);
  const loaded = loadVector(s, type, at(safe));
  const values = isMask(type) ? negated(s, loaded) : loaded;
  s.define(
    instruction,
    values.map((part, i) => {
      const own = (s.fn.width[part] as number) === 32 ? "y" : "x";
      return build.emit(form(`vpand ${own}, ${own}, ${own}/m${own === "y" ? 256 : 128}`), [part, mask[i] as number]);
    }),
  );
}

/** A masked store. */
export function emitMaskedStore(s: Selector, instruction: Instruction): void {
  const { build, fn } = s;
  const [value, pointer, condition] = instruction.operands as [Value, Value, Value];
  const { type } = value;
  const bytes = scalarBytes(type);
  const mask = s.mask(condition, bytes);
  let parts = s.mask(value, 1);
  const total = memoryBytes(type);
  const widths = partWidths(total);
  if (bytes >= 4) {
    const name = bytes === 8 ? "vpmaskmovq" : "vpmaskmovd";
    const address = s.address(pointer);
    widths.forEach((width, i) => {
      const own = limited(s, mask[i] as number, total - 32 * i);
      build.emit(
        form(width === 32 ? `${name} m256, y, y` : `${name} m128, x, x`),
        [MEMORY, own, parts[i] as number],
        further(address, 32 * i),
      );
    });
    return;
  }
  if (isMask(type)) parts = parts.map((part) => limitedToOnes(s, part));
  const address = plainAddress(s, pointer);
  const lanes = laneCount(type);
  for (let chunk = 0; chunk < chunkCount(total); chunk++) {
    const bits = byteBits(s, chunkOf(s, mask, chunk));
    const count = Math.min(16 / bytes, lanes - (chunk * 16) / bytes);
    build.pseudo(MACRO.storeLanes, bytes, count, [address.base, chunkOf(s, parts, chunk), bits]);
    fn.displacement[fn.instructionCount - 1] = address.displacement + 16 * chunk;
  }
}

function limitedToOnes(s: Selector, part: number): number {
  const width = s.fn.width[part] as number;
  const v = width === 32 ? "y" : "x";
  return s.build.emit(
    form(`vpand ${v}, ${v}, ${v}/m${width * 8}`),
    [part, MEMORY],
    s.poolAddress(new Uint8Array(width).fill(1)),
  );
}

/** Stores some bytes of a vector, which begin at an element. */
function storeElements(s: Selector, parts: readonly number[], first: number, bytes: number, address: Address): void {
  let done = 0;
  while (done < bytes) {
    const from = first + done;
    const size = [16, 8, 4, 2, 1].find((one) => one <= bytes - done && from % one === 0) ?? 1;
    const chunk = chunkOf(s, parts, from >> 4);
    if (size === 16) s.build.emit(form("vmovups m128, x"), [MEMORY, chunk], further(address, done));
    else if (size === 4 && (from & 15) === 0)
      s.build.emit(form("vmovd r32/m32, x"), [MEMORY, chunk], further(address, done));
    else if (size === 8 && (from & 15) === 0)
      s.build.emit(form("vmovlps m64, x"), [MEMORY, chunk], further(address, done));
    else if (size === 8) s.build.emit(form("vmovhps m64, x"), [MEMORY, chunk], further(address, done));
    else s.build.emit(form(EXTRACTED[size] as string), [MEMORY, chunk, (from & 15) / size], further(address, done));
    done += size;
  }
}

const EXTRACTED: Readonly<Record<number, string>> = {
  1: "vpextrb r32/m8, x, i8",
  2: "vpextrw m16, x, i8",
  4: "vpextrd r32/m32, x, i8",
};

/** A scatter: lanes in their order, those that are off are jumped over. */
export function emitScatter(s: Selector, instruction: Instruction): void {
  const { build, fn } = s;
  const [value, pointers, condition] = instruction.operands as [Value, Value, Value];
  const { type } = value;
  const count = laneCount(pointers.type);
  const each = laneCount(type) / count;
  const bytes = scalarBytes(type);
  let parts = s.mask(value, 1);
  if (isMask(type)) parts = parts.map((part) => limitedToOnes(s, part));
  const addresses = s.parts(pointers);
  const perChunk = 16 / bytes;
  if (condition.kind === "constant" && condition.lanes.every(({ low }) => low === 1)) {
    for (let lane = 0; lane < count; lane++) {
      const base = bitsOfLane(s, chunkOf(s, addresses, lane >> 2), lane & 3, 4);
      storeElements(s, parts, lane * each * bytes, each * bytes, at(base));
    }
    return;
  }
  const mask = s.mask(condition, 1);
  const bits = Array.from({ length: chunkCount(count) }, (_, chunk) => byteBits(s, chunkOf(s, mask, chunk)));
  for (let lane = 0; lane < count; lane++) {
    const base = bitsOfLane(s, chunkOf(s, addresses, lane >> 2), lane & 3, 4);
    for (let k = 0; k < each; k++) {
      const element = lane * each + k;
      const chunk = chunkOf(s, parts, Math.floor(element / perChunk));
      build.pseudo(MACRO.storeIf, lane & 15, ((element % perChunk) << 8) | bytes, [
        base,
        chunk,
        bits[lane >> 4] as number,
      ]);
      fn.displacement[fn.instructionCount - 1] = k * bytes;
    }
  }
}

// Atomics.

const LOCKED: Readonly<Record<string, string>> = { add: "lock xadd", sub: "lock xadd", exchange: "xchg" };

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
      s.define(instruction, [scalarFromBits(s, type, modify(s, instruction, pointer, type, bits))]);
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
  if (atomicKind.startsWith("f")) for (let i = 0; i < 3; i++) build.addTemporary(VECTOR, 16);
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
