// SPDX-License-Identifier: Apache-2.0
// Assembler and disassembler: what one writes the other reads, errors have places, and spirv-as and spirv-dis agree.
import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { type SpirvModule, assemble, bytesOfWords, disassemble, instructionText, parseModule } from "@muxkit/spirv";

import { hasTool, runTool } from "./debian.ts";

const MODULES = ["kernel", "shader"] as const;

function textOf(name: string): string {
  return readFileSync(new URL(`modules/${name}.spvasm`, import.meta.url), "utf8");
}

function words(assembly: string, options = {}): Uint32Array {
  const result = assemble(assembly, options);
  if (!result.ok) throw new Error(`${result.error.line}:${result.error.column}: ${result.error.message}`);
  return result.value;
}

function module(binary: Uint8Array | Uint32Array): SpirvModule {
  const result = parseModule(binary);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function text(binary: Uint32Array, names: "raw" | "friendly" = "raw"): string {
  const result = disassemble(module(binary), { names });
  if (!result.ok) throw new Error(`${result.error.message} in ${result.error.instruction}`);
  return result.value;
}

/** A generator of 32-bit numbers, the same ones each time. */
function* numbers(count: number): Generator<number> {
  let state = 1;
  for (let made = 0; made < count; made++) {
    state = Math.imul(state, 0x915f77f5) + 0x3c6ef372;
    state ^= state >>> 13;
    yield state >>> 0;
  }
}

/** Constants of each type of number, with bits that reach subnormal numbers, infinities and NaNs. */
function constants(count: number): string {
  const lines = [
    "; Version: 1.3",
    ...["half 16", "float 32", "double 64"].map((type) => `%${type.replace(" ", " = OpTypeFloat ")}`),
    ...[8, 16, 32, 64].flatMap((bits) => [`%i${bits} = OpTypeInt ${bits} 1`, `%u${bits} = OpTypeInt ${bits} 0`]),
  ];
  let id = 100;
  for (const number of numbers(count)) {
    // Every second float has an exponent at one of the ends of its range.
    const edge = (number & 1) === 0 ? number : (number & 0x807fffff) | ((number & 2) === 0 ? 0 : 0x7f800000);
    lines.push(
      `%${id++} = OpConstant %half !${number & 0xffff}`,
      `%${id++} = OpConstant %float !${edge >>> 0}`,
      `%${id++} = OpConstant %double !${number} !${edge >>> 0}`,
      `%${id++} = OpConstant %i8 !${((number << 24) >> 24) >>> 0}`,
      `%${id++} = OpConstant %u8 !${number & 0xff}`,
      `%${id++} = OpConstant %i16 !${((number << 16) >> 16) >>> 0}`,
      `%${id++} = OpConstant %u16 !${number & 0xffff}`,
      `%${id++} = OpConstant %i32 !${number}`,
      `%${id++} = OpConstant %u32 !${number}`,
      `%${id++} = OpConstant %i64 !${number} !${edge >>> 0}`,
      `%${id++} = OpConstant %u64 !${number} !${edge >>> 0}`,
    );
  }
  return lines.join("\n");
}

/** A module with every name of every enumeration that an instruction takes by itself. */
const ENUMERANTS = `; Version: 1.6
OpCapability Shader
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "a \\"quoted\\" \\\\ name, ünïcode"
OpExecutionMode %main LocalSize 8 4 1
OpExecutionModeId %main LocalSizeId %1 %1 %1
OpName %1 "two words"
OpName %2 "two_words"
OpName %3 ""
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %mask BuiltIn SubgroupEqMask
OpDecorate %1 FPFastMathMode NotNaN|NotInf|NSZ
OpDecorate %1 FPFastMathMode None
OpDecorate %1 LinkageAttributes "name" Import
OpMemberDecorate %2 3 Offset 16
OpLoopMerge %4 %5 Unroll|PeelCount|PartialCount 3 4
OpStore %6 %7 Volatile|Aligned|MakePointerAvailable 16 %8
OpSelectionMerge %9 DontFlatten
OpLine %10 1 2
OpNoLine
`;

describe("a module", () => {
  test.each(MODULES)("%s: its text gives its bytes, and its bytes its text", (name) => {
    const binary = words(textOf(name));
    expect(text(binary)).toBe(textOf(name));
    expect(words(text(binary))).toEqual(binary);
  });

  test.each(MODULES)("%s: friendly names give the same instructions", (name) => {
    const binary = words(textOf(name));
    const again = words(text(binary, "friendly"), { keepsNumbers: false });
    expect(again.length).toBe(binary.length);
    // Ids are numbered in the order of the text: to do that twice changes nothing.
    expect(words(text(again, "friendly"), { keepsNumbers: false })).toEqual(again);
  });

  test("the other order of bytes is the same module", () => {
    const binary = words(textOf("kernel"));
    const swapped = bytesOfWords(binary);
    new DataView(swapped.buffer).setUint32(0, 0, true);
    for (let at = 0; at < binary.length; at++) new DataView(swapped.buffer).setUint32(at * 4, binary[at] ?? 0, false);
    const result = parseModule(swapped);
    expect(result.ok && result.value.words).toEqual(binary);
  });

  test("enumerants, masks with parameters, strings and names", () => {
    const binary = words(ENUMERANTS);
    expect(words(text(binary))).toEqual(binary);
    expect(text(binary, "friendly")).toMatchInlineSnapshot(`
      "; SPIR-V
      ; Version: 1.6
      ; Generator: Khronos; 0
      ; Bound: 14
      ; Schema: 0
                     OpCapability Shader
                     OpMemoryModel Logical Vulkan
                     OpEntryPoint GLCompute %11 "a \\"quoted\\" \\\\ name, ünïcode"
                     OpExecutionMode %11 LocalSize 8 4 1
                     OpExecutionModeId %11 LocalSizeId %two_words %two_words %two_words
                     OpName %two_words "two words"
                     OpName %two_words_0 "two_words"
                     OpName %_ ""
                     OpDecorate %gl_GlobalInvocationID BuiltIn GlobalInvocationId
                     OpDecorate %SubgroupEqMaskKHR BuiltIn SubgroupEqMask
                     OpDecorate %two_words FPFastMathMode NotNaN|NotInf|NSZ
                     OpDecorate %two_words FPFastMathMode None
                     OpDecorate %two_words LinkageAttributes "name" Import
                     OpMemberDecorate %two_words_0 3 Offset 16
                     OpLoopMerge %4 %5 Unroll|PeelCount|PartialCount 3 4
                     OpStore %6 %7 Volatile|Aligned|MakePointerAvailable 16 %8
                     OpSelectionMerge %9 DontFlatten
                     OpLine %10 1 2
                     OpNoLine
      "
    `);
  });

  test("numbers of every type come back bit by bit", () => {
    const binary = words(constants(200));
    expect(words(text(binary))).toEqual(binary);
  });

  test("one instruction by itself", () => {
    const binary = module(words("%1 = OpTypeInt 32 0\n%2 = OpConstant %1 7"));
    expect(instructionText(binary, 1)).toBe("%2 = OpConstant %1 7");
  });
});

describe("texts that are wrong", () => {
  test.each([
    ["OpNope", '1:1: "OpNope" is no instruction'],
    ["%1 = OpCapability Shader", "1:1: OpCapability has no result"],
    ["OpTypeVoid", '1:1: OpTypeVoid has a result: "%name =" is expected before it'],
    ["OpCapability", "1:1: OpCapability lacks operands"],
    ["OpCapability Nothing", '1:14: "Nothing" is no Capability'],
    ["OpStore %1 %2 Aligned", "1:1: OpStore lacks operands"],
    [
      "%1 = OpTypeInt 32 0\n%2 = OpConstant %1 5000000000",
      "2:20: 5000000000 does not fit unsigned integers of 32 bits",
    ],
    ["%1 = OpTypeInt 8 1\n%2 = OpConstant %1 -129", "2:20: -129 does not fit signed integers of 8 bits"],
    ["%1 = OpTypeFloat 16\n%2 = OpConstant %1 65520", '2:20: "65520" is no float of 16 bits'],
    ["%2 = OpConstant %1 5", "1:20: the type of a number is not known here"],
    ["OpName %1 name", "1:11: a string is expected, not name"],
    ['OpName %1 "name', "1:11: a string has no end"],
    ['OpName 1 "name"', '1:8: an id is expected, not "1"'],
    ["%2 = OpExtInst %1 %3 sqrt %4", '1:22: "sqrt" is no instruction of the set, which is not known'],
    ["OpCapability !x", '1:14: ! is followed by an integer of 32 bits, not "x"'],
    ["%1 =", "1:4: the text ends where an instruction is expected"],
    ["OpCapability Shader Kernel", '1:21: "Kernel" is no instruction'],
  ])("%s", (wrong, message) => {
    const result = assemble(wrong);
    expect(result.ok ? "it assembles" : `${result.error.line}:${result.error.column}: ${result.error.message}`).toBe(
      message,
    );
  });
});

describe("binaries that are wrong", () => {
  const HEADER = [0x07230203, 0x10300, 0, 10, 0];
  test.each<[string, number[], string]>([
    ["header", [1], "1: the module ends after 1 words, its header alone has 5"],
    ["magic-number", [1, 2, 3, 4, 5], "0: the module begins with 0x1, not with SPIR-V's magic number"],
    ["version", [0x07230203, 0x20000, 0, 1, 0], "1: the version is 0x20000; versions 1.0 to 1.6 are known"],
    ["id-bound", [0x07230203, 0x10000, 0, 0, 0], "3: the bound of ids is 0"],
    ["schema", [0x07230203, 0x10000, 0, 1, 7], "4: the schema is 7, it must be 0"],
    ["word-count", [...HEADER, 17], "5: an instruction says that it has no words"],
    ["word-count", [...HEADER, 0x50011], "5: an instruction has 5 words, the module has 1 left"],
    ["opcode", [...HEADER, 0x1fffe], "5: there is no opcode 65534"],
    ["word-count", [...HEADER, 0x10011], "6: it ends before its last operand"],
    ["word-count", [...HEADER, 0x30011, 1, 1], "7: it has 1 words more than operands"],
    ["enumerant", [...HEADER, 0x20011, 1000000], "6: 1000000 is no Capability"],
    ["id-zero", [...HEADER, 0x20013, 0], "6: an id is 0"],
    ["id-bound", [...HEADER, 0x20013, 10], "6: the id 10 is not below the bound 10"],
    ["string", [...HEADER, 0x30005, 1, 0x41414141], "7: a string has no end"],
    ["number-type", [...HEADER, 0x4002b, 1, 2, 3], "8: the type of a number is no integer or float of up to 64 bits"],
    ["extended-set", [...HEADER, 0x5000c, 1, 2, 3, 4], "9: the id 3 is no imported set"],
    ["opcode", [...HEADER, 0x50034, 1, 2, 17, 1], "8: the opcode 17 makes no constant"],
    ["enumerant", [...HEADER, 0x4003e, 1, 2, 0x80000000], "8: the bit 0x80000000 is no MemoryAccess"],
  ])("%s: %s", (rule, binary, message) => {
    const parsed = parseModule(Uint32Array.from(binary));
    const result = parsed.ok ? disassemble(parsed.value) : parsed;
    expect(result.ok ? null : [result.error.rule, `${result.error.offset}: ${result.error.message}`]).toEqual([
      rule,
      message,
    ]);
  });

  test("a module of no whole words", () => {
    const result = parseModule(Uint8Array.of(3, 2, 0x23, 7, 0));
    expect(result.ok || result.error.message).toBe("the module has 5 bytes, which are no whole words");
  });
});

describe.skipIf(!hasTool("spirv-dis"))("spirv-dis and spirv-as", () => {
  const TEXTS: readonly [string, string][] = [
    ...MODULES.map((name): [string, string] => [name, textOf(name)]),
    ["constants", constants(300)],
    ["enumerants", ENUMERANTS],
  ];
  test.each(TEXTS)("%s: the same text", (_, source) => {
    const binary = words(source);
    const bytes = bytesOfWords(binary);
    expect(text(binary, "raw")).toBe(runTool("spirv-dis", ["--raw-id"], bytes).output);
    expect(text(binary, "friendly")).toBe(runTool("spirv-dis", [], bytes).output);
  });

  test.each(TEXTS)("%s: the same words", (_, source) => {
    const friendly = text(words(source), "friendly");
    const ours = words(friendly, { keepsNumbers: false });
    const minor = ((ours[1] ?? 0) >>> 8) & 0xff;
    const { bytes, error } = runTool("spirv-as", ["--target-env", `spv1.${minor}`, "-o", "-"], friendly);
    expect(error).toBe("");
    const theirs = module(bytes);
    expect(ours.subarray(3)).toEqual(theirs.words.subarray(3));
  });
});
