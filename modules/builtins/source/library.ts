// The built-in library as the compiler sees it: sources with the symbols that they define.
import { SOURCES } from "./generated/sources.ts";

/** One source of the library. @public */
export interface LibrarySource {
  /** Name of the file. */
  readonly name: string;
  /** Functions that it defines, as `name(types)`. */
  readonly symbols: readonly string[];
  /** OpenCL C. */
  readonly text: string;
}

let bySymbol: ReadonlyMap<string, LibrarySource> | null = null;

/** The source that defines a symbol `name(types)`; null: the library has no such function. @public */
export function findLibrarySource(symbol: string): LibrarySource | null {
  bySymbol ??= new Map(SOURCES.flatMap((source) => source.symbols.map((name): [string, LibrarySource] => [name, source])));
  return bySymbol.get(symbol) ?? null;
}
