// SPDX-License-Identifier: Apache-2.0
// The part of the WebAssembly JavaScript API that this package uses, typed without the DOM's declarations.

/** A linear memory. @public */
export interface WasmMemory {
  /** The bytes; a new object after each growth. */
  readonly buffer: ArrayBufferLike;
  /** Adds pages of 64 KiB and returns the old number of pages. Throws RangeError. */
  grow(pages: number): number;
}

/** A compiled module. @public */
export interface WasmModule {
  /** Only for the type checker: no engine has it. */
  readonly __wasmModule?: never;
}

/** An instance of a module. @public */
export interface WasmInstance {
  /** Exports in the order of the module. */
  readonly exports: Readonly<Record<string, unknown>>;
}

interface WasmNamespace {
  readonly Memory: new (descriptor: { initial: number; maximum: number; shared: boolean }) => WasmMemory;
  readonly Module: (new (bytes: Uint8Array<ArrayBuffer>) => WasmModule) & {
    exports(module: WasmModule): { name: string; kind: string }[];
    imports(module: WasmModule): { module: string; name: string; kind: string }[];
  };
  readonly Instance: new (
    module: WasmModule,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ) => WasmInstance;
  readonly RuntimeError: new (message?: string) => Error;
  readonly validate: (bytes: Uint8Array<ArrayBuffer>) => boolean;
}

/** The engine's `WebAssembly` object. */
export const webAssembly: WasmNamespace = (globalThis as unknown as { readonly WebAssembly: WasmNamespace })
  .WebAssembly;
