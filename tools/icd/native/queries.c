// SPDX-License-Identifier: Apache-2.0
// Info queries. The library answers from its own state; the server has the rest, and marks handles.
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "completion.h"
#include "facts.h"
#include "generated/operations.h"
#include "refuse.h"

// Hands an answer over as all queries do.
static cl_int answer(cl_context context, const char *call, const void *bytes, size_t length, size_t size, void *value,
    size_t *size_ret) {
  if (value != NULL && size < length)
    return refuse(context, CL_INVALID_VALUE, call, "the answer is longer than param_value_size");
  if (value != NULL && length > 0) memcpy(value, bytes, length);
  if (size_ret != NULL) *size_ret = length;
  return CL_SUCCESS;
}

#define WRONG_ANSWER "the server answers what this cannot be"
enum answer_form { ANSWER_BYTES, ANSWER_HANDLES };

// A query of an object: which, what else is named, and the application's memory for the answer.
struct query {
  void *object;
  struct question question;
  cl_context context;
  const char *call;
  size_t size;
  void *value;
  size_t *size_ret;
};

// Queries the server. The frame holds the query; an answer that never changes is kept.
static cl_int ask(struct wire_writer *writer, const struct query *query, bool keeps, uint32_t age) {
  struct reply reply;
  cl_int code = ask_server(query->context, query->call, writer, &reply);
  if (code != CL_SUCCESS) return code;
  uint32_t form = wire_read_u32(&reply.reader), length;
  const uint8_t *bytes = wire_read_bytes(&reply.reader, &length);
  uint32_t count = form == ANSWER_HANDLES ? length / 4 : 0;
  void **handles = form == ANSWER_HANDLES ? calloc(count + 1, sizeof *handles) : NULL;
  for (uint32_t i = 0; handles != NULL && i < count; i++) {
    uint32_t id;
    memcpy(&id, bytes + 4 * i, sizeof id);
    handles[i] = object_of(id);
  }
  const void *words = form == ANSWER_HANDLES ? (const void *)handles : bytes;
  size_t total = form == ANSWER_HANDLES ? count * sizeof *handles : length;
  if (words == NULL && form == ANSWER_HANDLES)
    code = refuse(query->context, CL_OUT_OF_HOST_MEMORY, query->call, "there is no memory for the answer");
  else if (!answer_holds(
               query->question.operation, query->question.token, handles, form == ANSWER_HANDLES ? NULL : bytes, total))
    code = refuse(query->context, CL_OUT_OF_RESOURCES, query->call, WRONG_ANSWER);
  else {
    code = answer(query->context, query->call, words, total, query->size, query->value, query->size_ret);
    if (keeps && words != NULL) answer_keep(query->object, &query->question, words, total, age);
  }
  free(handles);
  connection_free_reply(&reply);
  return code;
}

// Asks for a token of an object; `keeps`: the answer never changes, and is known the next time.
static cl_int ask_of(const struct query *query, bool keeps) {
  size_t length;
  uint32_t age = 0;
  void *known = keeps ? answer_find(query->object, &query->question, &length, &age) : NULL;
  if (known != NULL) {
    cl_int code = answer(query->context, query->call, known, length, query->size, query->value, query->size_ret);
    free(known);
    return code;
  }
  struct wire_writer writer;
  wire_begin(&writer, query->question.operation);
  wire_u32(&writer, id_of(query->object));
  wire_u32(&writer, (uint32_t)query->question.second);
  wire_u32(&writer, query->question.token);
  return ask(&writer, query, keeps, age);
}

#define ANSWER(context, known) \
  return answer(context, __func__, &(known), sizeof(known), param_value_size, param_value, param_value_size_ret)
#define ANSWER_REFERENCES(context, handle) \
  do { \
    cl_uint count = (cl_uint)atomic_load(&(handle)->object.references); \
    ANSWER(context, count); \
  } while (0)
// Lists of properties are answered as they were given; none at all has no bytes.
#define ANSWER_PROPERTIES(context, handle) \
  return answer(context, __func__, (handle)->object.properties, \
      (handle)->object.property_words * sizeof *(handle)->object.properties, param_value_size, param_value, \
      param_value_size_ret)
#define QUERY(context, handle, second) \
  (&(struct query){handle, {OPERATION, second, param_name}, context, __func__, param_value_size, param_value, \
      param_value_size_ret})
// Of what never changes, and of what does.
#define ASK_ONCE(context, handle, second) return ask_of(QUERY(context, handle, second), true)
#define ASK(context, handle, second) return ask_of(QUERY(context, handle, second), false)

#define OPERATION OPERATION_clGetPlatformInfo
cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
    void *param_value, size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(platform, KIND_PLATFORM), CL_INVALID_PLATFORM, "no platform is given");
  if (param_name == CL_PLATFORM_ICD_SUFFIX_KHR)
    return answer(NULL, __func__, "MUXKIT", sizeof "MUXKIT", param_value_size, param_value, param_value_size_ret);
  ASK_ONCE(NULL, platform, 0);
}
#undef OPERATION

#define OPERATION OPERATION_clGetDeviceInfo
cl_int clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size, void *param_value,
    size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(device, KIND_DEVICE), CL_INVALID_DEVICE, "no device is given");
  if (param_name == CL_DEVICE_REFERENCE_COUNT && device->parent != NULL) ANSWER_REFERENCES(NULL, device);
  if (param_name == CL_DEVICE_PARTITION_TYPE && device->parent != NULL) ANSWER_PROPERTIES(NULL, device);
  ASK_ONCE(NULL, device, 0);
}
#undef OPERATION

#define OPERATION OPERATION_clGetContextInfo
cl_int clGetContextInfo(cl_context context, cl_context_info param_name, size_t param_value_size, void *param_value,
    size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  switch (param_name) {
  case CL_CONTEXT_REFERENCE_COUNT: ANSWER_REFERENCES(context, context);
  case CL_CONTEXT_NUM_DEVICES: ANSWER(context, context->device_count);
  case CL_CONTEXT_DEVICES:
    return answer(context, __func__, context->devices, context->device_count * sizeof *context->devices,
        param_value_size, param_value, param_value_size_ret);
  case CL_CONTEXT_PROPERTIES: ANSWER_PROPERTIES(context, context);
  default: ASK_ONCE(context, context, 0);
  }
}
#undef OPERATION

#define OPERATION OPERATION_clGetCommandQueueInfo
cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info param_name, size_t param_value_size,
    void *param_value, size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  switch (param_name) {
  case CL_QUEUE_REFERENCE_COUNT: ANSWER_REFERENCES(queue->context, queue);
  case CL_QUEUE_CONTEXT: ANSWER(queue->context, queue->context);
  case CL_QUEUE_DEVICE: ANSWER(queue->context, queue->device);
  case CL_QUEUE_PROPERTIES: ANSWER(queue->context, queue->properties);
  case CL_QUEUE_PROPERTIES_ARRAY: ANSWER_PROPERTIES(queue->context, queue);
  case CL_QUEUE_DEVICE_DEFAULT: {
    static const cl_command_queue none;
    ANSWER(queue->context, none);
  }
  default: ASK_ONCE(queue->context, queue, 0);
  }
}
#undef OPERATION

#define OPERATION OPERATION_clGetMemObjectInfo
cl_int clGetMemObjectInfo(
    cl_mem memory, cl_mem_info param_name, size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(memory, KIND_MEMORY), CL_INVALID_MEM_OBJECT, "no memory object is given");
  switch (param_name) {
  case CL_MEM_REFERENCE_COUNT: ANSWER_REFERENCES(memory->context, memory);
  case CL_MEM_CONTEXT: ANSWER(memory->context, memory->context);
  case CL_MEM_ASSOCIATED_MEMOBJECT: ANSWER(memory->context, memory->parent);
  case CL_MEM_TYPE: ANSWER(memory->context, memory->type);
  case CL_MEM_FLAGS: ANSWER(memory->context, memory->flags);
  case CL_MEM_SIZE: ANSWER(memory->context, memory->size);
  case CL_MEM_OFFSET: ANSWER(memory->context, memory->offset);
  case CL_MEM_HOST_PTR: ANSWER(memory->context, memory->host);
  case CL_MEM_PROPERTIES: ANSWER_PROPERTIES(memory->context, memory);
  case CL_MEM_USES_SVM_POINTER: {
    static const cl_bool uses;
    ANSWER(memory->context, uses);
  }
  case CL_MEM_MAP_COUNT: {
    cl_uint count = 0;
    pthread_mutex_lock(&memory->lock);
    for (const struct mapping *mapping = memory->mappings; mapping != NULL; mapping = mapping->next) count++;
    pthread_mutex_unlock(&memory->lock);
    ANSWER(memory->context, count);
  }
  default: ASK_ONCE(memory->context, memory, 0);
  }
}
#undef OPERATION

#define OPERATION OPERATION_clGetImageInfo
cl_int clGetImageInfo(
    cl_mem image, cl_image_info param_name, size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(image, KIND_MEMORY) && image->element_size > 0, CL_INVALID_MEM_OBJECT, "no image is given");
  bool has_slices = image->depth > 0 || image->layers > 0;
  cl_mem buffer = image->parent != NULL && image->parent->element_size == 0 ? image->parent : NULL;
  static const size_t none;
  static const cl_uint nothing;
  switch (param_name) {
  case CL_IMAGE_FORMAT: ANSWER(image->context, image->format);
  case CL_IMAGE_ELEMENT_SIZE: ANSWER(image->context, image->element_size);
  case CL_IMAGE_ROW_PITCH: ANSWER(image->context, image->device_row_pitch);
  case CL_IMAGE_SLICE_PITCH: ANSWER(image->context, *(has_slices ? &image->device_slice_pitch : &none));
  case CL_IMAGE_WIDTH: ANSWER(image->context, image->width);
  case CL_IMAGE_HEIGHT: ANSWER(image->context, image->height);
  case CL_IMAGE_DEPTH: ANSWER(image->context, image->depth);
  case CL_IMAGE_ARRAY_SIZE: ANSWER(image->context, image->layers);
  case CL_IMAGE_BUFFER: ANSWER(image->context, buffer);
  case CL_IMAGE_NUM_MIP_LEVELS: case CL_IMAGE_NUM_SAMPLES: ANSWER(image->context, nothing);
  default: ASK_ONCE(image->context, image, 0);
  }
}
#undef OPERATION

#define OPERATION OPERATION_clGetPipeInfo
cl_int clGetPipeInfo(
    cl_mem pipe, cl_pipe_info param_name, size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(pipe, KIND_MEMORY) && pipe->type == CL_MEM_OBJECT_PIPE, CL_INVALID_MEM_OBJECT,
      "no pipe is given");
  cl_uint bytes = (cl_uint)pipe->packet_size, packets = (cl_uint)pipe->most_packets;
  switch (param_name) {
  case CL_PIPE_PACKET_SIZE: ANSWER(pipe->context, bytes);
  case CL_PIPE_MAX_PACKETS: ANSWER(pipe->context, packets);
  case CL_PIPE_PROPERTIES: ANSWER_PROPERTIES(pipe->context, pipe);
  default: ASK_ONCE(pipe->context, pipe, 0);
  }
}
#undef OPERATION

#define OPERATION OPERATION_clGetSamplerInfo
cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size, void *param_value,
    size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(sampler, KIND_SAMPLER), CL_INVALID_SAMPLER, "no sampler is given");
  switch (param_name) {
  case CL_SAMPLER_REFERENCE_COUNT: ANSWER_REFERENCES(sampler->context, sampler);
  case CL_SAMPLER_CONTEXT: ANSWER(sampler->context, sampler->context);
  case CL_SAMPLER_NORMALIZED_COORDS: ANSWER(sampler->context, sampler->normalized);
  case CL_SAMPLER_ADDRESSING_MODE: ANSWER(sampler->context, sampler->addressing);
  case CL_SAMPLER_FILTER_MODE: ANSWER(sampler->context, sampler->filter);
  case CL_SAMPLER_PROPERTIES: ANSWER_PROPERTIES(sampler->context, sampler);
  default: ASK_ONCE(sampler->context, sampler, 0);
  }
}
#undef OPERATION

// Binaries go to the addresses in an array of pointers; null pointers skip theirs.
static cl_int binaries(cl_program program, const char *call, size_t size, void *value, size_t *size_ret) {
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clGetProgramInfo);
  wire_u32(&writer, id_of(program));
  wire_u32(&writer, 0);
  wire_u32(&writer, CL_PROGRAM_BINARIES);
  struct reply reply;
  cl_int code = ask_server(program->context, call, &writer, &reply);
  if (code != CL_SUCCESS) return code;
  uint32_t count = wire_read_u32(&reply.reader);
  bool fits = value == NULL || size >= count * sizeof(void *), is_told = true;
  if (size_ret != NULL) *size_ret = count * sizeof(void *);
  for (uint32_t i = 0; fits && value != NULL && i < count; i++) {
    uint32_t length;
    const uint8_t *bytes = wire_read_bytes(&reply.reader, &length);
    void *to = ((void **)value)[i];
    // The application has room for the reported size.
    size_t told = i < MOST_BINARIES ? atomic_load(&program->binary_bytes[i]) : 0;
    is_told = is_told && !reply.reader.failed && (told == 0 || told == length);
    if (to != NULL && is_told) memcpy(to, bytes, length);
  }
  connection_free_reply(&reply);
  if (!is_told) return refuse(program->context, CL_OUT_OF_RESOURCES, call, WRONG_ANSWER);
  return fits ? CL_SUCCESS
              : refuse(program->context, CL_INVALID_VALUE, call, "the answer is longer than param_value_size");
}

#define OPERATION OPERATION_clGetProgramInfo
static cl_int binary_sizes(cl_program program, const char *call, size_t size, void *value, size_t *size_ret) {
  size_t length = 0;
  const struct query query = {
      program, {OPERATION, 0, CL_PROGRAM_BINARY_SIZES}, program->context, call, size, value, &length};
  cl_int code = ask_of(&query, true);
  for (size_t i = 0; code == CL_SUCCESS && value != NULL && i < MOST_BINARIES && i < length / sizeof(size_t); i++)
    atomic_store(&program->binary_bytes[i], ((const size_t *)value)[i]);
  if (code == CL_SUCCESS && size_ret != NULL) *size_ret = length;
  return code;
}

cl_int clGetProgramInfo(cl_program program, cl_program_info param_name, size_t param_value_size, void *param_value,
    size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(program, KIND_PROGRAM), CL_INVALID_PROGRAM, "no program is given");
  switch (param_name) {
  case CL_PROGRAM_REFERENCE_COUNT: ANSWER_REFERENCES(program->context, program);
  case CL_PROGRAM_CONTEXT: ANSWER(program->context, program->context);
  case CL_PROGRAM_BINARY_SIZES:
    return binary_sizes(program, __func__, param_value_size, param_value, param_value_size_ret);
  case CL_PROGRAM_BINARIES: return binaries(program, __func__, param_value_size, param_value, param_value_size_ret);
  default: ASK_ONCE(program->context, program, 0);
  }
}
#undef OPERATION

#define OPERATION OPERATION_clGetProgramBuildInfo
cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info param_name,
    size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(program, KIND_PROGRAM), CL_INVALID_PROGRAM, "no program is given");
  REQUIRE(program->context, object_is(device, KIND_DEVICE), CL_INVALID_DEVICE, "no device is given");
  ASK_ONCE(program->context, program, id_of(device));
}
#undef OPERATION

#define OPERATION OPERATION_clGetKernelInfo
cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size, void *param_value,
    size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(kernel, KIND_KERNEL), CL_INVALID_KERNEL, "no kernel is given");
  switch (param_name) {
  case CL_KERNEL_REFERENCE_COUNT: ANSWER_REFERENCES(kernel->context, kernel);
  case CL_KERNEL_NUM_ARGS: ANSWER(kernel->context, kernel->argument_count);
  case CL_KERNEL_CONTEXT: ANSWER(kernel->context, kernel->context);
  case CL_KERNEL_PROGRAM: ANSWER(kernel->context, kernel->program);
  default: ASK_ONCE(kernel->context, kernel, 0);
  }
}
#undef OPERATION

#define OPERATION OPERATION_clGetKernelWorkGroupInfo
cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name,
    size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(kernel, KIND_KERNEL), CL_INVALID_KERNEL, "no kernel is given");
  REQUIRE(kernel->context, device == NULL || object_is(device, KIND_DEVICE), CL_INVALID_DEVICE, "this is no device");
  // Local memory grows with arguments that are set.
  if (param_name == CL_KERNEL_LOCAL_MEM_SIZE) ASK(kernel->context, kernel, id_of(device));
  ASK_ONCE(kernel->context, kernel, id_of(device));
}
#undef OPERATION

cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name,
    size_t input_value_size, const void *input_value, size_t param_value_size, void *param_value,
    size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(kernel, KIND_KERNEL), CL_INVALID_KERNEL, "no kernel is given");
  REQUIRE(kernel->context, device == NULL || object_is(device, KIND_DEVICE), CL_INVALID_DEVICE, "this is no device");
  REQUIRE(kernel->context, input_value != NULL || input_value_size == 0, CL_INVALID_VALUE,
      "input_value is NULL, but input_value_size is not 0");
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clGetKernelSubGroupInfo);
  wire_u32(&writer, id_of(kernel));
  wire_u32(&writer, id_of(device));
  wire_u32(&writer, param_name);
  wire_bytes(&writer, input_value, input_value_size);
  // Local sizes are queried by their number: the answer is as long as there is room.
  wire_u32(&writer, (uint32_t)(param_value_size / sizeof(size_t)));
  const struct query query = {kernel, {OPERATION_clGetKernelSubGroupInfo, 0, param_name}, kernel->context, __func__,
      param_value_size, param_value, param_value_size_ret};
  return ask(&writer, &query, false, 0);
}

#define OPERATION OPERATION_clGetKernelArgInfo
cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_indx, cl_kernel_arg_info param_name, size_t param_value_size,
    void *param_value, size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(kernel, KIND_KERNEL), CL_INVALID_KERNEL, "no kernel is given");
  REQUIRE(kernel->context, arg_indx < kernel->argument_count, CL_INVALID_ARG_INDEX,
      "the kernel has no argument with this index");
  ASK_ONCE(kernel->context, kernel, arg_indx);
}
#undef OPERATION

// The status of an event; the last one is known from then on.
static cl_int ask_status(const struct query *query) {
  cl_int status = CL_QUEUED;
  size_t length = 0;
  struct query own = *query;
  own.value = &status, own.size = sizeof status, own.size_ret = &length;
  cl_int code = ask_of(&own, false);
  if (code != CL_SUCCESS) return code;
  if (status == CL_COMPLETE) event_completed(query->object);
  return answer(query->context, query->call, &status, sizeof status, query->size, query->value, query->size_ret);
}

#define OPERATION OPERATION_clGetEventInfo
cl_int clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size, void *param_value,
    size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(event, KIND_EVENT), CL_INVALID_EVENT, "no event is given");
  switch (param_name) {
  case CL_EVENT_REFERENCE_COUNT: ANSWER_REFERENCES(event->context, event);
  case CL_EVENT_CONTEXT: ANSWER(event->context, event->context);
  case CL_EVENT_COMMAND_QUEUE: ANSWER(event->context, event->queue);
  case CL_EVENT_COMMAND_TYPE: ANSWER(event->context, event->type);
  case CL_EVENT_COMMAND_EXECUTION_STATUS:
    if (event->type == CL_COMMAND_USER) {
      cl_int status = atomic_load(&event->user_status);
      ANSWER(event->context, status);
    }
    if (event_is_complete(event)) {
      static const cl_int complete = CL_COMPLETE;
      ANSWER(event->context, complete);
    }
    return ask_status(QUERY(event->context, event, 0));
  default: ASK_ONCE(event->context, event, 0);
  }
}
#undef OPERATION

#define OPERATION OPERATION_clGetEventProfilingInfo
cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name, size_t param_value_size, void *param_value,
    size_t *param_value_size_ret) {
  REQUIRE(NULL, object_is(event, KIND_EVENT), CL_INVALID_EVENT, "no event is given");
  REQUIRE(event->context, event->queue != NULL && (event->queue->properties & CL_QUEUE_PROFILING_ENABLE) != 0,
      CL_PROFILING_INFO_NOT_AVAILABLE, "the event is not of a queue with CL_QUEUE_PROFILING_ENABLE");
  cl_uint time = param_name == CL_PROFILING_COMMAND_COMPLETE ? 3 : param_name - CL_PROFILING_COMMAND_QUEUED;
  if (time < 4 && atomic_load_explicit(&event->is_timed, memory_order_acquire))
    ANSWER(event->context, event->times[time]);
  if (!event_make_known(event)) return refuse_lost(event->context, __func__);
  ASK_ONCE(event->context, event, 0);
}
#undef OPERATION
