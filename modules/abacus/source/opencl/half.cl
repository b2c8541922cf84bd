// Functions of half that are not those of float with one rounding: they depend on what a half's neighbours are.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// Sums of parts rely on rounded products, so nothing is contracted.
#pragma OPENCL FP_CONTRACT OFF
#define O __attribute__((overloadable))

O half nextafter(half x, half y) {
  if (isnan(x) || isnan(y)) return as_half((ushort)0x7e00);
  if (x == y) return y;
  if (x == 0.0h) return copysign(0x1p-24h, y);
  short bits = as_short(x);
  return as_half((short)((x < y) == (x > 0.0h) ? bits + 1 : bits - 1));
}
O half nan(ushort code) { return as_half((ushort)(code | 0x7e00)); }
O half fract(half x, half *whole) {
  half f = floor(x);
  *whole = f;
  return isinf(x) ? copysign(0.0h, x) : isnan(x) ? x + x : fmin(x - f, 0x1.ffcp-1h);
}
