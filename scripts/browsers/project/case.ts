// SPDX-License-Identifier: Apache-2.0
// A launch of the kernel suite as it is sent to a page, and what it has to leave in memory.

/** Bytes: base64, or how many zeros. */
export type RecordedBytes = string | number;

/** A format and layout as @muxkit/libimg has them. */
export interface RecordedImage {
  readonly type: string;
  readonly format: { readonly order: string; readonly type: string };
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly layers: number;
}

/** Bytes of a value, a buffer, an image, local memory, the bits of a sampler. */
export type RecordedArgument =
  | { readonly value: RecordedBytes }
  | { readonly contents: RecordedBytes; readonly image?: RecordedImage }
  | { readonly local: number }
  | { readonly sampler: number };

/** A launch of a kernel, and of others after it with the same arguments. */
export interface RecordedCase {
  readonly number: number;
  readonly test: string;
  readonly source: string;
  readonly kernels: readonly string[];
  readonly options: string;
  readonly global: readonly number[];
  readonly local: readonly number[];
  readonly offset: readonly number[];
  readonly arguments: readonly RecordedArgument[];
  /** What the buffer and image arguments hold at the end, in order. */
  readonly buffers: readonly RecordedBytes[];
  /** What was printed, a byte string. */
  readonly printed: string;
  /**
   * Of each buffer, in order: what its elements are, bits where the list is short; null: unknown, so the kernel's
   * parameters do. NaNs are one after arithmetic.
   */
  readonly kinds: readonly ElementKind[] | null;
}

/** What elements are compared as. */
export type ElementKind = "f16" | "f32" | "f64" | "bits";
