// SPDX-License-Identifier: Apache-2.0
// construct: blocking in work-group and work-item, vector widths and caching by -D, as tuners search them

#ifndef MWG
#define MWG 32
#define NWG 32
#define KWG 16
#define MDIM 8
#define NDIM 8
#define VW 2
#endif
#ifndef SA
#define SA 1
#endif
#define MWI (MWG / MDIM)
#define NWI (NWG / NDIM)
#if VW == 1
typedef float real;
#elif VW == 2
typedef float2 real;
#else
typedef float4 real;
#endif

__attribute__((reqd_work_group_size(MDIM, NDIM, 1)))
kernel void multiply(int m, int n, int k, global const real *restrict a, global const real *restrict b,
    global real *restrict c) {
#if SA == 1
  local real a_tile[KWG * MWG / VW];
#endif
  local real b_tile[KWG * NWG / VW];
  real sums[NWI][MWI / VW];
#pragma unroll
  for (int j = 0; j < NWI; j++)
    for (int i = 0; i < MWI / VW; i++)
      sums[j][i] = (real)(0.0f);
  const int t = get_local_id(1) * MDIM + get_local_id(0);
  for (int kb = 0; kb < k; kb += KWG) {
    for (int i = t; i < KWG * NWG / VW; i += MDIM * NDIM)
      b_tile[i] = b[(kb + i / (NWG / VW)) * (n / VW) + get_group_id(1) * (NWG / VW) + i % (NWG / VW)];
#if SA == 1
    for (int i = t; i < KWG * MWG / VW; i += MDIM * NDIM)
      a_tile[i] = a[(kb + i / (MWG / VW)) * (m / VW) + get_group_id(0) * (MWG / VW) + i % (MWG / VW)];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
    for (int kk = 0; kk < KWG; kk++) {
      real av[MWI / VW];
#pragma unroll
      for (int i = 0; i < MWI / VW; i++)
#if SA == 1
        av[i] = a_tile[kk * (MWG / VW) + i * MDIM + get_local_id(0)];
#else
        av[i] = a[(kb + kk) * (m / VW) + get_group_id(0) * (MWG / VW) + i * MDIM + get_local_id(0)];
#endif
#pragma unroll
      for (int j = 0; j < NWI; j++) {
        float bv = ((local const float *)b_tile)[kk * NWG + j * NDIM + get_local_id(1)];
#pragma unroll
        for (int i = 0; i < MWI / VW; i++)
          sums[j][i] = mad(av[i], (real)(bv), sums[j][i]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int j = 0; j < NWI; j++)
    for (int i = 0; i < MWI / VW; i++)
      c[(get_group_id(1) * NWG + j * NDIM + get_local_id(1)) * (m / VW) + get_group_id(0) * (MWG / VW) + i * MDIM +
          get_local_id(0)] = sums[j][i];
}
