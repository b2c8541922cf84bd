// SPDX-License-Identifier: Apache-2.0
// Which typed arrays hold the elements that a pointer of OpenCL C points to.

/**
 * Names of typed arrays by scalar type; the first is the one that messages name. Types are checked by name: a page may
 * have classes of another frame.
 */
const ARRAYS: Readonly<Record<string, readonly string[]>> = {
  char: ["Int8Array"],
  uchar: ["Uint8Array", "Uint8ClampedArray"],
  short: ["Int16Array"],
  ushort: ["Uint16Array"],
  int: ["Int32Array"],
  uint: ["Uint32Array"],
  long: ["BigInt64Array"],
  ulong: ["BigUint64Array"],
  half: ["Uint16Array", "Float16Array"],
  float: ["Float32Array"],
  double: ["Float64Array"],
};

/** Other names of the same types. */
const SYNONYMS: Readonly<Record<string, string>> = {
  "signed char": "char",
  "unsigned char": "uchar",
  "unsigned short": "ushort",
  "unsigned int": "uint",
  unsigned: "uint",
  "unsigned long": "ulong",
  atomic_int: "int",
  atomic_uint: "uint",
  atomic_long: "long",
  atomic_ulong: "ulong",
  atomic_float: "float",
  atomic_double: "double",
};

/** A pointer's type as OpenCL C writes it, for example `float4*`: the pointee without its lanes. */
function pointee(typeName: string): string | null {
  const name = /^(?<name>[\w ]+)\*$/u.exec(typeName.trim())?.groups?.["name"]?.trim();
  return name === undefined ? null : name.replace(/(?<=[a-z])(?:16|8|4|3|2)$/u, "");
}

/** Names of the typed arrays for a pointer's type; null: any will do, since it is a struct, void or a pointer. */
export function arraysFor(typeName: string): readonly string[] | null {
  const name = pointee(typeName);
  return name === null ? null : (ARRAYS[SYNONYMS[name] ?? name] ?? null);
}

/** The name of the struct that a pointer's type points to; null: to something else. */
export function structOf(typeName: string): string | null {
  const name = pointee(typeName);
  if (name === null || name === "void" || arraysFor(typeName) !== null) return null;
  return name.replace(/^struct /u, "");
}
