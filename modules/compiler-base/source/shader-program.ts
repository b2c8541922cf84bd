// SPDX-License-Identifier: Apache-2.0
// Kernels as compute shaders. Shaders have no pointers that are computed and no library, so a copy of the program goes
// through passes first: the library is linked, functions that take pointers are inlined, variables become values, and
// control flow is made reducible; then @muxkit/spirv writes each kernel.
import { builtinRows } from "@muxkit/builtin-table";
import { type Result, err, ok } from "@muxkit/cargo";
import { type IrFunction, type Module, cloneModule } from "@muxkit/ir";
import { runPasses } from "@muxkit/passes";
import { type WriterError, type WriterOptions, type WrittenShader, writeShader } from "@muxkit/spirv";
import { makeReducible } from "@muxkit/vecz";

import { libraryContext } from "./library-linker.ts";

const LINK: readonly string[] = ["lower-builtins", "link-builtins", "global-dce"];

/** Loops stay as they are: a shader's compiler has its own mind of them. */
const PREPARE: readonly string[] = (
  "simplify-cfg mem2reg inline global-dce " +
  "simplify-cfg sroa mem2reg infer-address-space mem2reg simplify gvn " +
  "simplify-cfg sroa mem2reg simplify gvn simplify-cfg dce"
).split(" ");

const takesPointers = ({ parameters }: IrFunction): boolean =>
  parameters.some(({ type }) => type.kind === "pointer" || type.kind === "opaque");

/** Built-in functions that neither the library nor a shader has. */
function foreignCall(module: Module): WriterError | null {
  for (const fn of module.functions.values())
    for (const block of fn.blocks)
      for (const { symbol, location } of block.instructions) {
        if (symbol?.kind !== "builtin" || !builtinRows(symbol.name).some(({ lowering }) => FOREIGN.has(lowering)))
          continue;
        const place = location === null ? "" : `${location.file}:${location.line}:${location.column}`;
        return { where: fn.name, place, message: `shaders have no ${symbol.name}` };
      }
  return null;
}

const FOREIGN: ReadonlySet<string> = new Set(["printf", "pipe"]);

/** A program's kernels as shaders, by their names. The program stays as it is. @public */
export function writeShaders(
  program: Module,
  options: WriterOptions = {},
): Result<ReadonlyMap<string, WrittenShader>, WriterError> {
  const module = cloneModule(program);
  const foreign = foreignCall(module);
  if (foreign !== null) return err(foreign);
  const context = libraryContext(module.layout);
  runPasses(module, LINK, context);
  for (const fn of module.functions.values()) if (fn.kernel === null && takesPointers(fn)) fn.inline = "always";
  runPasses(module, PREPARE, context);
  const shaders = new Map<string, WrittenShader>();
  for (const fn of module.functions.values()) if (fn.blocks.length > 0) makeReducible(fn);
  for (const { name } of module.kernels) {
    const written = writeShader(module, name, options);
    if (!written.ok) return err(written.error);
    shaders.set(name, written.value);
  }
  return ok(shaders);
}
