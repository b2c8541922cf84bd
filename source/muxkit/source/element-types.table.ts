// SPDX-License-Identifier: Apache-2.0
// Which typed arrays hold the elements that a pointer of OpenCL C points to.

import { SCALAR_ARRAYS, type Scalar, scalarNamed } from "@muxkit/cargo";

/** Other arrays that hold a scalar. */
const ALSO: Partial<Readonly<Record<Scalar, string>>> = { uchar: "Uint8ClampedArray", half: "Float16Array" };

/** A pointer's type as OpenCL C writes it, for example `float4*`: the pointee without its lanes. */
function pointee(typeName: string): string | null {
  const name = /^(?<name>[\w ]+)\*$/u.exec(typeName.trim())?.groups?.["name"]?.trim();
  return name === undefined ? null : name.replace(/(?<=[a-z])(?:16|8|4|3|2)$/u, "");
}

/**
 * Names of the typed arrays for a pointer's type, first the one that messages name; null: any will do, since it is a
 * struct, void or a pointer. Arrays are checked by name: a page may have classes of another frame.
 */
export function arraysFor(typeName: string): readonly string[] | null {
  const name = pointee(typeName);
  const scalar = name === null ? null : scalarNamed(name);
  if (scalar === null) return null;
  return [SCALAR_ARRAYS[scalar].name, ALSO[scalar] ?? []].flat();
}

/** The name of the struct that a pointer's type points to; null: to something else. */
export function structOf(typeName: string): string | null {
  const name = pointee(typeName);
  if (name === null || name === "void" || arraysFor(typeName) !== null) return null;
  return name.replace(/^struct /u, "");
}
