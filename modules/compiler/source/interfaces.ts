// SPDX-License-Identifier: Apache-2.0
// The compiler interfaces: what an API package may use of any compiler. Only bytes and a device info cross to the
// runtime.
import type { Result } from "@muxkit/cargo";
import type { ArgumentFact, ShaderReflection } from "@muxkit/kernel-abi";
import type { MuxDeviceInfo } from "@muxkit/mux";
import type { Diagnostic } from "@muxkit/report";

import type { CompilerError } from "./error.ts";
import type { KernelReport } from "./kernel-report.ts";
import type { CompilerOptions, OptionMode } from "./options.ts";
import type { ProgramInfo } from "./program-info.ts";
import type { ProgramInput } from "./program-input.ts";

/** Where a compiler reports what belongs to no call: the context's notify callback. @public */
export type NotifyCallback = (message: string, data: Uint8Array | null) => void;

/**
 * The description of a compiler, available without loading it.
 *
 * @public
 */
export interface CompilerFacts {
  /** Name for people, for example `muxkit host compiler`. */
  readonly name: string;
  /**
   * Identifies the build of the compiler, as each may generate different code; null, or absent: unknown, so nothing
   * that it makes may be kept for other processes.
   */
  readonly build?: string | null;
  /** True when this compiler makes code for the device. */
  readonly supports: (device: MuxDeviceInfo) => boolean;
  /** Options of its own, `-X name[=value]`, with help. */
  readonly deviceOptions: readonly DeviceOption[];
  /** True when it has a vectoriser. */
  readonly vectorizable: boolean;
  /** True when {@link Module.getKernel} returns kernels that are specialised at enqueue. */
  readonly supportsDeferredCompilation: boolean;
  /**
   * True: a program that could be finalized has code, so an API may have the code of each kernel made when it is first
   * launched. Absent: making code can fail for reasons of the program, which a build has to report.
   */
  readonly makesKernelsLate?: boolean;
  /**
   * True where kernels that are specialised for launches run so much faster than others on a device that a launch that
   * runs for long is to go on by such code. Absent: nowhere.
   */
  readonly takesOver?: (device: MuxDeviceInfo) => boolean;
}

/** When a launch goes on by code that another thread makes while it runs. @public */
export interface TakeoverPolicy {
  /** After so many ms at the earliest. */
  readonly after: number;
  /** If it still takes so many ms by an estimate; 0: in any case, and it waits for the code. */
  readonly remaining: number;
}

/**
 * One compiler: which device it compiles for and what it can do. Registered once.
 *
 * @public
 */
export interface Info extends CompilerFacts {
  /** Makes a context. */
  readonly createContext: () => Context;
}

/** An option that a device adds. @public */
export interface DeviceOption {
  /** Name without `-X`. */
  readonly name: string;
  /** True when a value follows `=`. */
  readonly takesValue: boolean;
  /** One sentence. */
  readonly help: string;
}

/** What targets of one API context share. @public */
export interface Context {
  /** The compiler. */
  readonly info: Info;
  /** Makes a target for a device. Errors: `feature_unsupported` for a device that is not this compiler's. */
  createTarget(device: MuxDeviceInfo, notify: NotifyCallback | null): Result<Target, CompilerError>;
}

/** A device to compile for. @public */
export interface Target {
  /** The compiler. */
  readonly info: Info;
  /** The device. */
  readonly device: MuxDeviceInfo;
  /** Makes an empty module. */
  createModule(): Module;
  /**
   * What a module of compute shaders wants bound, with the values of specialization constants and numbers of
   * descriptors of the input. Absent: the compiler reads no shaders. Errors: `compile_program_failure` for what is no
   * module of shaders, `feature_unsupported` for a kind whose front end knows none.
   */
  reflectShader?(input: ProgramInput): Result<ShaderReflection, CompilerError>;
}

/**
 * What a module holds: nothing, one compiled source, a library, a linked program, a finalized program.
 * `none` → `compiled_object` → `library` | `intermediate` → `executable`.
 *
 * @public
 */
export type ModuleState = "none" | "compiled_object" | "library" | "intermediate" | "executable";

/**
 * One program on one device. Every call that the state does not allow returns `invalid_value` and names the state that
 * is needed.
 *
 * @public
 */
export interface Module {
  /** What it holds. */
  readonly state: ModuleState;
  /** Options in force. */
  readonly options: CompilerOptions;
  /** Everything that front end and passes reported since {@link Module.clear}. */
  readonly diagnostics: readonly Diagnostic[];
  /** {@link Module.diagnostics} as text for a build log. */
  readonly log: string;
  /** When launches of its kernels go on by other code; null, absent: they never do. */
  readonly takeover?: TakeoverPolicy | null;
  /** Back to `none`. */
  clear(): void;
  /** Reads an option string on top of the options in force. */
  parseOptions(text: string, mode: OptionMode): Result<void, CompilerError>;
  /**
   * `none` → `compiled_object`, by the front end of the input's kind. Errors: `compile_program_failure` with
   * diagnostics; `feature_unsupported` for a kind that no front end is registered for, with those that are.
   */
  compile(input: ProgramInput): Result<void, CompilerError>;
  /**
   * Links compiled objects and libraries into this empty module: → `library` with `-create-library`, else
   * `intermediate`. Errors: `link_program_failure`.
   */
  link(modules: readonly Module[]): Result<void, CompilerError>;
  /** `intermediate` → `executable`: everything that needs no local size. Errors: `finalize_program_failure`. */
  finalize(): Result<ProgramInfo, CompilerError>;
  /**
   * `executable`: bytes for muxCreateExecutable, the generic variant of every kernel. Kept, so a second call is free.
   * With `-cl-wfv` notes in `diagnostics` report the vectorisation of each kernel.
   */
  createBinary(): Result<Uint8Array, CompilerError>;
  /**
   * `executable`: bytes for muxCreateExecutable of this and other machines: code that needs as little of an engine as
   * there is, and more of it for engines that can do more. They depend on source and options alone. With `keepsIr` what
   * later compilers need to compile variants for launches travels along. Not cached.
   */
  createPortableBinary(keepsIr: boolean): Result<Uint8Array, CompilerError>;
  /**
   * `executable`: what {@link Module.createBinary} returns, with what later compilers need to compile for launches, and
   * for devices that cannot run this code. Not cached. Absent: {@link Module.createPortableBinary} is what there is.
   */
  createDeviceBinary?(): Result<Uint8Array, CompilerError>;
  /**
   * `executable`: bytes for muxCreateExecutable with one kernel alone, so that others need not be compiled to run it.
   * Null: there is none of that name, or the program's kernels share something; {@link Module.createBinary} has it.
   * Not cached.
   */
  createKernelBinary(name: string): Result<Uint8Array | null, CompilerError>;
  /**
   * `compiled_object`, `library`, `intermediate`, `executable`: the program as SPIR-V, as front end and link have made
   * it, before any pass. Null: the bytes that the module was made of have only code. Not cached. Errors:
   * `feature_unsupported` for what SPIR-V cannot express.
   */
  createSpirv(): Result<Uint8Array | null, CompilerError>;
  /** `executable`: the report of each kernel in the bytes that createBinary returns. It is compiled again for this. */
  explain(): Result<readonly KernelReport[], CompilerError>;
  /** `executable`, deferred compilation: a kernel to specialise; null when there is none of that name. */
  getKernel(name: string): Kernel | null;
  /** The module as bytes, in its state. */
  serialize(): Result<Uint8Array, CompilerError>;
  /** `none` → the state of the bytes. Errors: `invalid_value` for bytes that are damaged or of another version. */
  deserialize(bytes: Uint8Array): Result<void, CompilerError>;
}

/** The facts of a launch for which a kernel is specialised (docs/decisions/026-specialisation.md). @public */
export interface LaunchFacts {
  /** Local size x, y, z; all 0: any, where {@link Kernel.takesAnySize}. */
  readonly localSize: readonly [number, number, number];
  /** True when the global size is a multiple of the local size in every dimension. */
  readonly uniformGroups: boolean;
  /** True when the global offset is zero. */
  readonly zeroOffset: boolean;
  /** The known facts of the arguments, in their order; null or absent: none. */
  readonly arguments?: readonly (ArgumentFact | null)[];
}

/** A specialised kernel. @public */
export interface SpecializedKernel {
  /** Bytes for muxCreateExecutable, with one kernel of the original name. */
  readonly binary: Uint8Array;
  /** Launches whose facts have the same key can use it too. */
  readonly key: string;
  /** The report of the kernel; null when the compiler makes none. */
  readonly report: KernelReport | null;
}

/**
 * Code of a kernel that took a fraction of the time to make: for first launches, while the full form does not pay
 * (docs/decisions/067-compile-budget.md). It leaves the same bytes.
 *
 * @public
 */
export interface QuickKernel {
  /** Bytes for muxCreateExecutable, with one kernel of the original name. */
  readonly binary: Uint8Array;
  /** Work-items after whose launches the full form is worth its time. Infinity: this is the full form. */
  readonly paysAfter: number;
}

/** A specialised kernel that another thread makes. @public */
export interface PendingKernel {
  /** What was made; null: it is being made. Does not wait. */
  poll(): Result<SpecializedKernel, CompilerError> | null;
  /** The same, but waits until it is made. */
  wait(): Result<SpecializedKernel, CompilerError>;
  /** Gives it up: nobody asks any more, and what is made for it is not kept. */
  drop(): void;
}

/** A kernel of a finalized program that can be specialised. @public */
export interface Kernel {
  /** Name. */
  readonly name: string;
  /** Local size to take when the caller does not care. */
  readonly preferredLocalSize: readonly [number, number, number];
  /** Local memory that it declares, in bytes. */
  readonly localMemorySize: number;
  /**
   * True: code for known arguments and any local size can be made, and takes no longer than the generic code; absent:
   * every specialised kernel is for one local size.
   */
  readonly takesAnySize?: boolean;
  /**
   * The key that {@link Kernel.createSpecializedKernel} would return; it holds only facts that the compiler uses. Null:
   * the generic variant is the one to launch, for a specialised one would be no better, or would not share the
   * program's variables.
   */
  specializationKey(facts: LaunchFacts): string | null;
  /** Compiles for a local size now, so that the first launch need not. */
  precacheLocalSize(x: number, y: number, z: number): Result<void, CompilerError>;
  /** Work-items that one step of the work-item loop takes for a local size. */
  getDynamicWorkWidth(x: number, y: number, z: number): number;
  /** Compiles for a launch. Cached by key. */
  createSpecializedKernel(facts: LaunchFacts): Result<SpecializedKernel, CompilerError>;
  /** What was made for such launches by another process, and kept; null: nothing. Absent: nothing is kept. */
  findSpecializedKernel?(facts: LaunchFacts): SpecializedKernel | null;
  /**
   * Code for the first launch, of so many work-items, and for others with the same arguments and any local size; null:
   * the full form should be made, which takes less than `budget` ms by an estimate, or pays with this launch, unless it
   * can be made in a way that is quicker by itself. A budget
   * of 0 asks for the quick form wherever there is one; a library of compilers may have a budget of its own. Absent:
   * there is no such form.
   */
  createQuickKernel?(facts: LaunchFacts, workItems: number, budget: number): QuickKernel | null;
  /**
   * Has another thread compile for a launch, and returns the same as {@link Kernel.createSpecializedKernel}; null: no
   * thread does. Absent: this compiler works on the calling thread alone.
   */
  startSpecializedKernel?(facts: LaunchFacts): PendingKernel | null;
}
