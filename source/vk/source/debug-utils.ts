// SPDX-License-Identifier: Apache-2.0
// Names, labels and messages (VK_EXT_debug_utils). Messages are broken rules of valid usage, what shaders print, and
// what the program sends itself; a messenger of the instance takes those of its severities and types.
import { VulkanError, invalid } from "./error.ts";
import * as V from "./generated/constants.ts";
import { VkDebugUtilsMessengerEXT, type VkCommandBuffer, type VkInstance } from "./generated/handles.ts";
import type {
  VkDebugUtilsLabelEXT,
  VkDebugUtilsMessengerCallbackDataEXT,
  VkDebugUtilsMessengerCreateInfoEXT,
  VkDebugUtilsObjectNameInfoEXT,
} from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { VkHandle } from "./handle.ts";
import { ensureObjectType, objectTypeOf } from "./object-type.ts";

/** Where messages of an instance go. */
class Messenger extends VkDebugUtilsMessengerEXT {
  readonly info: VkDebugUtilsMessengerCreateInfoEXT;

  constructor(instance: VkInstance, info: VkDebugUtilsMessengerCreateInfoEXT) {
    super(instance);
    this.info = info;
    const list = MESSENGERS.get(instance) ?? [];
    MESSENGERS.set(instance, [...list, info]);
  }

  protected release(): void {
    const { parent } = this;
    if (parent === null) return;
    MESSENGERS.set(
      parent,
      (MESSENGERS.get(parent) ?? []).filter((one) => one !== this.info),
    );
  }
}

/** Messengers by their instances. */
const MESSENGERS = new WeakMap<VkHandle, readonly VkDebugUtilsMessengerCreateInfoEXT[]>();
/** Open labels of queues and command buffers. */
const LABELS = new WeakMap<VkHandle, VkDebugUtilsLabelEXT[]>();
/** Bytes of the program, by object and name. */
const TAGS = new WeakMap<VkHandle, Map<bigint, Uint8Array>>();

/** The instance of an object. */
function instanceOf(object: VkHandle): VkHandle {
  let above = object;
  while (above.parent !== null) above = above.parent;
  return above;
}

/** Sends a message. False: nobody takes it. */
function send(
  instance: VkHandle,
  severity: number,
  types: number,
  data: VkDebugUtilsMessengerCallbackDataEXT,
): boolean {
  const takers = (MESSENGERS.get(instance) ?? []).filter(
    ({ messageSeverity, messageType }) => (messageSeverity & severity) !== 0 && (messageType & types) !== 0,
  );
  for (const { pfnUserCallback, pUserData } of takers) pfnUserCallback(severity, types, data, pUserData);
  return takers.length > 0;
}

/** An object with its name, as messages have it. */
const objectInfo = (object: VkHandle): VkDebugUtilsObjectNameInfoEXT => ({
  sType: V.VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
  objectType: objectTypeOf(object),
  objectHandle: object,
  ...(object.debugName === "" ? {} : { pObjectName: object.debugName }),
});

/** A number for the name of a message, the same each time (FNV-1a). */
function numberOf(name: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x0100_0193);
  return hash | 0;
}

function labelsOf(objects: readonly VkHandle[], kind: string): readonly VkDebugUtilsLabelEXT[] {
  return objects.flatMap((object) => (object.kind === kind ? (LABELS.get(object) ?? []).toReversed() : []));
}

/** The messengers that an instance's creation has in its chain, while it is made and while it ends. */
export function noteMessengers(instance: VkHandle, infos: readonly VkDebugUtilsMessengerCreateInfoEXT[]): void {
  if (infos.length > 0) MESSENGERS.set(instance, infos);
}

/** Sends what is wrong with a call, whose objects are among its parameters. */
export function reportError(error: VulkanError, parameters: readonly unknown[]): void {
  const objects = parameters.flat(1).filter((one) => one instanceof VkHandle);
  const [first] = objects;
  if (first === undefined) return;
  const name = error.rule === "" ? error.name : error.rule;
  send(
    instanceOf(first),
    V.VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    V.VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
    {
      sType: V.VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
      pMessageIdName: name,
      messageIdNumber: numberOf(name),
      pMessage: error.message,
      pQueueLabels: labelsOf(objects, "VkQueue"),
      pCmdBufLabels: labelsOf(objects, "VkCommandBuffer"),
      pObjects: objects.map(objectInfo),
    },
  );
}

/** Sends what shaders of a device have printed. False: nobody takes it. */
export function reportPrinted(device: VkHandle, text: string): boolean {
  const name = "WARNING-DEBUG-PRINTF";
  return send(
    instanceOf(device),
    V.VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
    V.VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
    {
      sType: V.VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
      pMessageIdName: name,
      messageIdNumber: numberOf(name),
      pMessage: text,
      pObjects: [objectInfo(device)],
    },
  );
}

/** Forgets the labels of a command buffer that is recorded anew. */
export function forgetLabels(commandBuffer: VkCommandBuffer): void {
  LABELS.delete(commandBuffer);
}

function begin(object: VkHandle, label: VkDebugUtilsLabelEXT): void {
  const open = LABELS.get(object) ?? [];
  open.push(label);
  LABELS.set(object, open);
}

function end(call: string, object: VkHandle, rule: string): void {
  if ((LABELS.get(object) ?? []).pop() === undefined)
    throw invalid(call, `no label of the ${object.kind} is open`, rule);
}

/** Entry points for debugging. */
export const DEBUGGING: Pick<
  Vulkan,
  | "vkCreateDebugUtilsMessengerEXT"
  | "vkDestroyDebugUtilsMessengerEXT"
  | "vkSubmitDebugUtilsMessageEXT"
  | "vkSetDebugUtilsObjectNameEXT"
  | "vkSetDebugUtilsObjectTagEXT"
  | "vkQueueBeginDebugUtilsLabelEXT"
  | "vkQueueEndDebugUtilsLabelEXT"
  | "vkQueueInsertDebugUtilsLabelEXT"
  | "vkCmdBeginDebugUtilsLabelEXT"
  | "vkCmdEndDebugUtilsLabelEXT"
  | "vkCmdInsertDebugUtilsLabelEXT"
> = {
  vkCreateDebugUtilsMessengerEXT: (instance, pCreateInfo): VkDebugUtilsMessengerEXT =>
    new Messenger(instance, pCreateInfo),
  vkDestroyDebugUtilsMessengerEXT: (_instance, messenger) => {
    messenger.end();
  },
  vkSubmitDebugUtilsMessageEXT: (instance, messageSeverity, messageTypes, pCallbackData) => {
    send(instance, messageSeverity, messageTypes, pCallbackData);
  },
  vkSetDebugUtilsObjectNameEXT: (_device, { objectType, objectHandle, pObjectName = "" }) => {
    const rule = "VUID-VkDebugUtilsObjectNameInfoEXT-objectType-02590";
    ensureObjectType("vkSetDebugUtilsObjectNameEXT", objectHandle, objectType, rule);
    objectHandle.debugName = pObjectName;
  },
  vkSetDebugUtilsObjectTagEXT: (_device, { objectType, objectHandle, tagName, pTag }) => {
    const rule = "VUID-VkDebugUtilsObjectTagInfoEXT-objectHandle-01910";
    ensureObjectType("vkSetDebugUtilsObjectTagEXT", objectHandle, objectType, rule);
    const tags = TAGS.get(objectHandle) ?? new Map<bigint, Uint8Array>();
    tags.set(tagName, new Uint8Array(pTag.buffer, pTag.byteOffset, pTag.byteLength).slice());
    TAGS.set(objectHandle, tags);
  },
  vkQueueBeginDebugUtilsLabelEXT: begin,
  vkQueueEndDebugUtilsLabelEXT: (queue) => {
    end("vkQueueEndDebugUtilsLabelEXT", queue, "VUID-vkQueueEndDebugUtilsLabelEXT-None-01911");
  },
  // A name of a place is in messages of the next command only, and messages come with the command that is wrong.
  vkQueueInsertDebugUtilsLabelEXT: () => undefined,
  vkCmdBeginDebugUtilsLabelEXT: begin,
  vkCmdEndDebugUtilsLabelEXT: (commandBuffer) => {
    end("vkCmdEndDebugUtilsLabelEXT", commandBuffer, "VUID-vkCmdEndDebugUtilsLabelEXT-commandBuffer-01912");
  },
  vkCmdInsertDebugUtilsLabelEXT: () => undefined,
};
