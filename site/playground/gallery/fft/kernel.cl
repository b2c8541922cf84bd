// SPDX-License-Identifier: Apache-2.0
// A picture without its slow or its quick waves, by the fast Fourier transform (Stockham's, radix 2).
kernel void load(global const uchar4* photo, global float2* from) {
  int i = get_global_id(1) * 256 + get_global_id(0);
  float3 color = convert_float3(photo[i].xyz) / 255;
  from[i] = (float2)(dot(color, (float3)(0.3f, 0.59f, 0.11f)), 0);
}

// One of eight passes along rows (axis 0) or columns (axis 1); sign 1 is the way back.
kernel void pass(global const float2* from, global float2* to, int step, int axis, float sign) {
  int j = get_global_id(0), line = get_global_id(1), k = j & (step - 1), out = 2 * (j - k) + k;
  int next = axis ? 256 : 1, base = axis ? line : 256 * line;
  float angle = sign * 3.14159265f * k / step;
  float2 a = from[base + j * next], b = from[base + (j + 128) * next];
  float2 turned = (float2)(b.x * cos(angle) - b.y * sin(angle), b.x * sin(angle) + b.y * cos(angle));
  to[base + out * next] = a + turned;
  to[base + (out + step) * next] = a - turned;
}

// Keeps the waves from low to high. Quick ones are in the middle of the transform.
kernel void keep(global float2* from, global float* spectrum, float low, float high) {
  int x = get_global_id(0), y = get_global_id(1), i = y * 256 + x;
  float quick = hypot((float)(x < 128 ? x : 256 - x), (float)(y < 128 ? y : 256 - y));
  float kept = smoothstep(low - 1.5f, low + 0.5f, quick) * (1 - smoothstep(high - 0.5f, high + 1.5f, quick));
  spectrum[i] = log(1 + length(from[i])) * (0.25f + 0.75f * kept);
  from[i] *= kept / 65536;
}

kernel void draw(global const float2* from, global const float* spectrum, global uchar4* picture, float low) {
  int x = get_global_id(0), y = get_global_id(1);
  float light;
  float3 color;
  if (x < 256) {
    light = spectrum[(y + 128) % 256 * 256 + (x + 128) % 256] / 8;
    color = (float3)(light * light * 1.2f, light * light * light, 0.15f + 0.5f * light);
  } else
    color = from[y * 256 + x - 256].x + (low > 0.5f ? 0.35f : 0);
  picture[y * 512 + x] = (uchar4)(convert_uchar3_sat(255 * color), 255);
}
