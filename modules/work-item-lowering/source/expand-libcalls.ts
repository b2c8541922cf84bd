// SPDX-License-Identifier: Apache-2.0
// Operations that the machine lacks become calls of the library: fused multiply-add, fmod, 64-bit high products. What halves need is in half.ts.
import {
  Builder,
  F16,
  F32,
  F64,
  type Instruction,
  type IrFunction,
  type Module,
  Op,
  type Type,
  type Value,
  replaceUses,
  scalarOf,
} from "@muxkit/ir";

/** OpenCL names of the scalar types that soft operations take. */
const NAMES = new Map<Type, string>([
  [F32, "float"],
  [F64, "double"],
]);

/** Name of the library function for an op on this type; null: the machine, with the features of this engine, has it. */
function softName(instruction: Instruction, features: readonly string[]): string | null {
  const type = scalarOf(instruction.operands[0]?.type ?? instruction.type);
  switch (instruction.op) {
    case Op.FMA:
      return type === F16 || features.includes("fused-madd") ? null : "__muxkit_fma";
    case Op.FREM:
      return "__muxkit_fmod";
    case Op.SMULH:
      return type.bits === 64 ? "__muxkit_mul_hi_s" : null;
    case Op.UMULH:
      return type.bits === 64 ? "__muxkit_mul_hi_u" : null;
    default:
      return null;
  }
}

function callLane(builder: Builder, name: string, operands: readonly Value[], type: Type): Value {
  // A remainder is exact: a half's is the one in binary32.
  if (type === F16)
    return builder.convert(
      Op.FPTRUNC,
      callLane(
        builder,
        name,
        operands.map((value) => builder.convert(Op.FPEXT, value, F32)),
        F32,
      ),
      F16,
    );
  const parameters = operands.map((value) => NAMES.get(value.type) ?? (name.endsWith("_s") ? "long" : "ulong"));
  return builder.callBuiltin({ kind: "builtin", name, parameters }, type, operands);
}

function lower(builder: Builder, name: string, instruction: Instruction): Value {
  const { type, operands } = instruction;
  if (type.kind !== "vector") return callLane(builder, name, operands, type);
  const lanes = Array.from({ length: type.count }, (_, lane) =>
    callLane(
      builder,
      name,
      operands.map((value) => builder.extract(value, lane)),
      scalarOf(type),
    ),
  );
  return builder.build(lanes);
}

/** Replaces what the machine lacks in every function, by calls that link-builtins resolves; true when there was any. `features`: what the engine has besides. */
export function lowerSoft(module: Module, features: readonly string[]): boolean {
  let changed = false;
  for (const fn of module.functions.values()) changed = lowerFunction(fn, features) || changed;
  return changed;
}

function lowerFunction(fn: IrFunction, features: readonly string[]): boolean {
  const replaced = new Map<Value, Value>();
  for (const block of fn.blocks) {
    if (!block.instructions.some((instruction) => softName(instruction, features) !== null)) continue;
    const old = block.instructions;
    block.instructions = [];
    const builder = new Builder(block);
    for (const instruction of old) {
      const name = softName(instruction, features);
      if (name === null) {
        block.instructions.push(instruction);
        continue;
      }
      builder.location = instruction.location;
      instruction.operands = instruction.operands.map((value) => replaced.get(value) ?? value);
      replaced.set(instruction, lower(builder, name, instruction));
    }
  }
  replaceUses(fn, replaced);
  return replaced.size > 0;
}
