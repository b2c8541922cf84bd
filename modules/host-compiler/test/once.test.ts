// SPDX-License-Identifier: Apache-2.0
// What a module computes once, however often and in whatever order its code and its binaries are asked for.
import { type LaunchFacts, type Module, openclC } from "@muxkit/compiler";
import { OPENCL_C_FRONT_END, registerFrontEnd } from "@muxkit/compiler-base";
import { hostDeviceInfo } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import { expect, test } from "vitest";

const SOURCE = `
kernel void scale(global float *x, float a, float b) { x[get_global_id(0)] = x[get_global_id(0)] * a + b; }
kernel void turn(global float *x, local float *t) {
  t[get_local_id(0)] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = t[get_local_size(0) - 1 - get_local_id(0)];
}
`;

let compiled = 0;
registerFrontEnd({
  kind: "counted",
  compile: (request) => {
    compiled++;
    return OPENCL_C_FRONT_END.compile(request);
  },
});

/** A finalized program of a device with or without an engine that fuses products and sums. */
function finalized(isFusing: boolean, kind: string): Module {
  const device = hostDeviceInfo({}, 1);
  const codeFeatures = device.codeFeatures.filter((feature) => feature !== "fused-madd");
  const [compiler] = compilers;
  const target = compiler
    ?.createContext()
    .createTarget({ ...device, codeFeatures: isFusing ? [...codeFeatures, "fused-madd"] : codeFeatures }, null);
  if (target?.ok !== true) throw new Error("no target");
  const module = target.value.createModule();
  expect(module.compile({ ...openclC(SOURCE), kind }).ok).toBe(true);
  expect(module.link([]).ok).toBe(true);
  expect(module.finalize().ok).toBe(true);
  return module;
}

const ANY_LAUNCH: LaunchFacts = { localSize: [0, 0, 0], uniformGroups: false, zeroOffset: false };

const CALLS: readonly ((module: Module) => unknown)[] = [
  (module) => module.createKernelBinary("scale"),
  (module) => module.getKernel("turn")?.createQuickKernel?.(ANY_LAUNCH, 64, 0),
  (module) => module.createBinary(),
  (module) => module.createDeviceBinary?.(),
  (module) => module.createPortableBinary(true),
  (module) => module.createPortableBinary(false),
  (module) => module.explain(),
  (module) =>
    module.getKernel("turn")?.createSpecializedKernel({ localSize: [8, 1, 1], uniformGroups: true, zeroOffset: true }),
];

test.each([true, false])(
  "the front end runs once, and each call gives the same after any others: fusing %s",
  (isFusing) => {
    const alone = CALLS.map((call) => call(finalized(isFusing, "opencl-c")));
    const indices = CALLS.map((_call, i) => i);
    for (const order of [indices, indices.toReversed()]) {
      compiled = 0;
      const module = finalized(isFusing, "counted");
      for (const i of [...order, ...order]) expect(CALLS[i]?.(module)).toEqual(alone[i]);
      expect(compiled).toBe(1);
    }
  },
);
