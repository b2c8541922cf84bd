// SPDX-License-Identifier: Apache-2.0
// Tables of the tests, from the schema: what a test tries on every entry point that has such an argument.
import { type FunctionNode, type ParamNode, type Schema, functionsOf, numberOf } from "./schema.ts";

/** Where an argument is. */
interface Place {
  readonly call: string;
  readonly index: number;
  readonly name: string;
}

/** A row of a table, with the errors that its tests expect. */
interface Row extends Place {
  readonly errors: readonly string[];
  /** The row as text, without its slot. */
  readonly rest: string;
}

/** A table: the tests that each row makes are in schema.test.ts. */
export interface TestTable {
  readonly name: string;
  readonly doc: string;
  /** Type of a row, without its slot. */
  readonly type: string;
  readonly rows: readonly Row[];
}

interface Argument extends Place {
  readonly fn: FunctionNode;
  readonly param: ParamNode;
}

function argumentsOf(schema: Schema): readonly Argument[] {
  return functionsOf(schema).flatMap((fn) =>
    fn.param.flatMap((param) => {
      const { argument } = param;
      return argument === undefined
        ? []
        : [{ fn, param, call: fn.name, name: argument, index: fn.arguments.split(" ").indexOf(argument) }];
    }),
  );
}

const quoted = (text: string | undefined): string => (text === undefined ? "null" : JSON.stringify(text));
const place = ({ call, index, name }: Place): Place => ({ call, index, name });
const given = (...errors: readonly (string | undefined)[]): readonly string[] => errors.flatMap((error) => error ?? []);

/** Pairs of a set whose constants exclude each other. */
function pairs(set: string): readonly (readonly [string, string])[] {
  const names = set.split(" ");
  return names.flatMap((left, i) => names.slice(i + 1).map((right): readonly [string, string] => [left, right]));
}

function objects(schema: Schema, all: readonly Argument[]): readonly Row[] {
  const handles = new Map(schema.handle.map((handle) => [handle.name, handle] as const));
  return all.flatMap((argument) => {
    const { fn, param } = argument;
    const handle = handles.get(param.handle ?? "");
    if (handle === undefined || fn.fails === "null") return [];
    const invalid = param.invalid ?? handle.invalid;
    const rest =
      `kind: "${param.class ?? handle.class}", isList: ${param.type.includes("*")}, ` +
      `isOptional: ${param.optional === "true"}, invalid: "${invalid}", foreign: ` +
      `${quoted(param.foreign)}, within: ${quoted(param.within)}`;
    return [{ ...place(argument), errors: given(invalid, param.foreign), rest }];
  });
}

function unknownFlags(schema: Schema, all: readonly Argument[]): readonly Row[] {
  return all.flatMap((argument) => {
    const {
      param: { type, unknown: error },
    } = argument;
    if (error === undefined) return [];
    const group = schema.group.find(({ name }) => name === type);
    const known = (group?.constant ?? [])
      .map(numberOf)
      .filter((value) => value < 2 ** 31)
      .reduce((bits, value) => bits | value, 0);
    const bit = Array.from({ length: 31 }, (_, i) => 2 ** i).find((value) => value > known) ?? 2 ** 30;
    return [{ ...place(argument), errors: [error], rest: `bit: ${bit}, error: "${error}"` }];
  });
}

function exclusiveFlags(schema: Schema, all: readonly Argument[]): readonly Row[] {
  return all.flatMap((argument) => {
    const {
      param: { type, unknown: error },
    } = argument;
    const group = schema.group.find(({ name }) => name === type);
    const value = (name: string): number => group?.constant.filter((row) => row.name === name).map(numberOf)[0] ?? 0;
    if (error === undefined || group?.exclusive === undefined) return [];
    return group.exclusive
      .split(";")
      .flatMap(pairs)
      .map(([left, right]) => ({
        ...place(argument),
        errors: [error],
        rest: `left: "${left}", right: "${right}", bits: ${value(left) | value(right)}, error: "${error}"`,
      }));
  });
}

const invalidValue = (argument: Argument): Row => ({ ...place(argument), errors: ["CL_INVALID_VALUE"], rest: "" });
const isArray = ({ fn, param }: Argument): boolean =>
  fn.extension === undefined &&
  /^clEnqueue(?!SVM)/u.test(fn.name) &&
  param.type.includes("void *") &&
  /^(?:size|rect|image)$/u.test(param.length ?? "");

/** The tables of arguments. */
export function argumentTables(schema: Schema): readonly TestTable[] {
  const all = argumentsOf(schema);
  const numbers = all.flatMap((argument) => {
    const {
      param: { number: error, zero },
    } = argument;
    return error === undefined
      ? []
      : [{ ...place(argument), errors: given(error, zero), rest: `error: "${error}", zero: ${quoted(zero)}` }];
  });
  return [
    {
      name: "OBJECTS",
      doc: "Arguments that are objects: the errors for none, and for one of another context.",
      rows: objects(schema, all),
      type:
        "readonly kind: Kind; readonly isList: boolean; readonly isOptional: boolean; " +
        "readonly invalid: ErrorName; readonly foreign: ErrorName | null; readonly within: " +
        "string | null",
    },
    {
      name: "UNKNOWN_FLAGS",
      doc: "Words of flags: a bit that means nothing, and its error.",
      type: "readonly bit: number; readonly error: ErrorName",
      rows: unknownFlags(schema, all),
    },
    {
      name: "EXCLUSIVE_FLAGS",
      doc: "Words of flags with two that exclude each other.",
      type: "readonly left: string; readonly right: string; readonly bits: number; readonly error: ErrorName",
      rows: exclusiveFlags(schema, all),
    },
    {
      name: "NUMBERS",
      doc: "Numbers: the errors for what is none, and for 0.",
      type: "readonly error: ErrorName; readonly zero: ErrorName | null",
      rows: numbers,
    },
    {
      name: "CALLBACKS",
      doc: "Functions that must be given.",
      type: "",
      rows: all.filter(({ param }) => param.callback === "true" && param.optional !== "true").map(invalidValue),
    },
    {
      name: "ARRAYS",
      doc: "Arrays of the caller that are read or written.",
      type: "",
      rows: all.filter(isArray).map(invalidValue),
    },
  ];
}

function rendered(name: string, type: string, doc: string, list: readonly string[]): string {
  return `/** ${doc} */\nexport const ${name}: readonly ${type}[] = [\n${list.map((row) => `  ${row},\n`).join("")}];\n`;
}

/** The module of all tables. */
export function testTables(schema: Schema): string {
  const entryPoints = functionsOf(schema).map(
    (fn) =>
      `["${fn.name}", [${fn.arguments
        .split(" ")
        .filter((name) => name !== "")
        .map(quoted)
        .join(", ")}], ${quoted(fn.refused)}]`,
  );
  const tokens = schema.info.flatMap(({ query, token }) =>
    token.map((row) => `["${query}", "${row.name}", ${quoted(row.gives)}]`),
  );
  const tables = argumentTables(schema).map(({ name, doc, type, rows }) =>
    rendered(
      name,
      type === "" ? "Place" : `(Place & { ${type} })`,
      doc,
      rows.map(
        (row) =>
          `{ call: "${row.call}", index: ${row.index}, name: "${row.name}"${row.rest === "" ? "" : `, ${row.rest}`} }`,
      ),
    ),
  );
  return `import type { ErrorName } from "@muxkit/opencl";

import type { Kind } from "../valid-calls.ts";

/** Where an argument is. */
interface Place {
  readonly call: string;
  readonly index: number;
  readonly name: string;
}

${[
  rendered(
    "ENTRY_POINTS",
    "(readonly [call: string, names: readonly string[], refused: ErrorName | null])",
    "Every entry point: names of its arguments, and the error for want of the feature.",
    entryPoints,
  ),
  ...tables,
  rendered(
    "TOKENS",
    "(readonly [query: string, token: string, gives: string | null])",
    "Tokens of the info queries: the type of the answer; null: it is not answered.",
    tokens,
  ),
].join("\n")}`;
}
