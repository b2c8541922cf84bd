// SPDX-License-Identifier: Apache-2.0
// construct: transposes between passes, twiddles in a table, filters in the frequency domain

float2 product(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

#define BUTTERFLY(a, b) { float2 t = a; a = t + b; b = t - b; }

kernel void fft_rows_of_256(global float2 *data, constant float2 *twiddles, int inverse) {
  local float2 row[256];
  int x = get_local_id(0);
  global float2 *own = data + get_group_id(0) * 256;
  for (int i = x; i < 256; i += get_local_size(0)) {
    int r = ((i & 0x55) << 1) | ((i & 0xaa) >> 1);
    r = ((r & 0x33) << 2) | ((r & 0xcc) >> 2);
    row[((r & 0x0f) << 4) | (r >> 4)] = own[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = 1; half_size < 256; half_size <<= 1) {
    for (int i = x; i < 128; i += get_local_size(0)) {
      int k = i & (half_size - 1), at = ((i - k) << 1) + k;
      float2 w = twiddles[k * (128 / half_size)];
      w.y = inverse ? -w.y : w.y;
      float2 a = row[at], b = product(row[at + half_size], w);
      BUTTERFLY(a, b)
      row[at] = a;
      row[at + half_size] = b;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = x; i < 256; i += get_local_size(0))
    own[i] = inverse ? row[i] / 256.0f : row[i];
}

kernel void pass_low(global float2 *spectrum, int width, int height, float limit) {
  int x = get_global_id(0), y = get_global_id(1);
  float fx = x < width / 2 ? x : x - width, fy = y < height / 2 ? y : y - height;
  spectrum[y * width + x] *= exp(-(fx * fx + fy * fy) / (2 * limit * limit));
}

kernel void magnitudes(global const float2 *spectrum, global float *out, int n) {
  int i = get_global_id(0);
  if (i < n)
    out[i] = log1p(hypot(spectrum[i].x, spectrum[i].y)) + atan2pi(spectrum[i].y, spectrum[i].x);
}

kernel void chirp(global double2 *out, double rate, int n) {
  int i = get_global_id(0);
  double c, s = sincos(M_PI * rate * i * i / n, &c);
  out[i] = (double2)(c, -s);
}
