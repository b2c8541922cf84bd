// SPDX-License-Identifier: Apache-2.0
// Which code is made when (docs/decisions/062-late-code.md): nothing before the first launch, each kernel once, and
// what the binary needs only for the binary.
import { err, ok } from "@muxkit/cargo";
import { type Info, type Kernel as CompilerKernel, type Module, compilerError } from "@muxkit/compiler";
import { compilers } from "@muxkit/host-compiler/native";
import {
  CL_MEM_READ_WRITE,
  type CommandQueue,
  type Kernel,
  type Program,
  clBuildProgram,
  clCreateBuffer,
  clCreateImage,
  clCreateKernel,
  clCreateKernelsInProgram,
  clCreateProgramWithSource,
  clCreateSampler,
  clEnqueueNDRangeKernel,
  clFinish,
  clGetKernelArgInfo,
  clGetKernelInfo,
  clGetKernelSuggestedLocalWorkSizeKHR,
  clGetKernelWorkGroupInfo,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clReleaseProgram,
  clSetKernelArg,
  setCompilers,
} from "@muxkit/opencl";
import { afterEach, expect, test } from "vitest";

import { context, device, errorOf, expectError, int, ints, newQueue, readInts } from "./rig.ts";

const SOURCE = `
kernel void add(global int *x, int value) { x[get_global_id(0)] += value; }
kernel void take(global int *x, int value) { x[get_global_id(0)] -= value; }
kernel void turn(global int *x, local int *t) {
  t[get_local_id(0)] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = t[get_local_size(0) - 1 - get_local_id(0)];
}
kernel void pick(read_only image2d_t from, sampler_t at, global float4 *to) {
  to[get_global_id(0)] = read_imagef(from, at, (int2)((int)get_global_id(0), 0));
}
`;

function refuse(): ReturnType<Module["createBinary"]> {
  return err(compilerError("finalize_program_failure", "the engine has no room for it"));
}

type Call = (module: Module, what: string) => void;

/** The host's compiler, with what is made of its modules noted; `fails`: code of single kernels cannot be made. */
function noting(note: Call, fails: boolean, isLate: boolean): Info {
  const [real] = compilers;
  if (real === undefined) throw new Error("the host has no compiler");
  const kernelOf = (module: Module, kernel: CompilerKernel): CompilerKernel => ({
    ...kernel,
    createSpecializedKernel: (facts) => {
      note(module, `${kernel.name} for ${facts.localSize.join("x")}`);
      return kernel.createSpecializedKernel(facts);
    },
  });
  const wrapped = (module: Module): Module =>
    new Proxy(module, {
      get: (target, name) => {
        if (name === "compile")
          return (input: Parameters<Module["compile"]>[0]) => {
            note(target, "compile");
            return target.compile(input);
          };
        if (name === "createBinary")
          return () => {
            note(target, "all");
            return fails ? refuse() : target.createBinary();
          };
        if (name === "createKernelBinary")
          return (kernel: string) => {
            note(target, kernel);
            return fails ? refuse() : target.createKernelBinary(kernel);
          };
        if (name === "createDeviceBinary")
          return () => {
            note(target, "binary");
            return target.createDeviceBinary?.();
          };
        if (name === "getKernel")
          return (kernel: string) => {
            const found = target.getKernel(kernel);
            return found === null ? null : kernelOf(target, found);
          };
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  const info: Info = {
    ...real,
    makesKernelsLate: isLate,
    createContext: () => {
      const own = real.createContext();
      return {
        info,
        createTarget: (on, notify) => {
          const target = own.createTarget(on, notify);
          return target.ok
            ? ok({ info, device: on, createModule: () => wrapped(target.value.createModule()) })
            : target;
        },
      };
    },
  };
  return info;
}

afterEach(() => {
  setCompilers({ compilers });
});

/** A built program, and what has been made of it so far. */
function built({
  fails = false,
  isLate = true,
  notesCompiles = false,
  source = SOURCE,
}: {
  readonly fails?: boolean;
  readonly isLate?: boolean;
  readonly notesCompiles?: boolean;
  readonly source?: string;
} = {}): {
  readonly program: Program;
  readonly made: string[];
} {
  const made: string[] = [];
  const note: Call = (_module, what) => {
    if (notesCompiles || what !== "compile") made.push(what);
  };
  setCompilers({ compilers: [noting(note, fails, isLate)] });
  const program = clCreateProgramWithSource(context, [source]);
  clBuildProgram(program);
  return { program, made };
}

function launch(queue: CommandQueue, kernel: Kernel): void {
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [4], [4]);
  clFinish(queue);
}

test("building, creating and describing kernels makes no code", () => {
  const { program, made } = built();
  const kernels = [...clCreateKernelsInProgram(program), clCreateKernel(program, "add")];
  for (const kernel of kernels) {
    for (const token of ["CL_KERNEL_FUNCTION_NAME", "CL_KERNEL_NUM_ARGS", "CL_KERNEL_ATTRIBUTES"] as const)
      clGetKernelInfo(kernel, token);
    for (const token of [
      "CL_KERNEL_WORK_GROUP_SIZE",
      "CL_KERNEL_COMPILE_WORK_GROUP_SIZE",
      "CL_KERNEL_LOCAL_MEM_SIZE",
      "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE",
      "CL_KERNEL_PRIVATE_MEM_SIZE",
    ] as const)
      clGetKernelWorkGroupInfo(kernel, device, token);
    clGetKernelArgInfo(kernel, 0, "CL_KERNEL_ARG_NAME");
  }
  const add = clCreateKernel(program, "add");
  clSetKernelArg(add, 0, ints(1, 2, 3, 4));
  clSetKernelArg(add, 1, int(1));
  expect(clGetKernelSuggestedLocalWorkSizeKHR(newQueue(), add, 1, null, [4])).toEqual([4]);
  expect(made).toEqual([]);
});

test("a kernel is made when it is first launched, alone, and once for all kernels of its name", () => {
  const { program, made } = built();
  const queue = newQueue();
  const x = ints(1, 2, 3, 4);
  for (const name of ["add", "add", "take"]) {
    const kernel = clCreateKernel(program, name);
    clSetKernelArg(kernel, 0, x);
    clSetKernelArg(kernel, 1, int(5));
    launch(queue, kernel);
    launch(queue, kernel);
  }
  expect(readInts(queue, x)).toEqual([11, 12, 13, 14]);
  expect(made).toEqual(["add", "take"]);
});

test("the only kernel of a program is made alone, too: code of programs may have more forms of it", () => {
  const { program, made } = built({
    source: "kernel void add(global int *x, int value) { x[get_global_id(0)] += value; }",
  });
  const queue = newQueue();
  const x = ints(1, 2, 3, 4);
  const kernel = clCreateKernel(program, "add");
  clSetKernelArg(kernel, 0, x);
  clSetKernelArg(kernel, 1, int(5));
  launch(queue, kernel);
  expect(readInts(queue, x)).toEqual([6, 7, 8, 9]);
  expect(made).toEqual(["add"]);
});

test("a kernel with images is made for them at once, whatever the local size, and never in its generic form", () => {
  const { program, made } = built();
  const queue = newQueue();
  const image = clCreateImage(
    context,
    CL_MEM_READ_WRITE,
    { channelOrder: "CL_RGBA", channelType: "CL_FLOAT" },
    { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 1 },
  );
  const kernel = clCreateKernel(program, "pick");
  clSetKernelArg(kernel, 0, image);
  clSetKernelArg(kernel, 1, clCreateSampler(context, false, "CL_ADDRESS_CLAMP", "CL_FILTER_NEAREST"));
  clSetKernelArg(kernel, 2, clCreateBuffer(context, CL_MEM_READ_WRITE, 64));
  for (const size of [4, 2, 1, 4]) {
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [4], [size]);
    clFinish(queue);
  }
  expect(made).toEqual(["pick for 0x0x0"]);
});

test("the binary is made once, and launches after it take their code from it", () => {
  const { program, made } = built();
  const queue = newQueue();
  const x = ints(1, 2, 3, 4);
  const [size] = clGetProgramInfo(program, "CL_PROGRAM_BINARY_SIZES");
  const [binary] = clGetProgramInfo(program, "CL_PROGRAM_BINARIES");
  expect(binary?.length).toBe(size);
  clGetProgramInfo(program, "CL_PROGRAM_BINARY_SIZES");
  for (const name of ["add", "turn"]) {
    const kernel = clCreateKernel(program, name);
    clSetKernelArg(kernel, 0, x);
    clSetKernelArg(kernel, 1, name === "add" ? int(1) : { localBytes: 16 });
    launch(queue, kernel);
  }
  expect(readInts(queue, x)).toEqual([5, 4, 3, 2]);
  expect(made).toEqual(["binary"]);
});

type Asked = (program: Program, kernels: readonly Kernel[]) => void;

const SIZES: Asked = (program) => {
  clGetProgramInfo(program, "CL_PROGRAM_BINARY_SIZES");
};
const BINARIES: Asked = (program) => {
  clGetProgramInfo(program, "CL_PROGRAM_BINARIES");
};
const CREATE: Asked = (program) => {
  for (let i = 0; i < 11; i++) clCreateKernel(program, "add");
};
const DESCRIBE: Asked = (program, kernels) => {
  clGetProgramInfo(program, "CL_PROGRAM_KERNEL_NAMES");
  for (const kernel of kernels) clGetKernelWorkGroupInfo(kernel, device, "CL_KERNEL_WORK_GROUP_SIZE");
};
const LAUNCH: Asked = (_program, kernels) => {
  const queue = newQueue();
  for (const kernel of kernels) {
    clSetKernelArg(kernel, 0, ints(1, 2, 3, 4));
    clSetKernelArg(kernel, 1, int(5));
    launch(queue, kernel);
  }
};

test.each([
  ["binary, create, launch", [SIZES, BINARIES, CREATE, DESCRIBE, LAUNCH], ["compile", "binary"]],
  ["create, binary, launch", [CREATE, DESCRIBE, BINARIES, SIZES, LAUNCH, LAUNCH], ["compile", "binary"]],
  ["create, launch", [CREATE, LAUNCH, DESCRIBE, LAUNCH], ["compile", "add", "take"]],
  // The binary has code of all kernels, which is made together.
  ["launch, binary, launch", [LAUNCH, SIZES, BINARIES, LAUNCH, CREATE], ["compile", "add", "take", "binary"]],
])("nothing is compiled twice: %s", (_order, calls, expected) => {
  const { program, made } = built({ notesCompiles: true });
  const kernels = ["add", "take"].map((name) => clCreateKernel(program, name));
  for (const call of calls) call(program, kernels);
  expect(made).toEqual(expected);
});

test("code that cannot be made is an error of the launch, with the reason", () => {
  const { program } = built({ fails: true });
  const kernel = clCreateKernel(program, "add");
  clSetKernelArg(kernel, 0, ints(1));
  clSetKernelArg(kernel, 1, int(1));
  for (let round = 0; round < 2; round++)
    expectError(
      () => {
        launch(newQueue(), kernel);
      },
      "CL_OUT_OF_RESOURCES",
      /clEnqueueNDRangeKernel.*"add".*the engine has no room for it/su,
    );
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_LOG")).toContain("no room for it");
});

test("where code can fail for reasons of the program, the build makes it and has the error in its log", () => {
  const { made } = built({ isLate: false });
  expect(new Set(made)).toEqual(new Set(["all"]));
  const error = errorOf(() => built({ fails: true, isLate: false }));
  expect(error.name).toBe("CL_BUILD_PROGRAM_FAILURE");
  const program = clCreateProgramWithSource(context, [SOURCE]);
  expect(errorOf(() => clBuildProgram(program)).message).toContain("the engine has no room for it");
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_LOG")).toContain("the engine has no room for it");
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_STATUS")).toBe("CL_BUILD_ERROR");
  clReleaseProgram(program);
});
