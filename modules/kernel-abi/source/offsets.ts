// SPDX-License-Identifier: Apache-2.0
// Byte offsets of the structures for addresses of 32 bits, which is what the host target's code has. A target with wide
// pointers calls layoutStruct.
import { layoutStruct, type StructLayout } from "./struct.ts";
import {
  DISPATCH_STRUCT,
  type DispatchField,
  IMAGE_DESCRIPTOR_STRUCT,
  type ImageDescriptorField,
  PIPE_STRUCT,
  type PipeField,
  PRINTF_AREA_STRUCT,
  type PrintfAreaField,
  PRINTF_RECORD_STRUCT,
  type PrintfRecordField,
  WORKER_STRUCT,
  type WorkerField,
} from "./structs.table.ts";

const dispatch: StructLayout<DispatchField> = layoutStruct(DISPATCH_STRUCT, 4);
const worker: StructLayout<WorkerField> = layoutStruct(WORKER_STRUCT, 4);
const printfArea: StructLayout<PrintfAreaField> = layoutStruct(PRINTF_AREA_STRUCT, 4);
const printfRecord: StructLayout<PrintfRecordField> = layoutStruct(PRINTF_RECORD_STRUCT, 4);
const imageDescriptor: StructLayout<ImageDescriptorField> = layoutStruct(IMAGE_DESCRIPTOR_STRUCT, 4);
const pipe: StructLayout<PipeField> = layoutStruct(PIPE_STRUCT, 4);

/** Byte offsets in the dispatch block. @public */
export const DISPATCH: Readonly<Record<DispatchField, number>> = dispatch.offsets;
/** Bytes of the dispatch block. @public */
export const DISPATCH_BYTES: number = dispatch.bytes;

/** Byte offsets in the worker block. @public */
export const WORKER: Readonly<Record<WorkerField, number>> = worker.offsets;
/** Bytes of the worker block. @public */
export const WORKER_BYTES: number = worker.bytes;

/** Byte offsets in the header of a printf area. @public */
export const PRINTF_AREA: Readonly<Record<PrintfAreaField, number>> = printfArea.offsets;
/** Bytes of a printf area before its ring. @public */
export const PRINTF_AREA_HEADER_BYTES: number = printfArea.bytes;

/** Byte offsets in the header of a printf record. @public */
export const PRINTF_RECORD: Readonly<Record<PrintfRecordField, number>> = printfRecord.offsets;
/** Bytes of a printf record before its values. @public */
export const PRINTF_HEADER_BYTES: number = printfRecord.bytes;

/** Byte offsets in an image descriptor. @public */
export const IMAGE_DESCRIPTOR: Readonly<Record<ImageDescriptorField, number>> = imageDescriptor.offsets;
/** Bytes of an image descriptor. @public */
export const IMAGE_DESCRIPTOR_BYTES: number = imageDescriptor.bytes;

/** Byte offsets in the header of a pipe. @public */
export const PIPE: Readonly<Record<PipeField, number>> = pipe.offsets;
/** Bytes of a pipe before its cells. @public */
export const PIPE_HEADER_BYTES: number = pipe.bytes;
/** Bytes of a pipe's cell: a u32 state, and a u32 with the packets of the reservation that begins there. @public */
export const PIPE_CELL_BYTES = 8;
