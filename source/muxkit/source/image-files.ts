// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/image-files`: pictures from PNG and JPEG files, and results as such files, by the packages `fast-png` and
 * `jpeg-js`, which a program that reads or writes such a file installs.
 *
 * @packageDocumentation
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, extname } from "node:path";

import type { ImagePixels } from "./image-data.ts";

export type { ImagePixels } from "./image-data.ts";

/** What is wrong with an image file, as a sentence. @public */
export class ImageError extends Error {
  /** Name of the class. */
  override readonly name = "ImageError";
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47];
const JPEG_SIGNATURE = [0xff, 0xd8, 0xff];
/** Of JPEG files, 1 to 100. */
const DEFAULT_QUALITY = 90;

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** A package that is not installed with this one. */
async function optional<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new ImageError(`the package ${name} is needed for such a file: npm install ${name}`, { cause });
  }
}

const png = (): Promise<typeof import("fast-png")> => optional("fast-png", () => import("fast-png"));
const jpeg = (): Promise<typeof import("jpeg-js")> => optional("jpeg-js", () => import("jpeg-js"));

/** One or two channels are grey, three or four are colour; the even ones have alpha. */
function colour(channels: number, sample: (channel: number) => number): readonly number[] {
  const alpha = channels % 2 === 0 ? sample(channels - 1) : 255;
  if (channels < 3) return [sample(0), sample(0), sample(0), alpha];
  return [sample(0), sample(1), sample(2), alpha];
}

async function fromPng(bytes: Uint8Array): Promise<ImagePixels> {
  const { decode } = await png();
  const { width, height, data: samples, channels, depth, palette } = decode(bytes);
  const data = new Uint8ClampedArray(width * height * 4);
  const scale = depth === 16 ? 1 / 257 : 255 / (2 ** depth - 1);
  // Samples of fewer than eight bits are packed, each row from a new byte on.
  const rowBytes = Math.ceil((width * channels * depth) / 8);
  const sample = (x: number, y: number, channel: number): number => {
    if (depth >= 8) return samples[(y * width + x) * channels + channel] ?? 0;
    const bit = (x * channels + channel) * depth;
    return ((samples[y * rowBytes + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red = 0, green = red, blue = red, alpha = 255] =
        palette === undefined
          ? colour(channels, (channel) => Math.round(sample(x, y, channel) * scale))
          : (palette[sample(x, y, 0)] ?? []);
      data.set([red, green, blue, alpha], (y * width + x) * 4);
    }
  }
  return { width, height, data };
}

async function fromJpeg(bytes: Uint8Array): Promise<ImagePixels> {
  const { decode } = await jpeg();
  const { width, height, data } = decode(bytes, { useTArray: true, maxMemoryUsageInMB: 4096 });
  return { width, height, data };
}

/**
 * Reads a PNG or JPEG file; `device.image(…)` takes the result. Throws an {@link ImageError} with a sentence for a file
 * that cannot be read, is damaged or is of another kind, and for a package that is not installed.
 *
 * @public
 */
export async function readImage(path: string): Promise<ImagePixels> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw new ImageError(`${path} cannot be read: ${reason(cause)}`, { cause });
  }
  const starts = (signature: readonly number[]): boolean => signature.every((byte, i) => bytes[i] === byte);
  try {
    if (starts(PNG_SIGNATURE)) return await fromPng(bytes);
    if (starts(JPEG_SIGNATURE)) return await fromJpeg(bytes);
  } catch (cause) {
    if (cause instanceof ImageError) throw cause;
    throw new ImageError(`${path} is damaged: ${reason(cause)}`, { cause });
  }
  throw new ImageError(`${path} is neither a PNG nor a JPEG file`);
}

/**
 * Writes a picture (`await image.toPixels()`) as a PNG or JPEG file, by the ending of its name; folders are made.
 * `quality` is for JPEG files, from 1 to 100. Throws an {@link ImageError} for another ending, a package that is not
 * installed, and a file that cannot be written.
 *
 * @public
 */
export async function writeImage(
  path: string,
  { width, height, data }: ImagePixels,
  { quality = DEFAULT_QUALITY }: { readonly quality?: number } = {},
): Promise<void> {
  const kind = extname(path).toLowerCase();
  if (kind !== ".png" && kind !== ".jpg" && kind !== ".jpeg")
    throw new ImageError(`${path} ends neither in .png nor in .jpg`);
  const bytes =
    kind === ".png"
      ? (await png()).encode({ width, height, data, channels: 4, depth: 8 })
      : (await jpeg()).encode(
          { width, height, data: new Uint8Array(data.buffer, data.byteOffset, data.length) },
          quality,
        ).data;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  } catch (cause) {
    throw new ImageError(`${path} cannot be written: ${reason(cause)}`, { cause });
  }
}
