// SPDX-License-Identifier: Apache-2.0
// The compiler through its interface: module states, linking, modules as bytes, kernels to specialise.
import { MuxDeviceType, MuxFloatingPointCapabilities } from "@muxkit/mux";
import { type Result, fnv1a, ok } from "@muxkit/cargo";
import {
  type CompilerError,
  type Module,
  type ModuleState,
  type Target,
  buildProgram,
  openclC,
} from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import * as fc from "fast-check";
import { readExecutable } from "@muxkit/metadata";
import { expect, test } from "vitest";

function must<T>(result: Result<T, CompilerError>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

function refusal(result: Result<unknown, CompilerError>): string {
  return result.ok ? "accepted" : `${result.error.code}: ${result.error.message}`;
}

const [info] = compilers;
if (info === undefined) throw new Error("there is no compiler");
const context = info.createContext();
const target: Target = must(context.createTarget(hostDeviceInfo({}, 1), null));

const SOURCE = "kernel void twice(global int* x) { x[get_global_id(0)] *= 2; }";

function compiled(source: string = SOURCE, options: string = ""): Module {
  const module = target.createModule();
  must(module.parseOptions(options, "compile"));
  must(module.compile(openclC(source)));
  return module;
}

/** A module in a state. */
function inState(state: ModuleState): Module {
  if (state === "none") return target.createModule();
  const module = compiled();
  if (state === "compiled_object") return module;
  if (state === "library") must(module.parseOptions("-create-library", "link"));
  must(module.link([]));
  if (state === "executable") must(module.finalize());
  return module;
}

const STATES: readonly ModuleState[] = ["none", "compiled_object", "library", "intermediate", "executable"];

test("each call is allowed in its states only, and its error names them", () => {
  const allowed: Readonly<
    Record<
      string,
      { readonly states: readonly ModuleState[]; readonly call: (module: Module) => Result<unknown, CompilerError> }
    >
  > = {
    compile: { states: ["none"], call: (module) => module.compile(openclC(SOURCE)) },
    link: { states: ["compiled_object"], call: (module) => module.link([]) },
    finalize: { states: ["intermediate"], call: (module) => module.finalize() },
    createBinary: { states: ["executable"], call: (module) => module.createBinary() },
    createDeviceBinary: { states: ["executable"], call: (module) => module.createDeviceBinary?.() ?? ok() },
    createPortableBinary: { states: ["executable"], call: (module) => module.createPortableBinary(true) },
    createSpirv: {
      states: ["compiled_object", "intermediate", "library", "executable"],
      call: (module) => module.createSpirv(),
    },
    createKernelBinary: { states: ["executable"], call: (module) => module.createKernelBinary("none") },
    deserialize: { states: ["none"], call: (module) => module.deserialize(must(inState("executable").serialize())) },
  };
  for (const [name, { states, call }] of Object.entries(allowed)) {
    for (const state of STATES) {
      const module = inState(state);
      expect(module.state).toBe(state);
      const wrong = `^invalid_value: ${name} needs a module in state .*; this one is in state ${state}$`;
      expect(refusal(call(module)), `${name} in ${state}`).toMatch(
        new RegExp(states.includes(state) ? "^accepted$" : wrong, "u"),
      );
    }
  }
});

test("clear leads back to none, from every state", () => {
  for (const state of STATES) {
    const module = inState(state);
    module.clear();
    expect(module.state).toBe("none");
    expect(module.log).toBe("");
    must(module.compile(openclC(SOURCE)));
  }
});

test("a failed compilation keeps the state and reports the diagnostics", () => {
  const module = target.createModule();
  const result = module.compile(openclC("kernel void k(global int* x) {\n  *x = y;\n}"));
  expect(refusal(result)).toBe("compile_program_failure: the program has 1 error");
  expect(module.state).toBe("none");
  expect(module.diagnostics).toHaveLength(1);
  expect(module.log).toMatch(/:2:8: error: .*y/u);
});

test("headers are found by name", () => {
  const module = target.createModule();
  must(
    module.compile(
      openclC('#include "size.h"\nkernel void k(global int* x) { *x = SIZE; }', {
        headers: [{ name: "size.h", source: "#define SIZE 4\n" }],
      }),
    ),
  );
  expect(refusal(target.createModule().compile(openclC('#include "none.h"\n')))).toBe(
    "compile_program_failure: the program has 1 error",
  );
});

test("several objects are linked: one calls what the other defines", () => {
  const library = compiled("int helper(int x) { return x + 1; }");
  const program = compiled("int helper(int x);\nkernel void k(global int* x) { *x = helper(*x); }");
  const linked = target.createModule();
  must(linked.link([program, library]));
  expect(must(linked.finalize()).kernels.map(({ name }) => name)).toEqual(["k"]);
  expect(must(linked.createBinary()).length).toBeGreaterThan(100);
  const missing = target.createModule();
  expect(
    refusal(missing.link([compiled("int helper(int x);\nkernel void k(global int* x) { *x = helper(*x); }")])),
  ).toBe("link_program_failure: the link has 1 error");
  expect(missing.log).toMatch(
    new RegExp(
      String.raw`^program\.cl:2:37: error: "helper" is called at program\.cl:2:37, ` +
        String.raw`but nothing that is linked defines it: [^\n]* \[CL3001\]\n {4}2 \| kernel`,
      "u",
    ),
  );
  expect(refusal(target.createModule().link([library, compiled("int helper(int x) { return x; }")]))).toBe(
    "link_program_failure: the link has 1 error",
  );
  expect(refusal(target.createModule().link([inState("executable")]))).toMatch(/^link_program_failure: every input/u);
});

test("images and samplers cross between objects, and through their bytes", () => {
  const library = compiled(
    "const sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE; float4 pick(read_only image2d_t " +
      "from, sampler_t s, int2 c) { return read_imagef(from, s, c) + read_imagef(from, " +
      "edge, c); }",
  );
  const program = compiled(
    "float4 pick(read_only image2d_t from, sampler_t s, int2 c);\nkernel void " +
      "k(read_only image2d_t from, write_only image2d_t to, sampler_t s) { " +
      "write_imagef(to, (int2)(0), pick(from, s, (int2)(1))); }",
  );
  const carried = [program, library].map((object) => {
    const copy = target.createModule();
    must(copy.deserialize(must(object.serialize())));
    return copy;
  });
  const linked = target.createModule();
  must(linked.link(carried));
  const [kernel] = must(linked.finalize()).kernels;
  expect(kernel?.arguments.map(({ kind, access, typeName }) => `${kind} ${access} ${typeName}`)).toEqual([
    "image read_only image2d_t",
    "image write_only image2d_t",
    "sampler none sampler_t",
  ]);
  const image = readExecutable(must(linked.createBinary()));
  expect(image.ok && image.value.kernels[0]?.arguments.map(({ size, offset }) => [size, offset])).toEqual([
    [48, 0],
    [48, 48],
    [4, 96],
  ]);
});

test("a finalized program lists its kernels and provides them for specialisation", () => {
  const module = compiled(
    `kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global float* restrict a, local int* b, uint c) {
      local int own[8];
      own[get_local_id(0)] = b[0];
      a[c] = own[1];
    }`,
  );
  must(module.link([]));
  const [kernel] = must(module.finalize()).kernels;
  expect(kernel).toMatchObject({ name: "k", requiredWorkGroupSize: [4, 2, 1], localMemorySize: 32 });
  expect(kernel?.arguments.map(({ name, kind, size }) => [name, kind, size])).toEqual([
    ["a", "pointer", 4],
    ["b", "local", 0],
    ["c", "value", 4],
  ]);
  expect(module.getKernel("k")?.name).toBe("k");
  expect(module.getKernel("j")).toBeNull();
  const facts = { localSize: [4, 2, 1], uniformGroups: true, zeroOffset: true } as const;
  const specialized = module.getKernel("k")?.createSpecializedKernel(facts);
  expect(specialized?.ok).toBe(true);
  expect(compiled().getKernel("twice")).toBeNull();
});

test("a module can be written and read back in every state, and continues from there", () => {
  const wanted = must(inState("executable").createBinary());
  for (const state of STATES) {
    const bytes = must(inState(state).serialize());
    const module = target.createModule();
    must(module.deserialize(bytes));
    expect(module.state).toBe(state);
    expect(must(module.serialize())).toEqual(bytes);
    if (state === "none") must(module.compile(openclC(SOURCE)));
    if (state === "library") continue;
    if (module.state === "compiled_object") must(module.link([]));
    if (module.state === "intermediate") must(module.finalize());
    expect(must(module.createBinary()), state).toEqual(wanted);
  }
});

test("options travel with a module", () => {
  const module = target.createModule();
  must(module.deserialize(must(compiled(SOURCE, "-cl-mad-enable -D N=3").serialize())));
  expect(module.options).toMatchObject({ madEnable: true, definitions: [{ name: "N", value: "3" }] });
});

function read(damaged: Uint8Array): string {
  return refusal(target.createModule().deserialize(damaged));
}

test("damaged bytes are refused with a sentence and never throw", () => {
  const bytes = must(inState("executable").serialize());
  expect(read(new Uint8Array(0))).toBe("invalid_value: the bytes are no module of this kit");
  expect(read(new TextEncoder().encode("something else altogether"))).toBe(
    "invalid_value: the bytes are no module of this kit",
  );
  const other = bytes.slice();
  other[4] = 9;
  expect(read(other)).toBe(
    "invalid_value: the module was written by another version (format 9, this one reads 4); compile it again",
  );
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = bytes.slice();
      damaged[at] = (damaged[at] ?? 0) ^ change;
      expect(read(damaged)).toMatch(
        /^invalid_value: the (?:bytes are no module|module was written by another version|module is damaged)/u,
      );
    }),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), (length) => {
      expect(read(bytes.subarray(0, length))).toMatch(/^invalid_value: /u);
    }),
    { numRuns: 100 },
  );
});

test("bytes with a right checksum are checked too: deliberate damage is refused or harmless, and never throws", () => {
  const bytes = must(inState("executable").serialize());
  fc.assert(
    fc.property(fc.integer({ min: 10, max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const forged = bytes.slice();
      forged[at] = (forged[at] ?? 0) ^ change;
      new DataView(forged.buffer, forged.byteOffset).setUint32(6, fnv1a(forged.subarray(10)), true);
      expect(read(forged)).toMatch(/^(?:accepted$|invalid_value: )/u);
    }),
    { numRuns: 300 },
  );
});

test("options that the device does not have are errors of their mode", () => {
  const own = hostDeviceInfo({}, 1);
  const plain = must(
    info
      .createContext()
      .createTarget({ ...own, floatCapabilities: own.floatCapabilities & ~MuxFloatingPointCapabilities.full }, null),
  );
  const errors = [
    ["build", "invalid_build_options"],
    ["compile", "invalid_compiler_options"],
    ["link", "invalid_linker_options"],
  ] as const;
  for (const [mode, code] of errors)
    expect(refusal(target.createModule().parseOptions("-X tune=3", mode))).toBe(
      `${code}: -X: this device has no option "tune"`,
    );
  expect(refusal(target.createModule().parseOptions("-cl-fp32-correctly-rounded-divide-sqrt", "build"))).toBe(
    "accepted",
  );
  const module = plain.createModule();
  expect(refusal(module.parseOptions("-cl-fp32-correctly-rounded-divide-sqrt", "compile"))).toBe(
    "invalid_compiler_options: -cl-fp32-correctly-rounded-divide-sqrt: this device does " +
      "not round divisions and square roots correctly",
  );
  expect(module.options.correctlyRoundedDivideSqrt).toBe(false);
});

test("a device of another kind is no target of this compiler", () => {
  expect(
    refusal(
      info
        .createContext()
        .createTarget(
          { ...hostDeviceInfo({}, 1), deviceName: "another", deviceType: MuxDeviceType.gpu_discrete },
          null,
        ),
    ),
  ).toMatch(/^feature_unsupported: /u);
});

/** Features that the code of a program needs, on a device that has some. */
function needs(codeFeatures: readonly string[], source: string, options: string = ""): readonly string[] {
  const made = must(context.createTarget({ ...hostDeviceInfo({}, 1), codeFeatures }, null)).createModule();
  must(made.parseOptions(options, "build"));
  for (const step of [buildProgram(made, openclC(source))]) must<unknown>(step);
  const image = readExecutable(must(made.createBinary()));
  return image.ok ? image.value.features : [image.error.message];
}

test("products and sums are fused for engines whose multiply-add rounds once, and where the source allows it", () => {
  const source = "kernel void f(global float* x) { size_t i = get_global_id(0); x[i] = x[i] * x[i] + 1.0f; }";
  const all = ["simd", "relaxed-simd", "fused-madd", "threads"];
  expect(needs(all, source)).toEqual(["simd", "threads", "fused-madd", "relaxed-simd"]);
  expect(needs(all, source, "-cl-opt-disable")).toContain("fused-madd");
  expect(needs(all, `#pragma OPENCL FP_CONTRACT OFF\n${source}`)).toEqual(["simd", "threads"]);
  expect(needs(["simd", "relaxed-simd", "threads"], source)).not.toContain("fused-madd");
  // A program that calls it explicitly gets it on every engine: as a libcall where the machine lacks it.
  const asked = "kernel void f(global float* x) { size_t i = get_global_id(0); x[i] = fma(x[i], x[i], 1.0f); }";
  expect(needs(all, asked)).toContain("fused-madd");
  expect(needs([], asked)).toEqual(["simd", "threads"]);
});

test("a required local size is a fact of the code, and so are whole work-groups where there are no others", () => {
  const source = `kernel void any(global int* x) {
      x[0] = 1;
    }
    kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global int* x) {
      x[get_local_id(0)] = get_local_size(1);
    }`;
  const variants = (options: string): unknown => {
    const module = compiled(source, options);
    must(module.link([]));
    must(module.finalize());
    const image = readExecutable(must(module.createBinary()));
    if (!image.ok) throw new Error(image.error.message);
    return image.value.kernels.map(({ name, variants: list }) => [
      name,
      list.map(({ localSize, needsUniformGroups, needsZeroOffset }) => [
        ...localSize,
        needsUniformGroups,
        needsZeroOffset,
      ]),
    ]);
  };
  expect(variants("")).toEqual([
    ["any", [[0, 0, 0, false, false]]],
    ["k", [[4, 2, 1, true, false]]],
  ]);
  expect(variants("-cl-std=CL3.0")).toEqual([
    ["any", [[0, 0, 0, false, false]]],
    ["k", [[4, 2, 1, false, false]]],
  ]);
});
