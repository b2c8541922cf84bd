// SPDX-License-Identifier: Apache-2.0
// The program `clc` as a user calls it: what it writes, byte for byte, and what it answers to mistakes.
import { buildProgram, openclC } from "@muxkit/compiler";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { HOST_COMPILER } from "@muxkit/host-compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { IR_BLOCK, findCode, findExtraBlock, readExecutable } from "@muxkit/metadata";
import { openDeviceSync } from "muxkit";
import { afterAll, beforeEach, expect, test } from "vitest";

import { COMPILE } from "../source/command/compile.ts";
import { main, runCommand } from "../source/command/main.ts";
import { programEnvironment, programOf } from "./kept-program.ts";

const SAXPY = `kernel void saxpy(global float* y, global const float* x, float a) {
  size_t i = get_global_id(0);
  y[i] += a * x[i];
}
`;

const root = mkdtempSync(join(tmpdir(), "clc-"));
let folder = root;
beforeEach(() => {
  folder = mkdtempSync(join(root, "test-"));
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

function put(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

interface Answer {
  readonly code: number | null;
  readonly out: Buffer;
  readonly error: string;
}

/** A process of its own, in the test's folder. */
function clc(args: readonly string[], input: string = ""): Answer {
  const [node, script] = programOf("clc");
  const done = spawnSync(node, [script, ...args], { cwd: folder, input, env: programEnvironment() });
  return { code: done.status, out: done.stdout, error: done.stderr.toString() };
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

/** The same without a process, where nothing of it matters. */
function quick(
  args: readonly string[],
  isTerminal = false,
): { readonly code: number; readonly out: string; readonly error: string } {
  let out = "";
  let error = "";
  const code = runCommand("clc", COMPILE, args, {
    isTerminal,
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
  });
  return { code, out, error };
}

test("a file becomes a binary next to it, which runs; the same bytes each time, from standard input and from the API too", () => {
  const file = put("saxpy.cl", SAXPY);
  expect(clc(["saxpy.cl"])).toEqual({ code: 0, out: Buffer.alloc(0), error: "" });
  const bytes = readFileSync(`${file}.bin`);
  expect(clc(["saxpy.cl", "-o", "again.bin"]).code).toBe(0);
  expect(readFileSync(join(folder, "again.bin"))).toEqual(bytes);
  expect(clc(["-S", "saxpy.cl", "-"], SAXPY)).toEqual({ code: 0, out: bytes, error: "" });
  expect(clc(["-o", "-", "saxpy.cl"]).out).toEqual(bytes);

  const target = HOST_COMPILER.createContext().createTarget(hostDeviceInfo({}, 1), null);
  if (!target.ok) throw new Error(target.error.message);
  const module = target.value.createModule();
  expect(buildProgram(module, openclC(SAXPY), "-S saxpy.cl -I .").ok).toBe(true);
  expect(module.createPortableBinary(true)).toEqual({ ok: true, value: new Uint8Array(bytes) });

  const device = openDeviceSync({ threads: 1 });
  const [y, x] = [device.array(Float32Array.of(1, 2)), device.array(Float32Array.of(10, 20))];
  device.program(new Uint8Array(bytes)).kernel("saxpy")(2, y, x, 0.5);
  expect([...y.readSync()]).toEqual([6, 12]);
  device.close();
});

test("the parts of a binary: without the program, without header, the code alone; binutils read the ELF file", () => {
  const file = put("k.cl", SAXPY);
  expect(clc([file, "--strip-ir", "--strip-binary-header"])).toMatchObject({ code: 0, error: "" });
  const bare = new Uint8Array(readFileSync(`${file}.bin`));
  const image = readExecutable(bare);
  if (!image.ok) throw new Error(image.error.message);
  expect([...bare.subarray(0, 4)]).toEqual([0x7f, 0x45, 0x4c, 0x46]);
  expect(findExtraBlock(image.value, IR_BLOCK)).toBeNull();
  expect(clc([file, "--emit", "wasm"]).code).toBe(0);
  expect(new Uint8Array(readFileSync(`${file}.wasm`))).toEqual(
    new Uint8Array(findCode(image.value, ".wasm")?.bytes ?? []),
  );
  expect(new Uint8Array(readFileSync(`${file}.relaxed.wasm`))).toEqual(
    new Uint8Array(findCode(image.value, ".wasm.relaxed")?.bytes ?? []),
  );
  expect(clc([file]).code).toBe(0);
  const whole = readExecutable(new Uint8Array(readFileSync(`${file}.bin`)));
  expect(whole.ok && findExtraBlock(whole.value, IR_BLOCK)?.length).toBeGreaterThan(100);
  if (spawnSync("readelf", ["--version"]).status !== 0) {
    console.warn("SKIPPED: readelf is not installed (package binutils)");
    return;
  }
  writeFileSync(`${file}.elf`, bare);
  const env = { ...process.env, LC_ALL: "C" };
  const sections = execFileSync("readelf", ["-S", "-W", `${file}.elf`], { encoding: "utf8", env });
  for (const row of [/ \.wasm +PROGBITS .* AX /u, / \.wasm\.relaxed +PROGBITS .* AX /u, / \.note\.muxkit +NOTE /u])
    expect(sections).toMatch(row);
  expect(execFileSync("objdump", ["-h", "-w", `${file}.elf`], { encoding: "utf8", env })).toMatch(
    / \.wasm\.relaxed .* CODE/u,
  );
});

test("build options reach the compiler as they are: definitions, headers, names, dialect, device", () => {
  put("include/n.h", "#define N 3\n");
  put("beside.h", "#define M 4\n");
  const file = put(
    "k.cl",
    `#include "n.h"
#include "beside.h"
kernel void k(global int* x, global char* t) { x[0] = N * M + P; t[0] = TEXT[2]; generic int* g = x; g[1] = 1; }
`,
  );
  const words = [
    "-I",
    "include",
    "-DP=5",
    "-D",
    'TEXT="a b"',
    "-cl-std=CL3.0",
    "-D",
    "__opencl_c_generic_address_space",
    "-Werror",
    "-g",
    "-cl-fast-relaxed-math",
    "-codeplay-soft-math",
    "-cl-wfv=never",
    "-x",
    "cl",
    "-d",
    "MUXKIT",
  ];
  expect(clc([...words, "k.cl"])).toMatchObject({ code: 0 });
  const device = openDeviceSync({ threads: 1 });
  const [x, t] = [device.array(Int32Array, 2), device.array(Int8Array, 1)];
  device.program(new Uint8Array(readFileSync(`${file}.bin`))).kernel("k")(1, x, t);
  expect([...x.readSync(), ...t.readSync()]).toEqual([17, 1, "b".charCodeAt(0)]);
  device.close();
  expect(quick([file, "-cl-stdd=CL3.0"])).toMatchObject({
    code: 2,
    error: expect.stringMatching(/^clc: unknown build option "-cl-stdd=CL3\.0"; did you mean "-cl-std/u),
  });
  expect(quick([file, "-X", "tune"])).toMatchObject({
    code: 2,
    error: expect.stringMatching(/this device has no option "tune"/u),
  });
  expect(quick([put("n.cl", `kernel void k(global int* x) { *x = y; }`), "-S", "its/name.cl"])).toMatchObject({
    code: 1,
    error: expect.stringMatching(/^its\/name\.cl:1:37: error/u),
  });
});

test("several inputs: each its own output, into a folder where one is named; what is wrong with one does not keep the others", () => {
  const files = ["a.cl", "b.cl", "c.cl"].map((name) => put(name, name === "b.cl" ? `kernel void b( {` : SAXPY));
  const done = clc(["a.cl", "b.cl", "gone.cl", "c.cl", "-o", "out/"]);
  expect(done).toMatchObject({
    code: 1,
    error: expect.stringMatching(/b\.cl:1:16: error[^]*clc: gone\.cl cannot be read: there is no such file or folder/u),
  });
  expect(readdirSync(join(folder, "out")).toSorted()).toEqual(["a.cl.bin", "c.cl.bin"]);
  // One file is one program: what is wrong with one input keeps it from being written.
  expect(quick([...files, "-o", join(folder, "one.bin")])).toMatchObject({
    code: 1,
    error: expect.stringMatching(/b\.cl:1:16: error/u),
  });
  // Lines of a terminal are written over.
  const shown = quick(["-n", files[0] ?? "", files[2] ?? ""], true);
  expect(shown).toMatchObject({
    code: 0,
    error: `\r\u001B[K[1/2] ${files[0]}\r\u001B[K\r\u001B[K[2/2] ${files[2]}\r\u001B[K`,
  });
  expect(quick(["-n", files[0] ?? "", files[2] ?? ""]).error).toBe("");
  expect(readdirSync(folder).toSorted()).toEqual(["a.cl", "b.cl", "c.cl", "out"]);
});

test("all diagnostics as one SARIF log, on standard output or in a file", () => {
  const [wrong, warns] = [
    put(
      "wrong.cl",
      `kernel void k(global int* x) { *x = y; }
`,
    ),
    put(
      "warns.cl",
      `kernel void k(global int* x) { int unused = 1; *x = 1; }
`,
    ),
  ];
  const done = clc(["--emit=sarif", "wrong.cl", "warns.cl"]);
  expect(done).toMatchObject({ code: 1, error: "" });
  expect(JSON.parse(done.out.toString())).toMatchObject({
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "clc" } },
        results: [
          { ruleId: "CL2001", level: "error" },
          { ruleId: "CL2050", level: "warning" },
        ],
      },
    ],
  });
  expect(clc(["--emit", "sarif,binary", "warns.cl", "-o", "out/"]).code).toBe(0);
  expect(readdirSync(join(folder, "out")).toSorted()).toEqual(["clc.sarif", "warns.cl.bin"]);
  expect(JSON.parse(quick([wrong, "--diagnostics=json"]).error)).toMatchObject([{ code: "CL2001" }]);
  expect(quick([warns, "-Werror", "-n"]).code).toBe(1);
});

test("a diagnostic's fix is printed below its line", () => {
  put("fix.cl", "kernel void k(global float4* x) {\n  *x = float4(1, 2, 3, 4);\n}\n");
  const { code, out, error } = clc(["fix.cl"]);
  expect(code).toBe(1);
  expect(out.toString()).toBe("");
  expect(error).toContain('fix.cl:2:8: error: "float4" is a type and cannot be called: write (float4)(…) [CL2130]\n');
  expect(error).toContain("\n      |        ^~~~~~\n      = fix: write `(float4)` instead of `float4`\n");
});

test("its help and version", () => {
  expect(clc(["--version"])).toMatchObject({ code: 0, out: Buffer.from("0.1.0\n") });
  expect(quick(["--help"]).out).toMatch(/^clc \[options\][^]*--list-devices[^]*-cl-std=[^]*Exit codes: 0; 1: .*; 2: /u);
  expect(quick(["-h"]).out).toBe(quick(["--help"]).out);
  expect(quick(["--list-devices"]).out).toMatch(/^muxkit host: .*\n$/u);
  expect(quick(["-v", "-n", put("k.cl", SAXPY)]).error).toMatch(
    /k\.cl: 1 kernel, \d+ bytes\n {2}saxpy\(float\* y, float\* x, float a\)\n$/u,
  );
  let out = "";
  expect(
    main(["compile", "--version"], {
      out: (text) => {
        out += text;
      },
      error: () => undefined,
    }),
  ).toBe(0);
  expect(out).toBe("0.1.0\n");
});

test("texts as editors and other systems write them: marks, line ends, encodings, lines of any length", () => {
  const mark = "\uFEFF";
  put("marked.h", `${mark}#define N 3\r\n`);
  const rows: readonly (readonly [name: string, content: string | Uint8Array, code: number, said: RegExp])[] = [
    [
      "marked.cl",
      `${mark}#include "marked.h"\r\nkernel void k(global int* x)\r\n{\r\n  *x = N + y;\r\n}\r\n`,
      1,
      /marked\.cl:4:12: error: "y" is not declared \[CL2001\]\n {4}4 \| {3}\*x = N \+ y;\n/u,
    ],
    [
      "latin1.cl",
      Uint8Array.of(...new TextEncoder().encode("// caf"), 0xe9, 10, ...new TextEncoder().encode(SAXPY)),
      0,
      /^$/u,
    ],
    ["empty.cl", "", 0, /^clc: .*empty\.cl is empty\n$/u],
    ["blank.cl", " \n\t\n", 0, /^clc: .*blank\.cl is empty\n$/u],
    ["long.cl", `// ${"x".repeat(2_000_000)}\n${SAXPY}`, 0, /^$/u],
    ["sum.cl", `\nkernel void k(global int* x) { *x = ${"1 + ".repeat(20_000)}1; }\n`, 0, /^$/u],
    [
      "nest.cl",
      `\nkernel void k(global int* x) { *x = ${"(".repeat(20_000)}1${")".repeat(20_000)}; }\n`,
      1,
      /nest\.cl:2:\d+: error: this is nested more than .* levels deep \[CL1204\]/u,
    ],
    [
      "utf16.cl",
      Uint8Array.of(0xff, 0xfe, 0x6b, 0),
      1,
      /utf16\.cl is not a text file: byte 3 is 0, which does not occur in text; it looks like UTF-16, save it as UTF-8\n$/u,
    ],
    [
      "garbage.cl",
      Uint8Array.from({ length: 4000 }, (_, i) => (i * i * 31 + 7) & 0xff),
      1,
      /garbage\.cl is not a text file: byte \d+ is \d+, which does not occur in text\n$/u,
    ],
    [
      "elf.cl",
      Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1),
      1,
      /elf\.cl is an executable program or another binary; clc takes sources/u,
    ],
  ];
  for (const [name, content, code, said] of rows) {
    writeFileSync(join(folder, name), content);
    expect(quick(["-n", join(folder, name)]), name).toEqual({ code, out: "", error: expect.stringMatching(said) });
  }
  expect(clc(["-", "-n"])).toMatchObject({ code: 0, error: "clc: standard input is empty\n" });
});

test("files that cannot be inputs or outputs are reported, and nothing is overwritten", () => {
  const file = put("k.cl", SAXPY);
  mkdirSync(join(folder, "sub"));
  symlinkSync("round.cl", join(folder, "round.cl"));
  put("-k.cl", SAXPY);
  const rows: readonly (readonly [code: number, args: readonly string[], said: RegExp])[] = [
    [1, ["sub"], /^clc: sub cannot be read: it is a folder\n$/u],
    [1, ["round.cl"], /^clc: round\.cl cannot be read: its symbolic links form a cycle\n$/u],
    [1, ["k.cl/none.cl"], /^clc: k\.cl\/none\.cl cannot be read: a part of its path is not a folder\n$/u],
    [
      1,
      ["k.cl", "-o", "none/k.bin"],
      /^clc: none\/k\.bin cannot be written: the folder none does not exist; create it first\n$/u,
    ],
    [1, ["k.cl", "-o", "k.cl/"], /^clc: the folder k\.cl\/ cannot be created: a part of its path is not a folder\n$/u],
    [2, ["k.cl", "-o", "./k.cl"], /^clc: \.\/k\.cl is an input and would be overwritten; choose another output\n$/u],
    [2, ["k.cl", "k.cl"], /^clc: k\.cl is listed twice; call clc once for each, with different outputs\n$/u],
    [2, ["k.cl", "sub/../k.cl"], /^clc: k\.cl and sub\/\.\.\/k\.cl would be written to the same files in \.; /u],
    [2, ["a/k.cl", "b/k.cl", "-o", "sub"], /^clc: a\/k\.cl and b\/k\.cl would be written to the same files in sub; /u],
    [2, ["k.cl", "-o", ""], /^clc: -o requires the name of a file\n$/u],
    [2, [""], /^clc: the name of an input is empty\n$/u],
    [
      2,
      ["-k.cl"],
      /^clc: an input is required: files, or - for standard input; "-k\.cl" was parsed as an option or as the value of an option: write \.\/-k\.cl\n$/u,
    ],
    [
      2,
      ["-D", "k.cl"],
      /^clc: an input is required: [^\n]*; "k\.cl" was parsed as an option or as the value of an option\n$/u,
    ],
    [2, ["k.cl", "--emti", "ir"], /^clc: unknown option --emti; did you mean --emit\?\n$/u],
    [2, ["k.cl", "--whatever"], /^clc: unknown option --whatever; --help lists the options\n$/u],
    [
      2,
      ["k.cl", "-o", "-", "--emit", "binary,ir"],
      /^clc: -o -: binary, ir cannot share standard output; use -o FOLDER\/ for files\n$/u,
    ],
  ];
  answers(rows.map(([, args]) => args)).forEach((answer, i) => {
    const [code, args, said] = rows[i] ?? [0, [], /never/u];
    expect(answer, args.join(" ")).toEqual({ code, error: expect.stringMatching(said) });
  });
  expect(readFileSync(file, "utf8")).toBe(SAXPY);
  expect(readdirSync(folder).toSorted()).toEqual(["-k.cl", "k.cl", "round.cl", "sub"]);
});

test("wrong arguments are reported, with exit code 2", () => {
  const file = put("k.cl", SAXPY);
  const rows: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [[], /an input is required/u],
    [["-", "-"], /standard input can be used only once/u],
    [
      [file, "--emit", "coff"],
      /--emit takes binary, object, library, wasm, esm, dts, ir, spirv, spvasm, spirv-shader, elf, so, header, asm, sarif, not "coff"/u,
    ],
    [[file, "--emit"], /--emit requires a value/u],
    [[file, "--verbose=1"], /--verbose takes no value/u],
    [[file, "--emitt=ir"], /unknown option --emitt=ir/u],
    [[file, "-d", "gpu"], /there is no device "gpu"; there are muxkit host/u],
    [[file, "-x", "c"], /-x takes cl, ir, spir, spirv, not "c"/u],
    [[file, "--emit", "binary", "--passes", "dce"], /passes can be selected for --emit ir only/u],
    [[file, "-x", "ir", "--emit", "binary"], /is IR, which supports --emit ir, spirv, spvasm, spirv-shader only/u],
    [[file, "-o", join(folder, "x"), "--emit", "esm,dts"], /x is not a folder, but there are several outputs/u],
  ];
  for (const [args, message] of rows)
    expect(quick(args), args.join(" ")).toMatchObject({ code: 2, error: expect.stringMatching(message) });
  expect(quick([file, "-o", join(folder, "none", "k.bin")])).toMatchObject({
    code: 1,
    error: expect.stringMatching(/k\.bin cannot be written: the folder .*none does not exist; create it first/u),
  });
  expect(quick([join(folder, "gone.cl")])).toMatchObject({
    code: 1,
    error: expect.stringMatching(/gone\.cl cannot be read: there is no such file or folder/u),
  });
  expect(quick(["-n", "--", file])).toMatchObject({ code: 0 });
});

test("LLVM bitcode is an input, by its first bytes and by -x spir", () => {
  const bitcode = resolve(import.meta.dirname, "../../../modules/spirv/test/bitcode/kernels.bc");
  const file = put("k.cl", SAXPY);
  for (const words of [[], ["-x", "spir"]])
    expect(quick([bitcode, ...words, "--emit", "ir", "-o", "-"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("@sums"),
    });
  expect(quick([file, "-x", "spir"])).toMatchObject({
    code: 1,
    error: expect.stringMatching(/k\.cl does not begin like LLVM bitcode, which -x spir takes/u),
  });
});
