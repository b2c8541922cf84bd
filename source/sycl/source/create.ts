// SPDX-License-Identifier: Apache-2.0
// Factory functions of the OpenCL backend: input modules of a text, of an intermediate language, of binaries, and of
// kernels that devices have of their own.
import { isExecutable, readExecutable } from "@muxkit/metadata";

import type { Context } from "./context.ts";
import { DeviceImage, content } from "./device-image.ts";
import { InvalidObject, SyclException, ensure } from "./exception.ts";
import { type ExecutableModule, type InputModule, makeModule } from "./module.ts";
import { SpecConstant, type SpecConstantId, type SpecConstantValue, checkValue } from "./spec-constant.ts";

/** What a program that is made of a text or of bytes is told about it. @public */
export interface ProgramOptions {
  /** Its specialization constants. */
  readonly specConstants?: readonly SpecConstantId[];
}

/** What {@link createProgramWithBinary} is told. @public */
export interface BinaryOptions extends ProgramOptions {
  /** It was built with `property.constantsAsArguments()`. */
  readonly constantsAreArguments?: boolean;
}

function checkContext(call: string, context: Context): void {
  ensure(
    typeof context?.ensureAlive === "function",
    "invalid",
    call,
    "the first argument is not a context; make one with new Context()",
  );
  context.ensureAlive(call);
}

function checkBytes(call: string, bytes: unknown): asserts bytes is Uint8Array {
  ensure(bytes instanceof Uint8Array && bytes.length > 0, "invalid", call, "the program is not a non-empty Uint8Array");
}

/**
 * An input module of a text in OpenCL C. A specialization constant is a macro that the text defines where it is not
 * defined yet. Errors: invalid for what is no text.
 *
 * @public
 */
export function createWithSource(
  context: Context,
  source: string,
  { specConstants = [] }: ProgramOptions = {},
): InputModule {
  const call = "createWithSource";
  checkContext(call, context);
  ensure(typeof source === "string", "invalid", call, () => `the source is a ${typeof source}, not a string`);
  const bytes = new TextEncoder().encode(source);
  const image = new DeviceImage(
    "input",
    null,
    content({ format: "opencl-c", bytes: () => bytes, canSpecialize: specConstants.length > 0 }),
  );
  return makeModule(context, "input", [image], specConstants);
}

const SPIRV_MAGIC = 0x07230203;
const BITCODE_MAGIC: readonly number[] = [0x42, 0x43, 0xc0, 0xde];

/** True for a module in SPIR-V, of either byte order. */
function isSpirv(bytes: Uint8Array): boolean {
  if (bytes.length < 20 || bytes.length % 4 !== 0) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return view.getUint32(0, true) === SPIRV_MAGIC || view.getUint32(0, false) === SPIRV_MAGIC;
}

/**
 * An input module of SPIR-V. Its specialization constants are those with a `specId`. Errors: invalid for bytes that are
 * no module, and for constants without one.
 *
 * @public
 */
export function createProgramWithIL(
  context: Context,
  il: Uint8Array,
  { specConstants = [] }: ProgramOptions = {},
): InputModule {
  const call = "createProgramWithIL";
  checkContext(call, context);
  checkBytes(call, il);
  ensure(isSpirv(il), "invalid", call, "the bytes are no module in SPIR-V: they do not begin with its magic number");
  for (const { name, specId } of specConstants)
    ensure(specId !== null, "invalid", call, `the constant ${name} has no specId, by which SPIR-V knows it`);
  const bytes = il.slice();
  const image = new DeviceImage(
    "input",
    null,
    content({ format: "spirv", bytes: () => bytes, canSpecialize: specConstants.length > 0 }),
  );
  return makeModule(context, "input", [image], specConstants);
}

/**
 * An input module of a binary: an executable, a compiled object, or LLVM bitcode of SPIR 1.2. Errors: invalid for what
 * is none of them.
 *
 * @public
 */
export function createProgramWithBinary(
  context: Context,
  deviceBinary: Uint8Array,
  { specConstants = [], constantsAreArguments = false }: BinaryOptions = {},
): InputModule {
  const call = "createProgramWithBinary";
  checkContext(call, context);
  checkBytes(call, deviceBinary);
  const bytes = deviceBinary.slice();
  const image = new DeviceImage(
    "input",
    null,
    content({ ...formOf(call, context, bytes), bytes: () => bytes, constantsAreArguments }),
  );
  return makeModule(context, "input", [image], specConstants);
}

/** The form of a binary, and its kernels where they are known. */
function formOf(
  call: string,
  context: Context,
  bytes: Uint8Array,
): Pick<Parameters<typeof content>[0], "format" | "kernelNames"> {
  if (isExecutable(bytes)) {
    const read = readExecutable(bytes);
    if (!read.ok) throw new SyclException("invalid", call, read.error.message, read.error);
    return { format: "executable", kernelNames: read.value.kernels.map(({ name }) => name) };
  }
  if (BITCODE_MAGIC.every((byte, i) => bytes[i] === byte)) return { format: "spir", kernelNames: null };
  const module = context.device.compiler()?.createModule();
  if (module?.deserialize(bytes).ok === true) return { format: "ir", kernelNames: null };
  throw new SyclException(
    "invalid",
    call,
    "the bytes are neither an executable nor a compiled object of this version, nor LLVM bitcode",
  );
}

/**
 * An input module of kernels that the devices of a context have of their own. Errors: invalid for no names and for
 * kernels that a device does not have.
 *
 * @public
 */
export function createProgramWithBuiltinKernels(context: Context, kernelNames: readonly string[]): InputModule {
  const call = "createProgramWithBuiltinKernels";
  checkContext(call, context);
  ensure(kernelNames.length > 0, "invalid", call, "the list of names is empty; pass one at least");
  for (const device of context.getDevices()) {
    const own = builtinKernels(device.info.builtinKernelDeclarations);
    for (const name of kernelNames)
      ensure(
        own.includes(name),
        "invalid",
        call,
        () => `${device.info.deviceName} has no kernel "${name}" of its own; it has ${own.join(", ") || "none"}`,
      );
  }
  const image = new DeviceImage(
    "input",
    null,
    content({
      format: "builtin",
      bytes: () => new TextEncoder().encode(kernelNames.join(";")),
      kernelNames: [...kernelNames],
    }),
  );
  return makeModule(context, "input", [image]);
}

/** Names in a list of declarations, `name(arguments);…`. */
function builtinKernels(declarations: string): readonly string[] {
  return declarations
    .split(";")
    .map((one) => one.replace(/\(.*/su, "").trim())
    .filter((name) => name !== "");
}

/**
 * Sets the value of a constant in an executable module (`sycl::opencl::set_spec_constant`). Where an image can be
 * compiled again it is, at the next launch; where it takes constants as arguments they are passed. Errors: invalid for
 * another module's constant and for a value that is none of its type; feature_not_supported where no image can take it.
 *
 * @public
 */
export function setSpecConstant<T extends SpecConstantValue>(
  module: ExecutableModule,
  constant: SpecConstantId<T>,
  value: T,
): SpecConstant<T> {
  const call = "setSpecConstant";
  if (module?.state !== "executable")
    throw new InvalidObject(call, "an executable module is needed; input modules have a method for it");
  module.ensureConstant(call, constant);
  checkValue(call, constant, value);
  ensure(
    module.images.some((image) => image.supportsSpecConstants || image.constantsAreArguments),
    "feature_not_supported",
    call,
    `no image of the module takes a value of ${constant.name}: build it with property.constantsAsArguments(), or join the module with one of its source`,
  );
  module.values.set(constant, value);
  module.forgetFound();
  return new SpecConstant(constant, value);
}
