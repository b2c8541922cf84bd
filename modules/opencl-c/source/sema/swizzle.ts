// SPDX-License-Identifier: Apache-2.0
// Names of vector components (OpenCL C 6.1.7).

/** Components by letters; those of colours came with OpenCL C 3.0, and compilers take them before. */
const LETTERS = ["xyzw", "rgba"];
const HEX = "0123456789abcdef";
/** Names that are kept for each number of lanes. */
const MOST_NAMES = 1000;

function named(name: string, count: number): number[] | null {
  const wide = count === 3 ? 4 : count;
  const range = Array.from({ length: wide }, (_, i) => i);
  switch (name) {
    case "lo":
      return range.slice(0, wide / 2);
    case "hi":
      return range.slice(wide / 2);
    case "even":
      return range.filter((i) => i % 2 === 0);
    case "odd":
      return range.filter((i) => i % 2 === 1);
    default:
      return null;
  }
}

/** Names that were right, by lanes of the vector: a name has at most 17 letters, and programs use few of them. */
const known = new Map<number, Map<string, readonly number[]>>();

/** The lanes that a component name picks from a vector of `count`; null: it names none. */
export function swizzleLanes(name: string, count: number): readonly number[] | null {
  const names = known.get(count) ?? new Map<string, readonly number[]>();
  const found = names.get(name) ?? readLanes(name, count);
  if (found === null) return null;
  if (names.size < MOST_NAMES) names.set(name, found);
  known.set(count, names);
  return found;
}

function readLanes(name: string, count: number): readonly number[] | null {
  const half = count > 1 ? named(name, count) : null;
  if (half !== null) return half;
  const isHex = /^[sS][\da-fA-F]+$/u.test(name);
  const letters = isHex ? HEX : (LETTERS.find((set) => set.includes(name.charAt(0))) ?? "");
  const lanes = (isHex ? name.slice(1).toLowerCase() : name).split("").map((letter) => letters.indexOf(letter));
  const isRight =
    lanes.length > 0 && lanes.every((lane) => lane >= 0 && lane < count) && [1, 2, 3, 4, 8, 16].includes(lanes.length);
  return isRight ? lanes : null;
}
