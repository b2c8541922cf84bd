// SPDX-License-Identifier: Apache-2.0
// An executable on the device: its kernels, and the variables of the program. Bytes may come from anywhere, so they are
// checked before anything is done with them.
import { type Result, err, ok } from "@muxkit/cargo";
import {
  DESCRIPTOR_TYPES,
  type HalArgument,
  type HalKernel,
  type HalProgram,
  type HalRange,
  type SimulatedMemory,
} from "@muxkit/hal";
import {
  type KernelArgument,
  Memory,
  type ResolveBuiltin,
  describeInterpreterError,
  interpretKernel,
  printfBuiltin,
} from "@muxkit/interpreter";
import { type Module, decodeModule, describeVerifierError, verifyModule } from "@muxkit/ir";
import { type KernelMetadata, findCode, readExecutable } from "@muxkit/metadata";
import { type MuxFailure, MuxResult } from "@muxkit/mux";
import { PrintfOrder, decodeByteString } from "@muxkit/printf";

import { CycleCounter, type LaunchCycles } from "./cycles.ts";
import { MACHINE_FUNCTIONS } from "./machine-functions.ts";

/** The section of an executable that holds its code. */
const SECTION = ".ir";
/** Instructions of a launch, of all work-items together: with more, the kernel is taken to run for ever. */
const MOST_STEPS = 1e10;

function invalid(message: string): Result<never, MuxFailure> {
  return err({ code: MuxResult.error_invalid_binary, message });
}

/** What programs need of their device. */
export interface ProgramDevice {
  /** What executables call the device. */
  readonly target: string;
  readonly memory: SimulatedMemory;
  /** Receives what kernels print. */
  readonly print: (text: string) => void;
  /** Receives the cycles of each launch; null: nothing is counted. */
  readonly onLaunch: ((cycles: LaunchCycles) => void) | null;
}

/** The code of an executable. */
function readCode(
  target: string,
  binary: Uint8Array,
): Result<{ readonly module: Module; readonly kernels: readonly KernelMetadata[] }, MuxFailure> {
  const image = readExecutable(binary);
  if (!image.ok) return invalid(image.error.message);
  if (image.value.target !== target)
    return invalid(`the executable is for "${image.value.target}", not for "${target}"`);
  const code = findCode(image.value, SECTION);
  if (code === null) return invalid(`the executable has no section "${SECTION}"`);
  const module = decodeModule(code.bytes);
  if (!module.ok) return invalid(`the code is damaged at byte ${module.error.offset}: ${module.error.message}`);
  const [broken] = verifyModule(module.value);
  if (broken !== undefined) return invalid(`the code is damaged: ${describeVerifierError(broken)}`);
  return ok({ module: module.value, kernels: image.value.kernels });
}

/** An argument as the machine takes it: an address is an offset in the device's memory. */
function argumentOf(memory: SimulatedMemory, argument: HalArgument): KernelArgument {
  if (argument.kind === "address")
    return { kind: "buffer", bytes: memory.bytes, offset: argument.address - memory.base };
  return argument.kind === "image"
    ? { kind: "image", image: argument.image, bytes: memory.bytes, offset: argument.address - memory.base }
    : argument;
}

/** A loaded program. */
class Program implements HalProgram {
  private readonly device: ProgramDevice;
  private readonly module: Module;
  private readonly kernels: readonly KernelMetadata[];
  /**
   * What the program's kernels address: the device's memory at its own addresses, then the variables of the program.
   */
  private readonly addressSpace: Memory;

  constructor(device: ProgramDevice, module: Module, kernels: readonly KernelMetadata[]) {
    this.device = device;
    this.module = module;
    this.kernels = kernels;
    this.addressSpace = new Memory(module.layout, device.memory.base);
    this.addressSpace.buffer(device.memory.bytes, "device memory");
  }

  kernel(name: string): HalKernel | null {
    const record = this.kernels.find((one) => one.name === name);
    const [variant] = record?.variants ?? [];
    if (record === undefined || variant === undefined) return null;
    return {
      argumentTypes: record.arguments.map(({ kind }) => DESCRIPTOR_TYPES[kind]),
      preferredLocalSize: record.workGroupSizeHint ?? [1, 1, 1],
      requiredLocalSize: record.requiredWorkGroupSize,
      localMemorySize: variant.staticLocalBytes,
      subGroupSize: variant.subGroupSize,
      run: (range, args) => this.run(name, range, args, variant.subGroupSize),
    };
  }

  private run(
    name: string,
    { dimensions, globalSize, globalOffset, localSize, firstGroup, groupCount, countsPart }: HalRange,
    args: readonly HalArgument[],
    subGroupSize: number,
  ): Result<void, MuxFailure> {
    const order = new PrintfOrder();
    const [width, height] = localSize;
    const printf = printfBuiltin(({ groupId, localId: [x, y, z], text }) => {
      order.add(groupId, (z * height + y) * width + x, text);
    });
    const resolveBuiltin: ResolveBuiltin = (row) =>
      row.name === "printf" ? printf : (MACHINE_FUNCTIONS.get(`${row.name}(${row.parameters.join(",")})`) ?? null);
    const { onLaunch } = this.device;
    const counter = onLaunch === null ? null : new CycleCounter();
    const done = interpretKernel(this.module, name, {
      arguments: args.map((argument) => argumentOf(this.device.memory, argument)),
      globalSize,
      globalOffset,
      localSize: localSize.slice(0, dimensions),
      groups: { first: firstGroup, count: groupCount, isCounted: countsPart },
      subGroupSize,
      memory: this.addressSpace,
      resolveBuiltin,
      stepLimit: MOST_STEPS,
      ...(counter === null ? {} : { onInstruction: counter.count }),
    });
    if (counter !== null) onLaunch?.(counter.report(name));
    const printed = order.take();
    if (printed !== "") this.device.print(decodeByteString(printed));
    return done.ok
      ? ok()
      : err({ code: MuxResult.error_failure, message: `kernel ${name}: ${describeInterpreterError(done.error)}` });
  }

  free(): void {
    // Its variables are freed with it.
  }
}

/** Loads a program. Errors: error_invalid_binary. */
export function loadProgram(device: ProgramDevice, binary: Uint8Array): Result<HalProgram, MuxFailure> {
  const code = readCode(device.target, binary);
  return code.ok ? ok(new Program(device, code.value.module, code.value.kernels)) : code;
}
