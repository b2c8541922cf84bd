// SPDX-License-Identifier: Apache-2.0
// Kernels in TypeScript, run as debug JavaScript and as compiled OpenCL C by the interpreter, scalar and vector code.
import { stripTypeScriptTypes } from "node:module";
import { compileFunction } from "node:vm";

import * as library from "@muxkit/kernel-library";
import {
  type ImageFormatName,
  type ImageSampler,
  type KernelParameter,
  type TranslatedKernel,
  argumentsOf,
  openclRange,
  sizeOf,
} from "@muxkit/kernel-library";
import { type DifferentialArgument, runThreeWays } from "@muxkit/kernel-suite";
import { samplerBits } from "@muxkit/libimg";
import { type RewrittenFile, rewrite } from "@muxkit/typescript-kernels";

/** Import of everything that the library has. */
export const IMPORT = `import { ${Object.keys(library).join(", ")}, kernel, specConstant, type Accessor, type Item, type NdItem, type LocalArray, type Pointer, type PrivateArray, type RecordOf, type ImageAccessor, type SampledImageAccessor } from "muxkit/sycl";\n`;

/** A typed array. */
export type Data = ArrayBufferView & { slice(): ArrayBufferView };

/** An image. */
export interface TypescriptImage {
  readonly format: ImageFormatName;
  readonly data: Data;
  readonly range: readonly number[];
  readonly sampler?: ImageSampler;
}

/** A launch: data of accessors and pointers, values, and counts of local elements, in the order of the parameters. */
export interface TypescriptLaunch {
  /** The file, without the import. */
  readonly text: string;
  readonly kernel: string;
  readonly range: readonly number[];
  readonly localRange?: readonly number[];
  /** Memory, a number, or the ranges beside the memory where there are several dimensions. */
  readonly arguments: readonly (
    | Data
    | number
    | { readonly data: Data; readonly range: readonly number[] }
    | { readonly local: number }
    | TypescriptImage
  )[];
  /** Products that are added keep their own rounding, so that floats have the same bits. */
  readonly isUnfused?: boolean;
}

/** Bytes of memory after a way of running. */
export interface TypescriptOutcome {
  readonly way: string;
  readonly buffers: readonly Uint8Array[];
}

/** Translates, or throws what is wrong. */
export function translated(text: string): RewrittenFile {
  const made = rewrite({ path: "/app/main.ts", text: IMPORT + text }, { keepsFunctions: true });
  if (made.code === null) throw new Error(made.translation.diagnostics.map(({ message }) => message).join("\n"));
  return made;
}

/** A unit whose kernels are their functions. */
const plainUnit = (): unknown => ({ kernel: (_name: string, fn: unknown) => fn, specConstant: () => ({}) });

/** The debug functions of a file, by name. */
export function debugFunctions({
  code,
  translation,
}: RewrittenFile): Readonly<Record<string, (...values: never[]) => unknown>> {
  const names = (translation.unit?.kernels ?? []).map(({ name }) => name);
  const plain = stripTypeScriptTypes(code ?? "")
    .replaceAll(/import \{[^}]*\} from "[^"]*";/gu, "")
    .replaceAll(/^export /gmu, "");
  const values: Readonly<Record<string, unknown>> = {
    ...library,
    $translationUnit: plainUnit,
    $kernel: library.kernelHost,
    $runOnHost: library.runOnHost,
  };
  const make = compileFunction(`${plain}\nreturn { ${names.join(", ")} };`, Object.keys(values)) as (
    ...all: unknown[]
  ) => Record<string, never>;
  return make(...Object.values(values));
}

const bytesOf = (data: ArrayBufferView): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

function dataOf(argument: TypescriptLaunch["arguments"][number]): Data | null {
  if (typeof argument === "number" || "local" in argument) return null;
  return "data" in argument ? argument.data : argument;
}

function bytesOfValue(parameter: KernelParameter, value: number): Uint8Array {
  if (parameter.kind !== "scalar") throw new Error("a value is of a scalar");
  const memory = new Uint8Array(sizeOf(parameter.type));
  (library.hostMemory(parameter.type, memory) as unknown as number[])[0] = value;
  return memory;
}

function openclArguments({ parameters }: TranslatedKernel, launch: TypescriptLaunch): readonly DifferentialArgument[] {
  return launch.arguments.flatMap((argument, i): readonly DifferentialArgument[] => {
    const parameter = parameters[i] as KernelParameter;
    return argumentsOf(parameter, false).map((one): DifferentialArgument => {
      if (typeof argument === "object" && "format" in argument) {
        const image = library.imageLayout(argument.format, argument.range);
        if (one.role === "sampler") return { sampler: samplerBits(library.wholeSampler(argument.sampler ?? {})) };
        return { contents: bytesOf(argument.data), image };
      }
      if (one.role === "local" && typeof argument === "object" && "local" in argument)
        return { local: one.elementBytes * argument.local };
      if (one.role === "range" && typeof argument === "object" && "range" in argument)
        return { value: bytesOf(Uint32Array.of(argument.range[one.dimension] ?? 1)) };
      if (typeof argument === "number") return { value: bytesOfValue(parameter, argument) };
      return { contents: bytesOf(dataOf(argument) as Data) };
    });
  });
}

/** Runs a kernel as debug JavaScript. */
export function runDebug(file: RewrittenFile, launch: TypescriptLaunch): readonly Uint8Array[] {
  const kernel = file.translation.unit?.kernels.find(({ name }) => name === launch.kernel);
  const fn = debugFunctions(file)[launch.kernel];
  if (kernel === undefined || fn === undefined) throw new Error(`there is no kernel ${launch.kernel}`);
  const copies: Uint8Array[] = [];
  const values = launch.arguments.map((argument, i): unknown => {
    const parameter = kernel.parameters[i] as KernelParameter;
    if (typeof argument === "number") return argument;
    if ("local" in argument && parameter.kind === "local")
      return new library.HostLocal(parameter.element, argument.local);
    const bytes = bytesOf(dataOf(argument) as Data).slice();
    copies.push(bytes);
    if (typeof argument === "object" && "format" in argument)
      return library.hostImage(argument.format, bytes, argument.range, argument.sampler);
    if (parameter.kind !== "accessor" && parameter.kind !== "pointer") throw new Error("memory is of an accessor");
    return library.hostMemory(parameter.element, bytes, "range" in argument ? argument.range : []);
  });
  const { subGroupSize } = kernel;
  library.runOnHost(fn, kernel.item, subGroupSize === undefined ? launch : { ...launch, subGroupSize }, values);
  return copies;
}

/** Runs a kernel as debug JavaScript, which comes first, and by three ways of the compiler. */
export function runTypescript(launch: TypescriptLaunch): readonly TypescriptOutcome[] {
  const file = translated(launch.text);
  const unit = file.translation.unit;
  const kernel = unit?.kernels.find(({ name }) => name === launch.kernel);
  if (unit === null || kernel === undefined) throw new Error(`there is no kernel ${launch.kernel}`);
  const outcomes = runThreeWays({
    source: `${launch.isUnfused === true ? "#pragma OPENCL FP_CONTRACT OFF\n" : ""}${unit.openclC}`,
    kernel: kernel.entry,
    options: unit.options,
    global: openclRange(launch.range),
    local: openclRange(launch.localRange ?? launch.range.map(() => 1)),
    arguments: openclArguments(kernel, launch),
  });
  return [
    { way: "debug JavaScript", buffers: runDebug(file, launch) },
    ...outcomes.map(({ way, buffers }) => ({ way, buffers })),
  ];
}

/** Texts of numbers, so that NaN of any bits is equal and zeros have signs. */
function shown(bytes: Uint8Array, like: Data): readonly string[] {
  const { buffer } = bytes.slice();
  const Type = like.constructor as new (from: ArrayBufferLike) => Iterable<number | bigint>;
  return Array.from(new Type(buffer), (value) => (Object.is(value, -0) ? "-0" : String(value)));
}

function memoryOf(launch: TypescriptLaunch): readonly Data[] {
  return launch.arguments.flatMap((argument) =>
    typeof argument === "number" || "local" in argument ? [] : ["data" in argument ? argument.data : argument],
  );
}

/** What a launch makes of memory. */
export interface Compared {
  /** What debug JavaScript makes of the memory of each argument. */
  readonly numbers: readonly (readonly string[])[];
  /** Where other ways make something else of it. */
  readonly others: readonly string[];
}

/** Runs a kernel in all ways, and compares the numbers in its memory. */
export function compare(launch: TypescriptLaunch): Compared {
  const data = memoryOf(launch);
  const [debug, ...others] = runTypescript(launch).map(({ way, buffers }) => ({
    way,
    numbers: buffers.map((bytes, i) => shown(bytes, data[i] as Data)),
  }));
  const numbers = debug?.numbers ?? [];
  return {
    numbers,
    others: others.flatMap((other) =>
      other.numbers.flatMap((list, i) =>
        list.flatMap((number, j) => {
          const own = numbers[i]?.[j];
          return number === own ? [] : [`memory ${i}[${j}] is ${number} by ${other.way}, and ${own} in JavaScript`];
        }),
      ),
    ),
  };
}
