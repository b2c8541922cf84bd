// SPDX-License-Identifier: Apache-2.0
// construct: helper functions that call two others each, ten deep: a thousand calls when they are inlined

float level_0(float x, float y) { return fma(x, y, 0.5f) - x * 0.25f; }
#define LEVEL(n, below)                                                                                                \
  float level_##n(float x, float y) {                                                                                  \
    float a = level_##below(x + 0.1f * n, y), b = level_##below(y, x - 0.1f * n);                                      \
    return a > b ? a - b * 0.5f : b - a * 0.5f;                                                                        \
  }
LEVEL(1, 0)
LEVEL(2, 1)
LEVEL(3, 2)
LEVEL(4, 3)
LEVEL(5, 4)
LEVEL(6, 5)
LEVEL(7, 6)
LEVEL(8, 7)
LEVEL(9, 8)

kernel void nested_helpers(global float *data) {
  size_t i = get_global_id(0);
  data[i] = level_9(data[i], (float)i);
}
