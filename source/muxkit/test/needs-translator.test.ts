// SPDX-License-Identifier: Apache-2.0
// Which files the plugins load the translator for, which those who only import `.cl` files do not have.
import { mayHaveKernels } from "@muxkit/typescript-kernels";
import { expect, test } from "vitest";

import { needsTranslator } from "../source/compile/needs-translator.ts";

test.each(["muxkit/sycl", "muxkit/sycl/runtime", "muxkit/run", "@muxkit/sycl", "@muxkit/kernel-library"])(
  "a file that imports kernels of %s needs it",
  (name) => {
    for (const quote of ['"', "'"]) {
      const text = `import { kernel } from ${quote}${name}${quote};`;
      expect(needsTranslator(text)).toBe(true);
      expect(mayHaveKernels(text)).toBe(true);
    }
  },
);

test.each(["muxkit", "muxkit/runtime", "muxkit/opencl", "./kernel.cl"])("a file that imports %s does not", (name) => {
  expect(needsTranslator(`import { openDevice } from "${name}"; const { kernel } = device.build(source);`)).toBe(false);
});
