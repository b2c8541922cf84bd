// SPDX-License-Identifier: Apache-2.0
// What a user's first program looks like, installed from the tarballs: scripts/check-packages.ts type-checks it and
// runs it.
import { OpenCLError, openDevice } from "muxkit";
import { clGetPlatformIDs, clGetPlatformInfo } from "muxkit/opencl";

const device = await openDevice({ threads: 2 });
const { saxpy } = device.build(`
  kernel void saxpy(global float* y, global const float* x, float a) {
    size_t i = get_global_id(0);
    y[i] += a * x[i];
  }`);
const count = 1 << 20;
const x = device.array(Float32Array.from({ length: count }, (_, i) => i % 1000));
const y = device.array(Float32Array, count);
for (let round = 0; round < 20; round++) saxpy(count, y, x, 0.5);
const result = await y.read();
if (!result.every((value, i) => value === 10 * (i % 1000))) throw new Error("saxpy gave wrong values");

let message = "";
try {
  device.build("kernel void broken(global float* x) { x[0] = ; }");
} catch (error) {
  if (!(error instanceof OpenCLError)) throw error;
  message = error.message;
}
if (!message.includes("error:")) throw new Error(`a broken kernel gave no diagnostic but "${message}"`);
const [platform] = clGetPlatformIDs();
if (platform === undefined) throw new Error("there is no platform");
console.log(`${clGetPlatformInfo(platform, "CL_PLATFORM_VERSION")}: ${device.threads} threads, right`);
device.close();
