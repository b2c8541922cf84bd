// SPDX-License-Identifier: Apache-2.0
// Wrong calls that the schema itself makes: each argument in turn is nothing, of another kind, released, of another
// context, out of range.
import {
  type FunctionNode,
  type ParamNode,
  functionsOf,
  numberOf,
  readSchema,
} from "../../../../source/cl/tools/schema.ts";
import type { Row, Value } from "./values.ts";
import { VALID } from "./valid.table.ts";

const schema = readSchema();

/** Entry points of the dispatch table. */
export const FUNCTIONS: readonly FunctionNode[] = functionsOf(schema).filter(({ dispatch }) => dispatch !== undefined);
const CLASSES = new Map(schema.handle.map((handle) => [handle.name, handle] as const));

/** A living object of another kind. */
const OF_ANOTHER_KIND: Readonly<Record<string, string>> = {
  Platform: "@device",
  Device: "@platform",
  Context: "@queue",
  CommandQueue: "@context",
  MemoryObject: "@sampler",
  Buffer: "@image",
  Image: "@buffer",
  Pipe: "@buffer",
  Sampler: "@buffer",
  Program: "@kernel",
  Kernel: "@program",
  Event: "@queue",
};
const RELEASED: Readonly<Record<string, string>> = {
  Device: "@releasedPart",
  Context: "@releasedContext",
  CommandQueue: "@releasedQueue",
  MemoryObject: "@releasedBuffer",
  Buffer: "@releasedBuffer",
  Image: "@releasedImage",
  Pipe: "@releasedPipe",
  Sampler: "@releasedSampler",
  Program: "@releasedProgram",
  Kernel: "@releasedKernel",
  Event: "@releasedEvent",
};
const FOREIGN: Readonly<Record<string, string>> = {
  Device: "@part",
  MemoryObject: "@foreignBuffer",
  Buffer: "@foreignBuffer",
  Image: "@foreignImage",
  Kernel: "@foreignKernel",
  Event: "@foreignEvent",
};

interface Place {
  readonly fn: FunctionNode;
  readonly param: ParamNode;
  readonly name: string;
}

/** The argument of a valid call. */
function validOf({ fn, name }: Place): Value {
  return VALID[fn.name]?.[fn.arguments.split(" ").indexOf(name)] ?? null;
}

function objectRows(place: Place): readonly Row[] {
  const { fn, param, name } = place;
  const handle = CLASSES.get(param.handle ?? "");
  if (handle === undefined || fn.fails === "null" || fn.answers === "nothing") return [];
  const kind = param.class ?? handle.class;
  const error = param.invalid ?? handle.invalid;
  const isList = param.type.includes("*");
  const within = (value: Value): Value => (param.within === undefined ? value : { name: "a.h", [param.within]: value });
  const row = (what: string, value: Value, code: string): Row => ({
    call: fn.name,
    what: `${what} as ${name}`,
    error: code,
    change: { [name]: isList ? [within(value)] : value },
  });
  const isNullable = param.optional === "true" && !isList;
  const released = RELEASED[kind];
  const foreign = FOREIGN[kind];
  return [
    // Loaders handle an invalid platform: some take it for the first one.
    ...(isNullable || kind === "Platform" ? [] : [row("null", null, error)]),
    ...(fn.answers === "pointer" ? [] : [row("an object of another kind", OF_ANOTHER_KIND[kind] ?? null, error)]),
    ...(released === undefined ? [] : [{ ...row("an object that was released", released, error), isStale: true }]),
    ...(param.foreign === undefined || foreign === undefined
      ? []
      : [row("an object of another context", foreign, param.foreign)]),
    ...(kind === "Buffer" || kind === "Image" ? [row("a pipe", "@pipe", error)] : []),
  ];
}

/** Lists of objects and their lengths, which only C has apart. */
function lengthRows({ fn, param }: Place): readonly Row[] {
  const error = param.invalid === "CL_INVALID_EVENT_WAIT_LIST" ? param.invalid : "CL_INVALID_VALUE";
  const count = param.length ?? "";
  if (param.handle === undefined || !param.type.includes("*") || !fn.param.some(({ name }) => name === count))
    return [];
  const row = (what: string, native: Readonly<Record<string, string>>): Row => ({
    call: fn.name,
    what: `${what} as ${param.name}`,
    error,
    change: {},
    native,
  });
  return [
    row("no list of one object", { [count]: "1", [param.name]: "NULL" }),
    row("a list of no objects", { [count]: "0", [param.name]: "(void *)&marker" }),
  ];
}

function flagRows({ fn, param, name }: Place): readonly Row[] {
  const { type, unknown: error } = param;
  const group = schema.group.find((candidate) => candidate.name === type);
  if (error === undefined || group === undefined) return [];
  const known = group.constant
    .map(numberOf)
    .filter((value) => value < 2 ** 31)
    .reduce((bits, value) => bits | value, 0);
  const bit = Array.from({ length: 31 }, (_, i) => 2 ** i).find((value) => value > known) ?? 2 ** 30;
  const pairs = (group.exclusive ?? "")
    .split(";")
    .filter((set) => set !== "")
    .flatMap((set) => {
      const names = set.split(" ");
      return names.flatMap((left, i) => names.slice(i + 1).map((right) => `${left}|${right}`));
    });
  return [
    { call: fn.name, what: `a bit of ${name} that means nothing`, error, change: { [name]: bit } },
    ...pairs.map((pair): Row => ({
      call: fn.name,
      what: `${pair.replace("|", " with ")} as ${name}`,
      error,
      change: { [name]: pair },
    })),
  ];
}

function numberRows(place: Place): readonly Row[] {
  const { fn, param, name } = place;
  const { number: error, zero } = param;
  // The size of a C program's own memory is unknown: no address in it is out of range.
  const isOfHost = /^host(?!Array)|^(?:row|slice)Pitch$/u.test(name) && fn.name.startsWith("clEnqueue");
  if (error === undefined || param.type === "cl_int" || isOfHost) return [];
  const valid = validOf(place);
  const counted = (value: number): Value =>
    Array.isArray(valid) ? [value, ...(valid as readonly Value[]).slice(1)] : value;
  const most = param.type === "cl_uint" ? 2 ** 32 - 1 : 2 ** 52;
  return [
    { call: fn.name, what: `a ${name} beyond everything there is`, error, change: { [name]: counted(most) } },
    ...(zero === undefined
      ? []
      : [{ call: fn.name, what: `a ${name} of 0`, error: zero, change: { [name]: counted(0) } }]),
  ];
}

function pointerRows({ fn, param, name }: Place): readonly Row[] {
  const isFunction = param.callback === "true" && param.optional !== "true";
  const isThree = param.type === "const size_t *" && param.length === "3";
  const isArray =
    /^clEnqueue(?!SVM)/u.test(fn.name) &&
    param.type.includes("void *") &&
    /^(?:size|rect|image)$/u.test(param.length ?? "");
  const row = { call: fn.name, what: `null as ${name}`, error: "CL_INVALID_VALUE" };
  // Lists of numbers are never null in TypeScript.
  if (isThree) return [{ ...row, change: {}, native: { [param.name]: "NULL" } }];
  return isFunction || isArray ? [{ ...row, change: { [name]: null } }] : [];
}

function tokenRows({ fn, name }: Place): readonly Row[] {
  if (name !== "token") return [];
  return [
    { call: fn.name, what: "a token that means nothing", error: "CL_INVALID_VALUE", change: { token: "CL_NOTHING" } },
    {
      call: fn.name,
      what: "less room than the answer needs",
      error: "CL_INVALID_VALUE",
      change: {},
      native: { param_value_size: "1", param_value: "room" },
    },
  ];
}

/** Pointers to answers without which a call makes no sense. */
function answerRows(fn: FunctionNode): readonly Row[] {
  return fn.param
    .filter(
      ({ way, length, optional, name }) =>
        way === "out" && length === "1" && optional !== "true" && name !== "image_slice_pitch",
    )
    .map(({ name }): Row => ({
      call: fn.name,
      what: `no room for ${name}`,
      error: "CL_INVALID_VALUE",
      change: {},
      native: { [name]: "NULL" },
    }));
}

/** The rows of every entry point. */
export const SCHEMA_ROWS: readonly Row[] = FUNCTIONS.flatMap((fn) => [
  ...fn.param.flatMap((param) => {
    const { argument: name = "" } = param;
    const place = { fn, param, name };
    return [
      ...(name === ""
        ? []
        : [...objectRows(place), ...flagRows(place), ...numberRows(place), ...pointerRows(place), ...tokenRows(place)]),
      ...lengthRows(place),
    ];
  }),
  ...answerRows(fn),
]);
