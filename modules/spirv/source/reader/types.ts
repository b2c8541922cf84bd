// SPDX-License-Identifier: Apache-2.0
// Types of a module: the IR's type of a value, and size, alignment and offsets in memory.
//
// Memory has the layout that the module was written for, whatever the device's pointers are: the producer has computed
// with its sizes. In a module of 64-bit addressing on a 32-bit device a pointer takes eight bytes of memory, of which
// the first four hold the address and the others are zero.
import {
  CONSTANT,
  GENERIC,
  GLOBAL,
  I1,
  I32,
  I64,
  I8,
  LOCAL,
  PRIVATE,
  type Type,
  VOID,
  alignmentOf,
  arrayType,
  floatType,
  intType,
  opaqueType,
  pointerType,
  sizeOf,
  structType,
  vectorType,
} from "@muxkit/ir";

import { enumerant, enumerantName } from "../grammar/tables.ts";
import type { OpName } from "../generated/names.ts";
import type { ModuleReader } from "./module-reader.ts";

/** What kind of type it is. */
export type SpirvTypeKind =
  | "void"
  | "bool"
  | "int"
  | "float"
  | "vector"
  | "matrix"
  | "array"
  | "runtime-array"
  | "struct"
  | "pointer"
  | "function"
  | "image"
  | "sampler"
  | "sampled-image"
  | "event"
  | "pipe"
  | "reserve-id"
  | "opaque";

/** A type of the module. */
export interface SpirvType {
  readonly kind: SpirvTypeKind;
  readonly id: number;
  /** The IR's type of a value; null: it has none, values are held member by member. */
  readonly ir: Type | null;
  /** Element of a vector, array or matrix; what a pointer points to; the result of a function; the image of a pair. */
  readonly element: SpirvType | null;
  /** Lanes, elements, columns. */
  readonly count: number;
  /** Members of a struct, parameters of a function. */
  readonly members: readonly SpirvType[];
  /** Bits of a number. */
  readonly bits: number;
  /** True for an int that is declared as a signed one. */
  readonly isSigned: boolean;
  /** Storage class of a pointer. */
  readonly storage: number;
  /** Of an image: whether it has a depth. Arrays and dimensions are in the name of `ir`. */
  readonly isDepth: boolean;
  /** Access qualifier of an image or a pipe; -1: none. */
  readonly access: number;
  /** The format of an image; 0: it is not known. */
  readonly format: number;
  /** True for an image that is read and written without a sampler. */
  readonly isStorage: boolean;
  /** Bytes between the columns or rows of a matrix, or the components of a vector in one; 0: they lie side by side. */
  readonly stride: number;
  /** True for a matrix whose rows lie side by side. */
  readonly isRowMajor: boolean;
}

const storage = (name: Parameters<typeof enumerant<"StorageClass">>[1]): number => enumerant("StorageClass", name);

/** Address spaces by storage class. */
const SPACES = new Map<number, number>([
  [storage("UniformConstant"), CONSTANT],
  [storage("Input"), PRIVATE],
  [storage("Workgroup"), LOCAL],
  [storage("CrossWorkgroup"), GLOBAL],
  [storage("Private"), PRIVATE],
  [storage("Function"), PRIVATE],
  [storage("Generic"), GENERIC],
]);

/** Pointers into these may leave a buffer: they have its address and its size with them. Others are one value. */
const BUFFERS: ReadonlySet<number> = new Set([storage("StorageBuffer"), storage("Uniform")]);

/** Address spaces that only shaders have; what `UniformConstant` has there is images and samplers. */
const SHADER_SPACES = new Map<number, number>([
  [storage("StorageBuffer"), GLOBAL],
  [storage("Uniform"), GLOBAL],
  [storage("PhysicalStorageBuffer"), GLOBAL],
  [storage("Image"), GLOBAL],
  [storage("PushConstant"), PRIVATE],
]);

const PLAIN = {
  element: null,
  count: 0,
  members: [],
  bits: 0,
  isSigned: false,
  storage: 0,
  isDepth: false,
  access: -1,
  format: 0,
  isStorage: false,
  stride: 0,
  isRowMajor: false,
} as const;

/** Images by dimension: the IR's name, of an array too. */
const IMAGES: Readonly<Record<string, readonly [plain: string, array: string | null]>> = {
  "1D": ["image1d", "image1d_array"],
  "2D": ["image2d", "image2d_array"],
  "3D": ["image3d", null],
  Buffer: ["image1d_buffer", null],
};

const HANDLES = storage("UniformConstant");
/** The number of bytes of a buffer. */
const BYTES: SpirvType = { ...PLAIN, kind: "int", id: 0, ir: I32, bits: 32 };

/** True for a pointer that has its buffer's address and size with it. */
export function isBufferPointer({ kind, storage: own, ir }: SpirvType): boolean {
  return kind === "pointer" && ir === null && BUFFERS.has(own);
}

/** True for what a shader calls a pointer to an image or a sampler, which is the image or the sampler. */
export function isHandlePointer(m: ModuleReader, { kind, storage: own }: SpirvType): boolean {
  return m.isShader && kind === "pointer" && own === HANDLES;
}

function handlePointer(m: ModuleReader, at: number, id: number): SpirvType {
  const element = m.typeAt(m.words[at + 1] ?? 0, at + 1);
  const isList = element.kind === "array" && element.element !== null;
  if (isList && element.count > MOST_PARTS) return m.refuse(at, `an array of more than ${MOST_PARTS} descriptors`);
  const members = isList ? Array.from({ length: element.count }, () => element.element as SpirvType) : element.members;
  return { ...PLAIN, kind: "pointer", id, ir: element.ir, storage: HANDLES, element, members };
}

/** A pointer; what it points to may be declared after it. */
function pointerTo(m: ModuleReader, own: number, id: number, at: number, target: () => SpirvType): SpirvType {
  const space = (m.isShader ? SHADER_SPACES.get(own) : undefined) ?? SPACES.get(own);
  if (space === undefined)
    return m.refuse(
      at,
      `${m.isShader ? "compute shaders" : "kernels"} have no memory of the storage class ${enumerantName("StorageClass", own)}`,
    );
  const thin: SpirvType = { ...PLAIN, kind: "pointer", id: 0, ir: pointerType(space), storage: own };
  const isBuffer = m.isShader && BUFFERS.has(own);
  return {
    ...thin,
    id,
    ir: isBuffer ? null : thin.ir,
    members: isBuffer ? [thin, thin, BYTES] : [],
    get element() {
      return target();
    },
  };
}

/** The pointer type that OpTypeForwardPointer promises. `at`: the word with its id. */
export function forwardPointer(m: ModuleReader, at: number): SpirvType {
  const id = m.words[at] ?? 0;
  const index = m.module.definitions.of(id);
  if (index < 0 || m.opName(index) !== "OpTypePointer")
    return m.refuse(at, `%${id} is declared forward as a pointer, and nothing declares it`);
  const target = (m.module.offsets[index] ?? 0) + 3;
  return pointerTo(m, m.words[at + 1] ?? 0, id, at + 1, () => m.typeAt(m.words[target] ?? 0, target));
}

/** A member of a struct, whose decorations say how its matrices lie. */
function laidOutMember(m: ModuleReader, type: SpirvType, struct: number, member: number): SpirvType {
  const stride = m.memberDecoration(struct, member, "MatrixStride")?.[0];
  return stride === undefined
    ? type
    : laidOut(m, type, stride, m.memberDecoration(struct, member, "RowMajor") !== null);
}

function laidOut(m: ModuleReader, type: SpirvType, stride: number, isRowMajor: boolean): SpirvType {
  const { element, kind } = type;
  if (element === null) return type;
  let made = type;
  if (kind === "array" || kind === "runtime-array")
    made = { ...type, element: laidOut(m, element, stride, isRowMajor) };
  else if (kind === "matrix")
    made = { ...type, stride, isRowMajor, element: isRowMajor ? { ...element, stride } : element };
  m.levels.set(made, m.levels.get(type) ?? 0);
  return made;
}

type TypeReader = (m: ModuleReader, at: number, end: number, id: number) => SpirvType;

function imageOf(m: ModuleReader, at: number, end: number, id: number): SpirvType {
  const [, dim = 0, depth = 0, arrayed = 0, multisampled = 0, sampled = 0] = m.words.subarray(at, at + 6);
  const names = IMAGES[enumerantName("Dim", dim)];
  const name = names?.[arrayed === 0 ? 0 : 1];
  if (typeof name !== "string" || multisampled !== 0)
    return m.refuse(
      at,
      multisampled === 0
        ? `there are no images of dimension ${enumerantName("Dim", dim)}${arrayed === 0 ? "" : " in arrays"}; take 1D, 2D, 3D or Buffer`
        : "images with several samples are not supported",
    );
  const isDepth = depth === 1 && !m.isShader;
  return {
    ...PLAIN,
    kind: "image",
    id,
    ir: opaqueType(isDepth ? `${name}_depth` : name),
    isDepth,
    isStorage: sampled === 2,
    format: m.words[at + 6] ?? 0,
    access: end - at > 7 ? (m.words[at + 7] ?? -1) : -1,
    element: m.typeAt(m.words[at] ?? 0, at),
  };
}

/** Lanes that vectors of the IR have. */
const LANES: ReadonlySet<number> = new Set([2, 3, 4, 8, 16]);
/** What LLVM makes of the widest vector there is, sixteen lanes of 64 bits, when it looks at its bytes. */
const MOST_LANES = 128;

/** True for a vector of lanes that the IR has not: it is held lane by lane (scalarized.ts). */
export function isScalarized({ kind, ir }: SpirvType): boolean {
  return kind === "vector" && ir === null;
}

function vectorOf(m: ModuleReader, at: number, id: number): SpirvType {
  const element = m.typeAt(m.words[at] ?? 0, at);
  const count = m.words[at + 1] ?? 0;
  if (isOddInt(element)) return m.refuse(at, `the numbers of a vector have 8, 16, 32 or 64 bits, not ${element.bits}`);
  // LLVM has vectors of one lane, and its translator writes them: the lane itself.
  if (count === 1 && element.ir !== null && /^(?:bool|int|float)$/u.test(element.kind))
    return { ...PLAIN, kind: "vector", id, ir: element.ir, element, count };
  if (element.ir === null || !/^(?:bool|int|float)$/u.test(element.kind) || count === 0)
    return m.refuse(at, "a vector has numbers or truth values");
  if (!LANES.has(count)) {
    if (m.isShader) return m.refuse(at, `a vector has 2, 3 or 4 components, not ${count}`);
    if (count > MOST_LANES) return m.refuse(at, `a vector has at most ${MOST_LANES} lanes, not ${count}`);
    m.hasOddVectors = true;
    return { ...PLAIN, kind: "vector", id, ir: null, element, count };
  }
  return { ...PLAIN, kind: "vector", id, ir: vectorType(element.ir, count), element, count };
}

const INT_WIDTHS: readonly number[] = [8, 16, 32, 64];

/** True for an int of a width that the IR has not: it is the next wider one, whose other bits are zero. */
export function isOddInt({ kind, ir, bits }: SpirvType): boolean {
  return kind === "int" && ir !== null && ir.bits !== bits;
}

/** Types by the instruction that declares them. `at` is the word after the result. */
const READERS: Partial<Record<OpName, TypeReader>> = {
  OpTypeVoid: (_m, _at, _end, id) => ({ ...PLAIN, kind: "void", id, ir: VOID }),
  OpTypeBool: (_m, _at, _end, id) => ({ ...PLAIN, kind: "bool", id, ir: I1, bits: 1 }),
  OpTypeInt: (m, at, _end, id) => {
    const bits = m.words[at] ?? 0;
    const width = INT_WIDTHS.find((one) => one >= bits);
    if (bits < 1 || width === undefined) return m.refuse(at, `ints have 1 to 64 bits, not ${bits}`);
    if (width !== bits) m.hasOddInts = true;
    return { ...PLAIN, kind: "int", id, ir: intType(width), bits, isSigned: m.words[at + 1] === 1 };
  },
  OpTypeFloat: (m, at, _end, id) => {
    const bits = m.words[at] ?? 0;
    if (![16, 32, 64].includes(bits)) return m.refuse(at, `floats have 16, 32 or 64 bits, not ${bits}`);
    return { ...PLAIN, kind: "float", id, ir: floatType(bits), bits, isSigned: true };
  },
  OpTypeVector: (m, at, _end, id) => vectorOf(m, at, id),
  OpTypeMatrix: (m, at, _end, id) => {
    const element = m.typeAt(m.words[at] ?? 0, at);
    const count = m.words[at + 1] ?? 0;
    if (element.kind !== "vector" || element.element?.kind !== "float" || count < 2 || count > 4 || element.count > 4)
      return m.refuse(at, "a matrix has 2 to 4 columns, which are vectors of 2 to 4 floats");
    return { ...PLAIN, kind: "matrix", id, ir: null, element, count };
  },
  OpTypeArray: (m, at, _end, id) => {
    const element = m.typeAt(m.words[at] ?? 0, at);
    const count = Number(m.constantInt(m.words[at + 1] ?? 0, at + 1));
    if (count < 1 || count > 0x7fff_ffff) return m.refuse(at + 1, `an array cannot have ${count} elements`);
    return { ...PLAIN, kind: "array", id, ir: null, element, count };
  },
  OpTypeRuntimeArray: (m, at, _end, id) => ({
    ...PLAIN,
    kind: "runtime-array",
    id,
    ir: null,
    element: m.typeAt(m.words[at] ?? 0, at),
  }),
  OpTypeStruct: (m, at, end, id) => ({
    ...PLAIN,
    kind: "struct",
    id,
    ir: null,
    members: [...m.words.subarray(at, end)].map((member, i) => laidOutMember(m, m.typeAt(member, at + i), id, i)),
  }),
  OpTypePointer: (m, at, _end, id) => {
    const own = m.words[at] ?? 0;
    if (m.isShader && own === HANDLES) return handlePointer(m, at, id);
    // It may be known from OpTypeForwardPointer, and be a part of what it points to.
    const known = m.types.get(id);
    if (known?.kind === "pointer" && known.storage === own) return known;
    const target = m.words[at + 1] ?? 0;
    return pointerTo(m, own, id, at, () => m.typeAt(target, at + 1));
  },
  OpTypeFunction: (m, at, end, id) => ({
    ...PLAIN,
    kind: "function",
    id,
    ir: null,
    element: m.typeAt(m.words[at] ?? 0, at),
    members: [...m.words.subarray(at + 1, end)].map((member, i) => m.typeAt(member, at + 1 + i)),
  }),
  OpTypeImage: imageOf,
  OpTypeSampler: (_m, _at, _end, id) => ({ ...PLAIN, kind: "sampler", id, ir: opaqueType("sampler") }),
  OpTypeSampledImage: (m, at, _end, id) => ({
    ...PLAIN,
    kind: "sampled-image",
    id,
    ir: null,
    element: m.typeAt(m.words[at] ?? 0, at),
    get members() {
      return [m.typeAt(m.words[at] ?? 0, at), { ...PLAIN, kind: "sampler", id: 0, ir: opaqueType("sampler") } as const];
    },
  }),
  OpTypeEvent: (_m, _at, _end, id) => ({ ...PLAIN, kind: "event", id, ir: opaqueType("event") }),
  OpTypeReserveId: (_m, _at, _end, id) => ({ ...PLAIN, kind: "reserve-id", id, ir: I64 }),
  OpTypePipe: (m, at, _end, id) => ({
    ...PLAIN,
    kind: "pipe",
    id,
    ir: pointerType(GLOBAL),
    access: m.words[at] ?? 0,
  }),
  OpTypeOpaque: (_m, _at, _end, id) => ({ ...PLAIN, kind: "opaque", id, ir: null }),
};

/** The reader of a type's declaration; undefined: the instruction declares none. */
export function typeReader(name: OpName): TypeReader | undefined {
  return READERS[name];
}

/** Where a type lies in memory. */
export interface MemoryLayout {
  readonly size: number;
  readonly alignment: number;
  /** Byte offset of each member of a struct. */
  readonly offsets: readonly number[];
  /** Bytes from one element to the next. */
  readonly stride: number;
  /** The IR's type of a variable. */
  readonly ir: Type;
}

const alignUp = (value: number, alignment: number): number => Math.ceil(value / alignment) * alignment;

function structLayoutOf(m: ModuleReader, type: SpirvType): MemoryLayout {
  const isPacked = m.hasDecoration(type.id, "CPacked");
  const offsets: number[] = [];
  let end = 0;
  let alignment = 1;
  const parts = type.members.map((member) => layoutOf(m, member));
  parts.forEach((part, i) => {
    const own = isPacked ? 1 : part.alignment;
    const offset = m.memberDecoration(type.id, i, "Offset")?.[0] ?? alignUp(end, own);
    offsets.push(offset);
    alignment = Math.max(alignment, own);
    end = Math.max(end, offset + part.size);
  });
  const size = alignUp(end, alignment);
  const name = m.names.get(type.id) ?? `struct${type.id}`;
  const whole = structType(
    name,
    parts.map((part) => part.ir),
    isPacked,
  );
  const layout = m.ir.layout;
  const isNatural =
    sizeOf(layout, whole) === size &&
    alignmentOf(layout, whole) === alignment &&
    offsets.every((offset, i) => i === 0 || offset >= (offsets[i - 1] ?? 0)) &&
    naturalOffsets(parts, isPacked).every((offset, i) => offset === offsets[i]);
  const ir = isNatural ? whole : structType(name, [arrayType(I8, size)], true, alignment);
  return { size, alignment, offsets, stride: 0, ir };
}

function naturalOffsets(parts: readonly MemoryLayout[], isPacked: boolean): number[] {
  let end = 0;
  return parts.map(({ size, alignment }) => {
    const offset = alignUp(end, isPacked ? 1 : alignment);
    end = offset + size;
    return offset;
  });
}

/** A matrix in a buffer: columns, or columns whose components lie in rows. */
function matrixLayoutOf(m: ModuleReader, type: SpirvType, column: SpirvType): MemoryLayout {
  const bytes = sizeOf(m.ir.layout, column.element?.ir ?? I8);
  const size = type.stride * (type.isRowMajor ? column.count : type.count);
  const ir = structType(`matrix${type.id}`, [arrayType(I8, size)], true, bytes);
  return { size, alignment: bytes, offsets: [], stride: type.isRowMajor ? bytes : type.stride, ir };
}

function arrayLayoutOf(m: ModuleReader, type: SpirvType, element: SpirvType): MemoryLayout {
  if (type.kind === "matrix" && type.stride !== 0) return matrixLayoutOf(m, type, element);
  const inner = layoutOf(m, element);
  const stride = m.decoration(type.id, "ArrayStride")?.[0] ?? inner.size;
  const size = stride * type.count;
  const ir =
    stride === inner.size
      ? arrayType(inner.ir, type.count)
      : structType(`array${type.id}`, [arrayType(I8, size)], true, inner.alignment);
  return { size, alignment: inner.alignment, offsets: [], stride, ir };
}

function pointerLayout(m: ModuleReader, ir: Type): MemoryLayout {
  const bytes = m.pointerBytes;
  if (m.isWide)
    return { size: 8, alignment: 8, offsets: [], stride: 0, ir: structType("pointer64", [ir, I32], false, 8) };
  return { size: bytes, alignment: bytes, offsets: [], stride: 0, ir };
}

/** LLVM aligns a vector to the next power of two of its size, and other lanes are not written. */
function scalarizedLayoutOf(m: ModuleReader, type: SpirvType, element: SpirvType): MemoryLayout {
  const { size: stride } = layoutOf(m, element);
  const size = 2 ** Math.ceil(Math.log2(stride * type.count));
  const ir = structType(`vector${type.id}`, [arrayType(I8, size)], true, size);
  return { size, alignment: size, offsets: [], stride, ir };
}

function computeLayout(m: ModuleReader, type: SpirvType): MemoryLayout {
  const { element, ir, kind } = type;
  if (kind === "pointer" && ir !== null) return pointerLayout(m, ir);
  if (kind === "struct" || isBufferPointer(type)) return structLayoutOf(m, type);
  if ((kind === "array" || kind === "runtime-array" || kind === "matrix") && element !== null)
    return arrayLayoutOf(m, type, element);
  if (isScalarized(type) && element !== null) return scalarizedLayoutOf(m, type, element);
  if (ir === null || ir === VOID) return m.refuse(m.at, `a ${kind} has no size in memory`);
  if (isOddInt(type)) return m.refuse(m.at, `ints in memory have 8, 16, 32 or 64 bits, not ${type.bits}`);
  const own = element?.ir === undefined || element.ir === null ? 0 : sizeOf(m.ir.layout, element.ir);
  const stride = type.stride === 0 ? own : type.stride;
  return { size: sizeOf(m.ir.layout, ir), alignment: alignmentOf(m.ir.layout, ir), offsets: [], stride, ir };
}

const MOST_BYTES = 0xffff_ffff;

/** Where a type lies in memory. Computed once. */
export function layoutOf(m: ModuleReader, type: SpirvType): MemoryLayout {
  let known = m.layouts.get(type);
  if (known === undefined) m.layouts.set(type, (known = computeLayout(m, type)));
  if (known.size > MOST_BYTES) return m.refuse(m.at, `a ${type.kind} of ${known.size} bytes is larger than memory`);
  return known;
}

/** Most numbers that a value may consist of. */
const MOST_PARTS = 4096;

/** The types of what a value is made of, member by member, of every level. */
export function leavesOf(m: ModuleReader, type: SpirvType): readonly Type[] {
  let known = m.leaves.get(type);
  if (known !== undefined) return known;
  if (type.ir !== null) known = [type.ir];
  else {
    const { element } = type;
    if (element !== null && type.count > MOST_PARTS) return tooMany(m);
    const parts = hasMembers(type) ? type.members : [];
    const list = element !== null && !hasMembers(type) ? Array.from({ length: type.count }, () => element) : parts;
    if (list.length === 0 && !hasMembers(type)) return m.refuse(m.at, `a ${type.kind} is no value`);
    const found: Type[] = [];
    for (const part of list) {
      for (const leaf of leavesOf(m, part)) found.push(leaf);
      if (found.length > MOST_PARTS) return tooMany(m);
    }
    known = found;
  }
  m.leaves.set(type, known);
  return known;
}

function tooMany(m: ModuleReader): never {
  return m.refuse(m.at, `a value of more than ${MOST_PARTS} members; copy it in memory with OpCopyMemory`);
}

/** True for a value of members of several types. */
function hasMembers({ kind }: SpirvType): boolean {
  return kind === "struct" || kind === "sampled-image" || kind === "pointer";
}

/** The type of a member of a value. */
export function partType(m: ModuleReader, type: SpirvType, index: number): SpirvType {
  const part = hasMembers(type) ? type.members[index] : type.element;
  if (part === undefined || part === null || (type.kind !== "struct" && type.count > 0 && index >= type.count))
    return m.refuse(m.at, `a ${type.kind} has no member ${index}`);
  return part;
}

/** How many members a value has. */
export function partCount(type: SpirvType): number {
  return hasMembers(type) ? type.members.length : type.count;
}

const NUMBERS: Readonly<Record<string, readonly [signed: string, unsigned: string]>> = {
  i1: ["int", "int"],
  i8: ["char", "uchar"],
  i16: ["short", "ushort"],
  i32: ["int", "uint"],
  i64: ["long", "ulong"],
  f16: ["half", "half"],
  f32: ["float", "float"],
  f64: ["double", "double"],
};

/** OpenCL C's name of a number or a vector; empty: it has none. */
export function openclName(ir: Type, isSigned: boolean): string {
  const names = NUMBERS[ir.element?.text ?? ir.text];
  return names === undefined ? "" : `${names[isSigned ? 0 : 1]}${ir.kind === "vector" ? ir.count : ""}`;
}

/** OpenCL C's name of a type in memory, for pointers to it: `void` where it is no number. */
export function openclTargetName(type: SpirvType, isSigned: boolean): string {
  return type.ir === null || type.kind === "bool" ? "void" : openclName(type.ir, isSigned) || "void";
}
