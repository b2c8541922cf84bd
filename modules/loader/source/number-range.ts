// SPDX-License-Identifier: Apache-2.0
// Ranges of OpenCL C's scalars, for arguments that are passed by value. A file of its own: pages whose kernels are
// typed do without.

const LANES: readonly string[] = ["16", "8", "4", "3", "2"];

/** The range of a scalar type: whole numbers, or finite ones. */
interface NumberRange {
  readonly name: string;
  readonly isWhole: boolean;
  readonly least: number | bigint;
  readonly greatest: number | bigint;
}

const whole = (name: string, least: bigint, greatest: bigint): NumberRange => ({
  name,
  isWhole: true,
  least,
  greatest,
});
const finite = (name: string, greatest: number): NumberRange => ({ name, isWhole: false, least: -greatest, greatest });

const RANGES: readonly NumberRange[] = [
  whole("char", -(2n ** 7n), 2n ** 7n - 1n),
  whole("uchar", 0n, 2n ** 8n - 1n),
  whole("short", -(2n ** 15n), 2n ** 15n - 1n),
  whole("ushort", 0n, 2n ** 16n - 1n),
  whole("int", -(2n ** 31n), 2n ** 31n - 1n),
  whole("uint", 0n, 2n ** 32n - 1n),
  whole("long", -(2n ** 63n), 2n ** 63n - 1n),
  whole("ulong", 0n, 2n ** 64n - 1n),
  finite("half", 65_504),
  finite("float", 3.4028234663852886e38),
];

/** Ranges by scalar and vector type. */
const RANGE_OF: ReadonlyMap<string, NumberRange> = new Map(
  RANGES.flatMap((range) => ["", ...LANES].map((lanes) => [range.name + lanes, range] as const)),
);

/**
 * A sentence when a number does not fit the range of a type, of a scalar or of a vector's lanes; null when it does, or
 * when the value is not made of numbers. `packValue` alone takes such a number modulo the type's, as C does.
 *
 * @public
 */
export function rangeFault(typeName: string, value: unknown): string | null {
  const range = RANGE_OF.get(typeName);
  if (range === undefined) return null;
  if (!Array.isArray(value)) return laneFault(range, value);
  for (const lane of value as readonly unknown[]) {
    const fault = laneFault(range, lane);
    if (fault !== null) return fault;
  }
  return null;
}

function laneFault({ name, isWhole, least, greatest }: NumberRange, lane: unknown): string | null {
  if (typeof lane !== "number" && typeof lane !== "bigint") return null;
  // Infinity is a number of the other types, and a part of a whole is refused as such.
  if (typeof lane === "number" && (isWhole ? !Number.isInteger(lane) : !Number.isFinite(lane))) return null;
  if (lane >= least && lane <= greatest) return null;
  return `is ${lane}; ${name} holds ${least} to ${greatest}`;
}
