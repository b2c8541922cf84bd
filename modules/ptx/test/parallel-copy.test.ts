// SPDX-License-Identifier: Apache-2.0
// Copies that happen at once, written one after the other, move what they are meant to, whatever they are.
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { type Copy, orderedCopies } from "../source/parallel-copy.ts";

test("every order of copies has the effect of all at once", () => {
  const register = fc.integer({ min: 0, max: 7 }).map((n) => `%r${n}`);
  const copies = fc
    .uniqueArray(fc.record({ target: register, source: register }), { selector: ({ target }) => target, maxLength: 8 })
    .map((list): readonly Copy[] => list);
  fc.assert(
    fc.property(copies, (list) => {
      const values = new Map(Array.from({ length: 8 }, (_, n) => [`%r${n}`, n]));
      const expected = new Map(values);
      for (const { target, source } of list) expected.set(target, values.get(source) ?? -1);
      let saved = 0;
      for (const { target, source } of orderedCopies(list, (from) => ({ target: `%s${saved++}`, source: from })))
        values.set(target, values.get(source) ?? -1);
      for (const [name, value] of expected) expect(values.get(name)).toBe(value);
    }),
  );
});
