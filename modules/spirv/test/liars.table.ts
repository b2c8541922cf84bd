// SPDX-License-Identifier: Apache-2.0
// Modules that are made to take memory: each is much of one thing, of as few words as it can be.

const KERNEL = "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\n";
const MODEL = "OpMemoryModel Physical32 OpenCL\n";
const SHADER = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n";
const HEAD = KERNEL + MODEL;
const FUNCTION = "%void = OpTypeVoid\n%type = OpTypeFunction %void\n";
const POINTER = "%int = OpTypeInt 32 0\n%ptr = OpTypePointer CrossWorkgroup %int\n";
const BODY = "%f = OpFunction %void None %type\n%e = OpLabel\n";
const END = "\nOpReturn\nOpFunctionEnd";

const many = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join("\n");
const list = (count: number, item: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => item(n)).join(" ");

/** Modules by what they have much of: `size` of it. */
export const LIARS: Readonly<Record<string, (size: number) => string>> = {
  instructions: (size) => `${HEAD}${many(size, () => "OpNop")}`,
  constants: (size) => `${HEAD}%int = OpTypeInt 32 0\n${many(size, (n) => `%c${n} = OpConstant %int ${n}`)}`,
  "ids up to 2^32": (size) =>
    `${HEAD}%4294967294 = OpTypeInt 32 0\n${many(size, (n) => `%${4294967293 - n * 7} = OpConstant %4294967294 ${n}`)}`,
  names: (size) => `${HEAD}${many(size, () => `OpName %int "abc"`)}\n%int = OpTypeInt 32 0`,
  extensions: (size) => `${KERNEL}${many(size, (n) => `OpExtension "SPV_${n}"`)}\n${MODEL}`,
  imports: (size) => `${KERNEL}${many(size, (n) => `%s${n} = OpExtInstImport "OpenCL.std"`)}\n${MODEL}`,
  decorations: (size) =>
    `${HEAD}${many(size, (n) => `OpDecorate %v${n} Constant`)}\n${POINTER}${many(size, (n) => `%v${n} = OpVariable %ptr CrossWorkgroup`)}`,
  "decorations of one thing": (size) =>
    `${HEAD}${many(size, () => "OpDecorate %v Restrict")}\n${POINTER}%v = OpVariable %ptr CrossWorkgroup`,
  "decorations in a group for many": (size) =>
    `${HEAD}${many(size, () => "OpDecorate %g Restrict")}\n${many(size, (n) => `OpDecorate %v${n} Constant`)}\n` +
    `%g = OpDecorationGroup\nOpGroupDecorate %g ${list(size, (n) => `%v${n}`)}\n${POINTER}` +
    many(size, (n) => `%v${n} = OpVariable %ptr CrossWorkgroup`),
  "groups of decorations of one thing": (size) =>
    `${HEAD}${many(size, (n) => `%g${n} = OpDecorationGroup`)}\n${many(size, (n) => `OpGroupDecorate %g${n} %v`)}\n` +
    `${POINTER}%v = OpVariable %ptr CrossWorkgroup\n${many(size, () => "OpNop")}`,
  "offsets of members": (size) =>
    `${SHADER}${many(size, (n) => `OpMemberDecorate %s${n} 0 Offset 0`)}\n%int = OpTypeInt 32 0\n` +
    many(size, (n) => `%s${n} = OpTypeStruct %int`),
  "a structure of a block": (size) =>
    `${SHADER}OpDecorate %s Block\n${many(size, (n) => `OpMemberDecorate %s ${n} Offset ${n * 4}`)}\n` +
    `%int = OpTypeInt 32 0\n%s = OpTypeStruct ${list(size, () => "%int")}\n` +
    "%ptr = OpTypePointer Uniform %s\n%v = OpVariable %ptr Uniform",
  "entry points": (size) =>
    `${KERNEL}${MODEL}${many(size, (n) => `OpEntryPoint Kernel %f "${n}"`)}\n` +
    `${many(size, () => "OpExecutionMode %f ContractionOff")}\n${FUNCTION}${BODY}OpReturn\nOpFunctionEnd`,
  structures: (size) => `${SHADER}${many(size, (n) => `%s${n} = OpTypeStruct`)}`,
  "types of functions": (size) =>
    `${HEAD}${many(size, (n) => `%s${n} = OpTypeStruct\n%t${n} = OpTypeFunction %s${n}`)}`,
  "pointers to pointers": (size) =>
    `${SHADER}%p0 = OpTypePointer Private %void\n%void = OpTypeVoid\n`.replace(/(%p0.*\n)(.*\n)/u, "$2$1") +
    many(size, (n) => `%p${n + 1} = OpTypePointer Private %p${n}`),
  "pointers declared forward": (size) =>
    `${HEAD}${many(size, (n) => `OpTypeForwardPointer %p${n} CrossWorkgroup`)}\n%int = OpTypeInt 32 0\n` +
    many(size, (n) => `%p${n} = OpTypePointer CrossWorkgroup %int`),
  functions: (size) =>
    `${HEAD}${FUNCTION}${many(size, (n) => `%f${n} = OpFunction %void None %type\n%e${n} = OpLabel${END}`)}`,
  "imported functions": (size) =>
    `${HEAD}${many(size, (n) => `OpDecorate %f${n} LinkageAttributes "f${n}" Import`)}\n${FUNCTION}` +
    many(size, (n) => `%f${n} = OpFunction %void None %type\nOpFunctionEnd`),
  calls: (size) =>
    `${SHADER}${FUNCTION}` +
    many(
      size,
      (n) => `%f${n} = OpFunction %void None %type\n%e${n} = OpLabel\n%c${n} = OpFunctionCall %void %f${n + 1}${END}`,
    ) +
    `\n%f${size} = OpFunction %void None %type\n%e = OpLabel${END}`,
  "blocks that nothing reaches": (size) => `${HEAD}${FUNCTION}${BODY}OpReturn\n${many(size, (n) => `%b${n} = OpLabel\nOpReturn`)}\nOpFunctionEnd`,
  "a chain of blocks": (size) =>
    `${HEAD}${FUNCTION}${BODY}OpBranch %b0\n${many(size, (n) => `%b${n} = OpLabel\nOpBranch %b${n + 1}`)}\n%b${size} = OpLabel${END}`,
  "selections in selections": (size) =>
    `${SHADER}%bool = OpTypeBool\n%true = OpConstantTrue %bool\n${FUNCTION}${BODY}OpBranch %b0\n` +
    many(
      size,
      (n) => `%b${n} = OpLabel\nOpSelectionMerge %m${n} None\nOpBranchConditional %true %b${n + 1} %m${n}`,
    ) +
    `\n%b${size} = OpLabel\nOpBranch %m${size - 1}\n` +
    many(size - 1, (n) => `%m${size - 1 - n} = OpLabel\nOpBranch %m${size - 2 - n}`) +
    `\n%m0 = OpLabel${END}`,
  "cases of switches": (size) =>
    `${HEAD}%int = OpTypeInt 32 0\n%c = OpConstant %int 0\n${FUNCTION}${BODY}OpBranch %s0\n` +
    many(
      Math.ceil(size / 1000),
      (n) => `%s${n} = OpLabel\nOpSwitch %c %s${n + 1} ${list(1000, (one) => `${one} %s${n + 1}`)}`,
    ) +
    `\n%s${Math.ceil(size / 1000)} = OpLabel${END}`,
  "cases of a switch with blocks": (size) =>
    `${SHADER}%int = OpTypeInt 32 0\n%c = OpConstant %int 0\n${FUNCTION}${BODY}OpBranch %s0\n` +
    many(
      Math.ceil(size / 1000),
      (n) =>
        `%s${n} = OpLabel\nOpSelectionMerge %s${n + 1} None\n` +
        `OpSwitch %c %s${n + 1} ${list(1000, (one) => `${one} %b${n}_${one}`)}\n` +
        many(1000, (one) => `%b${n}_${one} = OpLabel\nOpBranch %s${n + 1}`),
    ) +
    `\n%s${Math.ceil(size / 1000)} = OpLabel${END}`,
  "values of phis": (size) =>
    `${HEAD}%int = OpTypeInt 32 0\n%c = OpConstant %int 0\n${FUNCTION}${BODY}` +
    `OpSwitch %c %m ${list(size, (n) => `${n} %b${n}`)}\n${many(size, (n) => `%b${n} = OpLabel\nOpBranch %m`)}\n` +
    `%m = OpLabel\n${many(8, (phi) => `%p${phi} = OpPhi %int %c %e ${list(size, (n) => `%c %b${n}`)}`)}${END}`,
  phis: (size) =>
    `${HEAD}%int = OpTypeInt 32 0\n%c = OpConstant %int 0\n${FUNCTION}${BODY}OpBranch %m\n%m = OpLabel\n` +
    `${many(size, (n) => `%p${n} = OpPhi %int %c %e`)}${END}`,
  sums: (size) =>
    `${HEAD}%int = OpTypeInt 32 0\n%x0 = OpConstant %int 1\n${FUNCTION}${BODY}` +
    `${many(size, (n) => `%x${n + 1} = OpIAdd %int %x${n} %x0`)}${END}`,
};
