// SPDX-License-Identifier: Apache-2.0
// What goes wrong with modules.
import {
  Context,
  type InputModule,
  build,
  compile,
  createProgramWithBinary,
  createProgramWithBuiltinKernels,
  createProgramWithIL,
  createWithSource,
  join,
  link,
  property,
  translationUnit,
} from "@muxkit/sycl";

import { CALLER, type ErrorRow, HELPER, ONE, TWO, context, kernels } from "./rig.ts";
import { spirv } from "./spirv.ts";

const input = (source: string = ONE, on: Context = context): InputModule => createWithSource(on, source);
const EMPTY = translationUnit({ name: "empty.ts", openclC: "", options: "", kernels: [], specConstants: [] }).module;
/** A value for a parameter of any type: what JavaScript lets a program pass. */
const untyped = (value: unknown): never => value as never;

/** Mistakes in a text, by what the compiler says of them. */
const MISTAKES: readonly (readonly [id: string, source: string, message: RegExp])[] = [
  ["syntax", "kernel void f( {", /1 error|errors/u],
  ["undeclared", "kernel void f(global int* x) { x[0] = y; }", /y/u],
  ["type", "kernel void f(global int* x) { x = 1.5f * x; }", /error/u],
  ["unknown-type", "kernel void f(global thing* x) {}", /thing/u],
  ["kernel-returns", "kernel int f(global int* x) { return 1; }", /void/u],
  ["directive", "#error stop\nkernel void f(void) {}", /stop/u],
  ["place", "kernel void f(global int* x) {\n  x[0] = y;\n}", /:2:\d+/u],
];

const BUILD_ERRORS: readonly ErrorRow[] = [
  ...MISTAKES.flatMap(([id, source, message]) => [
    {
      id: `errors/build-${id}`,
      what: `build of a text with a mistake (${id})`,
      name: "compile_program_error",
      code: "build",
      message,
      run: () => build(input(source)),
    },
    {
      id: `errors/compile-${id}`,
      what: `compile of a text with a mistake (${id})`,
      name: "compile_program_error",
      code: "build",
      message,
      run: () => compile(input(source)),
    },
  ]),
  {
    id: "errors/build-unresolved",
    what: "build of a text that calls what is nowhere",
    name: "link_program_error",
    code: "build",
    message: /helper/u,
    run: () => build(input(CALLER)),
  },
  {
    id: "errors/build-no-kernel",
    what: "build of a text without a kernel",
    name: "link_program_error",
    code: "build",
    message: /no kernel/u,
    run: () => build(input(HELPER)),
  },
  {
    id: "errors/build-empty",
    what: "build of an empty module",
    name: "invalid_object",
    code: "invalid",
    message: /empty: it has no device images/u,
    run: () => build(EMPTY.get(context, "input")),
  },
  {
    id: "errors/compile-empty",
    what: "compile of an empty module",
    name: "invalid_object",
    code: "invalid",
    message: /empty/u,
    run: () => compile(EMPTY.get(context, "input")),
  },
  {
    id: "errors/build-state",
    what: "build of an executable module",
    name: "invalid_object",
    code: "invalid",
    message: /an input module is needed, not an executable module/u,
    run: () => build(untyped(kernels())),
  },
  {
    id: "errors/compile-state",
    what: "compile of an object module",
    name: "invalid_object",
    code: "invalid",
    message: /an input module is needed, not an object module/u,
    run: () => compile(untyped(compile(input()))),
  },
  {
    id: "errors/build-nothing",
    what: "build of no module",
    name: "invalid_object",
    code: "invalid",
    message: /an input module is needed/u,
    run: () => build(untyped(undefined)),
  },
  {
    id: "errors/options-unknown",
    what: "an option that there is not",
    code: "invalid",
    message: /an option is none of/u,
    run: () => build(input(), untyped({})),
  },
  {
    id: "errors/options-opencl",
    what: "a build option that OpenCL does not have",
    code: "invalid",
    message: /-no-such-option/u,
    run: () => build(input(), property.openclOptions("-no-such-option")),
  },
  {
    id: "errors/options-link",
    what: "an option of compilation for a link",
    code: "invalid",
    message: /-D/u,
    run: () => link([compile(input())], property.openclOptions("-D A=1")),
  },
  {
    id: "errors/log-stream",
    what: "a log into what is no stream",
    code: "invalid",
    message: /write\(text\)/u,
    run: () => property.log(untyped({})),
  },
  {
    id: "errors/link-none",
    what: "link of no modules",
    name: "invalid_object",
    code: "invalid",
    message: /list of modules is empty/u,
    run: () => link([]),
  },
  {
    id: "errors/link-empty",
    what: "link of an empty module",
    name: "invalid_object",
    code: "invalid",
    message: /empty/u,
    run: () => link([EMPTY.get(context, "object")]),
  },
  {
    id: "errors/link-contexts",
    what: "link of modules of different contexts",
    name: "invalid_object",
    code: "invalid",
    message: /different contexts/u,
    run: () => link([compile(input()), compile(input(TWO, new Context()))]),
  },
  {
    id: "errors/link-undefined",
    what: "link that leaves a reference undefined",
    name: "link_program_error",
    code: "build",
    message: /helper/u,
    run: () => link([compile(input(CALLER))]),
  },
  {
    id: "errors/link-twice",
    what: "link of two definitions of one function",
    name: "link_program_error",
    code: "build",
    message: /helper/u,
    run: () => link([compile(input(CALLER)), compile(input(HELPER)), compile(input("int helper(int i) { return i; }"))]),
  },
  {
    id: "errors/link-no-kernel",
    what: "link of modules without a kernel",
    name: "link_program_error",
    code: "build",
    message: /no kernel/u,
    run: () => link([compile(input(HELPER))]),
  },
  {
    id: "errors/link-state",
    what: "link of an input module",
    name: "invalid_object",
    code: "invalid",
    message: /an object module is needed, not an input module/u,
    run: () => link([untyped(input())]),
  },
  {
    id: "errors/join-none",
    what: "join of no modules",
    name: "invalid_object",
    code: "invalid",
    message: /list of modules is empty/u,
    run: () => join([]),
  },
  {
    id: "errors/join-contexts",
    what: "join of modules of different contexts",
    name: "invalid_object",
    code: "invalid",
    message: /different contexts/u,
    run: () => join([input(), input(ONE, new Context())]),
  },
  {
    id: "errors/join-kernels",
    what: "join of executable modules with different kernels",
    name: "invalid_object",
    code: "invalid",
    message: /different kernels \(f and g\)/u,
    run: () => join([build(input(ONE)), build(input(TWO))]),
  },
  {
    id: "errors/join-inputs",
    what: "join of input modules with different kernels",
    name: "invalid_object",
    code: "invalid",
    message: /different kernels/u,
    run: () => join([input(ONE), input(TWO)]),
  },
  {
    id: "errors/join-states",
    what: "join of modules in different states",
    name: "invalid_object",
    code: "invalid",
    message: /an input module is needed, not an executable module/u,
    run: () => join([input(), untyped(build(input()))]),
  },
  {
    id: "errors/join-empty",
    what: "join with an empty module",
    name: "invalid_object",
    code: "invalid",
    message: /empty/u,
    run: () => join([input(), EMPTY.get(context, "input")]),
  },
  {
    id: "errors/get-kernel",
    what: "a kernel that the module does not have",
    name: "kernel_not_found",
    code: "kernel",
    message: /no kernel "h"; it has f, g/u,
    run: () => build(input(ONE + TWO)).getKernel("h"),
  },
  {
    id: "errors/get-kernel-empty",
    what: "a kernel of an empty module",
    name: "kernel_not_found",
    code: "kernel",
    message: /it has none/u,
    run: () => EMPTY.get(context, "executable").getKernel("f"),
  },
  {
    id: "errors/kernel-info",
    what: "a fact that kernels do not have",
    code: "invalid",
    message: /no fact "colour"/u,
    run: () => kernels().getKernel("one").getInfo(untyped("colour")),
  },
  {
    id: "errors/iterator-end",
    what: "the image at the end",
    code: "invalid",
    message: /no image at the end/u,
    run: () => input().end().image,
  },
  {
    id: "errors/iterator-past",
    what: "a place after the end",
    code: "invalid",
    message: /nothing after the end/u,
    run: () => input().end().next(),
  },
];

const CREATE_ERRORS: readonly ErrorRow[] = [
  {
    id: "errors/source-context",
    what: "createWithSource without a context",
    code: "invalid",
    message: /not a context/u,
    run: () => createWithSource(untyped(null), ONE),
  },
  {
    id: "errors/source-text",
    what: "createWithSource of a number",
    code: "invalid",
    message: /the source is a number/u,
    run: () => createWithSource(context, untyped(1)),
  },
  {
    id: "errors/source-disposed",
    what: "a module for a context that is gone",
    code: "invalid",
    message: /disposed of/u,
    run: () => {
      const own = new Context();
      own[Symbol.dispose]();
      createWithSource(own, ONE);
    },
  },
  {
    id: "errors/il-magic",
    what: "createProgramWithIL of other bytes",
    code: "invalid",
    message: /magic number/u,
    run: () => createProgramWithIL(context, new Uint8Array(24)),
  },
  {
    id: "errors/il-length",
    what: "createProgramWithIL of bytes that are no words",
    code: "invalid",
    message: /magic number/u,
    run: () => createProgramWithIL(context, spirv("constants").subarray(0, 23)),
  },
  {
    id: "errors/il-empty",
    what: "createProgramWithIL of nothing",
    code: "invalid",
    message: /non-empty Uint8Array/u,
    run: () => createProgramWithIL(context, new Uint8Array(0)),
  },
  {
    id: "errors/il-broken",
    what: "build of SPIR-V that ends too early",
    name: "compile_program_error",
    code: "build",
    message: /error|SPIR-V|module/u,
    run: () => build(createProgramWithIL(context, spirv("constants").slice(0, 40))),
  },
  {
    id: "errors/binary-other",
    what: "createProgramWithBinary of other bytes",
    code: "invalid",
    message: /neither an executable nor a compiled object/u,
    run: () => createProgramWithBinary(context, Uint8Array.of(1, 2, 3, 4)),
  },
  {
    id: "errors/binary-empty",
    what: "createProgramWithBinary of nothing",
    code: "invalid",
    message: /non-empty Uint8Array/u,
    run: () => createProgramWithBinary(context, new Uint8Array(0)),
  },
  {
    id: "errors/binary-cut",
    what: "createProgramWithBinary of half an executable",
    code: "invalid",
    message: /./u,
    run: () => {
      const bytes = build(input()).images[0]?.bytes ?? new Uint8Array(0);
      return createProgramWithBinary(context, bytes.slice(0, bytes.length >> 1));
    },
  },
  {
    id: "errors/compile-executable",
    what: "compile of a module that has code only",
    name: "invalid_object",
    code: "invalid",
    message: /no image for/u,
    run: () => compile(createProgramWithBinary(context, build(input()).images[0]?.bytes ?? new Uint8Array(0))),
  },
  {
    id: "errors/builtin-none",
    what: "createProgramWithBuiltinKernels of no names",
    code: "invalid",
    message: /list of names is empty/u,
    run: () => createProgramWithBuiltinKernels(context, []),
  },
  {
    id: "errors/builtin-unknown",
    what: "a kernel that the device does not have of its own",
    code: "invalid",
    message: /no kernel "blur" of its own; it has none/u,
    run: () => createProgramWithBuiltinKernels(context, ["blur"]),
  },
  {
    id: "errors/context-none",
    what: "a context of no devices",
    code: "invalid",
    message: /list of devices is empty/u,
    run: () => new Context([]),
  },
  {
    id: "errors/context-twice",
    what: "a context with a device twice",
    code: "invalid",
    message: /listed twice/u,
    run: () => {
      const [device] = context.getDevices();
      return device === undefined ? null : new Context([device, device]);
    },
  },
];

/** All rows. */
export const MODULE_ERRORS: readonly ErrorRow[] = [...BUILD_ERRORS, ...CREATE_ERRORS];
