// SPDX-License-Identifier: Apache-2.0
// A kernel of a loaded executable, and how a launch fills its one parameter.
import { type Result, alignUp, err, ok } from "@muxkit/cargo";
import { DESCRIPTOR_TYPES, type HalArgument, type HalKernel, type HalRange } from "@muxkit/hal";
import { LARGEST_ALIGNMENT, SIMT_LAUNCH_BYTES, SIMT_LAUNCH_FIELDS, simtLaunchOffset } from "@muxkit/kernel-abi";
import { writeImageDescriptor } from "@muxkit/libimg";
import type { KernelMetadata } from "@muxkit/metadata";
import { type MuxDescriptorType, type MuxFailure, MuxResult } from "@muxkit/mux";

import type { GpuAccess } from "./access.ts";
import type { DriverError, GpuLaunch, Handle } from "./driver.ts";
import { type Part, partsOf, putWide, writeLaunch } from "./launch.ts";
import { type CoarseForm, type GroupedCode, grouped } from "./regrouped.ts";
import type { PrintfAreas } from "./printf-areas.ts";
import { STOP_BYTES } from "./stoppable-ptx.ts";

type Pack<Kind extends HalArgument["kind"]> = (
  view: DataView,
  at: number,
  argument: Extract<HalArgument, { readonly kind: Kind }>,
  localEnd: number,
) => void;

/** Puts an argument among the packed ones, by its kind; `localEnd`: where local memory is free. */
const PACK: { readonly [Kind in HalArgument["kind"]]: Pack<Kind> } = {
  address: (view, at, { address }) => {
    putWide(view, at, address);
  },
  value: (view, at, { bytes }) => {
    for (let i = 0; i < bytes.length; i++) view.setUint8(at + i, bytes[i] as number);
  },
  local: (view, at, _, localEnd) => {
    putWide(view, at, localEnd);
  },
  image: (view, at, { image, address }) => {
    writeImageDescriptor(view, at, image, address);
  },
  sampler: (view, at, { bits }) => {
    view.setUint32(at, bits, true);
  },
  null: (view, at) => {
    putWide(view, at, 0);
  },
};

function packArgument<Kind extends HalArgument["kind"]>(
  view: DataView,
  at: number,
  argument: Extract<HalArgument, { readonly kind: Kind }>,
  localEnd: number,
): void {
  const pack = PACK[argument.kind] as Pack<Kind>;
  pack(view, at, argument, localEnd);
}

/** Bytes of local memory that an argument takes. */
function localBytes({ size }: { readonly size: number }): number {
  return alignUp(size, LARGEST_ALIGNMENT);
}

/** A failure of a kernel. */
export function kernelFailure(name: string, { message }: DriverError): MuxFailure {
  return { code: MuxResult.error_failure, message: `kernel ${name}: ${message}` };
}

/** A kernel as the driver has it. */
export interface KernelCode extends GroupedCode {
  /** The form in which a thread does several work-items; absent: there is none. */
  readonly coarse?: CoarseForm;
  /** The same as a kernel that can be stopped, compiled when it is asked for the first time. */
  readonly stoppable: () => Result<Handle, DriverError>;
}

/** Launches of one entry: more bytes of parameter, and the parts of the range. */
interface Prepared {
  readonly entry: Handle;
  readonly moreBytes: number;
  readonly parts: readonly Part[];
}

/** A kernel of a loaded executable. */
export class CudaKernel implements HalKernel {
  readonly name: string;
  readonly argumentTypes: readonly MuxDescriptorType[];
  readonly preferredLocalSize: readonly [number, number, number];
  readonly requiredLocalSize: readonly [number, number, number] | null;
  readonly maxWorkItems: number;
  readonly localMemorySize: number;
  readonly subGroupSize: number;
  /** Where it prints; null: its program does not. */
  readonly printf: PrintfAreas | null;
  private readonly access: GpuAccess;
  private readonly code: KernelCode;
  private readonly record: KernelMetadata;

  constructor(access: GpuAccess, code: KernelCode, record: KernelMetadata, printf: PrintfAreas | null) {
    const [variant] = record.variants;
    this.name = record.name;
    this.printf = printf;
    this.access = access;
    this.code = code;
    this.record = record;
    this.argumentTypes = record.arguments.map(({ kind }) => DESCRIPTOR_TYPES[kind]);
    this.preferredLocalSize = record.workGroupSizeHint ?? [64, 1, 1];
    this.requiredLocalSize = record.requiredWorkGroupSize;
    this.maxWorkItems = code.mostItems;
    this.localMemorySize = variant?.staticLocalBytes ?? 0;
    this.subGroupSize = variant?.subGroupSize ?? 1;
  }

  /** The launches of a range: each has a parameter of its own, which {@link CudaKernel.printTo} may change. */
  launches(range: HalRange, args: readonly HalArgument[]): readonly GpuLaunch[] {
    const { code } = this;
    const { entry, parts } = grouped(code, code.coarse ?? null, { range, parts: partsOf(range), args });
    return this.prepared({ entry, moreBytes: 0, parts }, range, args);
  }

  /** The same as launches that {@link CudaKernel.stopAt} must give a word before they are started. */
  stoppableLaunches(range: HalRange, args: readonly HalArgument[]): Result<readonly GpuLaunch[], DriverError> {
    const entry = this.code.stoppable();
    if (!entry.ok) return entry;
    return ok(this.prepared({ entry: entry.value, moreBytes: STOP_BYTES, parts: partsOf(range) }, range, args));
  }

  private prepared(
    { entry, moreBytes, parts }: Prepared,
    range: HalRange,
    args: readonly HalArgument[],
  ): readonly GpuLaunch[] {
    const { record, access } = this;
    const list = record.arguments;
    const end = simtLaunchOffset(record.packedSize);
    const bytes = end + SIMT_LAUNCH_BYTES + moreBytes;
    let dynamicLocal = 0;
    for (const argument of args) if (argument.kind === "local") dynamicLocal += localBytes(argument);
    return parts.map((part) => {
      const { groups, localSize } = part;
      const launch = access.gpu.prepare(entry, { groups, localSize, dynamicLocal }, bytes);
      const { view, at } = launch.parameter;
      let localEnd = 0;
      for (let i = 0; i < list.length; i++) {
        const argument = args[i];
        if (argument === undefined) continue;
        packArgument(view, at + (list[i] as (typeof list)[number]).offset, argument, localEnd);
        if (argument.kind === "local") localEnd += localBytes(argument);
      }
      writeLaunch(view, at + end, range, part, 0);
      return launch;
    });
  }

  /** Lets launches of this kernel print to an area. */
  printTo(launches: readonly GpuLaunch[], area: number): void {
    const field = simtLaunchOffset(this.record.packedSize) + SIMT_LAUNCH_FIELDS.printfArea.offset;
    for (const { parameter } of launches) putWide(parameter.view, parameter.at + field, area);
  }

  /** Says which word stops launches of this kernel. */
  stopAt(launches: readonly GpuLaunch[], word: number): void {
    const field = simtLaunchOffset(this.record.packedSize) + SIMT_LAUNCH_BYTES;
    for (const { parameter } of launches) putWide(parameter.view, parameter.at + field, word);
  }

  /** Runs it to its end. */
  run(range: HalRange, args: readonly HalArgument[]): Result<void, MuxFailure> {
    const launches = this.launches(range, args);
    const area = this.printf?.begin() ?? ok(0);
    if (!area.ok) return err(kernelFailure(this.name, area.error));
    if (this.printf !== null) this.printTo(launches, area.value);
    const ended = this.access.run(launches);
    const printed = ended.ok ? (this.printf?.end(area.value, this.name) ?? ended) : ended;
    return printed.ok ? ok() : err(kernelFailure(this.name, printed.error));
  }
}
