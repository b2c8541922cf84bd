// SPDX-License-Identifier: Apache-2.0
// Every command that the packages install, as a user calls it in a project that has nothing but the tarballs.

/** One call. */
export interface CommandRow {
  /** The program in `node_modules/.bin`. */
  readonly program: "muxkit" | "clc" | "veczc";
  readonly args: readonly string[];
  /** What it ends with. */
  readonly status: number;
  /** What standard output and standard error together must contain. */
  readonly says: RegExp;
}

const row = (program: CommandRow["program"], args: string, says: RegExp, status = 0): CommandRow => ({
  program,
  args: args.split(" ").filter((word) => word !== ""),
  status,
  says,
});

/** The calls. `saxpy.cl` and `saxpy.json` are in the folder that they run in. */
export const COMMAND_ROWS: readonly CommandRow[] = [
  row("muxkit", "--version", /^\d+\.\d+\.\d+\n$/u),
  row("muxkit", "--help", /create-target/u),
  row("muxkit", "run saxpy.json --runs 2 --warmup 0", /2 runs: median/u),
  row("muxkit", "run saxpy.json --json", /"median_ms":/u),
  row("muxkit", "run saxpy.json --explain", /kernel saxpy, work-groups of/u),
  row("muxkit", "run saxpy.json --explain --json", /"kernel":"saxpy"/u),
  row("muxkit", "compile saxpy.cl -o compiled.bin", /^$/u),
  row("muxkit", "compile saxpy.cl -n -cl-wfv=auto", /saxpy/u),
  row("muxkit", "check saxpy.cl", /^$/u),
  row("muxkit", "check missing.cl", /missing\.cl cannot be read/u, 1),
  row("muxkit", "info", /Muxkit/u),
  row("muxkit", "info --config", /MUXKIT_CACHE/u),
  row("muxkit", "spirv val missing.spv", /missing\.spv cannot be read/u, 1),
  row("muxkit", "cache", /./u),
  row("muxkit", "create-target my-chip", /Node 22\.18 or newer/u),
  row("muxkit", "unknown", /unknown command "unknown"/u, 2),
  row("clc", "--list-devices", /./u),
  row("clc", "--list-passes", /mem2reg/u),
  row("clc", "saxpy.cl -o - --emit ir", /@saxpy/u),
  row("clc", "saxpy.cl -o . --emit wasm,esm,dts", /^$/u),
  row("clc", "saxpy.cl -n --print-after=vectorize --time-passes", /vectorize/u),
  row("clc", "saxpy.cl --emit spirv,spvasm,spirv-shader", /^$/u),
  row("clc", "saxpy.cl.spv", /^$/u),
  row("clc", "saxpy.cl.spvasm -o - --emit ir", /@saxpy/u),
  row("muxkit", "check saxpy.cl.spv saxpy.cl.saxpy.spv", /^$/u),
  row("muxkit", "spirv dis saxpy.cl.saxpy.spv", /OpEntryPoint GLCompute/u),
  row("muxkit", "spirv info saxpy.cl.spv", /OpEntryPoint Kernel/u),
  row("veczc", "saxpy.cl --remarks", /saxpy/u),
  row("veczc", "saxpy.cl --analyses", /@saxpy|saxpy/u),
];
