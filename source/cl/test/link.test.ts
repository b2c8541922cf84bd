// SPDX-License-Identifier: Apache-2.0
// Programs in pieces: clCompileProgram with headers, clLinkProgram, libraries, objects as binaries.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  type Program,
  clBuildProgram,
  clCompileProgram,
  clCreateKernel,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clLinkProgram,
  clReleaseProgram,
  clSetKernelArg,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, device, expectError, ints, newQueue, readInts } from "./rig.ts";

const MAIN = `#include "twice.h"
kernel void k(global int* x) { x[get_global_id(0)] = twice(x[get_global_id(0)]) + OFFSET; }
`;
const HEADER = "int twice(int x);\n#define OFFSET 100\n";
const TWICE = "int twice(int x) { return 2 * x; }\n";

function source(text: string): Program {
  return clCreateProgramWithSource(context, [text]);
}

function compiled(text: string, headers: Readonly<Record<string, string>> = {}): Program {
  const program = source(text);
  clCompileProgram(
    program,
    null,
    "",
    Object.entries(headers).map(([name, body]) => ({ name, program: source(body) })),
  );
  return program;
}

function runK(program: Program): number[] {
  const queue = newQueue();
  const data = ints(1, 2, 3);
  const kernel = clCreateKernel(program, "k");
  clSetKernelArg(kernel, 0, data);
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [3], null);
  return readInts(queue, data);
}

function typeOf(program: Program): string {
  return clGetProgramBuildInfo(program, device, "CL_PROGRAM_BINARY_TYPE");
}

test("two objects and a header passed by name make one program; objects can be linked again", () => {
  const main = compiled(MAIN, { "twice.h": HEADER });
  const twice = compiled(TWICE);
  expect(typeOf(main)).toBe("CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT");
  expectError(() => clCreateKernel(main, "k"), "CL_INVALID_PROGRAM_EXECUTABLE", /not built/u);
  for (let round = 0; round < 2; round++) {
    const program = clLinkProgram(context, null, "", [main, twice]);
    expect(typeOf(program)).toBe("CL_PROGRAM_BINARY_TYPE_EXECUTABLE");
    expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_STATUS")).toBe("CL_BUILD_SUCCESS");
    expect(runK(program)).toEqual([102, 104, 106]);
  }
});

test("a source may be empty, and so may a header", () => {
  const empty = compiled("");
  expect(
    typeOf(
      clLinkProgram(context, null, "", [
        empty,
        compiled(MAIN, { "twice.h": HEADER }),
        compiled(TWICE, { "none.h": "" }),
      ]),
    ),
  ).toBe("CL_PROGRAM_BINARY_TYPE_EXECUTABLE");
});

test("a library is linked like an object, and both travel as binaries", () => {
  const library = clLinkProgram(context, null, "-create-library", [compiled(TWICE)]);
  expect(typeOf(library)).toBe("CL_PROGRAM_BINARY_TYPE_LIBRARY");
  const pieces = [compiled(MAIN, { "twice.h": HEADER }), library].map((program) => {
    const [binary = new Uint8Array(0)] = clGetProgramInfo(program, "CL_PROGRAM_BINARIES");
    expect(clGetProgramInfo(program, "CL_PROGRAM_BINARY_SIZES")).toEqual([binary.length]);
    return clCreateProgramWithBinary(context, [device], [binary]);
  });
  expect(pieces.map(typeOf)).toEqual(["CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT", "CL_PROGRAM_BINARY_TYPE_LIBRARY"]);
  expect(runK(clLinkProgram(context, [device], "", pieces))).toEqual([102, 104, 106]);
  expectError(() => clBuildProgram(pieces[0] as Program), "CL_INVALID_BINARY", /clLinkProgram/u);
});

test("headers come before directories; -I finds files in every build", () => {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-include-"));
  try {
    writeFileSync(join(folder, "twice.h"), "int twice(int x) { return x + x; }\n#define OFFSET 7\n");
    const built = source(MAIN);
    clBuildProgram(built, null, `-I "${folder}"`);
    expect(runK(built)).toEqual([9, 11, 13]);
    const named = source(MAIN);
    clCompileProgram(named, null, `-I "${folder}"`, [
      { name: "twice.h", program: source(`${TWICE}\n#define OFFSET 1000\n`) },
    ]);
    expect(runK(clLinkProgram(context, null, "", [named]))).toEqual([1002, 1004, 1006]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("every mistake has its error", () => {
  const object = compiled(TWICE);
  const released = source(TWICE);
  clReleaseProgram(released);
  expectError(() => clCompileProgram(source("int f( {")), "CL_COMPILE_PROGRAM_FAILURE", /error: /u);
  expectError(
    () => clCompileProgram(source(TWICE), null, "-create-library"),
    "CL_INVALID_COMPILER_OPTIONS",
    /-create-library/u,
  );
  expectError(() => clCompileProgram(released), "CL_INVALID_PROGRAM", /released/u);
  expectError(
    () => clCompileProgram(source(TWICE), null, "", [{ name: "h", program: released }]),
    "CL_INVALID_PROGRAM",
    /released/u,
  );
  expectError(
    () => clCompileProgram(source(TWICE), null, "", [{ name: "", program: object }]),
    "CL_INVALID_VALUE",
    /header/u,
  );
  const linked = clLinkProgram(context, null, "", [compiled(`kernel void k(global int* x) { *x = 1; }`)]);
  expectError(() => clCompileProgram(linked), "CL_INVALID_OPERATION", /no source/u);
  const kernel = clCreateKernel(linked, "k");
  expect(kernel.program).toBe(linked);
  expectError(() => clLinkProgram(context, null, "", []), "CL_INVALID_VALUE", /list of programs to link is empty/u);
  expectError(
    () => clLinkProgram(context, null, "", [source(TWICE)]),
    "CL_INVALID_OPERATION",
    /clCompileProgram first/u,
  );
  const once = compiled("#ifdef BAD\nint f( {\n#endif\nint g(void) { return 1; }\n");
  expectError(() => clCompileProgram(once, null, "-D BAD"), "CL_COMPILE_PROGRAM_FAILURE", /error: /u);
  expectError(() => clLinkProgram(context, null, "", [once]), "CL_INVALID_OPERATION", /clCompileProgram first/u);
  expectError(
    () => clCompileProgram(source('#include "no-such-file.h"'), null, `-I "${tmpdir()}"`),
    "CL_COMPILE_PROGRAM_FAILURE",
    /no-such-file/u,
  );
  expectError(() => clLinkProgram(context, null, "-D N=1", [object]), "CL_INVALID_LINKER_OPTIONS", /-D/u);
  expectError(() => clLinkProgram(context, null, "", [object, compiled(TWICE)]), "CL_LINK_PROGRAM_FAILURE", /twice/u);
  expectError(
    () => clLinkProgram(context, null, "", [compiled(MAIN, { "twice.h": HEADER })]),
    "CL_LINK_PROGRAM_FAILURE",
    /twice/u,
  );
});
