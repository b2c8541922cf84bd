// SPDX-License-Identifier: Apache-2.0
// `program-data`: decides where the program's data is stored: its constants and program-scope variables, and the
// library's.
import { alignUp } from "@muxkit/cargo";
import { LOCAL, type Module, type ProgramBytes, type ProgramLayout, sizeOf } from "@muxkit/ir";

import type { LoweringState } from "../lowering-state.ts";

/** Alignment of data that needs none. */
const LEAST_ALIGNMENT = 16;
/** The largest alignment of OpenCL C. */
const MOST_ALIGNMENT = 128;

/**
 * Lays out what is not local, in the order of the module: the program's own variables, then the library's. What `base`
 * has stays where it is; its data begins this one's.
 */
export function layOutProgram(module: Module, base: ProgramLayout | null): ProgramLayout {
  const offsets = new Map<string, number>(base?.offsets);
  let size = base?.programData?.size ?? 0;
  let alignment = Math.max(LEAST_ALIGNMENT, base?.programData?.alignment ?? 0);
  for (const global of module.globals.values()) {
    if (global.addressSpace === LOCAL || offsets.has(global.name)) continue;
    size = alignUp(size, global.alignment);
    alignment = Math.max(alignment, global.alignment);
    offsets.set(global.name, size);
    size += sizeOf(module.layout, global.type);
  }
  return { offsets, programData: size === 0 ? null : dataOf(module, offsets, size, alignment, base) };
}

function dataOf(
  module: Module,
  offsets: ReadonlyMap<string, number>,
  size: number,
  alignment: number,
  base: ProgramLayout | null,
): ProgramBytes {
  const bytes = new Uint8Array(size);
  bytes.set(base?.programData?.bytes ?? []);
  const relocations = [...(base?.programData?.relocations ?? [])];
  for (const global of module.globals.values()) {
    const at = offsets.get(global.name);
    if (global.addressSpace === LOCAL || at === undefined || base?.offsets.has(global.name) === true) continue;
    if (global.initializer !== null) bytes.set(global.initializer, at);
    for (const { offset, target, addend } of global.relocations)
      relocations.push({ offset: at + offset, target: (offsets.get(target.name) ?? 0) + addend });
  }
  return { size, alignment: Math.min(alignment, MOST_ALIGNMENT), bytes, relocations };
}

/** Lays the data of the module out, unless the request has its layout. The module itself stays as it is. */
export function programData(module: Module, state: LoweringState): boolean {
  state.programLayout ??= layOutProgram(module, state.request.layoutBase);
  return false;
}
