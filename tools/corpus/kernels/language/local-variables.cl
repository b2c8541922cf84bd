// SPDX-License-Identifier: Apache-2.0
// construct: local variables of all types in the block of a kernel, passed to functions

typedef struct { int a; float3 b; } record;
void put(local record *r, local float (*m)[4], int i) { r->a = i; m[i & 3][0] = r->b.y; }
kernel void locals(global float *p) {
  local int scalar;
  local float4 vector;
  local float matrix[4][4];
  local record one, many[8];
  local uchar bytes[64];
  int x = get_local_id(0);
  if (x == 0) {
    scalar = 1;
    vector = (float4)(2);
    one.b = (float3)(3);
    put(&one, matrix, 3);
  }
  bytes[x & 63] = x;
  many[x & 7] = one;
  barrier(CLK_LOCAL_MEM_FENCE);
  p[get_global_id(0)] = scalar + vector.w + matrix[3][0] + many[1].b.x + bytes[(x + 1) & 63];
}
