// SPDX-License-Identifier: Apache-2.0
// construct: lifting steps on rows and columns with local memory that is indexed in two ways

#define LIFT(buffer, i, a, n) buffer[i] += a * (buffer[(i) - 1] + buffer[min((i) + 1, (n) - 1)])

kernel void lift_rows(global float *data, int width, local float *row) {
  int y = get_group_id(0);
  for (int x = get_local_id(0); x < width; x += get_local_size(0))
    row[x] = data[y * width + x];
  const float steps[] = {-1.586134342f, -0.05298011854f, 0.8829110762f, 0.4435068522f};
  for (int s = 0; s < 4; s++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int x = 2 * get_local_id(0) + 1 + (s & 1); x < width; x += 2 * get_local_size(0))
      LIFT(row, x, steps[s], width);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int x = get_local_id(0); x < width; x += get_local_size(0)) {
    int to = x & 1 ? width / 2 + x / 2 : x / 2;
    data[y * width + to] = row[x] * (x & 1 ? 1.1496043f : 0.8698644f);
  }
}

kernel void haar_columns(global const short *in, global short *out, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || 2 * y + 1 >= height)
    return;
  short a = in[2 * y * width + x], b = in[(2 * y + 1) * width + x];
  out[y * width + x] = (a + b) >> 1;
  out[(height / 2 + y) * width + x] = a - b;
}

kernel void shift_components(global const uchar *rgb, global int *r, global int *g, global int *b, int n) {
  local uchar bytes[256 * 3];
  int base = get_group_id(0) * 256, x = get_local_id(0);
  for (int i = x; i < 256 * 3 && base * 3 + i < n * 3; i += get_local_size(0))
    bytes[i] = rgb[base * 3 + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (base + x < n) {
    r[base + x] = (int)bytes[3 * x] - 128;
    g[base + x] = (int)bytes[3 * x + 1] - 128;
    b[base + x] = (int)bytes[3 * x + 2] - 128;
  }
}
