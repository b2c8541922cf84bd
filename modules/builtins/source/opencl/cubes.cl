// SPDX-License-Identifier: Apache-2.0
// Reads of cubes, for shaders. A cube is six layers of an array of images: +x, -x, +y, -y, +z, -z. A direction goes
// through one face; a linear filter at the edge of a face takes the texels of the faces beside it, and at a corner,
// where three faces meet, the mean of three texels in place of the one that there is not (Vulkan, 16.5.4 and 16.6.3).
//
// A direction is four numbers: x, y, z, and which cube of an array.
#pragma OPENCL FP_CONTRACT OFF
#define O __attribute__((overloadable))
#define INLINE __attribute__((overloadable, always_inline))

#define LINEAR 32u
#define OTHER_FILTER (1u << 20)
#define BETWEEN_LEVELS (1u << 21)
#define LEAST_LEVEL(s) ((float)((s) >> 22 & 15u))
#define GREATEST_LEVEL(s) ((float)(63u - ((s) >> 26)) * 0.25f)
#define MORE_LEVELS(view) ((int)((view) >> 12 & 15u))
#define ORDER(view) ((view) & 0xfffu)

O float4 __muxkit_pixelf(image2d_array_t image, int x, int y, int z);
O int4 __muxkit_pixeli(image2d_array_t image, int x, int y, int z);
O uint __muxkit_view(image2d_array_t image);
O int __muxkit_layers(image2d_array_t image);
O int4 __sampling_size(image2d_array_t image, int level);
O float4 __sampling_ordered(float4 v, uint view);
O int4 __sampling_ordered(int4 v, uint view);
O float __sampling_picked(float own, float4 v, uint code);
O int __sampling_picked(int own, int4 v, uint code);

// A place on a face: coordinates from 0 to 1, and the face.
struct place {
  float s, t;
  int face;
};
INLINE struct place __cube_place(float x, float y, float z) {
  float ax = fabs(x), ay = fabs(y), az = fabs(z);
  struct place p;
  float s, t, most;
  if (az >= ax && az >= ay) {
    p.face = z < 0.0f ? 5 : 4;
    s = z < 0.0f ? -x : x;
    t = -y;
    most = az;
  } else if (ay >= ax) {
    p.face = y < 0.0f ? 3 : 2;
    s = x;
    t = y < 0.0f ? -z : z;
    most = ay;
  } else {
    p.face = x < 0.0f ? 1 : 0;
    s = x < 0.0f ? z : -z;
    t = -y;
    most = ax;
  }
  p.s = 0.5f * s / most + 0.5f;
  p.t = 0.5f * t / most + 0.5f;
  return p;
}
// The direction of a texel of a face, whose plane goes on beyond its edges.
INLINE struct place __cube_beside(int face, float s, float t) {
  switch (face) {
    case 0: return __cube_place(1.0f, -t, -s);
    case 1: return __cube_place(-1.0f, -t, s);
    case 2: return __cube_place(s, 1.0f, t);
    case 3: return __cube_place(s, -1.0f, -t);
    case 4: return __cube_place(s, -t, 1.0f);
    default: return __cube_place(-s, -t, -1.0f);
  }
}
INLINE int __cube_index(float c, int size) { return clamp(convert_int_sat(floor(c * (float)size)), 0, size - 1); }
INLINE float __cube_center(int i, int size) { return (float)(2 * i + 1) / (float)size - 1.0f; }

// A texel of a face or of the one beside it; at a corner only one of its indices is beyond the edge.
#define STORED(T, NAME, PIXEL) \
  O T NAME(image2d_array_t image, int4 size, int first, int face, int x, int y) { \
    int n = size.x; \
    if ((uint)x < (uint)n && (uint)y < (uint)n) return PIXEL(image, x, y + size.w, first + face); \
    struct place p = __cube_beside(face, __cube_center(x, n), __cube_center(y, n)); \
    return PIXEL(image, __cube_index(p.s, n), __cube_index(p.t, n) + size.w, first + p.face); \
  }
STORED(float4, __cube_texel, __muxkit_pixelf)
STORED(int4, __cube_texel_int, __muxkit_pixeli)

#define IS_CORNER(X, Y) (((uint)(X) >= (uint)size.x) & ((uint)(Y) >= (uint)size.y))
#define FOUR_TEXELS(T, TEXEL) \
  T t00 = TEXEL(image, size, first, face, x, y), t10 = TEXEL(image, size, first, face, x + 1, y), \
    t01 = TEXEL(image, size, first, face, x, y + 1), t11 = TEXEL(image, size, first, face, x + 1, y + 1)
#define MEAN(a, b, c) (((a) + (b) + (c)) / 3.0f)
#define CORNERS \
  if (IS_CORNER(x, y)) t00 = MEAN(t10, t01, t11); \
  if (IS_CORNER(x + 1, y)) t10 = MEAN(t00, t01, t11); \
  if (IS_CORNER(x, y + 1)) t01 = MEAN(t00, t10, t11); \
  if (IS_CORNER(x + 1, y + 1)) t11 = MEAN(t00, t10, t01)
INLINE float4 __cube_mix(float4 a, float4 b, float w) { return a * (1.0f - w) + b * w; }
#define FIRST_CUBE (clamp(convert_int_sat(rint(c.w)), 0, __muxkit_layers(image) / 6 - 1) * 6)

O float4 __cube_level(image2d_array_t image, float4 c, int level, int isLinear) {
  int4 size = __sampling_size(image, level);
  struct place p = __cube_place(c.x, c.y, c.z);
  int first = FIRST_CUBE, face = p.face;
  if (!isLinear)
    return __cube_texel(image, size, first, face, __cube_index(p.s, size.x), __cube_index(p.t, size.y));
  float u = p.s * (float)size.x - 0.5f, v = p.t * (float)size.y - 0.5f;
  int x = convert_int_sat(floor(u)), y = convert_int_sat(floor(v));
  FOUR_TEXELS(float4, __cube_texel);
  CORNERS;
  return __cube_mix(__cube_mix(t00, t10, u - floor(u)), __cube_mix(t01, t11, u - floor(u)), v - floor(v));
}
O int4 __cube_level_int(image2d_array_t image, float4 c, int level) {
  int4 size = __sampling_size(image, level);
  struct place p = __cube_place(c.x, c.y, c.z);
  return __cube_texel_int(image, size, FIRST_CUBE, p.face, __cube_index(p.s, size.x), __cube_index(p.t, size.y));
}

O float4 __muxkit_sample_cubef(image2d_array_t image, sampler_t sampler, float4 c, float given) {
  uint s = (uint)sampler, view = __muxkit_view(image);
  float lod = clamp(given, LEAST_LEVEL(s), max(LEAST_LEVEL(s), GREATEST_LEVEL(s)));
  int isLinear = ((s & LINEAR) != 0) != (lod > 0.0f && (s & OTHER_FILTER) != 0), most = MORE_LEVELS(view);
  float at = min(lod, (float)most);
  if (most == 0 || (s & BETWEEN_LEVELS) == 0)
    return __sampling_ordered(__cube_level(image, c, clamp((int)ceil(at + 0.5f) - 1, 0, most), isLinear), view);
  int low = (int)at;
  float4 upper = __cube_level(image, c, low, isLinear);
  if (at == (float)low) return __sampling_ordered(upper, view);
  return __sampling_ordered(__cube_mix(upper, __cube_level(image, c, low + 1, isLinear), at - (float)low), view);
}
O int4 __muxkit_sample_cubei(image2d_array_t image, sampler_t sampler, float4 c, float given) {
  uint s = (uint)sampler, view = __muxkit_view(image);
  float lod = clamp(given, LEAST_LEVEL(s), max(LEAST_LEVEL(s), GREATEST_LEVEL(s)));
  int most = MORE_LEVELS(view), level = clamp((int)ceil(min(lod, (float)most) + 0.5f) - 1, 0, most);
  return __sampling_ordered(__cube_level_int(image, c, level), view);
}
INLINE uint4 __muxkit_sample_cubeui(image2d_array_t image, sampler_t sampler, float4 c, float given) {
  return as_uint4(__muxkit_sample_cubei(image, sampler, c, given));
}

// Four texels of the first level, in Vulkan's order.
#define PART(t) __sampling_picked(part == 0 ? (t).x : part == 1 ? (t).y : part == 2 ? (t).z : (t).w, t, code)
#define GATHER(T, NAME, TEXEL, AT_CORNERS) \
  O T##4 NAME(image2d_array_t image, sampler_t sampler, float4 c, int part) { \
    uint code = __muxkit_view(image) >> (3 * part) & 7u; \
    int4 size = __sampling_size(image, 0); \
    struct place p = __cube_place(c.x, c.y, c.z); \
    int first = FIRST_CUBE, face = p.face; \
    int x = convert_int_sat(floor(p.s * (float)size.x - 0.5f)); \
    int y = convert_int_sat(floor(p.t * (float)size.y - 0.5f)); \
    FOUR_TEXELS(T##4, TEXEL); \
    AT_CORNERS; \
    return (T##4)(PART(t01), PART(t11), PART(t10), PART(t00)); \
  }
GATHER(float, __muxkit_gather_cubef, __cube_texel, CORNERS)
GATHER(int, __muxkit_gather_cubei, __cube_texel_int, (void)face)
INLINE uint4 __muxkit_gather_cubeui(image2d_array_t image, sampler_t sampler, float4 c, int part) {
  return as_uint4(__muxkit_gather_cubei(image, sampler, c, part));
}
