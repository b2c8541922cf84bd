// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SectionFlag, SectionType, readElf, stripBinaryHeader, writeElf, writeExecutable } from "@muxkit/metadata";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { SAMPLE } from "./sample.ts";

test("sections come back with name, type, flags, alignment and bytes", () => {
  const section = fc.record({
    name: fc.string({ maxLength: 12 }).filter((name) => !name.includes("\0") && name.isWellFormed()),
    type: fc.constantFrom(1, 7, SectionType.blocks),
    flags: fc.constantFrom(0, SectionFlag.write, SectionFlag.alloc | SectionFlag.execute),
    alignment: fc.constantFrom(0, 1, 4, 16, 64),
    bytes: fc.uint8Array({ maxLength: 50 }),
  });
  fc.assert(
    fc.property(fc.array(section, { maxLength: 6 }), (sections) => {
      const file = readElf(writeElf(sections));
      if (!file.ok) throw new Error(file.error.message);
      expect(file.value).toMatchObject({ type: 1, machine: 0, sections });
      for (const s of file.value.sections) expect(s.offset % Math.max(1, s.alignment)).toBe(0);
    }),
    { numRuns: 200 },
  );
});

const FILE = writeElf([{ name: ".a", type: 1, flags: 0, alignment: 8, bytes: Uint8Array.of(1, 2, 3) }]);
const TABLE = Number(new DataView(FILE.buffer).getBigUint64(40, true));

function changed(at: number, value: bigint, bytes: 1 | 2 | 4 | 8): Uint8Array {
  const copy = FILE.slice();
  for (let i = 0; i < bytes; i++) copy[at + i] = Number((value >> BigInt(8 * i)) & 255n);
  return copy;
}

test.each<[string, Uint8Array, string, number]>([
  ["no magic", changed(0, 0n, 1), "foreign", 0],
  ["32 bits", changed(4, 1n, 1), "foreign", 4],
  ["big-endian", changed(5, 2n, 1), "foreign", 5],
  ["another ELF version", changed(6, 2n, 1), "foreign", 6],
  ["a cut header", FILE.subarray(0, 63), "damaged", 63],
  ["a header of another size", changed(52, 63n, 2), "damaged", 52],
  ["section headers of another size", changed(58, 40n, 2), "damaged", 58],
  ["no sections", changed(60, 0n, 2), "damaged", 60],
  ["too many sections", changed(60, 0xffffn, 2), "damaged", 40],
  ["a table at the end of the world", changed(40, 2n ** 64n - 1n, 8), "damaged", 40],
  ["names that are no section", changed(62, 3n, 2), "damaged", 62],
  ["a name outside of the names", changed(TABLE + 64, 0xffff_ffffn, 4), "damaged", TABLE + 64],
  ["a section after the end", changed(TABLE + 64 + 24, 2n ** 40n, 8), "damaged", TABLE + 64 + 24],
  ["a size that wraps around", changed(TABLE + 64 + 32, 2n ** 64n - 2n, 8), "damaged", TABLE + 64 + 24],
  ["an odd alignment", changed(TABLE + 64 + 48, 3n, 8), "damaged", TABLE + 64 + 48],
  ["large flags", changed(TABLE + 64 + 8, 2n ** 40n, 8), "damaged", TABLE + 64 + 8],
])("%s is an error that names the offset", (_, bytes, code, offset) => {
  const file = readElf(bytes);
  expect(file).toMatchObject({ ok: false, error: { code, offset } });
  expect(!file.ok && file.error.message.startsWith(`at byte ${offset}: `)).toBe(true);
});

test("changed bytes never throw", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(FILE.length - 1), fc.nat(255)), { maxLength: 6 }),
      fc.nat(FILE.length),
      (edits, length) => {
        const copy = FILE.slice(0, length);
        for (const [at, value] of edits) if (at < length) copy[at] = value;
        const file = readElf(copy);
        expect(file.ok || file.error.offset >= 0).toBe(true);
      },
    ),
    { numRuns: 3000 },
  );
});

test("sections of other machines' files are read, nobits without bytes", () => {
  const file = readElf(
    writeElf([{ name: ".bss", type: SectionType.nobits, flags: 3, alignment: 1, bytes: Uint8Array.of(1) }]),
  );
  expect(file.ok && file.value.sections[0]?.bytes.length).toBe(0);
});

function hasReadelf(): boolean {
  try {
    execFileSync("readelf", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    console.warn(
      "SKIPPED: readelf is not installed (package binutils), so that our ELF files are checked by our own reader only",
    );
    return false;
  }
}

test.skipIf(!hasReadelf())(
  "readelf and objdump accept a stripped executable and find its sections and its note",
  () => {
    const elf = stripBinaryHeader(writeExecutable(SAMPLE));
    const folder = mkdtempSync(join(tmpdir(), "muxkit-elf-"));
    try {
      const path = join(folder, "sample.elf");
      writeFileSync(path, elf.ok ? elf.value : new Uint8Array(0));
      const text = execFileSync("readelf", ["-h", "-S", "-n", "-W", path], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, LC_ALL: "C" },
      });
      expect(text).toMatch(/Type:\s+REL/u);
      expect(text).toMatch(/Machine:\s+None/u);
      for (const name of [
        ".wasm",
        ".wasm.relaxed",
        ".note.muxkit",
        ".muxkit.code",
        ".muxkit.kernels",
        ".muxkit.data",
        ".muxkit.ir",
        ".shstrtab",
      ])
        expect(text).toContain(` ${name} `);
      expect(text).toMatch(/\.wasm\s+PROGBITS\s+\S+\s+\S+\s+000009\s+00\s+AX/u);
      expect(text).toMatch(/\bmuxkit\s+0x[0-9a-f]+/u);
      expect(text).not.toMatch(/warning|error/iu);
      const listed = execFileSync("objdump", ["-h", "-w", path], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, LC_ALL: "C" },
      });
      expect(listed).toMatch(/file format elf64-little/u);
      expect(listed).toMatch(/ \.wasm +00000009 .*CONTENTS.*READONLY.*CODE/u);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
