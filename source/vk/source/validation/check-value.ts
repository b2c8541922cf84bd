// SPDX-License-Identifier: Apache-2.0
// Implicit valid usage: what follows from the types of parameters and members alone. Each value is checked by the row
// of the schema that describes it; a structure is checked member by member, a chain structure by structure. Cost:
// linear in the values that are passed.
import { describe, VkHandle } from "../handle.ts";
import {
  ENUMERATIONS,
  FLAGS,
  HANDLES,
  type MemberRow,
  STRUCTURES,
  type StructureRow,
  WIDE_FLAGS,
} from "../generated/tables.ts";

/** What is wrong: where, and a sentence; null: nothing. */
export type Problem = { readonly where: string; readonly message: string } | null;

/** The device of an object, or whatever it was made of first. */
export function rootOf(handle: VkHandle): VkHandle {
  let root = handle;
  while (root.parent !== null && root.kind !== "VkDevice") root = root.parent;
  return root;
}

const wrong = (where: string, message: string): Problem => ({ where, message });

const isCount = (value: unknown, most: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most;

/** Plain types: what is wrong with a value. */
const PLAIN: Readonly<Record<string, (value: unknown) => string | null>> = {
  uint32_t: (value) => (isCount(value, 0xffff_ffff) ? null : "must be a whole number from 0 to 2^32 - 1"),
  int32_t: (value) => (Number.isInteger(value) ? null : "must be a whole number"),
  size_t: (value) => (isCount(value, Number.MAX_SAFE_INTEGER) ? null : "must be a whole number from 0 on"),
  // VK_WHOLE_SIZE is 2^64.
  VkDeviceSize: (value) => (isCount(value, 2 ** 64) ? null : "must be a whole number from 0 on"),
  VkDeviceAddress: (value) => (isCount(value, Number.MAX_SAFE_INTEGER) ? null : "must be an address"),
  float: (value) => (typeof value === "number" ? null : "must be a number"),
  timeout: (value) =>
    typeof value === "number" && value >= 0 ? null : "must be a number of ns from 0 on; Infinity waits for ever",
  uint64_t: (value) =>
    typeof value === "bigint" && value >= 0n && value < 1n << 64n ? null : "must be a bigint from 0n to 2^64 - 1",
  VkBool32: (value) => (typeof value === "boolean" ? null : "must be true or false"),
  string: (value) => (typeof value === "string" ? null : "must be a string"),
  bytes: (value) => (ArrayBuffer.isView(value) ? null : "must be a view of an array"),
  words: (value) =>
    value instanceof Uint32Array || (value instanceof Uint8Array && value.byteLength % 4 === 0)
      ? null
      : "must be a Uint32Array, or a Uint8Array of whole words",
  object: (value) =>
    !(value instanceof VkHandle) ? "must be an object" : value.isAlive ? null : "is an object that has been destroyed",
  callback: (value) => (typeof value === "function" ? null : "must be a function"),
  any: () => null,
  uuid: (value) => (value instanceof Uint8Array && value.length === 16 ? null : "must be 16 bytes"),
};

/** Sums of all bits of flags. */
const BITS = new Map<string, bigint>();

function bitsOf(type: string): bigint {
  let bits = BITS.get(type);
  if (bits === undefined) {
    bits = Object.values(FLAGS[type] ?? {}).reduce((sum, bit) => sum | BigInt(bit), 0n);
    BITS.set(type, bits);
  }
  return bits;
}

function flagsProblem(type: string, value: unknown): string | null {
  if (WIDE_FLAGS.has(type)) {
    if (typeof value !== "bigint") return `must be a bigint of ${type}`;
  } else if (!isCount(value, 0xffff_ffff)) return `must be a number of ${type}`;
  const foreign = BigInt(value as bigint | number) & ~bitsOf(type);
  return foreign === 0n ? null : `has the bits 0x${foreign.toString(16)}, which ${type} does not have`;
}

const VALUES = new Map<string, ReadonlySet<unknown>>();

function enumProblem(type: string, value: unknown): string | null {
  let values = VALUES.get(type);
  if (values === undefined) {
    values = new Set(Object.values(ENUMERATIONS[type] ?? {}));
    VALUES.set(type, values);
  }
  return values.has(value) ? null : `is ${describe(value)}, which is no ${type}`;
}

/** Handles that the last call was made with. */
let handles: VkHandle[] = [];

/** Forgets the handles that were seen, as another call is checked. */
export function forgetHandles(): void {
  handles = [];
}

/** The handles that the last call was made with, in the order in which they were checked. */
export const seenHandles = (): readonly VkHandle[] => handles;

function handleProblem(type: string, value: unknown, root: VkHandle | null): string | null {
  if (!(value instanceof VkHandle) || value.kind !== type) return `must be a ${type}, not ${describe(value)}`;
  if (!value.isAlive) return `is a ${type} that has been destroyed`;
  const own = rootOf(value);
  // An instance or a physical device may be any: what it is used with tells.
  if (root !== null && root.kind === "VkDevice" && own.kind === "VkDevice" && own !== root)
    return `is a ${type} of another device`;
  handles.push(value);
  return null;
}

function chainProblem(where: string, { chain }: StructureRow, first: unknown, root: VkHandle | null): Problem {
  if (first === undefined || first === null) return null;
  const seen = new Set<number>();
  let node: unknown = first;
  for (let path = `${where}.pNext`; node !== null && node !== undefined; path += ".pNext") {
    if (typeof node !== "object") return wrong(path, `must be a structure or null, not ${describe(node)}`);
    const { sType, pNext } = node as { readonly sType?: unknown; readonly pNext?: unknown };
    const name = chain.find((one) => STRUCTURES[one]?.sType === sType);
    const row = name === undefined ? undefined : STRUCTURES[name];
    if (row === undefined)
      return wrong(`${path}.sType`, `is ${describe(sType)}; here may be ${chain.join(", ") || "nothing"}`);
    if (seen.has(row.sType)) return wrong(`${path}.sType`, `is there twice: ${name}`);
    seen.add(row.sType);
    const problem = membersProblem(path, row, node, root);
    if (problem !== null) return problem;
    node = pNext;
  }
  return null;
}

function membersProblem(where: string, { members }: StructureRow, value: object, root: VkHandle | null): Problem {
  const record = value as Readonly<Record<string, unknown>>;
  for (const member of members) {
    const problem = valueProblem(`${where}.${member[0]}`, member, record[member[0]], root);
    if (problem !== null) return problem;
  }
  return null;
}

function structureProblem(
  where: string,
  type: string,
  row: StructureRow,
  value: unknown,
  root: VkHandle | null,
): Problem {
  if (typeof value !== "object" || value === null) return wrong(where, `must be a ${type}, not ${describe(value)}`);
  if (row.sType >= 0) {
    const { sType, pNext } = value as { readonly sType?: unknown; readonly pNext?: unknown };
    if (sType !== undefined && sType !== row.sType)
      return wrong(`${where}.sType`, `is ${describe(sType)}; leave it out, or take that of ${type}`);
    const problem = chainProblem(where, row, pNext, root);
    if (problem !== null) return problem;
  }
  return membersProblem(where, row, value, root);
}

function oneProblem(where: string, type: string, value: unknown, root: VkHandle | null): Problem {
  const row = STRUCTURES[type];
  if (row !== undefined) return structureProblem(where, type, row, value, root);
  const message =
    type in HANDLES
      ? handleProblem(type, value, root)
      : type in ENUMERATIONS
        ? enumProblem(type, value)
        : type in FLAGS
          ? flagsProblem(type, value)
          : (PLAIN[type]?.(value) ?? null);
  return message === null ? null : wrong(where, message);
}

/** Whether null may stand for nothing, as in C: for one object, structure or string. */
const mayBeNull = (type: string, isList: boolean): boolean =>
  !isList && (type in HANDLES || type in STRUCTURES || type === "string" || type === "any");

/** What is wrong with the value of a parameter or member; `root` is the device of the call. */
export function valueProblem(where: string, [, type, form]: MemberRow, value: unknown, root: VkHandle | null): Problem {
  if (value === undefined || value === null) {
    if (!form.endsWith("?")) return wrong(where, `is missing: ${form === "list" ? "a list of" : "a"} ${type}`);
    const isRight = value === undefined || mayBeNull(type, form.startsWith("list"));
    return isRight ? null : wrong(where, `is null; leave it out where there is no ${type}`);
  }
  if (!form.startsWith("list")) return oneProblem(where, type, value, root);
  // Numbers may come in arrays of numbers.
  if (ArrayBuffer.isView(value) && type in PLAIN) return null;
  if (!Array.isArray(value)) return wrong(where, `must be an array of ${type}, not ${describe(value)}`);
  for (const [i, element] of (value as readonly unknown[]).entries()) {
    const problem = oneProblem(`${where}[${i}]`, type, element, root);
    if (problem !== null) return problem;
  }
  return null;
}
