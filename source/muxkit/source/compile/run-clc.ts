// SPDX-License-Identifier: Apache-2.0
// `clc`, and `muxkit compile`: programs ahead of time.
import { assert } from "@muxkit/cargo";
import { type Header, type Module, wordsOfMode } from "@muxkit/compiler";
import { readModuleFile } from "@muxkit/compiler-base";
import type { Module as IrModule } from "@muxkit/ir";
import { DIAGNOSTICS } from "@muxkit/opencl-c";
import { type Diagnostic, renderSarif } from "@muxkit/report";

import { InputError, type Streams, UsageError } from "../command/command.ts";
import { compileFile, diagnosticFormat, programOfIr, readHeaders, writeDiagnostics } from "../command/front-end.ts";
import { PASS_LIST, checkPassNames, runNamedPasses } from "../command/passes.ts";
import { progressLine } from "../command/progress-line.ts";
import { VERSION } from "../command/version.ts";
import { useForeignTargets } from "../foreign-targets.ts";
import type { CompilerRequest } from "./options.table.ts";
import { parseCompilerOptions, tellsOfItself, wordsOfFile } from "./parse-options.ts";
import {
  type CompiledFile,
  type CompiledObject,
  compileObject,
  compileProgram,
  finishLinked,
  linkObjects,
  readObject,
} from "./compile-program.ts";
import { type Input, readClcInput } from "./inputs.ts";
import { KINDS, isNative } from "./kinds.ts";
import type { NativePart, NativeTarget } from "./native-outputs.ts";
import { type OfflineDevice, deviceNamed, offlineDevices } from "./offline-devices.ts";
import {
  type NativeOutputs,
  type Output,
  describe,
  isOfIr,
  isOfObjects,
  isOfPrograms,
  objectFile,
  outputsOf,
} from "./outputs.ts";
import { STANDARD } from "./places.ts";
import { type Plan, planOf } from "./plan.ts";
import { spirvOutputs } from "./spirv-outputs.ts";
import { OutputWriter } from "./write-outputs.ts";

const IR_KINDS = KINDS.filter(({ name }) => isOfIr(name))
  .map(({ name }) => name)
  .join(", ");

/** The program that an object's file holds. */
function irOf(file: string, bytes: Uint8Array): IrModule {
  const read = readModuleFile(bytes);
  if (!read.ok || read.value.module === null)
    throw new InputError(`${file}: ${read.ok ? "it contains no program" : read.error}`);
  return read.value.module;
}

/** Makes outputs that are machine code. */
function nativeOutputs(part: NativePart, { last }: NativeTarget): NativeOutputs {
  return (request, program) => {
    if (request.kinds.length === 0) return [];
    program.build();
    const built = last();
    assert(built !== null, "a program that was built was handed over");
    return part.outputs({ ...request, program: built });
  };
}

/** One call of the program. */
class Run {
  private readonly request: CompilerRequest;
  private readonly streams: Streams;
  private readonly plan: Plan;
  private readonly device: OfflineDevice;
  private readonly native: NativeOutputs | null = null;
  private readonly writer: OutputWriter;
  private readonly headers: readonly Header[];
  private readonly said: Diagnostic[] = [];
  private hasSources = false;

  constructor(request: CompilerRequest, streams: Streams, loadNative: () => NativePart) {
    this.request = request;
    this.streams = streams;
    this.plan = planOf(request);
    const { kinds } = this.plan;
    if (request.isNative || kinds.some(isNative)) {
      if (request.device !== null)
        throw new UsageError(
          "machine code for programs in C is for no device: omit --device, or --target and its kinds",
        );
      const part = loadNative();
      const target = part.createTarget(request);
      this.device = target.device;
      this.native = nativeOutputs(part, target);
    } else {
      if (request.values["tier"] !== undefined) throw new UsageError("--tier needs --target");
      this.device = deviceNamed(request.device);
    }
    this.writer = new OutputWriter(request, this.plan, streams);
    checkPassNames(request.values);
    this.headers = readHeaders(request.headers);
  }

  /** The exit code. */
  all(): number {
    const code = this.plan.links ? this.linked() : this.separate();
    if (this.plan.kinds.includes("sarif"))
      this.writer.log(`${renderSarif(this.said, { name: "clc", version: VERSION }, DIAGNOSTICS)}\n`);
    return code;
  }

  /** Every input a file of its own. */
  private separate(): number {
    return this.each((input, clear) =>
      input.kind === "ir" ? this.ofIr(input.file, input.text, clear) : this.one(input, clear),
    );
  }

  /** Calls for each input, and tells how far it is; 1 when one of them has errors. */
  private each(use: (input: Input, clear: () => void) => boolean): number {
    const {
      request: { inputs, language, flags },
      streams,
    } = this;
    const line = flags.has("verbose") ? null : progressLine(streams);
    const clear = (): void => line?.clear();
    let code = 0;
    inputs.forEach((file, i) => {
      line?.show(`[${i + 1}/${inputs.length}] ${file}`, true);
      try {
        const input = readClcInput(file, language);
        if (input.kind === "cl" && input.text.trim() === "")
          streams.error(`clc: ${file === STANDARD ? "standard input" : file} is empty\n`);
        if (!use(input, clear)) code = 1;
      } catch (error) {
        clear();
        // What is wrong with one file is told, and the others are compiled.
        if (!(error instanceof InputError) || inputs.length === 1) throw error;
        streams.error(`clc: ${error.message}\n`);
        code = 1;
      }
    });
    clear();
    return code;
  }

  /** The object of a source, or the object or library that a file holds. */
  private objectOf(input: Exclude<Input, { kind: "ir" }>): CompiledObject {
    const { device, headers } = this;
    if (input.kind === "object") return { diagnostics: [], module: readObject(input.file, input.bytes, device) };
    this.hasSources = true;
    return compileObject({
      program: input,
      words: wordsOfFile(this.request, input.file),
      headers,
      device,
    });
  }

  /** Compiles one source, or finishes one object; false when it has errors. */
  private one(input: Exclude<Input, { kind: "ir" }>, clear: () => void): boolean {
    const {
      request,
      plan: { kinds },
      device,
      headers,
    } = this;
    const { file } = input;
    const outputs: Output[] = [];
    let kernels: CompiledFile["program"] = null;
    let isTold = false;
    const told = (diagnostics: readonly Diagnostic[]): void => {
      clear();
      if (!isTold) this.tell(diagnostics);
      isTold = true;
    };
    if (kinds.includes("object")) {
      if (input.kind === "object") throw new InputError(`${file} is already compiled; -c compiles sources`);
      const { diagnostics, module } = this.objectOf(input);
      told(diagnostics);
      if (module === null) return false;
      outputs.push(objectFile(module));
    }
    if (kinds.some((kind) => isOfPrograms(kind) || kind === "sarif")) {
      const compiled =
        input.kind !== "object"
          ? compileProgram({
              program: input,
              words: wordsOfFile(request, file),
              headers,
              device,
            })
          : this.finished(file, [this.objectOf(input).module]);
      told(compiled.diagnostics);
      kernels = compiled.program;
      if (kernels === null) return false;
      outputs.push(...outputsOf(file, kernels, kinds, request, this.native));
    }
    if (kinds.some(isOfIr)) {
      const front =
        input.kind === "object"
          ? { module: irOf(file, input.bytes), diagnostics: [] }
          : compileFile(input, wordsOfFile(request, file), headers);
      told(front.diagnostics);
      if (front.module === null) return false;
      outputs.push(...this.irOutputs(file, front.module));
    }
    this.done(file, kernels, outputs);
    return true;
  }

  private ofIr(file: string, text: string, clear: () => void): boolean {
    if (!this.plan.kinds.every(isOfIr)) throw new UsageError(`${file} is IR, which supports --emit ${IR_KINDS} only`);
    clear();
    this.done(file, null, this.irOutputs(file, programOfIr(file, text)));
    return true;
  }

  /** All inputs one program or library. */
  private linked(): number {
    const objects: Module[] = [];
    const code = this.each((input, clear) => {
      if (input.kind === "ir")
        throw new UsageError(`${input.file} is IR as text, which cannot be linked; compile sources with -c`);
      const { diagnostics, module } = this.objectOf(input);
      clear();
      this.tell(diagnostics);
      if (module !== null) objects.push(module);
      return module !== null;
    });
    if (code !== 0) return code;
    const {
      request,
      plan: { kinds, name },
    } = this;
    const outputs: Output[] = [];
    const linked = this.link(objects);
    let program: CompiledFile["program"] = null;
    if (linked.module === null || !kinds.some(isOfPrograms)) this.tell(linked.diagnostics);
    if (linked.module === null) return 1;
    // Written now: finishing changes it.
    const object = kinds.some(isOfObjects) || kinds.some(isOfIr) ? objectFile(linked.module) : null;
    if (object !== null && kinds.some(isOfObjects)) outputs.push(object);
    else if (kinds.some(isOfPrograms)) {
      const finished = finishLinked(name, linked, this.device);
      this.tell(finished.diagnostics);
      if (finished.program === null) return 1;
      ({ program } = finished);
      outputs.push(...outputsOf(name, finished.program, kinds, request, this.native));
    }
    if (object !== null && kinds.some(isOfIr)) outputs.push(...this.irOutputs(name, irOf(name, object.content)));
    this.done(name, program, outputs);
    return 0;
  }

  private link(objects: readonly Module[]): CompiledObject {
    const {
      request,
      plan: { kinds },
    } = this;
    // Where nothing is compiled a word that only compilers take is a mistake.
    const words = this.hasSources ? wordsOfMode(request.words, "link") : request.words;
    const isLibrary = kinds.includes("library") && !words.includes("-create-library");
    return linkObjects(objects, isLibrary ? [...words, "-create-library"] : words, this.device);
  }

  private finished(file: string, modules: readonly (Module | null)[]): CompiledFile {
    const {
      request: { inputs, words },
      device,
    } = this;
    return finishLinked(
      file,
      linkObjects(
        modules.filter((module) => module !== null),
        inputs.length === 1 ? words : wordsOfMode(words, "link"),
        device,
      ),
      device,
    );
  }

  /** What is written of the program as its front end makes it. */
  private irOutputs(file: string, module: IrModule): readonly Output[] {
    const { kinds } = this.plan;
    const isDebugged = wordsOfFile(this.request, file).includes("-g");
    // Passes change the program: SPIR-V first.
    const spirv = spirvOutputs(file, module, kinds, isDebugged);
    return kinds.includes("ir") ? [...spirv, this.irOutput(module)] : spirv;
  }

  private irOutput(module: IrModule): Output {
    const { text, notes } = runNamedPasses(module, this.request.values);
    this.streams.error(notes);
    return { suffix: null, content: text };
  }

  private done(file: string, program: CompiledFile["program"], outputs: readonly Output[]): void {
    const { flags } = this.request;
    if (!flags.has("no-output")) this.writer.write(file, outputs);
    if (flags.has("verbose")) this.streams.error(describe(file, program?.kernels ?? null, outputs));
  }

  private tell(diagnostics: readonly Diagnostic[]): void {
    this.said.push(...diagnostics);
    if (!this.plan.kinds.includes("sarif")) writeDiagnostics(diagnostics, diagnosticFormat(this.request), this.streams);
  }
}

/** Runs `clc` under a name; gives the exit code. Throws UsageError and InputError. */
export function runClc(name: string, args: readonly string[], streams: Streams, loadNative: () => NativePart): number {
  const request = parseCompilerOptions("compile", args);
  if (tellsOfItself("compile", name, request, streams)) return 0;
  const { flags } = request;
  useForeignTargets(process.env, process.cwd());
  if (flags.has("list-devices"))
    streams.out(
      offlineDevices()
        .map(({ device }) => `${device.deviceName}\n`)
        .join(""),
    );
  else if (flags.has("list-passes")) streams.out(PASS_LIST);
  else return new Run(request, streams, loadNative).all();
  return 0;
}
