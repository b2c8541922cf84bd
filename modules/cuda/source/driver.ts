// SPDX-License-Identifier: Apache-2.0
// What the target needs of NVIDIA's driver: libcuda by way of FFI, an interpreter in its place, or a stub in tests.
import type { Result } from "@muxkit/cargo";

/** A failed call: CUDA's number (CUresult), its name, and what was called. @public */
export interface DriverError {
  /** CUresult; 0 where the failure is not the driver's. */
  readonly code: number;
  /** One sentence. */
  readonly message: string;
}

/** Handles of the driver are numbers or objects of its own. @public */
export type Handle = unknown;

/** Facts of a GPU. @public */
export interface GpuFacts {
  /** Its name. */
  readonly name: string;
  /** Compute capability: 9.0 is [9, 0]. */
  readonly capability: readonly [major: number, minor: number];
  /** Compute units. */
  readonly multiprocessors: number;
  /** Bytes. */
  readonly memory: number;
  /** kHz. */
  readonly clockRate: number;
  /** Bytes of shared memory that a work-group may take. */
  readonly sharedMemory: number;
  /** Bytes of the last cache. */
  readonly cache: number;
}

/** The grid of a launch. @public */
export interface Grid {
  /** Work-groups in x, y and z. */
  readonly groups: readonly [number, number, number];
  /** Work-items of a group. */
  readonly localSize: readonly [number, number, number];
  /** Bytes of local memory beyond what the kernel declares. */
  readonly dynamicLocal: number;
}

/** A loaded driver. All calls are for the GPU that was opened last. @public */
export interface CudaDriver {
  /** The GPUs that there are. */
  readonly gpus: readonly GpuFacts[];
  /** Makes a GPU's context the one of this thread. */
  open(index: number): Result<void, DriverError>;
  /** Takes memory; its address. */
  allocate(bytes: number): Result<number, DriverError>;
  /** Gives memory back. */
  free(address: number): void;
  /** Copies to the host, when all that was started has ended. */
  read(address: number, to: Uint8Array): Result<void, DriverError>;
  /** Copies from the host. */
  write(address: number, from: Uint8Array): Result<void, DriverError>;
  /** Copies on the GPU. */
  copy(from: number, to: number, bytes: number): Result<void, DriverError>;
  /** Fills `count` units of 1, 2 or 4 bytes. */
  fill(address: number, unit: 1 | 2 | 4, value: number, count: number): Result<void, DriverError>;
  /** Compiles PTX. The error has the driver's log. */
  load(ptx: Uint8Array): Result<Handle, DriverError>;
  /** Forgets a module. */
  unload(module: Handle): void;
  /** A kernel of a module. */
  entry(module: Handle, name: string): Result<Handle, DriverError>;
  /** Starts a kernel with its one parameter. */
  launch(entry: Handle, grid: Grid, parameter: Uint8Array): Result<void, DriverError>;
  /** Waits for all that was started. */
  synchronize(): Result<void, DriverError>;
}
