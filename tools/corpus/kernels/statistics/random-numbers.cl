// SPDX-License-Identifier: Apache-2.0
// construct: generators of random numbers with states in arrays, records and 64-bit products

typedef struct {
  ulong state, increment;
} pcg;

uint next_pcg(pcg *g) {
  ulong old = g->state;
  g->state = old * 6364136223846793005UL + (g->increment | 1);
  uint x = (uint)(((old >> 18) ^ old) >> 27), r = (uint)(old >> 59);
  return (x >> r) | (x << ((-r) & 31));
}

kernel void pcg_numbers(global pcg *states, global uint *out, int n) {
  pcg g = states[get_global_id(0)];
  for (int i = 0; i < n; i++)
    out[get_global_id(0) * n + i] = next_pcg(&g);
  states[get_global_id(0)] = g;
}

kernel void xorshift_normals(global uint4 *states, global float2 *out, int n) {
  uint4 s = states[get_global_id(0)];
  for (int i = 0; i < n; i++) {
    uint t = s.x ^ (s.x << 11);
    s = s.yzww;
    s.w ^= (s.w >> 19) ^ t ^ (t >> 8);
    float2 u = convert_float2(s.zw) / 4294967296.0f + 1e-7f;
    float r = sqrt(-2 * log(u.x)), c, angle = sincos(2 * M_PI_F * u.y, &c);
    out[get_global_id(0) * n + i] = r * (float2)(c, angle);
  }
  states[get_global_id(0)] = s;
}

#define TWIST_N 624
kernel void mersenne(global uint *state, global uint *out) {
  global uint *mt = state + get_global_id(0) * TWIST_N;
  for (int i = 0; i < TWIST_N; i++) {
    uint y = (mt[i] & 0x80000000U) | (mt[(i + 1) % TWIST_N] & 0x7fffffffU);
    mt[i] = mt[(i + 397) % TWIST_N] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfU : 0);
  }
  uint y = mt[0];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  out[get_global_id(0)] = y ^ (y >> 18);
}

#define PHILOX_ROUND(k0, k1)                                                                                           \
  {                                                                                                                    \
    uint h0 = mul_hi(0xD2511F53U, c.x), h1 = mul_hi(0xCD9E8D57U, c.z);                                                 \
    c = (uint4)(h1 ^ c.y ^ (k0), 0xCD9E8D57U * c.z, h0 ^ c.w ^ (k1), 0xD2511F53U * c.x);                               \
  }
kernel void philox(global uint4 *out, uint2 key, uint offset) {
  uint4 c = (uint4)(get_global_id(0), offset, 0, 0);
#pragma unroll
  for (uint r = 0; r < 10; r++)
    PHILOX_ROUND(key.x + r * 0x9E3779B9U, key.y + r * 0xBB67AE85U)
  out[get_global_id(0)] = c;
}
