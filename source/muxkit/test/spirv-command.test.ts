// SPDX-License-Identifier: Apache-2.0
// muxkit spirv: assembles, disassembles, validates, tells; and its errors.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { type Answer, muxkit } from "./commands.ts";

const folder = mkdtempSync(join(tmpdir(), "muxkit-spirv-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function spirv(...args: readonly string[]): Answer {
  const { code, out, error } = muxkit("spirv", ...args);
  return { code, out: out.replaceAll(`${folder}/`, ""), error: error.replaceAll(`${folder}/`, "") };
}

const MODULE = `; Version: 1.2
OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %2 "k"
%3 = OpTypeVoid
%4 = OpTypeFunction %3
%2 = OpFunction %3 None %4
%5 = OpLabel
OpReturn
OpFunctionEnd
`;

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("assembly becomes a binary, and a binary the same assembly", () => {
  const path = file("k.spvasm", MODULE);
  expect(spirv("as", path)).toEqual({ code: 0, out: "", error: "" });
  const binary = join(folder, "k.spv");
  expect(readFileSync(binary).readUInt32LE(0)).toBe(0x07230203);
  const text = spirv("dis", binary, "--raw-ids", "--no-header", "--no-indent").out;
  expect(`; Version: 1.2\n${text}`).toBe(MODULE);
  expect(spirv("dis", binary, "--no-header", "--offsets").out).toContain("       %void = OpTypeVoid ; 0x00000040");
  expect(spirv("val", binary)).toEqual({ code: 0, out: "", error: "" });
  expect(spirv("val", path, "--environment", "opencl").code).toBe(0);
});

test("info lists what a module declares", () => {
  expect(spirv("info", file("k.spvasm", MODULE)).out).toMatchInlineSnapshot(`
    "SPIR-V 1.2, 30 words, 10 instructions, ids below 6

    declared
      OpCapability Addresses
      OpCapability Kernel
      OpMemoryModel Physical32 OpenCL
      OpEntryPoint Kernel %2 "k"

    instructions by class
      Mode-Setting 4
      Type-Declaration 2
      Function 2
      Control-Flow 2
    "
  `);
});

test("an invalid module: the word, the rule, the instruction", () => {
  const path = file("bad.spvasm", MODULE.replace("OpReturn\n", "OpReturnValue %5\n"));
  expect(spirv("val", path)).toEqual({
    code: 1,
    out: "",
    error: "bad.spvasm: word 29: %5 is not a value [id-kind]\n    OpReturnValue %5\n",
  });
});

test.each([
  [["val"], 2, "muxkit spirv: spirv val takes one file, or - for standard input, not 0\n"],
  [[], 2, "muxkit spirv: spirv takes dis, as, val, info, and a file\n"],
  [["opt", "k.spv"], 2, 'muxkit spirv: spirv takes dis, as, val, info, not "opt"\n'],
  [
    ["val", "K", "--environment", "webgl"],
    2,
    'muxkit spirv: --environment takes universal, opencl, vulkan, not "webgl"\n',
  ],
  [["val", "K", "--errors", "0"], 2, 'muxkit spirv: --errors takes a positive number, not "0"\n'],
  [["as", "K", "--spirv-version", "2.0"], 2, 'muxkit spirv: --spirv-version takes 1.0 to 1.6, not "2.0"\n'],
  [["as", "W"], 1, 'muxkit spirv: wrong.spvasm:2:14: "Nothing" is no Capability\n'],
  [["dis", "N"], 1, "muxkit spirv: none.spv cannot be read: there is no such file or folder\n"],
] as const)("%j", (args, code, error) => {
  const names: Readonly<Record<string, string>> = {
    K: file("k.spvasm", MODULE),
    W: file("wrong.spvasm", "; a text\nOpCapability Nothing\n"),
    N: join(folder, "none.spv"),
  };
  expect(spirv(...args.map((word) => names[word] ?? word))).toEqual({ code, out: "", error });
});
