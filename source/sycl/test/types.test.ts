// SPDX-License-Identifier: Apache-2.0
// What the type checker sees: members by state, results of the functions between states, elements of buffers.
import { type Accessor, type Item, float } from "@muxkit/kernel-library";
import {
  Buffer,
  type DeviceImage,
  type ElementOf,
  type ExecutableModule,
  type InputModule,
  type Kernel,
  type Module,
  type ModuleState,
  type ObjectModule,
  type Range,
  type SpecConstant,
  type UsmPointer,
  type build,
  type compile,
  type join,
  kernel,
  type link,
  mallocShared,
  range,
} from "@muxkit/sycl";
import { describe, expect, expectTypeOf, test } from "vitest";

import { queue } from "./rig.ts";

describe("types", () => {
  test("types/states: a module of a state has that state's class", () => {
    expectTypeOf<Module<"input">>().toEqualTypeOf<InputModule>();
    expectTypeOf<Module<"object">>().toEqualTypeOf<ObjectModule>();
    expectTypeOf<Module<"executable">>().toEqualTypeOf<ExecutableModule>();
    expectTypeOf<ModuleState>().toEqualTypeOf<"input" | "object" | "executable">();
  });

  test("types/executable-members: only executable modules have kernels", () => {
    expectTypeOf<Module<"executable">>().toHaveProperty("getKernel").returns.toEqualTypeOf<Kernel>();
    expectTypeOf<Module<"executable">>().toHaveProperty("hasKernel");
    expectTypeOf<Module<"executable">>().toHaveProperty("getKernelNames");
    expectTypeOf<Module<"input">>().not.toHaveProperty("getKernel");
    expectTypeOf<Module<"object">>().not.toHaveProperty("getKernel");
    expectTypeOf<Module<"object">>().not.toHaveProperty("getKernelNames");
    expectTypeOf<Module>().not.toHaveProperty("getKernel");
  });

  test("types/input-members: only input modules have values set by a method", () => {
    expectTypeOf<Module<"input">>().toHaveProperty("setSpecConstant");
    expectTypeOf<Module<"object">>().not.toHaveProperty("setSpecConstant");
    expectTypeOf<Module<"executable">>().not.toHaveProperty("setSpecConstant");
  });

  test("types/common-members: all modules have images and a context", () => {
    for (const name of ["getContext", "begin", "end", "hasSpecConstant", "equals"] as const)
      expectTypeOf<Module>().toHaveProperty(name);
    expectTypeOf<Module<"object">["images"]>().toEqualTypeOf<readonly DeviceImage<"object">[]>();
  });

  test("types/functions: functions lead from state to state", () => {
    expectTypeOf<typeof build>().returns.toEqualTypeOf<ExecutableModule>();
    expectTypeOf<typeof build>().parameter(0).toEqualTypeOf<InputModule>();
    expectTypeOf<typeof compile>().returns.toEqualTypeOf<ObjectModule>();
    expectTypeOf<typeof link>().parameter(0).toEqualTypeOf<readonly ObjectModule[]>();
    expectTypeOf<typeof join<InputModule>>().returns.toEqualTypeOf<InputModule>();
    expectTypeOf<ObjectModule>().not.toExtend<InputModule>();
    expectTypeOf<InputModule>().not.toExtend<ExecutableModule>();
  });

  test("types/kernels: a launch of a kernel takes what its function takes", () => {
    const saxpy = kernel((item: Item, a: float, x: Accessor<float, "read">, y: Accessor<float>) => {
      const i = item.getId(0);
      y[i] = float(a * (x[i] ?? 0) + (y[i] ?? 0));
    });
    expectTypeOf<Parameters<NonNullable<(typeof saxpy)["passed"]>>[0]>().toExtend<
      readonly [unknown, unknown, unknown]
    >();
    expect(() => queue.parallelFor(range(4), saxpy, 2, null, null)).toThrow(/was not translated/u);
    // @ts-expect-error -- an accessor or a pointer is memory, and a number is none
    expect(() => queue.parallelFor(range(4), saxpy, 2, 3, 4)).toThrow(/was not translated/u);
    // @ts-expect-error -- an argument is missing
    expect(() => queue.parallelFor(range(4), saxpy, 2, null)).toThrow(/was not translated/u);
  });

  test("types/elements: buffers and pointers have their elements", () => {
    using buffer = new Buffer(new Float32Array(6), range(2, 3));
    expectTypeOf(buffer).toEqualTypeOf<Buffer<Float32Array<ArrayBuffer>, 2>>();
    expectTypeOf(buffer.range).toEqualTypeOf<Range<2>>();
    expectTypeOf<ElementOf<BigInt64Array>>().toEqualTypeOf<bigint>();
    expectTypeOf<ElementOf<Float32Array>>().toEqualTypeOf<number>();
    expectTypeOf(mallocShared<Int32Array>).returns.toEqualTypeOf<UsmPointer<Int32Array>>();
    expectTypeOf<SpecConstant<number>["get"]>().returns.toEqualTypeOf<number>();
    expect(buffer.size).toBe(6);
    expect(queue.isInOrder()).toBe(false);
  });
});
