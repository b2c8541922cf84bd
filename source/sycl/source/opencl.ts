// SPDX-License-Identifier: Apache-2.0
/**
 * The OpenCL backend of `@muxkit/sycl`: modules of OpenCL programs, and OpenCL's objects of modules and kernels.
 *
 * All states of a module are states of an OpenCL program, and a kernel is an OpenCL kernel. The context of an OpenCL
 * object that is made here is one of OpenCL's with the same devices.
 *
 * @packageDocumentation
 */
import {
  type Context as ClContext,
  type Device as ClDevice,
  type Kernel as ClKernel,
  type Program as ClProgram,
  CL_DEVICE_TYPE_ALL,
  clBuildProgram,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithBinary,
  clCreateProgramWithIL,
  clCreateProgramWithSource,
  clGetDeviceIDs,
  clGetKernelInfo,
  clGetPlatformIDs,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clReleaseProgram,
  clRetainProgram,
} from "@muxkit/opencl";

import { objectImage } from "./build.ts";
import { Context } from "./context.ts";
import { Device } from "./device.ts";
import { DeviceImage, type ModuleState, content } from "./device-image.ts";
import { InvalidObject, SyclException, ensure } from "./exception.ts";
import { imagesOfExecutable } from "./executable-image.ts";
import { ExecutableModule, InputModule, Kernel, type Module, ObjectModule, makeModule } from "./module.ts";

export {
  type BinaryOptions,
  type ProgramOptions,
  createProgramWithBinary,
  createProgramWithBuiltinKernels,
  createProgramWithIL,
  createWithSource,
  setSpecConstant,
} from "./create.ts";

/** OpenCL's type of each of SYCL's (`interop<backend::opencl, …>::native_type`). @public */
export type NativeOf<T> = T extends ModuleOfAnyState
  ? ClProgram
  : T extends Kernel
    ? ClKernel
    : T extends Context
      ? ClContext
      : T extends Device
        ? ClDevice
        : never;

/** A module. @public */
export type ModuleOfAnyState = InputModule | ObjectModule | ExecutableModule;

const CONTEXTS = new WeakMap<Context, ClContext>();
const PROGRAMS = new WeakMap<Module, ClProgram>();

/** A program that a module holds is released when the module is gone. */
const RELEASED = new FinalizationRegistry<ClProgram>((program) => {
  clReleaseProgram(program);
});

function nativeDevice(device: Device): ClDevice {
  const [platform] = clGetPlatformIDs();
  const all = platform === undefined ? [] : clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL);
  const found = all.find(({ info }) => info.id === device.info.id);
  if (found !== undefined) return found;
  throw new SyclException("backend_mismatch", "getNative", `OpenCL lists no device ${device.info.deviceName}`);
}

function nativeContext(context: Context): ClContext {
  let native = CONTEXTS.get(context);
  if (native === undefined) {
    native = clCreateContext(context.getDevices().map(nativeDevice));
    CONTEXTS.set(context, native);
  }
  return native;
}

/** The image of a module that its program is made of. */
function nativeImage(module: Module): DeviceImage {
  const [first] = module.images;
  if (first === undefined) throw new InvalidObject("getNative", "the module is empty: there is no program of it");
  return first;
}

function makeProgram(module: Module): ClProgram {
  const context = nativeContext(module.getContext());
  const image = nativeImage(module);
  if (image.format === "opencl-c") return clCreateProgramWithSource(context, [new TextDecoder().decode(image.bytes)]);
  if (image.format === "spirv") return clCreateProgramWithIL(context, image.bytes);
  const list =
    image.device === null ? module.getContext().getDevices() : module.images.flatMap(({ device }) => device ?? []);
  const devices = [...new Set(list)];
  const binaries = devices.map((device) => (module.images.find((one) => one.device === device) ?? image).bytes);
  const program = clCreateProgramWithBinary(context, devices.map(nativeDevice), binaries);
  if (module.state === "executable") clBuildProgram(program);
  return program;
}

/** The program of a module; the module keeps it. */
function programOf(module: Module): ClProgram {
  let program = PROGRAMS.get(module);
  if (program === undefined) {
    program = makeProgram(module);
    keep(module, program);
  }
  return program;
}

function keep(module: Module, program: ClProgram): void {
  PROGRAMS.set(module, program);
  RELEASED.register(module, program);
}

/**
 * OpenCL's object of a module, kernel, context or device. The program of an input module can be compiled and built,
 * that of an object module linked, that of an executable module is built. Programs are retained, so release them; so
 * are kernels. Errors: invalid_object for an empty module; backend_mismatch for what OpenCL has no object for.
 *
 * @public
 */
export function getNative<T extends ModuleOfAnyState | Kernel | Context | Device>(object: T): NativeOf<T> {
  return nativeOf(object) as NativeOf<T>;
}

function nativeOf(object: unknown): ClProgram | ClKernel | ClContext | ClDevice {
  if (object instanceof InputModule || object instanceof ObjectModule || object instanceof ExecutableModule) {
    const program = programOf(object);
    clRetainProgram(program);
    return program;
  }
  if (object instanceof Kernel) return clCreateKernel(programOf(object.getModule()), object.name);
  if (object instanceof Context) return nativeContext(object);
  if (object instanceof Device) return nativeDevice(object);
  throw new SyclException(
    "backend_mismatch",
    "getNative",
    "OpenCL has objects of modules, kernels, contexts and devices only",
  );
}

/** Throws unless a program is for the devices of a context. */
function checkProgram(call: string, context: Context, program: ClProgram): void {
  context.ensureAlive(call);
  const ids = new Set(program.devices.map(({ info }) => info.id));
  for (const device of context.getDevices())
    if (!ids.has(device.info.id))
      throw new SyclException(
        "backend_mismatch",
        call,
        `the program is not for ${device.info.deviceName}, which is a device of the context`,
      );
}

function ensureState(condition: boolean, state: ModuleState, what: string): void {
  if (!condition) throw new InvalidObject("importProgram", `the program is no ${state} module: ${what}`);
}

type Importer<State extends ModuleState> = (context: Context, program: ClProgram) => readonly DeviceImage<State>[];

/** The binaries of a program, by device. */
function binariesOf(context: Context, program: ClProgram, type: string): readonly (readonly [Device, Uint8Array])[] {
  const all = clGetProgramInfo(program, "CL_PROGRAM_BINARIES");
  return context.getDevices().flatMap((device) => {
    const index = program.devices.findIndex(({ info }) => info.id === device.info.id);
    const native = program.devices[index];
    const bytes = all[index] ?? null;
    const isOfType = native !== undefined && clGetProgramBuildInfo(program, native, "CL_PROGRAM_BINARY_TYPE") === type;
    return isOfType && bytes !== null && bytes.length > 0 ? [[device, bytes] as const] : [];
  });
}

const IMPORTERS: { readonly [State in ModuleState]: Importer<State> } = {
  input: (_context, program) => {
    const il = clGetProgramInfo(program, "CL_PROGRAM_IL");
    const source = clGetProgramInfo(program, "CL_PROGRAM_SOURCE");
    ensureState(il.length > 0 || source !== "", "input", "it has neither a source nor an intermediate language");
    const bytes = il.length > 0 ? il : new TextEncoder().encode(source);
    return [
      new DeviceImage("input", null, content({ format: il.length > 0 ? "spirv" : "opencl-c", bytes: () => bytes })),
    ];
  },
  object: (context, program) => {
    const list = binariesOf(context, program, "CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT");
    ensureState(list.length > 0, "object", "it was not compiled; call clCompileProgram first");
    return list.flatMap(([device, bytes]) => {
      const module = device.compiler()?.createModule();
      const read = module?.deserialize(bytes);
      if (module !== undefined && read?.ok === true) return [objectImage(device, module, false)];
      throw new InvalidObject("importProgram", `the object cannot be read for ${device.info.deviceName}`);
    });
  },
  executable: (context, program) => {
    const list = binariesOf(context, program, "CL_PROGRAM_BINARY_TYPE_EXECUTABLE");
    ensureState(list.length > 0, "executable", "it was neither built nor linked; call clBuildProgram first");
    ensureState(clGetProgramInfo(program, "CL_PROGRAM_NUM_KERNELS") > 0, "executable", "it has no kernel");
    return list.map(([device, bytes]) => {
      const image = imagesOfExecutable("importProgram", context, device, bytes, false);
      if (typeof image === "string") throw new InvalidObject("importProgram", image);
      return image;
    });
  },
};

/**
 * The module of a program in a state (`sycl::opencl::import`): input for one with a source or intermediate language,
 * object for one that was compiled, executable for one that was built or linked and has a kernel. The program is
 * retained for as long as the module is there. Errors: invalid_object for a program in another state; backend_mismatch
 * for a program of other devices.
 *
 * @public
 */
export function importProgram<State extends ModuleState>(
  context: Context,
  clProgram: ClProgram,
  state: State,
): Module<State> {
  const call = "importProgram";
  ensure(Object.hasOwn(IMPORTERS, state), "invalid", call, `"${state}" is no state of modules`);
  checkProgram(call, context, clProgram);
  const images = (IMPORTERS[state] as Importer<State>)(context, clProgram);
  const module = makeModule(context, state, images);
  clRetainProgram(clProgram);
  keep(module, clProgram);
  return module;
}

/**
 * The kernel of an OpenCL kernel, in the executable module of its program. Errors: those of {@link importProgram}.
 *
 * @public
 */
export function importKernel(context: Context, clKernel: ClKernel): Kernel {
  const program = clGetKernelInfo(clKernel, "CL_KERNEL_PROGRAM");
  return importProgram(context, program, "executable").getKernel(clGetKernelInfo(clKernel, "CL_KERNEL_FUNCTION_NAME"));
}
