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

/** What types of few kinds have; the others share one. */
interface TypeFacts {
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
  /** An image of six faces, or of several such: an array of planes otherwise. */
  readonly cube: "single" | "array" | null;
  /** Bytes between the columns or rows of a matrix, or the components of a vector in one; 0: they lie side by side. */
  readonly stride: number;
  /** True for a matrix whose rows lie side by side. */
  readonly isRowMajor: boolean;
}

const PLAIN: TypeFacts = {
  bits: 0,
  isSigned: false,
  storage: 0,
  isDepth: false,
  access: -1,
  format: 0,
  isStorage: false,
  cube: null,
  stride: 0,
  isRowMajor: false,
};

/** The parts of a type, for those that have some. */
interface TypeParts {
  /** The word that names the element: a pointer's may be declared after it. */
  readonly element?: SpirvType | number | null;
  readonly count?: number;
  readonly members?: readonly SpirvType[];
  readonly facts?: TypeFacts;
}

const NO_MEMBERS: readonly SpirvType[] = [];

/** A type of the module. A module may have very many: each is one small object of one shape. */
export class SpirvType {
  readonly kind: SpirvTypeKind;
  readonly id: number;
  /** The IR's type of a value; null: it has none, values are held member by member. */
  readonly ir: Type | null;
  /** Lanes, elements, columns. */
  readonly count: number;
  /** Members of a struct, parameters of a function. */
  readonly members: readonly SpirvType[];
  /** Types in types, but for what pointers point to. */
  readonly level: number;
  private readonly own: SpirvType | number | null;
  private readonly m: ModuleReader | null;
  private readonly facts: TypeFacts;

  constructor(m: ModuleReader | null, kind: SpirvTypeKind, id: number, ir: Type | null, parts: TypeParts = {}) {
    const { element = null, count = 0, members = NO_MEMBERS, facts = PLAIN } = parts;
    this.kind = kind;
    this.id = id;
    this.ir = ir;
    this.count = count;
    this.members = members;
    let level = 1;
    if (kind !== "pointer") {
      if (element instanceof SpirvType) level = element.level + 1;
      for (const member of members) level = Math.max(level, member.level + 1);
    }
    this.level = level;
    this.own = element;
    this.m = m;
    this.facts = facts;
  }

  /** Element of a vector, array or matrix; what a pointer points to; the result of a function; the image of a pair. */
  get element(): SpirvType | null {
    const { own, m } = this;
    return typeof own === "number" ? (m?.typeAt(m.words[own] ?? 0, own) ?? null) : own;
  }

  get bits(): number {
    return this.facts.bits;
  }

  get isSigned(): boolean {
    return this.facts.isSigned;
  }

  get storage(): number {
    return this.facts.storage;
  }

  get isDepth(): boolean {
    return this.facts.isDepth;
  }

  get access(): number {
    return this.facts.access;
  }

  get format(): number {
    return this.facts.format;
  }

  get isStorage(): boolean {
    return this.facts.isStorage;
  }

  /** An image of six faces, or of several such: an array of planes otherwise. */
  get cube(): TypeFacts["cube"] {
    return this.facts.cube;
  }

  get stride(): number {
    return this.facts.stride;
  }

  get isRowMajor(): boolean {
    return this.facts.isRowMajor;
  }

  /** The same type but for some of its parts and facts. */
  with(
    { kind = this.kind, ...parts }: TypeParts & { readonly kind?: SpirvTypeKind },
    facts: Partial<TypeFacts> = {},
  ): SpirvType {
    const { count, members, own: element, m } = this;
    const all = { count, members, element, ...parts, facts: { ...this.facts, ...facts } };
    return new SpirvType(m, kind, this.id, this.ir, all);
  }
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

/** Images by dimension: the IR's name, of an array too. */
const IMAGES: Readonly<Record<string, readonly [plain: string, array: string | null]>> = {
  "1D": ["image1d", "image1d_array"],
  "2D": ["image2d", "image2d_array"],
  "3D": ["image3d", null],
  Buffer: ["image1d_buffer", null],
};
const CUBES = ["image2d_array", "image2d_array"] as const;

const HANDLES = storage("UniformConstant");
/** The number of bytes of a buffer. */
const BYTES = new SpirvType(null, "int", 0, I32, { facts: { ...PLAIN, bits: 32 } });

/** True for a pointer that has its buffer's address and size with it. */
export function isBufferPointer(type: SpirvType): boolean {
  return type.kind === "pointer" && type.ir === null && BUFFERS.has(type.storage);
}

/** True for what a shader calls a pointer to an image or a sampler, which is the image or the sampler. */
export function isHandlePointer(m: ModuleReader, type: SpirvType): boolean {
  return m.isShader && type.kind === "pointer" && type.storage === HANDLES;
}

function handlePointer(m: ModuleReader, at: number, id: number): SpirvType {
  const element = m.typeAt(m.words[at + 1] ?? 0, at + 1);
  const isList = element.kind === "array" && element.element !== null;
  if (isList && element.count > MOST_PARTS) return m.refuse(at, `an array of more than ${MOST_PARTS} descriptors`);
  const members = isList ? Array.from({ length: element.count }, () => element.element as SpirvType) : element.members;
  return new SpirvType(m, "pointer", id, element.ir, { element, members, facts: pointerFacts(HANDLES) });
}

const factsOfPointers = new Map<number, TypeFacts>();

/** The facts of pointers into a storage class, which they share. */
function pointerFacts(own: number): TypeFacts {
  let known = factsOfPointers.get(own);
  if (known === undefined) factsOfPointers.set(own, (known = { ...PLAIN, storage: own }));
  return known;
}

const partsOfPointers = new Map<number, readonly SpirvType[]>();

/** What a pointer into a buffer consists of. */
function bufferParts(own: number, ir: Type): readonly SpirvType[] {
  let known = partsOfPointers.get(own);
  if (known === undefined) {
    const thin = new SpirvType(null, "pointer", 0, ir, { facts: pointerFacts(own) });
    partsOfPointers.set(own, (known = [thin, thin, BYTES]));
  }
  return known;
}

/** A pointer. `at`: the word with its storage class, behind which is what it points to, which may be declared later. */
function pointerTo(m: ModuleReader, id: number, at: number): SpirvType {
  const own = m.words[at] ?? 0;
  const space = (m.isShader ? SHADER_SPACES.get(own) : undefined) ?? SPACES.get(own);
  if (space === undefined)
    return m.refuse(
      at,
      `${m.isShader ? "compute shaders" : "kernels"} have no memory of the storage class ${enumerantName("StorageClass", own)}`,
    );
  const ir = pointerType(space);
  const isBuffer = m.isShader && BUFFERS.has(own);
  const members = isBuffer ? bufferParts(own, ir) : NO_MEMBERS;
  return new SpirvType(m, "pointer", id, isBuffer ? null : ir, { element: at + 1, members, facts: pointerFacts(own) });
}

/** A member of a struct, whose decorations say how its matrices lie. */
function laidOutMember(m: ModuleReader, type: SpirvType, struct: number, member: number): SpirvType {
  const stride = m.memberDecoration(struct, member, "MatrixStride")?.[0];
  return stride === undefined ? type : laidOut(type, stride, m.memberDecoration(struct, member, "RowMajor") !== null);
}

function laidOut(type: SpirvType, stride: number, isRowMajor: boolean): SpirvType {
  const { element, kind } = type;
  if (element === null) return type;
  if (kind === "array" || kind === "runtime-array") return type.with({ element: laidOut(element, stride, isRowMajor) });
  if (kind !== "matrix") return type;
  return type.with({ element: isRowMajor ? element.with({}, { stride }) : element }, { stride, isRowMajor });
}

type TypeReader = (m: ModuleReader, at: number, end: number, id: number) => SpirvType;

function imageOf(m: ModuleReader, at: number, end: number, id: number): SpirvType {
  const [, dim = 0, depth = 0, arrayed = 0, multisampled = 0, sampled = 0] = m.words.subarray(at, at + 6);
  // A face of a cube is a plane of an array.
  const isCube = m.isShader && enumerantName("Dim", dim) === "Cube";
  const names = isCube ? CUBES : IMAGES[enumerantName("Dim", dim)];
  const name = names?.[arrayed === 0 ? 0 : 1];
  if (typeof name !== "string" || multisampled !== 0)
    return m.refuse(
      at,
      multisampled === 0
        ? `there are no images of dimension ${enumerantName("Dim", dim)}${arrayed === 0 ? "" : " in arrays"}; take 1D, 2D, 3D or Buffer`
        : "images with several samples are not supported",
    );
  const isDepth = depth === 1 && !m.isShader;
  return new SpirvType(m, "image", id, opaqueType(isDepth ? `${name}_depth` : name), {
    element: m.typeAt(m.words[at] ?? 0, at),
    facts: {
      ...PLAIN,
      isDepth,
      isStorage: sampled === 2,
      cube: !isCube ? null : arrayed === 0 ? "single" : "array",
      format: m.words[at + 6] ?? 0,
      access: end - at > 7 ? (m.words[at + 7] ?? -1) : -1,
    },
  });
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
    return new SpirvType(m, "vector", id, element.ir, { element, count });
  if (element.ir === null || !/^(?:bool|int|float)$/u.test(element.kind) || count === 0)
    return m.refuse(at, "a vector has numbers or truth values");
  if (!LANES.has(count)) {
    if (m.isShader) return m.refuse(at, `a vector has 2, 3 or 4 components, not ${count}`);
    if (count > MOST_LANES) return m.refuse(at, `a vector has at most ${MOST_LANES} lanes, not ${count}`);
    return new SpirvType(m, "vector", id, null, { element, count });
  }
  return new SpirvType(m, "vector", id, vectorType(element.ir, count), { element, count });
}

const INT_WIDTHS: readonly number[] = [8, 16, 32, 64];

/** True for an int of a width that the IR has not: it is the next wider one, whose other bits are zero. */
export function isOddInt(type: SpirvType): boolean {
  return type.kind === "int" && type.ir !== null && type.ir.bits !== type.bits;
}

const samplerOf = (id: number): SpirvType => new SpirvType(null, "sampler", id, opaqueType("sampler"));

/** The types that words name. */
function listed(
  m: ModuleReader,
  at: number,
  end: number,
  each: (type: SpirvType, index: number) => SpirvType,
): readonly SpirvType[] {
  if (at >= end) return NO_MEMBERS;
  return Array.from({ length: end - at }, (_, i) => each(m.typeAt(m.words[at + i] ?? 0, at + i), i));
}

/** Types by the instruction that declares them. `at` is the word after the result. */
const READERS: Partial<Record<OpName, TypeReader>> = {
  OpTypeVoid: (_m, _at, _end, id) => new SpirvType(null, "void", id, VOID),
  OpTypeBool: (_m, _at, _end, id) => new SpirvType(null, "bool", id, I1, { facts: { ...PLAIN, bits: 1 } }),
  OpTypeInt: (m, at, _end, id) => {
    const bits = m.words[at] ?? 0;
    const width = INT_WIDTHS.find((one) => one >= bits);
    if (bits < 1 || width === undefined) return m.refuse(at, `ints have 1 to 64 bits, not ${bits}`);
    const facts = { ...PLAIN, bits, isSigned: m.words[at + 1] === 1 };
    return new SpirvType(null, "int", id, intType(width), { facts });
  },
  OpTypeFloat: (m, at, _end, id) => {
    const bits = m.words[at] ?? 0;
    if (![16, 32, 64].includes(bits)) return m.refuse(at, `floats have 16, 32 or 64 bits, not ${bits}`);
    return new SpirvType(null, "float", id, floatType(bits), { facts: { ...PLAIN, bits, isSigned: true } });
  },
  OpTypeVector: (m, at, _end, id) => vectorOf(m, at, id),
  OpTypeMatrix: (m, at, _end, id) => {
    const element = m.typeAt(m.words[at] ?? 0, at);
    const count = m.words[at + 1] ?? 0;
    if (element.kind !== "vector" || element.element?.kind !== "float" || count < 2 || count > 4 || element.count > 4)
      return m.refuse(at, "a matrix has 2 to 4 columns, which are vectors of 2 to 4 floats");
    return new SpirvType(m, "matrix", id, null, { element, count });
  },
  OpTypeArray: (m, at, _end, id) => {
    const element = m.typeAt(m.words[at] ?? 0, at);
    const count = Number(m.constantInt(m.words[at + 1] ?? 0, at + 1));
    if (count < 1 || count > 0x7fff_ffff) return m.refuse(at + 1, `an array cannot have ${count} elements`);
    return new SpirvType(m, "array", id, null, { element, count });
  },
  OpTypeRuntimeArray: (m, at, _end, id) =>
    new SpirvType(m, "runtime-array", id, null, { element: m.typeAt(m.words[at] ?? 0, at) }),
  OpTypeStruct: (m, at, end, id) =>
    new SpirvType(m, "struct", id, null, {
      members: listed(m, at, end, (type, member) => laidOutMember(m, type, id, member)),
    }),
  OpTypePointer: (m, at, _end, id) => {
    const isHandle = m.isShader && m.words[at] === HANDLES;
    return isHandle ? handlePointer(m, at, id) : pointerTo(m, id, at);
  },
  OpTypeFunction: (m, at, end, id) =>
    new SpirvType(m, "function", id, null, {
      element: m.typeAt(m.words[at] ?? 0, at),
      members: listed(m, at + 1, end, (type) => type),
    }),
  OpTypeImage: imageOf,
  OpTypeSampler: (_m, _at, _end, id) => samplerOf(id),
  OpTypeSampledImage: (m, at, _end, id) => {
    const element = m.typeAt(m.words[at] ?? 0, at);
    return new SpirvType(m, "sampled-image", id, null, { element, members: [element, samplerOf(0)] });
  },
  OpTypeEvent: (_m, _at, _end, id) => new SpirvType(null, "event", id, opaqueType("event")),
  OpTypeReserveId: (_m, _at, _end, id) => new SpirvType(null, "reserve-id", id, I64),
  OpTypePipe: (m, at, _end, id) =>
    new SpirvType(null, "pipe", id, pointerType(GLOBAL), { facts: { ...PLAIN, access: m.words[at] ?? 0 } }),
  OpTypeOpaque: (_m, _at, _end, id) => new SpirvType(null, "opaque", id, null),
};

/** What a module is told of a type that nobody has asked for yet: kinds of values that need a look at each operand. */
export const TYPE_NOTES: Partial<Record<OpName, (m: ModuleReader, at: number) => void>> = {
  OpTypeInt: (m, at) => {
    if (!INT_WIDTHS.includes(m.words[at] ?? 0)) m.hasOddInts = true;
  },
  OpTypeVector: (m, at) => {
    const count = m.words[at + 1] ?? 0;
    if (count !== 1 && !LANES.has(count)) m.hasOddVectors = true;
  },
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
