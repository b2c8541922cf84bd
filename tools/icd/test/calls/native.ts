// SPDX-License-Identifier: Apache-2.0
// A program of C that makes calls of the table, one function each: its rows are run by number (objects.h has the
// objects).
import type { FunctionNode, ParamNode } from "../../../../source/cl/tools/schema.ts";
import { FUNCTIONS } from "./schema-rows.ts";
import type { Row, Value } from "./values.ts";
import { VALID } from "./valid.table.ts";

const BY_NAME: ReadonlyMap<string, FunctionNode> = new Map(FUNCTIONS.map((fn) => [fn.name, fn]));

/** Parameters by name, as expressions. */
type Words = Record<string, string>;

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
const isRecord = (value: Value): value is { readonly [key: string]: Value } =>
  typeof value === "object" && value !== null && !isList(value);
const array = (type: string, items: readonly string[]): string =>
  items.length === 0 ? "NULL" : `(${type}[]){${items.join(", ")}}`;

/** Types passed by value. */
function scalar(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "boolean") return value ? "CL_TRUE" : "CL_FALSE";
  if (typeof value === "number") return Number.isInteger(value) && value > 0x7fff_ffff ? `${value}ULL` : String(value);
  if (typeof value !== "string") throw new Error(`${JSON.stringify(value)} is not passed by value`);
  if (value.startsWith("@")) return /^@(?:fresh|released)/u.test(value) ? `${value.slice(1)}()` : value.slice(1);
  return value.startsWith("CL_") ? `(${value})` : JSON.stringify(value);
}

const DESCRIPTION: Readonly<Record<string, string>> = {
  type: "image_type",
  width: "image_width",
  height: "image_height",
  depth: "image_depth",
  arraySize: "image_array_size",
  rowPitch: "image_row_pitch",
  slicePitch: "image_slice_pitch",
  levels: "num_mip_levels",
  samples: "num_samples",
  buffer: "mem_object",
  image: "mem_object",
};
const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "const cl_image_format *": { channelOrder: "image_channel_order", channelType: "image_channel_data_type" },
  "const cl_image_desc *": DESCRIPTION,
};

function struct(
  type: string,
  names: Readonly<Record<string, string>>,
  value: { readonly [key: string]: Value },
): string {
  return `&(${type.replace(/^const /u, "").replace(/ \*$/u, "")}){${Object.entries(value)
    .map(([key, part]) => `.${names[key] ?? key} = ${scalar(part)}`)
    .join(", ")}}`;
}

function properties(type: string, value: { readonly [key: string]: Value }): string {
  const element = type.replace(/^const /u, "").replace(/ \*$/u, "");
  const words = Object.entries(value).flatMap(([key, part]) => [
    key,
    ...(isList(part) ? [...part.map(scalar), "0"] : [scalar(part)]),
  ]);
  return array(element, [...words.map((word) => `(${element})${word}`), "0"]);
}

const bytesOf = (value: Value): number | null =>
  isRecord(value) && typeof value["bytes"] === "number" ? value["bytes"] : null;

/** Sets a parameter that a record stands for: numbers, bytes, a structure, properties. */
function putRecord(
  put: (to: string, text: string) => void,
  { name, type, length = "" }: ParamNode,
  value: { readonly [key: string]: Value },
): void {
  const fields = FIELDS[type];
  const numbers = value["words"] ?? null;
  if (isList(numbers)) {
    put(name, array("cl_uint", numbers.map(scalar)));
    put(length, String(numbers.length * 4));
  } else if (bytesOf(value) !== null || value["colour"] !== undefined) put(name, "bytes");
  else if (fields !== undefined) put(name, struct(type, fields, value));
  else if (name === "buffer_create_info") put(name, struct("const cl_buffer_region *", {}, value));
  else put(name, properties(type, value));
}

/** Sets a parameter, and those that hold its length. */
function set(words: Words, fn: FunctionNode, param: ParamNode, value: Value): void {
  const { name, type, length = "" } = param;
  const put = (to: string, text: string): void => {
    words[to] = text;
  };
  const counts = fn.param.some((other) => other.name === length && other.argument === undefined);
  if (fn.name === "clSetKernelArg" && name === "arg_value") {
    const local = isRecord(value) ? value["local"] : undefined;
    const bytes = bytesOf(value);
    put(length, local === undefined ? String(bytes ?? "sizeof(cl_mem)") : scalar(local));
    put(
      name,
      value === null || local !== undefined ? "NULL" : bytes === null ? `&(void *){${scalar(value)}}` : "bytes",
    );
  } else if (param.within !== undefined && isList(value)) {
    put(
      name,
      array(
        "cl_program",
        value.map((item) => scalar(isRecord(item) ? (item[param.within ?? ""] ?? null) : item)),
      ),
    );
    put(
      "header_include_names",
      array(
        "const char *",
        value.map((item) => scalar(isRecord(item) ? (item["name"] ?? null) : null)),
      ),
    );
    put(length, String(value.length));
  } else if (isList(value)) {
    const binaries = name === "binaries";
    const element = type.replace(/^const (?=cl_|size_t)/u, "").replace(/ ?\*$/u, "");
    if (binaries)
      put(
        "lengths",
        array(
          "size_t",
          value.map((item) => String(bytesOf(item) ?? (item === null ? 0 : "binarySize"))),
        ),
      );
    put(
      name,
      array(
        name === "input_value" ? "size_t" : name === "param_value" ? "void *" : element,
        value.map((item) => (bytesOf(item) === null ? scalar(item) : "bytes")),
      ),
    );
    if (counts)
      put(length, name === "input_value" || name === "param_value" ? String(value.length * 8) : String(value.length));
  } else if (isRecord(value)) {
    putRecord(put, param, value);
    const bytes = bytesOf(value);
    if (counts && bytes !== null) put(length, String(bytes));
  } else {
    put(name, scalar(value));
    if (value === null && counts && words[length] === undefined) put(length, "0");
  }
}

/** Values of parameters that have no counterpart in TypeScript. */
function byDefault({ name, type, way, length, optional }: ParamNode): string {
  if (name === "errcode_ret") return "&code";
  if (name === "event") return "&event";
  if (name === "param_value_size") return "sizeof room";
  if (type === "cl_uint" && /^num_(?:entries|devices|kernels)$/u.test(name)) return "16";
  if (name === "buffer_create_type") return "CL_BUFFER_CREATE_TYPE_REGION";
  if (name === "args_mem_loc") return "(const void **)room";
  if (way === "out" && length === "1" && type !== "void *")
    return name.includes("slice") ? "(void *)(room + 8)" : "(void *)room";
  if (way === "out") return "(void *)room";
  return optional === "true" && type.includes("*") ? "NULL" : "0";
}

/** The call of a row as an expression. */
function callOf({ call, change, native }: Row): string {
  const fn = BY_NAME.get(call);
  const valid = VALID[call];
  if (fn === undefined || valid === undefined) throw new Error(`${call} is not in the table`);
  const words: Words = {};
  for (const param of fn.param.filter(({ argument }) => argument !== undefined)) {
    const { argument = "" } = param;
    set(
      words,
      fn,
      param,
      change[argument] === undefined ? (valid[fn.arguments.split(" ").indexOf(argument)] ?? null) : change[argument],
    );
  }
  return `${call}(${fn.param.map((param) => native?.[param.name] ?? words[param.name] ?? byDefault(param)).join(", ")})`;
}

/** The body of a row's function: what the call comes to. */
function bodyOf(row: Row): string {
  const { answers, param } = BY_NAME.get(row.call) ?? { answers: "code", param: [] };
  const call = callOf(row);
  if (answers === "nothing") return `${call}; return CL_SUCCESS;`;
  if (answers === "code") return `return ${call};`;
  if (answers === "pointer" && !param.some(({ name }) => name === "errcode_ret"))
    return `return ${call} == NULL ? NULL_ANSWER : CL_SUCCESS;`;
  // A program whose linking failed exists all the same, with a log.
  if (row.call === "clLinkProgram") return `${call}; return code;`;
  return `void *made = ${call};
  return code != CL_SUCCESS && made != NULL ? MADE_ALL_THE_SAME : code == CL_SUCCESS && made == NULL
      ? NOTHING_MADE : code;`;
}

/** The program's text. */
export function programOf(rows: readonly Row[]): string {
  return `#include "objects.h"
${rows
  .map(
    (row, index) =>
      `// ${row.call}: ${row.what}\nstatic cl_int row_${index}(void) { cl_int code = ` +
      `NOT_WRITTEN; (void)code; ${bodyOf(row)} }`,
  )
  .join("\n")}
static cl_int (*const rows[])(void) = {${rows.map((_, index) => `row_${index}`).join(", ")}};
int main(int count, char **words) { return run_rows(rows, sizeof rows / sizeof *rows, count, words); }
`;
}
