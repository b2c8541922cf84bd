// SPDX-License-Identifier: Apache-2.0
// Whether the address space behind a memory is set aside, so that addresses of 32 bits cannot reach anything else.
import type { Result } from "@muxkit/cargo";
import { err, ok } from "@muxkit/cargo";

/** What kernels can reach from the base of their memory: 32 bits, and the widest vector beyond. @public */
export const REACH_BYTES: number = 2 ** 32 + 64;

const LINE = /^([\da-f]+)-([\da-f]+) (\S{4})/gmu;

/**
 * Whether all that kernels can reach from `base` is the memory itself and pages without access.
 *
 * @param maps - The text of `/proc/self/maps`.
 * @param bytes - How many bytes the memory has.
 * @internal
 */
export function isGuarded(maps: string, base: number, bytes: number): boolean {
  let place = base;
  // Programs have thousands of mappings, and one mostly begins where the memory does.
  LINE.lastIndex = maps.indexOf(`\n${base.toString(16)}-`) + 1;
  for (;;) {
    const line = LINE.exec(maps);
    if (line === null) return false;
    const [, from = "", to = "", rights = ""] = line;
    const [start, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)];
    if (end <= place) continue;
    if (start > place) return false;
    // Behind the memory nothing may be read or written; a mapping that begins in it is of it.
    if (rights.startsWith("---") || (start < base + bytes && end <= base + bytes)) place = end;
    else return false;
    if (place >= base + REACH_BYTES) return true;
  }
}

/** Looks at the address space of this process: nothing, or one sentence on why native code would not be safe. */
export function checkGuard(base: number, bytes: number): Result<void, string> {
  let maps: string;
  try {
    maps = process.getBuiltinModule("node:fs").readFileSync("/proc/self/maps", "utf8");
  } catch {
    return err("Native code is not used, because /proc/self/maps cannot be read to see what lies behind the memory.");
  }
  if (isGuarded(maps, base, bytes)) return ok(undefined);
  return err(
    "Native code is not used, because the engine keeps no free address space behind the memory; " +
      "it does so without --disable-wasm-trap-handler.",
  );
}
