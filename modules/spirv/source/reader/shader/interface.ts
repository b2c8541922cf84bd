// SPDX-License-Identifier: Apache-2.0
// What a compute shader has from outside: resources by set and binding, push constants, variables of its own that
// several functions share. Entry points of the IR have arguments and no such variables, so
//
//   1. each variable outside of functions is noted when it is declared (declareOuterVariable);
//   2. when all declarations are read, the functions that refer to each variable are found, directly and through the
//      functions that they call (interfaceOf): a walk over the operands, then a worklist over the graph of calls;
//   3. an entry point gets kernel arguments for the resources that it uses, in the order of set, binding and element,
//      then one for the push constants (argumentsOf); every other function gets parameters for its variables behind its
//      own, and passes them on when it calls (entry.ts).
//
// docs/decisions/068-shader-arguments.md has the convention and its reasons. Cost: linear in the words, plus calls
// times the variables that they pass on.
import type { DescriptorKind } from "@muxkit/kernel-abi";

import { enumerant, enumerantName } from "../../grammar/tables.ts";
import { KIND_ID } from "../../grammar/kinds.ts";
import { OperandCursor } from "../../binary/cursor.ts";
import type { EnumerantNames } from "../../generated/names.ts";
import type { ModuleReader } from "../module-reader.ts";
import { type Operand, OuterVariable } from "../operand.ts";
import { type SpirvType, layoutOf } from "../types.ts";

/** A binding: one resource, or an array of them. */
export interface Binding {
  readonly set: number;
  readonly binding: number;
  readonly kind: DescriptorKind;
  readonly count: number;
  readonly name: string;
  /** What each element is: the struct of a buffer, the image, the sampler, the image with its sampler. */
  readonly element: SpirvType;
  readonly isRead: boolean;
  readonly isWritten: boolean;
}

/** A variable of a shader outside of functions that is no built-in and no memory of its work-group. */
export interface ShaderVariable {
  readonly id: number;
  /** The type of the pointer to it. */
  readonly type: SpirvType;
  /** What it points to, with arrays of resources counted. */
  readonly target: SpirvType;
  readonly role: "resource" | "push-constants" | "private";
  /** The binding; null: it is no resource. */
  readonly binding: Binding | null;
  /** What a private variable begins with; null: zero. */
  readonly initial: Operand | null;
  readonly at: number;
}

/** What each function has from outside. */
export interface ShaderInterface {
  readonly variables: ReadonlyMap<number, ShaderVariable>;
  /** Bytes of memory of work-groups that begins as zero. */
  readonly zeroed: ReadonlyMap<number, number>;
  /** Ids of the variables that a function uses, by the function's id. */
  readonly used: ReadonlyMap<number, ReadonlySet<number>>;
}

const storage = (name: EnumerantNames["StorageClass"]): number => enumerant("StorageClass", name);
const UNIFORM = storage("Uniform");
const STORAGE_BUFFER = storage("StorageBuffer");
const UNIFORM_CONSTANT = storage("UniformConstant");
const PUSH_CONSTANT = storage("PushConstant");
const PRIVATE = storage("Private");

/** Most resources of a binding that has several. */
const MOST_RESOURCES = 1024;

/** The kind of a resource of a storage class. */
function kindOf(m: ModuleReader, own: number, element: SpirvType, at: number): DescriptorKind {
  if (own === STORAGE_BUFFER) return "storage-buffer";
  if (own === UNIFORM) return m.hasDecoration(element.id, "BufferBlock") ? "storage-buffer" : "uniform-buffer";
  if (isTexelBuffer(element)) return element.isStorage ? "storage-texel-buffer" : "uniform-texel-buffer";
  if (element.kind === "sampler") return "sampler";
  if (element.kind === "sampled-image") return "combined-image-sampler";
  if (element.kind !== "image") return m.refuse(at, `a ${element.kind} is no resource of a shader`);
  return element.isStorage ? "storage-image" : "sampled-image";
}

/** True for an image that is a buffer; GLSL pairs it with a sampler that is not there. */
export function isTexelBuffer({ kind, ir, element }: SpirvType): boolean {
  return (kind === "sampled-image" ? element?.ir : ir)?.name === "image1d_buffer";
}

/** The type of a variable's contents; an array without a count has the one that the program was given. */
function counted(m: ModuleReader, type: SpirvType, key: string, at: number): SpirvType {
  if (type.kind !== "runtime-array" || type.element === null) return type;
  const count = m.options.descriptorCounts?.get(key);
  if (count === undefined || count < 1)
    return m.refuse(at, `the array of resources at ${key} says no count, and the program was given none for it`);
  return type.with({ kind: "array", count });
}

/** Elements of an array of resources, of arrays of arrays too, and what each of them is. */
function elementOf(m: ModuleReader, type: SpirvType, at: number): readonly [element: SpirvType, count: number] {
  let element = type;
  let count = 1;
  while (element.kind === "array" && element.element !== null) {
    count *= element.count;
    if (count > MOST_RESOURCES) m.refuse(at, `a binding has at most ${MOST_RESOURCES} resources`);
    element = element.element;
  }
  return [element, count];
}

/** True where every member of a block has a decoration, or the variable itself. */
function isDecorated(m: ModuleReader, id: number, element: SpirvType, name: "NonWritable" | "NonReadable"): boolean {
  if (m.hasDecoration(id, name)) return true;
  return (
    element.kind === "struct" &&
    element.members.length > 0 &&
    element.members.every((_, n) => m.memberDecoration(element.id, n, name) !== null)
  );
}

const READ_ONLY: ReadonlySet<DescriptorKind> = new Set<DescriptorKind>([
  "uniform-buffer",
  "sampled-image",
  "uniform-texel-buffer",
  "sampler",
  "combined-image-sampler",
]);

function bindingOf(m: ModuleReader, type: SpirvType, target: SpirvType, id: number, at: number): Binding {
  const set = m.decoration(id, "DescriptorSet")?.[0] ?? 0;
  const binding = m.decoration(id, "Binding")?.[0];
  if (binding === undefined) return m.refuse(at, "a resource must have a decoration Binding");
  const [element, count] = elementOf(m, target, at);
  const kind = kindOf(m, type.storage, element, at);
  if ((kind === "storage-buffer" || kind === "uniform-buffer") && element.kind !== "struct")
    m.refuse(at, "a buffer must be a struct");
  const isReadOnly = READ_ONLY.has(kind);
  const name = m.names.get(id) ?? "";
  return {
    set,
    binding,
    kind,
    count,
    name: name === "" ? (m.names.get(element.id) ?? "") : name,
    element,
    isRead: isReadOnly || !isDecorated(m, id, element, "NonReadable"),
    isWritten: !isReadOnly && !isDecorated(m, id, element, "NonWritable"),
  };
}

/** What an id stands for that is a variable outside of a shader's functions; null: it is not of these. */
export function declareOuterVariable(
  m: ModuleReader,
  type: SpirvType,
  id: number,
  at: number,
  initial: Operand | null,
): Operand | null {
  const own = type.storage;
  const target = type.element;
  const isResource = own === UNIFORM || own === STORAGE_BUFFER || own === UNIFORM_CONSTANT;
  if (target === null || (!isResource && own !== PUSH_CONSTANT && own !== PRIVATE)) return null;
  if (initial !== null && own !== PRIVATE)
    return m.refuse(at, `a variable of the storage class ${enumerantName("StorageClass", own)} has no initial value`);
  const key = `${m.decoration(id, "DescriptorSet")?.[0] ?? 0},${m.decoration(id, "Binding")?.[0] ?? 0}`;
  const whole = isResource ? counted(m, target, key, at) : target;
  m.outer.set(id, {
    id,
    type,
    target: whole,
    role: isResource ? "resource" : own === PRIVATE ? "private" : "push-constants",
    binding: isResource ? bindingOf(m, type, whole, id, at) : null,
    initial,
    at,
  });
  return new OuterVariable(id);
}

/** Notes memory of a work-group that begins as zero. */
export function declareZeroedMemory(m: ModuleReader, type: SpirvType, id: number, at: number): void {
  const target = type.element;
  const initial = m.module.definitions.of(m.words[at] ?? 0);
  if (target === null || initial < 0 || m.opName(initial) !== "OpConstantNull")
    return m.refuse(at, "memory of a work-group begins as OpConstantNull or as nothing");
  m.zeroed.set(id, layoutOf(m, target).size);
}

/** The ids of variables and functions that the instructions of a function refer to. */
function referencesOf(
  m: ModuleReader,
  cursor: OperandCursor,
  begin: number,
): { readonly variables: Set<number>; readonly calls: Set<number>; readonly end: number } {
  const variables = new Set<number>();
  const calls = new Set<number>();
  let index = begin;
  for (; index < m.module.count; index++) {
    const name = m.opName(index);
    if (name === "OpFunctionEnd") break;
    const offset = m.module.offsets[index] ?? 0;
    if (name === "OpExtInst" && m.module.imports.get(m.words[offset + 3] ?? 0)?.startsWith("NonSemantic.") === true)
      continue;
    if (name === "OpFunctionCall") calls.add(m.words[offset + 3] ?? 0);
    for (cursor.begin(index); cursor.next();)
      if (cursor.kind === KIND_ID && (m.outer.has(cursor.value) || m.zeroed.has(cursor.value)))
        variables.add(cursor.value);
  }
  return { variables, calls, end: index };
}

/** What each function of a module uses, from `first`, the index of the first function. */
export function interfaceOf(m: ModuleReader, first: number): ShaderInterface {
  const used = new Map<number, Set<number>>();
  const callers = new Map<number, number[]>();
  const cursor = new OperandCursor(m.module);
  for (let index = first; index < m.module.count; index++) {
    if (m.opName(index) !== "OpFunction") continue;
    const id = m.module.results[index] ?? 0;
    const found = referencesOf(m, cursor, index);
    used.set(id, found.variables);
    for (const callee of found.calls) {
      const known = callers.get(callee);
      if (known === undefined) callers.set(callee, [id]);
      else known.push(id);
    }
    index = found.end;
  }
  const open = [...used.keys()];
  for (let id = open.pop(); id !== undefined; id = open.pop())
    for (const caller of callers.get(id) ?? []) {
      const own = used.get(caller);
      if (own === undefined) continue;
      const before = own.size;
      for (const variable of used.get(id) ?? []) own.add(variable);
      if (own.size > before) open.push(caller);
    }
  return { variables: m.outer, zeroed: m.zeroed, used };
}

/** The variables that a function uses, in the order of their ids; a kernel's uses none. */
export function variablesOf(shader: ShaderInterface | null, id: number): readonly ShaderVariable[] {
  if (shader === null) return [];
  const { used, variables } = shader;
  return [...(used.get(id) ?? [])].toSorted((a, b) => a - b).flatMap((one) => variables.get(one) ?? []);
}

/** One resource that an entry point takes: a binding, with the variables that are it. */
export interface UsedBinding extends Binding {
  readonly variables: readonly number[];
}

/** The bindings that an entry point uses, in the order of set and binding. Two variables may be one binding. */
export function bindingsOf(m: ModuleReader, shader: ShaderInterface, id: number): readonly UsedBinding[] {
  const found = new Map<string, UsedBinding>();
  for (const { id: variable, binding, at } of variablesOf(shader, id)) {
    if (binding === null) continue;
    const key = `${binding.set},${binding.binding}`;
    const known = found.get(key);
    if (known === undefined) {
      found.set(key, { ...binding, variables: [variable] });
      continue;
    }
    if (known.kind !== binding.kind || known.count !== binding.count)
      m.refuse(at, `two variables at set ${binding.set}, binding ${binding.binding} are of two kinds`);
    found.set(key, {
      ...known,
      isRead: known.isRead || binding.isRead,
      isWritten: known.isWritten || binding.isWritten,
      variables: [...known.variables, variable],
    });
  }
  return [...found.values()].toSorted((a, b) => a.set - b.set || a.binding - b.binding);
}

/** The push constants that an entry point uses; null: none. */
export function pushConstantsOf(m: ModuleReader, shader: ShaderInterface, id: number): ShaderVariable | null {
  const all = variablesOf(shader, id).filter(({ role }) => role === "push-constants");
  const [own = null, second] = all;
  if (second !== undefined) m.refuse(second.at, "an entry point uses one block of push constants");
  return own;
}
