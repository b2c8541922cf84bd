// SPDX-License-Identifier: Apache-2.0
/**
 * A GPU by libcuda: its primary context, made the thread's before each call where another GPU's was. What the driver
 * writes back, and structures that it reads, have their place in one block that does not move, so a call allocates
 * nothing.
 */
import { type Result, err, ok } from "@muxkit/cargo";

import type { CudaGpu, DriverError, GpuCopy, GpuLaunch, GpuSet, GpuWork, Grid, Handle, HostBlock } from "./driver.ts";
import { type Calls, type Fixed, type Koffi, type Name, driverError, fixed } from "./libcuda-calls.ts";
import { LaunchChunks, type PreparedLaunch, configurationOf, parametersOf } from "./libcuda-launches.ts";
import { COPY_BYTES, getAddress, putAddress, writeCopy, writeKernel, writeSet } from "./libcuda-layout.ts";

/** Where things are in the block. */
const OUT = 0;
const SECOND_OUT = 8;
const JIT_OPTIONS = 16;
const JIT_VALUES = 24;
const STRUCTURE = 48;
const LOG: number = STRUCTURE + COPY_BYTES;
const LOG_BYTES = 8192;

/** `CUresult`s that are answers. */
const NOT_READY = 600;
const PEER_IS_REACHED = 704;
/** `CUjit_option`: a buffer for errors, and its size. */
const ERROR_LOG = 5;
const ERROR_LOG_BYTES = 6;
/** `CU_JIT_INPUT_PTX`. */
const PTX_INPUT = 1;
/** `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`, and what needs no permission. */
const MOST_DYNAMIC_SHARED = 8;
/** `CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK`. */
const MOST_THREADS = 0;
const PLAIN_SHARED = 48 << 10;
/** `CU_STREAM_NON_BLOCKING`, `CU_EVENT_DISABLE_TIMING`. */
const INDEPENDENT = 1;
const UNTIMED = 2;
/** A priority above all that there are, which the driver takes for the first: 0 is the last. */
const URGENT = -100;
/** `CU_MEMHOSTALLOC_PORTABLE | _DEVICEMAP`, and the same of registered memory: for every GPU, with an address. */
const PORTABLE_MAPPED = 3;
/** `CU_MEM_LOCATION_TYPE_DEVICE`, `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`. */
const ON_DEVICE = 1;
const READ_AND_WRITE = 3;
/** `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`: how much free memory a pool keeps. */
const KEPT_FREE = 4;

/** What the GPUs of a process share. */
export interface Shared {
  readonly koffi: Koffi;
  readonly calls: Calls;
  /** The context that is the thread's; 0: none that is known. */
  current: number;
  /** Lets the process end without the driver, which would wait for its kernels. */
  readonly leaveAtOnce: () => void;
}

interface Graph {
  readonly graph: number;
  executable: number;
  readonly nodes: number[];
}

/** The GPU of a device number. */
export class LibCudaGpu implements CudaGpu {
  /** Its primary context. */
  readonly context: number;
  private readonly shared: Shared;
  private readonly device: number;
  private readonly block: Fixed;
  /** Where memory is taken and given back: never anything else, so it has nothing to wait for. */
  private memoryStream = 0;
  /** Where its memory is taken from. */
  private pool = 0;
  /** True when the context could not be made the thread's for the last call. */
  private isRefused = false;
  private readonly sharedOf = new Map<Handle, number>();
  private readonly chunks: LaunchChunks;

  private constructor(shared: Shared, device: number, context: number, block: Fixed) {
    this.shared = shared;
    this.device = device;
    this.context = context;
    this.block = block;
    this.chunks = new LaunchChunks(shared.koffi);
    new Int32Array(block.bytes.buffer, JIT_OPTIONS, 2).set([ERROR_LOG, ERROR_LOG_BYTES]);
  }

  /** Opens a device. */
  static open(shared: Shared, device: number): Result<LibCudaGpu, DriverError> {
    const { calls, koffi } = shared;
    const block = fixed(koffi, LOG + LOG_BYTES);
    const code = calls.retain(block.address, device);
    if (code !== 0) return err(driverError(calls, "retain", code));
    const gpu = new LibCudaGpu(shared, device, getAddress(block.view, OUT), block);
    const stream = gpu.createStream();
    if (!stream.ok) return stream;
    gpu.memoryStream = stream.value as number;
    const pool = gpu.made("pool", device);
    if (!pool.ok) return pool;
    block.view.setBigUint64(STRUCTURE, 2n ** 64n - 1n, true);
    gpu.pool = pool.value;
    const kept = gpu.call("setPool", pool.value, KEPT_FREE, block.address + STRUCTURE);
    return kept.ok ? ok(gpu) : kept;
  }

  /** The code of a call in this GPU's context. */
  private code(name: Name, ...values: readonly unknown[]): number {
    const code = this.enter();
    return code === 0 ? this.shared.calls[name](...values) : code;
  }

  /** Makes this GPU's context the thread's. */
  private enter(): number {
    const { shared, context } = this;
    if (shared.current === context) return 0;
    const code = shared.calls.setCurrent(context);
    this.isRefused = code !== 0;
    if (code === 0) shared.current = context;
    return code;
  }

  private failure(name: Name, code: number): Result<never, DriverError> {
    return err(driverError(this.shared.calls, this.isRefused ? "setCurrent" : name, code));
  }

  private call(name: Name, ...values: readonly unknown[]): Result<void, DriverError> {
    const code = this.code(name, ...values);
    return code === 0 ? ok() : this.failure(name, code);
  }

  /** A call whose first parameter is where it writes what it made. */
  private made(name: Name, ...values: readonly unknown[]): Result<number, DriverError> {
    const code = this.code(name, this.block.address + OUT, ...values);
    return code === 0 ? ok(getAddress(this.block.view, OUT)) : this.failure(name, code);
  }

  allocate(bytes: number): Result<number, DriverError> {
    const taken = this.made("allocate", bytes, this.memoryStream);
    if (!taken.ok) return taken;
    // Other streams may use it as soon as this one, which is empty, has come here.
    const ready = this.call("finishStream", this.memoryStream);
    return ready.ok ? taken : ready;
  }

  free(address: number): void {
    void this.code("free", address, this.memoryStream);
  }

  allocateHost(bytes: number): Result<HostBlock, DriverError> {
    const taken = this.made("allocateHost", Math.max(1, bytes), PORTABLE_MAPPED);
    if (!taken.ok) return taken;
    const address = taken.value;
    return ok({ bytes: new Uint8Array(this.shared.koffi.view(BigInt(address), bytes)), address });
  }

  freeHost({ bytes, address }: HostBlock): void {
    detach(bytes.buffer as ArrayBuffer);
    void this.code("freeHost", address);
  }

  register(memory: SharedArrayBuffer): Result<void, DriverError> {
    return this.call("register", new Uint8Array(memory), memory.byteLength, PORTABLE_MAPPED);
  }

  unregister(memory: SharedArrayBuffer): void {
    void this.code("unregister", new Uint8Array(memory));
  }

  /** True when this GPU reaches the memory of that one from now on. */
  reach(peer: LibCudaGpu): Result<boolean, DriverError> {
    const able = this.made("canReach", this.device, peer.device);
    if (!able.ok) return able;
    if (this.block.view.getInt32(OUT, true) === 0) return ok(false);
    const code = this.code("reach", peer.context, 0);
    if (code !== 0 && code !== PEER_IS_REACHED) return this.failure("reach", code);
    const admitted = peer.admit(this.device);
    return admitted.ok ? ok(true) : admitted;
  }

  /** Lets another device reach the memory of the pool, which the access to a context does not include. */
  private admit(device: number): Result<void, DriverError> {
    const { view, address } = this.block;
    for (const [i, word] of [ON_DEVICE, device, READ_AND_WRITE].entries())
      view.setUint32(STRUCTURE + 4 * i, word, true);
    return this.call("admit", this.pool, address + STRUCTURE, 1);
  }

  /** Replaced by what opened the GPU, which knows the others. */
  reachPeer: CudaGpu["reachPeer"] = () => ok(false);

  abandon(): void {
    this.shared.leaveAtOnce();
  }

  createStream(isUrgent: boolean = false): Result<Handle, DriverError> {
    return this.made("createStream", INDEPENDENT, isUrgent ? URGENT : 0);
  }

  destroyStream(stream: Handle): void {
    void this.code("destroyStream", stream);
  }

  createEvent(isTimed: boolean): Result<Handle, DriverError> {
    return this.made("createEvent", isTimed ? 0 : UNTIMED);
  }

  destroyEvent(event: Handle): void {
    void this.code("destroyEvent", event);
  }

  record(event: Handle, stream: Handle): Result<void, DriverError> {
    return this.call("record", event, stream);
  }

  waitEvent(stream: Handle, event: Handle): Result<void, DriverError> {
    return this.call("waitEvent", stream, event, 0);
  }

  isDone(event: Handle): Result<boolean, DriverError> {
    const code = this.code("isDone", event);
    return code === 0 || code === NOT_READY ? ok(code === 0) : this.failure("isDone", code);
  }

  finish(event: Handle): Result<void, DriverError> {
    return this.call("finish", event);
  }

  async finishLater(event: Handle): Promise<Result<void, DriverError>> {
    const { calls } = this.shared;
    return await new Promise((resolve) => {
      calls.finish.async(event, (_: unknown, code: number) => {
        resolve(code === 0 ? ok() : this.failure("finish", code));
      });
    });
  }

  elapsed(from: Handle, to: Handle): Result<number, DriverError> {
    const done = this.made("elapsed", from, to);
    return done.ok ? ok(this.block.view.getFloat32(OUT, true) * 1e6) : done;
  }

  read(stream: Handle, address: number, to: Uint8Array): Result<void, DriverError> {
    return this.call("read", to, address, to.length, stream);
  }

  write(stream: Handle, address: number, from: Uint8Array): Result<void, DriverError> {
    return this.call("write", address, from, from.length, stream);
  }

  prepare(entry: Handle, grid: Grid, parameterBytes: number): GpuLaunch {
    return this.chunks.prepare(entry, grid, parameterBytes);
  }

  start(stream: Handle, work: GpuWork): Result<void, DriverError> {
    switch (work.kind) {
      case "launch":
        return this.launch(stream as number, work as PreparedLaunch);
      case "copy":
        return this.copy(stream, work);
      default:
        return this.set(stream, work);
    }
  }

  private launch(stream: number, launch: PreparedLaunch): Result<void, DriverError> {
    const { entry, dynamicLocal } = launch;
    if (dynamicLocal > PLAIN_SHARED) {
      const allowed = this.allow(entry, dynamicLocal);
      if (!allowed.ok) return allowed;
    }
    const entered = this.enter();
    if (entered !== 0) return this.failure("setCurrent", entered);
    const code = this.shared.calls.launch(configurationOf(launch, stream), entry, parametersOf(launch), 0);
    return code === 0 ? OK : this.failure("launch", code);
  }

  /** Local memory beyond what every kernel may have. */
  private allow(entry: Handle, dynamicLocal: number): Result<void, DriverError> {
    if (dynamicLocal <= PLAIN_SHARED || (this.sharedOf.get(entry) ?? 0) >= dynamicLocal) return OK;
    const allowed = this.call("setAttribute", entry, MOST_DYNAMIC_SHARED, dynamicLocal);
    if (allowed.ok) this.sharedOf.set(entry, dynamicLocal);
    return allowed;
  }

  private copy(stream: Handle, work: GpuCopy): Result<void, DriverError> {
    if (work.rows === 1 && work.slices === 1) return this.call("copy", work.to, work.from, work.bytes, stream);
    writeCopy(this.block.view, STRUCTURE, work, false);
    return this.call("copyBox", this.block.address + STRUCTURE, stream);
  }

  private set(stream: Handle, { unit, address, pitch, value, width, rows }: GpuSet): Result<void, DriverError> {
    if (rows === 1) return this.call(`set${BITS[unit]}`, address, value, width, stream);
    return this.call(`setRows${BITS[unit]}`, address, pitch, value, width, rows, stream);
  }

  createGraph(work: readonly GpuWork[]): Result<Handle, DriverError> {
    const made = this.made("createGraph", 0);
    if (!made.ok) return made;
    const graph: Graph = { graph: made.value, executable: 0, nodes: [] };
    for (const one of work) {
      const node = this.addNode(graph, one);
      if (!node.ok) {
        this.destroyGraph(graph);
        return node;
      }
      graph.nodes.push(node.value);
    }
    const executable = this.made("instantiate", graph.graph, 0);
    if (!executable.ok) {
      this.destroyGraph(graph);
      return executable;
    }
    graph.executable = executable.value;
    return ok(graph);
  }

  private addNode({ graph, nodes }: Graph, work: GpuWork): Result<number, DriverError> {
    const { view, address } = this.block;
    const last = nodes.at(-1);
    if (last !== undefined) putAddress(view, SECOND_OUT, last);
    const after = [address + SECOND_OUT, last === undefined ? 0 : 1] as const;
    if (work.kind === "launch") {
      const written = this.writeLaunch(work as PreparedLaunch);
      return written.ok ? this.made("addLaunch", graph, ...after, address + STRUCTURE) : written;
    }
    if (work.kind === "copy") writeCopy(view, STRUCTURE, work, true);
    else writeSet(view, STRUCTURE, work);
    return this.made(work.kind === "copy" ? "addCopy" : "addSet", graph, ...after, address + STRUCTURE, this.context);
  }

  private writeLaunch(launch: PreparedLaunch): Result<void, DriverError> {
    const allowed = this.allow(launch.entry, launch.dynamicLocal);
    if (allowed.ok) writeKernel(this.block.view, STRUCTURE, launch.entry, launch, parametersOf(launch));
    return allowed;
  }

  startGraph(stream: Handle, graph: Handle): Result<void, DriverError> {
    return this.call("startGraph", (graph as Graph).executable, stream);
  }

  setLaunch(handle: Handle, index: number, launch: GpuLaunch): Result<void, DriverError> {
    const { executable, nodes } = handle as Graph;
    const written = this.writeLaunch(launch as PreparedLaunch);
    if (!written.ok) return written;
    return this.call("setLaunch", executable, nodes[index], this.block.address + STRUCTURE);
  }

  destroyGraph(handle: Handle): void {
    const { graph, executable } = handle as Graph;
    if (executable !== 0) void this.code("destroyExecutable", executable);
    void this.code("destroyGraph", graph);
  }

  load(code: Uint8Array): Result<Handle, DriverError> {
    this.beginLog();
    const { address } = this.block;
    return this.logged(this.made("load", terminated(code), 2, address + JIT_OPTIONS, address + JIT_VALUES));
  }

  compile(ptx: Uint8Array): Result<Uint8Array, DriverError> {
    this.beginLog();
    const { address, view } = this.block;
    const made = this.call("link", 2, address + JIT_OPTIONS, address + JIT_VALUES, address + OUT);
    if (!made.ok) return made;
    const link = getAddress(view, OUT);
    const text = terminated(ptx);
    const added = this.logged(this.call("linkData", link, PTX_INPUT, text, text.length, "program", 0, 0, 0));
    const done = added.ok ? this.logged(this.call("linked", link, address + OUT, address + SECOND_OUT)) : added;
    const code = done.ok
      ? new Uint8Array(this.shared.koffi.view(BigInt(getAddress(view, OUT)), getAddress(view, SECOND_OUT))).slice()
      : null;
    void this.code("destroyLink", link);
    return code === null ? (done as Result<never, DriverError>) : ok(code);
  }

  private beginLog(): void {
    const { bytes, view, address } = this.block;
    bytes.fill(0, LOG);
    // The driver writes how many bytes it used over the size.
    putAddress(view, JIT_VALUES, address + LOG);
    putAddress(view, JIT_VALUES + 8, LOG_BYTES);
  }

  /** A result whose failure has what the driver's compiler wrote. */
  private logged<T>(done: Result<T, DriverError>): Result<T, DriverError> {
    if (done.ok) return done;
    const text = this.block.bytes.slice(LOG);
    const end = text.indexOf(0);
    const log = new TextDecoder().decode(text.subarray(0, end < 0 ? undefined : end)).trim();
    const { code, message } = done.error;
    return err({ code, message: log === "" ? message : `${message}\n${log}` });
  }

  unload(module: Handle): void {
    void this.code("unload", module);
  }

  entry(module: Handle, name: string): Result<Handle, DriverError> {
    return this.made("entry", module, name);
  }

  mostItems(entry: Handle): Result<number, DriverError> {
    const asked = this.made("getAttribute", MOST_THREADS, entry);
    return asked.ok ? ok(this.block.view.getInt32(OUT, true)) : asked;
  }
}

const BITS = { 1: 8, 2: 16, 4: 32 } as const;
const OK: Result<void, never> = ok();

/** The driver takes text that ends with a NUL. */
function terminated(text: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(text.length + 1);
  bytes.set(text);
  return bytes;
}

/** Makes all arrays over the buffer empty: its memory goes away. */
function detach(buffer: ArrayBuffer): void {
  // Node 20 has no transfer; and a buffer that it has moved can be collected.
  if ("transfer" in buffer) void (buffer as ArrayBuffer & { transfer(bytes: number): ArrayBuffer }).transfer(0);
  else structuredClone(buffer, { transfer: [buffer] });
}
