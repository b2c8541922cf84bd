// SPDX-License-Identifier: Apache-2.0
// A device for people: arrays, kernels as functions, one queue.
import type { HostOptions } from "@muxkit/host";
import {
  type AddressingMode,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  type CommandQueue,
  type Context,
  type Device as OpenCLDevice,
  type FilterMode,
  type Sampler,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateImage,
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
import { DeviceArray, type TypedArray, type TypedArrayType } from "./device-array.ts";
import { DeviceImage, type ImageOptions, describeImage } from "./device-image.ts";
import { DeviceProgram, programFor } from "./device-program.ts";
import { deviceNamed, hostDeviceFor } from "./host-platform.ts";
import { kernelFunction } from "./kernel-function.ts";
import type { KernelsOf } from "./kernel-types.ts";
import { Launches } from "./launches.ts";

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
   * Absent: the processor of this machine.
   */
  readonly device?: string;
}

/** The device that options select. */
function deviceFor({ device: name, ...options }: DeviceOptions): OpenCLDevice {
  return name === undefined ? hostDeviceFor(options) : deviceNamed(name);
}

/** An open device. Its operations run in order. @public */
export class Device {
  /** The underlying OpenCL context. */
  readonly context: Context;
  /** The underlying OpenCL queue. */
  readonly queue: CommandQueue;
  /** Of the package itself. @internal */
  readonly launches: Launches;

  /** Made by `openDevice`. @internal */
  constructor(options: DeviceOptions) {
    const device = deviceFor(options);
    this.context = clCreateContext([device]);
    this.queue = clCreateCommandQueue(this.context, device);
    this.launches = new Launches(this.queue);
  }

  /** What the device calls itself: processor and vector unit. */
  get name(): string {
    return clGetDeviceInfo(this.queue.device, "CL_DEVICE_NAME");
  }

  /** Threads that share the work. */
  get threads(): number {
    return clGetDeviceInfo(this.queue.device, "CL_DEVICE_MAX_COMPUTE_UNITS");
  }

  /** An array on the device: a copy of `source`. Error: CL_MEM_OBJECT_ALLOCATION_FAILURE. */
  array<T extends TypedArray>(source: T): DeviceArray<T>;
  /** An array of `length` zeros on the device. Error: CL_MEM_OBJECT_ALLOCATION_FAILURE. */
  array<T extends TypedArray>(type: TypedArrayType<T>, length: number): DeviceArray<T>;
  array<T extends TypedArray>(source: T | TypedArrayType<T>, length: number = 0): DeviceArray<T> {
    const first = typeof source === "function" ? new source(length) : source;
    const buffer = clCreateBuffer(this.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, first.byteLength, first);
    return new DeviceArray(this.launches, first.constructor as TypedArrayType<T>, first.length, buffer);
  }

  /**
   * An image on the device: its pixels are those of `source`, tight, or zeros of a type. Errors: those of
   * clCreateImage.
   */
  image<T extends TypedArray>(options: ImageOptions, source: T | TypedArrayType<T>): DeviceImage<T> {
    const description = describeImage(options);
    if (typeof source !== "function")
      return new DeviceImage(
        this.launches,
        source.constructor as TypedArrayType<T>,
        clCreateImage(this.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, options.format, description, source),
        options,
      );
    const image = new DeviceImage(
      this.launches,
      source,
      clCreateImage(this.context, CL_MEM_READ_WRITE, options.format, description),
      options,
    );
    image.write(new source(image.image.size / source.BYTES_PER_ELEMENT));
    return image;
  }

  /** How kernels read an image. Errors: those of clCreateSampler. */
  sampler(options: SamplerOptions = {}): Sampler {
    const { normalized = false, addressing = "CL_ADDRESS_CLAMP_TO_EDGE", filter = "CL_FILTER_NEAREST" } = options;
    return clCreateSampler(this.context, normalized, addressing, filter);
  }

  /**
   * Builds a program and returns its kernels as functions, typed when the source is a literal. Errors:
   * CL_BUILD_PROGRAM_FAILURE with file, line, column and the source's line; CL_INVALID_BUILD_OPTIONS.
   */
  build<const Source extends string>(source: Source, build: BuildOptions = {}): KernelsOf<Source> {
    const program = programFor(this.launches, source, build.options ?? "");
    const kernels = clCreateKernelsInProgram(program).map((kernel) => [
      kernel.info.name,
      kernelFunction(this.launches, kernel),
    ]);
    // Kernels keep the program.
    clReleaseProgram(program);
    return Object.fromEntries(kernels) as KernelsOf<Source>;
  }

  /** Builds a program of a source, or loads a binary. Errors: those of {@link Device.build}; CL_INVALID_BINARY. */
  program(source: string | Uint8Array, build: BuildOptions = {}): DeviceProgram {
    return new DeviceProgram(this.launches, programFor(this.launches, source, build.options ?? ""));
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

  /** Gives back what the device holds. Arrays and programs that are not destroyed keep their memory. */
  close(): void {
    clReleaseCommandQueue(this.queue);
    clReleaseContext(this.context);
  }
}
