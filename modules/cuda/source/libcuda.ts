// SPDX-License-Identifier: Apache-2.0
/**
 * libcuda by koffi. The library comes with the driver; koffi is a peer that a user installs. What is missing is one
 * sentence.
 */
import { createRequire } from "node:module";

import { type Result, err, ok } from "@muxkit/cargo";

import type { CudaDriver, DriverError, GpuFacts, Grid, Handle } from "./driver.ts";

/** A function of the library. */
type Native = (...values: unknown[]) => number;

/** What is used of koffi. */
interface Koffi {
  load(path: string): { func(prototype: string): Native };
  alloc(type: string, count: number): unknown;
  view(pointer: unknown, bytes: number): ArrayBuffer;
  address(pointer: unknown): bigint;
}

/** Functions by the names that are used here. */
const PROTOTYPES = {
  init: "int cuInit(unsigned int flags)",
  count: "int cuDeviceGetCount(_Out_ int *count)",
  device: "int cuDeviceGet(_Out_ int *device, int ordinal)",
  name: "int cuDeviceGetName(void *name, int bytes, int device)",
  attribute: "int cuDeviceGetAttribute(_Out_ int *value, int attribute, int device)",
  totalMemory: "int cuDeviceTotalMem_v2(_Out_ size_t *bytes, int device)",
  retain: "int cuDevicePrimaryCtxRetain(_Out_ void **context, int device)",
  setCurrent: "int cuCtxSetCurrent(void *context)",
  allocate: "int cuMemAlloc_v2(_Out_ uint64_t *address, size_t bytes)",
  free: "int cuMemFree_v2(uint64_t address)",
  toHost: "int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)",
  toDevice: "int cuMemcpyHtoD_v2(uint64_t to, void *from, size_t bytes)",
  onDevice: "int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes)",
  fill8: "int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t count)",
  fill16: "int cuMemsetD16_v2(uint64_t address, unsigned short value, size_t count)",
  fill32: "int cuMemsetD32_v2(uint64_t address, unsigned int value, size_t count)",
  load: "int cuModuleLoadDataEx(_Out_ void **module, void *image, unsigned int count, void *options, void *values)",
  unload: "int cuModuleUnload(void *module)",
  entry: "int cuModuleGetFunction(_Out_ void **entry, void *module, const char *name)",
  setAttribute: "int cuFuncSetAttribute(void *entry, int attribute, int value)",
  launch:
    "int cuLaunchKernel(void *entry, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, " +
    "unsigned int by, unsigned int bz, unsigned int shared, void *stream, void *parameters, void *extra)",
  synchronize: "int cuCtxSynchronize()",
  errorName: "int cuGetErrorName(int error, _Out_ const char **name)",
  errorText: "int cuGetErrorString(int error, _Out_ const char **text)",
} as const;

type Name = keyof typeof PROTOTYPES;

/** Numbers of `CUdevice_attribute`. */
const ATTRIBUTES = {
  clockRate: 13,
  multiprocessors: 16,
  cache: 38,
  capabilityMajor: 75,
  capabilityMinor: 76,
  sharedMemory: 97,
} as const;

/** `CUjit_option`: a buffer for errors, and its size. */
const ERROR_LOG = 5;
const ERROR_LOG_BYTES = 6;
const LOG_BYTES = 8192;
/** `CU_LAUNCH_PARAM_BUFFER_POINTER`, `CU_LAUNCH_PARAM_BUFFER_SIZE`. */
const BUFFER_POINTER = 1n;
const BUFFER_SIZE = 2n;
/** `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`, and what needs no permission. */
const MOST_DYNAMIC_SHARED = 8;
const PLAIN_SHARED = 48 << 10;
/** Bytes of the largest parameter of a kernel. */
const PARAMETER_BYTES = 4096;

/** Memory that does not move, which native code reads. */
interface Fixed {
  readonly bytes: Uint8Array;
  readonly pointer: unknown;
  readonly address: bigint;
}

function fixed(koffi: Koffi, bytes: number): Fixed {
  const pointer = koffi.alloc("uint8_t", bytes);
  return { bytes: new Uint8Array(koffi.view(pointer, bytes)), pointer, address: koffi.address(pointer) };
}

class LibCuda implements CudaDriver {
  readonly gpus: readonly GpuFacts[];
  private readonly call: Readonly<Record<Name, Native>>;
  private readonly parameter: Fixed;
  private readonly extra: Fixed;
  private readonly size: Fixed;
  private readonly log: Fixed;
  private readonly jitOptions: Fixed;
  private readonly jitValues: Fixed;
  private readonly contexts = new Map<number, unknown>();
  private readonly sharedOf = new Map<Handle, number>();

  constructor(koffi: Koffi, call: Readonly<Record<Name, Native>>, gpus: readonly GpuFacts[]) {
    this.call = call;
    this.gpus = gpus;
    this.parameter = fixed(koffi, PARAMETER_BYTES);
    this.extra = fixed(koffi, 40);
    this.size = fixed(koffi, 8);
    this.log = fixed(koffi, LOG_BYTES);
    this.jitOptions = fixed(koffi, 8);
    this.jitValues = fixed(koffi, 16);
    words(this.extra).set([BUFFER_POINTER, this.parameter.address, BUFFER_SIZE, this.size.address, 0n]);
    const { buffer, byteOffset } = this.jitOptions.bytes;
    new Int32Array(buffer, byteOffset, 2).set([ERROR_LOG, ERROR_LOG_BYTES]);
  }

  private checked(name: Name, ...values: readonly unknown[]): Result<void, DriverError> {
    const code = this.call[name](...values);
    return code === 0 ? ok() : err({ code, message: describe(this.call, name, code) });
  }

  open(index: number): Result<void, DriverError> {
    let context = this.contexts.get(index);
    if (context === undefined) {
      const out: unknown[] = [null];
      const retained = this.checked("retain", out, index);
      if (!retained.ok) return retained;
      [context] = out;
      this.contexts.set(index, context);
    }
    return this.checked("setCurrent", context);
  }

  allocate(bytes: number): Result<number, DriverError> {
    const out: (number | bigint)[] = [0];
    const done = this.checked("allocate", out, bytes);
    return done.ok ? ok(Number(out[0])) : done;
  }

  free(address: number): void {
    this.call.free(address);
  }

  read(address: number, to: Uint8Array): Result<void, DriverError> {
    return this.checked("toHost", to, address, to.length);
  }

  write(address: number, from: Uint8Array): Result<void, DriverError> {
    return this.checked("toDevice", address, from, from.length);
  }

  copy(from: number, to: number, bytes: number): Result<void, DriverError> {
    return this.checked("onDevice", to, from, bytes);
  }

  fill(address: number, unit: 1 | 2 | 4, value: number, count: number): Result<void, DriverError> {
    return this.checked(unit === 1 ? "fill8" : unit === 2 ? "fill16" : "fill32", address, value, count);
  }

  load(ptx: Uint8Array): Result<Handle, DriverError> {
    // The driver takes text that ends with a NUL.
    const text = new Uint8Array(ptx.length + 1);
    text.set(ptx);
    this.log.bytes.fill(0);
    // The driver writes how many bytes it used over the size.
    words(this.jitValues).set([this.log.address, BigInt(LOG_BYTES)]);
    const out: unknown[] = [null];
    const done = this.checked("load", out, text, 2, this.jitOptions.pointer, this.jitValues.pointer);
    if (done.ok) return ok(out[0]);
    const end = this.log.bytes.indexOf(0);
    const log = new TextDecoder().decode(this.log.bytes.slice(0, end < 0 ? undefined : end)).trim();
    return err({ code: done.error.code, message: log === "" ? done.error.message : `${done.error.message}\n${log}` });
  }

  unload(module: Handle): void {
    this.call.unload(module);
  }

  entry(module: Handle, name: string): Result<Handle, DriverError> {
    const out: unknown[] = [null];
    const done = this.checked("entry", out, module, name);
    return done.ok ? ok(out[0]) : done;
  }

  launch(entry: Handle, { groups, localSize, dynamicLocal }: Grid, parameter: Uint8Array): Result<void, DriverError> {
    if (dynamicLocal > PLAIN_SHARED && (this.sharedOf.get(entry) ?? 0) < dynamicLocal) {
      const allowed = this.checked("setAttribute", entry, MOST_DYNAMIC_SHARED, dynamicLocal);
      if (!allowed.ok) return allowed;
      this.sharedOf.set(entry, dynamicLocal);
    }
    this.parameter.bytes.set(parameter);
    words(this.size)[0] = BigInt(parameter.length);
    const [gx, gy, gz] = groups;
    const [bx, by, bz] = localSize;
    return this.checked("launch", entry, gx, gy, gz, bx, by, bz, dynamicLocal, null, null, this.extra.pointer);
  }

  synchronize(): Result<void, DriverError> {
    return this.checked("synchronize");
  }
}

function words({ bytes }: Fixed): BigUint64Array {
  return new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
}

function textOf(native: Native, code: number): string {
  const out: unknown[] = [null];
  return native(code, out) === 0 && typeof out[0] === "string" ? out[0] : `error ${code}`;
}

function describe(call: Readonly<Record<Name, Native>>, name: Name, code: number): string {
  const [, own = name] = /(cu\w+)\(/u.exec(PROTOTYPES[name]) ?? [];
  return `${own}: ${textOf(call.errorName, code)}, ${textOf(call.errorText, code)}`;
}

function gpuFacts(call: Readonly<Record<Name, Native>>, ordinal: number): GpuFacts | null {
  const number = (name: Name, ...rest: readonly unknown[]): number => {
    const out: (number | bigint)[] = [0];
    return call[name](out, ...rest) === 0 ? Number(out[0]) : 0;
  };
  const device = number("device", ordinal);
  const name = new Uint8Array(256);
  if (call.name(name, name.length, device) !== 0) return null;
  const attribute = (key: keyof typeof ATTRIBUTES): number => number("attribute", ATTRIBUTES[key], device);
  return {
    name: new TextDecoder().decode(name.slice(0, Math.max(0, name.indexOf(0)))),
    capability: [attribute("capabilityMajor"), attribute("capabilityMinor")],
    multiprocessors: attribute("multiprocessors"),
    memory: number("totalMemory", device),
    clockRate: attribute("clockRate"),
    sharedMemory: attribute("sharedMemory"),
    cache: attribute("cache"),
  };
}

/** koffi, or a sentence. */
function loadKoffi(): Result<Koffi, string> {
  try {
    return ok(createRequire(import.meta.url)("koffi") as Koffi);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
    return err(
      `the package koffi, by which NVIDIA's driver is called, cannot be loaded: npm install koffi (${reason})`,
    );
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
  let call: Readonly<Record<Name, Native>>;
  try {
    const loaded = koffi.value.load(library);
    call = Object.fromEntries(
      Object.entries(PROTOTYPES).map(([name, prototype]) => [name, loaded.func(prototype)]),
    ) as Record<Name, Native>;
  } catch (error) {
    return err(
      `NVIDIA's driver cannot be loaded: ${error instanceof Error ? error.message : String(error)}; it comes with the ` +
        "driver for the GPU",
    );
  }
  const started = call.init(0);
  if (started !== 0) return err(`NVIDIA's driver does not start: ${describe(call, "init", started)}`);
  const out: number[] = [0];
  const counted = call.count(out);
  if (counted !== 0) return err(`NVIDIA's driver lists no GPUs: ${describe(call, "count", counted)}`);
  const gpus = Array.from({ length: out[0] ?? 0 }, (_, ordinal) => gpuFacts(call, ordinal));
  if (gpus.length === 0) return err("NVIDIA's driver finds no GPU");
  return ok(
    new LibCuda(
      koffi.value,
      call,
      gpus.flatMap((gpu) => (gpu === null ? [] : [gpu])),
    ),
  );
}
