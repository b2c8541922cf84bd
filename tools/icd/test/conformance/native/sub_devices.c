// SPDX-License-Identifier: Apache-2.0
// Sub-devices: what is built for a device counts for its parts, in every query and for every launch; a launch where
// nothing was built is refused by the call.
#include "harness.h"

static const char *const source = "kernel void k(global int *out) { *out = VALUE; }";
static cl_device_id parts[2];
static cl_context shared;
static cl_command_queue queues[3];

enum { WHOLE = 1, FIRST = 2, SECOND = 4 };

static cl_uint list_of(int which, cl_device_id *list) {
  cl_uint count = 0;
  if (which & WHOLE) list[count++] = device;
  if (which & FIRST) list[count++] = parts[0];
  if (which & SECOND) list[count++] = parts[1];
  return count;
}

static cl_program build_for(int which, const char *options) {
  cl_device_id list[3];
  cl_program program = clCreateProgramWithSource(shared, 1, (const char **)&source, NULL, NULL);
  cl_uint count = list_of(which, list);
  clBuildProgram(program, count, count == 0 ? NULL : list, options, NULL, NULL);
  return program;
}

// What a launch on a queue writes; the code of the call where it is refused.
static cl_int run(cl_program program, cl_command_queue on) {
  cl_int code, out = 0;
  cl_kernel kernel = clCreateKernel(program, "k", &code);
  if (code != CL_SUCCESS) return code;
  cl_mem buffer = clCreateBuffer(shared, CL_MEM_READ_WRITE, sizeof out, NULL, NULL);
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  code = clEnqueueNDRangeKernel(on, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL);
  if (code == CL_SUCCESS) clEnqueueReadBuffer(on, buffer, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  return code == CL_SUCCESS ? out : code;
}

static const struct {
  const char *what;
  int built;
  cl_int wanted[3]; // on the device, on its parts
} rows[] = {{"for all devices", 0, {7, 7, 7}}, {"for the device", WHOLE, {7, 7, 7}},
    {"for both parts", FIRST | SECOND, {CL_INVALID_PROGRAM_EXECUTABLE, 7, 7}},
    {"for one part", FIRST, {CL_INVALID_PROGRAM_EXECUTABLE, 7, CL_INVALID_PROGRAM_EXECUTABLE}},
    {"for the device and a part", WHOLE | SECOND, {7, 7, 7}}};
static const char *const places[] = {"the device", "the first part", "the second part"};

static const cl_program_build_info build_tokens[] = {CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_BUILD_OPTIONS,
    CL_PROGRAM_BUILD_LOG, CL_PROGRAM_BINARY_TYPE, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE};
static const char *const build_names[] = {
    "status", "options", "log", "kind of binary", "size of its variables in global memory"};
static const cl_kernel_work_group_info kernel_tokens[] = {CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
    CL_KERNEL_LOCAL_MEM_SIZE, CL_KERNEL_PRIVATE_MEM_SIZE, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE};
static const char *const kernel_names[] = {"work-group size", "required work-group size", "local memory",
    "private memory", "preferred multiple of the work-group size"};

static void inherited_queries(void) {
  cl_program program = build_for(WHOLE, "-DVALUE=7");
  for (size_t i = 0; i < LENGTH(build_tokens); i++)
    for (int part = 0; part < 2; part++) {
      uint8_t of_device[4096] = {0}, of_part[4096] = {0};
      size_t length = 0, other = 0;
      clGetProgramBuildInfo(program, device, build_tokens[i], sizeof of_device, of_device, &length);
      cl_int code = clGetProgramBuildInfo(program, parts[part], build_tokens[i], sizeof of_part, of_part, &other);
      check(code == CL_SUCCESS && length == other && memcmp(of_device, of_part, length) == 0, NULL,
          "the %s of a build for the device is that of %s", build_names[i], places[part + 1]);
    }
  size_t sizes[3] = {0};
  clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL);
  check(sizes[0] > 0 && sizes[1] == sizes[0] && sizes[2] == sizes[0], NULL,
      "the parts have the device's binary");
  cl_kernel kernel = clCreateKernel(program, "k", NULL);
  for (size_t i = 0; i < LENGTH(kernel_tokens); i++)
    for (int part = 0; part < 2; part++) {
      uint8_t of_device[64] = {0}, of_part[64] = {0};
      size_t length = 0, other = 0;
      clGetKernelWorkGroupInfo(kernel, device, kernel_tokens[i], sizeof of_device, of_device, &length);
      cl_int code = clGetKernelWorkGroupInfo(kernel, parts[part], kernel_tokens[i], sizeof of_part, of_part, &other);
      check(code == CL_SUCCESS && length == other && memcmp(of_device, of_part, length) == 0, NULL,
          "the %s of a kernel that was built for the device is that of %s", kernel_names[i], places[part + 1]);
    }
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

static void references(void) {
  cl_uint count = 0;
  clRetainDevice(parts[0]);
  clGetDeviceInfo(parts[0], CL_DEVICE_REFERENCE_COUNT, sizeof count, &count, NULL);
  check(count == 2, NULL, "clRetainDevice adds a reference to a part");
  clReleaseDevice(parts[0]);
  clGetDeviceInfo(parts[0], CL_DEVICE_REFERENCE_COUNT, sizeof count, &count, NULL);
  check(count == 1, NULL, "clReleaseDevice takes a reference of a part");
  cl_device_id parent = NULL;
  clGetDeviceInfo(parts[0], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL);
  check(parent == device, NULL, "a part has the device as its parent");
  clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL);
  check(parent == NULL, NULL, "the device has no parent");
  clRetainDevice(device);
  clReleaseDevice(device);
  clReleaseDevice(device);
  clGetDeviceInfo(device, CL_DEVICE_REFERENCE_COUNT, sizeof count, &count, NULL);
  check(count == 1, NULL, "the device itself has one reference, whatever is released");
}

static void partitions(void) {
  cl_uint units = (cl_uint)device_number(CL_DEVICE_MAX_COMPUTE_UNITS);
  for (cl_uint each = 1; each <= units && each <= 4; each++) {
    cl_device_id made[64] = {0};
    cl_uint count = 0, compute = 0;
    const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, each, 0};
    cl_int code = clCreateSubDevices(device, list, 64, made, &count);
    check(code == CL_SUCCESS && count == units / each, NULL, "equal parts of %u compute units: as many as fit", each);
    for (cl_uint i = 0; i < count; i++) {
      clGetDeviceInfo(made[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute, &compute, NULL);
      if (i == 0) check(compute == each, NULL, "a part has the %u compute units that it was made with", each);
      clReleaseDevice(made[i]);
    }
    code = clCreateSubDevices(device, list, 0, NULL, &count);
    check(code == CL_SUCCESS && count == units / each, NULL, "the number of parts of %u units alone", each);
  }
  static const cl_device_partition_property none[] = {0}, unknown[] = {0x7fff0, 1, 0};
  check_code(clCreateSubDevices(device, none, 0, NULL, NULL), CL_INVALID_VALUE, "a list of no properties");
  check_code(clCreateSubDevices(device, unknown, 0, NULL, NULL), CL_INVALID_VALUE, "a way to partition there is not");
  const cl_device_partition_property many[] = {CL_DEVICE_PARTITION_BY_COUNTS, units, 1, 0, 0};
  cl_device_id made[64];
  check_code(clCreateSubDevices(device, many, 64, made, NULL), CL_INVALID_DEVICE_PARTITION_COUNT,
      "counts of more compute units than there are");
}

void sub_devices(void) {
  if (device_number(CL_DEVICE_PARTITION_MAX_SUB_DEVICES) < 2) return;
  partitions();
  const cl_device_partition_property two[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
  if (clCreateSubDevices(device, two, 2, parts, NULL) != CL_SUCCESS) return;
  references();
  cl_int code;
  cl_device_id all[] = {device, parts[0], parts[1]};
  shared = clCreateContext(NULL, 3, all, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "a context of a device and its parts");
  if (code != CL_SUCCESS) return;
  for (int i = 0; i < 3; i++) queues[i] = clCreateCommandQueue(shared, all[i], 0, NULL);
  for (size_t i = 0; i < LENGTH(rows); i++) {
    cl_program program = build_for(rows[i].built, "-DVALUE=7");
    for (int place = 0; place < 3; place++)
      check_code(run(program, queues[place]), rows[i].wanted[place], "a program that is built %s, launched on %s",
          rows[i].what, places[place]);
    clReleaseProgram(program);
  }
  cl_program program = build_for(WHOLE, "-DVALUE=7");
  clBuildProgram(program, 1, &parts[1], "-DVALUE=9", NULL, NULL);
  static const cl_int own[] = {7, 7, 9};
  for (int place = 0; place < 3; place++)
    check_code(run(program, queues[place]), own[place], "a part that a program is built for itself, launched on %s",
        places[place]);
  clReleaseProgram(program);
  inherited_queries();
  for (int i = 0; i < 3; i++) clReleaseCommandQueue(queues[i]);
  clReleaseContext(shared);
  clReleaseDevice(parts[0]);
  clReleaseDevice(parts[1]);
}
