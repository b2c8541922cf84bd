// SPDX-License-Identifier: Apache-2.0
// The layer of what a module offers: entry points, execution modes, memory model, linkage, decorations.
import { type EnumerantNames, type OpName } from "../generated/names.ts";
import { enumerant, enumerantName, opcodeOf } from "../grammar/tables.ts";
import { InstructionSet } from "./instruction-set.ts";
import type { Marks, Validation } from "./validation.ts";

const ENTRY_POINT = opcodeOf("OpEntryPoint");
const EXECUTION_MODE = opcodeOf("OpExecutionMode");
const EXECUTION_MODE_ID = opcodeOf("OpExecutionModeId");
const MEMORY_MODEL = opcodeOf("OpMemoryModel");
const FUNCTION = opcodeOf("OpFunction");
const FUNCTION_CALL = opcodeOf("OpFunctionCall");
const FUNCTION_END = opcodeOf("OpFunctionEnd");
const VARIABLE = opcodeOf("OpVariable");
const LABEL = opcodeOf("OpLabel");
const DECORATE = opcodeOf("OpDecorate");
const DECORATE_ID = opcodeOf("OpDecorateId");
const MEMBER_DECORATE = opcodeOf("OpMemberDecorate");
const MEMBER_NAME = opcodeOf("OpMemberName");
const GROUP_MEMBER_DECORATE = opcodeOf("OpGroupMemberDecorate");
const STRUCT = opcodeOf("OpTypeStruct");
const POINTER = opcodeOf("OpTypePointer");
const DECORATION_GROUP = opcodeOf("OpDecorationGroup");
const PARAMETER = opcodeOf("OpFunctionParameter");
const KERNEL_MODEL = enumerant("ExecutionModel", "Kernel");
const COMPUTE_MODEL = enumerant("ExecutionModel", "GLCompute");
const VULKAN_MEMORY = enumerant("MemoryModel", "Vulkan");
const OPENCL_MEMORY = enumerant("MemoryModel", "OpenCL");
const LOGICAL = enumerant("AddressingModel", "Logical");
const PHYSICAL_32 = enumerant("AddressingModel", "Physical32");
const PHYSICAL_64 = enumerant("AddressingModel", "Physical64");
const INPUT = enumerant("StorageClass", "Input");
const OUTPUT = enumerant("StorageClass", "Output");
const FUNCTION_CLASS = enumerant("StorageClass", "Function");
const IMPORT = enumerant("LinkageType", "Import");
const LINKAGE_ATTRIBUTES = enumerant("Decoration", "LinkageAttributes");
const BUILT_IN = enumerant("Decoration", "BuiltIn");
const WORKGROUP_SIZE = enumerant("BuiltIn", "WorkgroupSize");

/** A bit for each model of an entry point's function: graphics, compute shaders, kernels, what came later. */
type Models = Uint8Array;

const GRAPHICS_BIT = 1;
const COMPUTE_BIT = 2;
const KERNEL_BIT = 4;
const LATER_BIT = 8;

function modelBit(model: number): number {
  if (model === COMPUTE_MODEL) return COMPUTE_BIT;
  if (model === KERNEL_MODEL) return KERNEL_BIT;
  return model < COMPUTE_MODEL ? GRAPHICS_BIT : LATER_BIT;
}

/** Execution modes and the models that have them; modes that are not here are for graphics. */
const MODE_MODELS: Partial<Readonly<Record<EnumerantNames["ExecutionMode"], readonly number[]>>> = {
  LocalSize: [KERNEL_MODEL, COMPUTE_MODEL],
  LocalSizeId: [KERNEL_MODEL, COMPUTE_MODEL],
  LocalSizeHint: [KERNEL_MODEL],
  LocalSizeHintId: [KERNEL_MODEL],
  VecTypeHint: [KERNEL_MODEL],
  ContractionOff: [KERNEL_MODEL],
  SubgroupSize: [KERNEL_MODEL],
  SubgroupsPerWorkgroup: [KERNEL_MODEL],
  SubgroupsPerWorkgroupId: [KERNEL_MODEL],
  Initializer: [KERNEL_MODEL],
  Finalizer: [KERNEL_MODEL],
};
const GRAPHICS_MODES = [
  "Invocations",
  "SpacingEqual",
  "VertexOrderCw",
  "PixelCenterInteger",
  "OriginUpperLeft",
  "OriginLowerLeft",
  "EarlyFragmentTests",
  "PointMode",
  "DepthReplacing",
  "DepthGreater",
  "DepthLess",
  "DepthUnchanged",
  "InputPoints",
  "InputLines",
  "Triangles",
  "Quads",
  "Isolines",
  "OutputVertices",
  "OutputPoints",
  "OutputLineStrip",
  "OutputTriangleStrip",
] as const satisfies readonly EnumerantNames["ExecutionMode"][];
const modelsOf = new Map<number, number>();
for (const [name, models] of Object.entries(MODE_MODELS))
  modelsOf.set(
    enumerant("ExecutionMode", name as EnumerantNames["ExecutionMode"]),
    models.reduce((bits, model) => bits | modelBit(model), 0),
  );
const isGraphicsMode = new Set<number>(GRAPHICS_MODES.map((name) => enumerant("ExecutionMode", name)));
/** Modes that take ids; the others take literals. */
const ID_MODES: ReadonlySet<number> = new Set(
  (["SubgroupsPerWorkgroupId", "LocalSizeId", "LocalSizeHintId"] as const).map((name) =>
    enumerant("ExecutionMode", name),
  ),
);
const SIZES: ReadonlySet<number> = new Set(
  (["LocalSize", "LocalSizeId"] as const).map((name) => enumerant("ExecutionMode", name)),
);

function checkModel(validation: Validation, at: number): void {
  const addressing = validation.word(at, 1);
  const memory = validation.word(at, 2);
  const isVulkan = memory === VULKAN_MEMORY;
  if (validation.has("VulkanMemoryModel") !== isVulkan)
    validation.fail(
      at,
      "capability-exclusive",
      isVulkan
        ? "the memory model Vulkan needs the capability VulkanMemoryModel"
        : "the capability VulkanMemoryModel is declared for another memory model",
      2,
    );
  if (validation.environment === "opencl") {
    if (addressing !== PHYSICAL_32 && addressing !== PHYSICAL_64)
      validation.fail(at, "environment", "kernels have the addressing model Physical32 or Physical64", 1);
    if (memory !== OPENCL_MEMORY) validation.fail(at, "environment", "kernels have the memory model OpenCL", 2);
  }
  if (validation.environment === "vulkan" && (addressing === PHYSICAL_32 || addressing === PHYSICAL_64))
    validation.fail(at, "environment", "shaders have the addressing model Logical or PhysicalStorageBuffer64", 1);
  if (validation.isKernel && !validation.isShader && addressing === LOGICAL && validation.environment === "opencl")
    validation.fail(at, "environment", "kernels have physical addresses", 1);
}

/** The word after an entry point's name. */
function interfaceBegin(validation: Validation, at: number): number {
  const size = validation.size(at);
  for (let word = 3; word < size; word++) {
    const value = validation.word(at, word);
    if (((value - 0x01010101) & ~value & 0x80808080) !== 0) return word + 1;
  }
  return size;
}

function checkInterface(validation: Validation, at: number): void {
  const isWhole = validation.module.version >= 0x10400;
  const seen = new Set<number>();
  for (let word = interfaceBegin(validation, at); word < validation.size(at); word++) {
    const id = validation.word(at, word);
    const storage = validation.storageClass(validation.typeOf(id));
    if (validation.op(id) !== VARIABLE) validation.fail(at, "entry-point-interface", `%${id} is no variable`, word);
    else if (storage === FUNCTION_CLASS && !(validation.isLenient && validation.isKernel))
      validation.fail(at, "entry-point-interface", `the variable %${id} belongs to a function`, word);
    else if (!isWhole && storage !== INPUT && storage !== OUTPUT && validation.isShader)
      validation.fail(
        at,
        "entry-point-interface",
        `before version 1.4 the interface has no variables of ${enumerantName("StorageClass", storage)}`,
        word,
      );
    else if (isWhole && seen.has(id)) validation.fail(at, "entry-point-interface", `%${id} is named twice`, word);
    seen.add(id);
  }
}

/** The words that tell entry points apart, model and name; without the function, which is between them. */
function* nameWords(validation: Validation, at: number): Generator<number> {
  yield validation.word(at, 1);
  const end = interfaceBegin(validation, at);
  for (let word = 3; word + 1 < end; word++) yield validation.word(at, word);
  yield textPart(validation.word(at, end - 1));
}

/** The bytes of a string's last word before the zero that ends it. */
function textPart(word: number): number {
  for (let bits = 0; bits < 32; bits += 8) if (((word >>> bits) & 0xff) === 0) return word & ((1 << bits) - 1);
  return word;
}

/** Entry points by model and name. */
function entryPointNames(validation: Validation): InstructionSet {
  return new InstructionSet({
    hash: (at) => {
      let hash = 0;
      for (const word of nameWords(validation, at)) hash = Math.imul(hash ^ word, 0x01000193);
      return hash;
    },
    isSame: (one, other) => {
      if (interfaceBegin(validation, one) !== interfaceBegin(validation, other)) return false;
      const words = nameWords(validation, other);
      for (const word of nameWords(validation, one)) if (word !== words.next().value) return false;
      return true;
    },
  });
}

function checkEntryPoint(validation: Validation, at: number, names: InstructionSet): void {
  const model = validation.word(at, 1);
  const id = validation.word(at, 2);
  if (names.add(at) >= 0)
    validation.fail(at, "entry-point-unique", "an entry point of this model has the same name", 3);
  const definition = validation.definition(id);
  if (!validation.isVoid(validation.typeOf(id)))
    validation.fail(at, "entry-point", "an entry point returns something", 2);
  if (model !== KERNEL_MODEL && validation.size(validation.definition(validation.word(definition, 4))) > 3)
    validation.fail(at, "entry-point", "an entry point of a shader has parameters", 2);
  if (validation.environment === "opencl" && model !== KERNEL_MODEL)
    validation.fail(at, "environment", "the entry points of an OpenCL module are kernels", 1);
  if (validation.environment === "vulkan" && model === KERNEL_MODEL)
    validation.fail(at, "environment", "Vulkan has no kernels", 1);
  checkInterface(validation, at);
}

/** The model of the first entry point that is a function, in words. */
function firstModel(validation: Validation, id: number): string {
  const { opcodes, count } = validation.module;
  let at = 0;
  while (at < count && !(opcodes[at] === ENTRY_POINT && validation.word(at, 2) === id)) at++;
  return enumerantName("ExecutionModel", validation.word(at, 1));
}

function checkMode(validation: Validation, at: number, models: Models): void {
  const id = validation.word(at, 1);
  const mode = validation.word(at, 2);
  const of = models[validation.definition(id)] ?? 0;
  if (of === 0) {
    validation.fail(at, "execution-mode", `%${id} is no entry point`, 1);
    return;
  }
  const takesIds = validation.module.opcodes[at] === EXECUTION_MODE_ID;
  if (ID_MODES.has(mode) !== takesIds && (takesIds || validation.module.version >= 0x10200))
    validation.fail(
      at,
      "execution-mode",
      `${enumerantName("ExecutionMode", mode)} takes ${takesIds ? "literals, so it belongs to OpExecutionMode" : "ids, so it belongs to OpExecutionModeId"}`,
      2,
    );
  const allowed = modelsOf.get(mode);
  const isWrong = isGraphicsMode.has(mode)
    ? (of & (GRAPHICS_BIT | LATER_BIT)) === 0
    : allowed !== undefined && (of & (allowed | LATER_BIT)) === 0;
  if (isWrong)
    validation.fail(
      at,
      "execution-mode",
      `${enumerantName("ExecutionMode", mode)} is not for ${firstModel(validation, id)}`,
      2,
    );
}

/** A compute shader of Vulkan says how large its work-groups are. */
function checkSizes(validation: Validation): void {
  if (validation.environment !== "vulkan") return;
  const { opcodes, count } = validation.module;
  const sized = validation.marks();
  for (let at = 0; at < count && opcodes[at] !== FUNCTION; at++) {
    const opcode = opcodes[at];
    if ((opcode === EXECUTION_MODE || opcode === EXECUTION_MODE_ID) && SIZES.has(validation.word(at, 2)))
      sized.add(validation.word(at, 1));
    if (opcode === DECORATE && validation.word(at, 2) === BUILT_IN && validation.word(at, 3) === WORKGROUP_SIZE) return;
  }
  for (let at = 0; at < count && opcodes[at] !== FUNCTION; at++)
    if (opcodes[at] === ENTRY_POINT && validation.word(at, 1) === COMPUTE_MODEL && !sized.has(validation.word(at, 2)))
      validation.fail(at, "environment", "a compute shader has no LocalSize, LocalSizeId or built-in WorkgroupSize", 2);
}

/** Entry points, execution modes, the memory model. */
export function checkEntryPoints(validation: Validation): void {
  const { opcodes, count } = validation.module;
  const names = entryPointNames(validation);
  const models = new Uint8Array(count);
  let entries = 0;
  for (let at = 0; at < count && opcodes[at] !== FUNCTION && !validation.isFull; at++) {
    const opcode = opcodes[at];
    if (opcode === MEMORY_MODEL) checkModel(validation, at);
    else if (opcode === ENTRY_POINT) {
      entries++;
      const definition = validation.definition(validation.word(at, 2));
      models[definition] = (models[definition] ?? 0) | modelBit(validation.word(at, 1));
      checkEntryPoint(validation, at, names);
    } else if (opcode === EXECUTION_MODE || opcode === EXECUTION_MODE_ID) {
      checkMode(validation, at, models);
    }
  }
  checkSizes(validation);
  if (entries === 0 && !validation.has("Linkage"))
    validation.fail(-1, "entry-point-needed", "there is no entry point, and the capability Linkage is not declared");
  for (let at = 0; at < count && !validation.isFull; at++)
    if (opcodes[at] === FUNCTION_CALL && (models[validation.definition(validation.word(at, 3))] ?? 0) !== 0)
      validation.fail(at, "entry-point", "an entry point is called", 3);
}

/** What a decoration is for. */
type Target =
  | "type-struct"
  | "variable"
  | "function-or-variable"
  | "parameter"
  | "constant"
  | "pointer-or-array"
  | "value";
const TARGETS: Partial<Readonly<Record<EnumerantNames["Decoration"], Target>>> = {
  SpecId: "constant",
  Block: "type-struct",
  BufferBlock: "type-struct",
  GLSLShared: "type-struct",
  GLSLPacked: "type-struct",
  CPacked: "type-struct",
  ArrayStride: "pointer-or-array",
  FuncParamAttr: "parameter",
  LinkageAttributes: "function-or-variable",
  Binding: "variable",
  DescriptorSet: "variable",
  Constant: "variable",
  FPFastMathMode: "value",
  NoContraction: "value",
  SaturatedConversion: "value",
};
const targetOf = new Map<number, Target>();
for (const [name, target] of Object.entries(TARGETS))
  targetOf.set(enumerant("Decoration", name as EnumerantNames["Decoration"]), target);
const opcodesOf = (...names: readonly OpName[]): ReadonlySet<number> => new Set(names.map((name) => opcodeOf(name)));
const WANTED: Readonly<Record<Target, { readonly what: string; readonly opcodes: ReadonlySet<number> | null }>> = {
  "type-struct": { what: "a structure", opcodes: opcodesOf("OpTypeStruct") },
  variable: { what: "a variable", opcodes: opcodesOf("OpVariable") },
  "function-or-variable": { what: "a function or a variable", opcodes: opcodesOf("OpFunction", "OpVariable") },
  parameter: { what: "a parameter of a function", opcodes: opcodesOf("OpFunctionParameter") },
  constant: {
    what: "a scalar specialization constant",
    opcodes: opcodesOf("OpSpecConstant", "OpSpecConstantTrue", "OpSpecConstantFalse"),
  },
  "pointer-or-array": {
    what: "an array or a pointer",
    opcodes: opcodesOf("OpTypeArray", "OpTypeRuntimeArray", "OpTypePointer"),
  },
  value: { what: "a value", opcodes: null },
};
/** Decorations that are for members of structures alone. */
const MEMBER_ONLY: ReadonlySet<number> = new Set(
  (["RowMajor", "ColMajor", "MatrixStride"] as const).map((name) => enumerant("Decoration", name)),
);
const ALIGNMENT = enumerant("Decoration", "Alignment");
const OFFSET = enumerant("Decoration", "Offset");

function checkDecorate(validation: Validation, at: number, imported: Marks): void {
  const id = validation.word(at, 1);
  const decoration = validation.word(at, 2);
  const opcode = validation.op(id);
  if (opcode === DECORATION_GROUP || validation.definition(id) < 0) return;
  const name = enumerantName("Decoration", decoration);
  if (MEMBER_ONLY.has(decoration)) validation.fail(at, "decoration-target", `${name} is for members of structures`, 1);
  if (decoration === OFFSET && validation.isType(id))
    validation.fail(at, "decoration-target", `${name} is for members of structures`, 1);
  const target = targetOf.get(decoration);
  if (target !== undefined) {
    const { what, opcodes } = WANTED[target];
    if (opcodes === null ? !validation.isValue(id) : !opcodes.has(opcode))
      validation.fail(at, "decoration-target", `${name} decorates %${id}, which is not ${what}`, 1);
  }
  if (decoration === LINKAGE_ATTRIBUTES && validation.word(at, validation.size(at) - 1) === IMPORT) imported.add(id);
  if (decoration === ALIGNMENT && opcode !== POINTER) {
    const value = validation.word(at, 3);
    if (value === 0 || (value & (value - 1)) !== 0)
      validation.fail(at, "decoration-value", `the alignment ${value} is no power of two`, 3);
  }
}

/** A member's number, at a word. */
function checkMember(validation: Validation, at: number, structWord: number, word: number): void {
  const id = validation.word(at, structWord);
  const definition = validation.definition(id);
  const members = validation.size(definition) - 2;
  if (validation.op(id) !== STRUCT) validation.fail(at, "decoration-target", `%${id} is no structure`, structWord);
  else if (validation.word(at, word) >= members)
    validation.fail(
      at,
      "member-index",
      `the structure has ${members} members, there is no member ${validation.word(at, word)}`,
      word,
    );
}

/** Decorations, members, linkage. */
export function checkDecorations(validation: Validation): void {
  const { opcodes, results, count } = validation.module;
  const imported = validation.marks();
  for (let at = 0; at < count && opcodes[at] !== FUNCTION && !validation.isFull; at++) {
    const opcode = opcodes[at];
    if (opcode === DECORATE || opcode === DECORATE_ID) checkDecorate(validation, at, imported);
    else if (opcode === MEMBER_DECORATE || opcode === MEMBER_NAME) checkMember(validation, at, 1, 2);
    else if (opcode === GROUP_MEMBER_DECORATE)
      for (let word = 2; word + 1 < validation.size(at); word += 2) checkMember(validation, at, word, word + 1);
  }
  for (const at of validation.functions) {
    let hasBlocks = false;
    let parameters = 0;
    for (let one = at + 1; one < count && opcodes[one] !== FUNCTION_END && !hasBlocks; one++) {
      if (opcodes[one] === LABEL) hasBlocks = true;
      if (opcodes[one] === PARAMETER) parameters++;
    }
    const id = results[at] ?? 0;
    if (hasBlocks && imported.has(id)) validation.fail(at, "linkage", "an imported function has blocks");
    if (!hasBlocks && !imported.has(id)) validation.fail(at, "linkage", "a function without blocks is not imported");
    const type = validation.definition(validation.word(at, 4));
    const wanted = validation.size(type) - 3;
    if (parameters !== wanted)
      validation.fail(at, "operand-count", `the function has ${parameters} parameters, its type ${wanted}`, 4);
  }
}
