// SPDX-License-Identifier: Apache-2.0
// Frames as a library sends them, changed at random: a session replies to them or refuses to continue, and nothing
// else.
import { internals } from "@muxkit/icd";
import {
  type Buffer as ClBuffer,
  CL_MEM_READ_WRITE,
  type CommandQueue,
  Context,
  type Device,
  type Image,
  type Kernel,
  MemoryObject,
  type Program,
  type Sampler,
  UserEvent,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateImage,
  clCreateKernel,
  clCreateProgramWithSource,
  clCreateSampler,
  clFinishAsync,
  clReleaseContext,
  clReleaseMemObject,
  clSetUserEventStatus,
} from "muxkit/opencl";

const { Operation, ProtocolError, QUERIES, Session, WireWriter, handle } = internals;

/** Numbers of the objects that every session has. */
const [DEVICE, CONTEXT, QUEUE, BUFFER, IMAGE, , PROGRAM, KERNEL] = [2, 3, 4, 5, 6, 7, 8, 9] as const;
const FIRST_FREE = 20;
const SOURCE = `kernel void k(global int *data, int value, local int *scratch) {
    scratch[0] = value;
    data[get_global_id(0) & 15] += scratch[0];
  }`;

/** Objects that sessions share, so that each is made at once. */
export interface Shared {
  readonly device: Device;
  readonly context: Context;
  readonly queue: CommandQueue;
  readonly buffer: ClBuffer;
  readonly image: Image;
  readonly sampler: Sampler;
  readonly program: Program;
  readonly kernel: Kernel;
}

/** Makes the objects. */
export function makeShared(device: Device): Shared {
  const context = clCreateContext([device], () => {});
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  return {
    device,
    context,
    program,
    queue: clCreateCommandQueue(context, device, 0),
    buffer: clCreateBuffer(context, CL_MEM_READ_WRITE, 4096),
    kernel: clCreateKernel(program, "k"),
    image: clCreateImage(
      context,
      CL_MEM_READ_WRITE,
      { channelOrder: "CL_RGBA", channelType: "CL_UNSIGNED_INT8" },
      { type: "CL_MEM_OBJECT_IMAGE2D", width: 8, height: 4 },
    ),
    sampler: clCreateSampler(context, false, "CL_ADDRESS_CLAMP", "CL_FILTER_NEAREST"),
  };
}

/** Numbers from 0 to 2^32, the same for the same seed (xorshift). */
export function numbers(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

type Writer = InstanceType<typeof WireWriter>;
type Body = (writer: Writer, fresh: number) => Writer;

const head = (writer: Writer, fresh: number): Writer => writer.u32(QUEUE).u32(fresh).u32(0).u32(0);
const zeros = (writer: Writer): Writer => writer.u64(0).u64(0).u64(0);
const box = (writer: Writer): Writer => zeros(writer).u64(2).u64(2).u64(1);

/** A valid body for operations of each encoding; queries are made of the schema's tokens. */
const BODIES: Readonly<Record<string, Body>> = {
  release: (writer) => writer.u32(BUFFER),
  move: (writer, fresh) => head(writer, fresh).u32(BUFFER).u32(1).u32(1).u32(0).u64(0).u64(64),
  clCreateContext: (writer, fresh) => writer.u32(fresh).u32(0).u32(1).u32(DEVICE),
  clCreateCommandQueueWithProperties: (writer, fresh) =>
    writer.u32(fresh).u32(CONTEXT).u32(DEVICE).u32(2).u64(0x1093).u64(2),
  clCreateBuffer: (writer, fresh) =>
    writer.u32(fresh).u32(CONTEXT).u32(7).u32(1).u64(256).u32(1).bytes(new Uint8Array(256)),
  clCreateSubBuffer: (writer, fresh) => writer.u32(fresh).u32(BUFFER).u32(1).u64(0).u64(128).u32(2),
  clCreateImage: (writer, fresh) =>
    zeros(writer.u32(fresh).u32(CONTEXT).u32(7).u32(1).u32(0x10b5).u32(0x10da).u32(0x10f1).u64(4).u64(4).u64(0))
      .u32(0)
      .u32(0)
      .u32(0)
      .u32(0),
  clCreateSampler: (writer, fresh) => writer.u32(fresh).u32(CONTEXT).u32(0).u32(0x1131).u32(0x1140).u32(0),
  clCreateProgramWithSource: (writer, fresh) => writer.u32(fresh).u32(CONTEXT).text(SOURCE),
  clCreateProgramWithBinary: (writer, fresh) =>
    writer.u32(fresh).u32(CONTEXT).u32(1).u32(DEVICE).bytes(new Uint8Array(64)),
  clCreateKernel: (writer, fresh) => writer.u32(fresh).u32(PROGRAM).text("k"),
  clCreateKernelsInProgram: (writer) => writer.u32(PROGRAM),
  clCloneKernel: (writer, fresh) => writer.u32(fresh).u32(KERNEL),
  clSetKernelArg: (writer) => writer.u32(KERNEL).u32(1).u32(0).bytes(new Uint8Array(4)),
  clCreateUserEvent: (writer, fresh) => writer.u32(fresh).u32(CONTEXT),
  clSetEventCallback: (writer) => writer.u32(FIRST_FREE).u32(0).u32(1),
  clSetMemObjectDestructorCallback: (writer) => writer.u32(BUFFER).u32(1),
  clGetSupportedImageFormats: (writer) => writer.u32(CONTEXT).u32(1).u32(0x10f1),
  clFlush: (writer) => writer.u32(QUEUE),
  clFinish: (writer) => writer.u32(QUEUE),
  clEnqueueReadBuffer: (writer, fresh) => head(writer, fresh).u32(BUFFER).u64(0).u64(64).u32(1),
  clEnqueueWriteBuffer: (writer, fresh) =>
    head(writer, fresh).u32(BUFFER).u64(0).u64(16).u32(1).bytes(new Uint8Array(16)),
  clEnqueueCopyBuffer: (writer, fresh) => head(writer, fresh).u32(BUFFER).u32(BUFFER).u64(0).u64(512).u64(64),
  clEnqueueFillBuffer: (writer, fresh) => head(writer, fresh).u32(BUFFER).bytes(new Uint8Array(4)).u64(0).u64(64),
  clEnqueueReadBufferRect: (writer, fresh) => box(head(writer, fresh).u32(BUFFER)).u64(8).u64(16).u32(1),
  clEnqueueWriteBufferRect: (writer, fresh) =>
    box(head(writer, fresh).u32(BUFFER)).u64(8).u64(16).u32(1).bytes(new Uint8Array(4)),
  clEnqueueReadImage: (writer, fresh) => box(head(writer, fresh).u32(IMAGE)).u32(1),
  clEnqueueWriteImage: (writer, fresh) => box(head(writer, fresh).u32(IMAGE)).u32(1).bytes(new Uint8Array(16)),
  clEnqueueFillImage: (writer, fresh) => box(head(writer, fresh).u32(IMAGE)).bytes(new Uint8Array(16)),
  clEnqueueMapBuffer: (writer, fresh) => box(head(writer, fresh).u32(BUFFER).u32(1)).u32(1),
  clEnqueueUnmapMemObject: (writer, fresh) =>
    box(head(writer, fresh).u32(BUFFER).u32(1)).u32(1).bytes(new Uint8Array(4)),
  clEnqueueMigrateMemObjects: (writer, fresh) => head(writer, fresh).u32(1).u32(1).u32(BUFFER),
  clEnqueueMarkerWithWaitList: (writer, fresh) => head(writer, fresh),
  clEnqueueNDRangeKernel: (writer, fresh) => head(writer, fresh).u32(KERNEL).u32(1).u32(0).u32(16).u32(0).u32(0),
};
const OPERATIONS: readonly string[] = Object.keys(BODIES);
const QUERY_CALLS: readonly string[] = Object.keys(QUERIES).filter((call) => call in Operation);
const EXTREMES: readonly number[] = [0, 1, 2, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x4000_0000];

/** A frame that a library could send. */
function rightFrame(random: () => number, fresh: number): { readonly operation: string; readonly body: Uint8Array } {
  if (random() % 4 === 0) {
    const operation = QUERY_CALLS[random() % QUERY_CALLS.length] ?? "clGetDeviceInfo";
    const tokens = Object.keys(QUERIES[operation] ?? {});
    return {
      operation,
      body: new WireWriter()
        .u32(DEVICE + (random() % 8))
        .u32(DEVICE + (random() % 2))
        .u32(Number(tokens[random() % tokens.length]))
        .bytes(new Uint8Array(8))
        .u32(3).body,
    };
  }
  const operation = OPERATIONS[random() % OPERATIONS.length] ?? "clFlush";
  return { operation, body: BODIES[operation]?.(new WireWriter(), fresh).body ?? new Uint8Array(0) };
}

/** Changes a body: bits, whole words, its end, or nothing. */
function mutate(random: () => number, body: Uint8Array): Uint8Array {
  const changed = body.slice(0, random() % 8 === 0 ? random() % (body.length + 1) : body.length);
  const view = new DataView(changed.buffer);
  for (let round = random() % 4; round > 0 && changed.length >= 4; round--) {
    const word = 4 * (random() % Math.floor(changed.length / 4));
    if (random() % 2 === 0) view.setUint32(word, EXTREMES[random() % EXTREMES.length] ?? 0, true);
    else changed[random() % changed.length] = random() & 255;
  }
  return changed;
}

/** How many frames were answered, and how many ended their session. */
export interface Count {
  answered: number;
  ended: number;
}

const SILENT: internals.Link = {
  send: () => {},
  sendWithNext: () => {},
  receive: () => {},
  give: () => {},
  beginMove: () => () => true,
  readStage: () => {},
  writeStage: () => {},
};

/** Lets go what a session made. */
function close(session: InstanceType<typeof Session>, shared: Shared): void {
  const kept = new Set<object>(Object.values(shared));
  for (const object of session.objects()) {
    if (object instanceof UserEvent && !object.isComplete) clSetUserEventStatus(object, -1);
    if (kept.has(object)) continue;
    if (object instanceof MemoryObject) clReleaseMemObject(object);
    else if (object instanceof Context) clReleaseContext(object);
  }
}

/**
 * Sends so many changed frames. What a session throws besides a refusal of the protocol is a defect, and leaves this
 * function.
 */
export async function sendMutated(shared: Shared, frames: number, seed: number): Promise<Count> {
  const random = numbers(seed);
  const count: Count = { answered: 0, ended: 0 };
  for (let sent = 0; sent < frames;) {
    const session = new Session(SILENT, new internals.SharedMemory(null, -1, () => undefined));
    const { device, context, queue, buffer, image, sampler, program, kernel } = shared;
    // A session may release the objects passed to it: it has its own references.
    [device, context, queue, buffer, image, sampler, program, kernel].forEach((object, index) => {
      session.put(DEVICE + index, object);
    });
    for (const object of [context, queue, buffer, image, sampler, program, kernel]) object.retain("test");
    for (let inSession = 0; inSession < 40 && sent < frames; inSession++, sent++) {
      const { operation, body } = rightFrame(random, FIRST_FREE + inSession);
      try {
        handle(session, {
          operation: Operation[operation as internals.OperationName],
          flags: 1,
          request: random() % 2,
          body: mutate(random, body),
        });
        count.answered++;
      } catch (error) {
        if (!(error instanceof ProtocolError))
          throw new Error(`${operation} after ${sent} frames of seed ${seed}`, { cause: error });
        count.ended++;
        sent++;
        break;
      }
    }
    const present = new Set(session.objects());
    close(session, shared);
    // eslint-disable-next-line no-await-in-loop -- Sessions come one after the other.
    await clFinishAsync(queue);
    for (const object of [context, queue, buffer, image, sampler, program, kernel])
      if (present.has(object)) object.release("test");
  }
  return count;
}
