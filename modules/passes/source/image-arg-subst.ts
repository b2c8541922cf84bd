// SPDX-License-Identifier: Apache-2.0
// image-arg-subst: lowers image and sampler types: an image becomes the address of its descriptor, a sampler its bits
// (docs/kernel-abi.md). Calls of image functions stay; the library's definitions take the lowered types.
import { assert } from "@muxkit/cargo";
import {
  CONSTANT,
  I32,
  type Instruction,
  type IrFunction,
  type Module,
  Op,
  Parameter,
  type Type,
  type Value,
  constantZero,
  pointerType,
  replaceUses,
} from "@muxkit/ir";

const DESCRIPTOR = pointerType(CONSTANT);
/** Built-ins that only convert between a handle and its lowered type: they disappear. */
const VIEWS: ReadonlySet<string> = new Set(["__muxkit_sampler", "__muxkit_sampler_bits", "__muxkit_descriptor"]);

/** The lowered type of a handle; every other type itself. */
function substitute(type: Type): Type {
  if (type.kind !== "opaque") return type;
  if (type.name === "sampler") return I32;
  return type.name.startsWith("image") ? DESCRIPTOR : type;
}

function replaceParameters(list: Parameter[], replaced: Map<Value, Value>): void {
  list.forEach((parameter, i) => {
    const type = substitute(parameter.type);
    if (type === parameter.type) return;
    const made = new Parameter(type, parameter.name, parameter.block, parameter.owner);
    list[i] = made;
    replaced.set(parameter, made);
  });
}

function isView({ op, symbol }: Instruction): boolean {
  return op === Op.CALL_BUILTIN && symbol?.kind === "builtin" && VIEWS.has(symbol.name);
}

/** Constants of a handle's type occur only as zeros, in unreachable returns. */
function substituteConstant(value: Value): Value {
  return value.kind === "constant" && substitute(value.type) !== value.type
    ? constantZero(substitute(value.type))
    : value;
}

function substituteConstants(instruction: Instruction): void {
  instruction.operands = instruction.operands.map(substituteConstant);
  instruction.successorArguments = instruction.successorArguments.map((list) => list.map(substituteConstant));
}

function substituteIn(fn: IrFunction): void {
  const replaced = new Map<Value, Value>();
  fn.returnType = substitute(fn.returnType);
  replaceParameters(fn.parameters, replaced);
  for (const block of fn.blocks) {
    replaceParameters(block.parameters, replaced);
    for (const instruction of block.instructions) {
      substituteConstants(instruction);
      instruction.type = substitute(instruction.type);
      if (instruction.elementType !== null) instruction.elementType = substitute(instruction.elementType);
      if (!isView(instruction)) continue;
      const [operand] = instruction.operands;
      assert(operand !== undefined, "a view has an operand");
      replaced.set(instruction, operand);
    }
    block.instructions = block.instructions.filter((instruction) => !isView(instruction));
  }
  // Chains: a view of a view, or of a parameter that was replaced.
  for (const old of replaced.keys()) {
    let value = replaced.get(old);
    for (
      let next = value === undefined ? undefined : replaced.get(value);
      next !== undefined;
      next = replaced.get(next)
    )
      value = next;
    if (value !== undefined) replaced.set(old, value);
  }
  replaceUses(fn, replaced);
}

function hasHandles(fn: IrFunction): boolean {
  const isHandle = ({ type }: { readonly type: Type }): boolean => substitute(type) !== type;
  return (
    fn.parameters.some(isHandle) ||
    substitute(fn.returnType) !== fn.returnType ||
    fn.blocks.some(
      (block) =>
        block.parameters.some(isHandle) ||
        block.instructions.some((instruction) => isHandle(instruction) || isView(instruction)),
    )
  );
}

/** Lowers the types of images and samplers; true when there were any. @public */
export function substituteImageArguments(module: Module): boolean {
  let changed = false;
  for (const fn of module.functions.values()) {
    if (!hasHandles(fn)) continue;
    substituteIn(fn);
    changed = true;
  }
  return changed;
}
