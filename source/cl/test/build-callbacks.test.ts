// SPDX-License-Identifier: Apache-2.0
// A callback for the end of a build is called on the event loop; mistakes in the source are then no error of
// the call.
import {
  type Program,
  clBuildProgram,
  clCompileProgram,
  clCreateKernel,
  clCreateProgramWithSource,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clLinkProgram,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, device, expectError } from "./rig.ts";

const GOOD = `int one(void);
kernel void k(global int* x) { *x = 1; }`;
const BAD = `kernel void k(global int* x) { *x = nothing; }`;

const program = (source: string): Program => clCreateProgramWithSource(context, [source]);
const statusOf = (of: Program): string => clGetProgramBuildInfo(of, device, "CL_PROGRAM_BUILD_STATUS");

/** The program that a callback receives, and whether that was before the call had returned. */
async function told(call: (notify: (program: Program) => void) => void): Promise<Program> {
  let hasReturned = false;
  const heard = new Promise<Program>((resolve) => {
    call((of) => {
      expect(hasReturned).toBe(true);
      resolve(of);
    });
  });
  hasReturned = true;
  return heard;
}

test("clBuildProgram: the callback receives a program that is built", async () => {
  const good = program(GOOD);
  expect(
    await told((notify) => {
      clBuildProgram(good, null, "", notify);
    }),
  ).toBe(good);
  expect(statusOf(good)).toBe("CL_BUILD_SUCCESS");
  clCreateKernel(good, "k");
});

test("clBuildProgram: the callback receives a program with errors, whose log lists them", async () => {
  const bad = program(BAD);
  expect(
    await told((notify) => {
      clBuildProgram(bad, [device], "", notify);
    }),
  ).toBe(bad);
  expect(statusOf(bad)).toBe("CL_BUILD_ERROR");
  expect(clGetProgramBuildInfo(bad, device, "CL_PROGRAM_BUILD_LOG")).toContain("nothing");
});

test("clCompileProgram and clLinkProgram: the callback is called at the end, whether it succeeded or failed", async () => {
  const [good, bad, caller] = [
    program(GOOD),
    program(BAD),
    program(`int two(void);
    kernel void k(global int* x) { *x = two(); }`),
  ];
  const compiled = [good, bad, caller].map((each) =>
    told((notify) => {
      clCompileProgram(each, null, "", [], notify);
    }),
  );
  expect(await Promise.all(compiled)).toEqual([good, bad, caller]);
  expect([good, bad, caller].map(statusOf)).toEqual(["CL_BUILD_SUCCESS", "CL_BUILD_ERROR", "CL_BUILD_SUCCESS"]);
  let linked: Program | null = null;
  const heard = await told((notify) => {
    linked = clLinkProgram(context, null, "", [good], notify);
  });
  expect(heard).toBe(linked);
  expect(clGetProgramInfo(heard, "CL_PROGRAM_KERNEL_NAMES")).toBe("k");
  const unresolved = await told((notify) => {
    clLinkProgram(context, null, "", [caller], notify);
  });
  expect(statusOf(unresolved)).toBe("CL_BUILD_ERROR");
  expect(clGetProgramBuildInfo(unresolved, device, "CL_PROGRAM_BUILD_LOG")).toContain("two");
});

function never(): void {
  throw new Error("it was called");
}

test("an invalid call still fails, and the callback is not called", async () => {
  const good = program(GOOD);
  expectError(
    () => {
      clBuildProgram(good, null, "-cl-be-quick", never);
    },
    "CL_INVALID_BUILD_OPTIONS",
    /-cl-be-quick/u,
  );
  expectError(
    () => {
      clCompileProgram(good, [], "", [], never);
    },
    "CL_INVALID_VALUE",
    /list of devices is empty/u,
  );
  expectError(
    () => clLinkProgram(context, null, "", [good], never),
    "CL_INVALID_OPERATION",
    /call clCompileProgram first/u,
  );
  for (const call of [
    clBuildProgram,
    (of: Program, devices: null, options: string, notify: never) => {
      clCompileProgram(of, devices, options, [], notify);
    },
  ]) {
    expectError(
      () => {
        call(good, null, "", "later" as never);
      },
      "CL_INVALID_VALUE",
      /neither a function nor null/u,
    );
  }
  await new Promise((resolve) => {
    setTimeout(resolve, 5);
  });
});
