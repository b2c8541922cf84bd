// SPDX-License-Identifier: Apache-2.0
// Types of kernels, read from their source: a literal source yields functions whose parameters the type checker can
// check.
import type { DeviceArray, HostArray } from "./device-array.ts";
import type { KernelFunction } from "./kernel-function.ts";
import type { DeviceImage } from "./device-image.ts";
import type { LocalMemory, Sampler } from "@muxkit/opencl";

type Space = " " | "\n" | "\t" | "\r";
type Trim<Text extends string> = Text extends `${Space}${infer Rest}`
  ? Trim<Rest>
  : Text extends `${infer Rest}${Space}`
    ? Trim<Rest>
    : Text;

interface ScalarArrays {
  char: Int8Array;
  uchar: Uint8Array | Uint8ClampedArray;
  short: Int16Array;
  ushort: Uint16Array;
  int: Int32Array;
  uint: Uint32Array;
  long: BigInt64Array;
  ulong: BigUint64Array;
  half: Uint16Array;
  float: Float32Array;
  double: Float64Array;
  size_t: Uint32Array;
}
type Scalar = keyof ScalarArrays;
type Lanes = "2" | "3" | "4" | "8" | "16";
type Qualifier =
  | "const"
  | "restrict"
  | "volatile"
  | "__global"
  | "global"
  | "__constant"
  | "constant"
  | "__private"
  | "private";

/** The last word of a type is its name; the qualifiers before it do not change what is passed. */
type Unqualified<Text extends string> = Text extends `${Qualifier} ${infer Rest}`
  ? Unqualified<Trim<Rest>>
  : Text extends `${infer Rest} ${Qualifier}`
    ? Unqualified<Trim<Rest>>
    : Trim<Text>;
type Element<Type extends string> = Type extends Scalar
  ? ScalarArrays[Type]
  : Type extends `${infer Base extends Scalar}${Lanes}`
    ? ScalarArrays[Base]
    : HostArray;

type Handle<Type extends string> = Type extends `${string}image${"1d" | "2d" | "3d"}${string}_t`
  ? DeviceImage
  : Type extends `${string}sampler_t`
    ? Sampler
    : never;

type ValueOf<Type extends string> = [Handle<Type>] extends [never] ? PlainValueOf<Type> : Handle<Type>;
type PlainValueOf<Type extends string> = Type extends "long" | "ulong"
  ? number | bigint
  : Type extends Scalar
    ? number
    : Type extends `${Scalar}${Lanes}`
      ? readonly (number | bigint)[] | ArrayBufferView
      : number | bigint | ArrayBufferView;

/** `type name` without the name. */
type DropName<Text extends string, Type extends string = ""> = Text extends `${infer Word} ${infer Rest}`
  ? DropName<Trim<Rest>, Type extends "" ? Word : `${Type} ${Word}`>
  : Type;

type Parameter<Text extends string> = Text extends `${infer Type}*${string}`
  ? Trim<Type> extends `${"local" | "__local"} ${string}`
    ? LocalMemory
    : DeviceArray<Element<Unqualified<Trim<Type>>>> | null
  : ValueOf<Unqualified<DropName<Trim<Text>>>>;

type Parameters<Text extends string, Done extends readonly unknown[] = []> =
  Trim<Text> extends "" | "void"
    ? Done
    : Text extends `${infer First},${infer Rest}`
      ? Parameters<Rest, [...Done, Parameter<Trim<First>>]>
      : [...Done, Parameter<Trim<Text>>];

/** Attributes may be between `kernel` and `void`; a comment that mentions kernels before one does no harm. */
type Signatures<
  Source extends string,
  Known extends object = object,
> = Source extends `${string}kernel${" " | "\n"}${string}void ${infer Name}(${infer List})${infer Rest}`
  ? Signatures<Rest, Known & Readonly<Record<Trim<Name>, KernelFunction<Parameters<List>>>>>
  : Known;

/**
 * The kernels of a source. A literal yields each `kernel … void name(…)` as a function with its own parameters: arrays
 * for pointers, numbers for scalars, lists for vectors, images, samplers, `{ localBytes }` for local memory. A source
 * that is known only at run time yields functions that take anything; they check at run time.
 *
 * @public
 */
export type KernelsOf<Source extends string> = string extends Source
  ? Readonly<Record<string, KernelFunction>>
  : Signatures<Source>;
