// SPDX-License-Identifier: Apache-2.0
// Scopes, memory semantics, memory operands and atomics: what values they may have, by instruction, capabilities and
// environment.
import type { EnumerantNames, OpName } from "../generated/names.ts";
import { enumerant, enumerantName, opRow, opcodeOf } from "../grammar/tables.ts";
import type { Validation } from "./validation.ts";

const scope = (name: EnumerantNames["Scope"]): number => enumerant("Scope", name);
const bit = (name: EnumerantNames["MemorySemantics"]): number => enumerant("MemorySemantics", name);
const access = (name: EnumerantNames["MemoryAccess"]): number => enumerant("MemoryAccess", name);
const storage = (name: EnumerantNames["StorageClass"]): number => enumerant("StorageClass", name);
const opcodes = (...names: readonly OpName[]): ReadonlySet<number> => new Set(names.map((name) => opcodeOf(name)));

const LAST_SCOPE = scope("ShaderCallKHR");
const DEVICE = scope("Device");
const QUEUE_FAMILY = scope("QueueFamily");
const CROSS_DEVICE = scope("CrossDevice");
const SUBGROUP = scope("Subgroup");
const WORKGROUP = scope("Workgroup");
const ORDERS = bit("Acquire") | bit("Release") | bit("AcquireRelease") | bit("SequentiallyConsistent");
const SEQUENTIAL = bit("SequentiallyConsistent");
const RELEASES = bit("Release") | bit("AcquireRelease");
const ACQUIRES = bit("Acquire") | bit("AcquireRelease");
const AVAILABLE = bit("MakeAvailable");
const VISIBLE = bit("MakeVisible");
const VOLATILE = bit("Volatile");
const MEMORIES =
  bit("UniformMemory") | bit("SubgroupMemory") | bit("WorkgroupMemory") | bit("ImageMemory") | bit("OutputMemory");
const VULKAN_MEMORIES = bit("UniformMemory") | bit("WorkgroupMemory") | bit("ImageMemory") | bit("OutputMemory");
const LOAD = opcodeOf("OpAtomicLoad");
const STORE = opcodeOf("OpAtomicStore");
const MEMORY_BARRIER = opcodeOf("OpMemoryBarrier");
const CONTROL_BARRIER = opcodeOf("OpControlBarrier");
const EXCHANGES = opcodes("OpAtomicCompareExchange", "OpAtomicCompareExchangeWeak", "OpAtomicFlagTestAndSet");
const SPEC_CONSTANT_OP = opcodeOf("OpSpecConstantOp");
const SPEC_CONSTANT = opcodeOf("OpSpecConstant");

/** True for specialization constants, whose value nobody knows yet. */
function isSpecialized(v: Validation, id: number): boolean {
  const opcode = v.op(id);
  return opcode === SPEC_CONSTANT_OP || opcode === SPEC_CONSTANT;
}

/** What instructions of groups are: their first scope is one of execution. */
const isNonUniform: boolean[] = [];
const isGroup: boolean[] = [];
function classify(opcode: number): void {
  const name = opRow(opcode)?.name ?? "OpNop";
  isNonUniform[opcode] = name.startsWith("OpGroupNonUniform");
  isGroup[opcode] = name.startsWith("OpGroup") && !name.startsWith("OpGroupNonUniform");
}

/** A scope; `isFirst`: it is the instruction's first one. */
export function checkScope(v: Validation, at: number, id: number, word: number, isFirst: boolean): void {
  const type = v.typeOf(id);
  const value = v.constant(id);
  const opcode = v.module.opcodes[at] ?? 0;
  if (!v.isInt(type) || v.width(type) !== 32) {
    v.fail(at, "scope", `the scope %${id} is no integer of 32 bits`, word);
    return;
  }
  if (value === null) {
    if (v.isShader && !v.isKernel && !isSpecialized(v, id))
      v.fail(at, "scope-constant", `the scope %${id} is no constant`, word);
    return;
  }
  if (value > LAST_SCOPE) {
    v.fail(at, "scope-value", `there is no scope ${value}`, word);
    return;
  }
  const name = enumerantName("Scope", value);
  if (isNonUniform[opcode] === undefined) classify(opcode);
  const isExecution =
    isFirst && (opcode === CONTROL_BARRIER || isNonUniform[opcode] === true || isGroup[opcode] === true);
  if (isExecution) checkExecutionScope(v, at, value, name, word);
  else {
    if (value === QUEUE_FAMILY && !v.has("VulkanMemoryModel"))
      v.fail(at, "scope-queue-family", "the scope QueueFamily belongs to the Vulkan memory model", word);
    if (value === DEVICE && v.has("VulkanMemoryModel") && !v.has("VulkanMemoryModelDeviceScope"))
      v.fail(at, "scope-device", "the scope Device needs the capability VulkanMemoryModelDeviceScope", word);
    if (v.environment === "vulkan" && value === CROSS_DEVICE)
      v.fail(at, "scope-vulkan-memory", "Vulkan has no memory scope CrossDevice", word);
  }
}

function checkExecutionScope(v: Validation, at: number, value: number, name: string, word: number): void {
  const opcode = v.module.opcodes[at] ?? 0;
  if (isGroup[opcode] === true && value !== WORKGROUP && value !== SUBGROUP)
    v.fail(at, "scope-group", `groups are Workgroup or Subgroup, not ${name}`, word);
  if (isNonUniform[opcode] === true && value !== WORKGROUP && value !== SUBGROUP)
    v.fail(at, "scope-non-uniform", `groups are Workgroup or Subgroup, not ${name}`, word);
  if (v.environment !== "vulkan") return;
  if (isNonUniform[opcode] === true && value !== SUBGROUP)
    v.fail(at, "scope-vulkan-group", `Vulkan has groups of the scope Subgroup, not ${name}`, word);
  else if (value !== WORKGROUP && value !== SUBGROUP)
    v.fail(at, "scope-vulkan-execution", `Vulkan executes in the scopes Workgroup and Subgroup, not in ${name}`, word);
}

/** Memory semantics; `isSecond`: those of a comparison that fails. */
export function checkSemantics(v: Validation, at: number, id: number, word: number, isSecond: boolean): void {
  const type = v.typeOf(id);
  const value = v.constant(id);
  const opcode = v.module.opcodes[at] ?? 0;
  if (!v.isInt(type) || v.width(type) !== 32) {
    v.fail(at, "semantics", `the memory semantics %${id} are no integer of 32 bits`, word);
    return;
  }
  if (value === null) {
    if (v.isShader && !v.isKernel && !isSpecialized(v, id))
      v.fail(at, "semantics-constant", `the memory semantics %${id} are no constant`, word);
    return;
  }
  const order = value & ORDERS;
  if ((order & (order - 1)) !== 0) {
    v.fail(at, "semantics-order", `the memory semantics ${value} have several orders`, word);
    return;
  }
  if (opcode === LOAD && (order & RELEASES) !== 0) v.fail(at, "semantics-load", "a load does not release", word);
  if (opcode === STORE && (order & ACQUIRES) !== 0) v.fail(at, "semantics-store", "a store does not acquire", word);
  if (isSecond && EXCHANGES.has(opcode) && (order & RELEASES) !== 0)
    v.fail(at, "semantics-unequal", "a comparison that fails stores nothing, so it does not release", word);
  checkMemories(v, at, value, word);
}

/** What memory semantics say of memory: which, and whether it becomes available or visible. */
function checkMemories(v: Validation, at: number, value: number, word: number): void {
  const opcode = v.module.opcodes[at] ?? 0;
  const order = value & ORDERS;
  const isVulkanModel = v.has("VulkanMemoryModel");
  if (order === SEQUENTIAL && isVulkanModel)
    v.fail(at, "semantics-sequential", "the Vulkan memory model has no sequential consistency", word);
  if ((value & (AVAILABLE | VISIBLE | VOLATILE)) !== 0 && !isVulkanModel)
    v.fail(at, "semantics-model", "the memory semantics belong to the Vulkan memory model", word);
  if ((value & AVAILABLE) !== 0 && (order & RELEASES) === 0)
    v.fail(at, "semantics-available", "what makes available releases", word);
  if ((value & VISIBLE) !== 0 && (order & ACQUIRES) === 0)
    v.fail(at, "semantics-visible", "what makes visible acquires", word);
  if ((value & (AVAILABLE | VISIBLE)) !== 0 && (value & MEMORIES) === 0)
    v.fail(at, "semantics-memory", "what is made available or visible is no memory", word);
  if ((value & VOLATILE) !== 0 && (opcode === MEMORY_BARRIER || opcode === CONTROL_BARRIER))
    v.fail(at, "semantics-volatile", "a barrier is not volatile", word);
  if (v.environment !== "vulkan") return;
  if (opcode === MEMORY_BARRIER && order === 0) v.fail(at, "semantics-barrier", "a memory barrier has no order", word);
  if (order !== 0 && (value & VULKAN_MEMORIES) === 0)
    v.fail(at, "semantics-vulkan-memory", "an order in Vulkan names the memory that it is for", word);
}

const ALIGNED = access("Aligned");
const MAKE_AVAILABLE = access("MakePointerAvailable");
const MAKE_VISIBLE = access("MakePointerVisible");
const NON_PRIVATE = access("NonPrivatePointer");
const PHYSICAL_STORAGE = storage("PhysicalStorageBuffer");
const SHARED: ReadonlySet<number> = new Set(
  (
    ["Uniform", "Workgroup", "CrossWorkgroup", "Generic", "Image", "StorageBuffer", "PhysicalStorageBuffer"] as const
  ).map(storage),
);
const LOADS = opcodes("OpLoad");
const STORES = opcodes("OpStore");

/** Memory operands that begin at a word, of an access by a pointer of a type. */
export function checkAccess(v: Validation, at: number, begin: number, pointer: number): void {
  const mask = begin < v.size(at) ? v.word(at, begin) : 0;
  const opcode = v.module.opcodes[at] ?? 0;
  let word = begin + 1;
  if ((mask & ALIGNED) !== 0) {
    const value = v.word(at, word);
    if (value === 0 || (value & (value - 1)) !== 0)
      v.fail(at, "alignment", `the alignment ${value} is no power of two`, word);
    word++;
  } else if (v.storageClass(pointer) === PHYSICAL_STORAGE && (LOADS.has(opcode) || STORES.has(opcode)))
    v.fail(at, "access-aligned", "an access by a physical storage buffer's address says its alignment", begin);
  const isOrdered = (mask & (MAKE_AVAILABLE | MAKE_VISIBLE)) !== 0;
  if ((mask & MAKE_AVAILABLE) !== 0 && LOADS.has(opcode))
    v.fail(at, "access-available", "a load makes nothing available", begin);
  if ((mask & MAKE_VISIBLE) !== 0 && STORES.has(opcode))
    v.fail(at, "access-visible", "a store makes nothing visible", begin);
  if (isOrdered && (mask & NON_PRIVATE) === 0)
    v.fail(at, "access-private", "what is made available or visible is NonPrivatePointer as well", begin);
  if ((mask & NON_PRIVATE) !== 0 && v.isPointer(pointer) && !SHARED.has(v.storageClass(pointer)))
    v.fail(at, "access-storage", "NonPrivatePointer is for memory that invocations share", begin);
}

const ATOMIC_NOT: ReadonlySet<number> = new Set(
  (["UniformConstant", "Input", "PushConstant", "Output", "Private"] as const).map(storage),
);
const FUNCTION_STORAGE = storage("Function");

/** Rows of atomics that add, or find the least or largest of floats: by width the capability. */
const FLOAT_ATOMICS: Partial<Record<OpName, Readonly<Record<number, Parameters<Validation["has"]>[0]>>>> = {
  OpAtomicFAddEXT: { 16: "AtomicFloat16AddEXT", 32: "AtomicFloat32AddEXT", 64: "AtomicFloat64AddEXT" },
  OpAtomicFMinEXT: { 16: "AtomicFloat16MinMaxEXT", 32: "AtomicFloat32MinMaxEXT", 64: "AtomicFloat64MinMaxEXT" },
  OpAtomicFMaxEXT: { 16: "AtomicFloat16MinMaxEXT", 32: "AtomicFloat32MinMaxEXT", 64: "AtomicFloat64MinMaxEXT" },
};

/** An atomic instruction: the place and the width of what it changes. */
export function checkAtomic(v: Validation, at: number): void {
  const row = opRow(v.module.opcodes[at] ?? 0);
  const word = row?.hasType === true ? 3 : 1;
  const pointer = v.typeOf(v.word(at, word));
  if (!v.isPointer(pointer)) return;
  const where = v.storageClass(pointer);
  if (ATOMIC_NOT.has(where) || (where === FUNCTION_STORAGE && v.isShader && !v.isKernel))
    v.fail(at, "atomic-storage", `there are no atomics in ${enumerantName("StorageClass", where)}`, word);
  const type = v.pointee(pointer);
  const width = v.width(type);
  if (v.isInt(type) && width === 64 && !v.has("Int64Atomics") && !v.has("Int64ImageEXT"))
    v.fail(at, "atomic-width", "atomics of 64 bits need the capability Int64Atomics", word);
  const needed = FLOAT_ATOMICS[row?.name ?? "OpNop"]?.[width];
  if (needed !== undefined && !v.has(needed)) v.fail(at, "atomic-float", `this needs the capability ${needed}`, word);
  if (v.environment === "vulkan" && v.isInt(type) && width !== 32 && width !== 64)
    v.fail(at, "atomic-vulkan-width", `Vulkan has no atomics of ${width} bits`, word);
}
