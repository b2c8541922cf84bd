// SPDX-License-Identifier: Apache-2.0
// Modules and kernels as OpenCL's programs and kernels, and the other way.
import {
  type Program,
  clBuildProgram,
  clCompileProgram,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithIL,
  clCreateProgramWithSource,
  clGetKernelInfo,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clLinkProgram,
  clReleaseProgram,
  setCompilers,
} from "@muxkit/opencl";
import { compilers } from "@muxkit/host-compiler/native";
import { Context, build, compile, createProgramWithIL, createWithSource, link, translationUnit } from "@muxkit/sycl";
import { getNative, importKernel, importProgram } from "@muxkit/sycl/opencl";

import { CALLER, type ErrorRow, HELPER, ONE, type Row, context, expect, outcome } from "./rig.ts";
import { spirv } from "./spirv.ts";

setCompilers({ compilers });
const EMPTY = translationUnit({ name: "empty.ts", openclC: "", options: "", kernels: [], specConstants: [] }).module;
const native = getNative(context);
const program = (source: string = ONE): Program => clCreateProgramWithSource(native, [source]);

function built(source: string = ONE): Program {
  const made = program(source);
  clBuildProgram(made);
  return made;
}

function compiled(source: string): Program {
  const made = program(source);
  clCompileProgram(made);
  return made;
}

const references = (made: Program): number => clGetProgramInfo(made, "CL_PROGRAM_REFERENCE_COUNT");

/** All rows. */
export const INTEROP_ROWS: readonly Row[] = [
  {
    id: "interop/input-native",
    what: "the program of an input module is compiled and built by OpenCL",
    run: () => {
      const left = getNative(createWithSource(context, ONE));
      clBuildProgram(left);
      expect(clGetProgramInfo(left, "CL_PROGRAM_KERNEL_NAMES")).toBe("f");
      const right = getNative(createWithSource(context, ONE));
      clCompileProgram(right);
      expect(clLinkProgram(native, null, "", [right]).devices).toHaveLength(1);
    },
  },
  {
    id: "interop/input-il-native",
    what: "the program of SPIR-V has its intermediate language",
    run: () => {
      const bytes = spirv("constants");
      expect([...clGetProgramInfo(getNative(createProgramWithIL(context, bytes)), "CL_PROGRAM_IL")]).toEqual([...bytes]);
    },
  },
  {
    id: "interop/object-native",
    what: "the program of an object module is linked by OpenCL",
    run: () => {
      const [caller, helper] = [CALLER, HELPER].map((source) => getNative(compile(createWithSource(context, source))));
      const linked = clLinkProgram(native, null, "", [caller as Program, helper as Program]);
      expect(outcome(importProgram(context, linked, "executable"))).toEqual([0, 3, 6, 9]);
    },
  },
  {
    id: "interop/executable-native",
    what: "the program of an executable module has kernels",
    run: () => {
      const made = getNative(build(createWithSource(context, ONE)));
      expect(clGetKernelInfo(clCreateKernel(made, "f"), "CL_KERNEL_NUM_ARGS")).toBe(1);
    },
  },
  {
    id: "interop/executable-no-compile",
    what: "OpenCL neither compiles nor links the program of an executable module",
    run: () => {
      const made = getNative(build(createWithSource(context, ONE)));
      expect(() => {
        clCompileProgram(made);
      }).toThrow(/CL_INVALID_OPERATION/u);
      expect(() => clLinkProgram(native, null, "", [made])).toThrow(/CL_INVALID_OPERATION/u);
    },
  },
  {
    id: "interop/kernel-native",
    what: "a kernel is an OpenCL kernel",
    run: () => {
      const made = getNative(build(createWithSource(context, ONE)).getKernel("f"));
      expect(clGetKernelInfo(made, "CL_KERNEL_FUNCTION_NAME")).toBe("f");
    },
  },
  {
    id: "interop/same-program",
    what: "a module has one program, which is retained for each who asks",
    run: () => {
      const module = createWithSource(context, ONE);
      const first = getNative(module);
      const before = references(first);
      expect(getNative(module)).toBe(first);
      expect(references(first)).toBe(before + 1);
    },
  },
  {
    id: "interop/context-native",
    what: "a context is an OpenCL context with the same devices",
    run: () => {
      expect(getNative(context)).toBe(native);
      expect(getNative(context.getDevices()[0] ?? never())).toBe(native.devices[0]);
    },
  },
  {
    id: "interop/import-input",
    what: "a program with a source is an input module",
    run: () => {
      const module = importProgram(context, program(), "input");
      expect([module.state, module.images[0]?.format]).toEqual(["input", "opencl-c"]);
      expect(outcome(build(module))).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "interop/import-il",
    what: "a program with an intermediate language is an input module",
    run: () => {
      const module = importProgram(context, clCreateProgramWithIL(native, spirv("constants")), "input");
      expect(module.images[0]?.format).toBe("spirv");
      expect(outcome(build(module))).toEqual([5, 5, 5, 5]);
    },
  },
  {
    id: "interop/import-object",
    what: "a program that was compiled is an object module",
    run: () => {
      const modules = [CALLER, HELPER].map((source) => importProgram(context, compiled(source), "object"));
      expect(modules.map(({ state }) => state)).toEqual(["object", "object"]);
      expect(outcome(link(modules))).toEqual([0, 3, 6, 9]);
    },
  },
  {
    id: "interop/import-executable",
    what: "a program that was built is an executable module",
    run: () => {
      const module = importProgram(context, built(), "executable");
      expect(module.getKernelNames()).toEqual(["f"]);
      expect(outcome(module)).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "interop/import-linked",
    what: "a program that was linked is an executable module",
    run: () => {
      const linked = clLinkProgram(native, null, "", [compiled(ONE)]);
      expect(outcome(importProgram(context, linked, "executable"))).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "interop/import-retains",
    what: "an imported program is retained: it may be released",
    run: () => {
      const made = built();
      const module = importProgram(context, made, "executable");
      expect(references(made)).toBe(2);
      clReleaseProgram(made);
      expect(outcome(module)).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "interop/round-trip",
    what: "the program of an imported module is the one that was imported",
    run: () => {
      const made = built();
      expect(getNative(importProgram(context, made, "executable"))).toBe(made);
    },
  },
  {
    id: "interop/import-kernel",
    what: "an OpenCL kernel is a kernel",
    run: () => {
      const kernel = importKernel(context, clCreateKernel(built(), "f"));
      expect(kernel.name).toBe("f");
      expect(outcome(kernel.getModule())).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "interop/build-type",
    what: "what OpenCL says of the program agrees with the state",
    run: () => {
      const module = compile(createWithSource(context, ONE));
      const made = getNative(module);
      const [device] = made.devices;
      expect(device === undefined ? null : clGetProgramBuildInfo(made, device, "CL_PROGRAM_BINARY_TYPE")).toBe(
        "CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT",
      );
    },
  },
];

function never(): never {
  throw new Error("a context has a device");
}

const untyped = (value: unknown): never => value as never;

/** All errors. */
export const INTEROP_ERRORS: readonly ErrorRow[] = [
  {
    id: "errors/native-empty",
    what: "the program of an empty module",
    name: "invalid_object",
    code: "invalid",
    message: /module is empty/u,
    run: () => getNative(EMPTY.get(context, "input")),
  },
  {
    id: "errors/native-other",
    what: "OpenCL's object of a number",
    code: "backend_mismatch",
    message: /modules, kernels, contexts and devices only/u,
    run: () => getNative(untyped(5)),
  },
  {
    id: "errors/import-state",
    what: "a program in a state that there is not",
    code: "invalid",
    message: /"library" is no state/u,
    run: () => importProgram(context, built(), untyped("library")),
  },
  {
    id: "errors/import-input",
    what: "a linked program for an input module",
    name: "invalid_object",
    code: "invalid",
    message: /no input module: it has neither a source/u,
    run: () => importProgram(context, clLinkProgram(native, null, "", [compiled(ONE)]), "input"),
  },
  {
    id: "errors/import-object",
    what: "a program that was not compiled for an object module",
    name: "invalid_object",
    code: "invalid",
    message: /call clCompileProgram first/u,
    run: () => importProgram(context, program(), "object"),
  },
  {
    id: "errors/import-object-built",
    what: "a program that was built for an object module",
    name: "invalid_object",
    code: "invalid",
    message: /no object module/u,
    run: () => importProgram(context, built(), "object"),
  },
  {
    id: "errors/import-executable",
    what: "a program that was not built for an executable module",
    name: "invalid_object",
    code: "invalid",
    message: /call clBuildProgram first/u,
    run: () => importProgram(context, program(), "executable"),
  },
  {
    id: "errors/import-executable-compiled",
    what: "a program that was compiled for an executable module",
    name: "invalid_object",
    code: "invalid",
    message: /no executable module/u,
    run: () => importProgram(context, compiled(ONE), "executable"),
  },
  {
    id: "errors/import-no-kernels",
    what: "a program without kernels for an executable module",
    name: "invalid_object",
    code: "invalid",
    message: /it has no kernel/u,
    run: () => importProgram(context, built(HELPER), "executable"),
  },
  {
    id: "errors/import-context",
    what: "a program for a context that is gone",
    code: "invalid",
    message: /disposed of/u,
    run: () => {
      const own = new Context();
      const made = clCreateProgramWithSource(clCreateContext(native.devices), [ONE]);
      own[Symbol.dispose]();
      return importProgram(own, made, "input");
    },
  },
];
