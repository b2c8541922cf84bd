// SPDX-License-Identifier: Apache-2.0
// Portable executables: code that needs no more than vectors of 128 bits, and besides it code for engines that can do
// more (docs/decisions/012-engine-features.md).
import {
  type ExecutableImage,
  IR_BLOCK,
  type KernelMetadata,
  type VariantMetadata,
  writeExecutable,
} from "@muxkit/metadata";

import type { PortableVariants } from "@muxkit/compiler-base";

import { type BuildRequest, buildImage } from "./pipeline.ts";

/** What engines may have beyond what all have. */
const EXTRA_FEATURES: readonly string[] = ["relaxed-simd", "fused-madd"];

/** Section of the code that uses them. */
const EXTRA_SECTION = ".wasm.relaxed";

/** The variants of a kernel from both: first the one that all engines can run. */
function withVariants(kernel: KernelMetadata, extra: KernelMetadata | undefined): KernelMetadata {
  if (extra === undefined) return kernel;
  const more = extra.variants.map((variant): VariantMetadata => ({ ...variant, section: EXTRA_SECTION }));
  return {
    ...kernel,
    privateMemorySize: Math.max(kernel.privateMemorySize, extra.privateMemorySize),
    variants: [...kernel.variants, ...more],
  };
}

/**
 * Bytes of the executable. They depend on the program alone, not on the machine that makes them. Throws InternalError
 * when a pass is wrong.
 */
export function buildPortable(
  { plain, fused, ir }: PortableVariants,
  request: Omit<BuildRequest, "module" | "features">,
): Uint8Array {
  const common = buildImage({ ...request, module: plain, features: [] });
  const tuned = buildImage({
    ...request,
    module: fused,
    features: EXTRA_FEATURES,
    ...(fused === plain ? {} : { layoutOf: plain }),
  });
  const extra = tuned.features.some((feature) => EXTRA_FEATURES.includes(feature)) ? tuned : null;
  const image: ExecutableImage = {
    ...common,
    code: [...common.code, ...(extra?.code ?? []).map((section) => ({ ...section, name: EXTRA_SECTION }))],
    kernels: common.kernels.map((kernel) =>
      withVariants(
        kernel,
        extra?.kernels.find(({ name }) => name === kernel.name),
      ),
    ),
    programData: extra === null ? common.programData : extra.programData,
    extraBlocks: ir === null ? [] : [{ name: IR_BLOCK, bytes: ir }],
  };
  return writeExecutable(image);
}
