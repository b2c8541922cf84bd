// SPDX-License-Identifier: Apache-2.0
// Programs in SPIR-V (OpenCL 3.0, 5.8.1, 5.8.3; cl_khr_il_program).
import { compilers } from "@muxkit/host-compiler/native";
import { assemble, bytesOfWords } from "@muxkit/spirv";
import {
  type Context,
  type Program,
  clBuildProgram,
  clCompileProgram,
  clCreateKernel,
  clCreateProgramWithIL,
  clCreateProgramWithILKHR,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clGetDeviceInfo,
  clGetKernelArgInfo,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clLinkProgram,
  clSetKernelArg,
  clSetProgramSpecializationConstant,
  setCompilers,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, device, expectError, int, ints, newQueue, readInts } from "./rig.ts";

/** `out[i] = i * factor + twice(offset(i))`: the factor is the constant 3, `offset` is defined elsewhere. */
const TEXT = `
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %scale "scale" %id
OpName %out "out"
OpDecorate %factor SpecId 3
OpDecorate %flag SpecId 4
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %product NoSignedWrap
OpDecorate %twice LinkageAttributes "twice" LinkOnceODR
OpDecorate %offset LinkageAttributes "offset" Import
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %uint 3
%ptr = OpTypePointer CrossWorkgroup %uint
%input = OpTypePointer Input %v3
%factor = OpSpecConstant %uint 10
%flag = OpSpecConstantTrue %bool
%one = OpConstant %uint 1
%zero = OpConstant %uint 0
%more = OpSpecConstantOp %uint Select %flag %one %zero
%sum = OpSpecConstantOp %uint IAdd %factor %more
%kernel = OpTypeFunction %void %ptr
%function = OpTypeFunction %uint %uint
%id = OpVariable %input Input
%offset = OpFunction %uint None %function
%x = OpFunctionParameter %uint
OpFunctionEnd
%twice = OpFunction %uint None %function
%y = OpFunctionParameter %uint
%body = OpLabel
%double = OpIAdd %uint %y %y
OpReturnValue %double
OpFunctionEnd
%scale = OpFunction %void None %kernel
%out = OpFunctionParameter %ptr
%entry = OpLabel
%ids = OpLoad %v3 %id
%i = OpCompositeExtract %uint %ids 0
%p = OpInBoundsPtrAccessChain %ptr %out %i
%product = OpIMul %uint %i %sum
%added = OpFunctionCall %uint %offset %i
%same = OpFunctionCall %uint %twice %added
%result = OpIAdd %uint %product %same
OpStore %p %result Aligned 4
OpReturn
OpFunctionEnd
`;

function moduleOf(text: string): Uint8Array {
  const assembled = assemble(text);
  if (!assembled.ok) throw new Error(assembled.error.message);
  return bytesOfWords(assembled.value);
}

const MODULE = moduleOf(TEXT);

/** Links the module with a function in OpenCL C, after the constants were set. */
function linked(set: (program: Program) => void = () => undefined): Program {
  const program = clCreateProgramWithIL(context, MODULE);
  set(program);
  clCompileProgram(program);
  const other = clCreateProgramWithSource(context, [
    `uint twice(uint x) { return 2 * x; } uint offset(uint x) { return 500 - twice(x); }`,
  ]);
  clCompileProgram(other);
  return clLinkProgram(context, null, "", [program, other]);
}

function run(program: Program): number[] {
  const queue = newQueue();
  const out = ints(0, 0, 0, 0);
  const kernel = clCreateKernel(program, "scale");
  clSetKernelArg(kernel, 0, out);
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [4], null);
  return readInts(queue, out);
}

test("a module is linked with OpenCL C, and runs with the constants that were set", () => {
  expect(run(linked())).toEqual([1000, 1007, 1014, 1021]);
  const set = linked((program) => {
    clSetProgramSpecializationConstant(program, 3, int(2));
    clSetProgramSpecializationConstant(program, 4, Uint8Array.of(0));
  });
  expect(run(set)).toEqual([1000, 998, 996, 994]);
});

test("queries: the module, the versions, the names of arguments", () => {
  const program = clCreateProgramWithIL(context, MODULE);
  expect(clGetProgramInfo(program, "CL_PROGRAM_IL")).toEqual(MODULE);
  expect(clGetProgramInfo(program, "CL_PROGRAM_SOURCE")).toBe("");
  expect(clGetDeviceInfo(device, "CL_DEVICE_IL_VERSION").split(" ")).toEqual(
    [6, 5, 4, 3, 2, 1, 0].map((minor) => `SPIR-V_1.${minor}`),
  );
  expect(clGetDeviceInfo(device, "CL_DEVICE_ILS_WITH_VERSION").at(-1)).toEqual({ name: "SPIR-V", version: 1 << 22 });
  const kernel = clCreateKernel(linked(), "scale");
  expect(clGetKernelArgInfo(kernel, 0, "CL_KERNEL_ARG_NAME")).toBe("out");
  expect(clGetKernelArgInfo(kernel, 0, "CL_KERNEL_ARG_ADDRESS_QUALIFIER")).toBe("CL_KERNEL_ARG_ADDRESS_GLOBAL");
});

test("clCreateProgramWithIL: CL_INVALID_VALUE for what is no module, CL_INVALID_CONTEXT", () => {
  const versions = MODULE.slice();
  versions[2] = 9;
  for (const bytes of [new Uint8Array(0), new Uint8Array(64), MODULE.subarray(0, 18), versions])
    expectError(
      () => clCreateProgramWithIL(context, bytes),
      "CL_INVALID_VALUE",
      /are no SPIR-V module of version 1.0/u,
    );
  expectError(() => clCreateProgramWithIL({} as Context, MODULE), "CL_INVALID_CONTEXT", /expected an object/u);
  expectError(
    () => clCreateProgramWithILKHR(context, new Uint8Array(4)),
    "CL_INVALID_VALUE",
    /^clCreateProgramWithILKHR/u,
  );
  expectError(() => clCreateProgramWithILKHR({} as Context, MODULE), "CL_INVALID_CONTEXT", /expected an object/u);
});

test("clCreateProgramWithIL: CL_INVALID_OPERATION where nothing compiles", () => {
  setCompilers({ compilers: [] });
  try {
    expect(clGetDeviceInfo(device, "CL_DEVICE_IL_VERSION")).toBe("");
    expectError(() => clCreateProgramWithIL(context, MODULE), "CL_INVALID_OPERATION", /has a compiler/u);
    expectError(() => clCreateProgramWithILKHR(context, MODULE), "CL_INVALID_OPERATION", /has a compiler/u);
  } finally {
    setCompilers({ compilers });
  }
});

test("a module that is not taken fails to build, with the word and the instruction in the log", () => {
  const program = clCreateProgramWithIL(
    context,
    moduleOf(
      TEXT.replace("OpIMul %uint %i %sum", "OpFMul %uint %i %sum").replace("OpDecorate %product NoSignedWrap\n", ""),
    ),
  );
  expectError(
    () => clBuildProgram(program),
    "CL_BUILD_PROGRAM_FAILURE",
    /word \d+: the result is not a float or a vector of floats \[arithmetic-result\]/u,
  );
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_LOG")).toMatch(/%\d+ = OpFMul %\d+ %\d+ %\d+/u);
});

test("the log names the place in the source that the module's debug information says", () => {
  const program = clCreateProgramWithIL(
    context,
    moduleOf(
      TEXT.replace("OpDecorate %product NoSignedWrap\n", "")
        .replace("OpName %out", '%file = OpString "scale.cl"\nOpName %out')
        .replace(/(?<sum>.*)OpIMul (?<operands>%uint %i %sum)/u, "OpLine %file 12 7\n$<sum>OpFMul $<operands>"),
    ),
  );
  expectError(
    () => clBuildProgram(program),
    "CL_BUILD_PROGRAM_FAILURE",
    /scale\.cl:12:7: word \d+: the result is not/u,
  );
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_LOG")).toMatch(/scale\.cl:12:7: word \d+: /u);
});

test("clSetProgramSpecializationConstant: ids and sizes are those of the module", () => {
  const program = clCreateProgramWithIL(context, MODULE);
  expectError(
    () => clSetProgramSpecializationConstant(program, 5, int(1)),
    "CL_INVALID_SPEC_ID",
    /has no specialization constant 5; it has 3, 4/u,
  );
  expectError(
    () => clSetProgramSpecializationConstant(program, 3, new Uint8Array(8)),
    "CL_INVALID_VALUE",
    /has 4 bytes, and 8 were passed/u,
  );
  const source = clCreateProgramWithSource(context, [`kernel void k() {}`]);
  expectError(
    () => clSetProgramSpecializationConstant(source, 3, int(1)),
    "CL_INVALID_PROGRAM",
    /only programs of clCreateProgramWithIL/u,
  );
});
