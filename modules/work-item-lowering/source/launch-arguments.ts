// SPDX-License-Identifier: Apache-2.0
// What a launch says of its arguments (decision 26): samplers become constants, and so does what descriptors say of the format of images.
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
import { CHANNEL_ORDERS, findFormat, pixelBytes } from "@muxkit/libimg";

import type { KnownArgument } from "./specialization.ts";

/** Bytes at which a descriptor holds what follows from the format (docs/kernel-abi.md). */
const ORDER = 24;
const TYPE = 28;
const PIXEL_BYTES = 32;
const CHANNELS = 36;

/** Words of the descriptor of an image, by their offsets. */
function knownWords({ order, channelType }: Extract<KnownArgument, { kind: "image" }>): ReadonlyMap<number, number> {
  const format = findFormat(order, channelType);
  if (format === null) return new Map();
  return new Map([
    [ORDER, order],
    [TYPE, channelType],
    [PIXEL_BYTES, pixelBytes(format)],
    [CHANNELS, CHANNEL_ORDERS[format.order].components.length],
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

/** True when facts say anything that code can be made of. */
export function saysAnything(facts: readonly (KnownArgument | null)[] | undefined): boolean {
  return facts?.some((fact) => fact !== null) ?? false;
}

/** The functions that take a descriptor are worth having where the image is known: most of their branches go. */
export function inlineImageFunctions(module: Module): void {
  for (const fn of module.functions.values()) {
    if (
      fn.kernel === null &&
      fn.parameters.some(({ type }) => isPointer(type) && type.addressSpace === CONSTANT) &&
      fn.name.includes("__image_")
    )
      fn.inline = "always";
  }
}

/** Puts what is known of a kernel's arguments in the place of parameters and of loads from descriptors. Variables must be values by now. */
export function fixArguments(kernel: IrFunction, facts: readonly (KnownArgument | null)[]): void {
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
}
