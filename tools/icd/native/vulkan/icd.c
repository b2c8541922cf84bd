// SPDX-License-Identifier: Apache-2.0
// What Vulkan's loader asks a driver for: the version of their interface, and functions by name. Names of graphics are
// not there.
#include <stdlib.h>
#include <string.h>

#include "../server_command.h"
#include "calls.h"
#include "templates.h"

#define EXPORT __attribute__((visibility("default")))
enum { INTERFACE_VERSION = 5 };

const char SERVER_API[] = "MUXKIT_ICD_API=vulkan";

EXPORT int32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
EXPORT vulkan_function vk_icdGetInstanceProcAddr(void *instance, const char *name);
EXPORT vulkan_function vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name);

// Loaders need it of every driver; there is no sparse memory.
static void vkGetPhysicalDeviceSparseImageFormatProperties(void *device, uint32_t format, uint32_t type,
    uint32_t samples, uint32_t usage, uint32_t tiling, uint32_t *count, void *properties) {
  (void)device, (void)format, (void)type, (void)samples, (void)usage, (void)tiling, (void)properties;
  *count = 0;
}

static vulkan_function function_of(const char *name);

static vulkan_function vkGetInstanceProcAddr(void *instance, const char *name) {
  (void)instance;
  return function_of(name);
}

static vulkan_function vkGetDeviceProcAddr(void *device, const char *name) {
  (void)device;
  return function_of(name);
}

// Functions that no call of the server stands behind.
static const struct vulkan_entry own_entries[] = {
    {"vkGetInstanceProcAddr", (vulkan_function)vkGetInstanceProcAddr},
    {"vkGetDeviceProcAddr", (vulkan_function)vkGetDeviceProcAddr},
    {"vkGetPhysicalDeviceSparseImageFormatProperties",
        (vulkan_function)vkGetPhysicalDeviceSparseImageFormatProperties},
    {"vkCreateDescriptorUpdateTemplate", (vulkan_function)vkCreateDescriptorUpdateTemplate},
    {"vkDestroyDescriptorUpdateTemplate", (vulkan_function)vkDestroyDescriptorUpdateTemplate},
    {"vkUpdateDescriptorSetWithTemplate", (vulkan_function)vkUpdateDescriptorSetWithTemplate},
    {"vkCmdPushDescriptorSetWithTemplateKHR", (vulkan_function)vkCmdPushDescriptorSetWithTemplateKHR},
};

static int compare(const void *name, const void *entry) {
  return strcmp(name, ((const struct vulkan_entry *)entry)->name);
}

static vulkan_function find(const char *name) {
  for (size_t i = 0; i < sizeof own_entries / sizeof *own_entries; i++)
    if (strcmp(name, own_entries[i].name) == 0) return own_entries[i].function;
  const struct vulkan_entry *entry =
      bsearch(name, vulkan_entries, vulkan_entry_count, sizeof *vulkan_entries, compare);
  return entry == NULL ? NULL : entry->function;
}

// The function of a name; names that extensions gave to what is Vulkan's own by now lead there too.
static vulkan_function function_of(const char *name) {
  enum { MOST_NAME = 128 };
  vulkan_function found = find(name);
  size_t length = strlen(name);
  char core[MOST_NAME];
  if (found != NULL || length < 3 || length >= sizeof core || strcmp(name + length - 3, "KHR") != 0) return found;
  memcpy(core, name, length - 3);
  core[length - 3] = 0;
  return find(core);
}

int32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
  if (*version > INTERFACE_VERSION) *version = INTERFACE_VERSION;
  return VULKAN_SUCCESS;
}

vulkan_function vk_icdGetInstanceProcAddr(void *instance, const char *name) {
  return vkGetInstanceProcAddr(instance, name);
}

vulkan_function vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name) {
  (void)instance;
  return strncmp(name, "vkGetPhysicalDevice", 19) == 0 || strcmp(name, "vkCreateDevice") == 0 ||
                 strcmp(name, "vkEnumerateDeviceExtensionProperties") == 0
             ? function_of(name)
             : NULL;
}
