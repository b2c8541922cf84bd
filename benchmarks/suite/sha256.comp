#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(set = 0, binding = 0) readonly buffer M { uint msg[]; };
layout(set = 0, binding = 1) writeonly buffer D { uint digest[]; };
const uint K[64] = uint[](
  0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
  0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
  0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
  0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
  0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
  0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
  0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
  0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u
);
uint turn(uint x, uint n) { return (x << n) | (x >> (32 - n)); }
uint S0(uint x) { return turn(x, 30) ^ turn(x, 19) ^ turn(x, 10); }
uint S1(uint x) { return turn(x, 26) ^ turn(x, 21) ^ turn(x, 7); }
uint G0(uint x) { return turn(x, 25) ^ turn(x, 14) ^ (x >> 3); }
uint G1(uint x) { return turn(x, 15) ^ turn(x, 13) ^ (x >> 10); }

void compress(inout uint st[8], inout uint w[16]) {
  uint a = st[0], b = st[1], c = st[2], d = st[3], e = st[4], f = st[5], g = st[6], h = st[7];
  for (int t = 0; t < 64; t++) {
    uint wt;
    if (t < 16) wt = w[t];
    else {
      wt = G1(w[(t + 14) & 15]) + w[(t + 9) & 15] + G0(w[(t + 1) & 15]) + w[t & 15];
      w[t & 15] = wt;
    }
    uint t1 = h + S1(e) + ((e & f) | (~e & g)) + K[t] + wt;
    uint t2 = S0(a) + ((a & b) | (c & (a | b)));
    h = g; g = f; f = e; e = d + t1;
    d = c; c = b; b = a; a = t1 + t2;
  }
  st[0] += a; st[1] += b; st[2] += c; st[3] += d;
  st[4] += e; st[5] += f; st[6] += g; st[7] += h;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint w[16];
  uint st[8] = uint[](0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                      0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u);
  for (int t = 0; t < 16; t++) w[t] = msg[i * 16 + t];
  compress(st, w);
  w[0] = 0x80000000u;
  for (int t = 1; t < 15; t++) w[t] = 0;
  w[15] = 512;
  compress(st, w);
  for (int t = 0; t < 8; t++) digest[i * 8 + t] = st[t];
}
