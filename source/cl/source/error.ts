// OpenCL's errors: one class, with the code, its name, the call and the cause.

/** Names of error codes (OpenCL 3.0, CL/cl.h). @public */
export const ErrorCode = {
  /** No error. */
  CL_SUCCESS: 0,
  /** There is no device of the kind. */
  CL_DEVICE_NOT_FOUND: -1,
  /** The device cannot be used. */
  CL_DEVICE_NOT_AVAILABLE: -2,
  /** The device has no compiler. */
  CL_COMPILER_NOT_AVAILABLE: -3,
  /** Device memory is short. */
  CL_MEM_OBJECT_ALLOCATION_FAILURE: -4,
  /** The device could not do it: a fault of a kernel, a deadline, too much local or private memory. */
  CL_OUT_OF_RESOURCES: -5,
  /** Host memory is short. */
  CL_OUT_OF_HOST_MEMORY: -6,
  /** There are no times. */
  CL_PROFILING_INFO_NOT_AVAILABLE: -7,
  /** Source and target overlap. */
  CL_MEM_COPY_OVERLAP: -8,
  /** Two images have different formats. */
  CL_IMAGE_FORMAT_MISMATCH: -9,
  /** The device has no images of the format. */
  CL_IMAGE_FORMAT_NOT_SUPPORTED: -10,
  /** The program has errors; see its log. */
  CL_BUILD_PROGRAM_FAILURE: -11,
  /** The region cannot be mapped. */
  CL_MAP_FAILURE: -12,
  /** A part does not begin where the device needs it. */
  CL_MISALIGNED_SUB_BUFFER_OFFSET: -13,
  /** Something that was waited for failed. */
  CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: -14,
  /** The source has errors; see the program's log. */
  CL_COMPILE_PROGRAM_FAILURE: -15,
  /** The device has no linker. */
  CL_LINKER_NOT_AVAILABLE: -16,
  /** The objects do not fit together. */
  CL_LINK_PROGRAM_FAILURE: -17,
  /** The device cannot be partitioned so. */
  CL_DEVICE_PARTITION_FAILED: -18,
  /** The executable does not describe its arguments. */
  CL_KERNEL_ARG_INFO_NOT_AVAILABLE: -19,
  /** An argument makes no sense. */
  CL_INVALID_VALUE: -30,
  /** No kind of device. */
  CL_INVALID_DEVICE_TYPE: -31,
  /** No platform. */
  CL_INVALID_PLATFORM: -32,
  /** No device, or not of this context. */
  CL_INVALID_DEVICE: -33,
  /** No living context, or another one. */
  CL_INVALID_CONTEXT: -34,
  /** Properties that the device does not have. */
  CL_INVALID_QUEUE_PROPERTIES: -35,
  /** No living queue. */
  CL_INVALID_COMMAND_QUEUE: -36,
  /** An array is missing, too small or too much. */
  CL_INVALID_HOST_PTR: -37,
  /** No living buffer. */
  CL_INVALID_MEM_OBJECT: -38,
  /** No format of pixels. */
  CL_INVALID_IMAGE_FORMAT_DESCRIPTOR: -39,
  /** A size that no image of the device has. */
  CL_INVALID_IMAGE_SIZE: -40,
  /** No living sampler. */
  CL_INVALID_SAMPLER: -41,
  /** Bytes that are no program for the device. */
  CL_INVALID_BINARY: -42,
  /** Options that the compiler does not know. */
  CL_INVALID_BUILD_OPTIONS: -43,
  /** No living program. */
  CL_INVALID_PROGRAM: -44,
  /** The program is not built. */
  CL_INVALID_PROGRAM_EXECUTABLE: -45,
  /** The program has no such kernel. */
  CL_INVALID_KERNEL_NAME: -46,
  /** The kernel is not the same on all devices. */
  CL_INVALID_KERNEL_DEFINITION: -47,
  /** No living kernel. */
  CL_INVALID_KERNEL: -48,
  /** The kernel has no such argument. */
  CL_INVALID_ARG_INDEX: -49,
  /** A value of the wrong kind. */
  CL_INVALID_ARG_VALUE: -50,
  /** A value of the wrong size. */
  CL_INVALID_ARG_SIZE: -51,
  /** An argument is not set. */
  CL_INVALID_KERNEL_ARGS: -52,
  /** Dimensions are 1 to 3. */
  CL_INVALID_WORK_DIMENSION: -53,
  /** A local size that does not fit range, kernel or device. */
  CL_INVALID_WORK_GROUP_SIZE: -54,
  /** A local size beyond the device in one dimension. */
  CL_INVALID_WORK_ITEM_SIZE: -55,
  /** Ids would not fit. */
  CL_INVALID_GLOBAL_OFFSET: -56,
  /** The wait list holds no living event. */
  CL_INVALID_EVENT_WAIT_LIST: -57,
  /** No living event. */
  CL_INVALID_EVENT: -58,
  /** Not possible as things stand. */
  CL_INVALID_OPERATION: -59,
  /** A size that no buffer has. */
  CL_INVALID_BUFFER_SIZE: -61,
  /** A packet or a number of packets that no pipe has. */
  CL_INVALID_PIPE_SIZE: -69,
  /** A global size that no range has. */
  CL_INVALID_GLOBAL_WORK_SIZE: -63,
  /** Sizes and pitches that make no image. */
  CL_INVALID_IMAGE_DESCRIPTOR: -65,
  /** A property that there is not, or its value. */
  CL_INVALID_PROPERTY: -64,
  /** Options that clCompileProgram does not know. */
  CL_INVALID_COMPILER_OPTIONS: -66,
  /** Options that clLinkProgram does not know. */
  CL_INVALID_LINKER_OPTIONS: -67,
  /** Counts of compute units that the device does not have. */
  CL_INVALID_DEVICE_PARTITION_COUNT: -68,
  /** No queue on the device. */
  CL_INVALID_DEVICE_QUEUE: -70,
  /** No specialization constant. */
  CL_INVALID_SPEC_ID: -71,
} as const;

/** Name of an error code. @public */
export type ErrorName = keyof typeof ErrorCode;

/** What every call of this package throws when it fails. @public */
export class OpenCLError extends Error {
  /** OpenCL's number, negative. */
  readonly code: number;
  /** Its name, for example `CL_INVALID_VALUE`. */
  override readonly name: ErrorName;
  /** The call, for example `clCreateBuffer`. */
  readonly call: string;

  /** Makes one. `message` is one sentence: what, where, what to do. */
  constructor(name: ErrorName, call: string, message: string, cause?: unknown) {
    super(`${call}: ${message} (${name})`, cause === undefined ? undefined : { cause });
    this.name = name;
    this.code = ErrorCode[name];
    this.call = call;
  }
}

/** Throws an {@link OpenCLError} unless the condition holds. */
export function require(condition: boolean, name: ErrorName, call: string, message: string | (() => string)): asserts condition {
  if (!condition) throw new OpenCLError(name, call, typeof message === "string" ? message : message());
}
