// SPDX-License-Identifier: Apache-2.0
// Platform, devices and contexts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks.h"
#include "device_memory.h"
#include "generated/operations.h"
#include "refuse.h"
#include "server_command.h"
#include "trace.h"
#include "transfers.h"

const char SERVER_API[] = "MUXKIT_ICD_API=opencl";

enum { MOST_DEVICES = 64, MOST_PROPERTIES = 64 };

static struct {
  cl_platform_id platform;
  cl_device_id devices[MOST_DEVICES];
  cl_uint device_count;
} root;

static void print(const uint8_t *text, uint32_t length) {
  fwrite(text, 1, length, stdout);
  fflush(stdout);
}

static void log_line(const uint8_t *text, uint32_t length) {
  if (refuse_is_logged()) fprintf(stderr, "muxkit: %.*s\n", (int)length, (const char *)text);
}

// The server's description of a device: type, most work-items, most in each dimension, most bytes of an object, of
// local memory, alignment of parts.
static void read_device(cl_device_id device, struct wire_reader *reader) {
  device->type = wire_read_u64(reader);
  device->most_work_items = wire_read_u64(reader);
  for (int axis = 0; axis < 3; axis++) device->most_in_dimension[axis] = wire_read_u64(reader);
  device->most_allocated = wire_read_u64(reader);
  device->local_bytes = wire_read_u64(reader);
  device->base_alignment = wire_read_u64(reader);
}

static void find_devices(void) {
  if (trace_wanted()) object_dispatch = traced_table;
  struct wire_reader reader = connection_greeting()->reader;
  cl_platform_id platform = object_known(KIND_PLATFORM, sizeof *platform, wire_read_u32(&reader));
  cl_uint count = wire_read_u32(&reader);
  for (cl_uint i = 0; i < count && i < MOST_DEVICES && platform != NULL; i++) {
    cl_device_id device = object_known(KIND_DEVICE, sizeof *device, wire_read_u32(&reader));
    if (device == NULL) return;
    read_device(device, &reader);
    root.devices[root.device_count++] = device;
  }
  if (!reader.failed) root.platform = platform;
}

static pthread_once_t found = PTHREAD_ONCE_INIT;

static bool is_open(void) {
  static const struct frame_handlers handlers = {.callback = callback_arrived,
      .transfer = transfer_arrived,
      .move = transfer_move,
      .place = device_place,
      .print = print,
      .log = log_line,
      .lost = callback_server_lost};
  if (!connection_open(&handlers)) return false;
  pthread_once(&found, find_devices);
  return root.platform != NULL;
}

cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms) {
  REQUIRE(NULL, (platforms != NULL || num_platforms != NULL) && (platforms == NULL || num_entries > 0),
      CL_INVALID_VALUE, "there is no room for an answer");
  bool there = is_open();
  if (num_platforms != NULL) *num_platforms = there ? 1 : 0;
  if (!there) return CL_PLATFORM_NOT_FOUND_KHR;
  if (platforms != NULL) platforms[0] = root.platform;
  return CL_SUCCESS;
}

__attribute__((visibility("default"))) cl_int clIcdGetPlatformIDsKHR(
    cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms);
cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms) {
  return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries, cl_device_id *devices,
    cl_uint *num_devices) {
  REQUIRE(NULL, object_is(platform, KIND_PLATFORM), CL_INVALID_PLATFORM, "no platform is given");
  cl_ulong known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                   CL_DEVICE_TYPE_CUSTOM;
  REQUIRE(NULL, device_type == CL_DEVICE_TYPE_ALL || (device_type != 0 && (device_type & ~known) == 0),
      CL_INVALID_DEVICE_TYPE, "this is no type of device");
  REQUIRE(NULL, (devices != NULL || num_devices != NULL) && (devices == NULL || num_entries > 0), CL_INVALID_VALUE,
      "there is no room for an answer");
  cl_uint count = 0;
  for (cl_uint i = 0; i < root.device_count; i++) {
    bool first = i == 0 && (device_type & CL_DEVICE_TYPE_DEFAULT) != 0;
    bool is_asked = device_type == CL_DEVICE_TYPE_ALL
                        ? (root.devices[i]->type & CL_DEVICE_TYPE_CUSTOM) == 0
                        : (root.devices[i]->type & device_type & ~(cl_ulong)CL_DEVICE_TYPE_DEFAULT) != 0;
    if (!first && !is_asked) continue;
    if (devices != NULL && count < num_entries) devices[count] = root.devices[i];
    count++;
  }
  if (num_devices != NULL) *num_devices = count;
  REQUIRE(NULL, count > 0, CL_DEVICE_NOT_FOUND, "there is no device of this type");
  return CL_SUCCESS;
}

// How many parts the properties make of a device with so many compute units; 0: not as they say.
static cl_uint parts_of(const cl_device_partition_property *properties, cl_uint units) {
  if (properties[0] == CL_DEVICE_PARTITION_EQUALLY)
    return properties[1] > 0 && properties[2] == 0 ? units / (cl_uint)properties[1] : 0;
  if (properties[0] != CL_DEVICE_PARTITION_BY_COUNTS) return 0;
  cl_uint parts = 0;
  while (properties[1 + parts] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END && parts < MOST_PROPERTIES) parts++;
  return parts;
}

cl_int clCreateSubDevices(cl_device_id in_device, const cl_device_partition_property *properties, cl_uint num_devices,
    cl_device_id *out_devices, cl_uint *num_devices_ret) {
  REQUIRE(NULL, object_is(in_device, KIND_DEVICE), CL_INVALID_DEVICE, "no device is given");
  REQUIRE(NULL,
      properties != NULL &&
          (properties[0] == CL_DEVICE_PARTITION_EQUALLY || properties[0] == CL_DEVICE_PARTITION_BY_COUNTS),
      CL_INVALID_VALUE, "the device is partitioned equally or by counts");
  cl_uint units = 0;
  cl_int code = clGetDeviceInfo(in_device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  if (code != CL_SUCCESS) return code;
  cl_uint count = parts_of(properties, units);
  REQUIRE(NULL, count <= MOST_DEVICES, CL_INVALID_DEVICE_PARTITION_COUNT,
      "these are more parts than the device has compute units");
  REQUIRE(
      NULL, out_devices == NULL || num_devices >= count, CL_INVALID_VALUE, "num_devices is less than there are parts");
  cl_device_id made[MOST_DEVICES];
  cl_uint made_count = 0;
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clCreateSubDevices);
  wire_u32(&writer, id_of(in_device));
  wire_u32(&writer, properties[0] == CL_DEVICE_PARTITION_EQUALLY ? 1 : 0);
  if (properties[0] == CL_DEVICE_PARTITION_EQUALLY) wire_u32(&writer, 1), wire_u32(&writer, (uint32_t)properties[1]);
  else {
    wire_u32(&writer, count);
    for (cl_uint i = 0; i < count; i++) wire_u32(&writer, (uint32_t)properties[1 + i]);
  }
  wire_u32(&writer, out_devices == NULL ? 0 : count);
  for (; out_devices != NULL && made_count < count; made_count++) {
    cl_device_id part = object_new(KIND_DEVICE, sizeof *part);
    if (part == NULL) break;
    object_use(part->parent = in_device);
    made[made_count] = part;
    wire_u32(&writer, id_of(part));
  }
  // As they were given: the list of counts has an end of its own.
  cl_device_partition_property kept[MOST_DEVICES + 3] = {properties[0], properties[1]};
  size_t words = properties[0] == CL_DEVICE_PARTITION_EQUALLY ? 3 : count + 3;
  for (cl_uint i = 1; properties[0] == CL_DEVICE_PARTITION_BY_COUNTS && i < count; i++) kept[1 + i] = properties[1 + i];
  struct reply reply;
  code = ask_server(NULL, __func__, &writer, &reply);
  for (cl_uint i = 0; i < made_count; i++) {
    if (code != CL_SUCCESS) object_forget(made[i]);
    else {
      object_keep_properties(made[i], kept, words);
      read_device(made[i], &reply.reader);
      out_devices[i] = made[i];
    }
  }
  if (code != CL_SUCCESS) return code;
  connection_free_reply(&reply);
  if (num_devices_ret != NULL) *num_devices_ret = count;
  return CL_SUCCESS;
}

cl_int clRetainDevice(cl_device_id device) {
  REQUIRE(NULL, object_is(device, KIND_DEVICE), CL_INVALID_DEVICE, "no device is given");
  if (device->parent != NULL) object_retain(device);
  return CL_SUCCESS;
}

cl_int clReleaseDevice(cl_device_id device) {
  REQUIRE(NULL, object_is(device, KIND_DEVICE), CL_INVALID_DEVICE, "no device is given");
  if (device->parent != NULL) object_release(device);
  return CL_SUCCESS;
}

static cl_int timers(
    uint16_t operation, const char *call, cl_device_id device, cl_ulong *device_time, cl_ulong *host_time) {
  struct wire_writer writer;
  wire_begin(&writer, operation);
  wire_u32(&writer, id_of(device));
  struct reply reply;
  cl_int code = ask_server(NULL, call, &writer, &reply);
  if (code != CL_SUCCESS) return code;
  cl_ulong first = wire_read_u64(&reply.reader), second = wire_read_u64(&reply.reader);
  if (device_time != NULL) *device_time = first;
  *host_time = second;
  connection_free_reply(&reply);
  return CL_SUCCESS;
}

cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp, cl_ulong *host_timestamp) {
  REQUIRE(NULL, object_is(device, KIND_DEVICE), CL_INVALID_DEVICE, "no device is given");
  REQUIRE(NULL, device_timestamp != NULL && host_timestamp != NULL, CL_INVALID_VALUE, "there is no room for an answer");
  return timers(OPERATION_clGetDeviceAndHostTimer, __func__, device, device_timestamp, host_timestamp);
}

cl_int clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp) {
  REQUIRE(NULL, object_is(device, KIND_DEVICE), CL_INVALID_DEVICE, "no device is given");
  REQUIRE(NULL, host_timestamp != NULL, CL_INVALID_VALUE, "there is no room for an answer");
  return timers(OPERATION_clGetHostTimer, __func__, device, NULL, host_timestamp);
}

// Checks the properties of a context and counts them with the 0 at their end; 0: none are given, -1: an error.
static int property_count(const cl_context_properties *properties, cl_int *code) {
  if (properties == NULL) return 0;
  int count = 0;
  bool has_platform = false;
  for (; properties[count] != 0; count += 2) {
    bool is_platform = properties[count] == CL_CONTEXT_PLATFORM;
    bool is_right = is_platform ? !has_platform : properties[count] == CL_CONTEXT_INTEROP_USER_SYNC;
    if (!is_right || count > MOST_PROPERTIES) return *code = CL_INVALID_PROPERTY, -1;
    if (is_platform && !object_is((void *)properties[count + 1], KIND_PLATFORM)) return *code = CL_INVALID_PLATFORM, -1;
    has_platform = has_platform || is_platform;
  }
  return count + 1;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
    notify_function pfn_notify, void *user_data, cl_int *errcode_ret) {
  cl_int code = CL_SUCCESS;
  int count = property_count(properties, &code);
  REQUIRE_OBJECT(NULL, count >= 0, code, "the properties are none of contexts, or name no platform");
  REQUIRE_OBJECT(NULL, devices != NULL && num_devices > 0, CL_INVALID_VALUE, "no devices are given");
  REQUIRE_OBJECT(
      NULL, pfn_notify != NULL || user_data == NULL, CL_INVALID_VALUE, "user_data is given without pfn_notify");
  for (cl_uint i = 0; i < num_devices; i++)
    REQUIRE_OBJECT(
        NULL, object_is(devices[i], KIND_DEVICE), CL_INVALID_DEVICE, "the list contains a value that is not a device");
  cl_context context = object_new(KIND_CONTEXT, sizeof *context);
  REQUIRE_OBJECT(NULL, context != NULL, CL_OUT_OF_HOST_MEMORY, "there is no memory for the context");
  context->devices = calloc(num_devices, sizeof *devices);
  bool is_made = context->devices != NULL && object_keep_properties(context, properties, (size_t)count);
  for (cl_uint i = 0; is_made && i < num_devices; i++)
    object_use(context->devices[context->device_count++] = devices[i]);
  context->notify = pfn_notify;
  context->notify_data = user_data;
  if (pfn_notify != NULL)
    context->notify_callback = callback_new(CALLBACK_NOTIFY, (void (*)(void))pfn_notify, context, user_data, 0);
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clCreateContext);
  wire_u32(&writer, id_of(context));
  wire_u32(&writer, context->notify_callback);
  wire_u32(&writer, num_devices);
  for (cl_uint i = 0; i < num_devices; i++) wire_u32(&writer, id_of(devices[i]));
  struct reply reply;
  code = is_made ? ask_server(NULL, __func__, &writer, &reply) : CL_OUT_OF_HOST_MEMORY;
  if (errcode_ret != NULL) *errcode_ret = code;
  if (code == CL_SUCCESS) {
    connection_free_reply(&reply);
    return context;
  }
  object_forget(context);
  return NULL;
}

cl_context clCreateContextFromType(const cl_context_properties *properties, cl_device_type device_type,
    notify_function pfn_notify, void *user_data, cl_int *errcode_ret) {
  cl_int code = CL_SUCCESS;
  REQUIRE_OBJECT(
      NULL, property_count(properties, &code) >= 0, code, "the properties are none of contexts, or name no platform");
  REQUIRE_OBJECT(NULL, is_open(), CL_INVALID_PLATFORM, "there is no platform");
  cl_device_id devices[MOST_DEVICES];
  cl_uint count = 0;
  code = clGetDeviceIDs(root.platform, device_type, MOST_DEVICES, devices, &count);
  REQUIRE_OBJECT(NULL, code == CL_SUCCESS, code, "there is no device of this type");
  return clCreateContext(properties, count, devices, pfn_notify, user_data, errcode_ret);
}

cl_int clRetainContext(cl_context context) {
  REQUIRE(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  object_retain(context);
  return CL_SUCCESS;
}

cl_int clReleaseContext(cl_context context) {
  REQUIRE(NULL, object_is(context, KIND_CONTEXT) && atomic_load(&context->object.references) > 0, CL_INVALID_CONTEXT,
      "no context is given");
  object_release(context);
  return CL_SUCCESS;
}

cl_int clSetContextDestructorCallback(
    cl_context context, void(CL_CALLBACK *pfn_notify)(cl_context, void *), void *user_data) {
  REQUIRE(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  REQUIRE(context, pfn_notify != NULL, CL_INVALID_VALUE, "pfn_notify is NULL");
  uint32_t callback = callback_new(CALLBACK_DESTRUCTOR, (void (*)(void))pfn_notify, context, user_data, 0);
  REQUIRE(context, callback != 0, CL_OUT_OF_HOST_MEMORY, "there is no memory for the callback");
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clSetContextDestructorCallback);
  wire_u32(&writer, id_of(context));
  wire_u32(&writer, callback);
  return tell_server(context, __func__, &writer);
}

cl_int clUnloadCompiler(void) { return CL_SUCCESS; }

cl_int clUnloadPlatformCompiler(cl_platform_id platform) {
  REQUIRE(NULL, object_is(platform, KIND_PLATFORM), CL_INVALID_PLATFORM, "no platform is given");
  return CL_SUCCESS;
}

static void *extension_function(const char *func_name) {
  static const struct {
    const char *name;
    void *function;
  } functions[] = {{"clIcdGetPlatformIDsKHR", (void *)clIcdGetPlatformIDsKHR},
      {"clGetPlatformInfo", (void *)clGetPlatformInfo},
      {"clCreateCommandQueueWithPropertiesKHR", (void *)clCreateCommandQueueWithProperties},
      {"clCreateProgramWithILKHR", (void *)clCreateProgramWithIL}};
  for (size_t i = 0; func_name != NULL && i < sizeof functions / sizeof *functions; i++)
    if (strcmp(func_name, functions[i].name) == 0) return functions[i].function;
  return NULL;
}

__attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *func_name) {
  return extension_function(func_name);
}

// It calls no exported function: the loader has one of the same name, which precedes ours.
void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *func_name) {
  return object_is(platform, KIND_PLATFORM) ? extension_function(func_name) : NULL;
}
