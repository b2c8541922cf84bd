// SPDX-License-Identifier: Apache-2.0
// Programs beyond the limits of engines are errors of the compiler; defects stay defects.
import { InternalError } from "@muxkit/cargo";
import { compilerError } from "@muxkit/compiler";
import { EngineLimitError } from "@muxkit/wasm";
import { expect, test } from "vitest";

import { withinLimits } from "../source/limits.ts";

function failing(error: Error): () => unknown {
  return () =>
    withinLimits((): Uint8Array => {
      throw error;
    });
}

test("code that no engine takes is an error with its reason, and anything else is thrown", () => {
  const bytes = new Uint8Array(3);
  expect(withinLimits(() => bytes)).toBe(bytes);
  expect(failing(new EngineLimitError("k is too large"))()).toEqual(
    compilerError("finalize_program_failure", "k is too large"),
  );
  expect(failing(new InternalError("a pass is wrong"))).toThrow("a pass is wrong");
});
