// SPDX-License-Identifier: Apache-2.0
// Where compilers come from. Programs that run executables only do not import this file, and bundles of them have
// nothing of what it imports.
import type { CompilerLibrary } from "@muxkit/loader";

import { build, link, objectImage } from "./build.ts";
import { codeAnew, variantsOf } from "./compiler-code.ts";
import { useCompilers } from "./device.ts";
import { finishingKernel } from "./finish-reduction.ts";

/** Sets the compilers of modules; without any there are devices that run executables only. @public */
export function setCompilers(library: CompilerLibrary): void {
  useCompilers(library, {
    executableOf: (module) => (module.state === "object" ? link([module]) : build(module)),
    objectOf: (device, bytes, constantsAreArguments) => {
      const module = device.compiler()?.createModule();
      return module?.deserialize(bytes).ok === true ? objectImage(device, module, constantsAreArguments) : null;
    },
    codeAnew,
    finishingKernel,
    variantsOf,
  });
}
