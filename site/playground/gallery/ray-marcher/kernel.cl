// SPDX-License-Identifier: Apache-2.0
// A Julia set of quaternions, seen by walking along rays: the distance to it says how far a step may go.
float distance_to(float3 at, float4 c) {
  float4 z = (float4)(at, 0);
  float slope = 1, far = dot(z, z);
  for (int i = 0; i < 9 && far < 16; i++) {
    slope *= 4 * far;
    z = (float4)(z.x * z.x - z.y * z.y - z.z * z.z - z.w * z.w, 2 * z.x * z.yzw) + c;
    far = dot(z, z);
  }
  return 0.25f * log(far) * sqrt(far / slope);
}

kernel void march(global uchar4* picture, float4 c, float2 orbit, float seconds) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  float across = (2 * x - width) / (float)height, up = (height - 2 * y) / (float)height;
  float turn = orbit.x + 0.2f * seconds, lift = orbit.y;
  float3 ahead = (float3)(sin(turn) * cos(lift), -sin(lift), cos(turn) * cos(lift));
  float3 right = (float3)(cos(turn), 0, -sin(turn)), above = cross(ahead, right);
  float3 to = normalize(2 * ahead + across * right + up * above), from = -3 * ahead;
  float3 color = mix((float3)(0.05f, 0.06f, 0.09f), (float3)(0.16f, 0.18f, 0.24f), 0.5f + 0.5f * to.y);
  float4 now = c + 0.06f * (float4)(sin(0.7f * seconds), cos(0.5f * seconds), sin(0.3f * seconds), 0);
  // The set is in a ball of radius 1.6.
  float b = dot(from, to), root = b * b - dot(from, from) + 2.56f;
  float t = -b - sqrt(max(root, 0.0f)), end = root > 0 ? -b + sqrt(root) : 0;
  int steps = 0;
  for (; t < end && steps < 70; steps++) {
    float free = distance_to(from + t * to, now);
    if (free < 0.0015f) break;
    t += free;
  }
  if (t < end && steps < 70) {
    float3 at = from + t * to, normal;
    float e = 0.002f;
    normal.x = distance_to(at + (float3)(e, 0, 0), now) - distance_to(at - (float3)(e, 0, 0), now);
    normal.y = distance_to(at + (float3)(0, e, 0), now) - distance_to(at - (float3)(0, e, 0), now);
    normal.z = distance_to(at + (float3)(0, 0, e), now) - distance_to(at - (float3)(0, 0, e), now);
    normal = normalize(normal);
    float3 sun = normalize(right + 1.3f * above - 0.8f * ahead);
    float direct = max(0.0f, dot(normal, sun)), open = 1;
    float far = 0.03f;
    for (int i = 0; i < 10; i++) {
      float free = distance_to(at + far * sun, now);
      open = min(open, max(0.0f, 10 * free / far));
      far += clamp(free, 0.02f, 0.2f);
    }
    float hollow = 1 - steps / 70.0f, edge = pow(1 + dot(normal, to), 3.0f);
    float3 own = 0.55f + 0.45f * cos(3 * length(at) + (float3)(0, 0.9f, 1.8f) + 0.8f * normal);
    color = hollow * (own * (0.34f + 0.9f * direct * open) + 0.25f * edge) +
            0.6f * open * pow(max(0.0f, dot(normal, normalize(sun - to))), 60.0f);
  }
  picture[y * width + x] = (uchar4)(convert_uchar3_sat(255 * sqrt(max(color, 0.0f))), 255);
}
