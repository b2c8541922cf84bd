// SPDX-License-Identifier: Apache-2.0
// Bakes the built-in library: OpenCL C sources, compiled and optimised once, as a generated file with the IR's binary
// form.
//
// Every source is compiled for each width of size_t (32 and 64 bits). Most of them compute with values only and come
// out the same except for the layout in the header; those are written once, for any width. The others are written
// twice.
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

import {
  type DataLayout,
  LAYOUT_32,
  LAYOUT_64,
  type Module,
  Op,
  decodeLibrary,
  encodeModule,
  printModule,
} from "@muxkit/ir";
import { DISPATCH_STRUCT, PIPE_STRUCT, PRINTF_AREA_STRUCT, layoutStruct } from "@muxkit/kernel-abi";
import { compileOpenCLC, libraryOptions } from "@muxkit/opencl-c";
import { runPasses, EMPTY_CONTEXT, foldBuiltin } from "@muxkit/passes";
import { renderText } from "@muxkit/report";

const root = fileURLToPath(new URL("../../../modules/", import.meta.url));
/** Packages that have sources of the library. */
const PACKAGES = "{abacus,builtins}";
/** The layouts that the library is compiled for; sources read their width from the macro MUXKIT_SIZE_BITS. */
const LAYOUTS: readonly DataLayout[] = [LAYOUT_32, LAYOUT_64];

/**
 * What a library function goes through before anybody links it. Calls stay: what a kernel does not call must not come
 * along.
 */
const LIBRARY_PASSES: readonly string[] = [
  "image-arg-subst",
  "simplify-cfg",
  "mem2reg",
  "simplify",
  "gvn",
  "simplify-cfg",
  "simplify",
  "dce",
];
/** Characters of a line of base64 in the generated file. */
const LINE = 110;

/** Macros of the sources: the width of size_t, and offsets of the kernel ABI that depend on it. */
function definitionsFor(layout: DataLayout): readonly { readonly name: string; readonly value: string }[] {
  const pointerBytes = layout.sizeBits === 64 ? 8 : 4;
  const pipe = layoutStruct(PIPE_STRUCT, pointerBytes);
  const numbers = {
    MUXKIT_SIZE_BITS: layout.sizeBits,
    MUXKIT_PRINTF_RING: layoutStruct(PRINTF_AREA_STRUCT, pointerBytes).bytes,
    MUXKIT_PRINTF_LOST: layoutStruct(DISPATCH_STRUCT, pointerBytes).offsets.printfLost / 4,
    MUXKIT_PIPE_WRITTEN: pipe.offsets.written,
    MUXKIT_PIPE_READ: pipe.offsets.read,
    MUXKIT_PIPE_CELLS: pipe.bytes,
  };
  return Object.entries(numbers).map(([name, value]) => ({ name, value: String(value) }));
}

/** One source, compiled for a layout. Throws with its diagnostics. */
function compile(name: string, text: string, layout: DataLayout): Module {
  const options = libraryOptions({
    layout,
    definitions: definitionsFor(layout),
    standard: "1.2",
    extensions: ["cl_khr_fp64", "cl_khr_fp16", "cl_khr_depth_images"],
    features: ["__opencl_c_images"],
    // What one source lacks another has: the library is one.
    allowUndefined: true,
    foldBuiltin,
  });
  const { module, diagnostics } = compileOpenCLC(name, text, options);
  if (module === null) throw new Error(renderText(diagnostics.all));
  runPasses(module, ["lower-builtins"], EMPTY_CONTEXT, { verifyEach: true });
  runPasses(module, LIBRARY_PASSES, { ...EMPTY_CONTEXT, keepsBuiltin: () => true }, { verifyEach: true });
  return withoutLocations(module);
}

/** A kernel's author does not step into the library: its lines and variables are not shipped. */
function withoutLocations(module: Module): Module {
  for (const fn of module.functions.values()) {
    for (const block of fn.blocks) {
      block.instructions = block.instructions.filter(({ op }) => op !== Op.DEBUG_VALUE);
      for (const instruction of block.instructions) {
        instruction.location = null;
        instruction.name = "";
      }
    }
  }
  return module;
}

/** Throws where two sources have a static function of one name: linking would take them for one function. */
function checkNames(name: string, module: Module, owners: Map<string, string>): void {
  for (const fn of module.functions.values()) {
    if (!fn.isInternal || fn.blocks.length === 0) continue;
    const owner = owners.get(fn.name);
    if (owner !== undefined && owner !== name)
      throw new Error(`${name} and ${owner} both have a static function ${fn.name}; rename one of them`);
    owners.set(fn.name, name);
  }
}

/** The text of a module without its first line, which names the layout. */
function printedCode(module: Module): string {
  const text = printModule(module);
  return text.slice(text.indexOf("\n"));
}

/** One module of the generated file. */
function entry(name: string, sizeBits: number | null, module: Module): string {
  const bytes = encodeModule(module);
  const library = decodeLibrary(bytes);
  if (!library.ok) throw new Error(`${name} cannot be read back: ${library.error.message}`);
  return `  {
    name: ${JSON.stringify(name)},
    sizeBits: ${sizeBits},
    symbols: [
${[...library.value.names].map((symbol) => `      ${JSON.stringify(symbol)},`).join("\n")}
    ],
    base64:
${base64Lines(bytes)},
  },
`;
}

function base64Lines(bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes).toString("base64");
  return Array.from(
    { length: Math.ceil(base64.length / LINE) },
    (_, i) => `      "${base64.slice(i * LINE, (i + 1) * LINE)}"`,
  ).join(" +\n");
}

/** The text of modules/builtins/source/generated/modules.js. Throws when a source has errors. */
export function bakeLibrary(): string {
  const owners = new Map<string, string>();
  const entries = globSync(`${PACKAGES}/source/opencl/*.cl`, { cwd: root })
    .toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1))
    .flatMap((path) => {
      const name = basename(path);
      const text = readFileSync(root + path, "utf8");
      const modules = LAYOUTS.map((layout) => compile(name, text, layout));
      for (const module of modules) checkNames(name, module, owners);
      const [first, ...others] = modules;
      return first !== undefined && others.every((other) => printedCode(other) === printedCode(first))
        ? [entry(name, null, first)]
        : modules.map((module) => entry(name, module.layout.sizeBits, module));
    });
  return `// SPDX-License-Identifier: Apache-2.0
// Generated by tools/bake from modules/abacus/source/opencl and modules/builtins/source/opencl. Do not edit.

export const MODULES = [
${entries.join("")}];
`;
}
