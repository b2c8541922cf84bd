// What clGetDeviceInfo answers of extensions.
import { MUTABLE_FIELDS } from "../command-buffer-commands.ts";
import { CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR, CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR, CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR } from "../generated/constants.ts";
import type { DeviceInfo } from "../generated/info.ts";
import type { Device } from "../platform.ts";
import type { InfoTable } from "./query.ts";

type ExtensionTokens = "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR" | "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR" | "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR";

/** Facts of devices that extensions add. */
export const EXTENSION_FACTS: InfoTable<Device, Pick<DeviceInfo, ExtensionTokens>> = {
  CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR: () => CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR,
  CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR: () => 0,
  CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: () => MUTABLE_FIELDS,
};
