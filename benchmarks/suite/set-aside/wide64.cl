// Powers modulo numbers of 32 bits, by 64-bit products and remainders.
kernel void modpow64(global const uint *base, global const uint *exponent, global const uint *modulus,
                     global uint *power) {
  size_t i = get_global_id(0);
  ulong m = modulus[i] | 1u, b = base[i] % m, result = 1ul % m;
  for (uint e = exponent[i]; e != 0u; e >>= 1) {
    if (e & 1u) result = result * b % m;
    b = b * b % m;
  }
  power[i] = (uint)result;
}
