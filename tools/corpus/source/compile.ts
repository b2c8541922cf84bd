// SPDX-License-Identifier: Apache-2.0
// One program through the compiler of a checkout of this project: verdict, processor time of each part, sizes. The
// compiler is loaded from that checkout's sources, so two of them can be compared by the same rules.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { PhaseClock, type PhaseTimes, threadTime } from "./phase-clock.ts";
import type { Program } from "./programs.ts";
import { type Message, type Verdict, failedVerdict } from "./verdict.ts";

/** What to compile. */
export interface CompileRequest {
  readonly program: Program;
  /** True: also each kernel alone, to tell which of them take long. */
  readonly kernels: boolean;
}

/** A kernel compiled alone. */
export interface KernelTime {
  readonly name: string;
  /** Processor time, in ms. */
  readonly time: number;
}

/** How long a compile took, and of how much. */
export interface Measurement {
  /** Processor time of the whole process, its helper threads included, in ms. */
  readonly process: number;
  /** Processor time of the compiling thread, by part, in ms. */
  readonly phases: PhaseTimes;
  /** IR operations that the front end made. */
  readonly ops: number;
  /** IR operations that the code generator took. */
  readonly lowered: number;
  /** Bytes of WebAssembly. */
  readonly bytes: number;
  readonly kernels: readonly KernelTime[];
}

/** What became of a program. */
export interface CompileReply {
  readonly verdict: Verdict;
  /** How many kernels the program has; 0 where it was not accepted. */
  readonly kernels: number;
  /** Null: no code was made. */
  readonly measurement: Measurement | null;
}

/** Compiles programs. */
export type Compiler = (request: CompileRequest) => CompileReply;

/** The parts of the compiler that are called, from the sources of a checkout. */
async function loadParts(root: string) {
  async function load<T>(module: string): Promise<T> {
    return (await import(pathToFileURL(join(root, "modules", module, "source/index.ts")).href)) as T;
  }
  return {
    ...(await load<typeof import("@muxkit/compiler")>("compiler")),
    ...(await load<typeof import("@muxkit/compiler-base")>("compiler-base")),
    ...(await load<typeof import("@muxkit/host")>("host")),
    ...(await load<typeof import("@muxkit/host-compiler")>("host-compiler")),
    ...(await load<typeof import("@muxkit/ir")>("ir")),
    ...(await load<typeof import("@muxkit/metadata")>("metadata")),
    ...(await load<typeof import("@muxkit/report")>("report")),
  };
}

type Parts = Awaited<ReturnType<typeof loadParts>>;
type Module = InstanceType<Parts["Module"]>;
type BaseModule = InstanceType<Parts["BaseModule"]>;

/** Section of the code. */
const SECTION = ".wasm";

/** Option of the build that names the file, which the front end looks for included files next to. */
function optionString({ file, options }: Program): string {
  return ["-S", file, ...options, "-I", dirname(file)]
    .map((word) => `"${word.replaceAll(/["\\]/gu, String.raw`\$&`)}"`)
    .join(" ");
}

function countOps(module: Module | null): number {
  let count = 0;
  for (const fn of module?.functions.values() ?? []) for (const block of fn.blocks) count += block.instructions.length;
  return count;
}

function messagesOf(module: BaseModule, { lineAndColumn }: Parts): readonly Message[] {
  return module.diagnostics.flatMap(({ severity, code, message, span }): readonly Message[] =>
    severity === "note"
      ? []
      : [
          {
            severity,
            code,
            text: message,
            file: span?.file.name ?? "",
            line: span === null ? 0 : lineAndColumn(span.file, span.start).line,
          },
        ],
  );
}

/** Why an engine does not take code; empty: it does. */
function problemOfCode(bytes: Uint8Array): string {
  if (WebAssembly.validate(bytes as BufferSource)) return "";
  try {
    void new WebAssembly.Module(bytes as BufferSource);
    return "the engine refuses the code";
  } catch (error) {
    return `the engine refuses the code: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A compiler of a checkout. Calls must not overlap. */
class CheckoutCompiler {
  readonly #parts: Parts;
  readonly #clock: PhaseClock;

  constructor(parts: Parts, clock: PhaseClock) {
    this.#parts = parts;
    this.#clock = clock;
  }

  /** Processor time of each kernel's code alone; nothing where there is only one. */
  #kernelTimes(ir: Module, device: ReturnType<Parts["hostDeviceInfo"]>): readonly KernelTime[] {
    const { buildExecutable, libraryContext, LAYOUT_32 } = this.#parts;
    const { kernels } = ir;
    if (kernels.length < 2) return [];
    return kernels.map(({ name }) => {
      const begin = threadTime();
      buildExecutable({
        module: ir,
        features: device.codeFeatures,
        context: libraryContext(LAYOUT_32),
        only: name,
        specialization: null,
        optimize: true,
        vectorization: "auto",
        verifyEach: false,
      });
      return { name, time: (threadTime() - begin) / 1000 };
    });
  }

  /** See {@link Compiler}. */
  compile({ program, kernels: wantsKernels }: CompileRequest): CompileReply {
    const parts = this.#parts;
    const source = readFileSync(program.file, "utf8");
    const device = parts.hostDeviceInfo({}, 1);
    let generated: number | null = null;
    let lowered = 0;
    let counting = 0;
    const module = parts.hostModule({
      device,
      fusesMultiplyAdd: device.codeFeatures.includes("fused-madd"),
      request: {
        features: device.codeFeatures,
        lowered: (ir) => {
          const begin = threadTime();
          lowered = countOps(ir);
          generated = threadTime();
          counting += generated - begin;
        },
      },
    });
    const startOfProcess = process.cpuUsage();
    this.#clock.start();
    const linked = parts.linkProgram(
      module,
      parts.openclC(source, { headers: [], readFile: parts.readIncludeFile }),
      optionString(program),
    );
    const messages = (): readonly Message[] => messagesOf(module, parts);
    if (!linked.ok) {
      const own = messages();
      const reason = { severity: "error", code: "", text: linked.error.message, file: "", line: 0 } as const;
      const list = own.some(({ severity }) => severity === "error") ? own : [...own, reason];
      return { verdict: { outcome: "refused", messages: list, reason: "" }, kernels: 0, measurement: null };
    }
    const ops = countOps(module.ir);
    const finalized = module.finalize();
    const binary = finalized.ok ? module.createBinary() : finalized;
    const phases = this.#clock.stop(generated);
    const { user, system } = process.cpuUsage(startOfProcess);
    const count = module.ir?.kernels.length ?? 0;
    const failed = (reason: string): CompileReply => ({
      verdict: { ...failedVerdict(reason), messages: messages() },
      kernels: count,
      measurement: null,
    });
    if (!binary.ok) return failed(binary.error.message);
    const image = parts.readExecutable(binary.value);
    if (!image.ok) return failed(`the executable cannot be read: ${image.error.message}`);
    const code = parts.findCode(image.value, SECTION);
    const problem = code === null ? "the executable has no code" : problemOfCode(code.bytes);
    if (problem !== "") return failed(problem);
    return {
      verdict: { outcome: "accepted", messages: messages(), reason: "" },
      kernels: count,
      measurement: {
        process: (user + system - counting) / 1000,
        phases: { ...phases, rest: Math.max(0, phases.rest - counting / 1000) },
        ops,
        lowered,
        bytes: code?.bytes.length ?? 0,
        kernels: wantsKernels && module.ir !== null ? this.#kernelTimes(module.ir, device) : [],
      },
    };
  }
}

/** The compiler of a checkout, from its sources. Throws where there is none. */
export async function loadCompiler(root: string): Promise<Compiler> {
  const clock = new PhaseClock();
  const builtins = join(root, "modules/builtins/source/generated/modules.js");
  if (!existsSync(builtins)) throw new Error(`${root} has no generated files: run "npm run prepare" there`);
  const compiler = new CheckoutCompiler(await loadParts(root), clock);
  return (request) => {
    try {
      return compiler.compile(request);
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const [message = "", place = ""] = text.split("\n").filter((line) => !line.includes("assert"));
      return { verdict: failedVerdict(`${message} ${place.trim()}`.trim()), kernels: 0, measurement: null };
    }
  };
}
