// `clc`, and `muxkit compile`: programs ahead of time.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { InternalError } from "@muxkit/cargo";
import type { KernelInfo } from "@muxkit/compiler";
import { readExecutable, stripBinaryHeader } from "@muxkit/metadata";
import type { MuxDeviceInfo } from "@muxkit/mux";
import { DIAGNOSTICS } from "@muxkit/opencl-c";
import { type Diagnostic, renderSarif } from "@muxkit/report";

import { InputError, type Streams, UsageError } from "../command/command.ts";
import { compileFile, diagnosticFormat, languageOf, programOfIr, readInput, writeDiagnostics } from "../command/front-end.ts";
import { PASS_LIST, checkPassNames, runNamedPasses } from "../command/passes.ts";
import { VERSION } from "../command/version.ts";
import { type ClcRequest, clcHelp, parseClc } from "./clc-options.ts";
import { type CompiledFile, compileProgram, offlineDevices } from "./compile-program.ts";
import type { Kind } from "./kinds.ts";
import { textOfModule, typesOfModule } from "./typed-module.ts";

/** Something to write: what the input's name gets behind it, and the content. */
interface Output {
  readonly suffix: string | null;
  readonly content: string | Uint8Array;
}

/** Options of passes: who gives one wants IR. */
const PASS_OPTIONS = ["passes", "print-after", "print-after-all", "print-changed", "time-passes", "verify-each", "check-analyses"];

const STANDARD = "-";
/** Stands for the name of an input where an output is of all of them. */
const ALL_INPUTS = "";

function kindsOf({ kinds, values, language, inputs }: ClcRequest): readonly Kind[] {
  const asksPasses = PASS_OPTIONS.some((name) => values[name] !== undefined);
  const wanted: readonly Kind[] = kinds.length > 0 ? [...new Set(kinds)] : asksPasses || language === "ir" || inputs.every((file) => languageOf(file, language) === "ir") ? ["ir"] : ["binary"];
  if (asksPasses && !wanted.includes("ir")) throw new UsageError("passes are run over the IR that --emit ir writes; the others are made by the passes that every build runs");
  return wanted;
}

function deviceOf({ device: part }: ClcRequest): MuxDeviceInfo {
  const devices = offlineDevices();
  const found = devices.find(({ deviceName }) => part === null || deviceName.toLowerCase().includes(part.toLowerCase()));
  if (found === undefined) throw new UsageError(`there is no device "${part ?? ""}"; there are ${devices.map(({ deviceName }) => deviceName).join(", ")}`);
  return found;
}

/** The code of a binary, a module for each section. */
function modulesOf(binary: Uint8Array): readonly Output[] {
  const image = readExecutable(binary);
  if (!image.ok) throw new InternalError(image.error.message, ["clc"]);
  // `.wasm.relaxed` becomes k.cl.relaxed.wasm.
  return image.value.code.map(({ name, bytes }) => ({ suffix: `${name.slice(".wasm".length)}.wasm`, content: bytes }));
}

function bareOf(binary: Uint8Array): Uint8Array {
  const bare = stripBinaryHeader(binary);
  if (!bare.ok) throw new InternalError(bare.error.message, ["clc"]);
  return bare.value;
}

/** How each kind of code is made of a compiled program. */
const MAKERS: Readonly<Record<Exclude<Kind, "ir" | "sarif">, (file: string, kernels: readonly KernelInfo[], binary: Uint8Array, request: ClcRequest) => readonly Output[]>> = {
  binary: (_file, _kernels, binary, { flags }) => [{ suffix: ".bin", content: flags.has("strip-binary-header") ? bareOf(binary) : binary }],
  wasm: (_file, _kernels, binary) => modulesOf(binary),
  esm: (file, kernels, binary) => [{ suffix: ".js", content: textOfModule(basename(file), kernels, binary) }],
  dts: (file, kernels) => [{ suffix: ".d.ts", content: typesOfModule(basename(file), kernels) }],
};

function describe(file: string, { program }: CompiledFile): string {
  if (program === null) return "";
  const kernels = program.kernels.map(({ name, arguments: list }) => `${name}(${list.map((argument) => `${argument.typeName} ${argument.name}`).join(", ")})`);
  return `${file}: ${kernels.length} kernel${kernels.length === 1 ? "" : "s"}, ${program.binary.length} bytes${kernels.map((text) => `\n  ${text}`).join("")}\n`;
}

/** One call of the program. */
class Run {
  private readonly request: ClcRequest;
  private readonly streams: Streams;
  private readonly kinds: readonly Kind[];
  private readonly device: MuxDeviceInfo;
  private readonly said: Diagnostic[] = [];

  constructor(request: ClcRequest, streams: Streams) {
    this.request = request;
    this.streams = streams;
    this.kinds = kindsOf(request);
    this.device = deviceOf(request);
    checkPassNames(request.values);
  }

  /** The exit code. */
  all(): number {
    const { request: { inputs, flags }, streams, kinds } = this;
    const shows = streams.isTerminal === true && inputs.length > 1 && !flags.has("verbose");
    let code = 0;
    inputs.forEach((file, i) => {
      if (shows) streams.error(`\r\u001B[K[${i + 1}/${inputs.length}] ${file}`);
      const clear = (): void => {
        if (shows) streams.error("\r\u001B[K");
      };
      try {
        if (!this.one(file, clear)) code = 1;
      } catch (error) {
        clear();
        // What is wrong with one file is told, and the others are compiled.
        if (!(error instanceof InputError) || inputs.length === 1) throw error;
        streams.error(`clc: ${error.message}\n`);
        code = 1;
      }
      if (i === inputs.length - 1) clear();
    });
    if (kinds.includes("sarif")) this.write(ALL_INPUTS, [{ suffix: null, content: `${renderSarif(this.said, { name: "clc", version: VERSION }, DIAGNOSTICS)}\n` }]);
    return code;
  }

  /** Compiles one input; false when it has errors. */
  private one(file: string, clear: () => void): boolean {
    const { request, streams, kinds } = this;
    const { values, language, words, flags } = request;
    const text = readInput(file);
    const isIr = languageOf(file, language) === "ir";
    const others = kinds.filter((kind) => kind !== "ir" && kind !== "sarif");
    if (isIr && (others.length > 0 || kinds.includes("sarif"))) throw new UsageError(`${file} is IR, of which --emit ir is all that there is`);
    const outputs: Output[] = [];
    let compiled: CompiledFile | null = null;
    if (!isIr && (others.length > 0 || kinds.includes("sarif"))) {
      compiled = compileProgram({ file, source: text, words, keepsIr: !flags.has("strip-ir") && kinds.includes("binary"), device: this.device });
      clear();
      this.tell(compiled.diagnostics);
      const { program } = compiled;
      if (program === null) return false;
      for (const kind of others) {
        // Modules are for where there is no compiler.
        const bare = kind === "esm" && kinds.includes("binary") && !flags.has("strip-ir") ? compileProgram({ file, source: text, words, keepsIr: false, device: this.device }).program : null;
        outputs.push(...MAKERS[kind](file, program.kernels, bare?.binary ?? program.binary, request));
      }
    }
    if (kinds.includes("ir")) {
      const front = isIr ? { module: programOfIr(file, text), diagnostics: [] } : compileFile(file, text, words);
      clear();
      if (compiled === null) this.tell(front.diagnostics);
      if (front.module === null) return false;
      const { text: printed, notes } = runNamedPasses(front.module, values);
      streams.error(notes);
      outputs.push({ suffix: null, content: printed });
    }
    if (!flags.has("no-output")) this.write(file, outputs);
    if (flags.has("verbose") && compiled !== null) streams.error(describe(file, compiled));
    return true;
  }

  private tell(diagnostics: readonly Diagnostic[]): void {
    this.said.push(...diagnostics);
    if (!this.kinds.includes("sarif")) writeDiagnostics(diagnostics, diagnosticFormat(this.request), this.streams);
  }

  private write(file: string, outputs: readonly Output[]): void {
    for (const { suffix, content } of outputs) {
      const place = this.placeOf(file, suffix, outputs.length);
      try {
        if (place === STANDARD) this.print(content);
        else writeFileSync(place, content);
      } catch (cause) {
        throw new InputError(`${place} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      }
    }
  }

  private print(content: string | Uint8Array): void {
    const { out, bytes } = this.streams;
    if (typeof content === "string") out(content);
    else if (bytes === undefined) throw new InputError("bytes cannot be written to standard output here; -o says where else");
    else bytes(content);
  }

  /** Where an output goes: what `-o` says, or beside the input, or what is text and what comes from standard input to standard output. */
  private placeOf(file: string, suffix: string | null, count: number): string {
    const { output, inputs } = this.request;
    if (output === STANDARD) return STANDARD;
    if (output !== null && !isFolder(output) && this.kinds.length === 1 && (file === ALL_INPUTS || (inputs.length === 1 && count === 1))) return output;
    if (output === null) return suffix === null || file === STANDARD ? STANDARD : `${file}${suffix}`;
    if (!isFolder(output)) throw new UsageError(`-o ${output} is no folder, and there are several outputs; ${join(output, "/")} makes one`);
    mkdirSync(output, { recursive: true });
    return join(output, file === ALL_INPUTS ? "clc.sarif" : `${file === STANDARD ? "program.cl" : basename(file)}${suffix ?? ".ir"}`);
  }
}

function isFolder(path: string): boolean {
  return path.endsWith("/") || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Runs `clc` under a name; gives the exit code. Throws UsageError and InputError. */
export function runClc(name: string, args: readonly string[], streams: Streams): number {
  const request = parseClc(args);
  const { flags, inputs } = request;
  if (flags.has("help")) streams.out(clcHelp(name));
  else if (flags.has("version")) streams.out(`${VERSION}\n`);
  else if (flags.has("list-devices")) streams.out(offlineDevices().map(({ deviceName }) => `${deviceName}\n`).join(""));
  else if (flags.has("list-passes")) streams.out(PASS_LIST);
  else if (inputs.length === 0) throw new UsageError("an input is needed: files, or - for standard input");
  else if (inputs.filter((file) => file === STANDARD).length > 1) throw new UsageError("standard input is read once");
  else return new Run(request, streams).all();
  return 0;
}

