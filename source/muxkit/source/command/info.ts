// muxkit info: which devices there are.
import { clGetDeviceInfo, clGetPlatformInfo } from "@muxkit/opencl";

import { hostDeviceFor } from "../host-platform.ts";
import type { Command } from "./command.ts";

const MIB = 2 ** 20;

/** The command. */
export const INFO: Command = {
  usage: "muxkit info [--json]",
  summary: "says what this machine's device can do",
  options: { json: { type: "boolean" } },
  help: { json: "print one JSON object" },
  run: ({ values }, { out }) => {
    const device = hostDeviceFor({});
    const facts = {
      platform: clGetPlatformInfo(device.platform, "CL_PLATFORM_VERSION"), device: clGetDeviceInfo(device, "CL_DEVICE_NAME"), threads: clGetDeviceInfo(device, "CL_DEVICE_MAX_COMPUTE_UNITS"),
      memoryBytes: clGetDeviceInfo(device, "CL_DEVICE_GLOBAL_MEM_SIZE"), localMemoryBytes: clGetDeviceInfo(device, "CL_DEVICE_LOCAL_MEM_SIZE"),
      workGroupSize: clGetDeviceInfo(device, "CL_DEVICE_MAX_WORK_GROUP_SIZE"), language: clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_VERSION"), extensions: clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS").split(" "),
    };
    if (values["json"] === true) out(`${JSON.stringify(facts)}\n`);
    else {
      out(`${facts.platform}\n${facts.device}\n  ${facts.threads} threads, ${Math.round(facts.memoryBytes / MIB)} MiB of memory, ${facts.localMemoryBytes / 1024} KiB of local memory, work-groups of up to ${facts.workGroupSize}\n`);
      out(`  ${facts.language}: ${facts.extensions.join(" ")}\n`);
    }
    return 0;
  },
};
