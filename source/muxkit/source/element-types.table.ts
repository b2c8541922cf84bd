// SPDX-License-Identifier: Apache-2.0
// Which typed arrays hold the elements that a pointer of OpenCL C points to.
import { SCALAR_ARRAYS, type Scalar, numberTypeNamed } from "@muxkit/cargo";

/** Other arrays that hold a scalar. */
const ALSO: Partial<Readonly<Record<Scalar, string>>> = { uchar: "Uint8ClampedArray", half: "Float16Array" };

/** The pointee of a pointer's type as OpenCL C writes it, for example `float4*`. */
function pointee(typeName: string): string | null {
  return /^(?<name>[\w ]+)\*$/u.exec(typeName.trim())?.groups?.["name"]?.trim() ?? null;
}

/**
 * Names of the typed arrays that hold a scalar, first the one that messages name. Arrays are checked by name: a page
 * may have classes of another frame.
 */
export function arraysOf(scalar: Scalar): readonly string[] {
  return [SCALAR_ARRAYS[scalar].name, ALSO[scalar] ?? []].flat();
}

/** Names of the typed arrays for a pointer's type; null: any will do, since it is a struct, void or a pointer. */
export function arraysFor(typeName: string): readonly string[] | null {
  const type = numberTypeNamed(pointee(typeName) ?? "");
  return type === null ? null : arraysOf(type.scalar);
}

/** The name of the struct that a pointer's type points to; null: to something else. */
export function structOf(typeName: string): string | null {
  const name = pointee(typeName);
  if (name === null || name === "void" || arraysFor(typeName) !== null) return null;
  return name.replace(/^struct /u, "");
}
