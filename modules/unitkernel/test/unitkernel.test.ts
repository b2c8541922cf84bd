// SPDX-License-Identifier: Apache-2.0
// The suite on the host, and wrong targets that it finds.
import { hostTarget } from "@muxkit/host";
import { NATIVE_HOST_COMPILER as HOST_COMPILER } from "@muxkit/host-compiler/native";
import type { Info } from "@muxkit/compiler";
import { UnitKernelFailure, buildKernel, unitKernelCases } from "@muxkit/unitkernel";
import { describe, expect, test } from "vitest";

const target = hostTarget({ threads: 2, isolated: true });

describe("the host", () => {
  test.each(unitKernelCases({ target, compiler: HOST_COMPILER }))("$name", ({ run }) => {
    expect(run).not.toThrow();
  });
});

/** The host's compiler with sources changed on their way. */
function changing(change: (source: string) => string): Info {
  return {
    ...HOST_COMPILER,
    createContext: () => {
      const context = HOST_COMPILER.createContext();
      return {
        info: context.info,
        createTarget: (device, notify) => {
          const made = context.createTarget(device, notify);
          if (!made.ok) return made;
          return {
            ok: true,
            value: {
              ...made.value,
              createModule: () => {
                const module = made.value.createModule();
                const compile = module.compile.bind(module);
                module.compile = (input) =>
                  compile({ ...input, source: typeof input.source === "string" ? change(input.source) : input.source });
                return module;
              },
            },
          };
        },
      };
    },
  };
}

function failures(compiler: Info): readonly string[] {
  return unitKernelCases({ target, compiler }).flatMap(({ name, run }) => {
    try {
      run();
      return [];
    } catch (error) {
      return error instanceof UnitKernelFailure ? [name] : [`${name}: ${String(error)}`];
    }
  });
}

test.each<[what: string, change: (source: string) => string, found: string]>([
  [
    "loses barriers' local memory",
    (source) => source.replaceAll("shared[n - 1 - i]", "shared[i]"),
    "a group turns its elements around",
  ],
  [
    "counts ids from zero",
    (source) => source.replaceAll("get_global_offset(1)", "0"),
    "ids in three dimensions, with offsets",
  ],
  [
    "takes signed comparisons for unsigned ones",
    (source) => source.replaceAll("(a < b)", "((uint)a < (uint)b)"),
    "ints: comparisons",
  ],
  [
    "rounds the wrong way",
    (source) => source.replaceAll("convert_int_rtp", "convert_int_rtn"),
    "conversions between floats and ints saturate and round as asked",
  ],
])("a compiler that %s is found out", (_, change, found) => {
  expect(failures(changing(change))).toEqual([found, `${found}, not optimised`]);
});

test("errors of programs come with the build log", () => {
  expect(() => buildKernel({ target, compiler: HOST_COMPILER }, "kernel void k() { nothing(); }")).toThrow(/nothing/u);
});
