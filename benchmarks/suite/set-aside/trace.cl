// Rays and trees.

// Nearest of some points by a tree over the unit square: each half of a cell is halved again, along the other axis; a
// leaf holds one point, which lies in it. Halves to look at lie on a private stack, those that are too far are passed.
kernel void kd_nearest(uint levels, global const float2 *jitter, global const float2 *queries, global float *nearest) {
  uint q = get_global_id(0);
  float2 p = queries[q];
  float best = 4.0f;
  uint level[32], column[32], row[32];
  int top = 0;
  level[0] = column[0] = row[0] = 0u;
  while (top >= 0) {
    uint l = level[top], x = column[top], y = row[top];
    top--;
    float width = 1.0f / (float)(1u << ((l + 1u) / 2u)), height = 1.0f / (float)(1u << (l / 2u));
    float dx = fmax(fmax((float)x * width - p.x, p.x - (float)(x + 1u) * width), 0.0f);
    float dy = fmax(fmax((float)y * height - p.y, p.y - (float)(y + 1u) * height), 0.0f);
    if (dx * dx + dy * dy >= best) continue;
    if (l == levels) {
      float2 at = ((float2)((float)x, (float)y) + jitter[(y << ((l + 1u) / 2u)) + x]) * (float2)(width, height) - p;
      best = fmin(best, at.x * at.x + at.y * at.y);
      continue;
    }
    // The half that is nearer comes off the stack first.
    bool alongX = (l & 1u) == 0u;
    float middle = alongX ? ((float)x + 0.5f) * width : ((float)y + 0.5f) * height;
    uint nearer = (alongX ? p.x : p.y) >= middle ? 1u : 0u;
    for (uint k = 0; k < 2u; k++) {
      uint side = k == 0u ? 1u - nearer : nearer;
      top++;
      level[top] = l + 1u;
      column[top] = alongX ? 2u * x + side : x;
      row[top] = alongX ? y : 2u * y + side;
    }
  }
  nearest[q] = best;
}

// Spheres in front of a sky; a ray that hits one goes on in its mirror, up to four times.
kernel void ray_spheres(int width, int height, int n, constant float4 *spheres, global float4 *picture) {
  int x = get_global_id(0), y = get_global_id(1);
  float3 from = (float3)(0.5f, 0.5f, -2.0f);
  float3 along = normalize((float3)(((float)x + 0.5f) / (float)width - 0.5f, ((float)y + 0.5f) / (float)height - 0.5f, 1.5f));
  float light = 0.0f, share = 1.0f;
  for (int bounce = 0; bounce < 4; bounce++) {
    float best = INFINITY;
    int hit = -1;
    for (int s = 0; s < n; s++) {
      float3 to = spheres[s].xyz - from;
      float radius = 0.02f + 0.1f * spheres[s].w, b = dot(to, along), d = b * b - dot(to, to) + radius * radius;
      if (d <= 0.0f) continue;
      float t = b - sqrt(d);
      if (t > 1e-3f && t < best) {
        best = t;
        hit = s;
      }
    }
    if (hit < 0) {
      light += share * (0.5f + 0.5f * along.y);
      break;
    }
    from += best * along;
    float3 normal = normalize(from - spheres[hit].xyz);
    light += share * 0.3f * fmax(dot(normal, (float3)(0.577f, 0.577f, -0.577f)), 0.0f);
    share *= 0.6f;
    along -= 2.0f * dot(along, normal) * normal;
  }
  picture[y * width + x] = (float4)(light, share, along.x, along.z);
}
