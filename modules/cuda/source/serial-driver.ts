// SPDX-License-Identifier: Apache-2.0
/**
 * A driver in which every call runs to its end, as an interpreter of PTX or an array in tests has one, in place of one
 * with streams: then all work is done when it is started, and an event has come when it is recorded.
 */
import { type Result, err, ok } from "@muxkit/cargo";

import { MOST_ITEMS } from "./device-info.ts";
import type {
  CudaDriver,
  CudaGpu,
  DriverError,
  GpuCopy,
  GpuFacts,
  GpuLaunch,
  GpuSet,
  GpuWork,
  Grid,
  Handle,
  HostBlock,
} from "./driver.ts";
import { copyOfLaunch, ownLaunch, parameterBytes } from "./parameter.ts";

/** A driver whose calls run to their end. All of them are for the GPU that was opened last. @public */
export interface SerialDriver {
  /** The GPUs that there are. */
  readonly gpus: readonly GpuFacts[];
  /** Makes a GPU the one of the calls. */
  open(index: number): Result<void, DriverError>;
  /** Takes memory; its address. */
  allocate(bytes: number): Result<number, DriverError>;
  /** Gives memory back. */
  free(address: number): void;
  /** Copies to the host. */
  read(address: number, to: Uint8Array): Result<void, DriverError>;
  /** Copies from the host. */
  write(address: number, from: Uint8Array): Result<void, DriverError>;
  /** True: copies read the memory of all GPUs. Absent: that of their own. */
  readonly reachesPeers?: boolean;
  /** Copies to the GPU's memory, from there or, where it reaches peers, from another one's. */
  copy(from: number, to: number, bytes: number): Result<void, DriverError>;
  /** Fills `count` units of 1, 2 or 4 bytes. */
  fill(address: number, unit: 1 | 2 | 4, value: number, count: number): Result<void, DriverError>;
  /** Loads PTX. The error has the driver's log. */
  load(ptx: Uint8Array): Result<Handle, DriverError>;
  /** Forgets a module. */
  unload(module: Handle): void;
  /** A kernel of a module. */
  entry(module: Handle, name: string): Result<Handle, DriverError>;
  /** Work-items of the largest group that a kernel runs in; absent: 1024. */
  mostItems?(entry: Handle): number;
  /** Runs a kernel with its one parameter. */
  launch(entry: Handle, grid: Grid, parameter: Uint8Array): Result<void, DriverError>;
  /** Waits for all that was started; reports what failed. */
  synchronize(): Result<void, DriverError>;
}

/** A point in time, of a stream or an event. */
interface Moment {
  time: number;
}

interface Recorded {
  readonly work: GpuWork[];
}

const NANOSECONDS_PER_MILLISECOND = 1e6;
/** Where pinned memory has its addresses: no GPU of tests has memory there. */
const HOST_BASE = 2 ** 46;
/** Blocks of pinned memory are multiples of so many bytes. */
const HOST_ALIGNMENT = 256;

class SerialGpu implements CudaGpu {
  private readonly driver: SerialDriver;
  private readonly index: number;
  private readonly hostBlocks: HostBlock[] = [];
  private nextHost = HOST_BASE;

  constructor(driver: SerialDriver, index: number) {
    this.driver = driver;
    this.index = index;
  }

  private on<T>(call: (driver: SerialDriver) => Result<T, DriverError>): Result<T, DriverError> {
    const opened = this.driver.open(this.index);
    return opened.ok ? call(this.driver) : opened;
  }

  allocate(bytes: number): Result<number, DriverError> {
    return this.on((driver) => driver.allocate(bytes));
  }

  free(address: number): void {
    void this.on((driver) => {
      driver.free(address);
      return ok();
    });
  }

  allocateHost(bytes: number): Result<HostBlock, DriverError> {
    const block = { bytes: new Uint8Array(bytes), address: this.nextHost };
    this.nextHost += Math.ceil(Math.max(1, bytes) / HOST_ALIGNMENT) * HOST_ALIGNMENT;
    this.hostBlocks.push(block);
    return ok(block);
  }

  freeHost(block: HostBlock): void {
    this.hostBlocks.splice(this.hostBlocks.indexOf(block), 1);
  }

  register(): Result<void, DriverError> {
    return ok();
  }

  unregister(): void {
    // All memory is copied in the same way.
  }

  reachPeer(index: number): Result<boolean, DriverError> {
    return ok(this.driver.reachesPeers === true && index !== this.index && index < this.driver.gpus.length);
  }

  abandon(): void {
    // Kernels end before their launch returns.
  }

  createStream(): Result<Handle, DriverError> {
    return ok({});
  }

  destroyStream(): void {
    // It has nothing of its own.
  }

  createEvent(): Result<Handle, DriverError> {
    return ok({ time: 0 } satisfies Moment);
  }

  destroyEvent(): void {
    // It has nothing of its own.
  }

  record(event: Handle): Result<void, DriverError> {
    (event as Moment).time = performance.now();
    return ok();
  }

  waitEvent(): Result<void, DriverError> {
    return ok();
  }

  isDone(): Result<boolean, DriverError> {
    const done = this.finish();
    return done.ok ? ok(true) : done;
  }

  finish(): Result<void, DriverError> {
    return this.on((driver) => driver.synchronize());
  }

  async finishLater(): Promise<Result<void, DriverError>> {
    return await Promise.resolve(this.finish());
  }

  elapsed(from: Handle, to: Handle): Result<number, DriverError> {
    return ok(((to as Moment).time - (from as Moment).time) * NANOSECONDS_PER_MILLISECOND);
  }

  read(_: Handle, address: number, to: Uint8Array): Result<void, DriverError> {
    return this.on((driver) => driver.read(address, to));
  }

  write(_: Handle, address: number, from: Uint8Array): Result<void, DriverError> {
    return this.on((driver) => driver.write(address, from));
  }

  prepare(entry: Handle, grid: Grid, bytes: number): GpuLaunch {
    return ownLaunch(entry, grid, bytes);
  }

  start(_: Handle, work: GpuWork): Result<void, DriverError> {
    return this.on((driver) => {
      switch (work.kind) {
        case "launch":
          return driver.launch(work.entry, gridOf(work), parameterBytes(work));
        case "copy":
          return this.copyBox(driver, work);
        default:
          return setBox(driver, work);
      }
    });
  }

  /** The bytes of pinned memory at an address; null: it is the GPU's. */
  private hostBytes(address: number, count: number): Uint8Array | null {
    if (address < HOST_BASE) return null;
    const block = this.hostBlocks.findLast((one) => one.address <= address);
    if (block === undefined) return null;
    return block.bytes.subarray(address - block.address, address - block.address + count);
  }

  private copyBox(driver: SerialDriver, copy: GpuCopy): Result<void, DriverError> {
    for (let z = 0; z < copy.slices; z++)
      for (let y = 0; y < copy.rows; y++) {
        const [from, to] = [
          copy.from + y * copy.fromRow + z * copy.fromSlice,
          copy.to + y * copy.toRow + z * copy.toSlice,
        ];
        const done = this.copyRow(driver, from, to, copy.bytes);
        if (!done.ok) return done;
      }
    return ok();
  }

  private copyRow(driver: SerialDriver, from: number, to: number, count: number): Result<void, DriverError> {
    const [source, target] = [this.hostBytes(from, count), this.hostBytes(to, count)];
    if (source !== null && target !== null) target.set(source);
    else if (source !== null) return driver.write(to, source);
    else if (target !== null) return driver.read(from, target);
    else return driver.copy(from, to, count);
    return ok();
  }

  createGraph(work: readonly GpuWork[]): Result<Handle, DriverError> {
    return ok({ work: work.map((one) => kept(one)) } satisfies Recorded);
  }

  startGraph(stream: Handle, graph: Handle): Result<void, DriverError> {
    for (const work of (graph as Recorded).work) {
      const done = this.start(stream, work);
      if (!done.ok) return done;
    }
    return ok();
  }

  setLaunch(graph: Handle, index: number, launch: GpuLaunch): Result<void, DriverError> {
    (graph as Recorded).work[index] = kept(launch);
    return ok();
  }

  destroyGraph(): void {
    // It has nothing of its own.
  }

  load(code: Uint8Array): Result<Handle, DriverError> {
    return this.on((driver) => driver.load(code));
  }

  compile(): Result<null, DriverError> {
    return ok(null);
  }

  unload(module: Handle): void {
    void this.on((driver) => {
      driver.unload(module);
      return ok();
    });
  }

  entry(module: Handle, name: string): Result<Handle, DriverError> {
    return this.on((driver) => driver.entry(module, name));
  }

  mostItems(entry: Handle): Result<number, DriverError> {
    return ok(this.driver.mostItems?.(entry) ?? MOST_ITEMS);
  }
}

/** The grid alone: the driver gets the parameter as bytes. */
function gridOf({ groups, localSize, dynamicLocal }: GpuLaunch): Grid {
  return { groups, localSize, dynamicLocal };
}

/** Work with a parameter of its own: the caller writes to that of the launch again. */
function kept(work: GpuWork): GpuWork {
  return work.kind === "launch" ? copyOfLaunch(work) : work;
}

function setBox(driver: SerialDriver, { address, unit, value, width, rows, pitch }: GpuSet): Result<void, DriverError> {
  for (let row = 0; row < rows; row++) {
    const done = driver.fill(address + row * pitch, unit, value, width);
    if (!done.ok) return done;
  }
  return ok();
}

/** A driver with streams over one whose calls run to their end. @public */
export function overSerial(driver: SerialDriver): CudaDriver {
  const open = new Map<number, CudaGpu>();
  return {
    gpus: driver.gpus,
    stopsKernels: false,
    reachesHost: false,
    version: "serial",
    open: (index) => {
      const known = open.get(index);
      if (known !== undefined) return ok(known);
      const opened = driver.open(index);
      if (!opened.ok) return err(opened.error);
      const gpu = new SerialGpu(driver, index);
      open.set(index, gpu);
      return ok(gpu);
    },
  };
}
