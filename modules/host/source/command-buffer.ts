// SPDX-License-Identifier: Apache-2.0
// A list of commands that is finalized once and dispatched any number of times, one run at a time.
import { err, ok, type Result } from "@muxkit/cargo";
import type { Box, BoxSize } from "@muxkit/hal";

import { Batch } from "./batch.ts";
import type { Command, CommandBody, HostOutcome } from "./command.ts";
import type { DeviceCore } from "./device-core.ts";
import { type HostError, hostError } from "./host-error.ts";
import type { Launch } from "./launch.ts";
import { argumentValues, type HostArgument, type LaunchRequest, prepareLaunch } from "./launch-request.ts";
import { packArguments } from "./loaded-executable.ts";
import { DispatchRecord } from "./dispatch-record.ts";
import { LOWERINGS } from "./lowering.ts";
import type { PreparedLaunch } from "./prepared-launch.ts";
import { type BufferRange, type HostKernel, type HostQueryPool, isRange } from "./objects.ts";

/** Commands to wait for, by the numbers that recording them returned. Left out: all earlier ones. @public */
export type WaitList = readonly number[] | null;

interface RecordedLaunch {
  readonly kernel: HostKernel;
  readonly list: readonly HostArgument[];
}

const MAX_PATTERN = 128;

/** A command buffer. States: recording, then finalized, then recording again after a reset. @public */
export class HostCommandBuffer {
  readonly #core: DeviceCore;
  #commands: Command[] = [];
  /** By command; null where the command is no launch. */
  #launches: (RecordedLaunch | null)[] = [];
  /** Prepared launches among the commands. */
  readonly #prepared = new Set<PreparedLaunch>();
  #batch: Batch | null = null;
  /** What the commands before the last reset were lowered to; null: nothing that is worth keeping. */
  #kept: Batch | null = null;
  /** What its dispatch was called with. @internal */
  readonly record: DispatchRecord = new DispatchRecord();
  /** The object above it that callbacks receive. */
  tag: object | null = null;

  /** Made by `HostDevice.createCommandBuffer`. */
  constructor(core: DeviceCore) {
    this.#core = core;
  }

  /** `recording` or `finalized`. */
  get state(): "recording" | "finalized" {
    return this.#batch === null ? "recording" : "finalized";
  }

  /** True between dispatch and completion. */
  get inFlight(): boolean {
    return this.#batch?.inFlight ?? false;
  }

  /** Its command nodes; null while recording. */
  get batch(): Batch | null {
    return this.#batch;
  }

  /** Number of commands. */
  get length(): number {
    return this.#commands.length;
  }

  /** Records a launch and returns its number, for wait lists and updates. */
  launch(request: LaunchRequest, waits: WaitList = null): Result<number, HostError> {
    const launch = prepareLaunch(request);
    if (!launch.ok) return launch;
    return this.#record({ kind: "ndrange", launch: launch.value, prepared: null }, waits, {
      kernel: request.kernel,
      list: [...request.arguments],
    });
  }

  /** Records prepared launches one after the other and returns the number of the last one. */
  launches(list: readonly PreparedLaunch[], waits: WaitList = null): Result<number, HostError> {
    if (this.#batch !== null) return err(isFinalized());
    let kept: PreparedLaunch | null = null;
    for (let i = 0; i < list.length; i++) {
      const prepared = list[i] as PreparedLaunch;
      if (prepared !== kept) this.#keep(prepared);
      kept = prepared;
    }
    if (waits !== null && waits.length > 0) {
      let last: Result<number, HostError> = ok(-1);
      for (const prepared of list) {
        last = this.#record(
          prepared.command.body,
          last.ok && last.value >= 0 ? [last.value] : waits,
          prepared.recorded,
        );
        if (!last.ok) break;
      }
      return last;
    }
    for (let i = 0; i < list.length; i++) {
      const prepared = list[i] as PreparedLaunch;
      this.#commands.push(prepared.command);
      this.#launches.push(prepared.recorded);
    }
    return ok(this.#commands.length - 1);
  }

  /** Records prepared launches in no order among each other: one command, which is complete when all of them are. */
  parallel(list: readonly PreparedLaunch[], waits: WaitList = null): Result<number, HostError> {
    if (this.#batch !== null) return err(isFinalized());
    for (const prepared of list) this.#keep(prepared);
    return this.#record({ kind: "parallel", launches: [...list] }, waits);
  }

  /** Records a command that does nothing, which others can wait for. */
  barrier(waits: WaitList = null): Result<number, HostError> {
    return this.#record({ kind: "barrier" }, waits);
  }

  #keep(prepared: PreparedLaunch): void {
    if (this.#prepared.has(prepared)) return;
    this.#prepared.add(prepared);
    prepared.use();
  }

  /** Records a copy between buffers. */
  copy(
    source: BufferRange,
    sourceOffset: number,
    target: BufferRange,
    targetOffset: number,
    size: number,
    waits: WaitList = null,
  ): Result<number, HostError> {
    const fault = rangeFault(source, sourceOffset, size) ?? rangeFault(target, targetOffset, size);
    if (fault !== null) return err(fault);
    return this.#record(
      { kind: "copy", source: source.address + sourceOffset, target: target.address + targetOffset, size },
      waits,
    );
  }

  /** Records a copy of a box between buffers. */
  copyBox(
    source: BufferRange,
    from: Box,
    target: BufferRange,
    to: Box,
    size: BoxSize,
    waits: WaitList = null,
  ): Result<number, HostError> {
    const fault = boxFault(source, from, size) ?? boxFault(target, to, size);
    if (fault !== null) return err(fault);
    return this.#record(
      { kind: "rectangle", source: moved(from, source.address), target: moved(to, target.address), ...size },
      waits,
    );
  }

  /** Records a fill with a pattern of 1 to 128 bytes. */
  fill(
    target: BufferRange,
    offset: number,
    size: number,
    pattern: Uint8Array,
    waits: WaitList = null,
  ): Result<number, HostError> {
    const fault = rangeFault(target, offset, size);
    if (fault !== null) return err(fault);
    if (pattern.length < 1 || pattern.length > MAX_PATTERN)
      return err(hostError("invalid_value", `a pattern has 1 to ${MAX_PATTERN} bytes, not ${pattern.length}`));
    return this.#record({ kind: "fill", target: target.address + offset, size, pattern: pattern.slice() }, waits);
  }

  /** Records a read into the caller's array, which is written when the command runs. */
  read(source: BufferRange, offset: number, array: ArrayBufferView, waits: WaitList = null): Result<number, HostError> {
    return this.#transfer("read", source, offset, array, waits);
  }

  /** Records a write of the caller's array, which is read when the command runs, at the earliest at dispatch. */
  write(
    target: BufferRange,
    offset: number,
    array: ArrayBufferView,
    waits: WaitList = null,
  ): Result<number, HostError> {
    return this.#transfer("write", target, offset, array, waits);
  }

  /** Records a read of a box. */
  readBox(
    source: BufferRange,
    from: Box,
    array: ArrayBufferView,
    to: Box,
    size: BoxSize,
    waits: WaitList = null,
  ): Result<number, HostError> {
    return this.#boxTransfer("read-box", source, from, array, to, size, waits);
  }

  /** Records a write of a box. */
  writeBox(
    target: BufferRange,
    to: Box,
    array: ArrayBufferView,
    from: Box,
    size: BoxSize,
    waits: WaitList = null,
  ): Result<number, HostError> {
    return this.#boxTransfer("write-box", target, to, array, from, size, waits);
  }

  /**
   * Records a function that the host thread calls with the command buffer that runs. What it throws fails the command.
   * Where it returns a function, the command is complete when that has returned true: it is asked now and
   * then, and soon after it has called the function that it is given.
   */
  callback(run: (commandBuffer: HostCommandBuffer) => HostOutcome, waits: WaitList = null): Result<number, HostError> {
    return this.#record(
      {
        kind: "host",
        run: (owner) => (owner instanceof HostCommandBuffer ? run(owner) : undefined),
      },
      waits,
    );
  }

  /** Records the begin, end or reset of queries. */
  query(
    what: "begin" | "end" | "reset",
    pool: HostQueryPool,
    index: number,
    count: number,
    waits: WaitList = null,
  ): Result<number, HostError> {
    if (pool.first === 0) return err(hostError("invalid_value", "the query pool was destroyed"));
    if (!isRange(index, count, pool.count))
      return err(
        hostError("invalid_value", `queries ${index} to ${index + count} are not all among the pool's ${pool.count}`),
      );
    return this.#record({ kind: "query", what, first: pool.first + index, count }, waits);
  }

  /** Lowers the commands to command nodes; none can be added after it. Error: no room, with the figures. */
  finalize(): Result<void, HostError> {
    if (this.#batch !== null) return err(hostError("invalid_value", "the command buffer is finalized already"));
    const kept = this.#kept;
    this.#kept = null;
    if (kept !== null) {
      if (kept.reuse(this.#commands)) {
        this.#batch = kept;
        return ok(undefined);
      }
      kept.free();
    }
    const batch = Batch.lower(this.#core, this.#commands, LOWERINGS, this);
    if (!batch.ok) return err(hostError("out_of_memory", batch.error));
    this.#batch = batch.value;
    return ok(undefined);
  }

  /**
   * Changes arguments of a launch of a finalized command buffer: pairs of index and value, of the kinds and sizes that
   * they had.
   */
  updateArguments(command: number, changes: readonly (readonly [number, HostArgument])[]): Result<void, HostError> {
    const batch = this.#batch;
    if (batch === null || batch.inFlight)
      return err(
        hostError("invalid_value", "arguments can be changed in a finalized command buffer that is not in flight"),
      );
    const recorded = this.#launches[command];
    const body = this.#commands[command]?.body;
    if (recorded === undefined || recorded === null || body?.kind !== "ndrange")
      return err(hostError("invalid_value", `command ${command} is no launch`));
    const list = [...recorded.list];
    for (const [index, value] of changes) {
      const old = list[index];
      if (old === undefined)
        return err(hostError("invalid_value", `kernel "${recorded.kernel.metadata.name}" has no argument ${index}`));
      // Another size of local memory would move what follows it in the launch's arena.
      if (value.kind === "local" && old.kind === "local" && value.size !== old.size)
        return err(hostError("invalid_value", `argument ${index}: the size of local memory cannot be changed`));
      list[index] = value;
    }
    const values = argumentValues(list, this.#core.settings.parts);
    if (!values.ok) return values;
    const packed = packArguments(recorded.kernel.loaded, body.launch.kernel.variant, values.value);
    if (!packed.ok) return err(hostError("invalid_value", packed.error));
    this.#launches[command] = { kernel: recorded.kernel, list };
    if (body.prepared !== null) return this.#separate(command, body.launch, packed.value.bytes);
    body.launch.args.set(packed.value.bytes);
    this.#core.memory.views.bytes.set(packed.value.bytes, batch.argumentsAddress(body.launch));
    return ok(undefined);
  }

  /**
   * Lowers the commands again where what is known of their costs by now makes other nodes better. For dispatches. Where
   * there is no room, it goes on with what it has.
   */
  refresh(): void {
    const old = this.#batch;
    if (old === null || old.inFlight || !old.isOutdated()) return;
    const batch = Batch.lower(this.#core, this.#commands, LOWERINGS, this);
    if (!batch.ok) return;
    old.free();
    this.#batch = batch.value;
  }

  /** Replaces a prepared launch, which others use too, by one that only this command buffer has. */
  #separate(command: number, launch: Launch, args: Uint8Array): Result<void, HostError> {
    const { waits } = this.#commands[command] as Command;
    this.#commands[command] = { body: { kind: "ndrange", launch: { ...launch, args }, prepared: null }, waits };
    const batch = Batch.lower(this.#core, this.#commands, LOWERINGS, this);
    if (!batch.ok) return err(hostError("out_of_memory", batch.error));
    this.#batch?.free();
    this.#batch = batch.value;
    return ok(undefined);
  }

  /** A finalized copy with arguments of its own. */
  clone(): Result<HostCommandBuffer, HostError> {
    if (this.#batch === null) return err(hostError("invalid_value", "only a finalized command buffer can be cloned"));
    const copy = new HostCommandBuffer(this.#core);
    copy.#commands = this.#commands.map(({ body, waits }) => ({
      waits,
      body:
        body.kind === "ndrange" && body.prepared === null
          ? { kind: "ndrange", launch: ownArguments(body.launch), prepared: null }
          : body,
    }));
    copy.#launches = [...this.#launches];
    for (const prepared of this.#prepared) copy.#keep(prepared);
    const finalized = copy.finalize();
    if (finalized.ok) return ok(copy);
    void copy.reset();
    return finalized;
  }

  /** Back to recording, empty. Error: in flight. */
  reset(): Result<void, HostError> {
    if (this.inFlight) return err(hostError("invalid_value", "the command buffer is in flight: wait for it first"));
    const batch = this.#batch;
    if (batch !== null) {
      if (batch.keepForReuse()) this.#kept = batch;
      else batch.free();
    }
    this.#batch = null;
    for (const prepared of this.#prepared) prepared.unuse();
    this.#prepared.clear();
    // The batch may keep the list to compare it with a later one.
    this.#commands = [];
    this.#launches.length = 0;
    return ok(undefined);
  }

  #transfer(
    kind: "read" | "write",
    buffer: BufferRange,
    offset: number,
    array: ArrayBufferView,
    waits: WaitList,
  ): Result<number, HostError> {
    const size = array.byteLength;
    const fault = rangeFault(buffer, offset, size);
    if (fault !== null) return err(fault);
    return this.#record({ kind, address: buffer.address + offset, array: bytesOf(array), size }, waits);
  }

  #boxTransfer(
    kind: "read-box" | "write-box",
    buffer: BufferRange,
    device: Box,
    array: ArrayBufferView,
    host: Box,
    size: BoxSize,
    waits: WaitList,
  ): Result<number, HostError> {
    const fault = boxFault(buffer, device, size) ?? boxFault({ size: array.byteLength, destroyed: false }, host, size);
    if (fault !== null) return err(fault);
    return this.#record({ kind, device: moved(device, buffer.address), host, array: bytesOf(array), ...size }, waits);
  }

  #record(body: CommandBody, waits: WaitList, launch: RecordedLaunch | null = null): Result<number, HostError> {
    if (this.#batch !== null) return err(isFinalized());
    const number = this.#commands.length;
    for (const wait of waits ?? [])
      if (!isRange(wait, 1, number))
        return err(
          hostError("invalid_value", `a command cannot wait for command ${wait}: ${number} were recorded before it`),
        );
    // An empty wait list means the same as none, as it does in every API above.
    this.#commands.push({ body, waits: waits === null || waits.length === 0 ? null : [...new Set(waits)] });
    this.#launches.push(launch);
    return ok(number);
  }
}

function isFinalized(): HostError {
  return hostError("invalid_value", "the command buffer is finalized: reset it before recording again");
}

function ownArguments(launch: Launch): Launch {
  return { ...launch, args: launch.args.slice() };
}

function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function moved(box: Box, address: number): Box {
  return { ...box, start: box.start + address };
}

type Sized = Pick<BufferRange, "size" | "destroyed">;

function rangeFault(buffer: Sized, offset: number, size: number): HostError | null {
  if (buffer.destroyed) return hostError("invalid_value", "the buffer was destroyed");
  if (size > 0 && isRange(offset, size, buffer.size)) return null;
  return hostError(
    "invalid_value",
    `${size} bytes from byte ${offset} on are not within a buffer of ${buffer.size} bytes, or are none`,
  );
}

function boxFault(buffer: Sized, box: Box, size: BoxSize): HostError | null {
  if (buffer.destroyed) return hostError("invalid_value", "the buffer was destroyed");
  const numbers = [box.start, box.rowPitch, box.slicePitch, size.row, size.rows, size.slices];
  const end = box.start + size.row + (size.rows - 1) * box.rowPitch + (size.slices - 1) * box.slicePitch;
  if (
    numbers.every((value) => Number.isInteger(value) && value >= 0) &&
    Math.min(size.row, size.rows, size.slices) > 0 &&
    end <= buffer.size
  )
    return null;
  return hostError(
    "invalid_value",
    `a box of ${size.row} x ${size.rows} x ${size.slices} bytes at ${box.start} is not within ${buffer.size} ` +
      "bytes, or is empty",
  );
}
