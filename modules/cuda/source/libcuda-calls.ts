// SPDX-License-Identifier: Apache-2.0
// The functions of libcuda that are called, and koffi, which calls them. Handles and addresses are numbers: they are
// below 2^48, and numbers are what koffi passes quickest.
import { createRequire } from "node:module";

import { type Result, err, ok } from "@muxkit/cargo";

import type { DriverError } from "./driver.ts";

/** A function of the library. */
export interface Native {
  (...values: readonly unknown[]): number;
  async(...values: readonly unknown[]): void;
}

/** What is used of koffi. */
export interface Koffi {
  load(path: string | null): { func(prototype: string): Native };
  alloc(type: string, count: number): unknown;
  view(pointer: unknown, bytes: number): ArrayBuffer;
  /** Of what `alloc` gave, or of the first byte of an array buffer. */
  address(pointer: unknown): bigint;
}

/** Functions by the names that are used here. `out` is the address of what the function writes. */
export const PROTOTYPES = {
  init: "int cuInit(unsigned int flags)",
  driverVersion: "int cuDriverGetVersion(uint64_t out)",
  count: "int cuDeviceGetCount(uint64_t out)",
  device: "int cuDeviceGet(uint64_t out, int ordinal)",
  name: "int cuDeviceGetName(void *name, int bytes, int device)",
  attribute: "int cuDeviceGetAttribute(uint64_t out, int attribute, int device)",
  totalMemory: "int cuDeviceTotalMem_v2(uint64_t out, int device)",
  retain: "int cuDevicePrimaryCtxRetain(uint64_t out, int device)",
  setCurrent: "int cuCtxSetCurrent(uint64_t context)",
  canReach: "int cuDeviceCanAccessPeer(uint64_t out, int device, int peer)",
  reach: "int cuCtxEnablePeerAccess(uint64_t context, unsigned int flags)",
  pool: "int cuDeviceGetDefaultMemPool(uint64_t out, int device)",
  admit: "int cuMemPoolSetAccess(uint64_t pool, uint64_t accesses, size_t count)",
  setPool: "int cuMemPoolSetAttribute(uint64_t pool, int attribute, uint64_t value)",
  allocate: "int cuMemAllocAsync(uint64_t out, size_t bytes, uint64_t stream)",
  free: "int cuMemFreeAsync(uint64_t address, uint64_t stream)",
  allocateHost: "int cuMemHostAlloc(uint64_t out, size_t bytes, unsigned int flags)",
  freeHost: "int cuMemFreeHost(uint64_t address)",
  register: "int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned int flags)",
  unregister: "int cuMemHostUnregister(void *memory)",
  createStream: "int cuStreamCreateWithPriority(uint64_t out, unsigned int flags, int priority)",
  destroyStream: "int cuStreamDestroy_v2(uint64_t stream)",
  finishStream: "int cuStreamSynchronize(uint64_t stream)",
  waitEvent: "int cuStreamWaitEvent(uint64_t stream, uint64_t event, unsigned int flags)",
  createEvent: "int cuEventCreate(uint64_t out, unsigned int flags)",
  destroyEvent: "int cuEventDestroy_v2(uint64_t event)",
  record: "int cuEventRecord(uint64_t event, uint64_t stream)",
  isDone: "int cuEventQuery(uint64_t event)",
  finish: "int cuEventSynchronize(uint64_t event)",
  elapsed: "int cuEventElapsedTime(uint64_t out, uint64_t from, uint64_t to)",
  read: "int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, uint64_t stream)",
  write: "int cuMemcpyHtoDAsync_v2(uint64_t to, void *from, size_t bytes, uint64_t stream)",
  copy: "int cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, uint64_t stream)",
  copyBox: "int cuMemcpy3DAsync_v2(uint64_t parameters, uint64_t stream)",
  set8: "int cuMemsetD8Async(uint64_t address, unsigned char value, size_t count, uint64_t stream)",
  set16: "int cuMemsetD16Async(uint64_t address, unsigned short value, size_t count, uint64_t stream)",
  set32: "int cuMemsetD32Async(uint64_t address, unsigned int value, size_t count, uint64_t stream)",
  setRows8: `int cuMemsetD2D8Async(uint64_t address, size_t pitch, unsigned char value, size_t width, size_t rows,
    uint64_t stream)`,
  setRows16: `int cuMemsetD2D16Async(uint64_t address, size_t pitch, unsigned short value, size_t width, size_t rows,
    uint64_t stream)`,
  setRows32: `int cuMemsetD2D32Async(uint64_t address, size_t pitch, unsigned int value, size_t width, size_t rows,
    uint64_t stream)`,
  load: "int cuModuleLoadDataEx(uint64_t out, void *image, unsigned int count, uint64_t options, uint64_t values)",
  unload: "int cuModuleUnload(uint64_t module)",
  entry: "int cuModuleGetFunction(uint64_t out, uint64_t module, const char *name)",
  getAttribute: "int cuFuncGetAttribute(uint64_t out, int attribute, uint64_t entry)",
  setAttribute: "int cuFuncSetAttribute(uint64_t entry, int attribute, int value)",
  link: "int cuLinkCreate_v2(unsigned int count, uint64_t options, uint64_t values, uint64_t out)",
  linkData: `int cuLinkAddData_v2(uint64_t link, int type, void *data, size_t bytes, const char *name,
    unsigned int count, uint64_t options, uint64_t values)`,
  linked: "int cuLinkComplete(uint64_t link, uint64_t out, uint64_t outBytes)",
  destroyLink: "int cuLinkDestroy(uint64_t link)",
  launch: "int cuLaunchKernelEx(uint64_t configuration, uint64_t entry, uint64_t parameters, uint64_t extra)",
  createGraph: "int cuGraphCreate(uint64_t out, unsigned int flags)",
  destroyGraph: "int cuGraphDestroy(uint64_t graph)",
  addLaunch: "int cuGraphAddKernelNode(uint64_t out, uint64_t graph, uint64_t after, size_t count, uint64_t node)",
  addCopy: `int cuGraphAddMemcpyNode(uint64_t out, uint64_t graph, uint64_t after, size_t count, uint64_t node,
    uint64_t context)`,
  addSet: `int cuGraphAddMemsetNode(uint64_t out, uint64_t graph, uint64_t after, size_t count, uint64_t node,
    uint64_t context)`,
  instantiate: "int cuGraphInstantiateWithFlags(uint64_t out, uint64_t graph, uint64_t flags)",
  destroyExecutable: "int cuGraphExecDestroy(uint64_t executable)",
  setLaunch: "int cuGraphExecKernelNodeSetParams(uint64_t executable, uint64_t node, uint64_t parameters)",
  startGraph: "int cuGraphLaunch(uint64_t executable, uint64_t stream)",
  errorName: "int cuGetErrorName(int error, _Out_ const char **name)",
  errorText: "int cuGetErrorString(int error, _Out_ const char **text)",
} as const;

/** Names of the functions. */
export type Name = keyof typeof PROTOTYPES;

/** The functions of a loaded library. */
export type Calls = Readonly<Record<Name, Native>>;

/** Memory that does not move, which the driver reads and writes. */
export interface Fixed {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly address: number;
}

/** Takes such memory; it stays for the process's life. */
export function fixed(koffi: Koffi, bytes: number): Fixed {
  const pointer = koffi.alloc("uint8_t", bytes);
  const buffer = koffi.view(pointer, bytes);
  return { bytes: new Uint8Array(buffer), view: new DataView(buffer), address: Number(koffi.address(pointer)) };
}

/**
 * What makes the process end, when it does, without what libraries do then: libcuda waits for kernels, and one that
 * does not end would keep the process for ever. What the program does at its exit is done before.
 */
export function leaver(koffi: Koffi): () => void {
  let isLeaving = false;
  return () => {
    if (isLeaving) return;
    isLeaving = true;
    const leave = koffi.load(null).func("void _exit(int code)");
    process.on("exit", (code) => leave(code));
  };
}

/** koffi, or a sentence. */
export function loadKoffi(): Result<Koffi, string> {
  try {
    return ok(createRequire(import.meta.url)("koffi") as Koffi);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
    return err(
      `the package koffi, by which NVIDIA's driver is called, cannot be loaded: npm install koffi (${reason})`,
    );
  }
}

/** The functions of a library; the error is a sentence. */
export function loadCalls(koffi: Koffi, library: string): Result<Calls, string> {
  let loaded: ReturnType<Koffi["load"]>;
  try {
    loaded = koffi.load(library);
  } catch (error) {
    return err(`NVIDIA's driver is not installed, or cannot be loaded: ${messageOf(error)}`);
  }
  try {
    return ok(
      Object.fromEntries(
        Object.entries(PROTOTYPES).map(([name, prototype]) => [name, loaded.func(prototype)]),
      ) as unknown as Calls,
    );
  } catch (error) {
    return err(`NVIDIA's driver is too old, version 525 is needed: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function textOf(native: Native, code: number): string {
  const out: unknown[] = [null];
  return native(code, out) === 0 && typeof out[0] === "string" ? out[0] : `error ${code}`;
}

/** What a call that failed says. */
export function describe(calls: Calls, name: Name, code: number): string {
  const [, own = name] = /(cu\w+)\(/u.exec(PROTOTYPES[name]) ?? [];
  return `${own}: ${textOf(calls.errorName, code)}, ${textOf(calls.errorText, code)}`;
}

/** The same as an error. */
export function driverError(calls: Calls, name: Name, code: number): DriverError {
  return { code, message: describe(calls, name, code) };
}
