// SPDX-License-Identifier: Apache-2.0
// construct: vectors of three components: sizes, arrays, records, loads

typedef struct { float3 a; float b; float3 c[2]; } record;
kernel void threes(global record *r, global float *flat, global uchar3 *bytes) {
  size_t i = get_global_id(0);
  r[i].c[1] = r[i].a.zxy + vload3(i, flat);
  bytes[i] = convert_uchar3_sat(r[i].c[1]);
  flat[i] = sizeof(record) + sizeof(float3) + vec_step(float3) + vec_step(r[i].a);
}
