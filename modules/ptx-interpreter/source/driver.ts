// SPDX-License-Identifier: Apache-2.0
/**
 * A driver in memory: GPUs that are arrays, and launches that the interpreter runs at once. What goes wrong in a kernel
 * is told by the next call that waits, and by every call after it: as on hardware, the device is then lost.
 */
import { type Result, err, ok } from "@muxkit/cargo";
import {
  type CudaDriver,
  type DriverError,
  type GpuFacts,
  type Grid,
  type Handle,
  type SerialDriver,
  overSerial,
} from "@muxkit/cuda";

import { compileModule } from "./compile.ts";
import { Fault } from "./fault.ts";
import { type CompiledModule, type Image, sharedLimit } from "./image.ts";
import { runLaunch } from "./launch.ts";
import { GlobalMemory, SHARED_BASE } from "./memory.ts";
import type { Variable } from "./parse.ts";

/** Codes of CUresult that calls give. */
const INVALID_VALUE = 1;
const OUT_OF_MEMORY = 2;
const INVALID_PTX = 218;
const NOT_FOUND = 500;

/** What a user may choose. @public */
export interface PtxDriverOptions {
  /** How many GPUs there are. Absent: 1. */
  readonly count?: number;
  /** What they say of themselves, in place of the interpreter's own facts. */
  readonly facts?: Partial<GpuFacts>;
  /**
   * Blocks of instructions that a launch may execute; one that needs more fails as an endless one. Absent: 10^9.
   */
  readonly mostBlocks?: number;
  /** True: GPUs reach each other's memory by copies. */
  readonly reachesPeers?: boolean;
}

const FACTS: GpuFacts = {
  name: "PTX interpreter",
  capability: [9, 0],
  multiprocessors: 1,
  memory: 2 ** 28,
  clockRate: 1_000_000,
  sharedMemory: 49_152,
  cache: 0,
};

/** Texts whose code is kept: programs are loaded again and again. */
const MOST_KEPT = 64;
const compiled = new Map<string, Result<CompiledModule, string>>();

function compiledModule(text: string): Result<CompiledModule, string> {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const made = compileModule(text);
  const module: Result<CompiledModule, string> = made.ok ? made : err(`line ${made.error.line}: ${made.error.message}`);
  compiled.set(text, module);
  const [oldest] = compiled.keys();
  if (compiled.size > MOST_KEPT && oldest !== undefined) compiled.delete(oldest);
  return module;
}

/** A module that was loaded: its code, and where its variables are. */
class LoadedModule {
  readonly gpu: Gpu;
  readonly code: CompiledModule;
  readonly addresses = new Map<string, number>();

  constructor(gpu: Gpu, code: CompiledModule) {
    this.gpu = gpu;
    this.code = code;
  }
}

/** A kernel of a loaded module. */
class Entry {
  readonly module: LoadedModule;
  readonly image: Image;

  constructor(module: LoadedModule, image: Image) {
    this.module = module;
    this.image = image;
  }
}

/** One GPU: its memory, and whether it is lost. */
class Gpu {
  readonly memory: GlobalMemory;
  fault: DriverError | null = null;

  constructor(bytes: number, index: number) {
    this.memory = new GlobalMemory(bytes, index);
  }
}

function failure(code: number, message: string): Result<never, DriverError> {
  return err({ code, message });
}

class PtxDriver implements SerialDriver {
  readonly gpus: readonly GpuFacts[];
  readonly reachesPeers: boolean;
  private readonly made = new Map<number, Gpu>();
  private readonly mostBlocks: number;
  private current = 0;

  constructor({ count = 1, facts = {}, mostBlocks = 1e9, reachesPeers = false }: PtxDriverOptions) {
    this.gpus = Array.from({ length: count }, () => ({ ...FACTS, ...facts }));
    this.mostBlocks = mostBlocks;
    this.reachesPeers = reachesPeers;
  }

  /** The GPU that was opened last. */
  private get gpu(): Gpu {
    const known = this.made.get(this.current);
    if (known !== undefined) return known;
    const gpu = new Gpu(this.gpus[this.current]?.memory ?? 0, this.current);
    this.made.set(this.current, gpu);
    return gpu;
  }

  /** Runs a call, unless the GPU is lost. */
  private call<T>(run: (gpu: Gpu) => Result<T, DriverError>): Result<T, DriverError> {
    const { gpu } = this;
    return gpu.fault === null ? run(gpu) : err(gpu.fault);
  }

  open(index: number): Result<void, DriverError> {
    if (this.gpus[index] === undefined) return failure(INVALID_VALUE, `there is no GPU ${index}`);
    this.current = index;
    return ok();
  }

  allocate(bytes: number): Result<number, DriverError> {
    return this.call(({ memory }) => {
      const address = bytes > 0 ? memory.take(bytes) : null;
      return address === null ? failure(OUT_OF_MEMORY, `no ${bytes} bytes are left`) : ok(address);
    });
  }

  free(address: number): void {
    this.gpu.memory.give(address);
  }

  /** Does something with bytes of the memory. */
  private on(
    address: number,
    bytes: number,
    act: (memory: GlobalMemory, at: number) => void,
  ): Result<void, DriverError> {
    return this.call(({ memory }) => {
      const at = memory.range(address, bytes);
      if (at === null) return failure(INVALID_VALUE, `no ${bytes} bytes are at 0x${address.toString(16)}`);
      act(memory, at);
      return ok();
    });
  }

  read(address: number, to: Uint8Array): Result<void, DriverError> {
    return this.on(address, to.length, ({ u8 }, at) => {
      to.set(u8.subarray(at, at + to.length));
    });
  }

  write(address: number, from: Uint8Array): Result<void, DriverError> {
    return this.on(address, from.length, ({ u8 }, at) => {
      u8.set(from, at);
    });
  }

  copy(from: number, to: number, bytes: number): Result<void, DriverError> {
    const owner = this.reachesPeers ? this.ownerOf(from) : this.gpu;
    if (owner.fault !== null) return err(owner.fault);
    const source = owner.memory.range(from, bytes);
    if (source === null) return failure(INVALID_VALUE, `no ${bytes} bytes are at 0x${from.toString(16)}`);
    return this.on(to, bytes, ({ u8 }, at) => {
      if (owner === this.gpu) u8.copyWithin(at, source, source + bytes);
      else u8.set(owner.memory.u8.subarray(source, source + bytes), at);
    });
  }

  /** The GPU that has an address; the calls' own where none has it. */
  private ownerOf(address: number): Gpu {
    const window = Math.floor(address / 2 ** 32);
    for (const gpu of this.made.values()) if (gpu.memory.window === window) return gpu;
    return this.gpu;
  }

  fill(address: number, unit: 1 | 2 | 4, value: number, count: number): Result<void, DriverError> {
    return this.on(address, unit * count, ({ u8, u16, i32 }, at) => {
      if (unit === 1) u8.fill(value, at, at + count);
      else if (unit === 2) u16.fill(value, at / 2, at / 2 + count);
      else i32.fill(value, at / 4, at / 4 + count);
    });
  }

  load(ptx: Uint8Array): Result<Handle, DriverError> {
    return this.call((gpu) => {
      const code = compiledModule(new TextDecoder().decode(ptx));
      if (!code.ok) return failure(INVALID_PTX, code.error);
      const module = new LoadedModule(gpu, code.value);
      for (const variable of code.value.variables) {
        const address = gpu.memory.take(Math.max(1, variable.bytes));
        if (address === null) {
          this.unload(module);
          return failure(OUT_OF_MEMORY, `no ${variable.bytes} bytes are left for ${variable.name}`);
        }
        module.addresses.set(variable.name, address);
      }
      for (const variable of code.value.variables) initialize(module, variable);
      return ok(module);
    });
  }

  unload(module: Handle): void {
    if (!(module instanceof LoadedModule)) return;
    for (const address of module.addresses.values()) module.gpu.memory.give(address);
    module.addresses.clear();
  }

  entry(module: Handle, name: string): Result<Handle, DriverError> {
    return this.call(() => {
      const image = module instanceof LoadedModule ? module.code.kernels.get(name) : undefined;
      return image === undefined
        ? failure(NOT_FOUND, `there is no kernel ${name}`)
        : ok(new Entry(module as LoadedModule, image));
    });
  }

  mostItems(entry: Handle): number {
    return entry instanceof Entry ? mostItemsOf(entry.image) : 0;
  }

  launch(entry: Handle, grid: Grid, parameter: Uint8Array): Result<void, DriverError> {
    return this.call((gpu) => {
      if (!(entry instanceof Entry)) return failure(INVALID_VALUE, "this is no kernel");
      const { image, module } = entry;
      const refused = refusalOf(image, grid, parameter, this.gpus[this.current]?.sharedMemory ?? 0);
      if (refused !== null) return failure(INVALID_VALUE, refused);
      try {
        runLaunch({
          ...grid,
          image,
          global: gpu.memory,
          parameter,
          addresses: module.addresses,
          mostBlocks: this.mostBlocks,
        });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        // Who waits is told, not who starts.
        gpu.fault = { code: error.code, message: `${image.name}: ${error.message}` };
      }
      return ok();
    });
  }

  synchronize(): Result<void, DriverError> {
    return this.call(() => ok());
  }
}

/** Writes the initial value of a variable: zeros where there is none. */
function initialize(
  { gpu: { memory }, addresses }: LoadedModule,
  { name, bytes, initial, addresses: words }: Variable,
): void {
  const at = memory.range(addresses.get(name) ?? 0, bytes) ?? 0;
  memory.u8.fill(0, at, at + bytes);
  if (initial !== null) memory.u8.set(initial, at);
  const view = new DataView(memory.u8.buffer);
  for (const { offset, name: target, addend } of words)
    view.setBigUint64(at + offset, BigInt(addresses.get(target) ?? 0) + addend, true);
}

const MOST_ITEMS = 1024;

/** Work-items of the largest group that a kernel says it runs in. */
function mostItemsOf({ mostItems }: Image): number {
  return mostItems?.reduce((product, size) => product * size, 1) ?? MOST_ITEMS;
}

/** Why a launch is refused; null: it is not. */
function refusalOf(
  image: Image,
  { groups, localSize, dynamicLocal }: Grid,
  parameter: Uint8Array,
  most: number,
): string | null {
  const [x, y, z] = localSize;
  const items = x * y * z;
  if (!(items >= 1 && items <= MOST_ITEMS && z <= 64)) return `a group cannot have ${x} * ${y} * ${z} work-items`;
  const allowed = mostItemsOf(image);
  if (items > allowed) return `${image.name} is compiled for groups of at most ${allowed} work-items, not ${items}`;
  if (!groups.every((count, axis) => count >= 1 && count <= (axis === 0 ? 2 ** 31 - 1 : 65_535)))
    return `a grid cannot have ${groups.join(" * ")} groups`;
  const shared = sharedLimit(image, dynamicLocal) - SHARED_BASE;
  if (shared > most) return `${image.name} needs ${shared} bytes of shared memory, and there are ${most}`;
  if (parameter.length < image.parameterBytes)
    return `${image.name} has ${image.parameterBytes} bytes of parameters, and ${parameter.length} are given`;
  return null;
}

/** A driver whose GPUs run PTX in this process. @public */
export function ptxDriver(options: PtxDriverOptions = {}): CudaDriver {
  return overSerial(serialPtxDriver(options));
}

/** The same, in which every call runs to its end. @public */
export function serialPtxDriver(options: PtxDriverOptions = {}): SerialDriver {
  return new PtxDriver(options);
}
