// SPDX-License-Identifier: Apache-2.0
// Kernels by way of SPIR-V from tools that no one here wrote: clang, the translator of LLVM, SPIRV-Tools' optimiser.
// `MUXKIT_SUITE_SPIRV=O0 npx vitest run --project kernel-suite` runs the suite so: every program that the suite builds
// is compiled to SPIR-V first. The values are O0, O2, and either with `-opt` (spirv-opt) or `-32` (32-bit addressing).
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { opcodeOf, parseModule, validateModule } from "@muxkit/spirv";

import { isMiscompiled, prepareForTranslator } from "./llvm-text.ts";

/** How a program is made SPIR-V. @public */
export interface Producer {
  readonly optimization: "O0" | "O2";
  /** True: spirv-opt follows. */
  readonly isOptimized: boolean;
  readonly addressBits: 32 | 64;
  /** True: the bitcode itself is what is built, as SPIR 1.2 has it. */
  readonly isBitcode?: boolean;
}

/** The producer that the environment asks for; null: none. @public */
export function producerOf(text: string | undefined): Producer | null {
  if (text === undefined || text === "") return null;
  return {
    optimization: text.startsWith("O0") ? "O0" : "O2",
    isOptimized: text.includes("-opt"),
    addressBits: text.includes("-32") ? 32 : 64,
  };
}

/** Extensions and features of our device that clang's target `spir` does not know of. */
const EXTENSIONS = [
  "cl_khr_fp16",
  "cl_khr_fp64",
  "cl_khr_int64_base_atomics",
  "cl_khr_int64_extended_atomics",
  "cl_khr_subgroups",
  "cl_khr_3d_image_writes",
  "__opencl_c_3d_image_writes",
  "__opencl_c_atomic_order_acq_rel",
  "__opencl_c_atomic_order_seq_cst",
  "__opencl_c_fp64",
  "__opencl_c_generic_address_space",
  "__opencl_c_images",
  "__opencl_c_pipes",
  "__opencl_c_program_scope_global_variables",
  "__opencl_c_read_write_images",
  "__opencl_c_subgroups",
]
  .map((name) => `+${name}`)
  .join(",");

/** Features that clang's header asks for and its list of features does not have. */
const FEATURES = ["-D__opencl_c_work_group_collective_functions=1"];

/** Functions of extensions that clang's header does not declare: they are imported under their mangled names. */
const UNDECLARED = /\bsub_group_(?:clustered_)?rotate\b/u;
const PRAGMA = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
const DECLARATIONS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"]
  .map(
    (type) =>
      `${type} __attribute__((overloadable)) sub_group_rotate(${type}, int);` +
      `${type} __attribute__((overloadable)) sub_group_clustered_rotate(${type}, int, uint);`,
  )
  .join(" ");

/** Types of arguments as the source writes them go along, as strings. */
const TRANSLATION = ["--spirv-ext=+all", "--preserve-ocl-kernel-arg-type-metadata-through-string"];

/** The translator does not list what entry points of later versions use, and spirv-opt asks for it. */
const WITHOUT_INTERFACES = "--spirv-max-version=1.3";

/** Counts the ways in which modules were made so far: what was kept of an earlier one is made again. */
const REVISION = 7;

/** A program that one of the tools refuses. @public */
export class ProducerRefusal extends Error {
  /** What refused it. */
  readonly tool: string;

  constructor(tool: string, output: string) {
    super(`${tool}: ${output}`);
    this.tool = tool;
  }
}

function run(command: string, ...parts: string[]): void {
  try {
    execFileSync(command, parts, { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    const { code, signal, stderr } = error as {
      readonly code?: string;
      readonly signal?: string | null;
      readonly stderr?: Buffer;
    };
    if (code === "ENOENT") throw new Error(`there is no ${command} here`, { cause: error });
    // What crashes may say nothing.
    const said = stderr?.toString() ?? "";
    throw new ProducerRefusal(command, said === "" ? (signal ? `ended by ${signal}` : String(error)) : said);
  }
}

/** The tools that a producer needs and that are not installed. @public */
export function missingTools({
  isOptimized,
  isBitcode = false,
}: Pick<Producer, "isOptimized" | "isBitcode">): readonly string[] {
  const tools = [
    "clang-14",
    ...(isBitcode ? [] : ["llvm-spirv-14"]),
    ...(isOptimized ? ["spirv-opt", "spirv-val"] : []),
  ];
  const paths = (process.env["PATH"] ?? "").split(delimiter);
  return tools.filter((tool) => !paths.some((path) => existsSync(join(path, tool))));
}

/** True for a module that readers take as far as it is well-formed. */
function isTaken(binary: Uint8Array): boolean {
  const parsed = parseModule(binary);
  return parsed.ok && validateModule(parsed.value, { lenient: true }).length === 0;
}

/** Instructions with results of types that SPIR-V does not give them, as the translator writes them. */
const MISUSED: readonly (readonly [instruction: number, type: number, what: string])[] = [
  [opcodeOf("OpDot"), opcodeOf("OpTypeInt"), "OpDot of ints, which is no SPIR-V and has lost their signs"],
  [opcodeOf("OpConvertUToPtr"), opcodeOf("OpTypeReserveId"), "OpConvertUToPtr to a reservation, which is no SPIR-V"],
];

/** What a module has that is no SPIR-V and that no tool says; null: nothing. */
function misuseIn(binary: Uint8Array): string | null {
  const parsed = parseModule(binary);
  if (!parsed.ok) return null;
  const { opcodes, types, definitions } = parsed.value;
  for (const [wanted, type, what] of MISUSED)
    if (opcodes.some((opcode, at) => opcode === wanted && opcodes[definitions.of(types[at] ?? 0)] === type))
      return what;
  return null;
}

/** Options of a build that clang has too. */
function clangOptions(options: string): string[] {
  const words = options
    .split(/\s+/u)
    .filter((word) => /^-(?:[DI]|cl-(?:std|fast|unsafe|finite|no-signed|mad|single|denorms))/u.test(word));
  return words.some((word) => word.startsWith("-cl-std")) ? words : [...words, "-cl-std=CL2.0"];
}

/** What a program is on its way, one file after another. */
interface Files {
  readonly text: string;
  readonly llvm: string;
  readonly bitcode: string;
  readonly binary: string;
}

const targetOf = ({ addressBits }: Producer): readonly string[] => ["-target", addressBits === 64 ? "spir64" : "spir"];

/** OpenCL C to LLVM's text or bitcode. */
function runClang({ text }: Files, options: string, producer: Producer, ...output: readonly string[]): void {
  const extensions = ["-Xclang", "-finclude-default-header", "-Xclang", `-cl-ext=${EXTENSIONS}`];
  const language = ["-x", "cl", ...targetOf(producer), `-${producer.optimization}`, "-w", ...clangOptions(options)];
  run("clang-14", ...language, ...FEATURES, ...extensions, "-fno-discard-value-names", "-emit-llvm", text, ...output);
}

/** LLVM's text to SPIR-V. */
function translate({ llvm, bitcode, binary }: Files, producer: Producer, ...options: readonly string[]): void {
  const assembler = ["-Xclang", "-disable-llvm-passes", "-w", ...targetOf(producer), "-x", "ir", "-emit-llvm", "-c"];
  run("clang-14", ...assembler, llvm, "-o", bitcode);
  run("llvm-spirv-14", ...TRANSLATION, ...options, bitcode, "-o", binary);
  if (!producer.isOptimized) return;
  run("spirv-opt", "-O", binary, "-o", binary);
  // It has checked what it read. What it wrote is asked about where our reader does not take it.
  if (!isTaken(new Uint8Array(readFileSync(binary)))) run("spirv-val", binary);
}

/** Like {@link translate}; what the tools refuse, or make something else of, is rewritten before. */
function translatePrepared(files: Files, producer: Producer): void {
  const written = readFileSync(files.llvm, "utf8");
  const prepare = (): void => {
    writeFileSync(files.llvm, prepareForTranslator(written));
    translate(files, producer, ...(producer.isOptimized ? [WITHOUT_INTERFACES] : []));
  };
  // What the tools take is taken as they make it, so that readers see what they write.
  if (isMiscompiled(written)) {
    prepare();
    return;
  }
  try {
    translate(files, producer);
  } catch (error) {
    if (!(error instanceof ProducerRefusal)) throw error;
    prepare();
  }
}

/**
 * Compiles OpenCL C to SPIR-V by clang and llvm-spirv of Debian; results are kept in the folder for temporary files.
 * Throws a {@link ProducerRefusal} where one of them refuses the program.
 *
 * @public
 */
export function compileToSpirv(source: string, options: string, producer: Producer): Uint8Array {
  const folder = join(tmpdir(), "muxkit-spirv");
  mkdirSync(folder, { recursive: true });
  const key = createHash("sha256")
    .update(JSON.stringify([source, options, producer, EXTENSIONS, FEATURES, TRANSLATION, DECLARATIONS, REVISION]))
    .digest("hex")
    .slice(0, 24);
  const result = join(folder, `${key}.${producer.isBitcode === true ? "bc" : "spv"}`);
  if (existsSync(result)) return new Uint8Array(readFileSync(result));
  const base = join(folder, `${key}.${process.pid}`);
  const files: Files = { text: `${base}.cl`, llvm: `${base}.ll`, bitcode: `${base}.bc`, binary: `${base}.spv` };
  try {
    writeFileSync(files.text, UNDECLARED.test(source) ? `${PRAGMA}${DECLARATIONS}\n${source}` : source);
    if (producer.isBitcode === true) {
      runClang(files, options, producer, "-c", "-o", files.bitcode);
      renameSync(files.bitcode, result);
    } else {
      runClang(files, options, producer, "-S", "-o", files.llvm);
      translatePrepared(files, producer);
      const misuse = misuseIn(new Uint8Array(readFileSync(files.binary)));
      if (misuse !== null) throw new ProducerRefusal("llvm-spirv-14", misuse);
      renameSync(files.binary, result);
    }
  } finally {
    for (const path of Object.values(files) as string[]) rmSync(path, { force: true });
  }
  return new Uint8Array(readFileSync(result));
}
