// SPDX-License-Identifier: Apache-2.0
// Pipeline caches: code by everything that it was made of. The data is Vulkan's header of 32 bytes, which says for
// which device and build it is, and then records: bytes of the key, bytes of the code, the key, the code.
import { bytesOf } from "@muxkit/cargo";

import { type Device, deviceOf } from "./device.ts";
import { VkPipelineCache } from "./generated/handles.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";

const HEADER_BYTES = 32;
/** VK_PIPELINE_CACHE_HEADER_VERSION_ONE */
const HEADER_VERSION = 1;
const UUID_AT = 16;
const RECORD_BYTES = 8;

/** A text with the same length and contents as the bytes: a map compares it whole. */
function textOf(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return text;
}

function headerOf({ physical }: Device): Uint8Array {
  const { vendorID, deviceID, pipelineCacheUUID } = physical.properties();
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [i, value] of [HEADER_BYTES, HEADER_VERSION, vendorID, deviceID].entries())
    view.setUint32(i * 4, value, true);
  bytes.set(pipelineCacheUUID, UUID_AT);
  return bytes;
}

/** A cache. */
export class PipelineCache extends VkPipelineCache {
  readonly #device: Device;
  readonly #code = new Map<string, { readonly key: Uint8Array; readonly code: Uint8Array }>();

  /** Data of another device, of another build, or that is cut off is not taken. */
  constructor(device: Device, data: Uint8Array) {
    super(device);
    this.#device = device;
    if (headerOf(device).every((byte, i) => byte === data[i])) this.#read(data);
  }

  /** The code for a key; null: there is none. */
  find(key: Uint8Array): Uint8Array | null {
    return this.#code.get(textOf(key))?.code ?? null;
  }

  /** Keeps code. */
  keep(key: Uint8Array, code: Uint8Array): void {
    this.#code.set(textOf(key), { key, code });
  }

  /** Adds what another cache has. */
  merge(other: PipelineCache): void {
    for (const [text, row] of other.#code) this.#code.set(text, row);
  }

  /** What it holds, as bytes. */
  data(): Uint8Array {
    const rows = [...this.#code.values()];
    const size = rows.reduce((sum, { key, code }) => sum + RECORD_BYTES + key.length + code.length, HEADER_BYTES);
    const bytes = new Uint8Array(size);
    const view = new DataView(bytes.buffer);
    bytes.set(headerOf(this.#device));
    let at = HEADER_BYTES;
    for (const { key, code } of rows) {
      view.setUint32(at, key.length, true);
      view.setUint32(at + 4, code.length, true);
      bytes.set(key, at + RECORD_BYTES);
      bytes.set(code, at + RECORD_BYTES + key.length);
      at += RECORD_BYTES + key.length + code.length;
    }
    return bytes;
  }

  #read(data: Uint8Array): void {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    for (let at = HEADER_BYTES; at + RECORD_BYTES <= data.length;) {
      const [first, second] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
      const middle = at + RECORD_BYTES + first;
      if (middle + second > data.length) return;
      this.keep(data.slice(at + RECORD_BYTES, middle), data.slice(middle, middle + second));
      at = middle + second;
    }
  }

  protected release(): void {
    this.#code.clear();
  }
}

const cacheOf = (cache: VkPipelineCache, call: string): PipelineCache => own(cache, PipelineCache, call);

/** Entry points for pipeline caches. */
export const PIPELINE_CACHES: Pick<
  Vulkan,
  "vkCreatePipelineCache" | "vkDestroyPipelineCache" | "vkGetPipelineCacheData" | "vkMergePipelineCaches"
> = {
  vkCreatePipelineCache: (device, { pInitialData }): VkPipelineCache =>
    new PipelineCache(
      deviceOf(device, "vkCreatePipelineCache"),
      pInitialData === undefined ? new Uint8Array(0) : bytesOf(pInitialData),
    ),
  vkDestroyPipelineCache: (_device, cache) => {
    cache.end();
  },
  vkGetPipelineCacheData: (_device, cache) => cacheOf(cache, "vkGetPipelineCacheData").data(),
  vkMergePipelineCaches: (_device, dstCache, pSrcCaches) => {
    const call = "vkMergePipelineCaches";
    for (const source of pSrcCaches) cacheOf(dstCache, call).merge(cacheOf(source, call));
  },
};
