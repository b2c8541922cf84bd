// SPDX-License-Identifier: Apache-2.0
// Samplers (OpenCL 3.0, 5.7): how kernels read images.
import { type Sampler as Bits, samplerBits } from "@muxkit/libimg";
import { MuxAddressMode, MuxFilterMode, type MuxSampler } from "@muxkit/mux";

import { ensure } from "./error.ts";
import { ClObject, live } from "./object.ts";
import { Context } from "./platform.ts";

/** What coordinates beyond an image mean. @public */
export type AddressingMode =
  | "CL_ADDRESS_NONE"
  | "CL_ADDRESS_CLAMP_TO_EDGE"
  | "CL_ADDRESS_CLAMP"
  | "CL_ADDRESS_REPEAT"
  | "CL_ADDRESS_MIRRORED_REPEAT";
/** What a sampler does between pixels. @public */
export type FilterMode = "CL_FILTER_NEAREST" | "CL_FILTER_LINEAR";

const ADDRESSING: Readonly<Record<AddressingMode, MuxAddressMode>> = {
  CL_ADDRESS_NONE: MuxAddressMode.none,
  CL_ADDRESS_CLAMP_TO_EDGE: MuxAddressMode.clamp_edge,
  CL_ADDRESS_CLAMP: MuxAddressMode.clamp,
  CL_ADDRESS_REPEAT: MuxAddressMode.repeat,
  CL_ADDRESS_MIRRORED_REPEAT: MuxAddressMode.repeat_mirror,
};
const MODES: Readonly<Record<AddressingMode, Bits["addressing"]>> = {
  CL_ADDRESS_NONE: "none",
  CL_ADDRESS_CLAMP_TO_EDGE: "clamp_to_edge",
  CL_ADDRESS_CLAMP: "clamp",
  CL_ADDRESS_REPEAT: "repeat",
  CL_ADDRESS_MIRRORED_REPEAT: "mirrored_repeat",
};
const FILTERS: Readonly<Record<FilterMode, MuxFilterMode>> = {
  CL_FILTER_NEAREST: MuxFilterMode.nearest,
  CL_FILTER_LINEAR: MuxFilterMode.linear,
};

/** Properties of a sampler. @public */
export interface SamplerProperties {
  /** Whether coordinates count from 0 to 1 over the image. */
  readonly CL_SAMPLER_NORMALIZED_COORDS?: boolean;
  /** What coordinates beyond the image mean. */
  readonly CL_SAMPLER_ADDRESSING_MODE?: AddressingMode;
  /** What it does between pixels. */
  readonly CL_SAMPLER_FILTER_MODE?: FilterMode;
}

/** A sampler. @public */
export class Sampler extends ClObject {
  /** The error for a released one. */
  protected readonly invalid = "CL_INVALID_SAMPLER";
  /** Kind, for messages. */
  protected readonly kind = "sampler";
  /** CL_SAMPLER_CONTEXT. */
  readonly context: Context;
  /** CL_SAMPLER_NORMALIZED_COORDS. */
  readonly normalized: boolean;
  /** CL_SAMPLER_ADDRESSING_MODE. */
  readonly addressing: AddressingMode;
  /** CL_SAMPLER_FILTER_MODE. */
  readonly filter: FilterMode;
  /** CL_SAMPLER_PROPERTIES. @internal */
  properties: SamplerProperties | null = null;

  /** Made by clCreateSampler. @internal */
  constructor(context: Context, normalized: boolean, addressing: AddressingMode, filter: FilterMode) {
    super();
    this.context = context;
    this.normalized = normalized;
    this.addressing = addressing;
    this.filter = filter;
    context.use();
  }

  /** The runtime's description of it. @internal */
  get sampler(): MuxSampler {
    return {
      addressMode: ADDRESSING[this.addressing],
      filterMode: FILTERS[this.filter],
      normalizeCoords: this.normalized,
    };
  }

  /** What kernels get of it. @internal */
  get bits(): number {
    return samplerBits({
      normalized: this.normalized,
      addressing: MODES[this.addressing],
      filter: this.filter === "CL_FILTER_LINEAR" ? "linear" : "nearest",
    });
  }

  /** Releases what it holds. */
  protected free(): void {
    this.context.unuse();
  }
}

/**
 * Makes a sampler. Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE (also for repetition without normalised coordinates),
 * CL_INVALID_OPERATION on a device without images.
 *
 * @public
 */
export function clCreateSampler(
  context: Context,
  normalized: boolean,
  addressing: AddressingMode,
  filter: FilterMode,
): Sampler {
  return createSampler("clCreateSampler", context, normalized, addressing, filter);
}

/** Makes a sampler for one of the calls that do. */
export function createSampler(
  call: string,
  context: Context,
  normalized: boolean,
  addressing: AddressingMode,
  filter: FilterMode,
): Sampler {
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(context.device.info.imageSupport, "CL_INVALID_OPERATION", call, "the device has no images");
  ensure(
    Object.hasOwn(ADDRESSING, addressing),
    "CL_INVALID_VALUE",
    call,
    `${addressing} is not an addressing mode; the modes are ${Object.keys(ADDRESSING).join(", ")}`,
  );
  ensure(
    Object.hasOwn(FILTERS, filter),
    "CL_INVALID_VALUE",
    call,
    `${filter} is not a filter mode; the modes are ${Object.keys(FILTERS).join(", ")}`,
  );
  const repeats = addressing === "CL_ADDRESS_REPEAT" || addressing === "CL_ADDRESS_MIRRORED_REPEAT";
  ensure(normalized || !repeats, "CL_INVALID_VALUE", call, `${addressing} requires normalised coordinates`);
  return new Sampler(context, normalized, addressing, filter);
}
