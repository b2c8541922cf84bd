// SPDX-License-Identifier: Apache-2.0
// construct: strings: exact search, automata with tables, edit distances

kernel void find(global const char *text, constant char *word, global int *counts, int n, int m) {
  int i = get_global_id(0), j = 0;
  if (i > n - m)
    return;
  while (j < m && text[i + j] == word[j])
    j++;
  if (j == m)
    atomic_inc(counts);
}
kernel void automaton(global const uchar *text, global const ushort *table, global ushort *states, int length) {
  ushort s = 0;
  for (int i = 0; i < length; i++)
    s = table[s * 256 + text[get_global_id(0) * length + i]];
  states[get_global_id(0)] = s;
}
kernel void edit_distance(global const char *a, global const char *b, global int *d, int diagonal, int n, int m) {
  int i = get_global_id(0) + 1, j = diagonal - i;
  if (i > n || j < 1 || j > m)
    return;
  int w = m + 1, cost = a[i - 1] != b[j - 1];
  d[i * w + j] = min(min(d[(i - 1) * w + j] + 1, d[i * w + j - 1] + 1), d[(i - 1) * w + j - 1] + cost);
}
