// SPDX-License-Identifier: Apache-2.0
// Kernels, their arguments and launches.
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "commands.h"
#include "generated/operations.h"
#include "host_copy.h"

enum { MOST_ARGUMENTS = 4096 };

// The server's description of a kernel: arguments, required local size, most work-items of a group.
static bool read_facts(cl_kernel kernel, struct wire_reader *reader) {
  cl_uint count = wire_read_u32(reader);
  if (count > MOST_ARGUMENTS) return false;
  kernel->arguments = calloc(count + 1, sizeof *kernel->arguments);
  if (kernel->arguments == NULL) return false;
  kernel->argument_count = count;
  for (cl_uint i = 0; i < count; i++) {
    kernel->arguments[i].kind = wire_read_u32(reader);
    kernel->arguments[i].size = wire_read_u32(reader);
    kernel->arguments[i].access = wire_read_u32(reader);
  }
  for (int axis = 0; axis < 3; axis++) kernel->required[axis] = wire_read_u32(reader);
  kernel->most_work_items = wire_read_u32(reader);
  kernel->uniform = wire_read_u32(reader) != 0;
  kernel->local_bytes = wire_read_u32(reader);
  kernel->lacking = UINT64_MAX;
  for (uint32_t count = wire_read_u32(reader); count > 0 && !reader->failed; count--) {
    uint32_t id = wire_read_u32(reader);
    for (cl_uint i = 0; i < kernel->context->device_count && i < 64; i++)
      if (id_of(kernel->context->devices[i]) == id) kernel->lacking &= ~(1ull << i);
  }
  return !reader->failed;
}

static cl_kernel new_kernel(cl_program program) {
  cl_kernel kernel = object_new(KIND_KERNEL, sizeof *kernel);
  if (kernel == NULL) return NULL;
  object_use(kernel->program = program);
  object_use(kernel->context = program->context);
  atomic_fetch_add(&program->kernels, 1);
  return kernel;
}

static uint64_t hash_of(const char *name) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (; *name != 0; name++) hash = (hash ^ (uint8_t)*name) * 0x100000001b3;
  return hash;
}

// Keeps the server's description of a kernel, after its name.
static void keep_facts(cl_program program, const struct question *asked, const char *name, size_t named,
    const struct wire_reader *facts, uint32_t age) {
  uint8_t *bytes = malloc(named + facts->length);
  if (bytes == NULL) return;
  memcpy(bytes, name, named);
  memcpy(bytes + named, facts->bytes, facts->length);
  answer_keep(program, asked, bytes, named + facts->length, age);
  free(bytes);
}

static cl_int make_kernel(const char *call, cl_program program, const char *name, cl_kernel *made) {
  cl_context context = program->context;
  *made = NULL;
  cl_kernel kernel = new_kernel(program);
  if (kernel == NULL) return refuse(context, CL_OUT_OF_HOST_MEMORY, call, "there is no memory for the kernel");
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clCreateKernel);
  wire_u32(&writer, id_of(kernel));
  wire_u32(&writer, id_of(program));
  wire_text(&writer, name);
  // Facts of a kernel that was made before are those of every other one with its name, until the program is built anew.
  const struct question asked = {OPERATION_clCreateKernel, hash_of(name), 0};
  size_t length = 0, named = strlen(name) + 1;
  uint32_t age;
  uint8_t *known = answer_find(program, &asked, &length, &age);
  bool is_known = known != NULL && length > named && memcmp(known, name, named) == 0;
  struct reply reply = {.error = CL_SUCCESS};
  cl_int code = is_known ? tell_server(context, call, &writer) : ask_server(context, call, &writer, &reply);
  if (code != CL_SUCCESS) {
    object_forget(kernel);
  } else {
    if (is_known) reply.reader = (struct wire_reader){.bytes = known + named, .length = (uint32_t)(length - named)};
    else keep_facts(program, &asked, name, named, &reply.reader, age);
    const struct question function_name = {OPERATION_clGetKernelInfo, 0, CL_KERNEL_FUNCTION_NAME};
    answer_keep(kernel, &function_name, name, named, kernel->object.answers_age);
    if (!read_facts(kernel, &reply.reader))
      code = refuse(context, CL_OUT_OF_HOST_MEMORY, call, "there is no memory for the kernel's arguments");
    connection_free_reply(&reply);
    // The server has it: so it must hear when it goes.
    if (code != CL_SUCCESS) object_release(kernel);
    else *made = kernel;
  }
  free(known);
  return code;
}

cl_kernel clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(program, KIND_PROGRAM), CL_INVALID_PROGRAM, "no program is given");
  REQUIRE_OBJECT(program->context, kernel_name != NULL, CL_INVALID_VALUE, "kernel_name is NULL");
  cl_kernel kernel;
  cl_int code = make_kernel(__func__, program, kernel_name, &kernel);
  if (errcode_ret != NULL) *errcode_ret = code;
  return kernel;
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels, cl_uint *num_kernels_ret) {
  REQUIRE(NULL, object_is(program, KIND_PROGRAM), CL_INVALID_PROGRAM, "no program is given");
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clCreateKernelsInProgram);
  wire_u32(&writer, id_of(program));
  struct reply reply;
  cl_int code = ask_server(program->context, __func__, &writer, &reply);
  if (code != CL_SUCCESS) return code;
  cl_uint count = wire_read_u32(&reply.reader), made = 0;
  if (kernels != NULL && num_kernels < count)
    code = refuse(program->context, CL_INVALID_VALUE, __func__, "num_kernels is less than the program has");
  for (; code == CL_SUCCESS && kernels != NULL && made < count; made++) {
    uint32_t length;
    const uint8_t *bytes = wire_read_bytes(&reply.reader, &length);
    char name[1024];
    length = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, bytes, length);
    name[length] = 0;
    code = make_kernel(__func__, program, name, &kernels[made]);
  }
  connection_free_reply(&reply);
  if (code != CL_SUCCESS) {
    for (cl_uint i = 0; i + 1 < made; i++) object_release(kernels[i]);
    return code;
  }
  if (num_kernels_ret != NULL) *num_kernels_ret = count;
  return CL_SUCCESS;
}

cl_kernel clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(source_kernel, KIND_KERNEL), CL_INVALID_KERNEL, "no kernel is given");
  cl_context context = source_kernel->context;
  cl_kernel kernel = new_kernel(source_kernel->program);
  REQUIRE_OBJECT(context, kernel != NULL, CL_OUT_OF_HOST_MEMORY, "there is no memory for the kernel");
  cl_uint count = kernel->argument_count = source_kernel->argument_count;
  kernel->arguments = calloc(count + 1, sizeof *kernel->arguments);
  bool is_sent = kernel->arguments != NULL;
  if (is_sent) {
    for (cl_uint i = 0; i < count; i++) {
      kernel->arguments[i].kind = source_kernel->arguments[i].kind;
      kernel->arguments[i].size = source_kernel->arguments[i].size;
      kernel->arguments[i].access = source_kernel->arguments[i].access;
      kernel->arguments[i].set = source_kernel->arguments[i].set;
      kernel->arguments[i].local = source_kernel->arguments[i].local;
      kernel->arguments[i].memory = source_kernel->arguments[i].memory;
    }
    memcpy(kernel->required, source_kernel->required, sizeof kernel->required);
    kernel->most_work_items = source_kernel->most_work_items;
    kernel->uniform = source_kernel->uniform;
    kernel->local_bytes = source_kernel->local_bytes;
    kernel->lacking = source_kernel->lacking;
    struct wire_writer writer;
    wire_begin(&writer, OPERATION_clCloneKernel);
    wire_u32(&writer, id_of(kernel));
    wire_u32(&writer, id_of(source_kernel));
    is_sent = connection_send(&writer);
  }
  if (!is_sent) object_forget(kernel);
  REQUIRE_OBJECT(context, is_sent, CL_OUT_OF_RESOURCES, "the kernel could not be made");
  if (errcode_ret != NULL) *errcode_ret = CL_SUCCESS;
  return kernel;
}

cl_int clRetainKernel(cl_kernel kernel) {
  REQUIRE(NULL, object_is(kernel, KIND_KERNEL), CL_INVALID_KERNEL, "no kernel is given");
  object_retain(kernel);
  return CL_SUCCESS;
}

cl_int clReleaseKernel(cl_kernel kernel) {
  REQUIRE(NULL, object_is(kernel, KIND_KERNEL) && atomic_load(&kernel->object.references) > 0, CL_INVALID_KERNEL,
      "no kernel is given");
  object_release(kernel);
  return CL_SUCCESS;
}

// The memory object of an argument: is it what the kernel takes?
static cl_int check_memory(cl_kernel kernel, const struct argument *argument, cl_mem memory, const char *call) {
  if (memory == NULL)
    return refuse(kernel->context, CL_INVALID_ARG_VALUE, call, "the kernel takes an object here, not NULL");
  if (!object_is(memory, KIND_MEMORY))
    return refuse(kernel->context, CL_INVALID_MEM_OBJECT, call, "the argument is no memory object");
  if (memory->context != kernel->context)
    return refuse(kernel->context, CL_INVALID_MEM_OBJECT, call, "the memory object belongs to another context");
  bool is_image = memory->element_size > 0, is_pipe = memory->type == CL_MEM_OBJECT_PIPE;
  if (argument->kind == ARGUMENT_BUFFER && (is_image || is_pipe))
    return refuse(kernel->context, CL_INVALID_ARG_VALUE, call, "the kernel takes a buffer here");
  if (argument->kind == ARGUMENT_IMAGE && !is_image)
    return refuse(kernel->context, CL_INVALID_ARG_VALUE, call, "the kernel takes an image here");
  if (argument->kind == ARGUMENT_PIPE && !is_pipe)
    return refuse(kernel->context, CL_INVALID_ARG_VALUE, call, "the kernel takes a pipe here");
  if (argument->kind == ARGUMENT_PIPE && argument->size != 0 && memory->packet_size != argument->size)
    return refuse(kernel->context, CL_INVALID_ARG_VALUE, call, "the kernel takes a pipe with packets of another size");
  if (argument->kind == ARGUMENT_IMAGE) {
    bool reads = (argument->access & 1) != 0, writes = (argument->access & 2) != 0;
    if ((reads && (memory->flags & CL_MEM_WRITE_ONLY) != 0) || (writes && (memory->flags & CL_MEM_READ_ONLY) != 0))
      return refuse(
          kernel->context, CL_INVALID_ARG_VALUE, call, "the image was made without the access that the kernel needs");
  }
  return CL_SUCCESS;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value) {
  REQUIRE(NULL, object_is(kernel, KIND_KERNEL), CL_INVALID_KERNEL, "no kernel is given");
  REQUIRE(kernel->context, arg_index < kernel->argument_count, CL_INVALID_ARG_INDEX,
      "the kernel has no argument with this index");
  struct argument *argument = &kernel->arguments[arg_index];
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clSetKernelArg);
  wire_u32(&writer, id_of(kernel));
  wire_u32(&writer, arg_index);
  cl_int code = CL_SUCCESS;
  uint32_t named = 0;
  switch (argument->kind) {
  case ARGUMENT_VALUE:
    REQUIRE(kernel->context, arg_value != NULL, CL_INVALID_ARG_VALUE, "arg_value is NULL");
    REQUIRE(kernel->context, argument->size == 0 || arg_size == argument->size, CL_INVALID_ARG_SIZE,
        "arg_size is not the size of the parameter");
    wire_u32(&writer, 0);
    wire_bytes(&writer, arg_value, arg_size);
    break;
  case ARGUMENT_LOCAL:
    REQUIRE(kernel->context, arg_size > 0, CL_INVALID_ARG_SIZE, "local memory has at least one byte");
    REQUIRE(kernel->context, arg_value == NULL, CL_INVALID_ARG_VALUE, "local memory has no value");
    wire_u32(&writer, 1);
    wire_u64(&writer, arg_size);
    break;
  case ARGUMENT_SAMPLER: {
    REQUIRE(kernel->context, arg_size == sizeof(cl_sampler), CL_INVALID_ARG_SIZE, "arg_size is not that of a sampler");
    cl_sampler sampler = arg_value == NULL ? NULL : *(const cl_sampler *)arg_value;
    REQUIRE(kernel->context, object_is(sampler, KIND_SAMPLER) && sampler->context == kernel->context,
        CL_INVALID_SAMPLER, "the argument is no sampler of the kernel's context");
    wire_u32(&writer, 2);
    wire_u32(&writer, id_of(sampler));
    break;
  }
  default: {
    REQUIRE(
        kernel->context, arg_size == sizeof(cl_mem), CL_INVALID_ARG_SIZE, "arg_size is not that of a memory object");
    cl_mem memory = arg_value == NULL ? NULL : *(const cl_mem *)arg_value;
    if (memory != NULL || argument->kind != ARGUMENT_BUFFER) code = check_memory(kernel, argument, memory, __func__);
    wire_u32(&writer, 2);
    wire_u32(&writer, named = id_of(memory));
  }
  }
  if (code != CL_SUCCESS) {
    wire_end(&writer);
    return code;
  }
  code = tell_server(kernel->context, __func__, &writer);
  if (code != CL_SUCCESS) return code;
  if (argument->kind == ARGUMENT_LOCAL) atomic_store(&argument->local, arg_size);
  atomic_store_explicit(&argument->memory, named, memory_order_relaxed);
  atomic_store(&argument->set, true);
  return CL_SUCCESS;
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value) {
  (void)arg_index, (void)arg_value;
  REQUIRE(NULL, object_is(kernel, KIND_KERNEL), CL_INVALID_KERNEL, "no kernel is given");
  return refuse(kernel->context, CL_INVALID_OPERATION, __func__, "the device shares no memory with this process");
}

cl_int clSetKernelExecInfo(
    cl_kernel kernel, cl_kernel_exec_info param_name, size_t param_value_size, const void *param_value) {
  (void)param_value_size, (void)param_value;
  REQUIRE(NULL, object_is(kernel, KIND_KERNEL), CL_INVALID_KERNEL, "no kernel is given");
  REQUIRE(kernel->context,
      param_name == CL_KERNEL_EXEC_INFO_SVM_PTRS || param_name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
      CL_INVALID_VALUE, "this is nothing that a kernel can be told");
  return refuse(kernel->context, CL_INVALID_OPERATION, __func__, "the device shares no memory with this process");
}

// What the specification makes an error at the call. A launch with a dimension of the size 0 does nothing, and is none.
static cl_int check_sizes(const char *call, cl_kernel kernel, cl_device_id device, cl_uint dimensions,
    const size_t *offset, const size_t *global, const size_t *local) {
  cl_context context = kernel->context;
  if (dimensions < 1 || dimensions > 3)
    return refuse(context, CL_INVALID_WORK_DIMENSION, call, "work_dim is 1, 2 or 3");
  size_t items = 1;
  for (cl_uint axis = 0; axis < dimensions; axis++) {
    size_t first = offset == NULL ? 0 : offset[axis];
    if (global[axis] > UINT32_MAX)
      return refuse(context, CL_INVALID_GLOBAL_WORK_SIZE, call, "a global size does not fit in 32 bits");
    if (first > UINT32_MAX || first + global[axis] > (size_t)UINT32_MAX + 1)
      return refuse(context, CL_INVALID_GLOBAL_OFFSET, call, "ids would not fit in 32 bits");
    if (local == NULL) continue;
    if (local[axis] == 0) return refuse(context, CL_INVALID_WORK_GROUP_SIZE, call, "a local size is 0");
    if (local[axis] > device->most_in_dimension[axis])
      return refuse(context, CL_INVALID_WORK_ITEM_SIZE, call,
          "a local size is more than the device has work-items in that dimension");
    if (kernel->required[0] > 0 && local[axis] != kernel->required[axis])
      return refuse(context, CL_INVALID_WORK_GROUP_SIZE, call, "the kernel requires another local size");
    if (kernel->uniform && global[axis] % local[axis] != 0)
      return refuse(context, CL_INVALID_WORK_GROUP_SIZE, call, "a global size is no multiple of the local size");
    items *= local[axis];
  }
  for (cl_uint axis = dimensions; local != NULL && kernel->required[0] > 0 && axis < 3; axis++)
    if (kernel->required[axis] != 1)
      return refuse(context, CL_INVALID_WORK_GROUP_SIZE, call,
          "the kernel requires a local size in a dimension that the launch does not have");
  size_t most = kernel->most_work_items > 0 ? kernel->most_work_items : device->most_work_items;
  if (items > most)
    return refuse(context, CL_INVALID_WORK_GROUP_SIZE, call, "the local size has more work-items than the device");
  return CL_SUCCESS;
}

static bool has_executable(cl_kernel kernel, cl_device_id device) {
  for (cl_uint i = 0; i < kernel->context->device_count && i < 64; i++)
    if (kernel->context->devices[i] == device) return (kernel->lacking >> i & 1) == 0;
  return true;
}

enum { LOCAL_ALIGNMENT = 128 }; // of local memory that is an argument

static cl_int check_local(const char *call, cl_kernel kernel, cl_device_id device) {
  size_t bytes = kernel->local_bytes;
  for (cl_uint i = 0; i < kernel->argument_count; i++) {
    size_t more = atomic_load(&kernel->arguments[i].local);
    if (more > device->local_bytes) bytes = device->local_bytes + 1;
    else bytes += (more + LOCAL_ALIGNMENT - 1) / LOCAL_ALIGNMENT * LOCAL_ALIGNMENT;
  }
  return bytes > device->local_bytes ? refuse(kernel->context, CL_OUT_OF_RESOURCES, call,
                                           "the kernel needs more local memory than a work-group has")
                                     : CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
    const size_t *global_work_offset, const size_t *global_work_size, const size_t *local_work_size,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  REQUIRE(NULL, object_is(command_queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  REQUIRE(command_queue->context, object_is(kernel, KIND_KERNEL), CL_INVALID_KERNEL, "no kernel is given");
  REQUIRE(command_queue->context, kernel->context == command_queue->context, CL_INVALID_CONTEXT,
      "the kernel and the queue belong to different contexts");
  REQUIRE(kernel->context, has_executable(kernel, command_queue->device), CL_INVALID_PROGRAM_EXECUTABLE,
      "the kernel's program is not built for the queue's device");
  for (cl_uint i = 0; i < kernel->argument_count; i++)
    REQUIRE(kernel->context, kernel->arguments[i].set, CL_INVALID_KERNEL_ARGS, "an argument of the kernel is not set");
  static const size_t nothing[3] = {0, 0, 0};
  if (global_work_size == NULL) global_work_size = nothing;
  cl_int code = check_sizes(
      __func__, kernel, command_queue->device, work_dim, global_work_offset, global_work_size, local_work_size);
  if (code == CL_SUCCESS) code = check_local(__func__, kernel, command_queue->device);
  if (code != CL_SUCCESS) return code;
  struct command command;
  BEGIN(command, OPERATION_clEnqueueNDRangeKernel, command_queue, CL_COMMAND_NDRANGE_KERNEL, false);
  wire_u32(&command.writer, id_of(kernel));
  wire_u32(&command.writer, work_dim);
  wire_u32(&command.writer, (global_work_offset != NULL ? 1 : 0) | (local_work_size != NULL ? 2 : 0));
  for (cl_uint axis = 0; axis < work_dim; axis++) {
    wire_u32(&command.writer, (uint32_t)global_work_size[axis]);
    wire_u32(&command.writer, global_work_offset == NULL ? 0 : (uint32_t)global_work_offset[axis]);
    wire_u32(&command.writer, local_work_size == NULL ? 0 : (uint32_t)local_work_size[axis]);
  }
  code = command_end(&command, false, event);
  host_copy_launched(command_queue, kernel);
  return code;
}

cl_int clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event) {
  static const size_t one = 1;
  return clEnqueueNDRangeKernel(command_queue, kernel, 1, NULL, &one, &one, WAITS);
}
