// SPDX-License-Identifier: Apache-2.0
// Job files: one kernel, its inputs, how often it runs. benchmarks/README.md defines the format.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { SCALAR_ARRAYS, type Scalar } from "@muxkit/cargo";
import type { AddressingMode, FilterMode, ImageFormat } from "@muxkit/opencl";

import { fileReason } from "../command/file-reason.ts";

/** What is wrong with a job file: file, place, what to do. */
export class JobError extends Error {
  override readonly name = "JobError";
}

/** Element types of buffers, types of scalars. */
const TYPES = Object.keys(SCALAR_ARRAYS) as readonly Scalar[];

/** How a kernel uses a buffer. */
export type Access = "r" | "w" | "rw";

/** One argument of a job's kernel. */
export type JobArgument =
  | {
      readonly kind: "buffer";
      readonly type: Scalar;
      readonly count: number;
      readonly init: string;
      readonly access: Access;
    }
  | { readonly kind: "local"; readonly bytes: number }
  | { readonly kind: "scalar"; readonly type: Scalar; readonly values: readonly (number | bigint)[] }
  | {
      readonly kind: "image";
      readonly type: Scalar;
      readonly count: number;
      readonly init: string;
      readonly access: Access;
      readonly width: number;
      readonly height: number;
      readonly format: ImageFormat;
    }
  | {
      readonly kind: "sampler";
      readonly normalized: boolean;
      readonly addressing: AddressingMode;
      readonly filter: FilterMode;
    };

/** A job. */
export interface Job {
  readonly name: string;
  /** Folder of the job file: where `file:` inputs begin. */
  readonly folder: string;
  /** Path of the kernel's source. */
  readonly source: string;
  /** Path of the compute shader that is the kernel for Vulkan; null: there is none. */
  readonly glsl: string | null;
  readonly kernel: string;
  readonly options: string;
  readonly global: readonly number[];
  readonly local: readonly number[] | null;
  readonly arguments: readonly JobArgument[];
  /** Launches of one timed run. */
  readonly enqueues: number;
  readonly warmup: number;
  readonly runs: number;
  /** Arguments are uploaded again before each timed run. */
  readonly reset: boolean;
  /** Leading output values to print. */
  readonly first: number;
  /** An element agrees when |x - y| <= abs + rel |y|; up to `fraction` of the elements may disagree. */
  readonly tolerance: { readonly rel: number; readonly abs: number; readonly fraction: number };
}

type Json = Readonly<Record<string, unknown>>;

/** A checked reader of one JSON object of a job file. */
class Fields {
  readonly #file: string;
  readonly #where: string;
  readonly #json: Json;

  constructor(file: string, where: string, value: unknown) {
    this.#file = file;
    this.#where = where;
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.error("is not an object");
    this.#json = value as Json;
  }

  error(problem: string): JobError {
    return new JobError(`${this.#file}: ${this.#where} ${problem}`);
  }

  has(key: string): boolean {
    return this.#json[key] !== undefined;
  }

  get keys(): readonly string[] {
    return Object.keys(this.#json);
  }

  text(key: string, fallback?: string): string {
    const value = this.#json[key] ?? fallback;
    if (typeof value !== "string") throw this.error(`needs "${key}", a text`);
    return value;
  }

  number(key: string, fallback?: number): number {
    const value = this.#json[key] ?? fallback;
    if (typeof value !== "number") throw this.error(`needs "${key}", a number`);
    return value;
  }

  count(key: string, least: number, fallback?: number): number {
    const value = this.number(key, fallback);
    if (!Number.isSafeInteger(value) || value < least)
      throw this.error(`has "${key}" ${value}; it must be an integer of at least ${least}`);
    return value;
  }

  sizes(key: string): readonly number[] {
    const value = this.#json[key];
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    if (
      list.length < 1 ||
      list.length > 3 ||
      !list.every((size) => typeof size === "number" && Number.isSafeInteger(size) && size > 0)
    )
      throw this.error(`needs "${key}", a list of one to three positive sizes`);
    return list as readonly number[];
  }

  object(key: string): Fields {
    return new Fields(this.#file, `${this.#where} "${key}"`, this.#json[key] ?? {});
  }

  value(key: string): unknown {
    return this.#json[key];
  }

  access(fallback: Access): Access {
    const access = this.text("access", fallback);
    if (access !== "r" && access !== "w" && access !== "rw")
      throw this.error(`has "access" "${access}"; use r, w or rw`);
    return access;
  }
}

function isScalar(name: string): name is Scalar {
  return Object.hasOwn(SCALAR_ARRAYS, name);
}

function scalar(fields: Fields, type: Scalar): JobArgument {
  const value = fields.value(type);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0 || !values.every((lane) => typeof lane === "number"))
    throw fields.error(`needs a number, or a list of them, as "${type}"`);
  return { kind: "scalar", type, values };
}

/** Formats of images: the type and number of the channels of a pixel, and OpenCL's words. */
const FORMATS: Readonly<
  Record<string, { readonly type: Scalar; readonly channels: number; readonly format: ImageFormat }>
> = {
  rgba8: { type: "uchar", channels: 4, format: { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" } },
  rgba32f: { type: "float", channels: 4, format: { channelOrder: "CL_RGBA", channelType: "CL_FLOAT" } },
  r32f: { type: "float", channels: 1, format: { channelOrder: "CL_R", channelType: "CL_FLOAT" } },
};

function image(fields: Fields): JobArgument {
  const name = fields.text("format", "rgba8");
  const row = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (row === undefined) throw fields.error(`has the format "${name}"; there are ${Object.keys(FORMATS).join(", ")}`);
  const width = fields.count("width", 1);
  const height = fields.count("height", 1);
  return {
    kind: "image",
    type: row.type,
    count: width * height * row.channels,
    init: fields.text("init", "zero"),
    access: fields.access("r"),
    width,
    height,
    format: row.format,
  };
}

const ADDRESSING: Readonly<Record<string, AddressingMode>> = {
  none: "CL_ADDRESS_NONE",
  clamp_to_edge: "CL_ADDRESS_CLAMP_TO_EDGE",
  clamp: "CL_ADDRESS_CLAMP",
  repeat: "CL_ADDRESS_REPEAT",
  mirrored_repeat: "CL_ADDRESS_MIRRORED_REPEAT",
};
const FILTERS: Readonly<Record<string, FilterMode>> = { nearest: "CL_FILTER_NEAREST", linear: "CL_FILTER_LINEAR" };

function word<T>(fields: Fields, key: string, fallback: string, words: Readonly<Record<string, T>>): T {
  const text = fields.text(key, fallback);
  const value = Object.hasOwn(words, text) ? words[text] : undefined;
  if (value === undefined) throw fields.error(`has "${key}" "${text}"; there are ${Object.keys(words).join(", ")}`);
  return value;
}

function sampler(fields: Fields): JobArgument {
  return {
    kind: "sampler",
    normalized: fields.value("normalized") === true,
    addressing: word(fields, "addressing", "none", ADDRESSING),
    filter: word(fields, "filter", "nearest", FILTERS),
  };
}

function argument(fields: Fields): JobArgument {
  if (fields.has("buffer")) {
    const type = fields.text("buffer");
    if (!isScalar(type)) throw fields.error(`has a buffer of "${type}"; there are ${TYPES.join(", ")}`);
    return {
      kind: "buffer",
      type,
      count: fields.count("count", 1),
      init: fields.text("init", "zero"),
      access: fields.access("rw"),
    };
  }
  if (fields.has("local_bytes")) return { kind: "local", bytes: fields.count("local_bytes", 1) };
  if (fields.has("image2d")) return image(fields.object("image2d"));
  if (fields.has("sampler")) return sampler(fields.object("sampler"));
  const type = TYPES.find((name) => fields.has(name));
  if (type !== undefined) return scalar(fields, type);
  throw fields.error(`is of an unknown kind: it has ${fields.keys.join(", ") || "no keys"}`);
}

/** Reads a job file. Throws a {@link JobError}. */
export function readJob(file: string): Job {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new JobError(`${file}: the job file cannot be read: ${fileReason(cause)}`, { cause });
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new JobError(`${file}: the job file is not JSON: ${fileReason(cause)}`, { cause });
  }
  const fields = new Fields(file, "the job", json);
  const list = fields.value("args");
  if (!Array.isArray(list)) throw fields.error('needs "args", a list');
  const folder = dirname(resolve(file));
  const global = fields.sizes("global");
  const local = fields.value("local") === null || !fields.has("local") ? null : fields.sizes("local");
  if (local !== null && local.length !== global.length)
    throw fields.error(`has ${global.length} global sizes and ${local.length} local sizes`);
  const tolerance = fields.object("tol");
  return {
    name: fields.text("name"),
    folder,
    source: resolve(folder, fields.text("source")),
    glsl: fields.has("glsl") ? resolve(folder, fields.text("glsl")) : null,
    kernel: fields.text("kernel"),
    options: fields.text("options", ""),
    global,
    local,
    arguments: list.map((item, i) => argument(new Fields(file, `argument ${i}`, item))),
    enqueues: fields.count("enqueues", 1, 1),
    warmup: fields.count("warmup", 0, 3),
    runs: fields.count("runs", 1, 15),
    reset: fields.value("reset") === true,
    first: fields.object("check").count("first", 0, 4),
    tolerance: {
      rel: tolerance.number("rel", 0),
      abs: tolerance.number("abs", 0),
      fraction: tolerance.number("frac", 0),
    },
  };
}
