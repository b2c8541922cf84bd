// SPDX-License-Identifier: Apache-2.0
// What Debian's spirv-val says of modules for OpenCL.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { disassemble, parseModule } from "@muxkit/spirv";

/** True where spirv-val runs. @public */
export function hasSpirvVal(): boolean {
  return spawnSync("spirv-val", ["--version"]).status === 0;
}

/**
 * OpenCL's environments end at SPIR-V 1.2 and know of no extension of OpenCL, so modules with halves, with atomics of
 * 64 bits or of later versions are held against SPIR-V alone.
 */
const BEYOND_OPENCL =
  /OpCapability (?:Float16|Int64Atomics|GroupNonUniform|AtomicFloat)|; Version: 1\.[3-6]|OpExtension/u;

/** What spirv-val says of a module; empty: it accepts it. @public */
export function spirvVerdict(binary: Uint8Array): string {
  const parsed = parseModule(binary);
  const text = parsed.ok ? disassemble(parsed.value) : parsed;
  if (!text.ok) return text.error.message;
  const environment = BEYOND_OPENCL.test(text.value) ? "spv1.6" : "opencl2.2";
  const folder = mkdtempSync(join(tmpdir(), "muxkit-written-"));
  try {
    const file = join(folder, "module.spv");
    writeFileSync(file, binary);
    const { stdout, stderr } = spawnSync("spirv-val", ["--target-env", environment, file], { encoding: "utf8" });
    return `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
