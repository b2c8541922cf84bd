// SPDX-License-Identifier: Apache-2.0
// What the system must be for the bridge.

/** The flag of AT_HWCAP2 by which Linux says that programs may set the GS base. */
const HWCAP2 = 26;
const FSGSBASE = 2;

/** Whether a vector of `/proc/self/auxv` says that programs may set the GS base. @internal */
export function maySetGsBase(vector: Uint8Array): boolean {
  const view = new DataView(vector.buffer, vector.byteOffset, vector.byteLength);
  for (let offset = 0; offset + 16 <= vector.length; offset += 16) {
    if (view.getUint32(offset, true) === HWCAP2) return (view.getUint32(offset + 8, true) & FSGSBASE) !== 0;
  }
  return false;
}

/** What this process must be for the bridge, as one sentence when it is not. */
export function systemProblem(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return `Native code runs on Linux on x86-64, and this is ${process.platform} on ${process.arch}.`;
  }
  try {
    if (maySetGsBase(process.getBuiltinModule("node:fs").readFileSync("/proc/self/auxv"))) return undefined;
  } catch {
    return "Native code is not used, because /proc/self/auxv cannot be read to see what the system allows.";
  }
  return "Native code is not used, because this system does not let programs set the GS base; Linux does from 5.9 on.";
}
