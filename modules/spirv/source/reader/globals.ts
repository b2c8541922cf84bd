// SPDX-License-Identifier: Apache-2.0
// Variables outside of functions: program-scope data and constants, local memory of kernels, built-in variables.
import {
  CONSTANT,
  GLOBAL,
  Global,
  I8,
  LOCAL,
  type Linkage,
  PRIVATE,
  type Type,
  arrayType,
  sizeOf,
  structType,
} from "@muxkit/ir";

import { enumerantName } from "../grammar/tables.ts";
import { isBuiltIn } from "./built-ins.ts";
import { type Image, constantAt, writeConstant } from "./constants.ts";
import type { ModuleReader } from "./module-reader.ts";
import { BuiltInAddress, ConstantAddress, type Operand, Zeros } from "./operand.ts";
import { declareOuterVariable, declareZeroedMemory } from "./shader/interface.ts";
import { type SpirvType, layoutOf } from "./types.ts";

/** Arrays have room for the vectors that compilers make of their loops. */
const ARRAY_ALIGNMENT = 16;

/** They are a part of the executable. */
const MOST_INITIAL_BYTES = 2 ** 26;

/** The name that other objects know something by, and how. */
export function linkageOf(m: ModuleReader, id: number): { readonly name: string; readonly kind: string } | null {
  const words = m.decoration(id, "LinkageAttributes");
  const kind = words?.at(-1);
  if (words === null || kind === undefined) return null;
  const bytes = new Uint8Array(Uint32Array.from(words.slice(0, -1)).buffer);
  const end = bytes.indexOf(0);
  return {
    name: new TextDecoder().decode(bytes.subarray(0, end < 0 ? bytes.length : end)),
    kind: enumerantName("LinkageType", kind),
  };
}

const LINKAGES: Readonly<Record<string, Linkage>> = {
  Export: "external",
  Import: "declaration",
  LinkOnceODR: "internal",
};

function declareBuiltIn(m: ModuleReader, builtIn: number, target: SpirvType, at: number): Operand {
  if (isBuiltIn(builtIn)) return new BuiltInAddress(builtIn, target, null);
  const who = m.isShader ? "compute shaders" : "kernels";
  return m.refuse(at, `${who} have no built-in variable ${enumerantName("BuiltIn", builtIn)}`);
}

/** A variable that only shaders have; null: it is one like those of kernels. */
function declareInShader(m: ModuleReader, type: SpirvType, id: number, at: number, end: number): Operand | null {
  const initial = end - at > 1 ? m.words[at + 1] : undefined;
  if (type.ir?.addressSpace !== LOCAL)
    return declareOuterVariable(m, type, id, at, initial === undefined ? null : constantAt(m, initial, at + 1));
  if (initial !== undefined) declareZeroedMemory(m, type, id, at + 1);
  const target = type.element;
  return target === null || !m.hasDecoration(target.id, "Block") ? null : workGroupBlock(m, target, type.ir);
}

const sized = (bytes: number): Type => structType("blocks", [arrayType(I8, bytes)], true, ARRAY_ALIGNMENT);

/** Blocks in memory of work-groups all begin at one place, which is as large as the largest. */
function workGroupBlock(m: ModuleReader, target: SpirvType, pointer: Type): Operand {
  const { size, alignment } = layoutOf(m, target);
  let known = m.workGroupBlocks;
  if (known === null) {
    known = new Global(m.symbol("blocks"), sized(size), LOCAL, Math.max(alignment, ARRAY_ALIGNMENT));
    known.linkage = "internal";
    m.workGroupBlocks = known;
    m.ir.addGlobal(known);
  } else if (sizeOf(m.options.layout, known.type) < size) known.type = sized(size);
  return new ConstantAddress(known, 0, pointer);
}

/** Gives a variable its initial values; zeros are none. */
function initialize(m: ModuleReader, global: Global, type: SpirvType, initial: Operand, at: number): void {
  const { size } = layoutOf(m, type);
  if (size > MOST_INITIAL_BYTES) m.refuse(at, `a variable with initial values has at most ${MOST_INITIAL_BYTES} bytes`);
  const image: Image = { bytes: new Uint8Array(size), relocations: [] };
  writeConstant(m, image, type, initial, 0);
  const isZero = image.relocations.length === 0 && image.bytes.every((byte) => byte === 0);
  global.initializer = isZero ? null : image.bytes;
  global.relocations = image.relocations;
}

/** Makes a variable known. `at`: the word with the storage class. */
export function declareVariable(m: ModuleReader, type: SpirvType, id: number, at: number, end: number): Operand {
  const target = type.element;
  if (type.kind !== "pointer" || target === null) return m.refuse(at, "the type of a variable must be a pointer");
  const [builtIn] = m.decoration(id, "BuiltIn") ?? [];
  if (builtIn !== undefined) return declareBuiltIn(m, builtIn, target, at);
  const outer = m.isShader ? declareInShader(m, type, id, at, end) : null;
  if (outer !== null) return outer;
  if (type.ir === null) return m.refuse(at, "the type of a variable must be a pointer");
  // LLVM has initial values of arrays in functions as variables of private memory that nothing writes.
  const isInitialValue = type.ir.addressSpace === PRIVATE && end - at > 1;
  const addressSpace = isInitialValue ? CONSTANT : type.ir.addressSpace;
  if (addressSpace !== CONSTANT && addressSpace !== GLOBAL && addressSpace !== LOCAL)
    return m.refuse(
      at,
      `a variable outside of functions cannot be of the storage class ${enumerantName("StorageClass", type.storage)}`,
    );
  const linkage = linkageOf(m, id);
  const layout = layoutOf(m, target);
  const [asked = 0] = m.decoration(id, "Alignment") ?? [];
  const wanted = linkage?.name ?? m.names.get(id) ?? `variable${id}`;
  const alignment = Math.max(layout.alignment, asked, target.kind === "array" ? ARRAY_ALIGNMENT : 1);
  const global = new Global(m.symbol(wanted), layout.ir, addressSpace, alignment);
  global.linkage = addressSpace === LOCAL ? "internal" : (LINKAGES[linkage?.kind ?? ""] ?? "internal");
  const initial = end - at > 1 && addressSpace !== LOCAL ? constantAt(m, m.words[at + 1] ?? 0, at + 1) : null;
  if (initial !== null && !(initial instanceof Zeros)) initialize(m, global, target, initial, at);
  m.ir.addGlobal(global);
  return new ConstantAddress(global, 0, type.ir);
}
