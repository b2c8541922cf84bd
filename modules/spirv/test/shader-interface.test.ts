// SPDX-License-Identifier: Apache-2.0
// What a module of shaders wants bound, as data and as arguments of the kernel that it becomes; and what is refused.
// modules/shader-interface.spvasm was made by glslang of a shader with every kind of resource.
import { readFileSync } from "node:fs";

import { LAYOUT_32 } from "@muxkit/ir";
import { assemble, bytesOfWords, readSpirv, reflectShader } from "@muxkit/spirv";
import { expect, test } from "vitest";

function moduleOf(text: string): Uint8Array {
  const made = assemble(text);
  if (!made.ok) throw new Error(`line ${made.error.line}: ${made.error.message}`);
  return bytesOfWords(made.value);
}

const RESOURCES = moduleOf(readFileSync(new URL("modules/shader-interface.spvasm", import.meta.url), "utf8"));

const OPTIONS = {
  name: "shader",
  layout: LAYOUT_32,
  specialization: new Map<number, Uint8Array>(),
  floatFlags: 0,
  uniformWorkGroups: false,
};

const word = (value: number): Uint8Array => new Uint8Array(Uint32Array.of(value).buffer);

test("bindings in the order of set and binding, with kind, count, access and size", () => {
  const reflected = reflectShader(RESOURCES);
  if (!reflected.ok) throw new Error(reflected.error.message);
  const [entry] = reflected.value.entryPoints;
  const rows = entry?.bindings.map(
    ({ set, binding, kind, count, name, isRead, isWritten, blockBytes, elementBytes, image }) => [
      `${set},${binding}`,
      name,
      kind,
      count,
      `${isRead ? "r" : ""}${isWritten ? "w" : ""}`,
      blockBytes,
      elementBytes,
      image,
    ],
  );
  expect(rows).toEqual([
    ["0,1", "results", "storage-buffer", 3, "w", 16, 0, ""],
    ["0,5", "params", "uniform-buffer", 1, "r", 52, 0, ""],
    ["1,2", "source", "storage-buffer", 1, "r", 16, 16, ""],
    ["2,0", "both", "combined-image-sampler", 1, "r", 0, 0, "image2d_array_t"],
    ["2,1", "only", "sampled-image", 1, "r", 0, 0, "image2d_t"],
    ["2,2", "filters", "sampler", 2, "r", 0, 0, ""],
    ["2,3", "volume", "storage-image", 1, "r", 0, 0, "image3d_t"],
    ["2,4", "texels", "storage-texel-buffer", 1, "rw", 0, 0, "image1d_buffer_t"],
    ["2,5", "table", "uniform-texel-buffer", 1, "r", 0, 0, "image1d_buffer_t"],
  ]);
  expect(entry?.bindings.map(({ sampledType }) => sampledType)).toEqual([
    "",
    "",
    "",
    "float",
    "uint",
    "",
    "float",
    "int",
    "float",
  ]);
  expect(entry?.pushConstants).toEqual({ name: "push", offset: 8, bytes: 12 });
});

test("specialization constants with type and default, and sizes that follow from their values", () => {
  const reflected = reflectShader(RESOURCES, { specialization: new Map([[3, word(6)]]) });
  if (!reflected.ok) throw new Error(reflected.error.message);
  const { entryPoints, specialization } = reflected.value;
  expect(specialization.map(({ id, name, type, bits, value }) => [id, name, type, bits, ...value])).toEqual([
    [0, "N", "uint", 32, 2, 0, 0, 0],
    [1, "F", "float", 32, 0, 0, 0xc0, 0x3f],
    [2, "B", "bool", 32, 1, 0, 0, 0],
    [3, "", "uint", 32, 6, 0, 0, 0],
  ]);
  expect(entryPoints.map(({ localSize }) => localSize)).toEqual([[4, 6, 1]]);
});

test("the kernel's arguments are what the reflection says", () => {
  const [reflected, read] = [reflectShader(RESOURCES), readSpirv(RESOURCES, OPTIONS)];
  if (!reflected.ok || !read.ok) throw new Error("the module is read");
  const KINDS = {
    buffer: "pointer",
    "buffer-bytes": "value",
    image: "image",
    sampler: "sampler",
    "push-constants": "value",
  };
  const kernel = read.value.functions.get("main")?.kernel;
  const [entry] = reflected.value.entryPoints;
  expect(kernel?.arguments.map(({ kind }) => kind)).toEqual(entry?.arguments.map(({ kind }) => KINDS[kind]));
  expect(kernel?.arguments.map(({ name }) => name)).toEqual([
    "results[0]",
    "results[0].bytes",
    "results[1]",
    "results[1].bytes",
    "results[2]",
    "results[2].bytes",
    "params",
    "params.bytes",
    "source",
    "source.bytes",
    "both",
    "both.sampler",
    "only",
    "filters[0]",
    "filters[1]",
    "volume",
    "texels",
    "table",
    "push",
  ]);
  expect(kernel?.arguments.filter(({ kind }) => kind === "image").map(({ access }) => access)).toEqual([
    "read_only",
    "read_only",
    "read_only",
    "read_write",
    "read_only",
  ]);
  expect(kernel?.arguments.at(-1)?.size).toBe(24);
  expect(kernel?.requiredWorkGroupSize).toEqual([4, 1, 1]);
});

const TWO = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %first "first"
OpEntryPoint GLCompute %second "second"
OpExecutionMode %first LocalSize 8 1 1
OpExecutionMode %second LocalSize 2 2 1
OpName %a "a"
OpName %b "b"
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%block = OpTypeStruct %uint
%pointer = OpTypePointer Uniform %block
%ptr = OpTypePointer Uniform %uint
%zero = OpConstant %uint 0
%type = OpTypeFunction %void
%a = OpVariable %pointer Uniform
%b = OpVariable %pointer Uniform
%shared = OpFunction %void None %type
%l0 = OpLabel
%p0 = OpAccessChain %ptr %b %zero
%v0 = OpLoad %uint %p0
OpReturn
OpFunctionEnd
%first = OpFunction %void None %type
%l1 = OpLabel
%c1 = OpFunctionCall %void %shared
OpReturn
OpFunctionEnd
%second = OpFunction %void None %type
%l2 = OpLabel
%p2 = OpAccessChain %ptr %a %zero
%v2 = OpLoad %uint %p2
%c2 = OpFunctionCall %void %shared
OpReturn
OpFunctionEnd
`;

test("each entry point has what it uses, through functions too", () => {
  const reflected = reflectShader(moduleOf(TWO));
  if (!reflected.ok) throw new Error(reflected.error.message);
  expect(
    reflected.value.entryPoints.map(({ name, localSize, bindings }) => [
      name,
      localSize,
      bindings.map((own) => own.name),
    ]),
  ).toEqual([
    ["first", [8, 1, 1], ["b"]],
    ["second", [2, 2, 1], ["a", "b"]],
  ]);
  expect(readSpirv(moduleOf(TWO), OPTIONS).ok).toBe(true);
});

/** A module with more declarations, and what stands in its function instead of nothing. */
const changed = (from: string, to: string): string => TWO.replace(from, to);

test.each([
  ["no place", changed("OpDecorate %b Binding 1\n", ""), /a resource must have a decoration Binding/u],
  [
    "two kinds at one place",
    changed("OpDecorate %b Binding 1", "OpDecorate %b Binding 0")
      .replace("%b = OpVariable %pointer Uniform", "%b = OpVariable %pointer2 StorageBuffer")
      .replace(
        "%ptr = ",
        "%pointer2 = OpTypePointer StorageBuffer %block\n%ptr2 = OpTypePointer StorageBuffer %uint\n%ptr = ",
      )
      .replace("%p0 = OpAccessChain %ptr", "%p0 = OpAccessChain %ptr2"),
    /two variables at set 0, binding 0 are of two kinds/u,
  ],
  [
    "no descriptors counted",
    changed(
      "%pointer = OpTypePointer Uniform %block",
      "%list = OpTypeRuntimeArray %block\n%pointer = OpTypePointer Uniform %list",
    ),
    /the array of resources at 0,0 says no count/u,
  ],
  ["no items", changed("LocalSize 8 1 1", "LocalSize 8 0 1"), /at least one work-item in each dimension/u],
  [
    "an entry point is called",
    changed(
      "OpFunctionCall %void %shared\nOpReturn\nOpFunctionEnd\n%second",
      "OpFunctionCall %void %second\nOpReturn\nOpFunctionEnd\n%second",
    ),
    /an entry point (?:is|cannot be) called/u,
  ],
  ["a fragment shader", changed("GLCompute %first", "Fragment %first"), /execution model Fragment is not supported/u],
  [
    "outputs",
    changed(
      "%a = OpVariable",
      "%ptrout = OpTypePointer Output %uint\n%out = OpVariable %ptrout Output\n%a = OpVariable",
    ),
    /no memory of the storage class Output/u,
  ],
  [
    "derivatives",
    changed(
      "OpExecutionMode %first LocalSize 8 1 1",
      "OpExecutionMode %first LocalSize 8 1 1\nOpExecutionMode %first DerivativeGroupLinearNV",
    ).replace(
      "OpCapability Shader",
      `OpCapability Shader
OpCapability ComputeDerivativeGroupLinearNV
OpExtension "SPV_NV_compute_shader_derivatives"`,
    ),
    /DerivativeGroupLinearNV is not supported in compute shaders/u,
  ],
  [
    "an end that fragments have",
    changed("OpReturn\nOpFunctionEnd\n%first", "OpKill\nOpFunctionEnd\n%first"),
    /only fragment shaders end early/u,
  ],
])("refused: %s", (_name, text, message) => {
  const module = moduleOf(text);
  const reflected = reflectShader(module);
  const read = reflected.ok ? readSpirv(module, OPTIONS) : reflected;
  expect(read.ok ? "" : read.error.message).toMatch(message);
});

test("kernels are not reflected", () => {
  const kernels = moduleOf("OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical32 OpenCL");
  const reflected = reflectShader(kernels);
  expect(reflected.ok ? "" : reflected.error.message).toBe("the module has kernels and no shaders");
});
