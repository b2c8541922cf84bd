// SPDX-License-Identifier: Apache-2.0
// Calls that are right: what each does, and the other ways to write the same call, which do the same.
//
// The schema tells the ways: a structure may have its sType and an empty pNext, a member that may be left out may be
// undefined or zero too, a list of numbers may be an array of numbers of the machine, bytes may be any view of them.
import type { Vulkan } from "@muxkit/vulkan";
import * as vulkan from "@muxkit/vulkan";

import { type FunctionNode, type MemberNode, functionsOf, readSchema } from "../tools/schema.ts";

/** A call and what it does. */
export interface Effect {
  readonly name: string;
  /** What is particular about it; empty: it is the call whose ways of writing are tried. */
  readonly what: string;
  /** Its arguments, with objects of their own. */
  readonly args: () => readonly unknown[];
  /** What can be seen afterwards. */
  readonly see: (result: unknown, args: readonly unknown[]) => unknown;
  readonly expected: unknown;
}

/** An entry point that is called, and what is seen. */
export function effect<K extends keyof Vulkan>(
  name: K,
  what: string,
  args: () => Parameters<Vulkan[K]>,
  see: (result: ReturnType<Vulkan[K]>, args: Parameters<Vulkan[K]>) => unknown,
  expected: unknown,
): Effect {
  return { name, what, args, see: see as Effect["see"], expected };
}

type Path = readonly (string | number)[];

/** Another way to write a value at a place. */
interface Form {
  readonly what: string;
  readonly path: Path;
  readonly put: (value: unknown) => unknown;
}

export const schema: ReturnType<typeof readSchema> = readSchema();
const structs = new Map(schema.struct.map((node) => [node.name, node]));
const handles = new Set(schema.handle.map(({ name }) => name));
const flags = new Map(schema.flags.map((node) => [node.name, node]));

/** What a member that is left out means, by type. */
const ZEROS: Readonly<Record<string, unknown>> = {
  uint32_t: 0,
  int32_t: 0,
  size_t: 0,
  float: 0,
  uint64_t: 0n,
  VkDeviceSize: 0,
  VkBool32: false,
  bytes: new Uint8Array(0),
};

function zeroOf({ type, list }: MemberNode): unknown {
  if (list === "true") return [];
  if (handles.has(type)) return null;
  const row = flags.get(type);
  if (row !== undefined) return row.width === "64" ? 0n : 0;
  return ZEROS[type];
}

const ARRAYS: Readonly<Record<string, (list: unknown) => unknown>> = {
  uint32_t: (list) => Uint32Array.from(list as readonly number[]),
  float: (list) => Float32Array.from(list as readonly number[]),
  uint64_t: (list) => BigUint64Array.from(list as readonly bigint[]),
};

/** The bytes of a view. */
export function bytesIn(view: unknown): Uint8Array {
  const { buffer, byteOffset, byteLength } = view as ArrayBufferView;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function inLarger(view: unknown): Uint8Array {
  const bytes = bytesIn(view);
  const larger = new Uint8Array(bytes.length + 16);
  larger.set(bytes, 5);
  return larger.subarray(5, 5 + bytes.length);
}

/** Views of the same bytes, by the type that takes them. */
const VIEWS: Readonly<Record<string, readonly (readonly [what: string, put: Form["put"]])[]>> = {
  bytes: [
    ["as bytes", (view) => bytesIn(view).slice()],
    ["as a view of data", (view) => new DataView(bytesIn(view).slice().buffer)],
    ["inside a larger array", inLarger],
  ],
  words: [
    ["as bytes", (view) => bytesIn(view).slice()],
    ["inside a larger array", inLarger],
  ],
};

function formsOfOne(path: Path, { name, type }: MemberNode, value: unknown): readonly Form[] {
  const struct = structs.get(type);
  if (struct === undefined || typeof value !== "object" || value === null)
    return (VIEWS[type] ?? []).map(([what, put]) => ({ what: `${name} ${what}`, path, put }));
  const given = value as Readonly<Record<string, unknown>>;
  const add = (what: string, more: object): Form => ({
    what: `${name} ${what}`,
    path,
    put: (old) => ({ ...(old as object), ...more }),
  });
  const sType = struct.sType === undefined ? undefined : Reflect.get(vulkan, struct.sType);
  return [
    ...(sType === undefined || "sType" in given ? [] : [add("with its sType", { sType })]),
    ...(sType === undefined || "pNext" in given ? [] : [add("with pNext null", { pNext: null })]),
    ...struct.member.flatMap((member) => {
      const own = [...path, member.name];
      if (given[member.name] !== undefined) return formsOf(own, member, given[member.name]);
      const zero = zeroOf(member);
      return [
        add(`with ${member.name} undefined`, { [member.name]: undefined }),
        ...(zero === undefined ? [] : [add(`with ${member.name} of nothing`, { [member.name]: zero })]),
      ];
    }),
  ];
}

function formsOf(path: Path, member: MemberNode, value: unknown): readonly Form[] {
  if (member.list !== "true") return formsOfOne(path, member, value);
  const array = ARRAYS[member.type];
  const first = (value as readonly unknown[])[0];
  return [
    ...(array === undefined ? [] : [{ what: `${member.name} as an array of the machine`, path, put: array }]),
    ...(first === undefined ? [] : formsOfOne([...path, 0], { ...member, name: `${member.name}[0]` }, first)),
  ];
}

/** A value with another one at a place. */
function replaced(value: unknown, path: Path, put: Form["put"]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return put(value);
  if (Array.isArray(value))
    return (value as readonly unknown[]).map((one, i) => (i === key ? replaced(one, rest, put) : one));
  const record = value as Readonly<Record<string, unknown>>;
  return { ...record, [key]: replaced(record[key], rest, put) };
}

/** An effect in a way of writing. */
export interface Case extends Effect {
  readonly title: string;
}

const functions = new Map(functionsOf(schema).map((fn) => [fn.name, fn]));

function formsOfCall({ param }: FunctionNode, args: readonly unknown[]): readonly Form[] {
  return param.flatMap((row, at) => {
    if (args[at] !== undefined && args[at] !== null) return formsOf([at], row, args[at]);
    const zero = zeroOf(row);
    const put = (what: string, value: unknown): Form => ({ what: `${row.name} ${what}`, path: [at], put: () => value });
    return [put("undefined", undefined), ...(zero === undefined ? [] : [put("of nothing", zero)])];
  });
}

/** An effect, and where it has nothing particular every way to write its call. */
export function casesOf(effects: readonly Effect[]): readonly Case[] {
  return effects.flatMap((one) => {
    const whole: Case = { ...one, title: one.what === "" ? one.name : `${one.name}: ${one.what}` };
    const fn = functions.get(one.name);
    if (one.what !== "" || fn === undefined) return [whole];
    // Arguments that are left out have a place too.
    const fill = (args: readonly unknown[]): readonly unknown[] => fn.param.map((_, at) => args[at]);
    const forms = formsOfCall(fn, fill(one.args()));
    return [
      whole,
      ...forms.map(({ what, path, put }) => ({
        ...one,
        title: `${one.name}: ${what}`,
        args: () => replaced(fill(one.args()), path, put) as readonly unknown[],
      })),
    ];
  });
}

/** Calls the entry point of a case. Returns what is seen. */
export function seen({ name, args, see }: Case): unknown {
  const call = Reflect.get(vulkan, name) as (...parameters: readonly unknown[]) => unknown;
  const parameters = args();
  return see(call(...parameters), parameters);
}
