// SPDX-License-Identifier: Apache-2.0
// A loaded executable: its kernels, and how a launch fills their parameter.
import { type Result, alignUp, err, ok } from "@muxkit/cargo";
import { DESCRIPTOR_TYPES, type HalArgument, type HalKernel, type HalProgram, type HalRange } from "@muxkit/hal";
import {
  LARGEST_ALIGNMENT,
  PRINTF_AREA,
  PRINTF_AREA_HEADER_BYTES,
  SIMT_LAUNCH_BYTES,
  simtLaunchOffset,
} from "@muxkit/kernel-abi";
import { writeImageDescriptor } from "@muxkit/libimg";
import { type KernelMetadata, type PrintfCall, findCode, readExecutable } from "@muxkit/metadata";
import {
  type PrintfMemory,
  PrintfOrder,
  type PrintfReader,
  decodeByteString,
  initializePrintfArea,
  printfReaders,
  takePrintfRecords,
} from "@muxkit/printf";
import { type MuxDescriptorType, type MuxFailure, MuxResult } from "@muxkit/mux";

import type { CudaDriver, DriverError, Handle } from "./driver.ts";
import { partsOf, writeLaunch } from "./launch.ts";

/** Name of the target in executables. */
const TARGET = "cuda";
/** The section of an executable that holds its code. */
const SECTION = ".ptx";

function invalid(message: string): Result<never, MuxFailure> {
  return err({ code: MuxResult.error_invalid_binary, message });
}

function failed(what: string, { message }: DriverError): Result<never, MuxFailure> {
  return err({ code: MuxResult.error_failure, message: `${what}: ${message}` });
}

type Pack<Kind extends HalArgument["kind"]> = (
  view: DataView,
  at: number,
  argument: Extract<HalArgument, { readonly kind: Kind }>,
  localEnd: number,
) => number;

/** Puts an argument among the packed ones, by its kind. Returns the bytes of local memory that it takes. */
const PACK: { readonly [Kind in HalArgument["kind"]]: Pack<Kind> } = {
  address: (view, at, { address }) => {
    view.setBigUint64(at, BigInt(address), true);
    return 0;
  },
  value: (view, at, { bytes }) => {
    new Uint8Array(view.buffer, view.byteOffset + at, bytes.length).set(bytes);
    return 0;
  },
  local: (view, at, { size }, localEnd) => {
    view.setBigUint64(at, BigInt(localEnd), true);
    return alignUp(size, LARGEST_ALIGNMENT);
  },
  image: (view, at, { image, address }) => {
    writeImageDescriptor(view, at, image, address);
    return 0;
  },
  sampler: (view, at, { bits }) => {
    view.setUint32(at, bits, true);
    return 0;
  },
  null: (view, at) => {
    view.setBigUint64(at, 0n, true);
    return 0;
  },
};

function packArgument<Kind extends HalArgument["kind"]>(
  view: DataView,
  at: number,
  argument: Extract<HalArgument, { readonly kind: Kind }>,
  localEnd: number,
): number {
  const pack = PACK[argument.kind] as Pack<Kind>;
  return pack(view, at, argument, localEnd);
}

/** Bytes of the area of a program that prints. */
const PRINTF_BYTES = 2 ** 20;

/** What kernels of a program print: an area on the device, read when a launch has ended. */
class PrintfOutput {
  readonly area: number;
  private readonly driver: CudaDriver;
  private readonly readers: readonly PrintfReader[];
  private readonly print: (text: string) => void;
  private readonly bytes = new Uint8Array(PRINTF_BYTES);

  constructor(driver: CudaDriver, area: number, calls: readonly PrintfCall[], print: (text: string) => void) {
    this.driver = driver;
    this.area = area;
    this.readers = printfReaders(calls);
    this.print = print;
  }

  private get memory(): PrintfMemory {
    const { buffer } = this.bytes;
    return { words: new Int32Array(buffer), view: new DataView(buffer) };
  }

  /** Empties the area before a launch. */
  begin(): Result<void, DriverError> {
    initializePrintfArea(this.memory, 0, PRINTF_BYTES);
    return this.driver.write(this.area, this.bytes.subarray(0, PRINTF_AREA_HEADER_BYTES));
  }

  /** Prints what a launch has written. */
  end(kernel: string): Result<void, DriverError> {
    const head = this.bytes.subarray(0, PRINTF_AREA_HEADER_BYTES);
    const read = this.driver.read(this.area, head);
    if (!read.ok) return read;
    const { view } = this.memory;
    const used = Math.min(PRINTF_BYTES, PRINTF_AREA_HEADER_BYTES + view.getUint32(PRINTF_AREA.tail, true));
    const lost = view.getUint32(PRINTF_AREA.reserved, true);
    const rest = this.driver.read(this.area, this.bytes.subarray(0, used));
    if (!rest.ok) return rest;
    const order = new PrintfOrder();
    const isWhole = takePrintfRecords(this.memory, 0, PRINTF_BYTES, ({ call, item, group, start }) => {
      order.add(group, item, this.readers[call]?.read(view, start) ?? "");
    });
    const text = decodeByteString(order.take());
    if (text !== "") this.print(text);
    if (!isWhole) this.print(`[muxkit: kernel "${kernel}" wrote into the memory of printf: output is lost]\n`);
    if (lost > 0)
      this.print(`[muxkit: ${lost} calls of printf in kernel "${kernel}" found no room in ${PRINTF_BYTES} bytes]\n`);
    return ok();
  }
}

class Kernel implements HalKernel {
  readonly argumentTypes: readonly MuxDescriptorType[];
  readonly preferredLocalSize: readonly [number, number, number];
  readonly requiredLocalSize: readonly [number, number, number] | null;
  readonly localMemorySize: number;
  readonly subGroupSize: number;
  private readonly driver: CudaDriver;
  private readonly entry: Handle;
  private readonly record: KernelMetadata;
  private readonly output: PrintfOutput | null;

  constructor(driver: CudaDriver, entry: Handle, record: KernelMetadata, output: PrintfOutput | null) {
    const [variant] = record.variants;
    this.output = output;
    this.driver = driver;
    this.entry = entry;
    this.record = record;
    this.argumentTypes = record.arguments.map(({ kind }) => DESCRIPTOR_TYPES[kind]);
    this.preferredLocalSize = record.workGroupSizeHint ?? [64, 1, 1];
    this.requiredLocalSize = record.requiredWorkGroupSize;
    this.localMemorySize = variant?.staticLocalBytes ?? 0;
    this.subGroupSize = variant?.subGroupSize ?? 1;
  }

  run(range: HalRange, args: readonly HalArgument[]): Result<void, MuxFailure> {
    const { record, driver, entry } = this;
    const launch = simtLaunchOffset(record.packedSize);
    const parameter = new Uint8Array(launch + SIMT_LAUNCH_BYTES);
    const view = new DataView(parameter.buffer);
    let dynamicLocal = 0;
    record.arguments.forEach(({ offset }, i) => {
      const argument = args[i];
      if (argument !== undefined) dynamicLocal += packArgument(view, offset, argument, dynamicLocal);
    });
    const begun = this.output?.begin() ?? ok();
    if (!begun.ok) return failed(`kernel ${record.name}`, begun.error);
    for (const part of partsOf(range)) {
      writeLaunch(parameter, launch, range, part, this.output?.area ?? 0);
      const { groups, localSize } = part;
      const started = driver.launch(entry, { groups, localSize, dynamicLocal }, parameter);
      if (!started.ok) return failed(`kernel ${record.name}`, started.error);
    }
    const ended = driver.synchronize();
    const printed = ended.ok ? (this.output?.end(record.name) ?? ended) : ended;
    return printed.ok ? ok() : failed(`kernel ${record.name}`, printed.error);
  }
}

class Program implements HalProgram {
  private readonly driver: CudaDriver;
  private readonly module: Handle;
  private readonly kernels: ReadonlyMap<string, Kernel>;
  private readonly output: PrintfOutput | null;

  constructor(driver: CudaDriver, module: Handle, kernels: ReadonlyMap<string, Kernel>, output: PrintfOutput | null) {
    this.output = output;
    this.driver = driver;
    this.module = module;
    this.kernels = kernels;
  }

  kernel(name: string): HalKernel | null {
    return this.kernels.get(name) ?? null;
  }

  free(): void {
    if (this.output !== null) this.driver.free(this.output.area);
    this.driver.unload(this.module);
  }
}

/** Loads an executable. Errors: error_invalid_binary. */
export function loadProgram(
  driver: CudaDriver,
  binary: Uint8Array,
  print: (text: string) => void,
): Result<HalProgram, MuxFailure> {
  const image = readExecutable(binary);
  if (!image.ok) return invalid(image.error.message);
  if (image.value.target !== TARGET)
    return invalid(`the executable is for "${image.value.target}", not for "${TARGET}"`);
  const code = findCode(image.value, SECTION);
  if (code === null) return invalid(`the executable has no section "${SECTION}"`);
  const module = driver.load(code.bytes);
  if (!module.ok) return invalid(`the driver refuses the code: ${module.error.message}`);
  const { printfCalls } = image.value;
  let output: PrintfOutput | null = null;
  if (printfCalls.length > 0) {
    const area = driver.allocate(PRINTF_BYTES);
    if (!area.ok) {
      driver.unload(module.value);
      return err({
        code: MuxResult.error_out_of_memory,
        message: `printf needs ${PRINTF_BYTES} bytes: ${area.error.message}`,
      });
    }
    output = new PrintfOutput(driver, area.value, printfCalls, print);
  }
  const kernels = new Map<string, Kernel>();
  for (const record of image.value.kernels) {
    const [variant] = record.variants;
    const entry = driver.entry(module.value, variant?.functionName ?? record.name);
    if (!entry.ok) {
      driver.unload(module.value);
      return invalid(`kernel ${record.name}: ${entry.error.message}`);
    }
    kernels.set(record.name, new Kernel(driver, entry.value, record, output));
  }
  return ok(new Program(driver, module.value, kernels, output));
}
