// SPDX-License-Identifier: Apache-2.0
// What a module of ours is made of. An engine accepts more: code that runs, or writes into memory, as soon as an
// instance is made; memories and tables of its own.
import { ByteReader } from "@muxkit/cargo";

/** Custom sections, types, imports, functions, globals, exports, code. */
const SECTIONS: ReadonlySet<number> = new Set([0, 1, 2, 3, 6, 7, 10]);

const NAMES: Readonly<Record<number, string>> = {
  4: "tables",
  5: "a memory of its own",
  8: "a function that runs as soon as it is loaded",
  9: "elements of tables",
  11: "data",
  12: "data",
  13: "tags",
};

/** Magic and version. */
const HEADER = 8;

/**
 * The first part of a module that generated code never has, as the end of a sentence; null: there is none. The engine
 * checks everything else.
 */
export function strangePart(bytes: Uint8Array): string | null {
  const reader = new ByteReader(bytes);
  reader.seek(HEADER);
  while (reader.remaining > 0 && reader.error === null) {
    const id = reader.u8();
    if (!SECTIONS.has(id)) return NAMES[id] ?? `a section of the unknown kind ${id}`;
    reader.raw(reader.varU32());
  }
  return null;
}
