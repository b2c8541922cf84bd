// SPDX-License-Identifier: Apache-2.0
// What crosses between a test and the thread that runs binaries: plain data.
import type { Image } from "@muxkit/libimg";

/** An argument: bytes of a value, of a buffer, of an image's pixels; local memory. */
export type MessageArgument =
  | { readonly kind: "value"; readonly bytes: Uint8Array }
  | { readonly kind: "buffer"; readonly bytes: Uint8Array }
  | { readonly kind: "image"; readonly bytes: Uint8Array; readonly image: Image }
  | { readonly kind: "local"; readonly size: number };

/** Launches of kernels of a binary, one after the other, with the same arguments. */
export interface LaunchMessage {
  readonly binary: Uint8Array;
  readonly kernels: readonly string[];
  readonly arguments: readonly MessageArgument[];
  readonly global: readonly number[];
  readonly local: readonly number[];
  readonly offset: readonly number[];
}

/** What they left behind: buffers and images in the order of the arguments. */
export interface LaunchAnswer {
  readonly buffers: readonly Uint8Array[];
  readonly printed: string;
  /** What went wrong; null: nothing. */
  readonly error: string | null;
  /** Modules that the thread has loaded, by their addresses. */
  readonly loaded: readonly string[];
}
