// SPDX-License-Identifier: Apache-2.0
// Modules of 64-bit addressing on a device of 32-bit pointers: each rule that docs/spirv.md states, by numbers that a
// kernel writes. And the reverse, which is refused.
import { LAYOUT_32, LAYOUT_64 } from "@muxkit/ir";
import { Machine, build } from "@muxkit/kernel-suite";
import { assemble, bytesOfWords, readSpirv } from "@muxkit/spirv";
import { expect, test } from "vitest";

interface Row {
  readonly rule: string;
  /** Instructions of the kernel; `store N %id` writes 64 bits. */
  readonly body: string;
  /** What is at `out`, in 64-bit numbers. */
  readonly result: readonly bigint[];
}

const SLOTS = [0, 1, 2, 3];

/** A module with the parameters `out` and `number`; ids, sizes and places are 64 bits wide. */
const moduleText = (addressing: "Physical32" | "Physical64", body: string): string => `
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpMemoryModel ${addressing} OpenCL
OpEntryPoint Kernel %k "k" %id %size
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %size BuiltIn GlobalSize
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%long3 = OpTypeVector %long 3
%input = OpTypePointer Input %long3
%out_ptr = OpTypePointer CrossWorkgroup %long
${SLOTS.map((n) => `%n${n} = OpConstant %long ${n}`).join("\n")}
%above = OpConstant %long 4294967296
%index = OpConstant %long 4294967298
%seven = OpConstant %int 7
%three = OpConstant %int 3
%pair = OpTypeStruct %out_ptr %int
%pair_ptr = OpTypePointer Function %pair
%pointer_ptr = OpTypePointer Function %out_ptr
%int_ptr = OpTypePointer Function %int
%long_ptr = OpTypePointer Function %long
%zero = OpConstant %int 0
%one = OpConstant %int 1
%k_type = OpTypeFunction %void %out_ptr %long
%id = OpVariable %input Input
%size = OpVariable %input Input
%k = OpFunction %void None %k_type
%out = OpFunctionParameter %out_ptr
%number = OpFunctionParameter %long
%entry = OpLabel
${body.replaceAll(
  /^store (\d) (%\w+)$/gmu,
  (_, n: string, id: string) =>
    `%place${n} = OpInBoundsPtrAccessChain %out_ptr %out %n${n}\nOpStore %place${n} ${id} Aligned 8`,
)}
OpReturn
OpFunctionEnd
`;

function moduleOf(addressing: "Physical32" | "Physical64", body: string): Uint8Array {
  const assembled = assemble(moduleText(addressing, body));
  if (!assembled.ok) throw new Error(`${assembled.error.line}: ${assembled.error.message}`);
  return bytesOfWords(assembled.value);
}

const OPTIONS = { name: "k", floatFlags: 0, uniformWorkGroups: false, specialization: new Map<number, Uint8Array>() };

const NUMBER = 0x1_0000_0005n;

const ROWS: readonly Row[] = [
  {
    rule: "ids and sizes are extended with zeros, and are computed with in 64 bits",
    body: `%ids = OpLoad %long3 %id\n%x = OpCompositeExtract %long %ids 0\n%sizes = OpLoad %long3 %size
%w = OpCompositeExtract %long %sizes 0\n%sum = OpIAdd %long %x %number\nstore 0 %sum
%less = OpISub %long %x %w\nstore 1 %less\n%product = OpIMul %long %w %above\nstore 2 %product`,
    result: [NUMBER, 0xffff_ffff_ffff_ffffn, 1n << 32n],
  },
  {
    rule: "a number that becomes a pointer loses its upper half",
    body: `%a = OpConvertPtrToU %long %out\n%b = OpIAdd %long %a %above\n%p = OpConvertUToPtr %out_ptr %b
OpStore %p %number Aligned 8\n%high = OpShiftRightLogical %long %a %n3\n%top = OpUDiv %long %a %above\nstore 1 %top`,
    result: [NUMBER, 0n],
  },
  {
    rule: "a pointer takes eight bytes of a struct, the last four of which are zero",
    body: `%v = OpVariable %pair_ptr Function\n%first = OpInBoundsAccessChain %pointer_ptr %v %zero
%bits = OpBitcast %long_ptr %first\nOpStore %bits %index Aligned 8\nOpStore %first %out Aligned 8
%second = OpInBoundsAccessChain %int_ptr %v %one\n%a = OpConvertPtrToU %long %first
%b = OpConvertPtrToU %long %second\n%distance = OpISub %long %b %a\nstore 0 %distance
%stored = OpLoad %long %bits Aligned 8\n%own = OpConvertPtrToU %long %out\n%rest = OpISub %long %stored %own
store 1 %rest\n%back = OpLoad %out_ptr %first Aligned 8
%p = OpInBoundsPtrAccessChain %out_ptr %back %n2\nOpStore %p %number Aligned 8`,
    result: [8n, 0n, NUMBER],
  },
  {
    rule: "an index of 2^32 or more is taken modulo 2^32",
    body: `%p = OpPtrAccessChain %out_ptr %out %index\nOpStore %p %number Aligned 8`,
    result: [0n, 0n, NUMBER],
  },
];

test.each(ROWS)("$rule", ({ body, result }) => {
  for (const options of ["", "-cl-opt-disable"]) {
    const image = build({ kind: "spirv", source: moduleOf("Physical64", body) }, { options });
    const machine = new Machine();
    const address = machine.upload(new Uint8Array(result.length * 8));
    const value = new Uint8Array(BigUint64Array.of(NUMBER).buffer);
    expect(machine.run(image, "k", [{ buffer: address }, { value }], [1], [1])).toBe(0);
    expect([...new BigUint64Array(machine.memory.buffer, address, result.length)]).toEqual(result);
  }
});

test("a kernel's pointer argument is the device's pointer", () => {
  const module = moduleOf("Physical64", "store 0 %number");
  for (const [layout, size] of [
    [LAYOUT_32, 4],
    [LAYOUT_64, 8],
  ] as const) {
    const read = readSpirv(module, { ...OPTIONS, layout });
    if (!read.ok) throw new Error(read.error.message);
    expect(read.value.functions.get("k")?.kernel?.arguments[0]?.size).toBe(size);
  }
});

test("a module of 32-bit addressing is refused where pointers have 64 bits", () => {
  const body = "OpStore %out %number Aligned 8";
  const ids = moduleText("Physical32", body).replaceAll(
    "%long3 = OpTypeVector %long 3",
    "%long3 = OpTypeVector %int 3",
  );
  const assembled = assemble(ids);
  if (!assembled.ok) throw new Error(assembled.error.message);
  const module = bytesOfWords(assembled.value);
  expect(readSpirv(module, { ...OPTIONS, layout: LAYOUT_32 }).ok).toBe(true);
  const refused = readSpirv(module, { ...OPTIONS, layout: LAYOUT_64 });
  expect(refused.ok ? "" : refused.error.message).toContain("32-bit addresses, and the device's do not fit in them");
});
