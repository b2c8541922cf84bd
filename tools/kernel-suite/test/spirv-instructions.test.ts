// SPDX-License-Identifier: Apache-2.0
// SPIR-V that clang writes seldom or never: small kernels in assembly, whose results are written by hand.
import { Machine, build } from "@muxkit/kernel-suite";
import { assemble, bytesOfWords } from "@muxkit/spirv";
import { expect, test } from "vitest";

interface Row {
  readonly name: string;
  /** Capabilities and extensions besides those of HEAD. */
  readonly needs?: string;
  /** Names, decorations: what comes before the types. */
  readonly decorations?: string;
  /** Types, constants and variables besides those of HEAD. */
  readonly declarations?: string;
  /** Instructions of the kernel, after its label; `store N %id` writes an int. */
  readonly body: string;
  /** Other functions. */
  readonly functions?: string;
  readonly result: readonly number[];
}

const NUMBERS = Array.from({ length: 11 }, (_, n) => n);
/** `%n3` is 3, `%m3` is -3. */
const CONSTANTS = NUMBERS.flatMap((n) => [
  `%n${n} = OpConstant %int ${n}`,
  `%m${n} = OpConstant %int ${(-n >>> 0) % 2 ** 32}`,
]);

const HEAD = `OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpCapability Int8
OpCapability Int16
OpCapability Float16
OpCapability Float64
OpCapability Linkage
OpCapability Vector16
NEEDS
%std = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %k "k"`;

const TYPES = `%void = OpTypeVoid
%bool = OpTypeBool
%char = OpTypeInt 8 0
%short = OpTypeInt 16 0
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%char4 = OpTypeVector %char 4
%int2 = OpTypeVector %int 2
%int4 = OpTypeVector %int 4
%out_ptr = OpTypePointer CrossWorkgroup %int
%own_ptr = OpTypePointer Function %int
${CONSTANTS.join("\n")}`;

function textOf({ needs = "", decorations = "", declarations = "", body, functions = "" }: Row): string {
  const stores = body.replaceAll(
    /^\s*store (\d+) (%\w+)$/gmu,
    (_, n: string, id: string) =>
      `%p_${n} = OpInBoundsPtrAccessChain %out_ptr %out %n${n}\nOpStore %p_${n} ${id} Aligned 4`,
  );
  return `${HEAD.replace("NEEDS", needs)}\n${decorations}\n${TYPES}\n%k_type = OpTypeFunction %void %out_ptr
${declarations}\n${functions}
%k = OpFunction %void None %k_type\n%out = OpFunctionParameter %out_ptr\n%entry = OpLabel\n${stores}\nOpReturn
OpFunctionEnd\n`;
}

function binaryOf(text: string): Uint8Array {
  const assembled = assemble(text);
  if (!assembled.ok)
    throw new Error(`${assembled.error.message}: ${text.split("\n")[assembled.error.line - 1]?.trim() ?? ""}`);
  return bytesOfWords(assembled.value);
}

function run(row: Row, options: string): readonly number[] {
  const image = build({ kind: "spirv", source: binaryOf(textOf(row)) }, { options });
  const machine = new Machine();
  const address = machine.upload(new Uint8Array(row.result.length * 4));
  expect(machine.run(image, "k", [{ buffer: address }], [1], [1])).toBe(0);
  return [...new Int32Array(machine.memory.buffer, address, row.result.length)];
}

/** Conversions of a value by the four rounding modes. */
function rounded(
  name: string,
  instruction: string,
  value: string,
  to: "int" | "float",
  result: readonly number[],
): Row {
  const modes = ["RTE", "RTZ", "RTP", "RTN"];
  return {
    name,
    decorations: modes.map((mode) => `OpDecorate %r${mode} FPRoundingMode ${mode}`).join("\n"),
    declarations: value,
    body: modes
      .map((mode, n) => {
        const made = `%r${mode} = ${instruction}`;
        if (to === "int") return `${made}\nstore ${n} %r${mode}`;
        return `${made}\n%b${n} = OpBitcast %int %r${mode}\nstore ${n} %b${n}`;
      })
      .join("\n"),
    result,
  };
}

const f32 = (value: number): number => new Int32Array(Float32Array.of(value).buffer)[0] ?? 0;

const ROWS: readonly Row[] = [
  {
    name: "a group of decorations for members: offsets and a packed struct",
    needs: "OpCapability Shader",
    decorations: `OpDecorate %offset8 Offset 8
%offset8 = OpDecorationGroup
OpGroupMemberDecorate %offset8 %pair 1 %other 1`,
    declarations: `%pair = OpTypeStruct %int %int\n%other = OpTypeStruct %char %int
%pair_ptr = OpTypePointer Function %pair\n%other_ptr = OpTypePointer Function %other`,
    body: `%v = OpVariable %pair_ptr Function\n%w = OpVariable %other_ptr Function
%a = OpInBoundsAccessChain %own_ptr %v %n0\n%b = OpInBoundsAccessChain %own_ptr %v %n1
%c = OpInBoundsAccessChain %own_ptr %w %n1
%ai = OpConvertPtrToU %int %a\n%bi = OpConvertPtrToU %int %b\n%d = OpISub %int %bi %ai\nstore 0 %d
%wi = OpConvertPtrToU %int %w\n%ci = OpConvertPtrToU %int %c\n%e = OpISub %int %ci %wi\nstore 1 %e
OpStore %a %n3 Aligned 4\nOpStore %b %n4 Aligned 4\n%x = OpLoad %pair %v Aligned 4
%y = OpCompositeExtract %int %x 1\nstore 2 %y`,
    result: [8, 8, 4],
  },
  {
    name: "vectors of one lane",
    declarations: `%int1 = OpTypeVector %int 1\n%one = OpConstantComposite %int1 %n7`,
    body: `%a = OpCompositeExtract %int %one 0\nstore 0 %a
%b = OpCompositeConstruct %int1 %n5\n%s = OpIAdd %int1 %one %b\n%c = OpCompositeExtract %int %s 0\nstore 1 %c
%d = OpVectorShuffle %int2 %b %one 1 0\n%e = OpCompositeExtract %int %d 0\nstore 2 %e
%f = OpVectorExtractDynamic %int %b %n0\nstore 3 %f
%g = OpVectorInsertDynamic %int1 %b %n9 %n0\n%h = OpCompositeExtract %int %g 0\nstore 4 %h
%i = OpCompositeInsert %int1 %n8 %g 0\n%j = OpBitcast %int %i\nstore 5 %j
%k2 = OpVectorShuffle %int1 %d %d 3\n%l = OpCompositeExtract %int %k2 0\nstore 6 %l`,
    result: [7, 12, 7, 5, 9, 8, 5],
  },
  {
    name: "vectors of lanes that the IR has not",
    declarations: `%long3 = OpTypeVector %long 3\n%int6 = OpTypeVector %int 6\n%bool6 = OpTypeVector %bool 6
%char24 = OpTypeVector %char 24\n%f_type6 = OpTypeFunction %int6 %int6 %bool
%big = OpConstant %long 0x0000000500000003\n%six = OpConstantComposite %int6 %n1 %n2 %n3 %n4 %n5 %n6
%none = OpConstantNull %int6\n%third = OpSpecConstantOp %int CompositeExtract %six 2
%turned6 = OpSpecConstantOp %int6 VectorShuffle %six %none 5 4 3 2 1 0`,
    functions: `%f = OpFunction %int6 None %f_type6\n%fx = OpFunctionParameter %int6\n%fc = OpFunctionParameter %bool
%f_entry = OpLabel\nOpBranchConditional %fc %f_then %f_end
%f_then = OpLabel\n%doubled = OpIAdd %int6 %fx %fx\nOpBranch %f_end
%f_end = OpLabel\n%fr = OpPhi %int6 %fx %f_entry %doubled %f_then\nOpReturnValue %fr\nOpFunctionEnd`,
    body: `%x = OpLoad %int %out Aligned 4\n%wx = OpSConvert %long %x\n%w = OpIAdd %long %wx %big
%v = OpCompositeConstruct %long3 %w %wx %w\n%p = OpBitcast %int6 %v
%p1 = OpCompositeExtract %int %p 1\nstore 0 %p1\n%p4 = OpVectorExtractDynamic %int %p %n4\nstore 1 %p4
%q = OpVectorInsertDynamic %int6 %p %n9 %x\n%y = OpIMul %int6 %q %six\n%y0 = OpCompositeExtract %int %y 0\nstore 2 %y0
%y5 = OpCompositeExtract %int %y 5\nstore 3 %y5\n%less = OpSLessThan %bool6 %y %six
%c = OpSelect %int6 %less %none %y\n%to = OpVectorShuffle %int4 %c %six 1 2 8 11
%r0 = OpCompositeExtract %int %to 0\nstore 4 %r0\n%r2 = OpCompositeExtract %int %to 2\nstore 5 %r2
%bytes = OpBitcast %char24 %y\n%b20 = OpCompositeExtract %char %bytes 20\n%i20 = OpUConvert %int %b20\nstore 6 %i20
%set = OpCompositeInsert %char24 %b20 %bytes 1\n%back = OpBitcast %long3 %set
%l0 = OpCompositeExtract %long %back 0\n%low = OpUConvert %int %l0\nstore 7 %low
%yes = OpIEqual %bool %x %n0\n%called = OpFunctionCall %int6 %f %turned6 %yes
%z = OpCompositeExtract %int %called 0\n%sum = OpIAdd %int %z %third\nstore 8 %sum`,
    result: [5, 3, 9, 30, 10, 3, 30, 9 + (30 << 8), 15],
  },
  {
    name: "constants that come after what is computed of them, and decorations of nothing",
    decorations: "OpDecorate %left_out SaturatedConversion",
    declarations: `%part = OpSpecConstantOp %short CompositeExtract %parts 1
%wide = OpSpecConstantOp %int UConvert %part
%pair = OpConstantComposite %int2 %n7 %n9\n%short4 = OpTypeVector %short 4
%parts = OpSpecConstantOp %short4 Bitcast %swapped\n%swapped = OpSpecConstantOp %int2 VectorShuffle %pair %pair 1 0`,
    body: `store 0 %wide\n%a = OpCompositeExtract %short %parts 2\n%b = OpUConvert %int %a\nstore 1 %b`,
    result: [0, 7],
  },
  {
    name: "truth values as bits of an int",
    declarations: `%i4 = OpTypeInt 4 0\n%bool4 = OpTypeVector %bool 4
%few = OpConstantComposite %int4 %n1 %n5 %n2 %n7`,
    body: `%x = OpLoad %int %out Aligned 4\n%two = OpIAdd %int %x %n2
%all = OpCompositeConstruct %int4 %two %two %two %two\n%mask = OpIEqual %bool4 %few %all
%more = OpUGreaterThan %bool4 %few %all
%bits = OpBitcast %i4 %mask\n%a = OpUConvert %int %bits\nstore 0 %a
%others = OpBitcast %i4 %more\n%b = OpUConvert %int %others\nstore 1 %b`,
    result: [4, 10],
  },
  {
    name: "copies of bytes, as many as a number says, and of none",
    declarations: `%array = OpTypeArray %int %n4\n%array_ptr = OpTypePointer Function %array
%values = OpConstantComposite %array %n1 %n2 %n3 %n4`,
    body: `%v = OpVariable %array_ptr Function %values\n%old = OpLoad %int %out Aligned 4
%n = OpIAdd %int %old %n8\nOpCopyMemorySized %out %v %n Aligned 4
%to = OpInBoundsPtrAccessChain %out_ptr %out %n2\nOpCopyMemorySized %to %v %old Aligned 4
%whole = OpBitcast %out_ptr %out\nstore 3 %n9`,
    result: [1, 2, 0, 9],
  },
  {
    name: "a switch of 64 bits, whose cases differ in either half",
    declarations: `%big = OpConstant %long 4294967297\n%wide_one = OpConstant %long 1\n%zero64 = OpConstant %long 0`,
    body: `%x = OpSConvert %long %n0\n%one = OpIAdd %long %x %wide_one\n%other = OpIAdd %long %x %big
OpSelectionMerge %end1 None\nOpSwitch %one %d1 1 %a1 4294967297 %b1
%a1 = OpLabel\nOpBranch %end1\n%b1 = OpLabel\nOpBranch %end1\n%d1 = OpLabel\nOpBranch %end1
%end1 = OpLabel\n%r1 = OpPhi %int %n1 %a1 %n2 %b1 %n3 %d1\nstore 0 %r1
OpSwitch %other %d2 1 %a2 4294967297 %b2
%a2 = OpLabel\nOpBranch %end2\n%b2 = OpLabel\nOpBranch %end2\n%d2 = OpLabel\nOpBranch %end2
%end2 = OpLabel\n%r2 = OpPhi %int %n1 %a2 %n2 %b2 %n3 %d2\nstore 1 %r2
OpSwitch %zero64 %d3 1 %a3 4294967297 %b3
%a3 = OpLabel\nOpBranch %end3\n%b3 = OpLabel\nOpBranch %end3\n%d3 = OpLabel\nOpBranch %end3
%end3 = OpLabel\n%r3 = OpPhi %int %n1 %a3 %n2 %b3 %n3 %d3\nstore 2 %r3`,
    result: [1, 2, 3],
  },
  {
    name: "initial values with addresses, of variables that come later and of elements",
    declarations: `%array = OpTypeArray %int %n4\n%array_ptr = OpTypePointer CrossWorkgroup %array
%ptr_array = OpTypeArray %out_ptr %n2\n%ptr_array_ptr = OpTypePointer CrossWorkgroup %ptr_array
%ptr_ptr = OpTypePointer CrossWorkgroup %out_ptr\n%int_ptr = OpTypePointer CrossWorkgroup %int
%at2 = OpSpecConstantOp %out_ptr InBoundsAccessChain %table %n2
%at3 = OpSpecConstantOp %out_ptr InBoundsAccessChain %table %n3
%number = OpSpecConstantOp %int ConvertPtrToU %table\n%values = OpConstantComposite %array %n4 %n5 %n6 %n7
%table = OpVariable %array_ptr CrossWorkgroup %values
%addresses = OpConstantComposite %ptr_array %at2 %at3
%pointers = OpVariable %ptr_array_ptr CrossWorkgroup %addresses\n%as_int = OpVariable %int_ptr CrossWorkgroup %number`,
    body: `%a = OpInBoundsAccessChain %ptr_ptr %pointers %n0\n%pa = OpLoad %out_ptr %a Aligned 4
%x = OpLoad %int %pa Aligned 4\nstore 0 %x
%b = OpInBoundsAccessChain %ptr_ptr %pointers %n1\n%pb = OpLoad %out_ptr %b Aligned 4
%y = OpLoad %int %pb Aligned 4\nstore 1 %y
%i = OpLoad %int %as_int Aligned 4\n%pi = OpConvertUToPtr %out_ptr %i\n%z = OpLoad %int %pi Aligned 4\nstore 2 %z
%same = OpIEqual %bool %i %number\n%s = OpSelect %int %same %n1 %n0\nstore 3 %s`,
    result: [6, 7, 4, 1],
  },
  rounded("float to int, four ways", "OpConvertFToS %int %v", "%v = OpConstant %float -2.5", "int", [-2, -2, -2, -3]),
  rounded("float to uint, four ways", "OpConvertFToU %int %v", "%v = OpConstant %float 3.5", "int", [4, 3, 4, 3]),
  rounded("double to int, four ways", "OpConvertFToS %int %v", "%v = OpConstant %double 1.5", "int", [2, 1, 2, 1]),
  rounded("int to float, four ways", "OpConvertSToF %float %v", "%v = OpConstant %int 16777217", "float", [
    f32(16777216),
    f32(16777216),
    f32(16777218),
    f32(16777216),
  ]),
  rounded("uint to float, four ways", "OpConvertUToF %float %v", "%v = OpConstant %int 4294967295", "float", [
    f32(4294967296),
    f32(4294967040),
    f32(4294967296),
    f32(4294967040),
  ]),
  rounded("double to float, four ways", "OpFConvert %float %v", "%v = OpConstant %double 1.00000001", "float", [
    f32(1),
    f32(1),
    f32(1 + 2 ** -23),
    f32(1),
  ]),
  {
    name: "saturated conversions",
    decorations: ["a", "b", "c", "d", "e", "f"].map((id) => `OpDecorate %${id} SaturatedConversion`).join("\n"),
    declarations: `%big = OpConstant %float 1e20\n%low = OpConstant %float -5\n%k300 = OpConstant %int 300
%mega = OpConstant %long 5000000000`,
    body: `%a = OpConvertFToS %int %big\nstore 0 %a\n%b = OpConvertFToU %int %low\nstore 1 %b
%c = OpUConvert %char %k300\n%cw = OpUConvert %int %c\nstore 2 %cw
%d = OpSConvert %char %k300\n%dw = OpSConvert %int %d\nstore 3 %dw
%e = OpSConvert %int %mega\nstore 4 %e\n%f = OpUConvert %int %mega\nstore 5 %f
%g = OpSatConvertSToU %char %m5\n%gw = OpUConvert %int %g\nstore 6 %gw
%h = OpSatConvertUToS %char %m5\n%hw = OpSConvert %int %h\nstore 7 %hw`,
    result: [0x7fff_ffff, 0, 255, 127, 0x7fff_ffff, -1, 0, 127],
  },
  {
    name: "attributes of parameters: by value, of a result, extended",
    decorations: `OpDecorate %by FuncParamAttr ByVal\nOpDecorate %to FuncParamAttr Sret
OpDecorate %small FuncParamAttr Zext
OpDecorate %other FuncParamAttr Sext\nOpDecorate %to FuncParamAttr NoCapture`,
    declarations: `%pair = OpTypeStruct %int %int\n%pair_ptr = OpTypePointer Function %pair
%f_type = OpTypeFunction %void %pair_ptr %pair_ptr %char %char\n%small_value = OpConstant %char 200`,
    functions: `%f = OpFunction %void None %f_type\n%to = OpFunctionParameter %pair_ptr
%by = OpFunctionParameter %pair_ptr
%small = OpFunctionParameter %char\n%other = OpFunctionParameter %char\n%f_entry = OpLabel
%b0 = OpInBoundsAccessChain %own_ptr %by %n0\n%bv = OpLoad %int %b0 Aligned 4\nOpStore %b0 %n9 Aligned 4
%t0 = OpInBoundsAccessChain %own_ptr %to %n0\nOpStore %t0 %bv Aligned 4
%t1 = OpInBoundsAccessChain %own_ptr %to %n1\n%zw = OpUConvert %int %small\n%sw = OpSConvert %int %other
%sum = OpIAdd %int %zw %sw\nOpStore %t1 %sum Aligned 4\nOpReturn\nOpFunctionEnd`,
    body: `%v = OpVariable %pair_ptr Function\n%r = OpVariable %pair_ptr Function
%v0 = OpInBoundsAccessChain %own_ptr %v %n0\nOpStore %v0 %n4 Aligned 4
%call = OpFunctionCall %void %f %r %v %small_value %small_value
%r0 = OpInBoundsAccessChain %own_ptr %r %n0\n%x = OpLoad %int %r0 Aligned 4\nstore 0 %x
%r1 = OpInBoundsAccessChain %own_ptr %r %n1\n%y = OpLoad %int %r1 Aligned 4\nstore 1 %y
%z = OpLoad %int %v0 Aligned 4\nstore 2 %z`,
    result: [4, 144, 4],
  },
  {
    name: "expectations, assumptions, and sums that do not wrap",
    needs: `OpCapability ExpectAssumeKHR\nOpExtension "SPV_KHR_expect_assume"
OpExtension "SPV_KHR_no_integer_wrap_decoration"`,
    decorations: `OpDecorate %s NoSignedWrap\nOpDecorate %u NoUnsignedWrap`,
    body: `%x = OpLoad %int %out Aligned 4\n%is = OpIEqual %bool %x %n0\nOpAssumeTrueKHR %is
%e = OpExpectKHR %int %x %n0\n%s = OpIAdd %int %e %n5\nstore 0 %s\n%u = OpIMul %int %s %n3\nstore 1 %u`,
    result: [5, 15],
  },
  {
    name: "one definition of several",
    decorations: `OpDecorate %f LinkageAttributes "helper" LinkOnceODR`,
    declarations: `%f_type = OpTypeFunction %int %int`,
    functions: `%f = OpFunction %int Const %f_type\n%x = OpFunctionParameter %int\n%f_entry = OpLabel
%y = OpIMul %int %x %n3\nOpReturnValue %y\nOpFunctionEnd`,
    body: `%a = OpFunctionCall %int %f %n7\nstore 0 %a`,
    result: [21],
  },
  {
    name: "atomic sums, minima and maxima of floats",
    needs: `OpCapability AtomicFloat32AddEXT\nOpCapability AtomicFloat32MinMaxEXT
OpExtension "SPV_EXT_shader_atomic_float_add"\nOpExtension "SPV_EXT_shader_atomic_float_min_max"`,
    declarations: `%float_ptr = OpTypePointer CrossWorkgroup %float\n%h = OpConstant %float 2.5
%q = OpConstant %float -1.5`,
    body: `%p = OpBitcast %float_ptr %out\n%a = OpAtomicFAddEXT %float %p %n1 %n0 %h
%b = OpAtomicFAddEXT %float %p %n1 %n0 %h
%p1 = OpInBoundsPtrAccessChain %float_ptr %p %n1\n%c = OpAtomicFMinEXT %float %p1 %n1 %n0 %q
%p2 = OpInBoundsPtrAccessChain %float_ptr %p %n2\n%d = OpAtomicFMaxEXT %float %p2 %n1 %n0 %h
%e = OpBitcast %int %b\nstore 3 %e`,
    result: [f32(5), f32(-1.5), f32(2.5), f32(2.5)],
  },
  {
    name: "integer dot products, packed and not, saturated",
    needs: `OpCapability DotProductKHR\nOpCapability DotProductInput4x8BitKHR
OpCapability DotProductInput4x8BitPackedKHR
OpExtension "SPV_KHR_integer_dot_product"`,
    declarations: `%a = OpConstant %int 0x01ff0280\n%b = OpConstant %int 0x02fe03ff\n%most = OpConstant %int 2147483647
%all = OpConstant %int 0xffffffff`,
    body: `%av = OpBitcast %char4 %a\n%bv = OpBitcast %char4 %b
%s = OpSDot %int %av %bv\nstore 0 %s\n%u = OpUDot %int %av %bv\nstore 1 %u\n%x = OpSUDot %int %av %bv\nstore 2 %x
%p = OpSDot %int %a %b PackedVectorFormat4x8Bit\nstore 3 %p\n%t = OpSDotAccSat %int %av %bv %most\nstore 4 %t
%v = OpUDotAccSat %int %av %bv %all\nstore 5 %v\n%w = OpSUDotAccSat %int %av %bv %n1\nstore 6 %w`,
    result: [
      -128 * -1 + 2 * 3 + -1 * -2 + 1 * 2,
      128 * 255 + 2 * 3 + 255 * 254 + 1 * 2,
      -128 * 255 + 2 * 3 - 254 + 2,
      138,
      0x7fff_ffff,
      -1,
      -128 * 255 + 2 * 3 - 254 + 2 + 1,
    ],
  },
  {
    name: "operations on specialization constants",
    decorations: `OpDecorate %given SpecId 1`,
    declarations: `%given = OpSpecConstant %int 6\n%yes = OpSpecConstantTrue %bool
%sum = OpSpecConstantOp %int IAdd %given %n4\n%product = OpSpecConstantOp %int IMul %sum %given
%rest = OpSpecConstantOp %int SRem %product %m7\n%left = OpSpecConstantOp %int ShiftLeftLogical %given %n3
%less = OpSpecConstantOp %bool SLessThan %given %sum\n%chosen = OpSpecConstantOp %int Select %less %n8 %n9
%both = OpSpecConstantOp %bool LogicalAnd %less %yes\n%pair = OpSpecConstantComposite %int2 %sum %given
%turned = OpSpecConstantOp %int2 VectorShuffle %pair %pair 1 0
%part = OpSpecConstantOp %int CompositeExtract %turned 0\n%narrow = OpSpecConstantOp %char UConvert %product
%wide = OpSpecConstantOp %int SConvert %narrow\n%not = OpSpecConstantOp %int Not %given
%as_float = OpSpecConstantOp %float ConvertSToF %given\n%bits = OpSpecConstantOp %int Bitcast %as_float
%number = OpSpecConstantOp %int UDiv %product %n7\n%array = OpTypeArray %int %sum
%array_ptr = OpTypePointer Function %array\n%stride = OpSpecConstantOp %int SNegate %given`,
    body: `store 0 %sum\nstore 1 %product\nstore 2 %rest\nstore 3 %left\nstore 4 %chosen
%b = OpSelect %int %both %n1 %n0\nstore 5 %b\nstore 6 %part\nstore 7 %wide\nstore 8 %not\nstore 9 %bits
store 10 %number`,
    result: [10, 60, 4, 48, 8, 1, 6, 60, -7, f32(6), 8],
  },
];

test.each(ROWS)("$name", (row) => {
  expect(run(row, "")).toEqual(row.result);
  expect(run(row, "-cl-opt-disable")).toEqual(row.result);
});

/** What is refused, with what the message says. */
const REFUSED: readonly (readonly [name: string, needs: string, mode: string, message: string])[] = [
  ["device enqueue", "OpCapability DeviceEnqueue", "", "cannot start kernels"],
  ["mipmaps", "OpCapability ImageMipmap\nOpCapability ImageBasic", "", "images have one level"],
  [
    "pointers to functions",
    'OpCapability FunctionPointersINTEL\nOpExtension "SPV_INTEL_function_pointers"',
    "",
    "functions cannot be called through pointers",
  ],
  [
    "sizes of sub-groups",
    "OpCapability SubgroupDispatch",
    "OpExecutionMode %k SubgroupSize 3",
    "takes a power of two up to 128",
  ],
  [
    "flushed denormals",
    'OpCapability DenormFlushToZero\nOpExtension "SPV_KHR_float_controls"',
    "OpExecutionMode %k DenormFlushToZero 32",
    "DenormFlushToZero is not supported",
  ],
];

test("constants that are computed of one another are refused", () => {
  const declarations = "%a = OpSpecConstantOp %int IAdd %b %n1\n%b = OpSpecConstantOp %int IAdd %a %n1";
  const text = textOf({ name: "", declarations, body: "store 0 %a", result: [] });
  expect(() => build({ kind: "spirv", source: binaryOf(text) })).toThrow("levels before what they are made of");
});

test("vectors of more than 128 lanes are refused", () => {
  const declarations = "%wide = OpTypeVector %char 129";
  const text = textOf({ name: "", declarations, body: "%w = OpUndef %wide", result: [] });
  expect(() => build({ kind: "spirv", source: binaryOf(text) })).toThrow("at most 128 lanes, not 129");
});

test.each(REFUSED)("refused with a sentence: %s", (_, needs, decorations, message) => {
  const text = textOf({ name: "", needs, decorations, body: "store 0 %n1", result: [] });
  expect(() => build({ kind: "spirv", source: binaryOf(text) })).toThrow(message);
});
