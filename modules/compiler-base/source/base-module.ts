// SPDX-License-Identifier: Apache-2.0
// One program on one device, as every target has it: states, options, front end, linking, passes that need no launch. A
// target adds how an executable is made. A copy of the program as it was linked is kept: finalizing changes it in
// place, and binaries hold what was linked.
import { type Result, TRACER, assert, err, ok } from "@muxkit/cargo";
import {
  type CompilerError,
  type CompilerOptions,
  DEFAULT_OPTIONS,
  type DeviceOption,
  type Kernel,
  type KernelInfo,
  type KernelReport,
  type Module as CompilerModule,
  type ModuleState,
  NO_ENVIRONMENT,
  type OptionMode,
  type ProgramInfo,
  type ProgramInput,
  compilerError,
  optionError,
  parseOptions,
  remarksOf,
} from "@muxkit/compiler";
import { type DataLayout, type IrFunction, Module, cloneModule } from "@muxkit/ir";
import { IR_BLOCK, readExecutable, writeExecutable } from "@muxkit/metadata";
import { report as reportRow } from "@muxkit/opencl-c";
import { foldBuiltin, runPasses } from "@muxkit/passes";
import { type Diagnostic, DiagnosticList, renderText } from "@muxkit/report";
import { describeWriterError, writeSpirv } from "@muxkit/spirv";

import { FileMemory } from "./file-memory.ts";
import type { FrontEndRequest } from "./front-end.ts";
import { findFrontEnd } from "./front-ends.ts";
import { libraryContext } from "./library-linker.ts";
import { linkModules } from "./link-modules.ts";
import { type LinkedInput, addedFloatFlags, linkedOptions } from "./link-options.ts";
import { readModuleFile, writeModuleFile } from "./module-file.ts";
import { lowerCalls, lowerPipeCalls } from "./pipe-calls.ts";
import { describePixels } from "./pixel-classes.ts";
import { SourceTexts, noteOf } from "./source-texts.ts";
import { stubKernels } from "./stub-kernels.ts";
import { type TargetLowering, declaredLocalBytes, targetContext } from "./target-lowering.ts";

/**
 * A finalized program for engines that round a product before it is added to, and for those that do not; and what later
 * compilers can continue from.
 *
 * @public
 */
export interface PortableVariants {
  /** As the program wrote it. */
  readonly plain: Module;
  /** With products and sums fused (docs/decisions/017-contraction.md). */
  readonly fused: Module;
  /** The program as it was linked, a module file; null: it does not travel along. */
  readonly ir: Uint8Array | null;
}

/** The description of a target for the shared part. @public */
export interface TargetTraits {
  /** Sizes. */
  readonly layout: DataLayout;
  /** Extensions of the device. */
  readonly extensions: readonly string[];
  /** Features of OpenCL C 3.0 that the device has, by their macros; absent: none. */
  readonly features?: readonly string[];
  /** OpenCL version of the device, for example 300. */
  readonly deviceVersion: number;
  /** Options of the device itself, `-X name[=value]`; absent: it has none. */
  readonly deviceOptions?: readonly DeviceOption[];
  /**
   * False when the device cannot round divisions and square roots of floats correctly, and so refuses the option that
   * requests it; absent: it can.
   */
  readonly correctlyRoundedDivideSqrt?: boolean;
  /**
   * True: multiplications and additions that may be fused are; only for engines that round the two once
   * (docs/decisions/017-contraction.md). Absent: false.
   */
  readonly fusesMultiplyAdd?: boolean;
  /** What the target does about built-ins, types and passes of its own; absent: nothing. */
  readonly lowering?: TargetLowering;
  /**
   * Makes an executable of all kernels, or returns the reason why not. `report` receives the outcome for each;
   * null: not requested.
   */
  readonly build: (
    module: Module,
    options: CompilerOptions,
    report: ((report: KernelReport) => void) | null,
  ) => Uint8Array | CompilerError;
  /**
   * Makes an executable that runs on engines with and without what the device's has: of a module whose products are as
   * the program wrote them, and one in which they are fused; or returns the reason why not. Absent: what build makes is
   * the same everywhere.
   */
  readonly buildPortable?: (variants: PortableVariants, options: CompilerOptions) => Uint8Array | CompilerError;
  /**
   * Makes an executable of one kernel, or returns the reason why not; null when there is none of that name, or when it
   * shares something with others. Absent: kernels are never made alone.
   */
  readonly buildKernel?: (module: Module, name: string, options: CompilerOptions) => Uint8Array | CompilerError | null;
  /** Makes a kernel to specialise; null when there is none of that name. */
  readonly kernel: (module: Module, name: string, options: CompilerOptions) => Kernel | null;
}

/** The passes of every build with optimisation enabled: those that need no local size. @public */
export const FINALIZE_PASSES: readonly string[] = [
  "simplify-cfg",
  "mem2reg",
  "inline",
  "global-dce",
  "simplify-cfg",
  "coalesce-variables",
  "sroa",
  "mem2reg",
  "constant-variables",
  "argument-loads",
  "infer-address-space",
  "mem2reg",
  "simplify",
  "scalarize",
  "dce",
  "gvn",
  "loop-rotate",
  "licm",
  "loop-unroll",
  "simplify-cfg",
  "simplify",
  "sroa",
  "mem2reg",
  "argument-loads",
  "simplify",
  "gvn",
  "simplify-cfg",
  "dce",
];

/** Name of a linked module. */
const PROGRAM = "program";

/** Name of a source without one. */
const DEFAULT_NAME = "program.cl";

/** A program of a target that lowers the shared IR. @public */
export class BaseModule implements CompilerModule {
  private readonly traits: TargetTraits;
  private current: ModuleState = "none";
  private currentOptions: CompilerOptions = DEFAULT_OPTIONS;
  private reported: Diagnostic[] = [];
  private binary: Uint8Array | null = null;
  /** The texts that it was compiled from, for messages; what was read from bytes has none. */
  private sources = new SourceTexts();
  /** The program as it was linked: finalizing changes it in place. Null: it was read when that had been done. */
  private linked: Module | null = null;
  /** True: products were fused with sums when it was finalized. */
  private isFused = false;
  /** The program; null in state none. @internal */
  ir: Module | null = null;

  /** An empty module. */
  constructor(traits: TargetTraits) {
    this.traits = traits;
  }

  /** See the interface. */
  get state(): ModuleState {
    return this.current;
  }

  /** See the interface. */
  get options(): CompilerOptions {
    return this.currentOptions;
  }

  /** See the interface. */
  get diagnostics(): readonly Diagnostic[] {
    return this.reported;
  }

  /** See the interface. */
  get log(): string {
    return renderText(this.reported);
  }

  /** See the interface. */
  clear(): void {
    this.current = "none";
    this.ir = null;
    this.sources = new SourceTexts();
    this.linked = null;
    this.reported = [];
    this.binary = null;
  }

  /** See the interface. */
  parseOptions(text: string, mode: OptionMode): Result<void, CompilerError> {
    const parsed = parseOptions(text, mode, this.currentOptions);
    if (!parsed.ok) return parsed;
    const problem = refusedByDevice(this.traits, parsed.value);
    if (problem !== null) return err(optionError(mode, problem));
    this.currentOptions = parsed.value;
    return ok();
  }

  private wrongState(call: string, wanted: string): Result<never, CompilerError> {
    return err(
      compilerError("invalid_value", `${call} needs a module in state ${wanted}; this one is in state ${this.current}`),
    );
  }

  /** See the interface. */
  compile(input: ProgramInput): Result<void, CompilerError> {
    if (this.current !== "none") return this.wrongState("compile", "none");
    const frontEnd = findFrontEnd(input.kind);
    if (!frontEnd.ok) return frontEnd;
    const { traits, currentOptions: options } = this;
    const { headers, readFile = () => null } = input.environment ?? NO_ENVIRONMENT;
    const request: FrontEndRequest = {
      ...input,
      name: options.sourceFile ?? DEFAULT_NAME,
      environment: { headers, readFile: new FileMemory(readFile).read },
      layout: traits.layout,
      deviceVersion: traits.deviceVersion,
      extensions: traits.extensions,
      features: traits.features ?? [],
      options,
      foldBuiltin,
    };
    const begin = TRACER === null ? 0 : TRACER.now();
    const { module, diagnostics } = frontEnd.value.compile(request);
    TRACER?.span("compiler", "front end", begin, { file: module?.name ?? request.name });
    this.reported = diagnostics.all.filter(({ severity }) => !(options.warnIgnore && severity === "warning"));
    if (module === null)
      return err(
        compilerError(
          "compile_program_failure",
          `the program has ${diagnostics.errorCount} error${diagnostics.errorCount === 1 ? "" : "s"}`,
          this.reported,
        ),
      );
    lowerCalls(module, traits.lowering ?? {});
    this.ir = module;
    if (typeof input.source === "string") this.sources.add(request.name, input.source);
    this.current = "compiled_object";
    return ok();
  }

  /** See the interface. */
  link(modules: readonly CompilerModule[]): Result<void, CompilerError> {
    if (this.current !== "none" && this.current !== "compiled_object")
      return this.wrongState("link", "none or compiled_object");
    if (modules.length === 0 && this.current === "none")
      return this.wrongState("link", "compiled_object, or modules to link,");
    const objects: (LinkedInput & { readonly module: Module })[] = [];
    for (const input of modules) {
      if (
        !(input instanceof BaseModule) ||
        input.ir === null ||
        (input.state !== "compiled_object" && input.state !== "library")
      ) {
        return err(
          compilerError(
            "link_program_failure",
            "every input of a link must be a compiled object or a library of this compiler",
          ),
        );
      }
      objects.push({
        module: input.ir,
        state: input.state,
        options: input.options,
        kernels: input.ir.kernels.map(({ name }) => name),
      });
      this.sources.addAll(input.sources);
    }
    const { currentOptions: own, sources } = this;
    // A program of one object is linked as it is: there is nothing to bring together.
    const linked = modules.length === 0 && this.ir !== null ? this.ir : new Module(PROGRAM, this.traits.layout);
    const problems = linkModules(
      linked,
      objects.map((input) => ({ module: input.module, floatFlags: addedFloatFlags(own, input) })),
      own.createLibrary,
    );
    if (problems.length > 0) {
      const list = new DiagnosticList();
      for (const { row, values, location } of problems) reportRow(list, row, sources.spanOf(location), values);
      this.reported = [...this.reported, ...list.all];
      return err(
        compilerError(
          "link_program_failure",
          `the link has ${problems.length} error${problems.length === 1 ? "" : "s"}`,
          list.all,
        ),
      );
    }
    if (!own.createLibrary) linked.name = PROGRAM;
    else if (objects.length > 0) linked.name = `a library of ${objects.map(({ module }) => module.name).join(", ")}`;
    this.ir = linked;
    this.current = own.createLibrary ? "library" : "intermediate";
    if (modules.length > 0) this.currentOptions = linkedOptions(own, objects);
    return ok();
  }

  /** See the interface. */
  finalize(): Result<ProgramInfo, CompilerError> {
    if (this.current !== "intermediate" || this.ir === null) return this.wrongState("finalize", "intermediate");
    const { ir } = this;
    // A thirtieth of the time of the front end, which binaries would have to run again.
    this.linked = cloneModule(ir);
    this.isFused = this.runFinalPasses(ir, this.traits.fusesMultiplyAdd === true);
    this.current = "executable";
    return ok({ kernels: ir.kernels.map((kernel) => kernelInfo(ir, kernel)) });
  }

  /** Passes of the target at a point of the build. */
  private runOwnPasses(module: Module, point: "linked" | "finalized"): void {
    const { lowering = {} } = this.traits;
    const passes = lowering.passes?.[point] ?? [];
    if (passes.length > 0) runPasses(module, passes, targetContext(module, lowering));
  }

  /** Finalizes a program in place; true: products were fused with sums. */
  private runFinalPasses(module: Module, mayFuse: boolean): boolean {
    const { layout, lowering: { machine } = {} } = this.traits;
    const context = { ...libraryContext(layout), ...(machine === undefined ? {} : { machine }) };
    lowerPipeCalls(module, this.traits.lowering);
    this.runOwnPasses(module, "linked");
    if (this.currentOptions.stub) stubKernels(module);
    // Before any other pass, and without the optimiser too: which products are fused depends on the program and the
    // engine, on nothing else.
    let isFused = false;
    if (mayFuse)
      runPasses(module, ["contract"], context, {
        after: ({ changed }) => {
          isFused = changed;
        },
      });
    if (!this.currentOptions.optDisable) runPasses(module, FINALIZE_PASSES, context);
    this.runOwnPasses(module, "finalized");
    describePixels(module);
    return isFused;
  }

  /** The finalized program without and with fused products; the same module where there is nothing to fuse. */
  private bothVariants(ir: Module, linked: Module | null): Pick<PortableVariants, "plain" | "fused"> {
    // A copy, for which it is not decided yet where its data is stored: the result is the same before and after others.
    const own = cloneModule(ir);
    // What is known to have nothing to fuse, or cannot be linked again, is the same for all engines.
    if (linked === null || (this.traits.fusesMultiplyAdd === true && !this.isFused)) return { plain: own, fused: own };
    const other = cloneModule(linked);
    const differs = this.runFinalPasses(other, this.traits.fusesMultiplyAdd !== true) || this.isFused;
    if (!differs) return { plain: own, fused: own };
    return this.isFused ? { plain: other, fused: own } : { plain: own, fused: other };
  }

  /** See the interface. */
  createPortableBinary(keepsIr: boolean): Result<Uint8Array, CompilerError> {
    const { current, ir, traits, linked, currentOptions: options } = this;
    if (current !== "executable" || ir === null) return this.wrongState("createPortableBinary", "executable");
    if (traits.buildPortable === undefined) return this.createBinary();
    const travelling = keepsIr
      ? writeModuleFile({ state: linked === null ? current : "intermediate", options, module: linked ?? ir })
      : null;
    const built = traits.buildPortable({ ...this.bothVariants(ir, linked), ir: travelling }, options);
    return built instanceof Uint8Array ? ok(built) : err(built);
  }

  /** See the interface. */
  createSpirv(): Result<Uint8Array | null, CompilerError> {
    const { current, currentOptions: options } = this;
    const program = current === "executable" ? this.linked : this.ir;
    if (current === "none") return this.wrongState("createSpirv", "compiled_object or later");
    if (program === null) return ok(null);
    const written = writeSpirv(program, { lines: options.debugInfo });
    return written.ok ? written : err(compilerError("feature_unsupported", describeWriterError(written.error)));
  }

  /** See the interface. */
  createDeviceBinary(): Result<Uint8Array, CompilerError> {
    const { traits, linked: module, currentOptions: options } = this;
    if (this.current !== "executable") return this.wrongState("createDeviceBinary", "executable");
    const binary = this.createBinary();
    if (!binary.ok || traits.buildPortable === undefined || module === null) return binary;
    const image = readExecutable(binary.value);
    assert(image.ok, "what was written can be read");
    const bytes = writeModuleFile({ state: "intermediate", options, module });
    return ok(writeExecutable({ ...image.value, extraBlocks: [{ name: IR_BLOCK, bytes }] }));
  }

  /** See the interface. */
  createBinary(): Result<Uint8Array, CompilerError> {
    if (this.current !== "executable" || this.ir === null) return this.wrongState("createBinary", "executable");
    if (this.binary !== null) return ok(this.binary);
    const reports: KernelReport[] = [];
    const begin = TRACER === null ? 0 : TRACER.now();
    const built = this.traits.build(
      this.ir,
      this.currentOptions,
      this.currentOptions.vectorizationRemarks ? (report) => reports.push(report) : null,
    );
    TRACER?.span("compiler", "build", begin);
    if (!(built instanceof Uint8Array)) return err(built);
    this.binary = built;
    for (const report of reports)
      this.reported.push(...remarksOf(report).map((remark) => noteOf(remark, this.sources)));
    return ok(built);
  }

  /** See the interface. */
  createKernelBinary(name: string): Result<Uint8Array | null, CompilerError> {
    if (this.current !== "executable" || this.ir === null) return this.wrongState("createKernelBinary", "executable");
    const begin = TRACER === null ? 0 : TRACER.now();
    const built = this.traits.buildKernel?.(this.ir, name, this.currentOptions) ?? null;
    if (built !== null) TRACER?.span("compiler", "build", begin, { kernel: name });
    return built === null || built instanceof Uint8Array ? ok(built) : err(built);
  }

  /** See the interface. */
  explain(): Result<readonly KernelReport[], CompilerError> {
    if (this.current !== "executable" || this.ir === null) return this.wrongState("explain", "executable");
    const reports: KernelReport[] = [];
    const built = this.traits.build(this.ir, this.currentOptions, (report) => reports.push(report));
    return built instanceof Uint8Array ? ok(reports) : err(built);
  }

  /** See the interface. */
  getKernel(name: string): Kernel | null {
    return this.current === "executable" && this.ir !== null
      ? this.traits.kernel(this.ir, name, this.currentOptions)
      : null;
  }

  /** See the interface. */
  serialize(): Result<Uint8Array, CompilerError> {
    return ok(writeModuleFile({ state: this.current, options: this.currentOptions, module: this.ir }));
  }

  /** See the interface. */
  deserialize(bytes: Uint8Array): Result<void, CompilerError> {
    if (this.current !== "none") return this.wrongState("deserialize", "none");
    const read = readModuleFile(bytes);
    if (!read.ok) return err(compilerError("invalid_value", read.error));
    const { state, options, module } = read.value;
    if (module !== null && JSON.stringify(module.layout) !== JSON.stringify(this.traits.layout))
      return err(
        compilerError(
          "invalid_value",
          "the module was compiled for a device with another data layout; compile it again",
        ),
      );
    // What follows from the calls is no part of the file.
    if (state === "executable" && module !== null) describePixels(module);
    this.current = state;
    this.currentOptions = options;
    this.ir = module;
    return ok();
  }
}

/** The requested options that the device does not support, as a sentence. */
function refusedByDevice(
  { deviceOptions = [], correctlyRoundedDivideSqrt = true }: TargetTraits,
  options: CompilerOptions,
): string | null {
  if (options.correctlyRoundedDivideSqrt && !correctlyRoundedDivideSqrt)
    return "-cl-fp32-correctly-rounded-divide-sqrt: this device does not round divisions and square roots correctly";
  for (const text of options.deviceOptions) {
    const [name = ""] = text.split("=", 1);
    const row = deviceOptions.find((option) => option.name === name);
    if (row === undefined)
      return (
        "-X: this device has no option " +
        `"${name}"` +
        (deviceOptions.length === 0 ? "" : `; it has ${deviceOptions.map((option) => option.name).join(", ")}`)
      );
    if (row.takesValue !== text.includes("="))
      return `-X: the option "${name}" ${row.takesValue ? `needs a value: ${name}=…` : "takes no value"}`;
  }
  return null;
}

function kernelInfo(module: Module, kernel: IrFunction): KernelInfo {
  const { kernel: description } = kernel;
  return {
    name: kernel.name,
    attributes: description?.attributes ?? "",
    arguments: description?.arguments ?? [],
    requiredWorkGroupSize: description?.requiredWorkGroupSize ?? null,
    workGroupSizeHint: description?.workGroupSizeHint ?? null,
    requiredSubGroupSize: description?.requiredSubGroupSize ?? null,
    uniformWorkGroups: description?.uniformWorkGroups ?? true,
    privateMemorySize: 0,
    localMemorySize: declaredLocalBytes(module, kernel),
  };
}
