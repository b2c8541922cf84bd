// SPDX-License-Identifier: Apache-2.0
// Reads api/cl.xml, the source of truth of the OpenCL layer, and checks that it makes sense in itself.
import { readSchemaFile, schemaNumber } from "../../../tools/build/schema-file.ts";

/** What has a name, and since when; `extension` names the extension that adds it. */
export interface Named {
  readonly name: string;
  readonly doc?: string;
  readonly since?: string;
  readonly deprecated?: string;
  readonly extension?: string;
}

/** A kind of object. */
export interface HandleNode extends Named {
  /** Class in TypeScript. */
  readonly class: string;
  /** The error for what is none. */
  readonly invalid: string;
  readonly retain?: string;
  readonly release?: string;
  readonly parent?: string;
}

/** Another name of a type of C. */
export interface TypeNode extends Named {
  readonly is: string;
}

/** What C passes by pointer. */
export interface StructNode extends Named {
  readonly member: readonly { readonly name: string; readonly type: string }[];
}

/** A constant; its value is a number, or `1<<n`. */
export interface ConstantNode extends Named {
  readonly value: string;
}

/** Constants that belong together. */
export interface GroupNode extends Named {
  readonly form: "error" | "number" | "name" | "key" | "c";
  /** Every constant is one bit. */
  readonly bits?: string;
  /** Sets, separated by semicolons, of which a word may have one constant. */
  readonly exclusive?: string;
  readonly constant: readonly ConstantNode[];
}

/** What an info query answers for a token: to C and to TypeScript. */
export interface TokenNode extends ConstantNode {
  readonly type: string;
  readonly gives?: string;
  /** Why it is not answered. */
  readonly absent?: string;
}

/** An info query. */
export interface InfoNode extends Named {
  readonly query: string;
  readonly tokens: string;
  readonly object: string;
  readonly token: readonly TokenNode[];
}

/** A parameter. */
export interface ParamNode extends Named {
  readonly type: string;
  readonly way?: "in" | "out" | "inout";
  readonly length?: string;
  /** Length of what each element points to. */
  readonly each?: string;
  readonly handle?: string;
  /** Class in TypeScript where it is narrower than the handle's. */
  readonly class?: string;
  readonly callback?: string;
  readonly optional?: string;
  readonly argument?: string;
  /** The elements in TypeScript are objects that have it under this name. */
  readonly within?: string;
  /** The error for no living object of the kind, where it is not the kind's. */
  readonly invalid?: string;
  /** The error for an object of another context. */
  readonly foreign?: string;
  /** The error for bits that mean nothing. */
  readonly unknown?: string;
  /** The error for a number that is negative, no whole one, or beyond everything there is. */
  readonly number?: string;
  /** The error for 0. */
  readonly zero?: string;
}

/** An error that the specification lists, or one beyond its list. */
export interface ErrorNode {
  readonly name: string;
  /** Only callers in C can cause it. */
  readonly c?: string;
  /** The reason why it cannot come. */
  readonly never?: string;
  /** The reason why it comes though OpenCL 3.0 does not list it. */
  readonly beyond?: string;
}

/** An entry point. */
export interface FunctionNode extends Named {
  readonly returns: string;
  readonly answers: "code" | "object" | "pointer" | "nothing";
  readonly dispatch?: string;
  /** `null` where it answers null and has no error. */
  readonly fails?: "null";
  /** The error for want of the feature. */
  readonly refused?: string;
  readonly reply: "local" | "cached" | "pipelined" | "waiting";
  readonly waits?: string;
  /** Tokens of a query that are queried each time. */
  readonly asks?: string;
  readonly resources?: "both" | "host" | "none";
  readonly arguments: string;
  readonly param: readonly ParamNode[];
  readonly error: readonly ErrorNode[];
}

/** Entry points of one section of the specification, or of one extension. */
export interface SectionNode {
  readonly title: string;
  readonly function: readonly FunctionNode[];
}

/** A slot of the dispatch table that is not ours. */
export interface SlotNode {
  readonly position: string;
  readonly name: string;
  /** Types of the parameters before errcode_ret; without them it answers a code. */
  readonly takes?: string;
  /** The function of ours that does the same. */
  readonly same?: string;
}

/** The whole schema. */
export interface Schema {
  readonly version: string;
  readonly handle: readonly HandleNode[];
  readonly type: readonly TypeNode[];
  readonly struct: readonly StructNode[];
  readonly group: readonly GroupNode[];
  readonly info: readonly InfoNode[];
  readonly reason: readonly { readonly name: string; readonly doc: string }[];
  readonly section: readonly SectionNode[];
  readonly slot: readonly SlotNode[];
}

const LISTS = new Set([
  "handle",
  "type",
  "struct",
  "member",
  "group",
  "constant",
  "info",
  "token",
  "reason",
  "section",
  "function",
  "param",
  "error",
  "slot",
]);

/** The number of a constant, as text of C or TypeScript. */
export function numberOf({ name, value }: ConstantNode): number {
  return schemaNumber(name, value);
}

/** Every function of the schema. */
export function functionsOf(schema: Schema): readonly FunctionNode[] {
  return schema.section.flatMap((section) => section.function);
}

/** What is wrong in the schema: unresolved names, slots that are taken twice. */
function mistakes(schema: Schema): readonly string[] {
  const errors = new Set(
    schema.group.filter(({ form }) => form === "error").flatMap(({ constant }) => constant.map(({ name }) => name)),
  );
  const handles = new Set(schema.handle.map(({ name }) => name));
  const reasons = new Set(schema.reason.map(({ name }) => name));
  const functions = functionsOf(schema);
  const calls = new Set(functions.map(({ name }) => name));
  const found: string[] = [];
  const need = (isRight: boolean, message: string): void => {
    if (!isRight) found.push(message);
  };
  for (const { name, invalid, retain, release, parent } of schema.handle) {
    need(errors.has(invalid), `${name}: ${invalid} is no error`);
    for (const call of [retain, release])
      need(call === undefined || calls.has(call), `${name}: ${call} is no function`);
    need(parent === undefined || handles.has(parent), `${name}: ${parent} is no handle`);
  }
  for (const { name, query, object, token } of schema.info) {
    need(calls.has(query) && handles.has(object), `${name}: ${query} or ${object} is not there`);
    for (const row of token)
      need(
        (row.gives === undefined) !== (row.absent === undefined),
        `${row.name} has either what it gives or why it is absent`,
      );
  }
  for (const fn of functions) {
    const names = new Set(fn.param.map(({ name }) => name));
    const used = fn.param
      .flatMap(({ argument }) => argument ?? [])
      .toSorted()
      .join(" ");
    need(
      used ===
        fn.arguments
          .split(" ")
          .filter((part) => part !== "")
          .toSorted()
          .join(" "),
      `${fn.name}: its arguments are ${fn.arguments}, its parameters name ${used}`,
    );
    const tokens = new Set(
      schema.info.filter(({ query }) => query === fn.name).flatMap(({ token }) => token.map(({ name }) => name)),
    );
    need(/^(?:local|cached|pipelined|waiting)$/u.test(fn.reply), `${fn.name}: ${fn.reply} is no way of replying`);
    need(
      fn.asks === undefined || fn.asks.split(" ").every((name) => tokens.has(name)),
      `${fn.name}: ${fn.asks} are no tokens of it`,
    );
    need(fn.waits === undefined || names.has(fn.waits), `${fn.name} waits for ${fn.waits}, which is no parameter`);
    for (const param of fn.param) {
      need(param.handle === undefined || handles.has(param.handle), `${fn.name}: ${param.handle} is no handle`);
      need(
        !handles.has(param.type) || param.handle === param.type,
        `${fn.name}: ${param.name} is a ${param.type}, so that is its handle`,
      );
      need(
        (param.way ?? "in") === "in" || param.type.includes("*"),
        `${fn.name}: ${param.name} is given back, so it is a pointer`,
      );
      const rule = param.length;
      for (const error of [param.invalid, param.foreign, param.unknown, param.number, param.zero])
        need(
          error === undefined || fn.error.some(({ name }) => name === error),
          `${fn.name}: ${param.name} names ${error}, which the specification does not list`,
        );
      need(
        rule === undefined || names.has(rule) || /^(?:\d+|nul|zero|rect|image)$/u.test(rule),
        `${fn.name}: ${rule} is no length`,
      );
    }
    for (const error of fn.error) {
      need(errors.has(error.name), `${fn.name}: ${error.name} is no error`);
      for (const reason of [error.never, error.beyond])
        need(reason === undefined || reasons.has(reason), `${fn.name}: ${reason} is no reason`);
    }
  }
  const places = [
    ...functions.flatMap(({ dispatch }) => dispatch ?? []),
    ...schema.slot.map(({ position }) => position),
  ]
    .map(Number)
    .toSorted((a, b) => a - b);
  need(
    places.every((place, index) => place === index),
    "the places of the dispatch table are not 0, 1, 2 and so on, each once",
  );
  return found;
}

/** Reads the schema; a mistake in it throws. */
export function readSchema(): Schema {
  const read = readSchemaFile(new URL("api/cl.xml", import.meta.url), LISTS) as Schema;
  const section = read.section.map((part) => ({
    ...part,
    function: part.function.map((fn) => ({
      ...fn,
      arguments: fn.arguments ?? "",
      param: fn.param ?? [],
      error: fn.error ?? [],
    })),
  }));
  const schema = { ...read, section };
  const wrong = mistakes(schema);
  if (wrong.length > 0) throw new Error(`api/cl.xml:\n${wrong.join("\n")}`);
  return schema;
}
