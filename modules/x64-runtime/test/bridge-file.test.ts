// SPDX-License-Identifier: Apache-2.0
// The bridge's file: written once, checked each time, replaced when it is not what it should be; the guard; the flags
// of the system.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";

import { fnv1a64 } from "@muxkit/cargo";
import { FEATURES, featureBit } from "@muxkit/x64-assembler/features";
import {
  REACH_BYTES,
  isGuarded,
  likelyFeatures,
  listedFeatures,
  loadBridge,
  maySetGsBase,
  openBridge,
} from "@muxkit/x64-runtime";

import { bridgeFile } from "../source/bridge-code.ts";
import { bridgeBytes, writeBridgeFile } from "../source/bridge-file.ts";
import { BRIDGE_HASH } from "../source/bridge-image.ts";
import { temporaryFolder } from "./run-program.ts";

const scratch = temporaryFolder();
const folder = join(scratch.path, "deep", "code");
beforeEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => scratch.remove());

function written(): string {
  const path = writeBridgeFile(folder);
  if (!path.ok) throw new Error(path.error);
  return path.value;
}

describe("the file", () => {
  test("is what its code is now: `node --conditions=source modules/x64-runtime/tools/write-image.ts`", () => {
    expect(Buffer.compare(bridgeBytes(), bridgeFile())).toBe(0);
    expect(BRIDGE_HASH).toBe(fnv1a64(bridgeFile()).toString(16).padStart(16, "0"));
  });

  test("is the same each time, of the user alone, and small", () => {
    const path = written();
    const { mtimeMs } = statSync(path);
    expect(Buffer.compare(readFileSync(path), bridgeFile())).toBe(0);
    expect([statSync(folder).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(written()).toBe(path);
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
    expect(readdirSync(folder).length).toBe(1);
    expect(statSync(path).size).toBeLessThan(16_384);
  });

  test.each([
    ["other bytes", (path: string) => writeFileSync(path, readFileSync(path).fill(0, 5000, 5001))],
    ["fewer bytes", (path: string) => writeFileSync(path, readFileSync(path).subarray(1))],
    ["nothing", (path: string) => writeFileSync(path, "")],
    ["bytes that others may change", (path: string) => chmodSync(path, 0o666)],
    [
      "a link to somewhere else",
      (path: string) => {
        writeFileSync(join(scratch.path, "other"), readFileSync(path), { mode: 0o600 });
        rmSync(path);
        symlinkSync(join(scratch.path, "other"), path);
      },
    ],
  ])("is written again where it has %s", (_, spoil) => {
    const path = written();
    spoil(path);
    expect(written()).toBe(path);
    expect(Buffer.compare(readFileSync(path), bridgeFile())).toBe(0);
    expect([lstatSync(path).isFile(), lstatSync(path).mode & 0o777]).toEqual([true, 0o600]);
  });

  test("is not written to a folder that others may change, nor to what is no folder", () => {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o770);
    const shared = writeBridgeFile(folder);
    expect(!shared.ok && shared.error).toMatch(
      /^Others may write to the folder \S+, so that no native code is kept there;/u,
    );
    const file = join(scratch.path, "file");
    writeFileSync(file, "");
    const wrong = writeBridgeFile(file);
    expect(!wrong.ok && wrong.error).toMatch(/^The bridge to native code cannot be written to \S+: /u);
  });

  test("that is not there is no bridge", () => {
    const missing = loadBridge(join(scratch.path, "missing.node"));
    expect(!missing.ok && missing.error).toMatch(
      /^Native code is not used, because the bridge \S+missing\.node could not be loaded: /u,
    );
  });

  const hasReadelf = spawnSync("readelf", ["--version"]).status === 0;
  if (!hasReadelf) process.stderr.write("!! readelf is not installed: the bridge's ELF is not compared with it\n");
  test.skipIf(!hasReadelf)("is what readelf takes for a shared object without executable stack", () => {
    const text = execFileSync("readelf", ["-W", "-a", written()], { encoding: "utf8" });
    expect(text).toContain("DYN (Shared object file)");
    expect(text).toMatch(/GNU_STACK\s.*\bRW\s/u);
    expect(text).toContain("NODELETE");
    const relocations = execFileSync("readelf", ["-W", "-D", "-r", written()], { encoding: "utf8" });
    expect(relocations.match(/R_X86_64_GLOB_DAT/gu)?.length).toBe(6);
    expect(text).not.toMatch(/\bRWE\b|TEXTREL|[Ww]arning|[Ee]rror/u);
  });
});

describe("the guard", () => {
  const base = 0x7000_0000_0000;
  const map = (from: number, to: number, rights: string): string =>
    `${(base + from).toString(16)}-${(base + to).toString(16)} ${rights} 00000000 00:00 0\n`;
  const bytes = 0x10_0000;
  const end = 2 ** 33;

  test.each([
    ["memory, then nothing accessible", map(0, bytes, "rw-s") + map(bytes, end, "---p"), true],
    ["memory in two mappings", map(0, 4096, "rw-s") + map(4096, bytes, "rw-s") + map(bytes, end, "---p"), true],
    ["others before it", map(-8192, -4096, "rw-p") + map(0, bytes, "rw-s") + map(bytes, end, "---p"), true],
    ["just enough", map(0, bytes, "rw-s") + map(bytes, REACH_BYTES, "---p"), true],
    ["one byte too few", map(0, bytes, "rw-s") + map(bytes, REACH_BYTES - 1, "---p"), false],
    [
      "something readable behind it",
      map(0, bytes, "rw-s") + map(bytes, 2 ** 32, "---p") + map(2 ** 32, end, "r--p"),
      false,
    ],
    ["a hole, where something could come", map(0, bytes, "rw-s") + map(2 * bytes, end, "---p"), false],
    ["a mapping that goes on behind the memory", map(0, 2 * bytes, "rw-s") + map(2 * bytes, end, "---p"), false],
    ["no memory at all", "", false],
  ])("%s", (_, maps, isSafe) => {
    expect(isGuarded(maps, base, bytes)).toBe(isSafe);
  });
});

/** What `/proc/self/auxv` has: pairs of words. */
function vector(entries: readonly (readonly [number, number])[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(entries.flat(), BigInt).buffer);
}

const CPUINFO = `processor\t: 0
model name\t: Some Processor
flags\t\t: fpu pni avx2 fma abm avx512vbmi
bugs\t\t: none
processor\t: 1
flags\t\t: fpu bmi1
`;

describe("the flags of the processor", () => {
  test("are those of the first one, by the names of the assembler", () => {
    expect([...listedFeatures(CPUINFO)]).toEqual(["fpu", "sse3", "avx2", "fma", "lzcnt", "avx512_vbmi"]);
  });
  test.each(["", "processor\t: 0\n", "Features\t: fp asimd\n"])("are none in %j", (text) => {
    expect(listedFeatures(text).size).toBe(0);
  });
  test.skipIf(process.platform !== "linux" || process.arch !== "x64")("are what CPUID says", () => {
    const opened = openBridge(folder);
    if (!opened.ok) throw new Error(opened.error);
    const certain = opened.value.features();
    const likely = likelyFeatures();
    const names = FEATURES.filter(([, , , , bit]) => bit >= 0).map(([name]) => name);
    const wrong = names.filter((name) => likely.has(name) !== ((certain & (featureBit(name) ?? 0)) !== 0));
    expect(wrong).toEqual([]);
  });
});

describe("the flags of the system", () => {
  test("say whether programs may set the GS base", () => {
    expect(
      maySetGsBase(
        vector([
          [3, 5],
          [26, 2],
          [0, 0],
        ]),
      ),
    ).toBe(true);
    expect(
      maySetGsBase(
        vector([
          [26, 1],
          [0, 0],
        ]),
      ),
    ).toBe(false);
    expect(
      maySetGsBase(
        vector([
          [16, 2],
          [0, 0],
        ]),
      ),
    ).toBe(false);
  });
});
