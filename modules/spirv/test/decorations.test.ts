// SPDX-License-Identifier: Apache-2.0
// What decorations change: the line of the IR that a module has with the decoration and not without it.
import { LAYOUT_32, printModule } from "@muxkit/ir";
import { assemble, bytesOfWords, readSpirv, readValidModule } from "@muxkit/spirv";
import { describe, expect, test } from "vitest";

/** A kernel with something for each decoration, in assembly. */
const textOf = (decoration: string, mode = "", capability = "Kernel"): string => `OpCapability Kernel
OpCapability ${capability}
OpCapability Shader
OpCapability Addresses
OpCapability Linkage
OpCapability Int8
OpCapability Float64
OpCapability DenormPreserve
OpCapability SignedZeroInfNanPreserve
OpCapability RoundingModeRTE
OpCapability RoundingModeRTZ
OpExtension "SPV_KHR_float_controls"
OpExtension "SPV_KHR_no_integer_wrap_decoration"
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %k "k"
${mode}
OpName %variable "variable"
${decoration}
%void = OpTypeVoid
%char = OpTypeInt 8 0
%int = OpTypeInt 32 0
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%five = OpConstant %int 5
%ptr = OpTypePointer CrossWorkgroup %float
%own_ptr = OpTypePointer Function %float
%type = OpTypeFunction %void %ptr %double %int
%variable = OpVariable %ptr CrossWorkgroup
%k = OpFunction %void None %type
%p = OpFunctionParameter %ptr
%d = OpFunctionParameter %double
%i = OpFunctionParameter %int
%entry = OpLabel
%own = OpVariable %own_ptr Function
%x = OpLoad %float %p Aligned 4
%product = OpFMul %float %x %x
%sum = OpFAdd %float %product %x
%narrow = OpFConvert %float %d
%byte = OpSConvert %char %i
%added = OpIAdd %int %i %five
OpStore %own %sum Aligned 4
OpStore %p %narrow Aligned 4
OpReturn
OpFunctionEnd`;

function binaryOf(...parts: Parameters<typeof textOf>): Uint8Array {
  const assembled = assemble(textOf(...parts));
  if (!assembled.ok) throw new Error(`line ${assembled.error.line}: ${assembled.error.message}`);
  return bytesOfWords(assembled.value);
}

function linesOf(...parts: Parameters<typeof textOf>): readonly string[] {
  const options = { name: "m", layout: LAYOUT_32, specialization: new Map(), floatFlags: 0, uniformWorkGroups: false };
  const read = readSpirv(binaryOf(...parts), options);
  if (!read.ok) throw new Error(read.error.message);
  return printModule(read.value)
    .split("\n")
    .map((line) => line.trim());
}

/** Decorations and what they change; nothing: the reason is in the comment. */
const EFFECTS: readonly (readonly [decoration: string, changed: readonly string[]])[] = [
  ["OpDecorate %sum FPFastMathMode None", []],
  ["OpDecorate %sum FPFastMathMode NotNaN|NotInf", ["%6 = fadd %5, %4 {contract, nnan, ninf}: f32"]],
  ["OpDecorate %sum FPFastMathMode NSZ|AllowRecip", ["%6 = fadd %5, %4 {contract, nsz, arcp}: f32"]],
  ["OpDecorate %sum FPFastMathMode Fast", ["%6 = fadd %5, %4 {contract, nnan, ninf, nsz, arcp, reassoc, afn}: f32"]],
  ["OpDecorate %sum NoContraction", ["%6 = fadd %5, %4: f32"]],
  ["OpDecorate %narrow FPRoundingMode RTZ", ["%7 = call_builtin convert_float_rtz(double) %1 {contract}: f32"]],
  ["OpDecorate %narrow FPRoundingMode RTN", ["%7 = call_builtin convert_float_rtn(double) %1 {contract}: f32"]],
  ["OpDecorate %byte SaturatedConversion", ["%8 = call_builtin convert_char_sat(int) %2 {contract}: i8"]],
  ["OpDecorate %added NoSignedWrap", ["%9 = add %2, 5 {nsw}: i32"]],
  ["OpDecorate %added NoUnsignedWrap", ["%9 = add %2, 5 {nuw}: i32"]],
  ["OpDecorate %own Alignment 64", ["%3 = alloca {f32, align 64}: ptr<private>"]],
  ["OpDecorate %variable Alignment 256", ["global @variable: f32 global align 256 internal"]],
  ["OpDecorate %p Restrict", ['argument "" "float*" pointer global restrict size 4 align 4']],
  ["OpDecorate %p FuncParamAttr NoAlias", ['argument "" "float*" pointer global restrict size 4 align 4']],
  ["OpDecorate %p FuncParamAttr NoWrite", ['argument "" "float*" pointer global const size 4 align 4']],
  ["OpDecorate %p Volatile", ['argument "" "float*" pointer global volatile size 4 align 4']],
  // They say what a caller or an optimiser may assume of a pointer, and nothing here assumes it.
  ["OpDecorate %p FuncParamAttr NoCapture", []],
  ["OpDecorate %p FuncParamAttr NoReadWrite", []],
  ["OpDecorate %i FuncParamAttr Sext", []],
  // An argument of a kernel is known to be const by NoWrite; these are for resources of shaders (shader-interface).
  ["OpDecorate %p NonWritable", []],
  ["OpDecorate %p NonReadable", []],
  // By a group a decoration is the same.
  [
    "OpDecorate %group NoSignedWrap\nOpDecorate %group NoUnsignedWrap\n%group = OpDecorationGroup\n" +
      "OpGroupDecorate %group %added",
    ["%9 = add %2, 5 {nsw, nuw}: i32"],
  ],
];

describe("effects of decorations", () => {
  const plain = linesOf("");

  test.each(EFFECTS)("%s", (decoration, changed) => {
    expect(linesOf(decoration).filter((line) => !plain.includes(line))).toEqual(changed);
  });
});

describe("capabilities without their extensions", () => {
  test("FPFastMathModeINTEL is read as LLVM's translator writes it, and is not valid", () => {
    const parts = ["OpDecorate %sum FPFastMathMode AllowReassocINTEL", "", "FPFastMathModeINTEL"] as const;
    expect(linesOf(...parts)).toContain("%6 = fadd %5, %4 {contract, reassoc}: f32");
    const valid = readValidModule(binaryOf(...parts));
    expect(valid.ok ? "" : valid.error.message).toContain("needs the extension SPV_INTEL_fp_fast_math_mode");
  });

  test("others are refused", () => {
    expect(() => linesOf("", "", "ExpectAssumeKHR")).toThrow("needs the extension SPV_KHR_expect_assume");
  });
});

describe("modes of floats", () => {
  const plain = linesOf("");

  // What they ask for is what every operation here does.
  test.each(["DenormPreserve 32", "SignedZeroInfNanPreserve 32", "RoundingModeRTE 64"])(
    "%s changes nothing",
    (mode) => {
      expect(linesOf("", `OpExecutionMode %k ${mode}`)).toEqual(plain);
    },
  );

  test("ContractionOff keeps products and sums apart", () => {
    expect(plain.filter((line) => line.includes("contract"))).toHaveLength(2);
    expect(linesOf("", "OpExecutionMode %k ContractionOff").filter((line) => line.includes("contract"))).toEqual([]);
  });

  test("RoundingModeRTZ is refused", () => {
    expect(() => linesOf("", "OpExecutionMode %k RoundingModeRTZ 32")).toThrow("RoundingModeRTZ");
  });
});
