// SPDX-License-Identifier: Apache-2.0
// The C header of a program that was compiled ahead of time: arguments of its kernels as structures, and functions that
// run them.
import { type Result, err, ok } from "@muxkit/cargo";
import type { ArgumentMetadata, ExecutableImage, KernelMetadata } from "@muxkit/metadata";

import { C_RUNTIME } from "./c-runtime.ts";
import { nativeSection } from "./native-features.ts";

/** What the header is made of. @public */
export interface CHeaderRequest {
  /** The source's name, for the first line. */
  readonly source: string;
  /** What names of the program's own functions begin with: an identifier. */
  readonly program: string;
  /** The program. */
  readonly image: ExecutableImage;
}

const SCALARS: Readonly<Record<string, string>> = {
  bool: "uint8_t",
  char: "int8_t",
  uchar: "uint8_t",
  "unsigned char": "uint8_t",
  short: "int16_t",
  ushort: "uint16_t",
  "unsigned short": "uint16_t",
  int: "int32_t",
  uint: "uint32_t",
  unsigned: "uint32_t",
  "unsigned int": "uint32_t",
  long: "int64_t",
  ulong: "uint64_t",
  "unsigned long": "uint64_t",
  half: "uint16_t",
  float: "float",
  double: "double",
  size_t: "uint32_t",
  ptrdiff_t: "int32_t",
  intptr_t: "int32_t",
  uintptr_t: "uint32_t",
};

/** Words that a parameter in OpenCL C can have for a name, and a field in C or C++ cannot. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "alignas alignof and and_eq asm bitand bitor catch char8_t char16_t char32_t class co_await co_return " +
    "co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast " +
    "explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq " +
    "private protected public reinterpret_cast requires static_assert static_cast template this " +
    "thread_local throw true try typeid typename using virtual wchar_t xor xor_eq linux unix inline " +
    "restrict"
  ).split(" "),
);

function fieldName(name: string, index: number): string {
  if (!/^[A-Za-z_]\w*$/u.test(name)) return `argument${index}`;
  return RESERVED.has(name) ? `${name}_` : name;
}

/** A field of the structure: its declaration, and what it is in the source. */
function fieldOf(argument: ArgumentMetadata, index: number): string {
  const { kind, typeName, size, alignment } = argument;
  const name = fieldName(argument.name, index);
  const text = `/* ${argument.isConst ? "const " : ""}${typeName}`.replaceAll("*/", "* /");
  switch (kind) {
    case "pointer":
      return `uint32_t ${name}; ${text}: an address of the kernels */`;
    case "local":
      return `uint32_t ${name}; ${text}: bytes of local memory */`;
    case "pipe":
      return `uint32_t ${name}; ${text}: the address of a pipe */`;
    case "sampler":
      return `uint32_t ${name}; ${text}: bits of a sampler */`;
    case "image":
      return `muxkit_image ${name}; ${text} */`;
    default: {
      const [, base = "", lanes = ""] = /^(.*?)(16|2|3|4|8)?$/u.exec(typeName) ?? [];
      const scalar = SCALARS[base];
      const aligned = `MUXKIT_ALIGNED(${Math.max(1, alignment)})`;
      if (scalar === undefined) return `unsigned char ${name}[${size}] ${aligned}; ${text} */`;
      if (lanes === "") return `${scalar} ${name} ${aligned}; ${text} */`;
      return `${scalar} ${name}[${lanes === "3" ? 4 : lanes}] ${aligned}; ${text} */`;
    }
  }
}

/** Bytes that an argument takes among the packed ones. */
function packedBytes({ kind, size }: ArgumentMetadata): number {
  return kind === "value" ? size : kind === "image" ? 48 : 4;
}

function signature({ name, arguments: list }: KernelMetadata): string {
  const parameters = list.map((one) => {
    const space = one.kind === "value" || one.kind === "sampler" ? "" : `${one.addressSpace} `;
    return `${space}${one.isConst ? "const " : ""}${one.typeName} ${one.name}`;
  });
  return `kernel void ${name}(${parameters.join(", ")})`.replaceAll("*/", "* /");
}

function kernelText(kernel: KernelMetadata): string {
  const { name, arguments: list, packedSize, requiredWorkGroupSize, uniformWorkGroups, variants } = kernel;
  const [variant] = variants;
  const locals = list.filter(({ kind }) => kind === "local").map(({ offset }) => offset);
  const last = list.at(-1);
  const struct = `struct ${name}_args`;
  const hasArguments = list.length > 0;
  const sizes = [variant?.staticLocalBytes ?? 0, variant?.liveBytes ?? 0, variant?.privateBytes ?? 0];
  const end = last === undefined ? 0 : last.offset + packedBytes(last);
  const checks = list.map(
    ({ name: own, offset }, i) =>
      `MUXKIT_ASSERT(offsetof(${struct}, ${fieldName(own, i)}) == ${offset}, "${name}: place of an argument");`,
  );
  const fields = list.map((argument, i) => `  ${fieldOf(argument, i)}`);
  const given = hasArguments ? `const ${struct} *args, ` : "";
  const passed = hasArguments ? "args" : '""';
  return `/* ${signature(kernel)} */
int ${name}(void *base, uint32_t args, uint32_t dispatch, uint32_t worker, uint32_t first, uint32_t end);
${hasArguments ? `\n${struct} {\n${fields.join("\n")}\n};\n${checks.join("\n")}\n` : ""}
/* Begins a launch of ${name} for a number of threads, which then call muxkit_groups; muxkit_end ends it. */
static inline int ${name}_begin(muxkit_launch *launch, const muxkit_program *program, ${given}
                         muxkit_size offset, muxkit_size global, muxkit_size local, uint32_t threads) {
  static const uint32_t locals[] = {${locals.length === 0 ? 0 : locals.join(", ")}};
  static const muxkit_kernel kernel = {
      ${name}, ${packedSize}, ${sizes.join(", ")},
      {${(requiredWorkGroupSize ?? [0, 0, 0]).join(", ")}}, ${uniformWorkGroups ? 1 : 0}, locals, ${locals.length}};
  return muxkit_begin(launch, &kernel, program, ${passed}, ${end}, offset, global, local, threads);
}

/* Runs ${name} on this thread: work-items 0 to global - 1 in groups of local. */
static inline int ${name}_run(const muxkit_program *program, ${given}muxkit_size global, muxkit_size local) {
  muxkit_launch launch;
  const muxkit_size from = muxkit_make_size(0, 0, 0);
  int result = ${name}_begin(&launch, program, ${hasArguments ? "args, " : ""}from, global, local, 1);
  if (result != MUXKIT_DONE) return result;
  result = muxkit_groups(&launch, 0, 0, launch.groups);
  muxkit_end(&launch);
  return result;
}
`;
}

function loadText(program: string, { programData, code }: ExecutableImage): string {
  const isWide = code.some(({ name }) => name === nativeSection("x64.4"));
  const head = `/* Loads the program into a memory: checks the machine${
    programData === null ? "" : ", and places its variables"
  }. */
static inline int ${program}_load(muxkit_program *program, muxkit_memory *memory) {
  program->memory = memory;
  program->data = 0;
  if (!muxkit_runs_${isWide ? "wide" : "here"}()) return MUXKIT_NO_PROCESSOR;
`;
  if (programData === null) return `${head}  return MUXKIT_DONE;\n}\n`;
  const { size, bytes, relocations } = programData;
  const pairs = relocations.map(({ offset, target }) => `{${offset}u, ${target}u}`);
  return `extern const unsigned char ${dataName(program)}[${Math.max(1, bytes.length)}];

${head}  program->data = muxkit_allocate(memory, ${size}u);
  if (program->data == 0) return MUXKIT_NO_MEMORY;
  memset(muxkit_pointer(memory, program->data), 0, ${size}u);
  memcpy(muxkit_pointer(memory, program->data), ${dataName(program)}, ${bytes.length}u);
${
  pairs.length === 0
    ? ""
    : `  static const uint32_t pointers[][2] = {${pairs.join(", ")}};
  for (size_t i = 0; i < ${pairs.length}; i++) {
    const uint32_t target = program->data + pointers[i][1];
    memcpy((unsigned char *)muxkit_pointer(memory, program->data) + pointers[i][0], &target, 4);
  }
`
}  return MUXKIT_DONE;\n}\n`;
}

/** The symbol of the first bytes of a program's variables. @public */
export function dataName(program: string): string {
  return `${program}_program_data`;
}

/** Why a program cannot be called from C; null: it can. */
function refusal({ program, image: { kernels, printfCalls, programData } }: CHeaderRequest): string | null {
  const [print] = printfCalls;
  if (print !== undefined)
    return (
      `it calls printf(${JSON.stringify(print.format)}), and a program in C has nothing that would print it; ` +
      "remove the call, or use --emit binary"
    );
  const names = [
    `${program}_load`,
    ...(programData === null ? [] : [dataName(program)]),
    ...kernels.flatMap(({ name }) => [name, `${name}_begin`, `${name}_run`]),
  ];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) return `two functions of the header would be called ${twice}; rename a kernel, or the file`;
  const main = kernels.find(({ name }) => name === "main" || name.startsWith("muxkit_"));
  return main === undefined ? null : `a program in C cannot have a kernel called ${main.name}; rename it`;
}

/** The header; the error is a sentence that says why there is none. @public */
export function writeCHeader(request: CHeaderRequest): Result<string, string> {
  const { source, program, image } = request;
  const reason = refusal(request);
  if (reason !== null) return err(reason);
  const guard = `${program.toUpperCase()}_KERNELS_H`;
  return ok(`/* Kernels of ${source.replaceAll("*/", "* /")} for programs in C and C++. Written by clc; changes are lost. */
#ifndef ${guard}
#define ${guard}

${C_RUNTIME}
#ifdef __cplusplus
extern "C" {
#endif

${loadText(program, image)}
${image.kernels.map(kernelText).join("\n")}
#ifdef __cplusplus
}
#endif

#endif
`);
}
