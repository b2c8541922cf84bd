// SPDX-License-Identifier: Apache-2.0
// Layout of structs as in OpenCL C (6.3.5 of its specification): scalars and vectors are aligned to their size, a
// vector of three like one of four, and a struct to the largest alignment of its members.
import { SCALAR_ARRAYS } from "@muxkit/cargo";
import { OpenCLError } from "@muxkit/opencl";

/** The numbers of OpenCL C that a struct can hold. @public */
export type StructScalar =
  | "char"
  | "uchar"
  | "short"
  | "ushort"
  | "int"
  | "uint"
  | "long"
  | "ulong"
  | "half"
  | "float"
  | "double";

/** Number and vector types of OpenCL C. @public */
export type StructPlain = StructScalar | `${StructScalar}${2 | 3 | 4 | 8 | 16}`;

/** A number type and its lanes; null: the text names none. */
export function parsePlain(type: string): { readonly scalar: StructScalar; readonly lanes: number } | null {
  const parts = /^(?<scalar>[a-z]+)(?<lanes>16|8|4|3|2)?$/u.exec(type)?.groups;
  const scalar = parts?.["scalar"];
  if (scalar === undefined || !Object.hasOwn(SCALAR_ARRAYS, scalar)) return null;
  return { scalar: scalar as StructScalar, lanes: Number(parts?.["lanes"] ?? 1) };
}

/** Size and alignment, in bytes. */
export interface Extent {
  readonly size: number;
  readonly alignment: number;
}

/** Size and alignment of a number or vector type. */
export function plainExtent({ scalar, lanes }: { readonly scalar: StructScalar; readonly lanes: number }): Extent {
  const size = SCALAR_ARRAYS[scalar].BYTES_PER_ELEMENT * (lanes === 3 ? 4 : lanes);
  return { size, alignment: size };
}

/** Throws unless a text is a name in C. */
export function checkName(what: string, name: string): void {
  if (!/^[A-Za-z_]\w*$/u.test(name))
    throw new OpenCLError("CL_INVALID_VALUE", "struct", `"${name}" is not a name that a ${what} can have in OpenCL C`);
}
