// SPDX-License-Identifier: Apache-2.0
// Queries of contexts, queues, buffers and events (OpenCL 3.0, 4.4, 5.1, 5.5, 5.11, 5.14).
import { OpenCLError, ensure } from "../error.ts";
import { Event } from "../event.ts";
import { CL_COMPLETE } from "../generated/constants.ts";
import type {
  CommandQueueInfo,
  ContextInfo,
  EventInfo,
  EventProfilingInfo,
  MemObjectInfo,
  PipeInfo,
} from "../generated/info.ts";
import { Image } from "../image.ts";
import { MemoryObject } from "../memory-object.ts";
import { live } from "../object.ts";
import { Pipe } from "../pipe.ts";
import { Context } from "../platform.ts";
import { CommandQueue } from "../queue.ts";
import { findSvm } from "../svm.ts";
import { type InfoTable, query } from "./query.ts";

const CONTEXT: InfoTable<Context, ContextInfo> = {
  CL_CONTEXT_REFERENCE_COUNT: ({ referenceCount }) => referenceCount,
  CL_CONTEXT_NUM_DEVICES: ({ devices }) => devices.length,
  CL_CONTEXT_DEVICES: ({ devices }) => devices,
  CL_CONTEXT_PROPERTIES: ({ properties }) => properties,
};

/** A fact of a context. Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE. @public */
export function clGetContextInfo<Token extends keyof ContextInfo>(context: Context, token: Token): ContextInfo[Token] {
  return query("clGetContextInfo", CONTEXT, live(context, Context, "CL_INVALID_CONTEXT", "clGetContextInfo"), token);
}

const QUEUE: InfoTable<CommandQueue, CommandQueueInfo> = {
  CL_QUEUE_CONTEXT: ({ context }) => context,
  CL_QUEUE_DEVICE: ({ device }) => device,
  CL_QUEUE_REFERENCE_COUNT: ({ referenceCount }) => referenceCount,
  CL_QUEUE_PROPERTIES: ({ properties }) => properties,
  CL_QUEUE_PROPERTIES_ARRAY: ({ propertyList }) => propertyList,
  CL_QUEUE_SIZE: () => {
    throw new OpenCLError("CL_INVALID_COMMAND_QUEUE", "clGetCommandQueueInfo", "only on-device queues have a size");
  },
  CL_QUEUE_DEVICE_DEFAULT: () => null,
};

/** A fact of a queue. Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_VALUE. @public */
export function clGetCommandQueueInfo<Token extends keyof CommandQueueInfo>(
  queue: CommandQueue,
  token: Token,
): CommandQueueInfo[Token] {
  return query(
    "clGetCommandQueueInfo",
    QUEUE,
    live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", "clGetCommandQueueInfo"),
    token,
  );
}

function typeOf(object: MemoryObject): MemObjectInfo["CL_MEM_TYPE"] {
  if (object instanceof Image) return object.type;
  return object instanceof Pipe ? "CL_MEM_OBJECT_PIPE" : "CL_MEM_OBJECT_BUFFER";
}

const MEMORY: InfoTable<MemoryObject, MemObjectInfo> = {
  CL_MEM_TYPE: typeOf,
  CL_MEM_FLAGS: ({ flags }) => flags,
  CL_MEM_SIZE: ({ size }) => size,
  CL_MEM_HOST_PTR: ({ hostArray }) => hostArray,
  CL_MEM_MAP_COUNT: ({ mappings }) => mappings.size,
  CL_MEM_REFERENCE_COUNT: ({ referenceCount }) => referenceCount,
  CL_MEM_CONTEXT: ({ context }) => context,
  CL_MEM_ASSOCIATED_MEMOBJECT: ({ parent }) => parent,
  CL_MEM_OFFSET: ({ offset }) => offset,
  CL_MEM_PROPERTIES: ({ properties }) => properties,
  CL_MEM_USES_SVM_POINTER: ({ context, memory }) => memory.handle !== 0 && findSvm(context, memory.handle) !== null,
};

/** A fact of a buffer or image. Errors: CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE. @public */
export function clGetMemObjectInfo<Token extends keyof MemObjectInfo>(
  object: MemoryObject,
  token: Token,
): MemObjectInfo[Token] {
  return query(
    "clGetMemObjectInfo",
    MEMORY,
    live(object, MemoryObject, "CL_INVALID_MEM_OBJECT", "clGetMemObjectInfo"),
    token,
  );
}

const PIPE: InfoTable<Pipe, PipeInfo> = {
  CL_PIPE_PACKET_SIZE: ({ packetSize }) => packetSize,
  CL_PIPE_MAX_PACKETS: ({ maxPackets }) => maxPackets,
  CL_PIPE_PROPERTIES: () => null,
};

/** A fact of a pipe. Errors: CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE. @public */
export function clGetPipeInfo<Token extends keyof PipeInfo>(pipe: Pipe, token: Token): PipeInfo[Token] {
  return query("clGetPipeInfo", PIPE, live(pipe, Pipe, "CL_INVALID_MEM_OBJECT", "clGetPipeInfo"), token);
}

const EVENT: InfoTable<Event, EventInfo> = {
  CL_EVENT_COMMAND_QUEUE: ({ queue }) => (queue instanceof CommandQueue ? queue : null),
  CL_EVENT_CONTEXT: ({ context }) => context,
  CL_EVENT_COMMAND_TYPE: ({ commandType }) => commandType,
  CL_EVENT_COMMAND_EXECUTION_STATUS: (event) => {
    event.markObserved();
    if (!event.isComplete) event.queue.retire(event);
    return event.status;
  },
  CL_EVENT_REFERENCE_COUNT: ({ referenceCount }) => referenceCount,
};

/** A fact of an event. Errors: CL_INVALID_EVENT, CL_INVALID_VALUE. @public */
export function clGetEventInfo<Token extends keyof EventInfo>(event: Event, token: Token): EventInfo[Token] {
  return query("clGetEventInfo", EVENT, live(event, Event, "CL_INVALID_EVENT", "clGetEventInfo"), token);
}

const PROFILING: InfoTable<Event, EventProfilingInfo> = {
  CL_PROFILING_COMMAND_QUEUED: ({ times }) => times.queued,
  CL_PROFILING_COMMAND_SUBMIT: ({ times }) => times.submit,
  CL_PROFILING_COMMAND_START: ({ times }) => times.start,
  CL_PROFILING_COMMAND_END: ({ times }) => times.end,
  // Kernels enqueue nothing, so there is nothing more to wait for.
  CL_PROFILING_COMMAND_COMPLETE: ({ times }) => times.end,
  CL_PROFILING_PERFORMANCE_COUNTERS_MUXKIT: ({ counts }) => {
    if (counts === null)
      throw new OpenCLError(
        "CL_PROFILING_INFO_NOT_AVAILABLE",
        "clGetEventProfilingInfo",
        "nothing was counted: the queue has no counters, or the command is a command buffer or does nothing",
      );
    return counts;
  },
};

/**
 * A time of a command. Errors: CL_INVALID_EVENT, CL_INVALID_VALUE, CL_PROFILING_INFO_NOT_AVAILABLE before the command
 * is complete, after a failure, or on a queue without CL_QUEUE_PROFILING_ENABLE.
 *
 * @public
 */
export function clGetEventProfilingInfo<Token extends keyof EventProfilingInfo>(
  event: Event,
  token: Token,
): EventProfilingInfo[Token] {
  const call = "clGetEventProfilingInfo";
  live(event, Event, "CL_INVALID_EVENT", call);
  ensure(
    event.queue.profiles,
    "CL_PROFILING_INFO_NOT_AVAILABLE",
    call,
    event.commandType === "CL_COMMAND_USER"
      ? "a user event has no times"
      : "the queue was made without CL_QUEUE_PROFILING_ENABLE",
  );
  if (!event.isComplete) event.queue.retire(event);
  ensure(
    event.status === CL_COMPLETE,
    "CL_PROFILING_INFO_NOT_AVAILABLE",
    call,
    event.isComplete ? "the command failed" : "the command is not complete; wait for its event first",
  );
  return query(call, PROFILING, event, token);
}
