// SPDX-License-Identifier: Apache-2.0
// Images: reads with and without samplers, writes, queries, as calls of OpenCL C's functions. Whether whole numbers are
// read with a sign is said by an operand since SPIR-V 1.4; without it the image's format alone decides, for which both
// functions are the same.
import { I32, Op, type Type, VOID, type Value, constantInt, constantZero, scalarOf, vectorType } from "@muxkit/ir";

import { enumerant } from "../grammar/tables.ts";
import type { Handler, HandlerTable } from "./arithmetic.ts";
import { callBuiltin, fittedInt } from "./calls.ts";
import type { FunctionReader } from "./function-reader.ts";
import { Aggregate } from "./operand.ts";
import { openclName } from "./types.ts";

const ZERO_EXTEND = enumerant("ImageOperands", "ZeroExtend");
const LOD = enumerant("ImageOperands", "Lod");
const SIGN_EXTEND = enumerant("ImageOperands", "SignExtend");
/** Operands that change what is read from one level of one sample. */
const REFUSED = ~(ZERO_EXTEND | LOD | SIGN_EXTEND);

/** OpenCL's number of the first channel type; SPIR-V counts from 0. */
export const CHANNEL_TYPES = 0x10d0;

/** The image that is read, and its name in OpenCL C. */
export function imageName(f: FunctionReader, image: Value): string {
  const { kind, name } = image.type;
  return kind === "opaque" && name.startsWith("image") ? `${name}_t` : f.refuse("the operand must be an image");
}

/** Coordinates: those of three dimensions and of arrays of planes have a fourth, which is not looked at. */
export function coordinates(f: FunctionReader, value: Value): Value {
  if (value.type.kind !== "vector" || value.type.count !== 3) return value;
  const lanes = [0, 1, 2].map((n) => f.b.extract(value, n));
  return f.b.build([...lanes, constantZero(scalarOf(value.type))]);
}

/** The bits of image operands from operand word `index` on. A level is taken only where it is zero. */
function operandsAt(f: FunctionReader, index: number): number {
  const mask = f.i.count > index ? f.i.word(index) : 0;
  if ((mask & REFUSED) !== 0) f.refuse("the image operand is not supported: images have one level and one sample");
  if ((mask & LOD) !== 0) {
    const lod = f.operand(f.i.word(index + 1));
    if (lod.kind !== "constant" || (lod.low & 0x7fff_ffff) !== 0)
      f.refuse("images have one level; the level of detail must be 0");
  }
  return mask;
}

/** The end of the function's name, by what is read or written. */
export function suffix(f: FunctionReader, type: Type, mask: number): string {
  const { kind, bits } = scalarOf(type);
  if (kind === "float") return bits === 16 ? "h" : bits === 32 ? "f" : f.refuse("images have no doubles");
  if (bits !== 32) return f.refuse("whole numbers of images have 32 bits");
  return (mask & ZERO_EXTEND) === 0 ? "i" : "ui";
}

/** A read; `given`: the sampler, or none. */
export function readImage(f: FunctionReader, image: Value, given: readonly Value[], at: Value, mask: number): Value {
  const { ir } = f;
  const where = coordinates(f, at);
  const name = imageName(f, image);
  const isDepth = name.endsWith("_depth_t");
  const scalar = scalarOf(ir);
  const end = suffix(f, ir, mask);
  const type = isDepth ? scalar : vectorType(scalar, 4);
  const parameters = [name, ...given.map(() => "sampler_t"), openclName(where.type, true)];
  const made = callBuiltin(f, `read_image${end}`, parameters, type, [image, ...given, where]);
  if (type === ir) return made;
  if (!isDepth) return ir === scalar ? f.b.extract(made, 0) : f.refuse("an image is read as four numbers");
  return f.b.build([made, constantZero(scalar), constantZero(scalar), constantZero(scalar)]);
}

const sample: Handler = (f) => {
  const pair = f.operand(f.i.word(0));
  if (pair.kind !== "aggregate" || pair.parts.length !== 2)
    return f.refuse("the operand must be an image with its sampler");
  const [image, sampler] = pair.parts.map((part) => f.valueOf(part)) as [Value, Value];
  return readImage(f, image, [sampler], f.arg(1), operandsAt(f, 2));
};

const write: Handler = (f) => {
  const [image, at, texel] = [f.arg(0), coordinates(f, f.arg(1)), f.arg(2)];
  const mask = operandsAt(f, 3);
  const name = imageName(f, image);
  const end = suffix(f, texel.type, mask);
  const value = name.endsWith("_depth_t") && texel.type.kind === "vector" ? f.b.extract(texel, 0) : texel;
  callBuiltin(f, `write_image${end}`, [name, openclName(at.type, true), openclName(value.type, end !== "ui")], VOID, [
    image,
    at,
    value,
  ]);
  return undefined;
};

/** Width, height, depth and number of layers, as many as the image has. */
const size: Handler = (f) => {
  const image = f.arg(0);
  const name = imageName(f, image);
  const ask = (query: string): Value => callBuiltin(f, query, [name], I32, [image]);
  const parts = [ask("get_image_width")];
  if (/[23]d/u.test(name)) parts.push(ask("get_image_height"));
  if (name.includes("3d")) parts.push(ask("get_image_depth"));
  if (name.includes("array")) {
    const layers = callBuiltin(f, "get_image_array_size", [name], f.sizeType, [image]);
    parts.push(fittedInt(f, layers, I32));
  }
  const element = scalarOf(f.ir);
  const fitted = parts.map((part) => fittedInt(f, part, element));
  const [single] = fitted;
  if (f.ir.kind !== "vector") return single;
  while (fitted.length < f.ir.count) fitted.push(constantZero(element));
  return f.b.build(fitted.slice(0, f.ir.count));
};

/** A query whose numbers SPIR-V counts from 0 and OpenCL from `first`. */
const query =
  (name: string, first: number): Handler =>
  (f) => {
    const image = f.arg(0);
    const made = callBuiltin(f, name, [imageName(f, image)], I32, [image]);
    return f.op(Op.SUB, I32, made, constantInt(I32, first));
  };

/** Rows of images. */
export const IMAGES: HandlerTable = {
  OpSampledImage: (f) => new Aggregate([f.operand(f.i.word(0)), f.operand(f.i.word(1))]),
  OpImage: (f) => {
    const pair = f.operand(f.i.word(0));
    return pair.kind === "aggregate" ? pair.parts[0] : f.refuse("the operand must be an image with its sampler");
  },
  OpImageSampleExplicitLod: sample,
  OpImageRead: (f) => readImage(f, f.arg(0), [], f.arg(1), operandsAt(f, 2)),
  OpImageFetch: (f) => readImage(f, f.arg(0), [], f.arg(1), operandsAt(f, 2)),
  OpImageWrite: write,
  OpImageQuerySize: size,
  OpImageQuerySizeLod: size,
  OpImageQueryFormat: query("get_image_channel_data_type", CHANNEL_TYPES),
  OpImageQueryOrder: query("get_image_channel_order", 0x10b0),
  OpImageQueryLevels: () => constantInt(I32, 1),
  OpImageQuerySamples: () => constantInt(I32, 1),
};
