// SPDX-License-Identifier: Apache-2.0
// construct: a cosine transform of 8 by 8 by private arrays, tables of constants, quantisation

constant float cosines[8][8] = {
    {0.3536f, 0.3536f, 0.3536f, 0.3536f, 0.3536f, 0.3536f, 0.3536f, 0.3536f},
    {0.4904f, 0.4157f, 0.2778f, 0.0975f, -0.0975f, -0.2778f, -0.4157f, -0.4904f},
    {0.4619f, 0.1913f, -0.1913f, -0.4619f, -0.4619f, -0.1913f, 0.1913f, 0.4619f},
    {0.4157f, -0.0975f, -0.4904f, -0.2778f, 0.2778f, 0.4904f, 0.0975f, -0.4157f},
    {0.3536f, -0.3536f, -0.3536f, 0.3536f, 0.3536f, -0.3536f, -0.3536f, 0.3536f},
    {0.2778f, -0.4904f, 0.0975f, 0.4157f, -0.4157f, -0.0975f, 0.4904f, -0.2778f},
    {0.1913f, -0.4619f, 0.4619f, -0.1913f, -0.1913f, 0.4619f, -0.4619f, 0.1913f},
    {0.0975f, -0.2778f, 0.4157f, -0.4904f, 0.4904f, -0.4157f, 0.2778f, -0.0975f}};
constant uchar zigzag[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
                             41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
                             30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void transform(global const uchar *image, global short *out, constant ushort *quantiser, int pitch) {
  local float a[8][8], b[8][8];
  int x = get_local_id(0), y = get_local_id(1);
  a[y][x] = (float)image[get_global_id(1) * pitch + get_global_id(0)] - 128.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int k = 0; k < 8; k++)
    sum += a[y][k] * cosines[x][k];
  b[y][x] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0;
  for (int k = 0; k < 8; k++)
    sum += b[k][x] * cosines[y][k];
  int at = y * 8 + x;
  out[(get_group_id(1) * get_num_groups(0) + get_group_id(0)) * 64 +
      zigzag[at]] = convert_short_sat_rte(sum / quantiser[at]);
}

kernel void sums_of_differences(global const uchar *now, global const uchar *before, global ushort *sums, int pitch,
    int range) {
  int bx = get_global_id(0) * 8, by = get_global_id(1) * 8;
  for (int dy = -range; dy <= range; dy++)
    for (int dx = -range; dx <= range; dx++) {
      ushort sum = 0;
      for (int y = 0; y < 8; y++) {
        uchar8 a = vload8(0, now + (by + y) * pitch + bx), b = vload8(0, before + (by + y + dy) * pitch + bx + dx);
        ushort8 d = convert_ushort8(abs_diff(a, b));
        sum += d.s0 + d.s1 + d.s2 + d.s3 + d.s4 + d.s5 + d.s6 + d.s7;
      }
      sums[((by / 8 * get_global_size(0) + bx / 8) * (2 * range + 1) + dy + range) * (2 * range + 1) + dx +
          range] = sum;
    }
}
