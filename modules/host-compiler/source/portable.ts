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
import { type Module, Op } from "@muxkit/ir";

import { type BuildRequest, buildImage, generateCode } from "./pipeline.ts";

/** What engines may have beyond what all have. */
const EXTRA_FEATURES: readonly string[] = ["relaxed-simd", "fused-madd"];

/** Section of the code that uses them. */
const EXTRA_SECTION = ".wasm.relaxed";

/** The variants of a kernel from both, those of a section last: first the one that all engines can run. */
function withVariants(kernel: KernelMetadata, extra: KernelMetadata | undefined, section: string): KernelMetadata {
  if (extra === undefined) return kernel;
  const more = extra.variants.map((variant): VariantMetadata => ({ ...variant, section }));
  return {
    ...kernel,
    privateMemorySize: Math.max(kernel.privateMemorySize, extra.privateMemorySize),
    variants: [...kernel.variants, ...more],
  };
}

/** An executable with native code as well: its variants come last, so devices that run them prefer them. */
export function withNativeCode(common: ExecutableImage, native: ExecutableImage): ExecutableImage {
  return {
    ...common,
    code: [...common.code, ...native.code],
    kernels: common.kernels.map((kernel) =>
      withVariants(
        kernel,
        native.kernels.find(({ name }) => name === kernel.name),
        native.code[0]?.name ?? "",
      ),
    ),
    programData: native.programData ?? common.programData,
  };
}

/** True where a lowered module rounds a product and a sum once: engines without that have another form of it. */
function isFused(module: Module): boolean {
  for (const fn of module.functions.values())
    for (const { instructions } of fn.blocks) if (instructions.some(({ op }) => op === Op.FMA)) return true;
  return false;
}

/**
 * An executable of a lowered module, made for more features, for all engines; null: more of it had to be cut into
 * pieces, which need more private memory than the kernels of `tuned`.
 */
function forAllEngines(tuned: ExecutableImage, lowered: Module): ExecutableImage | null {
  const { size } = lowered.functions;
  const section = generateCode(
    lowered,
    tuned.kernels.map(({ name }) => name),
    [],
  );
  if (lowered.functions.size > size) return null;
  return {
    ...tuned,
    features: section.features,
    code: [section],
    kernels: tuned.kernels.map((kernel) => ({
      ...kernel,
      variants: kernel.variants.map((variant) => ({ ...variant, engineFeatures: section.features })),
    })),
  };
}

/** A program that is the same for all engines as they read it; most are lowered once for both. */
function buildOnce(
  request: Omit<BuildRequest, "features">,
): readonly [common: ExecutableImage, tuned: ExecutableImage] {
  const lowered: Module[] = [];
  const tuned = buildImage({
    ...request,
    features: EXTRA_FEATURES,
    lowered: (module) => lowered.push(module),
  });
  if (!usesExtra(tuned)) return [tuned, tuned];
  const [module] = lowered;
  const common = module === undefined || isFused(module) ? null : forAllEngines(tuned, module);
  return [common ?? buildImage({ ...request, features: [] }), tuned];
}

function usesExtra({ features }: ExecutableImage): boolean {
  return features.some((feature) => EXTRA_FEATURES.includes(feature));
}

function buildTwice(
  { plain, fused }: PortableVariants,
  request: Omit<BuildRequest, "module" | "features">,
): readonly [common: ExecutableImage, tuned: ExecutableImage] {
  const common = buildImage({ ...request, module: plain, features: [] });
  return [common, buildImage({ ...request, module: fused, features: EXTRA_FEATURES, layoutOf: plain })];
}

/**
 * Bytes of the executable. They depend on the program alone, not on the machine that makes them. Throws InternalError
 * when a pass is wrong.
 */
export function buildPortable(
  variants: PortableVariants,
  request: Omit<BuildRequest, "module" | "features">,
): Uint8Array {
  return writeExecutable(buildPortableImage(variants, request));
}

/** The executable. */
export function buildPortableImage(
  variants: PortableVariants,
  request: Omit<BuildRequest, "module" | "features">,
): ExecutableImage {
  const { plain, fused, ir } = variants;
  const [common, tuned] = plain === fused ? buildOnce({ ...request, module: plain }) : buildTwice(variants, request);
  const extra = usesExtra(tuned) ? tuned : null;
  return {
    ...common,
    code: [...common.code, ...(extra?.code ?? []).map((section) => ({ ...section, name: EXTRA_SECTION }))],
    kernels: common.kernels.map((kernel) =>
      withVariants(
        kernel,
        extra?.kernels.find(({ name }) => name === kernel.name),
        EXTRA_SECTION,
      ),
    ),
    programData: extra === null ? common.programData : extra.programData,
    extraBlocks: ir === null ? [] : [{ name: IR_BLOCK, bytes: ir }],
  };
}
