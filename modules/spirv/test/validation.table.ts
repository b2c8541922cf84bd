// SPDX-License-Identifier: Apache-2.0
// A module that breaks a rule: one of the two valid modules with an edit. `valid` is an edit next to it that breaks
// nothing. Where spirv-val says something else, `difference` has the reason.
import type { ValidationRuleName } from "@muxkit/spirv";

/** A text that occurs once, and what takes its place. */
export type Edit = readonly [find: string, replace: string];

/** The valid modules that cases edit: modules/base-….spvasm. */
export type ValidationBase = "kernel" | "shader" | "flow" | "layout" | "images" | "groups";

/** A case of a rule. */
export interface ValidationCase {
  readonly rule: ValidationRuleName;
  readonly base: ValidationBase;
  /** The environment of both modules; universal when left out. */
  readonly environment?: "opencl" | "vulkan";
  readonly invalid: Edit;
  readonly valid?: Edit;
  /** An edit that both modules have. */
  readonly also?: Edit;
  /** Why spirv-val accepts the invalid module, or refuses the valid one. */
  readonly difference?: string;
}

/** Rows for cases of a base. */
export const casesOf =
  (base: ValidationBase) =>
  (rule: ValidationRuleName, find: string, replace: string, rest: Partial<ValidationCase> = {}): ValidationCase =>
    ({ rule, base, invalid: [find, replace], ...rest });
const kernel = casesOf("kernel");
const shader = casesOf("shader");
/** The edit of a valid module next to it. */
export const valid = (find: string, replace: string): Partial<ValidationCase> => ({ valid: [find, replace] });

/** The cases of form, ids, types, flow and operands; further ones are in the other tables. */
export const FIRST_CASES: readonly ValidationCase[] = [
  // Binary form
  kernel("enumerant", "OpExecutionMode %main LocalSize 8 1 1", "OpExecutionMode %main !7777"),
  kernel("word-count", "%uint_0 = OpConstant %uint 0", "%uint_0 = OpConstant %uint !0 !0"),
  kernel("opcode", "%sum = OpSpecConstantOp %uint IAdd %uint_1 %uint_2", "%sum = OpSpecConstantOp %uint !17 !1"),
  kernel("number-type", "%uint_0 = OpConstant %uint 0", "%uint_0 = OpConstant %bool !0"),
  kernel("number-bits", "%uint_0 = OpConstant %uint 0", "%tiny = OpConstant %uchar !256\n%uint_0 = OpConstant %uint 0", valid("%uint_0 = OpConstant %uint 0", "%tiny = OpConstant %uchar 255\n%uint_0 = OpConstant %uint 0")),
  kernel("extended-set", "%root = OpExtInst %float %cl sqrt %as_float", "%root = OpExtInst %float %cl 9999 %as_float"),
  kernel("extended-set", "%cl = OpExtInstImport", '%none = OpExtInstImport "OpenCL.none"\n%cl = OpExtInstImport'),
  // Layout
  kernel("section-order", 'OpName %pair "pair"', 'OpCapability Kernel\nOpName %pair "pair"'),
  kernel("section-order", "OpMemberName %pair 1 \"second\"", "OpMemberName %pair 1 \"second\"\nOpExtension \"SPV_KHR_late\""),
  kernel("section-order", "%added = OpIAdd", "%late = OpTypeInt 16 0\n%added = OpIAdd"),
  kernel("section-order", "%void = OpTypeVoid", "OpNoLine\nOpReturn\n%void = OpTypeVoid"),
  kernel("memory-model", "OpMemoryModel Physical64 OpenCL", "OpMemoryModel Physical64 OpenCL\nOpMemoryModel Physical64 OpenCL"),
  kernel("function-layout", "OpReturnValue %twice\nOpFunctionEnd", "OpReturnValue %twice"),
  kernel("function-layout", "%exit = OpLabel\nOpReturn\nOpFunctionEnd", "%exit = OpLabel\nOpReturn"),
  kernel("block-layout", "OpStore %at %uint_1\nOpBranch %exit", "OpStore %at %uint_1"),
  kernel("block-layout", "%helper_entry = OpLabel\n", ""),
  kernel("declaration-order", "%exit = OpLabel\nOpReturn\nOpFunctionEnd", "%exit = OpLabel\nOpReturn\nOpFunctionEnd\n%late = OpFunction %uint None %helper_type\n%late_x = OpFunctionParameter %uint\nOpFunctionEnd"),
  kernel("phi-place", "%next = OpIAdd %uint %k %uint_1", "%next = OpIAdd %uint %k %uint_1\n%late = OpPhi %uint %uint_0 %entry %next %loop"),
  kernel("variable-place", "%added = OpIAdd", "%late = OpVariable %private Function\n%added = OpIAdd", { valid: ["%local = OpVariable", "%early = OpVariable %private Function\n%local = OpVariable"] }),
  shader("merge-place", "OpSelectionMerge %joined None\n", "OpSelectionMerge %joined None\nOpNop\n"),
  // Ids
  kernel("id-zero", "%added = OpIAdd %uint %called %n", "%added = OpIAdd %uint %called !0"),
  kernel("id-bound", "%added = OpIAdd %uint %called %n", "%added = OpIAdd %uint %called !100000"),
  kernel("id-unique", "%twice = OpIMul", "%x = OpIMul"),
  kernel("id-defined", "%added = OpIAdd %uint %called %n", "%added = OpIAdd %uint %called %nobody"),
  kernel("target-defined", "OpDecorate %p Alignment 4\n", "OpDecorate %p Alignment 4\nOpDecorate %nobody Restrict\n"),
  kernel("id-order", "%added = OpIAdd %uint %called %n", "%added = OpIAdd %uint %called %added"),
  kernel("constant-order", "%sum = OpSpecConstantOp %uint IAdd %uint_1 %uint_2", "%sum = OpSpecConstantOp %uint IAdd %uint_1 %later\n%later = OpConstant %uint 9"),
  kernel("constant-order", "%shared = OpVariable %workgroup Workgroup\n", "%place = OpSpecConstantOp %ulong ConvertPtrToU %shared\n%shared = OpVariable %workgroup Workgroup\n", valid("%shared = OpVariable %workgroup Workgroup\n", "%shared = OpVariable %workgroup Workgroup\n%place = OpSpecConstantOp %ulong ConvertPtrToU %shared\n")),
  kernel("id-dominance", "%exit = OpLabel\n", "%exit = OpLabel\n%late = OpIAdd %uint %next %n\n"),
  kernel("id-function", "%added = OpIAdd %uint %called %n", "%added = OpIAdd %uint %called %twice"),
  kernel("id-kind", "%added = OpIAdd %uint %called %n", "%added = OpIAdd %uint %called %uint"),
  kernel("id-kind", "%added = OpIAdd %uint %called %n", "%added = OpIAdd %n %called %n"),
  kernel("id-kind", "OpEntryPoint Kernel %main", "OpEntryPoint Kernel %uint_1"),
  kernel("id-kind", "%private = OpTypePointer Function %uint", "%private = OpTypePointer Function %uint_1"),
  // Types
  kernel("type-unique", "%uint_0 = OpConstant", "%again = OpTypeInt 32 0\n%uint_0 = OpConstant", { valid: ["%pair = OpTypeStruct %uint %float", "%other = OpTypeStruct %uint %float\n%pair = OpTypeStruct %uint %float"] }),
  kernel("type-int", "%uchar = OpTypeInt 8 0", "%uchar = OpTypeInt 16 0", valid("%uchar = OpTypeInt 8 0", "")),
  kernel("type-int", "%uchar = OpTypeInt 8 0", "%uchar = OpTypeInt 24 0"),
  kernel("type-int", "%uchar = OpTypeInt 8 0", "%uchar = OpTypeInt 8 2", { difference: "spirv-val takes any signedness of a type that nobody uses" }),
  kernel("type-int", "%uchar = OpTypeInt 8 0", "%uchar = OpTypeInt 8 1", { difference: "spirv-val checks this in its OpenCL environments only" }),
  kernel("type-float", "%v2uint = OpTypeVector", "%double = OpTypeFloat 64\n%v2uint = OpTypeVector", valid("OpCapability Int64\n", "OpCapability Int64\nOpCapability Float64\n")),
  kernel("type-float", "%v2uint = OpTypeVector", "%double = OpTypeFloat 80\n%v2uint = OpTypeVector"),
  kernel("type-vector", "%v4float = OpTypeVector %float 4", "%v4float = OpTypeVector %float 8", valid("%v4float = OpTypeVector %float 4", "%v4float = OpTypeVector %float 3")),
  kernel("type-vector", "%v4float = OpTypeVector %float 4", "%v4float = OpTypeVector %float 1"),
  kernel("type-vector", "%v4float = OpTypeVector %float 4", "%v4float = OpTypeVector %v2uint 2"),
  shader("type-matrix", "%m2 = OpTypeMatrix %v2float 2", "%m2 = OpTypeMatrix %v2float 5"),
  shader("type-matrix", "%m2 = OpTypeMatrix %v2float 2", "%m2 = OpTypeMatrix %v3uint 2"),
  kernel("type-array", "%array = OpTypeArray %uint %uint_4", "%array = OpTypeArray %uint %uint_0", valid("%array = OpTypeArray %uint %uint_4", "%array = OpTypeArray %uint %uint_4\n%unused = OpTypeArray %array %uint_2")),
  kernel("type-array", "%array = OpTypeArray %uint %uint_4", "%array = OpTypeArray %void %uint_4"),
  kernel("type-array", "%array = OpTypeArray %uint %uint_4", "%array = OpTypeArray %uint %float_1"),
  kernel("type-struct", "%pair = OpTypeStruct %uint %float", "%pair = OpTypeStruct %void %float"),
  shader("type-struct", "%block = OpTypeStruct %floats", "%block = OpTypeStruct %floats %int"),
  kernel("type-pointer", "%global = OpTypePointer CrossWorkgroup %uint", "OpTypeForwardPointer %ahead Function\n%ahead = OpTypePointer CrossWorkgroup %uint\n%global = OpTypePointer CrossWorkgroup %uint", valid("%global = OpTypePointer CrossWorkgroup %uint", "OpTypeForwardPointer %ahead CrossWorkgroup\n%node = OpTypeStruct %uint %ahead\n%ahead = OpTypePointer CrossWorkgroup %node\n%global = OpTypePointer CrossWorkgroup %uint")),
  kernel("type-function", "%main_type = OpTypeFunction %void %global %uint", "%main_type = OpTypeFunction %void %void %uint"),
  shader("type-image", "%void = OpTypeVoid\n", "%void = OpTypeVoid\n%image = OpTypeImage %void 2D 3 0 0 1 Unknown\n", valid("%void = OpTypeVoid\n", "%void = OpTypeVoid\n%image = OpTypeImage %void 2D 2 0 0 1 Unknown\n")),
  shader("type-image", "%int_0 = OpConstant", "%image = OpTypeImage %bool 2D 0 0 0 1 Unknown\n%int_0 = OpConstant"),
  shader("type-image", "%int_0 = OpConstant", "%image = OpTypeSampledImage %float\n%int_0 = OpConstant"),
  // Constants
  kernel("constant-type", "%true = OpConstantTrue %bool", "%true = OpConstantTrue %uint"),
  kernel("constant-type", "%zeros = OpConstantNull %array", "%zeros = OpConstantNull %void"),
  kernel("constant-type", "%pair_0 = OpConstantComposite %pair %uint_0 %float_1", "%pair_0 = OpConstantComposite %uint %uint_0 %float_1"),
  kernel("constant-composite", "%pair_0 = OpConstantComposite %pair %uint_0 %float_1", "%pair_0 = OpConstantComposite %pair %uint_0"),
  kernel("constant-composite", "%pair_0 = OpConstantComposite %pair %uint_0 %float_1", "%pair_0 = OpConstantComposite %pair %float_1 %float_1"),
  shader("constant-operation", "%size = OpSpecConstant %uint 64", "%size = OpSpecConstant %uint 64\n%f = OpSpecConstantOp %float FAdd %float_1 %float_1"),
  // Decorations
  kernel("decoration-target", "OpDecorate %p FuncParamAttr NoCapture", "OpDecorate %added FuncParamAttr NoCapture", { difference: "spirv-val does not look at what this decorates" }),
  shader("decoration-target", "OpDecorate %size SpecId 3", "OpDecorate %uint_0 SpecId 3"),
  shader("decoration-target", "OpDecorate %block Block", "OpDecorate %floats Block"),
  shader("decoration-target", "OpDecorate %buffer Binding 0", "OpDecorate %uint_0 Binding 0"),
  shader("decoration-target", "OpDecorate %floats ArrayStride 4", "OpDecorate %block ArrayStride 4"),
  kernel("member-index", 'OpMemberName %pair 1 "second"', 'OpMemberName %pair 2 "third"'),
  shader("member-index", "OpMemberDecorate %block 0 Offset 0", "OpMemberDecorate %block 1 Offset 0"),
  kernel("decoration-value", "OpDecorate %p Alignment 4", "OpDecorate %p Alignment 3", { difference: "spirv-val does not look at this value" }),
  kernel("linkage", 'OpDecorate %extern LinkageAttributes "extern" Import', 'OpDecorate %extern LinkageAttributes "extern" Export'),
  kernel("linkage", 'OpDecorate %extern LinkageAttributes "extern" Import', 'OpDecorate %extern LinkageAttributes "extern" Import\nOpDecorate %helper LinkageAttributes "helper" Import', valid('OpDecorate %extern LinkageAttributes "extern" Import', 'OpDecorate %extern LinkageAttributes "extern" Import\nOpDecorate %helper LinkageAttributes "helper" Export')),
  // What is declared
  kernel("capability", "OpCapability GenericPointer\n", ""),
  kernel("capability", "OpDecorate %p Alignment 4", "OpDecorate %p Alignment 4\nOpDecorate %pair Block"),
  shader("capability", "OpCapability GroupNonUniform\n", ""),
  shader("capability-exclusive", "OpCapability GroupNonUniform\n", 'OpCapability GroupNonUniform\nOpCapability VulkanMemoryModel\nOpExtension "SPV_KHR_vulkan_memory_model"\n'),
  kernel("extension", "OpCapability GenericPointer\n", "OpCapability GenericPointer\nOpCapability ExpectAssumeKHR\n", valid("OpCapability GenericPointer\n", 'OpCapability GenericPointer\nOpCapability ExpectAssumeKHR\nOpExtension "SPV_KHR_expect_assume"\n')),
  shader("extension", "; Version: 1.3", "; Version: 1.2"),
  shader("version-needed", "OpLoopMerge %merge %continue None", "OpLoopMerge %merge %continue PeelCount 2", valid("OpLoopMerge %merge %continue None", "OpLoopMerge %merge %continue DependencyLength 2")),
  // Entry points
  kernel("entry-point", "OpEntryPoint Kernel %main", "OpEntryPoint Kernel %helper"),
  kernel("entry-point", "OpEntryPoint Kernel %main", 'OpEntryPoint Kernel %helper "helper"\nOpEntryPoint Kernel %main'),
  kernel("entry-point-unique", "OpEntryPoint Kernel %main", 'OpEntryPoint Kernel %main "main" %gid\nOpEntryPoint Kernel %main', valid("OpEntryPoint Kernel %main", 'OpEntryPoint Kernel %main "other" %gid\nOpEntryPoint Kernel %main')),
  shader("entry-point-needed", 'OpEntryPoint GLCompute %main "main" %gid\nOpExecutionMode %main LocalSize 8 1 1\n', ""),
  kernel("entry-point-interface", '"main" %gid', '"main" %uint_1'),
  shader("entry-point-interface", '"main" %gid', '"main" %gid %buffer'),
  kernel("execution-mode", "OpExecutionMode %main LocalSize 8 1 1", "OpExecutionMode %helper LocalSize 8 1 1"),
  shader("execution-mode", "OpExecutionMode %main LocalSize 8 1 1", "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionMode %main OriginUpperLeft"),
  // Flow
  kernel("branch-target", "OpBranchConditional %less %loop %exit", "OpBranchConditional %less %loop %helper_entry"),
  kernel("branch-target", "OpBranchConditional %more %loop %choose", "OpBranchConditional %more %entry %choose"),
  kernel("phi-parents", "%k = OpPhi %uint %uint_0 %entry %next %loop", "%k = OpPhi %uint %uint_0 %entry %next %choose"),
  kernel("phi-parents", "%k = OpPhi %uint %uint_0 %entry %next %loop", "%k = OpPhi %uint %uint_0 %entry"),
  kernel("phi-type", "%k = OpPhi %uint %uint_0 %entry %next %loop", "%k = OpPhi %uint %float_1 %entry %next %loop"),
  shader("merge-unique", "OpSelectionMerge %joined None", "OpSelectionMerge %end None"),
  shader("merge-unique", "OpLoopMerge %merge %continue None", "OpLoopMerge %merge %merge None"),
  shader("merge-dominance", "%then = OpLabel\nOpBranch %joined", "%then = OpLabel\nOpSelectionMerge %else None\nOpBranchConditional %first %else %joined"),
  shader("loop-header", "OpLoopMerge %merge %continue None\n", ""),
  shader("selection-merge", "OpSelectionMerge %joined None\n", ""),
  shader("selection-merge", "OpSelectionMerge %end None\n", ""),
  // Instructions
  kernel("arithmetic-result", "%added = OpIAdd %uint %called %n", "%added = OpIAdd %float %called %n"),
  kernel("comparison-result", "%less = OpULessThan %bool %added %n", "%less = OpULessThan %uint %added %n"),
  kernel("result-type", "%old = OpLoad %uint %at Aligned 4", "%old = OpLoad %float %at Aligned 4"),
  kernel("result-type", "%member = OpAccessChain %private_float %local_pair %uint_1", "%member = OpAccessChain %private_float %local_pair %uint_0"),
  kernel("result-type", "%i = OpCompositeExtract %ulong %id 0", "%i = OpCompositeExtract %uint %id 0"),
  kernel("arithmetic-operand", "%added = OpIAdd %uint %called %n", "%added = OpIAdd %uint %called %float_1"),
  kernel("arithmetic-operand", "%twice = OpIMul %uint %x %uint_2", "%twice = OpIMul %uint %x %ulong_8"),
  kernel("conversion-operand", "%wide = OpUConvert %ulong %added", "%wide = OpUConvert %ulong %i"),
  kernel("operand-type", "OpStore %element %n Aligned 4", "OpStore %element %float_1 Aligned 4"),
  kernel("operand-type", "OpStore %element %n Aligned 4", "OpStore %n %n Aligned 4"),
  kernel("operand-type", "%cast = OpPtrCastToGeneric %generic %at", "%cast = OpPtrCastToGeneric %generic %shared"),
  kernel("operand-type", "%bits = OpBitcast %uint %root", "%bits = OpBitcast %uint %i"),
  kernel("atomic-operand", "%count = OpAtomicIAdd %uint %at %uint_1 %uint_16 %uint_2", "%count = OpAtomicIAdd %uint %at %uint_1 %uint_16 %ulong_8"),
  kernel("comparison-operand", "%chosen = OpSelect %uint %less %added %n", "%chosen = OpSelect %uint %n %added %n"),
  kernel("operand-type", "OpBranchConditional %less %loop %exit", "OpBranchConditional %n %loop %exit"),
  shader("arithmetic-operand", "%dot = OpDot %float %vector %scaled", "%dot = OpDot %float %vector %value"),
  shader("arithmetic-operand", "%scaled = OpVectorTimesScalar %v2float %vector %value", "%scaled = OpVectorTimesScalar %v2float %vector %x"),
  kernel("operand-count", "%both = OpCompositeConstruct %v2uint %added %old", "%both = OpCompositeConstruct %v2uint %added %old %n"),
  kernel("operand-count", "%swapped = OpVectorShuffle %v2uint %both %both 1 2", "%swapped = OpVectorShuffle %v2uint %both %both 1 2 3"),
  kernel("operand-count", "%n = OpFunctionParameter %uint\n", "%n = OpFunctionParameter %uint\n%q = OpFunctionParameter %uint\n"),
  kernel("index", "%i = OpCompositeExtract %ulong %id 0", "%i = OpCompositeExtract %ulong %id 3"),
  kernel("index", "%member = OpAccessChain %private_float %local_pair %uint_1", "%member = OpAccessChain %private_float %local_pair %uint_2"),
  kernel("index", "%swapped = OpVectorShuffle %v2uint %both %both 1 2", "%swapped = OpVectorShuffle %v2uint %both %both 1 4", valid("%swapped = OpVectorShuffle %v2uint %both %both 1 2", "%swapped = OpVectorShuffle %v2uint %both %both 1 0xffffffff")),
  kernel("storage-class", "%local = OpVariable %private_array Function", "%local = OpVariable %private_array Workgroup"),
  kernel("storage-class", "%shared = OpVariable %workgroup Workgroup", "%shared = OpVariable %private_array Function"),
  shader("storage-class", "OpStore %k %int_0", "OpStore %k %int_0\nOpStore %x_pointer %uint_0"),
  kernel("alignment", "OpStore %element %n Aligned 4", "OpStore %element %n Aligned 3", { difference: "spirv-val looks at alignments of physical storage buffers only" }),
  kernel("call", "%called = OpFunctionCall %uint %helper %old", "%called = OpFunctionCall %uint %helper"),
  kernel("call", "%called = OpFunctionCall %uint %helper %old", "%called = OpFunctionCall %uint %helper %i"),
  kernel("return", "OpReturnValue %twice", "OpReturn"),
  kernel("return", "%exit = OpLabel\nOpReturn", "%exit = OpLabel\nOpReturnValue %n"),
  kernel("scope", "OpControlBarrier %uint_2 %uint_2 %uint_16", "OpControlBarrier %ulong_4 %uint_2 %uint_16"),
  kernel("scope-value", "OpControlBarrier %uint_2 %uint_2 %uint_16", "OpControlBarrier %uint_16 %uint_2 %uint_16"),
  shader("scope-constant", "OpControlBarrier %uint_2 %uint_2 %uint_264", "OpControlBarrier %uint_2 %x %uint_264"),
  kernel("semantics-load", "%seen = OpAtomicLoad %uint %at %uint_1 %uint_2", "%seen = OpAtomicLoad %uint %at %uint_1 %uint_4", { difference: "spirv-val checks this for Vulkan only" }),
  kernel("semantics-store", "OpAtomicStore %at %uint_1 %uint_4 %seen", "OpAtomicStore %at %uint_1 %uint_2 %seen", { difference: "spirv-val checks this for Vulkan only" }),
  kernel("semantics", "OpControlBarrier %uint_2 %uint_2 %uint_16", "OpControlBarrier %uint_2 %uint_2 %ulong_8"),
  shader("recursion", "%s2 = OpFMul %float %s %s", "%s2 = OpFunctionCall %float %square %s", { difference: "spirv-val checks this for Vulkan only" }),
  shader("logical-pointer", "OpCapability VariablePointersStorageBuffer\n", ""),
];
