// The code of a program on one device: loaded when it is asked for.
import type { KernelInfo } from "@muxkit/compiler";
import { readExecutable } from "@muxkit/metadata";
import { DEFAULT_ALLOCATOR, type MuxDevice, type MuxExecutable, muxCreateExecutable, muxDestroyExecutable } from "@muxkit/mux";

import { OpenCLError } from "./error.ts";
import { fromMux } from "./from-mux.ts";
import type { KernelVariants } from "./variants.ts";

/** What a build made for one device. Code is made when it is asked for, of one kernel or of all. @internal */
export class BuiltProgram {
  /** Its kernels. */
  readonly kernels: readonly KernelInfo[];
  /** Forms of kernels for launches that come again; null for a binary. */
  readonly variants: KernelVariants | null;
  readonly #device: MuxDevice;
  readonly #make: { readonly all: () => Uint8Array; readonly alone: (name: string) => Uint8Array | null };
  readonly #alone = new Map<string, MuxExecutable>();
  #binary: Uint8Array | null = null;
  #all: MuxExecutable | null = null;

  /** `all` gives the bytes of all kernels, `alone` those of one where that is possible. */
  constructor(device: MuxDevice, kernels: readonly KernelInfo[], variants: KernelVariants | null, all: () => Uint8Array, alone: (name: string) => Uint8Array | null) {
    this.#device = device;
    this.kernels = kernels;
    this.variants = variants;
    this.#make = { all, alone };
  }

  /** The bytes of all kernels. */
  get binary(): Uint8Array {
    return (this.#binary ??= this.#make.all());
  }

  /** Code with all kernels. */
  all(call: string): MuxExecutable {
    return (this.#all ??= this.#load(call, this.binary));
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
    return fromMux(call, muxCreateExecutable(this.#device, bytes, DEFAULT_ALLOCATOR));
  }

  /** Gives the code back. */
  free(call: string): void {
    this.variants?.free(call);
    for (const executable of [this.#all, ...this.#alone.values()]) if (executable !== null) fromMux(call, muxDestroyExecutable(this.#device, executable, DEFAULT_ALLOCATOR));
    this.#all = null;
    this.#alone.clear();
  }
}

/** Kernels as an executable describes them. */
function kernelsOf(binary: Uint8Array, call: string): readonly KernelInfo[] {
  const image = readExecutable(binary);
  if (!image.ok) throw new OpenCLError("CL_INVALID_BINARY", call, image.error.message, image.error);
  return image.value.kernels.map((kernel) => ({ ...kernel, localMemorySize: kernel.variants[0]?.staticLocalBytes ?? 0 }));
}

/** Loads an executable. Errors: CL_INVALID_BINARY. */
export function loadBinary(device: MuxDevice, binary: Uint8Array, call: string): BuiltProgram {
  const built = new BuiltProgram(device, kernelsOf(binary, call), null, () => binary, () => null);
  built.all(call);
  return built;
}
