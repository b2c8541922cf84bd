// SPDX-License-Identifier: Apache-2.0
// Info queries: answers of TypeScript in the types of C, by the schema's entry for each token.
import {
  Buffer as ClBuffer,
  CL_EXEC_KERNEL,
  CommandQueue,
  Context,
  Device,
  type DotProductAcceleration,
  Event,
  Image,
  Kernel,
  MemoryObject,
  OpenCLError,
  Platform,
  Program,
  Sampler,
  clGetCommandQueueInfo,
  clGetContextInfo,
  clGetDeviceInfo,
  clGetEventInfo,
  clGetEventProfilingInfo,
  clGetImageInfo,
  clGetKernelArgInfo,
  clGetKernelInfo,
  clGetKernelSubGroupInfo,
  clGetKernelWorkGroupInfo,
  clGetMemObjectInfo,
  clGetPipeInfo,
  clGetPlatformInfo,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clGetSamplerInfo,
} from "@muxkit/opencl";

import { LACKING_EXTENSIONS, NAMES, QUERIES, TYPES } from "./generated/tables.ts";
import type { Handler } from "./handler.ts";
import type { Session } from "./session.ts";
import { type WireReader, WireWriter } from "./wire.ts";

/** Bytes of the types that have a size of their own. */
const SIZES: Readonly<Record<string, number>> = {
  cl_char: 1,
  cl_uchar: 1,
  char: 1,
  "unsigned char": 1,
  cl_short: 2,
  cl_ushort: 2,
  cl_int: 4,
  cl_uint: 4,
  cl_long: 8,
  cl_ulong: 8,
  size_t: 8,
  intptr_t: 8,
  uintptr_t: 8,
  "void *": 8,
};
const FORM_BYTES = 0;
const FORM_HANDLES = 1;

function plainType(type: string): string {
  const next = TYPES[type];
  return next === undefined ? type : plainType(next);
}

/** A value that C has as a number. */
function numberOf(value: unknown): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return BigInt(Math.trunc(value));
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (value === null || value === undefined) return 0n;
  const known = typeof value === "string" ? NAMES[value] : undefined;
  if (known === undefined) throw new Error(`no number of C for ${typeof value === "string" ? value : typeof value}`);
  return BigInt(known);
}

function put(view: DataView, at: number, size: number, value: bigint): void {
  if (size === 8) view.setBigUint64(at, BigInt.asUintN(64, value), true);
  else if (size === 4) view.setUint32(at, Number(BigInt.asUintN(32, value)), true);
  else if (size === 2) view.setUint16(at, Number(BigInt.asUintN(16, value)), true);
  else view.setUint8(at, Number(BigInt.asUintN(8, value)));
}

function numbers(values: readonly unknown[], size: number): Uint8Array {
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => {
    put(view, index * size, size, numberOf(value));
  });
  return bytes;
}

/** A list of properties: key, value, and so on, and 0 at the end; nothing for none. */
function propertyList(list: object): readonly unknown[] {
  return [...Object.entries(list).flatMap(([name, value]) => [name, ...(Array.isArray(value) ? value : [value])]), 0];
}

function nameVersion({ name, version }: { readonly name: string; readonly version: number }): Uint8Array {
  const bytes = new Uint8Array(68);
  new DataView(bytes.buffer).setUint32(0, version, true);
  bytes.set(new TextEncoder().encode(name).subarray(0, 63), 4);
  return bytes;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** An image format as C has it. */
function imageFormat({
  channelOrder,
  channelType,
}: {
  readonly channelOrder: string;
  readonly channelType: string;
}): Uint8Array {
  return numbers([channelOrder, channelType], 4);
}

/** Booleans in the order of the structure. */
function accelerations(value: DotProductAcceleration): Uint8Array {
  return numbers(
    [
      value.signedAccelerated,
      value.unsignedAccelerated,
      value.mixedSignednessAccelerated,
      value.accumulatingSaturatingSignedAccelerated,
      value.accumulatingSaturatingUnsignedAccelerated,
      value.accumulatingSaturatingMixedSignednessAccelerated,
    ],
    4,
  );
}

const STRUCTS: Readonly<Record<string, (value: never) => Uint8Array>> = {
  cl_image_format: imageFormat,
  cl_name_version: nameVersion,
  cl_device_integer_dot_product_acceleration_properties_khr: accelerations,
};
const HANDLES: ReadonlySet<string> = new Set([
  "cl_platform_id",
  "cl_device_id",
  "cl_context",
  "cl_command_queue",
  "cl_mem",
  "cl_sampler",
  "cl_program",
  "cl_kernel",
  "cl_event",
]);

/** Writes an answer of a type: its encoding, and the bytes or the numbers of objects. */
function writeAnswer(session: Session, writer: WireWriter, type: string, value: unknown): WireWriter {
  const [element = "", isList] = type.split(/[[\]]/u);
  if (HANDLES.has(element)) {
    const list = (isList === undefined ? [value] : value) as readonly (object | null)[];
    return writer.u32(FORM_HANDLES).bytes(
      numbers(
        list.map((object) => session.numberOf(object)),
        4,
      ),
    );
  }
  writer.u32(FORM_BYTES);
  const struct = STRUCTS[plainType(element)];
  if (struct !== undefined)
    return writer.bytes(
      joined((isList === undefined ? [value] : (value as readonly unknown[])).map((part) => struct(part as never))),
    );
  if (value instanceof Uint8Array) return writer.bytes(value);
  // Names in a list are one string for C, which ends with a zero even when there are none.
  if (element === "char")
    return writer.bytes(
      new TextEncoder().encode(`${Array.isArray(value) ? value.join(";") : ((value as string | null) ?? "")}\0`),
    );
  const size = SIZES[plainType(element)];
  if (size === undefined) throw new Error(`no size is known of ${type}`);
  if (isList === undefined) return writer.bytes(numbers([value], size));
  if (value === null) return writer.bytes(new Uint8Array(0));
  return writer.bytes(
    numbers(
      Array.isArray(value) || ArrayBuffer.isView(value)
        ? [...(value as Iterable<unknown>)]
        : propertyList(value as object),
      size,
    ),
  );
}

/** Name and type of a token; CL_INVALID_VALUE for one that the query does not answer. */
function tokenOf(call: string, number: number): { readonly name: never; readonly type: string } {
  const token = QUERIES[call]?.[number];
  if (token === undefined)
    throw new OpenCLError("CL_INVALID_VALUE", call, `0x${number.toString(16)} is no token of this query`);
  return { name: token.name as never, type: token.type };
}

/** Queries a token of the object that the first two numbers of a frame name. */
type Ask = (session: Session, first: number, second: number, token: never, reader: WireReader) => unknown;

function query(call: string, ask: Ask): Handler {
  return (session, reader, request) => {
    const first = reader.u32();
    const second = reader.u32();
    const { name, type } = tokenOf(call, reader.u32());
    session.reply(
      request.number,
      writeAnswer(session, new WireWriter(), type, ask(session, first, second, name, reader)),
    );
  };
}

/** What a native program can have of a device in another process (docs/decisions/034-native-clients.md). */
const WITHOUT_SHARING: Readonly<Record<string, unknown>> = {
  CL_DEVICE_SVM_CAPABILITIES: 0,
  CL_DEVICE_EXECUTION_CAPABILITIES: CL_EXEC_KERNEL,
};
/**
 * Extensions that the driver cannot offer: of shared memory, of calls that it does not have, of properties of contexts.
 */
const isGiven = (name: string): boolean =>
  !LACKING_EXTENSIONS.has(name) && name !== "cl_intel_unified_shared_memory" && name !== "cl_altera_compiler_mode";

/** A list of extensions as the driver offers it, by names or with versions, and what the driver adds. */
function extensions(
  token: string,
  value: unknown,
  added: readonly { readonly name: string; readonly version: number }[],
): unknown {
  if (token.endsWith("_EXTENSIONS"))
    return [
      ...added.map(({ name }) => name),
      ...(value as string).split(" ").filter((name) => name !== "" && isGiven(name)),
    ].join(" ");
  if (token.endsWith("_EXTENSIONS_WITH_VERSION"))
    return [...added, ...(value as typeof added).filter(({ name }) => isGiven(name))];
  return value;
}

function deviceInfo(device: Device, token: string): unknown {
  return extensions(
    token,
    token in WITHOUT_SHARING ? WITHOUT_SHARING[token] : clGetDeviceInfo(device, token as never),
    [],
  );
}

/** Loaders list only platforms that report the ICD extension. Version 1.0.0. */
const LOADABLE = [{ name: "cl_khr_icd", version: 1 << 22 }];

function platformInfo(platform: Platform, token: string): unknown {
  return extensions(token, clGetPlatformInfo(platform, token as never), LOADABLE);
}

const programQuery = query("clGetProgramInfo", (session, program, _, token) =>
  clGetProgramInfo(session.get(program, Program), token),
);
const PROGRAM_BINARIES = NAMES["CL_PROGRAM_BINARIES"];

/** Handlers of queries, by call. */
export const QUERY_HANDLERS: Readonly<Record<string, Handler>> = {
  clGetPlatformInfo: query("clGetPlatformInfo", (session, platform, _, token) =>
    platformInfo(session.get(platform, Platform), token),
  ),
  clGetDeviceInfo: query("clGetDeviceInfo", (session, device, _, token) =>
    deviceInfo(session.get(device, Device), token),
  ),
  clGetContextInfo: query("clGetContextInfo", (session, context, _, token) =>
    clGetContextInfo(session.get(context, Context), token),
  ),
  clGetCommandQueueInfo: query("clGetCommandQueueInfo", (session, queue, _, token) =>
    clGetCommandQueueInfo(session.get(queue, CommandQueue), token),
  ),
  clGetMemObjectInfo: query("clGetMemObjectInfo", (session, object, _, token) =>
    clGetMemObjectInfo(session.get(object, MemoryObject), token),
  ),
  clGetImageInfo: query("clGetImageInfo", (session, image, _, token) =>
    clGetImageInfo(session.get(image, Image), token),
  ),
  clGetPipeInfo: query("clGetPipeInfo", (session, pipe, _, token) =>
    clGetPipeInfo(session.get(pipe, ClBuffer) as never, token),
  ),
  clGetSamplerInfo: query("clGetSamplerInfo", (session, sampler, _, token) =>
    clGetSamplerInfo(session.get(sampler, Sampler), token),
  ),
  clGetProgramInfo: (session, reader, request) => {
    const probe = reader.peek(8);
    if (probe !== PROGRAM_BINARIES) {
      programQuery(session, reader, request);
      return;
    }
    const binaries = clGetProgramInfo(session.get(reader.u32(), Program), "CL_PROGRAM_BINARIES");
    const writer = new WireWriter().u32(binaries.length);
    for (const binary of binaries) writer.bytes(binary);
    session.reply(request.number, writer);
  },
  clGetProgramBuildInfo: query("clGetProgramBuildInfo", (session, program, device, token) =>
    clGetProgramBuildInfo(session.get(program, Program), session.get(device, Device), token),
  ),
  clGetKernelInfo: query("clGetKernelInfo", (session, kernel, _, token) =>
    clGetKernelInfo(session.get(kernel, Kernel), token),
  ),
  clGetKernelWorkGroupInfo: query("clGetKernelWorkGroupInfo", (session, number, device, token) => {
    const kernel = session.get(number, Kernel);
    return clGetKernelWorkGroupInfo(kernel, session.find(device, Device) ?? kernel.program.context.device, token);
  }),
  clGetKernelSubGroupInfo: query("clGetKernelSubGroupInfo", (session, number, device, token, reader) => {
    const kernel = session.get(number, Kernel);
    const input = reader.bytes();
    const view = new DataView(input.buffer, input.byteOffset, input.length);
    const sizes = Array.from({ length: Math.floor(input.length / 8) }, (_, index) =>
      Number(view.getBigUint64(index * 8, true)),
    );
    const value: unknown = clGetKernelSubGroupInfo(
      kernel,
      session.find(device, Device) ?? kernel.program.context.device,
      token,
      sizes,
    );
    const room = reader.u32();
    return Array.isArray(value) && room > 0 ? value.slice(0, room) : value;
  }),
  clGetKernelArgInfo: query("clGetKernelArgInfo", (session, kernel, index, token) =>
    clGetKernelArgInfo(session.get(kernel, Kernel), index, token),
  ),
  clGetEventInfo: query("clGetEventInfo", (session, event, _, token) =>
    clGetEventInfo(session.get(event, Event), token),
  ),
  clGetEventProfilingInfo: query("clGetEventProfilingInfo", (session, event, _, token) =>
    clGetEventProfilingInfo(session.get(event, Event), token),
  ),
};
