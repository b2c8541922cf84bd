// A matrix of halves times a vector of halves, eight at once.
kernel void half_dot8(uint eights, global const half *a, global const half *x, global float *y) {
  uint row = get_global_id(0);
  float8 acc = (float8)(0.0f);
  for (uint k = 0; k < eights; k++) acc += vload_half8(row * eights + k, a) * vload_half8(k, x);
  float4 four = acc.lo + acc.hi;
  float2 two = four.lo + four.hi;
  y[row] = two.x + two.y;
}
