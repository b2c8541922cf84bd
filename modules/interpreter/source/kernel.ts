// SPDX-License-Identifier: Apache-2.0
// Runs a kernel over an NDRange: group by group, work-item by work-item, from barrier to barrier.
import { type Result, at, err, ok } from "@muxkit/cargo";
import { IMAGE_DESCRIPTOR_BYTES } from "@muxkit/kernel-abi";
import { type Image, writeImageDescriptor } from "@muxkit/libimg";
import { CONSTANT, I32, type IrFunction, LOCAL, type Module, PRIVATE, type Type, sizeOf } from "@muxkit/ir";

import { Fault, type InterpreterError, locate } from "./error.ts";
import { type InterpreterOptions, Machine } from "./machine.ts";
import { runGroup } from "./groups.ts";
import { Memory } from "./memory.ts";
import { type Register, readRegister } from "./register.ts";
import { type Group, type Range, type Triple, WorkItem } from "./work-item.ts";

/**
 * The value of a kernel argument.
 * `value`: the bytes of a scalar, vector or struct. `buffer`: memory that is used in place, from byte `offset` on; the
 * same array is the same memory. `local`: bytes of local memory for each work-group. `null`: a null pointer. `image`:
 * its pixels, used in place, from byte `offset` on. `sampler`: its bits.
 *
 * @public
 */
export type KernelArgument =
  | { readonly kind: "value"; readonly bytes: Uint8Array }
  | { readonly kind: "buffer"; readonly bytes: Uint8Array; readonly offset?: number }
  | { readonly kind: "local"; readonly size: number }
  | { readonly kind: "null" }
  | { readonly kind: "image"; readonly image: Image; readonly bytes: Uint8Array; readonly offset?: number }
  | { readonly kind: "sampler"; readonly bits: number };

/** A launch of a kernel. Sizes are work-items in 1 to 3 dimensions. @public */
export interface KernelLaunch extends InterpreterOptions {
  /** One for each parameter. */
  readonly arguments: readonly KernelArgument[];
  /** Work-items in each dimension. */
  readonly globalSize: readonly number[];
  /** First global id in each dimension. Default: 0. */
  readonly globalOffset?: readonly number[];
  /**
   * Work-items of a group in each dimension; the last group may be smaller. Default: what the kernel requires, else 1.
   */
  readonly localSize?: readonly number[];
  /** Work-items of a sub-group, where the kernel does not require a size. Default: 8. */
  readonly subGroupSize?: number;
  /** The part of the range that runs; ids stay those of the whole range. Default: all of it. */
  readonly groups?: {
    readonly first: readonly [number, number, number];
    readonly count: readonly [number, number, number];
    /** True: the number of groups that kernels see is that of the part. Default: false. */
    readonly isCounted?: boolean;
  };
  /** Memory in which program-scope variables live on between launches. Default: a new one. */
  readonly memory?: Memory;
}

/** Statistics of a launch. @public */
export interface KernelOutcome {
  /** Instructions that were executed. */
  readonly steps: number;
  /** The memory, with program-scope variables as the kernel left them. */
  readonly memory: Memory;
}

/** Work-items that a group may have: all of them are alive at once. */
const LARGEST_GROUP = 65536;
/** Default number of work-items in a sub-group. */
const SUB_GROUP_SIZE = 8;
/** A ballot has as many bits. */
const LARGEST_SUB_GROUP = 128;

function triple(sizes: readonly number[], rest: number): Triple {
  return [sizes[0] ?? rest, sizes[1] ?? rest, sizes[2] ?? rest];
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

const wrong = (message: string): Fault => new Fault("arguments", message);

/** The ranges of a launch. Faults when they are none. */
function rangeOf(fn: IrFunction, launch: KernelLaunch): Range {
  const { globalSize, globalOffset = [] } = launch;
  const dimensions = globalSize.length;
  const required = fn.kernel?.requiredWorkGroupSize ?? null;
  const localSize = launch.localSize ?? required?.slice(0, dimensions) ?? [];
  if (dimensions < 1 || dimensions > 3 || !globalSize.every(isSize))
    throw wrong(`a global size is 1 to 3 positive numbers, not (${globalSize.join(", ")})`);
  if (localSize.length > dimensions || !localSize.every(isSize))
    throw wrong(`a local size is up to ${dimensions} positive numbers, not (${localSize.join(", ")})`);
  if (globalOffset.length > dimensions || !globalOffset.every((offset) => Number.isSafeInteger(offset) && offset >= 0))
    throw wrong(`a global offset is up to ${dimensions} numbers of at least 0, not (${globalOffset.join(", ")})`);
  const size = triple(globalSize, 1);
  const local = triple(localSize, 1);
  if (required !== null && required.some((wanted, d) => wanted !== local[d]))
    throw wrong(`@${fn.name} requires work-groups of (${required.join(", ")}), not (${local.join(", ")})`);
  if (local[0] * local[1] * local[2] > LARGEST_GROUP)
    throw wrong(`a work-group has at most ${LARGEST_GROUP} work-items, not ${local[0] * local[1] * local[2]}`);
  const subGroupSize = fn.kernel?.requiredSubGroupSize ?? launch.subGroupSize ?? SUB_GROUP_SIZE;
  if (!isSize(subGroupSize) || subGroupSize > LARGEST_SUB_GROUP)
    throw wrong(`a sub-group has 1 to ${LARGEST_SUB_GROUP} work-items, not ${subGroupSize}`);
  const groups = (d: 0 | 1 | 2): number => Math.ceil(size[d] / local[d]);
  return {
    dimensions,
    globalSize: size,
    globalOffset: triple(globalOffset, 0),
    enqueuedLocalSize: local,
    groupCount: [groups(0), groups(1), groups(2)],
    subGroupSize,
  };
}

/** An image as kernels see it: the address of a descriptor that points to the pixels. */
function imageRegister(
  { memory }: Machine,
  { image, bytes, offset = 0 }: KernelArgument & { readonly kind: "image" },
  name: string,
): bigint {
  if (bytes.length - offset < image.bytes)
    throw wrong(`argument ${name} is an image of ${image.bytes} bytes, not ${bytes.length - offset}`);
  const descriptor = new Uint8Array(IMAGE_DESCRIPTOR_BYTES);
  writeImageDescriptor(new DataView(descriptor.buffer), 0, image, memory.buffer(bytes, `image ${name}`).base + offset);
  return BigInt(
    memory.add({
      name: `the descriptor of image ${name}`,
      space: CONSTANT,
      bytes: descriptor,
      alignment: 16,
      isReadOnly: true,
      isWork: true,
    }).base,
  );
}

/** True for the type of a handle, and for what the pass image-arg-subst makes of it. */
function takes(type: Type, kind: "image" | "sampler"): boolean {
  if (type.kind === "opaque") return type.name.startsWith(kind);
  return kind === "image" ? type.kind === "pointer" && type.addressSpace === CONSTANT : type === I32;
}

/** The register of one argument; local memory is made for each group anew. */
function argumentRegister(machine: Machine, argument: KernelArgument, type: Type, name: string): () => Register {
  const { memory, layout } = machine;
  const unfit = (message: string): Fault => wrong(`argument ${name} ${message}`);
  if (argument.kind === "value") {
    const bytes = argument.bytes.slice();
    if (type.kind === "pointer" && type.addressSpace === PRIVATE) {
      const region = memory.add({ name: `argument ${name}`, space: PRIVATE, bytes, alignment: 128, isReadOnly: true });
      return () => BigInt(region.base);
    }
    if (type.kind === "pointer") throw unfit("is a pointer: it takes a buffer, local memory or null");
    if (bytes.length !== sizeOf(layout, type)) throw unfit(`has ${sizeOf(layout, type)} bytes, not ${bytes.length}`);
    const register = readRegister(layout, type, new DataView(bytes.buffer), 0);
    return () => register;
  }
  if (argument.kind === "image" || argument.kind === "sampler") {
    if (!takes(type, argument.kind)) throw unfit(`is of type ${type.text}: it takes no ${argument.kind}`);
    const register = argument.kind === "image" ? imageRegister(machine, argument, name) : BigInt(argument.bits);
    return () => register;
  }
  if (type.kind !== "pointer") throw unfit(`is of type ${type.text}: it takes a value`);
  if (argument.kind === "null") return () => 0n;
  if ((argument.kind === "local") !== (type.addressSpace === LOCAL))
    throw unfit(type.addressSpace === LOCAL ? "takes local memory" : "takes a buffer or null");
  if (argument.kind === "local") {
    const { size } = argument;
    if (!Number.isSafeInteger(size) || size < 0) throw unfit(`cannot have ${size} bytes of local memory`);
    return () =>
      BigInt(memory.add({ name: `argument ${name}`, space: LOCAL, bytes: new Uint8Array(size), alignment: 128 }).base);
  }
  const { bytes, offset = 0 } = argument;
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > bytes.length)
    throw unfit(`begins at byte ${offset} of a buffer of ${bytes.length}`);
  const { base } = memory.buffer(bytes, `buffer ${name}`);
  return () => BigInt(base + offset);
}

/** Every id of a box, x fastest, in the order that the options specify. */
function ids([width, height, depth]: Triple, order: "forward" | "backward"): Triple[] {
  const list: Triple[] = [];
  for (let z = 0; z < depth; z++) for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) list.push([x, y, z]);
  return order === "forward" ? list : list.toReversed();
}

class Launch {
  private readonly machine: Machine;
  private readonly fn: IrFunction;
  private readonly range: Range;
  private readonly registers: readonly (() => Register)[];
  private readonly groups: Required<KernelLaunch>["groups"];
  /** The work-item that runs, for messages. */
  current: WorkItem | null;

  constructor(machine: Machine, fn: IrFunction, launch: KernelLaunch) {
    this.machine = machine;
    this.fn = fn;
    this.range = rangeOf(fn, launch);
    this.current = null;
    this.groups = launch.groups ?? { first: [0, 0, 0], count: this.range.groupCount };
    const { first, count } = this.groups;
    if (
      !count.every(isSize) ||
      !first.every(
        (from, d) =>
          Number.isSafeInteger(from) && from >= 0 && from + (count[d] ?? 0) <= (this.range.groupCount[d] ?? 0),
      )
    )
      throw wrong(
        `(${count.join(", ")}) groups from (${first.join(", ")}) on are no part of ` +
          `(${this.range.groupCount.join(", ")})`,
      );
    if (launch.arguments.length !== fn.parameters.length)
      throw wrong(`@${fn.name} takes ${fn.parameters.length} arguments, ${launch.arguments.length} were passed`);
    this.registers = launch.arguments.map((argument, i) => {
      const description = fn.kernel?.arguments[i];
      return argumentRegister(
        machine,
        argument,
        at(fn.parameters, i).type,
        description === undefined || description.name === "" ? String(i) : description.name,
      );
    });
  }

  run(): void {
    const { first, count } = this.groups;
    for (const [x, y, z] of ids(count, this.machine.options.order))
      this.group([first[0] + x, first[1] + y, first[2] + z]);
  }

  private group(id: Triple): void {
    const { machine, range, fn } = this;
    const actual = (d: 0 | 1 | 2): number =>
      Math.min(range.enqueuedLocalSize[d], range.globalSize[d] - id[d] * range.enqueuedLocalSize[d]);
    const seen = this.groups.isCounted === true ? { ...range, groupCount: this.groups.count } : range;
    const group: Group = { id, localSize: [actual(0), actual(1), actual(2)], locals: new Map() };
    const args = this.registers.map((make) => make());
    const items = ids(group.localSize, machine.options.order).map((localId) => new WorkItem(seen, group, localId));
    for (const item of items) machine.call(item, fn, args, -1);
    runGroup(
      items,
      range.subGroupSize,
      (item) => {
        this.current = item;
        machine.run(item);
      },
      machine.layout,
    );
    this.current = null;
  }
}

/**
 * Runs a kernel of a module that verifies. Buffers are changed in place, also by a run that ends with an error.
 *
 * @public
 */
export function interpretKernel(
  module: Module,
  name: string,
  launch: KernelLaunch,
): Result<KernelOutcome, InterpreterError> {
  const fn = module.functions.get(name);
  const memory = launch.memory ?? new Memory(module.layout);
  const machine = new Machine(memory, launch);
  let running: Launch | null = null;
  try {
    if (fn === undefined || fn.kernel === null) throw wrong(`the module has no kernel @${name}`);
    if (fn.blocks.length === 0) throw new Fault("undefined-function", `@${name} is declared, not defined`);
    running = new Launch(machine, fn, launch);
    running.run();
    return ok({ steps: machine.steps, memory });
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return err(locate(thrown, machine.executing, running?.current?.globalId ?? null));
  } finally {
    memory.releaseWork();
  }
}

/** A launch whose buffers are copied first: see {@link interpretCopies}. @public */
export interface CopiedOutcome {
  /**
   * For each argument that is a buffer or image, the bytes as the kernel left them; null for others. Arguments that
   * share an array share the copy.
   */
  readonly buffers: readonly (Uint8Array | null)[];
  /** Instructions that were executed. */
  readonly steps: number;
}

/**
 * Runs a kernel on copies of its buffers and returns them: what a test compares with another way to run the same
 * kernel.
 *
 * @public
 */
export function interpretCopies(
  module: Module,
  name: string,
  launch: KernelLaunch,
): Result<CopiedOutcome, InterpreterError> {
  const copies = new Map<Uint8Array, Uint8Array>();
  const copied = launch.arguments.map((argument): KernelArgument => {
    if (argument.kind !== "buffer" && argument.kind !== "image") return argument;
    const copy = copies.get(argument.bytes) ?? argument.bytes.slice();
    copies.set(argument.bytes, copy);
    return argument.kind === "image"
      ? { ...argument, bytes: copy }
      : { kind: "buffer", bytes: copy, offset: argument.offset ?? 0 };
  });
  const result = interpretKernel(module, name, { ...launch, arguments: copied });
  return result.ok
    ? ok({
        buffers: copied.map((argument) =>
          argument.kind === "buffer" || argument.kind === "image" ? argument.bytes : null,
        ),
        steps: result.value.steps,
      })
    : result;
}
