// SPDX-License-Identifier: Apache-2.0
// A job's kernel as WebAssembly and as machine code of x86-64, from one finalized program, for launches like the job's.
import { readFileSync } from "node:fs";
import v8 from "node:v8";

import { buildProgram, openclC } from "@muxkit/compiler";
import { type CpuBackend, buildCpuImage, libraryContext, usefulFacts } from "@muxkit/compiler-base";
import { hostDeviceInfo } from "@muxkit/host";
import { hostModule, type VectorizationChoice } from "@muxkit/host-compiler";
import { LAYOUT_32, type Module, cloneModule } from "@muxkit/ir";
import type { ArgumentFact } from "@muxkit/kernel-abi";
import { CHANNEL_ORDERS, CHANNEL_TYPES, samplerBits } from "@muxkit/libimg";
import { type ExecutableImage, writeExecutable } from "@muxkit/metadata";
import { generateModule, wasmMachine } from "@muxkit/wasm";
import { type X64Listing, type X64TierName, generateX64, x64Tier } from "@muxkit/x64";

import type { LoadedArgument, LoadedJob } from "../../benchmarks/src/job.mjs";
import { imageOf, localSizeOf } from "./launch.ts";

// Each module is compiled by the optimising compiler before it runs.
v8.setFlagsFromString("--no-liftoff");
v8.setFlagsFromString("--no-wasm-lazy-compilation");

/** Code of a job's kernel. */
export interface BuiltJob {
  readonly kernel: string;
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly native: { readonly bytes: Uint8Array; readonly entry: number };
  readonly wasmImage: ExecutableImage;
  readonly nativeImage: ExecutableImage;
  readonly wasmWidth: number;
  readonly nativeWidth: number;
  /** What the machine code was made of. */
  readonly module: Module;
  readonly listings: readonly X64Listing[];
}

function factOf(argument: LoadedArgument): ArgumentFact | null {
  if (argument.sampler !== undefined) return { kind: "sampler", bits: samplerBits(argument.sampler) };
  const image = imageOf(argument);
  if (image === null) return null;
  const { order, type } = image.format;
  return { kind: "image", order: CHANNEL_ORDERS[order].code, channelType: CHANNEL_TYPES[type].code };
}

function finalized(job: LoadedJob): Module {
  const device = hostDeviceInfo({}, 1);
  let found: Module | null = null;
  const module = hostModule({
    device,
    fusesMultiplyAdd: device.codeFeatures.includes("fused-madd"),
    request: { features: device.codeFeatures, optimize: false, vectorization: "never" },
    build: (ir) => {
      found = cloneModule(ir);
      return writeExecutable({
        target: "host",
        features: [],
        code: [],
        kernels: [],
        programData: null,
        printfCalls: [],
        extraBlocks: [],
      });
    },
  });
  const built = buildProgram(module, openclC(readFileSync(job.sourcePath, "utf8")), job.options);
  if (!built.ok) throw new Error(`${built.error.message}\n${module.log}`);
  const made = module.createBinary();
  if (!made.ok) throw new Error(made.error.message);
  if (found === null) throw new Error("the program was not built");
  return found;
}

function widthOf({ kernels }: ExecutableImage): number {
  return kernels[0]?.variants[0]?.vectorWidth ?? 0;
}

/** Builds a job's kernel both ways. */
export function buildJob(
  job: LoadedJob,
  {
    counters,
    width,
    tier,
  }: { readonly counters: number | null; readonly width: number | null; readonly tier: X64TierName },
): BuiltJob {
  const program = finalized(job);
  const { codeFeatures } = hostDeviceInfo({}, 1);
  const local = localSizeOf(job);
  const facts = usefulFacts(
    program,
    job.kernel,
  )({
    localSize: local,
    uniformGroups: job.global.every((size, axis) => size % (local[axis] ?? 1) === 0),
    zeroOffset: true,
    arguments: job.args.map((argument) => factOf(argument)),
  });
  const vectorization: VectorizationChoice = width === null ? "auto" : { width };
  let lowered: Module | null = null;
  const image = (backend: CpuBackend): ExecutableImage =>
    buildCpuImage(
      {
        module: program,
        context: libraryContext(LAYOUT_32),
        only: job.kernel,
        specialization: facts,
        optimize: true,
        vectorization,
        verifyEach: false,
        lowered: (module) => (lowered = module),
      },
      backend,
    );
  let wasm = new Uint8Array(0);
  const wasmImage = image({
    target: "host",
    machine: wasmMachine(codeFeatures),
    generate: (module, entries) => {
      const code = generateModule(module, { exports: entries, sharedMemory: true, features: codeFeatures });
      wasm = new Uint8Array(code.bytes);
      return { name: ".wasm", bytes: code.bytes, features: [], patches: [] };
    },
  });
  let native = { bytes: new Uint8Array(0) as Uint8Array, entry: 0 };
  const listings: X64Listing[] = [];
  const nativeImage = image({
    target: "host",
    machine: x64Tier(tier).machine,
    generate: (module, entries) => {
      const code = generateX64(module, {
        exports: entries,
        results: new Map([["env.clock", 0]]),
        tier,
        observer: {
          phase: () => undefined,
          written: () => undefined,
          listed: (listing) => listings.push(listing),
          ...(counters === null ? {} : { counters }),
        },
      });
      native = { bytes: code.bytes, entry: code.entries.get(job.kernel) ?? 0 };
      return { name: `.${tier}`, bytes: code.bytes, features: [], patches: [] };
    },
  });
  if (lowered === null) throw new Error("nothing was lowered");
  return {
    kernel: job.kernel,
    wasm,
    native,
    wasmImage,
    nativeImage,
    wasmWidth: widthOf(wasmImage),
    nativeWidth: widthOf(nativeImage),
    module: lowered,
    listings,
  };
}

/** Prints the blocks that took most instructions, with the numbers of times that they began. */
export function printHotBlocks({ listings }: BuiltJob, counts: Uint8Array, most: number): void {
  const view = new DataView(counts.buffer, counts.byteOffset, counts.byteLength);
  let at = 0;
  const blocks = listings.flatMap(({ name, blocks: own }) =>
    own.map((lines, number) => ({
      title: `${name} b${number}`,
      lines,
      count: Number(view.getBigUint64(8 * at++, true)),
    })),
  );
  const all = blocks.reduce((sum, { count, lines }) => sum + count * lines.length, 0);
  for (const { title, lines, count } of blocks
    .toSorted((a, b) => b.count * b.lines.length - a.count * a.lines.length)
    .slice(0, most)) {
    const share = (100 * count * lines.length) / all;
    console.log(`${title}: ${count} times, ${lines.length} instructions, ${share.toFixed(1)} %`);
    for (const line of lines) console.log(`  ${line}`);
  }
}
