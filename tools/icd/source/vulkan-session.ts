// SPDX-License-Identifier: Apache-2.0
// A native program's use of Vulkan: its calls become calls of @muxkit/vulkan. Validation is off unless
// MUXKIT_VK_VALIDATION=1: native programs have Khronos' layer for that.
import * as vulkan from "@muxkit/vulkan";
import {
  VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
  VK_VALIDATION_FEATURE_DISABLE_ALL_EXT,
  type VkCommandBuffer,
  type VkDevice,
  type VkDeviceMemory,
  type VkFence,
  VkHandle,
  type VkQueryPool,
  type VkQueue,
  type VkSemaphoreWaitInfo,
  VulkanError,
  vkDeviceWaitIdleAsync,
  vkGetQueryPoolResults,
  vkMapMemory,
  vkQueueWaitIdleAsync,
  vkWaitForFences,
  vkWaitSemaphores,
} from "@muxkit/vulkan";

import type { SharedMemory } from "./device-memory.ts";
import { ABSENT_EXTENSIONS, WIRE_CALLS, type WireCall } from "./generated/vulkan-tables.ts";
import type { Frame, Link } from "./transport.ts";
import { type Numbers, type Plain, readChain, readField, writeStruct } from "./vulkan-marshal.ts";
import { FrameKind, ProtocolError, WireReader, WireWriter } from "./wire.ts";

const UNKNOWN = -13;
/** ns for which a wait holds up the calls of other threads of the program. */
const SLICE = 1e6;

type Parameters = readonly unknown[];
type Answer = WireWriter | Promise<WireWriter | null> | null;

const now = (): number => performance.now() * 1e6;
const laterTurn = async (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1);
  });
const nextTurn = async (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/**
 * Waits in slices: another thread of the program may bring what is waited for, so its calls are taken between. What
 * nobody has submitted yet is waited for too, as Vulkan allows.
 */
async function waitInSlices(
  timeout: number,
  wait: (timeout: number) => "VK_SUCCESS" | "VK_TIMEOUT",
): Promise<WireWriter> {
  const end = timeout === Infinity ? Infinity : now() + timeout;
  for (;;) {
    const begin = now();
    const slice = Math.max(0, Math.min(SLICE, end - begin));
    const result = wait(slice);
    if (result === "VK_SUCCESS" || now() >= end) return new WireWriter().u32(vulkan.ResultCode[result]);
    // oxlint-disable-next-line no-await-in-loop -- it is the same thing that is waited for
    await (now() - begin < slice / 2 ? laterTurn() : nextTurn());
  }
}

/** The functions of the package, by name. */
const FUNCTIONS = vulkan as unknown as Readonly<Record<string, (...parameters: Parameters) => unknown>>;

function withoutValidation(info: Plain): Plain {
  if (process.env["MUXKIT_VK_VALIDATION"] === "1") return info;
  return {
    ...info,
    pNext: {
      sType: VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
      pDisabledValidationFeatures: [VK_VALIDATION_FEATURE_DISABLE_ALL_EXT],
    },
  };
}

/** A native program's session. @internal */
export class VulkanSession {
  readonly #link: Link;
  readonly #memory: SharedMemory;
  readonly #objects = new Map<number, VkHandle>();
  readonly #numbers = new Map<VkHandle, number>();
  #last = 0;
  /** Errors of commands, by their command buffers: vkEndCommandBuffer answers them. */
  readonly #failed = new WeakMap<VkHandle, unknown>();
  readonly #lookUp: Numbers;

  /** Answers by a link. */
  constructor(link: Link, memory: SharedMemory) {
    this.#link = link;
    this.#memory = memory;
    this.#lookUp = {
      find: (number, isLoose) => this.#find(number, isLoose),
      numberOf: (object) => this.#numberOf(object),
    };
  }

  #find(number: number, isLoose: boolean): VkHandle | null {
    const object = this.#objects.get(number);
    if (object !== undefined) return object;
    if (number === 0 || isLoose) return null;
    throw new VulkanError("VK_ERROR_UNKNOWN", "a call", `there is no object ${number}, or it is destroyed`);
  }

  #numberOf(object: VkHandle): number {
    let number = this.#numbers.get(object);
    if (number !== undefined) return number;
    number = ++this.#last;
    this.#objects.set(number, object);
    this.#numbers.set(object, number);
    return number;
  }

  /** Forgets objects that are destroyed, by their own call or with what they were made of. */
  #forget(): void {
    for (const [object, number] of this.#numbers) {
      let isAlive = true;
      for (let above: VkHandle | null = object; above !== null; above = above.parent) isAlive &&= above.isAlive;
      if (isAlive) continue;
      this.#objects.delete(number);
      this.#numbers.delete(object);
    }
  }

  /** Replies to a request with an error. */
  fail(request: number, thrown: unknown): void {
    if (thrown instanceof ProtocolError) throw thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    if (request === 0) this.log(message);
    else {
      // Programs know the codes of Vulkan's core; what is not valid has none there.
      const code = thrown instanceof VulkanError ? thrown.code : UNKNOWN;
      this.#link.send(FrameKind.reply, request, code, new WireWriter().text(message).body);
    }
  }

  /** A line for MUXKIT_ICD_LOG. */
  log(message: string): void {
    this.#link.send(FrameKind.log, 0, 0, new TextEncoder().encode(message));
  }

  /** What a shader printed. */
  print(text: string): void {
    this.#link.send(FrameKind.print, 0, 0, new TextEncoder().encode(text));
  }

  #reply(request: number, body: WireWriter | null): void {
    if (request !== 0) this.#link.send(FrameKind.reply, request, 0, body?.body);
  }

  #answer({ name, answer, type }: WireCall, result: unknown): WireWriter | null {
    const writer = new WireWriter();
    const one = (value: unknown): void => {
      if (value instanceof VkHandle) writer.u32(this.#numberOf(value));
      else writeStruct(writer, type, value as Plain);
    };
    switch (answer) {
      case "NOTHING":
        return null;
      case "RESULT":
        return writer.u32(vulkan.ResultCode[result as vulkan.VkResult]);
      case "U32":
      case "U32_DIRECT":
        return writer.u32(Number(result));
      case "U64":
      case "U64_DIRECT":
        return writer.u64(result as number | bigint);
      case "BYTES":
        return writer.bytes(result as Uint8Array);
      case "HANDLE":
      case "OBJECT":
      case "STRUCT":
        one(result);
        return writer;
      default:
        if (!Array.isArray(result)) throw new Error(`${name} has answered no list`);
        writer.u32(result.length);
        for (const element of result) one(element);
        return writer;
    }
  }

  /** Calls whose way is their own; undefined: it is as any. */
  #special(name: string, parameters: Parameters, reader: WireReader): Answer | undefined {
    switch (name) {
      case "vkWaitForFences": {
        const [device, fences, isAll, timeout] = parameters as [VkDevice, readonly VkFence[], boolean, number];
        return waitInSlices(timeout, (slice) => vkWaitForFences(device, fences, isAll, slice));
      }
      case "vkWaitSemaphores": {
        const [device, info, timeout] = parameters as [VkDevice, VkSemaphoreWaitInfo, number];
        return waitInSlices(timeout, (slice) => vkWaitSemaphores(device, info, slice));
      }
      case "vkQueueWaitIdle":
        return vkQueueWaitIdleAsync(parameters[0] as VkQueue).then(() => null);
      case "vkDeviceWaitIdle":
        return vkDeviceWaitIdleAsync(parameters[0] as VkDevice).then(() => null);
      case "vkMapMemory": {
        const [device, memory, offset, size, flags] = parameters as [VkDevice, VkDeviceMemory, number, number, number];
        const bytes = vkMapMemory(device, memory, offset, size, flags);
        const place = this.#memory.placeOfBytes(bytes);
        if (place !== null)
          return new WireWriter().u64(place.address).u64(bytes.length).u64(place.offset).u64(place.most);
        vulkan.vkUnmapMemory(device, memory);
        throw new VulkanError("VK_ERROR_MEMORY_MAP_FAILED", name, "device memory is not shared with this process");
      }
      case "vkGetQueryPoolResults": {
        const [device, pool, first, count, stride, flags] = parameters as [
          VkDevice,
          VkQueryPool,
          number,
          number,
          number,
          number,
        ];
        reader.u64();
        const data = reader.bytes().slice();
        const result = vkGetQueryPoolResults(device, pool, first, count, data, stride, flags);
        return new WireWriter().u32(vulkan.ResultCode[result]).bytes(data);
      }
      default:
        return undefined;
    }
  }

  #call(call: WireCall, parameters: unknown[], reader: WireReader): Answer {
    const { name } = call;
    const own = this.#special(name, parameters, reader);
    if (own !== undefined) return own;
    if (name === "vkCreateInstance") parameters[0] = withoutValidation(parameters[0] as Plain);
    if (name === "vkEndCommandBuffer") {
      const failed = this.#failed.get(parameters[0] as VkCommandBuffer);
      this.#failed.delete(parameters[0] as VkCommandBuffer);
      if (failed !== undefined) throw failed;
    }
    if (name === "vkBeginCommandBuffer") this.#failed.delete(parameters[0] as VkCommandBuffer);
    const made = FUNCTIONS[name]?.(...parameters);
    const result = /^vkEnumerate\w+ExtensionProperties$/u.test(name)
      ? (made as readonly vulkan.VkExtensionProperties[]).filter(
          ({ extensionName }) => !ABSENT_EXTENSIONS.has(extensionName),
        )
      : made;
    if (/^vk(?:Destroy|Free|ResetDescriptorPool)/u.test(name)) this.#forget();
    return this.#answer(call, result);
  }

  /** Executes a frame's call, and answers it. A `ProtocolError` is thrown for a frame that no library sends. */
  handle({ operation, body, request }: Frame): void {
    const call = WIRE_CALLS[operation - 1];
    if (call === undefined) throw new ProtocolError(`there is no operation ${operation}`);
    const { name, fields, chain } = call;
    let recorded: VkHandle | null = null;
    try {
      const reader = new WireReader(body);
      const parameters: unknown[] = [];
      for (const field of fields) {
        const parameter = readField(reader, field, this.#lookUp);
        if (parameter instanceof VkHandle && name.startsWith("vkCmd")) recorded ??= parameter;
        parameters.push(parameter);
      }
      // Vulkan lets programs destroy nothing.
      if (/^vk(?:Destroy|Free)/u.test(name) && parameters.at(-1) === null) return;
      if (chain) parameters.push(readChain(reader));
      const answer = this.#call(call, parameters, reader);
      if (!(answer instanceof Promise)) {
        this.#reply(request, answer);
        return;
      }
      answer.then(
        (writer) => {
          this.#reply(request, writer);
        },
        (error: unknown) => {
          this.fail(request, error);
        },
      );
    } catch (error) {
      if (recorded !== null && !this.#failed.has(recorded)) this.#failed.set(recorded, error);
      this.fail(request, error);
    }
  }
}
