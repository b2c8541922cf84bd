// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// The smallest runtime there can be: one thread, one memory, the kernel ABI by hand. Tests of generated code need no
// more.
import { alignUp, assert } from "@muxkit/cargo";
import {
  DISPATCH,
  DISPATCH_BYTES,
  WORKER,
  WORKER_BYTES,
  layoutArena,
  localArgumentSpace,
  writeDispatchBlock,
} from "@muxkit/kernel-abi";
import { compileOptimized } from "@muxkit/host";
import { type Image, writeImageDescriptor } from "@muxkit/libimg";
import { PrintfOrder, initializePrintfArea, printfReaders, takePrintfRecords } from "@muxkit/printf";
import { type CodeSection, type LoadedExecutable, findCode, findKernelMetadata } from "@muxkit/metadata";

import { callNative, nativeCode } from "./native.ts";

import { SUITE_DEVICE } from "./device.ts";

/**
 * A kernel argument: bytes of a value, the address of a buffer, local memory, an image with the address of its pixels,
 * or the bits of a sampler.
 */
export type MachineArgument =
  | { readonly value: Uint8Array }
  | { readonly buffer: number }
  | { readonly local: number }
  | { readonly image: Image; readonly pixels: number }
  | { readonly sampler: number };

/** Sizes of three axes; those that are not passed are `missing`. */
function three(sizes: readonly number[], missing: number): readonly [number, number, number] {
  return [sizes[0] ?? missing, sizes[1] ?? missing, sizes[2] ?? missing];
}

/** Bytes of the arena that a launch may use. */
const ARENA = 8 << 20;
/** Bytes of the area that kernels print into. */
const PRINTF_AREA = 1 << 20;

/** Implements `env.clock`: the number of calls decides the result. */
type Clock = (worker: number) => number;

/** What sections of machine code need. */
const NATIVE = "x64.3";

/** Compiled modules, as long as the code is reachable: tests run one program again and again. */
const compiled = new WeakMap<Uint8Array, WebAssembly.Module>();

/** Only the optimising compiler joins vectors: where that is asked for it compiles all code, as the host does. */
const IS_OPTIMISED: boolean = SUITE_DEVICE.codeFeatures.includes("revectorize");

function moduleOf(bytes: Uint8Array): WebAssembly.Module {
  let module = compiled.get(bytes);
  if (module === undefined) {
    const own = new Uint8Array(bytes);
    module = IS_OPTIMISED ? compileOptimized(own) : new WebAssembly.Module(own);
    compiled.set(bytes, module);
  }
  return module;
}

/** A memory with kernels running over it. */
export class Machine {
  readonly memory: WebAssembly.Memory;
  /** What kernels printed, in the order of docs/decisions/032-printf.md. */
  printed = "";
  private next = 65_536 + 4096;
  private readonly data = new Map<LoadedExecutable, number>();

  constructor() {
    this.memory = new WebAssembly.Memory({ initial: 1024, maximum: 65_536, shared: true });
  }

  /** Address of fresh bytes, aligned to 128. */
  allocate(bytes: number): number {
    const address = alignUp(this.next, 128);
    this.next = address + bytes;
    const missing = this.next - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / 65_536));
    return address;
  }

  /** The bytes at an address. */
  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, address, length);
  }

  /** Puts bytes into fresh memory. */
  upload(data: Uint8Array): number {
    const address = this.allocate(data.length);
    this.bytes(address, data.length).set(data);
    return address;
  }

  /**
   * Runs a kernel over an NDRange and returns the result of the generated function. Traps are thrown. With `program` it
   * uses that executable's data, as variants of one program do.
   */
  run(
    image: LoadedExecutable,
    name: string,
    list: readonly MachineArgument[],
    global: readonly number[],
    local: readonly number[],
    options: {
      readonly offset?: readonly number[];
      readonly cancelWord?: number;
      readonly clock?: Clock;
      readonly program?: LoadedExecutable;
      /** Processor time in ms after which machine code is stopped: it asks no clock. Absent: never. */
      readonly mostMs?: number;
      /** True: code that has both vectors and single work-items runs these. */
      readonly isOneByOne?: boolean;
    } = {},
  ): number {
    const data = this.programData(options.program ?? image);
    const mark = this.next;
    const kernel = findKernelMetadata(image, name);
    const [variant] = kernel?.variants ?? [];
    const code = variant === undefined ? null : findCode(image, variant.section);
    assert(kernel !== null && variant !== undefined && code !== null, () => `there is no kernel ${name}`);
    const run = this.entryOf(code, variant.functionName, options.clock ?? (() => 0), options.mostMs ?? 2 ** 31 - 1);
    const args = this.allocate(kernel.packedSize);
    const dispatch = this.allocate(DISPATCH_BYTES);
    const worker = this.allocate(WORKER_BYTES);
    const arena = this.allocate(ARENA);
    this.bytes(args, arena - args).fill(0);
    const view = new DataView(this.memory.buffer);
    const group = three(local, 1);
    const items = group.reduce((product, size) => product * size, 1);
    const { localArguments } = layoutArena(variant, 0, items);
    let localEnd = localArguments;
    kernel.arguments.forEach((record, i) => {
      const argument = list[i];
      assert(argument !== undefined, () => `${name} takes ${kernel.arguments.length} arguments`);
      if ("value" in argument) this.bytes(args + record.offset, argument.value.length).set(argument.value);
      else if ("image" in argument) writeImageDescriptor(view, args + record.offset, argument.image, argument.pixels);
      else if ("sampler" in argument) view.setUint32(args + record.offset, argument.sampler, true);
      else if ("buffer" in argument) view.setUint32(args + record.offset, argument.buffer, true);
      else {
        view.setUint32(args + record.offset, localEnd, true);
        localEnd += localArgumentSpace(argument.local);
      }
    });
    const arenaLayout = layoutArena(variant, localEnd - localArguments, items);
    const globalSize = three(global, 1);
    const counts = three(
      globalSize.map((size, axis) => Math.ceil(size / (group[axis] ?? 1))),
      1,
    );
    writeDispatchBlock(new Int32Array(this.memory.buffer), dispatch, {
      dimensions: global.length,
      globalSize,
      globalOffset: three(options.offset ?? [], 0),
      localSize: group,
      groupCount: counts,
      rangeStart: [0, 0, 0],
      rangeCount: counts,
      liveOffset: arenaLayout.live,
      privateOffset: arenaLayout.private,
      programData: data,
    });
    view.setUint32(dispatch + DISPATCH.flags, options.isOneByOne === true ? 1 : 0, true);
    view.setUint32(worker + WORKER.size, WORKER_BYTES, true);
    view.setUint32(worker + WORKER.arenaBase, arena, true);
    view.setUint32(worker + WORKER.arenaSize, ARENA, true);
    view.setUint32(worker + WORKER.cancelWord, options.cancelWord ?? 0, true);
    view.setUint32(worker + WORKER.countdown, 1, true);
    const area = image.printfCalls.length === 0 ? 0 : this.allocate(PRINTF_AREA);
    const printfMemory = { words: new Int32Array(this.memory.buffer), view: new DataView(this.memory.buffer) };
    if (area !== 0) initializePrintfArea(printfMemory, area, PRINTF_AREA);
    view.setUint32(worker + WORKER.printfArea, area, true);
    const print = (): void => {
      const order = new PrintfOrder();
      const readers = printfReaders(image.printfCalls);
      const isWhole =
        area === 0 ||
        takePrintfRecords(printfMemory, area, PRINTF_AREA, ({ call, item, group: id, start }) =>
          order.add(id, item, readers[call]?.read(printfMemory.view, start) ?? "?"),
        );
      assert(isWhole, "the area of printf is whole");
      this.printed += order.take();
    };
    const result = run([args, dispatch, worker, 0, counts.reduce((product, count) => product * count, 1)]);
    print();
    this.next = mark;
    return result;
  }

  /** What calls a function of a section: WebAssembly, or machine code that needs no clock. */
  private entryOf(code: CodeSection, name: string, clock: Clock, mostMs: number): (args: readonly number[]) => number {
    if (code.features.includes(NATIVE)) {
      const object = nativeCode(code.bytes);
      return (args) => callNative(object, name, this.memory.buffer, args, mostMs);
    }
    const instance = new WebAssembly.Instance(moduleOf(code.bytes), { env: { memory: this.memory, clock } });
    const run = instance.exports[name];
    assert(typeof run === "function", () => `${name} is exported`);
    return (args) => Number(run(...args));
  }

  /** Address of the program's data, which its first launch writes. */
  private programData(image: LoadedExecutable): number {
    const { programData } = image;
    if (programData === null) return 0;
    const known = this.data.get(image);
    if (known !== undefined) return known;
    const base = this.allocate(programData.size);
    this.data.set(image, base);
    this.bytes(base, programData.size).fill(0);
    this.bytes(base, programData.bytes.length).set(programData.bytes);
    const view = new DataView(this.memory.buffer);
    for (const { offset, target } of programData.relocations) view.setUint32(base + offset, base + target, true);
    return base;
  }
}
