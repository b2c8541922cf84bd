// SPDX-License-Identifier: Apache-2.0
// Floats by the millions, all of them if wanted: the error of each is computed on the device, against the double
// variant of the function, which is measured against MPFR.
import { type Device, type DeviceArray, type KernelFunction } from "muxkit";

import { type Worst, NOTHING } from "./measure.ts";
import { FORMATS, hexOf } from "./number-format.ts";
import type { Subject } from "./subject.ts";

/** Inputs of one launch. */
const BATCH = 1 << 22;
/** Work-items that take errors. */
const ITEMS = 1 << 12;
/** All floats. */
export const ALL_FLOATS: number = 2 ** 32;

/** References that the library has under another name. */
const REFERENCES: Readonly<Record<string, string>> = { recip: "1.0 / x" };

/**
 * Kernels that compute a function of floats and compare it. The error is that of `errorOf`, with a double instead of
 * MPFR's number.
 */
function sweepSource({ name, base, hasSpecials, isRough, largest }: Subject): {
  readonly subject: string;
  readonly comparison: string;
} {
  const subject = `kernel void k(global float* r, uint first, uint stride) { size_t i = get_global_id(0); r[i] = ${name}(as_float(first + (uint)i * stride)); }`;
  const comparison = `
double error(float x, float y) {
  double d = x, r = ${REFERENCES[base] === undefined ? `${base}(d)` : REFERENCES[base].replaceAll("x", "d")};
  ${hasSpecials ? "" : "if (!isfinite((float)r) || !isfinite(y)) return 0.0;"}
  ${isRough ? "if (fabs(x) < 0x1p-126f || fabs(r) < 0x1p-126) return 0.0;" : ""}
  ${Number.isFinite(largest) ? `if (fabs(x) > ${largest}.0f && isfinite(x)) return 0.0;` : ""}
  if (isnan(r) || isnan(y)) return isnan(r) && isnan(y) ? 0.0 : INFINITY;
  if (isinf(r))
    return r == y ? 0.0 : isinf(y) || fabs(y) < 0x1p127f ? INFINITY : signbit(r) == signbit(y) ? 1.0 : INFINITY;
  if (r == 0.0 && y == 0.0f) return ${hasSpecials ? "signbit(r) == signbit(y) ? 0.0 : INFINITY" : "0.0"};
  ulong bits = as_ulong(r);
  int e = (int)(bits >> 52 & 2047) - 1023;
  if ((bits & 0xffffffffffffful) == 0ul) e--;
  e = clamp(e, -126, 127);
  double perUnit = as_double((ulong)(1023 + 23 - e) << 52);
  if (isinf(y)) {
    double beyond = fabs(copysign(0x1.fffffep127, r) - r) * perUnit;
    return (y > 0.0f) != (r > 0.0) ? INFINITY : fabs(r) > 0x1.fffffep127 && beyond >= 0.5 ? 0.0 : beyond + 1.0;
  }
  return fabs((double)y - r) * perUnit;
}
kernel void m(global const float* r, uint first, uint stride, uint each, global double* worst, global uint* at) {
  size_t i = get_global_id(0);
  double most = 0.0;
  uint where = 0;
  for (uint k = 0; k < each; k++) {
    uint n = (uint)i + k * (uint)get_global_size(0);
    uint bits = first + n * stride;
    double e = error(as_float(bits), r[n]);
    int isMore = e > most;
    most = isMore ? e : most;
    where = isMore ? bits : where;
  }
  worst[i] = most;
  at[i] = where;
}`;
  return { subject, comparison };
}

/** A sweep over floats `first + i * stride`. */
export interface Sweep {
  /** Computes and compares `count` floats. With `results` those are compared. */
  run(first: number, stride: number, count: number, results?: Uint32Array): Promise<Worst>;
  close(): void;
}

/** Opens a sweep of a subject of one float. */
export function openSweep(device: Device, subject: Subject): Sweep {
  const source = sweepSource(subject);
  const programs = [device.program(source.subject, { options: subject.options }), device.program(source.comparison)];
  const [compute, compare] = programs.map((program, i) => program.kernel(["k", "m"][i] ?? "")) as [
    KernelFunction,
    KernelFunction,
  ];
  const results = device.array(Uint32Array, BATCH);
  const floats = results.view(Float32Array);
  const worst = device.array(Float64Array, ITEMS);
  const at = device.array(Uint32Array, ITEMS);
  const arrays: readonly DeviceArray[] = [floats, worst, at, results];
  const batch = async (first: number, stride: number, count: number, given: Uint32Array | null): Promise<Worst> => {
    const [r = null, w = null, a = null] = arrays;
    if (given === null) compute(count, r, first, stride);
    else results.write(new Uint32Array(given));
    compare({ global: ITEMS, local: 64 }, r, first, stride, count / ITEMS, w, a);
    const errors = await worst.read();
    const places = await at.read();
    let found = NOTHING;
    errors.forEach((ulp, i) => {
      if (ulp > found.ulp) found = { ulp, at: [hexOf(FORMATS.float, places[i] ?? 0)] };
    });
    return found;
  };
  return {
    run: async (first, stride, count, given) => {
      let found = NOTHING;
      for (let done = 0; done < count; done += BATCH) {
        const size = Math.min(BATCH, count - done);
        // One after the other: they share the device.
        // eslint-disable-next-line no-await-in-loop
        const next = await batch(
          (first + done * stride) % ALL_FLOATS,
          stride,
          size,
          given?.subarray(done, done + size) ?? null,
        );
        if (next.ulp > found.ulp) found = next;
      }
      return found;
    },
    close: () => {
      for (const array of arrays) array.destroy();
      for (const program of programs) program.destroy();
    },
  };
}
