// SPDX-License-Identifier: Apache-2.0
// Translated files: their kernels and their module, `thisModule`.
//
// A dispatch of such a kernel finds its image in five steps, for the context of the queue:
//   1. an executable module of the file with the kernel;
//   2. else its object module, linked;
//   3. else its input module, built;
//   4. else kernel_not_found is thrown;
//   5. the kernel of what was found is launched.
// What was linked or built is kept for the context.
import {
  type KernelParameter,
  type ScalarName,
  type ScalarType,
  type ScalarValue,
  type TranslatedKernel,
  type TranslatedUnit,
  runOnHost,
} from "@muxkit/kernel-library";

import type { Context } from "./context.ts";
import { DeviceImage, type ModuleState, content } from "./device-image.ts";
import { KernelNotFound, SyclException, ensure } from "./exception.ts";
import { imagesOfExecutable } from "./executable-image.ts";
import { type ExecutableModule, type Module, makeModule } from "./module.ts";
import type { KernelArgument } from "./kernel-arguments.ts";
import { NdRange, type Range } from "./range.ts";
import { type SpecConstant, SpecConstantId } from "./spec-constant.ts";

/** The module of a translated file (`sycl::this_module`). @public */
export interface ThisModule {
  /**
   * The images of a state that the file has for a context; empty where it has none. The same object for the same
   * context and state, as long as something refers to it.
   */
  get<State extends ModuleState>(context: Context, state: State): Module<State>;
  /** True when the file has an image in any state for a context. */
  hasAnyModule(context: Context): boolean;
  /** True when the file has an image in a state for a context. */
  hasModuleIn(context: Context, state: ModuleState): boolean;
}

/** What is passed for a parameter of a kernel: numbers for numbers, memory for the rest. @public */
export type PassedFor<T> = T extends boolean
  ? boolean
  : T extends number
    ? number | SpecConstant
    : T extends bigint
      ? bigint | SpecConstant
      : Exclude<KernelArgument, number | bigint | boolean>;

/** The arguments of a launch of a function: its parameters but the item. @public */
export type PassedTo<P extends readonly unknown[]> = P extends readonly [{ getLinearId(): unknown }, ...infer Rest]
  ? { [I in keyof Rest]: PassedFor<Rest[I]> }
  : { [I in keyof P]: PassedFor<P[I]> };

/** A kernel of a translated file; `Passed` are the arguments of a launch. @public */
export class UnitKernel<Passed extends readonly unknown[] = readonly KernelArgument[]> {
  readonly #unit: Unit | null;
  readonly #kernel: TranslatedKernel | null;
  /** The function, as it was written or as the translator has it for the host. */
  readonly function: ((...values: never[]) => unknown) | null;
  /** What runs it on the host: bundles without functions have nothing of it. */
  readonly #run: typeof runOnHost | null;
  /** The arguments of a launch, for the checker alone. */
  declare readonly passed?: (passed: Passed) => Passed;

  /** Made by {@link Unit.kernel} and {@link kernel}. @internal */
  constructor(
    unit: Unit | null,
    translated: TranslatedKernel | null,
    body: ((...values: never[]) => unknown) | null,
    run: typeof runOnHost | null,
  ) {
    this.#unit = unit;
    this.#kernel = translated;
    this.function = body;
    this.#run = run;
  }

  /** Its name; that of the function where it was not translated. */
  get name(): string {
    return this.#kernel?.name ?? this.function?.name ?? "";
  }

  /** Its name in OpenCL C. @internal */
  get entry(): string {
    return this.#translated("parallelFor").kernel.entry;
  }

  /** Its parameters. @internal */
  get parameters(): readonly KernelParameter[] {
    return this.#translated("parallelFor").kernel.parameters;
  }

  #translated(call: string): { readonly unit: Unit; readonly kernel: TranslatedKernel } {
    const [unit, translated] = [this.#unit, this.#kernel];
    if (unit !== null && translated !== null) return { unit, kernel: translated };
    throw new SyclException(
      "kernel_not_supported",
      call,
      `the kernel "${this.name}" was not translated: ${HOW_TO_TRANSLATE}; kernel.runOnHost runs it in this thread`,
    );
  }

  /** The module that it is found in by the five steps. Errors: kernel_not_found. @internal */
  findModule(call: string, context: Context): ExecutableModule {
    return this.#translated(call).unit.findModule(call, context, this.entry);
  }

  /**
   * Runs the function in this thread, for each place of a range: for debugging. Arguments are what the function takes:
   * typed arrays for memory. Error: invalid where the function is not there.
   */
  runOnHost(places: Range | NdRange, ...values: readonly unknown[]): void {
    ensure(
      this.function !== null && this.#run !== null,
      "invalid",
      "runOnHost",
      `the function of the kernel "${this.name}" was left out by the plugin`,
    );
    const isGrouped = places instanceof NdRange;
    const launch = isGrouped
      ? { range: places.global.sizes, localRange: places.local.sizes, offset: places.offset.sizes }
      : { range: places.sizes };
    const { item = isGrouped ? "nd-item" : "item", subGroupSize } = this.#kernel ?? {};
    this.#run(this.function, item, subGroupSize === undefined ? launch : { ...launch, subGroupSize }, values);
  }
}

const HOW_TO_TRANSLATE = "use the plugin for esbuild or Vite, or start Node with --import muxkit/sycl/register";

/** What is known of a kernel's launches. @public */
export interface KernelOptions {
  /** Items of its work-groups in each dimension: no other launch is possible. It must be constant. */
  readonly groupSize?: readonly number[];
  /** Items of its sub-groups. It must be constant. */
  readonly subGroupSize?: number;
}

/**
 * A kernel: a function of a translated file. Translators put the translated kernel in the place of the call; a launch
 * of one that was not translated says so, and how to.
 *
 * @public
 */
export function kernel<P extends readonly unknown[]>(
  body: (...values: P) => void,
  _options: KernelOptions = {},
): UnitKernel<PassedTo<P>> {
  return new UnitKernel(null, null, body, runOnHost);
}

/**
 * A specialization constant of a translated file: `.value` in kernels. Its value is set in modules of the file.
 *
 * @public
 */
export function specConstant<Name extends ScalarName>(
  type: ScalarType<Name>,
  value?: number | bigint | boolean,
): SpecConstantId<ScalarValue<Name>> {
  return new SpecConstantId<ScalarValue<Name>>("constant", type.name, value as ScalarValue<Name>);
}

/** What is kept for a context. */
interface UnitModules {
  readonly input: Module<"input">;
  readonly object: Module<"object">;
  readonly executable: Module<"executable">;
  /** What a dispatch has linked or built; null: nothing yet. */
  made: ExecutableModule | null;
}

function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.codePointAt(0) ?? 0);
}

/** A translated file. @public */
export class Unit {
  /** `thisModule` of the file. */
  readonly module: ThisModule;
  readonly #unit: TranslatedUnit;
  readonly #constants: readonly SpecConstantId[];
  readonly #modules = new WeakMap<Context, UnitModules>();

  /** Made by {@link translationUnit}. @internal */
  constructor(unit: TranslatedUnit) {
    this.#unit = unit;
    this.#constants = unit.specConstants.map(
      ({ name, type, value, macro }) =>
        new SpecConstantId(
          name,
          type.name,
          typeof value === "string" ? BigInt(value) : constantValue(type.name, value),
          { macro },
        ),
    );
    this.module = {
      get: <State extends ModuleState>(context: Context, state: State) =>
        this.#of(context)[checkState("get", state)] as Module<State>,
      hasAnyModule: (context) => STATES.some((state) => !this.#of(context)[state].isEmpty),
      hasModuleIn: (context, state) => !this.#of(context)[checkState("hasModuleIn", state)].isEmpty,
    };
  }

  /** A kernel, by its name in the file, and what runs its function on the host. Error: kernel_not_found. */
  kernel(
    name: string,
    body: ((...values: never[]) => unknown) | null = null,
    run: typeof runOnHost | null = null,
  ): UnitKernel {
    const found = this.#unit.kernels.find((one) => one.name === name);
    if (found !== undefined) return new UnitKernel(this, found, body, run);
    throw new KernelNotFound(
      "kernel",
      `${this.#unit.name} has no kernel "${name}"; it has ${this.#unit.kernels.map((one) => one.name).join(", ")}`,
    );
  }

  /** A specialization constant, by its name in the file. Error: invalid. */
  specConstant(name: string): SpecConstantId {
    const found = this.#constants.find((constant) => constant.name === name);
    if (found !== undefined) return found;
    throw new SyclException("invalid", "specConstant", `${this.#unit.name} has no specialization constant "${name}"`);
  }

  /** See the file's head. @internal */
  findModule(call: string, context: Context, entry: string): ExecutableModule {
    const modules = this.#of(context);
    if (modules.executable.hasKernel(entry)) return modules.executable;
    if (modules.made?.hasKernel(entry) === true) return modules.made;
    let failure: unknown;
    for (const module of [modules.object, modules.input]) {
      if (module.isEmpty) continue;
      try {
        const made = executableOf(call, module);
        if (made.hasKernel(entry)) {
          modules.made = made;
          return made;
        }
      } catch (error) {
        // The next step may do; the reason is told if it does not.
        if (!(error instanceof SyclException)) throw error;
        failure = error;
      }
    }
    throw new KernelNotFound(
      call,
      `no module of ${this.#unit.name} has the kernel "${entry}" for the context` +
        (failure instanceof Error ? `: ${failure.message}` : ""),
      failure,
    );
  }

  #of(context: Context): UnitModules {
    let modules = this.#modules.get(context);
    if (modules === undefined) {
      context.ensureAlive("thisModule");
      modules = this.#make(context);
      this.#modules.set(context, modules);
    }
    return modules;
  }

  /** The modules of the images that are there for a context. */
  #make(context: Context): UnitModules {
    const call = "thisModule";
    const input: DeviceImage<"input">[] = [];
    const object: DeviceImage<"object">[] = [];
    const executable: DeviceImage<"executable">[] = [];
    const { openclC, options, kernels, images = [] } = this.#unit;
    const canSpecialize = this.#constants.length > 0;
    const kernelNames = kernels.map(({ entry }) => entry);
    for (const { format, data, constantsAreArguments } of images) {
      const bytes = bytesOfBase64(data);
      for (const device of context.getDevices())
        if (format === "executable") {
          const image = imagesOfExecutable(call, context, device, bytes, constantsAreArguments);
          if (typeof image !== "string") executable.push(image);
        } else if (format === "ir") {
          const image = device.compiling()?.objectOf(device, bytes, constantsAreArguments) ?? null;
          if (image !== null) object.push(image);
        } else
          input.push(
            new DeviceImage(
              "input",
              device,
              content({ format, bytes: () => bytes, options, constantsAreArguments, kernelNames }),
            ),
          );
    }
    if (openclC !== "") {
      const bytes = new TextEncoder().encode(openclC);
      input.push(
        new DeviceImage(
          "input",
          null,
          content({ format: "opencl-c", bytes: () => bytes, options, canSpecialize, kernelNames }),
        ),
      );
    }
    return {
      input: makeModule(context, "input", input, this.#constants),
      object: makeModule(context, "object", object, this.#constants),
      executable: makeModule(context, "executable", executable, this.#constants),
      made: null,
    };
  }
}

/** Builds or links. Error: feature_not_supported without a compiler. */
function executableOf(call: string, module: Module<"input"> | Module<"object">): ExecutableModule {
  const { device } = module.getContext();
  const compiling = device.compiling();
  if (compiling !== null) return compiling.executableOf(module);
  throw new SyclException(
    "feature_not_supported",
    call,
    `${device.info.deviceName} has no compiler; use a module with an executable for it`,
  );
}

const STATES: readonly ModuleState[] = ["input", "object", "executable"];

function checkState<State extends ModuleState>(call: string, state: State): State {
  ensure(STATES.includes(state), "invalid", call, `"${state}" is no state of modules; there are ${STATES.join(", ")}`);
  return state;
}

/** The default of a constant, as its type has it. */
function constantValue(type: string, value: number): number | bigint | boolean {
  if (type === "long" || type === "ulong") return BigInt(value);
  return type === "bool" ? value !== 0 : value;
}

/** A translated file; what translators write calls it. @public */
export function translationUnit(unit: TranslatedUnit): Unit {
  return new Unit(unit);
}

/**
 * `thisModule` of the file that names it: translators put the file's own in its place. Without that there is none, and
 * each call says so.
 *
 * @public
 */
export const thisModule: ThisModule = {
  get: () => untranslated("get"),
  hasAnyModule: () => untranslated("hasAnyModule"),
  hasModuleIn: () => untranslated("hasModuleIn"),
};

function untranslated(call: string): never {
  throw new SyclException("invalid", `thisModule.${call}`, `the file was not translated: ${HOW_TO_TRANSLATE}`);
}
