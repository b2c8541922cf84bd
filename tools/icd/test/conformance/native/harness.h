// SPDX-License-Identifier: Apache-2.0
// Conformance checks of an OpenCL implementation, through its loader: each prints `ok N - AREA: NAME` or `not ok N -
// AREA: NAME`, with the reason on a line behind `#`. Tables and loops make the checks, so their names tell all that a
// check depends on.
#ifndef MUXKIT_CONFORMANCE_HARNESS_H
#define MUXKIT_CONFORMANCE_HARNESS_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

// What all areas use.
extern cl_platform_id platform;
extern cl_device_id device;
extern cl_context context;
extern cl_command_queue queue; // with profiling
// True: everything; false: a slice that takes seconds.
extern bool is_whole;

// Names the checks that follow.
void area(const char *name);
// A check. `why` says what was found where it fails; NULL: the name says enough.
void check(bool holds, const char *why, const char *name, ...) __attribute__((format(printf, 3, 4)));
// A check that a call answers a code.
void check_code(cl_int found, cl_int wanted, const char *name, ...) __attribute__((format(printf, 3, 4)));

// Does something that may crash in an implementation that does not check. False: it crashed, and the program goes on.
bool survives(void (*act)(const void *), const void *with);

// A number of CL_DEVICE_…; 0 where the query fails.
cl_ulong device_number(cl_device_info token);
bool device_has(const char *extension);
// True for a feature of OpenCL C 3.0, without `__opencl_c_`.
bool device_has_feature(const char *feature);

// A text that grows.
struct text {
  char *bytes;
  size_t length, capacity;
};
void text_add(struct text *text, const char *form, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *text);

// A built program; NULL, and its log on standard error, where it does not build.
cl_program build(const char *source, const char *options);
cl_mem buffer_of(size_t bytes, const void *contents);
void read_back(cl_mem buffer, size_t bytes, void *to);
// Launches with buffers as arguments, and waits.
cl_int launch(cl_kernel kernel, cl_uint buffers, const cl_mem *list, size_t global, size_t local);

// The areas.
void queries(void);
void properties(void);
void sub_devices(void);
void atomics(void);
void async_copies(void);
void vector_memory(void);
void dimensions(void);
void images(void);

#endif
