// SPDX-License-Identifier: Apache-2.0
// construct: jumps back and forth, loops with several exits, conditions with effects

kernel void jumps(global int *p, int n) {
  int i = 0, sum = 0;
again:
  if (i >= n)
    goto done;
  sum += p[i];
  if (sum & 1)
    goto odd;
  i += 2;
  goto again;
odd:
  i++;
  goto again;
done:
  p[get_global_id(0)] = sum;
}

kernel void exits(global int *p, int n) {
  int found = -1;
  for (int i = 0; i < n; i++) {
    for (int j = i; j < n; j++) {
      if (p[i] == p[j] + 1) {
        found = i * n + j;
        break;
      }
      if (p[j] < 0)
        continue;
      if (p[j] == 12345)
        return;
    }
    if (found >= 0)
      break;
  }
  p[n + get_global_id(0)] = found;
}

kernel void effects(global int *p, int n) {
  int i = get_global_id(0), k = 0;
  if (i < n && ++k && (p[i] > 0 || ++k))
    p[i] = k, k = 7;
  do
    k = k * 3 + 1;
  while (k < 100 && (p[i] += k) & 1);
  int at = i;
  p[at] ^= k > 50 ? i++ : --i;
  p[0] = ((void)i, k);
}
