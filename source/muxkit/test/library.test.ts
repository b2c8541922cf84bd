// SPDX-License-Identifier: Apache-2.0
// Program libraries in folders (cl_altera_compiler_mode): the example of a port in three phases, run end to end, and
// what folders and scripts hold.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { afterAll, expect, test } from "vitest";

import { buildScript } from "../source/library/build-script.ts";
import { NODE_COMPILER_MODE_EDGE } from "../source/library/compiler-mode-edge.ts";
import { ProgramFolder, entryHash } from "../source/library/program-folder.ts";
import { programOf } from "./kept-program.ts";

const ROOT = resolve(import.meta.dirname, "..", "..", "..");
const EXAMPLE = join(ROOT, "examples", "porting");
const COMPILER = programOf("clc").join(" ");
const folder = mkdtempSync(join(tmpdir(), "muxkit library-"));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function node(
  file: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): { readonly status: number | null; readonly out: string; readonly error: string } {
  const done = spawnSync(process.execPath, ["--conditions=source", file, ...args], {
    encoding: "utf8",
    cwd: ROOT,
    env: { ...process.env, ...variables },
  });
  return { status: done.status, out: done.stdout, error: done.stderr };
}

const ENTRY = {
  device: "muxkit",
  source: `kernel void k(global int* p) { *p = VALUE; }
`,
  options: "-D VALUE=3",
};

test("the example ports an application in three phases: stubs, offline compilation, binaries", () => {
  const root = join(folder, "port");
  const { status, out, error } = node(join(EXAMPLE, "main.ts"), [root], { CLC: COMPILER });
  expect(error).toBe("");
  expect(status).toBe(0);
  const counted = [...out.matchAll(/(\d+) bins: (\d+) of 65536 counted/gu)].map(([, bins, sum]) => [
    Number(bins),
    Number(sum),
  ]);
  expect(counted).toEqual([
    [16, 0],
    [256, 0],
    [16, 65536],
    [256, 65536],
  ]);
  expect(out.match(/build\.cmd: compiled/gu)).toHaveLength(2);
  expect(readdirSync(join(root, "muxkit"))).toHaveLength(2);
  // A program that was changed since is not in the library.
  const changed = node(join(EXAMPLE, "application.ts"), [], {
    CL_CONTEXT_COMPILER_MODE_ALTERA: "2",
    CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA: join(folder, "empty"),
  });
  expect(changed.status).toBe(1);
  expect(changed.error).toMatch(
    /has no entry for this source, the device muxkit and the options "-D BINS=16".*CL_CONTEXT_COMPILER_MODE_ALTERA 1/u,
  );
});

test("an application on a device that is loaded already runs that program, whatever it requests", () => {
  const source = join(folder, "preloaded.cl");
  const binary = join(folder, "preloaded.bin");
  writeFileSync(
    source,
    `kernel void histogram(global const uchar* data, uint size, global uint* bins) {
        if (get_global_id(0) == 0) bins[0] = size / 2;
      }`,
  );
  execFileSync("sh", ["-c", `${COMPILER} -o "${binary}" -d muxkit "${source}"`]);
  const { out, error } = node(join(EXAMPLE, "application.ts"), [], {
    CL_CONTEXT_COMPILER_MODE_ALTERA: "3",
    MUXKIT_PRELOADED_BINARY: binary,
  });
  expect(error).toBe("");
  expect(out.match(/ 32768 of 65536/gu)).toHaveLength(2);
  expect(
    node(join(EXAMPLE, "application.ts"), [], {
      CL_CONTEXT_COMPILER_MODE_ALTERA: "3",
      MUXKIT_PRELOADED_BINARY: "/no/file",
    }).error,
  ).toMatch(/MUXKIT_PRELOADED_BINARY names a file that cannot be read/u);
});

test("an entry is a folder by device and hash with the source and a script, and a binary once that was run", () => {
  const library = new ProgramFolder(join(folder, "entries"));
  expect(library.find(ENTRY)).toMatchObject({ ok: false, error: expect.stringMatching(/has no entry/u) as string });
  const added = library.add(ENTRY);
  if (!added.ok) throw new Error(added.error);
  expect(added.value).toBe(join(library.root, "muxkit", entryHash(ENTRY)));
  expect(entryHash(ENTRY)).toBe("f539173d5b1286719bf7ee1e1f65bc81");
  expect(readdirSync(added.value).toSorted()).toEqual(["build.cmd", "kernels.cl"]);
  expect(readFileSync(join(added.value, "kernels.cl"), "utf8")).toBe(ENTRY.source);
  expect(statSync(join(added.value, "build.cmd")).mode & 0o111).not.toBe(0);
  expect(library.find(ENTRY)).toMatchObject({
    ok: false,
    error: expect.stringMatching(/is not compiled; run .*build\.cmd/u) as string,
  });
  writeFileSync(join(added.value, "kernels.bin"), "bytes");
  expect(library.find(ENTRY)).toMatchObject({ ok: true, value: new Uint8Array(Buffer.from("bytes")) });
  // Adding it again keeps the binary.
  expect(library.add(ENTRY).ok).toBe(true);
  expect(library.find(ENTRY).ok).toBe(true);
  writeFileSync(join(added.value, "kernels.cl"), "changed");
  expect(library.find(ENTRY)).toMatchObject({
    ok: false,
    error: expect.stringMatching(/no longer the source of this program/u) as string,
  });
});

test("every part of an entry makes another folder, however parts are split", () => {
  const hashes = [
    ENTRY,
    { ...ENTRY, device: "other" },
    { ...ENTRY, options: "" },
    { ...ENTRY, source: "" },
    { ...ENTRY, options: "-D VALUE=3k", source: "" },
  ].map(entryHash);
  expect(new Set(hashes).size).toBe(hashes.length);
});

test("a folder that cannot be made is an error that names it", () => {
  writeFileSync(join(folder, "file"), "");
  const added = new ProgramFolder(join(folder, "file", "below")).add(ENTRY);
  expect(added).toMatchObject({ ok: false, error: expect.stringMatching(/file\/below cannot be written/u) as string });
});

test("the root is resolved when it is opened, and has a default in the current folder", () => {
  expect(NODE_COMPILER_MODE_EDGE.openLibrary(null).root).toBe(resolve("muxkit_program_library"));
  expect(NODE_COMPILER_MODE_EDGE.openLibrary("some/where").root).toBe(resolve("some/where"));
  expect(NODE_COMPILER_MODE_EDGE.openLibrary("/abs").root).toBe("/abs");
});

test("the script hands every option over as it was, and finds headers from where the application ran", () => {
  const library = new ProgramFolder(join(folder, "options"));
  const options = String.raw`-D "TEXT=\"a 'b' $HOME %PATH% \\\"" -I "in clude" -D X=1`;
  const added = library.add({ ...ENTRY, options });
  if (!added.ok) throw new Error(added.error);
  mkdirSync(join(folder, "elsewhere"));
  const echo = join(folder, "echo.mjs");
  writeFileSync(echo, "console.log(JSON.stringify([process.cwd(), ...process.argv.slice(2)]))");
  const said = execFileSync(join(added.value, "build.cmd"), {
    encoding: "utf8",
    cwd: join(folder, "elsewhere"),
    env: { ...process.env, CLC: "clc", PATH: `${fakeCompiler(echo)}:${process.env["PATH"] ?? ""}` },
  });
  expect(JSON.parse(said)).toEqual([
    process.cwd(),
    "-o",
    join(added.value, "kernels.bin"),
    "-d",
    "muxkit",
    "-D",
    String.raw`TEXT="a 'b' $HOME %PATH% \"`,
    "-I",
    "in clude",
    "-D",
    "X=1",
    join(added.value, "kernels.cl"),
  ]);
});

/** A folder with a `clc` that runs a script. */
function fakeCompiler(script: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "clc"), `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`, { mode: 0o755 });
  return bin;
}

test("the script for Windows", () => {
  expect(
    buildScript({
      device: "muxkit",
      options: ["-D", 'A="x"', "-D", "P=50%"],
      source: "kernels.cl",
      binary: "kernels.bin",
      workingFolder: String.raw`C:\my work`,
      platform: "win32",
    }),
  ).toBe(
    [
      "@echo off",
      "if not defined CLC set CLC=clc",
      String.raw`cd /d "C:\my work" || exit /b 1`,
      String.raw`%CLC% -o "%~dp0kernels.bin" "-d" "muxkit" "-D" "A=\"x\"" "-D" "P=50%%" "%~dp0kernels.cl"`,
      "",
    ].join("\r\n"),
  );
});
