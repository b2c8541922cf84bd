// SPDX-License-Identifier: Apache-2.0
// Differential testing (McKeeman 1998): one launch in every way there is to run it. All must leave the same bytes and
// print the same text.
//
// The ways, of one source:
// - the interpreter, on the front end's IR before any pass except the contraction of products, where the device fuses
//   them;
// - the device with 64-bit pointers, and code for GPUs, for launches that they take;
// - unoptimised, quick, generic and specialised code, and code that knows samplers and image formats and no local size,
//   quick too;
// - code with a forced vector width and a forced number of jammed rows, specialised and generic by turns, 1 being
//   scalar code;
// - machine code, where the machine runs it: generic, specialised and with a forced width, unoptimised and quick too;
// - generic and specialised code by turns on one set of program variables, where a launch has several kernels;
// - a binary, run by a runtime without a compiler.
//
// Launches that name no widths get one that the length of the source decides: over many tests all widths occur, and
// each test is reproducible. `firstDifference` compares two outcomes byte by byte, except that all NaNs of a float
// element are equal. Code that computes for too long is cancelled, so that an endless loop fails its test.
//
// Where `npm test` runs a share of the suite (share.ts), one program in three takes the way without optimisation, one
// in three the way by a binary, and of four compilations one is verified after each pass; interpreter, generic,
// specialised and forced code run always.
//
// Cost: one compilation for each way and one run for each. What was compiled is cached by source, options and facts
// (the last few, first in, first out), because tests launch one program with many arguments.
import { createHash } from "node:crypto";

import { type ArgumentFact, type ProgramInput, argumentFacts, linkProgram, openclC } from "@muxkit/compiler";
import { libraryContext, lowerPipeCalls } from "@muxkit/compiler-base";
import { type Specialization, hostModule } from "@muxkit/host-compiler";
import {
  type KernelArgument,
  Memory,
  type ResolveBuiltin,
  describeInterpreterError,
  interpretCopies,
  printfBuiltin,
} from "@muxkit/interpreter";
import { LAYOUT_32, type Module } from "@muxkit/ir";
import { CHANNEL_ORDERS, CHANNEL_TYPES, type Image } from "@muxkit/libimg";
import { type LoadedExecutable, readExecutable } from "@muxkit/metadata";
import { runPasses } from "@muxkit/passes";
import { PrintfOrder } from "@muxkit/printf";

import type { MessageArgument } from "./binary/launch-message.ts";
import { runWithoutCompiler } from "./binary/without-compiler.ts";
import { type BuildOptions, SUITE_DEVICE, build, buildBinary } from "./build.ts";
import { GPU_ALONE, buildGpu, runGpu, takesGpu } from "./gpu-way.ts";
import { Machine, type MachineArgument } from "./machine.ts";
import { runsNative } from "./native.ts";
import { writtenSpirv } from "./own-spirv.ts";
import { isOneIn } from "./share.ts";
import { buildWide, runWide, takesWideDevice } from "./wide-device.ts";

/** Bytes of a value, a buffer (with its contents), local memory, an image (with its pixels), the bits of a sampler. */
export type DifferentialArgument =
  | { readonly value: Uint8Array }
  | { readonly contents: Uint8Array; readonly image?: Image }
  | { readonly local: number }
  | { readonly sampler: number };

/** A launch; `S`: OpenCL C alone, or sources of other front ends too. */
export interface DifferentialLaunch<S extends string | ProgramInput = string> {
  /** OpenCL C, or what another front end reads. */
  readonly source: S;
  readonly kernel: string;
  /** Kernels to run after it, with the same arguments: the program's variables live on. */
  readonly next?: readonly string[];
  readonly options?: string;
  readonly arguments: readonly DifferentialArgument[];
  readonly global: readonly number[];
  readonly local: readonly number[];
  readonly offset?: readonly number[];
  /**
   * Work-items at once, where that is forced: the first for specialised code, the second for generic code, and so on;
   * 1: one by one. Absent: one width that the source's length decides.
   */
  readonly widths?: readonly number[];
  /** Rows that run together where a width is forced and they can be jammed. Absent: the source's length decides. */
  readonly rows?: number;
  /** False: only code runs. The interpreter is slow, and tests with a reference of their own need no other judge. */
  readonly isInterpreted?: boolean;
  /** True: it takes every way, also where a share of the suite runs. */
  readonly takesAll?: boolean;
  /** True: it takes the interpreter's way and every one of machine code, and no other. */
  readonly isNative?: boolean;
}

/** A launch of any source. */
export type AnyLaunch = DifferentialLaunch<string | ProgramInput>;

/** One program in so many takes the ways that cost most and find least, where a share of the suite runs. */
const ONE_IN = 3;
/** One compilation in so many is verified after each pass there. */
const VERIFIED_IN = 4;

/** The buffers after a run in one way, in the order of the arguments. */
export interface Outcome {
  readonly way: string;
  readonly buffers: readonly Uint8Array[];
  /** What the kernel printed, a byte string. */
  readonly printed: string;
}

/** The front end's IR, before any pass, with products fused or not. Throws with the log. */
function frontEnd(
  source: string | ProgramInput,
  options: string,
  isFused: boolean = SUITE_DEVICE.codeFeatures.includes("fused-madd"),
): Module {
  const module = hostModule({
    device: SUITE_DEVICE,
    fusesMultiplyAdd: SUITE_DEVICE.codeFeatures.includes("fused-madd"),
    request: { features: SUITE_DEVICE.codeFeatures, optimize: false, vectorization: "never", verifyEach: true },
  });
  const linked = linkProgram(module, typeof source === "string" ? openclC(source) : source, options);
  if (!linked.ok) throw new Error(`${linked.error.message}\n${module.log}`);
  if (module.ir === null) throw new Error("a linked module holds IR");
  lowerPipeCalls(module.ir);
  if (isFused) runPasses(module.ir, ["contract"], libraryContext(LAYOUT_32));
  return module.ir;
}

function interpret(
  module: Module,
  { kernel, next = [], arguments: list, global, local, offset = [] }: AnyLaunch,
): Outcome {
  const { resolveBuiltin: fromLibrary } = libraryContext(LAYOUT_32);
  const order = new PrintfOrder();
  const [width = 1, height = 1] = local;
  const printf = printfBuiltin(({ groupId, localId: [x, y, z], text }) =>
    order.add(groupId, (z * height + y) * width + x, text),
  );
  const resolveBuiltin: ResolveBuiltin = (reference, isFused) =>
    reference.name === "printf" ? printf : fromLibrary(reference, isFused);
  let given = list.map((argument): KernelArgument => {
    if ("value" in argument) return { kind: "value", bytes: argument.value };
    if ("sampler" in argument) return { kind: "sampler", bits: argument.sampler };
    if ("contents" in argument && argument.image !== undefined)
      return { kind: "image", image: argument.image, bytes: argument.contents };
    return "local" in argument ? { kind: "local", size: argument.local } : { kind: "buffer", bytes: argument.contents };
  });
  const memory = new Memory(LAYOUT_32);
  let buffers: readonly (Uint8Array | null)[] = [];
  let printed = "";
  for (const name of [kernel, ...next]) {
    const result = interpretCopies(module, name, {
      arguments: given,
      globalSize: global,
      localSize: local,
      globalOffset: offset,
      resolveBuiltin,
      stepLimit: 1e9,
      memory,
    });
    if (!result.ok) throw new Error(`interpreter: ${describeInterpreterError(result.error)}`);
    const left = result.value.buffers;
    given = given.map((argument, i) =>
      argument.kind === "buffer" || argument.kind === "image"
        ? { ...argument, bytes: left[i] ?? argument.bytes }
        : argument,
    );
    buffers = left;
    printed += order.take();
  }
  return { way: "interpreter", buffers: buffers.flatMap((buffer) => buffer ?? []), printed };
}

/**
 * Processor time, in ms, after which code is cancelled: wrong code may not end, and then that is what is wrong with it.
 * A process that is kept waiting is not wrong.
 */
const MOST_MS = 30_000;

/** What this process has computed so far, in ms. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Runs the launches one after the other by the executables in turn, which are variants of one program and share its
 * variables.
 */
function runCode(
  way: string,
  images: readonly LoadedExecutable[],
  { kernel, next = [], arguments: list, global, local, offset = [] }: AnyLaunch,
  isOneByOne: boolean = false,
): Outcome {
  const end = processorTime() + MOST_MS;
  const machine = new Machine();
  const places = list.map((argument): MachineArgument => {
    if (!("contents" in argument)) return argument;
    const address = machine.upload(argument.contents);
    return argument.image === undefined ? { buffer: address } : { image: argument.image, pixels: address };
  });
  [kernel, ...next].forEach((name, i) => {
    const [first] = images;
    const image = images[i % images.length];
    if (image !== undefined && first !== undefined)
      machine.run(image, name, places, global, local, {
        offset,
        program: first,
        cancelWord: 1,
        clock: () => (processorTime() > end ? 1 : 0),
        mostMs: MOST_MS,
        isOneByOne,
      });
  });
  return {
    way,
    printed: machine.printed,
    buffers: places.flatMap((place, i) => {
      const argument = list[i];
      if (argument === undefined || !("contents" in argument)) return [];
      const address = "buffer" in place ? place.buffer : "image" in place ? place.pixels : 0;
      return [machine.bytes(address, argument.contents.length).slice()];
    }),
  };
}

/** True where code of any of the launch's kernels has both vectors and single work-items. */
function offersOneByOne({ kernels }: LoadedExecutable, { kernel, next = [] }: AnyLaunch): boolean {
  return kernels.some(
    ({ name, variants }) =>
      (name === kernel || next.includes(name)) && variants.some((variant) => variant.offersOneByOne === true),
  );
}

function messageArgument(argument: DifferentialArgument): MessageArgument {
  if ("value" in argument) return { kind: "value", bytes: argument.value };
  if ("sampler" in argument) return { kind: "value", bytes: new Uint8Array(Uint32Array.of(argument.sampler).buffer) };
  if ("local" in argument) return { kind: "local", size: argument.local };
  return argument.image === undefined
    ? { kind: "buffer", bytes: argument.contents }
    : { kind: "image", bytes: argument.contents, image: argument.image };
}

/** Runs the launches by a runtime that has the binary and nothing else. */
function runBinary(
  binary: Uint8Array,
  { kernel, next = [], arguments: list, global, local, offset = [] }: AnyLaunch,
): Outcome {
  const { buffers, printed } = runWithoutCompiler({
    binary,
    kernels: [kernel, ...next],
    arguments: list.map(messageArgument),
    global,
    local,
    offset,
  });
  return { way: "binary, without a compiler", buffers, printed };
}

/** What one program is built to, by way. */
interface Program {
  readonly module: Module;
  readonly codes: readonly (readonly [way: string, image: LoadedExecutable])[];
  /** What a user ships of it; null: it does not take this way. */
  readonly binary: Uint8Array | null;
}

/** What a source is known by: its text, or a digest of its bytes and of what its constants are given. */
function keyOf(source: string | ProgramInput): string {
  if (typeof source === "string") return source;
  const hash = createHash("sha256").update(source.kind).update(source.source);
  for (const [id, value] of source.specialization ?? []) hash.update(`${id}:`).update(value);
  for (const [key, count] of source.descriptorCounts ?? []) hash.update(`${key}:${count}`);
  return hash.digest("hex");
}

function lengthOf(source: string | ProgramInput): number {
  return (typeof source === "string" ? source : source.source).length;
}

/** Results made from texts, the last few of which are kept: tests launch one program with many arguments. */
class Kept<T> {
  private readonly made = new Map<string, T>();

  get(key: string, make: () => T): T {
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.made.set(key, value);
    const [oldest] = this.made.keys();
    if (this.made.size > MOST_KEPT && oldest !== undefined) this.made.delete(oldest);
    return value;
  }
}

const MOST_KEPT = 8;
const programs = new Kept<Program>();
/** What the interpreter runs. */
const modules = new Kept<Module>();

/** What no fact of a launch changes. */
const generic = new Kept<Program>();

/** Executables for the device with 64-bit pointers. */
const wide = new Kept<Uint8Array>();

/** Executables for GPUs. */
const gpu = new Kept<Uint8Array>();

/** The way through a GPU, for launches that take it. */
function byGpu(launch: AnyLaunch): readonly Outcome[] {
  if (!takesGpu(launch)) return [];
  const { source, options = "" } = launch;
  return [
    runGpu(
      gpu.get(JSON.stringify([keyOf(source), options]), () => buildGpu(source, options)),
      launch,
    ),
  ];
}

/** Widths that code is forced to where launches name none. */
const WIDTHS = [2, 4, 8, 16] as const;

/** Rows that are jammed where code is forced, the source's length decides. */
const ROWS = [2, 4, 1] as const;

function forced(
  source: string | ProgramInput,
  options: string,
  { width, rows }: { readonly width: number; readonly rows: number },
  specialization: Specialization | null,
): readonly [way: string, image: LoadedExecutable] {
  const what = specialization === null ? "generic" : "specialised";
  const facts = specialization === null ? {} : { specialization };
  return width === 1
    ? [`${what}, one by one`, compile(source, { options: `${options} -cl-wfv=never`, ...facts })]
    : [`${what}, ${width} at once, ${rows} rows`, compile(source, { options, width, rows, ...facts })];
}

/** Builds, verified after each pass or not. */
function compile(source: string | ProgramInput, options: BuildOptions): LoadedExecutable {
  return build(source, { ...options, verifyEach: isOneIn(VERIFIED_IN, JSON.stringify([keyOf(source), options])) });
}

/** Code that knows samplers and formats of images and no local size. */
function withKnownArguments(
  source: string | ProgramInput,
  options: string,
  launch: Specialization,
  takesQuick: boolean,
): readonly (readonly [way: string, image: LoadedExecutable])[] {
  const specialization = argumentFacts(launch);
  return [
    ["known arguments", compile(source, { options, specialization })],
    ...(takesQuick
      ? [["known arguments, quick", compile(source, { options, specialization, tier: "quick" })] as const]
      : []),
  ];
}

/** Machine code of a program, where something runs it; each kind of it for one program in three, one for all. */
function nativeCodes(
  { source, options = "", takesAll = false }: Pick<AnyLaunch, "source" | "options" | "takesAll">,
  specialization: Specialization,
  width: number,
  rows: number,
): readonly (readonly [way: string, image: LoadedExecutable])[] {
  if (!runsNative()) return [];
  const kinds: readonly (readonly [way: string, options: BuildOptions])[] = [
    ["native", { options }],
    ["native, specialised", { options, specialization }],
    ["native, unoptimised", { options: `${options} -cl-opt-disable` }],
    ["native, quick", { options, tier: "quick" }],
    width === 1
      ? ["native, one by one", { options: `${options} -cl-wfv=never` }]
      : [`native, ${width} at once, ${rows} rows`, { options, width, rows, specialization }],
  ];
  const key = keyOf(source);
  const chosen = kinds.filter(([way], i) => i === 0 || takesAll || isOneIn(ONE_IN, `${key} ${way}`));
  return chosen.map(([way, request]) => [way, compile(source, { ...request, native: true })]);
}

function program(
  { source, options = "", takesAll = false }: AnyLaunch,
  specialization: Specialization,
  widths: readonly number[],
  rows: number,
): Program {
  const key = keyOf(source);
  const takesQuick = takesAll || isOneIn(ONE_IN, `${key} quick`);
  const { module, codes, binary } = generic.get(JSON.stringify([key, options, takesAll]), () => ({
    module: modules.get(JSON.stringify([key, options]), () => frontEnd(source, options)),
    codes: [
      ...(takesAll || isOneIn(ONE_IN, `${key} unoptimised`)
        ? [["unoptimised", compile(source, { options: `${options} -cl-opt-disable` })] as const]
        : []),
      ["generic", compile(source, { options })],
      ...(takesQuick ? [["quick", compile(source, { options, tier: "quick" })] as const] : []),
    ],
    binary: takesAll || isOneIn(ONE_IN, `${key} binary`) ? buildBinary(source, options) : null,
  }));
  return programs.get(JSON.stringify([key, options, specialization, widths, rows, takesAll]), () => ({
    module,
    binary,
    codes: [
      ...codes,
      ["specialised", compile(source, { options, specialization })],
      ...(specialization.arguments?.some((fact) => fact !== null) === true
        ? withKnownArguments(source, options, specialization, takesQuick)
        : []),
      ...widths.map((width, i) => forced(source, options, { width, rows }, i % 2 === 0 ? specialization : null)),
      ...nativeCodes({ source, options, takesAll }, specialization, widths[0] ?? 4, rows),
    ],
  }));
}

/** What specialised code is compiled for. */
function factOf(argument: DifferentialArgument): ArgumentFact | null {
  if ("sampler" in argument) return { kind: "sampler", bits: argument.sampler };
  if (!("contents" in argument) || argument.image === undefined) return null;
  const { order, type } = argument.image.format;
  return { kind: "image", order: CHANNEL_ORDERS[order].code, channelType: CHANNEL_TYPES[type].code };
}

/** Runs a launch in the way that {@link runEveryWay} tries first, and by no other. */
export function runReference(launch: AnyLaunch): Outcome {
  const { source, options = "", isInterpreted = true } = launch;
  return isInterpreted
    ? interpret(
        modules.get(JSON.stringify([keyOf(source), options]), () => frontEnd(source, options)),
        launch,
      )
    : runCode("generic", [compile(source, { options })], launch);
}

/** Runs a launch by the interpreter, by scalar code and by vector code. */
export function runThreeWays(launch: AnyLaunch): readonly Outcome[] {
  const { source, options = "" } = launch;
  const module = modules.get(JSON.stringify([keyOf(source), options]), () => frontEnd(source, options));
  return [
    interpret(module, launch),
    runCode("one by one", [build(source, { options: `${options} -cl-wfv=never`, verifyEach: false })], launch),
    runCode("generic", [compile(source, { options })], launch),
  ];
}

/** Runs a launch in every way; the interpreter comes first unless it is left out. */
export function runEveryWay(launch: AnyLaunch): readonly Outcome[] {
  const { source, options = "", local, global, offset = [] } = launch;
  const [x = 1, y = 1, z = 1] = local;
  const uniform = global.every((size, axis) => size % (local[axis] ?? 1) === 0);
  const specialization: Specialization = {
    localSize: [x, y, z],
    uniformGroups: uniform,
    zeroOffset: offset.every((value) => value === 0),
    arguments: launch.arguments.map(factOf),
  };
  const widths = launch.widths ?? [WIDTHS[lengthOf(source) % WIDTHS.length] ?? 4];
  const rows = launch.rows ?? ROWS[(lengthOf(source) >> 2) % ROWS.length] ?? 1;
  if (launch.isNative === true)
    return [
      runReference({ ...launch, isInterpreted: true }),
      ...nativeCodes({ source, options, takesAll: true }, specialization, widths[0] ?? 4, rows).map(([way, image]) =>
        runCode(way, [image], launch),
      ),
    ];
  if (GPU_ALONE) return [runReference(launch), ...byGpu(launch)];
  const { module, codes, binary } = program(launch, specialization, widths, rows);
  const alone = codes.flatMap(([way, image]) => [
    runCode(way, [image], launch),
    ...(offersOneByOne(image, launch) ? [runCode(`${way}, asked to run one by one`, [image], launch, true)] : []),
  ]);
  const inTurn =
    launch.next === undefined
      ? []
      : [
          runCode(
            "generic and specialised in turn",
            codes.filter(([way]) => way === "generic" || way === "specialised").map(([, image]) => image),
            launch,
          ),
        ];
  return [
    ...(launch.isInterpreted === false ? [] : [interpret(module, launch)]),
    ...(takesWideDevice(launch)
      ? [
          runWide(
            wide.get(JSON.stringify([keyOf(source), options]), () => buildWide(source, options)),
            launch,
          ),
        ]
      : []),
    ...byGpu(launch),
    ...alone,
    ...inTurn,
    ...(binary === null ? [] : [runBinary(binary, launch)]),
  ];
}

/**
 * Runs a launch by the interpreter, and then by the interpreter and by code of the same program written as SPIR-V and
 * read again.
 */
export function runBySpirv(launch: DifferentialLaunch): readonly Outcome[] {
  const { source, options = "" } = launch;
  if (typeof source !== "string") throw new Error("the program is no OpenCL C");
  const input: ProgramInput = { kind: "spirv", source: writtenSpirv(source, options) };
  return [
    interpret(
      modules.get(JSON.stringify([keyOf(source), options]), () => frontEnd(source, options)),
      launch,
    ),
    { ...interpret(frontEnd(input, options), launch), way: "interpreter, by SPIR-V" },
    runCode("code, by SPIR-V", [build(input, { options })], launch),
  ];
}

/**
 * Runs a launch by the code of a binary that every engine can run, and by the interpreter, which fuses no products
 * then.
 */
export function runDefaultCode(launch: AnyLaunch): readonly [interpreted: Outcome, run: Outcome] {
  const { source, options = "" } = launch;
  const image = readExecutable(buildBinary(source, options));
  if (!image.ok) throw new Error(image.error.message);
  const [common] = image.value.code;
  const plain = {
    ...image.value,
    kernels: image.value.kernels.map((kernel) => ({
      ...kernel,
      variants: kernel.variants.filter(({ section }) => section === common?.name),
    })),
  };
  return [interpret(frontEnd(source, options, false), launch), runCode("default code", [plain], launch)];
}

/** Elements whose type decides what equal means: NaNs are one after arithmetic (docs/decisions/016-nan-bits.md). */
export type ElementKind = "f32" | "f64" | "bits";

function isNaNAt(kind: ElementKind, view: DataView, offset: number): boolean {
  return Number.isNaN(kind === "f32" ? view.getFloat32(offset, true) : view.getFloat64(offset, true));
}

/** The first element that differs, as a sentence; null when none does. */
export function firstDifference(a: Outcome, b: Outcome, kinds: readonly ElementKind[]): string | null {
  if (a.printed !== b.printed)
    return `${a.way} printed ${JSON.stringify(a.printed)}, ${b.way} ${JSON.stringify(b.printed)}`;
  for (const [i, left] of a.buffers.entries()) {
    const right = b.buffers[i] ?? new Uint8Array(0);
    const kind = kinds[i] ?? "bits";
    const size = kind === "f64" ? 8 : 4;
    for (let at = 0; at < left.length; at++) {
      if (left[at] === right[at]) continue;
      const element = Math.floor(at / size) * size;
      const [x, y] = [new DataView(left.buffer, left.byteOffset), new DataView(right.buffer, right.byteOffset)];
      if (kind !== "bits" && isNaNAt(kind, x, element) && isNaNAt(kind, y, element)) continue;
      const show = (view: DataView): string =>
        (kind === "f32"
          ? view.getFloat32(element, true)
          : kind === "f64"
            ? view.getFloat64(element, true)
            : view.getUint8(at)
        ).toString();
      return `buffer ${i}, byte ${at}: ${a.way} has ${show(x)}, ${b.way} ${show(y)}`;
    }
  }
  return null;
}
