// SPDX-License-Identifier: Apache-2.0
// A module whose build may be stored already. The key of a build holds all that it depends on, and is compared whole;
// headers are compared with what they contain now. As long as a stored build answers every call there is no module of
// the compiler, which is then not loaded either; other calls replay options, compilation and link on one.
import { type Result, ok } from "@muxkit/cargo";
import {
  type CompilerError,
  type CompilerOptions,
  DEFAULT_OPTIONS,
  type Kernel,
  type KernelInfo,
  type KernelReport,
  type Module,
  type ModuleState,
  NO_ENVIRONMENT,
  type OptionMode,
  type ProgramInfo,
  type ProgramInput,
  type SourceEnvironment,
  type TakeoverPolicy,
  parseOptions,
} from "@muxkit/compiler";
import type { MuxDeviceInfo } from "@muxkit/mux";
import type { Diagnostic } from "@muxkit/report";

import type { CompileJob, CompileThread, ProgramRecipe } from "./compile-thread.ts";
import { traitsOf } from "./kernel-traits.ts";
import { type BeginKernel, type Compiling, LateKernel, type QuickBudget, kernelOf } from "./late-kernel.ts";
import {
  type DeviceStore,
  type FileRead,
  type KeptKernel,
  type KeptProgram,
  keptCode,
  keyOf,
  readProgram,
  writeProgram,
} from "./program-store.ts";

/** A build that may be kept: its key, and the files that it has read so far. */
interface Build {
  readonly key: string;
  readonly files: readonly FileRead[];
}

const NOTHING = new Uint8Array(0);

/** The thread that compiles besides this one, and what its jobs say of a module. */
export interface ModuleThread extends Pick<CompileJob, "compiler"> {
  readonly thread: CompileThread;
  readonly device: () => MuxDeviceInfo;
}

/** What a module needs besides the compiler. */
export interface ModuleSurroundings {
  /** Where builds are kept; null: nowhere. */
  readonly store: DeviceStore | null;
  /** All that code depends on besides the program. */
  readonly world: () => string;
  /** Runs what the compiler does. */
  readonly compiling: Compiling;
  /** Compiles besides this thread; null: none does. */
  readonly thread: ModuleThread | null;
  /** See `LateOptions.compileBudget`. */
  readonly compileBudget: () => number;
  /** See `Module.takeover`. */
  readonly takeover: () => TakeoverPolicy | null;
}

/** See the file's head. */
export class LateModule implements Module {
  private readonly make: () => Module;
  private readonly store: DeviceStore | null;
  private readonly world: () => string;
  private readonly compiling: Compiling;
  private made: Module | null = null;
  private texts: { readonly text: string; readonly mode: OptionMode }[] = [];
  private currentOptions: CompilerOptions = DEFAULT_OPTIONS;
  private input: ProgramInput | null = null;
  /** The build that is under way by the compiler. */
  private build: Build | null = null;
  /** The cached build, and which of its parts were requested. */
  private known: { readonly program: KeptProgram; state: ModuleState } | null = null;
  private finalized: readonly KernelInfo[] = [];
  /** See the constructor. */
  readonly thread: ModuleThread | null;
  private readonly compileBudget: () => number;
  private readonly takeoverPolicy: () => TakeoverPolicy | null;
  /** Its number on the other thread, and what it is made from there; null: no kernel was begun yet. */
  private sent: Pick<CompileJob, "program" | "recipe"> | null = null;

  /** `make` returns an empty module of the compiler. */
  constructor(make: () => Module, { store, world, compiling, thread, compileBudget, takeover }: ModuleSurroundings) {
    this.takeoverPolicy = takeover;
    this.thread = thread;
    this.compileBudget = compileBudget;
    this.make = make;
    this.store = store;
    this.world = world;
    this.compiling = compiling;
  }

  /** Has the compiler's module do something that takes long. */
  private work<T>(call: (module: Module) => T): T {
    return this.compiling(() => call(this.real()));
  }

  /** The compiler's module, brought to where this one is. */
  real(): Module {
    if (this.made !== null) return this.made;
    const made = this.make();
    this.made = made;
    const { state } = this;
    // What was built once is built again: no step of it can fail.
    for (const { text, mode } of this.texts) void made.parseOptions(text, mode);
    if (this.input !== null) void made.compile(this.input);
    if (state === "intermediate" || state === "executable") void made.link([]);
    if (state === "executable") {
      const done = made.finalize();
      if (done.ok) this.finalized = done.value.kernels;
      // What it made of kernels is among the diagnostics.
      if (made.options.vectorizationRemarks) void made.createBinary();
    }
    return made;
  }

  get state(): ModuleState {
    return this.known?.state ?? this.made?.state ?? "none";
  }

  get options(): CompilerOptions {
    return this.made?.options ?? this.currentOptions;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.known === null && this.made === null ? [] : this.real().diagnostics;
  }

  get log(): string {
    return this.known?.program.log ?? this.made?.log ?? "";
  }

  get takeover(): TakeoverPolicy | null {
    return this.takeoverPolicy();
  }

  clear(): void {
    this.made?.clear();
    this.input = null;
    this.sent = null;
    this.build = null;
    this.known = null;
    this.finalized = [];
  }

  parseOptions(text: string, mode: OptionMode): Result<void, CompilerError> {
    const parsed = parseOptions(text, mode, this.currentOptions);
    if (!parsed.ok) return parsed;
    // Only the compiler can determine whether the device has these.
    if (this.made !== null || parsed.value.deviceOptions.length > 0 || parsed.value.correctlyRoundedDivideSqrt) {
      const done = this.real().parseOptions(text, mode);
      if (!done.ok) return done;
    }
    this.currentOptions = parsed.value;
    this.texts.push({ text, mode });
    return ok();
  }

  compile(input: ProgramInput): Result<void, CompilerError> {
    const { kind, source, environment = NO_ENVIRONMENT } = input;
    // Only texts make a key: binary programs are not cached.
    const isKnowable = typeof source === "string" && this.store !== null;
    if (this.state !== "none" || !isKnowable || this.texts.some(({ mode }) => mode !== "build"))
      return this.work((module) => module.compile(input));
    const key = keyOf([
      this.world(),
      ...this.texts.map(({ text }) => text),
      kind,
      source,
      ...environment.headers.flatMap(({ name, source: text }) => [name, text]),
    ]);
    const found = this.find(key, environment);
    if (found !== null) {
      this.input = input;
      this.build = found;
      this.known = { program: found, state: "compiled_object" };
      return ok();
    }
    const files: FileRead[] = [];
    this.build = { key, files };
    const { readFile } = environment;
    if (readFile === undefined) return this.work((module) => module.compile(input));
    const noting = (path: string): string | null => {
      const text = readFile(path);
      files.push({ path, text });
      return text;
    };
    return this.work((module) => module.compile({ ...input, environment: { ...environment, readFile: noting } }));
  }

  /** A cached build, if every file that it has read is unchanged. */
  private find(key: string, { readFile }: SourceEnvironment): KeptProgram | null {
    const program = this.store === null ? null : readProgram(this.store, key);
    return program?.files.every(({ path, text }) => (readFile?.(path) ?? null) === text) === true ? program : null;
  }

  link(modules: readonly Module[]): Result<void, CompilerError> {
    if (this.known?.state === "compiled_object" && modules.length === 0) {
      this.known.state = "intermediate";
      return ok();
    }
    const done = this.work((own) =>
      own.link(modules.map((module) => (module instanceof LateModule ? module.real() : module))),
    );
    this.known = null;
    // More than its own source is in it.
    if (modules.length > 0) this.build = null;
    return done;
  }

  finalize(): Result<ProgramInfo, CompilerError> {
    if (this.known?.state === "intermediate") {
      this.known.state = "executable";
      return ok({ kernels: this.known.program.kernels.map(({ info }) => info) });
    }
    const done = this.work((module) => module.finalize());
    if (done.ok) this.finalized = done.value.kernels;
    return done;
  }

  createBinary(): Result<Uint8Array, CompilerError> {
    const binary = this.known?.state === "executable" ? this.known.program.binary : NOTHING;
    if (binary.length > 0) return ok(binary);
    const done = this.work((module) => module.createBinary());
    if (done.ok) this.keep(done.value);
    return done;
  }

  createKernelBinary(name: string): Result<Uint8Array | null, CompilerError> {
    const { store } = this;
    const make = (): Result<Uint8Array | null, CompilerError> => this.work((module) => module.createKernelBinary(name));
    this.keepFacts();
    if (store === null || this.known?.state !== "executable") return make();
    return keptCode(store, this.known.program, ["kernel", name], make);
  }

  createDeviceBinary(): Result<Uint8Array, CompilerError> {
    const { store } = this;
    const make = (): Result<Uint8Array, CompilerError> =>
      this.work((module) => module.createDeviceBinary?.() ?? module.createPortableBinary(true));
    this.keepFacts();
    if (store === null || this.known?.state !== "executable") return make();
    const done = keptCode(store, this.known.program, ["device"], make);
    return done.ok ? ok(done.value ?? NOTHING) : done;
  }

  createSpirv(): Result<Uint8Array | null, CompilerError> {
    return this.work((module) => module.createSpirv());
  }

  createPortableBinary(keepsIr: boolean): Result<Uint8Array, CompilerError> {
    const { store } = this;
    const make = (): Result<Uint8Array, CompilerError> => this.work((module) => module.createPortableBinary(keepsIr));
    this.keepFacts();
    if (store === null || this.known?.state !== "executable") return make();
    const done = keptCode(store, this.known.program, ["portable", keepsIr ? "ir" : ""], make);
    return done.ok ? ok(done.value ?? NOTHING) : done;
  }

  /** Keeps a build of which no code has been made yet: what is made of it is kept next to it. */
  private keepFacts(): void {
    if (this.known === null && this.made?.state === "executable") this.keep(NOTHING);
  }

  /** Keeps what the compiler has built, for the next time. */
  private keep(binary: Uint8Array): void {
    const { build } = this;
    if (build === null) return;
    const kernels = this.work((made) =>
      this.finalized.map((info): KeptKernel => ({ info, ...traitsOf(made.getKernel(info.name)) })),
    );
    const program: KeptProgram = { key: build.key, files: build.files, log: this.log, kernels, binary };
    if (this.store !== null) writeProgram(this.store, program);
    this.known = { program, state: "executable" };
  }

  explain(): Result<readonly KernelReport[], CompilerError> {
    return this.work((module) => module.explain());
  }

  getKernel(name: string): Kernel | null {
    const { store, begin, budget } = this;
    this.keepFacts();
    const { known } = this;
    const find = (): Kernel | null => {
      const kernel = this.work((module) => module.getKernel(name));
      return kernel === null ? null : kernelOf(kernel, this.compiling, begin, budget);
    };
    if (known?.state !== "executable" || store === null) return find();
    const kept = known.program.kernels.find(({ info }) => info.name === name);
    return kept === undefined
      ? null
      : new LateKernel(name, kept, { program: known.program, store }, find, begin, budget);
  }

  /** When quick code is made: where another thread can make the full form. */
  private get budget(): QuickBudget {
    return () => (this.thread?.thread.isUsable === true ? this.compileBudget() : null);
  }

  /** Has the other thread compile a kernel; null: there is none. */
  private get begin(): BeginKernel | null {
    const { thread: other } = this;
    if (other === null) return null;
    const { thread, compiler, device } = other;
    return (kernel, facts) => {
      if (this.sent === null) {
        const recipe = this.recipe();
        if (recipe === null) return null;
        this.sent = { program: thread.newProgram(), recipe };
      }
      return thread.begin({ ...this.sent, compiler, device: device(), kernel, facts });
    };
  }

  /** What another thread makes this program from; null: nothing that crosses. */
  private recipe(): ProgramRecipe | null {
    const { made, input, known } = this;
    // A compiler that is not loaded here need not be.
    if (made === null && known !== null && input !== null && typeof input.source === "string") {
      const { kind: frontEnd, source, environment = NO_ENVIRONMENT } = input;
      return {
        kind: "source",
        texts: this.texts,
        frontEnd,
        source,
        headers: environment.headers,
        files: known.program.files,
      };
    }
    const bytes = this.serialize();
    return bytes.ok ? { kind: "module", bytes: bytes.value } : null;
  }

  serialize(): Result<Uint8Array, CompilerError> {
    return this.work((module) => module.serialize());
  }

  deserialize(bytes: Uint8Array): Result<void, CompilerError> {
    return this.work((module) => module.deserialize(bytes));
  }
}
