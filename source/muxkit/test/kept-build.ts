// SPDX-License-Identifier: Apache-2.0
// Builds that are kept, as programs make them that were bundled: sources that run as they are keep nothing.
import { buildProgram, openclC } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import { HOST_COMPILER_FACTS } from "@muxkit/host-compiler/facts";
import { compilerForDevice, lateLibrary } from "@muxkit/loader";

import { DiskStore } from "../source/cache/disk-store.ts";

export { DiskStore };

const DEVICE = hostDeviceInfo({}, 1);

/**
 * A build of a program by a compiler that keeps it, or that has kept it; with the number of times that the compiler was
 * asked for.
 */
export function keptBuild(
  store: DiskStore,
  source: string,
): { readonly loads: number; readonly milliseconds: number; readonly binary: Uint8Array } {
  let loads = 0;
  const library = lateLibrary(
    [{ ...HOST_COMPILER_FACTS, build: "test" }],
    () => {
      loads++;
      return { compilers };
    },
    store,
  );
  const begin = performance.now();
  const target = compilerForDevice(library, DEVICE)?.createContext().createTarget(DEVICE, null);
  if (target?.ok !== true) throw new Error("there is no compiler");
  const module = target.value.createModule();
  const built = buildProgram(module, openclC(source));
  if (!built.ok) throw new Error(built.error.message);
  const binary = module.createBinary();
  if (!binary.ok) throw new Error(binary.error.message);
  return { loads, milliseconds: performance.now() - begin, binary: binary.value };
}
