// SPDX-License-Identifier: Apache-2.0
// Floats: operations that are exact, functions within what OpenCL allows, other precisions, conversions.
import { type MuxDeviceInfo, MuxFloatingPointCapabilities } from "@muxkit/mux";

import { type KernelCase, fills, floats } from "../case.ts";

const hasDouble = ({ doubleCapabilities }: MuxDeviceInfo): boolean => doubleCapabilities !== 0;
const hasHalf = ({ halfCapabilities }: MuxDeviceInfo): boolean => halfCapabilities !== 0;

const X = Float32Array.of(0, 0.5, 1, 1.5, 2.25, 3.75, 10, 100.125);
const N = X.length;
/** A part of the size: a few units in the last place of a float. */
const UNITS = 2 ** -24;

/** A function of one float; `ulps` is what OpenCL allows. */
function ofOne(name: string, make: (x: number) => number, ulps: number, from: Float32Array = X): KernelCase {
  return {
    name: `floats: ${name}`,
    source: `
      kernel void k(global const float* x, global float* out) {
        int i = get_global_id(0);
        out[i] = ${name}(x[i]);
      }`,
    arguments: [{ buffer: from }, fills(Float32Array.from(from, make), ulps * 2 * UNITS)],
    global: [from.length],
  };
}

const round = Math.fround;

/** See the file's head. */
export const FLOATS: readonly KernelCase[] = [
  {
    name: "floats: sums, products and differences are rounded once",
    source: `
      #pragma OPENCL FP_CONTRACT OFF
      kernel void k(global const float* x, global float* out) {
        int i = get_global_id(0);
        out[i] = x[i] * x[i] - x[i] / 3.0f * 0.1f + 1e-3f;
      }`,
    options: "-cl-fp32-correctly-rounded-divide-sqrt",
    needs: ({ floatCapabilities }) => (floatCapabilities & MuxFloatingPointCapabilities.full) !== 0,
    arguments: [
      { buffer: X },
      fills(
        floats(N, (i) => {
          const x = X[i] ?? 0;
          return round(round(round(x * x) - round(round(x / 3) * round(0.1))) + round(1e-3));
        }),
      ),
    ],
    global: [N],
  },
  ofOne("sqrt", Math.sqrt, 3),
  ofOne("exp", Math.exp, 3, X.subarray(0, 7)),
  ofOne("log", Math.log, 3, X.subarray(1)),
  ofOne("sin", Math.sin, 4),
  ofOne("cos", Math.cos, 4),
  ofOne("tanh", Math.tanh, 5),
  ofOne("cbrt", Math.cbrt, 2),
  ofOne("floor", Math.floor, 0),
  ofOne("fabs", Math.abs, 0),
  ofOne("rint", (x) => (x % 1 === 0.5 ? 2 * Math.round(x / 2) : Math.round(x)), 0),
  ofOne("native_exp2", (x) => 2 ** x, 8192, X.subarray(0, 7)),
  {
    name: "floats: pow, fmod, fma, hypot, mad, mix",
    source: `
      kernel void k(global const float* x, global float* out) {
        int i = get_global_id(0);
        float a = x[i], b = x[7 - i];
        out[6 * i] = pow(a, b / 50.0f);
        out[6 * i + 1] = fmod(b, a + 1.0f);
        out[6 * i + 2] = fma(a, b, -1.0f);
        out[6 * i + 3] = hypot(a, b);
        out[6 * i + 4] = mad(a, 2.0f, b);
        out[6 * i + 5] = mix(a, b, 0.25f);
      }`,
    arguments: [
      { buffer: X },
      fills(
        Float32Array.from(
          [...X].flatMap((a, i) => {
            const b = X[7 - i] ?? 0;
            return [a ** round(b / 50), b % (a + 1), a * b - 1, Math.hypot(a, b), a * 2 + b, a + (b - a) * 0.25];
          }),
        ),
        40 * UNITS,
      ),
    ],
    global: [N],
  },
  {
    name: "floats: infinities, NaNs and zeros with signs",
    source: `
      kernel void k(global const float* x, global float* out) {
        int i = get_global_id(0);
        float zero = x[0];
        out[0] = 1.0f / zero;
        out[1] = -1.0f / zero;
        out[2] = zero / zero;
        out[3] = copysign(zero, -1.0f);
        out[4] = fmax(zero / zero, 3.0f);
        out[5] = isnan(zero / zero) + 2 * isinf(1.0f / zero) + 4 * signbit(-zero);
        out[6] = sqrt(-1.0f - zero);
      }`,
    arguments: [{ buffer: X }, fills(Float32Array.of(Infinity, -Infinity, Number.NaN, -0, 3, 7, Number.NaN))],
    global: [1],
  },
  {
    name: "conversions between floats and ints saturate and round as asked",
    source: `
      kernel void k(global const float* x, global int* out) {
        int i = get_global_id(0);
        float v = (x[i] - 3.0f) * 1e8f;
        out[5 * i] = convert_int_sat(v);
        out[5 * i + 1] = convert_uchar_sat_rte(x[i]);
        out[5 * i + 2] = convert_int_rtp(x[i]);
        out[5 * i + 3] = (int)x[i];
        out[5 * i + 4] = as_int(x[i]);
      }`,
    arguments: [
      { buffer: X },
      fills(
        Int32Array.from(
          [...X].flatMap((x) => {
            const v = round(round(x - 3) * 1e8);
            const even = x % 1 === 0.5 ? 2 * Math.round(x / 2) : Math.round(x);
            return [
              Math.min(2_147_483_647, Math.max(-2_147_483_648, Math.trunc(v))),
              Math.min(255, even),
              Math.ceil(x),
              Math.trunc(x),
              new Int32Array(Float32Array.of(x).buffer)[0] ?? 0,
            ];
          }),
        ),
      ),
    ],
    global: [N],
  },
  {
    name: "doubles",
    needs: hasDouble,
    source: `
      #pragma OPENCL FP_CONTRACT OFF
      kernel void k(global const float* x, global double* out) {
        int i = get_global_id(0);
        double a = x[i];
        out[2 * i] = a * 0.1 + 1.0 / (a + 1.0);
        out[2 * i + 1] = sqrt(a);
      }`,
    arguments: [
      { buffer: X },
      fills(Float64Array.from([...X].flatMap((a) => [a * 0.1 + 1 / (a + 1), Math.sqrt(a)])), 2 ** -52),
    ],
    global: [N],
  },
  {
    name: "halves are stored in two bytes and computed as OpenCL says",
    needs: hasHalf,
    source: `
      #pragma OPENCL EXTENSION cl_khr_fp16 : enable
      kernel void k(global const float* x, global half* h, global float* out) {
        int i = get_global_id(0);
        half a = (half)x[i];
        half b = a + (half)0.25h;
        h[i] = b * (half)2.0h;
        vstore_half(x[i], i + 8, h);
        out[i] = vload_half(i + 8, h) + (float)h[i];
      }`,
    arguments: [
      { buffer: X },
      { buffer: new Uint16Array(16) },
      fills(floats(N, (i) => (X[i] ?? 0) + 2 * ((X[i] ?? 0) + 0.25))),
    ],
    global: [N],
  },
  {
    name: "halves can be stored without arithmetic on them",
    source: `
      kernel void k(global const float* x, global ushort* bits, global float* out) {
        int i = get_global_id(0);
        vstore_half_rtz(x[i] * 1.0005f, i, (global half*)bits);
        vstore_half4((float4)(x[i]), i + 2, (global half*)bits);
        out[i] = vload_half(i, (global half*)bits);
      }`,
    arguments: [{ buffer: X.subarray(1, 2) }, { buffer: new Uint16Array(16) }, fills(Float32Array.of(0.5))],
    global: [1],
  },
];
