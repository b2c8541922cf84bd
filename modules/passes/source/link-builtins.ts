// SPDX-License-Identifier: Apache-2.0
// link-builtins: replaces calls of built-ins by calls of the library's definitions, vectors lane by lane where the
// library has no definition for them. Only what is called is imported, with everything that it calls and reads (a
// worklist: the imported functions are linked too).
import { InternalError, assert } from "@muxkit/cargo";
import {
  type BuiltinReference,
  Builder,
  FUSED,
  Global,
  Instruction,
  IrFunction,
  type Module,
  Op,
  type Value,
  cloneBlocks,
  createCloneMap,
  replaceUses,
  scalarOf,
} from "@muxkit/ir";

import type { PassContext } from "./pass.ts";

/** The name of an internal function or global of the library: no program can write such a name. */
function libraryName(name: string): string {
  return `${name}.library`;
}

/**
 * Imports a function of another module, with everything that it calls and reads. Equal names denote one object.
 *
 * @public
 */
export function importFunction(module: Module, source: IrFunction): IrFunction {
  const name = source.isInternal ? libraryName(source.name) : source.name;
  const known = module.functions.get(name);
  if (known !== undefined) return known;
  const made = new IrFunction(name, source.returnType, source.parameters);
  made.inline = source.inline;
  made.isInternal = source.isInternal;
  made.isOutside = source.isOutside;
  made.convention = source.convention;
  module.addFunction(made);
  const map = createCloneMap();
  source.parameters.forEach((parameter, i) => {
    const own = made.parameters[i];
    assert(own !== undefined, "the same parameters");
    map.values.set(parameter, own);
  });
  cloneBlocks(source.blocks, made, map, (copy) => {
    const { symbol } = copy;
    if (symbol?.kind === "function") copy.symbol = importFunction(module, symbol);
    if (symbol?.kind === "global") copy.symbol = importGlobal(module, symbol);
    return copy;
  });
  return made;
}

function importGlobal(module: Module, source: Global): Global {
  const name = libraryName(source.name);
  const known = module.globals.get(name);
  if (known !== undefined) return known;
  const made = new Global(name, source.type, source.addressSpace, source.alignment);
  made.initializer = source.initializer;
  made.linkage = source.linkage;
  module.addGlobal(made);
  made.relocations = source.relocations.map((relocation) => ({
    ...relocation,
    target: importGlobal(module, relocation.target),
  }));
  return made;
}

/** The scalar overload of a reference: `exp(float4)` is `exp(float)` lane by lane. @public */
export function scalarReference(reference: BuiltinReference): BuiltinReference {
  return {
    ...reference,
    parameters: reference.parameters.map((name) => name.replace(/(?<=[a-z])(?:2|3|4|8|16)$/u, "")),
  };
}

function definition(reference: BuiltinReference, isFused: boolean, context: PassContext, where: string): IrFunction {
  const found = context.resolveBuiltin(reference, isFused);
  if (found === null)
    throw new InternalError(`the built-in library has no ${reference.name}(${reference.parameters.join(", ")})`, [
      "link-builtins",
      where,
    ]);
  return found;
}

/** Emits the call of a library function that replaces a call of a built-in. */
function linkCall(call: Instruction, builder: Builder, module: Module, context: PassContext): Value {
  const { symbol } = call;
  assert(symbol !== null && symbol.kind === "builtin", "a call of a built-in names it");
  const where = builder.block.owner.name;
  const isFused = (call.flags & FUSED) !== 0;
  // A definition that takes whole vectors is preferred to the one that is applied lane by lane.
  if (call.type.kind !== "vector" || context.resolveBuiltin(symbol, isFused) !== null)
    return builder.call(importFunction(module, definition(symbol, isFused, context, where)), call.operands);
  const callee = importFunction(module, definition(scalarReference(symbol), isFused, context, where));
  const lanes = Array.from({ length: call.type.count }, (_, lane) =>
    builder.call(
      callee,
      call.operands.map((value) => (value.type.kind === "vector" ? builder.extract(value, lane) : value)),
    ),
  );
  assert(scalarOf(call.type) === callee.returnType, () => `${callee.name} returns a lane of ${call.type.text}`);
  return builder.build(lanes);
}

/** Links every built-in that the target does not keep as a call. Imported functions are linked too. @public */
export function linkBuiltins(module: Module, context: PassContext): boolean {
  let changed = false;
  const done = new Set<IrFunction>();
  for (let more = true; more;) {
    more = false;
    for (const fn of module.functions.values()) {
      if (done.has(fn)) continue;
      done.add(fn);
      more = true;
      const replaced = new Map<Value, Value>();
      for (const block of fn.blocks) {
        const calls = block.instructions.some(
          ({ op, symbol }) => op === Op.CALL_BUILTIN && symbol?.kind === "builtin" && !context.keepsBuiltin(symbol),
        );
        if (!calls) continue;
        const old = block.instructions;
        block.instructions = [];
        const builder = new Builder(block);
        for (const instruction of old) {
          if (
            instruction.op !== Op.CALL_BUILTIN ||
            instruction.symbol?.kind !== "builtin" ||
            context.keepsBuiltin(instruction.symbol)
          ) {
            block.instructions.push(instruction);
            continue;
          }
          builder.location = instruction.location;
          replaced.set(instruction, linkCall(instruction, builder, module, context));
          changed = true;
        }
      }
      replaceUses(fn, replaced);
    }
  }
  return changed;
}
