// SPDX-License-Identifier: Apache-2.0
// Mean and deviation of two million samples in shared memory: two reductions by work-groups, the second of which needs
// what the first has found. The host writes the samples and reads the results where they are; nothing is copied.
import {
  LocalAccessor,
  Queue,
  build,
  createWithSource,
  free,
  mallocShared,
  ndRange,
  plus,
  range,
  reduction,
} from "muxkit/sycl";

const SAMPLES = 1 << 21;
const GROUP = 256;
const PER_ITEM = 32;

// Each work-item adds some samples, its group adds those sums in local memory, and the reduction adds the groups.
const SOURCE = `
double add_group(double own, local double* sums) {
  size_t i = get_local_id(0);
  sums[i] = own;
  for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < step) sums[i] += sums[i + step];
  }
  return sums[0];
}
kernel void total(global const float* samples, global double* partial, local double* sums) {
  double own = 0;
  for (size_t k = get_global_id(0); k < ${SAMPLES}; k += get_global_size(0)) own += samples[k];
  double sum = add_group(own, sums);
  if (get_local_id(0) == 0) partial[get_group_id(0)] = sum;
}
kernel void squares(global const float* samples, double mean, global double* partial, local double* sums) {
  double own = 0;
  for (size_t k = get_global_id(0); k < ${SAMPLES}; k += get_global_size(0)) {
    double distance = samples[k] - mean;
    own += distance * distance;
  }
  double sum = add_group(own, sums);
  if (get_local_id(0) == 0) partial[get_group_id(0)] = sum;
}`;

using queue = new Queue();
const module = build(createWithSource(queue.getContext(), SOURCE));
const samples = mallocShared(Float32Array, SAMPLES, queue);
const result = mallocShared(Float64Array, 1, queue);
let seed = 1;
const values = samples.view(SAMPLES);
for (let i = 0; i < SAMPLES; i++) {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  values[i] = seed / 2 ** 32 + (i % 7);
}

const launch = ndRange(range(SAMPLES / PER_ITEM), range(GROUP));
const sums = new LocalAccessor(Float64Array, GROUP);
const sum = reduction(result, 0, plus, { scope: "groups", initializeToIdentity: true });
const began = performance.now();
await queue.parallelFor(launch, module.getKernel("total"), samples, sum, sums);
const mean = (result.view(1)[0] ?? 0) / SAMPLES;
await queue.parallelFor(launch, module.getKernel("squares"), samples, mean, sum, sums);
const deviation = Math.sqrt((result.view(1)[0] ?? 0) / SAMPLES);
const taken = performance.now() - began;

let [expectedSum, expectedSquares] = [0, 0];
for (const value of values) expectedSum += value;
const expectedMean = expectedSum / SAMPLES;
for (const value of values) expectedSquares += (value - expectedMean) ** 2;
const expectedDeviation = Math.sqrt(expectedSquares / SAMPLES);
for (const [name, found, wanted] of [
  ["mean", mean, expectedMean],
  ["deviation", deviation, expectedDeviation],
] as const)
  if (Math.abs(found - wanted) > 1e-9 * wanted)
    throw new Error(`the ${name} is ${found}, and ${wanted} in plain TypeScript`);
console.log(`${SAMPLES} samples in ${taken.toFixed(0)} ms: mean ${mean.toFixed(6)}, deviation ${deviation.toFixed(6)}`);
free(samples, queue);
free(result, queue);
