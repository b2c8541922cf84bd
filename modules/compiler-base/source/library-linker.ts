// SPDX-License-Identifier: Apache-2.0
// The built-in library as passes see it.
import { InternalError } from "@muxkit/cargo";
import { type BuiltinLibrary, builtinLibrary } from "@muxkit/builtins";
import { type BuiltinReference, type DataLayout, type IrFunction, Module } from "@muxkit/ir";
import { genericMachine } from "@muxkit/machine-target";
import { EMPTY_CONTEXT, type PassContext, importFunction, isPrintfQuery, runPasses } from "@muxkit/passes";

import { extensionFunction } from "./language-extensions.ts";

const fusedForms = new Map<IrFunction, IrFunction>();

/** A library function whose products and sums are fused where it allows that, with all that it calls. */
function fusedForm(source: IrFunction, layout: DataLayout): IrFunction {
  let made = fusedForms.get(source);
  if (made === undefined) {
    const module = new Module("fused", layout);
    made = importFunction(module, source);
    runPasses(module, ["contract"], EMPTY_CONTEXT);
    for (const fn of module.functions.values()) fn.name = `${fn.name}.fused`;
    fusedForms.set(source, made);
  }
  return made;
}

/** The library for a layout. Throws an InternalError where it is not baked for it. */
export function checkLayout(layout: DataLayout): BuiltinLibrary {
  const library = builtinLibrary(layout);
  if (library === null)
    throw new InternalError(
      `the built-in library is not baked for this data layout: ${JSON.stringify(layout)}; ` +
        "it takes little-endian layouts whose size_t is as wide as pointers to global " +
        "memory, 32 or 64 bits",
      ["compiler-base"],
    );
  return library;
}

/**
 * A context for passes whose built-ins come from the library.
 *
 * @throws InternalError when the library is not baked for the layout: see `builtinLibrary` of `@muxkit/builtins`
 * @public
 */
export function libraryContext(
  layout: DataLayout,
  remark: (text: string) => void = () => undefined,
  printfCall: PassContext["printfCall"] = () => undefined,
): PassContext {
  const library = checkLayout(layout);
  return {
    resolveBuiltin: (reference: BuiltinReference, isFused: boolean): IrFunction | null => {
      const symbol = `${reference.name}(${reference.parameters.join(",")})`;
      const found = library.find(symbol) ?? extensionFunction(layout, symbol);
      return found === null || !isFused ? found : fusedForm(found, layout);
    },
    keepsBuiltin: isPrintfQuery,
    machine: genericMachine(layout),
    printfCall,
    remark,
  };
}
