// SPDX-License-Identifier: Apache-2.0
/**
 * How to walk the stack out of code (`.eh_frame`), and a table by which unwinders find the rows for a function
 * (`.eh_frame_hdr`). Source of the layout: DWARF version 5, chapter 6.4, and the Linux Standard Base, chapter 10.6.
 *
 * The canonical frame address, CFA, is what rsp was before the call; steps say how it is computed from some offset of
 * the function on. In the beginning it is rsp + 8, and the return address is below it.
 */
import { ByteWriter, assert } from "@muxkit/cargo";

import type { ElfReference, ElfSection } from "./elf-file.ts";

/** What holds from an offset of a function on. @public */
export interface FrameStep {
  /** Offset from the beginning of the function. */
  readonly offset: number;
  /**
   * `depth`: the CFA is rsp plus so many bytes. `register`: it is rax plus so many bytes. `saved`: it is the word at
   * rsp plus so many bytes. `keep`: a register of the caller, by its number in DWARF, is so many bytes below the CFA.
   */
  readonly rule: "depth" | "register" | "saved" | "keep";
  /** The bytes. */
  readonly bytes: number;
  /** The register of `keep`. */
  readonly register?: number;
}

/** A function whose frame is described. @public */
export interface FrameFunction {
  /** Where it is in `.text`. */
  readonly offset: number;
  /** Its bytes. */
  readonly size: number;
  /** Steps in ascending order. */
  readonly steps: readonly FrameStep[];
}

const RAX = 0;
const RSP = 7;
const RETURN_ADDRESS = 16;
const WORD = 8;
const RULE = { define: 0x0c, expression: 0x0f, offset: 0x80 } as const;
const ADVANCE = { short: 0x40, byte: 2, half: 3, word: 4 } as const;
const OPERATION = { atRsp: 0x77, load: 0x06, add: 0x23 } as const;
/** 32 bits, signed, from the place itself; and in the table, from its beginning. */
const RELATIVE = 0x1b;
const FROM_TABLE = 0x3b;
const UNSIGNED = 0x03;

function advance(writer: ByteWriter, bytes: number): void {
  if (bytes < 64) writer.u8(ADVANCE.short | bytes);
  else if (bytes < 256) {
    writer.u8(ADVANCE.byte);
    writer.u8(bytes);
  } else if (bytes < 65_536) {
    writer.u8(ADVANCE.half);
    writer.u16(bytes);
  } else {
    writer.u8(ADVANCE.word);
    writer.u32(bytes);
  }
}

function writeStep(writer: ByteWriter, { rule, bytes, register = 0 }: FrameStep): void {
  switch (rule) {
    case "depth":
    case "register":
      writer.u8(RULE.define);
      writer.u8(rule === "depth" ? RSP : RAX);
      writer.varU32(bytes);
      return;
    case "saved":
      writer.u8(RULE.expression);
      // The word at rsp, plus the bytes.
      writer.u8(5);
      for (const byte of [OPERATION.atRsp, 0, OPERATION.load, OPERATION.add, bytes]) writer.u8(byte);
      return;
    default:
      writer.u8(RULE.offset | register);
      writer.varU32(bytes / WORD);
  }
}

/** A record: its length, then what `fill` writes, filled up to whole words. */
function record(writer: ByteWriter, fill: () => void): void {
  const at = writer.length;
  writer.u32(0);
  fill();
  while ((writer.length - at - 4) % WORD !== 4) writer.u8(0);
  writer.patchU32(at, writer.length - at - 4);
}

/**
 * The sections for functions in ascending order. `hasTable`: with the table by which functions are found, which linkers
 * make themselves. @public
 */
export function frameSections(functions: readonly FrameFunction[], hasTable: boolean): readonly ElfSection[] {
  const writer = new ByteWriter();
  const references: ElfReference[] = [];
  const places: number[] = [];
  record(writer, () => {
    writer.u32(0);
    writer.u8(1);
    for (const byte of [0x7a, 0x52, 0, 1, -WORD & 127, RETURN_ADDRESS, 1, RELATIVE]) writer.u8(byte);
    writeStep(writer, { offset: 0, rule: "depth", bytes: WORD });
    writeStep(writer, { offset: 0, rule: "keep", bytes: WORD, register: RETURN_ADDRESS });
  });
  for (const { offset, size, steps } of functions) {
    places.push(writer.length);
    record(writer, () => {
      writer.u32(writer.length);
      references.push({ offset: writer.length, kind: "relative", section: ".text", addend: offset });
      writer.u32(0);
      writer.u32(size);
      writer.u8(0);
      let at = 0;
      for (const step of steps) {
        assert(step.offset >= at, "steps of a frame are in ascending order");
        if (step.offset > at) advance(writer, step.offset - at);
        at = step.offset;
        writeStep(writer, step);
      }
    });
  }
  writer.u32(0);
  const frames: ElfSection = {
    name: ".eh_frame",
    kind: "unwind",
    bytes: writer.finish(),
    alignment: WORD,
    references,
  };
  return hasTable ? [frames, frameTable(functions, places)] : [frames];
}

function frameTable(functions: readonly FrameFunction[], places: readonly number[]): ElfSection {
  const writer = new ByteWriter();
  const references: ElfReference[] = [];
  const refer = (section: string, addend: number): void => {
    references.push({ offset: writer.length, kind: "relative", section, addend });
    writer.u32(0);
  };
  for (const byte of [1, RELATIVE, UNSIGNED, FROM_TABLE]) writer.u8(byte);
  refer(".eh_frame", 0);
  writer.u32(functions.length);
  functions.forEach(({ offset }, i) => {
    // Distances from the table's beginning: what a distance from the place itself leaves out is added.
    refer(".text", offset + writer.length);
    refer(".eh_frame", (places[i] ?? 0) + writer.length);
  });
  return { name: ".eh_frame_hdr", kind: "data", bytes: writer.finish(), alignment: 4, references };
}
