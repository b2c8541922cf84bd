// SPDX-License-Identifier: Apache-2.0
// Debug JavaScript: the kernels of a file with the arithmetic of their types, statement by statement at the places of
// the TypeScript, so that breakpoints and steps are there. What waits at barriers is a generator.
import type { Span } from "@muxkit/report";

import { HOST, javascriptText, keptText, variableText } from "./javascript-expressions.ts";
import type { KernelType } from "./kernel-type.ts";
import type { DeviceFunction, Expression, KernelTree, Statement, Variable } from "./tree.ts";

/** A piece of text, and where it comes from; null: of nowhere. */
export interface Piece {
  readonly text: string;
  readonly span: Span | null;
}

/** Collects pieces, a line for each statement. */
class Pieces {
  readonly pieces: Piece[] = [];
  private indent = 0;

  line(text: string, span: Span | null = null): void {
    this.pieces.push({ text: `${"  ".repeat(this.indent)}${text}\n`, span });
  }

  within(what: () => void): void {
    this.indent++;
    what();
    this.indent--;
  }
}

/** A kernel as a function: what takes the place of the one that is written. */
export function kernelPieces(kernel: KernelTree): readonly Piece[] {
  const out = new Pieces();
  const list = [
    ...(kernel.item.kind === "none" ? [] : ["item$"]),
    ...kernel.variables.map(({ cName }) => variableText(cName)),
  ];
  out.line(`(function${kernel.uses.waits ? "*" : ""} (${list.join(", ")}) {`, kernel.span);
  out.within(() => {
    for (const constant of kernel.uses.constants)
      out.line(`const ${variableText(constant.cName)} = ${constant.name}.defaultValue ?? ${numberText(constant)};`);
    for (const [i, local] of kernel.uses.locals.entries()) declareLocal(out, local, i);
    writeAll(out, kernel.body);
  });
  out.pieces.push({ text: "})", span: null });
  return out.pieces;
}

function numberText({ value, type }: { readonly value: number | string; readonly type: KernelType }): string {
  return typeof value === "string"
    ? `${value}n`
    : type.kind === "scalar" && type.name.endsWith("long")
      ? `${value}n`
      : String(value);
}

/** Functions and tables that kernels use, for the end of the file. */
export function functionPieces(kernels: readonly KernelTree[]): readonly Piece[] {
  const out = new Pieces();
  for (const table of new Set(kernels.flatMap(({ uses }) => [...uses.tables])))
    out.line(`const ${variableText(table.cName)} = [${table.values.map(javascriptText).join(", ")}];`);
  for (const callee of new Set(kernels.flatMap(({ uses }) => [...uses.functions]))) writeFunction(out, callee);
  return out.pieces;
}

function writeFunction(out: Pieces, { cName, parameters, body, uses, span }: DeviceFunction): void {
  const list = [
    ...parameters.map((parameter) => (parameter.type.kind === "item" ? "item$" : variableText(parameter.cName))),
    ...[...uses.constants].map((constant) => variableText(constant.cName)),
  ];
  out.line(`function${uses.waits ? "*" : ""} ${variableText(cName)}(${list.join(", ")}) {`, span);
  out.within(() => {
    writeAll(out, body);
  });
  out.line("}");
}

function declareLocal(out: Pieces, { cName, type }: Variable, number: number): void {
  if (type.kind !== "memory") return;
  out.line(
    `const ${variableText(cName)} = ${HOST}.local(${number}, ${JSON.stringify(type.element)}, ${JSON.stringify(type.shape)});`,
  );
}

function writeAll(out: Pieces, body: readonly Statement[]): void {
  for (const statement of body) write(out, statement);
}

function writeBody(out: Pieces, head: string, body: Statement, tail: string = ""): void {
  out.line(`${head} {`, body.span);
  out.within(() => {
    if (body.op === "block") writeAll(out, body.body);
    else write(out, body);
  });
  out.line(`}${tail}`);
}

const zero = (type: KernelType): string =>
  type.kind === "vector"
    ? `${HOST}.vector("${type.scalar}", ${type.lanes}, 0)`
    : type.kind === "record"
      ? `{ ${type.fields.map(({ name, type: of }) => `${name}: ${zero(of)}`).join(", ")} }`
      : "0";

function declarationText({ variable, value }: Statement & { op: "declare" }): string {
  return `${variableText(variable.cName)} = ${value === null ? zero(variable.type) : keptText(value)}`;
}

function write(out: Pieces, statement: Statement): void {
  const { span } = statement;
  switch (statement.op) {
    case "declare":
      out.line(`${statement.variable.isConst ? "const" : "let"} ${declarationText(statement)};`, span);
      return;
    case "array": {
      const { variable, memory, values } = statement;
      const list = `[${values.map(keptText).join(", ")}]`;
      out.line(
        `const ${variableText(variable.cName)} = ${HOST}.array(${JSON.stringify(memory.element)}, ${JSON.stringify(memory.shape)}, ${list});`,
        span,
      );
      return;
    }
    case "expression":
      out.line(`${javascriptText(statement.value)};`, span);
      return;
    case "if":
      writeBody(out, `if (${javascriptText(statement.condition)})`, statement.whenTrue);
      if (statement.otherwise !== null) writeBody(out, "else", statement.otherwise);
      return;
    case "for":
      writeFor(out, statement);
      return;
    case "while":
      writeBody(out, `${labelText(statement.label)}while (${javascriptText(statement.condition)})`, statement.body);
      return;
    case "do":
      writeBody(
        out,
        `${labelText(statement.label)}do`,
        statement.body,
        ` while (${javascriptText(statement.condition)});`,
      );
      return;
    case "switch":
      out.line(`${labelText(statement.label)}switch (${javascriptText(statement.value)}) {`, span);
      out.within(() => {
        for (const { label, body } of statement.arms) {
          out.line(label === null ? "default: {" : `case ${javascriptText(label)}: {`);
          out.within(() => {
            writeAll(out, body);
          });
          out.line("}");
        }
      });
      out.line("}");
      return;
    case "jump":
      out.line(`${statement.kind}${statement.label === null ? "" : ` ${statement.label}`};`, span);
      return;
    case "return":
      out.line(statement.value === null ? "return;" : `return ${keptText(statement.value)};`, span);
      return;
    case "block":
      out.line("{", span);
      out.within(() => {
        writeAll(out, statement.body);
      });
      out.line("}");
  }
}

function listText(all: readonly Expression[]): string {
  return all.map(javascriptText).join(", ");
}

function labelText(label: string | null): string {
  return label === null ? "" : `${label}: `;
}

function writeFor(out: Pieces, { first, condition, step, body, label }: Statement & { op: "for" }): void {
  const declared = first.flatMap((one) => (one.op === "declare" ? [declarationText(one)] : []));
  const values = first.flatMap((one) => (one.op === "expression" ? [javascriptText(one.value)] : []));
  const begin = declared.length > 0 ? `let ${declared.join(", ")}` : values.join(", ");
  writeBody(
    out,
    `${labelText(label)}for (${begin}; ${condition === null ? "" : javascriptText(condition)}; ${listText(step)})`,
    body,
  );
}
