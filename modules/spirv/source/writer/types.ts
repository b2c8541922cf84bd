// SPDX-License-Identifier: Apache-2.0
// Types of the IR as types of SPIR-V: of values, and of what lies in memory.
//
// Pointers of the IR are opaque, those of SPIR-V have a type that they point to. A pointer as a value is one to bytes;
// instructions that make or use one cast it. Memory has the layout of the IR: a struct whose members would lie
// elsewhere by SPIR-V's rules is written without gaps, with bytes in their place.
import {
  CONSTANT,
  GENERIC,
  GLOBAL,
  I8,
  LOCAL,
  PRIVATE,
  type Type,
  alignmentOf,
  arrayType,
  sizeOf,
  structLayout,
} from "@muxkit/ir";

import type { EnumerantNames } from "../generated/names.ts";
import { enumerant } from "../grammar/tables.ts";
import { Unwritable } from "./error.ts";
import type { Handle } from "./handles.ts";
import type { ModuleWriter } from "./module-writer.ts";
import { written } from "./written.ts";

const TYPE_VOID = written("OpTypeVoid");
const TYPE_BOOL = written("OpTypeBool");
const TYPE_INT = written("OpTypeInt");
const TYPE_FLOAT = written("OpTypeFloat");
const TYPE_VECTOR = written("OpTypeVector");
const TYPE_ARRAY = written("OpTypeArray");
const TYPE_STRUCT = written("OpTypeStruct");
const TYPE_POINTER = written("OpTypePointer");
const TYPE_FUNCTION = written("OpTypeFunction");
const TYPE_SAMPLER = written("OpTypeSampler");
const TYPE_EVENT = written("OpTypeEvent");
const TYPE_IMAGE = written("OpTypeImage");
const CONSTANT_OP = written("OpConstant");

const storage = (name: EnumerantNames["StorageClass"]): number => enumerant("StorageClass", name);

/** Storage classes by address space. */
const STORAGE: Readonly<Record<number, number>> = {
  [PRIVATE]: storage("Function"),
  [GLOBAL]: storage("CrossWorkgroup"),
  [CONSTANT]: storage("UniformConstant"),
  [LOCAL]: storage("Workgroup"),
  [GENERIC]: storage("Generic"),
};

/** The storage class of an address space. */
export function storageOf(space: number): number {
  const found = STORAGE[space];
  if (found === undefined)
    throw new Unwritable({
      where: "",
      place: "",
      message: `SPIR-V has no storage class for the address space ${space}`,
    });
  return found;
}

/** What ints and floats of a width need. */
const WIDTHS: Readonly<Record<string, EnumerantNames["Capability"]>> = {
  i8: "Int8",
  i16: "Int16",
  i64: "Int64",
  f16: "Float16",
  f64: "Float64",
};

/** Dimension, depth, array of an image by its name. */
const IMAGES: Readonly<Record<string, readonly [dim: EnumerantNames["Dim"], depth: number, arrayed: number]>> = {
  image1d: ["1D", 0, 0],
  image1d_array: ["1D", 0, 1],
  image1d_buffer: ["Buffer", 0, 0],
  image2d: ["2D", 0, 0],
  image2d_array: ["2D", 0, 1],
  image2d_depth: ["2D", 1, 0],
  image2d_array_depth: ["2D", 1, 1],
  image3d: ["3D", 0, 0],
};

/** The type of a pipe or of a reservation of its packets. */
export function handleType(w: ModuleWriter, handle: Handle): number {
  return handle.kind === "reservation" ? w.declare(TYPE_RESERVE_ID) : w.declare(TYPE_PIPE, Math.max(0, handle.access));
}

const TYPE_PIPE = written("OpTypePipe");
const TYPE_RESERVE_ID = written("OpTypeReserveId");

/** The type of an image in an access: 0 read only, 1 write only, 2 both. */
export function imageType(w: ModuleWriter, type: Type, access: number): number {
  const row = IMAGES[type.name];
  if (row === undefined) throw new Unwritable({ where: "", place: "", message: `SPIR-V has no type for ${type.text}` });
  const [dim, depth, arrayed] = row;
  return w.declare(
    TYPE_IMAGE,
    w.declare(TYPE_VOID),
    enumerant("Dim", dim),
    depth,
    arrayed,
    0,
    0,
    enumerant("ImageFormat", "Unknown"),
    access,
  );
}

/** An int of some bits. */
export function intId(w: ModuleWriter, bits: number): number {
  const needed = WIDTHS[`i${bits}`];
  if (needed !== undefined) w.require(needed);
  return w.declare(TYPE_INT, bits, 0);
}

/** A function's type. */
export function functionType(w: ModuleWriter, result: number, parameters: readonly number[]): number {
  return w.declare(TYPE_FUNCTION, result, ...parameters);
}

/** A pointer in a storage class to a type. */
export function pointerTo(w: ModuleWriter, storageClass: number, target: number): number {
  return w.declare(TYPE_POINTER, storageClass, target);
}

/** A number as a constant of 32 bits. */
export function constant32(w: ModuleWriter, value: number): number {
  return w.declare(CONSTANT_OP, intId(w, 32), value);
}

/** The type of a value. */
export function valueType(w: ModuleWriter, type: Type): number {
  switch (type.kind) {
    case "void":
      return w.declare(TYPE_VOID);
    case "int":
      return type.bits === 1 ? w.declare(TYPE_BOOL) : intId(w, type.bits);
    case "float": {
      const needed = WIDTHS[type.text];
      if (needed !== undefined) w.require(needed);
      return w.declare(TYPE_FLOAT, type.bits);
    }
    case "vector":
      return vectorType(w, type);
    case "pointer":
      return pointerTo(w, storageOf(type.addressSpace), intId(w, 8));
    case "opaque":
      return opaqueType(w, type);
    default:
      throw new Unwritable({ where: "", place: "", message: `no value has the type ${type.text}` });
  }
}

function opaqueType(w: ModuleWriter, type: Type): number {
  if (type.name === "sampler") return w.declare(TYPE_SAMPLER);
  if (type.name === "event") return w.declare(TYPE_EVENT);
  return imageType(w, type, 0);
}

function vectorType(w: ModuleWriter, { element, count, text }: Type): number {
  if (element === null || element.kind === "pointer" || ![2, 3, 4, 8, 16].includes(count))
    throw new Unwritable({
      where: "",
      place: "",
      message: `SPIR-V has no vector ${text}: vectors have 2, 3, 4, 8 or 16 numbers; write the program before it is vectorised`,
    });
  if (count > 4) {
    if (w.target === "shader")
      throw new Unwritable({
        where: "",
        place: "",
        message: `vectors of shaders have at most 4 numbers, not ${count}`,
      });
    w.require("Vector16");
  }
  return w.declare(TYPE_VECTOR, valueType(w, element), count);
}

/** A member of a struct in memory: a member of the IR's struct, or bytes between them. */
export interface MemoryPart {
  readonly type: Type;
  readonly offset: number;
}

/** Members of a struct in memory with the bytes between them, and whether SPIR-V's own rules put them there. */
export function structParts(
  w: ModuleWriter,
  type: Type,
): { readonly parts: readonly MemoryPart[]; readonly isPacked: boolean } {
  const { layout } = w.module;
  const { offsets, size } = structLayout(layout, type);
  let end = 0;
  let natural = 1;
  let isNatural = true;
  for (const [n, member] of type.members.entries()) {
    const own = memoryAlignment(w, member);
    end = Math.ceil(end / own) * own;
    if (end !== offsets[n]) isNatural = false;
    end += sizeOf(layout, member);
    natural = Math.max(natural, own);
  }
  if (Math.ceil(end / natural) * natural !== size) isNatural = false;
  const members = type.members.map((member, n) => ({ type: member, offset: offsets[n] ?? 0 }));
  if (isNatural) return { parts: members, isPacked: false };
  const parts: MemoryPart[] = [];
  let at = 0;
  const fill = (to: number): void => {
    if (to > at) parts.push({ type: arrayType(I8, to - at), offset: at });
  };
  for (const member of members) {
    fill(member.offset);
    parts.push(member);
    at = member.offset + sizeOf(layout, member.type);
  }
  fill(size);
  return { parts, isPacked: true };
}

/** The alignment that SPIR-V gives a type in memory. */
function memoryAlignment(w: ModuleWriter, type: Type): number {
  if (type.kind === "array" && type.element !== null) return memoryAlignment(w, type.element);
  if (type.kind !== "struct") return alignmentOf(w.module.layout, type);
  const { parts, isPacked } = structParts(w, type);
  return isPacked ? 1 : Math.max(1, ...parts.map((part) => memoryAlignment(w, part.type)));
}

const structs = new WeakMap<ModuleWriter, Map<Type, number>>();

/** The type of something in memory. Truth values are bytes there. */
export function memoryType(w: ModuleWriter, type: Type): number {
  if (type.kind === "int" && type.bits === 1) return intId(w, 8);
  if (type.kind === "array") {
    const { element } = type;
    if (element === null || type.count < 1) return intId(w, 8);
    return w.declare(TYPE_ARRAY, memoryType(w, element), constant32(w, type.count));
  }
  if (type.kind !== "struct") return valueType(w, type);
  let known = structs.get(w);
  if (known === undefined) structs.set(w, (known = new Map()));
  let id = known.get(type);
  if (id === undefined) {
    const { parts, isPacked } = structParts(w, type);
    id = w.declareNew(TYPE_STRUCT, ...parts.map((part) => memoryType(w, part.type)));
    known.set(type, id);
    w.name(id, type.name === "" ? "" : `struct.${type.name}`);
    if (isPacked) w.decorate(id, "CPacked");
  }
  return id;
}
