// SPDX-License-Identifier: Apache-2.0
// The code of an executable image on its device: loaded at the first launch, one kernel at a time where that is
// possible. Repeated launches get variants for their local size, docs/decisions/026-specialisation.md, where there is a
// compiler (compiler-code.ts).
import type { Result } from "@muxkit/cargo";
import type { KernelInfo } from "@muxkit/compiler";
import { IR_BLOCK, findExtraBlock, readExecutable } from "@muxkit/metadata";
import {
  DEFAULT_ALLOCATOR,
  type MuxError,
  type MuxExecutable,
  type MuxKernel,
  type MuxNDRangeOptions,
  type MuxSuccessor,
} from "@muxkit/mux";
import { muxCreateExecutable, muxCreateKernel, muxDestroyExecutable, muxDestroyKernel } from "@muxkit/mux/unchecked";

import type { Device } from "./device.ts";
import { SyclException, fromMux } from "./exception.ts";
import type { RuntimeDevice } from "./runtime-device.ts";

/** The code for a launch. */
export interface LaunchCode {
  readonly code: MuxKernel;
  /** The next launch like it has the same. */
  readonly isFinal: boolean;
  /** What runs the rest of the launch if it takes long; absent: nothing does. */
  readonly successor?: MuxSuccessor;
}

/** Code that a compiler makes for launches of a program. */
export interface LaunchVariants {
  /** The code for a launch; null: that of the program. `hasGeneric`: the program's is loaded already. */
  readonly find: (
    name: string,
    options: MuxNDRangeOptions,
    workItems: number,
    hasGeneric: boolean,
  ) => Omit<LaunchCode, "code"> & { readonly code: MuxKernel | null };
  readonly free: () => Result<void, MuxError>;
}

/** How the bytes of a program are made. */
export interface ProgramBytes {
  /** Code of all kernels for this device. */
  readonly all: () => Uint8Array;
  /** Code of one kernel, where that is possible. */
  readonly alone: (name: string) => Uint8Array | null;
  /** What is kept: code and what compilers make other code of. */
  readonly kept: () => Uint8Array;
  /** What variants are made of; null: there are none. */
  readonly variants: () => LaunchVariants | null;
}

/** What a finalizer frees: it must not refer to the code itself. */
class LoadedCode {
  readonly runtime: RuntimeDevice;
  readonly kernels = new Map<string, MuxKernel>();
  readonly executables: MuxExecutable[] = [];
  variants: LaunchVariants | null = null;
  isFreed = false;

  constructor(runtime: RuntimeDevice) {
    this.runtime = runtime;
  }

  free(): void {
    if (this.isFreed) return;
    this.isFreed = true;
    const { device } = this.runtime;
    if (this.variants !== null) fromMux("free", this.variants.free());
    for (const kernel of this.kernels.values()) fromMux("free", muxDestroyKernel(device, kernel, DEFAULT_ALLOCATOR));
    for (const one of this.executables) fromMux("free", muxDestroyExecutable(device, one, DEFAULT_ALLOCATOR));
  }
}

const FORGOTTEN = new FinalizationRegistry<LoadedCode>((loaded) => {
  loaded.free();
});

/** See the file's head. */
export class ImageCode {
  readonly kernels: readonly KernelInfo[];
  readonly #loaded: LoadedCode;
  readonly #bytes: ProgramBytes;
  #all: MuxExecutable | null = null;
  #binary: Uint8Array | null = null;
  #uses = 1;
  #isReleased = false;

  /** `loaded`: the code of all kernels, where it is on the device already. */
  constructor(
    runtime: RuntimeDevice,
    kernels: readonly KernelInfo[],
    bytes: ProgramBytes,
    loaded: MuxExecutable | null = null,
  ) {
    this.kernels = kernels;
    this.#bytes = bytes;
    this.#all = loaded;
    this.#loaded = new LoadedCode(runtime);
    if (loaded !== null) this.#loaded.executables.push(loaded);
    this.#loaded.variants = bytes.variants();
    FORGOTTEN.register(this, this.#loaded, this);
  }

  /** The bytes that a later program loads. */
  get binary(): Uint8Array {
    return (this.#binary ??= this.#bytes.kept());
  }

  /** What is known of a kernel; null: there is none of that name. */
  find(name: string): KernelInfo | null {
    return this.kernels.find((kernel) => kernel.name === name) ?? null;
  }

  /**
   * The code for a launch: the generic kernel, or a variant for it. `isFinal`: the next launch like it has the same.
   */
  codeFor(call: string, name: string, options: MuxNDRangeOptions, workItems: number): LaunchCode {
    const { variants, kernels, isFreed } = this.#loaded;
    if (isFreed) throw new SyclException("invalid", call, "the context of the module has been disposed of");
    if (variants === null) return { code: this.#kernel(call, name), isFinal: true };
    const hasGeneric = this.#all !== null || kernels.has(name);
    const found = variants.find(name, options, workItems, hasGeneric);
    return { ...found, code: found.code ?? this.#kernel(call, name) };
  }

  #kernel(call: string, name: string): MuxKernel {
    const { kernels, runtime } = this.#loaded;
    let kernel = kernels.get(name);
    if (kernel === undefined) {
      kernel = fromMux(call, muxCreateKernel(runtime.device, this.#executable(call, name), name, DEFAULT_ALLOCATOR));
      kernels.set(name, kernel);
    }
    return kernel;
  }

  #executable(call: string, name: string): MuxExecutable {
    if (this.#all !== null) return this.#all;
    const alone = this.kernels.length > 1 ? this.#bytes.alone(name) : null;
    const { device } = this.#loaded.runtime;
    const made = fromMux(call, muxCreateExecutable(device, alone ?? this.#bytes.all(), DEFAULT_ALLOCATOR));
    this.#loaded.executables.push(made);
    if (alone === null) this.#all = made;
    return made;
  }

  /** A command needs it. */
  use(): void {
    this.#uses++;
  }

  /** Its context is gone. */
  release(): void {
    if (!this.#isReleased) this.unuse();
    this.#isReleased = true;
  }

  /** The end of a use. */
  unuse(): void {
    if (--this.#uses > 0) return;
    FORGOTTEN.unregister(this);
    this.#loaded.free();
  }
}

/**
 * The code of an executable, or a sentence why the device does not run it. Where its program is stored too and there is
 * a compiler, repeated launches get variants of their own.
 */
export function codeOfBinary(call: string, device: Device, binary: Uint8Array): ImageCode | string {
  const image = readExecutable(binary);
  if (!image.ok) return image.error.message;
  const kernels = image.value.kernels.map((kernel): KernelInfo => ({
    ...kernel,
    localMemorySize: kernel.variants[0]?.staticLocalBytes ?? 0,
  }));
  const runtime = device.open(call);
  const ir = findExtraBlock(image.value, IR_BLOCK);
  const compiling = ir === null ? null : device.compiling();
  const anew = compiling?.codeAnew(call, device, kernels, image.value.features, ir as Uint8Array, binary) ?? null;
  if (anew !== null) return anew;
  const loaded = muxCreateExecutable(runtime.device, binary, DEFAULT_ALLOCATOR);
  if (!loaded.ok) return loaded.error.message;
  const bytes: ProgramBytes = {
    all: () => binary,
    alone: () => null,
    kept: () => binary,
    variants: () => compiling?.variantsOf(device, runtime, ir as Uint8Array) ?? null,
  };
  return new ImageCode(runtime, kernels, bytes, loaded.value);
}
