// SPDX-License-Identifier: Apache-2.0
// A shader's entry points as kernels: arguments for what they use from outside (interface.ts), and in each function the
// operands that its variables stand for.
import {
  type ArgumentDescription,
  type Block,
  GLOBAL,
  I32,
  I8,
  type KernelDescription,
  ORDER_LOCAL,
  Op,
  PRIVATE,
  type Type,
  type Value,
  constantInt,
  constantZero,
  pointerType,
} from "@muxkit/ir";

import { enumerant, enumerantName } from "../../grammar/tables.ts";
import type { EnumerantNames } from "../../generated/names.ts";
import { numberOf } from "../constants.ts";
import type { FunctionReader } from "../function-reader.ts";
import type { EntryPoint, ExecutionMode } from "../kernels.ts";
import { storeTo } from "../memory.ts";
import type { FunctionFacts, ModuleReader } from "../module-reader.ts";
import { Aggregate, BufferPointer, LiteralSampler, type Operand } from "../operand.ts";
import { type SpirvType, layoutOf, leavesOf } from "../types.ts";
import {
  type ShaderVariable,
  type UsedBinding,
  bindingsOf,
  isTexelBuffer,
  pushConstantsOf,
  variablesOf,
} from "./interface.ts";

/** One argument of a kernel that is a shader's entry point. */
interface ShaderArgument {
  readonly type: Type;
  readonly description: ArgumentDescription;
}

const PLAIN: Omit<ArgumentDescription, "name" | "typeName" | "kind" | "size" | "alignment"> = {
  addressSpace: "private",
  access: "none",
  isConst: false,
  isRestrict: false,
  isVolatile: false,
};

const ACCESS: Readonly<Record<string, ArgumentDescription["access"]>> = {
  "true,true": "read_write",
  "true,false": "read_only",
  "false,true": "write_only",
  "false,false": "read_write",
};

function bufferArguments(m: ModuleReader, { isWritten }: UsedBinding, name: string): readonly ShaderArgument[] {
  const bytes = m.pointerBytes;
  return [
    {
      type: pointerType(GLOBAL),
      description: {
        ...PLAIN,
        name,
        typeName: "void*",
        kind: "pointer",
        addressSpace: "global",
        isConst: !isWritten,
        size: bytes,
        alignment: bytes,
      },
    },
    {
      type: I32,
      description: { ...PLAIN, name: `${name}.bytes`, typeName: "uint", kind: "value", size: 4, alignment: 4 },
    },
  ];
}

/** The images and samplers that a resource is; the sampler of a texel buffer is not there. */
function handlesOf(element: SpirvType): readonly SpirvType[] {
  if (element.kind !== "sampled-image") return [element];
  return isTexelBuffer(element) ? element.members.slice(0, 1) : element.members;
}

/** An image, a sampler, or both. */
function handleArguments(
  m: ModuleReader,
  { element, isRead, isWritten }: UsedBinding,
  name: string,
): readonly ShaderArgument[] {
  const parts = handlesOf(element);
  return parts.map(({ kind, ir }) => {
    const type = ir ?? m.refuse(m.at, `a ${kind} is no resource`);
    const isImage = kind === "image";
    return {
      type,
      description: {
        ...PLAIN,
        name: isImage || parts.length === 1 ? name : `${name}.sampler`,
        typeName: isImage ? `${type.name}_t` : "sampler_t",
        kind: isImage ? "image" : "sampler",
        access: isImage ? (ACCESS[`${isRead},${isWritten}`] ?? "read_write") : "none",
        size: 4,
        alignment: 4,
      },
    };
  });
}

/** The arguments of an entry point: for each resource in the order of set, binding and element, then push constants. */
export function argumentsOf(m: ModuleReader, id: number): readonly ShaderArgument[] {
  const { shader } = m;
  if (shader === null) return [];
  const found: ShaderArgument[] = [];
  for (const used of bindingsOf(m, shader, id))
    for (let n = 0; n < used.count; n++) {
      const name = used.count === 1 ? used.name : `${used.name}[${n}]`;
      const list = used.element.kind === "struct" ? bufferArguments(m, used, name) : handleArguments(m, used, name);
      found.push(...list);
    }
  const push = pushConstantsOf(m, shader, id);
  if (push === null) return found;
  const { size, alignment } = layoutOf(m, push.target);
  const name = m.names.get(push.id) ?? "";
  found.push({
    type: pointerType(PRIVATE),
    description: {
      ...PLAIN,
      name: name === "" ? "push_constants" : name,
      typeName: m.names.get(push.target.id) ?? "struct",
      kind: "value",
      size,
      alignment,
    },
  });
  return found;
}

type ModeName = EnumerantNames["ExecutionMode"];

/** Modes of compute shaders that ask for what there is. */
const HARMLESS: ReadonlySet<string> = new Set<ModeName>([
  "LocalSize",
  "LocalSizeId",
  "DenormPreserve",
  "SignedZeroInfNanPreserve",
  "RoundingModeRTE",
  "SubgroupUniformControlFlowKHR",
]);

type Size = readonly [number, number, number];

/** The size of a work-group: a constant that is decorated so holds before an execution mode. */
export function localSizeOf(m: ModuleReader, modes: readonly ExecutionMode[], at: number): Size {
  const find = (name: ModeName): ExecutionMode | undefined =>
    modes.find(({ kind }) => kind === enumerant("ExecutionMode", name));
  const mode = find("LocalSizeId") ?? find("LocalSize");
  let sizes =
    mode === undefined ? [] : mode.isById ? mode.operands.map((id) => numberOf(m, id, mode.at)) : [...mode.operands];
  const wanted = enumerant("BuiltIn", "WorkgroupSize");
  for (const id of m.decorations.decorated("BuiltIn")) {
    const operand = m.constantOf(id);
    if (operand?.kind === "constant" && m.decoration(id, "BuiltIn")?.[0] === wanted)
      sizes = operand.lanes.map(({ low }) => low);
  }
  const [x = 0, y = 0, z = 0] = sizes;
  if (x < 1 || y < 1 || z < 1)
    return m.refuse(mode?.at ?? at, "a work-group has at least one work-item in each dimension");
  return [x, y, z];
}

/** Describes an entry point as a kernel, and refuses modes that ask for what there is not. */
export function describeShader(
  m: ModuleReader,
  { at }: EntryPoint,
  facts: FunctionFacts,
  modes: readonly ExecutionMode[],
): KernelDescription {
  if (facts.type.members.length > 0) m.refuse(at, "the entry point of a shader has no parameters");
  for (const { kind, at: place } of modes) {
    const mode = enumerantName("ExecutionMode", kind);
    if (!HARMLESS.has(mode)) m.refuse(place, `the execution mode ${mode} is not supported in compute shaders`);
  }
  const size = localSizeOf(m, modes, at);
  return {
    arguments: argumentsOf(m, facts.id).map(({ description }) => description),
    requiredWorkGroupSize: size,
    workGroupSizeHint: null,
    vecTypeHint: null,
    requiredSubGroupSize: m.options.requiredSubGroupSize ?? null,
    uniformWorkGroups: true,
    attributes: `reqd_work_group_size(${size.join(",")})`,
  };
}

/** The types of the parameters that a function which is no entry point has for a variable. */
export function hiddenTypes(m: ModuleReader, { role, target, binding }: ShaderVariable): readonly Type[] {
  if (role !== "resource" || binding === null) return [pointerType(PRIVATE)];
  const { element, count } = binding;
  const own =
    element.kind === "struct"
      ? [pointerType(GLOBAL), I32]
      : handlesOf(element).flatMap((handle) => leavesOf(m, handle));
  return target.kind === "array" ? Array.from({ length: count }, () => own).flat() : own;
}

/** What a resource stands for, of values in the order of its parameters. */
function resourceOf(target: SpirvType, next: () => Value): Operand {
  if (target.kind === "array" && target.element !== null) {
    const { element } = target;
    return new Aggregate(Array.from({ length: target.count }, () => resourceOf(element, next)));
  }
  if (target.kind === "struct") {
    const address = next();
    return new BufferPointer(address, address, next());
  }
  if (target.kind !== "sampled-image") return next();
  return new Aggregate([next(), isTexelBuffer(target) ? new LiteralSampler(0) : next()]);
}

/** The values that a function passes for a variable to one that it calls. */
export function hiddenValues(f: FunctionReader, variable: ShaderVariable): readonly Value[] {
  const found: Value[] = [];
  const collect = (operand: Operand): void => {
    if (operand instanceof BufferPointer) found.push(f.valueOf(operand.address), f.valueOf(operand.bytes));
    else if (operand.kind === "aggregate") operand.parts.forEach(collect);
    else if (operand.kind !== "sampler") found.push(f.valueOf(operand));
  };
  collect(f.operand(variable.id));
  return found;
}

/** Variables of an entry point: arguments, and memory of its own for those that are the shader's. */
function bindEntry(f: FunctionReader): void {
  const { m, facts } = f;
  const { shader } = m;
  if (shader === null) return;
  let position = 0;
  const next = (): Value => facts.ir.parameters[position++] ?? f.refuse("the entry point has fewer arguments");
  for (const { variables } of bindingsOf(m, shader, facts.id)) {
    const from = position;
    for (const id of variables) {
      const variable = shader.variables.get(id);
      if (variable === undefined) continue;
      position = from;
      f.define(id, variable.type, resourceOf(variable.target, next));
    }
  }
  const push = pushConstantsOf(m, shader, facts.id);
  if (push !== null) f.define(push.id, push.type, next());
  for (const { id, role, type, target, initial } of variablesOf(shader, facts.id)) {
    if (role !== "private") continue;
    const pointer = f.variable(target, 0, m.names.get(id) ?? "");
    if (initial !== null) storeTo(f, target, initial, pointer, { alignment: 0, isVolatile: false });
    f.define(id, type, pointer);
  }
}

/** A block before `body` that writes zeros to memory of the work-group, each work-item a share. */
function zeroWorkGroupMemory(f: FunctionReader, body: Block): Block {
  const { m, facts, sizeType } = f;
  const used = m.shader?.used.get(facts.id) ?? new Set<number>();
  const own = [...m.zeroed].filter(([id]) => used.has(id));
  if (own.length === 0) return body;
  const size = facts.ir.kernel?.requiredWorkGroupSize ?? [1, 1, 1];
  const items = size.reduce((product, one) => product * one, 1);
  const begin = facts.ir.addBlock("zero");
  f.startOwnBlock(begin);
  const least = (left: Value, right: Value): Value => f.b.select(f.b.compare(Op.ULT, left, right), left, right);
  for (const [id, bytes] of own) {
    const share = constantInt(sizeType, Math.ceil(bytes / items));
    const whole = constantInt(sizeType, bytes);
    const start = least(f.op(Op.MUL, sizeType, f.b.workItem(Op.LOCAL_LINEAR_ID, sizeType, null), share), whole);
    const length = least(f.op(Op.SUB, sizeType, whole, start), share);
    f.b.memoryFill(f.b.address(f.value(id), start, 1, 0), constantZero(I8), length, 1);
  }
  f.b.barrier("work_group", ORDER_LOCAL);
  f.b.branch(body);
  return begin;
}

/**
 * Makes a function's outer variables known; `first`: the first parameter behind its own. What it returns is the block
 * that the function begins with, `body` or one before it.
 */
export function bindOuterVariables(f: FunctionReader, first: number, body: Block): Block {
  if (f.facts.ir.kernel !== null) {
    bindEntry(f);
    return zeroWorkGroupMemory(f, body);
  }
  let position = first;
  const next = (): Value => f.facts.ir.parameters[position++] ?? f.refuse("the function has fewer parameters");
  for (const { id, type, target, role } of f.facts.hidden)
    f.define(id, type, role === "resource" ? resourceOf(target, next) : next());
  return body;
}
