// SPDX-License-Identifier: Apache-2.0
// Platforms and devices (`sycl::platform`, `sycl::device`): what the runtime's targets list, with their compilers.
import type { KernelInfo, Target } from "@muxkit/compiler";
import type { ReductionOperator, ScalarName } from "@muxkit/kernel-library";
import { type CompilerLibrary, NO_COMPILER, compilerForDevice } from "@muxkit/loader";
import { MuxAllocationCapabilities, type MuxDeviceInfo, MuxDeviceType, muxGetDeviceInfos } from "@muxkit/mux";

import type { Context } from "./context.ts";
import type { DeviceImage } from "./device-image.ts";
import { SyclException, ensure, fromMux } from "./exception.ts";
import type { ImageCode, LaunchVariants } from "./image-code.ts";
import type { ExecutableModule, ImageKernel, Module } from "./module.ts";
import { type RuntimeDevice, openDevice } from "./runtime-device.ts";

/** What compilers make of images. Programs that run executables only have none of it. @internal */
export interface Compiling {
  /** An executable module of an input module, or of an object module. */
  readonly executableOf: (module: Module<"input"> | Module<"object">) => ExecutableModule;
  /** The object image of a compiled program; null: its bytes are none. */
  readonly objectOf: (
    device: Device,
    bytes: Uint8Array,
    constantsAreArguments: boolean,
  ) => DeviceImage<"object"> | null;
  /** See compiler-code.ts. */
  readonly codeAnew: (
    call: string,
    device: Device,
    kernels: readonly KernelInfo[],
    features: readonly string[],
    ir: Uint8Array,
    binary: Uint8Array,
  ) => ImageCode | null;
  /** See finish-reduction.ts. */
  readonly finishingKernel: (
    call: string,
    context: Context,
    device: Device,
    scalar: ScalarName,
    operator: ReductionOperator,
  ) => ImageKernel;
  /** See compiler-code.ts. */
  readonly variantsOf: (device: Device, runtime: RuntimeDevice, ir: Uint8Array) => LaunchVariants | null;
}

let compilers: CompilerLibrary = NO_COMPILER;
let compiling: Compiling | null = null;

/** Sets where compilers come from, and what they make. */
export function useCompilers(library: CompilerLibrary, made: Compiling): void {
  compilers = library;
  compiling = made;
}

/** What a device can do, as SYCL's `aspect` calls it. @public */
export type Aspect =
  | "cpu"
  | "gpu"
  | "accelerator"
  | "fp16"
  | "fp64"
  | "atomic64"
  | "image"
  | "online_compiler"
  | "online_linker"
  | "queue_profiling"
  | "usm_device_allocations"
  | "usm_host_allocations"
  | "usm_shared_allocations";

const BITS_64 = 8;

const sharesMemory = ({ allocationCapabilities }: MuxDeviceInfo): boolean =>
  (allocationCapabilities & MuxAllocationCapabilities.coherent_host) !== 0;

const ASPECTS: Readonly<Record<Aspect, (device: Device) => boolean>> = {
  cpu: ({ info }) => info.deviceType === MuxDeviceType.cpu,
  gpu: ({ info }) =>
    (info.deviceType & (MuxDeviceType.gpu_discrete | MuxDeviceType.gpu_integrated | MuxDeviceType.gpu_virtual)) !== 0,
  accelerator: ({ info }) => info.deviceType === MuxDeviceType.accelerator,
  fp16: ({ info }) => info.halfCapabilities !== 0,
  fp64: ({ info }) => info.doubleCapabilities !== 0,
  atomic64: ({ info }) => (info.atomicCapabilities & BITS_64) !== 0,
  image: ({ info }) => info.imageSupport,
  online_compiler: (device) => device.compiler() !== null,
  online_linker: (device) => device.compiler() !== null,
  queue_profiling: () => true,
  usm_device_allocations: () => true,
  usm_host_allocations: ({ info }) => sharesMemory(info),
  usm_shared_allocations: ({ info }) => sharesMemory(info),
};

/** What `device.getInfo` answers. @public */
export interface DeviceInfo {
  /** What it calls itself. */
  readonly name: string;
  /** Who makes it. */
  readonly vendor: string;
  /** The version of OpenCL C that its compiler reads. */
  readonly version: string;
  /** Threads that share the work. */
  readonly max_compute_units: number;
  /** Work-items of a work-group at most. */
  readonly max_work_group_size: number;
  /** The same by dimension, the fastest one last. */
  readonly max_work_item_sizes: readonly [number, number, number];
  /** Bytes of memory. */
  readonly global_mem_size: number;
  /** Bytes of a buffer at most. */
  readonly max_mem_alloc_size: number;
  /** Bytes of local memory of a work-group. */
  readonly local_mem_size: number;
  /** Bytes that the beginning of a sub-buffer is a multiple of. */
  readonly mem_base_addr_align: number;
  /** Sizes of sub-groups. */
  readonly sub_group_sizes: readonly number[];
  /** Bytes of a vector register. */
  readonly native_vector_width: number;
  /** What it can do. */
  readonly aspects: readonly Aspect[];
}

const INFOS: { readonly [Name in keyof DeviceInfo]: (device: Device) => DeviceInfo[Name] } = {
  name: ({ info }) => info.deviceName,
  vendor: () => "Muxkit",
  version: () => "OpenCL C 3.0",
  max_compute_units: ({ info }) => info.computeUnits,
  max_work_group_size: ({ info }) => info.maxConcurrentWorkItems,
  max_work_item_sizes: ({ info }) => [info.maxWorkGroupSizeZ, info.maxWorkGroupSizeY, info.maxWorkGroupSizeX],
  global_mem_size: ({ info }) => info.memorySize,
  max_mem_alloc_size: ({ info }) => info.allocationSize,
  local_mem_size: ({ info }) => info.sharedLocalMemorySize,
  mem_base_addr_align: ({ info }) => info.bufferAlignment,
  sub_group_sizes: ({ info }) => info.subGroupSizes,
  native_vector_width: ({ info }) => info.nativeVectorWidth,
  aspects: (device) => (Object.keys(ASPECTS) as Aspect[]).filter((aspect) => device.has(aspect)),
};

/** A device (`sycl::device`). Each device of the runtime is one object. @public */
export class Device {
  /** The runtime's facts. @internal */
  readonly info: MuxDeviceInfo;
  #target: { readonly library: CompilerLibrary; readonly target: Target | null } | null = null;

  /** Made by {@link Platform.getDevices}. @internal */
  constructor(info: MuxDeviceInfo) {
    this.info = info;
  }

  /** All devices of all targets that are registered. */
  static getDevices(): readonly Device[] {
    return devices();
  }

  /** A fact. Error: invalid for a name that there is not. */
  getInfo<Name extends keyof DeviceInfo>(name: Name): DeviceInfo[Name] {
    ensure(
      Object.hasOwn(INFOS, name),
      "invalid",
      "getInfo",
      `devices have no fact "${name}"; they have ${Object.keys(INFOS).join(", ")}`,
    );
    return INFOS[name](this);
  }

  /** True when it can do something. Error: invalid for an aspect that there is not. */
  has(aspect: Aspect): boolean {
    ensure(
      Object.hasOwn(ASPECTS, aspect),
      "invalid",
      "has",
      `there is no aspect "${aspect}"; there are ${Object.keys(ASPECTS).join(", ")}`,
    );
    return ASPECTS[aspect](this);
  }

  /** The platform that has it. */
  getPlatform(): Platform {
    return PLATFORM;
  }

  /** Its compiler; null: there is none. @internal */
  compiler(): Target | null {
    if (this.#target?.library !== compilers) {
      const made = compilerForDevice(compilers, this.info)?.createContext().createTarget(this.info, null);
      this.#target = { library: compilers, target: made?.ok === true ? made.value : null };
    }
    return this.#target.target;
  }

  /** What its compiler makes; null: there is none. @internal */
  compiling(): Compiling | null {
    return this.compiler() === null ? null : compiling;
  }

  /** The open device of the runtime. @internal */
  open(call: string): RuntimeDevice {
    return openDevice(call, this.info);
  }
}

const DEVICES = new Map<MuxDeviceInfo["id"], Device>();

function devices(): readonly Device[] {
  return fromMux("getDevices", muxGetDeviceInfos(MuxDeviceType.all)).map((info) => {
    let device = DEVICES.get(info.id);
    if (device === undefined) {
      device = new Device(info);
      DEVICES.set(info.id, device);
    }
    return device;
  });
}

/** A set of devices (`sycl::platform`): there is one, with all targets. @public */
export class Platform {
  /** The platforms. */
  static getPlatforms(): readonly Platform[] {
    return [PLATFORM];
  }

  /** Its devices. */
  getDevices(): readonly Device[] {
    return devices();
  }

  /** A fact. */
  getInfo(name: "name" | "vendor" | "version"): string {
    return { name: "Muxkit", vendor: "Muxkit", version: "SYCL modules, revision 9" }[name];
  }
}

const PLATFORM = new Platform();

/** Scores a device: the highest is taken, one below zero never. @public */
export type DeviceSelector = (device: Device) => number;

/** What the runtime thinks best. @public */
export const defaultSelector: DeviceSelector = ({ info }) => 1 + info.devicePriority;

/** Processors only. @public */
export const cpuSelector: DeviceSelector = (device) => (device.has("cpu") ? defaultSelector(device) : -1);

/** GPUs only. @public */
export const gpuSelector: DeviceSelector = (device) => (device.has("gpu") ? defaultSelector(device) : -1);

/** Accelerators only. @public */
export const acceleratorSelector: DeviceSelector = (device) =>
  device.has("accelerator") ? defaultSelector(device) : -1;

/** Devices with all of these aspects. @public */
export function aspectSelector(...aspects: readonly Aspect[]): DeviceSelector {
  return (device) => (aspects.every((aspect) => device.has(aspect)) ? defaultSelector(device) : -1);
}

/** The device that a selector scores highest. Error: runtime where it takes none. @public */
export function selectDevice(selector: DeviceSelector = defaultSelector): Device {
  let [best, highest]: [Device | null, number] = [null, -1];
  const all = devices();
  for (const device of all) {
    const score = selector(device);
    if (score > highest) [best, highest] = [device, score];
  }
  if (best !== null) return best;
  throw new SyclException(
    "runtime",
    "selectDevice",
    all.length === 0
      ? "there is no device; register a target, or import muxkit/sycl, which registers the processor"
      : `the selector takes none of ${all.map(({ info }) => `"${info.deviceName}"`).join(", ")}`,
  );
}
