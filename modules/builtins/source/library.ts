// SPDX-License-Identifier: Apache-2.0
// The built-in library as the compiler sees it: functions by symbol, read one by one out of the baked modules.
import { InternalError } from "@muxkit/cargo";
import {
  CONSTANT,
  type DataLayout,
  GLOBAL,
  type IrFunction,
  type Library,
  decodeLibrary,
  pointerBytes,
} from "@muxkit/ir";

import { type BakedModule, MODULES } from "./generated/modules.js";

/** The library for devices of one layout. @public */
export interface BuiltinLibrary {
  /**
   * The definition of a symbol `name(types)`, for example `exp(float)`, with the bodies of all that it calls; null: the
   * library has no such function. It belongs to the library: copy it, do not change it.
   */
  readonly find: (symbol: string) => IrFunction | null;
}

const opened = new Map<BakedModule, Library>();

/** Decodes base64. */
function bytesOf(base64: string): Uint8Array {
  // Node's own decoder is ten times as fast as a loop that has not been compiled yet.
  const { Buffer: decoder } = globalThis as {
    readonly Buffer?: { readonly from: (text: string, encoding: "base64") => Uint8Array };
  };
  if (decoder !== undefined) return decoder.from(base64, "base64");
  const characters = atob(base64);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/**
 * Opens a module: its heads are read now, bodies when they are needed. A module for any width is opened once for all.
 */
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

/** The library for a width of size_t; its index of symbols is made when the first symbol is looked up. */
function makeLibrary(sizeBits: number): BuiltinLibrary {
  let bySymbol: ReadonlyMap<string, BakedModule> | null = null;
  const complete = new Set<IrFunction>();
  /** Gives calls of what another source defines their function. */
  const link = (fn: IrFunction): IrFunction => {
    if (complete.has(fn)) return fn;
    complete.add(fn);
    for (const { instructions } of fn.blocks)
      for (const instruction of instructions) {
        const { symbol } = instruction;
        if (symbol?.kind !== "function") continue;
        if (symbol.blocks.length > 0) link(symbol);
        else if (!symbol.isOutside) instruction.symbol = find(symbol.name) ?? symbol;
      }
    return fn;
  };
  const find = (symbol: string): IrFunction | null => {
    bySymbol ??= new Map(
      MODULES.filter((baked) => baked.sizeBits === null || baked.sizeBits === sizeBits).flatMap((baked) =>
        baked.symbols.map((name) => [name, baked] as const),
      ),
    );
    const baked = bySymbol.get(symbol);
    if (baked === undefined) return null;
    const loaded = open(baked).load(symbol);
    if (!loaded.ok)
      throw new InternalError(`the baked library is damaged at byte ${loaded.error.offset}: ${loaded.error.message}`, [
        "builtins",
        symbol,
      ]);
    return link(loaded.value);
  };
  return { find };
}

const LIBRARIES: ReadonlyMap<number, BuiltinLibrary> = new Map([32, 64].map((bits) => [bits, makeLibrary(bits)]));

/**
 * The library for a data layout; null: there is none. It is baked for little-endian devices whose size_t has 32 or 64
 * bits and whose pointers to global and constant memory have the width of size_t. Pointers to other memory may have
 * any width, and which types the device computes with makes no difference.
 *
 * @public
 */
export function builtinLibrary(layout: DataLayout): BuiltinLibrary | null {
  const hasWideAddresses = [GLOBAL, CONSTANT].every((space) => pointerBytes(layout, space) * 8 === layout.sizeBits);
  return layout.littleEndian && hasWideAddresses ? (LIBRARIES.get(layout.sizeBits) ?? null) : null;
}
