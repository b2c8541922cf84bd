// SPDX-License-Identifier: Apache-2.0
// The scalar and vector types of kernels, by name. Written by `npm run kernel-library` from the table of built-ins.
import { type ScalarType, type ScalarValue, scalarType } from "../scalars.ts";
import { type Vector, type VectorType, vectorType } from "../vector.ts";

/** Values of `char`. @public */
export type char = ScalarValue<"char">;
/** The type `char`, and the conversion to it. @public */
export const char: ScalarType<"char"> = /* @__PURE__ */ scalarType("char");

/** Values of `uchar`. @public */
export type uchar = ScalarValue<"uchar">;
/** The type `uchar`, and the conversion to it. @public */
export const uchar: ScalarType<"uchar"> = /* @__PURE__ */ scalarType("uchar");

/** Values of `short`. @public */
export type short = ScalarValue<"short">;
/** The type `short`, and the conversion to it. @public */
export const short: ScalarType<"short"> = /* @__PURE__ */ scalarType("short");

/** Values of `ushort`. @public */
export type ushort = ScalarValue<"ushort">;
/** The type `ushort`, and the conversion to it. @public */
export const ushort: ScalarType<"ushort"> = /* @__PURE__ */ scalarType("ushort");

/** Values of `int`. @public */
export type int = ScalarValue<"int">;
/** The type `int`, and the conversion to it. @public */
export const int: ScalarType<"int"> = /* @__PURE__ */ scalarType("int");

/** Values of `uint`. @public */
export type uint = ScalarValue<"uint">;
/** The type `uint`, and the conversion to it. @public */
export const uint: ScalarType<"uint"> = /* @__PURE__ */ scalarType("uint");

/** Values of `long`. @public */
export type long = ScalarValue<"long">;
/** The type `long`, and the conversion to it. @public */
export const long: ScalarType<"long"> = /* @__PURE__ */ scalarType("long");

/** Values of `ulong`. @public */
export type ulong = ScalarValue<"ulong">;
/** The type `ulong`, and the conversion to it. @public */
export const ulong: ScalarType<"ulong"> = /* @__PURE__ */ scalarType("ulong");

/** Values of `half`. @public */
export type half = ScalarValue<"half">;
/** The type `half`, and the conversion to it. @public */
export const half: ScalarType<"half"> = /* @__PURE__ */ scalarType("half");

/** Values of `float`. @public */
export type float = ScalarValue<"float">;
/** The type `float`, and the conversion to it. @public */
export const float: ScalarType<"float"> = /* @__PURE__ */ scalarType("float");

/** Values of `double`. @public */
export type double = ScalarValue<"double">;
/** The type `double`, and the conversion to it. @public */
export const double: ScalarType<"double"> = /* @__PURE__ */ scalarType("double");

/** Vectors of 2 `char`. @public */
export type char2 = Vector<"char", 2>;
/** The type `char2`, and what makes its vectors. @public */
export const char2: VectorType<"char", 2> = /* @__PURE__ */ vectorType("char", 2);

/** Vectors of 3 `char`. @public */
export type char3 = Vector<"char", 3>;
/** The type `char3`, and what makes its vectors. @public */
export const char3: VectorType<"char", 3> = /* @__PURE__ */ vectorType("char", 3);

/** Vectors of 4 `char`. @public */
export type char4 = Vector<"char", 4>;
/** The type `char4`, and what makes its vectors. @public */
export const char4: VectorType<"char", 4> = /* @__PURE__ */ vectorType("char", 4);

/** Vectors of 8 `char`. @public */
export type char8 = Vector<"char", 8>;
/** The type `char8`, and what makes its vectors. @public */
export const char8: VectorType<"char", 8> = /* @__PURE__ */ vectorType("char", 8);

/** Vectors of 16 `char`. @public */
export type char16 = Vector<"char", 16>;
/** The type `char16`, and what makes its vectors. @public */
export const char16: VectorType<"char", 16> = /* @__PURE__ */ vectorType("char", 16);

/** Vectors of 2 `uchar`. @public */
export type uchar2 = Vector<"uchar", 2>;
/** The type `uchar2`, and what makes its vectors. @public */
export const uchar2: VectorType<"uchar", 2> = /* @__PURE__ */ vectorType("uchar", 2);

/** Vectors of 3 `uchar`. @public */
export type uchar3 = Vector<"uchar", 3>;
/** The type `uchar3`, and what makes its vectors. @public */
export const uchar3: VectorType<"uchar", 3> = /* @__PURE__ */ vectorType("uchar", 3);

/** Vectors of 4 `uchar`. @public */
export type uchar4 = Vector<"uchar", 4>;
/** The type `uchar4`, and what makes its vectors. @public */
export const uchar4: VectorType<"uchar", 4> = /* @__PURE__ */ vectorType("uchar", 4);

/** Vectors of 8 `uchar`. @public */
export type uchar8 = Vector<"uchar", 8>;
/** The type `uchar8`, and what makes its vectors. @public */
export const uchar8: VectorType<"uchar", 8> = /* @__PURE__ */ vectorType("uchar", 8);

/** Vectors of 16 `uchar`. @public */
export type uchar16 = Vector<"uchar", 16>;
/** The type `uchar16`, and what makes its vectors. @public */
export const uchar16: VectorType<"uchar", 16> = /* @__PURE__ */ vectorType("uchar", 16);

/** Vectors of 2 `short`. @public */
export type short2 = Vector<"short", 2>;
/** The type `short2`, and what makes its vectors. @public */
export const short2: VectorType<"short", 2> = /* @__PURE__ */ vectorType("short", 2);

/** Vectors of 3 `short`. @public */
export type short3 = Vector<"short", 3>;
/** The type `short3`, and what makes its vectors. @public */
export const short3: VectorType<"short", 3> = /* @__PURE__ */ vectorType("short", 3);

/** Vectors of 4 `short`. @public */
export type short4 = Vector<"short", 4>;
/** The type `short4`, and what makes its vectors. @public */
export const short4: VectorType<"short", 4> = /* @__PURE__ */ vectorType("short", 4);

/** Vectors of 8 `short`. @public */
export type short8 = Vector<"short", 8>;
/** The type `short8`, and what makes its vectors. @public */
export const short8: VectorType<"short", 8> = /* @__PURE__ */ vectorType("short", 8);

/** Vectors of 16 `short`. @public */
export type short16 = Vector<"short", 16>;
/** The type `short16`, and what makes its vectors. @public */
export const short16: VectorType<"short", 16> = /* @__PURE__ */ vectorType("short", 16);

/** Vectors of 2 `ushort`. @public */
export type ushort2 = Vector<"ushort", 2>;
/** The type `ushort2`, and what makes its vectors. @public */
export const ushort2: VectorType<"ushort", 2> = /* @__PURE__ */ vectorType("ushort", 2);

/** Vectors of 3 `ushort`. @public */
export type ushort3 = Vector<"ushort", 3>;
/** The type `ushort3`, and what makes its vectors. @public */
export const ushort3: VectorType<"ushort", 3> = /* @__PURE__ */ vectorType("ushort", 3);

/** Vectors of 4 `ushort`. @public */
export type ushort4 = Vector<"ushort", 4>;
/** The type `ushort4`, and what makes its vectors. @public */
export const ushort4: VectorType<"ushort", 4> = /* @__PURE__ */ vectorType("ushort", 4);

/** Vectors of 8 `ushort`. @public */
export type ushort8 = Vector<"ushort", 8>;
/** The type `ushort8`, and what makes its vectors. @public */
export const ushort8: VectorType<"ushort", 8> = /* @__PURE__ */ vectorType("ushort", 8);

/** Vectors of 16 `ushort`. @public */
export type ushort16 = Vector<"ushort", 16>;
/** The type `ushort16`, and what makes its vectors. @public */
export const ushort16: VectorType<"ushort", 16> = /* @__PURE__ */ vectorType("ushort", 16);

/** Vectors of 2 `int`. @public */
export type int2 = Vector<"int", 2>;
/** The type `int2`, and what makes its vectors. @public */
export const int2: VectorType<"int", 2> = /* @__PURE__ */ vectorType("int", 2);

/** Vectors of 3 `int`. @public */
export type int3 = Vector<"int", 3>;
/** The type `int3`, and what makes its vectors. @public */
export const int3: VectorType<"int", 3> = /* @__PURE__ */ vectorType("int", 3);

/** Vectors of 4 `int`. @public */
export type int4 = Vector<"int", 4>;
/** The type `int4`, and what makes its vectors. @public */
export const int4: VectorType<"int", 4> = /* @__PURE__ */ vectorType("int", 4);

/** Vectors of 8 `int`. @public */
export type int8 = Vector<"int", 8>;
/** The type `int8`, and what makes its vectors. @public */
export const int8: VectorType<"int", 8> = /* @__PURE__ */ vectorType("int", 8);

/** Vectors of 16 `int`. @public */
export type int16 = Vector<"int", 16>;
/** The type `int16`, and what makes its vectors. @public */
export const int16: VectorType<"int", 16> = /* @__PURE__ */ vectorType("int", 16);

/** Vectors of 2 `uint`. @public */
export type uint2 = Vector<"uint", 2>;
/** The type `uint2`, and what makes its vectors. @public */
export const uint2: VectorType<"uint", 2> = /* @__PURE__ */ vectorType("uint", 2);

/** Vectors of 3 `uint`. @public */
export type uint3 = Vector<"uint", 3>;
/** The type `uint3`, and what makes its vectors. @public */
export const uint3: VectorType<"uint", 3> = /* @__PURE__ */ vectorType("uint", 3);

/** Vectors of 4 `uint`. @public */
export type uint4 = Vector<"uint", 4>;
/** The type `uint4`, and what makes its vectors. @public */
export const uint4: VectorType<"uint", 4> = /* @__PURE__ */ vectorType("uint", 4);

/** Vectors of 8 `uint`. @public */
export type uint8 = Vector<"uint", 8>;
/** The type `uint8`, and what makes its vectors. @public */
export const uint8: VectorType<"uint", 8> = /* @__PURE__ */ vectorType("uint", 8);

/** Vectors of 16 `uint`. @public */
export type uint16 = Vector<"uint", 16>;
/** The type `uint16`, and what makes its vectors. @public */
export const uint16: VectorType<"uint", 16> = /* @__PURE__ */ vectorType("uint", 16);

/** Vectors of 2 `long`. @public */
export type long2 = Vector<"long", 2>;
/** The type `long2`, and what makes its vectors. @public */
export const long2: VectorType<"long", 2> = /* @__PURE__ */ vectorType("long", 2);

/** Vectors of 3 `long`. @public */
export type long3 = Vector<"long", 3>;
/** The type `long3`, and what makes its vectors. @public */
export const long3: VectorType<"long", 3> = /* @__PURE__ */ vectorType("long", 3);

/** Vectors of 4 `long`. @public */
export type long4 = Vector<"long", 4>;
/** The type `long4`, and what makes its vectors. @public */
export const long4: VectorType<"long", 4> = /* @__PURE__ */ vectorType("long", 4);

/** Vectors of 8 `long`. @public */
export type long8 = Vector<"long", 8>;
/** The type `long8`, and what makes its vectors. @public */
export const long8: VectorType<"long", 8> = /* @__PURE__ */ vectorType("long", 8);

/** Vectors of 16 `long`. @public */
export type long16 = Vector<"long", 16>;
/** The type `long16`, and what makes its vectors. @public */
export const long16: VectorType<"long", 16> = /* @__PURE__ */ vectorType("long", 16);

/** Vectors of 2 `ulong`. @public */
export type ulong2 = Vector<"ulong", 2>;
/** The type `ulong2`, and what makes its vectors. @public */
export const ulong2: VectorType<"ulong", 2> = /* @__PURE__ */ vectorType("ulong", 2);

/** Vectors of 3 `ulong`. @public */
export type ulong3 = Vector<"ulong", 3>;
/** The type `ulong3`, and what makes its vectors. @public */
export const ulong3: VectorType<"ulong", 3> = /* @__PURE__ */ vectorType("ulong", 3);

/** Vectors of 4 `ulong`. @public */
export type ulong4 = Vector<"ulong", 4>;
/** The type `ulong4`, and what makes its vectors. @public */
export const ulong4: VectorType<"ulong", 4> = /* @__PURE__ */ vectorType("ulong", 4);

/** Vectors of 8 `ulong`. @public */
export type ulong8 = Vector<"ulong", 8>;
/** The type `ulong8`, and what makes its vectors. @public */
export const ulong8: VectorType<"ulong", 8> = /* @__PURE__ */ vectorType("ulong", 8);

/** Vectors of 16 `ulong`. @public */
export type ulong16 = Vector<"ulong", 16>;
/** The type `ulong16`, and what makes its vectors. @public */
export const ulong16: VectorType<"ulong", 16> = /* @__PURE__ */ vectorType("ulong", 16);

/** Vectors of 2 `half`. @public */
export type half2 = Vector<"half", 2>;
/** The type `half2`, and what makes its vectors. @public */
export const half2: VectorType<"half", 2> = /* @__PURE__ */ vectorType("half", 2);

/** Vectors of 3 `half`. @public */
export type half3 = Vector<"half", 3>;
/** The type `half3`, and what makes its vectors. @public */
export const half3: VectorType<"half", 3> = /* @__PURE__ */ vectorType("half", 3);

/** Vectors of 4 `half`. @public */
export type half4 = Vector<"half", 4>;
/** The type `half4`, and what makes its vectors. @public */
export const half4: VectorType<"half", 4> = /* @__PURE__ */ vectorType("half", 4);

/** Vectors of 8 `half`. @public */
export type half8 = Vector<"half", 8>;
/** The type `half8`, and what makes its vectors. @public */
export const half8: VectorType<"half", 8> = /* @__PURE__ */ vectorType("half", 8);

/** Vectors of 16 `half`. @public */
export type half16 = Vector<"half", 16>;
/** The type `half16`, and what makes its vectors. @public */
export const half16: VectorType<"half", 16> = /* @__PURE__ */ vectorType("half", 16);

/** Vectors of 2 `float`. @public */
export type float2 = Vector<"float", 2>;
/** The type `float2`, and what makes its vectors. @public */
export const float2: VectorType<"float", 2> = /* @__PURE__ */ vectorType("float", 2);

/** Vectors of 3 `float`. @public */
export type float3 = Vector<"float", 3>;
/** The type `float3`, and what makes its vectors. @public */
export const float3: VectorType<"float", 3> = /* @__PURE__ */ vectorType("float", 3);

/** Vectors of 4 `float`. @public */
export type float4 = Vector<"float", 4>;
/** The type `float4`, and what makes its vectors. @public */
export const float4: VectorType<"float", 4> = /* @__PURE__ */ vectorType("float", 4);

/** Vectors of 8 `float`. @public */
export type float8 = Vector<"float", 8>;
/** The type `float8`, and what makes its vectors. @public */
export const float8: VectorType<"float", 8> = /* @__PURE__ */ vectorType("float", 8);

/** Vectors of 16 `float`. @public */
export type float16 = Vector<"float", 16>;
/** The type `float16`, and what makes its vectors. @public */
export const float16: VectorType<"float", 16> = /* @__PURE__ */ vectorType("float", 16);

/** Vectors of 2 `double`. @public */
export type double2 = Vector<"double", 2>;
/** The type `double2`, and what makes its vectors. @public */
export const double2: VectorType<"double", 2> = /* @__PURE__ */ vectorType("double", 2);

/** Vectors of 3 `double`. @public */
export type double3 = Vector<"double", 3>;
/** The type `double3`, and what makes its vectors. @public */
export const double3: VectorType<"double", 3> = /* @__PURE__ */ vectorType("double", 3);

/** Vectors of 4 `double`. @public */
export type double4 = Vector<"double", 4>;
/** The type `double4`, and what makes its vectors. @public */
export const double4: VectorType<"double", 4> = /* @__PURE__ */ vectorType("double", 4);

/** Vectors of 8 `double`. @public */
export type double8 = Vector<"double", 8>;
/** The type `double8`, and what makes its vectors. @public */
export const double8: VectorType<"double", 8> = /* @__PURE__ */ vectorType("double", 8);

/** Vectors of 16 `double`. @public */
export type double16 = Vector<"double", 16>;
/** The type `double16`, and what makes its vectors. @public */
export const double16: VectorType<"double", 16> = /* @__PURE__ */ vectorType("double", 16);

/** The type `bool`, and the conversion to it. @public */
export const bool: ScalarType<"bool"> = /* @__PURE__ */ scalarType("bool");
/** Values of `bool`. @public */
export type bool = boolean;
