// SPDX-License-Identifier: Apache-2.0
// What the tests of this package share: the processor with two threads, modules of small kernels, rows and how they
// run.
import { hostTarget } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler/native";
import { registerTarget } from "@muxkit/mux";
import {
  Context,
  type ExecutableModule,
  type Kernel,
  Queue,
  type QueueOptions,
  SyclException,
  type UsmPointer,
  build,
  createWithSource,
  free,
  mallocShared,
  range,
  setCompilers,
} from "@muxkit/sycl";
import { expect, test } from "vitest";

/** The same, for tables of tests. */
export { expect };

registerTarget(hostTarget({ threads: 2 }));
setCompilers({ compilers });

/** A test: what holds, and a function that expects it. */
export interface Row {
  /** Its name in docs/sycl-modules.md. */
  readonly id: string;
  /** What holds. */
  readonly what: string;
  readonly run: () => void | Promise<void>;
}

/** A test of an error: what is wrong, and what is thrown. */
export interface ErrorRow {
  readonly id: string;
  /** What is wrong. */
  readonly what: string;
  /** The name of the exception. */
  readonly name?: string;
  /** Its code. */
  readonly code: string;
  readonly message: RegExp;
  readonly run: () => unknown;
}

/** A test for each row. */
export function runRows(rows: readonly Row[]): void {
  test.each(rows)("$id: $what", async ({ run }) => {
    expect.hasAssertions();
    await run();
  });
}

/** The exception that a function throws, at once or later. */
export async function errorOf(run: () => unknown): Promise<SyclException> {
  try {
    await run();
  } catch (error) {
    if (error instanceof SyclException) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** A test for each error. */
export function runErrorRows(rows: readonly ErrorRow[]): void {
  test.each(rows)("$id: $what", async ({ run, name = "exception", code, message }) => {
    const error = await errorOf(run);
    expect(error.message).toMatch(message);
    expect({ name: error.name, code: error.code }).toEqual({ name, code });
  });
}

export const context: Context = new Context();
export const queue: Queue = new Queue({ context });

export function newQueue(options: QueueOptions = {}): Queue {
  return new Queue({ context, ...options });
}

/** Kernels that most tests need. */
export const KERNELS = `
kernel void twice(global int* x) {
  size_t i = get_global_id(0);
  x[i] = 2 * x[i];
}
kernel void add(global const int* x, global int* y) {
  size_t i = get_global_id(0);
  y[i] += x[i];
}
kernel void scale(global float* x, float factor) {
  size_t i = get_global_id(0);
  x[i] = factor * x[i];
}
kernel void places(global int* out, int columns) {
  size_t column = get_global_id(0);
  size_t row = get_global_id(1);
  out[row * columns + column] = 100 * row + column;
}
kernel void groups(global int* out, local int* shared) {
  size_t i = get_local_id(0);
  shared[i] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = shared[get_local_size(0) - 1 - i];
}
kernel void one(global int* out) { out[0] += 1; }
kernel void values(global const int* x, global int* partial) { partial[get_global_id(0)] = x[get_global_id(0)]; }
`;

let built: ExecutableModule | null = null;

/** The kernels, built once. */
export function kernels(): ExecutableModule {
  built ??= build(createWithSource(context, KERNELS));
  return built;
}

export const kernel = (name: string): Kernel => kernels().getKernel(name);

/** 0, 1, 2 … */
export function counting(length: number, first: number = 0): Int32Array {
  return Int32Array.from({ length }, (_, i) => first + i);
}

/** A small program. */
export const ONE = "kernel void f(global int* x) { x[get_global_id(0)] = 1; }";
export const TWO = "kernel void g(global int* x) { x[get_global_id(0)] = 2; }";
/** A kernel that calls a function of another module, and that function. */
export const CALLER =
  "int helper(int); kernel void f(global int* x) { x[get_global_id(0)] = helper(get_global_id(0)); }";
export const HELPER = "int helper(int i) { return 3 * i; }";

/** What a kernel that writes its argument leaves in four elements. */
export function outcome(module: ExecutableModule, name: string = "f", on: Queue = queue): readonly number[] {
  const pointer = mallocInts(4, on);
  try {
    on.parallelFor(range(4), module.getKernel(name), pointer).wait();
    return [...pointer.view(4)];
  } finally {
    free(pointer, on);
  }
}

/** So many ints of shared memory. */
export function mallocInts(count: number, on: Queue = queue): UsmPointer<Int32Array> {
  const pointer = mallocShared(Int32Array, count, on);
  pointer.view(count).fill(0);
  return pointer;
}
