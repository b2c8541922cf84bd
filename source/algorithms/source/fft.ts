// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of lengths that are products of 2, 3 and 5.
//
// Stockham's algorithm: each stage reads R elements that are n / R apart, turns them by twiddle factors, transforms
// them by a butterfly of radix R, and writes them where the next stage needs them in order, so that nothing is permuted
// by bits. Radices are 4, 2, 3 and 5. Twiddle factors are computed in double precision, once a length. Rows of an array
// of two dimensions are transformed one by one. Cost: n log n, a read and a write of the array for each stage.
import { type Device, DeviceArray } from "muxkit";

import { AlgorithmError, commonScalar } from "./element.ts";
import { kernelOf } from "./programs.ts";

type Complexes = Float32Array | Float64Array;

/** The radices of a length, in their order; null: it has another prime factor. */
export function radicesOf(length: number): readonly number[] | null {
  const radices: number[] = [];
  let rest = length;
  for (const radix of [4, 2, 3, 5])
    while (rest % radix === 0) {
      radices.push(radix);
      rest /= radix;
    }
  return rest === 1 ? radices : null;
}

/**
 * The twiddle factors of all stages, each stage's after those of the one before: for the elements 1 to R - 1 of a
 * butterfly, the factor of each k below the product of the radices before. A stage reads them next to each other.
 */
function twiddles(radices: readonly number[]): Float64Array {
  const table: number[] = [];
  let before = 1;
  for (const radix of radices) {
    for (let r = 1; r < radix; r++)
      for (let k = 0; k < before; k++) {
        const angle = (2 * Math.PI * k * r) / (before * radix);
        table.push(Math.cos(angle), -Math.sin(angle));
      }
    before *= radix;
  }
  return Float64Array.from(table);
}

const TABLES = new WeakMap<Device, Map<string, DeviceArray<Complexes>>>();

function tableOf(device: Device, length: number, type: DeviceArray<Complexes>["type"]): DeviceArray<Complexes> {
  const tables = TABLES.get(device) ?? new Map<string, DeviceArray<Complexes>>();
  TABLES.set(device, tables);
  const key = `${type.name} ${length}`;
  let table = tables.get(key);
  if (table === undefined || table.isDestroyed) {
    const values = twiddles(radicesOf(length) ?? []);
    table = device.array(type.name === "Float64Array" ? values : Float32Array.from(values));
    tables.set(key, table);
  }
  return table;
}

/** A butterfly: v[0] to v[R - 1] in place. `turn` is -1 forward, 1 backward: the sign of the imaginary unit. */
function butterfly(radix: number, scalar: string): string {
  const real = (value: number): string => (scalar === "double" ? `${value}` : `${Math.fround(value)}f`);
  // i * turn * v
  const turned = (v: string): string => `(${scalar}2)(-turn * ${v}.y, turn * ${v}.x)`;
  if (radix === 2) return `${scalar}2 s = v[0] + v[1]; v[1] = v[0] - v[1]; v[0] = s;`;
  if (radix === 3)
    return `${scalar}2 s = v[1] + v[2], d = (v[1] - v[2]) * ${real(Math.sqrt(3) / 2)};
    ${scalar}2 m = v[0] - s * ${real(0.5)}, r = ${turned("d")};
    v[0] += s; v[1] = m + r; v[2] = m - r;`;
  if (radix === 4)
    return `${scalar}2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3], r = ${turned("d")};
    v[0] = a + c; v[1] = b + r; v[2] = a - c; v[3] = b - r;`;
  const [c1, c2, s1, s2] = [1, 2]
    .map((k) => Math.cos((2 * Math.PI * k) / 5))
    .concat([1, 2].map((k) => Math.sin((2 * Math.PI * k) / 5))) as [number, number, number, number];
  return `${scalar}2 s = v[1] + v[4], d = v[1] - v[4], t = v[2] + v[3], e = v[2] - v[3];
    ${scalar}2 m = v[0] + s * ${real(c1)} + t * ${real(c2)}, p = v[0] + s * ${real(c2)} + t * ${real(c1)};
    ${scalar}2 q = d * ${real(s1)} + e * ${real(s2)}, u = d * ${real(s2)} - e * ${real(s1)};
    ${scalar}2 qr = ${turned("q")}, ur = ${turned("u")};
    v[0] += s + t; v[1] = m + qr; v[4] = m - qr; v[2] = p + ur; v[3] = p - ur;`;
}

/** A stage: its sizes are constants, so divisions by them are multiplications and shifts. */
function stageSource(radix: number, scalar: string, n: number, before: number, first: number): string {
  const step = n / radix;
  return `kernel void stage(global ${scalar}2* restrict out, global const ${scalar}2* restrict x, global const ${scalar}2* restrict table,
    ${scalar} turn, ${scalar} scale) {
  uint j = get_global_id(0), row = get_global_id(1) * ${n};
  uint k = j % ${before}, place = j / ${before} * ${before * radix} + k;
  ${scalar}2 v[${radix}];
  v[0] = x[row + j];
  for (int r = 1; r < ${radix}; r++) {
    ${scalar}2 own = x[row + j + r * ${step}], w = ${before === 1 ? `(${scalar}2)(1, 0)` : `table[${first} + (r - 1) * ${before} + k]`};
    w.y *= -turn;
    v[r] = ${before === 1 ? "own" : `(${scalar}2)(own.x * w.x - own.y * w.y, own.x * w.y + own.y * w.x)`};
  }
  { ${butterfly(radix, scalar)} }
  for (int r = 0; r < ${radix}; r++) out[row + place + r * ${before}] = v[r] * scale;
}`;
}

/** Which way a transform goes. @public */
export interface FftOptions {
  /** True: back, divided by the length, so that it undoes the transform. */
  readonly inverse?: boolean;
}

/**
 * The Fourier transform of complex numbers, real and imaginary parts in turns: of the whole array, or of each row of
 * one of two dimensions. Errors: AlgorithmError for a length that has other factors than 2, 3 and 5, and for other
 * numbers than floats and doubles.
 *
 * @public
 */
export function fft<T extends Complexes>(input: DeviceArray<T>, { inverse = false }: FftOptions = {}): DeviceArray<T> {
  const operation = "fft";
  const scalar = commonScalar(operation, [input]);
  if (scalar !== "float" && scalar !== "double")
    throw new AlgorithmError(operation, `floats or doubles are needed, not ${input.type.name}`);
  const { device, shape } = input;
  const length = (shape.at(-1) ?? 0) / 2;
  const radices = radicesOf(length);
  if (radices === null || !Number.isInteger(length))
    throw new AlgorithmError(operation, `a row has ${length} complex numbers; products of 2, 3 and 5 are possible`);
  const rows = input.length / (length * 2);
  const out = DeviceArray.unfilled(device, input.type, shape);
  if (radices.length === 0) {
    input.copyTo(out);
    return out;
  }
  const table = tableOf(device, length, input.type);
  using other = radices.length > 1 ? DeviceArray.unfilled(device, input.type, shape) : null;
  // The last stage writes the result, so the one before writes the other array, and so on.
  let from = input;
  let [before, first] = [1, 0];
  for (const [i, radix] of radices.entries()) {
    const to: DeviceArray<T> = (radices.length - 1 - i) % 2 === 0 || other === null ? out : other;
    const scale = inverse && i === radices.length - 1 ? 1 / length : 1;
    kernelOf(operation, device, stageSource(radix, scalar, length, before, first), "stage")(
      [length / radix, rows],
      to,
      from,
      table,
      inverse ? 1 : -1,
      scale,
    );
    first += (radix - 1) * before;
    before *= radix;
    from = to;
  }
  return out;
}
