// SPDX-License-Identifier: Apache-2.0
// Kernel files of any length, for measuring how compile times grow: what kernels do, over and over under new names.

/** A kernel and the function that it calls, 32 lines. */
function part(n: number): readonly string[] {
  return `float helper${n}(float a, float b, int n) {
  float s = a;
  for (int i = 0; i < n; i++) {
    if (s > b) s = s * 0.5f + a;
    else s += b * (float)i;
  }
  return s;
}
kernel void k${n}(global const float* x, global float* y, global int* z, int n, local float* t) {
  int i = get_global_id(0);
  int l = get_local_id(0);
  if (i >= n) return;
  float a[4];
  for (int j = 0; j < 4; j++) a[j] = x[i * 4 + j];
  float sum = 0.0f;
  for (int j = 0; j < n; ++j) {
    float d = x[j] - a[j & 3];
    sum += d * d;
    if (d < 0.0f) continue;
    z[i] += j;
  }
  t[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 v = (float4)(sum, a[0], a[1], t[l ^ 1]);
  v = v * 2.0f + (float4)(1.0f);
  switch (z[i] & 3) {
    case 0: sum += v.x; break;
    case 1: sum -= v.y; break;
    default: sum *= v.w;
  }
  y[i] = helper${n}(sum, v.z, n) + max(a[2], a[3]);
}`.split("\n");
}

/** A file of kernels, about as many lines as are requested. */
export function generateKernels(lines: number): string {
  const parts = Array.from({ length: Math.max(1, Math.round(lines / 32)) }, (_, n) => part(n));
  return `${parts.flat().join("\n")}\n`;
}
