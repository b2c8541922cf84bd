// SPDX-License-Identifier: Apache-2.0
// Types of kernels' arguments: their scalars, lanes and arrays.
import { SCALAR_ARRAYS, type Scalar, type ScalarArray, type ScalarArrayType, numberTypeNamed } from "@muxkit/cargo";

/** Arrays of the elements that buffers have. */
export type Elements = Exclude<ScalarArray, BigInt64Array | BigUint64Array>;

/** Makes an array of a type. */
export type ElementsClass = ScalarArrayType<Elements>;

/** Scalars that pages have no control for. */
const WITHOUT_CONTROL: ReadonlySet<Scalar> = new Set(["long", "ulong", "half"]);

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
  const type = numberTypeNamed(name.trim());
  if (type === null || WITHOUT_CONTROL.has(type.scalar)) return null;
  const { scalar, lanes } = type;
  const arrays = SCALAR_ARRAYS[scalar] as ElementsClass;
  const isFloat = scalar === "float" || scalar === "double";
  return { scalar, lanes, stride: lanes === 3 ? 4 : lanes, arrays, isFloat };
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
