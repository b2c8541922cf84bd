// SPDX-License-Identifier: Apache-2.0
// Modules (`sycl::module`): images of the same functions in one state, with the members that the state allows.
import type { KernelInfo } from "@muxkit/compiler";

import type { Context } from "./context.ts";
import type { Device } from "./device.ts";
import { type DeviceImage, DeviceImageIterator, type ModuleState } from "./device-image.ts";
import { InvalidObject, KernelNotFound, SyclException, ensure } from "./exception.ts";
import type { ImageCode } from "./image-code.ts";
import type { PreparedLaunch } from "./prepared-launch.ts";
import {
  SpecConstant,
  type SpecConstantId,
  type SpecConstantValue,
  type SpecValues,
  checkValue,
} from "./spec-constant.ts";

export type { ModuleState };

/** What modules of all states have. @public */
export abstract class ModuleBase<State extends ModuleState> implements Iterable<DeviceImage<State>> {
  /** The state. */
  abstract readonly state: State;
  readonly #context: Context;
  readonly #images: readonly DeviceImage<State>[];
  /** Its specialization constants. @internal */
  readonly constants: readonly SpecConstantId[];
  /** The values that are set. @internal */
  readonly values: Map<SpecConstantId, SpecConstantValue>;

  /** Made by the functions that make modules. @internal */
  constructor(
    context: Context,
    images: readonly DeviceImage<State>[],
    constants: readonly SpecConstantId[],
    values: SpecValues,
  ) {
    this.#context = context;
    this.#images = images;
    this.constants = constants;
    this.values = new Map(values);
  }

  /** The context that it is bound to. */
  getContext(): Context {
    return this.#context;
  }

  /** The place of the first image. */
  begin(): DeviceImageIterator<State> {
    return new DeviceImageIterator(this.#images, 0);
  }

  /** The place behind the last image. */
  end(): DeviceImageIterator<State> {
    return new DeviceImageIterator(this.#images, this.#images.length);
  }

  /** Its images. */
  [Symbol.iterator](): Iterator<DeviceImage<State>> {
    return this.#images[Symbol.iterator]();
  }

  /** Its images as a list. */
  get images(): readonly DeviceImage<State>[] {
    return this.#images;
  }

  /** True without images. */
  get isEmpty(): boolean {
    return this.#images.length === 0;
  }

  /** True for a module of the same context in the same state with the same images, in any order. */
  equals(other: Module): boolean {
    if ((this as unknown) === other) return true;
    if (
      other.getContext() !== this.#context ||
      other.state !== this.state ||
      other.images.length !== this.#images.length
    )
      return false;
    const left: DeviceImage[] = [...other.images];
    for (const image of this.#images) {
      const index = left.findIndex((one) => image.equals(one));
      if (index < 0) return false;
      left.splice(index, 1);
    }
    return true;
  }

  /** True when it has specialization constants. */
  hasSpecConstant(): boolean {
    return this.constants.length > 0;
  }

  /** The value of a constant in this module: the one that is set, or the default. Error: invalid for another's. */
  getSpecConstant<T extends SpecConstantValue>(constant: SpecConstantId<T>): SpecConstant<T> {
    this.ensureConstant("getSpecConstant", constant);
    return new SpecConstant(constant, (this.values.get(constant) ?? constant.defaultValue) as T);
  }

  /** Throws for a constant that is not among the module's. @internal */
  ensureConstant(call: string, constant: SpecConstantId): void {
    ensure(
      this.constants.includes(constant),
      "invalid",
      call,
      () =>
        `the module has no specialization constant ${constant.name}; it has ` +
        (this.constants.length === 0 ? "none" : this.constants.map(({ name }) => name).join(", ")),
    );
  }
}

/** A module whose images are compiled before they run: `module<module_state::input>`. @public */
export class InputModule extends ModuleBase<"input"> {
  /** The state. */
  readonly state = "input";

  /**
   * Sets the value of a constant for what is compiled of the module from now on; returns the binding. Error: invalid
   * for another module's constant, and for a value that is none of its type.
   */
  setSpecConstant<T extends SpecConstantValue>(constant: SpecConstantId<T>, value: T): SpecConstant<T> {
    const call = "setSpecConstant";
    this.ensureConstant(call, constant);
    checkValue(call, constant, value);
    this.values.set(constant, value);
    return new SpecConstant(constant, value);
  }
}

/** A module whose images are compiled and not linked: `module<module_state::object>`. @public */
export class ObjectModule extends ModuleBase<"object"> {
  /** The state. */
  readonly state = "object";
}

/** Chooses an image of a module for a launch; it gets the places of the first image and behind the last. @public */
export type DeviceImageSelector = (
  start: DeviceImageIterator<"executable">,
  end: DeviceImageIterator<"executable">,
) => DeviceImage<"executable">;

/** What a kernel runs in an image. @internal */
export interface ImageKernel {
  readonly code: ImageCode;
  readonly info: KernelInfo;
  /** Constants that the launch passes as trailing arguments, in the order of the module. */
  readonly constants: readonly SpecConstantId[];
  /** Launches of late, the last one first. */
  readonly launches: PreparedLaunch[];
}

/** A module that can run: `module<module_state::executable>`. @public */
export class ExecutableModule extends ModuleBase<"executable"> {
  /** The state. */
  readonly state = "executable";
  readonly #kernels = new Map<string, Kernel>();
  /** What launches without a selector run, by device and name. */
  readonly #chosen = new Map<Device, Map<string, ImageKernel>>();
  /** Kernels of images, by name. */
  readonly #found = new Map<DeviceImage, Map<string, ImageKernel>>();

  /** True when an image has a kernel of this name. */
  hasKernel(name: string): boolean {
    return this.images.some(({ kernelNames }) => kernelNames.includes(name));
  }

  /** Names of the kernels of its images. */
  getKernelNames(): readonly string[] {
    return [...new Set(this.images.flatMap(({ kernelNames }) => kernelNames))];
  }

  /** A kernel. Error: kernel_not_found. */
  getKernel(name: string): Kernel {
    let kernel = this.#kernels.get(name);
    if (kernel === undefined) {
      this.ensureKernel("getKernel", name);
      kernel = new Kernel(this, name);
      this.#kernels.set(name, kernel);
    }
    return kernel;
  }

  /** Throws kernel_not_found unless there is a kernel of this name. @internal */
  ensureKernel(call: string, name: string): void {
    if (this.hasKernel(name)) return;
    const names = this.getKernelNames();
    throw new KernelNotFound(
      call,
      `the module has no kernel "${name}"; it has ${names.length === 0 ? "none" : names.join(", ")}`,
    );
  }

  /**
   * What a launch on a device runs: a kernel of the image that the selector chooses, or of the first that the device
   * takes. Errors: kernel_not_found; invalid_object for a selector's image that is not the module's or the device's.
   *
   * @internal
   */
  findKernel(call: string, name: string, device: Device, selector: DeviceImageSelector | null): ImageKernel {
    let chosen = this.#chosen.get(device);
    if (chosen === undefined) {
      chosen = new Map();
      this.#chosen.set(device, chosen);
    }
    const known = selector === null ? chosen.get(name) : undefined;
    if (known !== undefined) return known;
    this.ensureKernel(call, name);
    const found = this.#kernelOf(call, this.#imageFor(call, name, device, selector), name);
    if (selector === null) chosen.set(name, found);
    return found;
  }

  /** Values have changed: what was found before may be other code. @internal */
  forgetFound(): void {
    this.#chosen.clear();
    this.#found.clear();
  }

  #imageFor(
    call: string,
    name: string,
    device: Device,
    selector: DeviceImageSelector | null,
  ): DeviceImage<"executable"> {
    const runs = (image: DeviceImage): boolean =>
      (image.device === null || image.device === device) && image.kernelNames.includes(name);
    if (selector !== null) {
      const chosen = selector(this.begin(), this.end());
      if (!this.images.includes(chosen))
        throw new InvalidObject(call, "the selector returned an image that is not one of the module's");
      if (!runs(chosen))
        throw new InvalidObject(
          call,
          `the selector's image does not have the kernel "${name}" for ${device.info.deviceName}`,
        );
      return chosen;
    }
    const fitting = this.images.filter(runs);
    const image = this.values.size === 0 ? fitting[0] : (fitting.find(takesValues) ?? fitting[0]);
    if (image !== undefined) return image;
    throw new KernelNotFound(call, `no image of the module has the kernel "${name}" for ${device.info.deviceName}`);
  }

  #kernelOf(call: string, image: DeviceImage, name: string): ImageKernel {
    let kernels = this.#found.get(image);
    if (kernels === undefined) {
      kernels = new Map();
      this.#found.set(image, kernels);
    }
    let kernel = kernels.get(name);
    if (kernel === undefined) {
      kernel = this.#makeKernel(call, image, name);
      kernels.set(name, kernel);
    }
    return kernel;
  }

  #makeKernel(call: string, image: DeviceImage, name: string): ImageKernel {
    const { content } = image;
    const code =
      content.specialized !== null && this.values.size > 0 ? content.specialized(call, this.values) : content.code;
    const info = code?.find(name) ?? null;
    if (code === null || info === null) throw new KernelNotFound(call, `the image has no code of the kernel "${name}"`);
    const names = new Set(info.arguments.map((argument) => argument.name));
    return {
      code,
      info,
      launches: [],
      constants: content.constantsAreArguments ? this.constants.filter((one) => names.has(one.name)) : [],
    };
  }
}

/** True for images in which values of constants can be set. */
function takesValues({ content }: DeviceImage): boolean {
  return content.specialized !== null || content.constantsAreArguments;
}

/** A kernel of a module (`sycl::kernel`). @public */
export class Kernel {
  readonly #module: ExecutableModule;
  readonly #name: string;

  /** Made by {@link ExecutableModule.getKernel}. @internal */
  constructor(module: ExecutableModule, name: string) {
    this.#module = module;
    this.#name = name;
  }

  /** Its name. */
  get name(): string {
    return this.#name;
  }

  /** The module that has it. */
  getModule(): ExecutableModule {
    return this.#module;
  }

  /** The context of its module. */
  getContext(): Context {
    return this.#module.getContext();
  }

  /**
   * Facts: arguments without those of specialization constants, the work-group size that it requires, bytes of local
   * memory. Error: invalid for a name that there is not.
   */
  getInfo<Name extends keyof KernelFacts>(name: Name): KernelFacts[Name] {
    const found = this.#module.findKernel("getInfo", this.#name, this.getContext().device, null);
    const facts: KernelFacts = {
      function_name: this.#name,
      num_args: found.info.arguments.length - found.constants.length,
      attributes: found.info.attributes,
      compile_work_group_size: found.info.requiredWorkGroupSize,
      local_mem_size: found.info.localMemorySize,
      private_mem_size: found.info.privateMemorySize,
    };
    if (!Object.hasOwn(facts, name))
      throw new SyclException(
        "invalid",
        "getInfo",
        `kernels have no fact "${name}"; they have ${Object.keys(facts).join(", ")}`,
      );
    return facts[name];
  }
}

/** What `kernel.getInfo` answers. @public */
export interface KernelFacts {
  /** Its name. */
  readonly function_name: string;
  /** Arguments of a launch. */
  readonly num_args: number;
  /** Attributes, as the source writes them. */
  readonly attributes: string;
  /** The work-group size that it requires, in OpenCL's order; null: any. */
  readonly compile_work_group_size: readonly [number, number, number] | null;
  /** Bytes of local memory that it declares. */
  readonly local_mem_size: number;
  /** Bytes of private memory of a work-item. */
  readonly private_mem_size: number;
}

/** Modules by state. @public */
export interface ModuleByState {
  /** `module<module_state::input>`. */
  readonly input: InputModule;
  /** `module<module_state::object>`. */
  readonly object: ObjectModule;
  /** `module<module_state::executable>`. */
  readonly executable: ExecutableModule;
}

/** A module (`sycl::module`), with only the members that its state allows. @public */
export type Module<State extends ModuleState = ModuleState> = ModuleByState[State];

const CLASSES = { input: InputModule, object: ObjectModule, executable: ExecutableModule } as const;

/** Makes a module, which its context takes note of. */
export function makeModule<State extends ModuleState>(
  context: Context,
  state: State,
  images: readonly DeviceImage<State>[],
  constants: readonly SpecConstantId[] = [],
  values: SpecValues = new Map(),
): Module<State> {
  const Class = CLASSES[state] as unknown as new (
    context: Context,
    images: readonly DeviceImage<State>[],
    constants: readonly SpecConstantId[],
    values: SpecValues,
  ) => Module<State>;
  const module = new Class(context, images, constants, values);
  context.addModule(module, state);
  return module;
}
