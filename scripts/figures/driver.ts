// SPDX-License-Identifier: Apache-2.0
// Round trips of native programs with our driver compared with PoCL's: the same program with both, in interleaved
// rounds; and their chapter of `docs/performance.md`.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { build, places } from "@muxkit/icd";

import { type Figures, type Row, comparedTable, figuresOf, nativeProgram, writeChapter } from "./sides.ts";

const root = resolve(import.meta.dirname, "..", "..");
const SOURCE = join(import.meta.dirname, "driver.c");
const TITLE = "## Round trips of native programs";
const ROUNDS = 5;

const microseconds = (name: string, text: string): Row => ({ name, text, isMoreBetter: false, digits: 1 });
const ROWS: readonly Row[] = [
  ...([4, 1024, 32_768, 65_536] as const).flatMap((size) => [
    microseconds(`write${size}`, `blocking write of ${size.toLocaleString("en")} bytes`),
    microseconds(`read${size}`, `blocking read of ${size.toLocaleString("en")} bytes`),
  ]),
  microseconds("writeProfiled", "blocking write of 32 KiB, clFinish, two profiling queries"),
  microseconds("launch", "kernel of 8,192 work-items and clFinish"),
  microseconds("launchProfiled", "the same kernel, clWaitForEvents, two profiling queries"),
  microseconds("launchRead", "the same kernel and a blocking read of 4 bytes"),
  microseconds("writeLaunchRead", "blocking write of 4 bytes, the same kernel, blocking read of 4 bytes"),
  microseconds("map", "map of 32 KiB, unmap and clFinish"),
  microseconds("finish", "clFinish of a queue without commands"),
  microseconds("event", "marker, its type, clWaitForEvents, its status"),
  microseconds("objects", "a buffer and a sampler made, asked three things and let go"),
  microseconds("image", "an image made, asked four things and let go"),
  microseconds("loop", "one of 20,000 launches of the kernel, each with clFinish"),
];

/** Installs both drivers below a folder, ours as users have it; the folders that name them to a loader. */
export function drivers(folder: string): { readonly own: string; readonly pocl: string } {
  const icd = join(root, "tools", "icd");
  execFileSync(process.execPath, ["../../tools/build/bundle.ts"], { cwd: icd, stdio: "inherit" });
  const where = places({ XDG_DATA_HOME: folder });
  build(where, join(icd, "dist", "esm", "main.js"), process.env);
  const pocl = join(folder, "pocl");
  mkdirSync(pocl);
  writeFileSync(join(pocl, "pocl.icd"), "libpocl.so.2\n");
  return { own: where.vendors, pocl };
}

/** Measures, prints the table, and with `--write` writes it into the page. */
export function driver(writes: boolean): void {
  const native = nativeProgram(SOURCE);
  const folder = mkdtempSync(join(tmpdir(), "muxkit-driver-"));
  const { own: ours, pocl } = drivers(folder);
  const side =
    (vendors: string) =>
    (environment: NodeJS.ProcessEnv = {}): Figures =>
      figuresOf(native, [], { ...environment, OCL_ICD_VENDORS: vendors });
  const text = comparedTable(ROWS, ROUNDS, "µs", side(ours), side(pocl));
  rmSync(folder, { recursive: true });
  if (writes)
    writeChapter(
      TITLE,
      `Written by \`npm run figures -- driver --write\`, Node ${process.version}: medians of ${ROUNDS} interleaved rounds
of a program in C with our driver (\`tools/icd\`) and with PoCL's, a process each; each figure is the median of 1,500
times, without what the program does before. "Wasm" is \`MUXKIT_NATIVE=off\`, "x64" \`on\`; "better
by" is above 1 where Muxkit is ahead.

${text}
`,
    );
}
