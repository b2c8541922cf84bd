// SPDX-License-Identifier: Apache-2.0
// A buffer as a picture: bytes as colours, numbers by a colour map.
import type { ReadBuffer } from "../engine/protocol.ts";
import { COLOURS, extent } from "./colour-map.ts";

/** Pixels of a buffer. */
export function pixelsOf(
  { elements, lanes, stride }: ReadBuffer,
  width: number,
  height: number,
): Uint8ClampedArray<ArrayBuffer> {
  const count = width * height;
  const pixels = new Uint8ClampedArray(count * 4);
  if (lanes === 4 && elements instanceof Uint8Array) {
    pixels.set(elements.subarray(0, count * 4));
    return pixels;
  }
  if (lanes >= 3 && (elements instanceof Float32Array || elements instanceof Float64Array)) {
    for (let i = 0; i < count; i++)
      for (let k = 0; k < 4; k++) pixels[4 * i + k] = k === 3 ? 255 : 255 * (elements[i * stride + k] ?? 0);
    return pixels;
  }
  const [low, high] = extent(elements, stride);
  const scale = high > low ? 255 / (high - low) : 0;
  const words = new Uint32Array(pixels.buffer);
  for (let i = 0; i < count; i++) {
    const level = ((elements[i * stride] ?? low) - low) * scale;
    words[i] = COLOURS[Math.min(255, Math.max(0, Math.round(level)))] ?? 0;
  }
  return pixels;
}

/** Draws it. */
export function drawPicture(canvas: HTMLCanvasElement, buffer: ReadBuffer, shape: readonly number[]): void {
  const [width = 1] = shape;
  const height = shape[1] ?? 1;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  canvas.getContext("2d")?.putImageData(new ImageData(pixelsOf(buffer, width, height), width, height), 0, 0);
}
