// SPDX-License-Identifier: Apache-2.0
// The rules of image operands: a row for each bit of the mask, in the order in which their values follow it.
import type { EnumerantNames, OpName } from "../generated/names.ts";
import { enumerant } from "../grammar/tables.ts";
import { isConstant } from "./constants.ts";
import type { ImageFacts } from "./images.ts";
import type { ValidationRuleName } from "./rule.table.ts";
import type { Validation } from "./validation.ts";

/** What a row sees: the instruction, its image, the mask, and the word of its first value. */
interface Use {
  readonly v: Validation;
  readonly at: number;
  readonly image: ImageFacts;
  readonly mask: number;
  readonly lod: "implicit" | "explicit" | "fetch" | "none";
  readonly name: OpName;
  readonly word: number;
  /** The type of the first value. */
  readonly type: number;
}

interface Row {
  readonly values: number;
  readonly check: (use: Use) => readonly [rule: ValidationRuleName, message: string] | null;
}

const dim = (name: EnumerantNames["Dim"]): number => enumerant("Dim", name);
/** The dimension of cubes. */
export const CUBE: number = dim("Cube");
/** Dimensions whose images have levels. */
export const LEVELED: ReadonlySet<number> = new Set([dim("1D"), dim("2D"), dim("3D"), CUBE]);
const bit = (name: EnumerantNames["ImageOperands"]): number => enumerant("ImageOperands", name);
const LOD = bit("Lod");
const GRAD = bit("Grad");
const OFFSETS = [bit("ConstOffset"), bit("Offset"), bit("ConstOffsets")] as const;
const SAMPLE = bit("Sample");
const NON_PRIVATE = bit("NonPrivateTexel");

const isFloatScalar = ({ v, type }: Use): boolean => v.isFloat(type);

function checkOffset({ v, image, type, mask }: Use): readonly [ValidationRuleName, string] | null {
  if (OFFSETS.filter((one) => (mask & one) !== 0).length > 1)
    return ["image-offset-single", "there are several offsets"];
  if (image.dim === CUBE) return ["image-offset-dim", "a cube has no offsets"];
  if (!v.isInt(v.component(type)) || v.components(type) !== image.plane)
    return ["image-offset", `the offset has not ${image.plane} integers`];
  return null;
}

const ROWS: Readonly<Partial<Record<EnumerantNames["ImageOperands"], Row>>> = {
  Bias: {
    values: 1,
    check: (use) =>
      use.lod !== "implicit"
        ? ["image-bias", "a bias is for levels that are found alone"]
        : !isFloatScalar(use)
          ? ["image-bias", "the bias is no float"]
          : null,
  },
  Lod: {
    values: 1,
    check: (use) => {
      const { v, image, lod, type, mask } = use;
      if (lod === "implicit") return ["image-lod-place", "a level is given to an instruction that finds it itself"];
      if ((mask & GRAD) !== 0) return ["image-lod-or-grad", "there are both a level and gradients"];
      if (!LEVELED.has(image.dim)) return ["image-lod-dim", "images of this Dim have no levels"];
      if (image.isMultisampled) return ["image-lod-multisampled", "a multisampled image has one level"];
      const isRight = lod === "explicit" ? v.isFloat(type) || (v.isKernel && v.isInt(type)) : v.isInt(type);
      return isRight ? null : ["image-lod", lod === "explicit" ? "the level is no float" : "the level is no integer"];
    },
  },
  Grad: {
    values: 2,
    check: ({ v, at, image, lod, type, word }) => {
      if (lod !== "explicit") return ["image-grad-place", "gradients are for samples with explicit levels"];
      const other = v.typeOf(v.word(at, word + 1));
      const isRight = [type, other].every((one) => v.isFloat(v.component(one)) && v.components(one) === image.plane);
      return isRight ? null : ["image-grad", `a gradient has not ${image.plane} floats`];
    },
  },
  ConstOffset: {
    values: 1,
    check: (use) => {
      if (!isConstant(use.v, use.v.word(use.at, use.word)))
        return ["image-offset-constant", "the ConstOffset is no constant"];
      return checkOffset(use);
    },
  },
  Offset: { values: 1, check: checkOffset },
  ConstOffsets: {
    values: 1,
    check: ({ name, mask }) => {
      if (!name.includes("Gather")) return ["image-offsets-gather", "four offsets are for what gathers"];
      return OFFSETS.filter((one) => (mask & one) !== 0).length > 1
        ? ["image-offset-single", "there are several offsets"]
        : null;
    },
  },
  Sample: {
    values: 1,
    check: ({ v, image, type, lod, name }) => {
      if (lod === "implicit" || lod === "explicit" || name.includes("Gather"))
        return ["image-sample-place", "a sample is for what fetches, reads or writes"];
      if (!image.isMultisampled) return ["image-sample-single", "the image is not multisampled"];
      return v.isInt(type) ? null : ["image-sample", "the sample is no integer"];
    },
  },
  MinLod: {
    values: 1,
    check: (use) => {
      if (use.lod !== "implicit" && (use.mask & GRAD) === 0)
        return ["image-min-lod", "a least level is for levels that are found alone, or for gradients"];
      return isFloatScalar(use) ? null : ["image-min-lod", "the least level is no float"];
    },
  },
  MakeTexelAvailable: {
    values: 1,
    check: ({ name, mask }) =>
      name !== "OpImageWrite"
        ? ["texel-available", "only a write makes a texel available"]
        : (mask & NON_PRIVATE) === 0
          ? ["texel-private", "what is made available is NonPrivateTexel as well"]
          : null,
  },
  MakeTexelVisible: {
    values: 1,
    check: ({ name, mask }) =>
      name !== "OpImageRead" && name !== "OpImageSparseRead"
        ? ["texel-visible", "only a read makes a texel visible"]
        : (mask & NON_PRIVATE) === 0
          ? ["texel-private", "what is made visible is NonPrivateTexel as well"]
          : null,
  },
  SignExtend: { values: 0, check: () => null },
};
const rows = Object.entries(ROWS)
  .map(([name, row]) => ({ mask: bit(name as EnumerantNames["ImageOperands"]), ...row }))
  .toSorted((a, b) => a.mask - b.mask);

/** The image operands of an instruction, whose mask is at a word or absent. */
export function checkImageOperands(
  v: Validation,
  at: number,
  begin: number,
  image: ImageFacts,
  lod: Use["lod"],
  name: OpName,
): void {
  const mask = begin < v.size(at) ? v.word(at, begin) : 0;
  if (lod === "explicit" && (mask & (LOD | GRAD)) === 0)
    v.fail(at, "image-explicit-level", "there is neither a level nor a gradient", begin);
  if (image.isMultisampled && (mask & SAMPLE) === 0 && lod !== "implicit" && lod !== "explicit" && !v.isKernel)
    v.fail(at, "image-sample-needed", "a multisampled image needs the number of the sample", begin);
  let word = begin + 1;
  for (const row of rows) {
    if ((mask & row.mask) === 0) continue;
    const found = row.check({ v, at, image, mask, lod, name, word, type: v.typeOf(v.word(at, word)) });
    if (found !== null) {
      v.fail(at, found[0], found[1], begin);
      return;
    }
    word += row.values;
  }
}
