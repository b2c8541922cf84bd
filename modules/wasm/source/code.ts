// SPDX-License-Identifier: Apache-2.0
// Writes the instructions of one function body: opcodes, immediates, locals. Locals are recycled by type. Vector
// constants that loops use are kept in locals, because V8 rebuilds a v128 constant at each use.
import { ByteWriter } from "@muxkit/cargo";

import * as Wasm from "./opcodes.ts";

/** Most constants that a function keeps in locals: more would only be spilled and reloaded. */
const MOST_CONSTANTS = 64;

/** The body of one function while it is written. */
export class Code {
  readonly bytes: ByteWriter = new ByteWriter(1024);
  private readonly localTypes: number[] = [];
  private readonly parameterCount: number;
  /** Free locals, by type. */
  private readonly free = new Map<number, number[]>();
  /** Constants that loops use, by their bytes, and the locals that hold them from the beginning. */
  private readonly constants = new Map<string, { readonly bytes: Uint8Array; readonly local: number }>();
  /** Open constructs, innermost last. */
  private readonly opened: number[] = [];
  private openLoops = 0;

  constructor(parameterCount: number) {
    this.parameterCount = parameterCount;
  }

  /** An instruction; above 0xff: prefix and number. */
  op(code: number): void {
    if (code <= 0xff) {
      this.bytes.u8(code);
      return;
    }
    this.bytes.u8(code >> 8);
    this.bytes.varU32(code & 0xff);
  }

  /** A vector instruction by its number after the prefix. */
  simd(code: number): void {
    this.bytes.u8(0xfd);
    this.bytes.varU32(code);
  }

  /** A vector instruction with a lane. */
  lane(code: number, lane: number): void {
    this.simd(code);
    this.bytes.u8(lane);
  }

  /** Bytes picked out of two vectors on the stack: 0 to 15 of the lower one, 16 to 31 of the upper. */
  shuffle(bytes: readonly number[]): void {
    this.simd(0x0d);
    for (const byte of bytes) this.bytes.u8(byte);
  }

  i32(value: number): void {
    this.bytes.u8(Wasm.I32_CONST);
    this.bytes.varS32(value | 0);
  }

  i64(value: bigint): void {
    this.bytes.u8(Wasm.I64_CONST);
    this.bytes.varS64(value);
  }

  /** A binary32 by its bits. */
  f32(bits: number): void {
    this.bytes.u8(Wasm.F32_CONST);
    this.bytes.u32(bits);
  }

  /** A binary64 by its bits. */
  f64(bits: bigint): void {
    this.bytes.u8(Wasm.F64_CONST);
    this.bytes.u64(bits);
  }

  /** A v128 by its bytes. V8 rebuilds it, in four instructions, at each execution: in loops it comes from a local. */
  v128(bytes: Uint8Array): void {
    const local = this.openLoops > 0 ? this.constantLocal(bytes) : null;
    if (local !== null) {
      this.get(local);
      return;
    }
    this.simd(0x0c);
    this.bytes.raw(bytes);
  }

  /** The local of a constant; null for zeros and ones, which take one instruction, and where there are too many. */
  private constantLocal(bytes: Uint8Array): number | null {
    const [first] = bytes;
    if ((first === 0 || first === 0xff) && bytes.every((byte) => byte === first)) return null;
    const key = bytes.join();
    let constant = this.constants.get(key);
    if (constant === undefined) {
      if (this.constants.size === MOST_CONSTANTS) return null;
      constant = { bytes: bytes.slice(), local: this.local(Wasm.TYPE_V128) };
      this.constants.set(key, constant);
    }
    return constant.local;
  }

  get(local: number): void {
    this.bytes.u8(Wasm.LOCAL_GET);
    this.bytes.varU32(local);
  }

  set(local: number): void {
    this.bytes.u8(Wasm.LOCAL_SET);
    this.bytes.varU32(local);
  }

  tee(local: number): void {
    this.bytes.u8(Wasm.LOCAL_TEE);
    this.bytes.varU32(local);
  }

  /** Alignment (bytes) and offset of a memory access. */
  memory(alignment: number, offset: number): void {
    this.bytes.varU32(Math.log2(alignment));
    this.bytes.varU32(offset);
  }

  call(index: number): void {
    this.bytes.u8(Wasm.CALL);
    this.bytes.varU32(index);
  }

  branch(code: number, depth: number): void {
    this.bytes.u8(code);
    this.bytes.varU32(depth);
  }

  /** block, loop or if with a result type. */
  open(code: number, result: number = Wasm.NO_RESULT): void {
    this.bytes.u8(code);
    this.bytes.u8(result);
    this.opened.push(code);
    if (code === Wasm.LOOP) this.openLoops++;
  }

  end(): void {
    this.bytes.u8(Wasm.END);
    if (this.opened.pop() === Wasm.LOOP) this.openLoops--;
  }

  /** A local of its own. */
  local(type: number): number {
    this.localTypes.push(type);
    return this.parameterCount + this.localTypes.length - 1;
  }

  /** A temporary local; {@link Code.release} frees it. */
  scratch(type: number): number {
    return this.free.get(type)?.pop() ?? this.local(type);
  }

  release(type: number, local: number): void {
    const list = this.free.get(type);
    if (list === undefined) this.free.set(type, [local]);
    else list.push(local);
  }

  /** The body in the format of the code section: locals, instructions, end. */
  finish(): Uint8Array {
    const body = new ByteWriter(this.bytes.length + 64);
    const groups: [count: number, type: number][] = [];
    for (const type of this.localTypes) {
      const last = groups.at(-1);
      if (last !== undefined && last[1] === type) last[0]++;
      else groups.push([1, type]);
    }
    body.varU32(groups.length);
    for (const [count, type] of groups) {
      body.varU32(count);
      body.u8(type);
    }
    for (const { bytes, local } of this.constants.values()) {
      body.u8(0xfd);
      body.varU32(0x0c);
      body.raw(bytes);
      body.u8(Wasm.LOCAL_SET);
      body.varU32(local);
    }
    body.raw(this.bytes.finish());
    body.u8(Wasm.END);
    return body.finish();
  }
}
