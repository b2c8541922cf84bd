// SPDX-License-Identifier: Apache-2.0
// The code of a program on one device: loaded on first use.
import { KernelVariants, finalizedProgram } from "@muxkit/loader";
import type { KernelInfo, Target } from "@muxkit/compiler";
import { IR_BLOCK, findExtraBlock, readExecutable } from "@muxkit/metadata";
import {
  DEFAULT_ALLOCATOR,
  type MuxDevice,
  type MuxExecutable,
  muxCreateExecutable,
  muxDestroyExecutable,
} from "@muxkit/mux";

import { OpenCLError } from "./error.ts";
import { fromMux, fromMuxResources } from "./from-mux.ts";

/** How the bytes of a program are made. */
interface BytesOf {
  /** Code of all kernels for this device. */
  readonly all: () => Uint8Array;
  /** Code of one kernel, where that is possible. */
  readonly alone: (name: string) => Uint8Array | null;
  /** What is to be kept: for machines that are not this one too. */
  readonly portable: () => Uint8Array;
}

/** The result of a build for one device. Code is generated on demand, for one kernel or for all. @internal */
export class BuiltProgram {
  /** Its kernels. */
  readonly kernels: readonly KernelInfo[];
  /**
   * Variants of kernels for repeated launches; null for a binary without what a compiler makes them of, or where
   * there is none.
   */
  readonly variants: KernelVariants | null;
  readonly #device: MuxDevice;
  readonly #make: BytesOf;
  readonly #alone = new Map<string, MuxExecutable>();
  #binary: Uint8Array | null = null;
  #all: MuxExecutable | null = null;

  /** `make` computes the bytes when they are requested. */
  constructor(device: MuxDevice, kernels: readonly KernelInfo[], variants: KernelVariants | null, make: BytesOf) {
    this.#device = device;
    this.kernels = kernels;
    this.variants = variants;
    this.#make = make;
  }

  /** CL_PROGRAM_BINARIES: made on the first query, since running programs needs less. */
  get binary(): Uint8Array {
    return (this.#binary ??= this.#make.portable());
  }

  /** Code with all kernels. */
  all(call: string): MuxExecutable {
    return (this.#all ??= this.#load(call, this.#make.all()));
  }

  /** Code with a kernel: that alone unless all are there. */
  executableOf(call: string, name: string): MuxExecutable {
    if (this.#all !== null || this.kernels.length < 2) return this.all(call);
    let found = this.#alone.get(name);
    if (found === undefined) {
      const bytes = this.#make.alone(name);
      if (bytes === null) return this.all(call);
      found = this.#load(call, bytes);
      this.#alone.set(name, found);
    }
    return found;
  }

  #load(call: string, bytes: Uint8Array): MuxExecutable {
    return fromMuxResources(call, muxCreateExecutable(this.#device, bytes, DEFAULT_ALLOCATOR));
  }

  /** Releases the code. */
  free(call: string): void {
    if (this.variants !== null) fromMux(call, this.variants.free());
    for (const executable of [this.#all, ...this.#alone.values()])
      if (executable !== null) fromMux(call, muxDestroyExecutable(this.#device, executable, DEFAULT_ALLOCATOR));
    this.#all = null;
    this.#alone.clear();
  }
}

/** What a binary is loaded for: a device, with its compiler. */
interface Loader {
  readonly compiler: () => Target | null;
  readonly open: (call: string) => { readonly device: MuxDevice };
}

/**
 * Loads an executable. Where its program is stored too and there is a compiler, repeated launches get variants of
 * their own. Errors: CL_INVALID_BINARY.
 */
export function loadBinary(device: Loader, binary: Uint8Array, call: string): BuiltProgram {
  const image = readExecutable(binary);
  if (!image.ok) throw new OpenCLError("CL_INVALID_BINARY", call, image.error.message, image.error);
  const kernels = image.value.kernels.map((kernel): KernelInfo => ({
    ...kernel,
    localMemorySize: kernel.variants[0]?.staticLocalBytes ?? 0,
  }));
  const { device: opened } = device.open(call);
  const ir = findExtraBlock(image.value, IR_BLOCK);
  const variants =
    ir === null || device.compiler() === null
      ? null
      : new KernelVariants(() => finalizedProgram(device.compiler(), ir), opened);
  const built = new BuiltProgram(opened, kernels, variants, {
    all: () => binary,
    alone: () => null,
    portable: () => binary,
  });
  built.all(call);
  return built;
}
