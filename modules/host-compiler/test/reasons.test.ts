// SPDX-License-Identifier: Apache-2.0
// Each reason for the number of work-items that run at once, with a kernel that has it.
import { type KernelReport, buildProgram, openclC } from "@muxkit/compiler";
import { type Specialization, type VectorizationChoice, hostModule } from "@muxkit/host-compiler";
import { expect, test } from "vitest";

import { VECTOR_REASONS } from "@muxkit/compiler-base";

interface Row {
  readonly source: string;
  readonly choice: VectorizationChoice;
  readonly specialization?: Specialization;
}

const PLAIN = "kernel void k(global float* p) { p[get_global_id(0)] *= 2.0f; }";

const ROWS: Readonly<Record<keyof typeof VECTOR_REASONS, Row>> = {
  "not asked": { source: PLAIN, choice: "never" },
  "sub-groups": {
    source: "kernel void k(global float* p) { p[get_global_id(0)] = sub_group_reduce_add(p[get_global_id(0)]); }",
    choice: "always",
  },
  "sub-groups run alone": {
    source: `kernel void k(global float16* p) {
        float16 v = p[get_global_id(0)];
        v.s0 = sub_group_reduce_add(v.s1);
        p[get_global_id(0)] = v;
      }`,
    choice: "always",
  },
  "too few work-items": {
    source: "kernel void k(global float* p) { local float t[4]; p[0] = t[get_local_id(0)]; }",
    choice: "always",
    specialization: { localSize: [1, 1, 1], uniformGroups: true, zeroOffset: true },
  },
  refused: { source: "kernel void k(global float* p) { if (p[0] > 1.0f) for (;;) p[1] += 1.0f; }", choice: "always" },
  cost: {
    source: `kernel void k(global int* p, int n) {
        volatile global int* q = p + get_global_id(0) * n;
        if (q[0] > 3) {
          q[1] = q[2];
          q[3] = q[4];
          q[5] = q[6];
        }
      }`,
    choice: "auto",
  },
  forced: { source: PLAIN, choice: { width: 4 } },
  types: { source: PLAIN, choice: "always" },
};

test.each(Object.entries(ROWS))("%s", (name, { source, choice, specialization = null }) => {
  const reports: KernelReport[] = [];
  const module = hostModule({
    extensions: ["cl_khr_subgroups"],
    features: ["__opencl_c_subgroups"],
    request: {
      specialization,
      vectorization: choice,
      verifyEach: true,
      report: (report) => reports.push(report),
    },
  });
  expect(buildProgram(module, openclC(source), "-cl-std=CL3.0").ok, module.log).toBe(true);
  expect(module.createBinary().ok, module.log).toBe(true);
  const told = reports.flatMap(({ regions }) => regions.map(({ reason }) => reason));
  expect(
    told.some((reason) => reason.startsWith(VECTOR_REASONS[name as keyof typeof VECTOR_REASONS])),
    told.join("; "),
  ).toBe(true);
});
