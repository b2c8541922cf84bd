// SPDX-License-Identifier: Apache-2.0
// Extensions of OpenCL C that a target brings: who sees their built-ins, what becomes of the calls, and wrong ones.
import { buildProgram, openclC } from "@muxkit/compiler";
import { type CompilerTarget, type LanguageExtension, createCompiler } from "@muxkit/compiler-base";
import { decodeModule, encodeModule, printModule } from "@muxkit/ir";
import { MuxAddressCapabilities, MuxFloatingPointCapabilities, type MuxDeviceInfo } from "@muxkit/mux";
import { describe, expect, test } from "vitest";

const EXTENSION: LanguageExtension = {
  name: "cl_test_thirds",
  builtins: [
    ["third_of third_part", "T(T)", "f", "library"],
    ["thirds_sum", "float(float4)", "", "library-whole"],
  ],
  library: `
    float __attribute__((overloadable)) third_part(float x) { return x / 3.0f; }
    float __attribute__((overloadable)) thirds_sum(float4 v) {
      return third_of(v.x) + third_part(v.y) + fmax(v.z, v.w);
    }`,
};

function device(languageExtensions: readonly string[]): MuxDeviceInfo {
  const facts: Partial<MuxDeviceInfo> = {
    deviceName: "test",
    addressCapabilities: MuxAddressCapabilities.bits32,
    floatCapabilities: MuxFloatingPointCapabilities.inf_nan | MuxFloatingPointCapabilities.rte,
    doubleCapabilities: 0,
    halfCapabilities: 0,
    subGroupSizes: [],
    codeFeatures: [],
    languageExtensions,
  };
  return facts as MuxDeviceInfo;
}

/** The code of a kernel body as the code generator gets it, or the build log. */
function lowered(body: string, info: MuxDeviceInfo, more: Partial<CompilerTarget> = {}): string {
  const compiler = createCompiler({
    name: "test compiler",
    supports: () => true,
    build: (module) => encodeModule(module),
    extensions: [EXTENSION],
    keepsBuiltin: ({ name }) => name === "third_of",
    ...more,
  });
  const made = compiler.createContext().createTarget(info, null);
  if (!made.ok) throw new Error(made.error.message);
  const module = made.value.createModule();
  const source = `kernel void k(global float* p, global float4* q) { size_t i = get_global_id(0); ${body} }`;
  const built = buildProgram(module, openclC(source));
  if (!built.ok) return module.log;
  const binary = module.createBinary();
  if (!binary.ok) throw new Error(binary.error.message);
  const code = decodeModule(binary.value);
  if (!code.ok) throw new Error(code.error.message);
  return printModule(code.value);
}

const WITH = device([EXTENSION.name]);

describe("built-ins of an extension", () => {
  test("stay calls where the target keeps them", () => {
    expect(lowered("p[i] = third_of(p[i]);", WITH)).toMatch(/call_builtin .*third_of/u);
  });

  test("are linked from its library, lane by lane for vectors", () => {
    const code = lowered("q[i] = third_part(q[i]);", WITH);
    expect(code).not.toContain("call_builtin");
    expect(code.match(/fdiv/gu)?.length).toBeGreaterThanOrEqual(1);
  });

  test("may call each other and the kit's", () => {
    const code = lowered("p[i] = thirds_sum(q[i]);", WITH);
    expect(code).toMatch(/call_builtin .*third_of/u);
    expect(code).toMatch(/fdiv/u);
  });

  test("have overloads like others: arguments are converted, wrong ones are reported", () => {
    expect(lowered("p[i] = third_of((int)i);", WITH)).toMatch(/third_of/u);
    expect(lowered("p[i] = third_of(p);", WITH)).toContain("no overload of third_of takes");
  });

  test("are unknown to devices without the extension, whose log names it", () => {
    expect(lowered("p[i] = third_of(p[i]);", device([]))).toContain("cl_test_thirds");
  });

  test("come with a macro and a pragma", () => {
    const body = `
#ifndef cl_test_thirds
#error no macro
#endif
#pragma OPENCL EXTENSION cl_test_thirds : enable
p[i] = 1.0f;`;
    expect(lowered(body, WITH)).toContain("store");
    expect(lowered(body, device([]))).toContain("no macro");
  });
});

const withExtension = (extension: LanguageExtension) => (): unknown =>
  createCompiler({ name: "x", supports: () => true, build: () => new Uint8Array(), extensions: [extension] });

describe("refused", () => {
  test("the same extension with other contents", () => {
    expect(withExtension(EXTENSION)).not.toThrow();
    expect(withExtension({ ...EXTENSION, builtins: [] })).toThrow(/registered with other built-ins already/u);
    expect(withExtension({ ...EXTENSION, library: "" })).toThrow(/registered with another library already/u);
  });

  test("a name that is no macro, and a lowering of the kit's own", () => {
    expect(withExtension({ name: "my chip", builtins: [] })).toThrow(/"my chip" cannot be the name/u);
    expect(withExtension({ name: "cl_test_ops", builtins: [["other_add", "T(T, T)", "f", "op:fadd"]] })).toThrow(
      /the lowering of other_add.* is "op:fadd"/u,
    );
  });

  test("a definition that is not overloadable", () => {
    const plain: LanguageExtension = {
      name: "cl_test_plain",
      builtins: [["plain_one", "T(T)", "f", "library"]],
      library: "float plain_one(float x) { return x; }",
    };
    expect(() => lowered("p[i] = plain_one(p[i]);", device([plain.name]), { extensions: [plain] })).toThrow(
      /cl_test_plain defines plain_one without __attribute__\(\(overloadable\)\)/u,
    );
  });

  test("a library with errors, when it is needed", () => {
    const broken: LanguageExtension = {
      name: "cl_test_broken",
      builtins: [["broken_one", "T(T)", "f", "library"]],
      library: "float broken_one(float x) { return y; }",
    };
    expect(() => lowered("p[i] = broken_one(p[i]);", device([broken.name]), { extensions: [broken] })).toThrow(
      /library of the extension cl_test_broken has errors:[^]*"y" is not declared/u,
    );
  });
});
