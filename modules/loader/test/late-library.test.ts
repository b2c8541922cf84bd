// SPDX-License-Identifier: Apache-2.0
// Compilers that are loaded lazily, and cached builds: what is available without a compiler, and what makes a build
// another one.
import { ok } from "@muxkit/cargo";
import { type Module, type SourceEnvironment, buildProgram, openclC } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import { HOST_COMPILER_FACTS } from "@muxkit/host-compiler/facts";
import { type ProgramStore, compilerForDevice, lateLibrary } from "@muxkit/loader";
import { IR_BLOCK, findExtraBlock, readExecutable } from "@muxkit/metadata";
import { type MuxDeviceInfo, MuxDeviceType } from "@muxkit/mux";
import { expect, test } from "vitest";

const device = hostDeviceInfo({}, 1);
const SOURCE = "kernel void scale(global float *x, float a) { size_t i = get_global_id(0); x[i] = a * x[i]; }\n";
const IMAGE = `kernel void pick(read_only image2d_t from, sampler_t s, global float4 *to) {
  to[get_global_id(0)] = read_imagef(from, s, (int2)((int)get_global_id(0), 0));
}
`;
const NO_FILES: SourceEnvironment = { headers: [] };

class MemoryStore implements ProgramStore {
  readonly kept = new Map<string, Uint8Array>();

  read(name: string): Uint8Array | null {
    return this.kept.get(name) ?? null;
  }

  write(name: string, bytes: Uint8Array): void {
    this.kept.set(name, bytes);
  }
}

/** A new process: its library, and how often it loaded a compiler. */
function process(
  store: ProgramStore | null,
  { build = "one", on = device }: { readonly build?: string | null; readonly on?: MuxDeviceInfo } = {},
): { readonly module: () => Module; readonly loads: () => number } {
  let loads = 0;
  const library = lateLibrary(
    [{ ...HOST_COMPILER_FACTS, build }],
    () => {
      loads++;
      return { compilers };
    },
    store,
  );
  const target = compilerForDevice(library, on)?.createContext().createTarget(on, null);
  if (target?.ok !== true) throw new Error("no target");
  return { module: () => target.value.createModule(), loads: () => loads };
}

function buildBinary(
  module: Module,
  source: string,
  {
    options = "",
    environment = NO_FILES,
  }: { readonly options?: string; readonly environment?: SourceEnvironment } = {},
): Uint8Array {
  const built = buildProgram(module, openclC(source, environment), options);
  if (!built.ok) throw new Error(`${built.error.message}\n${module.log}`);
  const binary = module.createBinary();
  if (!binary.ok) throw new Error(binary.error.message);
  return binary.value;
}

/** Builds in a new process; the number of compiler loads shows whether the build was cached. */
function buildAnew(
  store: ProgramStore | null,
  source: string,
  more: Parameters<typeof buildBinary>[2] & Parameters<typeof process>[1] = {},
): { readonly binary: Uint8Array; readonly log: string; readonly loads: number } {
  const one = process(store, more);
  const module = one.module();
  const binary = buildBinary(module, source, more);
  return { binary, log: module.log, loads: one.loads() };
}

test("the compiler is loaded by the first program, and once", () => {
  const one = process(null);
  const module = one.module();
  expect(module.state).toBe("none");
  expect(one.loads()).toBe(0);
  buildBinary(module, SOURCE);
  buildBinary(one.module(), SOURCE);
  expect(one.loads()).toBe(1);
  expect(module.state).toBe("executable");
});

/** Calls that take no time. */
const AT_ONCE: ReadonlySet<string | symbol> = new Set(["parseOptions", "specializationKey", "getDynamicWorkWidth"]);

/** An object whose calls, and those of what they return, are noted where they are not made by `compiling`. */
function watched<T extends object>(object: T, isCompiling: () => boolean, outside: (string | symbol)[]): T {
  return new Proxy(object, {
    get: (of, name) => {
      const value: unknown = Reflect.get(of, name, of);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        if (!isCompiling() && !AT_ONCE.has(name)) outside.push(name);
        const result: unknown = Reflect.apply(value, of, args);
        return name === "getKernel" && result !== null ? watched(result as object, isCompiling, outside) : result;
      };
    },
  });
}

test.each([
  ["with a store", new MemoryStore()],
  ["without one", null],
])("what the compiler does at any time runs by `compiling`: %s", (_where, store) => {
  let depth = 0;
  let runs = 0;
  const outside: (string | symbol)[] = [];
  const [real] = compilers;
  const made = real?.createContext().createTarget(device, null);
  if (real === undefined || made?.ok !== true) throw new Error("no target");
  const target = {
    ...made.value,
    createModule: () => watched(made.value.createModule(), () => depth > 0, outside),
  };
  const context = { info: real, createTarget: () => ok(target) };
  const library = lateLibrary(
    [{ ...HOST_COMPILER_FACTS, build: "one" }],
    () => ({ compilers: [{ ...real, createContext: () => context }] }),
    store,
    {
      compiling: (work) => {
        depth++;
        runs++;
        try {
          return work();
        } finally {
          depth--;
        }
      },
    },
  );
  const late = compilerForDevice(library, device)?.createContext().createTarget(device, null);
  if (late?.ok !== true) throw new Error("no late target");
  const module = late.value.createModule();
  expect(buildProgram(module, openclC(SOURCE, NO_FILES), "").ok).toBe(true);
  const facts = { localSize: [8, 1, 1], uniformGroups: true, zeroOffset: true } as const;
  const calls = [
    () => module.createKernelBinary("scale"),
    () => module.createBinary(),
    () => module.createDeviceBinary?.(),
    () => module.createPortableBinary(false),
    () => module.explain(),
    () => module.serialize(),
    () => module.getKernel("scale")?.createSpecializedKernel(facts),
    () => module.getKernel("scale")?.precacheLocalSize(4, 1, 1),
  ];
  for (const call of calls) {
    const before = runs;
    expect(call()).toMatchObject({ ok: true });
    // A store may have it.
    expect(runs > before || store !== null).toBe(true);
  }
  const bytes = module.serialize();
  expect(late.value.createModule().deserialize(bytes.ok ? bytes.value : new Uint8Array(0)).ok).toBe(true);
  expect(outside).toEqual([]);
});

test("a build that is kept needs no compiler: the same bytes, log, kernels and states", () => {
  const store = new MemoryStore();
  const options = "-cl-wfv=auto -cl-kernel-arg-info";
  const source = `${SOURCE}kernel void odd(global int *x) { int unused; x[get_global_id(0) * get_global_id(0)] = 1; }\n`;
  const plain = compilers[0]?.createContext().createTarget(device, null);
  if (plain?.ok !== true) throw new Error("no target");
  const own = plain.value.createModule();
  const expected = buildBinary(own, source, { options });
  expect(own.log).not.toBe("");

  const first = process(store);
  const cold = first.module();
  expect(buildBinary(cold, source, { options })).toEqual(expected);
  expect(cold.log).toBe(own.log);

  const second = process(store);
  const module = second.module();
  expect(module.parseOptions(options, "build").ok).toBe(true);
  expect(module.options).toEqual(own.options);
  expect(module.compile(openclC(source, NO_FILES)).ok).toBe(true);
  expect(module.state).toBe("compiled_object");
  expect(module.link([]).ok).toBe(true);
  expect(module.state).toBe("intermediate");
  const info = module.finalize();
  expect(module.state).toBe("executable");
  expect(info).toEqual(
    (() => {
      const again = plain.value.createModule();
      return buildProgram(again, openclC(source, NO_FILES), options);
    })(),
  );
  expect(module.createBinary()).toEqual({ ok: true, value: expected });
  expect(module.log).toBe(own.log);
  expect(second.loads()).toBe(0);
  // Kernels that are not cached are compiled on request.
  expect(module.diagnostics.map(({ message }) => message)).toEqual(own.diagnostics.map(({ message }) => message));
  expect(module.explain()).toEqual(own.explain());
  expect(module.serialize()).toEqual(own.serialize());
  expect(second.loads()).toBe(1);
});

test("variants for launches are cached too, and kernels have the properties of the compiler's kernels", () => {
  const store = new MemoryStore();
  const facts = {
    localSize: [8, 1, 1],
    uniformGroups: true,
    zeroOffset: true,
    arguments: [{ kind: "image", order: 4277, channelType: 4318 }, { kind: "sampler", bits: 16 }, null],
  } as const;
  const formOf = (one: ReturnType<typeof process>): readonly [string | null, Uint8Array] => {
    const module = one.module();
    buildBinary(module, IMAGE);
    const kernel = module.getKernel("pick");
    const made = kernel?.createSpecializedKernel(facts);
    if (kernel === null || made?.ok !== true) throw new Error("no form");
    expect(made.value.key).toBe(kernel.specializationKey(facts));
    expect([kernel.name, kernel.localMemorySize, kernel.preferredLocalSize]).toEqual(["pick", 0, [64, 1, 1]]);
    expect(module.getKernel("none")).toBeNull();
    return [kernel.specializationKey(facts), made.value.binary];
  };
  const own = formOf(process(null));
  expect(formOf(process(store))).toEqual(own);
  const second = process(store);
  expect(formOf(second)).toEqual(own);
  expect(second.loads()).toBe(0);
  expect(store.kept.size).toBe(2);
});

test("a single kernel is cached separately; the whole program is compiled on request", () => {
  const store = new MemoryStore();
  const source = `${SOURCE}kernel void zero(global float *x) { x[get_global_id(0)] = 0.0f; }\n`;
  const steps = (module: Module): Module => {
    expect(buildProgram(module, openclC(source, NO_FILES)).ok).toBe(true);
    return module;
  };
  const own = compilers[0]?.createContext().createTarget(device, null);
  if (own?.ok !== true) throw new Error("no target");
  const plain = steps(own.value.createModule());
  const zero = plain.createKernelBinary("zero");
  const all = plain.createBinary();
  expect(zero.ok && zero.value !== null && all.ok && zero.value.length < all.value.length).toBe(true);
  expect(steps(process(store).module()).createKernelBinary("zero")).toEqual(zero);

  const second = process(store);
  const module = steps(second.module());
  expect(module.createKernelBinary("zero")).toEqual(zero);
  expect(second.loads()).toBe(0);
  expect(module.createKernelBinary("none")).toEqual({ ok: true, value: null });
  expect(module.createBinary()).toEqual(all);
  expect(second.loads()).toBe(1);
  const third = process(store);
  expect(steps(third.module()).createBinary()).toEqual(all);
  expect(third.loads()).toBe(0);
});

test("binaries for the device hold the code of createBinary and the program, and are cached too", () => {
  const store = new MemoryStore();
  const own = compilers[0]?.createContext().createTarget(device, null);
  if (own?.ok !== true) throw new Error("no target");
  const plain = own.value.createModule();
  const code = readExecutable(buildBinary(plain, SOURCE));
  const expected = plain.createDeviceBinary?.();
  const image = expected?.ok === true ? readExecutable(expected.value) : null;
  if (!code.ok || image?.ok !== true) throw new Error("no binary");
  expect(image.value.code).toEqual(code.value.code);
  const again = own.value.createModule();
  expect(again.deserialize(findExtraBlock(image.value, IR_BLOCK) ?? new Uint8Array())).toEqual({ ok: true });
  expect(again.state).toBe("intermediate");
  const build = (one: ReturnType<typeof process>): unknown => {
    const module = one.module();
    expect(buildProgram(module, openclC(SOURCE, NO_FILES)).ok).toBe(true);
    return module.createDeviceBinary?.();
  };
  expect(build(process(store))).toEqual(expected);
  const second = process(store);
  expect(build(second)).toEqual(expected);
  expect(second.loads()).toBe(0);
});

test("binaries for shipping are cached too, with and without the embedded program", () => {
  const store = new MemoryStore();
  const own = compilers[0]?.createContext().createTarget(device, null);
  if (own?.ok !== true) throw new Error("no target");
  const plain = own.value.createModule();
  buildBinary(plain, SOURCE);
  const first = process(store).module();
  buildBinary(first, SOURCE);
  for (const keepsIr of [true, false])
    expect(first.createPortableBinary(keepsIr)).toEqual(plain.createPortableBinary(keepsIr));
  const second = process(store);
  const module = second.module();
  buildBinary(module, SOURCE);
  for (const keepsIr of [true, false])
    expect(module.createPortableBinary(keepsIr)).toEqual(plain.createPortableBinary(keepsIr));
  expect(second.loads()).toBe(0);
  expect(plain.createPortableBinary(true)).not.toEqual(plain.createPortableBinary(false));
});

test("kernels that share variables are not made alone", () => {
  const module = process(null).module();
  buildBinary(
    module,
    `global int counter = 0;
    kernel void up(global int *x) {
      x[0] = counter;
    }
    kernel void down(global int *x) {
      counter = x[0];
    }`,
    { options: "-cl-std=CL2.0" },
  );
  expect(module.createKernelBinary("up")).toEqual({ ok: true, value: null });
});

test("kernels of programs with variables have no variant, with a compiler or without", () => {
  const store = new MemoryStore();
  const source = "global int counter = 0; kernel void count(global int *x) { x[get_global_id(0)] = counter; }";
  for (const loads of [1, 0]) {
    const one = process(store);
    const module = one.module();
    buildBinary(module, source, { options: "-cl-std=CL2.0" });
    expect(
      module.getKernel("count")?.specializationKey({ localSize: [1, 1, 1], uniformGroups: true, zeroOffset: true }),
    ).toBeNull();
    expect(one.loads()).toBe(loads);
  }
});

test.each([
  ["another source", { source: SOURCE.replace("a * x", "a + x") }],
  ["another option", { options: "-D UNUSED=1" }],
  ["another device", { on: { ...device, codeFeatures: ["simd"] } }],
  ["another build of the compiler", { build: "two" }],
  ["a header by name", { environment: { headers: [{ name: "a.h", source: "" }] } }],
] as const)("%s is another build", (_what, change) => {
  const store = new MemoryStore();
  buildAnew(store, SOURCE);
  const { source, ...more } = { source: SOURCE, ...change };
  expect(buildAnew(store, source, more).loads).toBe(1);
  expect(buildAnew(store, SOURCE).loads).toBe(0);
});

test("clock, memory and threads of the device change no code", () => {
  const store = new MemoryStore();
  buildAnew(store, SOURCE);
  expect(
    buildAnew(store, SOURCE, { on: { ...device, id: 7, clockFrequency: 1, computeUnits: 1, memorySize: 1 } }).loads,
  ).toBe(0);
});

test("a header that changed, came or went is read again", () => {
  const store = new MemoryStore();
  const files = new Map([["b/scale.h", "#define SCALE 2.0f\n"]]);
  const more = {
    options: "-I a -I b",
    environment: { headers: [], readFile: (path: string) => files.get(path) ?? null },
  };
  const source = `#include "scale.h"\nkernel void scale(global float *x) { x[get_global_id(0)] *= SCALE; }\n`;
  const first = buildAnew(store, source, more);
  expect(first.loads).toBe(1);
  expect(buildAnew(store, source, more)).toEqual({ ...first, loads: 0 });
  files.set("b/scale.h", "#define SCALE 3.0f\n");
  const second = buildAnew(store, source, more);
  expect(second.loads).toBe(1);
  expect(second.binary).not.toEqual(first.binary);
  expect(buildAnew(store, source, more)).toEqual({ ...second, loads: 0 });
  // One that is found before the other.
  files.set("a/scale.h", "#define SCALE 4.0f\n");
  expect(buildAnew(store, source, more).loads).toBe(1);
  files.delete("a/scale.h");
  files.delete("b/scale.h");
  expect(() => buildAnew(store, source, more)).toThrow("scale.h");
});

test("damaged files are not used, and written again", () => {
  const store = new MemoryStore();
  const { binary } = buildAnew(store, SOURCE);
  const [[name, whole] = ["", new Uint8Array()]] = store.kept;
  for (const at of [0, 4, 6, 20, whole.length >> 1, whole.length - 1]) {
    const damaged = whole.slice();
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    store.kept.set(name, damaged);
    expect(buildAnew(store, SOURCE)).toMatchObject({ binary, loads: 1 });
    expect(store.kept.get(name)).toEqual(whole);
  }
  for (const length of [0, 5, 12, whole.length - 1]) {
    store.kept.set(name, whole.slice(0, length));
    expect(buildAnew(store, SOURCE)).toMatchObject({ binary, loads: 1 });
  }
});

test("names may collide: a file of another program is not used", () => {
  const store = new MemoryStore();
  buildAnew(store, SOURCE);
  const [other] = store.kept.values();
  const meeting: ProgramStore = { read: () => other ?? null, write: () => undefined };
  expect(buildAnew(meeting, IMAGE).loads).toBe(1);
});

test("nothing is cached for a compiler of unknown build or for programs with errors, which report them each time", () => {
  const store = new MemoryStore();
  buildAnew(store, SOURCE, { build: null });
  expect(store.kept.size).toBe(0);
  const logs = [1, 2].map(() => {
    const module = process(store).module();
    expect(module.compile(openclC("kernel void broken() { return 1 }", NO_FILES)).ok).toBe(false);
    return module.log;
  });
  expect(logs[0]).toContain("error:");
  expect(logs[1]).toBe(logs[0]);
  expect(store.kept.size).toBe(0);
});

test("options are refused as the compiler refuses them", () => {
  const store = new MemoryStore();
  for (const options of ["-cl-no-such-option", "-X nothing", "-create-library"]) {
    const own = compilers[0]?.createContext().createTarget(device, null);
    if (own?.ok !== true) throw new Error("no target");
    const expected = own.value.createModule().parseOptions(options, "build");
    expect(expected.ok).toBe(false);
    expect(process(store).module().parseOptions(options, "build")).toEqual(expected);
  }
});

test("objects and libraries are linked as before; a module can be cleared and used again", () => {
  const one = process(new MemoryStore());
  const [left, right, program] = [one.module(), one.module(), one.module()];
  expect(left.parseOptions("", "compile").ok).toBe(true);
  expect(left.compile(openclC("float twice(float x) { return 2.0f * x; }", NO_FILES)).ok).toBe(true);
  expect(
    right.compile(openclC("float twice(float x); kernel void k(global float *x) { x[0] = twice(x[0]); }", NO_FILES)).ok,
  ).toBe(true);
  expect(program.link([left, right]).ok).toBe(true);
  expect(program.finalize()).toMatchObject({ ok: true, value: { kernels: [{ name: "k" }] } });
  expect(program.createBinary().ok).toBe(true);
  program.clear();
  expect([program.state, program.log, program.diagnostics]).toEqual(["none", "", []]);
  const binary = buildBinary(program, SOURCE);
  expect(buildBinary(one.module(), SOURCE)).toEqual(binary);

  // One that is known can be linked with others too.
  const known = one.module();
  expect(known.compile(openclC(SOURCE, NO_FILES)).ok).toBe(true);
  const both = one.module();
  expect(both.link([known, left]).ok).toBe(true);
  expect(both.finalize()).toMatchObject({ ok: true, value: { kernels: [{ name: "scale" }] } });
});

test("a module that was written is read again", () => {
  const one = process(new MemoryStore());
  const object = one.module();
  expect(object.compile(openclC(SOURCE, NO_FILES)).ok).toBe(true);
  const bytes = object.serialize();
  if (!bytes.ok) throw new Error(bytes.error.message);
  const read = one.module();
  expect(read.deserialize(bytes.value).ok).toBe(true);
  expect(read.state).toBe("compiled_object");
  expect(one.module().deserialize(new Uint8Array(3)).ok).toBe(false);
});

test("a device of another kind has no target", () => {
  const gpu = { ...device, deviceType: MuxDeviceType.gpu_integrated };
  const library = lateLibrary([HOST_COMPILER_FACTS], () => ({ compilers }), null);
  expect(compilerForDevice(library, gpu)).toBeNull();
  expect(library.compilers[0]?.createContext().createTarget(gpu, null)).toMatchObject({
    ok: false,
    error: { code: "feature_unsupported" },
  });
});
