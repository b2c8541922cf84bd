// SPDX-License-Identifier: Apache-2.0
// A driver whose GPU is an array: it records launches, and each of its calls can be made to fail.
import { type Result, err, ok } from "@muxkit/cargo";
import { SIMT_LAUNCH_FIELDS } from "@muxkit/kernel-abi";
import { SimulatedMemory } from "@muxkit/hal";
import type { DriverError, GpuFacts, Grid, Handle, SerialDriver } from "@muxkit/cuda";

const BASE = 2 ** 40;

/** See the file's head. */
export class MemoryDriver implements SerialDriver {
  readonly gpus: readonly GpuFacts[] = [
    {
      name: "an array",
      capability: [9, 0],
      multiprocessors: 2,
      memory: 2 ** 30,
      clockRate: 1_000_000,
      sharedMemory: 49_152,
      cache: 0,
    },
  ];
  readonly bytes: Uint8Array;
  private readonly memory: SimulatedMemory;
  readonly launches: { readonly name: string; readonly grid: Grid; readonly parameter: Uint8Array }[] = [];
  /** Names of calls that fail. */
  readonly failing = new Set<string>();
  /** Called at each launch, in place of the kernel. */
  onLaunch: (name: string) => void = () => undefined;
  /** A GPU with so many bytes. */
  constructor(bytes: number = 2 ** 22) {
    this.memory = new SimulatedMemory(bytes, BASE);
    this.bytes = this.memory.bytes;
  }

  /** The kernel `fill` of image.ts: lets launches do what it does. */
  fills(): this {
    this.onLaunch = () => {
      const { grid, parameter } = this.launches.pop() as (typeof this.launches)[number];
      const view = new DataView(parameter.buffer);
      const out = new DataView(this.bytes.buffer, Number(view.getBigUint64(0, true)) - BASE);
      const [value, at] = [view.getInt32(8, true), 16];
      const field = (key: "firstGroup" | "enqueuedLocalSize"): number =>
        view.getUint32(at + SIMT_LAUNCH_FIELDS[key].offset, true);
      const offset = Number(view.getBigUint64(at + SIMT_LAUNCH_FIELDS.globalOffset.offset, true));
      const first = offset + field("firstGroup") * field("enqueuedLocalSize");
      const count = grid.groups[0] * grid.localSize[0];
      for (let id = first; id < first + count; id++) out.setInt32(id * 4, value + id, true);
    };
    return this;
  }

  private answer(name: string): Result<void, DriverError> {
    return this.failing.has(name) ? err({ code: 1, message: `${name} fails` }) : ok();
  }

  open(): Result<void, DriverError> {
    return this.answer("open");
  }

  allocate(bytes: number): Result<number, DriverError> {
    const answer = this.answer("allocate");
    if (!answer.ok) return answer;
    const address = this.memory.allocate(bytes, 256);
    return address === null ? err({ code: 2, message: "allocate: out of memory" }) : ok(address);
  }

  free(address: number): void {
    this.memory.free(address);
  }

  read(address: number, to: Uint8Array): Result<void, DriverError> {
    to.set(this.bytes.subarray(address - BASE, address - BASE + to.length));
    return this.answer("read");
  }

  write(address: number, from: Uint8Array): Result<void, DriverError> {
    this.bytes.set(from, address - BASE);
    return this.answer("write");
  }

  copy(from: number, to: number, bytes: number): Result<void, DriverError> {
    this.bytes.copyWithin(to - BASE, from - BASE, from - BASE + bytes);
    return this.answer("copy");
  }

  fill(address: number, unit: 1 | 2 | 4, value: number, count: number): Result<void, DriverError> {
    for (let i = 0; i < unit * count; i++) this.bytes[address - BASE + i] = (value >>> (8 * (i % unit))) & 255;
    return this.answer("fill");
  }

  load(): Result<Handle, DriverError> {
    const answer = this.answer("load");
    return answer.ok ? ok({}) : answer;
  }

  unload(): void {
    // There is nothing to unload.
  }

  entry(_: Handle, name: string): Result<Handle, DriverError> {
    const answer = this.answer("entry");
    return answer.ok ? ok({ name }) : answer;
  }

  launch(entry: Handle, grid: Grid, parameter: Uint8Array): Result<void, DriverError> {
    const { name } = entry as { readonly name: string };
    this.launches.push({ name, grid, parameter: parameter.slice() });
    this.onLaunch(name);
    return this.answer("launch");
  }

  synchronize(): Result<void, DriverError> {
    return this.answer("synchronize");
  }
}
