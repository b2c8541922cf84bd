// SPDX-License-Identifier: Apache-2.0
// a x + y in plain TypeScript.
interface Arguments {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly result: Float32Array;
  readonly a: number;
}

/** The kernel as a function. */
export function saxpy({ x, y, result, a }: Arguments, [count = 1]: readonly number[]): void {
  for (let i = 0; i < count; i++) result[i] = a * (x[i] ?? 0) + (y[i] ?? 0);
}
