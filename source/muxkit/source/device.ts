// SPDX-License-Identifier: Apache-2.0
// A device for people: arrays, kernels as functions, one queue.
import type { HostOptions } from "@muxkit/host";
import {
  type AddressingMode,
  type CommandQueue,
  type Context,
  type Device as OpenCLDevice,
  type FilterMode,
  type Sampler,
  clCreateCommandQueue,
  OpenCLError,
  clCreateContext,
  clCreateKernelsInProgram,
  clCreateSampler,
  clFinish,
  clFinishAsync,
  clGetDeviceInfo,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseProgram,
} from "@muxkit/opencl";

import { ensureBlocking } from "./blocking.ts";
import { EDGE } from "#edge";

import { type DeviceChoice, type DeviceType, choiceOf, deviceOf, typeOf } from "./device-choice.ts";
import { Described } from "./described.ts";
import {
  type ArrayType,
  DeviceArray,
  type HostArray,
  type Shape,
  type TypedArray,
  elementsOf,
} from "./device-array.ts";
import { DeviceImage, type ImageOptions } from "./device-image.ts";
import { DeviceProgram, programFor } from "./device-program.ts";
import { deviceNamed, hostDeviceFor } from "./host-platform.ts";
import { kernelFunction, kernelsByName } from "./kernel-function.ts";
import type { KernelsOf } from "./kernel-types.ts";
import { Launches } from "./launches.ts";
import { checkOptions, operate } from "./operation.ts";
import { isStructArray } from "./struct.ts";
import { Profile } from "./profile.ts";
import { isImageData, pixelsOf, type ImagePixels } from "./image-data.ts";

/** How a program is built. @public */
export interface BuildOptions {
  /** OpenCL's build options, for example `-D N=4 -cl-fast-relaxed-math`. */
  readonly options?: string;
}

/** How an image is read; without more, at whole pixels, held at the edges. @public */
export interface SamplerOptions {
  /** Coordinates count from 0 to 1 over the image. */
  readonly normalized?: boolean;
  /** What coordinates beyond the image mean. */
  readonly addressing?: AddressingMode;
  /** One pixel, or a mean of its neighbours. */
  readonly filter?: FilterMode;
}

/** Which device is opened, and how. @public */
export interface DeviceOptions extends HostOptions {
  /**
   * Name of a device of a target that was registered, as CL_DEVICE_NAME returns it; the other options are then ignored.
   * Absent: what `type`, `name` and `index` choose, else the variable `MUXKIT_DEVICE`, else the processor of this
   * machine.
   */
  readonly device?: string;
  /** The kind of device. For a GPU its packages must be installed (docs/cuda.md). */
  readonly type?: DeviceType;
  /** A part of the device's name, small or capital. */
  readonly name?: string;
  /** The device's number among those that `type` and `name` leave, from 0 on. */
  readonly index?: number;
}

/** Names of all options; the type makes it complete. */
const OPTIONS: ReadonlySet<string> = new Set(
  Object.keys({
    device: true,
    type: true,
    name: true,
    index: true,
    threads: true,
    deadline: true,
    isolated: true,
    engine: true,
    memoryLimit: true,
    sharedMemory: true,
    helping: true,
    redZone: true,
    debug: true,
    workerUrl: true,
    print: true,
    environment: true,
  } satisfies Record<keyof DeviceOptions, true>),
);
const BUILD_OPTIONS: ReadonlySet<string> = new Set(["options"]);

/** The device that options select. */
function deviceFor({ device, type, name, index, ...options }: DeviceOptions): OpenCLDevice {
  if (device !== undefined) return deviceNamed(device);
  if (type !== undefined || name !== undefined || index !== undefined)
    return deviceOf("openDevice", defined({ type, name, index }), options);
  const chosen = EDGE.chosenDevice() ?? "";
  return chosen === "" ? hostDeviceFor(options) : deviceOf("MUXKIT_DEVICE", choiceOf(chosen), options);
}

/** The members that are there. */
function defined(choice: { readonly [Name in keyof DeviceChoice]: DeviceChoice[Name] | undefined }): DeviceChoice {
  return Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== undefined));
}

function notAnArray(source: unknown): OpenCLError {
  const given =
    typeof source === "function" ? `the class ${source.name}` : Array.isArray(source) ? "a list" : typeof source;
  return new OpenCLError(
    "CL_INVALID_VALUE",
    "device.array",
    `a typed array or its class is required (Float32Array.of(…), Float32Array with a length), not ${given}`,
  );
}

/** An open device. Its operations run in order. @public */
export class Device extends Described {
  /** The underlying OpenCL context. */
  readonly context: Context;
  /** The underlying OpenCL queue. */
  readonly queue: CommandQueue;
  /** Of the package itself. @internal */
  readonly launches: Launches;

  /** Made by `openDevice`. @internal */
  constructor(options: DeviceOptions) {
    super();
    checkOptions("openDevice", options, OPTIONS);
    const device = deviceFor(options);
    this.context = clCreateContext([device]);
    this.queue = clCreateCommandQueue(this.context, device);
    this.launches = new Launches(this, this.queue);
  }

  /** What the device calls itself: processor and vector unit. */
  get name(): string {
    return clGetDeviceInfo(this.queue.device, "CL_DEVICE_NAME");
  }

  /** Its kind: the processor is `cpu`. */
  get type(): DeviceType {
    return typeOf(this.queue.device);
  }

  /** Threads that share the work. */
  get threads(): number {
    return clGetDeviceInfo(this.queue.device, "CL_DEVICE_MAX_COMPUTE_UNITS");
  }

  /**
   * An array on the device: a copy of `source`. Error: CL_MEM_OBJECT_ALLOCATION_FAILURE, once what nobody refers to is
   * freed.
   */
  array<T extends HostArray>(source: T, shape?: readonly number[]): DeviceArray<T>;
  /**
   * An array of zeros on the device: of `shape` elements, or of up to three sizes, the last of which is contiguous.
   * Error: CL_MEM_OBJECT_ALLOCATION_FAILURE, once what nobody refers to is freed.
   */
  array<T extends HostArray>(type: ArrayType<T>, shape: Shape): DeviceArray<T>;
  array<T extends HostArray>(source: T | ArrayType<T>, shape?: Shape): DeviceArray<T> {
    const operation = "device.array";
    if (typeof source === "function") {
      if (!("BYTES_PER_ELEMENT" in source)) throw notAnArray(source);
      const { sizes, length } = elementsOf(operation, shape ?? 0);
      const most = clGetDeviceInfo(this.queue.device, "CL_DEVICE_MAX_MEM_ALLOC_SIZE");
      if (length * source.BYTES_PER_ELEMENT > most)
        throw new OpenCLError(
          "CL_INVALID_BUFFER_SIZE",
          operation,
          `${length} elements of ${source.name} have ${length * source.BYTES_PER_ELEMENT} bytes; an array has at most ${most}`,
        );
      return DeviceArray.of(this.launches, new source(length), sizes);
    }
    if (!(ArrayBuffer.isView(source) && "length" in source) && !isStructArray(source)) throw notAnArray(source);
    const { sizes, length } = elementsOf(operation, shape ?? source.length);
    if (length !== source.length)
      throw new OpenCLError(
        "CL_INVALID_VALUE",
        operation,
        `the shape [${sizes.join(", ")}] has ${length} elements, and the array has ${source.length}`,
      );
    return DeviceArray.of(this.launches, source, sizes);
  }

  /**
   * An image on the device: its pixels are those of `source`, tight, or zeros of a type; or a picture with four bytes
   * of colour a pixel: an ImageData of a canvas, or what `readImage` of `muxkit/image-files` returns. Errors: those of
   * a description that cannot be.
   */
  image(picture: ImagePixels): DeviceImage<Uint8ClampedArray>;
  /** An image of any description, with these pixels or with zeros. */
  image<T extends TypedArray>(options: ImageOptions, source: T | ArrayType<T>): DeviceImage<T>;
  image<T extends TypedArray>(
    options: ImageOptions | ImagePixels,
    source?: T | ArrayType<T>,
  ): DeviceImage<T> | DeviceImage<Uint8ClampedArray> {
    if (isImageData(options)) {
      const { description, pixels } = pixelsOf(options);
      return DeviceImage.of(this.launches, description, pixels);
    }
    return DeviceImage.of(this.launches, options, source as T | ArrayType<T>);
  }

  /** How kernels read an image. Errors: those of clCreateSampler. */
  sampler(options: SamplerOptions = {}): Sampler {
    const { normalized = false, addressing = "CL_ADDRESS_CLAMP_TO_EDGE", filter = "CL_FILTER_NEAREST" } = options;
    return operate("device.sampler", () => clCreateSampler(this.context, normalized, addressing, filter));
  }

  /**
   * Builds a program and returns its kernels as functions, typed when the source is a literal. Errors:
   * CL_BUILD_PROGRAM_FAILURE with file, line, column and the source's line; CL_INVALID_BUILD_OPTIONS.
   */
  build<const Source extends string>(source: Source, build: BuildOptions = {}): KernelsOf<Source> {
    checkOptions("device.build", build, BUILD_OPTIONS);
    const program = programFor("device.build", this.launches, source, build.options ?? "");
    const kernels = clCreateKernelsInProgram(program).map(
      (kernel) => [kernel.info.name, kernelFunction(this.launches, kernel)] as const,
    );
    // Kernels keep the program.
    clReleaseProgram(program);
    return kernelsByName(kernels) as KernelsOf<Source>;
  }

  /** Builds a program of a source, or loads a binary. Errors: those of {@link Device.build}; CL_INVALID_BINARY. */
  program(source: string | Uint8Array, build: BuildOptions = {}): DeviceProgram {
    checkOptions("device.program", build, BUILD_OPTIONS);
    return new DeviceProgram(this.launches, programFor("device.program", this.launches, source, build.options ?? ""));
  }

  /**
   * Measures every launch from now on, until its `stop()`, which returns a table: a row for each kernel with calls, ms
   * and GB/s. Launches that are measured do not overlap, so small ones are slower. An earlier profile measures no more.
   */
  profile(): Profile {
    this.launches.profile?.[Symbol.dispose]();
    return new Profile(this.launches);
  }

  /** Resolves when everything that was enqueued is done; rejects with what failed. */
  async finish(): Promise<void> {
    await clFinishAsync(this.queue);
    this.launches.throwFailure();
  }

  /** The same; blocks and helps with the work. Error: CL_INVALID_OPERATION in the main thread of a page. */
  finishSync(): void {
    ensureBlocking("finishSync", "await finish()");
    clFinish(this.queue);
    this.launches.throwFailure();
  }

  /** Gives back what the device holds: its arrays and images too, once everything that uses them is done. */
  close(): void {
    if (this.queue.referenceCount === 0) return;
    this.launches.profile?.[Symbol.dispose]();
    this.launches.memory.releaseAll();
    clReleaseCommandQueue(this.queue);
    clReleaseContext(this.context);
  }

  /** The same, for `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Waits until everything is done, then closes, for `await using`. Throws what went wrong. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.finish();
    } finally {
      this.close();
    }
  }

  /** One line: what it calls itself, and its threads. */
  toString(): string {
    return `Device "${this.name}", ${this.threads} ${this.threads === 1 ? "thread" : "threads"}`;
  }
}
