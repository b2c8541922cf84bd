// SPDX-License-Identifier: Apache-2.0
// construct: back propagation, products of layers with local memory, steps of optimisers

#define GROUP 16
kernel void layer_forward(global const float *input, global const float *weights, global float *partial, int hidden,
    local float *node, local float *matrix) {
  int by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
  int index = (hidden + 1) * GROUP * by + (hidden + 1) * ty + tx + 1 + hidden + 1;
  if (tx == 0)
    node[ty] = input[GROUP * by + ty + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  matrix[ty * GROUP + tx] = weights[index] * node[ty];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 1; i <= GROUP; i *= 2) {
    if (ty % i == 0 && ty + i / 2 < GROUP && i > 1)
      matrix[ty * GROUP + tx] += matrix[(ty + i / 2) * GROUP + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tx == 0)
    partial[by * hidden + ty] = matrix[tx * GROUP + ty];
}
kernel void adjust_weights(global const float *delta, int hidden, global const float *layer, global float *w,
    global float *old) {
  int y = GROUP * get_group_id(1) + get_local_id(1) + 1, x = get_local_id(0) + 1, index = (hidden + 1) * y + x;
  float change = 0.3f * delta[x] * layer[y] + 0.3f * old[index];
  w[index] += change;
  old[index] = change;
}
kernel void adam(global float *w, global const float *g, global float2 *moments, float rate, float b1, float b2,
    int step) {
  int i = get_global_id(0);
  float2 m = moments[i] = (float2)(b1, b2) * moments[i] + (1.0f - (float2)(b1, b2)) * (float2)(g[i], g[i] * g[i]);
  m /= 1.0f - pown((float2)(b1, b2), (int2)(step));
  w[i] -= rate * m.x / (sqrt(m.y) + 1e-8f);
}
kernel void gates(global const float4 *in, global float *cell, global float *hidden) {
  int i = get_global_id(0);
  float4 x = in[i];
  float3 g = 1.0f / (1.0f + exp(-x.xyz));
  cell[i] = g.y * cell[i] + g.x * tanh(x.w);
  hidden[i] = g.z * tanh(cell[i]);
}
