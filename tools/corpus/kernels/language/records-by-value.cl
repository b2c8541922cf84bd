// SPDX-License-Identifier: Apache-2.0
// construct: records as arguments of kernels, with arrays and records in them

typedef struct { int n; float w[4]; struct { short a; char b; } in[2]; double d; } settings;
float weigh(settings s, int i) { return s.w[i & 3] * s.in[i & 1].a + s.in[0].b + s.d; }
settings changed(settings s) { s.n++; s.w[2] = s.n; return s; }
kernel void by_value(settings s, global float *out, global settings *all) {
  size_t i = get_global_id(0);
  out[i] = weigh(changed(s), i) + weigh(all[i], i);
  all[i] = changed(all[i]);
}
