// SPDX-License-Identifier: Apache-2.0
// Smoke by the method of stable fluids (Stam, 1999): what flows is carried along, then made free of sources.
kernel void stir(global float2* flow, global float4* ink, float4 pointer, float force, int frame) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), i = y * width + x;
  float2 away = ((float2)(x, y) - pointer.xy * (float2)(width, get_global_size(1))) / 11;
  float near = exp(-dot(away, away));
  flow[i] += near * force * width * pointer.zw;
  float3 color = 0.5f + 0.5f * cos(0.02f * frame + (float3)(0, 2, 4));
  if (length(pointer.zw) > 0) ink[i] += 0.35f * near * (float4)(color, 1);
}

// Where the flow comes from that arrives here.
float2 origin(global const float2* flow) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  float2 most = (float2)(width - 1.01f, get_global_size(1) - 1.01f);
  return clamp((float2)(x, y) - flow[y * width + x], (float2)(0), most);
}

kernel void carry_flow(global const float2* flow, global float2* nextFlow) {
  int width = get_global_size(0);
  float2 from = origin(flow), t = from - floor(from);
  int i = (int)from.y * width + (int)from.x;
  float2 found = mix(mix(flow[i], flow[i + 1], t.x), mix(flow[i + width], flow[i + width + 1], t.x), t.y);
  nextFlow[get_global_id(1) * width + get_global_id(0)] = 0.999f * found;
}

kernel void carry_ink(global const float2* flow, global const float4* ink, global float4* nextInk, float fade) {
  int width = get_global_size(0);
  float2 from = origin(flow), t = from - floor(from);
  int i = (int)from.y * width + (int)from.x;
  float4 found = mix(mix(ink[i], ink[i + 1], t.x), mix(ink[i + width], ink[i + width + 1], t.x), t.y);
  nextInk[get_global_id(1) * width + get_global_id(0)] = fade * found;
}

kernel void diverge(global const float2* flow, global float* sources) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  float across = flow[y * width + min(x + 1, width - 1)].x - flow[y * width + max(x - 1, 0)].x;
  float down = flow[min(y + 1, height - 1) * width + x].y - flow[max(y - 1, 0) * width + x].y;
  sources[y * width + x] = 0.5f * (across + down);
}

kernel void relax(global const float* sources, global const float* pressure, global float* nextPressure) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  float around = pressure[y * width + min(x + 1, width - 1)] + pressure[y * width + max(x - 1, 0)] +
                 pressure[min(y + 1, height - 1) * width + x] + pressure[max(y - 1, 0) * width + x];
  nextPressure[y * width + x] = 0.25f * (around - sources[y * width + x]);
}

kernel void project(global float2* flow, global const float* pressure) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  float across = pressure[y * width + min(x + 1, width - 1)] - pressure[y * width + max(x - 1, 0)];
  float down = pressure[min(y + 1, height - 1) * width + x] - pressure[max(y - 1, 0) * width + x];
  int isEdge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  flow[y * width + x] = isEdge ? 0 : flow[y * width + x] - 0.5f * (float2)(across, down);
}

kernel void draw(global const float4* ink, global uchar4* picture) {
  int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  float3 color = (float3)(0.02f, 0.03f, 0.06f) + 1 - exp(-1.6f * ink[i].xyz);
  picture[i] = (uchar4)(convert_uchar3_sat(255 * color), 255);
}
