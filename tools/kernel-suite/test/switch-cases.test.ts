// SPDX-License-Identifier: Apache-2.0
// Cases of switches on narrow integers, which SPIR-V may write as signed or as unsigned numbers: each value goes to the
// case of the same bits, whether it is known when the program is compiled or not, and whether the cases are dense.
import { runThreeWays } from "@muxkit/kernel-suite";
import { assemble, bytesOfWords } from "@muxkit/spirv";
import { expect, test } from "vitest";

const CASES = {
  dense: [-3, -2, -1, 0, 1, 2, 3],
  few: [-4, -1],
  sparse: [-100, -1, 5, 90, 127],
} as const;

/** A kernel that stores the number of the case, from 1 on, of a value that it loads or knows. */
function moduleText(bits: 8 | 16, cases: readonly number[], known: number | null): string {
  const word = (value: number): string => String(value & (2 ** bits - 1));
  const selector = known === null ? "%loaded" : "%known";
  return `OpCapability Kernel
OpCapability Addresses
OpCapability Int16
OpCapability Int8
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%narrow = OpTypeInt ${bits} 0
%int = OpTypeInt 32 0
%in = OpTypePointer CrossWorkgroup %narrow
%out = OpTypePointer CrossWorkgroup %int
%type = OpTypeFunction %void %in %out
%known = OpConstant %narrow ${word(known ?? 0)}
${[-1, ...cases].map((_, n) => `%n${n} = OpConstant %int ${n}`).join("\n")}
%k = OpFunction %void None %type
%p = OpFunctionParameter %in
%q = OpFunctionParameter %out
%begin = OpLabel
%loaded = OpLoad %narrow %p Aligned 1
OpSwitch ${selector} %other ${cases.map((value, n) => `${word(value)} %case${n}`).join(" ")}
${cases.map((_, n) => `%case${n} = OpLabel\nOpStore %q %n${n + 1} Aligned 4\nOpReturn`).join("\n")}
%other = OpLabel
OpStore %q %n0 Aligned 4
OpReturn
OpFunctionEnd`;
}

const ROWS = Object.entries(CASES).flatMap(([name, cases]) =>
  ([8, 16] as const).flatMap((bits) =>
    [...cases, 42].map((value) => ({ name: `${value} among ${name} cases of ${bits} bits`, cases, bits, value })),
  ),
);

test.each(ROWS)("$name", ({ cases, bits, value }) => {
  const expected = cases.findIndex((one) => one === value) + 1;
  for (const known of [null, value]) {
    const assembled = assemble(moduleText(bits, cases, known));
    if (!assembled.ok) throw new Error(`line ${assembled.error.line}: ${assembled.error.message}`);
    const outcomes = runThreeWays({
      source: { kind: "spirv", source: bytesOfWords(assembled.value) },
      kernel: "k",
      arguments: [{ contents: new Uint8Array(Int16Array.of(value).buffer) }, { contents: new Uint8Array(4) }],
      global: [1],
      local: [1],
    });
    for (const { way, buffers } of outcomes)
      expect([way, known, new DataView((buffers[1] ?? new Uint8Array(4)).slice().buffer).getUint32(0, true)]).toEqual([
        way,
        known,
        expected,
      ]);
  }
});
