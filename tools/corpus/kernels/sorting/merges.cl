// SPDX-License-Identifier: Apache-2.0
// construct: merges by binary search, odd-even exchanges, comparators by macros

#define LESS(a, b) ((a).x < (b).x || ((a).x == (b).x && (a).y < (b).y))

int rank_in(global const int2 *sorted, int n, int2 value) {
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) >> 1;
    if (LESS(sorted[middle], value))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

kernel void merge_pairs(global const int2 *in, global int2 *out, int run) {
  int i = get_global_id(0), pair = i / (2 * run), inside = i % (2 * run), is_right = inside >= run;
  global const int2 *other = in + pair * 2 * run + (is_right ? 0 : run);
  out[pair * 2 * run + inside % run + rank_in(other, run, in[i])] = in[i];
}

kernel void odd_even(global float *keys, int phase, int n) {
  int i = 2 * get_global_id(0) + phase;
  if (i + 1 < n && keys[i] > keys[i + 1]) {
    float t = keys[i];
    keys[i] = keys[i + 1];
    keys[i + 1] = t;
  }
}

kernel void insertion(global short *rows, int n) {
  global short *row = rows + get_global_id(0) * n;
  for (int i = 1; i < n; i++) {
    short key = row[i];
    int j = i - 1;
    while (j >= 0 && row[j] > key) {
      row[j + 1] = row[j];
      --j;
    }
    row[j + 1] = key;
  }
}

kernel void largest_four(global const float *in, global float4 *out, int n) {
  float4 best = -INFINITY;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    float v = in[i];
    int4 less = best < v;
    best = less.x ? (float4)(v, best.xyz) : less.y ? (float4)(best.x, v, best.yz) : less.z ? (float4)(best.xy, v,
        best.z) : less.w ? (float4)(best.xyz, v) : best;
  }
  out[get_global_id(0)] = best;
}
