// What a pass is, and what it may be given.
import type { BuiltinReference, IrFunction, Module } from "@muxkit/ir";

/** What passes get from outside. @public */
export interface PassContext {
  /** Finds the library's definition of a built-in, in a module of its own; null when the library has none. */
  readonly resolveBuiltin: (reference: BuiltinReference) => IrFunction | null;
  /** True when calls of this built-in stay calls because the target has an own form of it (decision 38). */
  readonly keepsBuiltin: (reference: BuiltinReference) => boolean;
  /** Receives remarks: what a pass did not do, and why. */
  readonly remark: (text: string) => void;
}

/** A context without a library that drops remarks. @public */
export const EMPTY_CONTEXT: PassContext = { resolveBuiltin: () => null, keepsBuiltin: () => false, remark: () => undefined };

/** One named pass. @public */
export interface Pass {
  /** Registry name, also the name of its file and of its tests' folder. */
  readonly name: string;
  /** One sentence: what it does. */
  readonly doc: string;
  /** Changes the module in place; true when it changed anything. */
  readonly run: (module: Module, context: PassContext) => boolean;
}

/** A pass that looks at one function at a time. @public */
export function functionPass(name: string, doc: string, run: (fn: IrFunction, module: Module) => boolean): Pass {
  return {
    name,
    doc,
    run: (module) => {
      let changed = false;
      for (const fn of module.functions.values()) {
        if (fn.blocks.length > 0 && run(fn, module)) changed = true;
      }
      return changed;
    },
  };
}
