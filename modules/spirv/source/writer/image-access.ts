// SPDX-License-Identifier: Apache-2.0
// How images are accessed. The type of an image in SPIR-V has the access, that of the IR has none: arguments of kernels
// have it in their description, parameters of functions get it from the calls. What no kernel reaches is judged by
// its own reads and writes. One walk over all calls for each level of them.
import { type BuiltinReference, type IrFunction, type Module, Op, type Value } from "@muxkit/ir";

import { ACCESS, accessOfBuiltin } from "./image-rows.ts";

const isImage = ({ type }: Value): boolean => type.kind === "opaque" && type.name.startsWith("image");

/** The access of each parameter that is an image. */
export function imageAccesses(module: Module): ReadonlyMap<Value, number> {
  const found = new Map<Value, number>();
  const calls: { readonly callee: IrFunction; readonly operands: readonly Value[] }[] = [];
  const own = new Map<Value, number>();
  for (const fn of module.functions.values()) {
    fn.kernel?.arguments.forEach(({ kind, access }, n) => {
      const parameter = fn.parameters[n];
      if (kind === "image" && parameter !== undefined) found.set(parameter, ACCESS[access] ?? 0);
    });
    for (const block of fn.blocks)
      for (const { op, symbol, operands } of block.instructions)
        if (op === Op.CALL && operands.some(isImage)) calls.push({ callee: symbol as IrFunction, operands });
        else if (op === Op.CALL_BUILTIN) note(own, (symbol as BuiltinReference).name, operands);
  }
  for (let changed = true; changed;) {
    changed = false;
    for (const { callee, operands } of calls)
      operands.forEach((operand, n) => {
        const parameter = callee.parameters[n];
        const access = found.get(operand);
        if (parameter === undefined || access === undefined || found.has(parameter)) return;
        found.set(parameter, access);
        changed = true;
      });
  }
  for (const [value, access] of own) if (!found.has(value)) found.set(value, access);
  return found;
}

/** What a function reads and writes itself: 2 is both. */
function note(own: Map<Value, number>, name: string, operands: readonly Value[]): void {
  const access = accessOfBuiltin(name);
  const [image] = operands;
  if (access === null || image === undefined || !isImage(image)) return;
  const before = own.get(image);
  own.set(image, before === undefined || before === access ? access : 2);
}
