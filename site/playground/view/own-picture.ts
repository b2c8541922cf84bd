// SPDX-License-Identifier: Apache-2.0
// The reader's own picture: from a file, scaled down to what a page computes with.
import type { Pixels } from "../model/contents.ts";

const MOST = 1600;

/** The pixels of a picture file. Throws an Error for files that are no pictures. */
export async function readPicture(file: Blob): Promise<Pixels> {
  const bitmap = await createImageBitmap(file).catch((cause: unknown) => {
    throw new Error("this file is no picture that the browser can read; take a PNG, JPEG or WebP", { cause });
  });
  const scale = Math.min(1, MOST / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("the browser has no canvas for the picture");
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  const { data } = context.getImageData(0, 0, width, height);
  return { width, height, data: new Uint8Array(data.buffer) };
}
