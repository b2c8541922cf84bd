// SPDX-License-Identifier: Apache-2.0
// Writes the instructions of one function body: opcodes, immediates, locals. Each value has a virtual local of its own
// while the function is written, and shares a local with others in the end (local-sharing.ts). Vector constants that
// loops use are kept in locals, because V8 rebuilds a v128 constant at each use.
import { ByteWriter } from "@muxkit/cargo";
import type { Location } from "@muxkit/ir";

import { EVENT, EVENT_BITS, shareLocals } from "./local-sharing.ts";

import * as Wasm from "./opcodes.ts";

/** Most constants that a function keeps in locals: more would only be spilled and reloaded. */
const MOST_CONSTANTS = 64;

/** A function body that has been written. */
export interface FunctionBody {
  /** In the format of the code section. */
  readonly bytes: Uint8Array;
  /** Locals and parameters. */
  readonly locals: number;
  /** Where in `bytes` code of a place of the source begins, in order; null: nobody asked. */
  readonly places: readonly CodePlace[] | null;
}

/** Code from an offset on, up to the next, comes from a place of the source. @public */
export interface CodePlace {
  /** In the body of the function, which begins with its locals. */
  readonly offset: number;
  /** Null: from nowhere in particular. */
  readonly location: Location | null;
}

/** Four bytes of a constant as a number. */
function wordOf(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

/** The body of one function while it is written. */
export class Code {
  readonly bytes: ByteWriter = new ByteWriter(1024);
  /** Types of virtual locals, without the function's parameters. */
  private readonly localTypes: number[] = [];
  private readonly parameterCount: number;
  /** Accesses of virtual locals, and loops, in the order of the code. */
  private readonly events: number[] = [];
  /** Where in `bytes` the number of each accessed local belongs; 0 for other events. */
  private readonly places: number[] = [];
  /** Constants that loops use, by their bytes, and the locals that hold them from the beginning. */
  private readonly constants = new Map<string, { readonly bytes: Uint8Array; readonly local: number }>();
  /** Open constructs, innermost last. */
  private readonly opened: number[] = [];
  private openLoops = 0;
  /** Places of the source by offsets in `bytes`; null: nobody asks. */
  private readonly marks: { offset: number; location: Location | null }[] | null;
  private location: Location | null = null;

  constructor(parameterCount: number, isTraced: boolean) {
    this.parameterCount = parameterCount;
    this.marks = isTraced ? [] : null;
  }

  /** What follows comes from a place of the source. Returns the place before. */
  from(location: Location | null): Location | null {
    const { marks, location: before } = this;
    if (marks === null || before === location) return before;
    this.location = location;
    const last = marks.at(-1);
    if (last?.offset === this.bytes.length) last.location = location;
    else marks.push({ offset: this.bytes.length, location });
    return before;
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

  /** A binary64 by the halves of its bits. */
  f64(low: number, high: number): void {
    this.bytes.u8(Wasm.F64_CONST);
    this.bytes.u32(low);
    this.bytes.u32(high);
  }

  /**
   * A v128 by its bytes, which are copied. V8 rebuilds it, in four instructions, at each execution: in loops it comes
   * from a local.
   */
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
    const first = wordOf(bytes, 0);
    const second = wordOf(bytes, 4);
    const third = wordOf(bytes, 8);
    const fourth = wordOf(bytes, 12);
    if ((first === 0 || first === -1) && first === second && first === third && first === fourth) return null;
    const key = `${first},${second},${third},${fourth}`;
    let constant = this.constants.get(key);
    if (constant === undefined) {
      if (this.constants.size === MOST_CONSTANTS) return null;
      constant = { bytes: bytes.slice(), local: this.local(Wasm.TYPE_V128) };
      this.constants.set(key, constant);
    }
    return constant.local;
  }

  get(local: number): void {
    this.access(Wasm.LOCAL_GET, EVENT.read, local);
  }

  set(local: number): void {
    this.access(Wasm.LOCAL_SET, EVENT.write, local);
  }

  tee(local: number): void {
    this.access(Wasm.LOCAL_TEE, EVENT.write, local);
  }

  private access(op: number, kind: number, local: number): void {
    this.bytes.u8(op);
    if (local < this.parameterCount) this.bytes.varU32(local);
    else this.event(kind | ((local - this.parameterCount) << EVENT_BITS), this.bytes.length);
  }

  private event(event: number, place: number = 0): void {
    this.events.push(event);
    this.places.push(place);
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
    if (code !== Wasm.LOOP) return;
    this.openLoops++;
    this.event(EVENT.loop);
  }

  end(): void {
    this.bytes.u8(Wasm.END);
    if (this.opened.pop() !== Wasm.LOOP) return;
    this.openLoops--;
    this.event(EVENT.loopEnd);
  }

  /** A part of a dispatch loop begins: control comes to it from any other part. */
  dispatchPart(): void {
    this.event(EVENT.part);
  }

  /** The last part of a dispatch loop ends. */
  dispatchEnd(): void {
    this.event(EVENT.dispatchEnd);
  }

  /** A virtual local. */
  local(type: number): number {
    this.localTypes.push(type);
    return this.parameterCount + this.localTypes.length - 1;
  }

  /** The body in the format of the code section, locals, instructions, end, and how many locals it has. */
  finish(): FunctionBody {
    const { parameterCount, constants } = this;
    const preset = new Set(Array.from(constants.values(), ({ local }) => local - parameterCount));
    const { events, places } = this;
    const { localOf, types } = shareLocals(this.localTypes, events, preset);
    const numberOf = (local: number): number => parameterCount + (localOf[local] ?? 0);
    const body = new ByteWriter(this.bytes.length + events.length * 2 + 64);
    const groups: [count: number, type: number][] = [];
    for (const type of types) {
      const last = groups.at(-1);
      if (last !== undefined && last[1] === type) last[0]++;
      else groups.push([1, type]);
    }
    body.varU32(groups.length);
    for (const [count, type] of groups) {
      body.varU32(count);
      body.u8(type);
    }
    for (const { bytes, local } of constants.values()) {
      body.u8(0xfd);
      body.varU32(0x0c);
      body.raw(bytes);
      body.u8(Wasm.LOCAL_SET);
      body.varU32(numberOf(local - parameterCount));
    }
    const written = this.bytes.written();
    const marks = this.marks ?? [];
    let marked = 0;
    let done = 0;
    /** Marks before a place move with the bytes that are copied next. */
    const move = (end: number): void => {
      for (let mark = marks[marked]; mark !== undefined && mark.offset < end; mark = marks[++marked])
        mark.offset += body.length - done;
    };
    for (let i = 0; i < events.length; i++) {
      const place = places[i] as number;
      if (place === 0) continue;
      move(place);
      body.copy(written, done, place);
      body.varU32(numberOf((events[i] as number) >> EVENT_BITS));
      done = place;
    }
    move(Infinity);
    body.copy(written, done, written.length);
    body.u8(Wasm.END);
    return { bytes: body.finish(), locals: parameterCount + types.length, places: this.marks };
  }
}
