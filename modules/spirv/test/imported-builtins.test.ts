// SPDX-License-Identifier: Apache-2.0
// Imported functions with mangled names: which built-in function they are, and which are left to the linker.
import { LAYOUT_32, printModule } from "@muxkit/ir";
import { assemble, bytesOfWords, readSpirv } from "@muxkit/spirv";
import { expect, test } from "vitest";

const TYPES = `
%void = OpTypeVoid
%bool = OpTypeBool
%char = OpTypeInt 8 0
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%i33 = OpTypeInt 33 0
%float = OpTypeFloat 32
%char4 = OpTypeVector %char 4
%int4 = OpTypeVector %int 4
%float2 = OpTypeVector %float 2
%float4 = OpTypeVector %float 4
%event = OpTypeEvent
%sampler = OpTypeSampler
%image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%global_float = OpTypePointer CrossWorkgroup %float
%generic_int = OpTypePointer Generic %int
%generic_char = OpTypePointer Generic %char
%generic_long = OpTypePointer Generic %long
%private_event = OpTypePointer Function %event
`;

/** The IR of a function that calls an imported one with its own parameters. */
function irOf(symbol: string, result: string, parameters: readonly string[]): string {
  const list = (name: string): string =>
    parameters.map((type, n) => `%${name}${n} = OpFunctionParameter %${type}\n`).join("");
  const types = parameters.map((type) => ` %${type}`).join("");
  const assembled = assemble(`
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int8
OpCapability Int64
OpCapability GenericPointer
OpCapability ImageBasic
OpMemoryModel Physical64 OpenCL
OpDecorate %callee LinkageAttributes "${symbol}" Import
OpDecorate %caller LinkageAttributes "caller" Export
${TYPES}
%type = OpTypeFunction %${result}${types}
%callee = OpFunction %${result} None %type
${list("theirs")}OpFunctionEnd
%caller = OpFunction %${result} None %type
${list("own")}%entry = OpLabel
%made = OpFunctionCall %${result} %callee${parameters.map((_, n) => ` %own${n}`).join("")}
${result === "void" ? "OpReturn" : "OpReturnValue %made"}
OpFunctionEnd
`);
  if (!assembled.ok) throw new Error(assembled.error.message);
  const read = readSpirv(bytesOfWords(assembled.value), {
    name: "test",
    layout: LAYOUT_32,
    specialization: new Map(),
    floatFlags: 0,
    uniformWorkGroups: false,
  });
  if (!read.ok) throw new Error(read.error.message);
  return printModule(read.value);
}

const ORDERS = "12memory_orderS4_12memory_scope";

test.each([
  ["_Z11dot_acc_satDv4_cS_i", "int", ["char4", "char4", "int"], "dot_acc_sat(char4, char4, int)"],
  ["_Z11dot_acc_satDv4_hDv4_ci", "int", ["char4", "char4", "int"], "dot_acc_sat(uchar4, char4, int)"],
  ["_Z21dot_4x8packed_uu_uintjj", "int", ["int", "int"], "dot_4x8packed_uu_uint(uint, uint)"],
  ["_Z3fmaDv4_fS_S_", "float4", ["float4", "float4", "float4"], "fma(float4, float4, float4)"],
  ["_Z5clampDv4_fff", "float4", ["float4", "float", "float"], "clamp(float4, float, float)"],
  ["_Z3absDv4_i", "int4", ["int4"], "abs(int4)"],
  ["_Z7isequalDv4_fS_", "int4", ["float4", "float4"], "isequal(float4, float4)"],
  ["_Z6selectDv4_fS_Dv4_j", "float4", ["float4", "float4", "int4"], "select(float4, float4, uint4)"],
  ["_Z21work_group_reduce_addi", "int", ["int"], "work_group_reduce_add(int)"],
  ["_Z20work_group_broadcastim", "int", ["int", "long"], "work_group_broadcast(int, uint)"],
  ["_Z13get_global_idj", "long", ["int"], "get_global_id(uint)"],
  ["_Z22get_sub_group_local_idv", "int", [], "get_sub_group_local_id()"],
  ["_Z18work_group_barrierj12memory_scope", "void", ["int", "int"], "work_group_barrier(uint, memory_scope)"],
  ["_Z6vload4mPU3AS1Kf", "float4", ["long", "global_float"], "vload4(uint, float*)"],
  ["_Z17wait_group_eventsiP9ocl_event", "void", ["int", "private_event"], "wait_group_events(int, event_t*)"],
  [
    "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f",
    "float4",
    ["image", "sampler", "float2"],
    "read_imagef(image2d_t, sampler_t, float2)",
  ],
  [
    "_Z16atomic_fetch_subPU3AS1VU7_Atomicff",
    "float",
    ["global_float", "float"],
    "atomic_fetch_sub(atomic_float*, float)",
  ],
  // Atomic sizes: the difference has a sign, the function is that of the atomic type.
  [
    "_Z16atomic_fetch_subPU3AS4VU7_Atomicml",
    "long",
    ["generic_long", "long"],
    "atomic_fetch_sub(atomic_ulong*, ulong)",
  ],
  [
    "_Z25atomic_fetch_add_explicitPU3AS4VU7_Atomicji12memory_order",
    "int",
    ["generic_int", "int", "int"],
    "atomic_fetch_add_explicit(atomic_uint*, uint, memory_order)",
  ],
  ["_Z9get_fencePU3AS4v", "int", ["generic_char"], "get_fence(void*)"],
  [
    `_Z39atomic_compare_exchange_strong_explicitPU3AS4VU7_AtomiciPU3AS4ii${ORDERS}`,
    "bool",
    ["generic_int", "generic_int", "int", "int", "int", "int"],
    "atomic_compare_exchange_strong_explicit(atomic_int*, int*, int, memory_order, memory_order, memory_scope)",
  ],
] as const)("%s(%s %j) is %s", (symbol, result, parameters, wanted) => {
  const text = irOf(symbol, result, parameters);
  expect(text).toContain(`call_builtin ${wanted}`);
  expect(text).not.toContain(symbol);
});

test.each([
  // Names that are no built-in's, are not mangled, or end early.
  ["_Z1fi", "int", ["int"]],
  ["abs", "int", ["int"]],
  ["_Z3ab", "int", ["int"]],
  ["_Z3abs", "int", ["int"]],
  ["_Z99999absi", "int", ["int"]],
  ["_ZN3abs1fEi", "int", ["int"]],
  // Types that no row has.
  ["_Z3maxij", "int", ["int", "int"]],
  ["_Z3absf", "float", ["float"]],
  ["_Z3absi", "int", ["int", "int"]],
  ["_Z3dotDv4_fS0_", "float", ["float4", "float4"]],
  ["_Z3abs4pair", "int", ["int"]],
  ["_Z16atomic_fetch_andPU3AS1VU7_Atomicff", "float", ["global_float", "float"]],
  ["_Z16atomic_fetch_subPU3AS4VU7_Atomicij", "int", ["generic_int", "int"]],
  ["_Z16atomic_fetch_minPU3AS4VU7_Atomicml", "long", ["generic_long", "long"]],
  ["_Z9get_fencePU3AS4v", "float", ["generic_char"]],
  ["_Z16atomic_fetch_subPU3AS1Vff", "float", ["global_float", "float"]],
  ["_Z6printfPU3AS1fz", "int", ["global_float", "int"]],
  // Types of the name that are not those of the function.
  ["_Z3absi", "int", ["float"]],
  ["_Z3absi", "float", ["int"]],
  ["_Z3absl", "i33", ["i33"]],
  ["_Z20work_group_broadcastij", "int", ["int", "int"]],
] as const)("%s(%s %j) is left to the linker", (symbol, result, parameters) => {
  const text = irOf(symbol, result, parameters);
  expect(text).not.toContain("call_builtin");
  expect(text).toContain(`@${symbol}(`);
});
