// SPDX-License-Identifier: Apache-2.0
// The rules of image instructions: a row for each family says what it takes, its coordinates, its result and its image
// operands; image-operands.ts has the rules of the operands.
import type { EnumerantNames, OpName } from "../generated/names.ts";
import { enumerant, opRow, opcodeOf } from "../grammar/tables.ts";
import { CUBE, LEVELED, checkImageOperands } from "./image-operands.ts";
import type { Validation } from "./validation.ts";

/** What a family of instructions takes. */
interface Family {
  readonly takes: "image" | "sampled";
  /** Words of the coordinate, of the reference of a comparison, of the component, of the texel; 0: there is none. */
  readonly coordinate: number;
  readonly reference: number;
  readonly component: number;
  readonly texel: number;
  /** The word of the image operands. */
  readonly operands: number;
  readonly lod: "implicit" | "explicit" | "fetch" | "none";
  readonly isProjective: boolean;
}

/** What is known of an image's type. */
export interface ImageFacts {
  /** Its id; 0: the operand is no image. */
  readonly type: number;
  readonly sampledType: number;
  readonly dim: number;
  readonly isArrayed: boolean;
  readonly isMultisampled: boolean;
  /** 0: known when it runs; 1: with a sampler; 2: without. */
  readonly sampled: number;
  readonly format: number;
  /** Coordinates of a place in one layer. */
  readonly plane: number;
}

const IMAGE = opcodeOf("OpTypeImage");
const SAMPLED_IMAGE_TYPE = opcodeOf("OpTypeSampledImage");
const SAMPLED_IMAGE = opcodeOf("OpSampledImage");
const dim = (name: EnumerantNames["Dim"]): number => enumerant("Dim", name);
const PLANES = new Map<number, number>([
  [dim("1D"), 1],
  [dim("2D"), 2],
  [dim("3D"), 3],
  [dim("Cube"), 3],
  [dim("Rect"), 2],
  [dim("Buffer"), 1],
  [dim("SubpassData"), 2],
]);
const BUFFER = dim("Buffer");
const SUBPASS = dim("SubpassData");
const GATHERED: ReadonlySet<number> = new Set([dim("2D"), CUBE, dim("Rect")]);
const FRAGMENT = enumerant("ExecutionModel", "Fragment");
const COMPUTE = enumerant("ExecutionModel", "GLCompute");

function family(name: OpName): Family {
  const isSample = name.includes("Sample");
  const isGather = name.includes("Gather");
  const isDref = name.includes("Dref");
  const isWrite = name === "OpImageWrite";
  const coordinate = isWrite ? 2 : 4;
  const third = isDref || isGather || isWrite ? coordinate + 1 : 0;
  return {
    takes: isSample || isGather ? "sampled" : "image",
    coordinate,
    reference: isDref ? third : 0,
    component: isGather && !isDref ? third : 0,
    texel: isWrite ? third : 0,
    operands: third === 0 ? coordinate + 1 : third + 1,
    lod: name.includes("ImplicitLod")
      ? "implicit"
      : name.includes("ExplicitLod")
        ? "explicit"
        : name.endsWith("Fetch")
          ? "fetch"
          : "none",
    isProjective: name.includes("Proj"),
  };
}

const FAMILIES: readonly OpName[] = [
  "OpImageSampleImplicitLod",
  "OpImageSampleExplicitLod",
  "OpImageSampleDrefImplicitLod",
  "OpImageSampleDrefExplicitLod",
  "OpImageSampleProjImplicitLod",
  "OpImageSampleProjExplicitLod",
  "OpImageSampleProjDrefImplicitLod",
  "OpImageSampleProjDrefExplicitLod",
  "OpImageFetch",
  "OpImageGather",
  "OpImageDrefGather",
  "OpImageRead",
  "OpImageWrite",
];

/** The facts of an image's type, or of the image in a sampled image's type. */
export function imageFacts(v: Validation, of: number): ImageFacts {
  const isSampledImage = v.op(of) === SAMPLED_IMAGE_TYPE;
  const type = isSampledImage ? v.word(v.definition(of), 2) : of;
  const at = v.op(type) === IMAGE ? v.definition(type) : -1;
  return {
    type: at < 0 ? 0 : type,
    sampledType: v.word(at, 2),
    dim: v.word(at, 3),
    isArrayed: v.word(at, 5) === 1,
    isMultisampled: v.word(at, 6) === 1,
    sampled: v.word(at, 7),
    format: v.word(at, 8),
    plane: PLANES.get(v.word(at, 3)) ?? 1,
  };
}

function checkCoordinate(v: Validation, at: number, image: ImageFacts, of: Family): void {
  const type = v.typeOf(v.word(at, of.coordinate));
  const scalar = v.component(type);
  const isSample = of.takes === "sampled";
  const mayBeInt = !isSample || (of.lod === "explicit" && v.isKernel);
  const mayBeFloat = isSample || (v.isKernel && !v.isShader);
  const isRight = (mayBeInt && v.isInt(scalar)) || (mayBeFloat && v.isFloat(scalar));
  if (!isRight || v.isMatrix(type))
    v.fail(at, "image-coordinate", `the coordinate is not made of ${isSample ? "floats" : "integers"}`, of.coordinate);
  const wanted = image.plane + (image.isArrayed ? 1 : 0) + (of.isProjective ? 1 : 0);
  if (v.components(type) < wanted)
    v.fail(
      at,
      "image-coordinate-size",
      `the coordinate has ${v.components(type)} components, ${wanted} are needed`,
      of.coordinate,
    );
}

function checkResult(v: Validation, at: number, image: ImageFacts, of: Family): void {
  const type = of.texel > 0 ? v.typeOf(v.word(at, of.texel)) : v.word(at, 1);
  const word = of.texel > 0 ? of.texel : 1;
  const scalar = v.component(type);
  const isRead = of.takes === "image" && of.lod === "none";
  const rule = of.texel > 0 ? "image-texel" : "image-result";
  if (!v.isInt(scalar) && !v.isFloat(scalar)) v.fail(at, rule, "texels are integers, floats, or vectors of them", word);
  else if (
    of.reference > 0
      ? of.component === 0 && of.lod !== "none" && v.components(type) !== 1
      : !isRead && v.components(type) !== 4
  )
    v.fail(at, "image-result", of.reference > 0 ? "a comparison gives a scalar" : "a texel has four components", word);
  else if (!v.isVoid(image.sampledType) && image.sampledType !== scalar)
    v.fail(at, "image-sampled-type", "the components have another type than the image's", word);
}

function checkKind(v: Validation, at: number, image: ImageFacts, of: Family, name: OpName): void {
  if (of.lod === "fetch") {
    if (image.sampled !== 1 && !v.isKernel) v.fail(at, "image-sampled", "what is fetched from is not sampled", 3);
    if (image.dim === CUBE) v.fail(at, "image-dim", "nothing is fetched from a cube", 3);
  } else if (of.takes === "image") {
    const word = of.texel > 0 ? 1 : 3;
    if (image.sampled === 1) v.fail(at, "image-sampled", "an image that is sampled is neither read nor written", word);
    if (of.texel > 0 && image.dim === SUBPASS) v.fail(at, "image-dim", "SubpassData is not written", word);
    const isUnknown = image.format === 0 && image.dim !== SUBPASS && image.sampled === 2 && v.isShader && !v.isKernel;
    const capability = of.texel > 0 ? "StorageImageWriteWithoutFormat" : "StorageImageReadWithoutFormat";
    if (isUnknown && !v.has(capability))
      v.fail(
        at,
        of.texel > 0 ? "image-write-format" : "image-read-format",
        `the format is Unknown, which needs ${capability}`,
        word,
      );
  } else if (image.dim === BUFFER || image.dim === SUBPASS)
    v.fail(at, "image-dim", "images of this Dim have no samplers", 3);
  else if (image.isMultisampled) v.fail(at, "image-multisampled", "multisampled images have no samplers", 3);
  else if (name.includes("Gather") && !GATHERED.has(image.dim))
    v.fail(at, "image-dim", "only 2D, Cube and Rect are gathered", 3);
}

/** A check of one instruction. */
type Check = (v: Validation, at: number) => void;

const checkFamily =
  (name: OpName): Check =>
  (v, at) => {
    const of = FAMILY.get(name) ?? family(name);
    const word = of.texel > 0 ? 1 : 3;
    const type = v.typeOf(v.word(at, word));
    // Translators of kernels pass images as they are; their sampled types are known to the reader.
    if (v.op(type) !== (of.takes === "sampled" ? SAMPLED_IMAGE_TYPE : IMAGE)) {
      v.fail(
        at,
        "operand-type",
        `%${v.word(at, word)} is not ${of.takes === "sampled" ? "a sampled image" : "an image"}`,
        word,
      );
      return;
    }
    const image = imageFacts(v, type);
    checkKind(v, at, image, of, name);
    checkResult(v, at, image, of);
    checkCoordinate(v, at, image, of);
    if (of.lod === "implicit" && !v.hasModel((model) => model === FRAGMENT || model === COMPUTE))
      v.fail(at, "implicit-lod", "no entry point has derivatives, from which the level comes");
    if (
      of.reference > 0 &&
      (!v.isFloat(v.typeOf(v.word(at, of.reference))) || v.width(v.typeOf(v.word(at, of.reference))) !== 32)
    )
      v.fail(at, "image-reference", "the reference of a comparison is no float of 32 bits", of.reference);
    if (of.component > 0) {
      const component = v.typeOf(v.word(at, of.component));
      if (!v.isInt(component) || v.width(component) !== 32)
        v.fail(at, "image-component", "the component to gather is no integer of 32 bits", of.component);
    }
    checkImageOperands(v, at, of.operands, image, of.lod, name);
  };
const FAMILY: ReadonlyMap<OpName, Family> = new Map(FAMILIES.map((name) => [name, family(name)]));

/** The queries: what they ask, what it has. */
const checkQuery =
  (wanted: "size" | "size-lod" | "levels" | "samples" | "other"): Check =>
  (v, at) => {
    const image = imageFacts(v, v.typeOf(v.word(at, 3)));
    const result = v.word(at, 1);
    if (image.type === 0 || v.op(v.typeOf(v.word(at, 3))) !== IMAGE) {
      v.fail(at, "operand-type", `%${v.word(at, 3)} is not an image`, 3);
      return;
    }
    const isSize = wanted === "size" || wanted === "size-lod";
    const count = isSize ? (image.dim === CUBE ? 2 : image.plane) + (image.isArrayed ? 1 : 0) : 1;
    if (!v.isInt(v.component(result)) || v.components(result) !== count || v.isMatrix(result))
      v.fail(
        at,
        "image-query-result",
        `the answer is ${count === 1 ? "an integer" : `a vector of ${count} integers`}`,
        1,
      );
    if ((wanted === "size-lod" || wanted === "levels") && !LEVELED.has(image.dim))
      v.fail(at, "image-query-dim", "images of this Dim have no levels", 3);
    if (wanted === "size-lod" && image.isMultisampled)
      v.fail(at, "image-query-dim", "a multisampled image has one level", 3);
    if (wanted === "size-lod" && !v.isInt(v.typeOf(v.word(at, 4))))
      v.fail(at, "image-query-level", "the level is no integer", 4);
    if (wanted === "samples" && !image.isMultisampled)
      v.fail(at, "image-query-samples", "the image is not multisampled", 3);
    if (wanted === "size" && LEVELED.has(image.dim) && !image.isMultisampled && image.sampled === 1 && !v.isKernel)
      v.fail(at, "image-query-dim", "a sampled image with levels is asked by OpImageQuerySizeLod", 3);
  };

/** Where the result of OpSampledImage may go. */
function checkUse(v: Validation, at: number): void {
  const { opcodes } = v.module;
  const name = opRow(opcodes[at] ?? 0)?.name ?? "";
  if (name.startsWith("OpImage") || opcodes[at] === SAMPLED_IMAGE) {
    const definition = v.definition(v.word(at, 3));
    if (opcodes[definition] === SAMPLED_IMAGE && v.blockOf[definition] !== v.blockOf[at])
      v.fail(at, "sampled-image-block", "a sampled image is used in another block than it is made in", 3);
  }
}

const checkNotSampledImage: Check = (v, at) => {
  if (v.op(v.word(at, 1)) === SAMPLED_IMAGE_TYPE && v.isShader)
    v.fail(at, "sampled-image-use", "a sampled image goes into image instructions alone", 1);
};

const checkPointer: Check = (v, at) => {
  const result = v.word(at, 1);
  const base = v.typeOf(v.word(at, 3));
  const image = imageFacts(v, v.pointee(base));
  if (!v.isPointer(result) || v.storageClass(result) !== IMAGE_CLASS)
    v.fail(at, "texel-pointer", "a pointer to a texel has the storage class Image", 1);
  else if (!v.isPointer(base) || image.type === 0)
    v.fail(at, "texel-pointer", "the texel's image is no pointer to an image", 3);
  else if (!v.isVoid(image.sampledType) && v.pointee(result) !== image.sampledType)
    v.fail(at, "texel-pointer", "the pointer points to another type than the image's", 1);
  else {
    const coordinate = v.typeOf(v.word(at, 4));
    const wanted = image.plane + (image.isArrayed && image.dim !== CUBE ? 1 : 0);
    if (!v.isInt(v.component(coordinate)) || v.components(coordinate) !== wanted)
      v.fail(at, "image-coordinate-size", `the coordinate has not ${wanted} integers`, 4);
    if (!v.isInt(v.typeOf(v.word(at, 5)))) v.fail(at, "image-sample", "the sample is no integer", 5);
    else if (!image.isMultisampled && v.constant(v.word(at, 5)) !== 0)
      v.fail(at, "image-sample", "an image that is not multisampled has the sample 0", 5);
  }
};
const IMAGE_CLASS = enumerant("StorageClass", "Image");

/** The rows of image instructions. */
export const IMAGE_ROWS: Partial<Record<OpName, Check>> = {
  OpImageQuerySize: checkQuery("size"),
  OpImageQuerySizeLod: checkQuery("size-lod"),
  OpImageQueryLevels: checkQuery("levels"),
  OpImageQuerySamples: checkQuery("samples"),
  OpImageQueryFormat: checkQuery("other"),
  OpImageQueryOrder: checkQuery("other"),
  OpImageTexelPointer: checkPointer,
  OpSelect: checkNotSampledImage,
  OpPhi: checkNotSampledImage,
  OpCopyObject: checkNotSampledImage,
  OpImage: (v, at) => {
    checkUse(v, at);
    const from = v.typeOf(v.word(at, 3));
    if (v.op(from) !== SAMPLED_IMAGE_TYPE) v.fail(at, "operand-type", `%${v.word(at, 3)} is not a sampled image`, 3);
    else if (imageFacts(v, from).type !== v.word(at, 1))
      v.fail(at, "result-type", "the result is not the image of the sampled image", 1);
  },
  OpSampledImage: (v, at) => {
    const result = v.word(at, 1);
    const image = imageFacts(v, v.typeOf(v.word(at, 3)));
    if (image.type === 0) return;
    if (v.op(result) === SAMPLED_IMAGE_TYPE && imageFacts(v, result).type !== image.type)
      v.fail(at, "result-type", "the result is a sampled image of another type", 1);
    else if (image.sampled === 2) v.fail(at, "image-sampled", "an image without a sampler gets none", 3);
    else if (image.dim === SUBPASS) v.fail(at, "image-dim", "SubpassData has no sampler", 3);
  },
};
for (const name of FAMILIES)
  IMAGE_ROWS[name] = (v, at) => {
    checkUse(v, at);
    checkFamily(name)(v, at);
  };
