// SPDX-License-Identifier: Apache-2.0
// Extensions of the calls, not of the language: programs see no macro of them. Those of the language are rows of
// @muxkit/compiler.
import type { MuxDeviceInfo } from "@muxkit/mux";

/** An extension of the calls. */
export interface CallExtension {
  /** Its name. */
  readonly name: string;
  /** Major, minor, patch of the text that it follows. */
  readonly version: readonly [number, number, number];
  /** True when a device has it. */
  readonly isOn: (device: MuxDeviceInfo) => boolean;
}

const always = (): boolean => true;

type Row = readonly [name: string, version: CallExtension["version"], isOn: CallExtension["isOn"]];

const ROWS: readonly Row[] = [
  ["cl_khr_create_command_queue", [1, 0, 0], always],
  ["cl_khr_il_program", [1, 0, 0], always],
  ["cl_khr_spirv_linkonce_odr", [1, 0, 0], always],
  ["cl_khr_spirv_no_integer_wrap_decoration", [1, 0, 0], always],
  ["cl_khr_priority_hints", [1, 0, 0], always],
  ["cl_khr_throttle_hints", [1, 0, 0], always],
  ["cl_khr_command_buffer", [0, 9, 4], always],
  ["cl_khr_command_buffer_mutable_dispatch", [0, 9, 1], always],
  ["cl_khr_device_uuid", [1, 0, 0], always],
  ["cl_khr_extended_versioning", [1, 0, 0], always],
  ["cl_khr_suggested_local_work_size", [1, 0, 0], always],
  ["cl_intel_unified_shared_memory", [1, 0, 0], always],
  ["cl_muxkit_performance_counters", [1, 0, 0], ({ queryCounterSupport }) => queryCounterSupport],
  ["cl_muxkit_wfv", [1, 0, 0], always],
  ["cl_muxkit_kernel_exec_info", [1, 0, 0], always],
  ["cl_muxkit_program_spirv", [1, 0, 0], always],
  ["cl_muxkit_set_threads", [1, 0, 0], ({ canPartition }) => canPartition === true],
];

/** Every extension of the calls. */
export const CALL_EXTENSIONS: readonly CallExtension[] = ROWS.map(([name, version, isOn]) => ({ name, version, isOn }));

/** Extensions of the platform that need an outside: environment variables and files. */
export const OUTSIDE_EXTENSIONS: readonly Omit<CallExtension, "isOn">[] = [
  { name: "cl_altera_compiler_mode", version: [1, 0, 0] },
  { name: "cl_muxkit_extra_build_options", version: [1, 0, 0] },
];
