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

// A transform of four points, in place.
void four(float2 *v) {
  float2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
  v[0] = a + c;
  v[1] = (float2)(b.x + d.y, b.y - d.x);
  v[2] = a - c;
  v[3] = (float2)(b.x - d.y, b.y + d.x);
}

// Transforms of 64 points, sixteen work-items each: three radix-4 stages with exchanges in local memory.
kernel void fft_radix4(global const float2 *in, global float2 *out) {
  local float2 exchange[256];
  uint lid = get_local_id(0), k = lid & 15u, base = (lid >> 4) * 64u;
  size_t first = get_group_id(0) * 256 + base;
  float2 v[4];
  for (uint j = 0; j < 4u; j++) v[j] = in[first + 16 * j + k];
  four(v);
  for (uint j = 0; j < 4u; j++) exchange[base + 16u * j + k] = times(v[j], root[j * k]);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint block = k >> 2, inner = k & 3u;
  for (uint j = 0; j < 4u; j++) v[j] = exchange[base + 16u * block + 4u * j + inner];
  four(v);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = 0; j < 4u; j++) exchange[base + 16u * block + 4u * j + inner] = times(v[j], root[4u * j * inner]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = 0; j < 4u; j++) v[j] = exchange[base + 4u * k + j];
  four(v);
  for (uint j = 0; j < 4u; j++) out[first + 16u * j + 4u * inner + block] = v[j];
}
