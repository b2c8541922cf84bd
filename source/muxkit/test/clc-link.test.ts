// SPDX-License-Identifier: Apache-2.0
// `clc` with several inputs: objects, libraries and programs that are linked, against what clCompileProgram and
// clLinkProgram make, and every mistake.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import {
  type Program,
  clCompileProgram,
  clCreateContext,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clGetProgramInfo,
  clLinkProgram,
} from "@muxkit/opencl";
import { openDeviceSync } from "muxkit";
import { afterAll, beforeEach, expect, test } from "vitest";

import { hostDeviceFor } from "../source/host-platform.ts";
import { useOwnCompiler } from "../source/own-compiler.ts";
import { programEnvironment, programOf } from "./kept-program.ts";

const MAIN = `#include "twice.h"
kernel void k(global int* x) { x[get_global_id(0)] = twice(x[get_global_id(0)]) + OFFSET; }
`;
const HEADER = "int twice(int x);\n";
const TWICE = "int twice(int x) { return FACTOR * x; }\n";

const root = mkdtempSync(join(tmpdir(), "clc-link-"));
let folder = root;
beforeEach(() => {
  folder = mkdtempSync(join(root, "test-"));
  for (const [name, text] of Object.entries({ "main.cl": MAIN, "twice.cl": TWICE, "include/twice.h": HEADER }))
    put(name, text);
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

function put(name: string, content: string | Uint8Array): void {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), content);
}

function bytesOf(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(folder, name)));
}

/** A process of its own, in the test's folder. */
function clc(...args: readonly string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
} {
  const [node, script] = programOf("clc");
  const { status, stdout, stderr } = spawnSync(node, [script, ...args], {
    cwd: folder,
    encoding: "utf8",
    env: programEnvironment(),
  });
  return { code: status, out: stdout, error: stderr };
}

function binaryOf(program: Program): Uint8Array | undefined {
  return clGetProgramInfo(program, "CL_PROGRAM_BINARIES")[0] ?? undefined;
}

/** Many calls in one process, in the test's folder. */
function answers(calls: readonly (readonly string[])[]): readonly { readonly code: number; readonly error: string }[] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=source", resolve(import.meta.dirname, "clc-child.ts")],
    { cwd: folder, encoding: "utf8", input: JSON.stringify(calls) },
  );
  if (stderr !== "") throw new Error(stderr);
  return JSON.parse(stdout) as readonly { readonly code: number; readonly error: string }[];
}

const DONE = { code: 0, out: "", error: "" };
const WORDS = ["-I", "include", "-D", "OFFSET=100", "-DFACTOR=2"];

function results(binary: Uint8Array): readonly number[] {
  const device = openDeviceSync({ threads: 1 });
  const x = device.array(Int32Array.of(1, 2, 3));
  device.program(binary).kernel("k")(3, x);
  const values = [...x.readSync()];
  device.close();
  return values;
}

test("sources become one program with -o FILE: what clCompileProgram and clLinkProgram make of them, byte for byte, each time; so do objects and libraries", () => {
  expect(clc("main.cl", "twice.cl", "-o", "all.bin", ...WORDS)).toEqual(DONE);
  expect(results(bytesOf("all.bin"))).toEqual([102, 104, 106]);
  expect(clc("--link", "main.cl", "twice.cl", ...WORDS)).toEqual(DONE);
  expect(bytesOf("program.bin")).toEqual(bytesOf("all.bin"));

  // Objects, and what is linked of them; a library of one.
  expect(clc("-c", "main.cl", "twice.cl", ...WORDS)).toEqual(DONE);
  expect(clc("main.cl.o", "twice.cl.o", "-o", "objects.bin")).toEqual(DONE);
  expect(bytesOf("objects.bin")).toEqual(bytesOf("all.bin"));
  expect(clc("-create-library", "twice.cl", "-DFACTOR=2", "-o", "twice.a")).toEqual(DONE);
  expect(clc("main.cl.o", "twice.a", "-o", "library.bin")).toEqual(DONE);
  expect(results(bytesOf("library.bin"))).toEqual([102, 104, 106]);
  expect(clc("main.cl", "--emit", "library", "twice.cl", ...WORDS, "-o", "both.a")).toEqual(DONE);
  expect(clc("both.a")).toEqual(DONE);
  expect(results(bytesOf("both.a.bin"))).toEqual([102, 104, 106]);

  useOwnCompiler();
  // What clc writes is WebAssembly for every machine; a device that makes all code native has machine code besides.
  const device = hostDeviceFor({ threads: 1, engine: { native: "off" } });
  const context = clCreateContext([device]);
  const object = (name: string, text: string): Program => {
    const program = clCreateProgramWithSource(context, [text]);
    clCompileProgram(program, null, `-S ${name} -D OFFSET=100 -D FACTOR=2`, [
      { name: "twice.h", program: clCreateProgramWithSource(context, [HEADER]) },
    ]);
    return program;
  };
  expect(binaryOf(clLinkProgram(context, null, "", [object("main.cl", MAIN), object("twice.cl", TWICE)]))).toEqual(
    bytesOf("all.bin"),
  );
  // What one writes the other reads.
  const read = ["main.cl.o", "twice.a"].map((name) => clCreateProgramWithBinary(context, [device], [bytesOf(name)]));
  expect(binaryOf(clLinkProgram(context, null, "", read))).toEqual(bytesOf("library.bin"));
  put("api.o", binaryOf(object("main.cl", MAIN)) ?? new Uint8Array());
  expect(clc("api.o", "twice.a", "-o", "mixed.bin")).toEqual(DONE);
  expect(bytesOf("mixed.bin")).toEqual(bytesOf("library.bin"));
});

test("every kind of output is of the linked program, under the name from -o, or program", () => {
  expect(clc("main.cl", "twice.cl", ...WORDS, "--link", "--emit", "binary,wasm,esm,dts,ir", "-o", "out/")).toEqual(
    DONE,
  );
  expect(readdirSync(join(folder, "out")).toSorted()).toEqual(
    ["program.bin", "program.d.ts", "program.ir", "program.js", "program.relaxed.wasm", "program.wasm"].filter(
      (name) => name !== "program.relaxed.wasm" || readdirSync(join(folder, "out")).includes(name),
    ),
  );
  const texts = Object.fromEntries(
    ["d.ts", "js", "ir"].map((suffix) => [suffix, readFileSync(join(folder, "out", `program.${suffix}`), "utf8")]),
  );
  expect(texts["d.ts"]).toMatch(
    /^\/\/ Kernels of program\.[^]*declare const kernel0: CompiledKernel<\[x: DeviceArray<Int32Array> \| null\]>/u,
  );
  expect(texts["js"]).toMatch(/program\.kernel\("k"\)/u);
  expect(texts["ir"]).toMatch(/^module "program"[^]*func @twice[^]*kernel @k/u);
  // The same as from one text.
  expect(clc("main.cl", "twice.cl", ...WORDS, "--emit", "dts", "-o", "shader.d.ts")).toEqual(DONE);
  expect(readFileSync(join(folder, "shader.d.ts"), "utf8")).toBe(
    (texts["d.ts"] ?? "").replace("Kernels of program.", "Kernels of shader."),
  );
  // An object as text, and passes over what was linked.
  expect(clc("-c", "main.cl", ...WORDS)).toEqual(DONE);
  expect(clc("main.cl.o", "--emit", "ir").out).toMatch(/func @twice\(i32\): i32|declare|@twice/u);
  expect(clc("main.cl", "twice.cl", ...WORDS, "--link", "--passes", "inline").out).toMatch(/kernel @k/u);
  expect(clc("-n", "-v", "main.cl", "twice.cl", ...WORDS, "--link").error).toBe(
    `program: 1 kernel, ${bytesOf("out/program.bin").length} bytes\n  k(int* x)\n`,
  );
});

test("options of one input, headers by name, and the messages on all inputs", () => {
  put("other.cl", "int other(void) { return FACTOR; }\n");
  put("own.h", "int twice(int x);\n#define OFFSET 7\n");
  expect(
    clc(
      "--header",
      "twice.h=own.h",
      "main.cl",
      "twice.cl",
      "--options-of",
      "twice.cl=-D FACTOR=5 -Werror",
      "other.cl",
      "--options-of",
      "other.cl=-DFACTOR=1",
      "-o",
      "p.bin",
    ),
  ).toEqual(DONE);
  expect(results(bytesOf("p.bin"))).toEqual([12, 17, 22]);
  put("warns.cl", "int unused_in(void) { int unused = 1; return 2; }\n");
  const said = clc("main.cl", "warns.cl", ...WORDS, "--link", "--emit", "binary,sarif", "-o", "out/");
  expect(said).toMatchObject({ code: 1, error: "" });
  expect(readdirSync(join(folder, "out"))).toEqual(["clc.sarif"]);
  expect(JSON.parse(readFileSync(join(folder, "out/clc.sarif"), "utf8"))).toMatchObject({
    runs: [
      {
        results: [
          { ruleId: "CL2050", level: "warning" },
          { ruleId: "CL3001", level: "error" },
        ],
      },
    ],
  });
  expect(clc("main.cl", "twice.cl", ...WORDS, "-cl-wfv=never", "--link").error).toMatch(
    /note: kernel k: one work-item at a time: vectors are off/u,
  );
});

test("every mistake has one sentence: what, where, what to do", () => {
  expect(clc("-c", "main.cl", "twice.cl", ...WORDS)).toEqual(DONE);
  expect(clc("main.cl", "twice.cl", ...WORDS, "-o", "p.bin")).toEqual(DONE);
  put(
    "damaged.o",
    bytesOf("main.cl.o").map((byte, i) => (i === 300 ? byte ^ 1 : byte)),
  );
  put("wrong.cl", "int f( {\n");
  put("again.cl", TWICE);
  put("k.ir", 'module "k" pointers 4 4 4 4 4 size_t 32\n');
  const rows: readonly (readonly [code: number, args: readonly string[], message: RegExp])[] = [
    [
      1,
      ["main.cl", "--link", ...WORDS],
      /^main\.cl:2:54: error: "twice" is called at main\.cl:2:54, but nothing that is linked defines it: define it, or link the object or library that does \[CL3001\]\n/u,
    ],
    [
      1,
      ["main.cl.o", "-o", "x.bin"],
      /^error: "twice" is called at main\.cl:2:54, but nothing that is linked defines it/u,
    ],
    [
      1,
      ["main.cl.o", "twice.cl.o", "again.cl", "-DFACTOR=2", "-o", "x.bin"],
      /^again\.cl:1:5: error: "twice" is defined twice, at twice\.cl:1:5 and at again\.cl:1:5: remove one, or make it static/u,
    ],
    [
      1,
      ["main.cl", "wrong.cl", "gone.cl", ...WORDS, "-o", "x.bin"],
      /^wrong\.cl:1:8: error: [^]*clc: gone\.cl cannot be read: there is no such file or folder\n$/u,
    ],
    [
      1,
      ["damaged.o", "twice.cl.o", "-o", "x.bin"],
      /^clc: damaged\.o: the module is damaged: its checksum differs; compile it again\n$/u,
    ],
    [
      1,
      ["p.bin", "twice.cl.o", "-o", "x.bin"],
      /^clc: p\.bin is an executable program or another binary; clc takes sources, objects \(-c\) and libraries/u,
    ],
    [1, ["-c", "main.cl.o"], /^clc: main\.cl\.o is already compiled; -c compiles sources\n$/u],
    [1, ["-x", "cl", "main.cl.o"], /^clc: main\.cl\.o is a compiled object or library, not a text file\n$/u],
    [
      2,
      ["k.ir", "main.cl", ...WORDS, "-o", "x.bin", "--emit", "binary"],
      /^clc: k\.ir is IR as text, which cannot be linked; compile sources with -c\n$/u,
    ],
    [2, ["main.cl.o", "twice.cl.o", "-DOFFSET=1", "-o", "x.bin"], /^clc: -D is no link option\n$/u],
    [
      2,
      ["-c", "main.cl", "twice.cl", ...WORDS, "-o", "both.o"],
      /^clc: -c writes an object for each input, but both\.o is one file; use both\.o\/ for a folder, or --emit library for one library\n$/u,
    ],
    [2, ["-c", "--link", "main.cl"], /^clc: -c does not link/u],
    [
      2,
      ["-create-library", "--emit", "wasm", "twice.cl"],
      /^clc: a library is linked later: --emit wasm requires a program\n$/u,
    ],
    [
      2,
      ["-enable-link-options", "main.cl.o", "twice.cl.o", "-o", "x.bin"],
      /^clc: -enable-link-options needs -create-library\n$/u,
    ],
    [
      2,
      ["main.cl", "twice.cl", "-o", "-"],
      /^clc: -o -: several programs cannot share standard output; use --link for one program/u,
    ],
    [
      2,
      ["main.cl", "--options-of", "gone.cl=-DX"],
      /^clc: --options-of: gone\.cl is not one of the inputs, which are main\.cl\n$/u,
    ],
    [2, ["main.cl", "--options-of", "main.cl"], /^clc: --options-of takes FILE=TEXT, not "main\.cl"\n$/u],
    [2, ["main.cl", "--header", "twice.h"], /^clc: --header takes NAME=FILE, not "twice\.h"\n$/u],
    [1, ["main.cl", "--header", "twice.h=gone.h"], /^clc: gone\.h cannot be read: there is no such file or folder\n$/u],
  ];
  answers(rows.map(([, args]) => args)).forEach((answer, i) => {
    const [code, args, message] = rows[i] ?? [0, [], /never/u];
    expect(answer, args.join(" ")).toEqual({ code, error: expect.stringMatching(message) });
  });
  expect(readdirSync(folder)).not.toContain("x.bin");
});
