// SPDX-License-Identifier: Apache-2.0
/**
 * Facts about the host's compiler that are available without loading it.
 *
 * @packageDocumentation
 */
import type { CompilerFacts } from "@muxkit/compiler";
import { MuxAddressCapabilities, MuxDeviceType } from "@muxkit/mux";

import { NATIVE_ALWAYS, NATIVE_TIERS } from "./native-features.ts";

/** Put in when the package is bundled; sources that run as they are may change any time. */
const build = (import.meta as { readonly muxkitBuild?: string }).muxkitBuild ?? null;

/** The facts of the compiler of the host target: OpenCL C to WebAssembly. @public */
export const HOST_COMPILER_FACTS: CompilerFacts = {
  name: "muxkit host compiler",
  build,
  supports: (device) =>
    device.deviceType === MuxDeviceType.cpu && (device.addressCapabilities & MuxAddressCapabilities.bits32) !== 0,
  deviceOptions: [],
  vectorizable: true,
  supportsDeferredCompilation: true,
  makesKernelsLate: true,
  takesOver: ({ codeFeatures }) =>
    NATIVE_TIERS.some((tier) => codeFeatures.includes(tier)) && !codeFeatures.includes(NATIVE_ALWAYS),
};
