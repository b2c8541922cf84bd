// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of lengths that are products of 2, 3 and 5.
//
// The stages are those of fft-source.ts. Twiddle factors are computed in double precision, once a length. On a
// processor a work-item takes whole rows through all stages while they are in its cache, in one launch; a row that is
// long, or alone, is divided among the threads stage by stage. On a GPU every stage is a launch, with a work-item for
// each butterfly. Cost: n log n; a read and a write of the array for a launch.
import { type Device, DeviceArray } from "muxkit";

import { AlgorithmError, commonScalar } from "./element.ts";
import { type Stage, type Transform, radicesOf, stageFunction, stagesOf, twiddles } from "./fft-source.ts";
import { isProcessor, programOf } from "./programs.ts";

type Complexes = Float32Array | Float64Array;

/** Bytes of a row that stay in a core's cache with what a transform has besides. */
const CACHED = 1 << 18;
/** Bytes of a row that are worth a launch for each stage, where rows are fewer than threads. */
const DIVISIBLE = 1 << 16;

/** What a length and a type need both ways, made once for a device. */
interface Plan {
  readonly stages: readonly Stage[];
  readonly table: DeviceArray<Complexes>;
}

const PLANS = new WeakMap<Device, Map<string, Plan>>();

function functions(transform: Transform, stages: readonly Stage[]): string {
  return stages.map((stage, i) => stageFunction(transform, stage, `run_${i}`)).join("\n");
}

/** Each stage as a kernel that takes chunks of the butterflies of rows. */
function stagesSource(transform: Transform, stages: readonly Stage[]): string {
  const { scalar, length } = transform;
  const kernels = stages.map(
    ({ radix }, i) => `kernel void stage_${i}(global ${scalar}* restrict out, global const ${scalar}* restrict x,
    global const ${scalar}* restrict table, uint chunk, ${scalar} scale) {
  uint begin = get_global_id(0) * chunk, row = get_global_id(1) * ${2 * length};
  run_${i}(out + row, x + row, table, begin, min(begin + chunk, ${length / radix}u), scale);
}`,
  );
  return `${functions(transform, stages)}\n${kernels.join("\n")}`;
}

/** All stages as one kernel that takes rows. */
function rowsSource(transform: Transform, stages: readonly Stage[]): string {
  const { scalar, length } = transform;
  // The last stage writes the result, so the one before writes the scratch, and so on.
  const target = (i: number): string => ((stages.length - 1 - i) % 2 === 0 ? "result" : "own");
  const calls = stages.map(({ radix }, i) => {
    const from = i === 0 ? `x + row * ${2 * length}` : target(i - 1);
    return `run_${i}(${target(i)}, ${from}, table, 0, ${length / radix}, scale);`;
  });
  return `${functions(transform, stages)}
kernel void rows(global ${scalar}* out, global ${scalar}* scratch, global const ${scalar}* x,
    global const ${scalar}* table, uint count, ${scalar} scale) {
  global ${scalar}* own = scratch + get_global_id(0) * ${2 * length};
  for (uint row = get_global_id(0); row < count; row += get_global_size(0)) {
    global ${scalar}* result = out + row * ${2 * length};
    ${calls.join("\n    ")}
  }
}`;
}

function planOf(device: Device, transform: Transform, radices: readonly number[]): Plan {
  const plans = PLANS.get(device) ?? new Map<string, Plan>();
  PLANS.set(device, plans);
  const key = `${transform.scalar} ${transform.length}`;
  let plan = plans.get(key);
  if (plan === undefined || plan.table.isDestroyed) {
    const stages = stagesOf(transform, radices, isProcessor(device));
    const values = twiddles(stages);
    plan = {
      stages,
      table: device.array(transform.scalar === "double" ? values : Float32Array.from(values)),
    };
    plans.set(key, plan);
  }
  return plan;
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
  if (radices === null)
    throw new AlgorithmError(operation, `a row has ${length} complex numbers; products of 2, 3 and 5 are possible`);
  const count = input.length / (length * 2);
  const out = DeviceArray.unfilled(device, input.type, shape);
  if (radices.length === 0) {
    input.copyTo(out);
    return out;
  }
  const transform: Transform = { scalar, length, isInverse: inverse };
  const key = `${scalar} ${length} ${inverse}`;
  const { stages, table } = planOf(device, transform, radices);
  const scale = inverse ? 1 / length : 1;
  const bytes = length * 2 * input.type.BYTES_PER_ELEMENT;
  const { threads } = device;
  const takesRows = isProcessor(device) && bytes <= CACHED && (count >= threads || bytes < DIVISIBLE);
  if (takesRows) {
    const items = Math.min(count, threads * 4);
    using scratch = DeviceArray.unfilled(device, input.type, items * length * 2);
    const kernel = programOf(operation, device, `rows ${key}`, () => rowsSource(transform, stages))("rows");
    kernel({ global: items, local: 1 }, out, scratch, input, table, count, scale);
    return out;
  }
  const kernel = programOf(operation, device, `stages ${key}`, () => stagesSource(transform, stages));
  using other = stages.length > 1 ? DeviceArray.unfilled(device, input.type, shape) : null;
  let from = input;
  for (const [i, { radix, width }] of stages.entries()) {
    const to: DeviceArray<T> = (stages.length - 1 - i) % 2 === 0 || other === null ? out : other;
    const all = length / radix;
    const parts = isProcessor(device) ? Math.max(1, Math.ceil((threads * 4) / count)) : all;
    const chunk = Math.ceil(all / parts / width) * width;
    const global = [Math.ceil(all / chunk), count];
    kernel(`stage_${i}`)(isProcessor(device) ? { global, local: [1, 1] } : global, to, from, table, chunk, scale);
    from = to;
  }
  return out;
}
