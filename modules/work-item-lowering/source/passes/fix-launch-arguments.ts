// SPDX-License-Identifier: Apache-2.0
// `fix-launch-arguments`: makes constants of what is known of the arguments of a launch
// (docs/decisions/026-specialisation.md): samplers become constants, and so does what descriptors say of the format of
// images.
import {
  CONSTANT,
  I32,
  type Instruction,
  type IrFunction,
  type Module,
  Op,
  type Parameter,
  type Value,
  constantInt,
  isPointer,
  replaceUses,
} from "@muxkit/ir";
import { type ArgumentFact, IMAGE_DESCRIPTOR } from "@muxkit/kernel-abi";
import { CHANNEL_ORDERS, findFormat, pixelBytes } from "@muxkit/libimg";

import type { LoweringState } from "../lowering-state.ts";

/** Words of the descriptor of an image, by their offsets. */
function knownWords({
  order,
  channelType,
  view,
}: Extract<ArgumentFact, { kind: "image" }>): ReadonlyMap<number, number> {
  const format = findFormat(order, channelType);
  if (format === null) return new Map();
  return new Map([
    [IMAGE_DESCRIPTOR.channelOrder, order],
    [IMAGE_DESCRIPTOR.channelType, channelType],
    [IMAGE_DESCRIPTOR.pixelBytes, pixelBytes(format)],
    [IMAGE_DESCRIPTOR.channels, CHANNEL_ORDERS[format.order].components.length],
    ...(view === undefined ? [] : [[IMAGE_DESCRIPTOR.view, view] as const]),
  ]);
}

/** The constant offset at which an address points into the descriptor of a parameter; null: it does not. */
function offsetIn(descriptor: Parameter, address: Value | undefined): number | null {
  let offset = 0;
  for (let value = address; value !== undefined;) {
    if (value === descriptor) return offset;
    if (value.kind !== "instruction" || value.op !== Op.ADDRESS || value.operands.length !== 1) return null;
    offset += value.offset;
    [value] = value.operands;
  }
  return null;
}

function isWordLoad({ op, type }: Instruction): boolean {
  return op === Op.LOAD && type === I32;
}

/** True when anything is known of the arguments. */
export function isAnyKnown(facts: readonly (ArgumentFact | null)[] | undefined): boolean {
  return facts?.some((fact) => fact !== null) ?? false;
}

/** The functions that take a descriptor are worth having where the image is known: most of their branches go. @public */
export function inlineImageFunctions(module: Module): boolean {
  let changed = false;
  for (const fn of module.functions.values()) {
    if (
      fn.kernel === null &&
      fn.parameters.some(({ type }) => isPointer(type) && type.addressSpace === CONSTANT) &&
      fn.name.includes("__image_")
    ) {
      fn.inline = "always";
      changed = true;
    }
  }
  return changed;
}

/**
 * Replaces parameters, and loads from descriptors, by what is known of a kernel's arguments. Variables must be values
 * by now.
 */
function fixIn(kernel: IrFunction, facts: readonly (ArgumentFact | null)[]): boolean {
  const replaced = new Map<Value, Value>();
  facts.forEach((fact, i) => {
    const parameter = kernel.parameters[i];
    if (parameter === undefined || fact === null) return;
    if (fact.kind === "sampler") {
      replaced.set(parameter, constantInt(I32, fact.bits));
      return;
    }
    const words = knownWords(fact);
    for (const { instructions } of kernel.blocks) {
      for (const instruction of instructions) {
        const offset = isWordLoad(instruction) ? offsetIn(parameter, instruction.operands[0]) : null;
        const word = offset === null ? undefined : words.get(offset);
        if (word !== undefined) replaced.set(instruction, constantInt(I32, word));
      }
    }
  });
  if (replaced.size > 0) replaceUses(kernel, replaced);
  return replaced.size > 0;
}

/**
 * Fixes the arguments of all kernels; the launches of the request are of one kernel, and the others are gone.
 *
 * @public
 */
export function fixLaunchArguments(
  module: Module,
  { knownArguments: facts }: Pick<LoweringState, "knownArguments">,
): boolean {
  let changed = false;
  if (facts !== null) for (const kernel of module.kernels) changed = fixIn(kernel, facts) || changed;
  return changed;
}
