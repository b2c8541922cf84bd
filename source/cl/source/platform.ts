// SPDX-License-Identifier: Apache-2.0
// Platform, devices, contexts (OpenCL 3.0, 4).
import { InternalError } from "@muxkit/cargo";
import { type CompilerLibrary, NO_COMPILER, compilerForDevice } from "@muxkit/loader";
import type { Target } from "@muxkit/compiler";
import {
  DEFAULT_ALLOCATOR,
  type MuxDevice,
  type MuxDeviceInfo,
  MuxDeviceType,
  type MuxQueue,
  MuxQueueType,
  muxCreateDevices,
  muxDestroyDevice,
  muxGetDeviceInfos,
  muxGetQueue,
  muxGetSubDeviceInfo,
} from "@muxkit/mux";

import { type BuiltProgram, loadBinary } from "./built-program.ts";
import {
  COMPILER_MODE_PROPERTIES,
  type CompilerMode,
  compilerModeEdge,
  compilerModeOf,
  deviceWord,
  offlineDeviceName,
} from "./compiler-mode.ts";
import { OpenCLError, ensure } from "./error.ts";
import { fromMux, fromMuxResources } from "./from-mux.ts";
import {
  CL_CONTEXT_COMPILER_MODE_PRELOADED_BINARY_ONLY_ALTERA,
  CL_DEVICE_TYPE_ACCELERATOR,
  CL_DEVICE_TYPE_ALL,
  CL_DEVICE_TYPE_CPU,
  CL_DEVICE_TYPE_CUSTOM,
  CL_DEVICE_TYPE_DEFAULT,
  CL_DEVICE_TYPE_GPU,
} from "./generated/constants.ts";
import { type Memories, memoriesOf } from "./memories.ts";
import { ClObject, HOME_THREAD, callDestroyed, inspectAsLine } from "./object.ts";
import type { PendingList } from "./pending-list.ts";

/** The one platform. @public */
export class Platform {
  /** Keeps it in its thread, like every handle. */
  readonly homeThread: symbol = HOME_THREAD;
  /** CL_PLATFORM_NAME. */
  readonly name: string = "Muxkit";
  /** Name of the class, in programs that shorten names too. */
  readonly [Symbol.toStringTag]: string = "Platform";
  /** Of the package itself. @internal */
  compilers: CompilerLibrary = NO_COMPILER;
  #own: CompilerLibrary = NO_COMPILER;
  #added: CompilerLibrary = NO_COMPILER;
  /** By the name of the requested offline device; null: by themselves. */
  readonly #devices = new Map<string | null, Map<MuxDeviceInfo, Device>>();

  /** One line: what it is. */
  toString(): string {
    return `OpenCL platform ${this.name}`;
  }

  /** Compilers instead of those that were set before, or next to them. @internal */
  useCompilers(library: CompilerLibrary, isAdded: boolean): void {
    if (isAdded) this.#added = { compilers: [...new Set([...library.compilers, ...this.#added.compilers])] };
    else this.#own = library;
    this.compilers =
      this.#added.compilers.length === 0
        ? this.#own
        : { compilers: [...this.#added.compilers, ...this.#own.compilers] };
  }

  /** The devices of all targets that are registered now. @internal */
  devices(call: string): readonly Device[] {
    const offline = offlineDeviceName();
    // Where an offline device is requested there are no others.
    const known = this.#devices.get(offline) ?? new Map<MuxDeviceInfo, Device>();
    this.#devices.set(offline, known);
    return fromMux(call, muxGetDeviceInfos(MuxDeviceType.all)).map((info) => {
      const device =
        known.get(info) ?? (offline === null ? new Device(this, info) : new OfflineDevice(this, info, offline));
      known.set(info, device);
      return device;
    });
  }
}

inspectAsLine(Platform.prototype);

/** A device. Those of the platform live as long as the process. @public */
export class Device {
  /** Keeps it in its thread, like every handle. */
  readonly homeThread: symbol = HOME_THREAD;
  /** The platform. */
  readonly platform: Platform;
  /** The runtime's facts. */
  info: MuxDeviceInfo;
  /** The device that it is a part of; null for one of the platform. */
  readonly parent: Device | null;
  /** Name of the class, in programs that shorten names too. */
  readonly [Symbol.toStringTag]: string = "Device";
  /** Releases what queues keep of the runtime, and then calls; null: they keep nothing. @internal */
  closing: ((call: string, close: () => void) => void) | null = null;
  private runtime: { readonly device: MuxDevice; readonly queue: MuxQueue } | null = null;
  /** The compiler that was found, and where. */
  private target: { readonly library: CompilerLibrary; readonly target: Target | null } | null = null;

  /** What the runtime opens. */
  #opened: MuxDeviceInfo;
  /** Facts before threads were counted. */
  #first: MuxDeviceInfo | null = null;

  /** `opened` is the runtime's device where that has other facts. @internal */
  constructor(platform: Platform, info: MuxDeviceInfo, parent: Device | null = null, opened: MuxDeviceInfo = info) {
    this.platform = platform;
    this.info = info;
    this.parent = parent;
    this.#opened = opened;
  }

  /** One line: what it is. */
  toString(): string {
    return `OpenCL device ${this.info.deviceName}`;
  }

  /** True for a device that is not there, and whose kernels do nothing. @internal */
  get isOffline(): boolean {
    return this.parent?.isOffline ?? false;
  }

  /** CL_DEVICE_REFERENCE_COUNT: 1 for a device of the platform. */
  get referenceCount(): number {
    return 1;
  }

  /** Throws when it was released, which a device of the platform cannot be. @internal */
  check(_call: string): void {
    // It lives as long as the process.
  }

  /** One reference of the user more. @internal */
  retain(_call: string): void {
    // It has no count.
  }

  /** One reference of the user less. @internal */
  release(_call: string): void {
    // It has no count.
  }

  /** Something made of it needs it. @internal */
  use(): void {
    // It has no count.
  }

  /** The end of a {@link Device.use}. @internal */
  unuse(): void {
    // It has no count.
  }

  /** Closes the runtime's device, when it is open. @internal */
  protected close(call: string): void {
    const { runtime, closing } = this;
    this.runtime = null;
    this.closing = null;
    if (runtime === null) return;
    const destroy = (): void => {
      fromMux(call, muxDestroyDevice(runtime.device, DEFAULT_ALLOCATOR));
    };
    if (closing === null) destroy();
    else closing(call, destroy);
  }

  /** The open device and its queue. @internal */
  open(call: string): { readonly device: MuxDevice; readonly queue: MuxQueue } {
    if (this.runtime === null) {
      const [device] = fromMuxResources(call, muxCreateDevices([this.#opened], DEFAULT_ALLOCATOR));
      if (device === undefined)
        throw new OpenCLError("CL_OUT_OF_RESOURCES", call, `${this.info.deviceName} could not be opened`);
      this.runtime = { device, queue: fromMux(call, muxGetQueue(device, MuxQueueType.compute, 0)) };
    }
    return this.runtime;
  }

  /** Sets how many threads run its commands. Errors: CL_INVALID_OPERATION, CL_INVALID_VALUE. @internal */
  setThreads(call: string, count: number): void {
    const first = this.#first ?? this.info;
    ensure(this.runtime === null, "CL_INVALID_OPERATION", call, "the device is already in use");
    ensure(
      this.#opened === this.info && first.canPartition === true,
      "CL_INVALID_OPERATION",
      call,
      `the threads of ${first.deviceName} cannot be chosen`,
    );
    ensure(
      Number.isInteger(count) && count > 0 && count <= first.computeUnits,
      "CL_INVALID_VALUE",
      call,
      `the device has ${first.computeUnits} compute units, but ${count} threads are requested`,
    );
    this.#first = first;
    this.info = fromMux(call, muxGetSubDeviceInfo(first, count));
    this.#opened = this.info;
  }

  /** Its compiler; null: it runs binaries only. @internal */
  compiler(): Target | null {
    const { compilers } = this.platform;
    if (this.target?.library !== compilers) {
      const made = compilerForDevice(compilers, this.info)?.createContext().createTarget(this.info, null);
      this.target = { library: compilers, target: made?.ok === true ? made.value : null };
    }
    return this.target.target;
  }

  /** CL_DEVICE_TYPE of it. */
  get type(): number {
    const { deviceType } = this.info;
    if (deviceType === MuxDeviceType.cpu) return CL_DEVICE_TYPE_CPU;
    if (deviceType === MuxDeviceType.accelerator) return CL_DEVICE_TYPE_ACCELERATOR;
    return deviceType === MuxDeviceType.custom ? CL_DEVICE_TYPE_CUSTOM : CL_DEVICE_TYPE_GPU;
  }
}
inspectAsLine(Device.prototype);

/**
 * A device that is not there, emulated by one that is: everything is real but what its kernels do
 * (cl_altera_compiler_mode).
 */
class OfflineDevice extends Device {
  readonly #isKnown: boolean;

  constructor(platform: Platform, info: MuxDeviceInfo, name: string) {
    const isKnown = deviceWord(info.deviceName) === name;
    super(platform, isKnown ? info : { ...info, deviceName: `${name} : emulated by ${info.deviceName}` }, null, info);
    this.#isKnown = isKnown;
  }

  /** See {@link Device.isOffline}. */
  override get isOffline(): boolean {
    return true;
  }

  /** Unknown kinds are accelerators. */
  override get type(): number {
    return this.#isKnown ? super.type : CL_DEVICE_TYPE_ACCELERATOR;
  }
}

const PLATFORM = new Platform();

/**
 * Sets the platform's compilers, replacing those that were set before; without them devices run binaries only.
 *
 * @public
 */
export function setCompilers(library: CompilerLibrary): void {
  PLATFORM.useCompilers(library, false);
}

/**
 * Adds the compilers of a registered target to those that the platform has. For a device they are
 * asked first.
 *
 * @public
 */
export function addCompilers(library: CompilerLibrary): void {
  PLATFORM.useCompilers(library, true);
}

/** What devices were loaded with. */
const PRELOADED = new WeakMap<Device, Uint8Array>();

/**
 * Records what a device was loaded with: the program of contexts whose CL_CONTEXT_COMPILER_MODE_ALTERA is
 * CL_CONTEXT_COMPILER_MODE_PRELOADED_BINARY_ONLY_ALTERA and that are made from now on. Errors: CL_INVALID_DEVICE,
 * CL_INVALID_VALUE for no bytes.
 *
 * @public
 */
export function preloadBinary(device: Device, binary: Uint8Array): void {
  ensure(device instanceof Device, "CL_INVALID_DEVICE", "preloadBinary", "the value is not a device");
  ensure(
    binary instanceof Uint8Array && binary.length > 0,
    "CL_INVALID_VALUE",
    "preloadBinary",
    "the binary is not a non-empty Uint8Array",
  );
  PRELOADED.set(device, binary.slice());
}

/** What a device was loaded with; a part of a device has what that has. */
function preloadedBinary(call: string, device: Device): Uint8Array {
  for (let one: Device | null = device; one !== null; one = one.parent) {
    const binary = PRELOADED.get(one);
    if (binary !== undefined) return binary;
  }
  const found = compilerModeEdge()?.preloadedBinary();
  if (found?.ok === false) throw new OpenCLError("CL_DEVICE_NOT_AVAILABLE", call, found.error);
  if (found?.value instanceof Uint8Array) return found.value;
  throw new OpenCLError(
    "CL_DEVICE_NOT_AVAILABLE",
    call,
    `${device.info.deviceName} was not loaded with a program; call preloadBinary first, ` +
      "or set MUXKIT_PRELOADED_BINARY to a file",
  );
}

/** The platforms: one. @public */
export function clGetPlatformIDs(): readonly Platform[] {
  // The variable for it must be set before the platform is first called, so its later values do not count.
  offlineDeviceName();
  return [PLATFORM];
}

/**
 * The devices of the requested kinds. Errors: CL_INVALID_PLATFORM, CL_INVALID_DEVICE_TYPE, CL_DEVICE_NOT_FOUND.
 *
 * @public
 */
export function clGetDeviceIDs(platform: Platform, type: number): readonly Device[] {
  const call = "clGetDeviceIDs";
  ensure(platform instanceof Platform, "CL_INVALID_PLATFORM", call, "the value is not a platform");
  return findDevices(call, platform, type);
}

/** Bits of all kinds. */
const KNOWN_TYPES =
  CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;

function findDevices(call: string, platform: Platform, type: number): readonly Device[] {
  ensure(
    Number.isInteger(type) && type > 0 && (type === CL_DEVICE_TYPE_ALL || type <= KNOWN_TYPES),
    "CL_INVALID_DEVICE_TYPE",
    call,
    `${type} is not a device type`,
  );
  const all = platform.devices(call);
  const found = type === CL_DEVICE_TYPE_DEFAULT ? all.slice(0, 1) : all.filter((device) => (device.type & type) !== 0);
  ensure(found.length > 0, "CL_DEVICE_NOT_FOUND", call, "there is no device of this type; register a target first");
  return found;
}

/** Properties of a context. @public */
export interface ContextProperties {
  /** Its platform. */
  readonly CL_CONTEXT_PLATFORM?: Platform;
  /** Whether users order what several APIs do. */
  readonly CL_CONTEXT_INTEROP_USER_SYNC?: boolean;
  /**
   * One of CL_CONTEXT_COMPILER_MODE_OFFLINE_ALTERA and its like (cl_altera_compiler_mode); default: what the
   * environment variable of this name selects, else the first of them.
   */
  readonly CL_CONTEXT_COMPILER_MODE_ALTERA?: number;
  /**
   * The folder of the program library, relative to the current one; default: what the environment variable of this name
   * specifies, else `muxkit_program_library`.
   */
  readonly CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA?: string;
  /**
   * The device that is emulated: the value of the environment variable of this name when the platform was first called.
   */
  readonly CL_CONTEXT_OFFLINE_DEVICE_ALTERA?: string;
}

const CONTEXT_PROPERTIES: { readonly [Name in keyof ContextProperties]-?: (call: string, value: unknown) => void } = {
  CL_CONTEXT_PLATFORM: (call, value) => {
    ensure(value instanceof Platform, "CL_INVALID_PLATFORM", call, "CL_CONTEXT_PLATFORM is not a platform");
  },
  CL_CONTEXT_INTEROP_USER_SYNC: (call, value) => {
    ensure(
      typeof value === "boolean",
      "CL_INVALID_PROPERTY",
      call,
      () => `CL_CONTEXT_INTEROP_USER_SYNC is true or false, not ${String(value)}`,
    );
  },
  ...COMPILER_MODE_PROPERTIES,
};

function checkProperties(call: string, properties: ContextProperties | null): void {
  for (const [name, value] of Object.entries(properties ?? {})) {
    ensure(
      Object.hasOwn(CONTEXT_PROPERTIES, name),
      "CL_INVALID_PROPERTY",
      call,
      `${name} is not a property of contexts; the properties are ${Object.keys(CONTEXT_PROPERTIES).join(", ")}`,
    );
    CONTEXT_PROPERTIES[name as keyof ContextProperties](call, value);
  }
}

/** A queue, as far as its context needs it. @internal */
export interface ContextQueue {
  /** Where its commands gather; null: none do. */
  readonly pending: PendingList | null;
  /** Takes note of what is complete. */
  retire(): void;
  /** The same for its own commands, whatever they wait for. */
  retireOwn(event: null): void;
  /** Blocks until everything that was enqueued is complete. */
  finish(): void;
}

/** A context: devices that share objects. @public */
export class Context extends ClObject {
  /** The error for a released one. */
  protected readonly invalid = "CL_INVALID_CONTEXT";
  /** Kind, for messages. */
  protected readonly kind = "context";
  /** Its devices. */
  readonly devices: readonly Device[];
  /** Receives what belongs to no call. @internal */
  readonly notify: (message: string) => void;
  /** Its queues. @internal */
  readonly queues: Set<ContextQueue> = new Set();
  /** CL_CONTEXT_PROPERTIES. @internal */
  readonly properties: ContextProperties | null;
  /** How its programs are built. @internal */
  readonly compilerMode: CompilerMode;
  /** What the device was loaded with, where all programs are that; null elsewhere. @internal */
  readonly preloaded: BuiltProgram | null;
  /** The device that memory is taken from; those that share its memory see it too. @internal */
  readonly device: Device;
  /** Its memories; null: its devices share one. @internal */
  readonly memories: Memories | null;

  /** Of the package itself. @internal */
  constructor(
    call: string,
    devices: readonly Device[],
    notify: ((message: string) => void) | null,
    properties: ContextProperties | null = null,
    memories: Memories | null = null,
  ) {
    super();
    const home = memories?.home.device ?? devices[0];
    if (home === undefined) throw new InternalError("a context without a device", ["opencl"]);
    this.devices = devices;
    this.device = home;
    this.memories = memories;
    this.compilerMode = compilerModeOf(call, properties);
    this.preloaded =
      this.compilerMode.value === CL_CONTEXT_COMPILER_MODE_PRELOADED_BINARY_ONLY_ALTERA
        ? loadBinary(this.device, preloadedBinary(call, this.device), call)
        : null;
    for (const device of devices) device.use();
    this.properties = properties === null ? null : { ...properties };
    this.notify =
      notify ??
      ((message) => {
        console.warn(`muxkit: ${message}`);
      });
  }

  /** Releases what it holds. */
  protected free(): void {
    callDestroyed(this);
    this.preloaded?.free("clReleaseContext");
    for (const device of this.devices) device.unuse();
  }
}

/**
 * Makes a context of devices, of one memory or of several: memory objects go where commands use them. Memory of
 * clSVMAlloc and unified shared memory belong to one of the memories: that of the first device that shares the host's,
 * else of the first one. `notify` receives what belongs to no call, for example a command that failed and whose event
 * was never queried; without it the console does. Errors: CL_INVALID_VALUE without devices, CL_INVALID_DEVICE for what
 * is none, CL_INVALID_PROPERTY, CL_INVALID_PLATFORM.
 *
 * @public
 */
export function clCreateContext(
  devices: readonly Device[],
  notify: ((message: string) => void) | null = null,
  properties: ContextProperties | null = null,
): Context {
  const call = "clCreateContext";
  checkProperties(call, properties);
  ensure(devices.length > 0, "CL_INVALID_VALUE", call, "a context needs at least one device");
  const opened = [...new Set(devices)].map((device) => {
    ensure(device instanceof Device, "CL_INVALID_DEVICE", call, "the list contains a value that is not a device");
    device.check(call);
    return { device, runtime: device.open(call).device };
  });
  return new Context(
    call,
    opened.map(({ device }) => device),
    notify,
    properties,
    memoriesOf(opened),
  );
}

/**
 * Makes a context of the first device of a kind. Errors: CL_INVALID_PROPERTY, CL_INVALID_PLATFORM,
 * CL_INVALID_DEVICE_TYPE, CL_DEVICE_NOT_FOUND.
 *
 * @public
 */
export function clCreateContextFromType(
  type: number,
  notify: ((message: string) => void) | null = null,
  properties: ContextProperties | null = null,
): Context {
  const call = "clCreateContextFromType";
  checkProperties(call, properties);
  const devices = findDevices(call, properties?.CL_CONTEXT_PLATFORM ?? PLATFORM, type).slice(0, 1);
  for (const device of devices) device.open(call);
  return new Context(call, devices, notify, properties);
}
