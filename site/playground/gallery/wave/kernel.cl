// SPDX-License-Identifier: Apache-2.0
// Waves on water: the height of each place follows the heights around it. Rain falls, and the pointer stirs.
kernel void wave(global const float* now, global float* before, float damping, int rain, int frame, float4 pointer) {
  int x = get_global_id(0), y = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1), i = y * width + x;
  float around = now[max(x - 1, 0) + y * width] + now[min(x + 1, width - 1) + y * width] +
                 now[max(y - 1, 0) * width + x] + now[min(y + 1, height - 1) * width + x];
  float next = (0.5f * around - before[i]) * damping;
  uint drop = frame / max(rain, 1) * 2654435761u;
  float2 place = (float2)(drop % 997 / 997.0f, drop / 997 % 991 / 991.0f);
  float2 fall = (float2)(x, y) - place * (float2)(width, height);
  if (rain > 0 && frame % rain == 0 && dot(fall, fall) < 60) next -= 1.2f;
  float2 away = (float2)(x, y) - pointer.xy * (float2)(width, height);
  if (dot(away, away) < 80) next -= 0.25f;
  before[i] = next;
}

kernel void draw(global const float* now, global uchar4* picture) {
  int x = get_global_id(0), y = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1);
  float dx = now[y * width + min(x + 1, width - 1)] - now[y * width + max(x - 1, 0)];
  float dy = now[min(y + 1, height - 1) * width + x] - now[max(y - 1, 0) * width + x];
  int column = (int)(x + 22 * dx + 4000) / 32, row = (int)(y + 22 * dy + 4000) / 32;
  float tile = (column + row) % 2 == 0 ? 0.55f : 0.42f;
  float light = 0.9f - 1.1f * dx - 0.8f * dy, shine = clamp(-1.6f * (dx + dy) - 0.5f, 0.0f, 1.0f);
  float3 color = (float3)(0.25f, 0.75f, 1.05f) * tile * light + shine * shine;
  picture[y * width + x] = (uchar4)(convert_uchar3_sat(255 * color), 255);
}
