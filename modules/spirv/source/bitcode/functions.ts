// SPDX-License-Identifier: Apache-2.0
// Bodies of bitcode functions to SPIR-V: a row for each code of a record. Booleans are integers of one bit in LLVM and
// a type of their own in SPIR-V, so casts and operations on them become selections and logic. Pointers have types on
// both sides; casts between address spaces also change what is pointed to, which SPIR-V does in two steps.
import { enumerant } from "../grammar/tables.ts";
import { refuse } from "./bitstream.ts";
import { callFunction } from "./calls.ts";
import { type FunctionWriter, Operands, type Row } from "./function-writer.ts";
import { ATOMIC, BINARY, CAST, COMPARE, ORDERINGS } from "./operations.table.ts";
import { signed } from "./values.ts";

/** The bits of a variable's flags that are its alignment: the logarithm and 1. */
const ALIGNMENT = 31;
const GENERIC = 4;
const DEVICE = 1n;

function binary(w: FunctionWriter, operands: readonly number[]): void {
  const o = new Operands(w, operands);
  const { id, type } = o.pair();
  const other = o.value(type);
  const code = o.number();
  const name = BINARY[code]?.[w.isBool(type) ? 2 : w.isFloat(type) ? 1 : 0] ?? null;
  if (name === null) refuse(w.emitter.bit, `there is no operation ${code} of these values`);
  else w.define(type, name, id, other);
}

function cast(w: FunctionWriter, operands: readonly number[]): void {
  const o = new Operands(w, operands);
  const { id, type } = o.pair();
  const to = o.number();
  const code = o.number();
  const { emitter } = w;
  if (code === 12) {
    castSpace(w, id, type, to);
    return;
  }
  if (w.isBool(type) && (code === 1 || code === 2)) {
    w.define(to, "OpSelect", id, w.splat(to, code === 1 ? 1n : -1n), w.splat(to, 0n));
    return;
  }
  if (w.isBool(type) && (code === 5 || code === 6)) {
    const int = w.typeNumber((kind) => kind.kind === "int" && kind.bits === 32, "i32");
    if (w.shape(type).count !== 1) refuse(emitter.bit, "vectors of booleans do not become floats");
    const number = emitter.value(
      "OpSelect",
      emitter.type(int),
      id,
      w.splat(int, code === 5 ? 1n : -1n),
      w.splat(int, 0n),
    );
    w.define(to, code === 5 ? "OpConvertUToF" : "OpConvertSToF", number);
    return;
  }
  if (w.isBool(to) && code === 0) {
    const low = emitter.value("OpBitwiseAnd", emitter.type(type), id, w.splat(type, 1n));
    w.define(to, "OpINotEqual", low, w.splat(type, 0n));
    return;
  }
  const name = CAST[code];
  if (name === undefined) refuse(emitter.bit, `there is no cast ${code}`);
  else if (code === 11 && emitter.type(type) === emitter.type(to)) w.alias(to, id);
  else w.define(to, name, id);
}

/** To or from the generic space; what is pointed to changes first. */
function castSpace(w: FunctionWriter, id: number, type: number, to: number): void {
  const { emitter } = w;
  const [from, into] = [w.kind(type), w.kind(to)];
  if (
    from.kind !== "pointer" ||
    into.kind !== "pointer" ||
    from.space === into.space ||
    (from.space !== GENERIC && into.space !== GENERIC)
  ) {
    refuse(emitter.bit, "pointers are cast to the generic address space or from it");
    return;
  }
  let source = id;
  if (from.element !== into.element)
    source = emitter.value(
      "OpBitcast",
      emitter.type(emitter.module.pointerTo(into.element, from.space, emitter.bit)),
      id,
    );
  w.define(to, into.space === GENERIC ? "OpPtrCastToGeneric" : "OpGenericCastToPtr", source);
}

function compare(w: FunctionWriter, operands: readonly number[]): void {
  const o = new Operands(w, operands);
  let { id, type } = o.pair();
  let other = o.value(type);
  const predicate = o.number();
  const { emitter } = w;
  const { count } = w.shape(type);
  const bool = w.typeNumber(
    (kind) =>
      count === 1
        ? kind.kind === "int" && kind.bits === 1
        : kind.kind === "vector" && kind.count === count && w.isBool(kind.element),
    "i1 for a comparison",
  );
  if (w.kind(type).kind === "pointer") {
    const bits = emitter.module.addressBits;
    const int = emitter.int(bits);
    id = emitter.value("OpConvertPtrToU", int, id);
    other = emitter.value("OpConvertPtrToU", int, other);
    type = -1;
  }
  const isLogic = type >= 0 && w.isBool(type);
  const name = isLogic
    ? predicate === 32
      ? "OpLogicalEqual"
      : predicate === 33
        ? "OpLogicalNotEqual"
        : undefined
    : COMPARE[predicate];
  if (predicate === 0 || predicate === 15) {
    if (count !== 1) refuse(emitter.bit, "vectors are not compared by a constant predicate");
    w.alias(bool, emitter.once(predicate === 0 ? "OpConstantFalse" : "OpConstantTrue", emitter.bool()));
  } else if (name === undefined) refuse(emitter.bit, `there is no comparison ${predicate} of these values`);
  else w.define(bool, name, id, other);
}

/** The type of the part to which indices lead. */
function partOf(w: FunctionWriter, type: number, index: number): number {
  const kind = w.kind(type);
  if (kind.kind === "struct") return kind.members[index] ?? refuse(w.emitter.bit, `there is no member ${index}`);
  return kind.kind === "array" || kind.kind === "vector"
    ? kind.element
    : refuse(w.emitter.bit, "an index leads into no composite");
}

function address(w: FunctionWriter, operands: readonly number[]): void {
  const o = new Operands(w, operands);
  const isInBounds = o.number() !== 0;
  let type = o.number();
  const base = o.pair();
  const indices: number[] = [];
  for (let depth = 0; !o.isEnd; depth++) {
    const index = o.pair();
    indices.push(index.id);
    if (depth > 0)
      type = partOf(w, type, Number(index.index < w.values.all.length ? (w.values.at(index.index).number ?? 0n) : 0n));
  }
  const pointer = w.kind(base.type);
  if (pointer.kind !== "pointer") refuse(w.emitter.bit, "an address is made of something that is no pointer");
  else
    w.define(
      w.emitter.module.pointerTo(type, pointer.space, w.emitter.bit),
      isInBounds ? "OpInBoundsPtrAccessChain" : "OpPtrAccessChain",
      base.id,
      ...indices,
    );
}

function shuffle(w: FunctionWriter, operands: readonly number[]): void {
  const o = new Operands(w, operands);
  const one = o.pair();
  const other = o.value(one.type);
  const mask = o.pair();
  const { count } = w.shape(mask.type);
  const words = w.values.maskOf(mask.index, count);
  const to = w.typeNumber(
    (kind) => kind.kind === "vector" && kind.count === count && kind.element === w.shape(one.type).scalar,
    "of the shuffled vector",
  );
  w.define(to, "OpVectorShuffle", one.id, other, ...words);
}

function phi(w: FunctionWriter, operands: readonly number[], record: Parameters<Row>[2]): void {
  const [type = 0] = operands;
  const parts: number[] = [];
  for (let at = 1; at + 1 < operands.length; at += 2) {
    const index = w.values.all.length - Number(signed(record, at));
    parts.push(w.at(index, type), w.label(operands[at + 1] ?? 0));
  }
  w.define(type, "OpPhi", ...parts);
}

function switchTo(w: FunctionWriter, operands: readonly number[]): void {
  const [type = 0, , fallback = 0] = operands;
  const o = new Operands(w, operands, 1);
  const selector = o.value(type);
  const kind = w.kind(type);
  const words: number[] = [];
  for (let at = 3; at + 1 < operands.length; at += 2) {
    const value = w.values.at(operands[at] ?? 0).number;
    if (value === null || kind.kind !== "int") {
      refuse(w.emitter.bit, "a case is no integer constant");
      return;
    }
    const whole = BigInt.asUintN(kind.bits, value);
    words.push(Number(whole & 0xffffffffn));
    if (kind.bits > 32) words.push(Number(whole >> 32n));
    words.push(w.label(operands[at + 1] ?? 0));
  }
  w.end("OpSwitch", selector, w.label(fallback), ...words);
}

const semantics = (w: FunctionWriter, ordering: number): number =>
  w.constant32(BigInt((ORDERINGS[ordering] ?? 16) | (ordering > 2 ? 0x300 : 0)));

/** The instructions that are read, by the codes of their records. */
export const ROWS: Readonly<Record<number, Row>> = {
  2: binary,
  3: cast,
  6: (w, operands) => {
    const o = new Operands(w, operands);
    const vector = o.pair();
    const index = o.pair();
    w.define(w.shape(vector.type).scalar, "OpVectorExtractDynamic", vector.id, index.id);
  },
  7: (w, operands) => {
    const o = new Operands(w, operands);
    const vector = o.pair();
    const part = o.value(w.shape(vector.type).scalar);
    w.define(vector.type, "OpVectorInsertDynamic", vector.id, part, o.pair().id);
  },
  8: shuffle,
  9: compare,
  10: (w, operands) => {
    if (operands.length === 0) w.end("OpReturn");
    else w.end("OpReturnValue", new Operands(w, operands).pair().id);
  },
  11: (w, operands) => {
    if (operands.length < 3) w.end("OpBranch", w.label(operands[0] ?? 0));
    else {
      const bool = w.typeNumber((kind) => kind.kind === "int" && kind.bits === 1, "i1");
      w.end(
        "OpBranchConditional",
        new Operands(w, operands, 2).value(bool),
        w.label(operands[0] ?? 0),
        w.label(operands[1] ?? 0),
      );
    }
  },
  12: switchTo,
  15: (w) => w.end("OpUnreachable"),
  16: phi,
  19: (w, operands) => {
    const [type = 0, , , flags = 0] = operands;
    // The bit 6 says that the type is that of the variable, not of its pointer.
    const isElement = (flags & 64) !== 0;
    const id = w.variable(isElement ? w.emitter.module.pointerTo(type, 0, w.emitter.bit) : type);
    const alignment = flags & ALIGNMENT;
    if (alignment > 0)
      w.emitter.put(
        "decorations",
        "OpDecorate",
        id,
        enumerant("Decoration", "Alignment"),
        2 ** Math.min(alignment - 1, 30),
      );
  },
  20: (w, operands) => {
    const o = new Operands(w, operands);
    const { id } = o.pair();
    w.define(o.number(), "OpLoad", id, ...w.memory(o.number(), o.number()));
  },
  26: (w, operands) => {
    const o = new Operands(w, operands);
    const { id, type } = o.pair();
    const indices = operands.slice(o.next);
    w.define(
      indices.reduce((at, index) => partOf(w, at, index), type),
      "OpCompositeExtract",
      id,
      ...indices,
    );
  },
  27: (w, operands) => {
    const o = new Operands(w, operands);
    const whole = o.pair();
    const part = o.pair();
    w.define(whole.type, "OpCompositeInsert", part.id, whole.id, ...operands.slice(o.next));
  },
  28: compare,
  29: (w, operands) => {
    const o = new Operands(w, operands);
    const yes = o.pair();
    const no = o.value(yes.type);
    const condition = o.pair();
    w.define(yes.type, "OpSelect", condition.id, yes.id, no);
  },
  34: callFunction,
  36: (w, operands) =>
    w.emitter.put("functions", "OpMemoryBarrier", w.constant32(DEVICE), semantics(w, operands[0] ?? 0)),
  41: (w, operands) => {
    const o = new Operands(w, operands);
    const { id } = o.pair();
    const type = o.number();
    w.define(type, "OpAtomicLoad", id, w.constant32(DEVICE), semantics(w, operands[o.next + 2] ?? 0));
  },
  43: address,
  44: (w, operands) => {
    const o = new Operands(w, operands);
    const to = o.pair();
    const what = o.pair();
    w.emitter.put("functions", "OpStore", to.id, what.id, ...w.memory(o.number(), o.number()));
  },
  45: (w, operands) => {
    const o = new Operands(w, operands);
    const to = o.pair();
    const what = o.pair();
    w.emitter.put(
      "functions",
      "OpAtomicStore",
      to.id,
      w.constant32(DEVICE),
      semantics(w, operands[o.next + 2] ?? 0),
      what.id,
    );
  },
  46: (w, operands) => {
    const o = new Operands(w, operands);
    const pointer = o.pair();
    const expected = o.pair();
    const wanted = o.value(expected.type);
    o.number();
    const success = o.number();
    o.number();
    const failure = o.number();
    const type = w.emitter.type(expected.type);
    const old = w.emitter.value(
      "OpAtomicCompareExchange",
      type,
      pointer.id,
      w.constant32(DEVICE),
      semantics(w, success),
      semantics(w, failure),
      wanted,
      expected.id,
    );
    const same = w.emitter.value("OpIEqual", w.emitter.bool(), old, expected.id);
    const pair = w.typeNumber(
      (kind) =>
        kind.kind === "struct" &&
        kind.members.length === 2 &&
        kind.members[0] === expected.type &&
        w.isBool(kind.members[1] ?? 0),
      "of an exchange",
    );
    w.define(pair, "OpCompositeConstruct", old, same);
  },
  56: (w, operands) => {
    const { id, type } = new Operands(w, operands).pair();
    w.define(type, "OpFNegate", id);
  },
  58: (w, operands) => {
    const { id, type } = new Operands(w, operands).pair();
    w.alias(type, id);
  },
  59: (w, operands) => {
    const o = new Operands(w, operands);
    const pointer = o.pair();
    const what = o.pair();
    const code = o.number();
    o.number();
    const name = ATOMIC[code];
    if (name === undefined) refuse(w.emitter.bit, `there is no atomic operation ${code}`);
    else w.define(what.type, name, pointer.id, w.constant32(DEVICE), semantics(w, o.number()), what.id);
  },
};
