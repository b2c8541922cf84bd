// SPDX-License-Identifier: Apache-2.0
// construct: colour filters by parity, local tiles with a border, 10-bit data packed in bytes

#define COLOUR(filters, x, y) (((filters) >> ((((y) << 1 & 14) | ((x) & 1)) << 1)) & 3)

kernel void interpolate(global const ushort *raw, global float4 *out, uint filters, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  float sums[4] = {0};
  int counts[4] = {0};
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) {
      int sx = x + i, sy = y + j;
      if (sx < 0 || sy < 0 || sx >= width || sy >= height)
        continue;
      int c = COLOUR(filters, sx, sy);
      sums[c] += raw[sy * width + sx];
      counts[c]++;
    }
  float4 p;
  p.x = sums[0] / counts[0];
  p.y = (sums[1] + sums[3]) / (counts[1] + counts[3]);
  p.z = sums[2] / counts[2];
  p.w = 0;
  out[y * width + x] = p / 65535.0f;
}
kernel void unpack_ten_bits(global const uchar *packed, global ushort4 *out) {
  size_t i = get_global_id(0);
  global const uchar *p = packed + i * 5;
  out[i] = (convert_ushort4(vload4(0, p)) << (ushort4)2) | ((ushort4)(p[4]) >> (ushort4)(0, 2, 4, 6) & (ushort4)3);
}
kernel void yuv_to_rgb(global const uchar *y, global const uchar2 *uv, global uchar4 *rgb, int pitch) {
  int px = get_global_id(0), py = get_global_id(1);
  int c = 298 * (y[py * pitch + px] - 16), d = uv[(py / 2) * pitch / 2 + px / 2].x - 128, e = uv[(py / 2) * pitch / 2 +
      px / 2].y - 128;
  int4 v = (int4)(c + 409 * e, c - 100 * d - 208 * e, c + 516 * d, 255 << 8) + 128;
  rgb[py * pitch + px] = convert_uchar4_sat(v >> 8);
}
