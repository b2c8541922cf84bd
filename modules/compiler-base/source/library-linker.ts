// The built-in library as compiled functions: a source is compiled when the first of its functions is called, once a process.
import { InternalError } from "@muxkit/cargo";
import { findLibrarySource } from "@muxkit/builtins";
import { type BuiltinReference, type DataLayout, type IrFunction, type Module } from "@muxkit/ir";
import { compileOpenCLC } from "@muxkit/opencl-c";
import { type PassContext, runPasses } from "@muxkit/passes";
import { renderText } from "@muxkit/report";

/** What a library function goes through once, before anybody links it. */
const LIBRARY_PASSES = ["simplify-cfg", "mem2reg", "simplify", "gvn", "simplify-cfg", "simplify", "dce"];

const compiled = new Map<string, Module>();

function compile(name: string, text: string, layout: DataLayout): Module {
  const { module, diagnostics } = compileOpenCLC(name, text, {
    layout, definitions: [], includeDirectories: [], headers: new Map(), readFile: null, standard: "1.2", deviceVersion: 300, extensions: ["cl_khr_fp64"],
    fastRelaxedMath: false, finiteMathOnly: false, noSignedZeros: false, unsafeMath: false, singlePrecisionConstant: false, warnings: "default", allowUndefined: false, library: true,
  });
  if (module === null) throw new InternalError(`the built-in library does not compile:\n${renderText(diagnostics.all)}`);
  runPasses(module, LIBRARY_PASSES, { resolveBuiltin: () => null, keepsBuiltin: () => true, remark: () => undefined });
  return module;
}

/** A context for passes whose built-ins come from the library. @public */
export function libraryContext(layout: DataLayout, remark: (text: string) => void = () => undefined): PassContext {
  return {
    resolveBuiltin: (reference: BuiltinReference): IrFunction | null => {
      const symbol = `${reference.name}(${reference.parameters.join(",")})`;
      const source = findLibrarySource(symbol);
      if (source === null) return null;
      const key = `${source.name}:${layout.sizeBits}`;
      let module = compiled.get(key);
      if (module === undefined) {
        module = compile(source.name, source.text, layout);
        compiled.set(key, module);
      }
      return module.functions.get(symbol) ?? null;
    },
    keepsBuiltin: () => false,
    remark,
  };
}
