// Fourier transforms.

// Powers of the 64th root of one.
constant float2 root[64] = {
  (float2)(1.0f, 0.0f), (float2)(0.995184727f, -0.0980171403f), (float2)(0.98078528f, -0.195090322f), (float2)(0.956940336f, -0.290284677f),
  (float2)(0.923879533f, -0.382683432f), (float2)(0.881921264f, -0.471396737f), (float2)(0.831469612f, -0.555570233f), (float2)(0.773010453f, -0.634393284f),
  (float2)(0.707106781f, -0.707106781f), (float2)(0.634393284f, -0.773010453f), (float2)(0.555570233f, -0.831469612f), (float2)(0.471396737f, -0.881921264f),
  (float2)(0.382683432f, -0.923879533f), (float2)(0.290284677f, -0.956940336f), (float2)(0.195090322f, -0.98078528f), (float2)(0.0980171403f, -0.995184727f),
  (float2)(0.0f, -1.0f), (float2)(-0.0980171403f, -0.995184727f), (float2)(-0.195090322f, -0.98078528f), (float2)(-0.290284677f, -0.956940336f),
  (float2)(-0.382683432f, -0.923879533f), (float2)(-0.471396737f, -0.881921264f), (float2)(-0.555570233f, -0.831469612f), (float2)(-0.634393284f, -0.773010453f),
  (float2)(-0.707106781f, -0.707106781f), (float2)(-0.773010453f, -0.634393284f), (float2)(-0.831469612f, -0.555570233f), (float2)(-0.881921264f, -0.471396737f),
  (float2)(-0.923879533f, -0.382683432f), (float2)(-0.956940336f, -0.290284677f), (float2)(-0.98078528f, -0.195090322f), (float2)(-0.995184727f, -0.0980171403f),
  (float2)(-1.0f, 0.0f), (float2)(-0.995184727f, 0.0980171403f), (float2)(-0.98078528f, 0.195090322f), (float2)(-0.956940336f, 0.290284677f),
  (float2)(-0.923879533f, 0.382683432f), (float2)(-0.881921264f, 0.471396737f), (float2)(-0.831469612f, 0.555570233f), (float2)(-0.773010453f, 0.634393284f),
  (float2)(-0.707106781f, 0.707106781f), (float2)(-0.634393284f, 0.773010453f), (float2)(-0.555570233f, 0.831469612f), (float2)(-0.471396737f, 0.881921264f),
  (float2)(-0.382683432f, 0.923879533f), (float2)(-0.290284677f, 0.956940336f), (float2)(-0.195090322f, 0.98078528f), (float2)(-0.0980171403f, 0.995184727f),
  (float2)(0.0f, 1.0f), (float2)(0.0980171403f, 0.995184727f), (float2)(0.195090322f, 0.98078528f), (float2)(0.290284677f, 0.956940336f),
  (float2)(0.382683432f, 0.923879533f), (float2)(0.471396737f, 0.881921264f), (float2)(0.555570233f, 0.831469612f), (float2)(0.634393284f, 0.773010453f),
  (float2)(0.707106781f, 0.707106781f), (float2)(0.773010453f, 0.634393284f), (float2)(0.831469612f, 0.555570233f), (float2)(0.881921264f, 0.471396737f),
  (float2)(0.923879533f, 0.382683432f), (float2)(0.956940336f, 0.290284677f), (float2)(0.98078528f, 0.195090322f), (float2)(0.995184727f, 0.0980171403f)
};

float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
float2 byMinusI(float2 a) { return (float2)(a.y, -a.x); }

// A transform of eight points, in place.
void eight(float2 *v) {
  const float h = 0.707106781f;
  float2 a0 = v[0] + v[4], a1 = v[1] + v[5], a2 = v[2] + v[6], a3 = v[3] + v[7];
  float2 b0 = v[0] - v[4], b1 = v[1] - v[5], b2 = byMinusI(v[2] - v[6]), b3 = v[3] - v[7];
  b1 = h * (float2)(b1.x + b1.y, b1.y - b1.x);
  b3 = h * (float2)(b3.y - b3.x, -b3.x - b3.y);
  float2 c0 = a0 + a2, c1 = a1 + a3, c2 = a0 - a2, c3 = byMinusI(a1 - a3);
  float2 d0 = b0 + b2, d1 = b1 + b3, d2 = b0 - b2, d3 = byMinusI(b1 - b3);
  v[0] = c0 + c1;
  v[4] = c0 - c1;
  v[2] = c2 + c3;
  v[6] = c2 - c3;
  v[1] = d0 + d1;
  v[5] = d0 - d1;
  v[3] = d2 + d3;
  v[7] = d2 - d3;
}

// Transforms of 64 points, eight work-items each: two radix-8 stages with an exchange in local memory between them.
kernel void fft_radix8(global const float2 *in, global float2 *out) {
  local float2 exchange[512];
  uint lid = get_local_id(0), k = lid & 7u, base = lid & ~7u;
  size_t first = get_group_id(0) * 512 + base * 8;
  float2 v[8];
  for (uint j = 0; j < 8u; j++) v[j] = in[first + j * 8 + k];
  eight(v);
  for (uint j = 0; j < 8u; j++) exchange[base * 8 + j * 8 + k] = times(v[j], root[j * k]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = 0; j < 8u; j++) v[j] = exchange[base * 8 + k * 8 + j];
  eight(v);
  for (uint j = 0; j < 8u; j++) out[first + j * 8 + k] = v[j];
}

// The permutation of a transform of 2^bits points.
kernel void bit_reversal(uint bits, global const float2 *in, global float2 *out) {
  uint i = get_global_id(0), r = i;
  r = (r >> 1 & 0x55555555u) | (r & 0x55555555u) << 1;
  r = (r >> 2 & 0x33333333u) | (r & 0x33333333u) << 2;
  r = (r >> 4 & 0x0f0f0f0fu) | (r & 0x0f0f0f0fu) << 4;
  r = (r >> 8 & 0x00ff00ffu) | (r & 0x00ff00ffu) << 8;
  r = r >> 16 | r << 16;
  out[r >> (32u - bits)] = in[i];
}
