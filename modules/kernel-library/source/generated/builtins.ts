// SPDX-License-Identifier: Apache-2.0
// Built-in functions that kernels call. Written by `npm run kernel-library` from the table of built-ins.
import { builtin } from "../builtin-calls.ts";
import type { ScalarValue } from "../scalars.ts";
import type { Lanes } from "../translated.ts";
import type { TruthOf, UnsignedOf, Vector, WideOf } from "../vector.ts";

/** Overloads of built-ins. @public */
export interface Builtin0 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  (a: bigint): bigint;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong", N extends Lanes>(a: Vector<S, N>): Vector<UnsignedOf<S>, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin1 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  (a: bigint, b: bigint): bigint;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>): Vector<UnsignedOf<S>, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin2 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin3 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  (a: bigint, b: bigint): bigint;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin4 {
  /** One of the overloads. */
  (a: number): boolean;
  /** One of the overloads. */
  (a: bigint): boolean;
  /** One of the overloads. */
  <S extends "char" | "short" | "int" | "long", N extends Lanes>(a: Vector<S, N>): boolean;
}

/** Overloads of built-ins. @public */
export interface Builtin5 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin6 {
  /** One of the overloads. */
  (a: number, b: number, c: number): number;
  /** One of the overloads. */
  (a: bigint, b: bigint, c: bigint): bigint;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin7 {
  /** One of the overloads. */
  (a: number, b: number, c: number): number;
  /** One of the overloads. */
  (a: bigint, b: bigint, c: bigint): bigint;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<S, N>): Vector<S, N>;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: ScalarValue<S>, c: ScalarValue<S>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin8 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  (a: bigint): bigint;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong", N extends Lanes>(a: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin9 {
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends 3 | 4>(a: Vector<S, N>, b: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin10 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends 2 | 3 | 4>(a: Vector<S, N>, b: Vector<S, N>): ScalarValue<S>;
}

/** Overloads of built-ins. @public */
export interface Builtin11 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends 2 | 3 | 4>(a: Vector<S, N>, b: Vector<S, N>): ScalarValue<S>;
  /** One of the overloads. */
  (a: Vector<"uchar", 4>, b: Vector<"uchar", 4>): number;
  /** One of the overloads. */
  (a: Vector<"char", 4>, b: Vector<"char", 4>): number;
  /** One of the overloads. */
  (a: Vector<"uchar", 4>, b: Vector<"char", 4>): number;
  /** One of the overloads. */
  (a: Vector<"char", 4>, b: Vector<"uchar", 4>): number;
}

/** Overloads of built-ins. @public */
export interface Builtin12 {
  /** One of the overloads. */
  (a: number, b: number): number;
}

/** Overloads of built-ins. @public */
export interface Builtin13 {
  /** One of the overloads. */
  (a: Vector<"uchar", 4>, b: Vector<"uchar", 4>, c: number): number;
  /** One of the overloads. */
  (a: Vector<"char", 4>, b: Vector<"char", 4>, c: number): number;
  /** One of the overloads. */
  (a: Vector<"uchar", 4>, b: Vector<"char", 4>, c: number): number;
  /** One of the overloads. */
  (a: Vector<"char", 4>, b: Vector<"uchar", 4>, c: number): number;
}

/** Overloads of built-ins. @public */
export interface Builtin14 {
  /** One of the overloads. */
  (a: number, b: number, c: number): number;
}

/** Overloads of built-ins. @public */
export interface Builtin15 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  <S extends "float", N extends 2 | 3 | 4>(a: Vector<S, N>, b: Vector<S, N>): ScalarValue<S>;
}

/** Overloads of built-ins. @public */
export interface Builtin16 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  <S extends "float", N extends 2 | 3 | 4>(a: Vector<S, N>): ScalarValue<S>;
}

/** Overloads of built-ins. @public */
export interface Builtin17 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  <S extends "float", N extends 2 | 3 | 4>(a: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin18 {
  /** One of the overloads. */
  (a: number, b: number, c: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin19 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>): Vector<S, N>;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: ScalarValue<S>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin20 {
  /** One of the overloads. */
  (): number;
}

/** Overloads of built-ins. @public */
export interface Builtin21 {
  /** One of the overloads. */
  (): Vector<"uint", 4>;
}

/** Overloads of built-ins. @public */
export interface Builtin22 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  <S extends "float", N extends Lanes>(a: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin23 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  <S extends "float", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin24 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>): Vector<"int", N>;
}

/** Overloads of built-ins. @public */
export interface Builtin25 {
  /** One of the overloads. */
  (a: number, b: number): boolean;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>): Vector<TruthOf<S>, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin26 {
  /** One of the overloads. */
  (a: number): boolean;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>): Vector<TruthOf<S>, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin27 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<"int", N>): Vector<S, N>;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: number): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin28 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends 2 | 3 | 4>(a: Vector<S, N>): ScalarValue<S>;
}

/** Overloads of built-ins. @public */
export interface Builtin29 {
  /** One of the overloads. */
  (a: number, b: number, c: number): number;
  /** One of the overloads. */
  <S extends "int" | "uint", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin30 {
  /** One of the overloads. */
  (a: number, b: number, c: number): number;
  /** One of the overloads. */
  (a: bigint, b: bigint, c: bigint): bigint;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin31 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  (a: bigint, b: bigint): bigint;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>): Vector<S, N>;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: ScalarValue<S>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin32 {
  /** One of the overloads. */
  (a: number, b: number, c: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<S, N>): Vector<S, N>;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>, c: ScalarValue<S>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin33 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  <S extends "int" | "uint", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin34 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<UnsignedOf<S>, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin35 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends 2 | 3 | 4>(a: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin36 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<"int", N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin37 {
  /** One of the overloads. */
  (a: number, b: number, c: number): number;
  /** One of the overloads. */
  (a: bigint, b: bigint, c: bigint): bigint;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<TruthOf<S>, N>): Vector<S, N>;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<UnsignedOf<S>, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin38 {
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends 2 | 4 | 8 | 16>(a: Vector<S, N>, b: Vector<UnsignedOf<S>, 2>): Vector<S, 2>;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends 2 | 4 | 8 | 16>(a: Vector<S, N>, b: Vector<UnsignedOf<S>, 4>): Vector<S, 4>;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends 2 | 4 | 8 | 16>(a: Vector<S, N>, b: Vector<UnsignedOf<S>, 8>): Vector<S, 8>;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends 2 | 4 | 8 | 16>(a: Vector<S, N>, b: Vector<UnsignedOf<S>, 16>): Vector<S, 16>;
}

/** Overloads of built-ins. @public */
export interface Builtin39 {
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends 2 | 4 | 8 | 16>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<UnsignedOf<S>, 2>): Vector<S, 2>;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends 2 | 4 | 8 | 16>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<UnsignedOf<S>, 4>): Vector<S, 4>;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends 2 | 4 | 8 | 16>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<UnsignedOf<S>, 8>): Vector<S, 8>;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends 2 | 4 | 8 | 16>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<UnsignedOf<S>, 16>): Vector<S, 16>;
}

/** Overloads of built-ins. @public */
export interface Builtin40 {
  /** One of the overloads. */
  (a: number, b: number, c: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>, c: Vector<S, N>): Vector<S, N>;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: ScalarValue<S>, b: ScalarValue<S>, c: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin41 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: Vector<S, N>): Vector<S, N>;
  /** One of the overloads. */
  <S extends "float" | "double" | "half", N extends Lanes>(a: ScalarValue<S>, b: Vector<S, N>): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin42 {
  /** One of the overloads. */
  (a: number): number;
}

/** Overloads of built-ins. @public */
export interface Builtin43 {
  /** One of the overloads. */
  (a: number): Vector<"uint", 4>;
}

/** Overloads of built-ins. @public */
export interface Builtin44 {
  /** One of the overloads. */
  (a: Vector<"uint", 4>): number;
}

/** Overloads of built-ins. @public */
export interface Builtin45 {
  /** One of the overloads. */
  (a: Vector<"uint", 4>, b: number): number;
}

/** Overloads of built-ins. @public */
export interface Builtin46 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  (a: bigint, b: number): bigint;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>, b: number): Vector<S, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin47 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  (a: bigint): bigint;
}

/** Overloads of built-ins. @public */
export interface Builtin48 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  (a: bigint, b: number): bigint;
}

/** Overloads of built-ins. @public */
export interface Builtin49 {
  /** One of the overloads. */
  (a: number, b: number, c: number): number;
  /** One of the overloads. */
  (a: bigint, b: number, c: number): bigint;
}

/** Overloads of built-ins. @public */
export interface Builtin50 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  (a: bigint): number;
}

/** Overloads of built-ins. @public */
export interface Builtin51 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint", N extends Lanes>(a: Vector<S, N>, b: Vector<UnsignedOf<S>, N>): Vector<WideOf<S>, N>;
}

/** Overloads of built-ins. @public */
export interface Builtin52 {
  /** One of the overloads. */
  (a: number): number;
  /** One of the overloads. */
  (a: bigint): number;
  /** One of the overloads. */
  <S extends "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double" | "half", N extends Lanes>(a: Vector<S, N>): number;
}

/** Overloads of built-ins. @public */
export interface Builtin53 {
  /** One of the overloads. */
  (a: number, b: number): number;
  /** One of the overloads. */
  (a: bigint, b: number): bigint;
  /** One of the overloads. */
  (a: number, b: number, c: number): number;
  /** One of the overloads. */
  (a: bigint, b: number, c: number): bigint;
  /** One of the overloads. */
  (a: number, b: number, c: number, d: number): number;
  /** One of the overloads. */
  (a: bigint, b: number, c: number, d: number): bigint;
}

/** `U(T)`. @public */
export const abs: Builtin0 = /* @__PURE__ */ builtin("abs", true);

/** `U(T, T)`. @public */
export const abs_diff: Builtin1 = /* @__PURE__ */ builtin("abs_diff", true);

/** `T(T)`. @public */
export const acos: Builtin2 = /* @__PURE__ */ builtin("acos", false);

/** `T(T)`. @public */
export const acosh: Builtin2 = /* @__PURE__ */ builtin("acosh", false);

/** `T(T)`. @public */
export const acospi: Builtin2 = /* @__PURE__ */ builtin("acospi", false);

/** `T(T, T)`. @public */
export const add_sat: Builtin3 = /* @__PURE__ */ builtin("add_sat", true);

/** `int(T)`. @public */
export const all: Builtin4 = /* @__PURE__ */ builtin("all", true);

/** `int(T)`. @public */
export const any: Builtin4 = /* @__PURE__ */ builtin("any", true);

/** `T(T)`. @public */
export const asin: Builtin2 = /* @__PURE__ */ builtin("asin", false);

/** `T(T)`. @public */
export const asinh: Builtin2 = /* @__PURE__ */ builtin("asinh", false);

/** `T(T)`. @public */
export const asinpi: Builtin2 = /* @__PURE__ */ builtin("asinpi", false);

/** `T(T)`. @public */
export const atan: Builtin2 = /* @__PURE__ */ builtin("atan", false);

/** `T(T, T)`. @public */
export const atan2: Builtin5 = /* @__PURE__ */ builtin("atan2", false);

/** `T(T, T)`. @public */
export const atan2pi: Builtin5 = /* @__PURE__ */ builtin("atan2pi", false);

/** `T(T)`. @public */
export const atanh: Builtin2 = /* @__PURE__ */ builtin("atanh", false);

/** `T(T)`. @public */
export const atanpi: Builtin2 = /* @__PURE__ */ builtin("atanpi", false);

/** `T(T, T, T)`. @public */
export const bitselect: Builtin6 = /* @__PURE__ */ builtin("bitselect", true);

/** `T(T)`. @public */
export const cbrt: Builtin2 = /* @__PURE__ */ builtin("cbrt", false);

/** `T(T)`. @public */
export const ceil: Builtin2 = /* @__PURE__ */ builtin("ceil", false);

/** `T(T, T, T)`, `T(T, S, S)`. @public */
export const clamp: Builtin7 = /* @__PURE__ */ builtin("clamp", true);

/** `T(T)`. @public */
export const clz: Builtin8 = /* @__PURE__ */ builtin("clz", true);

/** `T(T, T)`. @public */
export const copysign: Builtin5 = /* @__PURE__ */ builtin("copysign", false);

/** `T(T)`. @public */
export const cos: Builtin2 = /* @__PURE__ */ builtin("cos", false);

/** `T(T)`. @public */
export const cosh: Builtin2 = /* @__PURE__ */ builtin("cosh", false);

/** `T(T)`. @public */
export const cospi: Builtin2 = /* @__PURE__ */ builtin("cospi", false);

/** `T(T, T)`. @public */
export const cross: Builtin9 = /* @__PURE__ */ builtin("cross", false);

/** `T(T)`. @public */
export const ctz: Builtin8 = /* @__PURE__ */ builtin("ctz", true);

/** `T(T)`. @public */
export const degrees: Builtin2 = /* @__PURE__ */ builtin("degrees", false);

/** `S(T, T)`. @public */
export const distance: Builtin10 = /* @__PURE__ */ builtin("distance", false);

/** `S(T, T)`, `uint(uchar4, uchar4)`, `int(char4, char4)`, `int(uchar4, char4)`, `int(char4, uchar4)`. @public */
export const dot: Builtin11 = /* @__PURE__ */ builtin("dot", false);

/** `int(uint, uint)`. @public */
export const dot_4x8packed_ss_int: Builtin12 = /* @__PURE__ */ builtin("dot_4x8packed_ss_int", false);

/** `int(uint, uint)`. @public */
export const dot_4x8packed_su_int: Builtin12 = /* @__PURE__ */ builtin("dot_4x8packed_su_int", false);

/** `int(uint, uint)`. @public */
export const dot_4x8packed_us_int: Builtin12 = /* @__PURE__ */ builtin("dot_4x8packed_us_int", false);

/** `uint(uint, uint)`. @public */
export const dot_4x8packed_uu_uint: Builtin12 = /* @__PURE__ */ builtin("dot_4x8packed_uu_uint", false);

/** `uint(uchar4, uchar4, uint)`, `int(char4, char4, int)`, `int(uchar4, char4, int)`, `int(char4, uchar4, int)`. @public */
export const dot_acc_sat: Builtin13 = /* @__PURE__ */ builtin("dot_acc_sat", false);

/** `int(uint, uint, int)`. @public */
export const dot_acc_sat_4x8packed_ss_int: Builtin14 = /* @__PURE__ */ builtin("dot_acc_sat_4x8packed_ss_int", false);

/** `int(uint, uint, int)`. @public */
export const dot_acc_sat_4x8packed_su_int: Builtin14 = /* @__PURE__ */ builtin("dot_acc_sat_4x8packed_su_int", false);

/** `int(uint, uint, int)`. @public */
export const dot_acc_sat_4x8packed_us_int: Builtin14 = /* @__PURE__ */ builtin("dot_acc_sat_4x8packed_us_int", false);

/** `uint(uint, uint, uint)`. @public */
export const dot_acc_sat_4x8packed_uu_uint: Builtin14 = /* @__PURE__ */ builtin("dot_acc_sat_4x8packed_uu_uint", false);

/** `T(T)`. @public */
export const erf: Builtin2 = /* @__PURE__ */ builtin("erf", false);

/** `T(T)`. @public */
export const erfc: Builtin2 = /* @__PURE__ */ builtin("erfc", false);

/** `T(T)`. @public */
export const exp: Builtin2 = /* @__PURE__ */ builtin("exp", false);

/** `T(T)`. @public */
export const exp10: Builtin2 = /* @__PURE__ */ builtin("exp10", false);

/** `T(T)`. @public */
export const exp2: Builtin2 = /* @__PURE__ */ builtin("exp2", false);

/** `T(T)`. @public */
export const expm1: Builtin2 = /* @__PURE__ */ builtin("expm1", false);

/** `T(T)`. @public */
export const fabs: Builtin2 = /* @__PURE__ */ builtin("fabs", false);

/** `S(T, T)`. @public */
export const fast_distance: Builtin15 = /* @__PURE__ */ builtin("fast_distance", false);

/** `S(T)`. @public */
export const fast_length: Builtin16 = /* @__PURE__ */ builtin("fast_length", false);

/** `T(T)`. @public */
export const fast_normalize: Builtin17 = /* @__PURE__ */ builtin("fast_normalize", false);

/** `T(T, T)`. @public */
export const fdim: Builtin5 = /* @__PURE__ */ builtin("fdim", false);

/** `T(T)`. @public */
export const floor: Builtin2 = /* @__PURE__ */ builtin("floor", false);

/** `T(T, T, T)`. @public */
export const fma: Builtin18 = /* @__PURE__ */ builtin("fma", false);

/** `T(T, T)`, `T(T, S)`. @public */
export const fmax: Builtin19 = /* @__PURE__ */ builtin("fmax", false);

/** `T(T, T)`, `T(T, S)`. @public */
export const fmin: Builtin19 = /* @__PURE__ */ builtin("fmin", false);

/** `T(T, T)`. @public */
export const fmod: Builtin5 = /* @__PURE__ */ builtin("fmod", false);

/** `uint()`. @public */
export const get_enqueued_num_sub_groups: Builtin20 = /* @__PURE__ */ builtin("get_enqueued_num_sub_groups", false);

/** `uint()`. @public */
export const get_max_sub_group_size: Builtin20 = /* @__PURE__ */ builtin("get_max_sub_group_size", false);

/** `uint()`. @public */
export const get_num_sub_groups: Builtin20 = /* @__PURE__ */ builtin("get_num_sub_groups", false);

/** `uint4()`. @public */
export const get_sub_group_eq_mask: Builtin21 = /* @__PURE__ */ builtin("get_sub_group_eq_mask", false);

/** `uint4()`. @public */
export const get_sub_group_ge_mask: Builtin21 = /* @__PURE__ */ builtin("get_sub_group_ge_mask", false);

/** `uint4()`. @public */
export const get_sub_group_gt_mask: Builtin21 = /* @__PURE__ */ builtin("get_sub_group_gt_mask", false);

/** `uint()`. @public */
export const get_sub_group_id: Builtin20 = /* @__PURE__ */ builtin("get_sub_group_id", false);

/** `uint4()`. @public */
export const get_sub_group_le_mask: Builtin21 = /* @__PURE__ */ builtin("get_sub_group_le_mask", false);

/** `uint()`. @public */
export const get_sub_group_local_id: Builtin20 = /* @__PURE__ */ builtin("get_sub_group_local_id", false);

/** `uint4()`. @public */
export const get_sub_group_lt_mask: Builtin21 = /* @__PURE__ */ builtin("get_sub_group_lt_mask", false);

/** `uint()`. @public */
export const get_sub_group_size: Builtin20 = /* @__PURE__ */ builtin("get_sub_group_size", false);

/** `T(T, T)`. @public */
export const hadd: Builtin3 = /* @__PURE__ */ builtin("hadd", true);

/** `T(T)`. @public */
export const half_cos: Builtin22 = /* @__PURE__ */ builtin("half_cos", false);

/** `T(T, T)`. @public */
export const half_divide: Builtin23 = /* @__PURE__ */ builtin("half_divide", false);

/** `T(T)`. @public */
export const half_exp: Builtin22 = /* @__PURE__ */ builtin("half_exp", false);

/** `T(T)`. @public */
export const half_exp10: Builtin22 = /* @__PURE__ */ builtin("half_exp10", false);

/** `T(T)`. @public */
export const half_exp2: Builtin22 = /* @__PURE__ */ builtin("half_exp2", false);

/** `T(T)`. @public */
export const half_log: Builtin22 = /* @__PURE__ */ builtin("half_log", false);

/** `T(T)`. @public */
export const half_log10: Builtin22 = /* @__PURE__ */ builtin("half_log10", false);

/** `T(T)`. @public */
export const half_log2: Builtin22 = /* @__PURE__ */ builtin("half_log2", false);

/** `T(T, T)`. @public */
export const half_powr: Builtin23 = /* @__PURE__ */ builtin("half_powr", false);

/** `T(T)`. @public */
export const half_recip: Builtin22 = /* @__PURE__ */ builtin("half_recip", false);

/** `T(T)`. @public */
export const half_rsqrt: Builtin22 = /* @__PURE__ */ builtin("half_rsqrt", false);

/** `T(T)`. @public */
export const half_sin: Builtin22 = /* @__PURE__ */ builtin("half_sin", false);

/** `T(T)`. @public */
export const half_sqrt: Builtin22 = /* @__PURE__ */ builtin("half_sqrt", false);

/** `T(T)`. @public */
export const half_tan: Builtin22 = /* @__PURE__ */ builtin("half_tan", false);

/** `T(T, T)`. @public */
export const hypot: Builtin5 = /* @__PURE__ */ builtin("hypot", false);

/** `N(T)`. @public */
export const ilogb: Builtin24 = /* @__PURE__ */ builtin("ilogb", false);

/** `C(T, T)`. @public */
export const isequal: Builtin25 = /* @__PURE__ */ builtin("isequal", false);

/** `C(T)`. @public */
export const isfinite: Builtin26 = /* @__PURE__ */ builtin("isfinite", false);

/** `C(T, T)`. @public */
export const isgreater: Builtin25 = /* @__PURE__ */ builtin("isgreater", false);

/** `C(T, T)`. @public */
export const isgreaterequal: Builtin25 = /* @__PURE__ */ builtin("isgreaterequal", false);

/** `C(T)`. @public */
export const isinf: Builtin26 = /* @__PURE__ */ builtin("isinf", false);

/** `C(T, T)`. @public */
export const isless: Builtin25 = /* @__PURE__ */ builtin("isless", false);

/** `C(T, T)`. @public */
export const islessequal: Builtin25 = /* @__PURE__ */ builtin("islessequal", false);

/** `C(T, T)`. @public */
export const islessgreater: Builtin25 = /* @__PURE__ */ builtin("islessgreater", false);

/** `C(T)`. @public */
export const isnan: Builtin26 = /* @__PURE__ */ builtin("isnan", false);

/** `C(T)`. @public */
export const isnormal: Builtin26 = /* @__PURE__ */ builtin("isnormal", false);

/** `C(T, T)`. @public */
export const isnotequal: Builtin25 = /* @__PURE__ */ builtin("isnotequal", false);

/** `C(T, T)`. @public */
export const isordered: Builtin25 = /* @__PURE__ */ builtin("isordered", false);

/** `C(T, T)`. @public */
export const isunordered: Builtin25 = /* @__PURE__ */ builtin("isunordered", false);

/** `T(T, N)`, `T(T, int)`. @public */
export const ldexp: Builtin27 = /* @__PURE__ */ builtin("ldexp", false);

/** `S(T)`. @public */
export const length: Builtin28 = /* @__PURE__ */ builtin("length", false);

/** `T(T)`. @public */
export const lgamma: Builtin2 = /* @__PURE__ */ builtin("lgamma", false);

/** `T(T)`. @public */
export const log: Builtin2 = /* @__PURE__ */ builtin("log", false);

/** `T(T)`. @public */
export const log10: Builtin2 = /* @__PURE__ */ builtin("log10", false);

/** `T(T)`. @public */
export const log1p: Builtin2 = /* @__PURE__ */ builtin("log1p", false);

/** `T(T)`. @public */
export const log2: Builtin2 = /* @__PURE__ */ builtin("log2", false);

/** `T(T)`. @public */
export const logb: Builtin2 = /* @__PURE__ */ builtin("logb", false);

/** `T(T, T, T)`. @public */
export const mad: Builtin18 = /* @__PURE__ */ builtin("mad", false);

/** `T(T, T, T)`. @public */
export const mad24: Builtin29 = /* @__PURE__ */ builtin("mad24", true);

/** `T(T, T, T)`. @public */
export const mad_hi: Builtin30 = /* @__PURE__ */ builtin("mad_hi", true);

/** `T(T, T, T)`. @public */
export const mad_sat: Builtin30 = /* @__PURE__ */ builtin("mad_sat", true);

/** `T(T, T)`, `T(T, S)`. @public */
export const max: Builtin31 = /* @__PURE__ */ builtin("max", true);

/** `T(T, T)`. @public */
export const maxmag: Builtin5 = /* @__PURE__ */ builtin("maxmag", false);

/** `T(T, T)`, `T(T, S)`. @public */
export const min: Builtin31 = /* @__PURE__ */ builtin("min", true);

/** `T(T, T)`. @public */
export const minmag: Builtin5 = /* @__PURE__ */ builtin("minmag", false);

/** `T(T, T, T)`, `T(T, T, S)`. @public */
export const mix: Builtin32 = /* @__PURE__ */ builtin("mix", false);

/** `T(T, T)`. @public */
export const mul24: Builtin33 = /* @__PURE__ */ builtin("mul24", true);

/** `T(T, T)`. @public */
export const mul_hi: Builtin3 = /* @__PURE__ */ builtin("mul_hi", true);

/** `T(U)`. @public */
export const nan: Builtin34 = /* @__PURE__ */ builtin("nan", false);

/** `T(T)`. @public */
export const native_cos: Builtin22 = /* @__PURE__ */ builtin("native_cos", false);

/** `T(T, T)`. @public */
export const native_divide: Builtin23 = /* @__PURE__ */ builtin("native_divide", false);

/** `T(T)`. @public */
export const native_exp: Builtin22 = /* @__PURE__ */ builtin("native_exp", false);

/** `T(T)`. @public */
export const native_exp10: Builtin22 = /* @__PURE__ */ builtin("native_exp10", false);

/** `T(T)`. @public */
export const native_exp2: Builtin22 = /* @__PURE__ */ builtin("native_exp2", false);

/** `T(T)`. @public */
export const native_log: Builtin22 = /* @__PURE__ */ builtin("native_log", false);

/** `T(T)`. @public */
export const native_log10: Builtin22 = /* @__PURE__ */ builtin("native_log10", false);

/** `T(T)`. @public */
export const native_log2: Builtin22 = /* @__PURE__ */ builtin("native_log2", false);

/** `T(T, T)`. @public */
export const native_powr: Builtin23 = /* @__PURE__ */ builtin("native_powr", false);

/** `T(T)`. @public */
export const native_recip: Builtin22 = /* @__PURE__ */ builtin("native_recip", false);

/** `T(T)`. @public */
export const native_rsqrt: Builtin22 = /* @__PURE__ */ builtin("native_rsqrt", false);

/** `T(T)`. @public */
export const native_sin: Builtin22 = /* @__PURE__ */ builtin("native_sin", false);

/** `T(T)`. @public */
export const native_sqrt: Builtin22 = /* @__PURE__ */ builtin("native_sqrt", false);

/** `T(T)`. @public */
export const native_tan: Builtin22 = /* @__PURE__ */ builtin("native_tan", false);

/** `T(T, T)`. @public */
export const nextafter: Builtin5 = /* @__PURE__ */ builtin("nextafter", false);

/** `T(T)`. @public */
export const normalize: Builtin35 = /* @__PURE__ */ builtin("normalize", false);

/** `T(T)`. @public */
export const popcount: Builtin8 = /* @__PURE__ */ builtin("popcount", true);

/** `T(T, T)`. @public */
export const pow: Builtin5 = /* @__PURE__ */ builtin("pow", false);

/** `T(T, N)`. @public */
export const pown: Builtin36 = /* @__PURE__ */ builtin("pown", false);

/** `T(T, T)`. @public */
export const powr: Builtin5 = /* @__PURE__ */ builtin("powr", false);

/** `T(T)`. @public */
export const radians: Builtin2 = /* @__PURE__ */ builtin("radians", false);

/** `T(T, T)`. @public */
export const remainder: Builtin5 = /* @__PURE__ */ builtin("remainder", false);

/** `T(T, T)`. @public */
export const rhadd: Builtin3 = /* @__PURE__ */ builtin("rhadd", true);

/** `T(T)`. @public */
export const rint: Builtin2 = /* @__PURE__ */ builtin("rint", false);

/** `T(T, N)`. @public */
export const rootn: Builtin36 = /* @__PURE__ */ builtin("rootn", false);

/** `T(T, T)`. @public */
export const rotate: Builtin3 = /* @__PURE__ */ builtin("rotate", true);

/** `T(T)`. @public */
export const round: Builtin2 = /* @__PURE__ */ builtin("round", false);

/** `T(T)`. @public */
export const rsqrt: Builtin2 = /* @__PURE__ */ builtin("rsqrt", false);

/** `T(T, T, I)`, `T(T, T, U)`. @public */
export const select: Builtin37 = /* @__PURE__ */ builtin("select", true);

/** `S2(T, U2)`, `S4(T, U4)`, `S8(T, U8)`, `S16(T, U16)`. @public */
export const shuffle: Builtin38 = /* @__PURE__ */ builtin("shuffle", true);

/** `S2(T, T, U2)`, `S4(T, T, U4)`, `S8(T, T, U8)`, `S16(T, T, U16)`. @public */
export const shuffle2: Builtin39 = /* @__PURE__ */ builtin("shuffle2", true);

/** `T(T)`. @public */
export const sign: Builtin2 = /* @__PURE__ */ builtin("sign", false);

/** `C(T)`. @public */
export const signbit: Builtin26 = /* @__PURE__ */ builtin("signbit", false);

/** `T(T)`. @public */
export const sin: Builtin2 = /* @__PURE__ */ builtin("sin", false);

/** `T(T)`. @public */
export const sinh: Builtin2 = /* @__PURE__ */ builtin("sinh", false);

/** `T(T)`. @public */
export const sinpi: Builtin2 = /* @__PURE__ */ builtin("sinpi", false);

/** `T(T, T, T)`, `T(S, S, T)`. @public */
export const smoothstep: Builtin40 = /* @__PURE__ */ builtin("smoothstep", false);

/** `T(T)`. @public */
export const sqrt: Builtin2 = /* @__PURE__ */ builtin("sqrt", false);

/** `T(T, T)`, `T(S, T)`. @public */
export const step: Builtin41 = /* @__PURE__ */ builtin("step", false);

/** `int(int)`. @public */
export const sub_group_all: Builtin42 = /* @__PURE__ */ builtin("sub_group_all", false);

/** `int(int)`. @public */
export const sub_group_any: Builtin42 = /* @__PURE__ */ builtin("sub_group_any", false);

/** `uint4(int)`. @public */
export const sub_group_ballot: Builtin43 = /* @__PURE__ */ builtin("sub_group_ballot", false);

/** `uint(uint4)`. @public */
export const sub_group_ballot_bit_count: Builtin44 = /* @__PURE__ */ builtin("sub_group_ballot_bit_count", false);

/** `int(uint4, uint)`. @public */
export const sub_group_ballot_bit_extract: Builtin45 = /* @__PURE__ */ builtin("sub_group_ballot_bit_extract", false);

/** `uint(uint4)`. @public */
export const sub_group_ballot_exclusive_scan: Builtin44 = /* @__PURE__ */ builtin("sub_group_ballot_exclusive_scan", false);

/** `uint(uint4)`. @public */
export const sub_group_ballot_find_lsb: Builtin44 = /* @__PURE__ */ builtin("sub_group_ballot_find_lsb", false);

/** `uint(uint4)`. @public */
export const sub_group_ballot_find_msb: Builtin44 = /* @__PURE__ */ builtin("sub_group_ballot_find_msb", false);

/** `uint(uint4)`. @public */
export const sub_group_ballot_inclusive_scan: Builtin44 = /* @__PURE__ */ builtin("sub_group_ballot_inclusive_scan", false);

/** `T(T, uint)`. @public */
export const sub_group_broadcast: Builtin46 = /* @__PURE__ */ builtin("sub_group_broadcast", true);

/** `T(T)`. @public */
export const sub_group_broadcast_first: Builtin47 = /* @__PURE__ */ builtin("sub_group_broadcast_first", true);

/** `T(T, uint)`. @public */
export const sub_group_clustered_reduce_add: Builtin48 = /* @__PURE__ */ builtin("sub_group_clustered_reduce_add", true);

/** `T(T, uint)`. @public */
export const sub_group_clustered_reduce_and: Builtin48 = /* @__PURE__ */ builtin("sub_group_clustered_reduce_and", true);

/** `int(int, uint)`. @public */
export const sub_group_clustered_reduce_logical_and: Builtin12 = /* @__PURE__ */ builtin("sub_group_clustered_reduce_logical_and", false);

/** `int(int, uint)`. @public */
export const sub_group_clustered_reduce_logical_or: Builtin12 = /* @__PURE__ */ builtin("sub_group_clustered_reduce_logical_or", false);

/** `int(int, uint)`. @public */
export const sub_group_clustered_reduce_logical_xor: Builtin12 = /* @__PURE__ */ builtin("sub_group_clustered_reduce_logical_xor", false);

/** `T(T, uint)`. @public */
export const sub_group_clustered_reduce_max: Builtin48 = /* @__PURE__ */ builtin("sub_group_clustered_reduce_max", true);

/** `T(T, uint)`. @public */
export const sub_group_clustered_reduce_min: Builtin48 = /* @__PURE__ */ builtin("sub_group_clustered_reduce_min", true);

/** `T(T, uint)`. @public */
export const sub_group_clustered_reduce_mul: Builtin48 = /* @__PURE__ */ builtin("sub_group_clustered_reduce_mul", true);

/** `T(T, uint)`. @public */
export const sub_group_clustered_reduce_or: Builtin48 = /* @__PURE__ */ builtin("sub_group_clustered_reduce_or", true);

/** `T(T, uint)`. @public */
export const sub_group_clustered_reduce_xor: Builtin48 = /* @__PURE__ */ builtin("sub_group_clustered_reduce_xor", true);

/** `T(T, int, uint)`. @public */
export const sub_group_clustered_rotate: Builtin49 = /* @__PURE__ */ builtin("sub_group_clustered_rotate", true);

/** `int()`. @public */
export const sub_group_elect: Builtin20 = /* @__PURE__ */ builtin("sub_group_elect", false);

/** `int(uint4)`. @public */
export const sub_group_inverse_ballot: Builtin44 = /* @__PURE__ */ builtin("sub_group_inverse_ballot", false);

/** `int(int)`. @public */
export const sub_group_non_uniform_all: Builtin42 = /* @__PURE__ */ builtin("sub_group_non_uniform_all", false);

/** `int(T)`. @public */
export const sub_group_non_uniform_all_equal: Builtin50 = /* @__PURE__ */ builtin("sub_group_non_uniform_all_equal", true);

/** `int(int)`. @public */
export const sub_group_non_uniform_any: Builtin42 = /* @__PURE__ */ builtin("sub_group_non_uniform_any", false);

/** `T(T, uint)`. @public */
export const sub_group_non_uniform_broadcast: Builtin46 = /* @__PURE__ */ builtin("sub_group_non_uniform_broadcast", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_reduce_add: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_reduce_add", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_reduce_and: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_reduce_and", true);

/** `int(int)`. @public */
export const sub_group_non_uniform_reduce_logical_and: Builtin42 = /* @__PURE__ */ builtin("sub_group_non_uniform_reduce_logical_and", false);

/** `int(int)`. @public */
export const sub_group_non_uniform_reduce_logical_or: Builtin42 = /* @__PURE__ */ builtin("sub_group_non_uniform_reduce_logical_or", false);

/** `int(int)`. @public */
export const sub_group_non_uniform_reduce_logical_xor: Builtin42 = /* @__PURE__ */ builtin("sub_group_non_uniform_reduce_logical_xor", false);

/** `T(T)`. @public */
export const sub_group_non_uniform_reduce_max: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_reduce_max", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_reduce_min: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_reduce_min", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_reduce_mul: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_reduce_mul", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_reduce_or: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_reduce_or", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_reduce_xor: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_reduce_xor", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_exclusive_add: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_exclusive_add", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_exclusive_and: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_exclusive_and", true);

/** `int(int)`. @public */
export const sub_group_non_uniform_scan_exclusive_logical_and: Builtin42 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_exclusive_logical_and", false);

/** `int(int)`. @public */
export const sub_group_non_uniform_scan_exclusive_logical_or: Builtin42 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_exclusive_logical_or", false);

/** `int(int)`. @public */
export const sub_group_non_uniform_scan_exclusive_logical_xor: Builtin42 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_exclusive_logical_xor", false);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_exclusive_max: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_exclusive_max", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_exclusive_min: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_exclusive_min", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_exclusive_mul: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_exclusive_mul", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_exclusive_or: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_exclusive_or", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_exclusive_xor: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_exclusive_xor", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_inclusive_add: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_inclusive_add", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_inclusive_and: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_inclusive_and", true);

/** `int(int)`. @public */
export const sub_group_non_uniform_scan_inclusive_logical_and: Builtin42 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_inclusive_logical_and", false);

/** `int(int)`. @public */
export const sub_group_non_uniform_scan_inclusive_logical_or: Builtin42 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_inclusive_logical_or", false);

/** `int(int)`. @public */
export const sub_group_non_uniform_scan_inclusive_logical_xor: Builtin42 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_inclusive_logical_xor", false);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_inclusive_max: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_inclusive_max", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_inclusive_min: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_inclusive_min", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_inclusive_mul: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_inclusive_mul", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_inclusive_or: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_inclusive_or", true);

/** `T(T)`. @public */
export const sub_group_non_uniform_scan_inclusive_xor: Builtin47 = /* @__PURE__ */ builtin("sub_group_non_uniform_scan_inclusive_xor", true);

/** `T(T)`. @public */
export const sub_group_reduce_add: Builtin47 = /* @__PURE__ */ builtin("sub_group_reduce_add", true);

/** `T(T)`. @public */
export const sub_group_reduce_max: Builtin47 = /* @__PURE__ */ builtin("sub_group_reduce_max", true);

/** `T(T)`. @public */
export const sub_group_reduce_min: Builtin47 = /* @__PURE__ */ builtin("sub_group_reduce_min", true);

/** `T(T, int)`. @public */
export const sub_group_rotate: Builtin48 = /* @__PURE__ */ builtin("sub_group_rotate", true);

/** `T(T)`. @public */
export const sub_group_scan_exclusive_add: Builtin47 = /* @__PURE__ */ builtin("sub_group_scan_exclusive_add", true);

/** `T(T)`. @public */
export const sub_group_scan_exclusive_max: Builtin47 = /* @__PURE__ */ builtin("sub_group_scan_exclusive_max", true);

/** `T(T)`. @public */
export const sub_group_scan_exclusive_min: Builtin47 = /* @__PURE__ */ builtin("sub_group_scan_exclusive_min", true);

/** `T(T)`. @public */
export const sub_group_scan_inclusive_add: Builtin47 = /* @__PURE__ */ builtin("sub_group_scan_inclusive_add", true);

/** `T(T)`. @public */
export const sub_group_scan_inclusive_max: Builtin47 = /* @__PURE__ */ builtin("sub_group_scan_inclusive_max", true);

/** `T(T)`. @public */
export const sub_group_scan_inclusive_min: Builtin47 = /* @__PURE__ */ builtin("sub_group_scan_inclusive_min", true);

/** `T(T, uint)`. @public */
export const sub_group_shuffle: Builtin48 = /* @__PURE__ */ builtin("sub_group_shuffle", true);

/** `T(T, uint)`. @public */
export const sub_group_shuffle_down: Builtin48 = /* @__PURE__ */ builtin("sub_group_shuffle_down", true);

/** `T(T, uint)`. @public */
export const sub_group_shuffle_up: Builtin48 = /* @__PURE__ */ builtin("sub_group_shuffle_up", true);

/** `T(T, uint)`. @public */
export const sub_group_shuffle_xor: Builtin48 = /* @__PURE__ */ builtin("sub_group_shuffle_xor", true);

/** `T(T, T)`. @public */
export const sub_sat: Builtin3 = /* @__PURE__ */ builtin("sub_sat", true);

/** `T(T)`. @public */
export const tan: Builtin2 = /* @__PURE__ */ builtin("tan", false);

/** `T(T)`. @public */
export const tanh: Builtin2 = /* @__PURE__ */ builtin("tanh", false);

/** `T(T)`. @public */
export const tanpi: Builtin2 = /* @__PURE__ */ builtin("tanpi", false);

/** `T(T)`. @public */
export const tgamma: Builtin2 = /* @__PURE__ */ builtin("tgamma", false);

/** `T(T)`. @public */
export const trunc: Builtin2 = /* @__PURE__ */ builtin("trunc", false);

/** `W(T, U)`. @public */
export const upsample: Builtin51 = /* @__PURE__ */ builtin("upsample", true);

/** `int(T)`. @public */
export const vec_step: Builtin52 = /* @__PURE__ */ builtin("vec_step", true);

/** `int(int)`. @public */
export const work_group_all: Builtin42 = /* @__PURE__ */ builtin("work_group_all", false);

/** `int(int)`. @public */
export const work_group_any: Builtin42 = /* @__PURE__ */ builtin("work_group_any", false);

/** `T(T, size_t)`, `T(T, size_t, size_t)`, `T(T, size_t, size_t, size_t)`. @public */
export const work_group_broadcast: Builtin53 = /* @__PURE__ */ builtin("work_group_broadcast", true);

/** `T(T)`. @public */
export const work_group_reduce_add: Builtin47 = /* @__PURE__ */ builtin("work_group_reduce_add", true);

/** `T(T)`. @public */
export const work_group_reduce_max: Builtin47 = /* @__PURE__ */ builtin("work_group_reduce_max", true);

/** `T(T)`. @public */
export const work_group_reduce_min: Builtin47 = /* @__PURE__ */ builtin("work_group_reduce_min", true);

/** `T(T)`. @public */
export const work_group_scan_exclusive_add: Builtin47 = /* @__PURE__ */ builtin("work_group_scan_exclusive_add", true);

/** `T(T)`. @public */
export const work_group_scan_exclusive_max: Builtin47 = /* @__PURE__ */ builtin("work_group_scan_exclusive_max", true);

/** `T(T)`. @public */
export const work_group_scan_exclusive_min: Builtin47 = /* @__PURE__ */ builtin("work_group_scan_exclusive_min", true);

/** `T(T)`. @public */
export const work_group_scan_inclusive_add: Builtin47 = /* @__PURE__ */ builtin("work_group_scan_inclusive_add", true);

/** `T(T)`. @public */
export const work_group_scan_inclusive_max: Builtin47 = /* @__PURE__ */ builtin("work_group_scan_inclusive_max", true);

/** `T(T)`. @public */
export const work_group_scan_inclusive_min: Builtin47 = /* @__PURE__ */ builtin("work_group_scan_inclusive_min", true);

/** The same bits as a `char`. @public */
export const as_char: (value: number | bigint) => number = /* @__PURE__ */ builtin("as_char", true);

/** The same bits as a `uchar`. @public */
export const as_uchar: (value: number | bigint) => number = /* @__PURE__ */ builtin("as_uchar", true);

/** The same bits as a `short`. @public */
export const as_short: (value: number | bigint) => number = /* @__PURE__ */ builtin("as_short", true);

/** The same bits as a `ushort`. @public */
export const as_ushort: (value: number | bigint) => number = /* @__PURE__ */ builtin("as_ushort", true);

/** The same bits as a `int`. @public */
export const as_int: (value: number | bigint) => number = /* @__PURE__ */ builtin("as_int", true);

/** The same bits as a `uint`. @public */
export const as_uint: (value: number | bigint) => number = /* @__PURE__ */ builtin("as_uint", true);

/** The same bits as a `long`. @public */
export const as_long: (value: number | bigint) => bigint = /* @__PURE__ */ builtin("as_long", true);

/** The same bits as a `ulong`. @public */
export const as_ulong: (value: number | bigint) => bigint = /* @__PURE__ */ builtin("as_ulong", true);

/** The same bits as a `half`. @public */
export const as_half: (value: number | bigint) => number = /* @__PURE__ */ builtin("as_half", true);

/** The same bits as a `float`. @public */
export const as_float: (value: number | bigint) => number = /* @__PURE__ */ builtin("as_float", true);

/** The same bits as a `double`. @public */
export const as_double: (value: number | bigint) => number = /* @__PURE__ */ builtin("as_double", true);
