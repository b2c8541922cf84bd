// SPDX-License-Identifier: Apache-2.0
// What algorithms are compared with in JavaScript: loops over typed arrays, as fast as we can write them. Each writes
// into arrays that it is given or that it made once, so that no side pays for memory.

/** Bits of a digit. */
const DIGIT = 8;
const DIGITS = 1 << DIGIT;

/** Sorts whole numbers by radix, and values with them, by way of arrays of the same lengths; four passes. */
export function radixSort(
  keys: Int32Array,
  otherKeys: Int32Array,
  values: Uint32Array | null = null,
  otherValues: Uint32Array | null = null,
): void {
  const n = keys.length;
  const counts = new Uint32Array(4 * DIGITS);
  for (let i = 0; i < n; i++) {
    const key = (keys[i] as number) ^ -0x8000_0000;
    counts[key & 255] = (counts[key & 255] as number) + 1;
    counts[256 + ((key >>> 8) & 255)] = (counts[256 + ((key >>> 8) & 255)] as number) + 1;
    counts[512 + ((key >>> 16) & 255)] = (counts[512 + ((key >>> 16) & 255)] as number) + 1;
    counts[768 + (key >>> 24)] = (counts[768 + (key >>> 24)] as number) + 1;
  }
  let [from, to, valuesFrom, valuesTo] = [keys, otherKeys, values, otherValues];
  for (let pass = 0; pass < 4; pass++) {
    const shift = pass * DIGIT;
    const places = counts.subarray(pass * DIGITS, (pass + 1) * DIGITS);
    let sum = 0;
    for (let digit = 0; digit < DIGITS; digit++) {
      const own = places[digit] as number;
      places[digit] = sum;
      sum += own;
    }
    if (valuesFrom === null || valuesTo === null)
      for (let i = 0; i < n; i++) {
        const key = from[i] as number;
        const digit = ((key ^ -0x8000_0000) >>> shift) & 255;
        const place = places[digit] as number;
        places[digit] = place + 1;
        to[place] = key;
      }
    else
      for (let i = 0; i < n; i++) {
        const key = from[i] as number;
        const digit = ((key ^ -0x8000_0000) >>> shift) & 255;
        const place = places[digit] as number;
        places[digit] = place + 1;
        to[place] = key;
        valuesTo[place] = valuesFrom[i] as number;
      }
    [from, to, valuesFrom, valuesTo] = [to, from, valuesTo, valuesFrom];
  }
}

/** Rows become columns, tile by tile. */
export function transposeTiles(out: Float32Array, x: Float32Array, rows: number, columns: number): void {
  const tile = 16;
  for (let top = 0; top < rows; top += tile)
    for (let left = 0; left < columns; left += tile) {
      const bottom = Math.min(top + tile, rows);
      const right = Math.min(left + tile, columns);
      for (let y = top; y < bottom; y++)
        for (let c = left; c < right; c++) out[c * rows + y] = x[y * columns + c] as number;
    }
}

/** The product of square matrices: rows of the right one, scaled, are added to rows of the result. */
export function multiplyRows(out: Float32Array, a: Float32Array, b: Float32Array, n: number): void {
  out.fill(0);
  for (let row = 0; row < n; row++)
    for (let k = 0; k < n; k++) {
      const factor = a[row * n + k] as number;
      const [to, from] = [row * n, k * n];
      for (let c = 0; c < n; c++) out[to + c] = (out[to + c] as number) + factor * (b[from + c] as number);
    }
}

/** Weights 1 2 1, 2 4 2, 1 2 1 over an image, but for its edges. */
export function blur(out: Float32Array, x: Float32Array, rows: number, columns: number): void {
  for (let y = 1; y < rows - 1; y++) {
    const line = y * columns;
    const [above, below] = [line - columns, line + columns];
    for (let c = 1; c < columns - 1; c++)
      out[line + c] =
        (x[above + c - 1] as number) +
        2 * (x[above + c] as number) +
        (x[above + c + 1] as number) +
        2 * (x[line + c - 1] as number) +
        4 * (x[line + c] as number) +
        2 * (x[line + c + 1] as number) +
        (x[below + c - 1] as number) +
        2 * (x[below + c] as number) +
        (x[below + c + 1] as number);
  }
}

/** Counts of bytes, by one table. */
export function countBytes(counts: Uint32Array, x: Uint8Array): void {
  counts.fill(0);
  for (let i = 0; i < x.length; i++) counts[x[i] as number] = (counts[x[i] as number] as number) + 1;
}

/** Counts of bytes, by four tables in turns. */
export function countBytesApart(counts: Uint32Array, tables: Uint32Array, x: Uint8Array): void {
  tables.fill(0);
  const whole = x.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    tables[x[i] as number] = (tables[x[i] as number] as number) + 1;
    tables[256 + (x[i + 1] as number)] = (tables[256 + (x[i + 1] as number)] as number) + 1;
    tables[512 + (x[i + 2] as number)] = (tables[512 + (x[i + 2] as number)] as number) + 1;
    tables[768 + (x[i + 3] as number)] = (tables[768 + (x[i + 3] as number)] as number) + 1;
  }
  for (let i = whole; i < x.length; i++) tables[x[i] as number] = (tables[x[i] as number] as number) + 1;
  for (let bin = 0; bin < 256; bin++)
    counts[bin] =
      (tables[bin] as number) +
      (tables[256 + bin] as number) +
      (tables[512 + bin] as number) +
      (tables[768 + bin] as number);
}

/** The sum in one variable, which rounds as the order says. */
export function sumInOrder(x: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] as number;
  return sum;
}

/** The sum in four variables. */
export function sumApart(x: Float32Array): number {
  let [s, t, u, v] = [0, 0, 0, 0];
  const whole = x.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    s += x[i] as number;
    t += x[i + 1] as number;
    u += x[i + 2] as number;
    v += x[i + 3] as number;
  }
  for (let i = whole; i < x.length; i++) s += x[i] as number;
  return s + t + (u + v);
}

/** Running sums. */
export function runningSums(out: Int32Array, x: Int32Array): void {
  let sum = 0;
  for (let i = 0; i < x.length; i++) {
    sum = (sum + (x[i] as number)) | 0;
    out[i] = sum;
  }
}

/** The elements that are 3, by a branch. */
export function threesByBranch(out: Int32Array, x: Int32Array): number {
  let count = 0;
  for (let i = 0; i < x.length; i++) if (x[i] === 3) out[count++] = x[i] as number;
  return count;
}

/** The elements that are 3, without a branch. */
export function threesByStores(out: Int32Array, x: Int32Array): number {
  let count = 0;
  for (let i = 0; i < x.length; i++) {
    const own = x[i] as number;
    out[count] = own;
    count += own === 3 ? 1 : 0;
  }
  return count;
}

/** The first of equal neighbours, by a branch. */
export function firstsByBranch(out: Int32Array, x: Int32Array): number {
  let count = 0;
  for (let i = 0; i < x.length; i++) if (i === 0 || x[i] !== x[i - 1]) out[count++] = x[i] as number;
  return count;
}

/** The first of equal neighbours, without a branch. */
export function firstsByStores(out: Int32Array, x: Int32Array): number {
  let previous = x[0] as number;
  out[0] = previous;
  let count = 1;
  for (let i = 1; i < x.length; i++) {
    const own = x[i] as number;
    out[count] = own;
    count += own === previous ? 0 : 1;
    previous = own;
  }
  return count;
}
