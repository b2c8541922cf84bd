// SPDX-License-Identifier: Apache-2.0
// Photographs from PNG and JPEG files, results to PNG files; four bytes a pixel.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { decode as decodePng, encode as encodePng } from "fast-png";
import { decode as decodeJpeg } from "jpeg-js";

/** An image: red, green, blue and alpha of each pixel, row by row. */
export interface Image {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** What is wrong with an image file, as a sentence. */
export class ImageError extends Error {
  override readonly name = "ImageError";
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47];
const JPEG_SIGNATURE = [0xff, 0xd8, 0xff];

function fromPng(bytes: Uint8Array): Image {
  const { width, height, data, channels, depth, palette } = decodePng(bytes);
  const pixels = new Uint8Array(width * height * 4);
  const scale = depth === 16 ? 1 / 257 : 255 / (2 ** depth - 1);
  // Samples of fewer than eight bits are packed, each row from a new byte on.
  const rowBytes = Math.ceil((width * channels * depth) / 8);
  const sample = (x: number, y: number, channel: number): number => {
    if (depth >= 8) return data[(y * width + x) * channels + channel] ?? 0;
    const bit = (x * channels + channel) * depth;
    return ((data[y * rowBytes + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const [red = 0, green = red, blue = red, alpha = 255] =
        palette === undefined
          ? colour(channels, (channel) => Math.round(sample(x, y, channel) * scale))
          : (palette[sample(x, y, 0)] ?? []);
      pixels.set([red, green, blue, alpha], at);
    }
  }
  return { width, height, pixels };
}

/** One or two channels are grey, three or four are colour; the even ones have alpha. */
function colour(channels: number, sample: (channel: number) => number): readonly number[] {
  const alpha = channels % 2 === 0 ? sample(channels - 1) : 255;
  if (channels < 3) return [sample(0), sample(0), sample(0), alpha];
  return [sample(0), sample(1), sample(2), alpha];
}

/** Reads an image. Throws an {@link ImageError}. */
export function readImage(path: string): Image {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new ImageError(`${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  const starts = (signature: readonly number[]): boolean => signature.every((byte, i) => bytes[i] === byte);
  try {
    if (starts(PNG_SIGNATURE)) return fromPng(bytes);
    if (starts(JPEG_SIGNATURE)) {
      const { width, height, data } = decodeJpeg(bytes, { useTArray: true, maxMemoryUsageInMB: 4096 });
      return { width, height, pixels: data };
    }
  } catch (cause) {
    throw new ImageError(`${path} is damaged: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  throw new ImageError(`${path} is neither a PNG nor a JPEG file`);
}

/** Writes a PNG file. */
export function writePng(path: string, { width, height, pixels }: Image): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, encodePng({ width, height, data: pixels, channels: 4, depth: 8 }));
}
