// SPDX-License-Identifier: Apache-2.0
// Kernels in SPIR-V as Debian's clang and llvm-spirv make them of ours, printed by our disassembler: they compute what
// the same kernels compute that our compiler reads as OpenCL C.
// `MUXKIT_SUITE_SPIRV=O2 npx vitest run --project kernel-suite` does that for all that the suite builds
// (source/spirv-producer.ts).
import { readFileSync } from "node:fs";

import { assemble, bytesOfWords } from "@muxkit/spirv";
import { Machine, type MachineArgument, build } from "@muxkit/kernel-suite";
import type { LoadedExecutable } from "@muxkit/metadata";
import { expect, test } from "vitest";

/** An argument: bytes by value, local memory, or a buffer with these bytes. */
type Argument = { readonly value: Uint8Array } | { readonly local: number } | { readonly buffer: Uint8Array };

interface Row {
  /** The module, in spirv/. */
  readonly module: string;
  /** The source, in spirv/ or in the benchmark suite. */
  readonly source: string;
  readonly kernel: string;
  readonly global: readonly number[];
  readonly local: readonly number[];
  readonly arguments: readonly Argument[];
}

const bytes = (array: ArrayBufferView): Uint8Array => new Uint8Array(array.buffer as ArrayBuffer);
const u32 = (value: number): Argument => ({ value: bytes(Uint32Array.of(value)) });
const f32 = (...values: number[]): Argument => ({ value: bytes(Float32Array.from(values)) });
const floats = (count: number): Argument => ({
  buffer: bytes(Float32Array.from({ length: count }, (_, i) => ((i * 7) % 31) - 9.5)),
});
const words = (count: number): Argument => ({
  buffer: bytes(Uint32Array.from({ length: count }, (_, i) => Math.imul(i + 1, 0x9e3779b1))),
});
const zeros = (count: number): Argument => ({ buffer: new Uint8Array(count * 4) });

/** `struct { int; float4; char[3]; }`. */
const PAIR = new Uint8Array(48);
new DataView(PAIR.buffer).setFloat32(20, 2.5, true);
PAIR.set([9, 8, 7], 32);

const various = (module: string): Row => ({
  module,
  source: "spirv/various.cl",
  kernel: "various",
  global: [8],
  local: [8],
  arguments: [
    zeros(8),
    zeros(64),
    { value: bytes(BigInt64Array.of(4294967295n)) },
    f32(1, 2, 3, 4),
    { value: PAIR },
    { local: 32 },
  ],
});

const SUITE = "../../../benchmarks/suite";

const ROWS: readonly Row[] = [
  various("various.32-O2"),
  various("various.64-O0"),
  various("various.64-O2"),
  {
    module: "reduce",
    source: `${SUITE}/reduce.cl`,
    kernel: "reduce_sum",
    global: [128],
    local: [64],
    arguments: [u32(2000), floats(2048), zeros(2), { local: 256 }],
  },
  {
    module: "transpose",
    source: `${SUITE}/transpose.cl`,
    kernel: "transpose",
    global: [32, 32],
    local: [16, 16],
    arguments: [u32(32), u32(32), floats(1024), zeros(1024)],
  },
  {
    module: "nbody",
    source: `${SUITE}/nbody.cl`,
    kernel: "nbody_local",
    global: [64],
    local: [16],
    arguments: [u32(64), f32(0.01), floats(256), zeros(256), { local: 256 }],
  },
  {
    module: "histogram",
    source: `${SUITE}/histogram.cl`,
    kernel: "hist_global",
    global: [256],
    local: [64],
    arguments: [words(1024), zeros(256)],
  },
];

const text = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

function moduleOf(name: string): Uint8Array {
  const assembled = assemble(text(`spirv/${name}.spvasm`));
  if (!assembled.ok) throw new Error(assembled.error.message);
  return bytesOfWords(assembled.value);
}

/** The contents of the buffers after a launch. */
function run(
  image: LoadedExecutable,
  { kernel, global, local, arguments: given }: Row,
): readonly (readonly number[])[] {
  const machine = new Machine();
  const buffers: { address: number; size: number }[] = [];
  const list = given.map((argument): MachineArgument => {
    if (!("buffer" in argument)) return argument;
    const address = machine.upload(argument.buffer);
    buffers.push({ address, size: argument.buffer.length });
    return { buffer: address };
  });
  expect(machine.run(image, kernel, list, [...global], [...local])).toBe(0);
  return buffers.map(({ address, size }) => [...new Uint8Array(machine.memory.buffer, address, size)]);
}

/** What our compiler makes of each source. */
const built = new Map<string, LoadedExecutable>();

test.each(ROWS)("$module: $kernel", (row) => {
  const module = { kind: "spirv", source: moduleOf(row.module) };
  const quick = { verifyEach: false };
  let direct = built.get(row.source);
  if (direct === undefined)
    built.set(row.source, (direct = build(text(row.source), { options: "-w -cl-std=CL3.0", ...quick })));
  const wanted = run(direct, row);
  const options = row.module.endsWith("O0") ? "-cl-opt-disable" : "";
  expect(run(build(module, { options, ...quick }), row)).toEqual(wanted);
  expect(wanted.some((buffer) => buffer.some((byte) => byte !== 0))).toBe(true);
});
