// SPDX-License-Identifier: Apache-2.0
// Reading costs what the words say: look-ups and searches are counted, not time, which other work disturbs. Twice the
// functions, phis, names or cases may cost little more than twice the steps.
import { LAYOUT_32 } from "@muxkit/ir";
import { Definitions, assemble, bytesOfWords, readSpirv } from "@muxkit/spirv";
import { expect, test, vi } from "vitest";

import { repeatedText } from "./repeated.ts";

const HEAD = `OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical32 OpenCL`;
const TYPES = `%void = OpTypeVoid
%int = OpTypeInt 32 0
%ptr = OpTypePointer CrossWorkgroup %int
%type = OpTypeFunction %void %ptr
%zero = OpConstant %int 0`;

/** A kernel that is called something, adds in a loop of blocks, and has attributes and types of arguments. */
const KERNEL = `${HEAD}
OpEntryPoint Kernel %k "k"
OpName %k "k"
OpName %out "out"
OpDecorate %out FuncParamAttr NoAlias
${TYPES}
%k = OpFunction %void None %type
%out = OpFunctionParameter %ptr
%entry = OpLabel
%x = OpLoad %int %out Aligned 4
OpBranch %next
%next = OpLabel
%sum = OpPhi %int %x %entry
%more = OpIAdd %int %sum %x
OpStore %out %more Aligned 4
OpReturn
OpFunctionEnd`;

const many = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join("\n");
const kernelOf = (body: string, before = ""): string =>
  `${HEAD}\n${before}\n${TYPES}\n%f = OpFunction %void None %type\n%p = OpFunctionParameter %ptr\n%e = OpLabel
%x = OpLoad %int %p Aligned 4\n${body}\nOpReturn\nOpFunctionEnd`;

const FAMILIES: Readonly<Record<string, (size: number) => string>> = {
  kernels: (size) => repeatedText(KERNEL, size),
  "sums in one block": (size) => kernelOf(many(size, (n) => `%y${n} = OpIAdd %int %x %x`)),
  "a chain of blocks": (size) =>
    kernelOf(`OpBranch %b0\n${many(size, (n) => `%b${n} = OpLabel\nOpBranch %b${n + 1}`)}\n%b${size} = OpLabel`),
  "a phi of many blocks": (size) =>
    kernelOf(
      `OpSwitch %x %m ${Array.from({ length: size }, (_, n) => `${n} %b${n}`).join(" ")}
${many(size, (n) => `%b${n} = OpLabel\nOpBranch %m`)}
%m = OpLabel\n%y = OpPhi %int %x %e ${Array.from({ length: size }, (_, n) => `%x %b${n}`).join(" ")}`,
    ),
  "constants and names": (size) =>
    `${HEAD}\n${many(size, (n) => `OpName %c${n} "name"`)}\n${TYPES}\n${many(size, (n) => `%c${n} = OpConstant %int ${n}`)}`,
};

/** Methods of arrays that go through all of them. */
const SEARCHES = ["find", "findIndex", "some", "every", "filter", "flatMap", "includes", "indexOf", "map"] as const;

/** Look-ups, and elements that are gone through, while a module is read. */
function steps(text: string): number {
  const assembled = assemble(text);
  if (!assembled.ok) throw new Error(`line ${assembled.error.line}: ${assembled.error.message}`);
  const bytes = bytesOfWords(assembled.value);
  let count = 0;
  const counted = (target: object, name: string, weight: (self: unknown) => number): void => {
    const original = Reflect.get(target, name) as (...values: unknown[]) => unknown;
    vi.spyOn(target as Record<string, () => unknown>, name).mockImplementation(function countedCall(
      this: unknown,
      ...values: unknown[]
    ) {
      count += weight(this);
      return original.apply(this, values);
    });
  };
  for (const name of ["get", "set", "has"]) counted(Map.prototype, name, () => 1);
  counted(Definitions.prototype, "of", () => 1);
  for (const name of SEARCHES) counted(Array.prototype, name, (self) => (self as unknown[]).length);
  try {
    const read = readSpirv(bytes, {
      name: "m",
      layout: LAYOUT_32,
      specialization: new Map(),
      floatFlags: 0,
      uniformWorkGroups: false,
    });
    vi.restoreAllMocks();
    if (!read.ok) throw new Error(read.error.message);
  } finally {
    vi.restoreAllMocks();
  }
  return count;
}

test.each(Object.entries(FAMILIES))("%s: twice as many take twice the steps", (_, make) => {
  const [small, large] = [steps(make(200)), steps(make(400))];
  expect(small).toBeGreaterThan(200);
  expect(large / small).toBeLessThan(2.2);
});
