// SPDX-License-Identifier: Apache-2.0
// libcuda as it is found: the library comes with the driver; koffi is a peer that a user installs. What is missing is
// one sentence.
import { readFileSync } from "node:fs";

import { type Result, err, ok } from "@muxkit/cargo";

import type { CudaDriver, DriverError, GpuFacts } from "./driver.ts";
import { type Calls, type Fixed, type Name, describe, fixed, leaver, loadCalls, loadKoffi } from "./libcuda-calls.ts";
import { LibCudaGpu, type Shared } from "./libcuda-gpu.ts";
import { getAddress } from "./libcuda-layout.ts";

/** Numbers of `CUdevice_attribute`. */
const ATTRIBUTES = {
  clockRate: 13,
  multiprocessors: 16,
  cache: 38,
  capabilityMajor: 75,
  capabilityMinor: 76,
  sharedMemory: 97,
} as const;

const NAME_BYTES = 256;

/** The facts of a GPU, and the driver's number of it. */
interface Found {
  readonly device: number;
  readonly facts: GpuFacts;
}

function find(calls: Calls, out: Fixed, ordinal: number): Found | null {
  const number = (name: Name, ...rest: readonly unknown[]): number => {
    out.view.setBigUint64(0, 0n, true);
    return calls[name](out.address, ...rest) === 0 ? getAddress(out.view, 0) : 0;
  };
  const device = number("device", ordinal);
  const name = new Uint8Array(NAME_BYTES);
  if (calls.name(name, name.length, device) !== 0) return null;
  const attribute = (key: keyof typeof ATTRIBUTES): number => number("attribute", ATTRIBUTES[key], device);
  const facts = {
    name: new TextDecoder().decode(name.subarray(0, Math.max(0, name.indexOf(0)))),
    capability: [attribute("capabilityMajor"), attribute("capabilityMinor")],
    multiprocessors: attribute("multiprocessors"),
    memory: number("totalMemory", device),
    clockRate: attribute("clockRate"),
    sharedMemory: attribute("sharedMemory"),
    cache: attribute("cache"),
  } as const;
  return { device, facts };
}

/** The driver's own version, which Linux shows: two of them may have one version of the interface. */
function buildOf(): string {
  try {
    return readFileSync("/proc/driver/nvidia/version", "utf8").split("\n", 1)[0] ?? "";
  } catch {
    // Other systems, and containers that hide it.
    return "";
  }
}

class LibCuda implements CudaDriver {
  readonly gpus: readonly GpuFacts[];
  readonly stopsKernels = true;
  readonly reachesHost = true;
  readonly version: string;
  private readonly shared: Shared;
  private readonly found: readonly Found[];
  private readonly opened = new Map<number, LibCudaGpu>();

  constructor(shared: Shared, found: readonly Found[], version: string) {
    this.shared = shared;
    this.found = found;
    this.gpus = found.map(({ facts }) => facts);
    this.version = version;
  }

  open(index: number): Result<LibCudaGpu, DriverError> {
    const known = this.opened.get(index);
    if (known !== undefined) return ok(known);
    const device = this.found[index]?.device;
    if (device === undefined) return err({ code: 0, message: `there is no GPU ${index}` });
    const gpu = LibCudaGpu.open(this.shared, device);
    if (!gpu.ok) return gpu;
    this.opened.set(index, gpu.value);
    gpu.value.reachPeer = (peer) => {
      const other = this.open(peer);
      return other.ok ? gpu.value.reach(other.value) : other;
    };
    return gpu;
  }
}

/**
 * Loads the driver and starts it. The error is a sentence that names what is missing.
 *
 * @public
 */
export function openLibCuda(library: string = "libcuda.so.1"): Result<CudaDriver, string> {
  const koffi = loadKoffi();
  if (!koffi.ok) return koffi;
  const loaded = loadCalls(koffi.value, library);
  if (!loaded.ok) return loaded;
  const calls = loaded.value;
  const started = calls.init(0);
  if (started !== 0) return err(`NVIDIA's driver does not start: ${describe(calls, "init", started)}`);
  const out = fixed(koffi.value, 8);
  const counted = calls.count(out.address);
  if (counted !== 0) return err(`NVIDIA's driver lists no GPUs: ${describe(calls, "count", counted)}`);
  const count = out.view.getInt32(0, true);
  const found = Array.from({ length: count }, (_, ordinal) => find(calls, out, ordinal)).filter((one) => one !== null);
  if (found.length === 0) return err("NVIDIA's driver finds no GPU");
  const versioned = calls.driverVersion(out.address) === 0 ? out.view.getInt32(0, true) : 0;
  const shared = { koffi: koffi.value, calls, current: 0, leaveAtOnce: leaver(koffi.value) };
  return ok(new LibCuda(shared, found, `${versioned} ${buildOf()}`));
}
