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

/**
 * `x = id - 2` in 33 bits, from which four numbers follow: half of `x * x`, half of `x` with its sign, whether `x` is
 * negative, a choice by two bits of the id. Then a dot product by its mangled name, and the bits that are set in `x`.
 */
const ODD = `
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int8
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %odd "odd" %id
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %dot LinkageAttributes "_Z11dot_acc_satDv4_cS_i" Import
%void = OpTypeVoid
%bool = OpTypeBool
%char = OpTypeInt 8 0
%int = OpTypeInt 32 0
%i33 = OpTypeInt 33 0
%i2 = OpTypeInt 2 0
%v3 = OpTypeVector %int 3
%char4 = OpTypeVector %char 4
%ptr = OpTypePointer CrossWorkgroup %int
%input = OpTypePointer Input %v3
%zero = OpConstant %int 0
%one = OpConstant %int 1
%two = OpConstant %int 2
%three = OpConstant %int 3
%four = OpConstant %int 4
%five = OpConstant %int 5
%six = OpConstant %int 6
%most = OpConstant %int 2147483640
%minus = OpConstant %i33 8589934590
%wide_zero = OpConstant %i33 0
%wide_one = OpConstant %i33 1
%dot_type = OpTypeFunction %int %char4 %char4 %int
%type = OpTypeFunction %void %ptr
%id = OpVariable %input Input
%dot = OpFunction %int None %dot_type
%d0 = OpFunctionParameter %char4
%d1 = OpFunctionParameter %char4
%d2 = OpFunctionParameter %int
OpFunctionEnd
%odd = OpFunction %void None %type
%out = OpFunctionParameter %ptr
%entry = OpLabel
%ids = OpLoad %v3 %id
%i = OpCompositeExtract %int %ids 0
%wide = OpUConvert %i33 %i
%x = OpIAdd %i33 %wide %minus
%square = OpIMul %i33 %x %x
%half = OpShiftRightLogical %i33 %square %wide_one
%first = OpUConvert %int %half
%signed = OpShiftRightArithmetic %i33 %x %wide_one
%second = OpSConvert %int %signed
%negative = OpSLessThan %bool %x %wide_zero
%third = OpSelect %int %negative %one %zero
%small = OpUConvert %i2 %i
OpSwitch %small %other 2 %twos 3 %threes
%twos = OpLabel
OpBranch %other
%threes = OpLabel
OpBranch %other
%other = OpLabel
%fourth = OpPhi %int %one %entry %two %twos %three %threes
%bytes = OpBitcast %char4 %i
%fifth = OpFunctionCall %int %dot %bytes %bytes %most
%count = OpBitCount %i33 %x
%sixth = OpUConvert %int %count
%at = OpIMul %int %i %six
%p0 = OpInBoundsPtrAccessChain %ptr %out %at
OpStore %p0 %first Aligned 4
%p1 = OpInBoundsPtrAccessChain %ptr %p0 %one
OpStore %p1 %second Aligned 4
%p2 = OpInBoundsPtrAccessChain %ptr %p0 %two
OpStore %p2 %third Aligned 4
%p3 = OpInBoundsPtrAccessChain %ptr %p0 %three
OpStore %p3 %fourth Aligned 4
%p4 = OpInBoundsPtrAccessChain %ptr %p0 %four
OpStore %p4 %fifth Aligned 4
%p5 = OpInBoundsPtrAccessChain %ptr %p0 %five
OpStore %p5 %sixth Aligned 4
OpReturn
OpFunctionEnd
`;

test("ints of 33 and of 2 bits, and a built-in function by its mangled name", () => {
  const assembled = assemble(ODD);
  if (!assembled.ok) throw new Error(assembled.error.message);
  const machine = new Machine();
  const address = machine.upload(new Uint8Array(8 * 6 * 4));
  const image = build({ kind: "spirv", source: bytesOfWords(assembled.value) }, { verifyEach: true });
  expect(machine.run(image, "odd", [{ buffer: address }], [8], [8])).toBe(0);
  const wanted = Array.from({ length: 8 }, (_, i) => {
    const x = i - 2;
    const least = Math.min(i * i + 2147483640, 0x7fff_ffff);
    const bits = (BigInt.asUintN(33, BigInt(x)).toString(2).match(/1/gu) ?? []).length;
    return [(x * x) >> 1, x >> 1, Number(x < 0), [1, 1, 2, 3][i % 4], least, bits];
  });
  expect([...new Int32Array(machine.memory.buffer, address, 48)]).toEqual(wanted.flat());
});
