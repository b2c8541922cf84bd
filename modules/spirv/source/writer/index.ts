// SPDX-License-Identifier: Apache-2.0
// The IR to SPIR-V.
//
//   1. kernel-module.ts writes variables, functions and entry points into the sections of a module (module-writer.ts);
//      each op of the IR is a row of a table (*-rows.ts), each type and constant is declared once;
//   2. the parts are put together in the order of the logical layout;
//   3. requirements.ts walks over the result and says by the grammar's rows which capabilities, extensions and version
//      it needs, which come in front.
//
// shader/ writes kernels as compute shaders of Vulkan.
//
// The program is taken as front ends make it: with calls of built-in functions and queries of work-items, before
// anything is lowered for a processor (docs/decisions/069-spirv-writer.md). Cost: linear in the program.
import { InternalError, type Result, err, ok } from "@muxkit/cargo";
import type { Module } from "@muxkit/ir";

import { SPIRV_MAGIC, bytesOfWords, parseModule } from "../binary/module.ts";
import { describeSpirvError } from "../binary/error.ts";
import type { EnumerantNames } from "../generated/names.ts";
import { enumerant } from "../grammar/tables.ts";
import { Unwritable, type WriterError } from "./error.ts";
import { writeKernelModule } from "./kernel-module.ts";
import { type ModuleWriter, type Section, append } from "./module-writer.ts";
import { requirementsOf } from "./requirements.ts";
import type { ShaderBindings } from "./shader/bindings.ts";
import { writeShaderModule } from "./shader/shader-module.ts";
import { written } from "./written.ts";

/** How a program is written. @public */
export interface WriterOptions {
  /** True: places of the source are written, as OpLine. */
  readonly lines?: boolean;
}

const CAPABILITY = written("OpCapability");
const EXTENSION = written("OpExtension");
const MEMORY_MODEL = written("OpMemoryModel");
const ENTRY_POINT = written("OpEntryPoint");

const ORDER: readonly Section[] = [
  "modes",
  "strings",
  "names",
  "annotations",
  "declarations",
  "prototypes",
  "functions",
];

/** From this version on an interface names every variable outside of functions. */
const WHOLE_INTERFACE = 0x10400;

/** What stands before the sections of a module. */
export interface Frame {
  readonly w: ModuleWriter;
  readonly addressing: EnumerantNames["AddressingModel"];
  readonly memory: EnumerantNames["MemoryModel"];
  readonly execution: EnumerantNames["ExecutionModel"];
  readonly entryPoints: readonly (readonly [id: number, name: string])[];
  /** Built-in variables; and the others. */
  readonly inputs: readonly number[];
  readonly variables: readonly number[];
  /** The least version. */
  readonly version: number;
}

/** Puts a module together. */
export function finishModule(frame: Frame): Uint8Array {
  const { w, addressing, memory, execution, entryPoints, inputs, variables } = frame;
  const withFront = (version: number, capabilities: readonly number[], extensions: readonly string[]): number[] => {
    const words: number[] = [SPIRV_MAGIC, version, 0, w.bound, 0];
    for (const capability of capabilities) append(words, CAPABILITY, [capability]);
    for (const extension of extensions) append(words, EXTENSION, [extension]);
    for (const word of w.imports) words.push(word);
    append(words, MEMORY_MODEL, [enumerant("AddressingModel", addressing), enumerant("MemoryModel", memory)]);
    const shared = version >= WHOLE_INTERFACE ? [...inputs, ...variables] : inputs;
    for (const [id, name] of entryPoints)
      append(words, ENTRY_POINT, [enumerant("ExecutionModel", execution), id, name, ...shared]);
    for (const section of ORDER) for (const word of w.sections[section]) words.push(word);
    return words;
  };
  const parsed = parseModule(Uint32Array.from(withFront(frame.version, [], [])));
  if (!parsed.ok) throw new InternalError(describeSpirvError(parsed.error));
  const { capabilities, extensions, version } = requirementsOf(
    parsed.value,
    w.target,
    w.capabilities,
    w.extensions,
    frame.version,
  );
  return bytesOfWords(Uint32Array.from(withFront(version, capabilities, extensions)));
}

const VERSION_1_0 = 0x10000;

/**
 * Writes the kernels and functions of a program as a SPIR-V module for OpenCL. The version is the least that has what
 * the program uses. Errors say what SPIR-V cannot express, and where.
 *
 * @public
 */
export function writeSpirv(module: Module, options: WriterOptions = {}): Result<Uint8Array, WriterError> {
  try {
    const { w, entryPoints, inputs, variables } = writeKernelModule(module, { hasLines: options.lines === true });
    const bytes = finishModule({
      w,
      addressing: module.layout.sizeBits === 64 ? "Physical64" : "Physical32",
      memory: "OpenCL",
      execution: "Kernel",
      entryPoints,
      inputs,
      variables,
      version: VERSION_1_0,
    });
    return ok(bytes);
  } catch (error) {
    if (error instanceof Unwritable) return err(error.error);
    throw error;
  }
}

/** A kernel as a compute shader. @public */
export interface WrittenShader {
  /** The module. */
  readonly binary: Uint8Array;
  /** Where its arguments go. */
  readonly bindings: ShaderBindings;
}

const VERSION_1_5 = 0x10500;

/**
 * Writes a kernel as a compute shader for Vulkan 1.2 and later. The program must have been prepared: no calls of
 * built-in functions or with pointers, variables promoted, control flow reducible. Errors say what does not fit, and
 * where.
 *
 * @public
 */
export function writeShader(
  module: Module,
  kernel: string,
  options: WriterOptions = {},
): Result<WrittenShader, WriterError> {
  const found = module.functions.get(kernel);
  if (found?.kernel === null || found === undefined)
    return err({ where: "", place: "", message: `the program has no kernel "${kernel}"` });
  try {
    const { w, entry, inputs, variables, bindings } = writeShaderModule(module, found, options.lines === true);
    const binary = finishModule({
      w,
      addressing: "Logical",
      memory: "GLSL450",
      execution: "GLCompute",
      entryPoints: [[entry, kernel]],
      inputs,
      variables,
      version: VERSION_1_5,
    });
    return ok({ binary, bindings });
  } catch (error) {
    if (error instanceof Unwritable) return err(error.error);
    throw error;
  }
}
