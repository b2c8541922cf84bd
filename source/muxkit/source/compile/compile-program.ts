// SPDX-License-Identifier: Apache-2.0
// OpenCL C to objects, libraries and programs, ahead of time.
import { InternalError } from "@muxkit/cargo";
import {
  type CompilerError,
  type Header,
  type KernelInfo,
  type Module,
  type Target,
  readIncludeFile,
  wordsOfMode,
} from "@muxkit/compiler";
import type { Diagnostic } from "@muxkit/report";

import { InputError, UsageError } from "../command/command.ts";
import { type SourceFile, programInput } from "../command/program-file.ts";
import { codeError } from "./check-code.ts";
import type { OfflineDevice } from "./offline-devices.ts";
import { optionString, quotedOptions } from "./option-string.ts";

/** A finished program. */
export interface OfflineProgram {
  readonly kernels: readonly KernelInfo[];
  /** The bytes for clCreateProgramWithBinary; with `keepsIr` the program itself travels along. */
  readonly binary: (keepsIr: boolean) => Uint8Array;
  /** Has the compiler make what is for its own device alone. Throws InputError. */
  readonly build: () => void;
}

/** A program that was compiled, or why it was not. */
export interface CompiledFile {
  /** What there is to say. */
  readonly diagnostics: readonly Diagnostic[];
  /** Null: it has errors. */
  readonly program: OfflineProgram | null;
  /** Files that it includes. */
  readonly included: readonly string[];
}

/** An object or library that was compiled, linked or read, or why it was not. */
export interface CompiledObject {
  readonly diagnostics: readonly Diagnostic[];
  /** Null: it has errors. */
  readonly module: Module | null;
}

/** What to compile. */
export interface CompileRequest {
  /** The program. Its file's name is in messages, and headers are looked for next to it. */
  readonly program: SourceFile;
  /** Build options, word by word. */
  readonly words: readonly string[];
  /** Headers by the names that `#include` gives them; absent: none. */
  readonly headers?: readonly Header[];
  /** The device. */
  readonly device: OfflineDevice;
}

const targets = new WeakMap<OfflineDevice, Target>();

function emptyModule(offline: OfflineDevice): Module {
  let target = targets.get(offline);
  if (target === undefined) {
    const made = offline.compiler.createContext().createTarget(offline.device, null);
    if (!made.ok) throw new InternalError(made.error.message, ["clc"]);
    target = made.value;
    targets.set(offline, target);
  }
  return target.createModule();
}

/** What is wrong has a line of its own, or none, but is said in any case. */
function withReason(diagnostics: readonly Diagnostic[], { message }: CompilerError): readonly Diagnostic[] {
  return diagnostics.some(({ severity }) => severity === "error")
    ? diagnostics
    : [...diagnostics, { severity: "error", code: "", message, span: null, ranges: [], notes: [], fix: null }];
}

/** The front end's part of a build or compilation. */
function compileInto(
  module: Module,
  mode: "build" | "compile",
  { program, words, headers = [] }: CompileRequest,
): { readonly diagnostics: readonly Diagnostic[]; readonly isDone: boolean; readonly included: readonly string[] } {
  const parsed = module.parseOptions(optionString(program.file, words), mode);
  if (!parsed.ok) throw new UsageError(parsed.error.message);
  const included: string[] = [];
  const readFile = (path: string): string | null => {
    const text = readIncludeFile(path);
    if (text !== null) included.push(path);
    return text;
  };
  const compiled = module.compile(programInput(program, { headers, readFile }));
  return {
    diagnostics: compiled.ok ? module.diagnostics : withReason(module.diagnostics, compiled.error),
    isDone: compiled.ok,
    included,
  };
}

/** The program of a module that was linked. */
function finish(
  module: Module,
  name: string,
  { device }: OfflineDevice,
): { readonly program: OfflineProgram | null; readonly diagnostics: readonly Diagnostic[] } {
  const finalized = module.finalize();
  if (!finalized.ok) return { program: null, diagnostics: withReason(module.diagnostics, finalized.error) };
  const binary = (keepsIr: boolean): Uint8Array => {
    const made = module.createPortableBinary(keepsIr);
    if (!made.ok) throw new InputError(`${name}: ${made.error.message}`);
    const wrong = codeError(made.value, device.codeFeatures);
    if (wrong !== null) throw new InputError(`${name}: ${wrong}; split the kernel, and please report this`);
    return made.value;
  };
  const build = (): void => {
    const made = module.createBinary();
    if (!made.ok) throw new InputError(`${name}: ${made.error.message}`);
  };
  // What became of kernels is among the diagnostics of a build.
  if (module.options.vectorizationRemarks) void module.createBinary();
  return { program: { kernels: finalized.value.kernels, binary, build }, diagnostics: module.diagnostics };
}

/**
 * Compiles a program. What the options say of engines matters not: the binary runs on all of them. Throws UsageError
 * for wrong options, and InputError for a program that the device cannot have.
 */
export function compileProgram(request: CompileRequest): CompiledFile {
  const module = emptyModule(request.device);
  const { diagnostics, isDone, included } = compileInto(module, "build", request);
  if (!isDone) return { diagnostics, program: null, included };
  const linked = module.link([]);
  if (!linked.ok) return { diagnostics: withReason(module.diagnostics, linked.error), program: null, included };
  return { ...finish(module, request.program.file, request.device), included };
}

/** Compiles a source to an object that can be linked. Throws UsageError for wrong options. */
export function compileObject(request: CompileRequest): CompiledObject {
  const module = emptyModule(request.device);
  const { diagnostics, isDone } = compileInto(module, "compile", {
    ...request,
    words: wordsOfMode(request.words, "compile"),
  });
  return { diagnostics, module: isDone ? module : null };
}

/** The object or library that a file holds. Throws InputError. */
export function readObject(file: string, bytes: Uint8Array, device: OfflineDevice): Module {
  const module = emptyModule(device);
  const read = module.deserialize(bytes);
  if (!read.ok) throw new InputError(`${file}: ${read.error.message}`);
  if (module.state !== "compiled_object" && module.state !== "library")
    throw new InputError(
      `${file} holds a program in state ${module.state}, which cannot be linked; compile its source with -c`,
    );
  return module;
}

/**
 * Links objects and libraries: to a library with `-create-library` among the words, else to a program that
 * {@link finishLinked} finishes. Throws UsageError for wrong options.
 */
export function linkObjects(
  modules: readonly Module[],
  words: readonly string[],
  device: OfflineDevice,
): CompiledObject {
  const module = emptyModule(device);
  const parsed = module.parseOptions(quotedOptions(words), "link");
  if (!parsed.ok) throw new UsageError(parsed.error.message);
  const linked = module.link(modules);
  return linked.ok
    ? { diagnostics: module.diagnostics, module }
    : { diagnostics: withReason(module.diagnostics, linked.error), module: null };
}

/** The program of what was linked. */
export function finishLinked(
  name: string,
  { module, diagnostics }: CompiledObject,
  device: OfflineDevice,
): CompiledFile {
  return module === null
    ? { diagnostics, program: null, included: [] }
    : { ...finish(module, name, device), included: [] };
}
