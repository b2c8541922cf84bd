// SPDX-License-Identifier: Apache-2.0
// What a test of a shader is: GLSL, what is bound, and what plain TypeScript says that comes out.
import type { ShaderResource } from "@muxkit/kernel-suite";

/** Numbers of a buffer after a dispatch. */
export type Numbers = readonly number[];

/** A test of one idea. */
export interface ShaderCase {
  readonly name: string;
  /** The shader, without `#version`. */
  readonly glsl: string;
  readonly groups?: readonly [number, number, number];
  readonly resources: Readonly<Record<string, ShaderResource | readonly ShaderResource[]>>;
  readonly push?: Uint8Array;
  readonly specialization?: ReadonlyMap<number, Uint8Array>;
  readonly descriptorCounts?: ReadonlyMap<string, number>;
  readonly options?: string;
  readonly target?: string;
  /** What is in the resource at `set,binding` afterwards; of several descriptors: one behind the other. */
  readonly expected: Readonly<Record<string, Int32Array | Uint32Array | Float32Array | Float64Array | Uint8Array>>;
  /** The greatest distance from what is expected, in parts of it; absent: none. */
  readonly tolerance?: number;
  readonly printed?: string;
  /** Why lavapipe is not asked, or how much less exact it is. */
  readonly lavapipe?: string | number;
}

/** Indices of descriptors that differ in a work-group. */
export const NOT_UNIFORM = "lavapipe takes indices of descriptors that are uniform only";

export const bytesOf = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer.slice(array.byteOffset, array.byteOffset + array.byteLength) as ArrayBuffer);
export const buffer = (array: ArrayBufferView): ShaderResource => ({ buffer: bytesOf(array) });
export const zeros = (bytes: number): ShaderResource => ({ buffer: new Uint8Array(bytes) });
export const u32 = (...values: number[]): Uint32Array => Uint32Array.from(values);
export const i32 = (...values: number[]): Int32Array => Int32Array.from(values);
export const f32 = (...values: number[]): Float32Array => Float32Array.from(values);

/** Numbers from a function of the index. */
export const list = (count: number, of: (i: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => of(i));
