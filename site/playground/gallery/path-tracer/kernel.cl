// SPDX-License-Identifier: Apache-2.0
// Path tracing: light goes back along random ways from the eye to the sky. Each frame adds one way to each pixel.
constant int SPHERES = 7;

float draw(uint* state) {
  *state = *state * 747796405u + 2891336453u;
  uint word = ((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737u;
  return (((word >> 22) ^ word) >> 8) / 16777216.0f;
}

float3 onSphere(uint* state) {
  float z = 2 * draw(state) - 1, angle = 6.2831853f * draw(state), r = sqrt(max(0.0f, 1 - z * z));
  return (float3)(r * cos(angle), r * sin(angle), z);
}

// A large mirror in the middle, small ones of colour about it. The radius is w.
float4 sphere(int i) {
  float angle = 1.0471976f * i;
  return i == 0 ? (float4)(0, 1, 0, 1) : (float4)(2 * cos(angle), 0.5f, 2 * sin(angle), 0.5f);
}

float3 sky(float3 to, float sun) {
  float glow = pow(max(0.0f, dot(to, (float3)(0.48f, 0.6f, 0.64f))), 40.0f);
  return mix((float3)(0.9f, 0.75f, 0.65f), (float3)(0.2f, 0.4f, 0.9f), max(0.0f, to.y)) +
         sun * glow * (float3)(1, 0.8f, 0.5f);
}

kernel void trace(global float4* sum, global uchar4* picture, float turn, float sun, float rough, int bounces) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  float4 old = sum[y * width + x];
  uint state = (y * width + x) * 9781u + (uint)old.w * 26699u + 1u;
  float across = (2 * (x + draw(&state)) - width) / height, up = (height - 2 * (y + draw(&state))) / height;
  float3 ahead = (float3)(sin(turn), 0, cos(turn)), right = (float3)(cos(turn), 0, -sin(turn));
  float3 from = (float3)(0, 2, 0) - 6 * ahead;
  float3 to = normalize(1.9f * ahead + across * right + (float3)(0, up - 0.4f, 0));
  float3 weight = 1, light = 0;
  for (int bounce = 0; bounce < bounces; bounce++) {
    float nearest = to.y < -1e-4f ? -from.y / to.y : 1e9f;
    int hit = -1;
    for (int i = 0; i < SPHERES; i++) {
      float3 away = from - sphere(i).xyz;
      float b = dot(away, to), root = b * b - dot(away, away) + sphere(i).w * sphere(i).w;
      float t = -b - sqrt(max(root, 0.0f));
      if (root > 0 && t > 1e-3f && t < nearest) nearest = t, hit = i;
    }
    if (nearest > 1e3f) {
      light = weight * sky(to, sun);
      break;
    }
    from += nearest * to;
    float3 normal = hit < 0 ? (float3)(0, 1, 0) : (from - sphere(hit).xyz) / sphere(hit).w;
    float3 any = onSphere(&state);
    if (hit == 0) {
      to = normalize(to - 2 * dot(to, normal) * normal + rough * any);
      weight *= 0.9f;
    } else {
      int isDark = ((int)floor(from.x) + (int)floor(from.z)) & 1;
      weight *= hit < 0 ? (float3)(isDark ? 0.25f : 0.8f) : 0.55f + 0.4f * cos(hit + (float3)(0, 2, 4));
      to = normalize(normal + 0.999f * any);
    }
    from += 2e-3f * normal;
  }
  float4 now = old + (float4)(light, 1);
  sum[y * width + x] = now;
  picture[y * width + x] = (uchar4)(convert_uchar3_sat(255 * sqrt(min(now.xyz / now.w, 1.0f))), 255);
}
