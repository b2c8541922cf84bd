// SPDX-License-Identifier: Apache-2.0
// Cases of groups, scopes, memory semantics, memory operands, atomics, arithmetic, and extended instructions.
import { type Edit, type ValidationCase, casesOf, valid } from "./validation.table.ts";

const groups = casesOf("groups");
const kernel = casesOf("kernel");
const vulkan = { environment: "vulkan" } as const;
const LOAD = "%visible = OpLoad %uint %a MakePointerVisible|NonPrivatePointer %uint_2";
const STORE = "OpStore %a %x MakePointerAvailable|NonPrivatePointer %uint_2";
const CLUSTER = "%cluster = OpGroupNonUniformIAdd %uint %uint_3 ClusteredReduce %x %uint_4";
const CARRY = "%carry = OpIAddCarry %pair %x %uint_1";
const EXCHANGE = "%swapped = OpAtomicCompareExchange %uint %a %uint_1 %uint_72 %uint_66 %uint_1 %uint_2";
const BARRIER = "OpControlBarrier %uint_2 %uint_2 %uint_72";
const FENCE = "OpMemoryBarrier %uint_1 %uint_72";
const ADD = "%old = OpAtomicIAdd %uint %a %uint_1 %uint_72 %uint_1";
const BARRIER_OF_KERNELS = "OpControlBarrier %uint_2 %uint_2 %uint_16";
const NUMBERS = "%ulong_1 = OpConstant %ulong 1\n";
/** A constant more, by its value. */
const number = (value: number): Edit => [NUMBERS, `${NUMBERS}%more = OpConstant %uint ${value}\n`];

/** One row for each instruction of a set or class: a result and an operand that are wrong. */
const TYPED: readonly (readonly [rule: ValidationCase["rule"], find: string, replace: string])[] = [
  ["extended-result", "%root = OpExtInst %float %glsl Sqrt %float_1", "%root = OpExtInst %uint %glsl Sqrt %float_1"],
  ["extended-operand", "%root = OpExtInst %float %glsl Sqrt %float_1", "%root = OpExtInst %float %glsl Sqrt %f2"],
  ["extended-operand", "%power = OpExtInst %float %glsl Pow %float_1 %float_1", "%power = OpExtInst %float %glsl Pow %float_1 %f2"],
  ["extended-result", "%least = OpExtInst %uint %glsl UMin %x %uint_1", "%least = OpExtInst %float %glsl UMin %x %uint_1"],
  ["extended-operand", "%least = OpExtInst %uint %glsl UMin %x %uint_1", "%least = OpExtInst %uint %glsl UMin %x %ulong_1"],
  ["extended-operand", "%scaled = OpExtInst %float %glsl Ldexp %float_1 %int_1", "%scaled = OpExtInst %float %glsl Ldexp %float_1 %float_1"],
  ["extended-operand", "%crossed = OpExtInst %v3 %glsl Cross %f3 %f3", "%crossed = OpExtInst %v3 %glsl Cross %f3 %f2"],
  ["extended-result", "%long = OpExtInst %float %glsl Length %f2", "%long = OpExtInst %v2 %glsl Length %f2"],
  ["extended-operand", "%det = OpExtInst %float %glsl Determinant %a2", "%det = OpExtInst %float %glsl Determinant %f2"],
  ["extended-operand", "%divided = OpExtInst %float %glsl Modf %float_1 %local_float", "%divided = OpExtInst %float %glsl Modf %float_1 %float_1"],
  ["extended-result", "%pack = OpExtInst %uint %glsl PackHalf2x16 %f2", "%pack = OpExtInst %float %glsl PackHalf2x16 %f2"],
  ["extended-operand", "%pack = OpExtInst %uint %glsl PackHalf2x16 %f2", "%pack = OpExtInst %uint %glsl PackHalf2x16 %float_1"],
  ["arithmetic-result", "%negative = OpSNegate %uint %x", "%negative = OpSNegate %float %x"],
  ["arithmetic-operand", "%negative = OpSNegate %uint %x", "%negative = OpSNegate %uint %w2"],
  ["bit-result", "%flipped = OpNot %uint %x", "%flipped = OpNot %float %x"],
  ["bit-operand", "%flipped = OpNot %uint %x", "%flipped = OpNot %uint %float_1"],
  ["bit-operand", "%shifted = OpShiftLeftLogical %uint %x %uint_1", "%shifted = OpShiftLeftLogical %uint %x %w2"],
  ["bit-operand", "%counted = OpBitCount %uint %x", "%counted = OpBitCount %uint %float_1"],
  ["conversion-result", "%as_float = OpConvertUToF %float %x", "%as_float = OpConvertUToF %uint %x"],
  ["conversion-operand", "%as_float = OpConvertUToF %float %x", "%as_float = OpConvertUToF %float %float_1"],
  ["comparison-result", "%nan = OpIsNan %bool %float_1", "%nan = OpIsNan %uint %float_1"],
  ["comparison-operand", "%nan = OpIsNan %bool %float_1", "%nan = OpIsNan %bool %x"],
  ["group-result", "%is_first = OpGroupNonUniformElect %bool %uint_3", "%is_first = OpGroupNonUniformElect %uint %uint_3"],
  ["group-operand", "%any = OpGroupNonUniformAny %bool %uint_3 %true", "%any = OpGroupNonUniformAny %bool %uint_3 %x"],
  ["group-result", "%sum = OpGroupNonUniformIAdd %uint %uint_3 Reduce %x", "%sum = OpGroupNonUniformIAdd %float %uint_3 Reduce %x"],
  ["group-operand", "%sum = OpGroupNonUniformIAdd %uint %uint_3 Reduce %x", "%sum = OpGroupNonUniformIAdd %uint %uint_3 Reduce %ulong_1"],
  ["atomic-result", ADD, "%old = OpAtomicIAdd %float %a %uint_1 %uint_72 %uint_1"],
  ["atomic-operand", ADD, "%old = OpAtomicIAdd %uint %x %uint_1 %uint_72 %uint_1"],
  ["composite-result", "%picked = OpVectorExtractDynamic %uint %w2 %uint_1", "%picked = OpVectorExtractDynamic %u2 %w2 %uint_1"],
  ["composite-operand", "%picked = OpVectorExtractDynamic %uint %w2 %uint_1", "%picked = OpVectorExtractDynamic %uint %w2 %float_1"],
  ["composite-operand", "%put = OpVectorInsertDynamic %u2 %w2 %uint_1 %uint_0", "%put = OpVectorInsertDynamic %u2 %w2 %float_1 %uint_0"],
  ["composite-operand", "%copied = OpCopyObject %uint %x", "%copied = OpCopyObject %float %x"],
];

/** Cases of groups, memory and operands. */
export const GROUP_CASES: readonly ValidationCase[] = [
  ...TYPED.map(([rule, find, replace]) =>
    groups(rule, find, replace, rule.startsWith("group-") ? { difference: "spirv-val does not look at these types" } : {}),
  ),
  // Parts, matrices, pointers, products
  groups("result-pair", CARRY, "%carry = OpIAddCarry %frexp %x %uint_1"),
  groups("operand-pair", CARRY, "%carry = OpIAddCarry %pair %x %int_1"),
  groups("dot-kind", "%dot = OpUDot %uint %w2 %w2", "%dot = OpDot %uint %w2 %w2"),
  groups("matrix-shape", "%times = OpMatrixTimesVector %v3 %a32 %f2", "%times = OpMatrixTimesVector %v3 %a32 %f3", valid("%times = OpMatrixTimesVector %v3 %a32 %f2", "%times = OpMatrixTimesVector %v2 %a2 %f2")),
  groups("matrix-shape", "%turned = OpTranspose %m23 %a32", "%turned = OpTranspose %m32 %a32", valid("%turned = OpTranspose %m23 %a32", "%turned = OpTranspose %m2 %a2")),
  groups("matrix-shape", "%outer = OpOuterProduct %m32 %f3 %f2", "%outer = OpOuterProduct %m32 %f2 %f3", valid("%outer = OpOuterProduct %m32 %f3 %f2", "%outer = OpOuterProduct %m23 %f2 %f3")),
  groups("matrix-shape", "%multiplied = OpMatrixTimesMatrix %m32 %a32 %a2", "%multiplied = OpMatrixTimesMatrix %m32 %a2 %a32"),
  groups("matrix-shape", "%rows = OpVectorTimesMatrix %v2 %f3 %a32", "%rows = OpVectorTimesMatrix %v2 %f2 %a32", valid("%rows = OpVectorTimesMatrix %v2 %f3 %a32", "%rows = OpVectorTimesMatrix %v2 %f2 %a2")),
  groups("quantize-width", "%half = OpQuantizeToF16 %float %float_1", "%half = OpQuantizeToF16 %double %one", { also: ["%v2 = OpTypeVector %float 2", "%double = OpTypeFloat 64\n%one = OpConstant %double 1\n%v2 = OpTypeVector %float 2"] }),
  groups("pointer-comparison", "%same = OpPtrEqual %bool %a %b", "%same = OpPtrEqual %bool %a %buffer", valid("%same = OpPtrEqual %bool %a %b", "%same = OpPtrNotEqual %bool %a %b")),
  groups("pointer-comparison-capability", "OpCapability VariablePointers\n", "", { difference: "spirv-val takes comparisons of pointers into StorageBuffer with the variable pointers of version 1.4" }),
  groups("dot-result", "%dot = OpUDot %uint %w2 %w2", "%dot = OpUDot %u2 %w2 %w2", { difference: "spirv-val of that version does not know dot products of integers" }),
  groups("dot-operands", "%dot = OpUDot %uint %w2 %w2", "%dot = OpUDot %uint %f2 %w2", { ...valid("%dot = OpUDot %uint %w2 %w2", "%dot = OpUDot %ulong %w2 %w2"), difference: "spirv-val of that version does not know dot products of integers" }),
  groups("dot-accumulator", "%packed = OpUDotAccSat %uint %x %x %uint_1 PackedVectorFormat4x8Bit", "%packed = OpUDotAccSat %uint %x %x %ulong_1 PackedVectorFormat4x8Bit", { difference: "spirv-val of that version does not know dot products of integers" }),
  groups("copy-logical", "%copied = OpCopyObject %uint %x", "%copied = OpCopyLogical %frexp %carry", valid("%copied = OpCopyObject %uint %x", "%copied = OpCopyObject %pair %carry")),
  // Groups
  groups("group-ballot", "%ballot = OpGroupNonUniformBallot %u4 %uint_3 %true", "%ballot = OpGroupNonUniformBallot %u2 %uint_3 %true"),
  groups("group-ballot", "%bits = OpGroupNonUniformBallotBitCount %uint %uint_3 Reduce %ballot", "%bits = OpGroupNonUniformBallotBitCount %uint %uint_3 Reduce %w2"),
  groups("group-lane", "%lane = OpGroupNonUniformBroadcast %uint %uint_3 %x %uint_1", "%lane = OpGroupNonUniformBroadcast %uint %uint_3 %x %int_1", { difference: "spirv-val does not look at these types" }),
  groups("group-lane", "%moved = OpGroupNonUniformShuffle %uint %uint_3 %x %uint_1", "%moved = OpGroupNonUniformShuffle %uint %uint_3 %x %int_1", { ...valid("%moved = OpGroupNonUniformShuffle %uint %uint_3 %x %uint_1", "%moved = OpGroupNonUniformShuffleXor %uint %uint_3 %x %x"), difference: "spirv-val does not look at these types" }),
  groups("group-cluster", CLUSTER, "%cluster = OpGroupNonUniformIAdd %uint %uint_3 ClusteredReduce %x", { difference: "spirv-val does not look at clusters" }),
  groups("group-cluster", CLUSTER, "%cluster = OpGroupNonUniformIAdd %uint %uint_3 InclusiveScan %x %uint_4", { ...valid(CLUSTER, "%cluster = OpGroupNonUniformIAdd %uint %uint_3 InclusiveScan %x"), difference: "spirv-val ignores a size that is not used" }),
  groups("group-cluster-size", CLUSTER, "%cluster = OpGroupNonUniformIAdd %uint %uint_3 ClusteredReduce %x %uint_5", { ...valid(CLUSTER, "%cluster = OpGroupNonUniformIAdd %uint %uint_3 ClusteredReduce %x %uint_2"), difference: "spirv-val does not look at clusters" }),
  groups("scope-non-uniform", "%any = OpGroupNonUniformAny %bool %uint_3 %true", "%any = OpGroupNonUniformAny %bool %uint_1 %true", valid("%any = OpGroupNonUniformAny %bool %uint_3 %true", "%any = OpGroupNonUniformAll %bool %uint_3 %true")),
  groups("scope-vulkan-group", "%any = OpGroupNonUniformAny %bool %uint_3 %true", "%any = OpGroupNonUniformAny %bool %uint_2 %true", vulkan),
  groups("scope-vulkan-execution", BARRIER, "OpControlBarrier %uint_1 %uint_2 %uint_72", { ...vulkan, ...valid(BARRIER, "OpControlBarrier %uint_3 %uint_2 %uint_72") }),
  groups("scope-vulkan-memory", FENCE, "OpMemoryBarrier %uint_0 %uint_72", { ...vulkan, ...valid(FENCE, "OpMemoryBarrier %uint_5 %uint_72") }),
  groups("scope-device", "OpCapability VulkanMemoryModelDeviceScope\n", ""),
  kernel("scope-queue-family", "%count = OpAtomicIAdd %uint %at %uint_1 %uint_16 %uint_2", "%count = OpAtomicIAdd %uint %at %queue %uint_16 %uint_2", { also: ["%uint_16 = OpConstant %uint 16", "%uint_16 = OpConstant %uint 16\n%queue = OpConstant %uint 5"] }),
  // Memory semantics
  groups("semantics-constant", FENCE, "OpMemoryBarrier %uint_1 %x"),
  groups("semantics-order", FENCE, "OpMemoryBarrier %uint_1 %more", { also: number(70), ...valid(FENCE, "OpMemoryBarrier %uint_1 %uint_66") }),
  groups("semantics-unequal", EXCHANGE, "%swapped = OpAtomicCompareExchange %uint %a %uint_1 %uint_72 %uint_72 %uint_1 %uint_2", valid(EXCHANGE, "%swapped = OpAtomicCompareExchange %uint %a %uint_1 %uint_72 %uint_0 %uint_1 %uint_2")),
  groups("semantics-sequential", FENCE, "OpMemoryBarrier %uint_1 %more", { also: number(80) }),
  groups("semantics-model", FENCE, "OpMemoryBarrier %uint_1 %more", { base: "kernel", invalid: ["OpControlBarrier %uint_2 %uint_2 %uint_16", "OpControlBarrier %uint_2 %uint_2 %odd"], also: ["%uint_16 = OpConstant %uint 16", "%uint_16 = OpConstant %uint 16\n%odd = OpConstant %uint 8452"] }),
  groups("semantics-available", FENCE, "OpMemoryBarrier %uint_1 %more", { also: number(66 + 0x2000) }),
  groups("semantics-visible", FENCE, "OpMemoryBarrier %uint_1 %more", { also: number(68 + 0x4000), ...valid(FENCE, "OpMemoryBarrier %uint_1 %uint_68") }),
  groups("semantics-memory", FENCE, "OpMemoryBarrier %uint_1 %more", { also: number(8 + 0x2000) }),
  groups("semantics-volatile", FENCE, "OpMemoryBarrier %uint_1 %more", { also: number(72 + 0x8000), ...valid(ADD, "%old = OpAtomicIAdd %uint %a %uint_1 %more %uint_1") }),
  groups("semantics-barrier", FENCE, "OpMemoryBarrier %uint_1 %uint_0", { ...vulkan, ...valid(BARRIER, "OpControlBarrier %uint_2 %uint_2 %uint_0") }),
  groups("semantics-vulkan-memory", FENCE, "OpMemoryBarrier %uint_1 %more", { ...vulkan, also: number(8) }),
  // Memory operands
  groups("access-aligned", "%far_x = OpLoad %uint %far Aligned 4", "%far_x = OpLoad %uint %far", valid("%far_x = OpLoad %uint %far Aligned 4", "%far_x = OpLoad %uint %far Aligned 8")),
  groups("alignment", "OpStore %far %x Aligned 4", "OpStore %far %x Aligned 3", { difference: "spirv-val looks at alignments of physical storage buffers in Vulkan environments only" }),
  groups("access-available", LOAD, "%visible = OpLoad %uint %a MakePointerAvailable|NonPrivatePointer %uint_2", valid(LOAD, "%visible = OpLoad %uint %a NonPrivatePointer")),
  groups("access-visible", STORE, "OpStore %a %x MakePointerVisible|NonPrivatePointer %uint_2", valid(STORE, "OpStore %a %x Volatile")),
  groups("access-private", STORE, "OpStore %a %x MakePointerAvailable %uint_2"),
  groups("access-storage", "%copied = OpCopyObject %uint %x", "%copied = OpLoad %uint %local NonPrivatePointer", valid("%copied = OpCopyObject %uint %x", "%copied = OpLoad %uint %part NonPrivatePointer")),
  // Atomics
  groups("atomic-storage", ADD, "%old = OpAtomicIAdd %uint %local %uint_1 %uint_72 %uint_1", valid(ADD, "%old = OpAtomicIAdd %uint %part %uint_1 %uint_72 %uint_1")),
  groups("atomic-width", "%copied = OpCopyObject %uint %x", "%copied = OpAtomicIAdd %ulong %wide %uint_1 %uint_72 %ulong_1"),
  groups("array-length-result", "%copied = OpCopyObject %uint %x", "%copied = OpArrayLength %int %buffer 2", valid("%copied = OpCopyObject %uint %x", "%copied = OpArrayLength %uint %buffer 2")),
  groups("atomic-vulkan-width", "%copied = OpCopyObject %uint %x", "%copied = OpAtomicIAdd %ushort %narrow %uint_1 %uint_72 %short_1", { ...vulkan, difference: "spirv-val does not look at the width" }),
  groups("atomic-float", "%copied = OpCopyObject %uint %x", "%copied = OpAtomicFAddEXT %float %float_part %uint_1 %uint_72 %float_1", {
    also: ['OpExtension "SPV_KHR_integer_dot_product"', 'OpCapability AtomicFloat64AddEXT\nOpExtension "SPV_EXT_shader_atomic_float_add"\nOpExtension "SPV_KHR_integer_dot_product"'],
  }),
  casesOf("shader")("group-broadcast", "%length = OpArrayLength %uint %buffer 0\n", "%lane = OpGroupNonUniformBroadcast %float %uint_3 %value %x\n%length = OpArrayLength %uint %buffer 0\n", {
    also: ["OpCapability GroupNonUniform\n", "OpCapability GroupNonUniform\nOpCapability GroupNonUniformBallot\n"],
    ...valid("%length = OpArrayLength %uint %buffer 0\n", "%lane = OpGroupNonUniformBroadcast %float %uint_3 %value %uint_1\n%length = OpArrayLength %uint %buffer 0\n"),
    difference: "spirv-val checks this for Vulkan only",
  }),
  kernel("version-removed", "%count = OpAtomicIAdd %uint %at %uint_1 %uint_16 %uint_2", "%count = OpAtomicCompareExchangeWeak %uint %at %uint_1 %uint_16 %uint_16 %uint_2 %uint_1", { also: ["; Version: 1.2", "; Version: 1.4"], ...valid("%count = OpAtomicIAdd %uint %at %uint_1 %uint_16 %uint_2", "%count = OpAtomicCompareExchange %uint %at %uint_1 %uint_16 %uint_16 %uint_2 %uint_1") }),
  // Asynchronous copies
  ...(
    [
      ["async-event", "%done = OpGroupAsyncCopy %event %uint_2 %group %at %ulong_4 %ulong_4 %uint_1"],
      ["async-pointers", "%done = OpGroupAsyncCopy %event %uint_2 %group %gid %ulong_4 %ulong_4 %no_event"],
      ["async-storage", "%done = OpGroupAsyncCopy %event %uint_2 %at %at %ulong_4 %ulong_4 %no_event"],
    ] as const
  ).map(([rule, copy]) =>
    kernel(rule, BARRIER_OF_KERNELS, `%group = OpAccessChain %group_p %shared %uint_1\n${copy}`, {
      also: ["%pair = OpTypeStruct %uint %float", "%event = OpTypeEvent\n%no_event = OpConstantNull %event\n%group_p = OpTypePointer Workgroup %uint\n%pair = OpTypeStruct %uint %float"],
      ...valid(BARRIER_OF_KERNELS, "%group = OpAccessChain %group_p %shared %uint_1\n%done = OpGroupAsyncCopy %event %uint_2 %group %at %ulong_4 %ulong_4 %no_event"),
      difference: "spirv-val does not look at asynchronous copies",
    }),
  ),
  // Casts
  kernel("cast-generic", "%cast = OpPtrCastToGeneric %generic %at", "%cast = OpPtrCastToGeneric %global %at"),
  kernel("cast-source", "%cast = OpPtrCastToGeneric %generic %at", "%cast = OpPtrCastToGeneric %generic %cast_2\n%cast_2 = OpPtrCastToGeneric %generic %at", { invalid: ["%cast = OpPtrCastToGeneric %generic %at", "%cast_2 = OpPtrCastToGeneric %generic %at\n%cast = OpPtrCastToGeneric %generic %cast_2"], ...valid("%cast = OpPtrCastToGeneric %generic %at", "%cast = OpPtrCastToGeneric %generic %element") }),
  kernel("cast-target", "%cast = OpPtrCastToGeneric %generic %at\n", "%cast = OpPtrCastToGeneric %generic %at\n%back = OpGenericCastToPtr %generic %cast\n", valid("%cast = OpPtrCastToGeneric %generic %at\n", "%cast = OpPtrCastToGeneric %generic %at\n%back = OpGenericCastToPtr %global %cast\n")),
  kernel("cast-explicit", "%cast = OpPtrCastToGeneric %generic %at\n", "%cast = OpPtrCastToGeneric %generic %at\n%back = OpGenericCastToPtrExplicit %global %cast Workgroup\n", valid("%cast = OpPtrCastToGeneric %generic %at\n", "%cast = OpPtrCastToGeneric %generic %at\n%back = OpGenericCastToPtrExplicit %global %cast CrossWorkgroup\n")),
  kernel("select-shape", "%chosen = OpSelect %uint %less %added %n\n", "%chosen = OpSelect %uint %less %added %n\n%wrong = OpSelect %v2uint %less %both %both\n", valid("%chosen = OpSelect %uint %less %added %n\n", "%chosen = OpSelect %uint %true %added %n\n")),
  kernel("extended-result", "%root = OpExtInst %float %cl sqrt %as_float", "%root = OpExtInst %float %cl s_abs %as_float"),
  kernel("extended-operand", "%root = OpExtInst %float %cl sqrt %as_float", "%root = OpExtInst %float %cl fma %as_float %as_float %added", valid("%root = OpExtInst %float %cl sqrt %as_float", "%root = OpExtInst %float %cl fma %as_float %as_float %as_float")),
  kernel("extended-operand", "%root = OpExtInst %float %cl sqrt %as_float", "%root = OpExtInst %float %cl fmin %as_float %added", valid("%root = OpExtInst %float %cl sqrt %as_float", "%root = OpExtInst %float %cl ldexp %as_float %added")),
  kernel("extended-operand", "%root = OpExtInst %float %cl sqrt %as_float", "%root = OpExtInst %float %cl modf %as_float %added"),
  // Groups of kernels
  kernel("scope-group", "OpControlBarrier %uint_2 %uint_2 %uint_16", "%all = OpGroupAll %bool %uint_1 %true", { also: ["OpCapability Int8\n", "OpCapability Int8\nOpCapability Groups\n"], ...valid("OpControlBarrier %uint_2 %uint_2 %uint_16", "%all = OpGroupAll %bool %uint_2 %true"), difference: "spirv-val checks this scope in its OpenCL environments only" }),
];
