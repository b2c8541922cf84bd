// SPDX-License-Identifier: Apache-2.0
// A flock (Reynolds, 1987): each bird keeps away from near ones, flies as its neighbours do, and stays with them.
kernel void place(global float4* from) {
  uint h = (get_global_id(0) + 1) * 2654435761u, g = (h ^ h >> 15) * 2246822519u;
  float angle = (g >> 8) / 2670176.0f;
  from[get_global_id(0)] = (float4)(h >> 22, (h >> 12 & 1023) * 0.6f, cos(angle), sin(angle));
}

kernel void steer(global const float4* from, global float4* to, float apart, float along, float together,
                  float4 pointer) {
  int i = get_global_id(0), count = get_global_size(0), near = 0;
  float2 at = from[i].xy, go = from[i].zw, push = 0, sum = 0, speeds = 0;
  for (int j = 0; j < count; j++) {
    float4 other = from[j];
    float2 away = at - other.xy;
    float far = dot(away, away);
    if (far < 2000) near++, sum += other.xy, speeds += other.zw;
    if (far < 160 && j != i) push += away / (far + 1);
  }
  float2 scare = at - pointer.xy * (float2)(1024, 614);
  go += 0.35f * apart * push + 0.05f * along * (speeds / near - go) + 0.0012f * together * (sum / near - at);
  if (dot(scare, scare) < 6000) go += 20 * scare / (dot(scare, scare) + 20);
  // Walls push back.
  go.x += at.x < 60 ? 0.12f : at.x > 964 ? -0.12f : 0;
  go.y += at.y < 60 ? 0.12f : at.y > 554 ? -0.12f : 0;
  float speed = length(go);
  go *= clamp(speed, 1.6f, 3.6f) / max(speed, 0.01f);
  to[i] = (float4)(clamp(at + go, (float2)(0), (float2)(1023, 613)), go);
}

kernel void fade(global uchar4* picture, float trail) {
  int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  float3 ground = (float3)(14, 18, 32) + get_global_id(1) * (float3)(0.04f, 0.03f, 0.06f);
  picture[i] = (uchar4)(convert_uchar3_sat(mix(ground, convert_float3(picture[i].xyz), trail)), 255);
}

kernel void draw(global const float4* from, global uchar4* picture) {
  float4 bird = from[get_global_id(0)];
  float2 go = bird.zw / length(bird.zw), side = (float2)(-go.y, go.x), at = bird.xy * 0.625f;
  float3 color = 0.62f + 0.38f * cos(atan2(go.y, go.x) + (float3)(0, 2.1f, 4.2f));
  for (int along = -4; along <= 4; along++)
    for (int across = -2; across <= 2; across++) {
      if (abs(across) * 4 > 6 - along) continue;
      int2 pixel = convert_int2(at + along * go + 0.7f * across * side);
      if (pixel.x >= 0 && pixel.x < 640 && pixel.y >= 0 && pixel.y < 384)
        picture[pixel.y * 640 + pixel.x] = (uchar4)(convert_uchar3_sat(255 * color), 255);
    }
}
