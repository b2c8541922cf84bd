// SPDX-License-Identifier: Apache-2.0
// A program of `native-start.test.ts`: single launches of kernels with all that other code has to take over, and what
// they computed and printed. Whether machine code was loaded is told last.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { openDeviceSync } from "muxkit";

const SOURCE = `
kernel void sums(global const int *in, global int *out, local int *shared_part) {
  local int own[64];
  int l = get_local_id(0), n = get_local_size(0);
  own[l] = in[get_global_id(0)];
  shared_part[l] = own[l] * 3;
  for (int step = n / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = l < step ? own[l + step] + shared_part[l + step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    own[l] += other;
    shared_part[l] += other;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[0] ^ (shared_part[0] + l);
}
kernel void tables(global uint *out, uint seed) {
  uint table[37];
  for (uint i = 0; i < 37; i++) table[i] = i * seed + (uint)get_global_id(0);
  uint at = (uint)get_global_id(0);
  for (uint i = 0; i < 50; i++) {
    at = (at * 1103515245u + 12345u) % 37u;
    table[at] ^= table[(at + i) % 37u] >> 3;
  }
  out[get_global_id(0)] = table[at];
}
kernel void says(global int *out) {
  size_t g = get_global_id(0);
  if (g % 16 == 3) printf("item %d of group %d: %v4d\\n", (int)g, (int)get_group_id(0), (int4)((int)g, 1, 2, 3));
  out[g] = (int)g;
}
kernel void count(global uint *bins, global const uint *in) {
  atomic_inc(&bins[in[get_global_id(0)] % 7u]);
}
kernel void plane(global float *out, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  float a = x * 0.25f, b = y * 0.5f;
  for (int i = 0; i < 20; i++) { float c = a * a - b * b + 0.1f; b = 2.0f * a * b * 0.01f + 0.2f; a = c * 0.01f; }
  out[y * width + x] = native_exp(a) + b;
}`;

const ITEMS = 2 ** 14;
const device = openDeviceSync();
const program = device.build(SOURCE);
const results: Record<string, string> = {};
function note(name: string, values: ArrayBufferView): void {
  results[name] = createHash("sha256")
    .update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    .digest("hex");
}

const input = device.array(Int32Array.from({ length: ITEMS }, (_, i) => (i * 7919) % 1000));
const out = device.array(new Int32Array(ITEMS));
program["sums"]?.({ global: ITEMS, local: 64 }, input, out, { localBytes: 256 });
note("sums", out.readSync());
const words = device.array(new Uint32Array(ITEMS));
program["tables"]?.({ global: ITEMS, local: 32 }, words, 77);
note("tables", words.readSync());
program["says"]?.({ global: 512, local: 16 }, out);
note("says", out.readSync());
const bins = device.array(new Uint32Array(8));
program["count"]?.({ global: ITEMS, local: 64 }, bins, words);
note("count", bins.readSync());
const floats = device.array(new Float32Array(ITEMS));
program["plane"]?.({ global: [128, 128], local: [16, 4] }, floats, 128);
note("plane", floats.readSync());
device.close();
const isLoaded = /\/bridge-[\da-f]+\.node$/mu.test(readFileSync("/proc/self/maps", "utf8"));
console.log(JSON.stringify({ results, isLoaded }));
