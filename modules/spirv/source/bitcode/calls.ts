// SPDX-License-Identifier: Apache-2.0
// Calls of bitcode: of functions, which a mangled name makes a built-in one for the reader of SPIR-V, and of LLVM's
// intrinsic functions.
import { filled } from "@muxkit/cargo";

import { enumerant } from "../grammar/tables.ts";
import type { OpName } from "../generated/names.ts";
import { refuse } from "./bitstream.ts";
import { writeConversion } from "./conversions.ts";
import { type FunctionWriter, Operands } from "./function-writer.ts";
import { FLAGGED, IGNORED, INTRINSICS, REDUCED } from "./operations.table.ts";
import { callPipeFunction } from "./pipes.ts";

const EXPLICIT = 1 << 15;
const FAST_MATH = 1 << 17;
/** Functions that SPIR-V has in its set, whose names the reader does not take. */
const BUILT: readonly (readonly [RegExp, "printf" | "nan"])[] = [
  [/^printf$/u, "printf"],
  [/^_Z3nan(?:Dv\d+_)?[tjm]$/u, "nan"],
];
const SAMPLER = "__translate_sampler_initializer";

/** What a call passes. */
interface Call {
  readonly name: string;
  readonly result: number;
  readonly ids: readonly number[];
  readonly indices: readonly number[];
}

/** The name of an intrinsic function without its types. */
function baseName(name: string): string {
  return name.replace(/(?:\.(?:v\d+)?[pif]\d+\w*)+$/u, "");
}

function copy(w: FunctionWriter, { ids, indices }: Call): void {
  const size = indices[2] ?? 0;
  const number = w.values.at(size).number;
  if (number === 0n) return;
  w.emitter.put("functions", "OpCopyMemorySized", ids[0] ?? 0, ids[1] ?? 0, ids[2] ?? 0);
}

/** Parts of a constant that fit into an instruction, whose length has 16 bits. */
const MOST_PARTS = 65_000n;

/** Bytes of one value, by a copy of a constant that is as large. */
function fill(w: FunctionWriter, { ids, indices }: Call): void {
  const { emitter } = w;
  const [, value = 0, size = 0] = indices;
  const [byte, bytes] = [w.values.at(value).number, w.values.at(size).number];
  const most = byte === 0n ? 0xffff_ffffn : MOST_PARTS;
  if (byte === null || bytes === null || bytes < 0n || bytes > most)
    return refuse(
      emitter.bit,
      "llvm.memset is read where value and size are constants, and the size of others than zeros is below 65,000 bytes",
    );
  if (bytes === 0n) return undefined;
  const array = emitter.once("OpTypeArray", null, emitter.int(8), emitter.integer(emitter.int(32), 32, bytes));
  const pointer = emitter.once("OpTypePointer", null, enumerant("StorageClass", "UniformConstant"), array);
  const contents =
    byte === 0n
      ? emitter.once("OpConstantNull", array)
      : emitter.once(
          "OpConstantComposite",
          array,
          ...filled<number>(Number(bytes), emitter.integer(emitter.int(8), 8, BigInt.asUintN(8, byte))),
        );
  const variable = emitter.once("OpVariable", pointer, enumerant("StorageClass", "UniformConstant"), contents);
  const bytePointer = emitter.once("OpTypePointer", null, enumerant("StorageClass", "UniformConstant"), emitter.int(8));
  const from = emitter.value("OpBitcast", bytePointer, variable);
  emitter.put("functions", "OpCopyMemorySized", ids[0] ?? 0, from, ids[2] ?? 0);
}

function sampler(w: FunctionWriter, { result, indices }: Call): void {
  const bits = w.values.at(indices[0] ?? 0).number;
  if (bits === null) refuse(w.emitter.bit, "a sampler is made of something that is no constant");
  else {
    const value = Number(bits);
    const filter = Math.max(((value & 0x30) >> 4) - 1, 0);
    w.alias(result, w.emitter.once("OpConstantSampler", w.emitter.type(result), (value & 0xe) >> 1, value & 1, filter));
  }
}

/**
 * Flags of atomics. Orders may be values that are known only when a kernel runs, so all are the strongest; the scope is
 * the device.
 */
function flag(w: FunctionWriter, { name, result, ids }: Call): void {
  const [scope, order] = [w.constant32(DEVICE), w.constant32(SEQUENTIAL)];
  if (name.includes("_clear")) w.emitter.put("functions", "OpAtomicFlagClear", ids[0] ?? 0, scope, order);
  else w.define(result, "OpAtomicFlagTestAndSet", ids[0] ?? 0, scope, order);
}
const FLAG = /^_Z\d+atomic_flag_(?:test_and_set|clear)(?:_explicit)?P/u;
const DEVICE = 1n;
const SEQUENTIAL = BigInt(enumerant("MemorySemantics", "SequentiallyConsistent"));

/** What clang calls for `to_global` and its like: a cast that gives null for pointers into other memory. */
const TO_SPACE = /^__to_(?:global|local|private)$/u;

function castToSpace(w: FunctionWriter, { result, ids }: Call): void {
  const type = w.kind(result);
  if (type.kind !== "pointer") refuse(w.emitter.bit, "a cast to an address space gives no pointer");
  else w.define(result, "OpGenericCastToPtrExplicit", ids[0] ?? 0, w.emitter.storage(type.space));
}

/** One value of all components. */
function reduce(w: FunctionWriter, { result, ids, indices }: Call, name: OpName): void {
  const { emitter } = w;
  const type = emitter.type(result);
  const { count } = w.shape(w.typeOf(indices[0] ?? 0));
  let all = emitter.value("OpCompositeExtract", type, ids[0] ?? 0, 0);
  for (let at = 1; at < Math.min(count, MOST_COMPONENTS); at++)
    all = emitter.value(name, type, all, emitter.value("OpCompositeExtract", type, ids[0] ?? 0, at));
  w.alias(result, all);
}
const MOST_COMPONENTS = 16;

function intrinsic(w: FunctionWriter, call: Call): void {
  const { emitter } = w;
  const { name, result, ids } = call;
  if (IGNORED.test(name)) return undefined;
  if (name.startsWith("llvm.memcpy") || name.startsWith("llvm.memmove")) return copy(w, call);
  if (name.startsWith("llvm.memset")) return fill(w, call);
  const base = baseName(name);
  const flagged = FLAGGED[base];
  const known = INTRINSICS[base] ?? flagged;
  if (known !== undefined) {
    const id = emitter.extended(known, emitter.type(result), ...(flagged === undefined ? ids : ids.slice(0, 1)));
    return w.alias(result, id);
  }
  const reduced = REDUCED[base];
  if (reduced !== undefined) return reduce(w, call, reduced);
  if ((base === "llvm.fshl" || base === "llvm.fshr") && ids[0] === ids[1]) {
    let count = ids[2] ?? 0;
    if (base === "llvm.fshr") count = emitter.value("OpSNegate", emitter.type(result), count);
    return w.alias(result, emitter.extended("rotate", emitter.type(result), ids[0] ?? 0, count));
  }
  return refuse(emitter.bit, `the function ${name} is not read`);
}

/** A record of a call. */
export function callFunction(w: FunctionWriter, operands: readonly number[]): void {
  const { emitter } = w;
  const [, convention = 0] = operands;
  const o = new Operands(w, operands, (convention & FAST_MATH) === 0 ? 2 : 3);
  if ((convention & EXPLICIT) === 0) refuse(emitter.bit, "a call does not say its type");
  const kind = w.kind(o.number());
  const callee = w.values.at((w.values.all.length - o.number()) >>> 0);
  const target = w.functions[callee.function];
  if (kind.kind !== "function" || target === undefined)
    return refuse(emitter.bit, "functions are called by their names alone");
  if (IGNORED.test(target.facts.name)) return undefined;
  const indices: number[] = [];
  const ids = kind.parameters.map((type) => {
    indices.push((w.values.all.length - (o.all[o.next] ?? 0)) >>> 0);
    return o.value(type);
  });
  const call = { name: target.facts.name, result: kind.result, ids, indices };
  if (call.name.startsWith("llvm.")) return intrinsic(w, call);
  if (call.name === SAMPLER) return sampler(w, call);
  const [first = 0] = ids;
  if (indices.length === 1 && writeConversion(w, call.name, kind.result, first, kind.parameters[0] ?? 0))
    return undefined;
  if (FLAG.test(call.name)) return flag(w, call);
  if (TO_SPACE.test(call.name)) return castToSpace(w, call);
  if (callPipeFunction(w, call.name, kind.result, ids)) return undefined;
  const built = BUILT.find(([pattern]) => pattern.test(call.name));
  if (built !== undefined) {
    while (!o.isEnd) ids.push(o.pair().id);
    return w.alias(kind.result, emitter.extended(built[1], emitter.type(kind.result), ...ids));
  }
  w.called.add(callee.function);
  const type = emitter.type(kind.result);
  if (w.kind(kind.result).kind === "void") {
    emitter.put("functions", "OpFunctionCall", type, emitter.id(), target.id, ...ids);
    return undefined;
  }
  return w.define(kind.result, "OpFunctionCall", target.id, ...ids);
}
