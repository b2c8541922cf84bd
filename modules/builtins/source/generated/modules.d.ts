// SPDX-License-Identifier: Apache-2.0
// What modules.js has, which tools/bake makes from modules/abacus/source/opencl and modules/builtins/source/opencl.

/** A source of the library in the IR's binary form. */
export interface BakedModule {
  readonly name: string;
  /** The width of size_t that it is for; null: any. */
  readonly sizeBits: 32 | 64 | null;
  /** What it defines. */
  readonly symbols: readonly string[];
  readonly base64: string;
}

/** The whole library. */
export declare const MODULES: readonly BakedModule[];
