// SPDX-License-Identifier: Apache-2.0
// Which private arrays are interleaved, structure of arrays instead of array of structures
// (docs/decisions/023-private-layout.md): element 0 of all lanes, then element 1 of all lanes. A uniform index then
// reads or writes all lanes in one contiguous access.
import {
  type DataLayout,
  type Instruction,
  type IrFunction,
  Op,
  type Type,
  type Value,
  VOLATILE,
  scalarOf,
  sizeOf,
  uses,
} from "@muxkit/ir";

/** Element of nested arrays; null for types that are no arrays of scalars. */
export function elementOf(type: Type): Type | null {
  let element = type;
  while (element.kind === "array" && element.element !== null) element = element.element;
  return element.kind === "int" || element.kind === "float" || element.kind === "pointer" ? element : null;
}

/** Variables that hold scalars and are only read and written element by element. */
export function interleavedVariables(fn: IrFunction, layout: DataLayout): ReadonlySet<Value> {
  const users = uses(fn);
  const found = new Set<Value>();
  for (const variable of fn.entry.instructions) {
    if (variable.op !== Op.ALLOCA || variable.elementType === null) continue;
    const element = elementOf(variable.elementType);
    if (element !== null && elementAccesses(variable, element, users, layout, () => false) !== null)
      found.add(variable);
  }
  return found;
}

/** The accesses of a variable, which are of one element each or of `others`; null: it is used in another way. */
export function elementAccesses(
  variable: Instruction,
  element: Type,
  users: ReadonlyMap<Value, readonly Instruction[]>,
  layout: DataLayout,
  others: (user: Instruction) => boolean,
): ReadonlySet<Instruction> | null {
  const size = sizeOf(layout, element);
  const accesses = new Set<Instruction>();
  const work: Value[] = [variable];
  for (let pointer = work.pop(); pointer !== undefined; pointer = work.pop()) {
    for (const user of users.get(pointer) ?? []) {
      if (user.op === Op.ADDRESS && user.operands[1] !== pointer && user.scale % size === 0 && user.offset % size === 0)
        work.push(user);
      else if (isPlainAccess(user, pointer, element) || others(user)) accesses.add(user);
      else return null;
    }
  }
  return accesses;
}

function isPlainAccess(user: Instruction, pointer: Value, element: Type): boolean {
  if ((user.flags & VOLATILE) !== 0 || (element.kind === "int" && element.bits === 1)) return false;
  if (user.op === Op.LOAD) return user.type === element || isSameSize(user.type, element);
  return (
    user.op === Op.STORE &&
    user.operands[1] === pointer &&
    user.operands[0] !== undefined &&
    user.operands[0] !== pointer &&
    isSameSize(user.operands[0].type, element)
  );
}

function isSameSize(type: Type, element: Type): boolean {
  return scalarOf(type) === type &&
    type.kind !== "array" &&
    type.kind !== "struct" &&
    type.bits === element.bits &&
    type.kind !== "pointer" &&
    element.kind !== "pointer"
    ? true
    : type === element;
}
