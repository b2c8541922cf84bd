// SPDX-License-Identifier: Apache-2.0
// The code of a program on one device: loaded on first use.
import { KernelVariants, binaryKernels, finalizedProgram } from "@muxkit/loader";
import type { Result } from "@muxkit/cargo";
import type { CompilerError, KernelInfo, Module, Target } from "@muxkit/compiler";
import { IR_BLOCK, findExtraBlock, readExecutable } from "@muxkit/metadata";
import {
  DEFAULT_ALLOCATOR,
  type MuxDevice,
  type MuxDeviceInfo,
  type MuxExecutable,
  muxCreateExecutable,
  muxDestroyExecutable,
} from "@muxkit/mux";

import { OpenCLError } from "./error.ts";
import { fromMux, fromMuxResources } from "./from-mux.ts";

/** How the bytes of a program are made. */
interface BytesOf {
  /** Code of all kernels for this device. */
  readonly all: (call: string) => Uint8Array;
  /** Code of one kernel, where that is possible. */
  readonly alone: (call: string, name: string) => Uint8Array | null;
  /** The same with what compilers need to make other code of it: for launches, and for other devices. */
  readonly kept: (call: string) => Uint8Array;
  /** The program as SPIR-V; null: nobody knows it any more. */
  readonly spirv: (call: string) => Uint8Array | null;
  /** What variants for a device are made of; null for a binary without that, or where there is no compiler. */
  readonly variants: (device: MuxDevice) => KernelVariants | null;
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
  /** The same code on parts of the device. */
  readonly #parts = new Map<MuxDevice, BuiltProgram>();
  #binary: Uint8Array | null = null;
  #all: MuxExecutable | null = null;

  /** `make` computes the bytes when they are requested. */
  constructor(device: MuxDevice, kernels: readonly KernelInfo[], make: BytesOf) {
    this.#device = device;
    this.kernels = kernels;
    this.variants = make.variants(device);
    this.#make = make;
  }

  /**
   * The same code for the device itself or for a part of it: each device loads its own, since variables outside of
   * functions are not shared by devices (OpenCL C 3.0, 6.7.1).
   */
  on(device: MuxDevice): BuiltProgram {
    if (device === this.#device) return this;
    let part = this.#parts.get(device);
    if (part === undefined) {
      part = new BuiltProgram(device, this.kernels, this.#make);
      this.#parts.set(device, part);
    }
    return part;
  }

  /** CL_PROGRAM_BINARIES: made on the first query, since running programs needs less. */
  get binary(): Uint8Array {
    return (this.#binary ??= this.#make.kept("clGetProgramInfo"));
  }

  /** The program as SPIR-V, as front end and link made it; null for a binary. */
  spirv(call: string): Uint8Array | null {
    return this.#make.spirv(call);
  }

  /** Code with all kernels: what was made of them for the binary, if it was queried. */
  all(call: string): MuxExecutable {
    return (this.#all ??= this.#load(call, this.#make.all(call)));
  }

  /** True when generic code of a kernel is loaded. */
  hasCode(name: string): boolean {
    return this.#all !== null || this.#alone.has(name);
  }

  /** Code with a kernel: that alone unless all are there. */
  executableOf(call: string, name: string): MuxExecutable {
    let found = this.#alone.get(name);
    if (found === undefined) {
      if (this.#all !== null) return this.all(call);
      const bytes = this.#make.alone(call, name);
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
    for (const part of this.#parts.values()) part.free(call);
    this.#parts.clear();
    if (this.variants !== null) fromMux(call, this.variants.free());
    for (const executable of [this.#all, ...this.#alone.values()])
      if (executable !== null) fromMux(call, muxDestroyExecutable(this.#device, executable, DEFAULT_ALLOCATOR));
    this.#all = null;
    this.#alone.clear();
  }
}

/** Takes what a compiler made, or throws OpenCL's error: call, and a name of what was to be made. */
export type TakeCode = <T>(result: Result<T, CompilerError>, call: string, what: string) => T;

/**
 * What a compiler holds, as SPIR-V; null: it has none. Errors: CL_INVALID_OPERATION for what SPIR-V cannot express.
 *
 * @internal
 */
export function spirvOf(module: Module, call: string): Uint8Array | null {
  const written = module.createSpirv();
  if (written.ok) return written.value;
  throw new OpenCLError("CL_INVALID_OPERATION", call, `as SPIR-V: ${written.error.message}`, written.error);
}

/** The bytes of a finalized program, which are made when they are needed. */
export function lateBytes(module: Module, take: TakeCode): BytesOf {
  let kept: Uint8Array | null = null;
  return {
    all: (call) => kept ?? take(module.createBinary(), call, "the program"),
    // What was made of all kernels has each of them.
    alone: (call, name) => (kept === null ? take(module.createKernelBinary(name), call, `the kernel "${name}"`) : null),
    kept: (call) => {
      kept = take(module.createDeviceBinary?.() ?? module.createPortableBinary(true), call, "the program");
      return kept;
    },
    spirv: (call) => spirvOf(module, call),
    variants: (device) => new KernelVariants(module, device),
  };
}

const takeCode: TakeCode = (result, call, what) => {
  if (result.ok) return result.value;
  const { message } = result.error;
  throw new OpenCLError("CL_OUT_OF_RESOURCES", call, `the code of ${what} could not be made: ${message}`, result.error);
};

/** The program of a binary whose code needs what the device lacks; null: it can run, or nothing can be made of it. */
function madeAnew(device: Loader, features: readonly string[], ir: Uint8Array | null): Module | null {
  const { codeFeatures, lacksFeature } = device.info;
  return ir === null || features.every((one) => codeFeatures.includes(one) && lacksFeature?.(one) !== true)
    ? null
    : finalizedProgram(device.compiler(), ir);
}

/** What a binary is loaded for: a device, with its compiler. */
interface Loader {
  readonly info: MuxDeviceInfo;
  readonly compiler: () => Target | null;
  readonly open: (call: string) => { readonly device: MuxDevice };
}

/**
 * Loads an executable. Where its program is stored too and there is a compiler, repeated launches get variants of
 * their own, and code for another engine than this one is made anew. Errors: CL_INVALID_BINARY.
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
  const module = madeAnew(device, image.value.features, ir);
  if (module !== null) return new BuiltProgram(opened, kernels, { ...lateBytes(module, takeCode), kept: () => binary });
  const built = new BuiltProgram(opened, kernels, {
    all: () => binary,
    alone: () => null,
    kept: () => binary,
    spirv: () => null,
    variants: (on) =>
      ir === null || device.compiler() === null ? null : new KernelVariants(binaryKernels(device.compiler(), ir), on),
  });
  built.all(call);
  return built;
}
