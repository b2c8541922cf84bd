// SPDX-License-Identifier: Apache-2.0
// What the client's environment allows over the universal rules: capabilities, storage classes, descriptors and
// variables of Vulkan, capabilities and sets of OpenCL; and the types and places of built-in variables.
import type { EnumerantNames, OpName } from "../generated/names.ts";
import { enumerant, enumerantName, opcodeOf } from "../grammar/tables.ts";
import type { Validation } from "./validation.ts";

type CapabilityName = EnumerantNames["Capability"];
const capability = (name: CapabilityName): number => enumerant("Capability", name);
const storage = (name: EnumerantNames["StorageClass"]): number => enumerant("StorageClass", name);

const VULKAN_NOT: ReadonlySet<number> = new Set(
  (
    [
      "Addresses",
      "Linkage",
      "Kernel",
      "Vector16",
      "Float16Buffer",
      "ImageBasic",
      "ImageReadWrite",
      "ImageMipmap",
      "Pipes",
      "DeviceEnqueue",
      "LiteralSampler",
      "AtomicStorage",
      "SampledRect",
      "ImageRect",
      "GenericPointer",
      "SubgroupDispatch",
      "NamedBarrier",
      "PipeStorage",
    ] as const
  ).map(capability),
);
const OPENCL_NOT: ReadonlySet<number> = new Set(
  (
    [
      "Matrix",
      "Shader",
      "Geometry",
      "Tessellation",
      "AtomicStorage",
      "StorageImageMultisample",
      "ClipDistance",
      "CullDistance",
      "SampleRateShading",
      "ImageRect",
      "SampledRect",
      "InputAttachment",
      "SparseResidency",
      "MinLod",
      "ImageMSArray",
      "StorageImageExtendedFormats",
      "ImageQuery",
      "DerivativeControl",
      "InterpolationFunction",
      "TransformFeedback",
      "VariablePointers",
      "VariablePointersStorageBuffer",
      "VulkanMemoryModel",
      "PhysicalStorageBufferAddresses",
      "RayTracingKHR",
      "RayQueryKHR",
      "MeshShadingEXT",
    ] as const
  ).map(capability),
);
const VULKAN_STORAGE_NOT: ReadonlySet<number> = new Set(
  (["CrossWorkgroup", "Generic", "AtomicCounter"] as const).map(storage),
);

const CAPABILITY = opcodeOf("OpCapability");
const EXT_INST_IMPORT = opcodeOf("OpExtInstImport");
const VARIABLE = opcodeOf("OpVariable");
const POINTER = opcodeOf("OpTypePointer");
const FUNCTION = opcodeOf("OpFunction");
const MEMBER_DECORATE = opcodeOf("OpMemberDecorate");
const ENTRY_POINT = opcodeOf("OpEntryPoint");
const STRUCT = opcodeOf("OpTypeStruct");
const ARRAY = opcodeOf("OpTypeArray");
const RUNTIME_ARRAY = opcodeOf("OpTypeRuntimeArray");
const NULL = opcodeOf("OpConstantNull");
const OPAQUE: ReadonlySet<number> = new Set(
  (["OpTypeImage", "OpTypeSampler", "OpTypeSampledImage", "OpTypeAccelerationStructureKHR"] as const).map(
    (name: OpName) => opcodeOf(name),
  ),
);
const UNIFORM = storage("Uniform");
const UNIFORM_CONSTANT = storage("UniformConstant");
const STORAGE_BUFFER = storage("StorageBuffer");
const PUSH_CONSTANT = storage("PushConstant");
const WORKGROUP = storage("Workgroup");
const INITIALIZED: ReadonlySet<number> = new Set(
  (["Output", "Private", "Function", "Workgroup"] as const).map(storage),
);
const DESCRIBED: ReadonlySet<number> = new Set([UNIFORM, UNIFORM_CONSTANT, STORAGE_BUFFER]);
const DEBUG_SETS = /^(?:OpenCL\.std|OpenCL\.DebugInfo\.100|DebugInfo|NonSemantic\..*)$/u;

function checkVulkanVariable(v: Validation, at: number): void {
  const { decorations } = v;
  const id = v.module.results[at] ?? 0;
  const where = v.word(at, 3);
  let type = v.pointee(v.word(at, 1));
  if (v.size(at) > 4) {
    if (!INITIALIZED.has(where))
      v.fail(at, "vulkan-initializer", `Vulkan initialises no variables of ${enumerantName("StorageClass", where)}`, 4);
    else if (where === WORKGROUP && v.op(v.word(at, 4)) !== NULL)
      v.fail(at, "vulkan-initializer", "a variable of Workgroup is initialised by OpConstantNull", 4);
  }
  if (v.op(type) === RUNTIME_ARRAY && !v.has("RuntimeDescriptorArray"))
    v.fail(at, "vulkan-runtime-array", "an array of descriptors without a length needs RuntimeDescriptorArray", 1);
  if (v.op(type) === ARRAY || v.op(type) === RUNTIME_ARRAY) type = v.word(v.definition(type), 2);
  if (DESCRIBED.has(where)) {
    if (!decorations.has(id, "DescriptorSet"))
      v.fail(at, "vulkan-descriptor-set", "the variable has no DescriptorSet", 2);
    else if (!decorations.has(id, "Binding")) v.fail(at, "vulkan-binding", "the variable has no Binding", 2);
  }
  const isStruct = v.op(type) === STRUCT;
  if ((where === STORAGE_BUFFER || where === PUSH_CONSTANT) && (!isStruct || !decorations.has(type, "Block")))
    v.fail(at, "vulkan-block", "the variable is no structure with the decoration Block", 1);
  if (where === UNIFORM && (!isStruct || (!decorations.has(type, "Block") && !decorations.has(type, "BufferBlock"))))
    v.fail(at, "vulkan-uniform-block", "the variable is no structure with the decoration Block or BufferBlock", 1);
  if (where === UNIFORM_CONSTANT && !OPAQUE.has(v.op(type)))
    v.fail(at, "vulkan-opaque", "a variable of UniformConstant is an image, a sampler or both", 1);
}

/** Push constants: one for each entry point, by the interface from version 1.4 on, by all variables before it. */
function checkPushConstants(v: Validation): void {
  const { opcodes, count } = v.module;
  for (let at = 0; at < count && opcodes[at] !== FUNCTION; at++) {
    if (opcodes[at] !== ENTRY_POINT || v.module.version < 0x10400) continue;
    let found = 0;
    for (let word = 4; word < v.size(at); word++)
      if (v.op(v.word(at, word)) === VARIABLE && v.storageClass(v.typeOf(v.word(at, word))) === PUSH_CONSTANT) found++;
    if (found > 1) v.fail(at, "vulkan-push-constant", "an entry point has several push constants");
  }
}

/** The rules of the environment, over all that stands before functions. */
export function checkEnvironment(v: Validation): void {
  const { opcodes, imports, results, count } = v.module;
  const { environment } = v;
  if (environment === "universal") return;
  const isVulkan = environment === "vulkan";
  const forbidden = isVulkan ? VULKAN_NOT : OPENCL_NOT;
  for (let at = 0; at < count && opcodes[at] !== FUNCTION && !v.isFull; at++) {
    const opcode = opcodes[at];
    if (opcode === CAPABILITY && forbidden.has(v.word(at, 1)))
      v.fail(
        at,
        isVulkan ? "vulkan-capability" : "opencl-capability",
        `${isVulkan ? "Vulkan" : "OpenCL"} has no capability ${enumerantName("Capability", v.word(at, 1))}`,
        1,
      );
    else if (opcode === POINTER && isVulkan && VULKAN_STORAGE_NOT.has(v.word(at, 2)))
      v.fail(at, "vulkan-storage", `Vulkan has no storage class ${enumerantName("StorageClass", v.word(at, 2))}`, 2);
    else if (opcode === VARIABLE && isVulkan) checkVulkanVariable(v, at);
    else if (opcode === EXT_INST_IMPORT && !isVulkan && !DEBUG_SETS.test(imports.get(results[at] ?? 0) ?? ""))
      v.fail(at, "opencl-set", "OpenCL has the extended set OpenCL.std and those of debug information alone", 2);
  }
  if (isVulkan) checkPushConstants(v);
}

/** The shape of a built-in: components, and the class of its variable. */
interface BuiltIn {
  readonly components: number;
  readonly isConstant: boolean;
}
const input = (components: number): BuiltIn => ({ components, isConstant: false });
const BUILT_INS: Partial<Readonly<Record<EnumerantNames["BuiltIn"], BuiltIn>>> = {
  NumWorkgroups: input(3),
  WorkgroupSize: { components: 3, isConstant: true },
  WorkgroupId: input(3),
  LocalInvocationId: input(3),
  GlobalInvocationId: input(3),
  LocalInvocationIndex: input(1),
  SubgroupSize: input(1),
  NumSubgroups: input(1),
  SubgroupId: input(1),
  SubgroupLocalInvocationId: input(1),
  SubgroupEqMask: input(4),
  SubgroupGeMask: input(4),
  SubgroupGtMask: input(4),
  SubgroupLeMask: input(4),
  SubgroupLtMask: input(4),
};
const GRAPHICS = [
  "Position",
  "PointSize",
  "ClipDistance",
  "CullDistance",
  "VertexId",
  "InstanceId",
  "PrimitiveId",
  "Layer",
  "TessLevelOuter",
  "TessLevelInner",
  "TessCoord",
  "PatchVertices",
  "FragCoord",
  "PointCoord",
  "FrontFacing",
  "SampleId",
  "SamplePosition",
  "SampleMask",
  "FragDepth",
  "HelperInvocation",
  "VertexIndex",
  "InstanceIndex",
] as const satisfies readonly EnumerantNames["BuiltIn"][];
const shapes = new Map<number, BuiltIn>();
for (const [name, shape] of Object.entries(BUILT_INS))
  shapes.set(enumerant("BuiltIn", name as EnumerantNames["BuiltIn"]), shape);
const graphics: ReadonlySet<number> = new Set(GRAPHICS.map((name) => enumerant("BuiltIn", name)));
const BUILT_IN = enumerant("Decoration", "BuiltIn");
const INPUT = storage("Input");
const COMPUTE = enumerant("ExecutionModel", "GLCompute");

/** Built-ins of graphics, named at a word, are not in compute shaders. */
function checkBuiltInModel(v: Validation, at: number, word: number, isCompute: boolean): void {
  const value = v.word(at, word);
  if (isCompute && graphics.has(value))
    v.fail(at, "built-in-model", `compute shaders have no ${enumerantName("BuiltIn", value)}`, word);
}

/** Built-in variables of compute shaders: what they are, and what has them. */
export function checkBuiltIns(v: Validation): void {
  if (v.environment !== "vulkan") return;
  const isCompute = v.hasModel((model) => model === COMPUTE) && !v.hasModel((model) => model !== COMPUTE);
  const { opcodes, count } = v.module;
  for (let at = 0; at < count && opcodes[at] !== FUNCTION; at++)
    if (opcodes[at] === MEMBER_DECORATE && v.word(at, 3) === BUILT_IN) checkBuiltInModel(v, at, 4, isCompute);
  for (const id of v.decorations.decorated("BuiltIn"))
    for (const at of v.decorations.each(id, "BuiltIn")) {
      if (v.isFull) return;
      const value = v.word(at, 3);
      const name = enumerantName("BuiltIn", value);
      checkBuiltInModel(v, at, 3, isCompute);
      const shape = shapes.get(value);
      if (shape === undefined) continue;
      const isVariable = v.op(id) === VARIABLE;
      const type = isVariable ? v.pointee(v.typeOf(id)) : v.typeOf(id);
      if (shape.isConstant !== !isVariable || (shape.isConstant && !v.isConstant(id)))
        v.fail(
          at,
          shape.isConstant ? "built-in-constant" : "built-in-variable",
          `${name} decorates ${shape.isConstant ? "a constant" : "a variable"}`,
          1,
        );
      else if (isVariable && v.storageClass(v.typeOf(id)) !== INPUT)
        v.fail(at, "built-in-storage", `${name} has the storage class Input`, 1);
      else if (
        !v.isInt(v.component(type)) ||
        v.isMatrix(type) ||
        v.components(type) !== shape.components ||
        v.width(type) !== 32
      )
        v.fail(
          at,
          "built-in-type",
          `${name} is ${shape.components === 1 ? "an integer" : `a vector of ${shape.components} integers`} of 32 bits`,
          1,
        );
    }
}
