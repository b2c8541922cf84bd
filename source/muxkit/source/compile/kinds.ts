// SPDX-License-Identifier: Apache-2.0
// What can be written of a program.

/** What `--emit` takes. */
export type Kind =
  | "binary"
  | "object"
  | "library"
  | "wasm"
  | "ir"
  | "dts"
  | "esm"
  | "sarif"
  | "spirv"
  | "spvasm"
  | "spirv-shader"
  | NativeKind;

/** Kinds that are machine code of x86-64 for programs in C. */
export type NativeKind = "elf" | "so" | "header" | "asm";

/** See {@link NativeKind}. */
export const NATIVE_KINDS: readonly NativeKind[] = ["elf", "so", "header", "asm"];

/** True for a kind that is machine code of x86-64 for programs in C. */
export function isNative(kind: Kind): kind is NativeKind {
  return (NATIVE_KINDS as readonly Kind[]).includes(kind);
}

/** One kind of output. */
export interface KindRow {
  readonly name: Kind;
  /** For the help. */
  readonly help: string;
  /** What the input's name gets after it; null: it goes to standard output. */
  readonly suffix: string | null;
}

/** All of them, the default first. */
export const KINDS: readonly KindRow[] = [
  { name: "binary", help: "a binary for clCreateProgramWithBinary (the default)", suffix: ".bin" },
  { name: "object", help: "a compiled object, for linking later", suffix: ".o" },
  { name: "library", help: "all inputs as one library, for linking later", suffix: ".a" },
  {
    name: "wasm",
    help: "the WebAssembly code alone: one module for all engines, and one for engines with more features",
    suffix: ".wasm",
  },
  { name: "esm", help: "an ES module with its kernels as functions, which needs no compiler", suffix: ".js" },
  { name: "dts", help: "the types of that module", suffix: ".d.ts" },
  { name: "ir", help: "the intermediate representation as text", suffix: null },
  { name: "spirv", help: "a SPIR-V module for OpenCL, for clCreateProgramWithIL", suffix: ".spv" },
  { name: "spvasm", help: "that module as assembly", suffix: ".spvasm" },
  {
    name: "spirv-shader",
    help: "each kernel as a compute shader of Vulkan, .KERNEL.spv, and the places of its arguments, .KERNEL.json",
    suffix: ".spv",
  },
  { name: "elf", help: "machine code of x86-64 as an object that cc links", suffix: ".o" },
  { name: "so", help: "machine code of x86-64 as a shared object of Linux", suffix: ".so" },
  { name: "header", help: "the C header of that code", suffix: ".h" },
  { name: "asm", help: "that code as text, with the lines of the source", suffix: null },
  { name: "sarif", help: "the diagnostics of all inputs as one log", suffix: null },
];

/** True for the name of a kind. */
export function isKind(name: string): name is Kind {
  return KINDS.some((kind) => kind.name === name);
}
