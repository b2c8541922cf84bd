// SPDX-License-Identifier: Apache-2.0
// Sources of each kind come to the same code, and a kind without a front end is one clear error.
import { buildProgram, openclC } from "@muxkit/compiler";
import { registerFrontEnd } from "@muxkit/compiler-base";
import { hostModule } from "@muxkit/host-compiler";
import { LAYOUT_32, LAYOUT_64, encodeModule, parseModule, printModule } from "@muxkit/ir";
import { EMPTY_CONTEXT, foldBuiltin, runPasses } from "@muxkit/passes";
import { DiagnosticList } from "@muxkit/report";
import { expect, test } from "vitest";

const SOURCE = `kernel void k(global float4* x, global atomic_int* n) {
  size_t i = get_global_id(0);
  x[i] = fmin(x[i], 1.0f) + sin(x[i]);
  if (isnan(x[i].x)) atomic_fetch_add(n, 1);
}`;

/** The bytes that a source comes to, and the IR that it was compiled to. */
function built(input: Parameters<typeof buildProgram>[1]): { readonly code: Uint8Array; readonly text: string } {
  const module = hostModule({
    features: ["__opencl_c_atomic_order_seq_cst", "__opencl_c_atomic_scope_device"],
  });
  const compiled = module.parseOptions("-cl-std=CL3.0", "build");
  expect(compiled.ok).toBe(true);
  const done = buildProgram(module, input);
  if (!done.ok) throw new Error(`${done.error.message}\n${module.log}`);
  const binary = module.createBinary();
  if (!binary.ok) throw new Error(binary.error.message);
  return { code: binary.value, text: module.ir === null ? "" : printModule(module.ir) };
}

/** The IR of the source before any pass, as the front end of OpenCL C and the lowering of built-ins leave it. */
function compiledText(): string {
  const module = hostModule({
    features: ["__opencl_c_atomic_order_seq_cst", "__opencl_c_atomic_scope_device"],
  });
  expect(module.parseOptions("-cl-std=CL3.0", "build").ok).toBe(true);
  expect(module.compile(openclC(SOURCE)).ok, module.log).toBe(true);
  if (module.ir === null) throw new Error("a compiled module holds IR");
  return printModule(module.ir);
}

test("IR as text and as binary compiles to the same code as the source that it was made from", () => {
  const { code, text } = built(openclC(SOURCE));
  const ir = compiledText();
  const fromText = built({ kind: "ir", source: ir });
  expect(fromText.text.replace(/loc\([^)]*\)/gu, "")).toBe(text.replace(/loc\([^)]*\)/gu, ""));
  expect(fromText.code.length).toBe(code.length);
  const module = parseModule(ir);
  if (!module.ok) throw new Error(module.error.message);
  expect(built({ kind: "ir", source: encodeModule(module.value) }).code).toEqual(fromText.code);
});

test("calls of built-ins in IR are lowered as those of OpenCL C are", () => {
  const text = `module "m" pointers 4 4 4 4 4 size_t 32
func @f(%0: f32, %1: i32) -> f32 {
^0:
  %2 = call_builtin clamp(float, float, float) %0, 0.0: f32, 1.0: f32: f32
  %3 = call_builtin convert_float_rtz(int) %1: f32
  %4 = fadd %2, %3: f32
  ret %4
}
`;
  const module = hostModule();
  expect(module.compile({ kind: "ir", source: text }).ok, module.log).toBe(true);
  expect(module.ir === null ? "" : printModule(module.ir)).not.toContain("call_builtin");
});

test("wrong IR is an error with its source location, and so is IR of another layout", () => {
  const module = hostModule();
  const result = module.compile({ kind: "ir", source: 'module "m" pointers 4 4 4 4 4 size_t 32\nfunc @f( {\n' });
  expect(result).toMatchObject({ ok: false, error: { code: "compile_program_failure" } });
  expect(module.log).toMatch(/program\.cl:2:\d+: error: /u);
  expect(module.compile({ kind: "ir", source: Uint8Array.of(1, 2, 3) }).ok).toBe(false);
  const wide = parseModule('module "m" pointers 8 8 8 8 8 size_t 64\n');
  if (!wide.ok) throw new Error(wide.error.message);
  expect(wide.value.layout).toEqual(LAYOUT_64);
  expect(module.compile({ kind: "ir", source: encodeModule(wide.value) }).ok).toBe(false);
  expect(module.log).toContain("another data layout");
  expect(module.state).toBe("none");
});

test("a kind without a front end is refused with those that there are; one can be registered", () => {
  const module = hostModule();
  expect(module.compile({ kind: "fortran", source: new Uint8Array(20) })).toMatchObject({
    ok: false,
    error: {
      code: "feature_unsupported",
      // Other tests of a process register theirs too.
      message: expect.stringMatching(
        /^no front end is registered for programs of kind "fortran"; there are opencl-c, ir, spirv, spir(?:, \w+)*$/u,
      ),
    },
  });
  registerFrontEnd({
    kind: "empty",
    compile: ({ name }) => {
      const parsed = parseModule(`module "${name}" pointers 4 4 4 4 4 size_t 32\n`);
      return { module: parsed.ok ? parsed.value : null, diagnostics: new DiagnosticList() };
    },
  });
  expect(module.compile({ kind: "empty", source: "" }).ok).toBe(true);
  expect(module.state).toBe("compiled_object");
});

/** A function that returns the result of a call. */
function functionOf(call: string, type: string): string {
  const head = 'module "m" pointers 4 4 4 4 4 size_t 32';
  return `${head}\nfunc @f() -> ${type} {\n^0:\n  %0 = call_builtin ${call}: ${type}\n  ret %0\n}\n`;
}

test("what a front end folds is what the pass makes of the call", () => {
  for (const [call, type] of [
    ["max(int, int) 3: i32, 4: i32", "i32"],
    ["max(uint, uint) 3: i32, -4: i32", "i32"],
    ["convert_uchar_sat(int) 300: i32", "i8"],
    ["as_float(uint) 1065353216: i32", "f32"],
    ["isnan(float) 1.0: f32", "i32"],
  ] as const) {
    const parsed = parseModule(functionOf(call, type));
    if (!parsed.ok) throw new Error(`${call}: ${parsed.error.message}`);
    const before = parsed.value.functions.get("f")?.blocks[0]?.instructions[0];
    if (before?.symbol?.kind !== "builtin") throw new Error("a call");
    const folded = foldBuiltin(before.symbol, before.type, before.operands, LAYOUT_32);
    runPasses(parsed.value, ["lower-builtins"], EMPTY_CONTEXT);
    const [returned] = parsed.value.functions.get("f")?.blocks[0]?.instructions ?? [];
    expect(folded).not.toBeNull();
    expect(returned?.operands[0]).toEqual(folded);
  }
});
