// muxkit info: which devices there are, and everything that they say of themselves.
import { CL_DEVICE_TYPE_ALL, DEVICE_QUERIES, Device, PLATFORM_QUERIES, Platform, clGetDeviceIDs, clGetDeviceInfo, clGetPlatformInfo } from "@muxkit/opencl";

import { useForeignTargets } from "../foreign-targets.ts";
import { hostDeviceFor } from "../host-platform.ts";
import { type ParsedCommand, UsageError } from "./command.ts";
import { printConfig } from "./config.ts";

const MIB = 2 ** 20;

/** A fact as data: objects of the API by their names. */
function plain(value: unknown): unknown {
  if (value instanceof Platform || value instanceof Device) return value instanceof Device ? value.info.deviceName : value.name;
  if (typeof value === "bigint") return value.toString();
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array);
  return Array.isArray(value) ? value.map(plain) : value;
}

/** A fact as text. */
function shown(value: unknown): string {
  const data = plain(value);
  if (data === null || data === "") return "none";
  if (Array.isArray(data)) return data.length === 0 ? "none" : data.map(shown).join(", ");
  if (typeof data === "object") return Object.values(data).map(shown).join(" ");
  return typeof data === "string" ? data : JSON.stringify(data);
}

type Facts = Readonly<Record<string, unknown>>;

function devicesOf(platform: Platform): readonly Facts[] {
  return clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).map((device) => Object.fromEntries(DEVICE_QUERIES.map((token) => [token, clGetDeviceInfo(device, token)])));
}

function list(facts: Facts): string {
  const width = Math.max(...Object.keys(facts).map(({ length }) => length));
  return Object.entries(facts).map(([name, value]) => `  ${name.padEnd(width)}  ${shown(value)}\n`).join("");
}

/** The command. */
export const INFO: ParsedCommand = {
  usage: "muxkit info [--json] [--config]",
  summary: "says what this machine's devices can do, or which settings hold",
  options: { json: { type: "boolean" }, config: { type: "boolean" } },
  help: { json: "print one JSON object", config: "print every setting, its value, who said it, and its environment variable" },
  run: ({ values, positionals }, streams) => {
    if (positionals.length > 0) throw new UsageError(`it takes no file, and was given "${positionals[0] ?? ""}"`);
    const isJson = values["json"] === true;
    if (values["config"] === true) return printConfig(streams, isJson, process.env);
    const { out } = streams;
    useForeignTargets(process.env, process.cwd());
    const device = hostDeviceFor({});
    const { platform } = device;
    const facts = {
      platform: clGetPlatformInfo(platform, "CL_PLATFORM_VERSION"), device: clGetDeviceInfo(device, "CL_DEVICE_NAME"), threads: clGetDeviceInfo(device, "CL_DEVICE_MAX_COMPUTE_UNITS"),
      memoryBytes: clGetDeviceInfo(device, "CL_DEVICE_GLOBAL_MEM_SIZE"), localMemoryBytes: clGetDeviceInfo(device, "CL_DEVICE_LOCAL_MEM_SIZE"),
      workGroupSize: clGetDeviceInfo(device, "CL_DEVICE_MAX_WORK_GROUP_SIZE"), language: clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_VERSION"), extensions: clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS").split(" "),
    };
    const ofPlatform: Facts = Object.fromEntries(PLATFORM_QUERIES.map((token) => [token, clGetPlatformInfo(platform, token)]));
    const devices = devicesOf(platform);
    if (isJson) {
      out(`${JSON.stringify({ ...facts, queries: ofPlatform, devices }, (_, value: unknown) => plain(value))}\n`);
      return 0;
    }
    out(`${facts.platform}\n${facts.device}\n  ${facts.threads} threads, ${Math.round(facts.memoryBytes / MIB)} MiB of memory, ${facts.localMemoryBytes / 1024} KiB of local memory, work-groups of up to ${facts.workGroupSize}\n`);
    out(`\nplatform\n${list(ofPlatform)}`);
    for (const one of devices) out(`\ndevice ${shown(one["CL_DEVICE_NAME"])}\n${list(one)}`);
    return 0;
  },
};
