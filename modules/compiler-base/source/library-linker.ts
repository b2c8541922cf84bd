// SPDX-License-Identifier: Apache-2.0
// The built-in library as passes see it.
import { InternalError } from "@muxkit/cargo";
import { findLibraryFunction, libraryLayout } from "@muxkit/builtins";
import { type BuiltinReference, type DataLayout, type IrFunction, Module } from "@muxkit/ir";
import { EMPTY_CONTEXT, type PassContext, importFunction, isPrintfQuery, runPasses } from "@muxkit/passes";

/** True when code of one layout can call that of the other. */
function isSameLayout(a: DataLayout, b: DataLayout): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

const fusedForms = new Map<IrFunction, IrFunction>();

/** A library function whose products and sums are fused where it allows that, with all that it calls. */
function fusedForm(source: IrFunction): IrFunction {
  let made = fusedForms.get(source);
  if (made === undefined) {
    const module = new Module("fused", libraryLayout());
    made = importFunction(module, source);
    runPasses(module, ["contract"], EMPTY_CONTEXT);
    for (const fn of module.functions.values()) fn.name = `${fn.name}.fused`;
    fusedForms.set(source, made);
  }
  return made;
}

/** A context for passes whose built-ins come from the library. The layout must be the one that the library was baked for. @public */
export function libraryContext(
  layout: DataLayout,
  remark: (text: string) => void = () => undefined,
  printfCall: PassContext["printfCall"] = () => undefined,
): PassContext {
  let checked = false;
  return {
    resolveBuiltin: (reference: BuiltinReference, isFused: boolean): IrFunction | null => {
      if (!checked && !isSameLayout(layout, libraryLayout()))
        throw new InternalError(
          `the built-in library is baked for another data layout than ${layout.sizeBits}-bit sizes`,
          ["compiler-base"],
        );
      checked = true;
      const found = findLibraryFunction(`${reference.name}(${reference.parameters.join(",")})`);
      return found === null || !isFused ? found : fusedForm(found);
    },
    keepsBuiltin: isPrintfQuery,
    printfCall,
    remark,
  };
}
