// Queries of contexts, queues, buffers and events (OpenCL 3.0, 4.4, 5.1, 5.5, 5.11, 5.14).
import { Image, type ImageObjectType } from "../image.ts";
import { MemoryObject, type MemoryProperties } from "../memory-object.ts";
import { Pipe } from "../pipe.ts";
import { CL_COMPLETE } from "../constants.ts";
import { OpenCLError, require } from "../error.ts";
import { type CommandType, Event } from "../event.ts";
import { live } from "../object.ts";
import { Context, type ContextProperties, type Device } from "../platform.ts";
import { CommandQueue, type QueuePropertyList } from "../queue.ts";
import { findSvm } from "../svm.ts";
import { type InfoTable, query } from "./query.ts";

/** What clGetContextInfo answers, by token. @public */
export interface ContextInfo {
  /** References. */
  CL_CONTEXT_REFERENCE_COUNT: number;
  /** How many devices it has. */
  CL_CONTEXT_NUM_DEVICES: number;
  /** Its devices. */
  CL_CONTEXT_DEVICES: readonly Device[];
  /** Properties that it was made with. */
  CL_CONTEXT_PROPERTIES: ContextProperties | null;
}

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

/** What clGetCommandQueueInfo answers, by token. @public */
export interface CommandQueueInfo {
  /** Its context. */
  CL_QUEUE_CONTEXT: Context;
  /** Its device. */
  CL_QUEUE_DEVICE: Device;
  /** References. */
  CL_QUEUE_REFERENCE_COUNT: number;
  /** Properties that it was made with. */
  CL_QUEUE_PROPERTIES: number;
  /** The list that it was made with; null: it was made without one. */
  CL_QUEUE_PROPERTIES_ARRAY: QueuePropertyList | null;
  /** Bytes of a queue on the device: always an error, since there is none. */
  CL_QUEUE_SIZE: number;
  /** The default queue of its device: there is none. */
  CL_QUEUE_DEVICE_DEFAULT: CommandQueue | null;
}

const QUEUE: InfoTable<CommandQueue, CommandQueueInfo> = {
  CL_QUEUE_CONTEXT: ({ context }) => context,
  CL_QUEUE_DEVICE: ({ device }) => device,
  CL_QUEUE_REFERENCE_COUNT: ({ referenceCount }) => referenceCount,
  CL_QUEUE_PROPERTIES: ({ properties }) => properties,
  CL_QUEUE_PROPERTIES_ARRAY: ({ propertyList }) => propertyList,
  CL_QUEUE_SIZE: () => {
    throw new OpenCLError("CL_INVALID_COMMAND_QUEUE", "clGetCommandQueueInfo", "only queues on the device have a size");
  },
  CL_QUEUE_DEVICE_DEFAULT: () => null,
};

/** A fact of a queue. Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_VALUE. @public */
export function clGetCommandQueueInfo<Token extends keyof CommandQueueInfo>(queue: CommandQueue, token: Token): CommandQueueInfo[Token] {
  return query("clGetCommandQueueInfo", QUEUE, live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", "clGetCommandQueueInfo"), token);
}

/** What clGetMemObjectInfo answers, by token. @public */
export interface MemObjectInfo {
  /** Kind of object. */
  CL_MEM_TYPE: "CL_MEM_OBJECT_BUFFER" | "CL_MEM_OBJECT_PIPE" | ImageObjectType;
  /** Flags that it was made with. */
  CL_MEM_FLAGS: number;
  /** Bytes. */
  CL_MEM_SIZE: number;
  /** The array of CL_MEM_USE_HOST_PTR. */
  CL_MEM_HOST_PTR: ArrayBufferView | null;
  /** Regions that are mapped. */
  CL_MEM_MAP_COUNT: number;
  /** References. */
  CL_MEM_REFERENCE_COUNT: number;
  /** Its context. */
  CL_MEM_CONTEXT: Context;
  /** The buffer that it is a part of, or shows the bytes of. */
  CL_MEM_ASSOCIATED_MEMOBJECT: MemoryObject | null;
  /** First byte in that buffer. */
  CL_MEM_OFFSET: number;
  /** The list that it was made with; null: it was made without one. */
  CL_MEM_PROPERTIES: MemoryProperties | null;
  /** Whether its bytes are shared virtual memory. */
  CL_MEM_USES_SVM_POINTER: boolean;
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
export function clGetMemObjectInfo<Token extends keyof MemObjectInfo>(object: MemoryObject, token: Token): MemObjectInfo[Token] {
  return query("clGetMemObjectInfo", MEMORY, live(object, MemoryObject, "CL_INVALID_MEM_OBJECT", "clGetMemObjectInfo"), token);
}

/** What clGetPipeInfo answers, by token. @public */
export interface PipeInfo {
  /** Bytes of a packet. */
  CL_PIPE_PACKET_SIZE: number;
  /** Packets that it holds. */
  CL_PIPE_MAX_PACKETS: number;
  /** Pipes are made without properties. */
  CL_PIPE_PROPERTIES: null;
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

/** What clGetEventInfo answers, by token. The status is CL_QUEUED (3) to CL_COMPLETE (0), or the negative number of an error. @public */
export interface EventInfo {
  /** Queue of the command; null for a user event. */
  CL_EVENT_COMMAND_QUEUE: CommandQueue | null;
  /** Context of the command. */
  CL_EVENT_CONTEXT: Context;
  /** What the command does. */
  CL_EVENT_COMMAND_TYPE: CommandType;
  /** How far the command is; negative: it failed. */
  CL_EVENT_COMMAND_EXECUTION_STATUS: number;
  /** References. */
  CL_EVENT_REFERENCE_COUNT: number;
}

const EVENT: InfoTable<Event, EventInfo> = {
  CL_EVENT_COMMAND_QUEUE: ({ queue }) => (queue instanceof CommandQueue ? queue : null),
  CL_EVENT_CONTEXT: ({ context }) => context,
  CL_EVENT_COMMAND_TYPE: ({ commandType }) => commandType,
  CL_EVENT_COMMAND_EXECUTION_STATUS: (event) => {
    event.look();
    if (!event.settled) event.queue.settle();
    return event.status;
  },
  CL_EVENT_REFERENCE_COUNT: ({ referenceCount }) => referenceCount,
};

/** A fact of an event. Errors: CL_INVALID_EVENT, CL_INVALID_VALUE. @public */
export function clGetEventInfo<Token extends keyof EventInfo>(event: Event, token: Token): EventInfo[Token] {
  return query("clGetEventInfo", EVENT, live(event, Event, "CL_INVALID_EVENT", "clGetEventInfo"), token);
}

/** What clGetEventProfilingInfo answers, by token: ns on the device's clock. @public */
export interface EventProfilingInfo {
  /** When it was enqueued. */
  CL_PROFILING_COMMAND_QUEUED: number;
  /** When the device got it. */
  CL_PROFILING_COMMAND_SUBMIT: number;
  /** When it began. */
  CL_PROFILING_COMMAND_START: number;
  /** When it was complete. */
  CL_PROFILING_COMMAND_END: number;
}

const PROFILING: InfoTable<Event, EventProfilingInfo> = {
  CL_PROFILING_COMMAND_QUEUED: ({ times }) => times.queued,
  CL_PROFILING_COMMAND_SUBMIT: ({ times }) => times.submit,
  CL_PROFILING_COMMAND_START: ({ times }) => times.start,
  CL_PROFILING_COMMAND_END: ({ times }) => times.end,
};

/** A time of a command. Errors: CL_INVALID_EVENT, CL_INVALID_VALUE, CL_PROFILING_INFO_NOT_AVAILABLE before the command is complete, after a failure, or on a queue without CL_QUEUE_PROFILING_ENABLE. @public */
export function clGetEventProfilingInfo<Token extends keyof EventProfilingInfo>(event: Event, token: Token): EventProfilingInfo[Token] {
  const call = "clGetEventProfilingInfo";
  live(event, Event, "CL_INVALID_EVENT", call);
  require(event.queue.profiles, "CL_PROFILING_INFO_NOT_AVAILABLE", call, event.commandType === "CL_COMMAND_USER" ? "a user event has no times" : "the queue was made without CL_QUEUE_PROFILING_ENABLE");
  if (!event.settled) event.queue.settle();
  require(event.status === CL_COMPLETE, "CL_PROFILING_INFO_NOT_AVAILABLE", call, event.settled ? "the command failed" : "the command is not complete; wait for its event first");
  return query(call, PROFILING, event, token);
}
