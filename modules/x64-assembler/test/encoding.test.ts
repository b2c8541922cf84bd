// SPDX-License-Identifier: Apache-2.0
// Every form with several registers, addresses and masks: our decoder reads what the encoder wrote, and two
// disassemblers of others say the same text.
import { describe, expect, test } from "vitest";

import { at } from "@muxkit/cargo";
import { Assembler, Decoder, FORM_COUNT, encodeDecoded, formAt, printInstruction } from "@muxkit/x64-assembler";

import { emitCases } from "./instructions.ts";
import { isInstalled, llvmDisassemble, objdump, plainIntel, plainObjdump } from "./tools.ts";

const assembler = new Assembler();
/** Where each instruction begins, and its form. */
const starts: number[] = [];
const forms: number[] = [];
for (let id = 0; id < FORM_COUNT; id++) {
  const form = formAt(id);
  emitCases(assembler, form, (offset) => {
    starts.push(offset);
    forms.push(form.id);
  });
}
const code = assembler.finish();
const ends = [...starts.slice(1), code.length];

describe("all forms", () => {
  test("each has at least one case", () => {
    expect(new Set(forms).size).toBe(FORM_COUNT);
    expect(starts.length).toBeGreaterThan(25_000);
  });

  test("decode to the form, the length and, encoded again, the bytes that they had", () => {
    const decoder = new Decoder();
    const again = new Assembler();
    const wrong: string[] = [];
    starts.forEach((start, n) => {
      const id = decoder.decode(code, start);
      if (id !== forms[n] || start + decoder.size !== ends[n]) wrong.push(`${formAt(forms[n] ?? 0).key} at ${start}`);
      else encodeDecoded(decoder, again);
    });
    expect(wrong).toEqual([]);
    expect(Buffer.compare(again.finish(), code)).toBe(0);
  });

  test("never read beyond the bytes that there are", () => {
    const decoder = new Decoder();
    let beyond = 0;
    for (let n = 0; n < starts.length; n += 7) {
      const bytes = code.slice(starts[n], ends[n]);
      for (let length = 0; length < bytes.length; length++) {
        const id = decoder.decode(bytes.subarray(0, length), 0);
        if (id !== -1 && decoder.size > length) beyond++;
      }
    }
    expect(beyond).toBe(0);
  });

  test.skipIf(!isInstalled("objdump"))("are what objdump says", () => {
    const theirs = objdump(code);
    const decoder = new Decoder();
    const different = starts.flatMap((start) => {
      decoder.decode(code, start);
      const ours = plainObjdump(printInstruction(decoder));
      const other = plainObjdump(theirs.get(start) ?? "nothing");
      return ours === other ? [] : [`${ours} | ${other}`];
    });
    expect(different).toEqual([]);
  });

  test.skipIf(!isInstalled("llvm-mc"))("are what llvm-mc says", () => {
    const decoder = new Decoder();
    // It prints what jumps jump by, not where to.
    const chosen = starts.map((_, n) => n).filter((n) => !formAt(forms[n] ?? 0).key.includes("rel"));
    const instructions = chosen.map((n) => code.slice(starts[n], ends[n]));
    const different = llvmDisassemble(instructions).flatMap((other, place) => {
      const bytes = at(instructions, place);
      decoder.decode(bytes, 0);
      const ours = plainIntel(printInstruction(decoder));
      // Version 14 takes the prefixes in a VEX of two bytes for others after the prefix 67.
      if (Buffer.from(bytes).toString("hex").startsWith("6567c5")) return [];
      // It counts the displacements of one store of 8 bytes by 16.
      const form = formAt(decoder.form);
      if (form.kind === "EVEX" && form.name === "vmovq" && form.opcode === 0x7e && form.prefix === 1) return [];
      return ours === plainIntel(other ?? "") ? [] : [`${ours} | ${plainIntel(other ?? "nothing")}`];
    });
    expect(different).toEqual([]);
  });
});
