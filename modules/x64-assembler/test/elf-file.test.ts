// SPDX-License-Identifier: Apache-2.0
// Files of ELF by their sections, and the lines in them, as binutils read them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { frameSections } from "../source/dwarf-frames.ts";
import { type DebugLine, debugSections } from "../source/dwarf-lines.ts";
import { type ElfContent, writeRelocatable, writeShared } from "../source/elf-file.ts";
import { isInstalled } from "./tools.ts";

const hasTools = isInstalled("readelf") && isInstalled("objdump");

function read(bytes: Uint8Array, program: string, ...options: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-elf-"));
  try {
    const file = join(folder, "file");
    writeFileSync(file, bytes);
    const env = { ...process.env, LC_ALL: "C", DEBUGINFOD_URLS: "" };
    const { status, stdout, stderr } = spawnSync(program, [...options, file], { encoding: "utf8", env });
    expect([status, stderr]).toEqual([0, ""]);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Numbers from 0 up to a limit, the same each time. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % limit;
  };
}

const CODE = new Uint8Array(70_000).fill(0x90);

function contentOf(lines: readonly DebugLine[]): ElfContent {
  const functions = [
    { name: "first", offset: 0, size: 40_000 },
    { name: "second", offset: 40_000, size: 30_000 },
  ];
  const steps = [10, 100, 1000, 30_000].map((offset, i) => ({ offset, rule: "depth" as const, bytes: 16 * (i + 1) }));
  return {
    source: "a.cl",
    sections: [
      {
        name: ".text",
        kind: "code",
        bytes: CODE.slice(),
        alignment: 64,
        references: [{ offset: 16, kind: "relative", section: ".rodata", addend: 8 - 4 }],
      },
      { name: ".rodata", kind: "data", bytes: new Uint8Array(5000), alignment: 64, references: [] },
      ...frameSections(
        functions.map((one) => ({ ...one, steps: one.offset === 0 ? steps : steps.slice(0, 3) })),
        true,
      ),
      ...debugSections({
        source: "a.cl",
        directory: "/d",
        producer: "a test",
        codeBytes: CODE.length,
        functions,
        lines,
      }),
    ],
    symbols: functions.map((one, i) => ({ ...one, section: ".text", isGlobal: i === 1, isFunction: true })),
  };
}

test.skipIf(!hasTools)("readers find the lines that were written: random ones, in several files", () => {
  for (let seed = 1; seed <= 10; seed++) {
    const random = randomNumbers(seed);
    const lines: DebugLine[] = [];
    for (let offset = 0; offset < CODE.length; offset += 1 + random(random(4) === 0 ? 3000 : 30))
      lines.push({
        offset,
        file: ["a.cl", "b.h", "c.h"][random(8) < 6 ? 0 : random(3)] ?? "",
        line: 1 + random(random(5) === 0 ? 100_000 : 20),
        column: random(200),
      });
    const content = contentOf(lines);
    for (const [bytes, base] of [
      [writeRelocatable(content), 0],
      [writeShared(content, "a.so"), null],
    ] as const) {
      const rows = [
        ...read(bytes, "objdump", "--dwarf=decodedline").matchAll(/^(\S+) +(\d+) +(0x[\da-f]+|0)(?: .*)?$/gmu),
      ].map(([, file, line, address]) => ({ file, line: Number(line), address: Number(address) }));
      const start = base ?? rows[0]?.address ?? 0;
      expect(rows).toEqual(lines.map(({ file, line, offset }) => ({ file, line, address: start + offset })));
    }
  }
});

test.skipIf(!hasTools)("sections, symbols, references and frames of a shared object", () => {
  const bytes = writeShared(contentOf([]), "liba.so");
  const whole = read(bytes, "readelf", "-aW");
  expect(whole).toMatch(/\(SONAME\) +Library soname: \[liba\.so\]/u);
  expect(whole).toMatch(/LOAD .* R +0x1000\n.*LOAD .* R E 0x1000\n.*LOAD .* RW +0x1000/u);
  expect(whole).toMatch(/30000 FUNC +GLOBAL DEFAULT +\d+ second/u);
  const addressOf = (name: string): number =>
    Number.parseInt(new RegExp(`\\] \\${name} +\\S+ +([\\da-f]+) `, "u").exec(whole)?.[1] ?? "", 16);
  const text = addressOf(".text");
  const view = new DataView(bytes.buffer);
  // What is loaded is in the file where it is in memory.
  expect(text + 16 + 4 + view.getInt32(text + 16, true)).toBe(addressOf(".rodata") + 8);
  const frames = read(bytes, "readelf", "--debug-dump=frames-interp");
  for (const [offset, depth] of [
    [0, 8],
    [10, 16],
    [100, 32],
    [1000, 48],
    [30_000, 64],
  ] as const)
    expect(frames).toMatch(new RegExp(`^0*${(text + offset).toString(16)} rsp\\+${depth} `, "mu"));
  // The table by which a function's row is found.
  const table = addressOf(".eh_frame_hdr");
  const entry = (n: number): number => table + view.getInt32(table + 12 + 8 * n, true);
  expect([view.getUint32(table + 8, true), entry(0), entry(1)]).toEqual([2, text, text + 40_000]);
});

test("a reference to a section that is not there, and an address in what is loaded, are defects", () => {
  const section = { name: ".text", kind: "code", bytes: new Uint8Array(16), alignment: 16 } as const;
  const content = (kind: "relative" | "absolute", target: string): ElfContent => ({
    source: "",
    sections: [{ ...section, references: [{ offset: 0, kind, section: target, addend: 0 }] }],
    symbols: [],
  });
  expect(() => writeRelocatable(content("relative", ".data"))).toThrow(".data");
  expect(() => writeShared(content("absolute", ".text"), "a.so")).toThrow("by an address");
});
