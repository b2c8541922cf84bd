// SPDX-License-Identifier: Apache-2.0
// Types of kernels' arguments: their scalars, lanes and arrays.

/** Arrays of the elements that buffers have. */
export type Elements =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** Makes an array of a type. */
export type ElementsClass = new (length: number) => Elements;

const CLASSES: Readonly<Record<string, ElementsClass>> = {
  char: Int8Array,
  uchar: Uint8Array,
  short: Int16Array,
  ushort: Uint16Array,
  int: Int32Array,
  uint: Uint32Array,
  float: Float32Array,
  double: Float64Array,
};

const ALIASES: Readonly<Record<string, string>> = {
  "unsigned char": "uchar",
  "unsigned short": "ushort",
  "unsigned int": "uint",
  unsigned: "uint",
  atomic_int: "int",
  atomic_uint: "uint",
  atomic_float: "float",
};

/** A type of elements. */
export interface ElementType {
  /** `float` of `float4*`. */
  readonly scalar: string;
  /** Numbers that an element has for kernels: 4 of `float4`. */
  readonly lanes: number;
  /** Numbers that it has in memory: 4 of `float3`. */
  readonly stride: number;
  readonly arrays: ElementsClass;
  readonly isFloat: boolean;
}

/** The type of a value, or of what a pointer points to; null: a type that pages have no control for. */
export function elementType(typeName: string): ElementType | null {
  const name = typeName.replace(/\*$/, "").replace(/\b(const|volatile|restrict|global|constant|local|__\w+)\b/g, "");
  const plain = ALIASES[name.trim()] ?? name.trim();
  const [, scalar = "", lanes = "1"] = /^([a-z]+?)(2|3|4|8|16)?$/.exec(plain) ?? [];
  const arrays = CLASSES[scalar];
  if (arrays === undefined) return null;
  const count = Number(lanes);
  const isFloat = scalar === "float" || scalar === "double";
  return { scalar, lanes: count, stride: count === 3 ? 4 : count, arrays, isFloat };
}

/** What a page knows of a kernel's argument. */
export interface KernelParameter {
  readonly name: string;
  /** As the source writes it: `float4*`. */
  readonly typeName: string;
  readonly kind: string;
  readonly isConst: boolean;
}

/** What a page knows of a kernel. */
export interface KernelShape {
  readonly name: string;
  readonly parameters: readonly KernelParameter[];
}
