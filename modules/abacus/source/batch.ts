// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// Runs a baked kernel over arrays of any length. Arrays in the library's own memory are computed in place. Others are
// strip-mined: batches are copied into a small memory that stays in the cache, computed there, and copied out.
import { BATCHED_GROUP } from "./batched.table.ts";
import type { BakedKernel } from "./generated/batched.js";
import { OPERANDS, PAGE, PART_BYTES, type RunAt, compileKernel, instantiate, layOutPage } from "./kernel.ts";
import { type FloatArray, runInPlace, runStaged } from "./shared-arrays.ts";

/** The memory that copies go through: one page of blocks, then results and operands. */
interface Workspace {
  readonly memory: WebAssembly.Memory;
  /** Offsets of results and operands. */
  readonly offsets: readonly number[];
  readonly views: Readonly<Record<4 | 8, readonly FloatArray[]>>;
}

let workspace: Workspace | null = null;

function openWorkspace(): Workspace {
  if (workspace !== null) return workspace;
  // Vectors may read past the last batch; what they read there is not used.
  const memory = new WebAssembly.Memory({ initial: 2 + ((OPERANDS + 1) * PART_BYTES) / PAGE, maximum: PAGE });
  const { buffer } = memory;
  const offsets = Array.from({ length: OPERANDS + 1 }, (_, i) => PAGE + i * PART_BYTES);
  layOutPage(buffer, 0);
  workspace = {
    memory,
    offsets,
    views: {
      4: offsets.map((offset) => new Float32Array(buffer, offset, PART_BYTES / 4)),
      8: offsets.map((offset) => new Float64Array(buffer, offset, PART_BYTES / 8)),
    },
  };
  return workspace;
}

/** Kernels in the workspace, compiled when they are first needed. */
const kernels = new Map<BakedKernel, RunAt>();

function kernelOf(baked: BakedKernel): RunAt {
  const known = kernels.get(baked);
  if (known !== undefined) return known;
  const made = instantiate(compileKernel(baked, false), openWorkspace().memory, 0);
  kernels.set(baked, made);
  return made;
}

function checkArray(name: string, what: string, value: unknown): asserts value is FloatArray {
  if (!(value instanceof Float32Array) && !(value instanceof Float64Array))
    throw new TypeError(`${name}: the ${what} is a Float32Array or a Float64Array`);
}

/** The array of results: `output`, which has the first operand's type and at least its length, or a new one. */
function outputFor<T extends FloatArray>(name: string, first: T, output: T | undefined): T {
  if (output === undefined)
    return (first instanceof Float32Array ? new Float32Array(first.length) : new Float64Array(first.length)) as T;
  checkArray(name, "output", output);
  if (output.BYTES_PER_ELEMENT !== first.BYTES_PER_ELEMENT)
    throw new TypeError(`${name}: the output is of the operands' type`);
  if (output.length < first.length)
    throw new RangeError(`${name}: the output has ${output.length} elements, the operands ${first.length}`);
  return output;
}

function runBatches(run: RunAt, operands: readonly (FloatArray | number)[], length: number, output: FloatArray): void {
  const { offsets, views } = openWorkspace();
  const [results, ...inputs] = views[output.BYTES_PER_ELEMENT as 4 | 8];
  if (results === undefined) return;
  operands.forEach((operand, i) => {
    if (typeof operand === "number") inputs[i]?.fill(operand);
  });
  for (let start = 0; start < length; start += results.length) {
    const count = Math.min(results.length, length - start);
    const isWhole = start === 0 && count === length;
    for (let i = 0; i < operands.length; i++) {
      const operand = operands[i];
      if (typeof operand === "object")
        inputs[i]?.set(isWhole && operand.length === count ? operand : operand.subarray(start, start + count));
    }
    run(count, offsets);
    output.set(count === results.length ? results : results.subarray(0, count), start);
  }
}

/** True when results would overwrite operands that are read later: both share bytes, at different offsets. */
function isShifted(operand: FloatArray, output: FloatArray): boolean {
  return (
    operand.buffer === output.buffer &&
    operand.byteOffset !== output.byteOffset &&
    operand.byteOffset < output.byteOffset + output.byteLength &&
    output.byteOffset < operand.byteOffset + operand.byteLength
  );
}

function compute(
  baked: BakedKernel,
  inputs: readonly (FloatArray | number)[],
  length: number,
  output: FloatArray,
): void {
  const operands = inputs.map((operand) =>
    typeof operand === "object" && isShifted(operand, output) ? operand.slice() : operand,
  );
  const whole = length - (length % BATCHED_GROUP);
  const from = whole > 0 && runInPlace(baked, operands, whole, output) ? whole : 0;
  if (from === 0 && runStaged(baked, operands, length, output)) return;
  if (from === 0) runBatches(kernelOf(baked), operands, length, output);
  else if (from < length)
    runBatches(
      kernelOf(baked),
      operands.map((operand) => (typeof operand === "number" ? operand : operand.subarray(from, length))),
      length - from,
      output.subarray(from, length),
    );
}

/** A function of one array. @public */
export type UnaryBatch = <T extends FloatArray>(input: T, output?: T) => T;

/** A function of two arrays of one length, or of an array and a number. @public */
export type BinaryBatch = <T extends FloatArray>(left: T, right: T | number, output?: T) => T;

/** A function of one array over baked kernels for either type, compiled when they are first needed. */
export function unary(name: string, single: BakedKernel, double: BakedKernel): UnaryBatch {
  return (input, output) => {
    checkArray(name, "input", input);
    const results = outputFor(name, input, output);
    compute(input.BYTES_PER_ELEMENT === 4 ? single : double, [input], input.length, results);
    return results;
  };
}

/** A function of two operands over baked kernels for either type, compiled when they are first needed. */
export function binary(name: string, single: BakedKernel, double: BakedKernel): BinaryBatch {
  return (left, right, output) => {
    checkArray(name, "left operand", left);
    if (typeof right !== "number") {
      checkArray(name, "right operand", right);
      if (right.BYTES_PER_ELEMENT !== left.BYTES_PER_ELEMENT)
        throw new TypeError(`${name}: both operands are of one type`);
      if (right.length !== left.length)
        throw new RangeError(`${name}: the operands have ${left.length} and ${right.length} elements`);
    }
    const results = outputFor(name, left, output);
    compute(left.BYTES_PER_ELEMENT === 4 ? single : double, [left, right], left.length, results);
    return results;
  };
}
