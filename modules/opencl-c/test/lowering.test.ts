// SPDX-License-Identifier: Apache-2.0
// The IR of small kernels: one language construct each, source and IR side by side.
import { EMPTY_CONTEXT, runPasses } from "@muxkit/passes";
import { compileOpenCLC } from "@muxkit/opencl-c";
import { describeVerifierError, printModule, verifyModule } from "@muxkit/ir";
import { renderText } from "@muxkit/report";
import { expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";

const OPTIONS = frontEndOptions();

const KERNELS: Readonly<Record<string, string>> = {
  "swizzle-lvalue": "kernel void k(global float4* p, float2 v) {\n  p[0].wx = v;\n  p[1].hi += v;\n  p[2].s1 = 2;\n}\n",
  "vectors-of-vectors":
    "kernel void k(global float8* p, float2 a, float4 b) {\n  p[0] = (float8)(a, a, b.xy, a);\n" +
    "  p[1] = (float8)(b, 1, a, 2);\n}\n",
  "struct-copy":
    "struct pair { char tag; float4 v; int list[2]; };\nkernel void k(global struct " +
    "pair* p, struct pair by_value) {\n  struct pair a = p[1];\n  a.list[1] = " +
    "by_value.tag;\n  p[0] = a;\n}\n",
  "short-circuit":
    "int f(int x) { return x > 2; }\nkernel void k(global int* p, int a) {\n  p[0] = a != 0 && f(a) || p[1];\n}\n",
  "switch-fall-through": `kernel void k(global int* p, int a) {
  switch (a) {
    case 1: p[0] = 1;
    case -2: p[1] = 2; break;
    case 'c': p[2] = 3; return;
    default: p[3] = 4;
  }
  p[4] = 5;
}
`,
  goto: `kernel void k(global int* p) {
  int i = 0;
again:
  p[i] = i;
  if (++i < 4) goto again;
  goto out;
  p[9] = 9;
out:
  p[8] = 8;
}
`,
  "local-array": `kernel void k(global int* p) {
  local int tile[16];
  int lid = get_local_id(0);
  tile[lid] = p[lid];
  barrier(CLK_LOCAL_MEM_FENCE);
  p[lid] = tile[15 - lid];
}
`,
  "pointer-arithmetic": `kernel void k(global int* p, global int* q, uint n) {
  global int* end = p + n;
  *q++ = end - p;
  *--end = q[-1];
  q[1] = p < end;
  *(global char*)(q + 2) = 7;
}
`,
  "vector-compare": `kernel void k(global int4* p, float4 a, float4 b, int4 c, double2 d, global long2* l) {
  p[0] = a < b;
  p[1] = c == 3 && !c;
  l[0] = d != d;
}
`,
  "implicit-conversion": `kernel void k(global float* p, uchar a, short b, uint c, long d, float e) {
  p[0] = a + b;
  p[1] = c * b;
  p[2] = a << c;
  p[3] = d + e;
  p[4] = -a;
  a += 300;
  p[5] = a;
}
`,
  "vector-ternary": `kernel void k(global float4* p, int4 mask, float4 a, int one) {
  p[0] = mask ? a : (float4)(0);
  p[1] = one ? a : p[2];
}
`,
};

test.each(Object.entries(KERNELS))("%s", async (name, source) => {
  const { module, diagnostics } = compileOpenCLC(`${name}.cl`, source, OPTIONS);
  expect(renderText(diagnostics.all.filter(({ severity }) => severity === "error"))).toBe("");
  if (module === null) throw new Error("no module");
  runPasses(module, ["lower-builtins"], EMPTY_CONTEXT);
  expect(verifyModule(module).map(describeVerifierError)).toEqual([]);
  const comment = source
    .trimEnd()
    .split("\n")
    .map((line) => `; ${line}`)
    .join("\n");
  await expect(`${comment}\n\n${printModule(module)}`).toMatchFileSnapshot(`golden/ir/${name}.ir`);
});
