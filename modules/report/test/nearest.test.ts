// SPDX-License-Identifier: Apache-2.0
import { nearest } from "@muxkit/report";
import * as fc from "fast-check";
import { expect, test } from "vitest";

test.each([
  ["get_gobal_id", ["get_local_id", "get_global_id"], "get_global_id"],
  ["get_lcoal_id", ["get_local_id", "get_global_id"], "get_local_id"],
  ["Float4", ["float", "float4"], "float4"],
  ["q", ["f", "g"], null],
  ["ab", ["AB"], "AB"],
  ["cat", ["dog"], null],
  ["cat", ["cut", "car"], "cut"],
  ["colour", ["color"], "color"],
  ["x", [], null],
])("%s among %o is %s", (name, known, wanted) => {
  expect(nearest(name, known)).toBe(wanted);
});

test("what is near is never further away than a quarter of the name", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ab_]{1,12}$/u), fc.array(fc.stringMatching(/^[ab_]{1,12}$/u)), (name, known) => {
      const best = nearest(name, known);
      expect(known.includes(name) ? best : name).toBe(name);
      expect(Math.abs((best ?? name).length - name.length)).toBeLessThanOrEqual(
        Math.max(1, Math.floor(name.length / 4)),
      );
    }),
  );
});
