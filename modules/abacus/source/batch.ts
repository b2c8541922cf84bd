/// <reference lib="dom" />
// Runs a baked kernel over arrays of any length: batch by batch through a small memory that stays in the cache.
import { BATCHED_GROUP } from "./batched.table.ts";
import type { BakedKernel } from "./generated/batched.ts";

/** An array that batched functions take and give. @public */
export type FloatArray = Float32Array | Float64Array;

/** Bytes of an operand or of results in one batch: with two operands, three times as much lies in a second-level cache. */
const BATCH_BYTES = 65_536;
const PAGE = 65_536;
/** Where the packed arguments, the dispatch block, the worker block, constants and the private stack lie (docs/kernel-abi.md). */
const PLACES = { args: 1024, dispatch: 2048, worker: 3072, data: 4096, arena: 16_384 } as const;
/** Most operands. */
const OPERANDS = 2;

/** The memory of all batched functions: one page of blocks, then results and operands. */
interface Workspace {
  readonly memory: WebAssembly.Memory;
  readonly words: Uint32Array;
  readonly views: Readonly<Record<4 | 8, readonly FloatArray[]>>;
}

let workspace: Workspace | null = null;

function openWorkspace(): Workspace {
  if (workspace !== null) return workspace;
  // Past the last batch lies what a vector of lanes may read and nobody uses.
  const memory = new WebAssembly.Memory({ initial: 2 + ((OPERANDS + 1) * BATCH_BYTES) / PAGE, maximum: PAGE });
  const { buffer } = memory;
  const places = Array.from({ length: OPERANDS + 1 }, (_, i) => PAGE + i * BATCH_BYTES);
  const words = new Uint32Array(buffer, 0, PAGE / 4);
  places.forEach((place, i) => void (words[PLACES.args / 4 + i] = place));
  words.set([128, 1, 1, 1, 1, 0, 0, 0, BATCHED_GROUP, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1], PLACES.dispatch / 4);
  words[(PLACES.dispatch + 96) / 4] = PLACES.data;
  words.set([128, 0, PLACES.arena, PAGE - PLACES.arena, 0, 1], PLACES.worker / 4);
  workspace = { memory, words, views: { 4: places.map((place) => new Float32Array(buffer, place, BATCH_BYTES / 4)), 8: places.map((place) => new Float64Array(buffer, place, BATCH_BYTES / 8)) } };
  return workspace;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const characters = atob(base64);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/** Runs a kernel over the first `count` elements of the workspace. */
type Run = (count: number) => void;

/** The baked kernel, compiled. Its constants are put into the workspace each time: functions share the place. */
function load({ code, data }: BakedKernel): Run {
  const { memory, words } = openWorkspace();
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(code)), { env: { memory, clock: () => 0 } });
  const [run] = Object.values(instance.exports) as readonly unknown[] as readonly ((args: number, dispatch: number, worker: number, first: number, end: number) => number)[];
  const constants = bytesOf(data);
  const place = new Uint8Array(memory.buffer, PLACES.data, constants.length);
  return (count) => {
    const groups = Math.ceil(count / BATCHED_GROUP);
    place.set(constants);
    const at = PLACES.dispatch / 4;
    words[at + 2] = groups * BATCHED_GROUP;
    words[at + 11] = words[at + 17] = words[at + 20] = groups;
    run?.(PLACES.args, PLACES.dispatch, PLACES.worker, 0, groups);
  };
}

function checkArray(name: string, what: string, value: unknown): asserts value is FloatArray {
  if (!(value instanceof Float32Array) && !(value instanceof Float64Array)) throw new TypeError(`${name}: the ${what} is a Float32Array or a Float64Array`);
}

/** Where results go: the given array, which has the first operand's type and at least its length, or a new one. */
function outputFor<T extends FloatArray>(name: string, first: T, output: T | undefined): T {
  if (output === undefined) return (first instanceof Float32Array ? new Float32Array(first.length) : new Float64Array(first.length)) as T;
  checkArray(name, "output", output);
  if (output.BYTES_PER_ELEMENT !== first.BYTES_PER_ELEMENT) throw new TypeError(`${name}: the output is of the operands' type`);
  if (output.length < first.length) throw new RangeError(`${name}: the output has ${output.length} elements, the operands ${first.length}`);
  return output;
}

function runBatches(run: Run, operands: readonly (FloatArray | number)[], length: number, output: FloatArray): void {
  const { views } = openWorkspace();
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
      if (typeof operand === "object") inputs[i]?.set(isWhole && operand.length === count ? operand : operand.subarray(start, start + count));
    }
    run(count);
    output.set(count === results.length ? results : results.subarray(0, count), start);
  }
}

/** A function of one array. @public */
export type UnaryBatch = <T extends FloatArray>(input: T, output?: T) => T;

/** A function of two arrays of one length, or of an array and a number. @public */
export type BinaryBatch = <T extends FloatArray>(left: T, right: T | number, output?: T) => T;

/** A function of one array over baked kernels for either type, compiled when they are first needed. */
export function unary(name: string, single: BakedKernel, double: BakedKernel): UnaryBatch {
  const runs: { 4: Run | null; 8: Run | null } = { 4: null, 8: null };
  return (input, output) => {
    checkArray(name, "input", input);
    const results = outputFor(name, input, output);
    const run = input.BYTES_PER_ELEMENT === 4 ? (runs[4] ??= load(single)) : (runs[8] ??= load(double));
    runBatches(run, [input], input.length, results);
    return results;
  };
}

/** A function of two operands over baked kernels for either type, compiled when they are first needed. */
export function binary(name: string, single: BakedKernel, double: BakedKernel): BinaryBatch {
  const runs: { 4: Run | null; 8: Run | null } = { 4: null, 8: null };
  return (left, right, output) => {
    checkArray(name, "left operand", left);
    if (typeof right !== "number") {
      checkArray(name, "right operand", right);
      if (right.BYTES_PER_ELEMENT !== left.BYTES_PER_ELEMENT) throw new TypeError(`${name}: both operands are of one type`);
      if (right.length !== left.length) throw new RangeError(`${name}: the operands have ${left.length} and ${right.length} elements`);
    }
    const results = outputFor(name, left, output);
    const run = left.BYTES_PER_ELEMENT === 4 ? (runs[4] ??= load(single)) : (runs[8] ??= load(double));
    runBatches(run, [left, right], left.length, results);
    return results;
  };
}
