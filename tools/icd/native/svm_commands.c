// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory: there is none, since the device is in another process (docs/decisions/034-native-clients.md).
#include "commands.h"

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  (void)flags, (void)size, (void)alignment;
  if (object_is(context, KIND_CONTEXT))
    refuse(context, CL_INVALID_OPERATION, __func__, "the device shares no memory with this process");
  return NULL;
}

void clSVMFree(cl_context context, void *svm_pointer) { (void)context, (void)svm_pointer; }

#define REFUSE_SVM(queue) \
  do { \
    REQUIRE(NULL, object_is(queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given"); \
    (void)num_events_in_wait_list, (void)event_wait_list, (void)event; \
    return refuse((queue)->context, CL_INVALID_OPERATION, __func__, "the device shares no memory with this process"); \
  } while (0)

cl_int clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers, void *svm_pointers[],
    void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[], void *), void *user_data,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  (void)num_svm_pointers, (void)svm_pointers, (void)pfn_free_func, (void)user_data;
  REFUSE_SVM(command_queue);
}

cl_int clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr, const void *src_ptr,
    size_t size, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  (void)blocking_copy, (void)dst_ptr, (void)src_ptr, (void)size;
  REFUSE_SVM(command_queue);
}

cl_int clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern, size_t pattern_size,
    size_t size, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  (void)svm_ptr, (void)pattern, (void)pattern_size, (void)size;
  REFUSE_SVM(command_queue);
}

cl_int clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags, void *svm_ptr,
    size_t size, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  (void)blocking_map, (void)flags, (void)svm_ptr, (void)size;
  REFUSE_SVM(command_queue);
}

cl_int clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event) {
  (void)svm_ptr;
  REFUSE_SVM(command_queue);
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers, const void **svm_pointers,
    const size_t *sizes, cl_mem_migration_flags flags, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event) {
  (void)num_svm_pointers, (void)svm_pointers, (void)sizes, (void)flags;
  REFUSE_SVM(command_queue);
}
