// SPDX-License-Identifier: Apache-2.0
// The structures of the kernel ABI. docs/kernel-abi.md and the C header of the benchmarks are generated from these
// tables.
import type { AbiField, AbiStruct, AbiType } from "./struct.ts";

function field<const Name extends string>(name: Name, type: AbiType, count: number, text: string): AbiField<Name> {
  return { name, type, count, text };
}

/** Fields of the dispatch block. @public */
export type DispatchField =
  | "size"
  | "dimensions"
  | "globalSize"
  | "globalOffset"
  | "localSize"
  | "groupCount"
  | "rangeStart"
  | "rangeCount"
  | "rangeTotal"
  | "liveOffset"
  | "privateOffset"
  | "programData"
  | "reserved0"
  | "flags"
  | "shadowBase"
  | "traceBase"
  | "printfLost"
  | "reserved1";

/** One launch: its range, its part of it, and how it uses the arena. @public */
export const DISPATCH_STRUCT: AbiStruct<DispatchField> = {
  cName: "Dispatch",
  alignment: 128,
  fields: [
    field("size", "u32", 1, "size of this block in bytes (fields can be added)"),
    field("dimensions", "u32", 1, "dimensions, 1 to 3"),
    field("globalSize", "u32", 3, "global size x, y, z (1 in unused dimensions)"),
    field("globalOffset", "u32", 3, "global offset x, y, z"),
    field("localSize", "u32", 3, "enqueued local size x, y, z"),
    field("groupCount", "u32", 3, "work-groups of the whole NDRange x, y, z (the last may be ragged)"),
    field("rangeStart", "u32", 3, "range start x, y, z: the first group of the part that this launch runs"),
    field("rangeCount", "u32", 3, "range count x, y, z: groups of the part that this launch runs"),
    field("rangeTotal", "u64", 1, "total number of groups of the part"),
    field("liveOffset", "u32", 1, "byte offset of the live values from the arena's base (aligned to 16)"),
    field("privateOffset", "u32", 1, "byte offset of the private stack from the arena's base (aligned to 16)"),
    field("programData", "address", 1, "base of the program-scope data, 0 when there is none"),
    field("reserved0", "u32", 1, "reserved, zero"),
    field("flags", "u32", 1, "1: code that offers it runs work-items one by one, not in vectors"),
    field("shadowBase", "address", 1, "shadow base (reserved)"),
    field("traceBase", "address", 1, "trace base (reserved)"),
    field("printfLost", "u32", 1, "calls of printf that found no room; set to 0 before the launch"),
    field("reserved1", "u32", 2, "reserved, zero"),
  ],
};

/** Fields of the worker block. @public */
export type WorkerField =
  | "size"
  | "thread"
  | "arenaBase"
  | "arenaSize"
  | "cancelWord"
  | "countdown"
  | "faultKind"
  | "faultDetail"
  | "faultGroup"
  | "groupBase"
  | "printfArea"
  | "reserved";

/** One thread: its arena, its cancel word, and where the current call begins. @public */
export const WORKER_STRUCT: AbiStruct<WorkerField> = {
  cName: "Worker",
  alignment: 128,
  fields: [
    field("size", "u32", 1, "size of this block in bytes"),
    field("thread", "u32", 1, "index of the thread"),
    field("arenaBase", "address", 1, "arena base (aligned to 128)"),
    field("arenaSize", "u32", 1, "arena size in bytes"),
    field("cancelWord", "u32", 1, "cancel word, read between work-groups and in loops"),
    field("countdown", "u32", 1, "checks that are left until the clock is read"),
    field("faultKind", "u32", 1, "fault record: kind, 0 for none"),
    field("faultDetail", "u32", 1, "fault record: detail"),
    field("faultGroup", "u32", 3, "fault record: group x, y, z"),
    field("groupBase", "u32", 3, "group base x, y, z: linear group 0 of the current call"),
    field("printfArea", "address", 1, "address of the thread's printf area, 0 when there is none"),
    field("reserved", "u32", 17, "reserved, zero"),
  ],
};

/** Fields of the header of a printf area. @public */
export type PrintfAreaField = "head" | "tail" | "ringBytes" | "reserved";

/** The header of a thread's printf area; the ring follows it. @public */
export const PRINTF_AREA_STRUCT: AbiStruct<PrintfAreaField> = {
  cName: "PrintfArea",
  alignment: 8,
  fields: [
    field("head", "u32", 1, "offset in the ring where the host reads next"),
    field("tail", "u32", 1, "offset in the ring where the thread writes next"),
    field("ringBytes", "u32", 1, "bytes of the ring"),
    field("reserved", "u32", 1, "reserved, zero"),
  ],
};

/** Fields of the header of a printf record. @public */
export type PrintfRecordField = "size" | "call" | "launch" | "item" | "group" | "reserved";

/** The header of a record in a printf area; the values follow it. @public */
export const PRINTF_RECORD_STRUCT: AbiStruct<PrintfRecordField> = {
  cName: "PrintfRecord",
  alignment: 8,
  fields: [
    field("size", "u32", 1, "size of the record in bytes"),
    field("call", "u32", 1, "number of the call in the executable's list"),
    field("launch", "u32", 1, "address of the dispatch block (its low 32 bits), which identifies the launch"),
    field("item", "u32", 1, "local linear id"),
    field("group", "u32", 3, "group id x, y, z"),
    field("reserved", "u32", 1, "reserved, zero"),
  ],
};

/** Fields of an image descriptor. @public */
export type ImageDescriptorField =
  | "pixels"
  | "width"
  | "height"
  | "slices"
  | "rowPitch"
  | "slicePitch"
  | "channelOrder"
  | "channelType"
  | "pixelBytes"
  | "channels"
  | "pixelsHigh"
  | "view";

/** What a kernel gets for an image. @public */
export const IMAGE_DESCRIPTOR_STRUCT: AbiStruct<ImageDescriptorField> = {
  cName: "ImageDescriptor",
  alignment: 4,
  fields: [
    field("pixels", "u32", 1, "address of the first pixel, its low 32 bits"),
    field("width", "u32", 1, "width in pixels"),
    field("height", "u32", 1, "height in pixels, 1 where the type has none"),
    field("slices", "u32", 1, "slices of a 3-D image, layers of an array, else 1"),
    field("rowPitch", "u32", 1, "bytes from row to row"),
    field("slicePitch", "u32", 1, "bytes from slice to slice or layer to layer"),
    field("channelOrder", "u32", 1, "channel order: OpenCL's number, which is that of the `CLK_` constant"),
    field("channelType", "u32", 1, "channel type: OpenCL's number, which is that of the `CLK_` constant"),
    field("pixelBytes", "u32", 1, "bytes of a pixel"),
    field("channels", "u32", 1, "stored channels of a pixel, 1 to 4"),
    field("pixelsHigh", "u32", 1, "address of the first pixel, its high 32 bits; 0 with addresses of 32 bits"),
    field("view", "u32", 1, "shaders: the order of components and further levels (below), 0: neither"),
  ],
};

/** Fields of the header of a pipe. @public */
export type PipeField = "packetBytes" | "maxPackets" | "written" | "read" | "reserved";

/** The header of a pipe; a cell for each packet follows it, then the packets. @public */
export const PIPE_STRUCT: AbiStruct<PipeField> = {
  cName: "Pipe",
  alignment: 128,
  fields: [
    field("packetBytes", "u32", 1, "bytes of a packet"),
    field("maxPackets", "u32", 1, "packets that it holds at the most (`max`)"),
    field("written", "u64", 1, "packets that writers have reserved since it was made"),
    field("read", "u64", 1, "packets that readers have reserved since it was made"),
    field("reserved", "u32", 10, "reserved, zero"),
  ],
};
