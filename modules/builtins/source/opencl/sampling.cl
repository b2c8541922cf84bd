// Reads of images that shaders have and OpenCL C has not: with an offset in texels, of four texels at once, compared
// with a reference. The arithmetic is that of Vulkan's chapter on image operations: a coordinate becomes texels first,
// then the offset is added, then the index is brought into the image by the sampler's addressing mode. Texels are read
// by the functions of OpenCL C, with a sampler that has the border outside of the image.
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

// Reads a texel by whole coordinates; outside of the image it is the border.
#define BORDERED (CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST)

INLINE int __sampling_modulo(int i, int size) {
  int rest = i % size;
  return rest < 0 ? rest + size : rest;
}
// An index that the addressing mode brings into the image, or one beyond its edge, where the border is.
INLINE int __sampling_wrapped(int i, int size, uint s) {
  if ((s & ADDRESSING) == CLK_ADDRESS_REPEAT) return __sampling_modulo(i, size);
  if ((s & ADDRESSING) == CLK_ADDRESS_MIRRORED_REPEAT) {
    int folded = __sampling_modulo(i, 2 * size);
    return folded < size ? folded : 2 * size - 1 - folded;
  }
  if ((s & ADDRESSING) == CLK_ADDRESS_CLAMP) return clamp(i, -1, size);
  return clamp(i, 0, size - 1);
}
INLINE float4 __sampling_texels(float4 c, int4 size, uint s) {
  return (s & NORMALIZED) == 0 ? c : c * convert_float4(size);
}
// The greatest whole numbers that are not greater, held where they are ints: no image has more texels.
INLINE int4 __sampling_floor(float4 c) { return convert_int4_sat(floor(c)); }

INLINE int4 __sampling_size(image1d_t m) { return (int4)(get_image_width(m), 1, 1, 1); }
INLINE int4 __sampling_size(image1d_array_t m) { return (int4)(get_image_width(m), 1, 1, 1); }
INLINE int4 __sampling_size(image2d_t m) { return (int4)(get_image_width(m), get_image_height(m), 1, 1); }
INLINE int4 __sampling_size(image2d_array_t m) { return (int4)(get_image_width(m), get_image_height(m), 1, 1); }
INLINE int4 __sampling_size(image3d_t m) {
  return (int4)(get_image_width(m), get_image_height(m), get_image_depth(m), 1);
}
// The functions that read hold layers in the image.
INLINE int __sampling_layer(float c) { return convert_int_sat(rint(c)); }

// How each shape reads texel i, whose coordinates are wrapped here; `c` has the layer.
#define WRAP(axis) __sampling_wrapped(i.axis, size.axis, s)
#define AT_1D WRAP(x)
#define AT_1D_ARRAY (int2)(WRAP(x), __sampling_layer(c.y))
#define AT_2D (int2)(WRAP(x), WRAP(y))
#define AT_2D_ARRAY (int4)(WRAP(x), WRAP(y), __sampling_layer(c.z), 0)
#define AT_3D (int4)(WRAP(x), WRAP(y), WRAP(z), 0)
#define PIXEL(IMAGE, T, READ, AT) \
  INLINE T __sampling_##READ(IMAGE image, uint s, int4 size, int4 i, float4 c) { \
    return READ(image, (sampler_t)BORDERED, AT); \
  }
#define PIXELS(IMAGE, AT) \
  PIXEL(IMAGE, float4, read_imagef, AT) PIXEL(IMAGE, int4, read_imagei, AT) PIXEL(IMAGE, uint4, read_imageui, AT)
PIXELS(image1d_t, AT_1D)
PIXELS(image1d_array_t, AT_1D_ARRAY)
PIXELS(image2d_t, AT_2D)
PIXELS(image2d_array_t, AT_2D_ARRAY)
PIXELS(image3d_t, AT_3D)

// Samples with an offset ---------------------------------------------------------------------------

INLINE float4 __sampling_mix(float4 a, float4 b, float w) { return a * (1.0f - w) + b * w; }

#define OPEN \
  uint s = (uint)sampler; \
  int4 size = __sampling_size(image); \
  float4 u = __sampling_texels(c, size, s)
#define NEAREST(IMAGE, T, NAME, READ) \
  INLINE T NAME(IMAGE image, sampler_t sampler, float4 c, int4 offset) { \
    OPEN; \
    return __sampling_##READ(image, s, size, __sampling_floor(u) + offset, c); \
  }
#define TEXEL(X, Y, Z) __sampling_read_imagef(image, s, size, i + (int4)(X, Y, Z, 0), c)
#define ROW(Y, Z) __sampling_mix(TEXEL(0, Y, Z), TEXEL(1, Y, Z), w.x)
#define PLANE(Z) __sampling_mix(ROW(0, Z), ROW(1, Z), w.y)
#define FILTERED(IMAGE, MIXED) \
  O float4 __sampling_linear(IMAGE image, sampler_t sampler, float4 c, int4 offset) { \
    OPEN; \
    float4 w = (u - 0.5f) - floor(u - 0.5f); \
    int4 i = __sampling_floor(u - 0.5f) + offset; \
    return MIXED; \
  } \
  NEAREST(IMAGE, float4, __sampling_nearest, read_imagef) \
  INLINE float4 __muxkit_sample_movedf(IMAGE image, sampler_t sampler, float4 c, int4 offset) { \
    return ((uint)sampler & LINEAR) != 0 ? __sampling_linear(image, sampler, c, offset) \
                                         : __sampling_nearest(image, sampler, c, offset); \
  } \
  NEAREST(IMAGE, int4, __muxkit_sample_movedi, read_imagei) \
  NEAREST(IMAGE, uint4, __muxkit_sample_movedui, read_imageui)
FILTERED(image1d_t, ROW(0, 0))
FILTERED(image1d_array_t, ROW(0, 0))
FILTERED(image2d_t, PLANE(0))
FILTERED(image2d_array_t, PLANE(0))
FILTERED(image3d_t, __sampling_mix(PLANE(0), PLANE(1), w.z))

// Four texels --------------------------------------------------------------------------------------

// The texels that a linear filter mixes, in Vulkan's order; what of each of them is an expression of `v`.
#define FOUR(T, READ, OF) \
  int4 i = __sampling_floor(u - 0.5f) + offset; \
  T v = __sampling_##READ(image, s, size, i + (int4)(0, 1, 0, 0), c); \
  r.x = OF; \
  v = __sampling_##READ(image, s, size, i + (int4)(1, 1, 0, 0), c); \
  r.y = OF; \
  v = __sampling_##READ(image, s, size, i + (int4)(1, 0, 0, 0), c); \
  r.z = OF; \
  v = __sampling_##READ(image, s, size, i, c); \
  r.w = OF;
#define COMPONENT (part == 0 ? v.x : part == 1 ? v.y : part == 2 ? v.z : v.w)
#define GATHER(IMAGE, T, NAME, READ) \
  O T NAME(IMAGE image, sampler_t sampler, float4 c, int4 offset, int part) { \
    OPEN; \
    T r; \
    FOUR(T, READ, COMPONENT) \
    return r; \
  }
#define GATHERS(IMAGE) \
  GATHER(IMAGE, float4, __muxkit_gatherf, read_imagef) \
  GATHER(IMAGE, int4, __muxkit_gatheri, read_imagei) \
  GATHER(IMAGE, uint4, __muxkit_gatherui, read_imageui)
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
#define PASSES __sampling_passes(s, reference, v.x)
#define COMPARED_TEXEL(X, Y) __sampling_passes(s, reference, TEXEL(X, Y, 0).x)
#define COMPARED_ROW(Y) (COMPARED_TEXEL(0, Y) * (1.0f - w.x) + COMPARED_TEXEL(1, Y) * w.x)
#define COMPARE(IMAGE, MIXED) \
  HELD(IMAGE) \
  O float __muxkit_compare(IMAGE image, sampler_t sampler, float4 c, int4 offset, float given) { \
    OPEN; \
    float reference = __sampling_held(image, given); \
    if ((s & LINEAR) == 0) \
      return __sampling_passes(s, reference, __sampling_nearest(image, sampler, c, offset).x); \
    float4 w = (u - 0.5f) - floor(u - 0.5f); \
    int4 i = __sampling_floor(u - 0.5f) + offset; \
    return MIXED; \
  }
#define COMPARE_FLAT(IMAGE) \
  COMPARE(IMAGE, COMPARED_ROW(0) * (1.0f - w.y) + COMPARED_ROW(1) * w.y) \
  O float4 __muxkit_gather_compare(IMAGE image, sampler_t sampler, float4 c, int4 offset, float given) { \
    OPEN; \
    float reference = __sampling_held(image, given); \
    float4 r; \
    FOUR(float4, read_imagef, PASSES) \
    return r; \
  }
COMPARE(image1d_t, COMPARED_ROW(0))
COMPARE(image1d_array_t, COMPARED_ROW(0))
COMPARE_FLAT(image2d_t)
COMPARE_FLAT(image2d_array_t)
