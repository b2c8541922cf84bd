// SPDX-License-Identifier: Apache-2.0
// muxkit info: which devices there are, and everything that they say of themselves.
import { type NativeStatus, nativeStatus } from "@muxkit/host";
import {
  CL_DEVICE_TYPE_ALL,
  DEVICE_QUERIES,
  Device,
  type NameVersion,
  PLATFORM_QUERIES,
  Platform,
  QUERY_BITS,
  clGetDeviceIDs,
  clGetDeviceInfo,
  clGetPlatformInfo,
} from "@muxkit/opencl";

import { allDevices, typeOf } from "../device-choice.ts";
import { useForeignTargets } from "../foreign-targets.ts";
import { useGpus } from "../gpu-targets.ts";
import { hostDeviceFor } from "../host-platform.ts";
import { type ParsedCommand, UsageError } from "./command.ts";
import { printConfig } from "./config.ts";

const MIB = 2 ** 20;

/** A fact as data: objects of the API by their names. */
function plain(value: unknown): unknown {
  if (value instanceof Platform || value instanceof Device)
    return value instanceof Device ? value.info.deviceName : value.name;
  if (typeof value === "bigint") return value.toString();
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array);
  return Array.isArray(value) ? value.map(plain) : value;
}

/** A version as OpenCL packs it: ten bits major, ten minor, twelve patch. */
function version(packed: number): string {
  return `${packed >>> 22}.${(packed >>> 12) & 0x3ff}.${packed & 0xfff}`;
}

function isNameVersion(value: object): value is NameVersion {
  return "name" in value && "version" in value;
}

/** A fact as text: bits by their names, versions with points, identifiers as digits. */
function shown(token: string, value: unknown): string {
  if (typeof value === "number" && token in QUERY_BITS)
    return (QUERY_BITS[token] ?? []).flatMap(([name, bit]) => ((value & bit) === 0 ? [] : [name])).join(" ") || "none";
  if (typeof value === "number" && /_VERSION(?:_KHR)?$/u.test(token)) return version(value);
  if (value instanceof Uint8Array) return Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (typeof value === "object" && value !== null && isNameVersion(value))
    return `${value.name} ${version(value.version)}`;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map((one) => shown(token, one)).join(", ");
  const data = plain(value);
  if (data === null || data === "") return "none";
  if (typeof data === "object")
    return Object.entries(data)
      .map(([name, one]) => `${name} ${shown(token, one)}`)
      .join(", ");
  return typeof data === "string" ? data : JSON.stringify(data);
}

type Facts = Readonly<Record<string, unknown>>;

function devicesOf(platform: Platform): readonly Facts[] {
  return clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).map((device) =>
    Object.fromEntries(DEVICE_QUERIES.map((token) => [token, clGetDeviceInfo(device, token)])),
  );
}

function list(facts: Facts): string {
  const width = Math.max(...Object.keys(facts).map(({ length }) => length));
  return Object.entries(facts)
    .map(([name, value]) => `  ${name.padEnd(width)}  ${shown(name, value)}\n`)
    .join("");
}

/** What runs kernels, as a line. */
function nativeText({ mode, tier, reason }: NativeStatus): string {
  if (tier === null) return `kernels run as WebAssembly. ${reason ?? ""}`;
  return mode === "on"
    ? `kernels run as machine code, ${tier}`
    : `kernels run as machine code, ${tier}, where that is worth it, else as WebAssembly`;
}

/** The command. */
export const INFO: ParsedCommand = {
  usage: "muxkit info [--json] [--config]",
  summary: "shows the devices of this machine, or the settings",
  options: { json: { type: "boolean" }, config: { type: "boolean" } },
  help: {
    json: "print a JSON object",
    config: "print every setting, its value, the source of the value, and its environment variable",
  },
  run: ({ values, positionals }, streams) => {
    if (positionals.length > 0) throw new UsageError(`this command takes no file, but got "${positionals[0] ?? ""}"`);
    const isJson = values["json"] === true;
    if (values["config"] === true) return printConfig(streams, isJson, process.env);
    const { out } = streams;
    useForeignTargets(process.env, process.cwd());
    const device = hostDeviceFor({});
    const missingGpus = useGpus(process.env, process.cwd());
    const { platform } = device;
    const facts = {
      platform: clGetPlatformInfo(platform, "CL_PLATFORM_VERSION"),
      device: clGetDeviceInfo(device, "CL_DEVICE_NAME"),
      threads: clGetDeviceInfo(device, "CL_DEVICE_MAX_COMPUTE_UNITS"),
      memoryBytes: clGetDeviceInfo(device, "CL_DEVICE_GLOBAL_MEM_SIZE"),
      localMemoryBytes: clGetDeviceInfo(device, "CL_DEVICE_LOCAL_MEM_SIZE"),
      workGroupSize: clGetDeviceInfo(device, "CL_DEVICE_MAX_WORK_GROUP_SIZE"),
      language: clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_VERSION"),
      extensions: clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS").split(" "),
      native: nativeStatus(),
      gpus: missingGpus === "" ? null : missingGpus,
    };
    const ofPlatform: Facts = Object.fromEntries(
      PLATFORM_QUERIES.map((token) => [token, clGetPlatformInfo(platform, token)]),
    );
    const devices = devicesOf(platform);
    if (isJson) {
      out(`${JSON.stringify({ ...facts, queries: ofPlatform, devices }, (_, value: unknown) => plain(value))}\n`);
      return 0;
    }
    out(
      `${facts.platform}\n${facts.device}\n  ${facts.threads} threads, ` +
        `${Math.round(facts.memoryBytes / MIB)} MiB of memory, ` +
        `${facts.localMemoryBytes / 1024} KiB of local memory, work-groups of up to ` +
        `${facts.workGroupSize}\n  ${nativeText(facts.native)}\n`,
    );
    for (const [number, one] of allDevices({}).entries())
      out(`\n${number}: ${typeOf(one)} ${clGetDeviceInfo(one, "CL_DEVICE_NAME")}`);
    out(missingGpus === "" ? "\n" : `\n${missingGpus}\n`);
    out(`\nplatform\n${list(ofPlatform)}`);
    for (const one of devices) out(`\ndevice ${shown("CL_DEVICE_NAME", one["CL_DEVICE_NAME"])}\n${list(one)}`);
    return 0;
  },
};
