// SPDX-License-Identifier: Apache-2.0
// Programs: sources, objects and executables.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "callbacks.h"
#include "generated/operations.h"
#include "refuse.h"

typedef void(CL_CALLBACK *program_function)(cl_program, void *);

static cl_program new_program(cl_context context) {
  cl_program program = object_new(KIND_PROGRAM, sizeof *program);
  if (program != NULL) object_use(program->context = context);
  return program;
}

// Waits for the server's description of a new program.
static cl_program made(
    struct wire_writer *writer, const char *call, cl_program program, struct reply *reply, cl_int *errcode_ret) {
  cl_context context = program->context;
  cl_int code = writer->failed ? refuse(context, CL_OUT_OF_HOST_MEMORY, call, "the program is too large") : CL_SUCCESS;
  if (code != CL_SUCCESS) wire_end(writer);
  else code = ask_server(context, call, writer, reply);
  if (errcode_ret != NULL) *errcode_ret = code;
  if (code == CL_SUCCESS) return program;
  object_forget(program);
  return NULL;
}

cl_program clCreateProgramWithSource(
    cl_context context, cl_uint count, const char **strings, const size_t *lengths, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  REQUIRE_OBJECT(context, count > 0 && strings != NULL, CL_INVALID_VALUE, "there is no source");
  size_t total = 0;
  for (cl_uint i = 0; i < count; i++) {
    REQUIRE_OBJECT(context, strings[i] != NULL, CL_INVALID_VALUE, "a string of the source is NULL");
    total += lengths == NULL || lengths[i] == 0 ? strlen(strings[i]) : lengths[i];
  }
  char *text = malloc(total + 1);
  cl_program program = text == NULL ? NULL : new_program(context);
  if (program == NULL) free(text);
  REQUIRE_OBJECT(context, program != NULL, CL_OUT_OF_HOST_MEMORY, "there is no memory for the program");
  size_t at = 0;
  for (cl_uint i = 0; i < count; i++) {
    size_t length = lengths == NULL || lengths[i] == 0 ? strlen(strings[i]) : lengths[i];
    memcpy(text + at, strings[i], length);
    at += length;
  }
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clCreateProgramWithSource);
  wire_u32(&writer, id_of(program));
  wire_u32(&writer, id_of(context));
  wire_bytes(&writer, text, total);
  free(text);
  bool fits = !writer.failed;
  if (!fits) wire_end(&writer);
  if (!fits || !connection_send(&writer)) {
    object_forget(program);
    REQUIRE_OBJECT(context, false, fits ? CL_OUT_OF_RESOURCES : CL_OUT_OF_HOST_MEMORY,
        fits ? "the server is gone" : "the program is too large");
  }
  if (errcode_ret != NULL) *errcode_ret = CL_SUCCESS;
  return program;
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
    const size_t *lengths, const unsigned char **binaries, cl_int *binary_status, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  REQUIRE_OBJECT(context, num_devices > 0 && device_list != NULL && lengths != NULL && binaries != NULL,
      CL_INVALID_VALUE, "devices, lengths and binaries are needed");
  bool is_whole = true;
  for (cl_uint i = 0; i < num_devices; i++) {
    REQUIRE_OBJECT(context, context_has(context, device_list[i]), CL_INVALID_DEVICE,
        "the list contains a value that is not a device of the context");
    bool is_there = lengths[i] > 0 && binaries[i] != NULL;
    if (!is_there && binary_status != NULL) binary_status[i] = CL_INVALID_VALUE;
    is_whole = is_whole && is_there;
  }
  REQUIRE_OBJECT(context, is_whole, CL_INVALID_VALUE, "a binary is NULL or has no bytes");
  cl_program program = new_program(context);
  REQUIRE_OBJECT(context, program != NULL, CL_OUT_OF_HOST_MEMORY, "there is no memory for the program");
  struct wire_writer writer;
  struct reply reply;
  wire_begin(&writer, OPERATION_clCreateProgramWithBinary);
  wire_u32(&writer, id_of(program));
  wire_u32(&writer, id_of(context));
  wire_u32(&writer, num_devices);
  for (cl_uint i = 0; i < num_devices; i++) {
    wire_u32(&writer, id_of(device_list[i]));
    wire_bytes(&writer, binaries[i], lengths[i]);
  }
  program = made(&writer, __func__, program, &reply, errcode_ret);
  for (cl_uint i = 0; binary_status != NULL && i < num_devices; i++)
    binary_status[i] = program != NULL ? CL_SUCCESS : CL_INVALID_BINARY;
  if (program != NULL) connection_free_reply(&reply);
  return program;
}

cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
    const char *kernel_names, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  REQUIRE_OBJECT(context, num_devices > 0 && device_list != NULL && kernel_names != NULL, CL_INVALID_VALUE,
      "devices and names are needed");
  for (cl_uint i = 0; i < num_devices; i++)
    REQUIRE_OBJECT(context, context_has(context, device_list[i]), CL_INVALID_DEVICE,
        "the list contains a value that is not a device of the context");
  REQUIRE_OBJECT(context, false, CL_INVALID_VALUE, "the device has no built-in kernels");
}

cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  REQUIRE_OBJECT(context, il != NULL && length > 0, CL_INVALID_VALUE, "there is no module");
  cl_program program = new_program(context);
  REQUIRE_OBJECT(context, program != NULL, CL_OUT_OF_HOST_MEMORY, "there is no memory for the program");
  struct wire_writer writer;
  struct reply reply;
  wire_begin(&writer, OPERATION_clCreateProgramWithIL);
  wire_u32(&writer, id_of(program));
  wire_u32(&writer, id_of(context));
  wire_bytes(&writer, il, length);
  program = made(&writer, __func__, program, &reply, errcode_ret);
  if (program != NULL) connection_free_reply(&reply);
  return program;
}

cl_int clRetainProgram(cl_program program) {
  REQUIRE(NULL, object_is(program, KIND_PROGRAM), CL_INVALID_PROGRAM, "no program is given");
  object_retain(program);
  return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program program) {
  REQUIRE(NULL, object_is(program, KIND_PROGRAM) && atomic_load(&program->object.references) > 0, CL_INVALID_PROGRAM,
      "no program is given");
  object_release(program);
  return CL_SUCCESS;
}

cl_int clSetProgramReleaseCallback(cl_program program, program_function pfn_notify, void *user_data) {
  (void)pfn_notify, (void)user_data;
  REQUIRE(NULL, object_is(program, KIND_PROGRAM), CL_INVALID_PROGRAM, "no program is given");
  return refuse(
      program->context, CL_INVALID_OPERATION, __func__, "no device runs destructors of program-scope variables");
}

cl_int clSetProgramSpecializationConstant(
    cl_program program, cl_uint spec_id, size_t spec_size, const void *spec_value) {
  REQUIRE(NULL, object_is(program, KIND_PROGRAM), CL_INVALID_PROGRAM, "no program is given");
  REQUIRE(program->context, spec_value != NULL && spec_size > 0, CL_INVALID_VALUE, "there is no value");
  struct wire_writer writer;
  struct reply reply;
  wire_begin(&writer, OPERATION_clSetProgramSpecializationConstant);
  wire_u32(&writer, id_of(program));
  wire_u32(&writer, spec_id);
  wire_bytes(&writer, spec_value, spec_size);
  bool is_too_long = writer.failed;
  if (is_too_long) wire_end(&writer);
  REQUIRE(program->context, !is_too_long, CL_INVALID_VALUE, "no constant is so long");
  cl_int code = ask_server(program->context, __func__, &writer, &reply);
  if (code == CL_SUCCESS) connection_free_reply(&reply);
  return code;
}

// Devices of a build: none given is all of the program's.
static cl_int check_devices(const char *call, cl_context context, cl_uint count, const cl_device_id *devices) {
  if ((devices == NULL) != (count == 0))
    return refuse(context, CL_INVALID_VALUE, call, "the list of devices and its length cannot be combined");
  for (cl_uint i = 0; i < count; i++)
    if (!context_has(context, devices[i]))
      return refuse(context, CL_INVALID_DEVICE, call, "the list contains a value that is not a device of the context");
  return CL_SUCCESS;
}

static void write_devices(struct wire_writer *writer, cl_uint count, const cl_device_id *devices) {
  wire_u32(writer, count);
  for (cl_uint i = 0; i < count; i++) wire_u32(writer, id_of(devices[i]));
}

// Registers the callback for its completion, and writes the number, 0 for none. The program is used meanwhile.
static uint32_t write_notify(struct wire_writer *writer, program_function notify, cl_program program, void *user_data) {
  uint32_t callback =
      notify == NULL ? 0 : callback_new(CALLBACK_PROGRAM, (void (*)(void))notify, program, user_data, 0);
  wire_u32(writer, callback);
  return callback;
}

// Keeps status and log of a build: they are usually queried next.
static void keep_build(
    cl_program program, cl_device_id device, cl_build_status status, const void *log, size_t length) {
  struct question asked = {OPERATION_clGetProgramBuildInfo, id_of(device), CL_PROGRAM_BUILD_STATUS};
  answer_keep(program, &asked, &status, sizeof status, program->object.answers_age);
  asked.token = CL_PROGRAM_BUILD_LOG;
  answer_keep(program, &asked, log, length, program->object.answers_age);
}

// A build or compilation. It is waited for even with a callback: only the server can determine whether the
// options are right. What is wrong in the source is the callback's business then, no error of the call.
static cl_int build(struct wire_writer *writer, const char *call, cl_program program, uint32_t callback) {
  cl_context context = program->context;
  answers_forget(program);
  struct reply reply;
  cl_int code = ask_server(context, call, writer, &reply);
  // Another thread may have queried it meanwhile.
  answers_forget(program);
  if (code != CL_SUCCESS) {
    callback_forget(callback);
    return code;
  }
  cl_build_status status = (cl_build_status)wire_read_u32(&reply.reader);
  uint32_t length;
  const uint8_t *log = wire_read_bytes(&reply.reader, &length);
  if (context->device_count == 1 && !reply.reader.failed) keep_build(program, context->devices[0], status, log, length);
  connection_free_reply(&reply);
  return code;
}

cl_int clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list, const char *options,
    program_function pfn_notify, void *user_data) {
  REQUIRE(NULL, object_is(program, KIND_PROGRAM), CL_INVALID_PROGRAM, "no program is given");
  REQUIRE(program->context, pfn_notify != NULL || user_data == NULL, CL_INVALID_VALUE,
      "user_data is given without pfn_notify");
  cl_int code = check_devices(__func__, program->context, num_devices, device_list);
  if (code != CL_SUCCESS) return code;
  REQUIRE(
      program->context, atomic_load(&program->kernels) == 0, CL_INVALID_OPERATION, "there are kernels of the program");
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clBuildProgram);
  wire_u32(&writer, id_of(program));
  uint32_t callback = write_notify(&writer, pfn_notify, program, user_data);
  write_devices(&writer, num_devices, device_list);
  wire_text(&writer, options);
  return build(&writer, __func__, program, callback);
}

cl_int clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list, const char *options,
    cl_uint num_input_headers, const cl_program *input_headers, const char **header_include_names,
    program_function pfn_notify, void *user_data) {
  REQUIRE(NULL, object_is(program, KIND_PROGRAM), CL_INVALID_PROGRAM, "no program is given");
  REQUIRE(program->context, pfn_notify != NULL || user_data == NULL, CL_INVALID_VALUE,
      "user_data is given without pfn_notify");
  cl_int code = check_devices(__func__, program->context, num_devices, device_list);
  if (code != CL_SUCCESS) return code;
  bool has_headers = num_input_headers > 0;
  REQUIRE(program->context, has_headers == (input_headers != NULL) && has_headers == (header_include_names != NULL),
      CL_INVALID_VALUE, "headers, their names and their number cannot be combined");
  for (cl_uint i = 0; i < num_input_headers; i++)
    REQUIRE(program->context, object_is(input_headers[i], KIND_PROGRAM) && header_include_names[i] != NULL,
        CL_INVALID_PROGRAM, "a header is no program");
  REQUIRE(
      program->context, atomic_load(&program->kernels) == 0, CL_INVALID_OPERATION, "there are kernels of the program");
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clCompileProgram);
  wire_u32(&writer, id_of(program));
  uint32_t callback = write_notify(&writer, pfn_notify, program, user_data);
  write_devices(&writer, num_devices, device_list);
  wire_text(&writer, options);
  wire_u32(&writer, num_input_headers);
  for (cl_uint i = 0; i < num_input_headers; i++) {
    wire_u32(&writer, id_of(input_headers[i]));
    wire_text(&writer, header_include_names[i]);
  }
  return build(&writer, __func__, program, callback);
}

// Query results of a program whose linking failed: the server has no such program.
static void keep_failure(cl_program program, struct wire_reader sentence) {
  uint32_t length;
  const uint8_t *text = wire_read_bytes(&sentence, &length);
  char *log = strndup((const char *)text, length);
  for (cl_uint i = 0; log != NULL && i < program->context->device_count; i++)
    keep_build(program, program->context->devices[i], CL_BUILD_ERROR, log, strlen(log) + 1);
  free(log);
}

cl_program clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list, const char *options,
    cl_uint num_input_programs, const cl_program *input_programs, program_function pfn_notify, void *user_data,
    cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  REQUIRE_OBJECT(
      context, pfn_notify != NULL || user_data == NULL, CL_INVALID_VALUE, "user_data is given without pfn_notify");
  cl_int code = check_devices(__func__, context, num_devices, device_list);
  REQUIRE_OBJECT(context, code == CL_SUCCESS, code, "the devices are none of the context");
  REQUIRE_OBJECT(context, num_input_programs > 0 && input_programs != NULL, CL_INVALID_VALUE,
      "the list of programs to link is empty");
  for (cl_uint i = 0; i < num_input_programs; i++)
    REQUIRE_OBJECT(context, object_is(input_programs[i], KIND_PROGRAM), CL_INVALID_PROGRAM,
        "the list holds something that is no program");
  cl_program program = new_program(context);
  REQUIRE_OBJECT(context, program != NULL, CL_OUT_OF_HOST_MEMORY, "there is no memory for the program");
  struct wire_writer writer;
  struct reply reply;
  wire_begin(&writer, OPERATION_clLinkProgram);
  wire_u32(&writer, id_of(program));
  wire_u32(&writer, id_of(context));
  uint32_t callback = write_notify(&writer, pfn_notify, program, user_data);
  write_devices(&writer, num_devices, device_list);
  wire_text(&writer, options);
  wire_u32(&writer, num_input_programs);
  for (cl_uint i = 0; i < num_input_programs; i++) wire_u32(&writer, id_of(input_programs[i]));
  callbacks_delay();
  bool is_answered = connection_call(&writer, &reply);
  // A program whose linking failed exists all the same: its log has the reason.
  bool exists = is_answered && (reply.error == CL_SUCCESS || reply.error == CL_LINK_PROGRAM_FAILURE);
  if (exists && reply.error != CL_SUCCESS) keep_failure(program, reply.reader);
  callbacks_go_on();
  code = !is_answered                ? refuse_lost(context, __func__)
         : reply.error != CL_SUCCESS ? refuse_reply(context, __func__, &reply)
                                     : CL_SUCCESS;
  if (code == CL_SUCCESS) connection_free_reply(&reply);
  if (!exists) {
    callback_forget(callback);
    object_forget(program);
  }
  if (errcode_ret != NULL) *errcode_ret = code;
  return exists ? program : NULL;
}
