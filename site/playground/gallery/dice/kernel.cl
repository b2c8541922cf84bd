// SPDX-License-Identifier: Apache-2.0
// The sums of many dice: the more dice, the closer to a normal distribution.
kernel void roll(global int* sums, int dice, int sides) {
  uint state = get_global_id(0) * 747796405u + 2891336453u;
  int sum = 0;
  for (int i = 0; i < dice; i++) {
    state = state * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    sum += 1 + ((word >> 22) ^ word) % sides;
  }
  sums[get_global_id(0)] = sum;
}
