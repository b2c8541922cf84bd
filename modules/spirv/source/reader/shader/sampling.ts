// SPDX-License-Identifier: Apache-2.0
// Images of shaders that are read by a sampler, and addresses of texels. They call functions of
// the library that only shaders have (modules/builtins/source/opencl/sampling.cl, cubes.cl), whose coordinates and
// offsets are always four numbers; a plain sample ends in OpenCL C's read there.
import {
  F32,
  GLOBAL,
  I32,
  Op,
  type Type,
  type Value,
  constantZero,
  pointerType,
  scalarOf,
  vectorType,
} from "@muxkit/ir";

import type { Handler, HandlerTable } from "../arithmetic.ts";
import { callBuiltin, callByTypes } from "../calls.ts";
import type { FunctionReader } from "../function-reader.ts";
import { imageName, readImage, suffix } from "../images.ts";
import { type SpirvType, openclName } from "../types.ts";
import { type ImageOperands, axesOf, coordinatesOf, forEach, imageOperands, maskOf } from "./images.ts";
import { lanesOf } from "./matrices.ts";

const FLOATS = vectorType(F32, 4);
const INTS = vectorType(I32, 4);

/** The image and the sampler of operand word 0. */
function pairOf(f: FunctionReader): readonly [image: Value, sampler: Value] {
  const pair = f.operand(f.i.word(0));
  if (pair.kind !== "aggregate" || pair.parts.length !== 2)
    return f.refuse("the operand must be an image with its sampler");
  return pair.parts.map((part) => f.valueOf(part)) as [Value, Value];
}

/** Numbers as four, filled up with zeros. */
function four(f: FunctionReader, value: Value | null, type: Type): Value {
  if (value === null) return constantZero(type);
  const lanes = lanesOf(f, value).slice(0, 4);
  const zero = constantZero(scalarOf(type));
  return f.b.build([0, 1, 2, 3].map((n) => lanes[n] ?? zero));
}

/** Coordinates, divided by the one behind them where they are projective, and what they were divided by. */
function coordinatesAt(
  f: FunctionReader,
  image: Value,
  isProjected: boolean,
): { readonly at: Value; readonly divisor: Value | null } {
  const at = f.arg(1);
  if (!isProjected) return { at, divisor: null };
  const lanes = lanesOf(f, at);
  const divisor = lanes[axesOf(f, image)] ?? f.refuse("the coordinates have one more to divide by");
  return { at: f.b.build(lanes.map((lane) => f.op(Op.FDIV, lane.type, lane, divisor))), divisor };
}

/** A call of a function of the library; `more`: operands behind image, sampler and coordinates. */
function sampled(f: FunctionReader, name: string, type: Type, at: Value, more: readonly Value[]): Value {
  const [image, sampler] = pairOf(f);
  const names = [imageName(f, image), "sampler_t", "float4", ...more.map(({ type: own }) => openclName(own, true))];
  return callBuiltin(f, name, names, type, [image, sampler, four(f, at, FLOATS), ...more]);
}

/** The level of detail, which gradients may say. */
function detailOf(f: FunctionReader, { lod, gradients, least }: ImageOperands): Value {
  const [image] = pairOf(f);
  let detail = lod ?? constantZero(F32);
  if (gradients !== null) {
    if (cubeOf(f) !== null) return f.refuse("gradients of cubes are not supported; say the level of detail");
    const [dx, dy] = gradients.map((one) => four(f, one, FLOATS)) as [Value, Value];
    detail = callBuiltin(f, "__muxkit_detail", [imageName(f, image), "float4", "float4"], F32, [image, dx, dy]);
  }
  return least === null ? detail : callByTypes(f, "fmax", F32, [detail, least], [true]);
}

/** Which kind of cube the image of operand word 0 is. */
const cubeOf = (f: FunctionReader): SpirvType["cube"] => f.argType(0).element?.cube ?? null;

const sample = (isProjected: boolean): Handler =>
  forEach((f) => {
    const [image, sampler] = pairOf(f);
    const { at } = coordinatesAt(f, image, isProjected);
    const operands = imageOperands(f, 2);
    const mask = maskOf(f, 0);
    const end = suffix(f, f.ir, mask);
    if (end === "h") return readImage(f, image, [sampler], coordinatesOf(f, image, at), mask);
    const detail = detailOf(f, operands);
    if (cubeOf(f) !== null) return sampled(f, `__muxkit_sample_cube${end}`, f.ir, at, [detail]);
    const { offset } = operands;
    if (offset === null) return sampled(f, `__muxkit_sample${end}`, f.ir, at, [detail]);
    return sampled(f, `__muxkit_sample_moved${end}`, f.ir, at, [detail, four(f, offset, INTS)]);
  });

/** A sample that is compared with a reference, which is divided with projective coordinates. */
const compared = (isProjected: boolean): Handler =>
  forEach((f) => {
    const [image] = pairOf(f);
    if (cubeOf(f) !== null) return f.refuse("cubes are not compared with a reference: there are no cubes of depths");
    const { at, divisor } = coordinatesAt(f, image, isProjected);
    const given = f.arg(2);
    const reference = divisor === null ? given : f.op(Op.FDIV, given.type, given, divisor);
    const operands = imageOperands(f, 3);
    const more = [detailOf(f, operands), four(f, operands.offset, INTS), reference];
    return sampled(f, "__muxkit_compare", F32, at, more);
  });

/** Four texels; with an offset for each of them four times the last one, which lies at the offset. */
function gathered(f: FunctionReader, name: string, more: Value): Value {
  const { offset, offsets } = imageOperands(f, 3);
  if (cubeOf(f) !== null) return sampled(f, name.replace("gather", "gather_cube"), f.ir, f.arg(1), [more]);
  const one = (moved: Value | null): Value => sampled(f, name, f.ir, f.arg(1), [four(f, moved, INTS), more]);
  return offsets === null ? one(offset) : f.b.build(offsets.map((moved) => f.b.extract(one(moved), 3)));
}

/** The address of a texel, for atomic operations. */
const texelPointer = forEach((f) => {
  const image = f.arg(0);
  const at = coordinatesOf(f, image, f.arg(1));
  const given = at.type.kind === "vector" && at.type.count === 3 ? four(f, at, INTS) : at;
  const names = [imageName(f, image), openclName(given.type, true)];
  return callBuiltin(f, "__muxkit_texel", names, pointerType(GLOBAL), [image, given]);
});

/** Rows of images with samplers, and of addresses of texels. */
export const SHADER_SAMPLING: HandlerTable = {
  OpImageSampleExplicitLod: sample(false),
  OpImageSampleProjExplicitLod: sample(true),
  OpImageSampleDrefExplicitLod: compared(false),
  OpImageSampleProjDrefExplicitLod: compared(true),
  OpImageGather: forEach((f) => gathered(f, `__muxkit_gather${suffix(f, f.ir, maskOf(f, 0))}`, f.arg(2))),
  OpImageDrefGather: forEach((f) => gathered(f, "__muxkit_gather_compare", f.arg(2))),
  OpImageTexelPointer: texelPointer,
};
