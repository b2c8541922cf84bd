// SPDX-License-Identifier: Apache-2.0
// Four ways to sort by comparing pairs. In a step each work-item compares one pair at most, so pairs do not meet.
constant int GAPS[27] = {243, 216, 192, 162, 144, 128, 108, 96, 81, 72, 64, 54, 48, 36,
                         32,  27,  24,  18,  16,  12,  9,   8,  6,  4,  3,  2,  1};

int shuffled(int i, int seed) {
  i = (i * 181 + seed * 97) & 255;
  i = ((i ^ i >> 3) * 93 + seed) & 255;
  return (i ^ i >> 4) * 61 & 255;
}

// Neighbours: 256 steps.
int transposition(int i, int step) { return (i + step) % 2 == 0 ? i + 1 : i; }

// Shell's sort with Pratt's gaps, each in two steps.
int shell(int i, int step) {
  int gap = step < 54 ? GAPS[step / 2] : 256;
  return i / gap % 2 == step % 2 ? i + gap : i;
}

// Both networks of Batcher's merge runs of p by comparing at k; 36 steps.
void phase(int step, int* p, int* k) {
  *p = 1;
  *k = 1;
  for (int s = 0; s < step; s++) {
    if (*k == 1) {
      *p *= 2;
      *k = *p;
    } else
      *k /= 2;
  }
}

int oddEvenMerge(int i, int step) {
  int p, k;
  phase(step, &p, &k);
  int first = k == p ? 0 : k;
  int isLow = i >= first && (i - first) % (2 * k) < k;
  return isLow && i / (2 * p) == (i + k) / (2 * p) ? i + k : i;
}

int bitonic(int i, int step) {
  int p, k;
  phase(step, &p, &k);
  return i & k ? i : i + k;
}

kernel void race(global int* values, int frame, int pace) {
  int i = get_global_id(0), way = get_global_id(1), period = 290 * pace, step = frame % period / pace - 12;
  global int* own = values + 256 * way;
  if (frame % period == 0) own[i] = shuffled(i, frame / period);
  if (step < 0 || frame % pace != 0 || (way > 1 && step > 35)) return;
  int other = way == 0   ? transposition(i, step)
              : way == 1 ? shell(i, step)
              : way == 2 ? oddEvenMerge(i, step)
                         : bitonic(i, step);
  if (other == i || other > 255) return;
  int p = 1, k = 1, falls = 0;
  if (way == 3) {
    phase(step, &p, &k);
    falls = i & 2 * p;
  }
  int a = own[i], b = own[other];
  if (falls ? a < b : a > b) own[i] = b, own[other] = a;
}

kernel void draw(global const int* values, global uchar4* picture) {
  int x = get_global_id(0), y = get_global_id(1), way = y / 110, value = values[256 * way + x / 3];
  int isBar = 110 - y % 110 <= 4 + value * 96 / 255;
  float3 color = isBar ? 0.55f + 0.45f * cos(0.0205f * value + (float3)(0, 4.2f, 2.1f)) : (float3)(0.07f, 0.08f, 0.1f);
  picture[y * 768 + x] = (uchar4)(convert_uchar3_sat(255 * color), 255);
}
