// SPDX-License-Identifier: Apache-2.0
// Structs: arrays of them in JavaScript with the bytes that OpenCL C sees, and views of their members.
//
// A struct is a class of arrays. An element is an object whose members are accessors on the array's bytes, made once
// for each struct: reading and writing them needs no copy. Vectors and arrays of numbers are typed arrays on the same
// bytes.
import { SCALAR_ARRAYS, alignUp, floatToHalf, halfToFloat } from "@muxkit/cargo";
import { OpenCLError } from "@muxkit/opencl";

import { describe, inspectAs } from "./described.ts";
import {
  type Extent,
  type StructPlain,
  type StructScalar,
  checkName,
  parsePlain,
  plainExtent,
} from "./struct-layout.ts";

/** What a member can be: a number, a vector, another struct, or an array `[type, length]`. @public */
export type StructMember = StructPlain | StructType | readonly [StructMember, number];

/** Members by name, in their order. @public */
export type StructMembers = Readonly<Record<string, StructMember>>;

type Lanes<Scalar extends string> = Scalar extends "long" | "ulong"
  ? BigInt64Array | BigUint64Array
  : Scalar extends StructScalar
    ? ArrayBufferView & { readonly length: number; [index: number]: number }
    : never;

/** A member as it is seen. @public */
export type StructMemberView<M> = M extends "long" | "ulong"
  ? bigint
  : M extends StructScalar
    ? number
    : M extends `${infer Scalar extends StructScalar}${2 | 3 | 4 | 8 | 16}`
      ? Lanes<Scalar>
      : M extends readonly [infer Scalar extends StructScalar, number]
        ? Lanes<Scalar>
        : M extends readonly [infer Element, number]
          ? readonly StructMemberView<Element>[]
          : M extends StructType<infer Members>
            ? StructView<Members>
            : never;

/** A member as it can be set. @public */
export type StructMemberValue<M> = M extends StructScalar
  ? number | bigint
  : M extends StructPlain | readonly [StructScalar, number]
    ? ArrayLike<number> | ArrayLike<bigint>
    : M extends readonly [infer Element, number]
      ? readonly StructMemberValue<Element>[]
      : M extends StructType<infer Members>
        ? StructValue<Members>
        : never;

/** An element: members are read and written in place. Vectors and arrays are changed element by element, or by `set`. @public */
export type StructView<Members extends StructMembers = StructMembers> = {
  -readonly [Name in keyof Members as Members[Name] extends StructScalar ? Name : never]: StructMemberView<
    Members[Name]
  >;
} & {
  readonly [Name in keyof Members as Members[Name] extends StructScalar ? never : Name]: StructMemberView<
    Members[Name]
  >;
};

/** Values of some members; the others keep theirs. @public */
export type StructValue<Members extends StructMembers = StructMembers> = {
  readonly [Name in keyof Members]?: StructMemberValue<Members[Name]>;
};

/** An array of structs in JavaScript's memory. @public */
export interface StructArray<Members extends StructMembers = StructMembers> {
  /** Elements. */
  readonly length: number;
  /** Bytes. */
  readonly byteLength: number;
  /** The bytes that kernels see. */
  readonly bytes: Uint8Array;
  /** An element, in place; undefined beyond the end. Negative numbers count from it. */
  at(index: number): StructView<Members> | undefined;
  /** Sets members of an element. Errors: CL_INVALID_VALUE for a member that it does not have, or a wrong length. */
  set(index: number, value: StructValue<Members>): void;
  /** Sets members of every element. */
  fill(value: StructValue<Members>): this;
  /** The elements, in place. */
  [Symbol.iterator](): IterableIterator<StructView<Members>>;
}

/** A struct: a class of arrays with a layout. @public */
export interface StructType<Members extends StructMembers = StructMembers> {
  /** An array of `length` elements, all zeros. */
  new (length: number): StructArray<Members>;
  /** An array of elements with these values. */
  readonly from: (values: readonly StructValue<Members>[]) => StructArray<Members>;
  /** Its name. */
  readonly name: string;
  /** Bytes of an element. */
  readonly BYTES_PER_ELEMENT: number;
  /** Bytes to a multiple of which an element is aligned. */
  readonly alignment: number;
  /** Where each member begins, in bytes. */
  readonly offsets: Readonly<Record<keyof Members & string, number>>;
  /** The declaration in OpenCL C: `typedef struct { … } Name;`. */
  readonly source: string;
}

/** How members of a type are seen and set at a place. */
interface Access extends Extent {
  readonly get: (bytes: Uint8Array, at: number) => unknown;
  readonly set: (bytes: Uint8Array, at: number, value: unknown, member: string) => void;
  /** True: a member of the type is assigned to, not changed in place. */
  readonly isScalar: boolean;
  /** Its declaration, for a name. */
  readonly declare: (name: string) => string;
}

function wrong(message: string): OpenCLError {
  return new OpenCLError("CL_INVALID_VALUE", "struct", message);
}

type NumberView = ArrayBufferView & { length: number; [index: number]: number | bigint };

/** The value of a scalar as its typed array takes it. */
function scalarValue(scalar: StructScalar, value: unknown, member: string): number | bigint {
  if (typeof value !== "number" && typeof value !== "bigint")
    throw wrong(`member "${member}" is a ${scalar}; it requires a number, not ${typeof value}`);
  if (scalar === "half") return floatToHalf(Number(value));
  return scalar === "long" || scalar === "ulong" ? BigInt(value) : Number(value);
}

function scalarAccess(scalar: StructScalar): Access {
  const Numbers = SCALAR_ARRAYS[scalar];
  const size = Numbers.BYTES_PER_ELEMENT;
  const one = (bytes: Uint8Array, at: number): NumberView => new Numbers(bytes.buffer, bytes.byteOffset + at, 1);
  return {
    size,
    alignment: size,
    isScalar: true,
    declare: (name) => `${scalar} ${name}`,
    get: (bytes, at) => {
      const value = one(bytes, at)[0];
      return scalar === "half" ? halfToFloat(Number(value)) : value;
    },
    set: (bytes, at, value, member) => {
      one(bytes, at)[0] = scalarValue(scalar, value, member);
    },
  };
}

/** Numbers side by side: a vector, or an array of numbers. */
function numbersAccess(scalar: StructScalar, length: number, extent: Extent, declare: Access["declare"]): Access {
  const Numbers = SCALAR_ARRAYS[scalar];
  const all = (bytes: Uint8Array, at: number): NumberView => new Numbers(bytes.buffer, bytes.byteOffset + at, length);
  return {
    ...extent,
    isScalar: false,
    declare,
    get: all,
    set: (bytes, at, value, member) => {
      const list = value as ArrayLike<unknown> | null;
      if (typeof list !== "object" || list === null || list.length !== length)
        throw wrong(`member "${member}" requires ${length} numbers, not ${list?.length ?? String(value)}`);
      const target = all(bytes, at);
      // Bits of halves stay as they are when they come from a typed array of bits.
      const isBits = scalar === "half" && value instanceof Uint16Array;
      for (let i = 0; i < length; i++)
        target[i] = isBits ? (list[i] as number) : scalarValue(scalar, list[i], `${member}[${i}]`);
    },
  };
}

function structAccess(type: StructType): Access {
  const parts = PARTS.get(type);
  if (parts === undefined) throw wrong(`${String(type)} was not made by struct(…)`);
  return {
    size: type.BYTES_PER_ELEMENT,
    alignment: type.alignment,
    isScalar: false,
    declare: (name) => `${type.name} ${name}`,
    get: (bytes, at) => new parts.Element(bytes, at),
    set: (bytes, at, value, member) => {
      parts.assign(bytes, at, value, `${member}.`);
    },
  };
}

function arrayAccess(element: StructMember, length: number): Access {
  if (!(Number.isSafeInteger(length) && length >= 1)) throw wrong(`an array has at least 1 element, not ${length}`);
  const of = accessFor(element);
  const extent: Extent = { size: of.size * length, alignment: of.alignment };
  const declare = (name: string): string => of.declare(`${name}[${length}]`);
  const plain = typeof element === "string" ? parsePlain(element) : null;
  if (plain?.lanes === 1) return numbersAccess(plain.scalar, length, extent, declare);
  return {
    ...extent,
    isScalar: false,
    declare,
    get: (bytes, at) => Array.from({ length }, (_, i) => of.get(bytes, at + i * of.size)),
    set: (bytes, at, value, member) => {
      if (!Array.isArray(value) || value.length !== length)
        throw wrong(`member "${member}" requires a list of ${length}`);
      for (const [i, one] of value.entries()) of.set(bytes, at + i * of.size, one, `${member}[${i}]`);
    },
  };
}

function accessFor(member: StructMember): Access {
  if (typeof member === "function") return structAccess(member);
  if (typeof member !== "string") return arrayAccess(member[0], member[1]);
  const plain = parsePlain(member);
  if (plain === null)
    throw wrong(`"${member}" is not a type of members; use numbers (float, int …), vectors (float4 …) or structs`);
  return plain.lanes === 1
    ? scalarAccess(plain.scalar)
    : numbersAccess(plain.scalar, plain.lanes, plainExtent(plain), (name) => `${member} ${name}`);
}

/** What a struct's class has besides: its element, and how values are put into one. */
interface Parts {
  readonly Element: new (bytes: Uint8Array, at: number) => object;
  readonly assign: (bytes: Uint8Array, at: number, value: unknown, prefix: string) => void;
}
const PARTS = new WeakMap<StructType, Parts>();

interface Placed {
  readonly name: string;
  readonly offset: number;
  readonly access: Access;
}

/** The class of elements: members are accessors, shared by all elements. */
function elementClass(name: string, members: readonly Placed[]): Parts["Element"] {
  class Element {
    readonly #bytes: Uint8Array;
    readonly #at: number;
    constructor(bytes: Uint8Array, at: number) {
      this.#bytes = bytes;
      this.#at = at;
    }
    static get({ offset, access }: Placed): (this: Element) => unknown {
      return function get() {
        return access.get(this.#bytes, this.#at + offset);
      };
    }
    static set({ name: member, offset, access }: Placed): (this: Element, value: unknown) => void {
      return function set(value) {
        access.set(this.#bytes, this.#at + offset, value, member);
      };
    }
  }
  Object.defineProperty(Element, "name", { value: name });
  for (const member of members)
    Object.defineProperty(Element.prototype, member.name, {
      enumerable: true,
      get: Element.get(member),
      set: Element.set(member),
    });
  const plain = function plain(this: Readonly<Record<string, unknown>>): unknown {
    return Object.fromEntries(members.map((member) => [member.name, this[member.name]]));
  };
  Object.defineProperty(Element.prototype, "toJSON", { value: plain });
  inspectAs(Element.prototype as unknown as Readonly<Record<string, unknown>>, plain);
  return Element;
}

/**
 * A struct of OpenCL C, with the layout that it has there: `struct("Particle", { position: "float4", mass: "float" })`.
 * It is a class of arrays, for `device.array(Particle, 1000)` and `new Particle(1000)`. Errors: CL_INVALID_VALUE for a
 * name or a type that OpenCL C does not have.
 *
 * @public
 */
export function struct<const Members extends StructMembers>(name: string, members: Members): StructType<Members> {
  checkName("struct", name);
  const placed: Placed[] = [];
  let end = 0;
  let alignment = 1;
  for (const [member, type] of Object.entries(members)) {
    checkName("member", member);
    const access = accessFor(type);
    const offset = alignUp(end, access.alignment);
    placed.push({ name: member, offset, access });
    end = offset + access.size;
    alignment = Math.max(alignment, access.alignment);
  }
  if (placed.length === 0) throw wrong(`"${name}" has no members; at least one is needed`);
  const size = alignUp(end, alignment);
  const byName = new Map(placed.map((member) => [member.name, member]));
  const assign: Parts["assign"] = (bytes, at, value, prefix) => {
    if (typeof value !== "object" || value === null)
      throw wrong(`an element of ${name} is an object, not ${typeof value}`);
    for (const key in value) {
      const member = byName.get(key);
      if (member === undefined)
        throw wrong(`${name} has no member "${prefix}${key}"; it has ${[...byName.keys()].join(", ")}`);
      member.access.set(
        bytes,
        at + member.offset,
        (value as Readonly<Record<string, unknown>>)[key],
        `${prefix}${key}`,
      );
    }
  };
  const Element = elementClass(name, placed);
  class Structs implements StructArray<Members> {
    static readonly BYTES_PER_ELEMENT = size;
    static readonly alignment = alignment;
    static readonly offsets = Object.fromEntries(placed.map((member) => [member.name, member.offset])) as Readonly<
      Record<keyof Members & string, number>
    >;
    static readonly source = `typedef struct {\n${placed
      .map((member) => `  ${member.access.declare(member.name)};\n`)
      .join("")}} ${name};\n`;
    static from(values: readonly StructValue<Members>[]): Structs {
      const array = new Structs(values.length);
      for (const [i, value] of values.entries()) array.set(i, value);
      return array;
    }
    readonly bytes: Uint8Array;
    readonly length: number;
    constructor(length: number) {
      if (!(Number.isSafeInteger(length) && length >= 0)) throw wrong(`a length of ${length} is not possible`);
      this.length = length;
      this.bytes = new Uint8Array(length * size);
    }
    get byteLength(): number {
      return this.bytes.length;
    }
    at(index: number): StructView<Members> | undefined {
      const place = index < 0 ? this.length + index : index;
      if (!(place >= 0 && place < this.length)) return undefined;
      return new Element(this.bytes, place * size) as StructView<Members>;
    }
    set(index: number, value: StructValue<Members>): void {
      if (!(Number.isInteger(index) && index >= 0 && index < this.length))
        throw wrong(`there is no element ${index} of ${this.length}`);
      assign(this.bytes, index * size, value, "");
    }
    fill(value: StructValue<Members>): this {
      for (let i = 0; i < this.length; i++) this.set(i, value);
      return this;
    }
    *[Symbol.iterator](): IterableIterator<StructView<Members>> {
      for (let i = 0; i < this.length; i++) yield new Element(this.bytes, i * size) as StructView<Members>;
    }
  }
  Object.defineProperty(Structs, "name", { value: name });
  const type: StructType<Members> = Structs;
  describe(type, () => `struct ${name} of ${size} bytes: ${[...byName.keys()].join(", ")}`);
  PARTS.set(type as StructType, { Element, assign });
  return type;
}

/** True for an array of structs. */
export function isStructArray(value: unknown): value is StructArray {
  return typeof value === "object" && value !== null && PARTS.has(value.constructor as StructType);
}
