// SPDX-License-Identifier: Apache-2.0
// Lines of debug information become the places of instructions, which messages and traces of kernels show.
import { LAYOUT_32, type Module, Op } from "@muxkit/ir";
import { assemble, bytesOfWords, describeSpirvError, readSpirv } from "@muxkit/spirv";
import { describe, expect, test } from "vitest";

/** A kernel that stores a sum of two loads; `at` has lines before the three of them. */
const kernel = (before: string, at: readonly [load: string, sum: string, store: string], capabilities = ""): string =>
  `OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
${capabilities}
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %k "k"
%file = OpString "sums.cl"
%other = OpString "loads.h"
%void = OpTypeVoid
%int = OpTypeInt 32 0
${before}
%ptr = OpTypePointer CrossWorkgroup %int
%type = OpTypeFunction %void %ptr
%k = OpFunction %void None %type
%p = OpFunctionParameter %ptr
%entry = OpLabel
${at[0]}
%x = OpLoad %int %p Aligned 4
${at[1]}
%y = OpIAdd %int %x %x
${at[2]}
OpStore %p %y Aligned 4
OpReturn
OpFunctionEnd`;

function read(text: string): Module {
  const assembled = assemble(text);
  if (!assembled.ok) throw new Error(`line ${assembled.error.line}: ${assembled.error.message}`);
  const options = { name: "m", layout: LAYOUT_32, specialization: new Map(), floatFlags: 0, uniformWorkGroups: false };
  const result = readSpirv(bytesOfWords(assembled.value), options);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** The error of a kernel that cannot be read, as it is told. */
function refused(text: string): string {
  const assembled = assemble(text);
  if (!assembled.ok) throw new Error(`line ${assembled.error.line}: ${assembled.error.message}`);
  const options = { name: "m", layout: LAYOUT_32, specialization: new Map(), floatFlags: 0, uniformWorkGroups: false };
  const result = readSpirv(bytesOfWords(assembled.value), options);
  if (result.ok) throw new Error("the module was read");
  return describeSpirvError(result.error);
}

const WATCHED: ReadonlyMap<number, string> = new Map([
  [Op.LOAD, "load"],
  [Op.ADD, "add"],
  [Op.STORE, "store"],
]);

/** The places of loads, additions and stores, `file:line:column` and the function. */
function placesOf(module: Module): readonly string[] {
  return [...module.functions.values()].flatMap(({ blocks }) =>
    blocks.flatMap(({ instructions }) =>
      instructions.flatMap(({ op, location }) => {
        const name = WATCHED.get(op);
        if (name === undefined) return [];
        return location === null
          ? [name]
          : [`${name} ${location.file}:${location.line}:${location.column} ${location.scope}`];
      }),
    ),
  );
}

const debugLine = (n: number): string => `%l${n} = OpExtInst %void %set DebugLine %source %n${n} %n${n} %n9 %n9`;
const DEBUG_SHADER = `%set = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"`;

describe("places of errors", () => {
  const WRONG = "%y = OpIAdd %int %x %x";
  test.each([
    ["a rule that is broken", "%y = OpIAdd %int %x %p", /^sums\.cl:2:9: word \d+: .*is not an integer/u],
    ["what is not supported", "%y = OpFunctionCall %void %k %p", /^sums\.cl:2:9: word \d+: an entry point is called/u],
  ])("OpLine: %s", (_name, instead, message) => {
    const text = kernel("", ["OpLine %other 7 3", "OpLine %file 2 9", "OpNoLine"]);
    expect(refused(text.replace(WRONG, instead))).toMatch(message);
  });

  test("DebugLine", () => {
    const constants = [2, 7, 9].map((value) => `%n${value} = OpConstant %int ${value}`).join("\n");
    const text = kernel(
      `${constants}\n%source = OpExtInst %void %set DebugSource %file`,
      [debugLine(7), debugLine(2), ""],
      `OpExtension "SPV_KHR_non_semantic_info"\n${DEBUG_SHADER}`,
    );
    expect(refused(text.replace(WRONG, "%y = OpIAdd %int %x %p"))).toMatch(/^sums\.cl:2:9: word/u);
  });

  test.each([
    ["behind OpNoLine", ["OpLine %other 7 3", "OpNoLine", ""]],
    ["without lines", ["", "", ""]],
  ] as const)("%s there is none", (_name, lines) => {
    expect(refused(kernel("", lines).replace(WRONG, "%y = OpIAdd %int %x %p"))).toMatch(/^word \d+/u);
  });
});

describe("places", () => {
  test("OpLine holds until the next one or OpNoLine", () => {
    const module = read(kernel("", ["OpLine %other 7 3", "OpLine %file 2 9", "OpNoLine"]));
    expect(placesOf(module)).toEqual(["load loads.h:7:3 k", "add sums.cl:2:9 k", "store"]);
  });

  test("DebugLine of NonSemantic.Shader.DebugInfo.100 names its source by DebugSource", () => {
    const constants = [2, 7, 9].map((value) => `%n${value} = OpConstant %int ${value}`).join("\n");
    const module = read(
      kernel(
        `%source = OpExtInst %void %set DebugSource %file\n${constants}`.replace(/(.*\n)([^]*)/u, "$2\n$1"),
        [debugLine(7), debugLine(2), "%none = OpExtInst %void %set DebugNoLine"],
        `OpExtension "SPV_KHR_non_semantic_info"\n${DEBUG_SHADER}`,
      ),
    );
    expect(placesOf(module)).toEqual(["load sums.cl:7:9 k", "add sums.cl:2:9 k", "store"]);
  });

  test("with OpenCL.DebugInfo.100, whose lines are OpLine, other debug information changes nothing", () => {
    const module = read(
      kernel(
        "%source = OpExtInst %void %set DebugSource %file\n%none = OpExtInst %void %set DebugInfoNone",
        ["OpLine %file 3 1", "%scope = OpExtInst %void %set DebugNoScope", "OpLine %file 4 5"],
        `%set = OpExtInstImport "OpenCL.DebugInfo.100"`,
      ),
    );
    expect(placesOf(module)).toEqual(["load sums.cl:3:1 k", "add sums.cl:3:1 k", "store sums.cl:4:5 k"]);
  });
});

test("a line is that of its block only", () => {
  const branched = kernel("", ["OpLine %file 3 4", "OpBranch %next\n%next = OpLabel", ""]);
  expect(placesOf(read(branched))).toEqual(["load sums.cl:3:4 k", "add", "store"]);
});
