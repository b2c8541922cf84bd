// SPDX-License-Identifier: Apache-2.0
// The code of an executable image on its device: loaded at the first launch, one kernel at a time where that is
// possible. Repeated launches get variants for their local size, docs/decisions/026-specialisation.md.
import type { Result } from "@muxkit/cargo";
import type { CompilerError, KernelInfo, Module, Target } from "@muxkit/compiler";
import { KernelVariants, binaryKernels, finalizedProgram, launchFacts } from "@muxkit/loader";
import { IR_BLOCK, findExtraBlock, readExecutable } from "@muxkit/metadata";
import {
  DEFAULT_ALLOCATOR,
  type MuxExecutable,
  type MuxKernel,
  type MuxNDRangeOptions,
  muxCreateExecutable,
  muxCreateKernel,
  muxDestroyExecutable,
  muxDestroyKernel,
} from "@muxkit/mux";

import type { Device } from "./device.ts";
import { SyclException, fromMux } from "./exception.ts";
import type { RuntimeDevice } from "./runtime-device.ts";

/** How the bytes of a program are made. */
interface ProgramBytes {
  /** Code of all kernels for this device. */
  readonly all: () => Uint8Array;
  /** Code of one kernel, where that is possible. */
  readonly alone: (name: string) => Uint8Array | null;
  /** What is kept: code and what compilers make other code of. */
  readonly kept: () => Uint8Array;
  /** What variants are made of; null: there are none. */
  readonly variants: () => KernelVariants | null;
}

/** What a finalizer frees: it must not refer to the code itself. */
class LoadedCode {
  readonly runtime: RuntimeDevice;
  readonly kernels = new Map<string, MuxKernel>();
  readonly executables: MuxExecutable[] = [];
  variants: KernelVariants | null = null;
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
  codeFor(
    call: string,
    name: string,
    options: MuxNDRangeOptions,
    workItems: number,
  ): { readonly code: MuxKernel; readonly isFinal: boolean } {
    const { variants, kernels, isFreed } = this.#loaded;
    if (isFreed) throw new SyclException("invalid", call, "the context of the module has been disposed of");
    if (variants === null) return { code: this.#kernel(call, name), isFinal: true };
    const hasGeneric = this.#all !== null || kernels.has(name);
    const { code, isFinal } = variants.find(name, launchFacts(options, []), workItems, hasGeneric);
    return { code: code ?? this.#kernel(call, name), isFinal };
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

function take<T>(call: string, result: Result<T, CompilerError>): T {
  if (result.ok) return result.value;
  throw new SyclException("build", call, `the code could not be made: ${result.error.message}`, result.error);
}

/** The bytes of a finalized program, made when they are needed. */
function lateBytes(call: string, module: Module, runtime: RuntimeDevice): ProgramBytes {
  let kept: Uint8Array | null = null;
  return {
    all: () => kept ?? take(call, module.createBinary()),
    alone: (name) => (kept === null ? take(call, module.createKernelBinary(name)) : null),
    kept: () => (kept = take(call, module.createDeviceBinary?.() ?? module.createPortableBinary(true))),
    variants: () => new KernelVariants(module, runtime.device),
  };
}

/** The code of a program that a compiler has finalized. */
export function codeOfModule(call: string, device: Device, module: Module, kernels: readonly KernelInfo[]): ImageCode {
  const runtime = device.open(call);
  const code = new ImageCode(runtime, kernels, lateBytes(call, module, runtime));
  // Where making code can fail, all of it is made now, so that its errors are those of the build.
  if (device.compiler()?.info.makesKernelsLate !== true) void take(call, module.createBinary());
  return code;
}

/** An executable for another engine than the device's, as its compiler can make it anew; null: it runs as it is. */
function madeAnew(
  target: Target | null,
  codeFeatures: readonly string[],
  needs: readonly string[],
  ir: Uint8Array | null,
): Module | null {
  return ir === null || needs.every((feature) => codeFeatures.includes(feature)) ? null : finalizedProgram(target, ir);
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
  const target = device.compiler();
  const module = madeAnew(target, device.info.codeFeatures, image.value.features, ir);
  if (module !== null)
    return new ImageCode(runtime, kernels, { ...lateBytes(call, module, runtime), kept: () => binary });
  const loaded = muxCreateExecutable(runtime.device, binary, DEFAULT_ALLOCATOR);
  if (!loaded.ok) return loaded.error.message;
  const bytes: ProgramBytes = {
    all: () => binary,
    alone: () => null,
    kept: () => binary,
    variants: () =>
      ir === null || target === null ? null : new KernelVariants(binaryKernels(target, ir), runtime.device),
  };
  return new ImageCode(runtime, kernels, bytes, loaded.value);
}
