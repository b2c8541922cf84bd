// SPDX-License-Identifier: Apache-2.0
// Cases of image instructions and their operands.
import { type Edit, type ValidationCase, casesOf, valid } from "./validation.table.ts";

const images = casesOf("images");
const SAMPLE = "%sample = OpImageSampleExplicitLod %v4 %ts %at2 Lod %float_0";
const GRAD = "%sample_grad = OpImageSampleExplicitLod %v4 %ts %at2 Grad %at2 %at2";
const CUBE = "%sample_cube = OpImageSampleExplicitLod %v4 %cs %at3 Lod %float_0";
const DREF = "%dref = OpImageSampleDrefExplicitLod %float %ds %at2 %float_0 Lod %float_0";
const GATHER = "%gather = OpImageGather %v4 %ts %at2 %uint_1";
const FETCH = "%fetch = OpImageFetch %v4 %t %ix2 Lod %int_0";
const READ = "%read = OpImageRead %v4 %i %ix2";
const READ_MS = "%read_ms = OpImageRead %v4 %m %ix2 Sample %int_0";
const WRITE = "OpImageWrite %i %ix2 %at4";
const TEXEL = "%texel = OpImageTexelPointer %texel_p %cnt %ix2 %uint_0";

/** Declares another image as %l, and %ls with a sampler. */
const other = (operands: string): Edit => [
  "%main_type = OpTypeFunction %void\n",
  `%line = OpTypeImage %float ${operands}\n%sampled_line = OpTypeSampledImage %line\n%l = OpUndef %line\n%ls = OpUndef %sampled_line\n%main_type = OpTypeFunction %void\n`,
];
const LINE = other("1D 0 0 0 1 Unknown");
const MULTISAMPLED = other("2D 0 0 1 1 Unknown");
const BUFFER = other("Buffer 0 0 0 1 Unknown");
const VULKAN_MODEL: Edit = [
  "OpMemoryModel Logical GLSL450",
  'OpCapability VulkanMemoryModel\nOpCapability VulkanMemoryModelDeviceScope\nOpExtension "SPV_KHR_vulkan_memory_model"\nOpMemoryModel Logical Vulkan',
];

/** Cases of images. */
export const IMAGE_CASES: readonly ValidationCase[] = [
  images("image-coordinate", `${FETCH}\n`, "%fetch = OpImageFetch %v4 %t %at2 Lod %int_0\n", valid(FETCH, "%fetch = OpImageFetch %v4 %t %ix3 Lod %int_0")),
  images("image-coordinate", SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %ix2 Lod %float_0", valid(SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %at3 Lod %float_0")),
  images("image-coordinate-size", SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %float_0 Lod %float_0", valid(SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %at4 Lod %float_0")),
  images("image-coordinate-size", CUBE, "%sample_cube = OpImageSampleExplicitLod %v4 %cs %at2 Lod %float_0"),
  images("image-coordinate-size", READ, "%read = OpImageRead %v4 %i %int_0", valid(READ, "%read = OpImageRead %v4 %i %ix3")),
  images("image-coordinate-size", TEXEL, "%texel = OpImageTexelPointer %texel_p %cnt %ix3 %uint_0"),
  images("image-result", SAMPLE, "%sample = OpImageSampleExplicitLod %v3 %ts %at2 Lod %float_0"),
  images("image-result", DREF, "%dref = OpImageSampleDrefExplicitLod %v4 %ds %at2 %float_0 Lod %float_0"),
  images("image-result", FETCH, "%fetch = OpImageFetch %float %t %ix2 Lod %int_0"),
  images("image-texel", WRITE, "OpImageWrite %i %ix2 %true"),
  images("image-sampled-type", SAMPLE, "%sample = OpImageSampleExplicitLod %u4 %ts %at2 Lod %float_0"),
  images("image-sampled-type", GATHER, "%gather = OpImageGather %u4 %ts %at2 %uint_1"),
  images("image-sampled", READ, "%read = OpImageRead %v4 %t %ix2"),
  images("image-sampled", FETCH, "%fetch = OpImageFetch %v4 %i %ix2"),
  images("image-sampled", WRITE, "OpImageWrite %t %ix2 %at4"),
  images("image-dim", FETCH, "%fetch = OpImageFetch %v4 %c %ix3 Lod %int_0"),
  images("image-dim", GATHER, "%gather = OpImageGather %v4 %ls %float_0 %uint_1", { also: LINE }),
  images("image-lod-dim", FETCH, "%fetch = OpImageFetch %v4 %l %int_0 Lod %int_0", { also: BUFFER, ...valid(FETCH, "%fetch = OpImageFetch %v4 %l %int_0") }),
  images("image-multisampled", SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ls %at2 Grad %at2 %at2", { also: MULTISAMPLED }),
  images("image-lod-multisampled", FETCH, "%fetch = OpImageFetch %v4 %l %ix2 Lod|Sample %int_0 %int_0", { difference: "spirv-val takes a level of a multisampled image", also: MULTISAMPLED, ...valid(FETCH, "%fetch = OpImageFetch %v4 %l %ix2 Sample %int_0") }),
  images("image-write-format", WRITE, WRITE, { also: ["%image = OpTypeImage %float 2D 0 0 0 2 Rgba8", "%image = OpTypeImage %float 2D 0 0 0 2 Unknown"], difference: "spirv-val checks formats for Vulkan only", valid: ["OpCapability ImageQuery", "OpCapability ImageQuery\nOpCapability StorageImageWriteWithoutFormat"] }),
  images("image-read-format", "OpCapability StorageImageReadWithoutFormat\n", "OpCapability StorageImageWriteWithoutFormat\n", { also: ["%image = OpTypeImage %float 2D 0 0 0 2 Rgba8", "%image = OpTypeImage %float 2D 0 0 0 2 Unknown"], difference: "spirv-val checks formats for Vulkan only", valid: ["OpCapability StorageImageReadWithoutFormat\n", "OpCapability StorageImageReadWithoutFormat\nOpCapability StorageImageWriteWithoutFormat\n"] }),
  images("image-reference", DREF, "%dref = OpImageSampleDrefExplicitLod %float %ds %at2 %uint_1 Lod %float_0"),
  images("image-component", GATHER, "%gather = OpImageGather %v4 %ts %at2 %float_0", valid(GATHER, "%gather = OpImageGather %v4 %ts %at2 %int_1")),
  images("image-bias", SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %at2 Bias|Lod %float_0 %float_0"),
  images("image-explicit-level", SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %at2 ConstOffset %ix2", { ...valid(SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %at2 Lod|ConstOffset %float_0 %ix2"), difference: "spirv-val does not ask for a level" }),
  images("image-lod", SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %at2 Lod %int_0"),
  images("image-lod", FETCH, "%fetch = OpImageFetch %v4 %t %ix2 Lod %float_0", valid(FETCH, "%fetch = OpImageFetch %v4 %t %ix2 Lod %uint_0")),
  images("image-lod-place", SAMPLE, "%sample = OpImageSampleImplicitLod %v4 %ts %at2 Lod %float_0"),
  images("image-lod-or-grad", GRAD, "%sample_grad = OpImageSampleExplicitLod %v4 %ts %at2 Lod|Grad %float_0 %at2 %at2"),
  images("image-grad", GRAD, "%sample_grad = OpImageSampleExplicitLod %v4 %ts %at2 Grad %at3 %at3", valid(GRAD, "%sample_grad = OpImageSampleExplicitLod %v4 %ts %at2 Grad|ConstOffset %at2 %at2 %ix2")),
  images("image-grad", GRAD, "%sample_grad = OpImageSampleExplicitLod %v4 %ts %at2 Grad %ix2 %ix2"),
  images("image-grad-place", FETCH, "%fetch = OpImageFetch %v4 %t %ix2 Grad %at2 %at2"),
  images("image-min-lod", SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %at2 Lod|MinLod %float_0 %float_0", valid(GRAD, "%sample_grad = OpImageSampleExplicitLod %v4 %ts %at2 Grad|MinLod %at2 %at2 %float_0")),
  images("image-min-lod", GRAD, "%sample_grad = OpImageSampleExplicitLod %v4 %ts %at2 Grad|MinLod %at2 %at2 %int_0"),
  images("image-offset", SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %at2 Lod|ConstOffset %float_0 %ix3", valid(SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %at2 Lod|Offset %float_0 %ix2")),
  images("image-offset", GATHER, "%gather = OpImageGather %v4 %ts %at2 %uint_1 Offset %at2", valid(GATHER, "%gather = OpImageGather %v4 %ts %at2 %uint_1 Offset %ix2")),
  images("image-offset-constant", GATHER, "%gather = OpImageGather %v4 %ts %at2 %uint_1 ConstOffset %size_2", { also: ["%ts = OpSampledImage", "%size_2 = OpImageQuerySize %i2 %i\n%ts = OpSampledImage"] }),
  images("image-offset-dim", CUBE, "%sample_cube = OpImageSampleExplicitLod %v4 %cs %at3 Lod|ConstOffset %float_0 %ix3"),
  images("image-offset-single", GATHER, "%gather = OpImageGather %v4 %ts %at2 %uint_1 ConstOffset|Offset %ix2 %ix2", valid(GATHER, "%gather = OpImageGather %v4 %ts %at2 %uint_1 ConstOffsets %offsets")),
  images("image-offsets-gather", SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %at2 Lod|ConstOffsets %float_0 %offsets"),
  images("image-sample", READ_MS, "%read_ms = OpImageRead %v4 %m %ix2 Sample %float_0", valid(READ_MS, "%read_ms = OpImageRead %v4 %m %ix2 Sample %uint_1")),
  images("image-sample", TEXEL, "%texel = OpImageTexelPointer %texel_p %cnt %ix2 %uint_1"),
  images("image-sample-place", SAMPLE, "%sample = OpImageSampleExplicitLod %v4 %ts %at2 Lod|Sample %float_0 %int_0"),
  images("image-sample-single", READ, "%read = OpImageRead %v4 %i %ix2 Sample %int_0"),
  images("image-sample-needed", READ_MS, "%read_ms = OpImageRead %v4 %m %ix2"),
  images("texel-available", READ, "%read = OpImageRead %v4 %i %ix2 MakeTexelAvailable|NonPrivateTexel %uint_1", { also: VULKAN_MODEL, ...valid(READ, "%read = OpImageRead %v4 %i %ix2 MakeTexelVisible|NonPrivateTexel %uint_1") }),
  images("texel-visible", WRITE, "OpImageWrite %i %ix2 %at4 MakeTexelVisible|NonPrivateTexel %uint_1", { also: VULKAN_MODEL, ...valid(WRITE, "OpImageWrite %i %ix2 %at4 MakeTexelAvailable|NonPrivateTexel %uint_1") }),
  images("texel-private", WRITE, "OpImageWrite %i %ix2 %at4 MakeTexelAvailable %uint_1", { also: VULKAN_MODEL }),
  images("texel-pointer", TEXEL, "%texel = OpImageTexelPointer %local_p %cnt %ix2 %uint_0", { also: ["%texel_p =", "%local_p = OpTypePointer Function %uint\n%texel_p ="] }),
  images("texel-pointer", TEXEL, "%texel = OpImageTexelPointer %texel_p %img %ix2 %uint_0"),
  images("image-query-result", "%size = OpImageQuerySizeLod %i2 %t %int_0", "%size = OpImageQuerySizeLod %i3 %t %int_0"),
  images("image-query-result", "%size_i = OpImageQuerySize %i2 %i", "%size_i = OpImageQuerySize %v2 %i"),
  images("image-query-result", "%levels = OpImageQueryLevels %int %t", "%levels = OpImageQueryLevels %i2 %t", valid("%levels = OpImageQueryLevels %int %t", "%levels = OpImageQueryLevels %uint %t")),
  images("image-query-dim", "%size_i = OpImageQuerySize %i2 %i", "%size_i = OpImageQuerySize %i2 %t", valid("%size_i = OpImageQuerySize %i2 %i", "%size_i = OpImageQuerySize %i2 %m")),
  images("image-query-level", "%size = OpImageQuerySizeLod %i2 %t %int_0", "%size = OpImageQuerySizeLod %i2 %t %float_0", valid("%size = OpImageQuerySizeLod %i2 %t %int_0", "%size = OpImageQuerySizeLod %i2 %t %uint_0")),
  images("image-query-samples", "%samples = OpImageQuerySamples %int %m", "%samples = OpImageQuerySamples %int %i"),
  images("sampled-image-block", "%next = OpLabel", "%next = OpLabel\n%late = OpImageSampleExplicitLod %v4 %ts %at2 Lod %float_0", valid("%next = OpLabel", "%next = OpLabel\n%ts2 = OpSampledImage %sampled %t %s\n%late = OpImageSampleExplicitLod %v4 %ts2 %at2 Lod %float_0")),
  images("sampled-image-use", GATHER, `%chosen = OpSelect %sampled %true %ts %ts\n${GATHER}`),
  images("implicit-lod", SAMPLE, "%sample = OpImageSampleImplicitLod %v4 %ts %at2", { also: ['OpEntryPoint GLCompute %main "main"\nOpExecutionMode %main LocalSize 8 1 1\n', 'OpEntryPoint Vertex %main "main"\n'] }),
  images("result-type", "%ts = OpSampledImage %sampled %t %s", "%ts = OpSampledImage %sampled %c %s", { difference: "spirv-val does not compare the images" }),
  images("operand-type", "%ts = OpSampledImage %sampled %t %s", "%ts = OpSampledImage %sampled %t %t"),
  images("operand-type", READ, "%read = OpImageRead %v4 %s %ix2"),
  images("result-type", `${READ}\n`, `${READ}\n%back = OpImage %image %ts\n`, valid(`${READ}\n`, `${READ}\n%back = OpImage %texture %ts\n`)),
];
