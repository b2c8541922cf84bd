// One program on one device, as every target has it: states, options, front end, linking. A target adds how an executable is made.
import { type Result, err, ok } from "@muxkit/cargo";
import {
  type CompilerError, type CompilerOptions, DEFAULT_OPTIONS, type DeviceOption, type Kernel, type KernelInfo, type KernelRemark, type KernelReport, type Module as CompilerModule, type ModuleState, type OptionMode, type ProgramInfo, type SourceEnvironment,
  compilerError, optionError, parseOptions, remarksOf,
} from "@muxkit/compiler";
import { type DataLayout, type IrFunction, Module, LOCAL, sizeOf } from "@muxkit/ir";
import { compileOpenCLC, type FrontEndOptions } from "@muxkit/opencl-c";
import { runPasses } from "@muxkit/passes";
import { type Diagnostic, type SourceFile, createSourceFile, note, renderText } from "@muxkit/report";

import { libraryContext } from "./library-linker.ts";
import { linkModules } from "./link-modules.ts";
import { readModuleFile, writeModuleFile } from "./module-file.ts";
import { stubKernels } from "./stub-kernels.ts";

/** What a target tells the shared part. @public */
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
  /** False when the device cannot round divisions and square roots of floats correctly, and so refuses the option that asks for it; absent: it can. */
  readonly correctlyRoundedDivideSqrt?: boolean;
  /** True: multiplications and additions that may be fused are; only for engines that round the two once (decision 17). Absent: false. */
  readonly fusesMultiplyAdd?: boolean;
  /** Makes an executable of all kernels. `report` hears what became of each; null: nobody asked. */
  readonly build: (module: Module, options: CompilerOptions, report: ((report: KernelReport) => void) | null) => Uint8Array;
  /** Makes an executable of one kernel; null when there is none of that name, or when it shares something with others. Absent: kernels are never made alone. */
  readonly buildKernel?: (module: Module, name: string, options: CompilerOptions) => Uint8Array | null;
  /** Makes a kernel to specialise; null when there is none of that name. */
  readonly kernel: (module: Module, name: string, options: CompilerOptions) => Kernel | null;
}

/** The passes of every build that is not asked to leave things as they are: those that need no local size. @public */
export const FINALIZE_PASSES: readonly string[] = [
  "simplify-cfg", "mem2reg", "inline", "global-dce", "simplify-cfg", "sroa", "mem2reg", "infer-address-space", "mem2reg", "simplify", "gvn", "loop-rotate", "licm", "loop-unroll", "simplify-cfg", "simplify", "sroa", "mem2reg", "simplify", "gvn", "simplify-cfg", "dce",
];

/** What a source is called that has no name. */
const DEFAULT_NAME = "program.cl";

/** A remark as a message: at its place where that is in the source, else with the place in its words. */
function noteOf({ text, place }: KernelRemark, source: SourceFile | null): Diagnostic {
  if (place === null) return note(text, null);
  const start = source?.name === place.file ? source.lineStarts[place.line - 1] : undefined;
  if (source === null || start === undefined) return note(`${text} (${place.file}:${place.line}:${place.column})`, null);
  const from = start + place.column - 1;
  return note(text, { file: source, start: from, end: from + 1 });
}

/** A program of a target that lowers the shared IR. @public */
export class BaseModule implements CompilerModule {
  private readonly traits: TargetTraits;
  private current: ModuleState = "none";
  private currentOptions: CompilerOptions = DEFAULT_OPTIONS;
  private reported: Diagnostic[] = [];
  private binary: Uint8Array | null = null;
  /** The text that it was compiled from; null: it was linked or read. */
  private source: SourceFile | null = null;
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
    this.source = null;
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
    return err(compilerError("invalid_value", `${call} needs a module in state ${wanted}; this one is in state ${this.current}`));
  }

  private frontEndOptions(environment: SourceEnvironment): FrontEndOptions {
    const { traits, currentOptions: options } = this;
    return {
      layout: traits.layout,
      definitions: options.definitions,
      includeDirectories: options.includeDirectories,
      headers: new Map(environment.headers.map(({ name, source }) => [name, source])),
      readFile: environment.readFile ?? null,
      standard: options.standard,
      uniformWorkGroups: options.uniformWorkGroupSize,
      deviceVersion: traits.deviceVersion,
      extensions: traits.extensions,
      features: traits.features ?? [],
      fastRelaxedMath: options.fastRelaxedMath,
      finiteMathOnly: options.finiteMathOnly,
      noSignedZeros: options.noSignedZeros,
      unsafeMath: options.unsafeMathOptimizations,
      singlePrecisionConstant: options.singlePrecisionConstant,
      warnings: options.warnIgnore ? "none" : options.warnError ? "error" : "default",
      extraWarnings: options.extraWarnings,
      allowUndefined: true,
      library: false,
    };
  }

  /** See the interface. */
  compileOpenCLC(source: string, environment: SourceEnvironment): Result<void, CompilerError> {
    if (this.current !== "none") return this.wrongState("compileOpenCLC", "none");
    const { module, diagnostics } = compileOpenCLC(this.currentOptions.sourceFile ?? DEFAULT_NAME, source, this.frontEndOptions(environment));
    this.reported = diagnostics.all.filter(({ severity }) => !(this.currentOptions.warnIgnore && severity === "warning"));
    if (module === null) return err(compilerError("compile_program_failure", `the program has ${diagnostics.errorCount} error${diagnostics.errorCount === 1 ? "" : "s"}`, this.reported));
    this.ir = module;
    this.source = this.currentOptions.vectorizationRemarks ? createSourceFile(this.currentOptions.sourceFile ?? DEFAULT_NAME, source) : null;
    this.current = "compiled_object";
    return ok();
  }

  /** See the interface. */
  link(modules: readonly CompilerModule[]): Result<void, CompilerError> {
    if (this.current !== "none" && this.current !== "compiled_object") return this.wrongState("link", "none or compiled_object");
    if (modules.length === 0 && this.current === "none") return this.wrongState("link", "compiled_object, or modules to link,");
    const inputs = modules.length === 0 ? [this] : modules;
    const objects: Module[] = [];
    for (const input of inputs) {
      if (!(input instanceof BaseModule) || input.ir === null || (input.state !== "compiled_object" && input.state !== "library")) {
        return err(compilerError("link_program_failure", "every input of a link must be a compiled object or a library of this compiler"));
      }
      objects.push(input.ir);
    }
    // A program of one object is linked as it is: there is nothing to bring together.
    const linked = modules.length === 0 && this.ir !== null ? this.ir : new Module("program", this.traits.layout);
    linked.name = "program";
    const failure = linkModules(linked, modules.length === 0 ? [] : objects, this.currentOptions.createLibrary);
    if (failure !== null) return err(compilerError("link_program_failure", failure));
    this.ir = linked;
    this.current = this.currentOptions.createLibrary ? "library" : "intermediate";
    // Before any other pass, and without the optimiser too: which products are fused depends on the program and the engine, on nothing else.
    if (this.traits.fusesMultiplyAdd === true && this.current === "intermediate") runPasses(linked, ["contract"], libraryContext(this.traits.layout));
    return ok();
  }

  /** See the interface. */
  finalize(): Result<ProgramInfo, CompilerError> {
    if (this.current !== "intermediate" || this.ir === null) return this.wrongState("finalize", "intermediate");
    if (this.currentOptions.stub) stubKernels(this.ir);
    if (!this.currentOptions.optDisable) runPasses(this.ir, FINALIZE_PASSES, libraryContext(this.traits.layout));
    this.current = "executable";
    const { ir } = this;
    return ok({ kernels: ir.kernels.map((kernel) => kernelInfo(ir, kernel)) });
  }

  /** See the interface. */
  createBinary(): Result<Uint8Array, CompilerError> {
    if (this.current !== "executable" || this.ir === null) return this.wrongState("createBinary", "executable");
    if (this.binary !== null) return ok(this.binary);
    const reports: KernelReport[] = [];
    this.binary = this.traits.build(this.ir, this.currentOptions, this.currentOptions.vectorizationRemarks ? (report) => reports.push(report) : null);
    for (const report of reports) this.reported.push(...remarksOf(report).map((remark) => noteOf(remark, this.source)));
    return ok(this.binary);
  }

  /** See the interface. */
  createKernelBinary(name: string): Result<Uint8Array | null, CompilerError> {
    if (this.current !== "executable" || this.ir === null) return this.wrongState("createKernelBinary", "executable");
    return ok(this.traits.buildKernel?.(this.ir, name, this.currentOptions) ?? null);
  }

  /** See the interface. */
  explain(): Result<readonly KernelReport[], CompilerError> {
    if (this.current !== "executable" || this.ir === null) return this.wrongState("explain", "executable");
    const reports: KernelReport[] = [];
    this.traits.build(this.ir, this.currentOptions, (report) => reports.push(report));
    return ok(reports);
  }

  /** See the interface. */
  getKernel(name: string): Kernel | null {
    return this.current === "executable" && this.ir !== null ? this.traits.kernel(this.ir, name, this.currentOptions) : null;
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
    if (module !== null && JSON.stringify(module.layout) !== JSON.stringify(this.traits.layout)) return err(compilerError("invalid_value", "the module was compiled for a device with another data layout; compile it again"));
    this.current = state;
    this.currentOptions = options;
    this.ir = module;
    return ok();
  }
}

/** What the device cannot do of what the options ask for, as a sentence. */
function refusedByDevice({ deviceOptions = [], correctlyRoundedDivideSqrt = true }: TargetTraits, options: CompilerOptions): string | null {
  if (options.correctlyRoundedDivideSqrt && !correctlyRoundedDivideSqrt) return "-cl-fp32-correctly-rounded-divide-sqrt: this device does not round divisions and square roots correctly";
  for (const text of options.deviceOptions) {
    const [name = ""] = text.split("=", 1);
    const row = deviceOptions.find((option) => option.name === name);
    if (row === undefined) return `-X: this device has no option "${name}"${deviceOptions.length === 0 ? "" : `; it has ${deviceOptions.map((option) => option.name).join(", ")}`}`;
    if (row.takesValue !== text.includes("=")) return `-X: the option "${name}" ${row.takesValue ? `needs a value: ${name}=…` : "takes no value"}`;
  }
  return null;
}

function kernelInfo(module: Module, kernel: IrFunction): KernelInfo {
  const { kernel: description } = kernel;
  let localMemorySize = 0;
  for (const global of module.globals.values()) {
    const isOwn = kernel.blocks.some((block) => block.instructions.some(({ symbol }) => symbol === global));
    if (global.addressSpace === LOCAL && isOwn) localMemorySize += sizeOf(module.layout, global.type);
  }
  return {
    name: kernel.name,
    attributes: description?.attributes ?? "",
    arguments: description?.arguments ?? [],
    requiredWorkGroupSize: description?.requiredWorkGroupSize ?? null,
    workGroupSizeHint: description?.workGroupSizeHint ?? null,
    requiredSubGroupSize: description?.requiredSubGroupSize ?? null,
    uniformWorkGroups: description?.uniformWorkGroups ?? true,
    privateMemorySize: 0,
    localMemorySize,
  };
}
