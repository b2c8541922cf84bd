// SPDX-License-Identifier: Apache-2.0
/**
 * Starts the commands of a dispatch in its stream, up to one that needs the host. Small copies go through pinned slots;
 * large ones of pinned arrays go at once; other large ones are copied by the thread when what is before them is done.
 */
import { type Result, err, ok } from "@muxkit/cargo";
import { copyBox, forEachRow } from "@muxkit/hal";
import type { MuxFailure } from "@muxkit/mux";

import type { GpuAccess } from "./access.ts";
import { boxCopies, bytesOfBox, tightBox } from "./box-copies.ts";
import type { Command, LaunchCommand, TransferCommand } from "./commands.ts";
import type { Dispatch, Lane } from "./dispatch.ts";
import type { CudaGpu, DriverError, GpuWork } from "./driver.ts";
import { failureOf } from "./failure.ts";
import { kernelFailure } from "./kernel.ts";
import type { LimitedLaunch, Place } from "./limited-launch.ts";
import { CudaMuxQueue } from "./objects.ts";
import { markTime } from "./queries.ts";
import type { RegisteredMemory } from "./registered.ts";
import { SLOT_BYTES, type Staging } from "./staging.ts";

/** What commands are started with. */
export interface Issuer {
  readonly gpu: CudaGpu;
  readonly access: GpuAccess;
  readonly staging: Staging;
  readonly registered: RegisteredMemory;
  /** The queue that functions of users get. */
  readonly queue: CudaMuxQueue;
  /** A stop word and events for a launch that something may end. */
  readonly place: () => Result<Place, DriverError>;
  /** Called when a function of a user's may be over. */
  readonly wake: () => void;
  /** What every failed call of the driver is shown to: it may have lost the GPU. */
  readonly refused: (dispatch: Dispatch, error: DriverError) => void;
}

/**
 * `next`: go on. `pause`: go on when what was started is done. `drain`: not before all before it is done. `ask`: a
 * function says when it is over.
 */
type Step = "next" | "pause" | "drain" | "ask";

type StepResult = Result<Step, MuxFailure>;

const NEXT: StepResult = ok("next");
const PAUSE: StepResult = ok("pause");
const DRAIN: StepResult = ok("drain");
const ASK: StepResult = ok("ask");

function startAll(issuer: Issuer, dispatch: Dispatch, lane: Lane, work: readonly GpuWork[]): Result<void, DriverError> {
  for (const one of work) {
    const started = issuer.gpu.start(lane.stream, one);
    if (!started.ok) {
      issuer.refused(dispatch, started.error);
      return started;
    }
    dispatch.hasWork = true;
  }
  return ok();
}

/** A launch that something may end: nothing behind it in the dispatch is started before it is over. */
function limitedLaunch(issuer: Issuer, dispatch: Dispatch, lane: Lane, command: LaunchCommand): StepResult {
  const { gpu } = issuer;
  const limited = dispatch.limited[dispatch.limitedAt++] as LimitedLaunch;
  if (limited.isPrevented) {
    const ended = limited.end();
    return ended.ok ? NEXT : ended;
  }
  const { name } = command.kernel;
  const failed = (error: DriverError): StepResult => {
    issuer.refused(dispatch, error);
    return err(kernelFailure(name, error));
  };
  const place = issuer.place();
  if (!place.ok) return failed(place.error);
  limited.begin(place.value);
  dispatch.running.push(limited);
  command.kernel.stopAt(command.launches, place.value.word);
  const commandId = dispatch.next;
  dispatch.tails.push(() => {
    const ended = limited.end();
    return ended.ok ? ended : err({ ...ended.error, commandId });
  });
  const begun = gpu.record(place.value.begun, lane.stream);
  if (!begun.ok) return failed(begun.error);
  const started = plainLaunch(issuer, dispatch, lane, command);
  if (!started.ok) return started;
  const ended = gpu.record(place.value.ended, lane.stream);
  return ended.ok ? PAUSE : failed(ended.error);
}

function launch(issuer: Issuer, dispatch: Dispatch, lane: Lane, command: LaunchCommand): StepResult {
  return command.limit === null
    ? plainLaunch(issuer, dispatch, lane, command)
    : limitedLaunch(issuer, dispatch, lane, command);
}

function plainLaunch(issuer: Issuer, dispatch: Dispatch, lane: Lane, { kernel, launches }: LaunchCommand): StepResult {
  const { printf, name } = kernel;
  if (printf !== null) {
    const area = printf.begin();
    if (!area.ok) {
      issuer.refused(dispatch, area.error);
      return err(kernelFailure(name, area.error));
    }
    kernel.printTo(launches, area.value);
    dispatch.hasEffects = true;
    dispatch.tails.push(() => {
      const printed = printf.end(area.value, name);
      return printed.ok ? printed : err(kernelFailure(name, printed.error));
    });
  }
  const started = startAll(issuer, dispatch, lane, launches);
  return started.ok ? NEXT : err(kernelFailure(name, started.error));
}

/** Copies a box by the thread, rows together as far as a slot takes them. */
function copyNow(issuer: Issuer, { kind, array, inArray, onGpu, size }: TransferCommand): Result<void, DriverError> {
  const { access } = issuer;
  let result: Result<void, DriverError> = ok();
  forEachRow(size, inArray, onGpu, (at, address, bytes) => {
    if (!result.ok) return;
    const part = array.subarray(at, at + bytes);
    result = kind === "read" ? access.read(address, part) : access.write(address, part);
  });
  return result;
}

/** Copies through a slot: what goes to the GPU now, what comes from it when the copy is done. */
function copyStaged(issuer: Issuer, dispatch: Dispatch, lane: Lane, command: TransferCommand): StepResult {
  const { kind, array, inArray, onGpu, size } = command;
  const slot = issuer.staging.take();
  if (!slot.ok) return err(failureOf("pinned memory for a copy", slot.error));
  const { bytes, address } = slot.value;
  const inSlot = tightBox(0, size);
  if (kind === "write") copyBox(array, inArray, bytes, inSlot, size);
  else dispatch.hasEffects = true;
  const pinned = tightBox(address, size);
  const copies = kind === "read" ? boxCopies(onGpu, pinned, size) : boxCopies(pinned, onGpu, size);
  dispatch.tails.push(() => {
    if (kind === "read") copyBox(bytes, inSlot, array, inArray, size);
    issuer.staging.release(slot.value);
    return ok();
  });
  const started = startAll(issuer, dispatch, lane, copies);
  return started.ok ? NEXT : err(failureOf("a copy", started.error));
}

function transfer(
  issuer: Issuer,
  dispatch: Dispatch,
  lane: Lane,
  command: TransferCommand,
  isDrained: boolean,
): StepResult {
  const { kind, array, inArray, onGpu, size } = command;
  const bytes = bytesOfBox(size);
  if (bytes === 0) return NEXT;
  // What is written now must not be what an earlier command reads later.
  if (kind === "write" && dispatch.hasEffects && !isDrained) return DRAIN;
  if (bytes <= SLOT_BYTES) return copyStaged(issuer, dispatch, lane, command);
  const { gpu } = issuer;
  const part = array.subarray(inArray.start, inArray.start + bytes);
  const isOneRow = size.rows === 1 && size.slices === 1;
  const isPinned = isOneRow && issuer.registered.isPinned(part);
  let done: Result<void, DriverError>;
  if (isPinned || (isOneRow && kind === "write")) {
    dispatch.hasWork = true;
    if (kind === "read") dispatch.hasEffects = true;
    done = kind === "read" ? gpu.read(lane.stream, onGpu.start, part) : gpu.write(lane.stream, onGpu.start, part);
  } else if (isDrained) done = copyNow(issuer, command);
  else return DRAIN;
  if (done.ok) return NEXT;
  issuer.refused(dispatch, done.error);
  return err(failureOf("a copy", done.error));
}

function step(issuer: Issuer, dispatch: Dispatch, lane: Lane, command: Command, isDrained: boolean): StepResult {
  switch (command.kind) {
    case "launch":
      return launch(issuer, dispatch, lane, command);
    case "group": {
      let end = NEXT;
      for (const one of command.launches) {
        const done = launch(issuer, dispatch, lane, one);
        if (!done.ok) return done;
        if (done.value === "pause") end = PAUSE;
      }
      return end;
    }
    case "work": {
      // An access to its memory would lose this GPU too.
      const loss = command.from?.lost ?? null;
      if (loss !== null) return err(loss);
      const started = startAll(issuer, dispatch, lane, command.work);
      return started.ok ? NEXT : err(failureOf("a command", started.error));
    }
    case "query": {
      const marked = markTime(issuer.gpu, lane.stream, command.slots, command.mark);
      dispatch.hasWork = true;
      if (marked.ok) return NEXT;
      issuer.refused(dispatch, marked.error);
      return err(failureOf("a query", marked.error));
    }
    case "call": {
      if (!isDrained) return DRAIN;
      const answer = command.call(issuer.queue, dispatch.parts.commandBuffer);
      if (typeof answer !== "function") return NEXT;
      dispatch.question = () => answer(issuer.wake);
      return ASK;
    }
    case "transfers": {
      // They have no order among each other, so what waits for the earlier ones may begin with them again.
      for (const one of command.transfers) {
        const done = transfer(issuer, dispatch, lane, one, isDrained);
        if (!done.ok || done.value !== "next") return done;
      }
      return NEXT;
    }
    default:
      return transfer(issuer, dispatch, lane, command, isDrained);
  }
}

/** Records the event behind what was started. */
function mark(issuer: Issuer, dispatch: Dispatch, lane: Lane): void {
  if (!dispatch.hasWork || dispatch.event === null) return;
  const recorded = issuer.gpu.record(dispatch.event, lane.stream);
  if (recorded.ok) return;
  issuer.refused(dispatch, recorded.error);
  dispatch.failure ??= failureOf("the end of the work", recorded.error);
}

/**
 * Starts what can be started. `isHost`: functions of the user's may be called, and all before the next command is done.
 */
export function issue(issuer: Issuer, dispatch: Dispatch, lane: Lane, isHost: boolean): void {
  const { commands, parts } = dispatch;
  while (dispatch.next < commands.length && dispatch.failure === null) {
    const graph = parts.graphs?.get(dispatch.next);
    if (graph !== undefined) {
      const started = issuer.gpu.startGraph(lane.stream, graph.graph);
      dispatch.hasWork = true;
      if (started.ok) {
        dispatch.next = graph.end;
        continue;
      }
      issuer.refused(dispatch, started.error);
      dispatch.failure = { ...(dispatch.failure ?? failureOf("a graph", started.error)), commandId: dispatch.next };
      break;
    }
    const isDrained = isHost && !dispatch.hasWork && dispatch.tails.length === 0;
    const done = step(issuer, dispatch, lane, commands[dispatch.next] as Command, isDrained);
    // Where the call has lost the GPU, the dispatch has the sentence that says so.
    if (!done.ok) dispatch.failure = { ...(dispatch.failure ?? done.error), commandId: dispatch.next };
    else if (done.value === "next") dispatch.next++;
    else {
      if (done.value === "pause") dispatch.next++;
      mark(issuer, dispatch, lane);
      dispatch.phase = done.value === "ask" ? "asking" : "draining";
      return;
    }
  }
  mark(issuer, dispatch, lane);
  dispatch.phase = "started";
}

/** Does on the host what follows the work that is done; the first failure counts. */
export function finishTails(dispatch: Dispatch): void {
  const { tails } = dispatch;
  dispatch.tails = [];
  dispatch.hasWork = false;
  dispatch.hasEffects = false;
  dispatch.running = [];
  for (const tail of tails) {
    const done = tail();
    if (!done.ok) dispatch.failure ??= done.error;
  }
}
