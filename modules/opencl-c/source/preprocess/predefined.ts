// SPDX-License-Identifier: Apache-2.0
// Macros that exist before the first line: versions, limits, constants (OpenCL C 6.10, 6.12.2, 6.12.3).
import { isAvailable, languageVersion } from "../language.ts";
import type { FrontEndOptions } from "../options.ts";

/**
 * Words for channel orders and types; their numbers are those of the API. Orders count from 0x10b0, types from 0x10d0.
 */
const CHANNEL_ORDERS = [
  "R",
  "A",
  "RG",
  "RA",
  "RGB",
  "RGBA",
  "BGRA",
  "ARGB",
  "INTENSITY",
  "LUMINANCE",
  "Rx",
  "RGx",
  "RGBx",
  "DEPTH",
  "DEPTH_STENCIL",
  "sRGB",
  "sRGBx",
  "sRGBA",
  "sBGRA",
  "ABGR",
];
const CHANNEL_TYPES = [
  "SNORM_INT8",
  "SNORM_INT16",
  "UNORM_INT8",
  "UNORM_INT16",
  "UNORM_SHORT_565",
  "UNORM_SHORT_555",
  "UNORM_INT_101010",
  "SIGNED_INT8",
  "SIGNED_INT16",
  "SIGNED_INT32",
  "UNSIGNED_INT8",
  "UNSIGNED_INT16",
  "UNSIGNED_INT32",
  "HALF_FLOAT",
  "FLOAT",
  "UNORM_INT24",
  "UNORM_INT_101010_2",
];
const IMAGE_CONSTANTS = [
  ...CHANNEL_ORDERS.map((name, i) => [name, 0x10b0 + i]),
  ...CHANNEL_TYPES.map((name, i) => [name, 0x10d0 + i]),
]
  .map(([name, value]) => `#define CLK_${name} ${value}`)
  .join("\n");

/** Attributes of the macros `kernel_exec`. */
const HINTS = "__attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))";

const CONSTANTS = `
#define CL_VERSION_1_0 100
#define CL_VERSION_1_1 110
#define CL_VERSION_1_2 120
#define CL_VERSION_2_0 200
#define CL_VERSION_3_0 300
#define __STDC__ 1
#define __STDC_VERSION__ 199901L
#define __ENDIAN_LITTLE__ 1
#define __kernel_exec(X, typen) __kernel ${HINTS}
#define kernel_exec(X, typen) __kernel ${HINTS}
#define NULL ((void *)0)
#define true 1
#define false 0
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define CLK_IMAGE_MEM_FENCE 4
#define CLK_NORMALIZED_COORDS_FALSE 0
#define CLK_NORMALIZED_COORDS_TRUE 1
#define CLK_ADDRESS_NONE 0
#define CLK_ADDRESS_CLAMP_TO_EDGE 2
#define CLK_ADDRESS_CLAMP 4
#define CLK_ADDRESS_REPEAT 6
#define CLK_ADDRESS_MIRRORED_REPEAT 8
#define CLK_FILTER_NEAREST 16
#define CLK_FILTER_LINEAR 32
${IMAGE_CONSTANTS}
#define CHAR_BIT 8
#define CHAR_MAX SCHAR_MAX
#define CHAR_MIN SCHAR_MIN
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define LONG_MAX 0x7fffffffffffffffL
#define LONG_MIN (-0x7fffffffffffffffL - 1)
#define SCHAR_MAX 127
#define SCHAR_MIN (-127 - 1)
#define SHRT_MAX 32767
#define SHRT_MIN (-32767 - 1)
#define UCHAR_MAX 255
#define USHRT_MAX 65535
#define UINT_MAX 0xffffffffu
#define ULONG_MAX 0xffffffffffffffffUL
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP 38
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MIN_EXP (-125)
#define FLT_RADIX 2
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN 2147483647
#define MAXFLOAT 0x1.fffffep127f
#define HUGE_VALF __builtin_inff()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf()
#define M_E_F 2.71828182845904523536f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LOG10E_F 0.434294481903251827651f
#define M_LN2_F 0.693147180559945309417f
#define M_LN10_F 2.30258509299404568402f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.785398163397448309616f
#define M_1_PI_F 0.318309886183790671538f
#define M_2_PI_F 0.636619772367581343076f
#define M_2_SQRTPI_F 1.12837916709551257390f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.707106781186547524401f
`;

const DOUBLES = `
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define DBL_MAX_10_EXP 308
#define DBL_MAX_EXP 1024
#define DBL_MIN_10_EXP (-307)
#define DBL_MIN_EXP (-1021)
#define DBL_RADIX 2
#define DBL_MAX 0x1.fffffffffffffp1023
#define DBL_MIN 0x1.0p-1022
#define DBL_EPSILON 0x1.0p-52
#define HUGE_VAL __builtin_inf()
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.434294481903251827651
#define M_LN2 0.693147180559945309417
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.785398163397448309616
#define M_1_PI 0.318309886183790671538
#define M_2_PI 0.636619772367581343076
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.707106781186547524401
`;

/** Initialisers of atomic variables (6.15.12.1, 6.15.12.7). */
const ATOMICS = `
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT 0
`;

/** With `cl_khr_fp16` (extension specification, 6.12.2). */
const HALVES = `
#define HALF_DIG 3
#define HALF_MANT_DIG 11
#define HALF_MAX_10_EXP 4
#define HALF_MAX_EXP 16
#define HALF_MIN_10_EXP (-4)
#define HALF_MIN_EXP (-13)
#define HALF_RADIX 2
#define HALF_MAX 0x1.ffcp15h
#define HALF_MIN 0x1.0p-14h
#define HALF_EPSILON 0x1.0p-10h
#define M_E_H 2.71828182845904523536h
#define M_LOG2E_H 1.44269504088896340736h
#define M_LOG10E_H 0.434294481903251827651h
#define M_LN2_H 0.693147180559945309417h
#define M_LN10_H 2.30258509299404568402h
#define M_PI_H 3.14159265358979323846h
#define M_PI_2_H 1.57079632679489661923h
#define M_PI_4_H 0.785398163397448309616h
#define M_1_PI_H 0.318309886183790671538h
#define M_2_PI_H 0.636619772367581343076h
#define M_2_SQRTPI_H 1.12837916709551257390h
#define M_SQRT2_H 1.41421356237309504880h
#define M_SQRT1_2_H 0.707106781186547524401h
`;

/** The text of the predefined macros for these options, ahead of the program. */
export function predefinedText(options: FrontEndOptions): string {
  const version = languageVersion(options);
  const lines = [
    `#define __OPENCL_VERSION__ ${options.deviceVersion}`,
    `#define __OPENCL_C_VERSION__ ${version}`,
    CONSTANTS,
  ];
  if (options.layout.nativeF64) lines.push(DOUBLES);
  if (version >= 200) lines.push(ATOMICS);
  if (isAvailable(options, "__opencl_c_pipes")) lines.push("#define CLK_NULL_RESERVE_ID (__muxkit_null_reserve_id())");
  if (isAvailable(options, "__opencl_c_images")) lines.push("#define __IMAGE_SUPPORT__ 1");
  if (options.extensions.includes("cl_khr_fp16")) lines.push(HALVES);
  if (options.fastRelaxedMath) lines.push("#define __FAST_RELAXED_MATH__ 1");
  for (const extension of options.extensions) lines.push(`#define ${extension} 1`);
  // Features are announced from 3.0 on only; 2.0 has the features without the macros (6.2.1).
  if (version >= 300) for (const feature of options.features ?? []) lines.push(`#define ${feature} 1`);
  return `${lines.join("\n")}\n`;
}

/** The text of -D and -U, after the predefined macros. */
export function definedText(options: FrontEndOptions): string {
  return options.definitions
    .map(({ name, value }) => (value === null ? `#undef ${name}\n` : `#define ${name} ${value}\n`))
    .join("");
}
