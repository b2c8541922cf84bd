// SPDX-License-Identifier: Apache-2.0
// Linking through the compiler interface: what prevents it, and which options the code is compiled with.
import { type Result } from "@muxkit/cargo";
import { type CompilerError, type Module, remarksOf, openclC } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { readModuleFile } from "@muxkit/compiler-base";
import { HOST_COMPILER } from "@muxkit/host-compiler";
import { printModule } from "@muxkit/ir";
import { expect, test } from "vitest";

function must<T>(result: Result<T, CompilerError>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

const target = must(HOST_COMPILER.createContext().createTarget(hostDeviceInfo({}, 1), null));

function compiled(source: string, options: string = ""): Module {
  const module = target.createModule();
  must(module.parseOptions(options, "compile"));
  must(module.compile(openclC(source)));
  return module;
}

/** The module as another process reads it: no text of it is known there. */
function carried(module: Module): Module {
  const copy = target.createModule();
  must(copy.deserialize(must(module.serialize())));
  return copy;
}

function linked(inputs: readonly Module[], options: string = ""): Module {
  const module = target.createModule();
  must(module.parseOptions(options, "link"));
  must(module.link(inputs));
  return module;
}

function library(inputs: readonly Module[], options: string = ""): Module {
  return linked(inputs, `-create-library ${options}`);
}

function failed(...inputs: readonly Module[]): Module {
  const module = target.createModule();
  expect(module.link(inputs).ok).toBe(false);
  expect(module.state).toBe("none");
  return module;
}

/** Work-items at once, by kernel. */
function widths(module: Module): Readonly<Record<string, number>> {
  must(module.finalize());
  return Object.fromEntries(must(module.explain()).map(({ kernel, width }) => [kernel, width]));
}

/** The program as text. */
function textOf(module: Module): string {
  const file = readModuleFile(must(module.serialize()));
  if (!file.ok || file.value.module === null) throw new Error("no program");
  return printModule(file.value.module);
}

const SCALE = (name: string): string => `kernel void ${name}(global float* x) { x[get_global_id(0)] *= 2.0f; }`;

test("a link reports all errors at once: with lines of the texts that are known, in words where they are not", () => {
  const main = compiled(
    "int f(int x);\nint g(int x);\nkernel void k(global int* x) {\n  *x = f(1) + g(2);\n}\n",
    "-S main.cl",
  );
  expect(failed(main).log).toBe(
    [
      'main.cl:4:8: error: "f" is called at main.cl:4:8, but nothing that is linked ' +
        "defines it: define it, or link the object or library that does [CL3001]",
      "    4 |   *x = f(1) + g(2);",
      "      |        ^",
      'main.cl:4:15: error: "g" is called at main.cl:4:15, but nothing that is linked ' +
        "defines it: define it, or link the object or library that does [CL3001]",
      "    4 |   *x = f(1) + g(2);",
      "      |               ^",
      "",
    ].join("\n"),
  );
  const [one, two] = [
    compiled("int f(int x) { return x; }\nint g(int x) { return x; }", "-S one.cl"),
    compiled("int g(int x) {\n  return -x; }\nint f(int x) { return 2 * x; }", "-S two.cl"),
  ];
  const twice = failed(main, one, carried(two));
  expect(twice.diagnostics.map(({ code, message, span }) => [code, message, span])).toEqual([
    [
      "CL3002",
      '"g" is defined twice, at one.cl:2:5 and at two.cl:1:5: remove one, or make it ' +
        "static if it belongs to its own file",
      null,
    ],
    [
      "CL3002",
      '"f" is defined twice, at one.cl:1:5 and at two.cl:3:5: remove one, or make it ' +
        "static if it belongs to its own file",
      null,
    ],
  ]);
  expect(failed(main, one, two).diagnostics.map(({ span }) => span?.file.name)).toEqual(["two.cl", "two.cl"]);
});

test("a library keeps unresolved references, and reports where they came from", () => {
  const open = library([compiled("int missing(int x);\nint helper(int x) { return missing(x); }", "-S helper.cl")]);
  const main = compiled("int helper(int x);\nkernel void k(global int* x) { *x = helper(1); }", "-S main.cl");
  expect(failed(main, carried(open)).log).toMatch(
    /^error: "missing" is called at helper\.cl:2:\d+, but nothing that is linked defines it/u,
  );
  expect(
    must(linked([main, carried(open), compiled("int missing(int x) { return x; }")]).finalize()).kernels,
  ).toHaveLength(1);
  const shared = library([compiled("global int shared = 1;", "-S a.cl -cl-std=CL3.0")]);
  const other = compiled("global int shared = 2;", "-S b.cl -cl-std=CL3.0");
  expect(failed(shared, other).log).toMatch(/"shared" is defined twice, in a library of a\.cl and in b\.cl/u);
});

/** One whose kernel is not to be vectorised, and one that leaves it open. */
function twoObjects(): readonly Module[] {
  return [compiled(SCALE("never"), "-cl-wfv=never"), compiled(SCALE("plain"))];
}

test("kernels are vectorised as their objects were compiled, unless the link overrides it", () => {
  expect(widths(linked(twoObjects()))).toMatchObject({
    never: 1,
    plain: expect.toSatisfy((width: number) => width > 1),
  });
  expect(widths(linked(twoObjects().map(carried)))["never"]).toBe(1);
  const always = widths(linked(twoObjects(), "-cl-wfv=always"));
  expect(Math.min(...Object.values(always))).toBeGreaterThan(1);
  expect(widths(linked(twoObjects(), "-cl-wfv=never"))).toEqual({ never: 1, plain: 1 });
  // A library's kernels keep theirs, unless it was made to take a link's options.
  expect(widths(linked([carried(library(twoObjects()))], "-cl-wfv=never"))["plain"]).toBeGreaterThan(1);
  expect(widths(linked([carried(library(twoObjects(), "-enable-link-options"))], "-cl-wfv=never"))).toEqual({
    never: 1,
    plain: 1,
  });
  expect(widths(linked([carried(library(twoObjects()))]))["never"]).toBe(1);
  // When an object requested remarks, the log of the link reports what became of its kernels.
  const told = linked(twoObjects());
  must(told.finalize());
  const before = told.diagnostics.length;
  must(told.createBinary());
  expect(told.diagnostics.length).toBe(before + 2);
  expect(must(told.explain()).flatMap(remarksOf)).toHaveLength(2);
  // The generic variant and specialised variants report the same.
  const specialized = told
    .getKernel("never")
    ?.createSpecializedKernel({ localSize: [64, 1, 1], uniformGroups: true, zeroOffset: true });
  expect(specialized?.ok === true && specialized.value.report?.width).toBe(1);
});

test("a link does not optimise where no object was, and does where one was", () => {
  expect(
    [["-cl-opt-disable"], ["-cl-opt-disable", "-cl-opt-disable"], ["-cl-opt-disable", ""], [""]].map(
      (options) => linked(options.map((option, i) => compiled(SCALE(`k${i}`), option))).options.optDisable,
    ),
  ).toEqual([true, true, false, false]);
});

test("options about floats change what is linked: objects, and libraries that were made to take them", () => {
  const SOURCE = "kernel void k(global float* x, float d) { x[get_global_id(0)] /= d; x[1] = sin(x[2]); }";
  const fast = "-cl-fast-relaxed-math";
  const plain = textOf(linked([compiled(SOURCE)]));
  const relaxed = textOf(linked([compiled(SOURCE)], fast));
  expect(plain).toMatch(/fdiv .*\{contract\}[^]*call_builtin @?"?sin.*\{contract\}/u);
  const flags = String.raw`\{contract, nnan, ninf, nsz, arcp, reassoc, afn\}`;
  expect(relaxed).toMatch(new RegExp(`fdiv .*${flags}[^]*sin.*${flags}`, "u"));
  expect(relaxed).toBe(textOf(linked([compiled(SOURCE, fast)])));
  expect(textOf(linked([library([compiled(SOURCE)])], fast))).toBe(plain);
  expect(textOf(linked([library([compiled(SOURCE)], "-enable-link-options")], fast))).toBe(relaxed);
});
