// SPDX-License-Identifier: Apache-2.0
// construct: packed and aligned records, pointers to members

typedef struct __attribute__((packed)) { char c; int i; double d; short s[3]; } packed;
typedef struct { int i __attribute__((aligned(16))); char c; } aligned_record;
typedef struct __attribute__((aligned(64))) { float f; } line;
kernel void layouts(global packed *p, global aligned_record *a, global line *l, global ulong *sizes) {
  size_t i = get_global_id(0);
  p[i].i += a[i].c;
  p[i].d = l[i].f;
  p[i].s[1] = 7;
  sizes[0] = sizeof(packed) * 10000 + sizeof(aligned_record) * 100 + sizeof(line);
  sizes[1] = (ulong)&p[1].d - (ulong)&p[0].d;
}
