// SPDX-License-Identifier: Apache-2.0
// The mean of each element and its neighbours; the ends have one neighbour.
kernel void blur(global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  float sum = in[i];
  int count = 1;
  if (i > 0) {
    sum += in[i - 1];
    count++;
  }
  if (i < n - 1) {
    sum += in[i + 1];
    count++;
  }
  out[i] = sum / count;
}
