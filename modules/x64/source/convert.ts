// SPDX-License-Identifier: Apache-2.0
// Conversions between types. Floats become integers with saturation, NaN becomes 0; integers become floats, rounded
// once.
import { type Instruction, Op, type Type, type Value, laneCount, scalarOf } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { bytesAt, fromPieces } from "./chunks.ts";
import { narrow, widen } from "./lane-widths.ts";
import { buildVector, laneOf, scalarBits, scalarFromBits } from "./lanes.ts";
import { form, vectorForm } from "./machine-builder.ts";
import { compareFloatParts, keepLanes, maskAsLanes, resizeMask } from "./masks.ts";
import { floatToHalf, halfToFloat, setCondition, withPlainNans } from "./scalar-ops.ts";
import type { Selector } from "./selector.ts";
import { isFloatRegister, isMask, scalarBytes } from "./shape.ts";

/** The bits of a number as a lane of a vector. */
function floatBytes(value: number, isDouble: boolean): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  if (isDouble) view.setFloat64(0, value, true);
  else view.setFloat32(0, value, true);
  return isDouble ? bytes : bytes.subarray(0, 4);
}

function scalarBitsOf(type: Type): number {
  return type.kind === "pointer" ? 32 : type.bits;
}

/** Floats of which those that are no numbers are 0. */
function numbersOnly(s: Selector, suffix: string, value: number, width: number): number {
  const own = { given: value, address: null };
  const isNumber = compareFloatParts(s, suffix, value, own, 7, width);
  return keepLanes(s, own, isNumber, suffix === "pd" ? 8 : 4, width);
}

/** A scalar float as an integer. */
function toInteger(s: Selector, from: Type, to: Type, value: number, isSigned: boolean): number {
  const { build } = s;
  if (from.bits === 16) return toInteger(s, { kind: "float", bits: 32 } as Type, to, halfToFloat(s, value), isSigned);
  const bits = to.bits;
  const own = from.bits === 64;
  // NaN becomes 0.
  const clean = (x: number, isDouble: boolean): number => numbersOnly(s, isDouble ? "pd" : "ps", x, 16);
  if (bits <= 32) {
    // In doubles all bounds are exact.
    const double = own ? value : build.emit(form("vcvtss2sd x, x, x/m32"), [value, value]);
    const least = isSigned ? -(2 ** (bits - 1)) : 0;
    const most = isSigned ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
    let x = clean(double, true);
    x = build.emit(form("vmaxsd x, x, x/m64"), [x, MEMORY], s.poolAddress(floatBytes(least, true)));
    x = build.emit(form("vminsd x, x, x/m64"), [x, MEMORY], s.poolAddress(floatBytes(most, true)));
    const result = build.emit(form("vcvttsd2si r64, x/m64"), [x]);
    return bits === 1 ? build.emit(form("and r32/m32, s8"), [result, 1]) : result;
  }
  const ss = own ? "sd" : "ss";
  const m = own ? "m64" : "m32";
  const convert = form(`vcvtt${ss}2si r64, x/${m}`);
  const compare = form(`vucomi${ss} x, x/${m}`);
  let x = clean(value, own);
  const reaches = (bound: number): number => {
    build.emit(compare, [x, MEMORY], s.poolAddress(floatBytes(bound, own)));
    const bit = setCondition(s, 3);
    return build.emit(form("neg r64/m64"), [bit]);
  };
  if (isSigned) {
    const result = build.emit(convert, [x]);
    // Out of range is the least value: all bits are turned where it should be the greatest.
    return build.emit(form("xor r64, r64/m64"), [result, reaches(2 ** 63)]);
  }
  x = build.emit(form(`vmax${ss} x, x, x/${m}`), [x, s.zero(16)]);
  const low = build.emit(convert, [x]);
  const rest = build.emit(form(`vsub${ss} x, x, x/${m}`), [x, MEMORY], s.poolAddress(floatBytes(2 ** 63, own)));
  const high = build.emit(form("xor r64, r64/m64"), [build.emit(convert, [rest]), reaches(2 ** 64)]);
  const isHigh = build.emit(form("sar r64/m64, i8"), [low, 63]);
  return build.emit(form("or r64, r64/m64"), [low, build.emit(form("and r64, r64/m64"), [high, isHigh])]);
}

/** A scalar integer as a float. */
function fromInteger(s: Selector, from: Type, to: Type, value: number, isSigned: boolean): number {
  const { build } = s;
  const { bits } = from;
  if (to.bits === 16) {
    // A float has all bits that decide how a half is rounded, once what is far out of range is cut off.
    return floatToHalf(s, fromInteger(s, from, { kind: "float", bits: 32 } as Type, value, isSigned));
  }
  const isDouble = to.bits === 64;
  const ss = isDouble ? "sd" : "ss";
  const zero = s.zero(16);
  if (bits < 32) return build.emit(form(`vcvtsi2${ss} x, x, r32/m32`), [zero, s.extended(value, bits, isSigned)]);
  if (bits === 32) {
    if (isSigned) return build.emit(form(`vcvtsi2${ss} x, x, r32/m32`), [zero, value]);
    return build.emit(form(`vcvtsi2${ss} x, x, r64/m64`), [zero, s.extended(value, 32, false)]);
  }
  if (s.tier.isWide && !isSigned) return build.emit(form(`vcvtusi2${ss} x, x, r64/m64`), [zero, value]);
  const convert = form(`vcvtsi2${ss} x, x, r64/m64`);
  const direct = build.emit(convert, [zero, value]);
  if (isSigned) return direct;
  // Halved with the lost bit kept: it is rounded as the whole is; then doubled.
  const half = build.emit(form("shr r64/m64, i8"), [value, 1]);
  const odd = build.emit(form("and r32/m32, s8"), [value, 1]);
  const halved = build.emit(convert, [zero, build.emit(form("or r64, r64/m64"), [half, odd])]);
  const m = isDouble ? "m64" : "m32";
  const doubled = build.emit(form(`vadd${ss} x, x, x/${m}`), [halved, halved]);
  const isNegative = build.emit(form("sar r64/m64, i8"), [value, 63]);
  const mask = build.emit(form("vmovq x, r64"), [isNegative]);
  return build.emit(form("vpblendvb x, x, x/m128, x"), [direct, doubled, mask]);
}

/** A conversion of a scalar in a register. */
export function convertScalar(s: Selector, op: number, from: Type, to: Type, value: number): number {
  const { build } = s;
  const fromBits = scalarBitsOf(from);
  const toBits = scalarBitsOf(to);
  switch (op) {
    case Op.TRUNC:
      return toBits === 1 ? build.emit(form("and r32/m32, s8"), [value, 1]) : value;
    case Op.ZEXT:
    case Op.PTRTOINT:
    case Op.INTTOPTR:
      if (toBits <= fromBits) return toBits === 1 ? build.emit(form("and r32/m32, s8"), [value, 1]) : value;
      return s.extended(value, fromBits, false);
    case Op.SEXT: {
      if (fromBits === 1) return build.emit(form("neg r64/m64"), [value]);
      const wide = fromBits < 32 ? s.extended(value, fromBits, true) : value;
      return toBits === 64 ? s.extended(wide, 32, true) : wide;
    }
    case Op.FPEXT: {
      const single = fromBits === 16 ? halfToFloat(s, value) : value;
      return toBits === 64 ? build.emit(form("vcvtss2sd x, x, x/m32"), [single, single]) : single;
    }
    case Op.FPTRUNC:
      if (fromBits === 32) return floatToHalf(s, value);
      return toBits === 32 ? build.emit(form("vcvtsd2ss x, x, x/m64"), [value, value]) : doubleToHalf(s, value);
    case Op.FPTOSI:
    case Op.FPTOUI:
      return toInteger(s, from, to, value, op === Op.FPTOSI);
    case Op.SITOFP:
    case Op.UITOFP:
      return fromInteger(s, from, to, value, op === Op.SITOFP);
    default:
      // Pointers of all address spaces are alike.
      return value;
  }
}

/**
 * A double as a half, rounded once: first to a float whose last bit is set where anything was lost ("round to odd",
 * Boldo and Melquiond, 2008), then to a half.
 */
function doubleToHalf(s: Selector, value: number): number {
  const { build } = s;
  const bits = build.emit(form("vmovq r64/m64, x"), [value]);
  // The 29 bits that a float has less, as one.
  const lost = build.emit(form("and r32/m32, s32"), [bits, 0x1fff_ffff]);
  build.emit(form("test r32/m32, r32"), [lost, lost]);
  const odd = build.emit(form("shl r64/m64, i8"), [setCondition(s, 5), 29]);
  const kept = build.emit(form("shl r64/m64, i8"), [build.emit(form("shr r64/m64, i8"), [bits, 29]), 29]);
  const exact = build.emit(form("vmovq x, r64"), [build.emit(form("or r64, r64/m64"), [kept, odd])]);
  return floatToHalf(s, build.emit(form("vcvtsd2ss x, x, x/m64"), [exact, exact]));
}

/** A conversion of scalars or vectors. */
export function emitConvert(s: Selector, instruction: Instruction): void {
  const { op, type } = instruction;
  const [value] = instruction.operands as [Value];
  if (type.kind !== "vector") {
    s.define(instruction, [convertScalar(s, op, value.type, type, s.one(value))]);
    return;
  }
  const whole = convertVector(s, instruction, value);
  if (whole !== null) {
    s.define(instruction, whole);
    return;
  }
  const [from, to] = [scalarOf(value.type), scalarOf(type)];
  const lanes = Array.from({ length: laneCount(type) }, (_, lane) =>
    convertScalar(s, op, from, to, laneOf(s, value, lane)),
  );
  s.define(instruction, buildVector(s, type, s.maskBytesOf(instruction), lanes));
}

/** All lanes at once; null where only lanes do it. */
function convertVector(s: Selector, instruction: Instruction, value: Value): readonly number[] | null {
  const { op, type } = instruction;
  const lanes = laneCount(type);
  const to = scalarBytes(type);
  const from = scalarBytes(value.type);
  const isToMask = isMask(type);
  const isFromMask = isMask(value.type);
  if (isToMask) return op === Op.TRUNC ? lowBits(s, value, from) : null;
  switch (op) {
    case Op.ZEXT:
    case Op.SEXT: {
      if (!isFromMask) return widen(s, s.parts(value), lanes, from, to, op === Op.SEXT);
      const widths = s.widths(lanes * to);
      return s
        .mask(value, to)
        .map((part, i) =>
          op === Op.SEXT
            ? maskAsLanes(s, part, to, widths[i] as number)
            : keepConstant(s, part, oneLane(to), widths[i] as number),
        );
    }
    case Op.PTRTOINT:
    case Op.INTTOPTR:
      if (to === from) return s.parts(value);
      return to > from
        ? widen(s, s.parts(value), lanes, from, to, false)
        : narrow(s, s.parts(value), lanes, from, to, false);
    case Op.ADDRSPACECAST:
      return s.parts(value);
    case Op.TRUNC:
      return narrow(s, s.parts(value), lanes, from, to, false);
    case Op.FPEXT:
      return to === 2 * from ? grow(s, value, lanes, from, to === 8 ? "vcvtps2pd" : "vcvtph2ps") : null;
    case Op.FPTRUNC:
      if (from === 8 && to === 4) return shrink(s, s.parts(value), lanes, "vcvtpd2ps");
      return from === 4 ? shrink(s, s.parts(value), lanes, "vcvtps2ph") : null;
    case Op.SITOFP:
    case Op.UITOFP:
      return integersToFloats(s, instruction, value, from, to);
    case Op.FPTOSI:
    case Op.FPTOUI:
      return floatsToLanes(s, value, lanes, from, to, op === Op.FPTOSI);
    default:
      return null;
  }
}

function oneLane(bytes: number): Uint8Array {
  const lane = new Uint8Array(bytes);
  lane[0] = 1;
  return lane;
}

function andConstant(s: Selector, part: number, lane: Uint8Array): number {
  const width = s.fn.width[part] as number;
  return s.build.emit(vectorForm("vpand v, v, v/m", width), [part, MEMORY], s.poolAddress(s.repeated(lane, width)));
}

/** A constant in the lanes of a part where a mask is on, else zeros. */
function keepConstant(s: Selector, mask: number, lane: Uint8Array, width: number): number {
  return keepLanes(s, { given: MEMORY, address: s.poolAddress(s.repeated(lane, width)) }, mask, lane.length, width);
}

/** A mask of the low bits of lanes. */
function lowBits(s: Selector, value: Value, bytes: number): readonly number[] {
  const letter = { 1: "b", 2: "w", 4: "d", 8: "q" }[bytes] as string;
  const made = s.parts(value).map((part) => {
    const width = s.fn.width[part] as number;
    const one = oneLane(bytes);
    if (s.tier.isWide)
      return s.build.emit(
        vectorForm(`vptestm${letter} k, v, v/m`, width),
        [part, MEMORY],
        s.poolAddress(s.repeated(one, width)),
      );
    return s.build.emit(vectorForm(`vpsub${letter} v, v, v/m`, width), [s.zero(width), andConstant(s, part, one)]);
  });
  return made;
}

/** Lanes of twice the width by one instruction each. */
function grow(s: Selector, value: Value, lanes: number, from: number, name: string): readonly number[] {
  return growParts(s, s.parts(value), lanes, from, name);
}

function growParts(
  s: Selector,
  parts: readonly number[],
  lanes: number,
  from: number,
  name: string,
): readonly number[] {
  const half = s.tier.partBytes / 2;
  return s
    .widths(lanes * from * 2)
    .map((width, i) => s.build.emit(vectorForm(`${name} v, h/mh`, width), [bytesAt(s, parts, half * i, width / 2)]));
}

/** Lanes of half the width: each part becomes a half of one. */
function shrink(s: Selector, parts: readonly number[], lanes: number, name: string): readonly number[] {
  const isHalf = name === "vcvtps2ph";
  const total = lanes * (isHalf ? 4 : 8);
  const pieces = s.widths(total).map((width, i) => {
    const part = parts[i] as number;
    if (!isHalf) return s.build.emit(vectorForm(`${name} h, v/m`, width), [part]);
    return s.build.emit(vectorForm(`${name} h/mh, v, i8`, width), [withPlainNans(s, part, width), 0]);
  });
  return fromPieces(s, pieces, s.tier.partBytes / 2, total / 2);
}

function integersToFloats(
  s: Selector,
  instruction: Instruction,
  value: Value,
  from: number,
  to: number,
): readonly number[] | null {
  const { build } = s;
  const lanes = laneCount(value.type);
  const isSigned = instruction.op === Op.SITOFP;
  if (isMask(value.type)) {
    const mask = s.mask(value, to);
    const one = floatBytes(isSigned ? -1 : 1, to === 8);
    const widths = s.widths(lanes * to);
    return to < 4 ? null : mask.map((part, i) => keepConstant(s, part, one, widths[i] as number));
  }
  if (to === 2) return null;
  if (s.tier.isWide && from >= 4 && (from === 8 || !isSigned))
    return integersToFloatsWide(s, value, lanes, from, to, isSigned);
  if (from === 8 && to === 4) return null;
  if (from === 8) return s.parts(value).map((part) => longsToDoubles(s, part, isSigned));
  if (from === 4 && !isSigned) return unsignedToFloats(s, value, lanes, to);
  const parts = from === 4 ? s.parts(value) : widen(s, s.parts(value), lanes, from, 4, isSigned);
  if (to === 8) {
    return growParts(s, parts, lanes, 4, "vcvtdq2pd");
  }
  return parts.map((part) => build.emit(vectorForm("vcvtdq2ps v, v/m", s.fn.width[part] as number), [part]));
}

/** By the instructions that only wide tiers have: of 32 bits without sign, and of 64 bits. */
function integersToFloatsWide(
  s: Selector,
  value: Value,
  lanes: number,
  from: number,
  to: number,
  isSigned: boolean,
): readonly number[] {
  const parts = s.parts(value);
  const name = `vcvt${isSigned ? "" : "u"}${from === 8 ? "qq" : "dq"}2${to === 8 ? "pd" : "ps"}`;
  if (from < to) return growParts(s, parts, lanes, from, name);
  const widths = s.widths(lanes * from);
  if (from > to) return shrink(s, parts, lanes, name);
  return parts.map((part, i) => s.build.emit(vectorForm(`${name} v, v/m`, widths[i] as number), [part]));
}

/** `name v, v, v/m` by the width of the first operand, with a constant in all lanes as the second one. */
function withConstant(s: Selector, name: string, part: number, lane: Uint8Array): number {
  const width = s.fn.width[part] as number;
  return s.build.emit(vectorForm(`${name} v, v, v/m`, width), [part, MEMORY], s.poolAddress(s.repeated(lane, width)));
}

function three(s: Selector, name: string, a: number, b: number): number {
  return s.build.emit(vectorForm(`${name} v, v, v/m`, s.fn.width[a] as number), [a, b]);
}

function byImmediate(s: Selector, name: string, part: number, immediate: number): number {
  return s.build.emit(vectorForm(`${name} v, v, i8`, s.fn.width[part] as number), [part, immediate]);
}

/** A lane of so many bits, from its upper and lower half. */
function bitsLane(high: number, low: number): Uint8Array {
  const lane = new Uint8Array(8);
  const view = new DataView(lane.buffer);
  view.setUint32(0, low, true);
  view.setUint32(4, high, true);
  return lane;
}

/**
 * Integers of 32 bits without sign. As doubles: they are the last bits of 2^52 + x. As floats: both halves of 16 bits
 * are such last bits, of 2^39 and of 2^23; the upper one is brought to its value exactly, so that the sum rounds once.
 */
function unsignedToFloats(s: Selector, value: Value, lanes: number, to: number): readonly number[] {
  const { build } = s;
  if (to === 8) {
    const wide = widen(s, s.parts(value), lanes, 4, 8, false);
    const large = floatBytes(2 ** 52, true);
    return wide.map((part) => withConstant(s, "vsubpd", withConstant(s, "vpor", part, large), large));
  }
  return s.parts(value).map((part) => {
    const width = s.fn.width[part] as number;
    const upper = (own: number, exponent: number): number =>
      build.emit(
        vectorForm("vpblendw v, v, v/m, i8", width),
        [own, MEMORY, 0xaa],
        s.poolAddress(s.repeated(floatBytes(2 ** exponent, false), width)),
      );
    const low = upper(part, 23);
    const high = upper(byImmediate(s, "vpsrld", part, 16), 39);
    return three(s, "vaddps", low, withConstant(s, "vsubps", high, floatBytes(2 ** 39 + 2 ** 23, false)));
  });
}

/** Integers of 64 bits as doubles: halves of 32 bits as the last bits of 2^84 and 2^52, whose sum rounds once. */
function longsToDoubles(s: Selector, part: number, isSigned: boolean): number {
  const { build } = s;
  const width = s.fn.width[part] as number;
  const low = build.emit(
    vectorForm("vpblendd v, v, v/m, i8", width),
    [part, MEMORY, 0xaa],
    s.poolAddress(s.repeated(floatBytes(2 ** 52, true), width)),
  );
  // With a sign the upper half counts from -2^31.
  const high = withConstant(
    s,
    "vpxor",
    byImmediate(s, "vpsrlq", part, 32),
    isSigned ? bitsLane(0x4530_0000, 0x8000_0000) : bitsLane(0x4530_0000, 0),
  );
  const offset = isSigned ? 2 ** 84 + 2 ** 63 + 2 ** 52 : 2 ** 84 + 2 ** 52;
  return three(s, "vaddpd", low, withConstant(s, "vsubpd", high, floatBytes(offset, true)));
}

/** Floats and doubles to integers with saturation; null where lanes do it. */
function floatsToLanes(
  s: Selector,
  value: Value,
  lanes: number,
  from: number,
  to: number,
  isSigned: boolean,
): readonly number[] | null {
  if (s.tier.isWide && from >= 4 && to >= 4) return floatsToWideIntegers(s, value, lanes, from, to, isSigned);
  if (from === 4 && to === 4) return isSigned ? floatsToIntegers(s, value) : floatsToUnsigned(s, value);
  if (from !== 4 || to > 2) return null;
  const bits = 8 * to;
  const least = floatBytes(isSigned ? -(2 ** (bits - 1)) : 0, false);
  const most = floatBytes(isSigned ? 2 ** (bits - 1) - 1 : 2 ** bits - 1, false);
  const made = s.parts(value).map((part) => {
    // A maximum with 0 makes 0 of NaN.
    const clean = isSigned ? numbersOnly(s, "ps", part, s.fn.width[part] as number) : part;
    const bounded = withConstant(s, "vminps", withConstant(s, "vmaxps", clean, least), most);
    return s.build.emit(vectorForm("vcvttps2dq v, v/m", s.fn.width[part] as number), [bounded]);
  });
  return narrow(s, made, lanes, 4, to, false);
}

/**
 * By the instructions of wide tiers, which give all ones for what is too large without sign, and the least integer for
 * what is too large or small with a sign. NaN is 0 before, so is what is negative without sign.
 */
function floatsToWideIntegers(
  s: Selector,
  value: Value,
  lanes: number,
  from: number,
  to: number,
  isSigned: boolean,
): readonly number[] {
  const suffix = from === 8 ? "pd" : "ps";
  const own = s.widths(lanes * from);
  const clean = s.parts(value).map((part, i) => {
    const width = own[i] as number;
    if (isSigned) return numbersOnly(s, suffix, part, width);
    // A maximum with 0 makes 0 of NaN.
    return s.build.emit(vectorForm(`vmax${suffix} v, v, v/m`, width), [part, s.zero(width)]);
  });
  const name = `vcvtt${suffix}2${isSigned ? "" : "u"}${to === 8 ? "qq" : "dq"}`;
  const made =
    from < to
      ? growParts(s, clean, lanes, from, name)
      : from > to
        ? shrink(s, clean, lanes, name)
        : clean.map((part, i) => s.build.emit(vectorForm(`${name} v, v/m`, own[i] as number), [part]));
  if (!isSigned) return made;
  // Where it should be the greatest, all bits of the least integer are turned.
  const bound = floatBytes(2 ** (8 * to - 1), from === 8);
  const results = s.widths(lanes * to);
  const isLarge = clean.map((part, i) => {
    const width = own[i] as number;
    const address = s.poolAddress(s.repeated(bound, width));
    return compareFloatParts(s, suffix, part, { given: MEMORY, address }, 0x1d, width);
  });
  const masks = resizeMask(s, isLarge, lanes, from, to);
  return made.map((part, i) => {
    const width = results[i] as number;
    const lanesOfMask = maskAsLanes(s, masks[i] as number, to, width);
    return s.build.emit(vectorForm("vpxor v, v, v/m", width), [part, lanesOfMask]);
  });
}

/** Floats to integers without sign: what is 2^31 or more is converted less that, from 2^32 on all bits are ones. */
function floatsToUnsigned(s: Selector, value: Value): readonly number[] {
  const { build } = s;
  return s.parts(value).map((part) => {
    const width = s.fn.width[part] as number;
    // A maximum with 0 makes 0 of NaN.
    const clean = three(s, "vmaxps", part, s.zero(width));
    const reaches = (bound: number): number =>
      build.emit(
        vectorForm("vcmpps v, v, v/m, i8", width),
        [clean, MEMORY, 0x1d],
        s.poolAddress(s.repeated(floatBytes(bound, false), width)),
      );
    const isLarge = reaches(2 ** 31);
    const rest = three(s, "vsubps", clean, withConstant(s, "vandps", isLarge, floatBytes(2 ** 31, false)));
    const converted = build.emit(vectorForm("vcvttps2dq v, v/m", width), [rest]);
    const made = three(s, "vpxor", converted, byImmediate(s, "vpslld", isLarge, 31));
    return three(s, "vpor", made, reaches(2 ** 32));
  });
}

/** Floats to signed integers of the same width: what is too large gives the least value, whose bits are turned. */
function floatsToIntegers(s: Selector, value: Value): readonly number[] {
  const { build } = s;
  return s.parts(value).map((part) => {
    const width = s.fn.width[part] as number;
    const clean = numbersOnly(s, "ps", part, width);
    const converted = build.emit(vectorForm("vcvttps2dq v, v/m", width), [clean]);
    const isLarge = build.emit(
      vectorForm("vcmpps v, v, v/m, i8", width),
      [clean, MEMORY, 0x1d],
      s.poolAddress(s.repeated(floatBytes(2 ** 31, false), width)),
    );
    return three(s, "vpxor", converted, isLarge);
  });
}

/** The same bits as another type. */
export function emitBitcast(s: Selector, instruction: Instruction): void {
  const { type } = instruction;
  const [value] = instruction.operands as [Value];
  if (isMask(type) || isMask(value.type)) s.refuse(instruction, "a lane mask has no bits of its own");
  const isVector = type.kind === "vector";
  const wasVector = value.type.kind === "vector";
  if (isVector === wasVector) {
    if (isVector || isFloatRegister(type) === isFloatRegister(value.type)) s.define(instruction, s.parts(value));
    else s.define(instruction, [scalarFromBits(s, type, scalarBits(s, value.type, s.one(value)))]);
    return;
  }
  if (isVector) {
    const bits = scalarBits(s, value.type, s.one(value));
    s.define(instruction, [s.build.emit(form("vmovq x, r64"), [bits])]);
    return;
  }
  const chunk = s.one(value);
  if (isFloatRegister(type)) s.define(instruction, [chunk]);
  else s.define(instruction, [s.build.emit(form("vmovq r64/m64, x"), [chunk])]);
}
