// SPDX-License-Identifier: Apache-2.0
// The built-in library as the compiler sees it: functions by symbol, read out of the baked modules one by one.
import { InternalError } from "@muxkit/cargo";
import { type DataLayout, type IrFunction, type Library, decodeLibrary } from "@muxkit/ir";

import { type BakedModule, MODULES } from "./generated/modules.ts";

/** The baked modules by what they define; a module is opened when something of it is asked for. */
let bySymbol: ReadonlyMap<string, BakedModule> | null = null;
const opened = new Map<BakedModule, Library>();

/** The bytes that a text of base64 stands for. */
function bytesOf(base64: string): Uint8Array {
  // Node decodes it by itself, ten times as fast as a loop that nobody has compiled yet.
  const { Buffer: decoder } = globalThis as {
    readonly Buffer?: { readonly from: (text: string, encoding: "base64") => Uint8Array };
  };
  if (decoder !== undefined) return decoder.from(base64, "base64");
  const characters = atob(base64);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

function open(baked: BakedModule): Library {
  const known = opened.get(baked);
  if (known !== undefined) return known;
  const library = decodeLibrary(bytesOf(baked.base64));
  if (!library.ok)
    throw new InternalError(
      `the baked library ${baked.name} is damaged at byte ${library.error.offset}: ${library.error.message}`,
      ["builtins"],
    );
  opened.set(baked, library.value);
  return library.value;
}

/** The data layout that the library was baked for: functions fit modules of the same layout only. @public */
export function libraryLayout(): DataLayout {
  const [first] = MODULES;
  if (first === undefined) throw new InternalError("no library was baked", ["builtins"]);
  return open(first).module.layout;
}

/**
 * The definition of a symbol `name(types)`, for example `exp(float)`, with the bodies of all that it calls; null: the library has no such function.
 * It belongs to the library: copy it, do not change it.
 *
 * @public
 */
export function findLibraryFunction(symbol: string): IrFunction | null {
  bySymbol ??= new Map(MODULES.flatMap((baked) => baked.symbols.map((name) => [name, baked] as const)));
  const baked = bySymbol.get(symbol);
  if (baked === undefined) return null;
  const loaded = open(baked).load(symbol);
  if (!loaded.ok)
    throw new InternalError(`the baked library is damaged at byte ${loaded.error.offset}: ${loaded.error.message}`, [
      "builtins",
      symbol,
    ]);
  return loaded.value;
}
