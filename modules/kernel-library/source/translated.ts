// SPDX-License-Identifier: Apache-2.0
// What the translator makes of a TypeScript file, as plain data: its kernels, their parameters, and the OpenCL
// arguments that each parameter stands for. Translator and launcher read these rows, so that they agree.

import { SCALAR_ARRAYS, type ScalarArrayType } from "@muxkit/cargo";

import type { ReductionOperator } from "./reductions.ts";

/** Scalars of kernels, by their names in TypeScript and OpenCL C. @public */
export type ScalarName =
  | "char"
  | "uchar"
  | "short"
  | "ushort"
  | "int"
  | "uint"
  | "long"
  | "ulong"
  | "half"
  | "float"
  | "double"
  | "bool";

/** Lanes of a vector. @public */
export type Lanes = 2 | 3 | 4 | 8 | 16;

/** A scalar; `bool` is no element of memory. @public */
export interface ScalarElement {
  /** Which of its kind it is. */
  readonly kind: "scalar";
  /** Its name. */
  readonly name: ScalarName;
}

/** A vector; three lanes take the space of four. @public */
export interface VectorElement {
  /** Which of its kind it is. */
  readonly kind: "vector";
  /** Type of a lane. */
  readonly scalar: ScalarName;
  /** How many lanes. */
  readonly lanes: Lanes;
}

/** A typed record with the layout of a struct in C. @public */
export interface RecordElement {
  /** Which of its kind it is. */
  readonly kind: "record";
  /** Name of the struct in OpenCL C. */
  readonly name: string;
  /** In the order of memory. */
  readonly fields: readonly RecordField[];
  /** Bytes, with the padding at the end. */
  readonly size: number;
  /** Bytes. */
  readonly alignment: number;
}

/** A field of a record. @public */
export interface RecordField {
  /** Its name. */
  readonly name: string;
  /** Type of the value. */
  readonly type: ElementType;
  /** Bytes from the beginning. */
  readonly offset: number;
}

/** What memory holds. @public */
export type ElementType = ScalarElement | VectorElement | RecordElement;

/** How a kernel uses memory. @public */
export type AccessMode = "read" | "write" | "read_write";

/** Memory of a buffer: a pointer to its first element, then its ranges but the first, each a `uint`. @public */
export interface AccessorParameter {
  /** Which of its kind it is. */
  readonly kind: "accessor";
  /** Its name. */
  readonly name: string;
  /** What the memory holds. */
  readonly element: ElementType;
  /** How many indices an element has. */
  readonly dimensions: 1 | 2 | 3;
  /** What the kernel does with it. */
  readonly access: AccessMode;
}

/** Local memory whose number of elements the launch says. @public */
export interface LocalParameter {
  /** Which of its kind it is. */
  readonly kind: "local";
  /** Its name. */
  readonly name: string;
  /** What the memory holds. */
  readonly element: ElementType;
}

/** A pointer to unified shared memory. @public */
export interface PointerParameter {
  /** Which of its kind it is. */
  readonly kind: "pointer";
  /** Its name. */
  readonly name: string;
  /** What the memory holds. */
  readonly element: ElementType;
  /** What the kernel does with it. */
  readonly access: AccessMode;
}

/** A value: a scalar other than `bool`, a vector, or a record. @public */
export interface ScalarParameter {
  /** Which of its kind it is. */
  readonly kind: "scalar";
  /** Its name. */
  readonly name: string;
  /** Type of the value. */
  readonly type: ElementType;
}

/** How a kernel uses an image. @public */
export type ImageAccess = "read" | "write" | "sample";

/** An image; one that is sampled is followed by its sampler. @public */
export interface ImageParameter {
  /** Which of its kind it is. */
  readonly kind: "image";
  /** Its name. */
  readonly name: string;
  /** A color: `float4`, `int4` or `uint4`. */
  readonly element: VectorElement;
  /** How many coordinates a pixel has. */
  readonly dimensions: 1 | 2 | 3;
  /** What the kernel does with it. */
  readonly access: ImageAccess;
}

/**
 * A value that is combined over all work-items: a pointer to a partial result of each work-group, local memory with an
 * element for each work-item, and the identity.
 *
 * @public
 */
export interface ReducerParameter {
  /** Which of its kind it is. */
  readonly kind: "reducer";
  /** Its name. */
  readonly name: string;
  /** What is combined. */
  readonly element: ElementType;
  /** By what; `function`: by one of the file. */
  readonly operator: ReductionOperator | "function";
  /** Name in OpenCL C of the kernel that combines the partial results. */
  readonly finish: string;
}

/**
 * A specialization constant that the kernel uses. It stands behind the parameters of the function, and is an argument
 * only in images that cannot be specialised.
 *
 * @public
 */
export interface ConstantParameter {
  /** Which of its kind it is. */
  readonly kind: "constant";
  /** Name of the {@link TranslatedConstant}. */
  readonly name: string;
  /** Type of the value. */
  readonly type: ScalarElement;
}

/** A parameter of a kernel. @public */
export type KernelParameter =
  | AccessorParameter
  | LocalParameter
  | PointerParameter
  | ScalarParameter
  | ReducerParameter
  | ImageParameter
  | ConstantParameter;

/** A specialization constant of a file. @public */
export interface TranslatedConstant {
  /** Name of the variable. */
  readonly name: string;
  /** Type of the value. */
  readonly type: ScalarElement;
  /** Its value where nothing else is set; longs as text of digits. */
  readonly value: number | string;
  /** The macro that sets it in a build from source: `-D MACRO=VALUE`. */
  readonly macro: string;
}

/** A kernel. @public */
export interface TranslatedKernel {
  /** Name in the unit: that of the variable. */
  readonly name: string;
  /** Name of the function in OpenCL C. */
  readonly entry: string;
  /** What the first parameter is; `none`: a single task. */
  readonly item: "item" | "nd-item" | "none";
  /** How many indices an element has. */
  readonly dimensions: 1 | 2 | 3;
  /** In the order of the function, without the item; constants at the end. */
  readonly parameters: readonly KernelParameter[];
  /** Items of its sub-groups; absent: as many as the device likes. */
  readonly subGroupSize?: number;
  /** Line of the kernel in the TypeScript file, from 1. */
  readonly line: number;
}

/** The kernels of a unit in a form that devices take. @public */
export interface TranslatedImage {
  /** `opencl-c`: the text of the unit. `ir`, `spirv`, `executable`: bytes. */
  readonly format: "opencl-c" | "ir" | "spirv" | "executable";
  /** Base64. */
  readonly data: string;
  /** Specialization constants are trailing arguments: see {@link CONSTANTS_AS_ARGUMENTS}. */
  readonly constantsAreArguments: boolean;
}

/** What a TypeScript file is to devices. @public */
export interface TranslatedUnit {
  /** Name of the file. */
  readonly name: string;
  /** The text; empty where only images are kept. */
  readonly openclC: string;
  /** Build options that the text needs. */
  readonly options: string;
  /** In the order of the file. */
  readonly kernels: readonly TranslatedKernel[];
  /** In the order of the file. */
  readonly specConstants: readonly TranslatedConstant[];
  /** What was compiled ahead of time. */
  readonly images?: readonly TranslatedImage[];
}

/**
 * The macro with which the text of a unit takes specialization constants as trailing arguments of each kernel that uses
 * them. Without it they are macros.
 *
 * @public
 */
export const CONSTANTS_AS_ARGUMENTS = "__MUXKIT_CONSTANTS_AS_ARGUMENTS__";

/** A buffer, or a pointer to shared memory. @public */
export interface MemoryArgument {
  /** Kind of the argument. */
  readonly role: "memory";
}

/** Local memory. @public */
export interface LocalArgument {
  /** Kind of the argument. */
  readonly role: "local";
  /** Bytes of an element, of which the launch says the number. */
  readonly elementBytes: number;
}

/** A `uint`: elements of an accessor's dimension. @public */
export interface RangeArgument {
  /** Kind of the argument. */
  readonly role: "range";
  /** Which dimension, from 0. */
  readonly dimension: 1 | 2;
}

/** A value. @public */
export interface ValueArgument {
  /** Kind of the argument. */
  readonly role: "value";
  /** Its type. */
  readonly type: ElementType;
}

/** An image, or its sampler. @public */
export interface ImageArgument {
  /** Kind of the argument. */
  readonly role: "image" | "sampler";
}

/** An argument in OpenCL. @public */
export type OpenclArgument = ImageArgument | MemoryArgument | LocalArgument | RangeArgument | ValueArgument;

/**
 * The arguments of a parameter, in order.
 *
 * @param constantsAreArguments - what the image says
 * @public
 */
export function argumentsOf(parameter: KernelParameter, constantsAreArguments: boolean): readonly OpenclArgument[] {
  if (parameter.kind === "accessor")
    return [
      { role: "memory" },
      ...([1, 2] as const)
        .filter((dimension) => dimension < parameter.dimensions)
        .map((dimension) => ({ role: "range", dimension }) as const),
    ];
  if (parameter.kind === "pointer") return [{ role: "memory" }];
  if (parameter.kind === "local") return [{ role: "local", elementBytes: sizeOf(parameter.element) }];
  if (parameter.kind === "image")
    return [{ role: "image" }, ...(parameter.access === "sample" ? ([{ role: "sampler" }] as const) : [])];
  if (parameter.kind === "reducer")
    return [
      { role: "memory" },
      { role: "local", elementBytes: sizeOf(parameter.element) },
      { role: "value", type: parameter.element },
    ];
  if (parameter.kind === "constant" && !constantsAreArguments) return [];
  return [{ role: "value", type: parameter.type }];
}

/**
 * A range as OpenCL takes it. Neighbours in memory differ in the last dimension of a range, and in OpenCL's first: the
 * order is the reverse. The same holds for offsets and ids.
 *
 * @public
 */
export function openclRange(range: readonly number[]): readonly number[] {
  return range.toReversed();
}

/** Arrays that hold a scalar in memory. Halves are the bits of theirs. */
export const ARRAYS: Readonly<Record<ScalarName, ScalarArrayType>> = { bool: Uint8Array, ...SCALAR_ARRAYS };

/** Bytes of an element. @public */
export function sizeOf(type: ElementType): number {
  if (type.kind === "record") return type.size;
  return type.kind === "scalar"
    ? ARRAYS[type.name].BYTES_PER_ELEMENT
    : ARRAYS[type.scalar].BYTES_PER_ELEMENT * (type.lanes === 3 ? 4 : type.lanes);
}

/** Alignment of an element in bytes: vectors are aligned to their size. @public */
export function alignmentOf(type: ElementType): number {
  return type.kind === "record" ? type.alignment : sizeOf(type);
}

/** A record with the layout that C gives its fields in this order. @public */
export function layoutRecord(name: string, fields: readonly Omit<RecordField, "offset">[]): RecordElement {
  let end = 0;
  let alignment = 1;
  const placed = fields.map((field): RecordField => {
    const own = alignmentOf(field.type);
    const offset = Math.ceil(end / own) * own;
    end = offset + sizeOf(field.type);
    alignment = Math.max(alignment, own);
    return { ...field, offset };
  });
  return { kind: "record", name, fields: placed, size: Math.ceil(end / alignment) * alignment, alignment };
}
