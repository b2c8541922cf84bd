// SPDX-License-Identifier: Apache-2.0
// Where everybody begins: a x + y, one element for each work-item.
kernel void saxpy(global const float* x, global const float* y, global float* result, float a) {
  int i = get_global_id(0);
  result[i] = a * x[i] + y[i];
}
