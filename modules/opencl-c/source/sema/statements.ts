// SPDX-License-Identifier: Apache-2.0
// Statements to blocks and branches (C99 6.8), in one pass. Variables are allocas; mem2reg makes SSA of them later.
// Code after a jump is written into a dead block, which is dropped at the end of the function.
import { type Span, note } from "@muxkit/report";
import { type Block, I1, I32, Op, UNROLL_FULLY, type Value, constantInt, constantZero } from "@muxkit/ir";

import type { Attribute, CompoundStatement, Statement, UnrollHint } from "../ast.ts";
import { checkAttributes } from "./attribute-places.table.ts";
import { condition, convertArithmetic, convertImplicitly, copyRecord, promote, rvalue } from "./convert.ts";
import { declareLocals } from "./declarations.ts";
import { type CType } from "./ctype.ts";
import { checkExtensionPragma } from "./pragmas.ts";
import { recordValue } from "./expressions.ts";
import { staticAssert, constantInteger, constantNumber } from "./types.ts";
import { written } from "./spelling.ts";
import type { FunctionState, LabelState, SwitchCase, SwitchState, Unit } from "./unit.ts";
import { checkBody, checkCondition, checkFallthrough, checkReachable, checkUnused } from "./warnings.ts";

type Node<K extends Statement["kind"]> = Extract<Statement, { kind: K }>;

function state(unit: Unit): FunctionState {
  if (unit.fn === null) throw new Error("a statement stands in a function");
  return unit.fn;
}

/** Branches to a block, unless control has left already, and continues there. */
function flowInto(unit: Unit, block: Block): void {
  if (!unit.builder.isTerminated) unit.builder.branch(block);
  unit.startBlock(block);
}

/** After a jump, what follows is written into a block that nothing reaches. */
function afterJump(unit: Unit): void {
  unit.startBlock(unit.newBlock("dead"));
}

function withTargets(unit: Unit, breakTo: Block, continueTo: Block | null, body: () => void): void {
  const fn = state(unit);
  const { breakTo: oldBreak, continueTo: oldContinue } = fn;
  fn.breakTo = breakTo;
  if (continueTo !== null) fn.continueTo = continueTo;
  body();
  fn.breakTo = oldBreak;
  fn.continueTo = oldContinue;
}

function ifStatement(unit: Unit, node: Node<"if">): void {
  checkCondition(unit, node.condition);
  checkBody(unit, "if", node.whenTrue, node.whenFalse !== null, null);
  const bit = condition(unit, unit.parts.expression(unit, node.condition), node.condition.span);
  const yes = unit.newBlock("if.then");
  const no = node.whenFalse === null ? null : unit.newBlock("if.else");
  const end = unit.newBlock("if.end");
  unit.builder.conditionalBranch(bit, yes, no ?? end);
  unit.startBlock(yes);
  unit.parts.statement(unit, node.whenTrue);
  if (no !== null && node.whenFalse !== null) {
    if (!unit.builder.isTerminated) unit.builder.branch(end);
    unit.startBlock(no);
    unit.parts.statement(unit, node.whenFalse);
  }
  flowInto(unit, end);
}

/** Notes at a loop's first block how often the source wants its body repeated. */
function hint(head: Block, unroll: UnrollHint | undefined): void {
  if (unroll !== undefined) head.unroll = unroll === "full" ? UNROLL_FULLY : Math.min(unroll, UNROLL_FULLY);
}

function whileStatement(unit: Unit, node: Node<"while">): void {
  checkCondition(unit, node.condition);
  const head = unit.newBlock("while.head");
  const body = unit.newBlock("while.body");
  const end = unit.newBlock("while.end");
  flowInto(unit, head);
  hint(head, node.unroll);
  unit.builder.conditionalBranch(
    condition(unit, unit.parts.expression(unit, node.condition), node.condition.span),
    body,
    end,
  );
  unit.startBlock(body);
  withTargets(unit, end, head, () => unit.parts.statement(unit, node.body));
  if (!unit.builder.isTerminated) unit.builder.branch(head);
  unit.startBlock(end);
}

function doStatement(unit: Unit, node: Node<"do">): void {
  checkCondition(unit, node.condition);
  const body = unit.newBlock("do.body");
  const test = unit.newBlock("do.test");
  const end = unit.newBlock("do.end");
  flowInto(unit, body);
  hint(body, node.unroll);
  withTargets(unit, end, test, () => unit.parts.statement(unit, node.body));
  flowInto(unit, test);
  unit.builder.conditionalBranch(
    condition(unit, unit.parts.expression(unit, node.condition), node.condition.span),
    body,
    end,
  );
  unit.startBlock(end);
}

function forStatement(unit: Unit, node: Node<"for">): void {
  if (node.condition !== null) checkCondition(unit, node.condition);
  unit.openScope();
  if (node.start !== null) {
    if (node.start.kind === "declaration") declareLocals(unit, node.start);
    else unit.parts.expression(unit, node.start);
  }
  const head = unit.newBlock("for.head");
  const body = unit.newBlock("for.body");
  const step = unit.newBlock("for.step");
  const end = unit.newBlock("for.end");
  flowInto(unit, head);
  hint(head, node.unroll);
  if (node.condition === null) unit.builder.branch(body);
  else
    unit.builder.conditionalBranch(
      condition(unit, unit.parts.expression(unit, node.condition), node.condition.span),
      body,
      end,
    );
  unit.startBlock(body);
  withTargets(unit, end, step, () => unit.parts.statement(unit, node.body));
  flowInto(unit, step);
  if (node.step !== null) unit.parts.expression(unit, node.step);
  unit.builder.branch(head);
  unit.startBlock(end);
  unit.closeScope();
}

function switchStatement(unit: Unit, node: Node<"switch">): void {
  const fn = state(unit);
  const operand = rvalue(unit, unit.parts.expression(unit, node.value));
  let { value } = operand;
  let type: CType = operand.type;
  if (type.kind !== "int" && type.kind !== "bool") {
    if (type.kind !== "error") unit.report("cannotConvert", node.value.span, [written(operand), "an integer"]);
    value = constantInt(I32, 0);
  } else {
    value = convertArithmetic(unit, value, type, promote(type));
    type = promote(type);
  }
  const dispatch = unit.builder.block;
  const end = unit.newBlock("switch.end");
  const { switchState: outer } = fn;
  fn.switchState = { cases: [], otherwise: null, otherwiseSpan: null, type };
  unit.startBlock(unit.newBlock("switch.body"));
  checkFallthrough(unit, node.body);
  withTargets(unit, end, null, () => unit.parts.statement(unit, node.body));
  const { cases, otherwise } = fn.switchState;
  fn.switchState = outer;
  flowInto(unit, end);
  const { block } = unit.builder;
  unit.builder.block = dispatch;
  const isPlain = type.bits === 32 && cases.every(({ low, high }) => low === high);
  if (isPlain)
    unit.builder.switch(
      value,
      otherwise ?? end,
      cases.map((one): [number, Block] => [Number(BigInt.asIntN(32, one.low)), one.block]),
    );
  else compareChain(unit, value, cases, otherwise ?? end);
  unit.builder.block = block;
}

/** A switch over 64 bits or with ranges, which the IR's switch cannot hold. */
function compareChain(unit: Unit, value: Value, cases: readonly SwitchCase[], otherwise: Block): void {
  for (const { low, high, block } of cases) {
    const next = unit.newBlock("switch.next");
    const first = constantInt(value.type, low);
    // Unsigned, so that one comparison holds for both ends.
    const test =
      low === high
        ? unit.op(Op.EQ, I1, value, first)
        : unit.op(Op.ULE, I1, unit.op(Op.SUB, value.type, value, first), constantInt(value.type, high - low));
    unit.builder.conditionalBranch(test, block, next);
    unit.startBlock(next);
  }
  unit.builder.branch(otherwise);
}

/** Adds a case; one that another holds already is reported, one that holds nothing never matches. */
function addCase(unit: Unit, current: SwitchState, one: SwitchCase): void {
  if (one.low > one.high) return;
  const before = current.cases.find(({ low, high }) => low <= one.high && one.low <= high);
  if (before !== undefined)
    unit.report("duplicateCase", one.span, [], { notes: [note("the first one is here", before.span)] });
  else current.cases.push(one);
}

function caseStatement(unit: Unit, node: Node<"case">): void {
  const current = state(unit).switchState;
  const block = unit.newBlock("case");
  flowInto(unit, block);
  if (current === null) unit.report("caseOutside", node.span, ["case"]);
  else {
    const { bits, isSigned } = current.type;
    const held = (value: bigint): bigint => (isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
    const low = constantInteger(unit, node.value);
    const high = node.last === null ? low : constantInteger(unit, node.last);
    if (low !== null && high !== null)
      addCase(unit, current, { low: held(low), high: held(high), block, span: node.value.span });
  }
  unit.parts.statement(unit, node.body);
}

/** The word that a statement begins with. */
function headOf({ span }: Statement, word: string): Span {
  return { ...span, end: span.start + word.length };
}

function defaultStatement(unit: Unit, node: Node<"default">): void {
  const current = state(unit).switchState;
  const block = unit.newBlock("default");
  flowInto(unit, block);
  if (current === null) unit.report("caseOutside", node.span, ["default"]);
  else if (current.otherwise === null) {
    current.otherwise = block;
    current.otherwiseSpan = headOf(node, "default");
  } else
    unit.report("duplicateCase", headOf(node, "default"), [], {
      notes: current.otherwiseSpan === null ? [] : [note("the first one is here", current.otherwiseSpan)],
    });
  unit.parts.statement(unit, node.body);
}

function jump(unit: Unit, node: Node<"break" | "continue">): void {
  const fn = state(unit);
  const target = node.kind === "break" ? fn.breakTo : fn.continueTo;
  if (target === null) {
    unit.report("notInLoop", node.span, [node.kind, node.kind === "break" ? " or switch" : ""]);
    return;
  }
  unit.builder.branch(target);
  afterJump(unit);
}

function returnStatement(unit: Unit, node: Node<"return">): void {
  const fn = state(unit);
  const { result } = fn;
  const wanted = fn.symbol.type.target ?? { type: result, spelling: null };
  if (node.value === null) {
    if (result.kind !== "void")
      unit.report("returnType", node.span, [`"${fn.symbol.name}" must return a value of type ${written(wanted)}`]);
    unit.builder.return(result.kind === "void" || fn.resultAddress !== null ? null : constantZero(result.ir));
  } else {
    const operand = rvalue(unit, unit.parts.expression(unit, node.value));
    unit.locate(node.span);
    if (result.kind === "void") {
      if (operand.type.kind !== "void" && operand.type.kind !== "error")
        unit.report("returnType", node.value.span, [`"${fn.symbol.name}" returns void: its "return" takes no value`]);
      unit.builder.return();
    } else if (fn.resultAddress !== null) {
      copyRecord(unit, fn.resultAddress, recordValue(unit, operand, wanted, node.value), result);
      unit.builder.return();
    } else unit.builder.return(convertImplicitly(unit, operand, result, node.value.span, wanted.spelling));
  }
  afterJump(unit);
}

function labelBlock(unit: Unit, name: string, span: Span): LabelState {
  const { labels } = state(unit);
  let label = labels.get(name);
  if (label === undefined) {
    label = { block: unit.newBlock(name), isPlaced: false, isUsed: false, span };
    labels.set(name, label);
  }
  return label;
}

/** Checks on two consecutive statements. */
function checkNeighbours(
  unit: Unit,
  before: Node<"compound">["items"][number],
  item: Node<"compound">["items"][number],
): void {
  if (before.kind === "declaration" || before.kind === "pragma" || before.kind === "static-assert") return;
  checkReachable(unit, before, item);
  if (
    (before.kind === "while" || before.kind === "for") &&
    item.kind !== "declaration" &&
    item.kind !== "pragma" &&
    item.kind !== "static-assert"
  )
    checkBody(unit, before.kind, before.body, false, item);
}

/** Writes a statement, declaration or pragma of a block. */
export function blockItem(unit: Unit, item: CompoundStatement["items"][number]): void {
  if (item.kind === "declaration") declareLocals(unit, item);
  else if (item.kind === "static-assert") staticAssert(unit, item);
  else if (item.kind === "pragma") pragma(unit, item.text, item.span);
  else unit.parts.statement(unit, item);
}

function compound(unit: Unit, node: Node<"compound">): void {
  const fn = state(unit);
  if (node.isFunctionBody !== true) unit.openScope();
  fn.depth++;
  let before: (typeof node.items)[number] | null = null;
  for (const item of node.items) {
    if (before !== null) checkNeighbours(unit, before, item);
    before = item;
    blockItem(unit, item);
  }
  fn.depth--;
  if (node.isFunctionBody !== true) unit.closeScope();
}

/** FP_CONTRACT switches the fusing of multiplications and additions; other pragmas are hints. */
export function pragma(unit: Unit, text: string, span: Span): void {
  checkExtensionPragma(unit, text, span);
  const match = /^(?:OPENCL|STDC)\s+FP_CONTRACT\s+(ON|OFF|DEFAULT)/u.exec(text);
  if (match === null) return;
  unit.isContracting = match[1] !== "OFF";
  unit.updateFlags();
}

/**
 * What an attribute means for the loop after it: opencl_unroll_hint takes nothing or one positive number (OpenCL C 2.0
 * 6.11.5). Other attributes of statements are hints without effect.
 */
function unrollHint(unit: Unit, attributes: readonly Attribute[]): UnrollHint | null {
  let hinted: UnrollHint | null = null;
  for (const { name, arguments: given, span } of attributes) {
    if (name !== "opencl_unroll_hint") continue;
    const [count] = given;
    const number = count === undefined ? null : constantNumber(unit, count);
    if (given.length > 1) unit.report("attribute", span, ["opencl_unroll_hint takes one number at most"]);
    else if (number !== null && number < 1)
      unit.report("attribute", span, ["opencl_unroll_hint takes a positive number"]);
    else hinted = number ?? "full";
  }
  return hinted;
}

const ROWS: { readonly [K in Statement["kind"]]: (unit: Unit, node: Node<K>) => void } = {
  compound,
  expression: (unit, node) => {
    const { type } = rvalue(unit, unit.parts.expression(unit, node.expression));
    checkUnused(unit, node.expression, type);
  },
  attributed: (unit, node) => {
    // A label may be unused; the grammar takes its attributes for those of an empty statement.
    if (node.body.kind !== "empty") checkAttributes(unit, node.attributes, "statement");
    const unroll = unrollHint(unit, node.attributes);
    const { body } = node;
    const isLoop = body.kind === "for" || body.kind === "while" || body.kind === "do";
    unit.parts.statement(unit, isLoop && unroll !== null ? { ...body, unroll } : body);
  },
  empty: () => undefined,
  if: ifStatement,
  while: whileStatement,
  do: doStatement,
  for: forStatement,
  switch: switchStatement,
  case: caseStatement,
  default: defaultStatement,
  break: jump,
  continue: jump,
  return: returnStatement,
  goto: (unit, node) => {
    const label = labelBlock(unit, node.label, node.span);
    label.isUsed = true;
    unit.builder.branch(label.block);
    afterJump(unit);
  },
  label: (unit, node) => {
    const label = labelBlock(unit, node.label, headOf(node, node.label));
    if (label.isPlaced)
      unit.report("redefined", headOf(node, node.label), [node.label], {
        notes: [note("the first one is here", label.span)],
      });
    else {
      flowInto(unit, label.block);
      label.isPlaced = true;
      label.placeSpan = headOf(node, node.label);
    }
    unit.parts.statement(unit, node.body);
  },
};

/** Writes a statement. */
export function statement(unit: Unit, node: Statement): void {
  unit.locate(node.span);
  const write = ROWS[node.kind] as (unit: Unit, node: Statement) => void;
  write(unit, node);
}
