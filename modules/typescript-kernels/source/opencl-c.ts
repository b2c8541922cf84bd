// SPDX-License-Identifier: Apache-2.0
// OpenCL C: the text of a unit, which people read and all targets take. Each line knows the place in TypeScript that it
// comes from, so that what a compiler says of it is said of that place.
import {
  CONSTANTS_AS_ARGUMENTS,
  type CombinationText,
  type ElementType,
  type RecordElement,
  finishingText,
  halvingLines,
  openclRange,
} from "@muxkit/kernel-library";
import type { Span } from "@muxkit/report";

import { type CText, GROUP_LINEAR_ID, expressionText } from "./opencl-c-expressions.ts";
import { type KernelType, type MemoryType, typeName } from "./kernel-type.ts";
import type {
  Combination,
  DeviceFunction,
  Expression,
  KernelTree,
  SpecConstant,
  Statement,
  Uses,
  Variable,
} from "./tree.ts";

/** The text of a unit. */
export interface OpenclText {
  readonly text: string;
  /** For each line the place that it comes from; null: of none. */
  readonly places: readonly (Span | null)[];
}

/** Lines of text, and where they come from. */
class Lines implements CText {
  readonly lines: string[] = [];
  readonly places: (Span | null)[] = [];
  readonly helpers: Map<string, string> = new Map();
  /** What a kernel does where it returns: one with reducers goes on at its end. */
  returns = "return;";
  private indent = 0;

  add(text: string, place: Span | null = null): void {
    this.lines.push(text === "" || text.startsWith("#") ? text : "  ".repeat(this.indent) + text);
    this.places.push(place);
  }

  within(what: () => void): void {
    this.indent++;
    what();
    this.indent--;
  }

  /** Adds to the last line. */
  extend(text: string): void {
    this.lines.push((this.lines.pop() ?? "") + text);
  }
}

/** Types and numbers of halves, which programs enable. */
const HALVES = /\b(?:\w+_)?half(?:2|3|4|8|16)?\b|\dh\b/u;

/** The text of a file's kernels. */
export function openclText(file: string, kernels: readonly KernelTree[]): OpenclText {
  const out = new Lines();
  const head = new Lines();
  for (const callee of inOrder(kernels)) writeFunction(out, callee);
  for (const kernel of kernels) writeKernel(out, kernel);
  head.add(`// Kernels of ${file}.`);
  if (out.lines.some((line) => HALVES.test(line))) head.add("#pragma OPENCL EXTENSION cl_khr_fp16 : enable");
  const uses = kernels.map((kernel) => kernel.uses);
  for (const record of recordsOf(uses)) {
    const fields = record.fields.map(({ name, type }) => `${typeName(type)} ${name};`).join(" ");
    head.add(`typedef struct { ${fields} } ${record.name};`);
  }
  for (const table of new Set(uses.flatMap(({ tables }) => [...tables])))
    head.add(
      `constant ${typeName(table.element)} ${table.cName}[${table.values.length}] = { ` +
        `${table.values.map((value) => expressionText(head, value)).join(", ")} };`,
    );
  for (const { macro, value, type } of new Set(uses.flatMap(({ constants }) => [...constants]))) {
    head.add(`#ifndef ${macro}`);
    head.add(`#define ${macro} ((${type.name})${value})`);
    head.add("#endif");
  }
  for (const helper of out.helpers.values()) head.add(helper);
  return { text: `${[...head.lines, ...out.lines].join("\n")}\n`, places: [...head.places, ...out.places] };
}

/** Functions, each behind what it calls. */
function inOrder(kernels: readonly KernelTree[]): ReadonlySet<DeviceFunction> {
  const ordered = new Set<DeviceFunction>();
  const visit = (callee: DeviceFunction): void => {
    if (ordered.has(callee)) return;
    for (const inner of callee.uses.functions) visit(inner);
    ordered.add(callee);
  };
  for (const { uses } of kernels) for (const callee of uses.functions) visit(callee);
  return ordered;
}

/** Records, each behind those that it has. */
function recordsOf(uses: readonly Uses[]): ReadonlySet<RecordElement> {
  const ordered = new Set<RecordElement>();
  const visit = (record: RecordElement): void => {
    for (const { type } of record.fields) if (type.kind === "record") visit(type);
    ordered.add(record);
  };
  for (const { records } of uses) for (const record of records) visit(record);
  return ordered;
}

const SPACES: Readonly<Record<MemoryType["space"], string>> = {
  global: "global ",
  local: "local ",
  private: "",
  constant: "constant ",
};

/** A parameter, with the ranges that its indexing needs. Items are functions in OpenCL C. */
function parameterTexts({ cName, type }: Variable): readonly string[] {
  if (type.kind === "item") return [];
  if (type.kind === "image") {
    const image = `${type.access === "write" ? "write_only" : "read_only"} image${type.dimensions}d_t ${cName}`;
    return type.access === "sample" ? [image, `sampler_t ${cName}_sampler`] : [image];
  }
  if (type.kind === "reducer") {
    const element = typeName(type.element);
    return [
      `global ${element}* ${cName}_partials`,
      `local ${element}* ${cName}_scratch`,
      `${element} ${cName}_identity`,
    ];
  }
  if (type.kind !== "memory") return [`${typeName(type)} ${cName}`];
  const isConst = type.space === "global" && type.access === "read" ? "const " : "";
  const inner = type.shape.slice(1);
  // Arrays of constant sizes keep their dimensions, which the compiler then knows.
  if (inner.length > 0 && inner.every((size) => typeof size === "number"))
    return [`${SPACES[type.space]}${typeName(type.element)} (*${cName})${sizesOf(inner)}`];
  const ranges = type.shape.flatMap((size) => (typeof size === "string" ? [`uint ${size}`] : []));
  return [`${SPACES[type.space]}${isConst}${typeName(type.element)}* ${cName}`, ...ranges];
}

const constantText = ({ type, cName }: SpecConstant): string => `${type.name} ${cName}`;

function writeFunction(out: Lines, { cName, parameters, result, body, uses, span }: DeviceFunction): void {
  const list = [...parameters.flatMap(parameterTexts), ...[...uses.constants].map(constantText)];
  out.add(`${typeName(result)} ${cName}(${list.length === 0 ? "void" : list.join(", ")}) {`, span);
  out.within(() => {
    writeAll(out, body);
  });
  out.add("}");
}

function writeKernel(out: Lines, kernel: KernelTree): void {
  const { cName, variables, reducers, body, uses, span, groupSize, subGroupSize } = kernel;
  const attributes = [
    ...(groupSize === null
      ? []
      : [`reqd_work_group_size(${[...openclRange(groupSize), 1, 1].slice(0, 3).join(", ")})`]),
    ...(subGroupSize === null ? [] : [`intel_reqd_sub_group_size(${subGroupSize})`]),
  ];
  const attribute = attributes.length === 0 ? "" : `__attribute__((${attributes.join(", ")})) `;
  const list = variables.flatMap(parameterTexts).join(", ");
  const constants = [...uses.constants];
  out.add(`kernel ${attribute}void ${cName}(${list}${constants.length === 0 ? ") {" : ""}`, span);
  if (constants.length > 0) {
    out.add(`#ifdef ${CONSTANTS_AS_ARGUMENTS}`);
    out.add(`    ${list === "" ? "" : ", "}${constants.map(constantText).join(", ")}`);
    out.add("#endif");
    out.add(") {");
    out.add(`#ifndef ${CONSTANTS_AS_ARGUMENTS}`);
    for (const constant of constants) out.add(`  const ${constantText(constant)} = ${constant.macro};`);
    out.add("#endif");
  }
  out.within(() => {
    for (const { cName: name, type } of uses.locals)
      if (type.kind === "memory") out.add(`local ${typeName(type.element)} ${name}${sizesOf(type.shape)};`, span);
    for (const { variable, element } of reducers)
      out.add(`${typeName(element)} ${variable.cName} = ${variable.cName}_identity;`, span);
    if (reducers.length > 0) out.returns = `goto ${END};`;
    writeAll(out, body);
    out.returns = "return;";
    if (reducers.length > 0) writeReductions(out, kernel);
  });
  out.add("}");
  for (const { element, finish, combination } of reducers)
    for (const line of finishingText(finish, typeName(element), combined(out, element, combination, span)))
      out.add(line, span);
}

/** The label of a kernel's end. */
const END = "reduction_end";

/** The end of a kernel with reducers: each work-group combines the values of its work-items. */
function writeReductions(out: Lines, { reducers, span }: KernelTree): void {
  out.add(`${END}:;`, span);
  out.add("const uint reduction_id = (uint)get_local_linear_id();", span);
  out.add("const uint reduction_size = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));", span);
  for (const { variable, element, combination } of reducers) {
    const { cName } = variable;
    const lines = halvingLines(`${cName}_scratch`, cName, combined(out, element, combination, span));
    for (const line of lines) out.add(line, span);
    out.add(`if (reduction_id == 0) ${cName}_partials[${GROUP_LINEAR_ID}] = ${cName}_scratch[0];`, span);
  }
}

/** The combination of two texts. */
function combined(out: Lines, type: ElementType, combination: Combination, span: Span): CombinationText {
  const named = (cName: string): Expression => ({
    op: "variable",
    variable: { name: cName, cName, type, isConst: true },
    type,
    span,
  });
  return (left, right) => expressionText(out, combination(named(left), named(right)));
}

/** Sizes of an array in brackets. */
function sizesOf(shape: MemoryType["shape"]): string {
  return shape.map((size) => `[${size}]`).join("");
}

function writeAll(out: Lines, body: readonly Statement[]): void {
  for (const statement of body) write(out, statement);
}

/** A body in braces, behind the text of its head. */
function writeBody(out: Lines, head: string, body: Statement, label: string | null = null): void {
  out.add(`${head} {`, body.span);
  out.within(() => {
    if (body.op === "block") writeAll(out, body.body);
    else write(out, body);
    if (label !== null) out.add(`${label}_continue:;`);
  });
  out.add("}");
}

function zero(type: KernelType): string {
  return type.kind === "vector" ? `(${typeName(type)})(0)` : type.kind === "record" ? "{ 0 }" : "0";
}

function declarationText(out: Lines, statement: Statement & { op: "declare" }): string {
  const { variable, value } = statement;
  return `${variable.cName}${value === null ? "" : ` = ${expressionText(out, value)}`}`;
}

function write(out: Lines, statement: Statement): void {
  const { span } = statement;
  switch (statement.op) {
    case "declare": {
      const { variable } = statement;
      out.add(
        `${variable.isConst && variable.type.kind === "scalar" ? "const " : ""}${typeName(variable.type)} ${declarationText(out, statement)};`,
        span,
      );
      return;
    }
    case "array": {
      const { variable, memory, values } = statement;
      const list =
        values.length === 0 ? zero(memory.element) : values.map((value) => expressionText(out, value)).join(", ");
      out.add(`${typeName(memory.element)} ${variable.cName}${sizesOf(memory.shape)} = { ${list} };`, span);
      return;
    }
    case "expression":
      out.add(`${expressionText(out, statement.value)};`, span);
      return;
    case "if":
      writeBody(out, `if (${expressionText(out, statement.condition)})`, statement.whenTrue);
      if (statement.otherwise !== null) writeElse(out, statement.otherwise);
      return;
    case "for":
      writeFor(out, statement);
      return;
    case "while":
      writeBody(out, `while (${expressionText(out, statement.condition)})`, statement.body, statement.label);
      writeEnd(out, statement.label);
      return;
    case "do":
      writeBody(out, "do", statement.body, statement.label);
      out.extend(` while (${expressionText(out, statement.condition)});`);
      writeEnd(out, statement.label);
      return;
    case "switch":
      writeSwitch(out, statement);
      return;
    case "jump":
      out.add(statement.label === null ? `${statement.kind};` : `goto ${statement.label}_${statement.kind};`, span);
      return;
    case "return":
      out.add(statement.value === null ? out.returns : `return ${expressionText(out, statement.value)};`, span);
      return;
    case "block":
      out.add("{", span);
      out.within(() => {
        writeAll(out, statement.body);
      });
      out.add("}");
  }
}

function writeElse(out: Lines, otherwise: Statement): void {
  out.lines.pop();
  out.places.pop();
  if (otherwise.op === "if") {
    writeBody(out, `} else if (${expressionText(out, otherwise.condition)})`, otherwise.whenTrue);
    if (otherwise.otherwise !== null) writeElse(out, otherwise.otherwise);
  } else writeBody(out, "} else", otherwise);
}

function writeEnd(out: Lines, label: string | null): void {
  if (label !== null) out.add(`${label}_break:;`);
}

function writeFor(out: Lines, statement: Statement & { op: "for" }): void {
  const { first, condition, step, body, label, span } = statement;
  const declared = first.flatMap((one) => (one.op === "declare" ? [one] : []));
  const types = new Set(declared.map(({ variable }) => typeName(variable.type)));
  const isOne = declared.length === first.length && types.size <= 1;
  const values = first.flatMap((one) => (one.op === "expression" ? [expressionText(out, one.value)] : []));
  const isValues = values.length === first.length;
  const begin = isValues
    ? values.join(", ")
    : isOne
      ? `${[...types].join("")} ${declared.map((one) => declarationText(out, one)).join(", ")}`
      : "";
  if (!isValues && !isOne) {
    out.add("{", span);
    writeAll(out, first);
  }
  const test = condition === null ? "" : ` ${expressionText(out, condition)}`;
  const steps = step.length === 0 ? "" : ` ${step.map((one) => expressionText(out, one)).join(", ")}`;
  writeBody(out, `for (${begin};${test};${steps})`, body, label);
  if (!isValues && !isOne) out.add("}");
  writeEnd(out, label);
}

function writeSwitch(out: Lines, { value, arms, label, span }: Statement & { op: "switch" }): void {
  out.add(`switch (${expressionText(out, value)}) {`, span);
  out.within(() => {
    for (const arm of arms) {
      const head = arm.label === null ? "default: {" : `case ${expressionText(out, arm.label)}: {`;
      out.add(head, arm.label?.span ?? span);
      out.within(() => {
        writeAll(out, arm.body);
      });
      out.add("}");
    }
  });
  out.add("}");
  writeEnd(out, label);
}
