// SPDX-License-Identifier: Apache-2.0
// Kernels and their arguments (OpenCL 3.0, 5.9).
import { bytesOf } from "@muxkit/cargo";
import { launchFacts } from "@muxkit/loader";
import type { ArgumentFact, ArgumentInfo, KernelInfo } from "@muxkit/compiler";
import { CHANNEL_ORDERS, CHANNEL_TYPES } from "@muxkit/libimg";
import {
  DEFAULT_ALLOCATOR,
  type MuxDescriptorInfo,
  MuxDescriptorType,
  type MuxImage,
  type MuxKernel,
  type MuxNDRangeOptions,
  muxCreateKernel,
  muxDestroyKernel,
} from "@muxkit/mux";

import { type Access, NO_ACCESSES, changes, reads } from "./access.ts";
import { Buffer } from "./buffer.ts";
import type { BuiltProgram } from "./built-program.ts";
import { CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY } from "./generated/constants.ts";
import { OpenCLError, ensure } from "./error.ts";
import { fromMux } from "./from-mux.ts";
import { Image, type ImageObjectType } from "./image.ts";
import type { KernelLaunch } from "./kernel-launch.ts";
import { type MemoryObject } from "./memory-object.ts";
import { ClObject, live } from "./object.ts";
import { Pipe, packetBytes } from "./pipe.ts";
import type { Device } from "./platform.ts";
import { Program } from "./program.ts";
import { Sampler } from "./sampler.ts";
import { formIn } from "./transfers.ts";

/** Local memory as argument: so many bytes for each work-group. @public */
export interface LocalMemory {
  /** Bytes, at least one. */
  readonly localBytes: number;
}

/**
 * What an argument can be: a buffer or null for a pointer to global or constant memory, a pipe, an image, a sampler,
 * local memory, the bytes of a value.
 *
 * @public
 */
export type ArgumentValue = Buffer | Image | Sampler | null | LocalMemory | ArrayBufferView;

/** An argument as it was set. @internal */
export interface SetArgument {
  /** What the runtime gets. */
  readonly descriptor: MuxDescriptorInfo;
  /** The buffer or image in it. */
  readonly buffer: MemoryObject | null;
  /** What code can be made for; absent: nothing. */
  readonly fact?: ArgumentFact;
}

/** Launches that a kernel remembers: loops that swap buffers need two. */
const REMEMBERED = 4;

/** A kernel with its arguments. @public */
export class Kernel extends ClObject {
  /** The error for a released one. */
  protected readonly invalid = "CL_INVALID_KERNEL";
  /** Kind, for messages. */
  protected readonly kind = "kernel";
  /** CL_KERNEL_PROGRAM. */
  readonly program: Program;
  /** Its metadata from the compiler. */
  readonly info: KernelInfo;
  /** By device: the runtime's kernel. Those that no queue has requested are not made. */
  readonly #forms = new Map<Device, MuxKernel>();
  /** Of the package itself. @internal */
  readonly arguments: (SetArgument | null)[];
  /** Launches of late, the last one first. @internal */
  readonly launches: KernelLaunch[] = [];

  /** Made by clCreateKernel. @internal */
  constructor(program: Program, info: KernelInfo) {
    super();
    this.program = program;
    this.info = info;
    this.arguments = info.arguments.map(() => null);
    program.attachedKernels++;
    program.use();
  }

  /** What traces call it. @internal */
  override get label(): string {
    return `kernel ${this.info.name}`;
  }

  /** The build for a device that has it. Errors: CL_INVALID_PROGRAM_EXECUTABLE. @internal */
  builtOn(call: string, device: Device): BuiltProgram {
    const { name } = this.info;
    const built = this.program.executable(call, device);
    ensure(
      this.#forms.has(device) || built.kernels.some((kernel) => kernel.name === name),
      "CL_INVALID_PROGRAM_EXECUTABLE",
      call,
      `the program for the device has no kernel "${name}"`,
    );
    return built;
  }

  /**
   * The generic code on a device, which is made when it is first requested. Errors: CL_INVALID_PROGRAM_EXECUTABLE,
   * CL_OUT_OF_RESOURCES.
   *
   * @internal
   */
  on(call: string, device: Device): MuxKernel {
    let form = this.#forms.get(device);
    if (form === undefined) {
      const { name } = this.info;
      const executable = this.builtOn(call, device).executableOf(call, name);
      form = fromMux(call, muxCreateKernel(executable.device, executable, name, DEFAULT_ALLOCATOR));
      this.#forms.set(device, form);
    }
    return form;
  }

  /** The compiler's metadata for it on a device: everything but the arguments may differ. @internal */
  infoOn(device: Device): KernelInfo {
    return this.program.devices.length === 1
      ? this.info
      : (this.program.executableFor(device)?.kernels.find(({ name }) => name === this.info.name) ?? this.info);
  }

  /**
   * A launch on a device that was prepared with these sizes and the arguments that are set now; null: there is none.
   *
   * @internal
   */
  findLaunch(
    device: Device,
    dimensions: number,
    globalOffset: readonly number[] | null,
    globalSize: readonly number[],
    localSize: readonly number[] | null,
  ): KernelLaunch | null {
    const { launches } = this;
    for (let i = 0; i < launches.length; i++) {
      const launch = launches[i] as KernelLaunch;
      if (launch.matches(device, this.arguments, dimensions, globalOffset, globalSize, localSize)) return launch;
    }
    return null;
  }

  /** Remembers a launch. @internal */
  remember(launch: KernelLaunch): void {
    this.launches.unshift(launch);
    if (this.launches.length > REMEMBERED) this.launches.pop()?.drop();
  }

  /** Releases what it holds. */
  protected free(): void {
    for (const launch of this.launches) launch.drop();
    for (const form of this.#forms.values())
      fromMux("clReleaseKernel", muxDestroyKernel(form.device, form, DEFAULT_ALLOCATOR));
    this.program.attachedKernels--;
    this.program.unuse();
  }
}

/** What of a kernel has to be the same on all devices: how many arguments, and of which types. */
function definitionOf({ arguments: list }: KernelInfo): string {
  return JSON.stringify(
    // Addresses have a size of their own on each device, and programs pass objects for them.
    list.map(({ kind, typeName, size, addressSpace, access }) => [
      kind,
      typeName,
      kind === "value" ? size : 0,
      addressSpace,
      access,
    ]),
  );
}

/** The executables of a program: parts of a device have that of the device. */
function builds(program: Program): readonly BuiltProgram[] {
  return [...new Set(program.builtDevices.flatMap((device) => program.executableFor(device) ?? []))];
}

/** A kernel as each device has it that it was built for. */
function definitions(program: Program, name: string): readonly KernelInfo[] {
  return builds(program).flatMap(({ kernels }) => kernels.filter((kernel) => kernel.name === name));
}

function isOneDefinition(list: readonly KernelInfo[]): boolean {
  return new Set(list.map(definitionOf)).size <= 1;
}

/**
 * Makes a kernel of a built program. Errors: CL_INVALID_PROGRAM, CL_INVALID_VALUE for no name,
 * CL_INVALID_PROGRAM_EXECUTABLE before a build, CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION when it takes
 * other arguments on one device than on another.
 *
 * @public
 */
export function clCreateKernel(program: Program, name: string): Kernel {
  const call = "clCreateKernel";
  live(program, Program, "CL_INVALID_PROGRAM", call);
  ensure(typeof name === "string", "CL_INVALID_VALUE", call, "the name is not a string");
  return makeKernel(call, program, name);
}

/** Makes a kernel of a program that may have been released, where something still needs it. */
function makeKernel(call: string, program: Program, name: string): Kernel {
  const { kernels } = program.executable(call);
  const known = definitions(program, name);
  const [info] = known;
  if (info === undefined) {
    const others =
      kernels.length === 0 ? "it has no kernels" : `it has ${kernels.map((kernel) => kernel.name).join(", ")}`;
    throw new OpenCLError("CL_INVALID_KERNEL_NAME", call, `the program has no kernel "${name}"; ${others}`);
  }
  ensure(
    isOneDefinition(known),
    "CL_INVALID_KERNEL_DEFINITION",
    call,
    `the kernel "${name}" does not take the same arguments on all devices that it was built for`,
  );
  return new Kernel(program, info);
}

/**
 * Makes a kernel for each one of a built program that takes the same arguments on all devices. Errors:
 * CL_INVALID_PROGRAM, CL_INVALID_PROGRAM_EXECUTABLE.
 *
 * @public
 */
export function clCreateKernelsInProgram(program: Program): readonly Kernel[] {
  const call = "clCreateKernelsInProgram";
  live(program, Program, "CL_INVALID_PROGRAM", call);
  program.executable(call);
  const names = new Set(builds(program).flatMap(({ kernels }) => kernels.map(({ name }) => name)));
  return [...names]
    .filter((name) => isOneDefinition(definitions(program, name)))
    .map((name) => clCreateKernel(program, name));
}

/** Makes a copy with the same arguments set. Errors: CL_INVALID_KERNEL. @public */
export function clCloneKernel(kernel: Kernel): Kernel {
  const call = "clCloneKernel";
  live(kernel, Kernel, "CL_INVALID_KERNEL", call);
  const copy = makeKernel(call, kernel.program, kernel.info.name);
  for (const [i, argument] of kernel.arguments.entries()) copy.arguments[i] = argument;
  return copy;
}

function isLocalMemory(value: ArgumentValue): value is LocalMemory {
  return typeof value === "object" && value !== null && "localBytes" in value;
}

function described(index: number, { name, typeName, kind }: ArgumentInfo): string {
  return `argument ${index} (${kind === "local" ? "local " : ""}${typeName} ${name})`;
}

/** Null for a pointer. */
export const NULL_ARGUMENT: SetArgument = { descriptor: { type: MuxDescriptorType.null_buffer }, buffer: null };
/** A buffer is always the same argument, so that launches with the same arguments are recognised. */
const AS_ARGUMENT = new WeakMap<Buffer, SetArgument>();

function bufferArgument(buffer: Buffer): SetArgument {
  let argument = AS_ARGUMENT.get(buffer);
  if (argument === undefined) {
    argument = { descriptor: { type: MuxDescriptorType.buffer, buffer: buffer.buffer, offset: 0 }, buffer };
    AS_ARGUMENT.set(buffer, argument);
  }
  return argument;
}

function isSameValue(argument: SetArgument | null | undefined, bytes: Uint8Array): argument is SetArgument {
  const descriptor = argument?.descriptor;
  return (
    descriptor?.type === MuxDescriptorType.plain_old_data &&
    descriptor.data.length === bytes.length &&
    descriptor.data.every((byte, i) => byte === bytes[i])
  );
}

/** A kernel with arguments: those of the kernel itself, or a command's own. @internal */
export type KernelState = Pick<Kernel, "program" | "info" | "infoOn" | "builtOn" | "on" | "arguments">;

type SetByKind = (
  call: string,
  kernel: KernelState,
  index: number,
  argument: ArgumentInfo,
  value: ArgumentValue,
) => SetArgument;

const SETTERS: Readonly<Record<ArgumentInfo["kind"], SetByKind>> = {
  pointer: (call, kernel, index, argument, value) => {
    ensure(
      value === null || (value instanceof Buffer && !(value instanceof Pipe)),
      "CL_INVALID_ARG_VALUE",
      call,
      () => `${described(index, argument)} requires a buffer or null`,
    );
    if (value === null) return NULL_ARGUMENT;
    value.check(call);
    ensure(
      value.context === kernel.program.context,
      "CL_INVALID_MEM_OBJECT",
      call,
      () => `the buffer for ${described(index, argument)} belongs to another context`,
    );
    return bufferArgument(value);
  },
  local: (call, _kernel, index, argument, value) => {
    ensure(
      isLocalMemory(value),
      "CL_INVALID_ARG_VALUE",
      call,
      () => `${described(index, argument)} requires an object { localBytes }`,
    );
    ensure(
      Number.isSafeInteger(value.localBytes) && value.localBytes > 0,
      "CL_INVALID_ARG_SIZE",
      call,
      () => `${described(index, argument)} requires at least one byte, not ${value.localBytes}`,
    );
    return { descriptor: { type: MuxDescriptorType.shared_local_buffer, size: value.localBytes }, buffer: null };
  },
  value: (call, kernel, index, argument, value) => {
    ensure(
      ArrayBuffer.isView(value),
      "CL_INVALID_ARG_VALUE",
      call,
      () => `${described(index, argument)} requires its bytes as a typed array`,
    );
    ensure(
      value.byteLength === argument.size,
      "CL_INVALID_ARG_SIZE",
      call,
      () => `${described(index, argument)} has ${argument.size} bytes, not ${value.byteLength}`,
    );
    const bytes = bytesOf(value);
    const before = kernel.arguments[index];
    return isSameValue(before, bytes)
      ? before
      : { descriptor: { type: MuxDescriptorType.plain_old_data, data: bytes.slice() }, buffer: null };
  },
  pipe: (call, kernel, index, argument, value) => {
    ensure(value instanceof Pipe, "CL_INVALID_ARG_VALUE", call, () => `${described(index, argument)} requires a pipe`);
    value.check(call);
    ensure(
      value.context === kernel.program.context,
      "CL_INVALID_MEM_OBJECT",
      call,
      () => `the pipe for ${described(index, argument)} belongs to another context`,
    );
    // The argument is a memory object and has the size of one: the value is what is wrong.
    const bytes = packetBytes(argument.typeName) ?? value.packetSize;
    ensure(
      value.packetSize === bytes,
      "CL_INVALID_ARG_VALUE",
      call,
      () =>
        `${described(index, argument)} has packets of ${bytes} bytes, but the packets of the ` +
        `pipe have ${value.packetSize}`,
    );
    return bufferArgument(value);
  },
  image: (call, kernel, index, argument, value) => {
    ensure(
      value instanceof Image,
      "CL_INVALID_ARG_VALUE",
      call,
      () => `${described(index, argument)} requires an image`,
    );
    value.check(call);
    ensure(
      value.context === kernel.program.context,
      "CL_INVALID_MEM_OBJECT",
      call,
      () => `the image for ${described(index, argument)} belongs to another context`,
    );
    const problem = misfit(argument, value);
    ensure(problem === null, "CL_INVALID_ARG_VALUE", call, () => `${described(index, argument)} ${problem ?? ""}`);
    const { order, type } = value.layout.format;
    return {
      descriptor: { type: MuxDescriptorType.image, image: value.image },
      buffer: value,
      fact: { kind: "image", order: CHANNEL_ORDERS[order].code, channelType: CHANNEL_TYPES[type].code },
    };
  },
  sampler: (call, kernel, index, argument, value) => {
    ensure(
      value instanceof Sampler,
      "CL_INVALID_SAMPLER",
      call,
      () => `${described(index, argument)} requires a sampler`,
    );
    value.check(call);
    ensure(
      value.context === kernel.program.context,
      "CL_INVALID_SAMPLER",
      call,
      () => `the sampler for ${described(index, argument)} belongs to another context`,
    );
    return {
      descriptor: { type: MuxDescriptorType.sampler, sampler: value.sampler },
      buffer: null,
      fact: { kind: "sampler", bits: value.bits },
    };
  },
};

/** Types of images by the kernel's words. */
const IMAGE_WORDS: ReadonlyMap<string, readonly [type: ImageObjectType, isDepth: boolean]> = new Map([
  ["image1d_t", ["CL_MEM_OBJECT_IMAGE1D", false]],
  ["image1d_array_t", ["CL_MEM_OBJECT_IMAGE1D_ARRAY", false]],
  ["image1d_buffer_t", ["CL_MEM_OBJECT_IMAGE1D_BUFFER", false]],
  ["image2d_t", ["CL_MEM_OBJECT_IMAGE2D", false]],
  ["image2d_array_t", ["CL_MEM_OBJECT_IMAGE2D_ARRAY", false]],
  ["image2d_depth_t", ["CL_MEM_OBJECT_IMAGE2D", true]],
  ["image2d_array_depth_t", ["CL_MEM_OBJECT_IMAGE2D_ARRAY", true]],
  ["image3d_t", ["CL_MEM_OBJECT_IMAGE3D", false]],
]);

/**
 * Why an argument cannot be this image; null: it can. A type that the kernel calls by a name of its own is not looked
 * at.
 */
function misfit({ typeName, access }: ArgumentInfo, image: Image): string | null {
  const [type, isDepth] = IMAGE_WORDS.get(typeName) ?? [image.type, image.layout.format.order === "DEPTH"];
  if (type !== image.type) return `requires an image of type ${type}, not ${image.type}`;
  if (isDepth !== (image.layout.format.order === "DEPTH"))
    return isDepth ? "requires an image of CL_DEPTH" : "does not accept an image of CL_DEPTH";
  if ((image.flags & CL_MEM_WRITE_ONLY) !== 0 && access !== "write_only") return "is read, but the image is write-only";
  return (image.flags & CL_MEM_READ_ONLY) !== 0 && access !== "read_only"
    ? "is written, but the image is read-only"
    : null;
}

/** The compiler's metadata for an argument; CL_INVALID_ARG_INDEX when there is no such argument. */
export function argumentInfo(call: string, { info }: KernelState, index: number): ArgumentInfo {
  const argument = info.arguments[index];
  if (argument === undefined)
    throw new OpenCLError(
      "CL_INVALID_ARG_INDEX",
      call,
      `the kernel "${info.name}" has ${info.arguments.length} arguments; there is no argument ${index}`,
    );
  return argument;
}

/**
 * Sets an argument; its bytes are copied at the call. Errors: CL_INVALID_KERNEL, CL_INVALID_ARG_INDEX,
 * CL_INVALID_ARG_VALUE for the wrong kind and a pipe of other packets, CL_INVALID_ARG_SIZE, CL_INVALID_MEM_OBJECT for a
 * buffer or image that was released or is another context's, CL_INVALID_SAMPLER.
 *
 * @public
 */
export function clSetKernelArg(kernel: Kernel, index: number, value: ArgumentValue): void {
  const call = "clSetKernelArg";
  live(kernel, Kernel, "CL_INVALID_KERNEL", call);
  setArgument(call, kernel, index, value);
}

/** Sets an argument. Errors: those of {@link clSetKernelArg} except for the kernel. */
export function setArgument(call: string, kernel: KernelState, index: number, value: ArgumentValue): void {
  const argument = argumentInfo(call, kernel, index);
  kernel.arguments[index] = SETTERS[argument.kind](call, kernel, index, argument, value);
}

/**
 * Which bytes a launch uses, in a context of several memories. A kernel reads what its arguments name, and changes it
 * unless the kernel or the object says that it does not.
 */
export function accessesOf({ program: { context }, info, arguments: list }: KernelState): readonly Access[] {
  if (context.memories === null) return NO_ACCESSES;
  return list.flatMap((argument, index): readonly Access[] => {
    const object = argument?.buffer ?? null;
    const declared = info.arguments[index];
    if (object === null || declared === undefined) return [];
    const isRead =
      declared.kind === "image"
        ? declared.access === "read_only"
        : declared.isConst || declared.addressSpace === "constant";
    const isOnlyRead = (isRead && declared.kind !== "pipe") || (object.flags & CL_MEM_READ_ONLY) !== 0;
    return [isOnlyRead ? reads(object) : changes(object)];
  });
}

/** What the runtime gets for an argument on a device: objects are others in each memory. */
function descriptorOn(call: string, { descriptor, buffer: object }: SetArgument, device: Device): MuxDescriptorInfo {
  const { memories } = object?.context ?? { memories: null };
  if (object === null || memories === null) return descriptor;
  const memory = memories.of(device);
  if (memory === memories.home) return descriptor;
  ensure(
    !(object instanceof Buffer && object.isPointed),
    "CL_INVALID_OPERATION",
    call,
    () =>
      `${device.info.deviceName} cannot reach shared virtual or unified shared memory of this context, which belongs ` +
      `to ${memories.home.device.info.deviceName}; pass a buffer instead`,
  );
  const form = formIn(call, object, memory);
  if (descriptor.type === MuxDescriptorType.image) return { ...descriptor, image: form as MuxImage };
  return descriptor.type === MuxDescriptorType.buffer ? { ...descriptor, buffer: form } : descriptor;
}

/**
 * The arguments as they are now, for a launch. Errors: CL_INVALID_KERNEL_ARGS when one is not set,
 * CL_INVALID_MEM_OBJECT when a buffer was released.
 */
export function argumentsOf(
  call: string,
  kernel: KernelState,
  device: Device,
): {
  readonly descriptors: readonly MuxDescriptorInfo[];
  readonly buffers: readonly MemoryObject[];
  readonly localBytes: number;
} {
  const descriptors: MuxDescriptorInfo[] = [];
  const buffers: MemoryObject[] = [];
  let localBytes = 0;
  for (let i = 0; i < kernel.arguments.length; i++) {
    const argument = kernel.arguments[i];
    if (argument === null || argument === undefined) {
      const info = kernel.info.arguments[i];
      throw new OpenCLError(
        "CL_INVALID_KERNEL_ARGS",
        call,
        `${info === undefined ? `argument ${i}` : described(i, info)} of the kernel "${kernel.info.name}" is not set`,
      );
    }
    if (argument.buffer !== null) argument.buffer.check(call);
    descriptors.push(argument.buffer === null ? argument.descriptor : descriptorOn(call, argument, device));
    if (argument.descriptor.type === MuxDescriptorType.shared_local_buffer)
      localBytes += Math.ceil(argument.descriptor.size / LOCAL_ALIGNMENT) * LOCAL_ALIGNMENT;
    if (argument.buffer === null) continue;
    buffers.push(argument.buffer);
  }
  return { descriptors, buffers, localBytes };
}

/**
 * Work-items of the largest group that a kernel runs in on a device. Where code is made for the launches that need it,
 * none is made to ask it: it runs in any group of the device.
 */
export function largestGroup(call: string, kernel: KernelState, device: Device): number {
  const { maxConcurrentWorkItems: most } = device.info;
  if (device.compiler()?.info.makesKernelsLate === true) return most;
  return kernel.on(call, device).maxWorkItems ?? most;
}

/** Code for a launch. */
export interface CodeForLaunch {
  readonly code: MuxKernel;
  /** The next launch like it has the same. */
  readonly isFinal: boolean;
  /** What the runtime gets: with other code for the rest of a launch that takes long, where there may be some. */
  readonly options: MuxNDRangeOptions;
}

/**
 * The code for a launch: the generic kernel, or a variant for its local size, samplers and image formats. `isFinal`:
 * the next launch like it has the same.
 */
export function codeFor(call: string, kernel: KernelState, device: Device, options: MuxNDRangeOptions): CodeForLaunch {
  const { name } = kernel.info;
  const built = kernel.builtOn(call, device);
  const { variants } = built;
  if (variants === null) return { code: kernel.on(call, device), isFinal: true, options };
  const { code, isFinal, successor } = variants.find(
    name,
    launchFacts(
      options,
      kernel.arguments.map((argument) => argument?.fact ?? null),
    ),
    options.globalSize.reduce((product, size) => product * size, 1),
    built.hasCode(name),
  );
  return {
    code: code ?? kernel.on(call, device),
    isFinal,
    options: successor === undefined ? options : { ...options, successor },
  };
}

/** Local arguments begin at multiples of the largest type's size. */
const LOCAL_ALIGNMENT = 128;
