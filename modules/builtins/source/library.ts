// The built-in library as the compiler sees it: functions by symbol, read out of the baked modules one by one.
import { InternalError } from "@muxkit/cargo";
import { type DataLayout, type IrFunction, type Library, decodeLibrary } from "@muxkit/ir";

import { MODULES } from "./generated/modules.ts";

/** The baked modules, opened. */
let opened: readonly Library[] | null = null;
/** The module that defines a symbol. */
const bySymbol = new Map<string, Library>();

/** The bytes that a text of base64 stands for. */
function bytesOf(base64: string): Uint8Array {
  const characters = atob(base64);
  const bytes = new Uint8Array(characters.length);
  // A loop, since Uint8Array.from walks a text by its iterator: 5 ms for the library in a new process, more than all the rest.
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

function open(): readonly Library[] {
  opened ??= MODULES.map(({ name, base64 }) => {
    const library = decodeLibrary(bytesOf(base64));
    if (!library.ok) throw new InternalError(`the baked library ${name} is damaged at byte ${library.error.offset}: ${library.error.message}`, ["builtins"]);
    for (const symbol of library.value.names) bySymbol.set(symbol, library.value);
    return library.value;
  });
  return opened;
}

/** The data layout that the library was baked for: functions fit modules of the same layout only. @public */
export function libraryLayout(): DataLayout {
  const [first] = open();
  if (first === undefined) throw new InternalError("no library was baked", ["builtins"]);
  return first.module.layout;
}

/**
 * The definition of a symbol `name(types)`, for example `exp(float)`, with the bodies of all that it calls; null: the library has no such function.
 * It belongs to the library: copy it, do not change it.
 *
 * @public
 */
export function findLibraryFunction(symbol: string): IrFunction | null {
  open();
  const library = bySymbol.get(symbol);
  if (library === undefined) return null;
  const loaded = library.load(symbol);
  if (!loaded.ok) throw new InternalError(`the baked library is damaged at byte ${loaded.error.offset}: ${loaded.error.message}`, ["builtins", symbol]);
  return loaded.value;
}
