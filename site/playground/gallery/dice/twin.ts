// SPDX-License-Identifier: Apache-2.0
// Sums of dice in plain TypeScript.
interface Arguments {
  readonly sums: Int32Array;
  readonly dice: number;
  readonly sides: number;
}

/** The kernel as a function. */
export function roll({ sums, dice, sides }: Arguments, [count = 1]: readonly number[]): void {
  for (let item = 0; item < count; item++) {
    let state = (Math.imul(item, 747796405) + 2891336453) >>> 0;
    let sum = 0;
    for (let i = 0; i < dice; i++) {
      state = (Math.imul(state, 747796405) + 2891336453) >>> 0;
      const word = Math.imul((state >>> ((state >>> 28) + 4)) ^ state, 277803737) >>> 0;
      sum += 1 + ((((word >>> 22) ^ word) >>> 0) % sides);
    }
    sums[item] = sum;
  }
}
