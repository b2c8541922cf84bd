// SPDX-License-Identifier: Apache-2.0
// Programs ahead of time for x86-64: kernels as functions for programs in C, and executables with native code beside
// WebAssembly.
import type { CompilerError, CompilerOptions, Info, KernelReport } from "@muxkit/compiler";
import { buildCpuImage, compilerInfo, libraryContext } from "@muxkit/compiler-base";
import { LAYOUT_32, type Module } from "@muxkit/ir";
import { type ExecutableImage, writeExecutable } from "@muxkit/metadata";
import { type X64Code, generateX64 } from "@muxkit/x64";
import { writeCodeObject } from "@muxkit/x64-assembler";

import { HOST_COMPILER_FACTS } from "./facts.ts";
import { withinLimits } from "./limits.ts";
import { NATIVE_BACKENDS, RUNTIME_RESULTS } from "./native-backend.ts";
import { type NativeTierName, nativeSection } from "./native-features.ts";
import { type BuildRequest, buildImage } from "./pipeline.ts";
import { buildPortableImage, withNativeCode } from "./portable.ts";

/** A program for programs in C. @public */
export interface AheadOfTimeProgram {
  /** What the metadata of an executable say of it. */
  readonly image: ExecutableImage;
  /** Its code, with entries for C and places in the source. */
  readonly code: X64Code;
}

type Request = Omit<BuildRequest, "module" | "features" | "native">;

function requestOf(options: CompilerOptions, report: ((report: KernelReport) => void) | null): Request {
  return {
    ...(report === null ? {} : { report }),
    context: libraryContext(LAYOUT_32),
    only: null,
    specialization: null,
    optimize: !options.optDisable,
    vectorization: options.vectorization,
    kernelVectorization: options.kernelVectorization,
    verifyEach: false,
  };
}

/** Traps where a thread is told to leave. */
const POLL = "muxkit.poll";

/**
 * Makes kernels run to their end: they would leave by a trap, which the runtime takes for what it is, and which would
 * end a program in C.
 */
function withoutPolls(module: Module): void {
  for (const fn of module.functions.values()) {
    for (const { instructions } of fn.blocks) {
      const at = instructions.findIndex(({ symbol }) => symbol?.kind === "function" && symbol.name === POLL);
      if (at !== -1) instructions.splice(at, 1);
    }
  }
  module.functions.delete(POLL);
}

function buildForC(module: Module, request: Request, tier: NativeTierName): AheadOfTimeProgram {
  let code: X64Code | null = null;
  const image = buildCpuImage(
    { ...request, module },
    {
      ...NATIVE_BACKENDS[tier],
      generate: (lowered, exports) => {
        withoutPolls(lowered);
        code = generateX64(lowered, { exports, results: RUNTIME_RESULTS, callers: "c", lines: true, tier });
        return { name: nativeSection(tier), bytes: writeCodeObject(code), features: [], patches: [] };
      },
    },
  );
  return { image, code: code as unknown as X64Code };
}

/**
 * A compiler whose portable executables have native code of some tiers beside WebAssembly, and whose other ones are
 * what programs in C link, of the first of these tiers: `take` gets each of those.
 *
 * @public
 */
export function aheadOfTimeCompiler(
  take: (program: AheadOfTimeProgram) => void,
  tiers: readonly NativeTierName[] = ["x64.3"],
): Info {
  const [first = "x64.3"] = tiers;
  return compilerInfo({ ...HOST_COMPILER_FACTS, name: "muxkit ahead-of-time compiler" }, () => ({
    layout: LAYOUT_32,
    fusesMultiplyAdd: true,
    build: (module, options, report): Uint8Array | CompilerError =>
      withinLimits(() => {
        const program = buildForC(module, requestOf(options, report), first);
        take(program);
        return writeExecutable(program.image);
      }),
    buildPortable: (variants, options): Uint8Array | CompilerError =>
      withinLimits(() => {
        const request = requestOf(options, null);
        const common = buildPortableImage(variants, request);
        // Its data are where the build before has put them.
        const native = (tier: NativeTierName): ExecutableImage =>
          buildImage({ ...request, module: variants.fused, features: [], native: NATIVE_BACKENDS[tier] });
        return writeExecutable(tiers.reduce((image, tier) => withNativeCode(image, native(tier)), common));
      }),
    kernel: () => null,
  }));
}
