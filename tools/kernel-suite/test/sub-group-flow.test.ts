// SPDX-License-Identifier: Apache-2.0
// Random control flow around operations of those work-items that come together: whatever passes make of it, the same
// work-items must meet.
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { itemCount, runOver, scattered } from "./group-rig.ts";

/** How many random kernels: `npm run fuzz` runs more. */
const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "8");

const meeting = fc.constantFrom(
  "sub_group_ballot(x & 4).x",
  "sub_group_non_uniform_reduce_add(x)",
  "sub_group_broadcast_first(x)",
  "sub_group_shuffle_xor(x, 1)",
  "sub_group_elect()",
  "sub_group_non_uniform_scan_exclusive_max(x)",
  "sub_group_non_uniform_all_equal(x & 1)",
  "sub_group_shuffle(x, x & 7)",
  "(int)(sub_group_non_uniform_scan_exclusive_add((float)(x & 4095) * 0.37f) * 8)",
  "sub_group_non_uniform_broadcast(x, 2)",
  "sub_group_clustered_reduce_xor(x, 2)",
  "helper(x)",
);
const condition = fc
  .tuple(fc.nat(9), fc.nat(3))
  .map(([shift, value]) => `((x >> ${shift}) & 3) ${value === 0 ? "==" : ">="} ${value}`);

/** Statements; loops have bounds and counters of their own. `depth` names them. */
const { block } = fc.letrec<{ block: string; statement: string }>((tie) => ({
  block: fc.array(tie("statement"), { minLength: 1, maxLength: 2 }).map((list) => `{ ${list.join(" ")} }`),
  statement: fc.oneof(
    { maxDepth: 2 },
    meeting.map((value) => `x = x * 31 + (int)${value};`),
    fc.nat(99).map((value) => `x ^= x >> 3; x += ${value};`),
    fc.tuple(condition, tie("block")).map(([test_, yes]) => `if (${test_}) ${yes}`),
    fc.tuple(condition, tie("block"), tie("block")).map(([test_, yes, no]) => `if (${test_}) ${yes} else ${no}`),
    fc
      .tuple(fc.nat(7), tie("block"), condition, fc.constantFrom("", "continue;", "break;"), tie("block"))
      .map(
        ([shift, first, test_, jump, last]) =>
          `for (int n = (x >> ${shift}) & 3, j = 0; j < n; ++j) { ${first} ` +
          `${jump === "" ? "" : `if (${test_}) ${jump}`} ${last} }`,
      ),
    fc.tuple(tie("block"), condition).map(([body, test_]) => `{ int j = 0; do ${body} while (++j < 4 && ${test_}); }`),
    fc
      .tuple(fc.nat(5), tie("block"), tie("block"), tie("block"))
      .map(
        ([shift, a, b, c]) =>
          `switch ((x >> ${shift}) & 3) { case 0: ${a} break; case 1: ${b} case 2: ${c} break; default: break; }`,
      ),
    condition.map((test_) => `if (${test_} && (x & 48) == 16) { out[i] = x; return; }`),
  ),
}));

/** A row that ends within a sub-group, sub-groups over the ends of rows, and a size that the kernel requires. */
const LAUNCHES = [
  { shape: { global: [37], local: [21] }, attribute: "" },
  { shape: { global: [15, 6], local: [5, 3] }, attribute: "" },
  { shape: { global: [32, 2], local: [16, 2] }, attribute: "__attribute__((intel_reqd_sub_group_size(4)))" },
] as const;

test(
  "work-items converge where the program does, in unoptimised, generic and specialised code as in the interpreter",
  () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(block, block, fc.constantFrom(...LAUNCHES), (first, second, { shape, attribute }) => {
        const count = itemCount(shape);
        const input = Int32Array.from(scattered(count, 1 << 16));
        const source = `int helper(int v) {
          if (v & 2) return sub_group_ballot(v & 1).x;
          return (int)get_sub_group_local_id() + sub_group_broadcast_first(v);
        }
    ${attribute} kernel void k(global const int* in, global int* out) {
      size_t i = get_global_linear_id(); int x = in[i];
      ${first}
      x += sub_group_reduce_add(x & 255); x ^= work_group_scan_inclusive_add(x & 1023);
      ${second}
      out[i] = x + (int)sub_group_ballot(1).x;
    }`;
        // Vectors have the width of sub-groups, whatever is requested; one by one is another way.
        runOver(source, input, count * 4, shape, "bits", [1]);
      }),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 10_000,
);
