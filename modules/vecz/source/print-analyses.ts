// SPDX-License-Identifier: Apache-2.0
// The analyses of a function before it is vectorised, as its text with a remark after each line.
import {
  type Block,
  type Instruction,
  type IrFunction,
  Op,
  type Value,
  VOID,
  isPointer,
  laneCount,
  printFunction,
} from "@muxkit/ir";

import type { Divergence } from "./divergence.ts";
import { wideValues } from "./vector-layout.ts";
import { LinearRegions } from "./linear-regions.ts";
import { type Prepared, type VectorizeRequest, prepare } from "./vectorize.ts";

const COLUMN = 56;

function shapeText(value: Value, { divergence, interleaved }: Prepared, wide: ReadonlySet<Value>): string {
  const shape = divergence.shapeOf(value);
  const words = [shape === null ? "varying" : shape === 0 ? "uniform" : `stride ${shape}`];
  const zeros = divergence.lowZeros(value);
  if (shape !== null && shape !== 0 && zeros > 0) words.push(`${zeros} low bits of lane 0 are zero`);
  if (shape === null && laneCount(value.type) > 1)
    words.push(wide.has(value) ? "one wide vector" : "a vector for each component");
  if (interleaved.has(value)) words.push("interleaved");
  return words.join(", ");
}

function blockText(
  block: Block,
  divergence: Divergence,
  regions: LinearRegions,
  nameOf: (block: Block) => string,
): string {
  const words: string[] = [];
  if ([...divergence.loops].some(({ header }) => header === block)) words.push("divergent loop");
  else if (divergence.forest.loops.some(({ header }) => header === block)) words.push("uniform loop");
  if (divergence.isJoin(block)) words.push("divergent lanes join");
  if (divergence.branches.has(block)) words.push("divergent branch");
  const exit = regions.exitOf(block);
  if (exit !== null) words.push(`linearised to ${nameOf(exit)}`);
  return words.join(", ");
}

/** The kind of an access follows from the shape of its address. */
function accessText({ op, operands }: Instruction, block: Block, divergence: Divergence): string {
  const pointer = op === Op.STORE ? operands[1] : undefined;
  if (pointer === undefined || !isPointer(pointer.type)) return "";
  const shape = divergence.shapeAt(pointer, block);
  return `address ${shape === null ? "varying" : shape === 0 ? "uniform" : `stride ${shape}`}`;
}

/**
 * A function as the vectoriser sees it: normalised, with shapes of values, divergent branches, joins, divergent loops,
 * linearised regions, interleaved variables and the layout of vectors; or, where it is refused, a line with the reason.
 *
 * @public
 */
export function printAnalyses(source: IrFunction, request: VectorizeRequest): string {
  const prepared = prepare(source, request);
  if (!prepared.ok) return `; refused: ${prepared.refusal}\n`;
  const { fn, divergence } = prepared;
  const wide = wideValues(divergence, request.width);
  const regions = new LinearRegions(divergence);
  const nameOf = (block: Block): string => `^${fn.blocks.indexOf(block)}`;
  const lines = printFunction(fn).split("\n");
  const remarks: string[] = lines.map(() => "");
  let line = 1 + (fn.kernel?.arguments.length ?? 0);
  remarks[0] = fn.parameters.map((parameter, i) => `%${i} ${shapeText(parameter, prepared, wide)}`).join("; ");
  for (const block of fn.blocks) {
    const parameters = block.parameters.map((parameter) => shapeText(parameter, prepared, wide));
    const about = blockText(block, divergence, regions, nameOf);
    remarks[line++] = [
      ...(parameters.length > 0 ? [parameters.join("; ")] : []),
      ...(about === "" ? [] : [about]),
    ].join(" | ");
    for (const instruction of block.instructions)
      remarks[line++] =
        instruction.type === VOID ? accessText(instruction, block, divergence) : shapeText(instruction, prepared, wide);
  }
  return lines.map((text, i) => (remarks[i] === "" ? text : `${text.padEnd(COLUMN)} ; ${remarks[i] ?? ""}`)).join("\n");
}
