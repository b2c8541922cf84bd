// SPDX-License-Identifier: Apache-2.0
// What the target needs of NVIDIA's driver: libcuda by way of FFI, an interpreter in its place, or a stub in tests.
// Work goes to streams: within one it runs in order, and events order streams and tell the host how far one is.
import type { Result } from "@muxkit/cargo";

/** A failed call: CUDA's number (CUresult), its name, and what was called. @public */
export interface DriverError {
  /** CUresult; 0 where the failure is not the driver's. */
  readonly code: number;
  /** One sentence. */
  readonly message: string;
}

/** Handles of the driver are numbers or objects of its own. @public */
export type Handle = number | object;

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

/** The one parameter of a launch, where the driver finds it when the launch is started. @public */
export interface Parameter {
  /** The memory that it lies in, maybe among others. */
  readonly view: DataView;
  /** Its first byte there. */
  readonly at: number;
  /** Its bytes. */
  readonly bytes: number;
}

/** A launch that {@link CudaGpu.prepare} made: a kernel, its grid, and its one parameter. @public */
export interface GpuLaunch extends Grid {
  /** What to do. */
  readonly kind: "launch";
  /** The kernel. */
  readonly entry: Handle;
  /** Its one parameter: zeros at first. A launch takes what it holds when it is started. */
  readonly parameter: Parameter;
}

/** A copy of rows and slices between addresses that the GPU sees; pitches are bytes. @public */
export interface GpuCopy {
  /** What to do. */
  readonly kind: "copy";
  /** First byte of the source. */
  readonly from: number;
  /** Bytes from row to row of the source. */
  readonly fromRow: number;
  /** Bytes from slice to slice of the source, a multiple of `fromRow`. */
  readonly fromSlice: number;
  /** First byte of the target. */
  readonly to: number;
  /** Bytes from row to row of the target. */
  readonly toRow: number;
  /** Bytes from slice to slice of the target, a multiple of `toRow`. */
  readonly toSlice: number;
  /** Bytes of a row. */
  readonly bytes: number;
  /** Rows of a slice. */
  readonly rows: number;
  /** Slices. */
  readonly slices: number;
}

/** Units of 1, 2 or 4 bytes set to a value, in rows. @public */
export interface GpuSet {
  /** What to do. */
  readonly kind: "set";
  /** First byte, a multiple of `unit`. */
  readonly address: number;
  /** Bytes of a unit. */
  readonly unit: 1 | 2 | 4;
  /** The value of a unit. */
  readonly value: number;
  /** Units of a row. */
  readonly width: number;
  /** Rows. */
  readonly rows: number;
  /** Bytes from row to row. */
  readonly pitch: number;
}

/** Work of the GPU that needs nothing of the host. @public */
export type GpuWork = GpuLaunch | GpuCopy | GpuSet;

/** Memory of the host that the GPU sees: pinned. @public */
export interface HostBlock {
  /** The bytes, detached when the block is freed. */
  readonly bytes: Uint8Array;
  /** Their address, of the host and of the GPU. */
  readonly address: number;
}

/** An open GPU. Calls may return before the work is done; its failures show in later calls. @public */
export interface CudaGpu {
  /** Takes memory; its address. */
  allocate(bytes: number): Result<number, DriverError>;
  /** Gives memory back that no work uses any more. */
  free(address: number): void;
  /** Takes pinned memory of the host. */
  allocateHost(bytes: number): Result<HostBlock, DriverError>;
  /** Gives it back, and detaches its array. */
  freeHost(block: HostBlock): void;
  /** Pins memory of JavaScript's, which then is copied at full speed and may not be collected. */
  register(memory: SharedArrayBuffer): Result<void, DriverError>;
  /** Ends that. */
  unregister(memory: SharedArrayBuffer): void;
  /** Lets kernels and copies of this GPU reach the memory of another one; false: the machine cannot. */
  reachPeer(index: number): Result<boolean, DriverError>;

  /** A kernel of this GPU will not end: the process must be able to end all the same. */
  abandon(): void;

  /** Makes a stream; `isUrgent`: kernels of others do not hold what it gets. */
  createStream(isUrgent?: boolean): Result<Handle, DriverError>;
  /** Destroys a stream. */
  destroyStream(stream: Handle): void;
  /** Makes an event; `isTimed`: {@link CudaGpu.elapsed} takes it. */
  createEvent(isTimed: boolean): Result<Handle, DriverError>;
  /** Destroys an event. */
  destroyEvent(event: Handle): void;
  /** The event comes when what the stream has so far is done. */
  record(event: Handle, stream: Handle): Result<void, DriverError>;
  /** What the stream gets from now on runs after the event. */
  waitEvent(stream: Handle, event: Handle): Result<void, DriverError>;
  /** True when the event has come. */
  isDone(event: Handle): Result<boolean, DriverError>;
  /** Blocks the thread until the event has come. */
  finish(event: Handle): Result<void, DriverError>;
  /** The same without blocking it. */
  finishLater(event: Handle): Promise<Result<void, DriverError>>;
  /** Nanoseconds between two timed events that have come. */
  elapsed(from: Handle, to: Handle): Result<number, DriverError>;

  /** Copies to the host; may return when it is done, for an array that is not pinned. */
  read(stream: Handle, address: number, to: Uint8Array): Result<void, DriverError>;
  /** Copies from the host; the array may change when the call returns, unless it is pinned. */
  write(stream: Handle, address: number, from: Uint8Array): Result<void, DriverError>;
  /** Makes a launch of a kernel with so many bytes of parameter, to be started any number of times. */
  prepare(entry: Handle, grid: Grid, parameterBytes: number): GpuLaunch;
  /** Starts work. */
  start(stream: Handle, work: GpuWork): Result<void, DriverError>;

  /** Makes one piece of several, each after the one before, to be started any number of times. */
  createGraph(work: readonly GpuWork[]): Result<Handle, DriverError>;
  /** Starts it. */
  startGraph(stream: Handle, graph: Handle): Result<void, DriverError>;
  /** Changes a launch in it, by its index among the work. */
  setLaunch(graph: Handle, index: number, launch: GpuLaunch): Result<void, DriverError>;
  /** Destroys it. */
  destroyGraph(graph: Handle): void;

  /** Loads PTX or what {@link CudaGpu.compile} made of it. The error has the driver's log. */
  load(code: Uint8Array): Result<Handle, DriverError>;
  /** Compiles PTX for this GPU, so that loading takes no time; null: this driver does so when it loads. */
  compile(ptx: Uint8Array): Result<Uint8Array | null, DriverError>;
  /** Forgets a module. */
  unload(module: Handle): void;
  /** A kernel of a module. */
  entry(module: Handle, name: string): Result<Handle, DriverError>;
  /** Work-items of the largest group that a kernel runs in, by its registers and what it says itself. */
  mostItems(entry: Handle): Result<number, DriverError>;
}

/** A loaded driver. @public */
export interface CudaDriver {
  /** The GPUs that there are. */
  readonly gpus: readonly GpuFacts[];
  /** True: calls return before a kernel has ended, so that it can be stopped. */
  readonly stopsKernels: boolean;
  /** True: kernels reach pinned memory of the host. */
  readonly reachesHost: boolean;
  /** What changes when compiled code must be compiled anew. */
  readonly version: string;
  /** Opens a GPU; again gives the same one. */
  open(index: number): Result<CudaGpu, DriverError>;
}
