// SPDX-License-Identifier: Apache-2.0
// The arguments of a launch: what a program passes, as the kernel takes it.
import { bytesOf } from "@muxkit/cargo";
import type { ArgumentInfo, KernelInfo } from "@muxkit/compiler";
import {
  type AccessorParameter,
  type KernelParameter,
  scratchBytes,
  sizeOf,
  type PointerParameter,
  type ScalarName,
} from "@muxkit/kernel-library";
import { type Value, packValue } from "@muxkit/loader";
import { type MuxDescriptorInfo, MuxDescriptorType } from "@muxkit/mux";

import { DeviceAccessor, LocalAccessor } from "./accessor.ts";
import { SyclException, ensure } from "./exception.ts";
import type { DeviceImageAccessor } from "./image.ts";
import { BoundImage, BoundSampler, AccessedImage } from "./accessed-image.ts";
import type { ImageKernel } from "./module.ts";
import type { ArgumentKeys } from "./prepared-launch.ts";
import type { Reduction } from "./reduction.ts";
import { ReductionArgument } from "./reduction-argument.ts";
import { Storage } from "./runtime-device.ts";
import type { RuntimeDevice } from "./runtime-device.ts";
import { SpecConstant, type SpecValues, constantBytes } from "./spec-constant.ts";
import { UsmPointer, storageAt } from "./usm.ts";

/**
 * What an argument can be: an accessor or a pointer (or null) for memory, an accessor of an image, local memory, a
 * reduction, a specialization constant, a value.
 *
 * @public
 */
export type KernelArgument =
  | DeviceAccessor
  | DeviceImageAccessor
  | UsmPointer
  | LocalAccessor
  | Reduction
  | SpecConstant
  | Value
  | null;

/** Local memory of so many bytes, as it is compared. */
class LocalBytes {
  readonly bytes: number;

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}

/** Sizes of local memory that were asked for: one object each, so that launches are compared by identity. */
const LOCAL_SIZES = new Map<number, LocalBytes>();

function localBytes(bytes: number): LocalBytes {
  let known = LOCAL_SIZES.get(bytes);
  if (known === undefined) {
    known = new LocalBytes(bytes);
    LOCAL_SIZES.set(bytes, known);
  }
  return known;
}

/** What arguments are looked up for. */
export interface ArgumentPlace {
  readonly call: string;
  readonly runtime: RuntimeDevice;
  /** The command group, which accessors must be of. */
  readonly owner: object;
  /** Values of the module's constants. */
  readonly values: SpecValues;
}

const described = (index: number, { name, typeName, kind }: ArgumentInfo): string =>
  `argument ${index} (${kind === "local" ? "local " : ""}${typeName} ${name})`;

/** Adds the keys of what a program passes for an argument; null stands for a pointer to nothing. */
class KeyList implements ArgumentKeys {
  readonly values: unknown[];
  readonly offsets: number[];
  /** How many there are; all of `values` once the arguments are complete. */
  count = 0;

  /** For so many arguments: lists that grow have room for four times as many. */
  constructor(size: number) {
    // oxlint-disable-next-line unicorn/no-new-array
    this.values = new Array<unknown>(size);
    // oxlint-disable-next-line unicorn/no-new-array
    this.offsets = new Array<number>(size);
  }

  add(value: unknown, offset: number): void {
    this.values[this.count] = value;
    this.offsets[this.count++] = offset;
  }
}

function addMemory(keys: KeyList, argument: DeviceAccessor | UsmPointer | null, place: ArgumentPlace): void {
  if (argument === null) keys.add(null, 0);
  else if (argument instanceof DeviceAccessor) {
    if (argument.owner !== place.owner)
      throw new SyclException(
        "accessor",
        place.call,
        "an accessor belongs to another command group; get it with this group's handler",
      );
    keys.add(argument.part.memory.storageOn(place.call, place.runtime), argument.part.start);
  } else {
    const { storage, offset } = storageAt(place.call, argument, 1);
    keys.add(storage, offset);
  }
}

function ensureCount(call: string, info: KernelInfo, constants: number, given: number, expected: number): void {
  if (given === expected) return;
  throw new SyclException(
    "kernel_argument",
    call,
    `the kernel "${info.name}" takes ${info.arguments.length - constants} arguments (` +
      `${info.arguments
        .slice(0, info.arguments.length - constants)
        .map(({ name }) => name)
        .join(", ")}), and ${given} were passed`,
  );
}

/** Throws unless as many arguments are passed as a translated kernel has parameters. */
function ensurePassed(call: string, info: KernelInfo, parameters: readonly KernelParameter[], given: number): void {
  let count = 0;
  for (let i = 0; i < parameters.length; i++) if (parameters[i]?.kind !== "constant") count++;
  if (count === given) return;
  const own = parameters.filter(({ kind }) => kind !== "constant");
  throw new SyclException(
    "kernel_argument",
    call,
    `the kernel "${info.name}" takes ${count} arguments (${own.map(({ name }) => name).join(", ")}), and ${given} were passed`,
  );
}

/**
 * The keys of the arguments of a launch. Error: kernel_argument for another count, and for an argument that does not
 * fit.
 */
export function argumentKeys(
  { info, constants }: ImageKernel,
  parameters: readonly KernelParameter[] | null,
  given: readonly KernelArgument[],
  place: ArgumentPlace,
): ArgumentKeys {
  const { call } = place;
  const keys = new KeyList(info.arguments.length);
  if (parameters !== null) ensurePassed(call, info, parameters, given.length);
  for (let i = 0; i < given.length; i++) {
    const argument = given[i] as KernelArgument;
    const wanted = info.arguments[keys.count];
    const parameter = parameters?.[i];
    if (parameter?.kind === "reducer") {
      addReducer(keys, parameter, argument, place);
      continue;
    }
    if (wanted === undefined) ensureCount(call, info, constants.length, given.length, -1);
    else if (wanted.kind === "image") addImage(keys, i, wanted, argument, { ...place, parameter });
    else addArgument(keys, i, wanted, argument, place);
    if (parameter?.kind === "accessor" || parameter?.kind === "pointer") checkMemory(parameter, argument, call);
    if (parameter?.kind === "accessor" && argument instanceof DeviceAccessor)
      addRanges(keys, parameter, argument, call);
  }
  ensureCount(call, info, constants.length, keys.count, info.arguments.length - constants.length);
  for (const constant of constants)
    keys.add(constantBytes(constant, place.values.get(constant) ?? constant.defaultValue), 0);
  return keys;
}

/** The class of a scalar's arrays; halves are in those of their bits. */
function arrayOf(scalar: ScalarName): string {
  const bits = 8 * sizeOf({ kind: "scalar", name: scalar });
  const kind = /^[uh]/u.test(scalar) ? "Uint" : /^[fd]/u.test(scalar) ? "Float" : bits === 64 ? "BigInt" : "Int";
  return `${scalar === "ulong" ? "BigUint" : kind}${bits}Array`;
}

/** Throws where memory has other numbers than the kernel's, fewer dimensions, or is read where the kernel writes. */
function checkMemory(parameter: AccessorParameter | PointerParameter, argument: KernelArgument, call: string): void {
  if (!(argument instanceof DeviceAccessor || argument instanceof UsmPointer)) return;
  const { name, element, access } = parameter;
  const refuse = (what: string): never => {
    throw new SyclException("kernel_argument", call, `the ${parameter.kind} ${name} ${what}`);
  };
  const scalar = element.kind === "record" ? null : element.kind === "vector" ? element.scalar : element.name;
  if (scalar !== null && argument.type.name !== arrayOf(scalar))
    refuse(`has numbers of type ${scalar}, which are those of a ${arrayOf(scalar)}, not of a ${argument.type.name}`);
  if (!(argument instanceof DeviceAccessor)) return;
  if (access !== "read" && !argument.writes)
    refuse(`is for "${access}", and what was passed for "read": get it for "${access}", or declare it for "read"`);
  if (parameter.kind === "accessor" && parameter.dimensions > argument.bufferRange.dimensions)
    refuse(`has ${parameter.dimensions} dimensions, and the buffer ${argument.bufferRange.dimensions}`);
}

/** The ranges of an accessor's dimensions but the first; the last one counts elements of the kernel. */
function addRanges(
  keys: KeyList,
  { name, element, dimensions }: AccessorParameter,
  { bufferRange, type }: DeviceAccessor,
  call: string,
): void {
  for (let dimension = 1; dimension < dimensions; dimension++) {
    const size = bufferRange.get(dimension);
    const bytes = sizeOf(element);
    const count = dimension < dimensions - 1 ? size : (size * type.BYTES_PER_ELEMENT) / bytes;
    ensure(
      Number.isInteger(count),
      "kernel_argument",
      call,
      () =>
        `a row of the accessor ${name} has ${size * type.BYTES_PER_ELEMENT} bytes, and an element ${bytes}: ` +
        "the buffer's range counts numbers of its array, of which rows need whole elements",
    );
    keys.add(count, 0);
  }
}

/** A reducer: its partial results, local memory of the work-group, and the identity. */
function addReducer(keys: KeyList, { name }: KernelParameter, argument: KernelArgument, place: ArgumentPlace): void {
  if (!(argument instanceof ReductionArgument))
    throw new SyclException("kernel_argument", place.call, `the reducer ${name} requires a reduction(…)`);
  keys.add(argument.partials(place.call, place.runtime), 0);
  keys.add(localBytes(scratchBytes(argument.element, argument.groupItems)), 0);
  keys.add(argument.pattern, 0);
}

/** The keys of the kernel that combines partial results of so many work-items: see `finishingText`. */
export function finishingKeys(
  reduced: ReductionArgument,
  items: number,
  { call, runtime }: ArgumentPlace,
): ArgumentKeys {
  const { storage, offset } = reduced.targetStorage(call, runtime);
  const keys = new KeyList(6);
  keys.add(reduced.partials(call, runtime), 0);
  keys.add(reduced.count, 0);
  keys.add(storage, offset);
  keys.add(Number(reduced.keeps), 0);
  keys.add(localBytes(scratchBytes(reduced.element, items)), 0);
  keys.add(reduced.pattern, 0);
  return keys;
}

/** An image, and its sampler where it has one. */
function addImage(
  keys: KeyList,
  index: number,
  wanted: ArgumentInfo,
  argument: KernelArgument,
  { call, runtime, owner, parameter }: ArgumentPlace & { readonly parameter: KernelParameter | undefined },
): void {
  if (!(argument instanceof AccessedImage))
    throw new SyclException("kernel_argument", call, `${described(index, wanted)} requires an accessor of an image`);
  ensure(
    argument.bytes.owner === owner,
    "accessor",
    call,
    "an accessor belongs to another command group; get it with this group's handler",
  );
  if (parameter?.kind === "image") argument.check(call, parameter);
  keys.add(argument.bind(call, runtime), 0);
  if (argument.sampler !== null) keys.add(argument.sampler, 0);
}

function addArgument(
  keys: KeyList,
  index: number,
  wanted: ArgumentInfo,
  argument: KernelArgument,
  place: ArgumentPlace,
): void {
  const { call } = place;
  if (wanted.kind === "pointer") {
    if (argument instanceof ReductionArgument) keys.add(argument.partials(call, place.runtime), 0);
    else if (argument === null || argument instanceof DeviceAccessor || argument instanceof UsmPointer)
      addMemory(keys, argument, place);
    else wrong(call, index, wanted, "requires an accessor, a pointer to unified shared memory, a reduction, or null");
  } else if (wanted.kind === "local") {
    if (argument instanceof LocalAccessor) keys.add(localBytes(argument.byteSize), 0);
    else wrong(call, index, wanted, "requires local memory: new LocalAccessor(type, size)");
  } else if (wanted.kind === "value") {
    if (typeof argument === "number" || typeof argument === "bigint" || typeof argument === "boolean")
      keys.add(argument, 0);
    else keys.add(valueBytes(index, wanted, argument, call), 0);
  } else wrong(call, index, wanted, `is a ${wanted.kind}, which command groups do not have`);
}

function wrong(call: string, index: number, wanted: ArgumentInfo, what: string): never {
  throw new SyclException("kernel_argument", call, `${described(index, wanted)} ${what}`);
}

/** The bytes of a value that is no plain number. */
function valueBytes(index: number, wanted: ArgumentInfo, argument: KernelArgument, call: string): Uint8Array {
  if (argument instanceof SpecConstant) return constantBytes(argument.id, argument.get());
  if (ArrayBuffer.isView(argument) || Array.isArray(argument)) return packed(index, wanted, argument as Value, call);
  throw new SyclException("kernel_argument", call, `${described(index, wanted)} requires a value`);
}

function packed(index: number, { typeName, size, ...rest }: ArgumentInfo, value: unknown, call: string): Uint8Array {
  const bytes = packValue(typeName, size, value);
  if (typeof bytes === "string")
    throw new SyclException("kernel_argument", call, `${described(index, { typeName, size, ...rest })} ${bytes}`);
  // The program may change its array at once.
  return ArrayBuffer.isView(value) ? bytesOf(bytes).slice() : bytes;
}

/** The keys as the runtime takes them. Error: kernel_argument for a value that does not fit its type. */
export function descriptorsOf(
  call: string,
  info: KernelInfo,
  { values, offsets }: ArgumentKeys,
): readonly MuxDescriptorInfo[] {
  return values.map((value, i): MuxDescriptorInfo => {
    if (value === null) return { type: MuxDescriptorType.null_buffer };
    if (value instanceof Storage)
      return { type: MuxDescriptorType.buffer, buffer: value.buffer, offset: offsets[i] ?? 0 };
    if (value instanceof BoundImage) return { type: MuxDescriptorType.image, image: value.image };
    if (value instanceof BoundSampler) return { type: MuxDescriptorType.sampler, sampler: value.sampler };
    if (value instanceof LocalBytes) return { type: MuxDescriptorType.shared_local_buffer, size: value.bytes };
    const wanted = info.arguments[i] as ArgumentInfo;
    const data = value instanceof Uint8Array ? value : packed(i, wanted, value, call);
    if (data.length === wanted.size) return { type: MuxDescriptorType.plain_old_data, data };
    throw new SyclException(
      "kernel_argument",
      call,
      `${described(i, wanted)} has ${wanted.size} bytes, not ${data.length}`,
    );
  });
}

/** Bytes of local memory among the arguments. */
export function localBytesOf({ values }: ArgumentKeys): number {
  return values.reduce(
    (sum: number, value) =>
      value instanceof LocalBytes ? sum + Math.ceil(value.bytes / LOCAL_ALIGNMENT) * LOCAL_ALIGNMENT : sum,
    0,
  );
}

/** Local arguments begin at multiples of the largest type's size. */
const LOCAL_ALIGNMENT = 128;
