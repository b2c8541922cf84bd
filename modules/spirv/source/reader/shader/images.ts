// SPDX-License-Identifier: Apache-2.0
// Images of shaders without samplers: those that are stored to, fetches, texel buffers, queries. Whether whole numbers
// have a sign is said by the image's sampled type. Cubes are arrays of six planes. An image of an array by an index
// that is no constant is looked for: a branch for each image of the array. What is read by a sampler is in sampling.ts.
import { I32, Op, type Type, VOID, type Value, constantFloat, constantInt, constantZero, scalarOf } from "@muxkit/ir";

import { enumerant, enumerantName } from "../../grammar/tables.ts";
import type { EnumerantNames } from "../../generated/names.ts";
import type { Handler, HandlerTable } from "../arithmetic.ts";
import { callBuiltin, callByTypes, fittedInt } from "../calls.ts";
import type { FunctionReader } from "../function-reader.ts";
import { CHANNEL_TYPES, IMAGES, coordinates, imageName, readImage, suffix } from "../images.ts";
import { Aggregate, DescriptorChoice, type Operand } from "../operand.ts";
import { type SpirvType, openclName } from "../types.ts";
import { lanesOf, spread } from "./matrices.ts";

const bit = (name: EnumerantNames["ImageOperands"]): number => enumerant("ImageOperands", name);
const ZERO_EXTEND = bit("ZeroExtend");
/** Image operands with the number of ids that follow, in the order of their bits. */
const OPERANDS: readonly (readonly [bit: number, ids: number, what: keyof ImageOperands | "ignored" | "refused"])[] = [
  [bit("Bias"), 1, "refused"],
  [bit("Lod"), 1, "lod"],
  [bit("Grad"), 2, "gradients"],
  [bit("ConstOffset"), 1, "offset"],
  [bit("Offset"), 1, "offset"],
  [bit("ConstOffsets"), 1, "offsets"],
  [bit("Sample"), 1, "refused"],
  [bit("MinLod"), 1, "least"],
  [bit("MakeTexelAvailable"), 1, "ignored"],
  [bit("MakeTexelVisible"), 1, "ignored"],
];

/** What image operands say; null: nothing. */
export interface ImageOperands {
  readonly offset: Value | null;
  /** One for each texel that is gathered. */
  readonly offsets: readonly Value[] | null;
  /** The level of detail: of fetches a whole number. */
  readonly lod: Value | null;
  /** What coordinates differ by from one pixel to the next, in x and in y. */
  readonly gradients: readonly [Value, Value] | null;
  /** The least level of detail. */
  readonly least: Value | null;
}

/** The image operands from operand word `index` on. */
export function imageOperands(f: FunctionReader, index: number): ImageOperands {
  const mask = f.i.count > index ? f.i.word(index) : 0;
  let next = index + 1;
  const found: { -readonly [K in keyof ImageOperands]: ImageOperands[K] } = {
    offset: null,
    offsets: null,
    lod: null,
    gradients: null,
    least: null,
  };
  for (const [own, ids, what] of OPERANDS) {
    if ((mask & own) === 0) continue;
    if (what === "refused") return f.refuse("the image operand is not supported: images have one sample, and no bias");
    if (what === "offsets") found.offsets = f.flatten(f.operand(f.i.word(next)));
    else if (what === "gradients") found.gradients = [f.value(f.i.word(next)), f.value(f.i.word(next + 1))];
    else if (what !== "ignored") found[what] = f.value(f.i.word(next));
    next += ids;
  }
  return found;
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

/** A texel of a level of an image that is sampled; buffers of texels have one. */
const fetch = forEach((f) => {
  const image = f.arg(0);
  const { offset, lod } = imageOperands(f, 2);
  const mask = maskOf(f, 0);
  const end = suffix(f, f.ir, mask);
  const at = coordinatesOf(f, image, moved(f, f.arg(1), offset));
  const name = imageName(f, image);
  if (name === "image1d_buffer_t" || end === "h") return readImage(f, image, [], at, mask);
  const zero = constantZero(I32);
  const lanes = lanesOf(f, at);
  const where = f.b.build([0, 1, 2, 3].map((n) => lanes[n] ?? zero));
  return callBuiltin(f, `__muxkit_fetch${end}`, [name, "int4", "int"], f.ir, [image, where, lod ?? zero]);
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

const ONE = constantInt(I32, 1);
const FACES = constantInt(I32, 6);

/** Width, height and depth of a level, then the number of layers or cubes, as many as the image has. */
const size = (hasLevel: boolean): Handler =>
  forEach((f) => {
    const image = f.arg(0);
    const name = imageName(f, image);
    const { cube } = f.argType(0);
    const level = hasLevel ? f.arg(1) : null;
    const side = (query: string): Value => {
      const whole = callBuiltin(f, query, [name], I32, [image]);
      if (level === null || (level.kind === "constant" && level.low === 0)) return whole;
      const part = f.op(Op.ASHR, I32, whole, level);
      return f.b.select(f.b.compare(Op.SGT, part, ONE), part, ONE);
    };
    const parts = [side("get_image_width")];
    if (/[23]d/u.test(name)) parts.push(side("get_image_height"));
    if (name.includes("3d")) parts.push(side("get_image_depth"));
    if (name.includes("array") && cube !== "single") {
      const layers = fittedInt(f, callBuiltin(f, "get_image_array_size", [name], f.sizeType, [image]), I32);
      parts.push(cube === null ? layers : f.op(Op.UDIV, I32, layers, FACES));
    }
    const [single] = parts;
    return f.ir.kind === "vector" ? f.b.build(parts) : single;
  });

/** How many levels there are. */
const levels = forEach((f) => {
  const image = f.arg(0);
  return callBuiltin(f, "__muxkit_levels", [imageName(f, image)], I32, [image]);
});

const same = (name: "OpImageQuerySamples"): Handler =>
  forEach(IMAGES[name] ?? ((f) => f.refuse("images are not asked that")));

/** Rows of images in shaders. */
export const SHADER_IMAGES: HandlerTable = {
  OpSampledImage: sampledImage,
  OpImage: imageOf,
  OpImageRead: read,
  OpImageFetch: fetch,
  OpImageWrite: write,
  OpImageQuerySize: size(false),
  OpImageQuerySizeLod: size(true),
  OpImageQueryLevels: levels,
  OpImageQuerySamples: same("OpImageQuerySamples"),
};
