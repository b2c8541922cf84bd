// SPDX-License-Identifier: Apache-2.0
// Images of shaders without samplers: those that are stored to, fetches, texel buffers, queries. Whether whole numbers
// have a sign is said by the image's sampled type. Images have one level, so a level of detail and gradients choose
// nothing. An image of an array by an index that is no constant is looked for: a branch for each image of the array.
// What is read by a sampler is in sampling.ts.
import { I32, Op, type Type, VOID, type Value, constantFloat, constantInt, constantZero, scalarOf } from "@muxkit/ir";

import { enumerant, enumerantName } from "../../grammar/tables.ts";
import type { EnumerantNames } from "../../generated/names.ts";
import type { Handler, HandlerTable } from "../arithmetic.ts";
import { callBuiltin, callByTypes } from "../calls.ts";
import type { FunctionReader } from "../function-reader.ts";
import { CHANNEL_TYPES, IMAGES, coordinates, imageName, readImage, suffix } from "../images.ts";
import { Aggregate, DescriptorChoice, type Operand } from "../operand.ts";
import { type SpirvType, openclName } from "../types.ts";
import { lanesOf, spread } from "./matrices.ts";

const bit = (name: EnumerantNames["ImageOperands"]): number => enumerant("ImageOperands", name);
const ZERO_EXTEND = bit("ZeroExtend");
/** Image operands with the number of ids that follow, in the order of their bits. */
const OPERANDS: readonly (readonly [bit: number, ids: number, what: "offset" | "offsets" | "ignored" | "refused"])[] = [
  [bit("Bias"), 1, "refused"],
  [bit("Lod"), 1, "ignored"],
  [bit("Grad"), 2, "ignored"],
  [bit("ConstOffset"), 1, "offset"],
  [bit("Offset"), 1, "offset"],
  [bit("ConstOffsets"), 1, "offsets"],
  [bit("Sample"), 1, "refused"],
  [bit("MinLod"), 1, "ignored"],
  [bit("MakeTexelAvailable"), 1, "ignored"],
  [bit("MakeTexelVisible"), 1, "ignored"],
];

/** What image operands say: an offset, or one for each texel that is gathered; null: none. */
interface ImageOperands {
  readonly offset: Value | null;
  readonly offsets: readonly Value[] | null;
}

/** The image operands from operand word `index` on. */
export function imageOperands(f: FunctionReader, index: number): ImageOperands {
  const mask = f.i.count > index ? f.i.word(index) : 0;
  let next = index + 1;
  let offset: Value | null = null;
  let offsets: readonly Value[] | null = null;
  for (const [own, ids, what] of OPERANDS) {
    if ((mask & own) === 0) continue;
    if (what === "refused") return f.refuse("the image operand is not supported: images have one level and one sample");
    if (what === "offset") offset = f.value(f.i.word(next));
    if (what === "offsets") offsets = f.flatten(f.operand(f.i.word(next)));
    next += ids;
  }
  return { offset, offsets };
}

/** Coordinates by image: a layer counts as one. */
const AXES: Readonly<Record<string, number>> = {
  image1d_t: 1,
  image1d_buffer_t: 1,
  image1d_array_t: 2,
  image2d_t: 2,
  image2d_array_t: 3,
  image3d_t: 3,
};

export function axesOf(f: FunctionReader, image: Value): number {
  return AXES[imageName(f, image)] ?? f.refuse(`there are no coordinates of ${imageName(f, image)}`);
}

/** The coordinates that an image takes of those that there are. */
export function coordinatesOf(f: FunctionReader, image: Value, given: Value): Value {
  const axes = axesOf(f, image);
  const lanes = lanesOf(f, given);
  const [first] = lanes;
  if (first === undefined || lanes.length < axes) return f.refuse(`the image takes ${axes} coordinates`);
  if (axes === 1) return first;
  return coordinates(f, lanes.length === axes ? given : f.b.build(lanes.slice(0, axes)));
}

/** Coordinates of texels with an offset; layers have none. */
function moved(f: FunctionReader, at: Value, offset: Value | null): Value {
  if (offset === null) return at;
  const own = lanesOf(f, at);
  lanesOf(f, offset).forEach((lane, n) => {
    const before = own[n];
    if (before !== undefined) own[n] = f.op(Op.ADD, before.type, before, lane);
  });
  const [only] = own;
  return own.length === 1 && only !== undefined ? only : f.b.build(own);
}

/** Zero extension where the sampled type of the image has no sign. */
export function maskOf(f: FunctionReader, index: number): number {
  let type: SpirvType | null = f.argType(index);
  if (type.kind === "sampled-image") type = type.element;
  return type?.element?.isSigned === false ? ZERO_EXTEND : 0;
}

/** Runs a handler for each image that operand word 0 may be. */
export function forEach(handler: Handler): Handler {
  return (f) => {
    const id = f.i.word(0);
    const operand = f.operand(id);
    if (operand.kind !== "choice") return handler(f);
    const of = f.argType(0);
    const type = f.i.typeId === 0 ? null : f.ir;
    const made = choose(f, operand, type, (part) => {
      f.define(id, of, part);
      return handler(f);
    });
    f.define(id, of, operand);
    return made;
  };
}

/** A branch for each part of a choice; behind the last index the last one is taken. */
function choose(
  f: FunctionReader,
  { index, parts }: DescriptorChoice,
  type: Type | null,
  write: (part: Operand) => Operand | undefined,
): Operand | undefined {
  const { ir } = f.facts;
  const after = ir.addBlock("chosen");
  const result = type === null ? undefined : after.addParameter(type);
  parts.forEach((part, n) => {
    const next = n === parts.length - 1 ? null : ir.addBlock("choose");
    if (next !== null) {
      const own = ir.addBlock("choice");
      f.b.conditionalBranch(f.b.compare(Op.EQ, index, constantInt(index.type, n)), own, next);
      f.startOwnBlock(own);
    }
    const made = part.kind === "choice" ? choose(f, part, type, write) : write(part);
    if (made === undefined) f.b.branch(after);
    else f.b.branch(after, f.valueOf(made));
    if (next !== null) f.startOwnBlock(next);
  });
  f.startOwnBlock(after);
  return result;
}

/** What a function makes of each part of a choice, or of what is none. */
function mapChoice(operand: Operand, make: (part: Operand) => Operand): Operand {
  return operand.kind === "choice"
    ? new DescriptorChoice(
        operand.index,
        operand.parts.map((part) => mapChoice(part, make)),
      )
    : make(operand);
}

const sampledImage: Handler = (f) => {
  const [image, sampler] = [f.operand(f.i.word(0)), f.operand(f.i.word(1))];
  return mapChoice(image, (one) => mapChoice(sampler, (other) => new Aggregate([one, other])));
};

const imageOf: Handler = (f) =>
  mapChoice(f.operand(f.i.word(0)), (pair) =>
    pair.kind === "aggregate" && pair.parts[0] !== undefined
      ? pair.parts[0]
      : f.refuse("the operand must be an image with its sampler"),
  );

const read = forEach((f) => {
  const image = f.arg(0);
  const at = moved(f, f.arg(1), imageOperands(f, 2).offset);
  return readImage(f, image, [], coordinatesOf(f, image, at), maskOf(f, 0));
});

const SIGNED_FRACTIONS = ["SnormInt8", "SnormInt16"] as const;
const isSignedFraction = (format: number): boolean => /snorm/iu.test(enumerantName("ImageFormat", format));
const UNKNOWN = enumerant("ImageFormat", "Unknown");

/** Fractions that are held at -1: OpenCL stores the least whole number instead, which is one less. */
function heldFractions(f: FunctionReader, image: Value, texel: Value): Value {
  const { format } = f.argType(0);
  if (scalarOf(texel.type).kind !== "float" || (format !== UNKNOWN && !isSignedFraction(format))) return texel;
  const least = constantFloat(scalarOf(texel.type), -1);
  const held = callByTypes(f, "max", texel.type, [texel, spread(f, least, texel.type)], [true]);
  if (format !== UNKNOWN) return held;
  const type = callBuiltin(f, "get_image_channel_data_type", [imageName(f, image)], I32, [image]);
  const [first, second] = SIGNED_FRACTIONS.map((name) =>
    f.b.compare(Op.EQ, type, constantInt(I32, CHANNEL_TYPES + enumerant("ImageChannelDataType", name))),
  ) as [Value, Value];
  return f.b.select(f.op(Op.OR, first.type, first, second), held, texel);
}

const write = forEach((f) => {
  const image = f.arg(0);
  const at = coordinatesOf(f, image, moved(f, f.arg(1), imageOperands(f, 3).offset));
  const texel = heldFractions(f, image, fourLanes(f, f.arg(2)));
  const end = suffix(f, texel.type, maskOf(f, 0));
  const names = [imageName(f, image), openclName(at.type, true), openclName(texel.type, end !== "ui")];
  callBuiltin(f, `write_image${end}`, names, VOID, [image, at, texel]);
  return undefined;
});

/** A texel may have fewer numbers than four. */
function fourLanes(f: FunctionReader, texel: Value): Value {
  const lanes = lanesOf(f, texel);
  if (lanes.length === 4) return texel;
  const zero = constantZero(scalarOf(texel.type));
  return f.b.build([0, 1, 2, 3].map((n) => lanes[n] ?? zero));
}

const same = (
  name: "OpImageQuerySize" | "OpImageQuerySizeLod" | "OpImageQueryLevels" | "OpImageQuerySamples",
): Handler => forEach(IMAGES[name] ?? ((f) => f.refuse("images are not asked that")));

/** Rows of images in shaders. */
export const SHADER_IMAGES: HandlerTable = {
  OpSampledImage: sampledImage,
  OpImage: imageOf,
  OpImageRead: read,
  OpImageFetch: read,
  OpImageWrite: write,
  OpImageQuerySize: same("OpImageQuerySize"),
  OpImageQuerySizeLod: same("OpImageQuerySizeLod"),
  OpImageQueryLevels: same("OpImageQueryLevels"),
  OpImageQuerySamples: same("OpImageQuerySamples"),
};
