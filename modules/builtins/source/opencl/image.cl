// Images: reads, filters, writes, queries (OpenCL C 6.12.14; the arithmetic is that of the specification's chapter
// 8). What depends on the sampler is inlined, so that a constant sampler leaves only its own path; so are the two most
// frequent formats. The other formats are in functions of their own. There are no loops and no tables here: functions
// with either take a long list of hidden parameters.
#pragma OPENCL FP_CONTRACT OFF
#define O __attribute__((overloadable))
#define INLINE __attribute__((overloadable, always_inline))

// docs/kernel-abi.md: the descriptor. Slices are those of a 3-D image or the layers of an array. The address of the
// first pixel is in two words, so that the descriptor is the same for devices with 32-bit and with 64-bit addresses.
struct image {
  uint pixels_low, width, height, slices;
  uint row, slice;
  uint order, type;
  uint size, channels;
  uint pixels_high, view;
};
typedef constant struct image *descriptor;

O sampler_t __muxkit_sampler(uint bits) { return (sampler_t)bits; }

#define NORMALIZED 1u
#define ADDRESSING 14u
#define LINEAR 32u

// Addresses and coordinates ------------------------------------------------------------------------

INLINE int __image_has(descriptor d, int x, int y, int z) {
  return (uint)x < d->width && (uint)y < d->height && (uint)z < d->slices;
}
// Only CLK_ADDRESS_CLAMP leads outside; every other addressing mode has brought the coordinates inside.
INLINE int __image_beyond(descriptor d, uint sampler, int x, int y, int z) {
  return (sampler & ADDRESSING) == CLK_ADDRESS_CLAMP && !__image_has(d, x, y, z);
}
#if MUXKIT_SIZE_BITS == 64
INLINE global uchar *__image_pixels(descriptor d) {
  return (global uchar *)((ulong)d->pixels_high << 32 | (ulong)d->pixels_low);
}
#else
INLINE global uchar *__image_pixels(descriptor d) { return (global uchar *)d->pixels_low; }
#endif
// The address of a row, and of a pixel in it. The pixel is a 32-bit index from the row, so that the vectoriser
// recognises neighbouring pixels as consecutive memory. Offsets of rows and slices may exceed 32 bits.
INLINE global uchar *__image_row(descriptor d, int y, int z) {
  return __image_pixels(d) + ((size_t)(uint)y * (size_t)d->row + (size_t)(uint)z * (size_t)d->slice);
}
INLINE global uchar *__image_address(descriptor d, int x, int y, int z) {
  return __image_row(d, y, z) + (uint)x * d->size;
}

// An index brought into the image; a clamp leaves the one beyond each edge, where the border is read. Without any
// addressing the edge serves too: nothing else is read, whatever the program does.
INLINE int __image_held(int i, uint size, uint sampler) {
  int isClamp = (sampler & ADDRESSING) == CLK_ADDRESS_CLAMP;
  return clamp(i, isClamp ? -1 : 0, isClamp ? (int)size : (int)size - 1);
}
INLINE int __image_edge(int i, uint size) { return clamp(i, 0, (int)size - 1); }
INLINE int __image_layer(float c, uint size) { return clamp((int)rint(c), 0, (int)size - 1); }
INLINE int __image_layer(int c, uint size) { return clamp(c, 0, (int)size - 1); }

// Repetition is defined for normalised coordinates only; others are held at the edges.
INLINE int __image_repeats(uint sampler) {
  return (sampler & (ADDRESSING | NORMALIZED)) == (CLK_ADDRESS_REPEAT | NORMALIZED);
}

// A coordinate in pixels.
INLINE float __image_unfolded(float c, uint size, uint sampler) {
  if ((sampler & NORMALIZED) == 0) return c;
  float folded = c;
  if ((sampler & ADDRESSING) == CLK_ADDRESS_REPEAT) folded = c - floor(c);
  else if ((sampler & ADDRESSING) == CLK_ADDRESS_MIRRORED_REPEAT) folded = fabs(c - 2.0f * rint(0.5f * c));
  return folded * (float)size;
}
INLINE int __image_nearest(float c, uint size, uint sampler) {
  int i = (int)floor(__image_unfolded(c, size, sampler));
  if (__image_repeats(sampler)) return i > (int)size - 1 ? i - (int)size : i;
  return __image_held(i, size, sampler);
}
INLINE int __image_first(float u, uint size) { return clamp((int)floor(u - 0.5f), -2, (int)size + 1); }
INLINE int __image_low(int i, uint size, uint sampler) {
  if (__image_repeats(sampler)) return i < 0 ? i + (int)size : i;
  return __image_held(i, size, sampler);
}
INLINE int __image_high(int i, uint size, uint sampler) {
  if (__image_repeats(sampler)) return i + 1 > (int)size - 1 ? i + 1 - (int)size : i + 1;
  return __image_held(i + 1, size, sampler);
}
INLINE float __image_weight(float u) { return (u - 0.5f) - floor(u - 0.5f); }

// Pixels to components -----------------------------------------------------------------------------

// Pixels are aligned to their sizes: pitches are multiples of them (5.3.1.2).
// Channels in memory order; those that are not stored are zero and are not read.
#define CHANNELS(T) \
  (n == 4 ? *(global const T##4 *)p \
          : (T##4)(((global const T *)p)[0], n > 1 ? ((global const T *)p)[1] : (T)0, \
                   n > 2 ? ((global const T *)p)[2] : (T)0, (T)0))

// Stored integers become the fractions that are nearest to them, as programs expect that multiply by 65535 to have the
// integer back: the first product with a part of 1/n is exact, so only the sum is rounded.
#define PARTS_31 0x1.0842p-5f, 0x1.08421p-25f
#define PARTS_63 0x1.041p-6f, 0x1.041042p-24f
#define PARTS_127 0x1.0204p-7f, 0x1.020408p-28f
#define PARTS_255 0x1.01p-8f, 0x1.010102p-24f
#define PARTS_1023 0x1.004p-10f, 0x1.00401p-30f
#define PARTS_32767 0x1p-15f, 0x1.0002p-30f
#define PARTS_65535 0x1p-16f, 0x1.0001p-32f
INLINE float4 __image_fractions(float4 c, float high, float low) { return c * high + c * low; }

INLINE float4 __image_halves(global const half *p, uint n) {
  if (n == 4) return vload_half4(0, p);
  return (float4)(vload_half(0, p), n > 1 ? vload_half(1, p) : 0.0f, n > 2 ? vload_half(2, p) : 0.0f, 0.0f);
}

O float4 __image_floats(descriptor d, global const uchar *p) {
  uint n = d->channels;
  switch (d->type) {
    case CLK_UNORM_INT8: return __image_fractions(convert_float4(CHANNELS(uchar)), PARTS_255);
    case CLK_FLOAT: return CHANNELS(float);
    case CLK_HALF_FLOAT: return __image_halves((global const half *)p, n);
    case CLK_UNORM_INT16: return __image_fractions(convert_float4(CHANNELS(ushort)), PARTS_65535);
    case CLK_SNORM_INT8: return fmax(__image_fractions(convert_float4(CHANNELS(char)), PARTS_127), -1.0f);
    case CLK_SNORM_INT16: return fmax(__image_fractions(convert_float4(CHANNELS(short)), PARTS_32767), -1.0f);
    case CLK_UNORM_SHORT_565: {
      int w = *(global const ushort *)p;
      float4 v = convert_float4((int4)(w >> 11, w >> 5 & 63, w & 31, 0)), fives = __image_fractions(v, PARTS_31);
      return (float4)(fives.x, __image_fractions(v, PARTS_63).y, fives.z, 0.0f);
    }
    case CLK_UNORM_SHORT_555: {
      int w = *(global const ushort *)p;
      return __image_fractions(convert_float4((int4)(w >> 10 & 31, w >> 5 & 31, w & 31, 0)), PARTS_31);
    }
    case CLK_UNORM_INT_101010: {
      int w = *(global const int *)p;
      return __image_fractions(convert_float4((int4)(w >> 20 & 1023, w >> 10 & 1023, w & 1023, 0)), PARTS_1023);
    }
    case CLK_UNORM_INT_101010_2: {
      uint w = *(global const uint *)p;
      return (float4)(
          __image_fractions(convert_float4((uint4)(w >> 22, w >> 12 & 1023, w >> 2 & 1023, 0)), PARTS_1023).xyz,
          (float)(w & 3) / 3.0f);
    }
    default: return 0.0f;
  }
}

O int4 __image_ints(descriptor d, global const uchar *p) {
  uint n = d->channels;
  switch (d->type) {
    case CLK_UNSIGNED_INT8: return convert_int4(CHANNELS(uchar));
    case CLK_SIGNED_INT8: return convert_int4(CHANNELS(char));
    case CLK_UNSIGNED_INT16: return convert_int4(CHANNELS(ushort));
    case CLK_SIGNED_INT16: return convert_int4(CHANNELS(short));
    case CLK_UNSIGNED_INT32: case CLK_SIGNED_INT32: return CHANNELS(int);
    default: return 0;
  }
}

// Stored channels to red, green, blue, alpha, by their bits: what is not stored is 0, alpha 1 in the format's type.
INLINE int4 __image_arranged(uint order, int4 v, int one) {
  switch (order) {
    case CLK_R: case CLK_Rx: case CLK_DEPTH: return (int4)(v.x, 0, 0, one);
    case CLK_A: return (int4)(0, 0, 0, v.x);
    case CLK_RG: case CLK_RGx: return (int4)(v.x, v.y, 0, one);
    case CLK_RA: return (int4)(v.x, 0, 0, v.y);
    case CLK_RGB: case CLK_RGBx: return (int4)(v.x, v.y, v.z, one);
    case CLK_BGRA: case CLK_sBGRA: return v.zyxw;
    case CLK_ARGB: return v.yzwx;
    case CLK_ABGR: return v.wzyx;
    case CLK_INTENSITY: return v.xxxx;
    case CLK_LUMINANCE: return (int4)(v.x, v.x, v.x, one);
    default: return v;
  }
}
INLINE int4 __image_stored(uint order, int4 v) {
  switch (order) {
    case CLK_A: return v.wwww;
    case CLK_RA: return v.xwww;
    case CLK_BGRA: case CLK_sBGRA: return v.zyxw;
    case CLK_ARGB: return v.wxyz;
    case CLK_ABGR: return v.wzyx;
    default: return v;
  }
}

// Formats of integers. A function for the other kind of format, of which the specification says nothing, moves the bits
// of the components (docs/decisions/064-bits-of-pixels.md): read_imagei of a CL_FLOAT image has the numbers that
// as_float4 makes floats of, and write_imagef writes the bits of floats as integers.
INLINE int __image_is_int(descriptor d) { return d->type - CLK_SIGNED_INT8 < 6u; }

// Orders with an alpha of 1 outside: R, RG, RGB, LUMINANCE, DEPTH.
INLINE int __image_border(descriptor d) { return (int)(8725u >> (d->order - CLK_R) & 1u); }
INLINE int __image_is_srgb(descriptor d) { return d->order - CLK_sRGBA < 2u; }

// x to the power of 2.4: x^2 times the fifth root of x^2, by Newton's steps from a guess out of the exponent.
O float __image_linear(float c) {
  if (c <= 0.04045f) return c / 12.92f;
  float x = (c + 0.055f) / 1.055f, v = x * x;
  float r = as_float(as_uint(v) / 5u + 0x32cccccdu);
  r = (4.0f * r + v / (r * r * r * r)) * 0.2f;
  r = (4.0f * r + v / (r * r * r * r)) * 0.2f;
  r = (4.0f * r + v / (r * r * r * r)) * 0.2f;
  return v * r;
}
// x to the power of 5/12: the fourth root of the cube root of x^5.
O float __image_encoded(float x) {
  if (!(x > 0.0f)) return 0.0f;
  if (x >= 1.0f) return 1.0f;
  if (x < 0.0031308f) return x * 12.92f;
  float v = x * x * x * x * x;
  float r = as_float(as_uint(v) / 3u + 0x2a514067u);
  r = (2.0f * r + v / (r * r)) / 3.0f;
  r = (2.0f * r + v / (r * r)) / 3.0f;
  r = (2.0f * r + v / (r * r)) / 3.0f;
  return 1.055f * sqrt(sqrt(r)) - 0.055f;
}

// The bits of a pixel in any format.
O int4 __image_texel(descriptor d, global const uchar *p) {
  if (__image_is_int(d)) return __image_arranged(d->order, __image_ints(d, p), 1);
  float4 v = as_float4(__image_arranged(d->order, as_int4(__image_floats(d, p)), as_int(1.0f)));
  if (__image_is_srgb(d)) v = (float4)(__image_linear(v.x), __image_linear(v.y), __image_linear(v.z), v.w);
  return as_int4(v);
}
// The most frequent formats are inlined: their tests of the descriptor are loop-invariant and leave the loops around
// them.
INLINE float4 __image_pixel(descriptor d, uint sampler, int x, int y, int z) {
  if (__image_beyond(d, sampler, x, y, z)) return (float4)(0.0f, 0.0f, 0.0f, (float)__image_border(d));
  if (d->type == CLK_UNORM_INT8 && d->order == CLK_RGBA)
    return __image_fractions(convert_float4(((global const uchar4 *)__image_row(d, y, z))[x]), PARTS_255);
  if (d->type == CLK_FLOAT && d->order == CLK_RGBA) return ((global const float4 *)__image_row(d, y, z))[x];
  return as_float4(__image_texel(d, __image_address(d, x, y, z)));
}
INLINE int4 __image_pixel_int(descriptor d, uint sampler, int x, int y, int z) {
  if (__image_beyond(d, sampler, x, y, z)) return (int4)(0, 0, 0, __image_border(d));
  return __image_texel(d, __image_address(d, x, y, z));
}

// Linear filters -----------------------------------------------------------------------------------

INLINE float4 __image_mix(float4 a, float4 b, float w) { return a * (1.0f - w) + b * w; }

O float4 __image_linear1(descriptor d, uint s, float x, int layer) {
  float u = __image_unfolded(x, d->width, s);
  int i = __image_first(u, d->width);
  return __image_mix(__image_pixel(d, s, __image_low(i, d->width, s), 0, layer),
                     __image_pixel(d, s, __image_high(i, d->width, s), 0, layer), __image_weight(u));
}
O float4 __image_linear2(descriptor d, uint s, float x, float y, int layer) {
  float u = __image_unfolded(x, d->width, s), v = __image_unfolded(y, d->height, s);
  int i = __image_first(u, d->width), j = __image_first(v, d->height);
  int i0 = __image_low(i, d->width, s), i1 = __image_high(i, d->width, s);
  int j0 = __image_low(j, d->height, s), j1 = __image_high(j, d->height, s);
  float a = __image_weight(u);
  float4 top = __image_mix(__image_pixel(d, s, i0, j0, layer), __image_pixel(d, s, i1, j0, layer), a);
  float4 bottom = __image_mix(__image_pixel(d, s, i0, j1, layer), __image_pixel(d, s, i1, j1, layer), a);
  return __image_mix(top, bottom, __image_weight(v));
}
O float4 __image_linear3(descriptor d, uint s, float x, float y, float z) {
  float w = __image_unfolded(z, d->slices, s);
  int k = __image_first(w, d->slices);
  return __image_mix(__image_linear2(d, s, x, y, __image_low(k, d->slices, s)),
                     __image_linear2(d, s, x, y, __image_high(k, d->slices, s)), __image_weight(w));
}

// The functions of the language: reads -------------------------------------------------------------

#define OPEN descriptor d = (descriptor)image; uint s = (uint)sampler

#define FLOATS(v) v
#define DEPTHS(v) ((v).x)
#define INTS(v) v
#define UINTS(v) as_uint4(v)

#define NEAREST(c, size) __image_nearest(c, d->size, s)
#define HELD(c, size) __image_held(c, d->size, s)
#define EDGE(c, size) __image_edge(c, d->size)
#define LAYER(c) __image_layer(c, d->slices)

// One image type: coordinates as floats, ints, and ints without a sampler; what a linear filter does.
#define READ(IMAGE, F, I, T, name, pixel, X, IN_FLOATS, IN_INTS, ALONE) \
  INLINE T name(IMAGE image, sampler_t sampler, F c) { OPEN; return X(pixel(d, s, IN_FLOATS)); } \
  INLINE T name(IMAGE image, sampler_t sampler, I c) { OPEN; return X(pixel(d, s, IN_INTS)); } \
  INLINE T name(IMAGE image, I c) { descriptor d = (descriptor)image; return X(pixel(d, 0u, ALONE)); }
#define READ_FLOATS(IMAGE, F, I, T, X, LINEARLY, IN_FLOATS, IN_INTS, ALONE) \
  INLINE T read_imagef(IMAGE image, sampler_t sampler, F c) { \
    OPEN; \
    return (s & LINEAR) != 0 ? X(LINEARLY) : X(__image_pixel(d, s, IN_FLOATS)); \
  } \
  INLINE T read_imagef(IMAGE image, sampler_t sampler, I c) { OPEN; return X(__image_pixel(d, s, IN_INTS)); } \
  INLINE T read_imagef(IMAGE image, I c) { descriptor d = (descriptor)image; return X(__image_pixel(d, 0u, ALONE)); }
#define LIST(...) __VA_ARGS__
#define READS(IMAGE, F, I, LINEARLY, IN_FLOATS, IN_INTS, ALONE) \
  READ_FLOATS(IMAGE, F, I, float4, FLOATS, LINEARLY, LIST(IN_FLOATS), LIST(IN_INTS), LIST(ALONE)) \
  READ(IMAGE, F, I, int4, read_imagei, __image_pixel_int, INTS, LIST(IN_FLOATS), LIST(IN_INTS), LIST(ALONE)) \
  READ(IMAGE, F, I, uint4, read_imageui, __image_pixel_int, UINTS, LIST(IN_FLOATS), LIST(IN_INTS), LIST(ALONE))

READS(image1d_t, float, int, __image_linear1(d, s, c, 0),
      LIST(NEAREST(c, width), 0, 0),
      LIST(HELD(c, width), 0, 0),
      LIST(EDGE(c, width), 0, 0))
READS(image1d_array_t, float2, int2, __image_linear1(d, s, c.x, LAYER(c.y)),
      LIST(NEAREST(c.x, width), 0, LAYER(c.y)),
      LIST(HELD(c.x, width), 0, LAYER(c.y)),
      LIST(EDGE(c.x, width), 0, LAYER(c.y)))
READS(image2d_t, float2, int2, __image_linear2(d, s, c.x, c.y, 0),
      LIST(NEAREST(c.x, width), NEAREST(c.y, height), 0),
      LIST(HELD(c.x, width), HELD(c.y, height), 0),
      LIST(EDGE(c.x, width), EDGE(c.y, height), 0))
READS(image2d_array_t, float4, int4, __image_linear2(d, s, c.x, c.y, LAYER(c.z)),
      LIST(NEAREST(c.x, width), NEAREST(c.y, height), LAYER(c.z)),
      LIST(HELD(c.x, width), HELD(c.y, height), LAYER(c.z)),
      LIST(EDGE(c.x, width), EDGE(c.y, height), LAYER(c.z)))
READS(image3d_t, float4, int4, __image_linear3(d, s, c.x, c.y, c.z),
      LIST(NEAREST(c.x, width), NEAREST(c.y, height), NEAREST(c.z, slices)),
      LIST(HELD(c.x, width), HELD(c.y, height), HELD(c.z, slices)),
      LIST(EDGE(c.x, width), EDGE(c.y, height), EDGE(c.z, slices)))
READ_FLOATS(image2d_depth_t, float2, int2, float, DEPTHS, __image_linear2(d, s, c.x, c.y, 0),
      LIST(NEAREST(c.x, width), NEAREST(c.y, height), 0),
      LIST(HELD(c.x, width), HELD(c.y, height), 0),
      LIST(EDGE(c.x, width), EDGE(c.y, height), 0))
READ_FLOATS(image2d_array_depth_t, float4, int4, float, DEPTHS, __image_linear2(d, s, c.x, c.y, LAYER(c.z)),
      LIST(NEAREST(c.x, width), NEAREST(c.y, height), LAYER(c.z)),
      LIST(HELD(c.x, width), HELD(c.y, height), LAYER(c.z)),
      LIST(EDGE(c.x, width), EDGE(c.y, height), LAYER(c.z)))
INLINE float4 read_imagef(image1d_buffer_t image, int c) {
  descriptor d = (descriptor)image;
  return __image_pixel(d, 0u, EDGE(c, width), 0, 0);
}
INLINE int4 read_imagei(image1d_buffer_t image, int c) {
  descriptor d = (descriptor)image;
  return __image_pixel_int(d, 0u, EDGE(c, width), 0, 0);
}
INLINE uint4 read_imageui(image1d_buffer_t image, int c) {
  descriptor d = (descriptor)image;
  return as_uint4(__image_pixel_int(d, 0u, EDGE(c, width), 0, 0));
}

// Components to pixels -----------------------------------------------------------------------------

#define STORE(T, value) { \
    T##4 c = value; \
    global T *q = (global T *)p; \
    if (n == 4) { *(global T##4 *)p = c; return; } \
    q[0] = c.x; \
    if (n > 1) q[1] = c.y; \
    if (n > 2) q[2] = c.z; \
    return; \
  }

// Components of a format of integers.
O void __image_put_ints(descriptor d, global uchar *p, int4 color) {
  uint n = d->channels;
  int4 v = __image_stored(d->order, color);
  switch (d->type) {
    case CLK_SIGNED_INT8: STORE(char, convert_char4_sat(v))
    case CLK_SIGNED_INT16: STORE(short, convert_short4_sat(v))
    case CLK_UNSIGNED_INT8: STORE(uchar, convert_uchar4_sat(as_uint4(v)))
    case CLK_UNSIGNED_INT16: STORE(ushort, convert_ushort4_sat(as_uint4(v)))
    case CLK_SIGNED_INT32: case CLK_UNSIGNED_INT32: STORE(int, v)
  }
}

// Components of any other format.
O void __image_put_floats(descriptor d, global uchar *p, float4 color) {
  uint n = d->channels;
  float4 linear = __image_is_srgb(d)
      ? (float4)(__image_encoded(color.x), __image_encoded(color.y), __image_encoded(color.z), color.w)
      : color;
  float4 v = as_float4(__image_stored(d->order, as_int4(linear)));
  switch (d->type) {
    case CLK_UNORM_INT8: STORE(uchar, convert_uchar4_sat_rte(v * 255.0f))
    case CLK_FLOAT: STORE(float, v)
    case CLK_HALF_FLOAT: {
      global half *q = (global half *)p;
      vstore_half(v.x, 0, q);
      if (n > 1) vstore_half(v.y, 1, q);
      if (n > 2) vstore_half(v.z, 2, q);
      if (n > 3) vstore_half(v.w, 3, q);
      return;
    }
    case CLK_UNORM_INT16: STORE(ushort, convert_ushort4_sat_rte(v * 65535.0f))
    case CLK_SNORM_INT8: STORE(char, convert_char4_sat_rte(v * 127.0f))
    case CLK_SNORM_INT16: STORE(short, convert_short4_sat_rte(v * 32767.0f))
    case CLK_UNORM_SHORT_565: {
      int4 c = clamp(convert_int4_sat_rte(v * (float4)(31.0f, 63.0f, 31.0f, 0.0f)), (int4)(0), (int4)(31, 63, 31, 0));
      *(global ushort *)p = (ushort)(c.x << 11 | c.y << 5 | c.z);
      return;
    }
    case CLK_UNORM_SHORT_555: {
      int4 c = clamp(convert_int4_sat_rte(v * 31.0f), 0, 31);
      *(global ushort *)p = (ushort)(c.x << 10 | c.y << 5 | c.z);
      return;
    }
    case CLK_UNORM_INT_101010: {
      int4 c = clamp(convert_int4_sat_rte(v * 1023.0f), 0, 1023);
      *(global int *)p = c.x << 20 | c.y << 10 | c.z;
      return;
    }
    case CLK_UNORM_INT_101010_2: {
      int4 c = clamp(convert_int4_sat_rte(v * (float4)(1023.0f, 1023.0f, 1023.0f, 3.0f)), (int4)(0),
                     (int4)(1023, 1023, 1023, 3));
      *(global int *)p = c.x << 22 | c.y << 12 | c.z << 2 | c.w;
      return;
    }
  }
}

// Outside of the image nothing is written.
O void __image_write(descriptor d, int x, int y, int z, float4 color) {
  if (!__image_has(d, x, y, z)) return;
  global uchar *p = __image_address(d, x, y, z);
  if (__image_is_int(d)) __image_put_ints(d, p, as_int4(color));
  else __image_put_floats(d, p, color);
}
O void __image_write_int(descriptor d, int x, int y, int z, int4 color) {
  if (!__image_has(d, x, y, z)) return;
  global uchar *p = __image_address(d, x, y, z);
  if (__image_is_int(d)) __image_put_ints(d, p, color);
  else __image_put_floats(d, p, as_float4(color));
}

#define WRITES(IMAGE, I, AT) \
  INLINE void write_imagef(IMAGE image, I c, float4 color) { __image_write((descriptor)image, AT, color); } \
  INLINE void write_imagei(IMAGE image, I c, int4 color) { __image_write_int((descriptor)image, AT, color); } \
  INLINE void write_imageui(IMAGE image, I c, uint4 color) { __image_write_int((descriptor)image, AT, as_int4(color)); }
WRITES(image1d_t, int, LIST(c, 0, 0))
WRITES(image1d_buffer_t, int, LIST(c, 0, 0))
WRITES(image1d_array_t, int2, LIST(c.x, 0, c.y))
WRITES(image2d_t, int2, LIST(c.x, c.y, 0))
WRITES(image2d_array_t, int4, LIST(c.x, c.y, c.z))
WRITES(image3d_t, int4, LIST(c.x, c.y, c.z))
INLINE void write_imagef(image2d_depth_t image, int2 c, float depth) {
  __image_write((descriptor)image, c.x, c.y, 0, (float4)(depth, 0.0f, 0.0f, 0.0f));
}
INLINE void write_imagef(image2d_array_depth_t image, int4 c, float depth) {
  __image_write((descriptor)image, c.x, c.y, c.z, (float4)(depth, 0.0f, 0.0f, 0.0f));
}

// For sampling.cl and cubes.cl: pixels that are known to be there, what a view adds, stored channels.
#define STORED_PIXELS(IMAGE) \
  INLINE float4 __muxkit_pixelf(IMAGE image, int x, int y, int z) { \
    return __image_pixel((descriptor)image, 0u, x, y, z); \
  } \
  INLINE int4 __muxkit_pixeli(IMAGE image, int x, int y, int z) { \
    return __image_pixel_int((descriptor)image, 0u, x, y, z); \
  } \
  INLINE uint __muxkit_view(IMAGE image) { return ((descriptor)image)->view; } \
  INLINE int __muxkit_layers(IMAGE image) { return (int)((descriptor)image)->slices; } \
  INLINE int __muxkit_channels(IMAGE image) { return (int)((descriptor)image)->channels; }
STORED_PIXELS(image1d_t)
STORED_PIXELS(image1d_array_t)
STORED_PIXELS(image2d_t)
STORED_PIXELS(image2d_array_t)
STORED_PIXELS(image3d_t)

// Addresses of pixels, for atomic operations of shaders: outside of the image the nearest pixel is taken.
#define TEXELS(IMAGE, I, X, Y, Z) \
  INLINE global uchar *__muxkit_texel(IMAGE image, I c) { \
    descriptor d = (descriptor)image; \
    return __image_address(d, X, Y, Z); \
  }
TEXELS(image1d_t, int, EDGE(c, width), 0, 0)
TEXELS(image1d_buffer_t, int, EDGE(c, width), 0, 0)
TEXELS(image1d_array_t, int2, EDGE(c.x, width), 0, LAYER(c.y))
TEXELS(image2d_t, int2, EDGE(c.x, width), EDGE(c.y, height), 0)
TEXELS(image2d_array_t, int4, EDGE(c.x, width), EDGE(c.y, height), LAYER(c.z))
TEXELS(image3d_t, int4, EDGE(c.x, width), EDGE(c.y, height), EDGE(c.z, slices))

// Queries ------------------------------------------------------------------------------------------

#define QUERIES(IMAGE) \
  INLINE int get_image_width(IMAGE image) { return (int)((descriptor)image)->width; } \
  INLINE int get_image_channel_data_type(IMAGE image) { return (int)((descriptor)image)->type; } \
  INLINE int get_image_channel_order(IMAGE image) { return (int)((descriptor)image)->order; }
#define FLAT(IMAGE) \
  QUERIES(IMAGE) \
  INLINE int get_image_height(IMAGE image) { return (int)((descriptor)image)->height; } \
  INLINE int2 get_image_dim(IMAGE image) { \
    return (int2)((int)((descriptor)image)->width, (int)((descriptor)image)->height); \
  }
#define ARRAY(IMAGE) INLINE size_t get_image_array_size(IMAGE image) { return ((descriptor)image)->slices; }
QUERIES(image1d_t)
QUERIES(image1d_buffer_t)
QUERIES(image1d_array_t)
ARRAY(image1d_array_t)
FLAT(image2d_t)
FLAT(image2d_depth_t)
FLAT(image2d_array_t)
ARRAY(image2d_array_t)
FLAT(image2d_array_depth_t)
ARRAY(image2d_array_depth_t)
QUERIES(image3d_t)
INLINE int get_image_height(image3d_t image) { return (int)((descriptor)image)->height; }
INLINE int get_image_depth(image3d_t image) { return (int)((descriptor)image)->slices; }
INLINE int4 get_image_dim(image3d_t image) {
  return (int4)((int)((descriptor)image)->width, (int)((descriptor)image)->height, (int)((descriptor)image)->slices, 0);
}
