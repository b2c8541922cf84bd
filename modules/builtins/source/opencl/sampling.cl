// SPDX-License-Identifier: Apache-2.0
// Reads of images that shaders have and OpenCL C has not: by a level of detail, with an order of components, with an
// offset in texels, of four texels at once, compared with a reference, of cubes. The arithmetic is that of Vulkan's
// chapter on image operations: a coordinate becomes texels first, then the offset is added, then the index is brought
// into the image by the sampler's addressing mode of the axis.
//
// A plain read (no levels, components in their order, one addressing mode, a transparent border) is OpenCL C's. Levels
// of an image lie below each other with one row pitch, in each layer or slice: a texel of level l is the texel of the
// image so many rows below. How many follows from the height alone, for views that begin at any level too:
//
//     rows(h, l) = h + h/2 + h/4 + … (l numbers, at least 1 each)
//                = 2h - ones(h) - (2(h >> l) - ones(h >> l)) + (levels behind the last bit of h)
//
// Coordinates are always four: those of the texel, then the layer where the image is an array.
#pragma OPENCL FP_CONTRACT OFF
#define O __attribute__((overloadable))
#define INLINE __attribute__((overloadable, always_inline))

#define NORMALIZED 1u
#define ADDRESSING 14u
#define LINEAR 32u
// docs/kernel-abi.md: three bits of a comparison, less, equal and greater, above the bit that says that there is one.
#define COMPARISON(s) ((s) >> 9 & 7u)
// Above them what only shaders have: addressing modes of y and z where they differ from that of x, the border, the
// other filter for texels that become smaller, a filter between levels, the least and the greatest level of detail.
#define MIRROR_EDGE 10u
#define MODE_X(s) ((s) & ADDRESSING)
#define MODE_Y(s) (((s) ^ (s) >> 11) & ADDRESSING)
#define MODE_Z(s) (((s) ^ (s) >> 14) & ADDRESSING)
#define BORDER(s) ((s) >> 18 & 3u)
#define OTHER_FILTER (1u << 20)
#define BETWEEN_LEVELS (1u << 21)
#define LEAST_LEVEL(s) ((float)((s) >> 22 & 15u))
#define GREATEST_LEVEL(s) ((float)(63u - ((s) >> 26)) * 0.25f)
#define PLAIN_SAMPLER(s) (((s) >> 12 & 511u) == 0u && MODE_X(s) != MIRROR_EDGE)
// docs/kernel-abi.md: what a view adds to an image.
#define ORDER(view) ((view) & 0xfffu)
#define MORE_LEVELS(view) ((int)((view) >> 12 & 15u))

// Of image.cl: texels without bounds, and what descriptors say.
#define DECLARED(IMAGE) \
  O float4 __muxkit_pixelf(IMAGE image, int x, int y, int z); \
  O int4 __muxkit_pixeli(IMAGE image, int x, int y, int z); \
  O uint __muxkit_view(IMAGE image); \
  O int __muxkit_layers(IMAGE image); \
  O int __muxkit_channels(IMAGE image);
DECLARED(image1d_t)
DECLARED(image1d_array_t)
DECLARED(image2d_t)
DECLARED(image2d_array_t)
DECLARED(image3d_t)

INLINE int __sampling_modulo(int i, int size) {
  int rest = i % size;
  return rest < 0 ? rest + size : rest;
}
// An index that the addressing mode brings into the image, or one beyond its edge, where the border is.
INLINE int __sampling_wrapped(int i, int size, uint mode) {
  if (mode == CLK_ADDRESS_REPEAT) return __sampling_modulo(i, size);
  if (mode == CLK_ADDRESS_MIRRORED_REPEAT) {
    int folded = __sampling_modulo(i, 2 * size);
    return folded < size ? folded : 2 * size - 1 - folded;
  }
  if (mode == CLK_ADDRESS_CLAMP) return clamp(i, -1, size);
  return clamp(mode == MIRROR_EDGE && i < 0 ? -1 - i : i, 0, size - 1);
}
INLINE float4 __sampling_texels(float4 c, int4 size, uint s) {
  return (s & NORMALIZED) == 0 ? c : c * convert_float4((int4)(size.xyz, 1));
}
// The greatest whole numbers that are not greater, held where they are ints: no image has more texels.
INLINE int4 __sampling_floor(float4 c) { return convert_int4_sat(floor(c)); }
INLINE int __sampling_rows(int h, int level) {
  return 2 * h - popcount(h) - 2 * (h >> level) + popcount(h >> level) + max(0, level - (32 - clz(h)));
}
INLINE int __sampling_side(int size, int level) { return max(size >> level, 1); }

// The size of a level, and the rows above it.
#define SIZE(IMAGE, H, D) \
  INLINE int4 __sampling_size(IMAGE m, int level) { \
    return (int4)(__sampling_side(get_image_width(m), level), __sampling_side(H, level), __sampling_side(D, level), \
                  level == 0 ? 0 : __sampling_rows(H, level)); \
  }
SIZE(image1d_t, 1, 1)
SIZE(image1d_array_t, 1, 1)
SIZE(image2d_t, get_image_height(m), 1)
SIZE(image2d_array_t, get_image_height(m), 1)
SIZE(image3d_t, get_image_height(m), get_image_depth(m))

// Components in the order of a view: each of the result is 0: itself, 1: zero, 2: one, or 3: the first, and so on.
#define PICK(T, ONE) \
  INLINE T __sampling_picked(T own, T##4 v, uint code) { \
    switch (code) { \
      case 1: return (T)0; \
      case 2: return ONE; \
      case 3: return v.x; \
      case 4: return v.y; \
      case 5: return v.z; \
      case 6: return v.w; \
      default: return own; \
    } \
  } \
  INLINE T##4 __sampling_ordered(T##4 v, uint view) { \
    if (ORDER(view) == 0u) return v; \
    return (T##4)(__sampling_picked(v.x, v, view & 7u), __sampling_picked(v.y, v, view >> 3 & 7u), \
                  __sampling_picked(v.z, v, view >> 6 & 7u), __sampling_picked(v.w, v, view >> 9 & 7u)); \
  }
PICK(float, 1.0f)
PICK(int, 1)

// The border: transparent black, opaque black, opaque white. What the format does not have is 0, and alpha 1.
#define BORDERS(IMAGE, T, NAME) \
  INLINE T##4 NAME(IMAGE image, uint s) { \
    int n = __muxkit_channels(image); \
    T white = BORDER(s) == 2u ? (T)1 : (T)0, opaque = BORDER(s) != 0u || n < 4 ? (T)1 : (T)0; \
    return (T##4)(white, n > 1 ? white : (T)0, n > 2 ? white : (T)0, opaque); \
  }

// The functions that read layers hold them in the image.
INLINE int __sampling_layer(float c, int layers) { return clamp(convert_int_sat(rint(c)), 0, layers - 1); }

// Texel i of a level, whose coordinates are wrapped here; `c` has the layer.
#define PIXEL(IMAGE, T, NAME, STORED, BORDER_OF, Y, Z) \
  INLINE T##4 NAME(IMAGE image, uint s, int4 size, int4 i, float4 c) { \
    int x = __sampling_wrapped(i.x, size.x, MODE_X(s)), y = Y, z = Z; \
    if ((uint)x >= (uint)size.x || (uint)y >= (uint)size.y || IS_BEYOND) return BORDER_OF(image, s); \
    return STORED(image, x, y + size.w, z); \
  }
#define PIXELS(IMAGE, Y, Z) \
  BORDERS(IMAGE, float, __sampling_borderf) BORDERS(IMAGE, int, __sampling_borderi) \
  PIXEL(IMAGE, float, __sampling_texelf, __muxkit_pixelf, __sampling_borderf, Y, Z) \
  PIXEL(IMAGE, int, __sampling_texeli, __muxkit_pixeli, __sampling_borderi, Y, Z)
#define WRAP_Y __sampling_wrapped(i.y, size.y, MODE_Y(s))
#define LAYER(axis) __sampling_layer(c.axis, __muxkit_layers(image))
#define IS_BEYOND 0
PIXELS(image1d_t, 0, 0)
PIXELS(image1d_array_t, 0, LAYER(y))
PIXELS(image2d_t, WRAP_Y, 0)
PIXELS(image2d_array_t, WRAP_Y, LAYER(z))
#undef IS_BEYOND
#define IS_BEYOND ((uint)z >= (uint)size.z)
PIXELS(image3d_t, WRAP_Y, __sampling_wrapped(i.z, size.z, MODE_Z(s)))

// Samples of one level -----------------------------------------------------------------------------

INLINE float4 __sampling_mix(float4 a, float4 b, float w) { return a * (1.0f - w) + b * w; }

#define OPEN \
  int4 size = __sampling_size(image, level); \
  float4 u = __sampling_texels(c, size, s)
#define TEXEL(X, Y, Z) __sampling_texelf(image, s, size, i + (int4)(X, Y, Z, 0), c)
#define ROW(Y, Z) __sampling_mix(TEXEL(0, Y, Z), TEXEL(1, Y, Z), w.x)
#define PLANE(Z) __sampling_mix(ROW(0, Z), ROW(1, Z), w.y)
#define LEVEL(IMAGE, MIXED) \
  O float4 __sampling_levelf(IMAGE image, uint s, float4 c, int4 offset, int level, int isLinear) { \
    OPEN; \
    if (!isLinear) return __sampling_texelf(image, s, size, __sampling_floor(u) + offset, c); \
    float4 w = (u - 0.5f) - floor(u - 0.5f); \
    int4 i = __sampling_floor(u - 0.5f) + offset; \
    return MIXED; \
  } \
  O int4 __sampling_leveli(IMAGE image, uint s, float4 c, int4 offset, int level, int isLinear) { \
    OPEN; \
    return __sampling_texeli(image, s, size, __sampling_floor(u) + offset, c); \
  }
LEVEL(image1d_t, ROW(0, 0))
LEVEL(image1d_array_t, ROW(0, 0))
LEVEL(image2d_t, PLANE(0))
LEVEL(image2d_array_t, PLANE(0))
LEVEL(image3d_t, __sampling_mix(PLANE(0), PLANE(1), w.z))

// Samples by a level of detail ---------------------------------------------------------------------

INLINE float __sampling_detail(uint s, float lod) {
  return clamp(lod, LEAST_LEVEL(s), max(LEAST_LEVEL(s), GREATEST_LEVEL(s)));
}
// Texels that become larger have one filter, those that become smaller the other.
INLINE int __sampling_is_linear(uint s, float lod) {
  return ((s & LINEAR) != 0) != (lod > 0.0f && (s & OTHER_FILTER) != 0);
}
// What a function of one level gives for a level of detail.
#define BY_DETAIL(T, OF_LEVEL, MIX) { \
    float lod = __sampling_detail(s, given); \
    int isLinear = __sampling_is_linear(s, lod), most = MORE_LEVELS(view); \
    if (most == 0) return OF_LEVEL(0); \
    float at = min(lod, (float)most); \
    if ((s & BETWEEN_LEVELS) == 0) return OF_LEVEL(clamp((int)ceil(at + 0.5f) - 1, 0, most)); \
    int low = (int)at; \
    T upper = OF_LEVEL(low); \
    return at == (float)low ? upper : MIX(upper, OF_LEVEL(low + 1), at - (float)low); \
  }
#define FIRST_OF(a, b, w) a
#define OF_LEVEL_F(level) __sampling_levelf(image, s, c, offset, level, isLinear)
#define OF_LEVEL_I(level) __sampling_leveli(image, s, c, offset, level, isLinear)
#define DETAIL(IMAGE, PLAIN) \
  O float4 __sampling_detailf(IMAGE image, uint s, float4 c, int4 offset, float given, uint view) \
    BY_DETAIL(float4, OF_LEVEL_F, __sampling_mix) \
  O int4 __sampling_detaili(IMAGE image, uint s, float4 c, int4 offset, float given, uint view) \
    BY_DETAIL(int4, OF_LEVEL_I, FIRST_OF) \
  INLINE float4 __muxkit_samplef(IMAGE image, sampler_t sampler, float4 c, float lod) { \
    uint s = (uint)sampler, view = __muxkit_view(image); \
    if (view == 0u && PLAIN_SAMPLER(s)) return read_imagef(image, sampler, PLAIN); \
    return __sampling_ordered(__sampling_detailf(image, s, c, (int4)0, lod, view), view); \
  } \
  INLINE int4 __muxkit_samplei(IMAGE image, sampler_t sampler, float4 c, float lod) { \
    uint s = (uint)sampler, view = __muxkit_view(image); \
    if (view == 0u && PLAIN_SAMPLER(s)) return read_imagei(image, sampler, PLAIN); \
    return __sampling_ordered(__sampling_detaili(image, s, c, (int4)0, lod, view), view); \
  } \
  INLINE uint4 __muxkit_sampleui(IMAGE image, sampler_t sampler, float4 c, float lod) { \
    return as_uint4(__muxkit_samplei(image, sampler, c, lod)); \
  } \
  INLINE float4 __muxkit_sample_movedf(IMAGE image, sampler_t sampler, float4 c, float lod, int4 offset) { \
    uint view = __muxkit_view(image); \
    return __sampling_ordered(__sampling_detailf(image, (uint)sampler, c, offset, lod, view), view); \
  } \
  INLINE int4 __muxkit_sample_movedi(IMAGE image, sampler_t sampler, float4 c, float lod, int4 offset) { \
    uint view = __muxkit_view(image); \
    return __sampling_ordered(__sampling_detaili(image, (uint)sampler, c, offset, lod, view), view); \
  } \
  INLINE uint4 __muxkit_sample_movedui(IMAGE image, sampler_t sampler, float4 c, float lod, int4 offset) { \
    return as_uint4(__muxkit_sample_movedi(image, sampler, c, lod, offset)); \
  }
DETAIL(image1d_t, c.x)
DETAIL(image1d_array_t, c.xy)
DETAIL(image2d_t, c.xy)
DETAIL(image2d_array_t, c)
DETAIL(image3d_t, c)

// The level of detail that gradients of coordinates lead to.
#define GRADIENTS(IMAGE) \
  O float __muxkit_detail(IMAGE image, float4 dx, float4 dy) { \
    int4 size = __sampling_size(image, 0); \
    float4 x = dx * convert_float4((int4)(size.xyz, 0)), y = dy * convert_float4((int4)(size.xyz, 0)); \
    return 0.5f * log2(fmax(dot(x, x), dot(y, y))); \
  }
GRADIENTS(image1d_t)
GRADIENTS(image1d_array_t)
GRADIENTS(image2d_t)
GRADIENTS(image2d_array_t)
GRADIENTS(image3d_t)

// Texels of levels, without a sampler: beyond the edges the nearest texel, as everywhere.
#define FETCH(IMAGE, PLAIN, Y, Z) \
  INLINE int __muxkit_levels(IMAGE image) { return MORE_LEVELS(__muxkit_view(image)) + 1; } \
  FETCH_ONE(IMAGE, float, __muxkit_fetchf, read_imagef, __muxkit_pixelf, PLAIN, Y, Z) \
  FETCH_ONE(IMAGE, int, __muxkit_fetchi, read_imagei, __muxkit_pixeli, PLAIN, Y, Z) \
  INLINE uint4 __muxkit_fetchui(IMAGE image, int4 c, int lod) { return as_uint4(__muxkit_fetchi(image, c, lod)); }
#define FETCH_ONE(IMAGE, T, NAME, READ, STORED, PLAIN, Y, Z) \
  O T##4 __sampling_level_of(IMAGE image, int4 c, int lod, uint view, T unused) { \
    int4 size = __sampling_size(image, clamp(lod, 0, MORE_LEVELS(view))); \
    return __sampling_ordered(STORED(image, clamp(c.x, 0, size.x - 1), Y + size.w, Z), view); \
  } \
  INLINE T##4 NAME(IMAGE image, int4 c, int lod) { \
    uint view = __muxkit_view(image); \
    if (view == 0u) return READ(image, PLAIN); \
    return __sampling_level_of(image, c, lod, view, (T)0); \
  }
#define EDGE_Y clamp(c.y, 0, size.y - 1)
#define EDGE_LAYER(axis) clamp(c.axis, 0, __muxkit_layers(image) - 1)
FETCH(image1d_t, c.x, 0, 0)
FETCH(image1d_array_t, c.xy, 0, EDGE_LAYER(y))
FETCH(image2d_t, c.xy, EDGE_Y, 0)
FETCH(image2d_array_t, c, EDGE_Y, EDGE_LAYER(z))
FETCH(image3d_t, c, EDGE_Y, clamp(c.z, 0, size.z - 1))

// Four texels --------------------------------------------------------------------------------------

// The texels that a linear filter mixes, in Vulkan's order; what of each of them is an expression of `v`.
#define FOUR(T, READ, OF) \
  int4 i = __sampling_floor(u - 0.5f) + offset; \
  T v = READ(image, s, size, i + (int4)(0, 1, 0, 0), c); \
  r.x = OF; \
  v = READ(image, s, size, i + (int4)(1, 1, 0, 0), c); \
  r.y = OF; \
  v = READ(image, s, size, i + (int4)(1, 0, 0, 0), c); \
  r.z = OF; \
  v = READ(image, s, size, i, c); \
  r.w = OF;
#define COMPONENT (part == 0 ? v.x : part == 1 ? v.y : part == 2 ? v.z : v.w)
#define GATHER(IMAGE, T, NAME, READ) \
  O T##4 NAME(IMAGE image, sampler_t sampler, float4 c, int4 offset, int part) { \
    uint s = (uint)sampler, view = __muxkit_view(image); \
    int level = 0; \
    OPEN; \
    T##4 r; \
    if (ORDER(view) == 0u) { FOUR(T##4, READ, COMPONENT) return r; } \
    uint code = view >> (3 * part) & 7u; \
    { FOUR(T##4, READ, __sampling_picked(COMPONENT, v, code)) } \
    return r; \
  }
#define GATHERS(IMAGE) \
  GATHER(IMAGE, float, __muxkit_gatherf, __sampling_texelf) \
  GATHER(IMAGE, int, __muxkit_gatheri, __sampling_texeli) \
  INLINE uint4 __muxkit_gatherui(IMAGE image, sampler_t sampler, float4 c, int4 offset, int part) { \
    return as_uint4(__muxkit_gatheri(image, sampler, c, offset, part)); \
  }
GATHERS(image2d_t)
GATHERS(image2d_array_t)

// Comparisons --------------------------------------------------------------------------------------

// 1 where the comparison of the sampler holds between the reference and a texel.
INLINE float __sampling_passes(uint s, float reference, float depth) {
  uint all = COMPARISON(s);
  uint holds = (reference < depth ? 1u : 0u) | (reference == depth ? 2u : 0u) | (reference > depth ? 4u : 0u);
  return all == 7u || (all & holds) != 0u ? 1.0f : 0.0f;
}
// Depths of whole numbers are 0 to 1, and so is what is compared with them.
#define HELD(IMAGE) \
  INLINE float __sampling_held(IMAGE image, float reference) { \
    return get_image_channel_data_type(image) == CLK_FLOAT ? reference : clamp(reference, 0.0f, 1.0f); \
  }
#define DEPTH(v) __sampling_ordered(v, view).x
#define PASSES __sampling_passes(s, reference, DEPTH(v))
#define COMPARED_TEXEL(X, Y) __sampling_passes(s, reference, DEPTH(TEXEL(X, Y, 0)))
#define COMPARED_ROW(Y) (COMPARED_TEXEL(0, Y) * (1.0f - w.x) + COMPARED_TEXEL(1, Y) * w.x)
#define MIX_ONE(a, b, w) ((a) * (1.0f - (w)) + (b) * (w))
#define OF_LEVEL_C(level) __sampling_compared(image, s, c, offset, level, isLinear, reference, view)
#define COMPARE(IMAGE, MIXED) \
  HELD(IMAGE) \
  O float __sampling_compared(IMAGE image, uint s, float4 c, int4 offset, int level, int isLinear, float reference, \
                              uint view) { \
    OPEN; \
    if (!isLinear) { \
      float4 nearest = __sampling_texelf(image, s, size, __sampling_floor(u) + offset, c); \
      return __sampling_passes(s, reference, DEPTH(nearest)); \
    } \
    float4 w = (u - 0.5f) - floor(u - 0.5f); \
    int4 i = __sampling_floor(u - 0.5f) + offset; \
    return MIXED; \
  } \
  O float __sampling_compare(IMAGE image, uint s, float4 c, float given, int4 offset, float reference, uint view) \
    BY_DETAIL(float, OF_LEVEL_C, MIX_ONE) \
  INLINE float __muxkit_compare(IMAGE image, sampler_t sampler, float4 c, float lod, int4 offset, float reference) { \
    float held = __sampling_held(image, reference); \
    return __sampling_compare(image, (uint)sampler, c, lod, offset, held, __muxkit_view(image)); \
  }
#define COMPARE_FLAT(IMAGE) \
  COMPARE(IMAGE, COMPARED_ROW(0) * (1.0f - w.y) + COMPARED_ROW(1) * w.y) \
  O float4 __muxkit_gather_compare(IMAGE image, sampler_t sampler, float4 c, int4 offset, float given) { \
    uint s = (uint)sampler, view = __muxkit_view(image); \
    int level = 0; \
    OPEN; \
    float reference = __sampling_held(image, given); \
    float4 r; \
    FOUR(float4, __sampling_texelf, PASSES) \
    return r; \
  }
COMPARE(image1d_t, COMPARED_ROW(0))
COMPARE(image1d_array_t, COMPARED_ROW(0))
COMPARE_FLAT(image2d_t)
COMPARE_FLAT(image2d_array_t)
