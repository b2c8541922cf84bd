// SPDX-License-Identifier: Apache-2.0
// A call becomes a frame: its parameters by the tables, which also say whether it waits for a reply. Calls that return
// nothing (commands that are recorded, destruction) do not.
#include "calls.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../connection.h"
#include "../trace.h"
#include "marshal.h"
#include "objects.h"

static bool tells(void) {
  const char *wanted = getenv("MUXKIT_ICD_LOG");
  return wanted != NULL && wanted[0] == '1';
}

void vulkan_tell(const char *call, const uint8_t *text, uint32_t length) {
  if (tells()) fprintf(stderr, "muxkit: %s%s%.*s\n", call, call[0] == 0 ? "" : ": ", (int)length, (const char *)text);
}

static void handle_callback(uint32_t callback, int32_t error, struct wire_reader *body) {
  (void)callback, (void)error, (void)body;
}
static void handle_move(uint32_t transfer) { (void)transfer; }
static void handle_place(uint32_t memory, struct wire_reader *body) { (void)memory, (void)body; }
static void handle_print(const uint8_t *text, uint32_t length) {
  fwrite(text, 1, length, stdout);
  fflush(stdout);
}
static void handle_log(const uint8_t *text, uint32_t length) { vulkan_tell("", text, length); }

bool vulkan_open(void) {
  static const struct frame_handlers handlers = {.callback = handle_callback,
      .transfer = handle_callback,
      .move = handle_move,
      .place = handle_place,
      .print = handle_print,
      .log = handle_log};
  return connection_open(&handlers);
}

// What a call answers when there is no server.
static int32_t lost(uint32_t number) {
  static const char gone[] = "the server is gone, or this is a forked child";
  vulkan_tell(vulkan_calls[number].name, (const uint8_t *)gone, sizeof gone - 1);
  return number <= CALL_vkEnumeratePhysicalDevices ? VULKAN_INITIALIZATION_FAILED : VULKAN_DEVICE_LOST;
}

static bool answers_result(const struct vulkan_call *call) {
  return call->answer != ANSWER_U32_DIRECT && call->answer != ANSWER_U64_DIRECT;
}

static void put_element(struct wire_reader *reader, const struct vulkan_call *call, uint8_t *to, uint32_t index) {
  switch (call->answer) {
    case ANSWER_HANDLE_LIST:
    case ANSWER_HANDLE_COUNTED:
      ((uint64_t *)to)[index] = wire_read_u32(reader);
      return;
    case ANSWER_OBJECT_LIST:
    case ANSWER_OBJECT_COUNTED:
      ((void **)to)[index] = object_of_number(wire_read_u32(reader));
      return;
    default:
      marshal_read(reader, call->type, to + (size_t)index * vulkan_structs[call->type].bytes);
  }
}

// The second half of calls that are made twice: how many there are, then which.
static int32_t put_counted(struct wire_reader *reader, const struct vulkan_call *call, const uint64_t *words) {
  uint32_t *count = (uint32_t *)(uintptr_t)words[call->count], there = wire_read_u32(reader);
  uint8_t *to = (uint8_t *)(uintptr_t)words[call->slot];
  if (to != NULL) {
    if (*count > there) *count = there;
    for (uint32_t i = 0; i < *count; i++) put_element(reader, call, to, i);
    return *count < there ? VULKAN_INCOMPLETE : VULKAN_SUCCESS;
  }
  *count = there;
  return VULKAN_SUCCESS;
}

static int32_t put_bytes(struct wire_reader *reader, const struct vulkan_call *call, const uint64_t *words) {
  size_t *count = (size_t *)(uintptr_t)words[call->count];
  uint8_t *to = (uint8_t *)(uintptr_t)words[call->slot];
  uint32_t length;
  const uint8_t *bytes = wire_read_bytes(reader, &length);
  if (to == NULL) {
    *count = length;
    return VULKAN_SUCCESS;
  }
  bool is_whole = *count >= length;
  // A part of a cache is none.
  *count = is_whole ? length : 0;
  memcpy(to, bytes, *count);
  return is_whole ? VULKAN_SUCCESS : VULKAN_INCOMPLETE;
}

// Gives a reply to the program.
static uint64_t put_answer(struct wire_reader *reader, const struct vulkan_call *call, const uint64_t *words) {
  uint8_t *to = (uint8_t *)(uintptr_t)words[call->slot];
  switch (call->answer) {
    case ANSWER_NOTHING:
      return VULKAN_SUCCESS;
    case ANSWER_RESULT:
    case ANSWER_U32_DIRECT:
      return wire_read_u32(reader);
    case ANSWER_U64_DIRECT:
      return wire_read_u64(reader);
    case ANSWER_U32:
      *(uint32_t *)to = wire_read_u32(reader);
      return VULKAN_SUCCESS;
    case ANSWER_U64:
      *(uint64_t *)to = wire_read_u64(reader);
      return VULKAN_SUCCESS;
    case ANSWER_HANDLE:
      *(uint64_t *)to = wire_read_u32(reader);
      return VULKAN_SUCCESS;
    case ANSWER_OBJECT:
      *(void **)to = object_of_number(wire_read_u32(reader));
      return *(void **)to == NULL ? (uint64_t)VULKAN_OUT_OF_HOST_MEMORY : VULKAN_SUCCESS;
    case ANSWER_STRUCT:
      marshal_read(reader, call->type, to);
      return VULKAN_SUCCESS;
    case ANSWER_BYTES:
      return (uint64_t)put_bytes(reader, call, words);
    case ANSWER_HANDLE_LIST:
    case ANSWER_OBJECT_LIST:
    case ANSWER_STRUCT_LIST: {
      uint32_t count = wire_read_u32(reader);
      for (uint32_t i = 0; i < count; i++) put_element(reader, call, to, i);
      return VULKAN_SUCCESS;
    }
    default:
      return (uint64_t)put_counted(reader, call, words);
  }
}

// Vulkan wants null handles of all that was not made.
static void put_nothing(const struct vulkan_call *call, const uint64_t *words) {
  uint8_t *to = (uint8_t *)(uintptr_t)words[call->slot];
  if (call->answer == ANSWER_HANDLE || call->answer == ANSWER_OBJECT) memset(to, 0, sizeof(uint64_t));
  if (call->answer != ANSWER_HANDLE_LIST && call->answer != ANSWER_OBJECT_LIST) return;
  // A parameter counts it, or its structure does.
  for (uint32_t i = 0; i < call->fields; i++) {
    const struct vulkan_field *field = &vulkan_fields[call->first + i];
    if (field->kind != KIND_STRUCT) continue;
    const uint8_t *info = (const uint8_t *)(uintptr_t)words[field->place / 8];
    uint32_t count = field->form == FORM_LIST ? (uint32_t)words[field->count / 8] : 0;
    // Where VkCommandBufferAllocateInfo and VkDescriptorSetAllocateInfo have it.
    const size_t place = call->answer == ANSWER_OBJECT_LIST ? 28 : 24;
    if (field->form == FORM_POINTER) memcpy(&count, info + place, sizeof count);
    memset(to, 0, count * sizeof(uint64_t));
  }
}

// Objects that the loader dispatches by end with the call that destroys them.
static void free_objects(uint32_t number, const uint64_t *words) {
  if (number == CALL_vkDestroyInstance || number == CALL_vkDestroyDevice) object_free((void *)(uintptr_t)words[0]);
  if (number != CALL_vkFreeCommandBuffers) return;
  void *const *buffers = (void *const *)(uintptr_t)words[3];
  for (uint32_t i = 0; i < (uint32_t)words[2]; i++) object_free(buffers[i]);
}

static uint64_t make_call(uint32_t number, const uint64_t *words) {
  const struct vulkan_call *call = &vulkan_calls[number];
  struct wire_writer writer;
  struct reply reply;
  if (!vulkan_open()) {
    put_nothing(call, words);
    return answers_result(call) ? (uint64_t)lost(number) : 0;
  }
  wire_begin(&writer, (uint16_t)(number + 1));
  marshal_fields(&writer, &vulkan_fields[call->first], call->fields, -1, (const uint8_t *)words);
  if (call->chain != 0) marshal_chain(&writer, (const uint8_t *)(uintptr_t)words[call->slot]);
  bool is_long = writer.failed;
  if (call->sent) {
    bool sent = connection_send(&writer);
    free_objects(number, words);
    return sent ? VULKAN_SUCCESS : (uint64_t)lost(number);
  }
  if (!connection_call(&writer, &reply)) {
    put_nothing(call, words);
    if (is_long && !connection_lost()) return (uint64_t)VULKAN_OUT_OF_HOST_MEMORY;
    return answers_result(call) ? (uint64_t)lost(number) : 0;
  }
  uint64_t result;
  if (reply.error != 0) {
    uint32_t length;
    const uint8_t *text = wire_read_bytes(&reply.reader, &length);
    vulkan_tell(call->name, text, length);
    put_nothing(call, words);
    result = answers_result(call) ? (uint64_t)reply.error : 0;
  } else result = put_answer(&reply.reader, call, words);
  connection_free_reply(&reply);
  return result;
}

uint64_t vulkan_call(uint32_t number, const uint64_t *words) {
  static atomic_int is_traced = -1;
  if (is_traced < 0) is_traced = trace_wanted();
  if (!is_traced) return make_call(number, words);
  struct trace_counts before = trace_counts;
  uint64_t result = make_call(number, words);
  trace_tell(vulkan_calls[number].name, vulkan_calls[number].sent ? "pipelined" : "waiting", before);
  return result;
}

int32_t vkGetQueryPoolResults(void *device, uint64_t queryPool, uint32_t firstQuery, uint32_t queryCount,
    uint64_t dataSize, void *pData, uint64_t stride, uint32_t flags) {
  const struct vulkan_call *call = &vulkan_calls[CALL_vkGetQueryPoolResults];
  const uint64_t words[] = {
      (uintptr_t)device, queryPool, firstQuery, queryCount, dataSize, (uintptr_t)pData, stride, flags};
  struct wire_writer writer;
  struct reply reply;
  if (!vulkan_open()) return lost(CALL_vkGetQueryPoolResults);
  wire_begin(&writer, CALL_vkGetQueryPoolResults + 1);
  marshal_fields(&writer, &vulkan_fields[call->first], call->fields, -1, (const uint8_t *)words);
  wire_u64(&writer, dataSize);
  // Unavailable queries leave what is there.
  wire_bytes(&writer, pData, dataSize);
  if (!connection_call(&writer, &reply)) return lost(CALL_vkGetQueryPoolResults);
  int32_t result = reply.error;
  if (result == 0) {
    uint32_t length;
    result = (int32_t)wire_read_u32(&reply.reader);
    const uint8_t *bytes = wire_read_bytes(&reply.reader, &length);
    memcpy(pData, bytes, length < dataSize ? length : dataSize);
  }
  connection_free_reply(&reply);
  return result;
}

// How a pipeline was made is not told: feedback without the bit that says that it is valid.
static void clear_feedback(const uint8_t *info) {
  const int32_t wanted = vulkan_structs[STRUCT_VkPipelineCreationFeedbackCreateInfo].type;
  for (const uint8_t *next; memcpy(&next, info + 8, sizeof next), next != NULL; info = next) {
    int32_t type;
    memcpy(&type, next, sizeof type);
    if (type != wanted) continue;
    // VkPipelineCreationFeedbackCreateInfo: the whole at 16, a count at 24, an array at 32; elements have 16 bytes.
    uint8_t *whole, *stages;
    uint32_t count;
    memcpy(&whole, next + 16, sizeof whole);
    memcpy(&count, next + 24, sizeof count);
    memcpy(&stages, next + 32, sizeof stages);
    if (whole != NULL) memset(whole, 0, 16);
    for (uint32_t i = 0; i < count && stages != NULL; i++) memset(stages + 16 * (size_t)i, 0, 16);
  }
}

int32_t vkCreateComputePipelines(void *device, uint64_t pipelineCache, uint32_t createInfoCount, void *pCreateInfos,
    void *pAllocator, void *pPipelines) {
  const uint64_t words[] = {(uintptr_t)device, pipelineCache, createInfoCount, (uintptr_t)pCreateInfos,
      (uintptr_t)pAllocator, (uintptr_t)pPipelines};
  const size_t bytes = vulkan_structs[STRUCT_VkComputePipelineCreateInfo].bytes;
  for (uint32_t i = 0; i < createInfoCount; i++) clear_feedback((const uint8_t *)pCreateInfos + i * bytes);
  return (int32_t)vulkan_call(CALL_vkCreateComputePipelines, words);
}

// The server's number of an object of any type: objects that loaders dispatch by are pointers here.
static uint64_t number_of(uint32_t type, uint64_t handle) {
  enum { INSTANCE = 1, PHYSICAL_DEVICE, DEVICE, QUEUE, COMMAND_BUFFER = 6 };
  bool is_pointer = (type >= INSTANCE && type <= QUEUE) || type == COMMAND_BUFFER;
  return is_pointer ? object_number((const void *)(uintptr_t)handle) : handle;
}

int32_t vkSetPrivateData(
    void *device, uint32_t objectType, uint64_t objectHandle, uint64_t privateDataSlot, uint64_t data) {
  const uint64_t words[] = {
      (uintptr_t)device, objectType, number_of(objectType, objectHandle), privateDataSlot, data};
  return (int32_t)vulkan_call(CALL_vkSetPrivateData, words);
}

void vkGetPrivateData(
    void *device, uint32_t objectType, uint64_t objectHandle, uint64_t privateDataSlot, void *pData) {
  const uint64_t words[] = {
      (uintptr_t)device, objectType, number_of(objectType, objectHandle), privateDataSlot, (uintptr_t)pData};
  memset(pData, 0, sizeof(uint64_t));
  vulkan_call(CALL_vkGetPrivateData, words);
}
