// SPDX-License-Identifier: Apache-2.0
// Cases of decorations, built-ins and environments.
import { type Edit, type ValidationCase, casesOf, valid } from "./validation.table.ts";

const kernel = casesOf("kernel");
const shader = casesOf("shader");
const layout = casesOf("layout");
const groups = casesOf("groups");
const images = casesOf("images");
const vulkan = { environment: "vulkan" } as const;
const opencl = { environment: "opencl" } as const;
const GID = "OpDecorate %gid BuiltIn GlobalInvocationId\n";
/** A decoration before that of the built-in of either base. */
const decorate = (line: string): Edit => [GID, `${line}\n${GID}`];
const alsoDecorate = (line: string): Partial<ValidationCase> => ({ valid: decorate(line) });

/** Cases of what a module offers and what its environment takes. */
export const OFFER_CASES: readonly ValidationCase[] = [
  // Decorations
  shader("decoration-member", ...decorate("OpMemberDecorate %block 0 Block"), alsoDecorate("OpMemberDecorate %block 0 NonWritable")),
  shader("decoration-block-both", ...decorate("OpDecorate %block BufferBlock")),
  shader("decoration-alias-both", ...decorate("OpDecorate %buffer Restrict\nOpDecorate %buffer Aliased"), alsoDecorate("OpDecorate %buffer Restrict")),
  groups("decoration-pointer-both", "OpDecorate %held AliasedPointer\n", "OpDecorate %held AliasedPointer\nOpDecorate %held RestrictPointer\n", valid("OpDecorate %held AliasedPointer\n", "OpDecorate %held RestrictPointer\n")),
  kernel("decoration-signed-wrap", ...decorate("OpDecorate %bits NoSignedWrap"), { also: ["; Version: 1.2", "; Version: 1.4"], ...alsoDecorate("OpDecorate %added NoSignedWrap") }),
  kernel("decoration-unsigned-wrap", ...decorate("OpDecorate %bits NoUnsignedWrap"), { also: ["; Version: 1.2", "; Version: 1.4"], ...alsoDecorate("OpDecorate %twice NoUnsignedWrap") }),
  kernel("decoration-rounding", ...decorate("OpDecorate %added FPRoundingMode RTE"), { ...alsoDecorate("OpDecorate %as_float FPRoundingMode RTZ"), difference: "spirv-val checks rounding in shaders only" }),
  kernel("decoration-saturation", ...decorate("OpDecorate %added SaturatedConversion"), { ...alsoDecorate("OpDecorate %wide SaturatedConversion"), difference: "spirv-val does not look at what this decorates" }),
  shader("decoration-interpolation-both", ...decorate("OpDecorate %gid Flat\nOpDecorate %gid NoPerspective"), { ...alsoDecorate("OpDecorate %gid Flat"), difference: "spirv-val does not compare these decorations" }),
  shader("decoration-uniform", ...decorate("OpDecorate %float Uniform"), alsoDecorate("OpDecorate %value Uniform")),
  shader("decoration-memory", ...decorate("OpDecorate %value NonWritable"), alsoDecorate("OpDecorate %buffer NonWritable")),
  kernel("linkage-entry-point", ...decorate('OpDecorate %main LinkageAttributes "main" Export'), alsoDecorate('OpDecorate %helper LinkageAttributes "helper" Export')),
  kernel("linkage-initializer", ...decorate('OpDecorate %outside LinkageAttributes "outside" Import'), { also: ["%shared = OpVariable %workgroup Workgroup", "%uint_p = OpTypePointer CrossWorkgroup %uint\n%outside = OpVariable %global CrossWorkgroup %uint_1\n%shared = OpVariable %workgroup Workgroup"], ...alsoDecorate('OpDecorate %outside LinkageAttributes "outside" Export') }),
  // Built-ins
  shader("built-in-type", GID, "OpDecorate %gid BuiltIn LocalInvocationIndex\n", { ...vulkan, ...valid(GID, "OpDecorate %gid BuiltIn WorkgroupId\n"), difference: "spirv-val looks at the components where the variable is read as a whole" }),
  shader("built-in-storage", "%gid_pointer = OpTypePointer Input %v3uint\n", "%gid_pointer = OpTypePointer Input %v3uint\n%odd_p = OpTypePointer Private %v3uint\n%odd = OpVariable %odd_p Private\n", { ...vulkan, also: [GID, `${GID}OpDecorate %odd BuiltIn NumWorkgroups\n`], ...valid("%gid_pointer = OpTypePointer Input %v3uint\n", "%gid_pointer = OpTypePointer Input %v3uint\n%odd = OpVariable %gid_pointer Input\n") }),
  shader("built-in-constant", GID, "OpDecorate %gid BuiltIn WorkgroupSize\n", vulkan),
  shader("built-in-variable", ...decorate("OpDecorate %three BuiltIn NumWorkgroups"), { ...vulkan, also: ["%size = OpSpecConstant %uint 64", "%three = OpConstantComposite %v3uint %uint_1 %uint_1 %uint_1\n%size = OpSpecConstant %uint 64"], ...alsoDecorate("OpDecorate %three BuiltIn WorkgroupSize") }),
  shader("built-in-model", GID, "OpDecorate %gid BuiltIn FragCoord\n", vulkan),
  // Vulkan
  shader("vulkan-capability", "OpCapability GroupNonUniform\n", "OpCapability GroupNonUniform\nOpCapability Linkage\n", { ...vulkan, ...valid("OpCapability GroupNonUniform\n", "OpCapability GroupNonUniform\nOpCapability Int64\n") }),
  shader("vulkan-storage", "%part_pointer = OpTypePointer Workgroup %part_type", "%part_pointer = OpTypePointer Workgroup %part_type\n%far = OpTypePointer CrossWorkgroup %float", vulkan),
  shader("vulkan-descriptor-set", "OpDecorate %buffer DescriptorSet 0\n", "", vulkan),
  shader("vulkan-binding", "OpDecorate %buffer Binding 0\n", "", vulkan),
  shader("vulkan-block", "OpDecorate %block Block\n", "", vulkan),
  shader("vulkan-block", "OpDecorate %constants Block\n", "", vulkan),
  layout("vulkan-uniform-block", "OpDecorate %uniform Block\n", "", vulkan),
  images("vulkan-opaque", "%img = OpVariable %image_p UniformConstant", "%img = OpVariable %image_p UniformConstant\n%odd_p = OpTypePointer UniformConstant %float\n%odd = OpVariable %odd_p UniformConstant", { ...vulkan, also: ["OpDecorate %tex DescriptorSet 0", "OpDecorate %odd DescriptorSet 0\nOpDecorate %odd Binding 9\nOpDecorate %tex DescriptorSet 0"], valid: ["%img = OpVariable %image_p UniformConstant", "%img = OpVariable %image_p UniformConstant\n%odd = OpVariable %image_p UniformConstant"] }),
  shader("vulkan-initializer", "%part = OpVariable %part_pointer Workgroup", "%one_p = OpTypePointer StorageBuffer %constants\n%one = OpConstantNull %constants\n%odd = OpVariable %one_p StorageBuffer %one\n%part = OpVariable %part_pointer Workgroup", { ...vulkan, also: [GID, `${GID}OpDecorate %odd DescriptorSet 0\nOpDecorate %odd Binding 9\n`], valid: ["%part = OpVariable %part_pointer Workgroup", "%one_p = OpTypePointer StorageBuffer %constants\n%odd = OpVariable %one_p StorageBuffer\n%part = OpVariable %part_pointer Workgroup"] }),
  layout("vulkan-push-constant", "%c = OpVariable %constants_pointer PushConstant", "%c = OpVariable %constants_pointer PushConstant\n%c2 = OpVariable %constants_pointer PushConstant", { ...vulkan, base: "groups", invalid: ["%buffer %push %part", "%buffer %push %part %push_2"], also: ["%push = OpVariable %constants_p PushConstant", "%push = OpVariable %constants_p PushConstant\n%push_2 = OpVariable %constants_p PushConstant"], ...valid("%buffer %push %part", "%buffer %push_2 %part"), difference: "spirv-val counts push constants that functions use" }),
  shader("vulkan-runtime-array", "%part = OpVariable %part_pointer Workgroup", "%many = OpTypeRuntimeArray %constants\n%many_p = OpTypePointer StorageBuffer %many\n%odd = OpVariable %many_p StorageBuffer\n%part = OpVariable %part_pointer Workgroup", { ...vulkan, also: [GID, `${GID}OpDecorate %odd DescriptorSet 0\nOpDecorate %odd Binding 9\n`], valid: ["%part = OpVariable %part_pointer Workgroup", "%many = OpTypeArray %constants %uint_2\n%many_p = OpTypePointer StorageBuffer %many\n%odd = OpVariable %many_p StorageBuffer\n%part = OpVariable %part_pointer Workgroup"] }),
  shader("environment", "OpExecutionMode %main LocalSize 8 1 1\n", "", vulkan),
  // OpenCL
  kernel("opencl-capability", "OpCapability Int8\n", "OpCapability Int8\nOpCapability Shader\n", { ...opencl, ...valid("OpCapability Int8\n", "OpCapability Int8\nOpCapability Float64\n") }),
  kernel("opencl-set", '%cl = OpExtInstImport "OpenCL.std"\n', '%cl = OpExtInstImport "OpenCL.std"\n%odd = OpExtInstImport "GLSL.std.450"\n', { ...opencl, ...valid('%cl = OpExtInstImport "OpenCL.std"\n', '%cl = OpExtInstImport "OpenCL.std"\n%debug = OpExtInstImport "OpenCL.DebugInfo.100"\n'), difference: "spirv-val takes any set" }),
  kernel("environment", "OpMemoryModel Physical64 OpenCL", "OpMemoryModel Logical OpenCL", opencl),
];
