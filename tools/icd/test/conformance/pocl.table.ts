// SPDX-License-Identifier: Apache-2.0
// Where PoCL 3.1 does not pass a check of conformance, with the sentence of the specification that decides. The rows
// are read from the top: the first one whose pattern fits is a check's.

/** Checks that PoCL does not pass for one reason. */
export interface PoclDifference {
  /** Names of the checks. */
  readonly checks: RegExp;
  /** What PoCL does. */
  readonly does: string;
  /** The sentence that decides. */
  readonly says: string;
}

/** The differences. */
export const POCL_DIFFERENCES: readonly PoclDifference[] = [
  {
    checks: /^queries: clGetDeviceInfo\(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES\): as many bytes/u,
    does: "It answers four bytes.",
    says: "The return type is cl_device_device_enqueue_capabilities, a cl_bitfield, which has 64 bits.",
  },
  {
    checks: /^queries: clGetContextInfo\(CL_CONTEXT_PROPERTIES\): every size$/u,
    does: "It crashes where no place for the size is given.",
    says: "If param_value_size_ret is NULL, it is ignored.",
  },
  {
    checks: /^queries: clGetEventProfilingInfo: a token that means nothing$/u,
    does: "It answers CL_SUCCESS where no value is asked for.",
    says: "CL_INVALID_VALUE if param_name is not valid.",
  },
  {
    checks: /^queries: clGetProgramInfo\(CL_PROGRAM_BINARIES\): a null pointer skips its binary$/u,
    does: "It crashes.",
    says: "To indicate to the implementation to ignore a program binary, the entry of the array can be set to NULL.",
  },
  {
    checks: /^properties: a sampler, no list$/u,
    does: "It answers CL_INVALID_VALUE.",
    says: "If sampler_properties is NULL, default values are used.",
  },
  {
    checks: /^properties: (?:a part by its count|two parts by their counts)$/u,
    does: "It adds words to the list.",
    says: "CL_DEVICE_PARTITION_TYPE returns the properties argument specified in clCreateSubDevices.",
  },
  {
    checks: /^sub-devices: (?:a program that is built for (?:both parts|one part)|a part that a program is built for)/u,
    does: "It has one binary for a device and all of its parts, whichever of them it was built for last.",
    says:
      "CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built program executable available for the device " +
      "associated with command_queue; a build for a part counts for it alone.",
  },
  {
    checks: /^sub-devices: the parts have the device's binary$/u,
    does: "It has no sizes for the parts.",
    says:
      "If a program binary has not been built for a sub-device, the program binary associated with the parent device " +
      "will be used.",
  },
  {
    checks: /^images: CL_MEM_OBJECT_\w+, \w+, \w+: made, or refused by the right code$/u,
    does: "It answers CL_INVALID_OPERATION for every format that it does not have.",
    says: "CL_IMAGE_FORMAT_NOT_SUPPORTED if there are no devices in context that support image_format.",
  },
  {
    checks: /^vector-memory: v(?:store|load)a_half(?:_rt\w)? (?:of|in) /u,
    does: "It lacks these functions of one half.",
    says: "vloada_half and vstorea_half are in the tables of vector data load and store functions.",
  },
];

/** The entry for a check. */
export function differenceOf(name: string): PoclDifference | undefined {
  return POCL_DIFFERENCES.find(({ checks }) => checks.test(name));
}
