// One OpenCL C program through the host's compiler, ahead of time.
import { InternalError } from "@muxkit/cargo";
import { type KernelInfo, type Target, readIncludeFile } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { HOST_COMPILER } from "@muxkit/host-compiler";
import type { MuxDeviceInfo } from "@muxkit/mux";
import type { Diagnostic } from "@muxkit/report";

import { UsageError } from "../command/command.ts";
import { optionString } from "./option-string.ts";

/** A program that was compiled, or why it was not. */
export interface CompiledFile {
  /** What there is to say. */
  readonly diagnostics: readonly Diagnostic[];
  /** Kernels and the bytes for clCreateProgramWithBinary; null: it has errors. */
  readonly program: { readonly kernels: readonly KernelInfo[]; readonly binary: Uint8Array } | null;
  /** Files that it includes. */
  readonly included: readonly string[];
}

/** What to compile. */
export interface CompileRequest {
  /** Name of the source: in messages, and headers are looked for beside it. */
  readonly file: string;
  readonly source: string;
  /** Build options, word by word. */
  readonly words: readonly string[];
  /** True: the program itself travels along in the binary. */
  readonly keepsIr: boolean;
  /** The device. */
  readonly device: MuxDeviceInfo;
}

/** The devices that programs can be compiled for. */
export function offlineDevices(): readonly MuxDeviceInfo[] {
  return [hostDeviceInfo({}, 1)];
}

let target: { readonly device: MuxDeviceInfo; readonly target: Target } | null = null;

function targetFor(device: MuxDeviceInfo): Target {
  if (target?.device !== device) {
    const made = HOST_COMPILER.createContext().createTarget(device, null);
    if (!made.ok) throw new InternalError(made.error.message, ["clc"]);
    target = { device, target: made.value };
  }
  return target.target;
}

/** Compiles a program. What the options say of engines matters not: the binary runs on all of them. Throws UsageError for wrong options. */
export function compileProgram({ file, source, words, keepsIr, device }: CompileRequest): CompiledFile {
  const module = targetFor(device).createModule();
  const parsed = module.parseOptions(optionString(file, words), "build");
  if (!parsed.ok) throw new UsageError(parsed.error.message);
  const included: string[] = [];
  const readFile = (path: string): string | null => {
    const text = readIncludeFile(path);
    if (text !== null) included.push(path);
    return text;
  };
  const fail = (): CompiledFile => ({ diagnostics: module.diagnostics, program: null, included });
  if (!module.compileOpenCLC(source, { headers: [], readFile }).ok) return fail();
  const linked = module.link([]);
  // What is called and nowhere defined has no line of its own.
  if (!linked.ok) return { ...fail(), diagnostics: [...module.diagnostics, { severity: "error", code: "", message: linked.error.message, span: null, ranges: [], notes: [], fix: null }] };
  const finalized = module.finalize();
  const binary = module.createPortableBinary(keepsIr);
  if (!finalized.ok || !binary.ok) throw new InternalError("a linked program cannot be compiled", ["clc", file]);
  // What became of kernels is among the diagnostics of a build.
  if (module.options.vectorizationRemarks) void module.createBinary();
  return { diagnostics: module.diagnostics, program: { kernels: finalized.value.kernels, binary: binary.value }, included };
}
