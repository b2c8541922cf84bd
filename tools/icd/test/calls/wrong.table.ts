// SPDX-License-Identifier: Apache-2.0
// Wrong calls that need more than the schema to be made: what belongs together and does not, what comes at the wrong
// time, what is too large.
import type { Row, Value } from "./values.ts";

type Short = readonly [error: string, what: string, change: Readonly<Record<string, Value>>, native?: Readonly<Record<string, string>>];

const RGBA8 = { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" };
const DEPTH = { channelOrder: "CL_DEPTH", channelType: "CL_FLOAT" };
const FLAT = { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4 };
const WIDE = 2 ** 24;

/** Flags of memory that every call which makes some refuses, and images besides. */
const MEMORY_FLAGS: readonly Short[] = [
  ["CL_INVALID_HOST_PTR", "no bytes to be copied", { flags: "CL_MEM_COPY_HOST_PTR" }],
  ["CL_INVALID_HOST_PTR", "no bytes to be used", { flags: "CL_MEM_USE_HOST_PTR" }],
  ["CL_INVALID_HOST_PTR", "bytes that no flag asks for", { hostArray: "@bytes" }],
];
const IMAGE_FORMATS: readonly Short[] = [
  ...MEMORY_FLAGS,
  ["CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", "no format", { format: null }],
  ["CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", "an order of channels that there is not", { format: { channelOrder: "CL_NOTHING", channelType: "CL_FLOAT" } }],
  ["CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", "a type of channels that there is not", { format: { channelOrder: "CL_R", channelType: "CL_NOTHING" } }],
];
const IMAGES: readonly Short[] = [
  ...IMAGE_FORMATS,
  ["CL_IMAGE_FORMAT_NOT_SUPPORTED", "an order that does not go with its type", { format: { channelOrder: "CL_RGB", channelType: "CL_FLOAT" } }],
  ["CL_INVALID_IMAGE_DESCRIPTOR", "no description", { description: null }],
  ["CL_INVALID_IMAGE_DESCRIPTOR", "a type that there is not", { description: { ...FLAT, type: "CL_NOTHING" } }],
  ["CL_INVALID_IMAGE_DESCRIPTOR", "no rows", { description: { ...FLAT, height: 0 } }],
  ["CL_INVALID_IMAGE_DESCRIPTOR", "a pitch without bytes", { description: { ...FLAT, rowPitch: 64 } }],
  ["CL_INVALID_IMAGE_DESCRIPTOR", "a pitch that is no number of pixels", { flags: "CL_MEM_COPY_HOST_PTR", format: RGBA8, description: { ...FLAT, rowPitch: 17 }, hostArray: "@bytes" }],
  ["CL_INVALID_IMAGE_DESCRIPTOR", "a pitch that is less than a row", { flags: "CL_MEM_COPY_HOST_PTR", format: RGBA8, description: { ...FLAT, rowPitch: 8 }, hostArray: "@bytes" }],
  ["CL_INVALID_IMAGE_DESCRIPTOR", "a buffer image without a buffer", { description: { type: "CL_MEM_OBJECT_IMAGE1D_BUFFER", width: 4 } }],
  ["CL_INVALID_IMAGE_DESCRIPTOR", "a solid image of a buffer", { description: { type: "CL_MEM_OBJECT_IMAGE3D", width: 4, height: 4, depth: 4, buffer: "@buffer" } }],
  ["CL_INVALID_IMAGE_DESCRIPTOR", "a solid image of an image", { description: { type: "CL_MEM_OBJECT_IMAGE3D", width: 4, height: 4, depth: 4, image: "@image" } }],
  ["CL_INVALID_IMAGE_DESCRIPTOR", "an image of several images", { description: { ...FLAT, image: "@arrayImage" } }],
  ["CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", "the order of the image that is shown", { format: { channelOrder: "CL_R", channelType: "CL_FLOAT" }, description: { ...FLAT, image: "@floatImage" } }],
  ["CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", "another type than that of the image that is shown", { format: DEPTH, description: { ...FLAT, image: "@image" } }],
  ["CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", "less than the image that is shown", { format: DEPTH, description: { ...FLAT, width: 2, image: "@floatImage" } }],
  ["CL_INVALID_IMAGE_DESCRIPTOR", "several levels", {}, { image_desc: "&(cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4, .num_mip_levels = 2}" }],
  ["CL_INVALID_IMAGE_DESCRIPTOR", "several samples", {}, { image_desc: "&(cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4, .num_samples = 2}" }],
  ["CL_INVALID_IMAGE_SIZE", "more pixels than the device has", { description: { ...FLAT, width: WIDE } }],
  ["CL_INVALID_IMAGE_SIZE", "a buffer that is too small", { description: { type: "CL_MEM_OBJECT_IMAGE1D_BUFFER", width: 65, buffer: "@buffer" } }],
];
const BUFFERS: readonly Short[] = [
  ...MEMORY_FLAGS,
  ["CL_INVALID_BUFFER_SIZE", "no bytes", { size: 0 }],
  ["CL_INVALID_BUFFER_SIZE", "more bytes than the device has", { size: 2 ** 50 }],
];
const QUEUES: readonly Short[] = [
  ["CL_INVALID_VALUE", "a property that there is not", { properties: { CL_NOTHING: 0 } }],
  ["CL_INVALID_VALUE", "a bit that means nothing", { properties: { CL_QUEUE_PROPERTIES: 1024 } }],
  ["CL_INVALID_QUEUE_PROPERTIES", "a queue on the device", { properties: { CL_QUEUE_PROPERTIES: "CL_QUEUE_ON_DEVICE|CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE" } }],
];
const FAILED: Short = ["CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "an event that has failed", { waits: ["@failedEvent"] }];
const readsQuiet = (of: string, object: string): Short => ["CL_INVALID_OPERATION", "an object that the host must not touch", { [of]: object }];
const RECT: readonly Short[] = [
  ["CL_INVALID_VALUE", "a region that ends past the buffer", { region: [16, 16, 16] }],
  ["CL_INVALID_VALUE", "a row pitch that is less than a row", { bufferRowPitch: 3 }],
  ["CL_INVALID_VALUE", "a slice pitch that is less than a slice", { bufferSlicePitch: 8 }],
  ["CL_INVALID_VALUE", "a slice pitch that is no number of rows", { bufferSlicePitch: 33 }],
  ["CL_INVALID_VALUE", "a row pitch of the host that is less than a row", { hostRowPitch: 3 }],
  ["CL_INVALID_VALUE", "a slice pitch of the host that is less than a slice", { hostSlicePitch: 4 }],
  FAILED,
];
const BOX: readonly Short[] = [
  ["CL_INVALID_VALUE", "pixels outside of the image", { origin: [3, 0, 0] }],
  ["CL_INVALID_VALUE", "rows outside of the image", { region: [2, 5, 1] }],
  ["CL_INVALID_VALUE", "slices of an image that has none", { origin: [0, 0, 1] }],
];
const LAUNCHES: readonly Short[] = [
  ["CL_INVALID_KERNEL_ARGS", "an argument that is not set", { kernel: "@unset" }],
  ["CL_INVALID_WORK_GROUP_SIZE", "a local size that the kernel does not allow", { kernel: "@eight" }],
];

/** By entry point. */
const ROWS: Readonly<Record<string, readonly Short[]>> = {
  clGetPlatformIDs: [
    ["CL_INVALID_VALUE", "room for no platform", {}, { num_entries: "0", platforms: "(void *)room" }],
    ["CL_INVALID_VALUE", "no room at all", {}, { num_entries: "0", platforms: "NULL", num_platforms: "NULL" }],
  ],
  clGetDeviceIDs: [
    ["CL_INVALID_DEVICE_TYPE", "no type", { type: 0 }],
    ["CL_DEVICE_NOT_FOUND", "a type that there is no device of", { type: "CL_DEVICE_TYPE_GPU" }],
    ["CL_INVALID_VALUE", "room for no device", {}, { num_entries: "0", devices: "(void *)room" }],
    ["CL_INVALID_VALUE", "no room at all", {}, { num_entries: "0", devices: "NULL", num_devices: "NULL" }],
  ],
  clCreateSubDevices: [
    ["CL_INVALID_VALUE", "no properties", {}, { properties: "NULL" }],
    ["CL_INVALID_VALUE", "a property that there is not", { partition: { CL_NOTHING: 1 } }],
    ["CL_INVALID_VALUE", "parts by affinity", { partition: { CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN: "CL_DEVICE_AFFINITY_DOMAIN_NUMA" } }],
    ["CL_INVALID_DEVICE_PARTITION_COUNT", "a part of more units than the device has", { partition: { CL_DEVICE_PARTITION_BY_COUNTS: [4096] } }],
    ["CL_DEVICE_PARTITION_FAILED", "equal parts of more units than the device has", { partition: { CL_DEVICE_PARTITION_EQUALLY: 4096 } }],
    ["CL_INVALID_VALUE", "room for fewer parts than there are", {}, { num_devices: "0", out_devices: "(void *)room" }],
  ],
  clCreateContext: [
    ["CL_INVALID_VALUE", "no devices", { devices: [] }],
    ["CL_INVALID_PROPERTY", "a property that there is not", { properties: { CL_NOTHING: 1 } }],
    ["CL_INVALID_PLATFORM", "a platform that is none", { properties: { CL_CONTEXT_PLATFORM: "@device" } }],
    ["CL_INVALID_PLATFORM", "no platform where one is named", { properties: { CL_CONTEXT_PLATFORM: null } }],
    ["CL_INVALID_VALUE", "data for no function", {}, { user_data: "room" }],
    ["CL_INVALID_PROPERTY", "a property twice", {}, { properties: "(cl_context_properties[]){CL_CONTEXT_PLATFORM, (cl_context_properties)platform, CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0}" }],
  ],
  clCreateContextFromType: [
    ["CL_INVALID_DEVICE_TYPE", "no type", { type: 0 }],
    ["CL_DEVICE_NOT_FOUND", "a type that there is no device of", { type: "CL_DEVICE_TYPE_GPU" }],
    ["CL_INVALID_PROPERTY", "a property that there is not", { properties: { CL_CONTEXT_PLATFORM: "@platform", CL_NOTHING: 1 } }],
    ["CL_INVALID_PLATFORM", "a platform that is none", { properties: { CL_CONTEXT_PLATFORM: "@device" } }],
    ["CL_INVALID_VALUE", "data for no function", {}, { user_data: "room" }],
  ],
  clCreateCommandQueue: [
    ["CL_INVALID_VALUE", "a bit that means nothing", { properties: 1024 }],
    ["CL_INVALID_VALUE", "a queue on the device", { properties: "CL_QUEUE_ON_DEVICE|CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE" }],
  ],
  clCreateCommandQueueWithProperties: QUEUES,
  clSetCommandQueueProperty: [["CL_INVALID_VALUE", "a bit that means nothing", { properties: 1024 }]],
  clCreateBuffer: BUFFERS,
  clCreateBufferWithProperties: [...BUFFERS, ["CL_INVALID_PROPERTY", "a property that there is not", { properties: { CL_NOTHING: 1 } }]],
  clCreateSubBuffer: [
    ["CL_INVALID_VALUE", "more access than the whole", { parent: "@readOnly", flags: "CL_MEM_READ_WRITE" }],
    ["CL_INVALID_VALUE", "more access of the host than the whole", { parent: "@readOnly", flags: "CL_MEM_HOST_WRITE_ONLY" }],
    ["CL_INVALID_VALUE", "flags of bytes", { flags: "CL_MEM_COPY_HOST_PTR" }],
    ["CL_INVALID_VALUE", "bytes outside of the whole", { region: { origin: 128, size: 129 } }],
    ["CL_INVALID_VALUE", "an origin outside of the whole", { region: { origin: 512, size: 4 } }],
    ["CL_INVALID_BUFFER_SIZE", "no bytes", { region: { origin: 0, size: 0 } }],
    ["CL_MISALIGNED_SUB_BUFFER_OFFSET", "an odd address", { region: { origin: 4, size: 4 } }],
    ["CL_INVALID_MEM_OBJECT", "a part of a part", { parent: "@sub", region: { origin: 0, size: 4 } }],
    ["CL_INVALID_VALUE", "no region", {}, { buffer_create_info: "NULL" }],
    ["CL_INVALID_VALUE", "a way of making parts that there is not", {}, { buffer_create_type: "CL_NOTHING" }],
  ],
  clEnqueueReadBuffer: [["CL_INVALID_VALUE", "bytes past the buffer's end", { offset: 250 }], readsQuiet("buffer", "@quiet"), ["CL_INVALID_OPERATION", "a buffer that the host must not read", { buffer: "@readQuiet" }], FAILED],
  clEnqueueWriteBuffer: [["CL_INVALID_VALUE", "bytes past the buffer's end", { offset: 250 }], readsQuiet("buffer", "@quiet"), ["CL_INVALID_OPERATION", "a buffer that the host must not write", { buffer: "@readOnly" }], FAILED],
  clEnqueueReadBufferRect: [...RECT, readsQuiet("buffer", "@quiet")],
  clEnqueueWriteBufferRect: [...RECT, readsQuiet("buffer", "@quiet")],
  clEnqueueCopyBuffer: [
    ["CL_INVALID_VALUE", "bytes past the source's end", { sourceOffset: 250 }],
    ["CL_INVALID_VALUE", "bytes past the target's end", { targetOffset: 250 }],
    ["CL_MEM_COPY_OVERLAP", "bytes that meet", { target: "@buffer", targetOffset: 4 }],
    ["CL_MEM_COPY_OVERLAP", "bytes of a part that meet those of the whole", { target: "@sub", sourceOffset: 120 }],
  ],
  clEnqueueCopyBufferRect: [
    ["CL_INVALID_VALUE", "a region that ends past the source", { sourceOrigin: [0, 0, 8] }],
    ["CL_INVALID_VALUE", "a region that ends past the target", { targetOrigin: [250, 0, 0] }],
    ["CL_INVALID_VALUE", "a row pitch that is less than a row", { sourceRowPitch: 3 }],
    ["CL_INVALID_VALUE", "a slice pitch that is less than a slice", { targetSlicePitch: 4 }],
    ["CL_INVALID_VALUE", "pitches of one buffer that differ", { target: "@buffer", targetOrigin: [128, 0, 0] }],
    ["CL_MEM_COPY_OVERLAP", "boxes that meet", { target: "@buffer", targetOrigin: [2, 0, 0], targetRowPitch: 8, targetSlicePitch: 32 }],
  ],
  clEnqueueFillBuffer: [
    ["CL_INVALID_VALUE", "no pattern", {}, { pattern: "NULL" }],
    ["CL_INVALID_VALUE", "a pattern of three bytes", { pattern: { bytes: 3 } }],
    ["CL_INVALID_VALUE", "a pattern of no bytes", { pattern: { bytes: 0 } }],
    ["CL_INVALID_VALUE", "a pattern of 256 bytes", { pattern: { bytes: 256 }, size: 256 }],
    ["CL_INVALID_VALUE", "an offset between patterns", { offset: 2 }],
    ["CL_INVALID_VALUE", "a size that is no number of patterns", { size: 6 }],
    ["CL_INVALID_VALUE", "bytes past the buffer's end", { offset: 252 }],
  ],
  clEnqueueMapBuffer: [
    ["CL_INVALID_VALUE", "bytes past the buffer's end", { offset: 250 }],
    readsQuiet("buffer", "@quiet"),
    ["CL_INVALID_OPERATION", "a buffer that the host must not write", { buffer: "@readOnly", flags: "CL_MAP_WRITE" }],
    ["CL_INVALID_OPERATION", "bytes that are mapped to be written", { buffer: "@freshWriteMapped", flags: "CL_MAP_WRITE", offset: 4 }],
    FAILED,
  ],
  clCreateImage: IMAGES,
  clCreateImageWithProperties: [...IMAGES, ["CL_INVALID_PROPERTY", "a property that there is not", { properties: { CL_NOTHING: 1 } }]],
  clCreateImage2D: [
    ...IMAGE_FORMATS,
    ["CL_IMAGE_FORMAT_NOT_SUPPORTED", "an order that does not go with its type", { format: { channelOrder: "CL_RGB", channelType: "CL_FLOAT" } }],
    ["CL_INVALID_IMAGE_SIZE", "no columns", { width: 0 }],
    ["CL_INVALID_IMAGE_SIZE", "no rows", { height: 0 }],
    ["CL_INVALID_IMAGE_SIZE", "a pitch without bytes", { rowPitch: 64 }],
    ["CL_INVALID_IMAGE_SIZE", "more pixels than the device has", { width: WIDE }],
  ],
  clCreateImage3D: [
    ...IMAGE_FORMATS,
    ["CL_IMAGE_FORMAT_NOT_SUPPORTED", "an order that does not go with its type", { format: { channelOrder: "CL_RGB", channelType: "CL_FLOAT" } }],
    ["CL_INVALID_IMAGE_SIZE", "no slices", { depth: 0 }],
    ["CL_INVALID_IMAGE_SIZE", "a pitch without bytes", { slicePitch: 64 }],
    ["CL_INVALID_IMAGE_SIZE", "more slices than the device has", { depth: WIDE }],
  ],
  clGetSupportedImageFormats: [
    ["CL_INVALID_VALUE", "a type that is none of images", { type: "CL_NOTHING" }],
    ["CL_INVALID_VALUE", "room for no format", {}, { num_entries: "0", image_formats: "(void *)room" }],
  ],
  clEnqueueReadImage: [...BOX, ["CL_INVALID_VALUE", "a row pitch that is less than a row", { rowPitch: 4 }], ["CL_INVALID_VALUE", "a slice pitch of an image that has no slices", { slicePitch: 64 }], readsQuiet("image", "@quietImage"), FAILED],
  clEnqueueWriteImage: [...BOX, ["CL_INVALID_VALUE", "a row pitch that is less than a row", { rowPitch: 4 }], ["CL_INVALID_VALUE", "a slice pitch that is less than a slice", { image: "@arrayImage", slicePitch: 8 }], readsQuiet("image", "@quietImage"), FAILED],
  clEnqueueCopyImage: [
    ["CL_INVALID_VALUE", "pixels outside of the source", { sourceOrigin: [3, 0, 0] }],
    ["CL_INVALID_VALUE", "pixels outside of the target", { targetOrigin: [0, 3, 0] }],
    ["CL_IMAGE_FORMAT_MISMATCH", "images of two formats", { target: "@floatImage" }],
    ["CL_MEM_COPY_OVERLAP", "pixels that meet", { target: "@image", targetOrigin: [1, 1, 0] }],
  ],
  clEnqueueFillImage: [...BOX, ["CL_INVALID_VALUE", "no colour", {}, { fill_color: "NULL" }]],
  clEnqueueCopyImageToBuffer: [...BOX, ["CL_INVALID_VALUE", "bytes past the buffer's end", { offset: 250 }]],
  clEnqueueCopyBufferToImage: [...BOX, ["CL_INVALID_VALUE", "bytes past the buffer's end", { offset: 250 }]],
  clEnqueueMapImage: [
    ...BOX, readsQuiet("image", "@quietImage"), ["CL_INVALID_OPERATION", "pixels that are mapped to be written", { image: "@freshWriteMappedImage", flags: "CL_MAP_WRITE", origin: [1, 1, 0] }],
    ["CL_INVALID_VALUE", "no room for the slices' pitch", {}, { image: "arrayImage", image_slice_pitch: "NULL" }], FAILED,
  ],
  clCreatePipe: [["CL_INVALID_VALUE", "an access that pipes do not have", { flags: "CL_MEM_READ_ONLY" }], ["CL_INVALID_PIPE_SIZE", "packets that are too large", { packetSize: 2 ** 20 }], ["CL_INVALID_VALUE", "properties", {}, { properties: "(cl_pipe_properties[]){CL_NOTHING, 1, 0}" }]],
  clEnqueueUnmapMemObject: [["CL_INVALID_VALUE", "bytes that are no map", { array: "@bytes" }], ["CL_INVALID_VALUE", "no bytes", { array: null }]],
  clEnqueueMigrateMemObjects: [["CL_INVALID_VALUE", "no objects", { objects: [] }]],
  clCreateSamplerWithProperties: [
    ["CL_INVALID_VALUE", "a property that there is not", { properties: { CL_NOTHING: 0 } }],
    ["CL_INVALID_VALUE", "a filter that there is not", { properties: { CL_SAMPLER_FILTER_MODE: "CL_NOTHING" } }],
    ["CL_INVALID_VALUE", "a property twice", {}, { sampler_properties: "(cl_sampler_properties[]){CL_SAMPLER_NORMALIZED_COORDS, 1, CL_SAMPLER_NORMALIZED_COORDS, 1, 0}" }],
  ],
  clCreateSampler: [
    ["CL_INVALID_VALUE", "an addressing mode that there is not", { addressing: "CL_NOTHING" }],
    ["CL_INVALID_VALUE", "a filter that there is not", { filter: "CL_NOTHING" }],
    ["CL_INVALID_VALUE", "repetition of pixels that are counted", { normalized: false, addressing: "CL_ADDRESS_REPEAT" }],
  ],
  clCreateProgramWithSource: [["CL_INVALID_VALUE", "no texts", { sources: [] }], ["CL_INVALID_VALUE", "a text that is none", { sources: [`kernel void k(void) {}`, null] }], ["CL_INVALID_VALUE", "no list of texts", {}, { count: "1", strings: "NULL" }]],
  clSetProgramReleaseCallback: [["CL_INVALID_OPERATION", "null as callback", { callback: null }]],
  clCreateProgramWithIL: [["CL_INVALID_VALUE", "no bytes", {}, { length: "0" }], ["CL_INVALID_VALUE", "no module", {}, { il: "NULL" }], ["CL_INVALID_VALUE", "bytes that are no module", { il: { bytes: 64 } }]],
  clSetProgramSpecializationConstant: [
    ["CL_INVALID_PROGRAM", "a program from source", { program: "@program" }],
    ["CL_INVALID_SPEC_ID", "an id that the module does not have", { id: 1 }],
    ["CL_INVALID_VALUE", "a value of another size", { value: { bytes: 8 } }],
    ["CL_INVALID_VALUE", "no value", {}, { spec_value: "NULL" }],
    ["CL_INVALID_VALUE", "a value that is longer than any", {}, { spec_size: "(size_t)1 << 40" }],
  ],
  clCreateProgramWithBinary: [
    ["CL_INVALID_VALUE", "no devices", { devices: [], binaries: [] }],
    ["CL_INVALID_VALUE", "an empty binary", { binaries: [{ bytes: 0 }] }],
    ["CL_INVALID_VALUE", "a binary that is none", { binaries: [null] }],
    ["CL_INVALID_BINARY", "bytes that are no program", { binaries: [{ bytes: 64 }] }],
    ["CL_INVALID_VALUE", "no list of lengths", {}, { lengths: "NULL" }],
    ["CL_INVALID_VALUE", "no list of binaries", {}, { binaries: "NULL" }],
  ],
  clCreateProgramWithBuiltInKernels: [["CL_INVALID_VALUE", "no names", { names: null }], ["CL_INVALID_VALUE", "no devices", { devices: [] }]],
  clBuildProgram: [
    ["CL_INVALID_BUILD_OPTIONS", "an option that there is not", { options: "-cl-make-it-fast" }],
    ["CL_BUILD_PROGRAM_FAILURE", "a mistake in the source", { program: "@wrongSource" }],
    ["CL_INVALID_OPERATION", "a program with kernels", { program: "@program" }],
    ["CL_INVALID_VALUE", "data for no function", {}, { user_data: "room" }],
  ],
  clCompileProgram: [
    ["CL_INVALID_COMPILER_OPTIONS", "an option that there is not", { options: "-cl-make-it-fast" }],
    ["CL_COMPILE_PROGRAM_FAILURE", "a mistake in the source", { program: "@wrongSource" }],
    ["CL_INVALID_OPERATION", "a program with kernels", { program: "@program" }],
    ["CL_INVALID_OPERATION", "a program of binaries", { program: "@fromBinary" }],
    ["CL_INVALID_VALUE", "data for no function", {}, { user_data: "room" }],
    ["CL_INVALID_VALUE", "headers without names", {}, { num_input_headers: "1", input_headers: "&unbuilt", header_include_names: "NULL" }],
    ["CL_INVALID_VALUE", "names without headers", {}, { num_input_headers: "0", header_include_names: "(const char *[]){\"a.h\"}" }],
  ],
  clLinkProgram: [
    ["CL_INVALID_VALUE", "no inputs", { inputs: [] }],
    ["CL_INVALID_LINKER_OPTIONS", "an option that there is not", { options: "-cl-make-it-fast" }],
    ["CL_INVALID_OPERATION", "an input that was not compiled", { inputs: ["@unbuilt"] }],
    ["CL_LINK_PROGRAM_FAILURE", "a function that is not defined anywhere", { inputs: ["@compiledWrong"] }],
    ["CL_INVALID_VALUE", "data for no function", {}, { user_data: "room" }],
  ],
  clGetProgramInfo: [["CL_INVALID_PROGRAM_EXECUTABLE", "kernels of a program that is not built", { program: "@unbuilt", token: "CL_PROGRAM_NUM_KERNELS" }]],
  clCreateKernel: [
    ["CL_INVALID_PROGRAM_EXECUTABLE", "a program that is not built", { program: "@unbuilt" }],
    ["CL_INVALID_KERNEL_NAME", "a name that the program does not have", { name: "none" }],
    ["CL_INVALID_VALUE", "no name", { name: null }],
  ],
  clCreateKernelsInProgram: [["CL_INVALID_PROGRAM_EXECUTABLE", "a program that is not built", { program: "@unbuilt" }], ["CL_INVALID_VALUE", "room for fewer kernels than there are", {}, { num_kernels: "0", kernels: "(void *)room" }]],
  clSetKernelArg: [
    ["CL_INVALID_ARG_INDEX", "an argument that there is not", { kernel: "@takes", index: 6 }],
    ["CL_INVALID_ARG_SIZE", "four bytes for a pointer", {}, { kernel: "takes", arg_index: "0", arg_size: "4" }],
    ["CL_INVALID_ARG_VALUE", "a buffer for local memory", { kernel: "@takes", index: 1 }],
    ["CL_INVALID_ARG_SIZE", "no bytes of local memory", { kernel: "@takes", index: 1, value: { local: 0 } }],
    ["CL_INVALID_ARG_SIZE", "eight bytes for an int", { kernel: "@takes", index: 2, value: { bytes: 8 } }],
    ["CL_INVALID_ARG_VALUE", "no bytes for an int", {}, { kernel: "takes", arg_index: "2", arg_size: "4", arg_value: "NULL" }],
    ["CL_INVALID_ARG_VALUE", "an image for a buffer", { kernel: "@takes", index: 0, value: "@image" }],
    ["CL_INVALID_ARG_VALUE", "a buffer for an image", { kernel: "@takes", index: 3 }],
    ["CL_INVALID_ARG_VALUE", "an image that must not be read", { kernel: "@takes", index: 3, value: "@writeOnlyImage" }],
    ["CL_INVALID_ARG_VALUE", "an image that must not be written", { kernel: "@takes", index: 5, value: "@readOnlyImage" }],
    ["CL_INVALID_SAMPLER", "a buffer for a sampler", { kernel: "@takes", index: 4 }],
    ["CL_INVALID_SAMPLER", "nothing for a sampler", { kernel: "@takes", index: 4, value: null }],
    ["CL_INVALID_SAMPLER", "a sampler of another context", { kernel: "@takes", index: 4, value: "@foreignSampler" }],
    ["CL_INVALID_MEM_OBJECT", "a buffer of another context", { kernel: "@takes", index: 0, value: "@foreignBuffer" }],
    ["CL_INVALID_MEM_OBJECT", "an image of another context", { kernel: "@takes", index: 3, value: "@foreignImage" }],
    ["CL_INVALID_ARG_VALUE", "no image", { kernel: "@takes", index: 3, value: null }],
    ["CL_INVALID_MEM_OBJECT", "a buffer that is none", {}, { kernel: "takes", arg_index: "0", arg_value: "&(void *){sampler}" }],
  ],
  clSetKernelExecInfo: [["CL_INVALID_VALUE", "nothing that a kernel can be told", {}, { param_name: "CL_NOTHING" }], ["CL_INVALID_VALUE", "no value", {}, { param_value: "NULL" }]],
  clEnqueueNDRangeKernel: [
    ...LAUNCHES,
    ["CL_INVALID_WORK_DIMENSION", "four dimensions", { dimensions: 4, globalOffset: null, globalSize: [1, 1, 1, 1], localSize: null }],
    ["CL_INVALID_GLOBAL_OFFSET", "ids that would not fit", { globalOffset: [2 ** 32 - 1], globalSize: [2] }],
    ["CL_INVALID_WORK_GROUP_SIZE", "a local size of 0", { localSize: [0] }],
    ["CL_INVALID_WORK_GROUP_SIZE", "a global size that is no number of groups", { kernel: "@ids", globalSize: [9], localSize: [4] }],
    ["CL_INVALID_WORK_GROUP_SIZE", "groups that are too large", { kernel: "@ids", dimensions: 2, globalOffset: null, globalSize: [64, 64], localSize: [64, 64] }],
    ["CL_INVALID_WORK_ITEM_SIZE", "a dimension that is too large", { kernel: "@ids", globalSize: [2 ** 20], localSize: [2 ** 20] }],
    ["CL_OUT_OF_RESOURCES", "more local memory than there is", { kernel: "@sum" }],
  ],
  clEnqueueTask: [...LAUNCHES, ["CL_OUT_OF_RESOURCES", "more local memory than there is", { kernel: "@sum" }]],
  clEnqueueNativeKernel: [["CL_INVALID_VALUE", "arguments without a length", {}, { args: "room", cb_args: "0" }]],
  clSetUserEventStatus: [
    ["CL_INVALID_VALUE", "a status that is none of user events", { status: "CL_RUNNING" }],
    ["CL_INVALID_OPERATION", "an event whose status is set", { event: "@settledUser" }],
    ["CL_INVALID_EVENT", "an event of a command", { event: "@marker" }],
  ],
  clWaitForEvents: [
    ["CL_INVALID_VALUE", "no events", { events: [] }],
    ["CL_INVALID_CONTEXT", "events of two contexts", { events: ["@marker", "@foreignEvent"] }],
    ["CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "an event that has failed", { events: ["@failedEvent"] }],
  ],
  clSetEventCallback: [["CL_INVALID_VALUE", "a status that there is not", { status: 4 }], ["CL_INVALID_VALUE", "CL_QUEUED", { status: "CL_QUEUED" }]],
  clGetEventProfilingInfo: [["CL_PROFILING_INFO_NOT_AVAILABLE", "a user event", { event: "@settledUser" }]],
  clEnqueueMarker: [["CL_INVALID_VALUE", "no room for the event", {}, { event: "NULL" }]],
  clEnqueueWaitForEvents: [["CL_INVALID_VALUE", "no events", { events: [] }]],
};

/** The rows by hand. */
export const HAND_ROWS: readonly Row[] = Object.entries(ROWS).flatMap(([call, rows]) => rows.map(([error, what, change, native]): Row => ({ call, error, what, change, ...(native === undefined ? {} : { native }) })));
