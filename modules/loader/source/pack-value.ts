// SPDX-License-Identifier: Apache-2.0
// Kernel arguments that are passed by value: JavaScript's numbers as the bytes of OpenCL C's scalars and vectors.
import { floatToHalf } from "@muxkit/cargo";

/** JavaScript values that a value argument can be. @public */
export type Value = number | bigint | boolean | readonly (number | bigint)[] | ArrayBufferView;

interface ScalarType {
  readonly bytes: number;
  readonly write: (view: DataView, offset: number, value: number | bigint) => void;
}

const signed = (bytes: number): ScalarType => ({
  bytes,
  write: (view, offset, value) => {
    if (bytes === 1) view.setInt8(offset, Number(value));
    else if (bytes === 2) view.setInt16(offset, Number(value), true);
    else if (bytes === 4) view.setInt32(offset, Number(value), true);
    else view.setBigInt64(offset, BigInt(value), true);
  },
});

const REAL: Readonly<Record<string, ScalarType>> = {
  half: {
    bytes: 2,
    write: (view, offset, value) => {
      view.setUint16(offset, floatToHalf(Number(value)), true);
    },
  },
  float: {
    bytes: 4,
    write: (view, offset, value) => {
      view.setFloat32(offset, Number(value), true);
    },
  },
  double: {
    bytes: 8,
    write: (view, offset, value) => {
      view.setFloat64(offset, Number(value), true);
    },
  },
};

/** Addresses have 32 bits. Two's complement makes one writer do for both signs. */
const SCALARS: Readonly<Record<string, ScalarType>> = {
  ...REAL,
  char: signed(1),
  uchar: signed(1),
  short: signed(2),
  ushort: signed(2),
  int: signed(4),
  uint: signed(4),
  long: signed(8),
  ulong: signed(8),
  size_t: signed(4),
  ptrdiff_t: signed(4),
  intptr_t: signed(4),
  uintptr_t: signed(4),
  "unsigned char": signed(1),
  "unsigned short": signed(2),
  unsigned: signed(4),
  "unsigned int": signed(4),
  "unsigned long": signed(8),
};

const LONGEST_FIRST: readonly string[] = ["16", "8", "4", "3", "2"];

/** A type's name as scalar and lanes; null for any other type, a struct for example. */
function parseType(typeName: string): { readonly scalar: ScalarType; readonly lanes: number } | null {
  const suffix = LONGEST_FIRST.find((digits) => typeName.endsWith(digits)) ?? "";
  const scalar = SCALARS[typeName.slice(0, typeName.length - suffix.length)];
  return scalar === undefined ? null : { scalar, lanes: suffix === "" ? 1 : Number(suffix) };
}

/**
 * The bytes of a value for an argument of a type. `size` is the argument's size in bytes.
 * Returns a sentence when the value does not fit the type.
 *
 * @public
 */
export function packValue(typeName: string, size: number, value: unknown): Uint8Array | string {
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    const padded = new Uint8Array(size);
    // A 3-vector takes the room of a 4-vector.
    if (bytes.length !== size && bytes.length * 4 !== size * 3)
      return `has ${bytes.length} bytes; ${typeName} has ${size}`;
    padded.set(bytes);
    return padded;
  }
  const type = parseType(typeName);
  if (type === null) return `is a ${typeof value}; ${typeName} requires its ${size} bytes as a typed array`;
  const { scalar, lanes } = type;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length !== lanes) return `has ${list.length} values; ${typeName} has ${lanes}`;
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  for (const [i, lane] of list.entries()) {
    const number = typeof lane === "boolean" ? Number(lane) : lane;
    if (typeof number !== "number" && typeof number !== "bigint")
      return `is a ${typeof lane}; ${typeName} requires numbers`;
    const integral = typeof number === "bigint" || Number.isInteger(number);
    if (!integral && !Object.values(REAL).includes(scalar))
      return `is ${String(number)}; ${typeName} requires integers`;
    scalar.write(view, i * scalar.bytes, number);
  }
  return bytes;
}
