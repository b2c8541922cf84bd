// SPDX-License-Identifier: Apache-2.0
// The kernels of benchmarks/wasm, hand-written in C with vectors: compiled to WebAssembly and put into executables that
// the runtime loads like any other.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { sharedMemoryPatch } from "@muxkit/kernel-abi";
import { build } from "@muxkit/kernel-suite";
import { type ExecutableImage, writeExecutable } from "@muxkit/metadata";

const FOLDER = join(import.meta.dirname, "..", "..", "benchmarks", "wasm");
const FEATURES = ["simd", "threads", "relaxed-simd"];
/** Bytes of scratch memory that each thread gets: a packed panel of 768 rows of 8 floats. */
const SCRATCH_BYTES = 65_536;
const OPTIONS = [
  "--target=wasm32",
  "-O3",
  "-std=c17",
  "-Wall",
  "-Wno-unused-value",
  "-Werror",
  "-ffreestanding",
  "-nostdlib",
  "-ffp-contract=off",
  "-fno-math-errno",
  "-fno-trapping-math",
  "-msimd128",
  "-mrelaxed-simd",
  "-matomics",
  "-mbulk-memory",
  "-mnontrapping-fptoint",
  "-Wl,--no-entry",
  "-Wl,--import-memory",
  "-Wl,--shared-memory",
  "-Wl,--max-memory=4294967296",
  "-Wl,--strip-all",
];
const OUTPUT = "hand.wasm";

/** The members of a job file that matter here. */
interface JobText {
  readonly name: string;
  readonly source: string;
  readonly kernel: string;
  readonly options?: string;
}

/** Compiles the kernels to one module. Throws with the output of clang. */
export async function compileHandWritten(): Promise<Uint8Array> {
  const { commands } = await import("@yowasp/clang");
  const files = Object.fromEntries(
    readdirSync(FOLDER)
      .filter((name) => /\.[ch]$/u.test(name))
      .map((name) => [name, readFileSync(join(FOLDER, name), "utf8")]),
  );
  let output = "";
  const stderr = (bytes: Uint8Array | null): void => {
    if (bytes !== null) output += new TextDecoder().decode(bytes);
  };
  const quiet = { fetchProgress: (): undefined => undefined };
  await commands.clang(undefined, undefined, quiet);
  try {
    const made = await commands.clang(
      [...OPTIONS, ...Object.keys(files).filter((name) => name.endsWith(".c")), "-o", OUTPUT],
      files,
      { ...quiet, stdout: null, stderr },
    );
    const bytes = made?.[OUTPUT];
    if (!(bytes instanceof Uint8Array)) throw new Error("clang wrote nothing");
    let listing = "";
    const stdout = (text: Uint8Array | null): void => {
      if (text !== null) listing += new TextDecoder().decode(text);
    };
    await commands.objdump(["-d", "--no-show-raw-insn", OUTPUT], { [OUTPUT]: bytes }, { ...quiet, stdout, stderr });
    checkMemory(bytes, listing);
    return withoutTables(bytes);
  } catch (cause) {
    throw new Error(
      `benchmarks/wasm cannot be compiled: ${output}${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}

const HEADER_BYTES = 8;
const SECTION_TABLE = 4;
const SECTION_DATA = 11;

/**
 * Threads share one memory: a module with data or a stack of its own would write over what lies there. Throws where
 * there is one.
 */
function checkMemory(bytes: Uint8Array, listing: string): void {
  const keepsData = sectionsOf(bytes).some(({ id }) => id === SECTION_DATA);
  const usesStack = !listing.includes("local.get") || listing.includes("global.");
  if (keepsData || usesStack)
    throw new Error(
      "a kernel keeps something in memory of its own (a table, an array that is not unrolled); the arena is for that",
    );
}

function unsigned(bytes: Uint8Array, at: number): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let i = at, scale = 1; ; i++, scale *= 128) {
    const byte = bytes[i] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return { value, next: i + 1 };
  }
}

function sectionsOf(bytes: Uint8Array): { readonly id: number; readonly start: number; readonly end: number }[] {
  const list = [];
  for (let at = HEADER_BYTES; at < bytes.length;) {
    const { value, next } = unsigned(bytes, at + 1);
    list.push({ id: bytes[at] ?? 0, start: next, end: next + value });
    at = next + value;
  }
  return list;
}

/**
 * The module without the table that the linker declares in any case: nothing here calls through one, and the runtime
 * loads no code that has one.
 */
function withoutTables(bytes: Uint8Array): Uint8Array {
  const sections = sectionsOf(bytes);
  const kept = sections.flatMap(({ id, end }, index) =>
    id === SECTION_TABLE ? [] : [bytes.subarray(sections[index - 1]?.end ?? HEADER_BYTES, end)],
  );
  return Uint8Array.from([bytes.subarray(0, HEADER_BYTES), ...kept].flatMap((part) => [...part]));
}

/** Offset of the flag byte of the imported memory's limits: after count, "env", "memory" and the kind. */
function memoryFlagOffset(bytes: Uint8Array): number {
  const imports = sectionsOf(bytes).find(({ id }) => id === 2);
  if (imports === undefined) throw new Error("benchmarks/wasm: the module imports no memory");
  const name = unsigned(bytes, imports.start + 1);
  const field = unsigned(bytes, name.next + name.value);
  return field.next + field.value + 1;
}

/** Writes an executable for a job: the arguments of the kernel's source, and hand-written code. */
export function writeHandExecutable(jobFile: string, module: Uint8Array, path: string): void {
  const job = JSON.parse(readFileSync(jobFile, "utf8")) as JobText;
  const image = build(readFileSync(join(jobFile, "..", job.source), "utf8"), {
    options: job.options ?? "",
    verifyEach: false,
  });
  const kernel = image.kernels.find(({ name }) => name === job.kernel);
  if (kernel === undefined) throw new Error(`${jobFile}: there is no kernel ${job.kernel}`);
  const variant = {
    functionName: job.kernel,
    section: ".wasm",
    localSize: [0, 0, 0] as const,
    needsUniformGroups: false,
    needsZeroOffset: false,
    staticLocalBytes: 0,
    liveBytes: 0,
    privateBytes: SCRATCH_BYTES,
    vectorWidth: 1,
    vectorDimension: 0,
    subGroupSize: 8,
    engineFeatures: FEATURES,
  };
  const hand: ExecutableImage = {
    target: "host",
    features: FEATURES,
    code: [
      { name: ".wasm", bytes: module, features: FEATURES, patches: [sharedMemoryPatch(memoryFlagOffset(module))] },
    ],
    kernels: [{ ...kernel, variants: [variant] }],
    programData: null,
    printfCalls: [],
    extraBlocks: [],
  };
  writeFileSync(path, writeExecutable(hand));
}
