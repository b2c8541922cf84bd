// SPDX-License-Identifier: Apache-2.0
// What OpenCL 3.0 makes mandatory for a device that reports this version (table 4.3 and appendix A): least values, and
// queries that agree with the features of OpenCL C.
import {
  CL_DEVICE_ATOMIC_ORDER_ACQ_REL,
  CL_DEVICE_ATOMIC_ORDER_RELAXED,
  CL_DEVICE_ATOMIC_ORDER_SEQ_CST,
  CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
  CL_DEVICE_ATOMIC_SCOPE_DEVICE,
  CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP,
  CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
  CL_EXEC_KERNEL,
  CL_FP_DENORM,
  CL_FP_FMA,
  CL_FP_INF_NAN,
  CL_FP_ROUND_TO_NEAREST,
  CL_QUEUE_PROFILING_ENABLE,
  type DeviceInfo,
  type Kernel,
  type NameVersion,
  clBuildProgram,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clGetDeviceInfo,
  clGetKernelInfo,
  clGetPlatformInfo,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, device, ints, kernelsOf, newQueue, platform, readInts } from "./rig.ts";

/** Tokens that answer a number. */
type Numeric = { [Token in keyof DeviceInfo]: DeviceInfo[Token] extends number ? Token : never }[keyof DeviceInfo];

/** Least values of a full profile. */
const LEAST: readonly (readonly [token: Numeric, least: number])[] = [
  ["CL_DEVICE_MAX_COMPUTE_UNITS", 1],
  ["CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS", 3],
  ["CL_DEVICE_MAX_WORK_GROUP_SIZE", 1],
  ["CL_DEVICE_MAX_MEM_ALLOC_SIZE", 32 * 2 ** 20],
  ["CL_DEVICE_MAX_READ_IMAGE_ARGS", 128],
  ["CL_DEVICE_MAX_WRITE_IMAGE_ARGS", 64],
  ["CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS", 64],
  ["CL_DEVICE_IMAGE2D_MAX_WIDTH", 16_384],
  ["CL_DEVICE_IMAGE2D_MAX_HEIGHT", 16_384],
  ["CL_DEVICE_IMAGE3D_MAX_WIDTH", 2048],
  ["CL_DEVICE_IMAGE3D_MAX_HEIGHT", 2048],
  ["CL_DEVICE_IMAGE3D_MAX_DEPTH", 2048],
  ["CL_DEVICE_IMAGE_MAX_BUFFER_SIZE", 65_536],
  ["CL_DEVICE_IMAGE_MAX_ARRAY_SIZE", 2048],
  ["CL_DEVICE_MAX_SAMPLERS", 16],
  ["CL_DEVICE_MAX_PIPE_ARGS", 16],
  ["CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS", 1],
  ["CL_DEVICE_PIPE_MAX_PACKET_SIZE", 1024],
  ["CL_DEVICE_MAX_PARAMETER_SIZE", 1024],
  ["CL_DEVICE_MEM_BASE_ADDR_ALIGN", 1024],
  ["CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE", 128],
  ["CL_DEVICE_GLOBAL_MEM_SIZE", 32 * 2 ** 20],
  ["CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE", 64 * 1024],
  ["CL_DEVICE_MAX_CONSTANT_ARGS", 8],
  ["CL_DEVICE_LOCAL_MEM_SIZE", 32 * 1024],
  ["CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE", 64 * 1024],
  ["CL_DEVICE_PRINTF_BUFFER_SIZE", 2 ** 20],
  ["CL_DEVICE_PROFILING_TIMER_RESOLUTION", 1],
  ["CL_DEVICE_MAX_NUM_SUB_GROUPS", 1],
  ["CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", 1],
  ["CL_DEVICE_REFERENCE_COUNT", 1],
];

test.each(LEAST)("clGetDeviceInfo: %s is at least %i", (token, least) => {
  expect(clGetDeviceInfo(device, token)).toBeGreaterThanOrEqual(least);
});

/** Bits that a device has at least. */
const BITS: readonly (readonly [token: Numeric, bits: number])[] = [
  ["CL_DEVICE_SINGLE_FP_CONFIG", CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN],
  ["CL_DEVICE_DOUBLE_FP_CONFIG", CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM],
  ["CL_DEVICE_HALF_FP_CONFIG", CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN],
  ["CL_DEVICE_EXECUTION_CAPABILITIES", CL_EXEC_KERNEL],
  ["CL_DEVICE_QUEUE_ON_HOST_PROPERTIES", CL_QUEUE_PROFILING_ENABLE],
  ["CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES", CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP],
  [
    "CL_DEVICE_ATOMIC_FENCE_CAPABILITIES",
    CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP,
  ],
  ["CL_DEVICE_SVM_CAPABILITIES", CL_DEVICE_SVM_COARSE_GRAIN_BUFFER],
];

test.each(BITS)("clGetDeviceInfo: %s has at least the bits %i", (token, bits) => {
  expect(clGetDeviceInfo(device, token) & bits).toBe(bits);
});

/** Versions as texts: OpenCL, for the language C, the number, a space, and what the vendor adds, if anything. */
const VERSIONS: readonly (readonly [token: string, text: string, form: RegExp])[] = [
  ["CL_PLATFORM_VERSION", clGetPlatformInfo(platform, "CL_PLATFORM_VERSION"), /^OpenCL 3\.0 .*$/u],
  ["CL_DEVICE_VERSION", clGetDeviceInfo(device, "CL_DEVICE_VERSION"), /^OpenCL 3\.0 .*$/u],
  ["CL_DEVICE_OPENCL_C_VERSION", clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_VERSION"), /^OpenCL C 1\.2 .*$/u],
  ["CL_DRIVER_VERSION", clGetDeviceInfo(device, "CL_DRIVER_VERSION"), /^\d+\.\d+/u],
  // Empty where no version of the conformance tests was submitted.
  [
    "CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED",
    clGetDeviceInfo(device, "CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED"),
    /^(?:v\d{4}-\d{2}-\d{2}-\d{2})?$/u,
  ],
];

test.each(VERSIONS)("%s has the form that programs parse: %s", (_token, text, form) => {
  expect(text).toMatch(form);
});

test("clGetDeviceInfo: CL_DEVICE_MAX_CLOCK_FREQUENCY is that of a processor", () => {
  expect(clGetDeviceInfo(device, "CL_DEVICE_MAX_CLOCK_FREQUENCY")).toBeGreaterThanOrEqual(100);
  expect(clGetDeviceInfo(device, "CL_DEVICE_MAX_CLOCK_FREQUENCY")).toBeLessThan(20_000);
});

test.each(["", " = {1}"])(
  "clGetDeviceInfo: a variable of CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE bytes%s compiles, and its last byte is there",
  (value) => {
    const size = clGetDeviceInfo(device, "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE");
    expect(clGetDeviceInfo(device, "CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE")).toBe(size);
    const out = ints(0, 0);
    const queue = newQueue();
    const [kernel] = kernelsOf(
      `global uchar v[${size}]${value};
       kernel void k(global int* out) {
         out[0] = v[0] + v[${size - 1}];
         v[${size - 1}] = 5;
         out[1] = sizeof v == ${size};
       }`,
      "-cl-std=CL3.0",
      ["k"],
      out,
    ) as readonly [Kernel];
    const first = value === "" ? 0 : 1;
    for (const expected of [first, first + 5]) {
      clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], [1]);
      expect(readInts(queue, out)).toEqual([expected, 1]);
    }
  },
);

/** Facts that have to agree with a feature of OpenCL C: true where the feature is there. */
const AGREEING: readonly (readonly [feature: string, what: string, isThere: () => boolean])[] = [
  ["images", "CL_DEVICE_IMAGE_SUPPORT", () => clGetDeviceInfo(device, "CL_DEVICE_IMAGE_SUPPORT")],
  [
    "read_write_images",
    "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS is not 0",
    () => clGetDeviceInfo(device, "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS") > 0,
  ],
  ["3d_image_writes", "cl_khr_3d_image_writes", () => hasExtension("cl_khr_3d_image_writes")],
  ["fp64", "cl_khr_fp64", () => hasExtension("cl_khr_fp64")],
  ["fp64", "CL_DEVICE_DOUBLE_FP_CONFIG is not 0", () => clGetDeviceInfo(device, "CL_DEVICE_DOUBLE_FP_CONFIG") !== 0],
  [
    "fp64",
    "CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE is not 0",
    () => clGetDeviceInfo(device, "CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE") !== 0,
  ],
  ["pipes", "CL_DEVICE_PIPE_SUPPORT", () => clGetDeviceInfo(device, "CL_DEVICE_PIPE_SUPPORT")],
  [
    "generic_address_space",
    "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT",
    () => clGetDeviceInfo(device, "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT"),
  ],
  [
    "work_group_collective_functions",
    "CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT",
    () => clGetDeviceInfo(device, "CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT"),
  ],
  [
    "program_scope_global_variables",
    "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE is not 0",
    () => clGetDeviceInfo(device, "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE") > 0,
  ],
  [
    "subgroups",
    "CL_DEVICE_MAX_NUM_SUB_GROUPS is not 0",
    () => clGetDeviceInfo(device, "CL_DEVICE_MAX_NUM_SUB_GROUPS") > 0,
  ],
  [
    "device_enqueue",
    "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES is not 0",
    () => clGetDeviceInfo(device, "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES") !== 0,
  ],
  [
    "device_enqueue",
    "CL_DEVICE_MAX_ON_DEVICE_QUEUES is not 0",
    () => clGetDeviceInfo(device, "CL_DEVICE_MAX_ON_DEVICE_QUEUES") !== 0,
  ],
  [
    "device_enqueue",
    "CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES is not 0",
    () => clGetDeviceInfo(device, "CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES") !== 0,
  ],
  ["atomic_order_acq_rel", "CL_DEVICE_ATOMIC_ORDER_ACQ_REL", () => hasAtomics(CL_DEVICE_ATOMIC_ORDER_ACQ_REL)],
  ["atomic_order_seq_cst", "CL_DEVICE_ATOMIC_ORDER_SEQ_CST", () => hasAtomics(CL_DEVICE_ATOMIC_ORDER_SEQ_CST)],
  ["atomic_scope_device", "CL_DEVICE_ATOMIC_SCOPE_DEVICE", () => hasAtomics(CL_DEVICE_ATOMIC_SCOPE_DEVICE)],
  [
    "atomic_scope_all_devices",
    "CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES",
    () => hasAtomics(CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
  ],
  // A full profile has 64-bit integers.
  ["int64", "CL_DEVICE_PROFILE is FULL_PROFILE", () => clGetDeviceInfo(device, "CL_DEVICE_PROFILE") === "FULL_PROFILE"],
];

function hasExtension(name: string): boolean {
  return clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS").split(" ").includes(name);
}

function hasAtomics(bit: number): boolean {
  return (clGetDeviceInfo(device, "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES") & bit) !== 0;
}

test.each(AGREEING)("CL_DEVICE_OPENCL_C_FEATURES: %s is there where %s", (feature, _what, isThere) => {
  const names = clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_FEATURES").map(({ name }) => name);
  expect(names.includes(`__opencl_c_${feature}`)).toBe(isThere());
});

/** What a feature needs of others (OpenCL C 3.0, 6.2.1). */
const NEEDS: readonly (readonly [feature: string, needed: string])[] = [
  ["pipes", "generic_address_space"],
  ["device_enqueue", "generic_address_space"],
  ["device_enqueue", "program_scope_global_variables"],
  ["read_write_images", "images"],
  ["3d_image_writes", "images"],
  ["atomic_order_seq_cst", "atomic_order_acq_rel"],
  ["atomic_scope_all_devices", "atomic_scope_device"],
];

test.each(NEEDS)("CL_DEVICE_OPENCL_C_FEATURES: %s needs %s", (feature, needed) => {
  const names = new Set(clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_FEATURES").map(({ name }) => name));
  expect(!names.has(`__opencl_c_${feature}`) || names.has(`__opencl_c_${needed}`)).toBe(true);
});

const MANDATORY = [
  "cl_khr_global_int32_base_atomics",
  "cl_khr_global_int32_extended_atomics",
  "cl_khr_local_int32_base_atomics",
  "cl_khr_local_int32_extended_atomics",
  "cl_khr_byte_addressable_store",
];

test.each(MANDATORY)("CL_DEVICE_EXTENSIONS: %s, which OpenCL 1.1 made mandatory", (name) => {
  expect(hasExtension(name)).toBe(true);
});

/** A version as OpenCL packs it. */
function version(major: number, minor: number): number {
  return major * 2 ** 22 + minor * 2 ** 12;
}

test.each([
  [1, 0],
  [1, 1],
  [1, 2],
  [3, 0],
])("CL_DEVICE_OPENCL_C_ALL_VERSIONS: OpenCL C %i.%i", (major, minor) => {
  expect(clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_ALL_VERSIONS")).toContainEqual({
    name: "OpenCL C",
    version: version(major, minor),
  });
});

test("CL_DEVICE_OPENCL_C_VERSION: the highest version that programs of all earlier ones are programs of", () => {
  expect(clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_VERSION")).toMatch(/^OpenCL C 1\.2(?: .*)?$/u);
});

test("CL_PLATFORM_VERSION and CL_DEVICE_VERSION: OpenCL, major.minor, and a text of ours; the same as the packed ones", () => {
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_VERSION")).toMatch(/^OpenCL 3\.0 \S/u);
  expect(clGetDeviceInfo(device, "CL_DEVICE_VERSION")).toMatch(/^OpenCL 3\.0 \S/u);
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_NUMERIC_VERSION")).toBe(version(3, 0));
  expect(clGetDeviceInfo(device, "CL_DEVICE_NUMERIC_VERSION")).toBe(version(3, 0));
});

test("CL_DRIVER_VERSION: major.minor, or more", () => {
  expect(clGetDeviceInfo(device, "CL_DRIVER_VERSION")).toMatch(/^\d+\.\d+/u);
});

test("CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: empty, since no results were submitted", () => {
  expect(clGetDeviceInfo(device, "CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED")).toBe("");
});

const LISTS: readonly (readonly [name: string, list: () => readonly NameVersion[]])[] = [
  ["CL_PLATFORM_EXTENSIONS_WITH_VERSION", () => clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS_WITH_VERSION")],
  ["CL_DEVICE_EXTENSIONS_WITH_VERSION", () => clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS_WITH_VERSION")],
  ["CL_DEVICE_OPENCL_C_FEATURES", () => clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_FEATURES")],
  ["CL_DEVICE_OPENCL_C_ALL_VERSIONS", () => clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_ALL_VERSIONS")],
  ["CL_DEVICE_ILS_WITH_VERSION", () => clGetDeviceInfo(device, "CL_DEVICE_ILS_WITH_VERSION")],
  ["CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION", () => clGetDeviceInfo(device, "CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION")],
];

test.each(LISTS)("%s: names of less than 64 characters with versions, each once", (_name, list) => {
  const rows = list();
  for (const row of rows) {
    expect(row.name).toMatch(/^[\w .-]{1,63}$/u);
    expect(row.version).toBeGreaterThanOrEqual(version(0, 1));
  }
  expect(new Set(rows.map((row) => `${row.name} ${row.version}`)).size).toBe(rows.length);
});

test("CL_PLATFORM_EXTENSIONS: those that every device has, by the same names as with versions", () => {
  const names = clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS").split(" ");
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS_WITH_VERSION").map(({ name }) => name)).toEqual(names);
  for (const name of names) expect(hasExtension(name), name).toBe(true);
});

/** What programs see, by the language that they request. */
const LANGUAGES: readonly (readonly [options: string, languageVersion: number])[] = [
  ["", 120],
  ["-cl-std=CL1.1", 110],
  ["-cl-std=CL1.2", 120],
  ["-cl-std=CL2.0", 200],
  ["-cl-std=CL3.0", 300],
];

test.each(LANGUAGES)(
  "clBuildProgram: with the options '%s' __OPENCL_C_VERSION__ is %i, and __OPENCL_VERSION__ that of the device",
  (options, languageVersion) => {
    const program = clCreateProgramWithSource(context, [
      `#if __OPENCL_VERSION__ != 300 || __OPENCL_C_VERSION__ != ${languageVersion}
#error versions
#endif
kernel void k(global int* out) { *out = 1; }`,
    ]);
    clBuildProgram(program, null, options);
    expect(clGetKernelInfo(clCreateKernel(program, "k"), "CL_KERNEL_FUNCTION_NAME")).toBe("k");
  },
);
