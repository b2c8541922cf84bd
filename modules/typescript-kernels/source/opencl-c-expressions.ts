// SPDX-License-Identifier: Apache-2.0
// Expressions in OpenCL C.
import type { ElementType, ScalarName } from "@muxkit/kernel-library";

import { FACTS, type KernelType, type MemoryType, isInteger, scalarOf, typeName } from "./kernel-type.ts";
import { ASSIGNMENT, type Bound, CONDITIONAL, PRIMARY, STRENGTH, UNARY, at } from "./precedence.ts";
import type { Expression, Literal } from "./tree.ts";

/** Where expressions leave the functions that they need. */
export interface CText {
  readonly helpers: Map<string, string>;
}

/** An expression as text. */
export function expressionText(out: CText, expression: Expression): string {
  return bound(out, expression).text;
}

const primary = (text: string): Bound => ({ text, strength: PRIMARY });

const SUFFIX: Readonly<Partial<Record<ScalarName, string>>> = {
  uint: "u",
  long: "L",
  ulong: "UL",
  half: "h",
  float: "f",
};

function floatText(value: number, name: ScalarName): string {
  const cast = name === "float" ? "" : `(${name})`;
  if (Number.isNaN(value)) return `${cast}NAN`;
  if (!Number.isFinite(value)) return `${value < 0 ? "-" : ""}${cast}INFINITY`;
  // The shortest text of the number as a double is exact enough for the float that it is.
  const digits = Object.is(value, -0) ? "-0" : name === "float" ? shortest(value) : String(value);
  return `${/[.e]/u.test(digits) ? digits : `${digits}.0`}${SUFFIX[name] ?? ""}`;
}

/** The shortest digits that round to a float. */
function shortest(value: number): string {
  for (let digits = 1; digits < 10; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(value);
}

function literalText({ value, type }: Literal): Bound {
  if (typeof value === "boolean") return primary(String(value));
  const name = scalarOf(type) ?? "int";
  const text = FACTS[name].isFloat ? floatText(Number(value), name) : `${value}${SUFFIX[name] ?? ""}`;
  if (value === -2147483648 && name === "int") return primary("(-2147483647 - 1)");
  if (value === -(2n ** 63n)) return primary("(-9223372036854775807L - 1L)");
  if (isNarrow(type)) return { text: `(${name})${text.startsWith("-") ? `(${text})` : text}`, strength: UNARY };
  return { text, strength: text.startsWith("-") || text.startsWith("(") ? UNARY : PRIMARY };
}

function isNarrow(type: KernelType): boolean {
  return isInteger(type) && FACTS[scalarOf(type) ?? "int"].bits < 32;
}

function bound(out: CText, expression: Expression): Bound {
  const text = (inner: Expression, least: number): string => at(bound(out, inner), least);
  const { type } = expression;
  switch (expression.op) {
    case "literal":
      return literalText(expression);
    case "invalid":
      return primary("0");
    case "variable":
      return primary(expression.variable.cName);
    case "table":
      return primary(expression.table.cName);
    case "spec-constant":
      return primary(expression.constant.cName);
    case "binary": {
      const strength = STRENGTH[expression.operator];
      const whole = `${text(expression.left, strength)} ${expression.operator} ${text(expression.right, strength + 1)}`;
      // C computes narrow integers as ints: the result is brought back.
      return isNarrow(type) ? { text: `(${typeName(type)})(${whole})`, strength: UNARY } : { text: whole, strength };
    }
    case "unary": {
      const whole = `${expression.operator}${text(expression.operand, PRIMARY)}`;
      return isNarrow(type)
        ? { text: `(${typeName(type)})(${whole})`, strength: UNARY }
        : { text: whole, strength: UNARY };
    }
    case "conditional": {
      const whole =
        `${text(expression.condition, CONDITIONAL + 1)} ? ${text(expression.whenTrue, CONDITIONAL)} : ` +
        text(expression.whenFalse, CONDITIONAL);
      return isNarrow(type)
        ? { text: `(${typeName(type)})(${whole})`, strength: UNARY }
        : { text: whole, strength: CONDITIONAL };
    }
    case "convert":
      return convertText(out, expression.operand, type);
    case "call":
      return primary(`${expression.callee.cName}(${callArguments(out, expression)})`);
    case "builtin":
      return builtinText(out, expression);
    case "vector":
      return {
        text: `(${typeName(type)})(${expression.arguments.map((one) => text(one, ASSIGNMENT)).join(", ")})`,
        strength: UNARY,
      };
    case "record":
      return {
        text: `(${typeName(type)}){ ${expression.arguments.map((one) => text(one, ASSIGNMENT)).join(", ")} }`,
        strength: UNARY,
      };
    case "swizzle":
      return primary(
        `${text(expression.object, PRIMARY)}.s${expression.lanes.map((lane) => lane.toString(16)).join("")}`,
      );
    case "lane":
      return laneText(out, expression);
    case "field":
      return primary(`${text(expression.object, PRIMARY)}.${expression.name}`);
    case "index":
      return primary(`${text(expression.memory, PRIMARY)}${indexText(out, expression)}`);
    case "assign":
      return assignText(out, expression);
    case "step":
      return stepText(out, expression);
    case "item":
      return { text: `(int)${itemText(expression)}`, strength: UNARY };
    case "barrier":
      return primary(barrierText(expression));
    case "atomic":
      return primary(atomicText(out, expression));
    case "image":
      return imageText(out, expression);
    case "combine":
      return combineText(out, expression);
    default:
      return primary(printText(out, expression.parts));
  }
}

const EXTENTS = ["width", "height", "depth"];
const COLORS: Readonly<Record<string, string>> = { float4: "f", int4: "i", uint4: "ui" };

/** Reads, writes and sizes of images. Places of three dimensions have four components in OpenCL C. */
function imageText(out: CText, { operation, image, arguments: values }: Expression & { op: "image" }): Bound {
  const { type, cName } = image;
  if (type.kind !== "image") return primary("0");
  const [first, color] = values;
  const plain = first === undefined ? "0" : at(bound(out, first), ASSIGNMENT);
  if (operation === "range") return primary(`get_image_${EXTENTS[Number(plain)] ?? "width"}(${cName})`);
  const isSampled = type.access === "sample";
  const place = type.dimensions === 3 ? `(${isSampled ? "float4" : "int4"})(${plain}, 0)` : plain;
  const letter = COLORS[typeName(type.element)] ?? "f";
  if (operation === "write" && color !== undefined)
    return primary(`write_image${letter}(${cName}, ${place}, ${at(bound(out, color), ASSIGNMENT)})`);
  return primary(`read_image${letter}(${cName}, ${isSampled ? `${cName}_sampler, ` : ""}${place})`);
}

function combineText(out: CText, { variable, value, combination, span }: Expression & { op: "combine" }): Bound {
  const own: Expression = { op: "variable", variable, type: value.type, span };
  return assignText(out, { op: "assign", target: own, value: combination(own, value), type: value.type, span });
}

function builtinText(out: CText, { name, arguments: values, type }: Expression & { op: "builtin" }): Bound {
  const call = primary(`${name}(${values.map((one) => at(bound(out, one), ASSIGNMENT)).join(", ")})`);
  return type.kind === "scalar" && type.name === "bool"
    ? { text: `${call.text} != 0`, strength: STRENGTH["!="] }
    : call;
}

function stepText(out: CText, { target, by, isPrefix }: Expression & { op: "step" }): Bound {
  const operator = by === 1 ? "++" : "--";
  const place = at(bound(out, target), PRIMARY);
  return { text: isPrefix ? operator + place : place + operator, strength: UNARY };
}

const FENCES: Readonly<Record<string, string>> = {
  local: "CLK_LOCAL_MEM_FENCE",
  global: "CLK_GLOBAL_MEM_FENCE",
  both: "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
};

function barrierText({ scope, fence }: Expression & { op: "barrier" }): string {
  return `${scope === "sub_group" ? "sub_group_barrier" : "barrier"}(${FENCES[fence] ?? ""})`;
}

/** A component by its number. Subscripts need a variable: what is none becomes the parameter of a function. */
function laneText(out: CText, { object, index, type }: Expression & { op: "lane" }): Bound {
  const number = bound(out, index).text;
  const whole = bound(out, object);
  if (["variable", "index", "field", "lane"].includes(object.op)) return primary(`${at(whole, PRIMARY)}[${number}]`);
  const [vector, name] = [typeName(object.type), `component_of_${typeName(object.type)}`];
  out.helpers.set(name, `${typeName(type)} ${name}(${vector} v, uint i) { return v[i]; }`);
  return primary(`${name}(${at(whole, ASSIGNMENT)}, ${number})`);
}

/** Row-major order: the last index counts neighbours. Arrays of constant sizes have brackets for each dimension. */
function indexText(out: CText, { memory, indices }: Expression & { op: "index" }): string {
  const { shape } = memory.type as MemoryType;
  if (!shape.some((size) => typeof size === "string"))
    return indices.map((index) => `[${bound(out, index).text}]`).join("");
  const { text } = indices
    .map((index) => bound(out, index))
    .reduce((row, index, i) => ({
      text: `${at(row, STRENGTH["*"])} * ${shape[i] ?? 1} + ${at(index, STRENGTH["*"])}`,
      strength: STRENGTH["+"],
    }));
  return `[${text}]`;
}

function callArguments(out: CText, { callee, arguments: values }: Expression & { op: "call" }): string {
  const given = values.flatMap((value): readonly string[] => {
    if (value.type.kind === "item") return [];
    const own = at(bound(out, value), ASSIGNMENT);
    const ranges =
      value.type.kind === "memory" ? value.type.shape.flatMap((size) => (typeof size === "string" ? [size] : [])) : [];
    const sampler = value.type.kind === "image" && value.type.access === "sample" ? [`${own}_sampler`] : [];
    return [own, ...ranges, ...sampler];
  });
  return [...given, ...[...callee.uses.constants].map(({ cName }) => cName)].join(", ");
}

function convertText(out: CText, operand: Expression, type: KernelType): Bound {
  const own = bound(out, operand);
  if (type.kind === "vector") return primary(`convert_${typeName(type)}(${own.text})`);
  if (type.kind === "scalar" && type.name === "bool")
    return { text: `${at(own, STRENGTH["!="] + 1)} != 0`, strength: STRENGTH["!="] };
  return { text: `(${typeName(type)})${at(own, UNARY)}`, strength: UNARY };
}

function assignText(out: CText, { target, value }: Expression & { op: "assign" }): Bound {
  const place = at(bound(out, target), UNARY);
  if (value.op === "binary" && value.left === target && !isNarrow(value.type))
    return { text: `${place} ${value.operator}= ${at(bound(out, value.right), ASSIGNMENT)}`, strength: ASSIGNMENT };
  return { text: `${place} = ${at(bound(out, value), ASSIGNMENT)}`, strength: ASSIGNMENT };
}

/** The number of the work-group. */
export const GROUP_LINEAR_ID: string =
  "(get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)";

/** Functions of OpenCL by the queries of items; `#`: the dimension. */
const QUERIES: Readonly<Record<string, string>> = {
  getId: "get_global_id(#)",
  getRange: "get_global_size(#)",
  getLinearId: "get_global_linear_id()",
  getGlobalId: "get_global_id(#)",
  getGlobalRange: "get_global_size(#)",
  getGlobalLinearId: "get_global_linear_id()",
  getLocalId: "get_local_id(#)",
  getLocalRange: "get_local_size(#)",
  getLocalLinearId: "get_local_linear_id()",
  getGroup: "get_group_id(#)",
  getGroupRange: "get_num_groups(#)",
  getGroupLinearId: `(${GROUP_LINEAR_ID})`,
};

function itemText({ query, dimension }: Expression & { op: "item" }): string {
  return (QUERIES[query] ?? "").replace("#", String(dimension));
}

/** Functions of OpenCL C 1.x, which are relaxed, for ints in the scope of their memory. */
const OLD_ATOMICS: Readonly<Record<string, string>> = {
  exchange: "xchg",
  compareExchange: "cmpxchg",
  fetchAdd: "add",
  fetchSub: "sub",
  fetchAnd: "and",
  fetchOr: "or",
  fetchXor: "xor",
  fetchMin: "min",
  fetchMax: "max",
};

const NEW_ATOMICS: Readonly<Record<string, string>> = {
  load: "load",
  store: "store",
  exchange: "exchange",
  ...Object.fromEntries(
    ["Add", "Sub", "And", "Or", "Xor", "Min", "Max"].map((name) => [`fetch${name}`, `fetch_${name.toLowerCase()}`]),
  ),
};

/** The order of a failed exchange, which writes nothing. */
const FAILURE: Readonly<Record<string, string>> = { release: "relaxed", acq_rel: "acquire" };

function atomicText(
  out: CText,
  { operation, target, arguments: values, order, scope }: Expression & { op: "atomic" },
): string {
  const place = `&${at(bound(out, target), PRIMARY)}`;
  const given = values.map((value) => at(bound(out, value), ASSIGNMENT));
  const name = typeName(target.type);
  const { space } = target.op === "index" ? (target.memory.type as MemoryType) : { space: "global" };
  const old = OLD_ATOMICS[operation];
  const usual = space === "local" ? "work_group" : "device";
  const { bits, isFloat } = FACTS[scalarOf(target.type) ?? "int"];
  if (old !== undefined && order === "relaxed" && scope === usual && bits === 32 && !isFloat)
    return `atomic_${old}(${[place, ...given].join(", ")})`;
  const pointer = `(volatile ${space} atomic_${name}*)${place}`;
  const orders = `memory_order_${order}`;
  const scopes = `memory_scope_${scope}`;
  if (operation !== "compareExchange")
    return `atomic_${NEW_ATOMICS[operation] ?? operation}_explicit(${[pointer, ...given, orders, scopes].join(", ")})`;
  const helper = `compare_exchange_${space}_${name}_${order}_${scope}`;
  out.helpers.set(
    helper,
    `${name} ${helper}(volatile ${space} atomic_${name}* place, ${name} expected, ${name} desired) { ` +
      `atomic_compare_exchange_strong_explicit(place, &expected, desired, ${orders}, memory_order_${FAILURE[order] ?? order}, ${scopes}); ` +
      `return expected; }`,
  );
  return `${helper}(${[pointer, ...given].join(", ")})`;
}

const LENGTHS: Readonly<Partial<Record<number, string>>> = { 8: "hh", 16: "h", 32: "hl", 64: "l" };

function formatOf(type: ElementType): string {
  const name = scalarOf(type) ?? "int";
  const { isFloat, isSigned, bits } = FACTS[name];
  const letter = isFloat ? "g" : isSigned ? "d" : "u";
  if (type.kind === "vector") return `%v${type.lanes}${LENGTHS[bits] ?? ""}${letter}`;
  return bits === 64 && !isFloat ? `%l${letter}` : `%${letter}`;
}

function printText(out: CText, parts: readonly (string | Expression)[]): string {
  const format = parts
    .map((part) => (typeof part === "string" ? part.replaceAll("%", "%%") : formatOf(part.type as ElementType)))
    .join(" ");
  const values = parts.flatMap((part) => (typeof part === "string" ? [] : [at(bound(out, part), ASSIGNMENT)]));
  return `printf(${[JSON.stringify(`${format}\n`), ...values].join(", ")})`;
}
