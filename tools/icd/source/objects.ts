// SPDX-License-Identifier: Apache-2.0
// Operations that make objects, change them and let them go.
import {
  Buffer as ClBuffer,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_HOST_NO_ACCESS,
  CL_MEM_HOST_READ_ONLY,
  CL_MEM_HOST_WRITE_ONLY,
  CL_MEM_ALLOC_HOST_PTR,
  CL_MEM_USE_HOST_PTR,
  CommandQueue,
  Context,
  Device,
  Event,
  type FilterMode,
  type AddressingMode,
  Image,
  type ImageDescription,
  type ImageFormat,
  type ImageObjectType,
  Kernel,
  MemoryObject,
  OpenCLError,
  Program,
  type QueuePropertyList,
  Sampler,
  type SamplerProperties,
  SubDevice,
  UserEvent,
  clBuildProgram,
  clCloneKernel,
  clCompileProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateCommandQueueWithProperties,
  clCreateContext,
  clCreateImage,
  clCreateImage2D,
  clCreateImage3D,
  clCreateKernel,
  clCreatePipe,
  clCreateProgramWithBinary,
  clCreateProgramWithIL,
  clCreateProgramWithSource,
  clCreateSampler,
  clCreateSamplerWithProperties,
  clCreateSubBuffer,
  clCreateSubDevices,
  clCreateUserEvent,
  clEnqueueWriteBuffer,
  clEnqueueWriteImage,
  clFinish,
  clFinishAsync,
  clFlush,
  clGetDeviceAndHostTimer,
  clGetHostTimer,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clGetSupportedImageFormats,
  clLinkProgram,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseDevice,
  clReleaseEvent,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clReleaseSampler,
  clSetContextDestructorCallback,
  clSetEventCallback,
  clSetKernelArg,
  clSetMemObjectDestructorCallback,
  clSetProgramSpecializationConstant,
  clSetUserEventStatus,
  clWaitForEvents,
  clWaitForEventsAsync,
  packetBytes,
} from "@muxkit/opencl";

import { mayBlock, takeSource } from "./commands.ts";
import { timesOf } from "./completions.ts";
import { GROUPS, NAMES, QUERIES } from "./generated/tables.ts";
import type { Handler, Request } from "./handler.ts";
import type { Session } from "./session.ts";
import { type WireReader, WireWriter } from "./wire.ts";

/** Flags that are the library's business: the device's objects have none of them. */
const HOST_FLAGS =
  CL_MEM_USE_HOST_PTR |
  CL_MEM_ALLOC_HOST_PTR |
  CL_MEM_COPY_HOST_PTR |
  CL_MEM_HOST_NO_ACCESS |
  CL_MEM_HOST_READ_ONLY |
  CL_MEM_HOST_WRITE_ONLY;
/** Mark in a frame: there are no initial bytes. */
const NO_CONTENTS = 2;

/** Tokens of queries by number: many are keys of property lists, too. */
const TOKENS: ReadonlyMap<number, string> = new Map(
  Object.values(QUERIES).flatMap((tokens) =>
    Object.entries(tokens).map(([number, { name }]) => [Number(number), name] as const),
  ),
);

/** The name of a constant; what has none stays a number in words, which the call refuses. */
function nameOf(group: string, number: number): string {
  return GROUPS[group]?.[number] ?? TOKENS.get(number) ?? `0x${number.toString(16)}`;
}

/** Puts what a call makes under the number of the library, and answers. */
function made(
  session: Session,
  request: Request,
  number: number,
  object: object,
  { facts = null, stamp = 0 }: { readonly facts?: WireWriter | null; readonly stamp?: number } = {},
): void {
  session.put(number, object);
  if (object instanceof MemoryObject && stamp !== 0) session.tellPlace(number, stamp, object);
  session.reply(request.number, facts);
}

/** Sets the first bytes of a buffer, of which the library has told how many there are. */
function fillBuffer(session: Session, reader: WireReader, buffer: ClBuffer): void {
  const bytes = takeSource(session, reader, buffer.size);
  const queue = clCreateCommandQueue(buffer.context, buffer.context.device, 0);
  clEnqueueWriteBuffer(queue, buffer, true, 0, bytes.length, bytes);
  clReleaseCommandQueue(queue);
}

/** The device properties that the library needs to check calls. */
export function deviceFacts(writer: WireWriter, { type, info }: Device): WireWriter {
  return writer
    .u64(type)
    .u64(info.maxConcurrentWorkItems)
    .u64(info.maxWorkGroupSizeX)
    .u64(info.maxWorkGroupSizeY)
    .u64(info.maxWorkGroupSizeZ)
    .u64(info.allocationSize)
    .u64(info.sharedLocalMemorySize)
    .u64(info.bufferAlignment);
}

const ARGUMENT_KINDS = { value: 0, pointer: 1, local: 2, image: 3, sampler: 4, pipe: 5 } as const;
const ACCESS = { none: 0, read_only: 1, write_only: 2, read_write: 3 } as const;

function kernelFacts(session: Session, kernel: Kernel): WireWriter {
  const { info } = kernel;
  const writer = new WireWriter().u32(info.arguments.length);
  for (const { kind, typeName, size, access } of info.arguments)
    writer
      .u32(ARGUMENT_KINDS[kind])
      .u32(kind === "pipe" ? (packetBytes(typeName) ?? 0) : size)
      .u32(ACCESS[access]);
  for (const axis of [0, 1, 2] as const) writer.u32(info.requiredWorkGroupSize?.[axis] ?? 0);
  const { device, devices: all } = kernel.program.context;
  // A program with kernels is not built anew, so these devices run the kernel as long as it lives.
  const running = all.filter((each) =>
    kernel.program.executableFor(each)?.kernels.some(({ name }) => name === info.name),
  );
  writer
    .u32(device.info.maxConcurrentWorkItems)
    .u32(info.uniformWorkGroups ? 1 : 0)
    .u32(kernel.infoOn(device).localMemorySize)
    .u32(running.length);
  for (const each of running) writer.u32(session.numberOf(each));
  return writer;
}

/** The image properties that the library needs; sizes that its type does not have are 0. */
function imageFacts({
  layout: { type, width, height, depth, layers, rowPitch, slicePitch, pixelBytes },
  size,
}: Image): WireWriter {
  const hasRows = type.startsWith("2d") || type === "3d";
  return new WireWriter()
    .u64(pixelBytes)
    .u64(width)
    .u64(hasRows ? height : 0)
    .u64(type === "3d" ? depth : 0)
    .u64(type.endsWith("array") ? layers : 0)
    .u64(rowPitch)
    .u64(slicePitch)
    .u64(size);
}

/** The words of a property list: keys and values. */
function properties(reader: WireReader, group: string): Record<string, number> {
  const words = reader.u32();
  const list: Record<string, number> = {};
  for (let i = 0; i + 1 < words; i += 2) {
    const name = nameOf(group, reader.u64());
    list[name] = reader.u64();
  }
  return list;
}

type CreateImage = (context: Context, flags: number, format: ImageFormat, description: ImageDescription) => Image;

/** Makes an image; with 0 for the context, sets the initial bytes of an existing one. */
function image(create: CreateImage): Handler {
  return (session, reader, request) => {
    const number = reader.u32();
    const owner = reader.u32();
    if (owner === 0) {
      const target = session.get(number, Image);
      const { width, height, depth, layers, pixelBytes, type } = target.layout;
      const region = [width, type === "1d_array" ? layers : height, type === "2d_array" ? layers : depth] as const;
      const bytes = takeSource(session, reader, region[0] * region[1] * region[2] * pixelBytes);
      const queue = clCreateCommandQueue(target.context, target.context.device, 0);
      clEnqueueWriteImage(queue, target, true, [0, 0, 0], region, 0, 0, bytes);
      clReleaseCommandQueue(queue);
      session.reply(request.number);
      return;
    }
    const context = session.get(owner, Context);
    const stamp = reader.u32();
    const flags = reader.u32();
    const format = {
      channelOrder: nameOf("cl_channel_order", reader.u32()),
      channelType: nameOf("cl_channel_type", reader.u32()),
    } as unknown as ImageFormat;
    const type = nameOf("cl_mem_object_type", reader.u32()) as ImageObjectType;
    const [width, height, depth, arraySize, rowPitch, slicePitch] = [
      reader.u64(),
      reader.u64(),
      reader.u64(),
      reader.u64(),
      reader.u64(),
      reader.u64(),
    ];
    const [levels, samples] = [reader.u32(), reader.u32()];
    const parent = session.find(reader.u32(), MemoryObject);
    const hasBytes = reader.u32() !== 0;
    // Pitches without bytes are an error of the call: they are kept, so that it is reported.
    const pitches = hasBytes ? {} : { rowPitch, slicePitch };
    const description = {
      type,
      width,
      height,
      depth,
      arraySize,
      ...pitches,
      ...(parent === null ? {} : { [parent instanceof Image ? "image" : "buffer"]: parent }),
      ...(levels + samples === 0 ? {} : { levels, samples }),
    } as ImageDescription;
    const created = create(context, flags & ~HOST_FLAGS, format, description);
    made(session, request, number, created, { facts: imageFacts(created), stamp });
  };
}

/** The names in a list of devices; null for an empty list. */
function devices(session: Session, reader: WireReader): readonly Device[] | null {
  const list = reader.list().map((number) => session.get(number, Device));
  return list.length === 0 ? null : list;
}

/** Errors in the source: the build is complete all the same, and its callback queries the log. */
const ENDS: ReadonlySet<string> = new Set(["CL_BUILD_PROGRAM_FAILURE", "CL_COMPILE_PROGRAM_FAILURE"]);

/**
 * Builds and answers. With a callback, the completion is reported to it, successful or not, unless the build could not
 * even begin.
 */
function finished(session: Session, request: Request, program: Program, callback: number, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (callback === 0 || !(error instanceof OpenCLError) || !ENDS.has(error.name)) throw error;
  }
  const { device } = program.context;
  const status = clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_STATUS");
  session.reply(
    request.number,
    new WireWriter()
      .u32((NAMES[status] ?? 0) >>> 0)
      .bytes(new TextEncoder().encode(`${clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_LOG")}\0`)),
  );
  session.callBack(callback, 0);
}

/** How each kind of object is let go. */
const RELEASES: readonly (readonly [
  kind: abstract new (...list: never[]) => object,
  release: (object: never) => void,
])[] = [
  [Event, clReleaseEvent],
  [MemoryObject, clReleaseMemObject],
  [Kernel, clReleaseKernel],
  [Program, clReleaseProgram],
  [Sampler, clReleaseSampler],
  [CommandQueue, clReleaseCommandQueue],
  [Context, clReleaseContext],
  [SubDevice, clReleaseDevice],
];

/** Handlers of everything but commands and queries, by operation. */
export const OBJECT_HANDLERS: Readonly<Record<string, Handler>> = {
  release: (session, reader) => {
    const object = session.take(reader.u32());
    if (object instanceof UserEvent && !object.isComplete) session.openUserEvents--;
    RELEASES.find(([kind]) => object instanceof kind)?.[1](object as never);
  },
  clGetDeviceAndHostTimer: (session, reader, request) => {
    const { deviceTimestamp, hostTimestamp } = clGetDeviceAndHostTimer(session.get(reader.u32(), Device));
    // The library's own clock at the same moment.
    const now = process.hrtime.bigint() + BigInt(Math.round(hostTimestamp - performance.now() * 1e6));
    session.reply(
      request.number,
      new WireWriter().u64(Math.round(deviceTimestamp)).u64(Math.round(hostTimestamp)).u64(now),
    );
  },
  clGetHostTimer: (session, reader, request) => {
    const now = Math.round(clGetHostTimer(session.get(reader.u32(), Device)));
    session.reply(request.number, new WireWriter().u64(now).u64(now));
  },
  clCreateSubDevices: (session, reader, request) => {
    const device = session.get(reader.u32(), Device);
    const isEqually = reader.u32() !== 0;
    const counts = reader.list();
    const numbers = reader.list();
    const parts = clCreateSubDevices(
      device,
      isEqually ? { CL_DEVICE_PARTITION_EQUALLY: counts[0] ?? 0 } : { CL_DEVICE_PARTITION_BY_COUNTS: counts },
    );
    const writer = new WireWriter();
    parts.forEach((part, index) => {
      const number = numbers[index];
      if (number === undefined) clReleaseDevice(part);
      else {
        session.put(number, part);
        deviceFacts(writer, part);
      }
    });
    session.reply(request.number, writer);
  },
  clCreateContext: (session, reader, request) => {
    const number = reader.u32();
    const callback = reader.u32();
    const list = reader.list().map((device) => session.get(device, Device));
    made(
      session,
      request,
      number,
      clCreateContext(list, (message) => {
        session.log(message);
        session.callBack(callback, 0, message);
      }),
    );
  },
  clSetContextDestructorCallback: (session, reader) => {
    const context = session.get(reader.u32(), Context);
    const callback = reader.u32();
    clSetContextDestructorCallback(context, () => {
      session.callBack(callback, 0);
    });
  },
  clCreateCommandQueueWithProperties: (session, reader, request) => {
    const [number, context, device] = [
      reader.u32(),
      session.get(reader.u32(), Context),
      session.get(reader.u32(), Device),
    ];
    const list: QueuePropertyList = properties(reader, "cl_queue_properties");
    made(session, request, number, clCreateCommandQueueWithProperties(context, device, list));
  },
  clFlush: (session, reader) => {
    clFlush(session.get(reader.u32(), CommandQueue));
  },
  clFinish: (session, reader, request) => {
    const queue = session.get(reader.u32(), CommandQueue);
    if (mayBlock(session, request)) {
      clFinish(queue);
      session.reply(request.number, session.completions.take(queue));
    } else {
      clFinishAsync(queue).then(
        () => {
          session.reply(request.number, session.completions.take(queue));
        },
        (error: unknown) => {
          session.fail(request.number, error);
        },
      );
    }
  },
  clCreateBuffer: (session, reader, request) => {
    const [number, owner] = [reader.u32(), reader.u32()];
    if (owner === 0) {
      fillBuffer(session, reader, session.get(number, ClBuffer));
      session.reply(request.number);
      return;
    }
    const [context, stamp, flags, size] = [session.get(owner, Context), reader.u32(), reader.u32(), reader.u64()];
    if (reader.peek(0) === NO_CONTENTS) {
      made(session, request, number, clCreateBuffer(context, flags, size), { stamp });
      return;
    }
    // The bytes are consumed in any case: the library sends them before it receives an error.
    const bytes = takeSource(session, reader, size);
    made(session, request, number, clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, size, bytes), { stamp });
  },
  clCreateSubBuffer: (session, reader, request) => {
    const [number, parent, flags, origin, size] = [
      reader.u32(),
      session.get(reader.u32(), ClBuffer),
      reader.u32(),
      reader.u64(),
      reader.u64(),
    ];
    made(session, request, number, clCreateSubBuffer(parent, flags, { origin, size }));
  },
  clCreateImage: image((context, flags, format, description) => clCreateImage(context, flags, format, description)),
  clCreateImage2D: image((context, flags, format, { width, height = 0, rowPitch = 0 }) =>
    clCreateImage2D(context, flags, format, width, height, rowPitch),
  ),
  clCreateImage3D: image((context, flags, format, { width, height = 0, depth = 0, rowPitch = 0, slicePitch = 0 }) =>
    clCreateImage3D(context, flags, format, width, height, depth, rowPitch, slicePitch),
  ),
  clGetSupportedImageFormats: (session, reader, request) => {
    const formats = clGetSupportedImageFormats(
      session.get(reader.u32(), Context),
      reader.u32() & ~HOST_FLAGS,
      nameOf("cl_mem_object_type", reader.u32()) as ImageObjectType,
    );
    const writer = new WireWriter().u32(formats.length);
    for (const { channelOrder, channelType } of formats)
      writer.u32(NAMES[channelOrder] ?? 0).u32(NAMES[channelType] ?? 0);
    session.reply(request.number, writer);
  },
  clCreatePipe: (session, reader, request) => {
    const [number, context, flags, packetSize, packets] = [
      reader.u32(),
      session.get(reader.u32(), Context),
      reader.u32(),
      reader.u32(),
      reader.u32(),
    ];
    const pipe = clCreatePipe(context, flags, packetSize, packets);
    made(session, request, number, pipe, { facts: new WireWriter().u64(pipe.size) });
  },
  clSetMemObjectDestructorCallback: (session, reader) => {
    const object = session.get(reader.u32(), MemoryObject);
    const callback = reader.u32();
    clSetMemObjectDestructorCallback(object, () => {
      session.callBack(callback, 0);
    });
  },
  clCreateSampler: (session, reader, request) => {
    const [number, context, isNormalized, addressing, filter] = [
      reader.u32(),
      session.get(reader.u32(), Context),
      reader.u32() !== 0,
      reader.u32(),
      reader.u32(),
    ];
    made(
      session,
      request,
      number,
      clCreateSampler(
        context,
        isNormalized,
        nameOf("cl_addressing_mode", addressing) as AddressingMode,
        nameOf("cl_filter_mode", filter) as FilterMode,
      ),
    );
  },
  clCreateSamplerWithProperties: (session, reader, request) => {
    const [number, context] = [reader.u32(), session.get(reader.u32(), Context)];
    // How it reads is in the properties, too; those that were not passed are not listed.
    for (const _ of ["normalized", "addressing", "filter"]) reader.u32();
    made(session, request, number, clCreateSamplerWithProperties(context, samplerProperties(reader)));
  },
  clCreateProgramWithSource: (session, reader, request) => {
    made(
      session,
      request,
      reader.u32(),
      clCreateProgramWithSource(session.get(reader.u32(), Context), [reader.text()]),
    );
  },
  clCreateProgramWithIL: (session, reader, request) => {
    const [number, context] = [reader.u32(), session.get(reader.u32(), Context)];
    made(session, request, number, clCreateProgramWithIL(context, reader.bytes()));
  },
  clSetProgramSpecializationConstant: (session, reader, request) => {
    const [program, id] = [session.get(reader.u32(), Program), reader.u32()];
    clSetProgramSpecializationConstant(program, id, reader.bytes());
    session.reply(request.number, null);
  },
  clCreateProgramWithBinary: (session, reader, request) => {
    const [number, context, count] = [reader.u32(), session.get(reader.u32(), Context), reader.u32()];
    const pairs = Array.from(
      { length: Math.min(count, 64) },
      () => [session.get(reader.u32(), Device), reader.bytes().slice()] as const,
    );
    made(
      session,
      request,
      number,
      clCreateProgramWithBinary(
        context,
        pairs.map(([device]) => device),
        pairs.map(([, binary]) => binary),
      ),
    );
  },
  clBuildProgram: (session, reader, request) => {
    const [program, callback, list, options] = [
      session.get(reader.u32(), Program),
      reader.u32(),
      devices(session, reader),
      reader.text(),
    ];
    finished(session, request, program, callback, () => {
      clBuildProgram(program, list, options);
    });
  },
  clCompileProgram: (session, reader, request) => {
    const [program, callback, list, options, count] = [
      session.get(reader.u32(), Program),
      reader.u32(),
      devices(session, reader),
      reader.text(),
      reader.u32(),
    ];
    const headers = Array.from({ length: Math.min(count, 4096) }, () => ({
      program: session.get(reader.u32(), Program),
      name: reader.text(),
    }));
    finished(session, request, program, callback, () => {
      clCompileProgram(program, list, options, headers);
    });
  },
  clLinkProgram: (session, reader, request) => {
    const [number, context, callback, list, options] = [
      reader.u32(),
      session.get(reader.u32(), Context),
      reader.u32(),
      devices(session, reader),
      reader.text(),
    ];
    const inputs = reader.list().map((input) => session.get(input, Program));
    try {
      made(session, request, number, clLinkProgram(context, list, options, inputs));
    } catch (error) {
      if (!(error instanceof OpenCLError) || error.name !== "CL_LINK_PROGRAM_FAILURE") throw error;
      // The library has a program all the same, whose log has the reason.
      session.putMissing(number, error);
      session.fail(request.number, error);
    }
    session.callBack(callback, 0);
  },
  clCreateKernel: (session, reader, request) => {
    const [number, program, name] = [reader.u32(), session.get(reader.u32(), Program), reader.text()];
    const kernel = clCreateKernel(program, name);
    made(session, request, number, kernel, { facts: kernelFacts(session, kernel) });
  },
  clCreateKernelsInProgram: (session, reader, request) => {
    const names = clGetProgramInfo(session.get(reader.u32(), Program), "CL_PROGRAM_KERNEL_NAMES")
      .split(";")
      .filter((name) => name !== "");
    const writer = new WireWriter().u32(names.length);
    for (const name of names) writer.text(name);
    session.reply(request.number, writer);
  },
  clCloneKernel: (session, reader) => {
    session.put(reader.u32(), clCloneKernel(session.get(reader.u32(), Kernel)));
  },
  clSetKernelArg: (session, reader) => {
    const [kernel, index, form] = [session.get(reader.u32(), Kernel), reader.u32(), reader.u32()];
    if (form === 0) clSetKernelArg(kernel, index, reader.bytes().slice());
    else if (form === 1) clSetKernelArg(kernel, index, { localBytes: reader.u64() });
    else clSetKernelArg(kernel, index, session.find(reader.u32(), Object) as never);
  },
  clCreateUserEvent: (session, reader) => {
    const number = reader.u32();
    session.put(number, clCreateUserEvent(session.get(reader.u32(), Context)));
    session.openUserEvents++;
  },
  clSetUserEventStatus: (session, reader) => {
    clSetUserEventStatus(session.get(reader.u32(), UserEvent), reader.i32());
    session.openUserEvents--;
  },
  clWaitForEvents: (session, reader, request) => {
    const events = reader.list().map((event) => session.get(event, Event));
    if (mayBlock(session, request)) {
      clWaitForEvents(events);
      session.reply(request.number, timesOf(events));
    } else {
      clWaitForEventsAsync(events).then(
        () => {
          session.reply(request.number, timesOf(events));
        },
        (error: unknown) => {
          session.fail(request.number, error);
        },
      );
    }
  },
  clSetEventCallback: (session, reader) => {
    const [event, status, callback] = [session.get(reader.u32(), Event), reader.i32(), reader.u32()];
    clSetEventCallback(event, status, (_, reached) => {
      session.callBack(callback, Math.min(reached, 0));
    });
  },
};

function samplerProperties(reader: WireReader): SamplerProperties {
  const list = properties(reader, "cl_sampler_properties");
  const isGiven = (name: string): boolean => list[name] !== undefined;
  return {
    ...list,
    ...(isGiven("CL_SAMPLER_NORMALIZED_COORDS")
      ? { CL_SAMPLER_NORMALIZED_COORDS: list["CL_SAMPLER_NORMALIZED_COORDS"] !== 0 }
      : {}),
    ...(isGiven("CL_SAMPLER_ADDRESSING_MODE")
      ? {
          CL_SAMPLER_ADDRESSING_MODE: nameOf(
            "cl_addressing_mode",
            list["CL_SAMPLER_ADDRESSING_MODE"] ?? 0,
          ) as AddressingMode,
        }
      : {}),
    ...(isGiven("CL_SAMPLER_FILTER_MODE")
      ? { CL_SAMPLER_FILTER_MODE: nameOf("cl_filter_mode", list["CL_SAMPLER_FILTER_MODE"] ?? 0) as FilterMode }
      : {}),
  };
}
