// SPDX-License-Identifier: Apache-2.0
// Commands of queues: what the library has checked is enqueued; what fails nonetheless is the event's failure.
import {
  Buffer as ClBuffer,
  CommandQueue,
  Event,
  type HostOutcome,
  Image,
  type ImagePosition,
  Kernel,
  MemoryObject,
  type OpenCLError,
  clEnqueueBarrierWithWaitList,
  clEnqueueCopyBuffer,
  clEnqueueCopyBufferRect,
  clEnqueueCopyBufferToImage,
  clEnqueueCopyImage,
  clEnqueueCopyImageToBuffer,
  clEnqueueFillBuffer,
  clEnqueueFillImage,
  clEnqueueMarkerWithWaitList,
  clEnqueueMigrateMemObjects,
  clEnqueueNDRangeKernel,
  clEnqueueNativeKernel,
  clEnqueueReadBufferRect,
  clEnqueueReadImage,
  clEnqueueWriteBuffer,
  clEnqueueWriteBufferRect,
  clEnqueueWriteImage,
  clWaitForEvents,
  enqueueHostWork,
} from "@muxkit/opencl";

import { timesOf } from "./completions.ts";
import type { Handler, Request } from "./handler.ts";
import { type Session, errorOf } from "./session.ts";
import { STAGE_BYTES } from "./transport.ts";
import { ProtocolError, THREADED, type WireReader } from "./wire.ts";

/** What a command's own fields become. */
interface Given {
  readonly session: Session;
  readonly reader: WireReader;
  readonly queue: CommandQueue;
  readonly waits: readonly Event[];
}

type Enqueue = (given: Given) => Event;

/** Nobody else may have to wait because this thread does. */
export function mayBlock(session: Session, request: Request): boolean {
  return (request.flags & THREADED) === 0 && session.openUserEvents === 0;
}

function replyWith(session: Session, request: Request, event: Event, isNamed: boolean): void {
  if (event.error === null) session.reply(request.number, isNamed ? timesOf([event]) : null);
  else session.fail(request.number, event.error);
}

/** Answers when a command is complete; `isNamed`: the library has an event for it. */
function replyWhenDone(session: Session, request: Request, event: Event, isNamed: boolean): void {
  if (!mayBlock(session, request)) {
    event.done.then(
      () => {
        replyWith(session, request, event, isNamed);
      },
      (error: unknown) => {
        session.fail(request.number, error);
      },
    );
    return;
  }
  try {
    clWaitForEvents([event]);
  } catch (error) {
    if (event.error === null) throw error;
  }
  replyWith(session, request, event, isNamed);
}

/** A command: queue, event, whether it blocks, wait list, and what it has of its own. */
function command(enqueue: Enqueue): Handler {
  return (session, reader, request) => {
    const queue = session.get(reader.u32(), CommandQueue);
    const number = reader.u32();
    const isBlocking = reader.u32() !== 0;
    const waits = reader.list().map((event) => session.get(event, Event));
    let event: Event;
    try {
      event = enqueue({ session, reader, queue, waits });
    } catch (error) {
      const { code } = errorOf(error);
      const failed = number === 0 ? null : session.failedEvent(queue.context, code);
      session.completions.count(queue, failed, number);
      if (failed !== null) session.put(number, failed);
      session.fail(isBlocking ? request.number : 0, error);
      return;
    }
    session.completions.count(queue, number === 0 ? null : event, number);
    if (number !== 0) session.put(number, event);
    if (isBlocking) replyWhenDone(session, request, event, number !== 0);
  };
}

/** Enqueues; a transfer whose command cannot even be enqueued is cancelled. */
function orCancel(session: Session, transfer: number, enqueue: () => Event): Event {
  try {
    return enqueue();
  } catch (error) {
    session.cancelTransfer(transfer, errorOf(error).code);
    throw error;
  }
}

/** Enqueues what begins a transfer, which is cancelled when the command fails; `isRead`: the object stays as it is. */
function withTransfer(
  { session, queue, waits }: Given,
  transfer: number,
  object: MemoryObject | null,
  isRead: boolean,
  begin: () => HostOutcome,
): Event {
  const failed = ({ code }: OpenCLError): void => {
    session.cancelTransfer(transfer, code);
  };
  const objects = object === null ? [] : [object];
  return orCancel(session, transfer, () => enqueueHostWork(queue, { begin, failed, isRead }, objects, waits));
}

const VIEW_CALL = "clEnqueueNativeKernel";

/** Lets bytes of an object be read, for as long as nobody else has a turn. */
function withBytesRead(object: MemoryObject, first: number, size: number, read: (bytes: Uint8Array) => void): void {
  const bytes = object.view(VIEW_CALL, first, size);
  object.synchronize(VIEW_CALL, "from_device", first, size);
  read(bytes);
}

/** The same for bytes that are written, all of them. */
function withBytesWritten(object: MemoryObject, first: number, size: number, write: (bytes: Uint8Array) => void): void {
  write(object.view(VIEW_CALL, first, size));
  object.synchronize(VIEW_CALL, "to_device", first, size);
}

/** Who moves the bytes of a command: native/moves.c. */
const Move = { byLibrary: 0, toStage: 1, fromStage: 2 } as const;

/** Copies bytes of an object to the stage, or from there. */
function movedOverStage(given: Given, object: MemoryObject, transfer: number, way: number): Event {
  const { session, reader } = given;
  const [place, first, size] = [reader.u32(), reader.u64(), reader.u64()];
  if (first + size > object.size || place + size > STAGE_BYTES)
    throw new ProtocolError(`${size} bytes at ${first} of an object, and at ${place} of the stage, are not there`);
  const isRead = way !== Move.fromStage;
  return withTransfer(given, transfer, object, isRead, () => {
    if (isRead)
      withBytesRead(object, first, size, (bytes) => {
        session.putOnStage(transfer, place, bytes);
      });
    else
      withBytesWritten(object, first, size, (bytes) => {
        session.takeFromStage(transfer, place, bytes);
      });
  });
}

/** Lets the library move bytes of an object, or, without a transfer, tells when it may do so. */
function moved(given: Given): Event {
  const { session, reader, queue, waits } = given;
  const object = session.get(reader.u32(), MemoryObject);
  const transfer = reader.u32();
  if (transfer === 0) return clEnqueueNativeKernel(queue, () => undefined, [], waits);
  const way = reader.u32();
  if (way !== Move.byLibrary) return movedOverStage(given, object, transfer, way);
  return withTransfer(given, transfer, object, false, () => session.letMove(transfer));
}

/** Reads a range of a buffer into a transfer, straight from device memory. */
function readRange(given: Given, buffer: ClBuffer, offset: number, size: number, transfer: number): Event {
  return withTransfer(given, transfer, buffer, true, () => {
    withBytesRead(buffer, offset, size, (bytes) => {
      given.session.give(transfer, bytes);
    });
  });
}

/** Where the bytes of a write are: in the frame, or in a transfer. */
interface Source {
  readonly bytes: Uint8Array | null;
  readonly transfer: number;
}

function readSource(reader: WireReader): Source {
  return reader.u32() === 1 ? { bytes: reader.bytes().slice(), transfer: 0 } : { bytes: null, transfer: reader.u32() };
}

/** The bytes themselves; a transfer is done at once. */
export function takeSource(session: Session, reader: WireReader, size: number): Uint8Array {
  const { bytes, transfer } = readSource(reader);
  if (bytes !== null) return bytes;
  const target = new Uint8Array(size);
  session.receive(transfer, target);
  return target;
}

/** Writes a range of a buffer, from the frame or straight from a transfer. */
function writeRange(given: Given, buffer: ClBuffer, offset: number, size: number): Event {
  const { session, reader, queue, waits } = given;
  const { bytes, transfer } = readSource(reader);
  if (bytes !== null) return clEnqueueWriteBuffer(queue, buffer, false, offset, size, bytes, waits);
  return withTransfer(given, transfer, buffer, false, () => {
    withBytesWritten(buffer, offset, size, (target) => {
      session.receive(transfer, target);
    });
  });
}

/** Passes an array to a transfer when the command that fills it is complete. */
function giveBehind(given: Given, transfer: number, array: Uint8Array, filled: () => Event): Event {
  const { session } = given;
  const event = orCancel(session, transfer, filled);
  return withTransfer({ ...given, waits: [event] }, transfer, null, true, () => {
    session.give(transfer, array);
  });
}

function boxBytes(image: Image, [width, height, depth]: ImagePosition): number {
  return width * height * depth * image.layout.pixelBytes;
}

function readBox(given: Given, image: Image, origin: ImagePosition, region: ImagePosition, transfer: number): Event {
  const array = new Uint8Array(boxBytes(image, region));
  return giveBehind(given, transfer, array, () =>
    clEnqueueReadImage(given.queue, image, false, origin, region, 0, 0, array, given.waits),
  );
}

function writeBox(
  { session, reader, queue, waits }: Given,
  image: Image,
  origin: ImagePosition,
  region: ImagePosition,
): Event {
  return clEnqueueWriteImage(
    queue,
    image,
    false,
    origin,
    region,
    0,
    0,
    takeSource(session, reader, boxBytes(image, region)),
    waits,
  );
}

const BOX_START = [0, 0, 0] as const;

/** A map: a read, unless nothing of the region is wanted. */
function mapped(given: Given): Event {
  const { session, reader, queue, waits } = given;
  const object = session.get(reader.u32(), MemoryObject);
  reader.u32();
  const origin = reader.three();
  const region = reader.three();
  const transfer = reader.u32();
  if (transfer === 0) return clEnqueueMarkerWithWaitList(queue, waits);
  return object instanceof Image
    ? readBox(given, object, origin, region, transfer)
    : readRange(given, object as ClBuffer, origin[0], region[0], transfer);
}

/** The end of a map: a write, when something was written. */
function unmapped(given: Given): Event {
  const { session, reader, queue, waits } = given;
  const object = session.get(reader.u32(), MemoryObject);
  const writes = reader.u32() !== 0;
  const origin = reader.three();
  const region = reader.three();
  if (!writes) return clEnqueueMarkerWithWaitList(queue, waits);
  return object instanceof Image
    ? writeBox(given, object, origin, region)
    : writeRange(given, object as ClBuffer, origin[0], region[0]);
}

function launch({ session, reader, queue, waits }: Given): Event {
  const kernel = session.get(reader.u32(), Kernel);
  const dimensions = reader.u32();
  const flags = reader.u32();
  const global: number[] = [];
  const offset: number[] = [];
  const local: number[] = [];
  for (let axis = 0; axis < Math.min(dimensions, 3); axis++) {
    global.push(reader.u32());
    offset.push(reader.u32());
    local.push(reader.u32());
  }
  return clEnqueueNDRangeKernel(
    queue,
    kernel,
    dimensions,
    (flags & 1) === 0 ? null : offset,
    global,
    (flags & 2) === 0 ? null : local,
    waits,
  );
}

/** Handlers of commands, by call. */
export const COMMANDS: Readonly<Record<string, Handler>> = {
  move: command(moved),
  clEnqueueReadBuffer: command((given) =>
    readRange(
      given,
      given.session.get(given.reader.u32(), ClBuffer),
      given.reader.u64(),
      given.reader.u64(),
      given.reader.u32(),
    ),
  ),
  clEnqueueWriteBuffer: command((given) =>
    writeRange(given, given.session.get(given.reader.u32(), ClBuffer), given.reader.u64(), given.reader.u64()),
  ),
  clEnqueueReadBufferRect: command((given) => {
    const { session, reader, queue, waits } = given;
    const buffer = session.get(reader.u32(), ClBuffer);
    const [origin, region, row, slice, transfer] = [
      reader.three(),
      reader.three(),
      reader.u64(),
      reader.u64(),
      reader.u32(),
    ];
    const array = new Uint8Array(region[0] * region[1] * region[2]);
    return giveBehind(given, transfer, array, () =>
      clEnqueueReadBufferRect(queue, buffer, false, origin, BOX_START, region, row, slice, 0, 0, array, waits),
    );
  }),
  clEnqueueWriteBufferRect: command(({ session, reader, queue, waits }) => {
    const buffer = session.get(reader.u32(), ClBuffer);
    const [origin, region, row, slice] = [reader.three(), reader.three(), reader.u64(), reader.u64()];
    return clEnqueueWriteBufferRect(
      queue,
      buffer,
      false,
      origin,
      BOX_START,
      region,
      row,
      slice,
      0,
      0,
      takeSource(session, reader, region[0] * region[1] * region[2]),
      waits,
    );
  }),
  clEnqueueCopyBuffer: command(({ session, reader, queue, waits }) =>
    clEnqueueCopyBuffer(
      queue,
      session.get(reader.u32(), ClBuffer),
      session.get(reader.u32(), ClBuffer),
      reader.u64(),
      reader.u64(),
      reader.u64(),
      waits,
    ),
  ),
  clEnqueueCopyBufferRect: command(({ session, reader, queue, waits }) =>
    clEnqueueCopyBufferRect(
      queue,
      session.get(reader.u32(), ClBuffer),
      session.get(reader.u32(), ClBuffer),
      reader.three(),
      reader.three(),
      reader.three(),
      reader.u64(),
      reader.u64(),
      reader.u64(),
      reader.u64(),
      waits,
    ),
  ),
  clEnqueueFillBuffer: command(({ session, reader, queue, waits }) =>
    clEnqueueFillBuffer(queue, session.get(reader.u32(), ClBuffer), reader.bytes(), reader.u64(), reader.u64(), waits),
  ),
  clEnqueueMapBuffer: command(mapped),
  clEnqueueMapImage: command(mapped),
  clEnqueueUnmapMemObject: command(unmapped),
  clEnqueueReadImage: command((given) =>
    readBox(
      given,
      given.session.get(given.reader.u32(), Image),
      given.reader.three(),
      given.reader.three(),
      given.reader.u32(),
    ),
  ),
  clEnqueueWriteImage: command((given) =>
    writeBox(given, given.session.get(given.reader.u32(), Image), given.reader.three(), given.reader.three()),
  ),
  clEnqueueFillImage: command(({ session, reader, queue, waits }) => {
    const image = session.get(reader.u32(), Image);
    const [origin, region] = [reader.three(), reader.three()];
    return clEnqueueFillImage(queue, image, reader.bytes(), origin, region, waits);
  }),
  clEnqueueCopyImage: command(({ session, reader, queue, waits }) =>
    clEnqueueCopyImage(
      queue,
      session.get(reader.u32(), Image),
      session.get(reader.u32(), Image),
      reader.three(),
      reader.three(),
      reader.three(),
      waits,
    ),
  ),
  clEnqueueCopyImageToBuffer: command(({ session, reader, queue, waits }) => {
    const image = session.get(reader.u32(), Image);
    const [origin, region] = [reader.three(), reader.three()];
    return clEnqueueCopyImageToBuffer(
      queue,
      image,
      session.get(reader.u32(), ClBuffer),
      origin,
      region,
      reader.u64(),
      waits,
    );
  }),
  clEnqueueCopyBufferToImage: command(({ session, reader, queue, waits }) => {
    const image = session.get(reader.u32(), Image);
    const [origin, region] = [reader.three(), reader.three()];
    return clEnqueueCopyBufferToImage(
      queue,
      session.get(reader.u32(), ClBuffer),
      image,
      reader.u64(),
      origin,
      region,
      waits,
    );
  }),
  clEnqueueMigrateMemObjects: command(({ session, reader, queue, waits }) => {
    const flags = reader.u32();
    return clEnqueueMigrateMemObjects(
      queue,
      reader.list().map((number) => session.get(number, MemoryObject)),
      flags,
      waits,
    );
  }),
  clEnqueueMarkerWithWaitList: command(({ queue, waits }) => clEnqueueMarkerWithWaitList(queue, waits)),
  clEnqueueBarrierWithWaitList: command(({ queue, waits }) => clEnqueueBarrierWithWaitList(queue, waits)),
  clEnqueueNDRangeKernel: command(launch),
};
