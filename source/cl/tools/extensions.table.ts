// SPDX-License-Identifier: Apache-2.0
// What each extension provides, and a test that shows it.

/** An extension in words. */
export interface Description {
  /** A sentence. */
  readonly gives: string;
  /** A test, from the root of the repository. */
  readonly test: string;
  /** A word of the extension's that the test has where it does not name the extension. */
  readonly word: string;
}

type Row = readonly [name: string, gives: string, test: string, word?: string];

const SUITE = "tools/kernel-suite/test";
const CL = "source/cl/test";

const ROWS: readonly Row[] = [
  ["cl_khr_global_int32_base_atomics", "Atomics of ints of 32 bits in global memory.", `${SUITE}/atomics.test.ts`, "atomic_"],
  ["cl_khr_global_int32_extended_atomics", "The same: min, max, and, or, xor.", `${SUITE}/atomics.test.ts`, "atomic_"],
  ["cl_khr_local_int32_base_atomics", "Atomics of ints of 32 bits in local memory.", `${SUITE}/atomics.test.ts`, "atomic_"],
  ["cl_khr_local_int32_extended_atomics", "The same: min, max, and, or, xor.", `${SUITE}/atomics.test.ts`, "atomic_"],
  ["cl_khr_int64_base_atomics", "Atomics of ints of 64 bits.", `${SUITE}/memory-model.test.ts`],
  ["cl_khr_int64_extended_atomics", "The same: min, max, and, or, xor.", `${SUITE}/memory-model.test.ts`],
  ["cl_khr_byte_addressable_store", "Stores of single bytes and shorts.", `${SUITE}/language.test.ts`, "char"],
  ["cl_khr_fp64", "The type double.", `${SUITE}/math-functions.test.ts`, "double"],
  ["cl_khr_fp16", "The type half, computed with.", `${SUITE}/half.test.ts`, "half"],
  ["cl_khr_3d_image_writes", "Kernels write images of three dimensions.", `${SUITE}/images.test.ts`, "image3d_t"],
  ["cl_khr_subgroup_extended_types", "Sub-group functions on ints of 8 and 16 bits, half and vectors.", `${SUITE}/sub-group-types.test.ts`, "sub_group_"],
  ["cl_khr_subgroup_non_uniform_vote", "Votes of those work-items of a sub-group that come together.", `${SUITE}/sub-group-flow.test.ts`, "sub_group_elect"],
  ["cl_khr_subgroup_ballot", "Ballots, masks, and broadcasts to those that come together.", `${SUITE}/sub-group-flow.test.ts`, "ballot"],
  ["cl_khr_subgroup_non_uniform_arithmetic", "Reductions and scans of those that come together.", `${SUITE}/group-arithmetic.test.ts`, "non_uniform"],
  ["cl_khr_subgroup_shuffle", "Values of other work-items by their ids.", `${SUITE}/sub-group-types.test.ts`, "shuffle"],
  ["cl_khr_subgroup_shuffle_relative", "Values of other work-items by the distance to them.", `${SUITE}/sub-group-types.test.ts`, "shuffle"],
  ["cl_khr_subgroup_clustered_reduce", "Reductions of clusters of a sub-group.", `${SUITE}/group-arithmetic.test.ts`, "clustered"],
  ["cl_khr_subgroup_rotate", "Values of other work-items, in a circle.", `${SUITE}/sub-group-types.test.ts`, "rotate"],
  ["cl_intel_required_subgroup_size", "Kernels that require a sub-group size.", `${SUITE}/sub-groups.test.ts`, "intel_reqd_sub_group_size"],
  ["cl_khr_extended_async_copies", "Async copies of boxes of two and three dimensions.", `${SUITE}/async-copies.test.ts`, "2D2D"],
  ["cl_khr_depth_images", "Images of depths.", `${SUITE}/images.test.ts`, "depth"],
  ["cl_khr_image2d_from_buffer", "Two-dimensional images over buffers.", `${CL}/image-properties.test.ts`, "CL_MEM_OBJECT_IMAGE2D"],
  ["cl_khr_expect_assume", "Hints: what a condition mostly is, and what always holds. They change no result.", `${SUITE}/extensions.test.ts`],
  ["cl_khr_integer_dot_product", "Dot products of four bytes, and their sums that stay in range.", `${SUITE}/extensions.test.ts`],
  ["cl_ext_float_atomics", "Atomic sums, differences, minima and maxima of float and double, in global and local memory.", `${SUITE}/memory-model.test.ts`],
  ["cl_khr_create_command_queue", "Queues with a list of properties, for OpenCL 1.2.", `${CL}/properties.test.ts`, "clCreateCommandQueueWithPropertiesKHR"],
  ["cl_khr_il_program", "Programs in SPIR-V 1.0 to 1.6, for OpenCL before 2.1.", `${CL}/il.test.ts`, "clCreateProgramWithILKHR"],
  ["cl_khr_spirv_linkonce_odr", "SPIR-V with functions and variables of the linkage `LinkOnceODR`, of which each object has its own.", `${CL}/il.test.ts`, "LinkOnceODR"],
  ["cl_khr_spirv_no_integer_wrap_decoration", "SPIR-V whose sums and products are known not to wrap.", `${CL}/il.test.ts`, "NoSignedWrap"],
  ["cl_khr_priority_hints", "A priority of a queue, kept and without effect: all queues share one pool of threads.", `${CL}/properties.test.ts`, "CL_QUEUE_PRIORITY"],
  ["cl_khr_throttle_hints", "A throttle of a queue, kept and without effect.", `${CL}/properties.test.ts`, "CL_QUEUE_THROTTLE"],
  ["cl_khr_command_buffer", "Commands that are recorded once and enqueued as often as one likes, as one command.", `${CL}/command-buffer.test.ts`, "clCreateCommandBufferKHR"],
  ["cl_khr_command_buffer_mutable_dispatch", "New arguments, sizes and offsets of recorded launches.", `${CL}/mutable-dispatch.test.ts`, "clUpdateMutableCommandsKHR"],
  ["cl_khr_device_uuid", "Names of device and driver of sixteen bytes.", `${CL}/extensions.test.ts`],
  ["cl_khr_extended_versioning", "Versions of platform, device, language and extensions, for OpenCL before 3.0.", `${CL}/extensions.test.ts`],
  ["cl_khr_suggested_local_work_size", "The local size that a launch without one takes.", `${CL}/extensions.test.ts`, "clGetKernelSuggestedLocalWorkSizeKHR"],
  ["cl_intel_unified_shared_memory", "Allocations of host, device and both, named by addresses. In TypeScript an address is a number, and `usmView` shows the bytes of host and shared ones.", `${CL}/usm.test.ts`, "clSharedMemAllocINTEL"],
  ["cl_muxkit_performance_counters", "What a device counts while a command runs: `CL_DEVICE_PERFORMANCE_COUNTERS_MUXKIT` lists its counters, the queue property `CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT` chooses some, the profiling query `CL_PROFILING_PERFORMANCE_COUNTERS_MUXKIT` gives their values. The host counts work-groups with pieces of transfers, and time.", `${CL}/own-extensions.test.ts`, "CL_DEVICE_PERFORMANCE_COUNTERS_MUXKIT"],
  ["cl_muxkit_wfv", "Whether a kernel runs several work-items as lanes of vectors, and how many; the option `-cl-wfv=never|always|auto` of `clBuildProgram`, `clCompileProgram` and `clLinkProgram` asks for it. Linked kernels keep what they were compiled with, unless the link has the option.", `${CL}/own-extensions.test.ts`, "clGetKernelWFVInfoMUXKIT"],
  ["cl_muxkit_program_spirv", "A program from source as SPIR-V: `CL_PROGRAM_BUILD_SPIRV_MUXKIT` of `clGetProgramBuildInfo`, with the options of the build for a device, and with lines where `-g` is one. `clCreateProgramWithIL` takes it. `CL_PROGRAM_IL` of such a program is empty, as OpenCL demands.", `${CL}/own-extensions.test.ts`, "CL_PROGRAM_BUILD_SPIRV_MUXKIT"],
  ["cl_muxkit_kernel_exec_info", "`clSetKernelExecInfo` for platforms of OpenCL 1.2.", `${CL}/own-extensions.test.ts`, "clSetKernelExecInfoMUXKIT"],
  ["cl_muxkit_set_threads", "How many threads run the commands of a device.", `${CL}/own-extensions.test.ts`, "clSetThreadsMUXKIT"],
  ["cl_altera_compiler_mode", "Programs that are built where nothing compiles: offline devices, libraries of programs, preloaded binaries.", `${CL}/compiler-mode.test.ts`, "CL_CONTEXT_COMPILER_MODE_ALTERA"],
  ["cl_muxkit_extra_build_options", "Options of programs from the environment.", `${CL}/own-extensions.test.ts`],
];

/** Every extension in words, by its name. */
export const DESCRIPTIONS: ReadonlyMap<string, Description> = new Map(ROWS.map(([name, gives, test, word = name]) => [name, { gives, test, word }]));

/** Extensions that a reader may look for, and why they are not listed. */
export const ABSENT: readonly (readonly [name: string, reason: string])[] = [
  ["cl_khr_subgroups", "it asks that sub-groups go on independently of each other; those of a work-group run one after the other, up to the next barrier. OpenCL C 3.0 has the functions by the feature `__opencl_c_subgroups`"],
  ["cl_khr_subgroup_named_barrier", "sub-groups do not go on independently of each other"],
  ["cl_khr_command_buffer_multi_device", "a command buffer is recorded for one queue"],
  ["cl_khr_terminate_context", "a kernel that never ends is stopped by the deadline of its queue"],
];
