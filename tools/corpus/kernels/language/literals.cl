// SPDX-License-Identifier: Apache-2.0
// construct: literals of numbers and characters in all their forms

kernel void literals(global double *d, global long *l) {
  d[0] = 1.0 + 1.f + .5 + 5. + 1e3 + 1E-3f + 0x1p3 + 0x1.8p-2f + 0x.8p1;
  l[0] = 0x7fffffff + 0xffffffff + 0xFFFFFFFFFFL + 017 + 42u + 42UL + 42lu + 0L + 2147483648;
  l[1] = 'a' + '\n' + '\0' + '\x7f' + '\377' + '\'' + '"' + '\\';
  l[2] = sizeof(1) + sizeof(1L) * 10 + sizeof(1.0f) * 100 + sizeof('a') * 1000 + sizeof("text") * 10000;
}
