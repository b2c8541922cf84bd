// SPDX-License-Identifier: Apache-2.0
// Reads generated code back: which instructions a function has, so that tests can count them.
import { type Module } from "@muxkit/ir";
import { generateModule } from "@muxkit/wasm";

/** Reads numbers from bytes. */
class Reader {
  at = 0;
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  u8(): number {
    return this.bytes[this.at++] ?? 0;
  }

  leb(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }
}

const leb = (reader: Reader): unknown => reader.leb();
const memory = (reader: Reader): unknown => [reader.leb(), reader.leb()];
const skip =
  (count: number) =>
  (reader: Reader): void => {
    reader.at += count;
  };

/** What follows an opcode of one byte. */
function immediates(reader: Reader, op: number): void {
  if (op === 0x0e) for (let i = reader.leb(); i >= 0; i--) reader.leb();
  else if ([2, 3, 4].includes(op)) skip(1)(reader);
  else if ([0x0c, 0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x41, 0x42].includes(op)) leb(reader);
  else if (op === 0x43) skip(4)(reader);
  else if (op === 0x44) skip(8)(reader);
  else if (op >= 0x28 && op <= 0x3e) memory(reader);
}

function simdImmediates(reader: Reader, op: number): void {
  if (op <= 0x0b || op === 0x5c || op === 0x5d) memory(reader);
  else if (op === 0x0c || op === 0x0d) skip(16)(reader);
  else if (op >= 0x15 && op <= 0x22) skip(1)(reader);
  else if (op >= 0x54 && op <= 0x5b) {
    memory(reader);
    skip(1)(reader);
  }
}

/** The opcodes of a body; those after a prefix as prefix * 65536 + number. `starts` gets where each is in the body. */
function opcodes(reader: Reader, end: number, starts: number[] = []): number[] {
  const list: number[] = [];
  const begin = reader.at;
  for (let groups = reader.leb(); groups > 0; groups--) {
    reader.leb();
    reader.u8();
  }
  while (reader.at < end) {
    starts.push(reader.at - begin);
    const op = reader.u8();
    if (op === 0xfd) {
      const number = reader.leb();
      list.push(op * 65_536 + number);
      simdImmediates(reader, number);
    } else if (op === 0xfc) {
      const misc = reader.leb();
      list.push(op * 65_536 + misc);
      if (misc >= 8) skip(misc === 10 ? 2 : 1)(reader);
    } else if (op === 0xfe) {
      list.push(op * 65_536 + reader.leb());
      memory(reader);
    } else {
      list.push(op);
      immediates(reader, op);
    }
  }
  return list;
}

/** A vector instruction as {@link opcodesOf} numbers it. */
export function simd(number: number): number {
  return 0xfd * 65_536 + number;
}

/** The opcodes of each function of a module, in order of definition. */
export function opcodesOf(module: Module, features: readonly string[] = []): number[][] {
  return opcodesOfCode(generateModule(module, { exports: [], sharedMemory: true, features }).bytes);
}

/** The opcodes of each function of generated code; `starts` gets where they are in the bodies. */
export function opcodesOfCode(bytes: Uint8Array, starts: number[][] = []): number[][] {
  const reader = new Reader(bytes);
  reader.at = 8;
  while (reader.at < bytes.length) {
    const id = reader.u8();
    const end = reader.leb() + reader.at;
    if (id === 10) {
      return Array.from({ length: reader.leb() }, () => {
        const bodyEnd = reader.leb() + reader.at;
        return opcodes(reader, bodyEnd, (starts[starts.length] = []));
      });
    }
    reader.at = end;
  }
  return [];
}
