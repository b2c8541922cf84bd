// SPDX-License-Identifier: Apache-2.0
// `expand-libcalls`: operations that the machine lacks become calls of the library (libcalls): fused multiply-add,
// remainder, high halves of 64-bit products, by the machine's table of native operations. Vectors are expanded lane by
// lane. What halves need is in the pass `lower-half`.
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
import { type MachineTarget, isLibcall } from "@muxkit/machine-target";
import { type PassContext, linkBuiltins } from "@muxkit/passes";

/** OpenCL names of the scalar types that libcalls take. */
const NAMES = new Map<Type, string>([
  [F32, "float"],
  [F64, "double"],
]);

/** Library functions by op. */
const FUNCTIONS: Readonly<Record<number, string>> = {
  [Op.FMA]: "__muxkit_fma",
  [Op.FREM]: "__muxkit_fmod",
  [Op.SMULH]: "__muxkit_mul_hi_s",
  [Op.UMULH]: "__muxkit_mul_hi_u",
};

/** The library function that computes an op on its type; null: the code generator takes the op. */
function libraryFunction({ op, operands, type }: Instruction, machine: MachineTarget): string | null {
  const name = FUNCTIONS[op];
  return name !== undefined && isLibcall(machine, op, operands[0]?.type ?? type) ? name : null;
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

function expand(builder: Builder, name: string, instruction: Instruction): Value {
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

/**
 * Replaces what the machine lacks in every function by calls, which `link-builtins` resolves; true when there was any.
 */
export function expandLibcalls(module: Module, machine: MachineTarget): boolean {
  let changed = false;
  for (const fn of module.functions.values()) changed = expandIn(fn, machine) || changed;
  return changed;
}

/**
 * Links the library's functions that the module calls, and those that libcall expansion needs. Library code may need
 * what the machine lacks too, for which there is library code again: it is repeated until nothing is left.
 *
 * @public
 */
export function linkLibrary(module: Module, machine: MachineTarget, context: PassContext): boolean {
  let changed = expandLibcalls(module, machine);
  do changed = linkBuiltins(module, context) || changed;
  while (expandLibcalls(module, machine));
  return changed;
}

function expandIn(fn: IrFunction, machine: MachineTarget): boolean {
  const replaced = new Map<Value, Value>();
  for (const block of fn.blocks) {
    if (!block.instructions.some((instruction) => libraryFunction(instruction, machine) !== null)) continue;
    const old = block.instructions;
    block.instructions = [];
    const builder = new Builder(block);
    for (const instruction of old) {
      const name = libraryFunction(instruction, machine);
      if (name === null) {
        block.instructions.push(instruction);
        continue;
      }
      builder.location = instruction.location;
      instruction.operands = instruction.operands.map((value) => replaced.get(value) ?? value);
      replaced.set(instruction, expand(builder, name, instruction));
    }
  }
  replaceUses(fn, replaced);
  return replaced.size > 0;
}
