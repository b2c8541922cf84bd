// SPDX-License-Identifier: Apache-2.0
// The optional features of OpenCL C that a device has: one row for each feature macro. The front end predefines
// them, the OpenCL package answers its queries from them.
import { MuxAtomicCapabilities, type MuxDeviceInfo, MuxIntegerCapabilities } from "@muxkit/mux";

/** One option of the language, known by its macro. @public */
export interface LanguageOption {
  /** Name of the macro: `cl_khr_…` of an extension, `__opencl_c_…` of a feature. */
  readonly name: string;
  /** Its version: major, minor, patch. */
  readonly version: readonly [number, number, number];
  /** True when the device has it, and the compiler too. */
  readonly isOn: (device: MuxDeviceInfo) => boolean;
}

/**
 * Version of OpenCL that devices report, as in `__OPENCL_VERSION__` and CL_DEVICE_VERSION. 3.0 makes most of 2.x
 * optional, each part with a query or a feature macro; the language is OpenCL C 1.2 unless `-cl-std` selects
 * another one.
 *
 * @public
 */
export const OPENCL_VERSION = 300;

/**
 * Versions of OpenCL C that the compiler has all of. CL2.0 can be selected too, but device-side enqueue, which it
 * demands, is refused.
 *
 * @public
 */
export const LANGUAGE_VERSIONS: readonly (readonly [number, number, number])[] = [[1, 0, 0], [1, 1, 0], [1, 2, 0], [3, 0, 0]];

const always = (): boolean => true;
const never = (): boolean => false;
const hasLong = ({ integerCapabilities }: MuxDeviceInfo): boolean => (integerCapabilities & MuxIntegerCapabilities.bits64) !== 0;
const hasLongAtomics = ({ atomicCapabilities }: MuxDeviceInfo): boolean => (atomicCapabilities & MuxAtomicCapabilities.bits64) !== 0;
const hasDouble = ({ doubleCapabilities }: MuxDeviceInfo): boolean => doubleCapabilities !== 0;
const hasHalf = ({ halfCapabilities }: MuxDeviceInfo): boolean => halfCapabilities !== 0;
const hasImages = ({ imageSupport }: MuxDeviceInfo): boolean => imageSupport;
const has3dWrites = ({ imageSupport, image3dWrites }: MuxDeviceInfo): boolean => imageSupport && image3dWrites;
const hasGeneric = ({ supportsGenericAddressSpace }: MuxDeviceInfo): boolean => supportsGenericAddressSpace;
const hasSubGroups = ({ maxSubGroupCount }: MuxDeviceInfo): boolean => maxSubGroupCount > 0;
/**
 * A device that announces cl_khr_subgroups must guarantee independent forward progress of sub-groups (OpenCL 3.0,
 * CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS); the host runs those of a group one after the other, up to the next
 * barrier.
 */
const hasIndependentSubGroups = ({ maxSubGroupCount, subGroupsSupportIfp }: MuxDeviceInfo): boolean => maxSubGroupCount > 0 && subGroupsSupportIfp;
const hasCollectives = ({ supportsWorkGroupCollectives }: MuxDeviceInfo): boolean => supportsWorkGroupCollectives;

/** Atomics of doubles are loops around those of 64 bits. */
const hasDoubleAtomics = (device: MuxDeviceInfo): boolean => hasDouble(device) && hasLongAtomics(device);

type Row = readonly [name: string, isOn: (device: MuxDeviceInfo) => boolean, version?: LanguageOption["version"]];

/** Extensions, each defined in every version of OpenCL C. */
const EXTENSIONS: readonly Row[] = [
  ["cl_khr_global_int32_base_atomics", always],
  ["cl_khr_global_int32_extended_atomics", always],
  ["cl_khr_local_int32_base_atomics", always],
  ["cl_khr_local_int32_extended_atomics", always],
  ["cl_khr_int64_base_atomics", hasLongAtomics],
  ["cl_khr_int64_extended_atomics", hasLongAtomics],
  ["cl_khr_byte_addressable_store", always],
  ["cl_khr_fp64", hasDouble],
  ["cl_khr_fp16", hasHalf],
  ["cl_khr_3d_image_writes", has3dWrites],
  ["cl_khr_subgroups", hasIndependentSubGroups],
  ...["extended_types", "non_uniform_vote", "ballot", "non_uniform_arithmetic", "shuffle", "shuffle_relative", "clustered_reduce", "rotate"].map((name): Row => [`cl_khr_subgroup_${name}`, hasSubGroups]),
  ["cl_intel_required_subgroup_size", hasSubGroups],
  ["cl_khr_extended_async_copies", always],
  ["cl_khr_depth_images", hasImages],
  ["cl_khr_image2d_from_buffer", hasImages],
  ["cl_khr_expect_assume", always],
  ["cl_khr_integer_dot_product", always, [2, 0, 0]],
  ["cl_ext_float_atomics", always],
];

/** Features of OpenCL C 3.0 (6.2.1), defined from that version on. */
const FEATURES: readonly Row[] = [
  ["3d_image_writes", has3dWrites],
  ["atomic_order_acq_rel", always],
  ["atomic_order_seq_cst", always],
  ["atomic_scope_device", always],
  ["atomic_scope_all_devices", always],
  ["device_enqueue", never],
  ["generic_address_space", hasGeneric],
  ["fp64", hasDouble],
  ["images", hasImages],
  ["int64", hasLong],
  ["pipes", always],
  ["program_scope_global_variables", always],
  ["read_write_images", hasImages],
  ["subgroups", hasSubGroups],
  ["work_group_collective_functions", hasCollectives],
  ["integer_dot_product_input_4x8bit", always],
  ["integer_dot_product_input_4x8bit_packed", always],
  ...["add", "min_max"].flatMap((kind): Row[] => ["global", "local"].flatMap((space): Row[] => [[`ext_fp32_${space}_atomic_${kind}`, always], [`ext_fp64_${space}_atomic_${kind}`, hasDoubleAtomics]])),
];

function optionsOf(rows: readonly Row[], prefix: string, version: LanguageOption["version"]): readonly LanguageOption[] {
  return rows.map(([name, isOn, own]) => ({ name: `${prefix}${name}`, version: own ?? version, isOn }));
}

const EXTENSION_OPTIONS = optionsOf(EXTENSIONS, "", [1, 0, 0]);
const FEATURE_OPTIONS = optionsOf(FEATURES, "__opencl_c_", [3, 0, 0]);

/** The extensions that a device has: those of the kit, then its target's own. @public */
export function languageExtensions(device: MuxDeviceInfo): readonly LanguageOption[] {
  const own = device.languageExtensions.map((name): LanguageOption => ({ name, version: [1, 0, 0], isOn: always }));
  return [...EXTENSION_OPTIONS.filter(({ isOn }) => isOn(device)), ...own];
}

/** The features of OpenCL C 3.0 that a device has. @public */
export function languageFeatures(device: MuxDeviceInfo): readonly LanguageOption[] {
  return FEATURE_OPTIONS.filter(({ isOn }) => isOn(device));
}

/** Both, as a front end takes them: the names alone. @public */
export function languageMacros(device: MuxDeviceInfo): { readonly extensions: readonly string[]; readonly features: readonly string[] } {
  return { extensions: languageExtensions(device).map(({ name }) => name), features: languageFeatures(device).map(({ name }) => name) };
}
