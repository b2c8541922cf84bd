// The built-in library as passes see it.
import { InternalError } from "@muxkit/cargo";
import { findLibraryFunction, libraryLayout } from "@muxkit/builtins";
import type { BuiltinReference, DataLayout, IrFunction } from "@muxkit/ir";
import { type PassContext, isPrintfQuery } from "@muxkit/passes";

/** True when code of one layout can call that of the other. */
function isSameLayout(a: DataLayout, b: DataLayout): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A context for passes whose built-ins come from the library. The layout must be the one that the library was baked for. @public */
export function libraryContext(layout: DataLayout, remark: (text: string) => void = () => undefined, printfCall: PassContext["printfCall"] = () => undefined): PassContext {
  let checked = false;
  return {
    resolveBuiltin: (reference: BuiltinReference): IrFunction | null => {
      if (!checked && !isSameLayout(layout, libraryLayout())) throw new InternalError(`the built-in library is baked for another data layout than ${layout.sizeBits}-bit sizes`, ["compiler-base"]);
      checked = true;
      return findLibraryFunction(`${reference.name}(${reference.parameters.join(",")})`);
    },
    keepsBuiltin: isPrintfQuery,
    printfCall,
    remark,
  };
}
