// Integer functions that are more than an operation or two: multiply, add, and stay in range.
#define O __attribute__((overloadable))

#define MAD_SAT(T, W, LOW, HIGH) O T mad_sat(T a, T b, T c) { return (T)clamp((W)a * (W)b + (W)c, (W)LOW, (W)HIGH); }
MAD_SAT(char, int, -128, 127)
MAD_SAT(uchar, int, 0, 255)
MAD_SAT(short, int, -32768, 32767)
MAD_SAT(ushort, ulong, 0, 65535)
MAD_SAT(int, long, -2147483648L, 2147483647L)
MAD_SAT(uint, ulong, 0, 4294967295UL)
O ulong mad_sat(ulong a, ulong b, ulong c) { return mul_hi(a, b) != 0ul ? 0xffffffffffffffffUL : add_sat(a * b, c); }
O long mad_sat(long a, long b, long c) {
  long high = mul_hi(a, b);
  ulong low = (ulong)a * (ulong)b;
  ulong sum = low + (ulong)c;
  long top = high + (c < 0 ? -1 : 0) + (sum < low ? 1 : 0);
  if (top == ((long)sum >> 63)) return (long)sum;
  return top < 0 ? -0x7fffffffffffffffL - 1 : 0x7fffffffffffffffL;
}
