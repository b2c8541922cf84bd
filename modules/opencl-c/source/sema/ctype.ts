// SPDX-License-Identifier: Apache-2.0
// The types of OpenCL C, as the language defines them (6.1), and the IR types of their values.
import {
  type DataLayout,
  F16,
  F32,
  F64,
  GENERIC,
  GLOBAL,
  I16,
  I32,
  I64,
  I8,
  PRIVATE,
  type Type,
  VOID,
  alignmentOf,
  arrayType,
  opaqueType,
  pointerType,
  sizeOf,
  structType,
  vectorType,
} from "@muxkit/ir";

/** Kind of a {@link CType}. */
export type CKind =
  | "void"
  | "bool"
  | "int"
  | "float"
  | "vector"
  | "pointer"
  | "array"
  | "record"
  | "function"
  | "opaque"
  | "pipe"
  | "atomic"
  | "error";

/** How a function may use an image (6.6). */
export type ImageAccess = "read_only" | "write_only" | "read_write";

/** How the program wrote a type whose own name says less, see `spelling.ts`. */
export interface Spelling {
  readonly name: string;
  /** What the name stands for; null: it adds nothing, or it differs between devices. */
  readonly aka: string | null;
  /** Pointers and arrays: how their target was written. */
  readonly target: Spelling | null;
}

/** A type together with its qualifiers and address space. */
export interface Qualified {
  readonly type: CType;
  readonly isConst: boolean;
  readonly isVolatile: boolean;
  readonly isRestrict: boolean;
  /** Address space of the lvalue; null: unspecified. */
  readonly space: number | null;
  /** It was written as size_t or a type of its kind, whose size differs between devices. */
  readonly isDeviceSized: boolean;
  /** How it was written; null: by the type's own name. */
  readonly spelling: Spelling | null;
}

/** A member of a struct or union. */
export interface Member {
  readonly name: string;
  readonly type: Qualified;
  /** Byte offset. */
  readonly offset: number;
}

/** One type. Scalars, vectors and pointers are interned; records are themselves. */
export class CType {
  readonly kind: CKind;
  /** As OpenCL C writes it. */
  readonly name: string;
  /** The IR type of a value (records and arrays: of the memory). */
  ir: Type;
  readonly bits: number;
  readonly isSigned: boolean;
  /** Element of a vector; what an atomic type holds. */
  readonly element: CType | null;
  /** Lanes of a vector; elements of an array (-1: not known yet). */
  readonly count: number;
  /** What a pointer points to; element of an array; result of a function. */
  readonly target: Qualified | null;
  /** Members of a record; null until it is defined. */
  members: readonly Member[] | null;
  /** Parameters of a function. */
  readonly parameters: readonly Qualified[];
  readonly isUnion: boolean;
  /** Images: what may be done with them; null for other types. */
  readonly access: ImageAccess | null;
  /** Pointers to the type that were made, by qualifiers and address space; arrays of it, by their count. */
  readonly derived: { readonly pointers: CType[]; readonly arrays: Map<number, CType> };

  constructor(
    kind: CKind,
    name: string,
    ir: Type,
    part: Partial<
      Pick<CType, "bits" | "isSigned" | "element" | "count" | "target" | "parameters" | "isUnion" | "access">
    > = {},
  ) {
    this.kind = kind;
    this.name = name;
    this.ir = ir;
    this.bits = part.bits ?? 0;
    this.isSigned = part.isSigned ?? false;
    this.element = part.element ?? null;
    this.count = part.count ?? 0;
    this.target = part.target ?? null;
    this.members = null;
    this.parameters = part.parameters ?? [];
    this.isUnion = part.isUnion ?? false;
    this.access = part.access ?? null;
    this.derived = { pointers: [], arrays: new Map() };
  }
}

const int = (name: string, ir: Type, bits: number, isSigned: boolean): CType =>
  new CType("int", name, ir, { bits, isSigned });

export const VOID_TYPE: CType = new CType("void", "void", VOID);
export const BOOL: CType = new CType("bool", "bool", I8, { bits: 8 });
export const CHAR: CType = int("char", I8, 8, true);
export const UCHAR: CType = int("uchar", I8, 8, false);
export const SHORT: CType = int("short", I16, 16, true);
export const USHORT: CType = int("ushort", I16, 16, false);
export const INT: CType = int("int", I32, 32, true);
export const UINT: CType = int("uint", I32, 32, false);
export const LONG: CType = int("long", I64, 64, true);
export const ULONG: CType = int("ulong", I64, 64, false);
export const HALF: CType = new CType("float", "half", F16, { bits: 16, isSigned: true });
export const FLOAT: CType = new CType("float", "float", F32, { bits: 32, isSigned: true });
export const DOUBLE: CType = new CType("float", "double", F64, { bits: 64, isSigned: true });
/** The error type: it has been reported; no operation with it reports again. */
export const ERROR: CType = new CType("error", "<error>", I32);

/** The scalars that vectors are made of. */
export const SCALARS: readonly CType[] = [CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, HALF, FLOAT, DOUBLE];

/** Built-in types by name. */
const NAMED = new Map<string, CType>([VOID_TYPE, ...SCALARS].map((type) => [type.name, type]));
NAMED.set("bool", BOOL);
NAMED.set("_Bool", BOOL);
for (const element of SCALARS) {
  for (const count of [2, 3, 4, 8, 16]) {
    const name = `${element.name}${count}`;
    NAMED.set(name, new CType("vector", name, vectorType(element.ir, count), { element, count }));
  }
}
/** Names of the image types. */
const IMAGE_NAMES = [
  "image1d_t",
  "image1d_array_t",
  "image1d_buffer_t",
  "image2d_t",
  "image2d_array_t",
  "image2d_depth_t",
  "image2d_array_depth_t",
  "image3d_t",
];
/** The image types by access and name: one that is read and one that is written are different types of one IR type. */
const IMAGES = new Map<string, CType>();
for (const name of IMAGE_NAMES) {
  for (const access of ["read_only", "write_only", "read_write"] as const) {
    IMAGES.set(
      `${access} ${name}`,
      new CType("opaque", access === "read_only" ? name : `${access} ${name}`, opaqueType(name.replace(/_t$/u, "")), {
        access,
      }),
    );
  }
  NAMED.set(name, IMAGES.get(`read_only ${name}`) ?? ERROR);
}
/** A sampler: how an image is read. */
export const SAMPLER: CType = new CType("opaque", "sampler_t", opaqueType("sampler"));
NAMED.set(SAMPLER.name, SAMPLER);
NAMED.set("event_t", new CType("opaque", "event_t", opaqueType("event")));
NAMED.set("cl_mem_fence_flags", UINT);
NAMED.set("memory_order", INT);
NAMED.set("memory_scope", INT);
for (const held of [INT, UINT, LONG, ULONG, FLOAT, DOUBLE])
  NAMED.set(`atomic_${held.name}`, new CType("atomic", `atomic_${held.name}`, held.ir, { element: held }));
/** A flag is an int that is 0 or 1, distinguished from atomic_int by its functions. */
NAMED.set("atomic_flag", new CType("atomic", "atomic_flag", I32, { element: INT }));

/** Atomic types that are others by another name: those of the width of a pointer (6.15.12.6). */
const ATOMIC_ALIAS = /^atomic_(size_t|ptrdiff_t|intptr_t|uintptr_t)$/u;

/** A built-in type by name; null when there is none. `size_t` and its kin need the layout. */
export function namedType(name: string, layout: DataLayout): CType | null {
  const fixed = NAMED.get(name);
  if (fixed !== undefined) return fixed;
  if (name === "size_t" || name === "uintptr_t") return layout.sizeBits === 64 ? ULONG : UINT;
  if (name === "ptrdiff_t" || name === "intptr_t") return layout.sizeBits === 64 ? LONG : INT;
  const [, held] = ATOMIC_ALIAS.exec(name) ?? [];
  if (held !== undefined) return NAMED.get(`atomic_${namedType(held, layout)?.name ?? ""}`) ?? null;
  return null;
}

/** The type of an image without its access qualifier, as built-ins name it. */
export function imageName(type: CType): string {
  return type.name.replace(/^(?:write_only|read_write) /u, "");
}

/** An image type with another access. */
export function imageWith(type: CType, access: ImageAccess): CType {
  return IMAGES.get(`${access} ${imageName(type)}`) ?? ERROR;
}

/** True for images and samplers, which are no values that memory could hold (6.9 b). */
export function isHandle(type: CType): boolean {
  return type.access !== null || type === SAMPLER;
}

/** What a reservation in a pipe is known by (6.13.16.5). */
export const RESERVE_ID: CType = new CType("opaque", "reserve_id_t", I64);
NAMED.set("reserve_id_t", RESERVE_ID);

const pipes = new Map<string, Map<CType, CType>>();

/** A pipe of packets; a value of it is the address of the pipe's structure. */
export function pipeOf(packet: CType, access: "read_only" | "write_only"): CType {
  if (packet === ERROR) return ERROR;
  const known = pipes.get(access) ?? new Map<CType, CType>();
  pipes.set(access, known);
  const type =
    known.get(packet) ??
    new CType("pipe", `${access} pipe ${packet.name}`, pointerType(GLOBAL), { target: plain(packet) });
  known.set(packet, type);
  return type;
}

/** The vector of an element type; the element itself for 1. */
export function vectorOf(element: CType, count: number): CType {
  return count === 1 ? element : (NAMED.get(`${element.name}${count}`) ?? ERROR);
}

/** An unqualified type. */
export function plain(type: CType): Qualified {
  return {
    type,
    isConst: false,
    isVolatile: false,
    isRestrict: false,
    space: null,
    isDeviceSized: false,
    spelling: null,
  };
}

/** The pointer to a qualified type; of the error type, the error type, so that nothing reports again. */
export function pointerTo(target: Qualified): CType {
  if (target.type === ERROR) return ERROR;
  const space = target.space ?? PRIVATE;
  const key = space * 4 + (target.isConst ? 1 : 0) + (target.isVolatile ? 2 : 0);
  const { pointers } = target.type.derived;
  let pointer = pointers[key];
  if (pointer === undefined) {
    pointer = new CType("pointer", pointerName(target, target.type.name), pointerType(space), {
      target: { ...target, space, isRestrict: false, isDeviceSized: false, spelling: null },
    });
    pointers[key] = pointer;
  }
  return pointer;
}

/** The name of a pointer to what is named so: `global int*`, `int (*)[3]`. */
export function pointerName(target: Qualified, name: string): string {
  const prefix = (target.space ?? PRIVATE) === PRIVATE ? "" : `${spaceName(target.space)} `;
  const qualifiers = `${prefix}${target.isConst ? "const " : ""}${target.isVolatile ? "volatile " : ""}`;
  const open = target.type.kind === "array" ? name.indexOf("[") : -1;
  if (open >= 0) return `${qualifiers}${name.slice(0, open)} (*)${name.slice(open)}`;
  return `${qualifiers}${name.includes("(*") ? name.replace("(*", "(**") : `${name}*`}`;
}

/**
 * The array of `count` elements (-1: not known yet); of the error type, the error type. Qualifiers and address space of
 * the elements are those of the whole (C99 6.7.3 8), so that arrays of one type and count are one type.
 */
export function arrayOf(element: CType, count: number): CType {
  if (element === ERROR) return ERROR;
  const { arrays } = element.derived;
  let array = arrays.get(count);
  if (array === undefined) {
    const open = element.kind === "array" ? element.name.indexOf("[") : element.name.length;
    const own = `[${count < 0 ? "" : count}]`;
    array = new CType(
      "array",
      `${element.name.slice(0, open)}${own}${element.name.slice(open)}`,
      arrayType(element.ir, Math.max(count, 0)),
      { target: plain(element), count },
    );
    arrays.set(count, array);
  }
  return array;
}

/** True when two types are one, but for the counts of arrays that one of them leaves open (C99 6.2.7). */
export function areCompatible(left: CType, right: CType): boolean {
  if (left === right) return true;
  const [a, b] = [left.target, right.target];
  if (left.kind !== right.kind || a === null || b === null) return false;
  if (left.kind === "array")
    return (left.count === right.count || left.count < 0 || right.count < 0) && areCompatible(a.type, b.type);
  return (
    left.kind === "pointer" &&
    a.space === b.space &&
    a.isConst === b.isConst &&
    a.isVolatile === b.isVolatile &&
    areCompatible(a.type, b.type)
  );
}

/** A struct or union without members yet. */
export function declareRecord(name: string, isUnion: boolean): CType {
  return new CType("record", name, structType(name, []), { isUnion });
}

/** Sets the members of a record: offsets, size and alignment follow. */
export function defineRecord(
  record: CType,
  members: readonly {
    readonly name: string;
    readonly type: Qualified;
    readonly alignment: number;
    readonly isPacked?: boolean;
  }[],
  layout: DataLayout,
  isPacked: boolean,
  alignment: number,
): void {
  const placed: Member[] = [];
  let offset = 0;
  let size = 0;
  let widest = Math.max(1, alignment);
  for (const { name, type, alignment: asked, isPacked: isOwnPacked = false } of members) {
    const own = Math.max(isPacked || isOwnPacked ? 1 : alignmentOf(layout, type.type.ir), asked);
    widest = Math.max(widest, own);
    offset = record.isUnion ? 0 : Math.ceil(offset / own) * own;
    placed.push({ name, type, offset });
    offset += sizeOf(layout, type.type.ir);
    size = Math.max(size, offset);
  }
  size = Math.ceil(size / widest) * widest;
  record.members = placed;
  // A union, or a struct whose attributes move its members, is bytes of the right size and alignment to the IR.
  const whole = structType(
    record.name,
    members.map((m) => m.type.type.ir),
    isPacked,
    alignment,
  );
  record.ir =
    !record.isUnion && sizeOf(layout, whole) === size && alignmentOf(layout, whole) === widest
      ? whole
      : structType(record.name, [arrayType(I8, size)], true, widest);
}

/** Lanes of a vector, 1 for others. */
export function lanesOf(type: CType): number {
  return type.kind === "vector" ? type.count : 1;
}

/** Element of a vector, the type itself otherwise. */
export function elementOf(type: CType): CType {
  return type.element ?? type;
}

export function isArithmetic(type: CType): boolean {
  return type.kind === "int" || type.kind === "float" || type.kind === "bool";
}

export function isScalar(type: CType): boolean {
  return isArithmetic(type) || type.kind === "pointer";
}

/** Ints and vectors of ints; bool counts. */
export function isIntegral(type: CType): boolean {
  const element = elementOf(type);
  return element.kind === "int" || element.kind === "bool";
}

/** Floats and vectors of floats. */
export function isFloating(type: CType): boolean {
  return elementOf(type).kind === "float";
}

/** The int type of a width and sign. */
export function intOf(bits: number, isSigned: boolean): CType {
  return SCALARS.find((type) => type.kind === "int" && type.bits === bits && type.isSigned === isSigned) ?? INT;
}

/**
 * The result type of a comparison of this operand type: int for scalars, signed ints of the same width for vectors (6.3
 * d).
 */
export function comparisonType(type: CType): CType {
  return type.kind === "vector" ? vectorOf(intOf(elementOf(type).bits, true), type.count) : INT;
}

/** True when a value of this type lives in memory only. */
export function isAggregate(type: CType): boolean {
  return type.kind === "record" || type.kind === "array";
}

/** Name of the address space of a pointer's target. */
export function spaceName(space: number | null): string {
  return ["private", "global", "constant", "local", "generic"][space ?? PRIVATE] ?? "unknown";
}

/** True when a pointer into `from` may become one into `to` without a cast. */
export function spacesAgree(from: number, to: number): boolean {
  return from === to || (to === GENERIC && from !== 2);
}
