// SPDX-License-Identifier: Apache-2.0
// build, compile, link and join: from modules of one state to modules of the next.
//
// An input module may hold several forms of the same functions. For each device of the context the best one is taken:
// without values of specialization constants the one that needs the least work (code, a compiled object, SPIR-V, a
// text); with values the first of these into which they can be compiled, or whose kernels take them as arguments.
import { readIncludeFile, type Module as CompilerModule, type ProgramInput, openclC } from "@muxkit/compiler";
import { CONSTANTS_AS_ARGUMENTS } from "@muxkit/kernel-library";

import type { Context } from "./context.ts";
import type { Device } from "./device.ts";
import { DeviceImage, type ImageFormat, type ModuleState, content } from "./device-image.ts";
import {
  CompileProgramError,
  InvalidObject,
  LinkProgramError,
  SyclException,
  ensure,
  fromCompiler,
} from "./exception.ts";
import { codeOfModule } from "./compiler-code.ts";
import { type Respecialize, executableImage } from "./executable-image.ts";
import { type ImageCode, codeOfBinary } from "./image-code.ts";
import { type ExecutableModule, type InputModule, type Module, type ObjectModule, makeModule } from "./module.ts";
import {
  type SpecConstantId,
  type SpecConstantValue,
  type SpecValues,
  constantOptions,
  specializationOf,
  valuesKey,
} from "./spec-constant.ts";

/** Where a log is written, as to a stream: standard output of Node, or any object with `write`. @public */
export interface LogStream {
  /** Takes a piece of the log. */
  write(text: string): unknown;
}

/** `property::module::options::debug`: the module is built with debug information. @public */
export class Debug {
  /** Which option it is. */
  readonly kind = "debug";
}

/** `property::module::options::log`: the log goes to a stream. @public */
export class Log {
  /** Which option it is. */
  readonly kind = "log";
  readonly #stream: LogStream;

  /** For a stream. Error: invalid for what is none. */
  constructor(stream: LogStream) {
    ensure(typeof stream?.write === "function", "invalid", "Log", "a log needs an object with a method write(text)");
    this.#stream = stream;
  }

  /** The stream. */
  getLogStream(): LogStream {
    return this.#stream;
  }
}

/**
 * An option of this implementation: build options of the OpenCL backend, for example `-cl-fast-relaxed-math`.
 *
 * @public
 */
export class OpenclOptions {
  /** Which option it is. */
  readonly kind = "opencl";
  /** The options as OpenCL writes them. */
  readonly text: string;

  /** For options. */
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * An option of this implementation: specialization constants are no part of the code, and become arguments of the
 * kernels that use them. What is built so takes any values without a compiler.
 *
 * @public
 */
export class ConstantsAsArguments {
  /** Which option it is. */
  readonly kind = "arguments";
}

/** An option of build, compile and link. @public */
export type ModuleOption = Debug | Log | OpenclOptions | ConstantsAsArguments;

/** Options of these calls as objects with names. @public */
export const property: {
  readonly debug: () => Debug;
  readonly log: (stream: LogStream) => Log;
  readonly openclOptions: (text: string) => OpenclOptions;
  readonly constantsAsArguments: () => ConstantsAsArguments;
} = {
  debug: () => new Debug(),
  log: (stream) => new Log(stream),
  openclOptions: (text) => new OpenclOptions(text),
  constantsAsArguments: () => new ConstantsAsArguments(),
};

/** Options of a call, read. */
interface ReadOptions {
  readonly text: string;
  readonly logs: readonly LogStream[];
  readonly constantsAreArguments: boolean;
}

function readOptions(call: string, options: readonly ModuleOption[]): ReadOptions {
  const logs: LogStream[] = [];
  const words: string[] = [];
  let constantsAreArguments = false;
  for (const option of options)
    if (option instanceof Debug) words.push("-g");
    else if (option instanceof Log) logs.push(option.getLogStream());
    else if (option instanceof OpenclOptions) words.push(option.text);
    else if (option instanceof ConstantsAsArguments) constantsAreArguments = true;
    else
      throw new SyclException(
        "invalid",
        call,
        "an option is none of property.debug(), property.log(stream), property.openclOptions(text)",
      );
  return { text: words.join(" "), logs, constantsAreArguments };
}

/** A module of the device's compiler with options set. Errors: feature_not_supported, invalid. */
function newModule(call: string, device: Device, text: string, mode: "build" | "compile" | "link"): CompilerModule {
  const compiler = device.compiler();
  ensure(
    compiler !== null,
    "feature_not_supported",
    call,
    () => `${device.info.deviceName} has no compiler; use a module with an executable for it`,
  );
  const module = compiler.createModule();
  const parsed = module.parseOptions(text, mode);
  if (!parsed.ok) throw new SyclException("invalid", call, parsed.error.message, parsed.error);
  return module;
}

function writeLog(log: string, { logs }: ReadOptions): void {
  if (log !== "") for (const stream of logs) stream.write(log);
}

/** What a compiler is given of an image. */
function inputOf({ content: held }: DeviceImage, values: SpecValues): ProgramInput {
  if (held.format === "opencl-c")
    return openclC(new TextDecoder().decode(held.bytes()), { headers: [], readFile: readIncludeFile });
  return { kind: held.format, source: held.bytes(), specialization: specializationOf(values) };
}

/** Compiles an image for a device. */
function compileImage(
  call: string,
  device: Device,
  image: DeviceImage<"input">,
  values: SpecValues,
  options: ReadOptions,
  mode: "build" | "compile",
): CompilerModule {
  const asArguments = options.constantsAreArguments && image.format === "opencl-c";
  const constants =
    image.format !== "opencl-c" ? "" : asArguments ? ` -D ${CONSTANTS_AS_ARGUMENTS}` : constantOptions(values);
  const module = newModule(call, device, `${image.content.options} ${options.text}${constants}`.trim(), mode);
  if (image.format === "ir") {
    fromCompiler(call, module.deserialize(image.bytes), CompileProgramError);
    return module;
  }
  const compiled = module.compile(inputOf(image, values));
  writeLog(module.log, options);
  fromCompiler(call, compiled, CompileProgramError, module.log);
  return module;
}

/** What needs the least work comes first. */
const PREFERENCE: readonly ImageFormat[] = ["builtin", "executable", "ir", "spirv", "spir", "opencl-c"];

/** True for an image into which values can be compiled, or whose kernels take them. */
const takesValues = ({ content: { canSpecialize, constantsAreArguments } }: DeviceImage): boolean =>
  canSpecialize || constantsAreArguments;

/** The images of an input module that can be tried for a device, the best one first. */
function candidates(module: InputModule, device: Device, options: ReadOptions): readonly DeviceImage<"input">[] {
  const isSpecial = module.values.size > 0;
  const rank = (image: DeviceImage): number =>
    (isSpecial && !takesValues(image) ? PREFERENCE.length : 0) +
    (options.constantsAreArguments && image.format !== "opencl-c" && !image.constantsAreArguments
      ? 2 * PREFERENCE.length
      : 0) +
    PREFERENCE.indexOf(image.format);
  return module.images
    .filter((image) => image.device === null || image.device === device)
    .toSorted((left, right) => rank(left) - rank(right));
}

function ensureUsable(call: string, module: Module): void {
  module.getContext().ensureAlive(call);
  if (module.isEmpty) throw new InvalidObject(call, "the module is empty: it has no device images");
}

/** The first image that something can be made of, or the error of the last one. */
function firstOf<T>(
  call: string,
  device: Device,
  list: readonly DeviceImage<"input">[],
  make: (image: DeviceImage<"input">) => T,
): T {
  let failure: unknown = new InvalidObject(call, `the module has no image for ${device.info.deviceName}`);
  for (const image of list)
    try {
      return make(image);
    } catch (error) {
      // Another form of the same functions may do.
      if (!(error instanceof SyclException)) throw error;
      failure = error;
    }
  throw failure;
}

/** The code of an input image for values of its constants. */
function codeFor(
  call: string,
  device: Device,
  image: DeviceImage<"input">,
  values: SpecValues,
  options: ReadOptions,
): ImageCode {
  if (image.format === "executable") {
    const code = codeOfBinary(call, device, image.bytes);
    if (typeof code === "string")
      throw new LinkProgramError(call, `the executable does not run on ${device.info.deviceName}: ${code}`);
    return code;
  }
  return finish(call, device, compileImage(call, device, image, values, options, "build"), [], options);
}

/** Links and finalizes: the code. */
function finish(
  call: string,
  device: Device,
  module: CompilerModule,
  others: readonly CompilerModule[],
  options: ReadOptions,
): ImageCode {
  const linked = module.link(others);
  const info = linked.ok ? module.finalize() : linked;
  writeLog(module.log, options);
  const { kernels } = fromCompiler(call, info, LinkProgramError, module.log);
  if (kernels.length === 0)
    throw new LinkProgramError(call, "the module has no kernel; an executable module has one at least");
  return codeOfModule(call, device, module, kernels);
}

/** The code of an image for values of its constants, each made once. */
function specializer(context: Context, code: ImageCode, values: SpecValues, make: Respecialize): Respecialize {
  const known = new Map<string, ImageCode>([[valuesKey(values), code]]);
  return (call, wanted) => {
    const key = valuesKey(wanted);
    let found = known.get(key);
    if (found === undefined) {
      found = make(call, wanted);
      known.set(key, found);
      context.own(found);
    }
    return found;
  };
}

/** build for one device. */
function buildFor(call: string, module: InputModule, device: Device, options: ReadOptions): DeviceImage<"executable"> {
  const values = new Map(module.values);
  return firstOf(call, device, candidates(module, device, options), (image) => {
    const asArguments = image.constantsAreArguments || (options.constantsAreArguments && image.format === "opencl-c");
    if (values.size > 0 && !image.content.canSpecialize && !asArguments)
      throw new SyclException(
        "feature_not_supported",
        call,
        `the image in ${image.format} takes no values of specialization constants, and there is no other image`,
      );
    const code = codeFor(call, device, image, values, options);
    const context = module.getContext();
    const specialized =
      image.content.canSpecialize && !asArguments
        ? specializer(context, code, values, (again, wanted) => codeFor(again, device, image, wanted, options))
        : null;
    return executableImage(context, device, code, asArguments, specialized);
  });
}

/**
 * Compiles and links an input module to an executable one, for each device of its context. Errors: invalid_object for
 * an empty module; compile_program_error and link_program_error with the log; invalid for options that there are not;
 * feature_not_supported without a compiler.
 *
 * @public
 */
export function build(input: InputModule, ...options: readonly ModuleOption[]): ExecutableModule {
  const call = "build";
  const read = readOptions(call, options);
  ensureState(call, input, "input");
  ensureUsable(call, input);
  const images = input
    .getContext()
    .getDevices()
    .map((device) => buildFor(call, input, device, read));
  return makeModule(input.getContext(), "executable", images, input.constants, input.values);
}

/** Throws unless a module is in the state that a call needs; TypeScript's checker sees to it in typed programs. */
function ensureState(call: string, module: Module, state: ModuleState): void {
  const given: unknown = (module as Partial<Module> | null)?.state;
  if (given !== state)
    throw new InvalidObject(
      call,
      `an ${state} module is needed, not ${typeof given === "string" ? `an ${given} module` : typeof module}`,
    );
}

/**
 * Compiles an input module to an object module, for each device of its context. Errors: invalid_object for an empty
 * module; compile_program_error with the log; invalid; feature_not_supported without a compiler.
 *
 * @public
 */
export function compile(input: InputModule, ...options: readonly ModuleOption[]): ObjectModule {
  const call = "compile";
  const read = readOptions(call, options);
  ensureState(call, input, "input");
  ensureUsable(call, input);
  const context = input.getContext();
  const images = context.getDevices().map((device) =>
    firstOf(
      call,
      device,
      candidates(input, device, read).filter(({ format }) => format !== "executable"),
      (image) => {
        const object = compileImage(call, device, image, input.values, read, "compile");
        const asArguments = read.constantsAreArguments && image.format === "opencl-c";
        return objectImage(device, object, asArguments || image.constantsAreArguments);
      },
    ),
  );
  return makeModule(context, "object", images, input.constants, input.values);
}

/** An object image of a compiled program. */
export function objectImage(
  device: Device,
  object: CompilerModule,
  constantsAreArguments: boolean,
): DeviceImage<"object"> {
  let bytes: Uint8Array | null = null;
  return new DeviceImage(
    "object",
    device,
    content({
      format: "ir",
      bytes: () => (bytes ??= fromCompiler("bytes", object.serialize(), CompileProgramError)),
      object,
      constantsAreArguments,
    }),
  );
}

function ensureTogether(call: string, modules: readonly Module[]): Context {
  const [first] = modules;
  if (first === undefined) throw new InvalidObject(call, "the list of modules is empty; pass one at least");
  const context = first.getContext();
  for (const module of modules) {
    ensureUsable(call, module);
    if (module.getContext() !== context)
      throw new InvalidObject(call, "the modules are of different contexts; make them for the same one");
  }
  return context;
}

/** All constants of modules; where several have one, the value of the first counts. */
function unionOf(modules: readonly Module[]): {
  readonly constants: readonly SpecConstantId[];
  readonly values: SpecValues;
} {
  const values = new Map<SpecConstantId, SpecConstantValue>();
  for (const module of modules)
    for (const [constant, value] of module.values) if (!values.has(constant)) values.set(constant, value);
  return { constants: [...new Set(modules.flatMap(({ constants }) => constants))], values };
}

/**
 * Links object modules of one context to an executable module. Specialization constants of all of them are kept.
 * Errors: invalid_object for none, for an empty one and for different contexts; link_program_error with the log.
 *
 * @public
 */
export function link(objects: readonly ObjectModule[], ...options: readonly ModuleOption[]): ExecutableModule {
  const call = "link";
  const read = readOptions(call, options);
  for (const module of objects) ensureState(call, module, "object");
  const context = ensureTogether(call, objects);
  const images = context.getDevices().map((device) => {
    const parts = objects.map((module, i) => {
      const image = module.images.find((one) => one.device === device);
      if (image?.content.object === null || image === undefined)
        throw new LinkProgramError(call, `module ${i} has no object for ${device.info.deviceName}`);
      return { object: image.content.object, asArguments: image.constantsAreArguments };
    });
    const module = newModule(call, device, read.text, "link");
    const code = finish(
      call,
      device,
      module,
      parts.map(({ object }) => object),
      read,
    );
    return executableImage(
      context,
      device,
      code,
      parts.some(({ asArguments }) => asArguments),
      null,
    );
  });
  const { constants, values } = unionOf(objects);
  return makeModule(context, "executable", images, constants, values);
}

/** Names of an image's kernels; null: nobody knows before it is linked. */
function kernelsOf(call: string, context: Context, image: DeviceImage): readonly string[] | null {
  const { kernelNames } = image.content;
  const { device } = context;
  if (kernelNames !== null || image.state !== "input" || device.compiler() === null) return kernelNames;
  const read = readOptions(call, []);
  const module = compileImage(call, device, image as DeviceImage<"input">, new Map(), read, "build");
  const info = module.link([]).ok ? module.finalize() : null;
  return info?.ok === true ? info.value.kernels.map(({ name }) => name) : null;
}

/**
 * A module with the images of all of these, which must be forms of the same functions. Errors: invalid_object for none,
 * for different contexts or states, and where the kernels differ.
 *
 * @public
 */
export function join<Joined extends Module>(modules: readonly Joined[]): Joined {
  const call = "join";
  const context = ensureTogether(call, modules);
  const state: ModuleState = (modules[0] as Module).state;
  for (const module of modules) ensureState(call, module, state);
  const images = modules.flatMap((module) => module.images as readonly DeviceImage[]);
  let known: readonly string[] | null = null;
  for (const image of images) {
    const names = kernelsOf(call, context, image)?.toSorted() ?? null;
    if (names !== null && known !== null && names.join() !== known.join())
      throw new InvalidObject(
        call,
        `the modules have different kernels (${known.join(", ")} and ${names.join(", ")}); join forms of the same functions`,
      );
    known ??= names;
  }
  const { constants, values } = unionOf(modules);
  return makeModule<ModuleState>(context, state, images, constants, values) as Joined;
}
