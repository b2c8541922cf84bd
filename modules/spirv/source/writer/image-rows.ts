// SPDX-License-Identifier: Apache-2.0
// Functions of images in kernels: reads, writes, queries. Coordinates are those of OpenCL C. Whole numbers have no sign
// in SPIR-V before version 1.4: the image's format decides, which OpenCL demands to agree with the function anyway.
import { F32, I32, type Type, type Value, constantZero, scalarOf, vectorType, laneCount } from "@muxkit/ir";

import type { EnumerantNames } from "../generated/names.ts";
import { enumerant } from "../grammar/tables.ts";
import type { BuiltinCall, BuiltinWriter } from "./builtin-rows.ts";
import { vectorOf } from "./arithmetic-rows.ts";
import { constantId, numberId } from "./constants.ts";
import type { FunctionWriter } from "./function-writer.ts";
import { written } from "./written.ts";

const SAMPLED_IMAGE = written("OpTypeSampledImage");
const SAMPLED = written("OpSampledImage");
const SAMPLE = written("OpImageSampleExplicitLod");
const READ = written("OpImageRead");
const WRITE = written("OpImageWrite");
const SIZE = written("OpImageQuerySize");
const SIZE_LOD = written("OpImageQuerySizeLod");
const FORMAT = written("OpImageQueryFormat");
const ORDER = written("OpImageQueryOrder");
const EXTRACT = written("OpCompositeExtract");
const ADD = written("OpIAdd");
const UCONVERT = written("OpUConvert");
const VECTOR = written("OpTypeVector");

const LOD = enumerant("ImageOperands", "Lod");

/** What is read is four numbers; of a depth image the first is taken. */
const read: BuiltinWriter = (f, { i, parameters }) => {
  const [image, ...rest] = i.operands as [Value, ...Value[]];
  const at = rest.at(-1) as Value;
  const four = vectorType(scalarOf(i.type), 4);
  const type = f.type(four);
  f.w.require("ImageBasic");
  let made: number;
  if (parameters[1] === "sampler_t") {
    const pair = f.w.declare(SAMPLED_IMAGE, f.operandType(image));
    const sampled = f.make(SAMPLED, pair, f.value(image), f.value(rest[0] as Value));
    made = f.make(SAMPLE, type, sampled, f.value(at), LOD, constantId(f.w, constantZero(F32)));
  } else made = f.make(READ, type, f.value(image), f.value(at));
  return laneCount(i.type) === 4 ? made : f.make(EXTRACT, f.type(i.type), made, 0);
};

const write: BuiltinWriter = (f, { i }) => {
  const [image, at, texel] = i.operands as [Value, Value, Value];
  f.w.require("ImageBasic");
  f.emit(WRITE, f.value(image), f.value(at), f.value(texel));
  return 0;
};

/** How many numbers a size has, by the image's name: width, height, depth, layers. */
function sizeParts(name: string): number {
  const dimensions = name.startsWith("image3d") ? 3 : name.startsWith("image2d") ? 2 : 1;
  return dimensions + (name.includes("array") ? 1 : 0);
}

function sizeOfImage(f: FunctionWriter, image: Value): { readonly id: number; readonly parts: number } {
  f.w.require("ImageBasic");
  const parts = sizeParts(image.type.name);
  const int = f.type(I32);
  const type = parts === 1 ? int : f.w.declare(VECTOR, int, parts);
  const id = image.type.name.includes("buffer")
    ? f.make(SIZE, type, f.value(image))
    : f.make(SIZE_LOD, type, f.value(image), numberId(f.w, I32, 0));
  return { id, parts };
}

/** One number of a size; from the end where it is negative. */
const sizePart =
  (index: number): BuiltinWriter =>
  (f, { i }) => {
    const { id, parts } = sizeOfImage(f, i.operands[0] as Value);
    const own = index < 0 ? parts + index : index;
    const part = parts === 1 ? id : f.make(EXTRACT, f.type(I32), id, own);
    return widened(f, part, i.type);
  };

function widened(f: FunctionWriter, id: number, type: Type): number {
  return type === I32 ? id : f.make(UCONVERT, f.type(type), id);
}

/** Width and height, or width, height, depth and 0. */
const dimensions: BuiltinWriter = (f, { i }) => {
  const { id } = sizeOfImage(f, i.operands[0] as Value);
  const count = laneCount(i.type) === 2 ? 2 : 3;
  const parts = Array.from({ length: count }, (_, n) => f.make(EXTRACT, f.type(I32), id, n));
  if (count === 3) parts.push(numberId(f.w, I32, 0));
  return vectorOf(f, f.type(i.type), parts);
};

/** SPIR-V counts orders and data types from 0, OpenCL from others. */
const query =
  (opcode: number, first: number): BuiltinWriter =>
  (f, { i }: BuiltinCall) => {
    f.w.require("ImageBasic");
    const made = f.make(opcode, f.type(I32), f.value(i.operands[0] as Value));
    return f.make(ADD, f.type(I32), made, numberId(f.w, I32, first));
  };

const reads = ["f", "i", "ui", "h"].map((end) => [`read_image${end}`, read] as const);
const writes = ["f", "i", "ui", "h"].map((end) => [`write_image${end}`, write] as const);

/** Functions of images by their names. */
export const IMAGE_BUILTINS: Readonly<Record<string, BuiltinWriter>> = {
  ...Object.fromEntries([...reads, ...writes]),
  get_image_width: sizePart(0),
  get_image_height: sizePart(1),
  get_image_depth: sizePart(2),
  get_image_array_size: sizePart(-1),
  get_image_dim: dimensions,
  get_image_channel_data_type: query(FORMAT, 0x10d0),
  get_image_channel_order: query(ORDER, 0x10b0),
};

/** The access that a function needs an image for: 0 read only, 1 write only; null: none of its own. */
export function accessOfBuiltin(name: string): 0 | 1 | null {
  if (name.startsWith("read_image")) return 0;
  return name.startsWith("write_image") ? 1 : null;
}

/** The accesses by OpenCL C's qualifiers. */
export const ACCESS: Readonly<Record<string, number>> = {
  read_only: enumerant("AccessQualifier", "ReadOnly" satisfies EnumerantNames["AccessQualifier"]),
  write_only: enumerant("AccessQualifier", "WriteOnly"),
  read_write: enumerant("AccessQualifier", "ReadWrite"),
};
