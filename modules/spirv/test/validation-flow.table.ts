// SPDX-License-Identifier: Apache-2.0
// Cases of structured control flow and of explicit layout, and of limits.
import { type ValidationCase, casesOf, valid } from "./validation.table.ts";

const flow = casesOf("flow");
/** spirv-val looks at alignments and overlaps in Vulkan environments alone. */
const layout: ReturnType<typeof casesOf> = (rule, find, replace, rest) =>
  casesOf("layout")(rule, find, replace, { environment: "vulkan", ...rest });
const kernel = casesOf("kernel");
const shader = casesOf("shader");
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

/** Cases of flow and layout. */
export const FLOW_CASES: readonly ValidationCase[] = [
  // Structured control flow
  flow("merge-dominance", "%then = OpLabel\nOpBranch %body_end", "%then = OpLabel\nOpBranch %switch_end", valid("%then = OpLabel\nOpBranch %body_end", "%then = OpLabel\nOpBranch %loop_next")),
  flow("construct-exit", "%two_yes = OpLabel\nOpBranch %switch_end", "%two_yes = OpLabel\nOpBranch %three", valid("%two_yes = OpLabel\nOpBranch %switch_end", "%two_yes = OpLabel\nOpBranch %two_end")),
  flow("loop-header", "%body_end = OpLabel\nOpBranch %loop_next", "%body_end = OpLabel\nOpBranch %latch", valid("%body_end = OpLabel\nOpBranch %loop_next", "%body_end = OpLabel\nOpBranchConditional %true %loop_next %loop_end")),
  flow("construct-entry", "%switch_end = OpLabel\nOpReturn", "%switch_end = OpLabel\nOpSelectionMerge %last None\nOpBranchConditional %true %three_2 %last\n%last = OpLabel\nOpBranch %three_2\n%three_2 = OpLabel\nOpReturn", valid("%switch_end = OpLabel\nOpReturn", "%switch_end = OpLabel\nOpSelectionMerge %last None\nOpBranchConditional %true %three_2 %last\n%three_2 = OpLabel\nOpBranch %last\n%last = OpLabel\nOpReturn")),
  flow("continue-post-dominance", "%loop_next = OpLabel\nOpBranch %latch", "%loop_next = OpLabel\nOpBranchConditional %true %latch %loop_end", valid("%loop_next = OpLabel\nOpBranch %latch", "%loop_next = OpLabel\nOpSelectionMerge %joined None\nOpBranchConditional %true %more %joined\n%more = OpLabel\nOpBranch %joined\n%joined = OpLabel\nOpBranch %latch")),
  flow("continue-post-dominance", "%loop_next = OpLabel\nOpBranch %latch", "%loop_next = OpLabel\nOpSelectionMerge %joined None\nOpBranchConditional %true %more %joined\n%more = OpLabel\nOpReturn\n%joined = OpLabel\nOpBranch %latch", valid("%body_end = OpLabel\nOpBranch %loop_next", "%body_end = OpLabel\nOpReturn")),
  flow("switch-fall-through", "%one = OpLabel\nOpBranch %two", "%one = OpLabel\nOpBranchConditional %true %two %three", valid("%one = OpLabel\nOpBranch %two", "%one = OpLabel\nOpBranchConditional %true %two %switch_end")),
  flow("switch-fall-in", "%default = OpLabel\nOpBranch %switch_end", "%default = OpLabel\nOpBranch %two", valid("%default = OpLabel\nOpBranch %switch_end", "%default = OpLabel\nOpBranch %three")),
  flow("switch-order", "%three = OpLabel\nOpBranch %switch_end", "%three = OpLabel\nOpBranch %one", valid("OpSwitch %n %default 1 %one 2 %two 3 %three", "OpSwitch %n %default 3 %three 1 %one 2 %two")),
  flow("switch-order", "OpSwitch %n %default 1 %one 2 %two 3 %three", "OpSwitch %n %default 2 %two 1 %one 3 %three"),
  flow("switch-literal", "OpSwitch %n %default 1 %one 2 %two 3 %three", "OpSwitch %n %default 1 %one 2 %two 2 %three", { difference: "spirv-val does not compare the values of a switch" }),
  flow("loop-merge-branch", "OpLoopMerge %loop_end %loop_next None\nOpBranchConditional %true %body %loop_end", "OpLoopMerge %loop_end %loop_next None\nOpSwitch %n %body 1 %loop_end", valid("OpLoopMerge %loop_end %loop_next None\nOpBranchConditional %true %body %loop_end", "OpLoopMerge %loop_end %loop_next None\nOpBranch %body")),
  flow("selection-merge-branch", "OpSelectionMerge %body_end None\nOpBranchConditional %true %then %else\n", "OpSelectionMerge %body_end None\nOpBranch %then\n"),
  flow("loop-control", "OpLoopMerge %loop_end %loop_next None", "OpLoopMerge %loop_end %loop_next Unroll|DontUnroll", valid("OpLoopMerge %loop_end %loop_next None", "OpLoopMerge %loop_end %loop_next Unroll")),
  flow("loop-multiple", "OpLoopMerge %loop_end %loop_next None", "OpLoopMerge %loop_end %loop_next IterationMultiple 0", { also: ["; Version: 1.3", "; Version: 1.4"], ...valid("OpLoopMerge %loop_end %loop_next None", "OpLoopMerge %loop_end %loop_next IterationMultiple 2") }),
  flow("selection-control", "OpSelectionMerge %body_end None", "OpSelectionMerge %body_end Flatten|DontFlatten", { ...valid("OpSelectionMerge %body_end None", "OpSelectionMerge %body_end Flatten"), difference: "spirv-val does not compare these bits" }),
  flow("function-control", "%main = OpFunction %void None %main_type", "%main = OpFunction %void Inline|DontInline %main_type", { ...valid("%main = OpFunction %void None %main_type", "%main = OpFunction %void Pure|Inline %main_type"), difference: "spirv-val does not compare these bits" }),
  flow("branch-weights", "OpBranchConditional %true %then %else", "OpBranchConditional %true %then %else 0 0", { ...valid("OpBranchConditional %true %then %else", "OpBranchConditional %true %then %else 1 0"), difference: "spirv-val does not look at weights" }),
  flow("branch-weights", "OpBranchConditional %true %then %else", "OpBranchConditional %true %then %else 1"),
  flow("construct-exit", "OpSelectionMerge %body_end None", "OpSelectionMerge %else None"),
  // Explicit layout
  layout("layout-offset", "OpMemberDecorate %storage 1 Offset 4\n", ""),
  layout("layout-offset", "OpMemberDecorate %inner 1 Offset 4\n", ""),
  layout("layout-offset-alignment", "OpMemberDecorate %storage 1 Offset 4", "OpMemberDecorate %storage 1 Offset 6", valid("OpMemberDecorate %storage 1 Offset 4", "OpMemberDecorate %storage 1 Offset 12")),
  layout("layout-offset-alignment", "OpMemberDecorate %uniform 1 Offset 64", "OpMemberDecorate %uniform 1 Offset 72", valid("OpMemberDecorate %uniform 1 Offset 64", "OpMemberDecorate %uniform 1 Offset 80")),
  layout("layout-overlap", "OpMemberDecorate %storage 1 Offset 4", "OpMemberDecorate %storage 1 Offset 0", valid("OpMemberDecorate %storage 1 Offset 4", "OpMemberDecorate %storage 1 Offset 8")),
  layout("layout-overlap", "OpMemberDecorate %uniform 3 Offset 144", "OpMemberDecorate %uniform 3 Offset 128"),
  layout("layout-padding", "OpMemberDecorate %uniform 4 Offset 160", "OpMemberDecorate %uniform 4 Offset 72", valid("OpMemberDecorate %uniform 4 Offset 160", "OpMemberDecorate %uniform 4 Offset 80")),
  layout("layout-straddle", "OpMemberDecorate %storage 2 Offset 16", "OpMemberDecorate %storage 2 Offset 12", { ...valid("OpMemberDecorate %storage 2 Offset 16", "OpMemberDecorate %storage 2 Offset 20") }),
  layout("layout-array-stride", "OpDecorate %floats ArrayStride 16\n", ""),
  layout("layout-array-stride", "OpDecorate %tail ArrayStride 16\n", ""),
  layout("layout-stride-zero", "OpDecorate %tail ArrayStride 16", "OpDecorate %tail ArrayStride 0"),
  layout("layout-stride-alignment", "OpDecorate %floats ArrayStride 16", "OpDecorate %floats ArrayStride 4", valid("OpDecorate %tight ArrayStride 4", "OpDecorate %tight ArrayStride 8")),
  layout("layout-stride-alignment", "OpDecorate %tail ArrayStride 16", "OpDecorate %tail ArrayStride 12", valid("OpDecorate %tail ArrayStride 16", "OpDecorate %tail ArrayStride 32")),
  layout("layout-stride-size", "OpDecorate %tail ArrayStride 16", "OpDecorate %tail ArrayStride 4", { also: ["%tail = OpTypeRuntimeArray %v3", "%tail = OpTypeRuntimeArray %inner"], ...valid("OpDecorate %tail ArrayStride 16", "OpDecorate %tail ArrayStride 8") }),
  layout("layout-matrix-order", "OpMemberDecorate %uniform 2 ColMajor\n", ""),
  layout("layout-matrix-both", "OpMemberDecorate %uniform 2 ColMajor\n", "OpMemberDecorate %uniform 2 ColMajor\nOpMemberDecorate %uniform 2 RowMajor\n"),
  layout("layout-matrix-stride", "OpMemberDecorate %uniform 2 MatrixStride 16\n", ""),
  layout("layout-matrix-alignment", "OpMemberDecorate %uniform 2 MatrixStride 16", "OpMemberDecorate %uniform 2 MatrixStride 12", valid("OpMemberDecorate %uniform 2 ColMajor", "OpMemberDecorate %uniform 2 RowMajor")),
  // Limits
  kernel("limit-members", "%pair = OpTypeStruct %uint %float", `%large = OpTypeStruct ${lines(16384, () => "%uint").replaceAll("\n", " ")}\n%pair = OpTypeStruct %uint %float`, valid("%pair = OpTypeStruct %uint %float", `%large = OpTypeStruct ${lines(16383, () => "%uint").replaceAll("\n", " ")}\n%pair = OpTypeStruct %uint %float`)),
  kernel("limit-nesting", "%pair = OpTypeStruct %uint %float", `%s0 = OpTypeStruct %uint\n${lines(256, (at) => `%s${at + 1} = OpTypeStruct %s${at}`)}\n%pair = OpTypeStruct %uint %float`, valid("%pair = OpTypeStruct %uint %float", `%s0 = OpTypeStruct %uint\n${lines(200, (at) => `%s${at + 1} = OpTypeStruct %s${at}`)}\n%pair = OpTypeStruct %uint %float`)),
  kernel("limit-switch", "OpSwitch %n %exit 1 %one 2 %two", `OpSwitch %n %exit ${lines(16384, (at) => `${at} %one`).replaceAll("\n", " ")} 20000 %two`, valid("OpSwitch %n %exit 1 %one 2 %two", `OpSwitch %n %exit ${lines(16000, (at) => `${at} %one`).replaceAll("\n", " ")} 20000 %two`)),
  kernel("limit-parameters", "%helper_type = OpTypeFunction %uint %uint", `%wide_type = OpTypeFunction %uint${" %uint".repeat(256)}\n%helper_type = OpTypeFunction %uint %uint`, valid("%helper_type = OpTypeFunction %uint %uint", `%wide_type = OpTypeFunction %uint${" %uint".repeat(255)}\n%helper_type = OpTypeFunction %uint %uint`)),
  kernel("limit-globals", "%shared = OpVariable %workgroup Workgroup", `${lines(65536, (at) => `%g${at} = OpVariable %workgroup Workgroup`)}\n%shared = OpVariable %workgroup Workgroup`, valid("%shared = OpVariable %workgroup Workgroup", `${lines(60000, (at) => `%g${at} = OpVariable %workgroup Workgroup`)}\n%shared = OpVariable %workgroup Workgroup`)),
  kernel("limit-indices", "%element = OpAccessChain %private %local %uint_1", `%element = OpAccessChain %private %local %uint_1${" %uint_0".repeat(256)}`),
  shader("built-in-members", "OpDecorate %constants Block\n", "OpDecorate %constants Block\nOpMemberDecorate %mixed 0 BuiltIn Position\n", { also: ["%constants = OpTypeStruct %int\n", "%constants = OpTypeStruct %int\n%mixed = OpTypeStruct %v4float %v4float\n"], ...valid("OpDecorate %constants Block\n", "OpDecorate %constants Block\nOpMemberDecorate %mixed 0 BuiltIn Position\nOpMemberDecorate %mixed 1 BuiltIn FragCoord\n") }),
];
