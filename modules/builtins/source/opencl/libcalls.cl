// Libcalls: operations that WebAssembly lacks, as functions: fused multiply-add, fmod, high products of 64 bits.
#pragma OPENCL FP_CONTRACT OFF
#define O __attribute__((overloadable))

// The product of two floats is exact in double; rounding the sum to odd first makes the second rounding right
// (Boldo, Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
O float __muxkit_fma(float a, float b, float c) {
  double p = (double)a * (double)b;
  double q = (double)c;
  double s = p + q;
  double t = s - p;
  double e = (p - (s - t)) + (q - t);
  ulong bits = as_ulong(s);
  if (e != 0.0 && isfinite(s) && (bits & 1ul) == 0ul) {
    int away = (e > 0.0) == (s > 0.0);
    bits = away ? bits + 1ul : bits - 1ul;
  }
  return (float)as_double(bits);
}

// 128-bit integers hold the product; the addend is aligned to it, and one rounding to nearest even ends it.
static int __muxkit_msb(ulong high, ulong low) { return high != 0ul ? 127 - (int)clz(high) : 63 - (int)clz(low); }

O double __muxkit_fma(double a, double b, double c) {
  ulong ua = as_ulong(a), ub = as_ulong(b), uc = as_ulong(c);
  int ea = (int)(ua >> 52) & 2047, eb = (int)(ub >> 52) & 2047, ec = (int)(uc >> 52) & 2047;
  if (ea == 2047 || eb == 2047 || ec == 2047 || a == 0.0 || b == 0.0) return a * b + c;
  if (c == 0.0) {
    // One product, rounded once; its sign of zero is that of an exact sum.
    double p = a * b;
    if (p != 0.0 && fabs(p) > 0x1p-960) return p;
  }
  ulong ma = (ua & 0xfffffffffffffUL) | (ea ? 0x10000000000000UL : 0ul);
  ulong mb = (ub & 0xfffffffffffffUL) | (eb ? 0x10000000000000UL : 0ul);
  ulong mc = (uc & 0xfffffffffffffUL) | (ec ? 0x10000000000000UL : 0ul);
  if (!ea) ea = 1;
  if (!eb) eb = 1;
  if (!ec) ec = 1;
  int negp = (int)((ua ^ ub) >> 63), negc = (int)(uc >> 63);
  // Product: 106 bits with exponent ep; both terms get two free bits at the top and as many below as fit.
  ulong ph = mul_hi(ma, mb), pl = ma * mb;
  int ep = ea + eb - 2150;
  ph = (ph << 20) | (pl >> 44);
  pl <<= 20;
  ep -= 20;
  ulong ch = mc << 9, cl = 0ul;
  int ecx = ec - 1075 - 73;
  // Normalise the product so that the larger exponent rules and bits that fall off are sticky.
  while (ph != 0ul && (ph >> 61) == 0ul) {
    ph = (ph << 1) | (pl >> 63);
    pl <<= 1;
    ep--;
  }
  while (ch != 0ul && (ch >> 61) == 0ul) {
    ch <<= 1;
    ecx--;
  }
  int d = ep - ecx;
  ulong sh = d >= 0 ? ch : ph, sl = d >= 0 ? cl : pl;
  if (mc == 0ul) sh = sl = 0ul;
  int n = d >= 0 ? d : -d;
  if (mc == 0ul) n = 0;
  ulong sticky = 0ul;
  if (n >= 128) {
    sticky = (sh | sl) != 0ul;
    sh = sl = 0ul;
  } else if (n >= 64) {
    sticky = (sl | (n > 64 ? sh << (128 - n) : 0ul)) != 0ul;
    sl = sh >> (n - 64);
    sh = 0ul;
  } else if (n > 0) {
    sticky = (sl << (64 - n)) != 0ul;
    sl = (sl >> n) | (sh << (64 - n));
    sh >>= n;
  }
  sl |= sticky;
  int e = d >= 0 || mc == 0ul ? ep : ecx;
  ulong xh = d >= 0 || mc == 0ul ? ph : ch, xl = d >= 0 || mc == 0ul ? pl : cl;
  int negx = d >= 0 || mc == 0ul ? negp : negc, negs = d >= 0 ? negc : negp;
  ulong rh, rl;
  int neg = negx;
  if (negx == negs || mc == 0ul) {
    rl = xl + sl;
    rh = xh + sh + (rl < xl);
  } else {
    int less = xh < sh || (xh == sh && xl < sl);
    ulong th = less ? sh : xh, tl = less ? sl : xl, uh = less ? xh : sh, ul = less ? xl : sl;
    if (less) neg = negs;
    rl = tl - ul;
    rh = th - uh - (tl < ul);
  }
  if ((rh | rl) == 0ul) return (negp && negc) ? -0.0 : 0.0;
  int top = __muxkit_msb(rh, rl);
  // Keep 53 bits, fewer below the normal range.
  int drop = top - 52;
  int least = -1074 - e;
  if (drop < least) drop = least;
  ulong m;
  if (drop <= 0) {
    m = rl << -drop;
  } else if (drop > 127) {
    return neg ? -0.0 : 0.0;
  } else {
    ulong rest, middle;
    if (drop > 64) {
      m = rh >> (drop - 64);
      rest = rh & ((1ul << (drop - 64)) - 1ul);
      middle = 1ul << (drop - 65);
      int up = rest > middle || (rest == middle && (rl != 0ul || (m & 1ul)));
      m += up;
    } else if (drop == 64) {
      m = rh;
      int up = (rl >> 63) && ((rl << 1) != 0ul || (m & 1ul));
      m += up;
    } else {
      m = (rl >> drop) | (rh << (64 - drop));
      rest = rl & ((1ul << drop) - 1ul);
      middle = 1ul << (drop - 1);
      m += rest > middle || (rest == middle && (m & 1ul));
    }
  }
  int x = e + drop;
  // m * 2^x: m has at most 54 bits; the biased exponent follows, denormals included.
  ulong out;
  if (m >= 0x20000000000000UL) {
    m >>= 1;
    x++;
  }
  if (m < 0x10000000000000UL) out = m;
  else if (x + 1075 >= 2047) out = 0x7ff0000000000000UL;
  else out = (m & 0xfffffffffffffUL) | ((ulong)(x + 1075) << 52);
  return as_double(out | ((ulong)neg << 63));
}

// The remainder of a truncating division, exact: long division on the significands.
O float __muxkit_fmod(float a, float b) {
  uint ua = as_uint(a) & 0x7fffffffu, ub = as_uint(b) & 0x7fffffffu, sign = as_uint(a) & 0x80000000u;
  if (ua >= 0x7f800000u || ub > 0x7f800000u || ub == 0u) return as_float(0x7fc00000u);
  if (ua < ub) return a;
  int ea = (int)(ua >> 23), eb = (int)(ub >> 23);
  uint ma = ea ? (ua & 0x7fffffu) | 0x800000u : ua, mb = eb ? (ub & 0x7fffffu) | 0x800000u : ub;
  if (!ea) ea = 1;
  if (!eb) eb = 1;
  ulong r = ma;
  for (int n = ea - eb; n > 0;) {
    int k = min(n, 32);
    r = (r << k) % mb;
    n -= k;
  }
  r %= mb;
  if (r == 0ul) return as_float(sign);
  int shift = (int)clz((uint)r) - 8;
  int e = eb;
  if (shift >= e) shift = e - 1;
  uint m = (uint)r << shift;
  e -= shift;
  return as_float(sign | (m >= 0x800000u ? (m & 0x7fffffu) | ((uint)e << 23) : m));
}

O double __muxkit_fmod(double a, double b) {
  ulong ua = as_ulong(a) & 0x7fffffffffffffffUL, ub = as_ulong(b) & 0x7fffffffffffffffUL;
  ulong sign = as_ulong(a) & 0x8000000000000000UL;
  if (ua >= 0x7ff0000000000000UL || ub > 0x7ff0000000000000UL || ub == 0ul) return as_double(0x7ff8000000000000UL);
  if (ua < ub) return a;
  int ea = (int)(ua >> 52), eb = (int)(ub >> 52);
  ulong ma = ea ? (ua & 0xfffffffffffffUL) | 0x10000000000000UL : ua;
  ulong mb = eb ? (ub & 0xfffffffffffffUL) | 0x10000000000000UL : ub;
  if (!ea) ea = 1;
  if (!eb) eb = 1;
  ulong r = ma % mb;
  for (int n = ea - eb; n > 0;) {
    int k = min(n, 11);
    r = (r << k) % mb;
    n -= k;
  }
  if (r == 0ul) return as_double(sign);
  int shift = (int)clz(r) - 11;
  int e = eb;
  if (shift >= e) shift = e - 1;
  ulong m = r << shift;
  e -= shift;
  return as_double(sign | (m >= 0x10000000000000UL ? (m & 0xfffffffffffffUL) | ((ulong)e << 52) : m));
}

O ulong __muxkit_mul_hi_u(ulong a, ulong b) {
  ulong al = a & 0xffffffffUL, ah = a >> 32, bl = b & 0xffffffffUL, bh = b >> 32;
  ulong low = al * bl, m1 = ah * bl, m2 = al * bh;
  ulong middle = (low >> 32) + (m1 & 0xffffffffUL) + (m2 & 0xffffffffUL);
  return ah * bh + (m1 >> 32) + (m2 >> 32) + (middle >> 32);
}

O long __muxkit_mul_hi_s(long a, long b) {
  ulong high = __muxkit_mul_hi_u((ulong)a, (ulong)b);
  if (a < 0) high -= (ulong)b;
  if (b < 0) high -= (ulong)a;
  return (long)high;
}
