// SPDX-License-Identifier: Apache-2.0
// The entries muxkit/sycl and muxkit/sycl/runtime: what they have, and that a device and its compiler are ready.
import * as library from "@muxkit/kernel-library";
import * as api from "@muxkit/sycl";
import * as whole from "muxkit/sycl";
import * as runtime from "muxkit/sycl/runtime";
import { expect, test } from "vitest";

test.each([
  ["muxkit/sycl", whole],
  ["muxkit/sycl/runtime", runtime],
])("%s has all of the API and of what kernels use", (_name, entry) => {
  expect(Object.keys(entry)).toEqual(expect.arrayContaining([...Object.keys(api), ...Object.keys(library)]));
  expect(entry.LocalAccessor).toBe(api.LocalAccessor);
});

test("a module of a text is built and runs", () => {
  using queue = new whole.Queue();
  const source = "kernel void f(global int* x) { x[get_global_id(0)] = 3 * get_global_id(0); }";
  const module = whole.build(whole.createWithSource(queue.getContext(), source));
  const pointer = whole.mallocShared(Int32Array, 4, queue);
  queue.parallelFor(whole.range(4), module.getKernel("f"), pointer).wait();
  expect([...pointer.view(4)]).toEqual([0, 3, 6, 9]);
  whole.free(pointer, queue);
});

test("local memory is sized by a type of kernels", () => {
  expect(new whole.LocalAccessor(whole.float4, 8).byteSize).toBe(128);
});
