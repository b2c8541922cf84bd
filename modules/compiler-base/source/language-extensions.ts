// SPDX-License-Identifier: Apache-2.0
// Extensions of OpenCL C that belong to a target: built-in functions beyond those of the kit. Their rows join the table
// of built-ins, where only programs for devices with the extension see them. Calls stay calls for targets whose machine
// has the function; others link them from the extension's library, OpenCL C that is compiled at the first use.
import { InternalError } from "@muxkit/cargo";
import { type ShortRow, registerBuiltins } from "@muxkit/builtin-table";
import { OPENCL_VERSION } from "@muxkit/compiler";
import type { DataLayout, IrFunction, Module } from "@muxkit/ir";
import { compileOpenCLC, libraryOptions } from "@muxkit/opencl-c";
import { EMPTY_CONTEXT, foldBuiltin, runPasses } from "@muxkit/passes";
import { renderText } from "@muxkit/report";

/** An extension of a target's own. @public */
export interface LanguageExtension {
  /** Its macro, for example `cl_my_chip_dot_product`: devices list it in `languageExtensions`. */
  readonly name: string;
  /**
   * Its built-in functions as rows of the table of built-ins, for example
   * `["my_dot", "int(char4, char4)", "", "library-whole"]`.
   */
  readonly builtins: readonly ShortRow[];
  /**
   * Definitions in OpenCL C of those that targets do not keep (`keepsBuiltin`), each
   * `__attribute__((overloadable))`; they may call all other built-ins. Absent: the machine has every one.
   */
  readonly library?: string;
}

interface Registered {
  readonly extension: LanguageExtension;
  /** Compiled libraries, by layout. */
  readonly modules: Map<string, Module>;
}

const REGISTERED = new Map<string, Registered>();

const NAME = /^[A-Za-z_]\w*$/u;

/**
 * Makes an extension known to all compilers of this process. Registering it again changes nothing.
 *
 * @throws InternalError where the name is no name of a macro, or belongs to an extension with other contents
 * @public
 */
export function registerLanguageExtension(extension: LanguageExtension): void {
  if (!NAME.test(extension.name)) throw new InternalError(`"${extension.name}" cannot be the name of an extension`);
  const before = REGISTERED.get(extension.name)?.extension;
  if (before !== undefined && before.library !== extension.library)
    throw new InternalError(`the extension ${extension.name} is registered with another library already`);
  registerBuiltins(extension.name, extension.builtins);
  if (before === undefined) REGISTERED.set(extension.name, { extension, modules: new Map() });
}

function compileLibrary({ name, library = "" }: LanguageExtension, layout: DataLayout): Module {
  const options = libraryOptions({
    layout,
    standard: "3.0",
    deviceVersion: OPENCL_VERSION,
    extensions: ["cl_khr_fp64", "cl_khr_fp16", name],
    features: ["__opencl_c_fp64", "__opencl_c_int64", "__opencl_c_images"],
    foldBuiltin,
  });
  const { module, diagnostics } = compileOpenCLC(name, library, options);
  if (module === null)
    throw new InternalError(`the library of the extension ${name} has errors:\n${renderText(diagnostics.all)}`);
  runPasses(module, ["lower-builtins", "image-arg-subst"], EMPTY_CONTEXT);
  return module;
}

/**
 * The definition of a built-in of an extension, by its symbol `name(parameters)`; null: no library has it. It belongs
 * to the library: copy it, do not change it.
 */
export function extensionFunction(layout: DataLayout, symbol: string): IrFunction | null {
  const key = JSON.stringify(layout);
  for (const { extension, modules } of REGISTERED.values()) {
    if (extension.library === undefined) continue;
    let module = modules.get(key);
    if (module === undefined) {
      module = compileLibrary(extension, layout);
      modules.set(key, module);
    }
    const found = module.functions.get(symbol);
    if (found !== undefined && found.blocks.length > 0) return found;
    const name = symbol.slice(0, symbol.indexOf("("));
    if (module.functions.has(name))
      throw new InternalError(
        `the library of the extension ${extension.name} defines ${name} without __attribute__((overloadable))`,
      );
  }
  return null;
}
