// SPDX-License-Identifier: Apache-2.0
// Device images: one form of the functions of a module, and iterators over those of a module.
import type { Module as CompilerModule } from "@muxkit/compiler";

import type { Device } from "./device.ts";
import { SyclException } from "./exception.ts";
import type { ImageCode } from "./image-code.ts";
import type { SpecValues } from "./spec-constant.ts";

/** How far a module is on the way to code. @public */
export type ModuleState = "input" | "object" | "executable";

/**
 * The form of an image: a text, SPIR-V, LLVM bitcode of SPIR 1.2, what the compiler keeps of a compiled program, code,
 * or kernels that the device has of its own.
 *
 * @public
 */
export type ImageFormat = "opencl-c" | "spirv" | "spir" | "ir" | "executable" | "builtin";

/** What an image holds. @internal */
export interface ImageContent {
  readonly format: ImageFormat;
  /** Its bytes; those of code are made when they are asked for. */
  readonly bytes: () => Uint8Array;
  /** Build options that a text needs. */
  readonly options: string;
  /** Specialization constants are trailing arguments of its kernels. */
  readonly constantsAreArguments: boolean;
  /** True: values of specialization constants can be compiled into it. */
  readonly canSpecialize: boolean;
  /** The compiled object; null: it is none. */
  readonly object: CompilerModule | null;
  /** The code; null: it is none. */
  readonly code: ImageCode | null;
  /** The code for values of specialization constants; null: there is no other code. */
  readonly specialized: ((call: string, values: SpecValues) => ImageCode) | null;
  /** Names of its kernels; null: they are not known before it is compiled. */
  readonly kernelNames: readonly string[] | null;
}

/** Content with the usual rest. */
export function content(part: Pick<ImageContent, "format" | "bytes"> & Partial<ImageContent>): ImageContent {
  return {
    options: "",
    constantsAreArguments: false,
    canSpecialize: false,
    object: null,
    code: null,
    specialized: null,
    kernelNames: null,
    ...part,
  };
}

/** A form of the functions of a module, for one device or for all of its context. @public */
export class DeviceImage<State extends ModuleState = ModuleState> {
  /** The state that it is in. */
  readonly state: State;
  /** The device that it is for; null: all of the context. */
  readonly device: Device | null;
  /** What it holds. @internal */
  readonly content: ImageContent;

  /** Made with modules. @internal */
  constructor(state: State, device: Device | null, held: ImageContent) {
    this.state = state;
    this.device = device;
    this.content = held;
  }

  /** Its form. */
  get format(): ImageFormat {
    return this.content.format;
  }

  /** Its bytes; a text is UTF-8. They can be saved, and loaded by the function that makes modules of the form. */
  get bytes(): Uint8Array {
    return this.content.bytes();
  }

  /** Names of its kernels; empty where they are not known before it is compiled. */
  get kernelNames(): readonly string[] {
    return this.content.kernelNames ?? [];
  }

  /** True when values of specialization constants can be compiled into it. */
  get supportsSpecConstants(): boolean {
    return this.content.canSpecialize;
  }

  /** True when specialization constants are arguments of its kernels. */
  get constantsAreArguments(): boolean {
    return this.content.constantsAreArguments;
  }

  /** True for an image of the same bytes in the same form, for the same device. */
  equals(other: DeviceImage): boolean {
    if (this.state !== other.state || this.device !== other.device || this.format !== other.format) return false;
    if (this.content === other.content) return true;
    const [left, right] = [this.bytes, other.bytes];
    return (
      this.content.options === other.content.options &&
      left.length === right.length &&
      left.every((byte, i) => byte === right[i])
    );
  }
}

/** A place among the images of a module, as C++ iterators are; iterating goes on from there. @public */
export class DeviceImageIterator<State extends ModuleState = ModuleState> implements Iterable<DeviceImage<State>> {
  readonly #images: readonly DeviceImage<State>[];
  readonly #index: number;

  /** Made by `begin` and `end`. @internal */
  constructor(images: readonly DeviceImage<State>[], index: number) {
    this.#images = images;
    this.#index = index;
  }

  /** The image there. Error: invalid at the end. */
  get image(): DeviceImage<State> {
    const image = this.#images[this.#index];
    if (image !== undefined) return image;
    throw new SyclException("invalid", "image", `there is no image at the end of the module's ${this.#images.length}`);
  }

  /** The place after it. Error: invalid at the end. */
  next(): DeviceImageIterator<State> {
    if (this.#index >= this.#images.length)
      throw new SyclException("invalid", "next", "there is nothing after the end of a module's images");
    return new DeviceImageIterator(this.#images, this.#index + 1);
  }

  /** True for the same place in the same module. */
  equals(other: DeviceImageIterator<State>): boolean {
    return this.#images === other.#images && this.#index === other.#index;
  }

  /** The images from there on. */
  [Symbol.iterator](): Iterator<DeviceImage<State>> {
    return this.#images.slice(this.#index)[Symbol.iterator]();
  }
}
