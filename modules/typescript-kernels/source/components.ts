// SPDX-License-Identifier: Apache-2.0
// Names of vectors' components: xyzw, s0 to sf, lo, hi, even, odd.
import type { Lanes } from "@muxkit/kernel-library";

/** Lanes that a name selects; null: it names none of a vector of so many lanes. */
export function lanesNamed(name: string, lanes: Lanes): readonly number[] | null {
  const halves = lanes === 3 ? 4 : lanes;
  const all = Array.from({ length: halves }, (_, i) => i);
  const named: Readonly<Record<string, readonly number[]>> = {
    lo: all.slice(0, halves / 2),
    hi: all.slice(halves / 2),
    even: all.filter((i) => i % 2 === 0),
    odd: all.filter((i) => i % 2 === 1),
  };
  const selected = Object.hasOwn(named, name)
    ? (named[name] ?? [])
    : /^[sS][0-9a-fA-F]+$/u.test(name)
      ? Array.from(name.slice(1)).map((digit) => Number.parseInt(digit, 16))
      : Array.from(name).map((letter) => "xyzw".indexOf(letter));
  const isKnown = [1, 2, 3, 4, 8, 16].includes(selected.length) && selected.every((lane) => lane >= 0 && lane < lanes);
  return isKnown ? selected : null;
}
