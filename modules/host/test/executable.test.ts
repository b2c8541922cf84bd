// SPDX-License-Identifier: Apache-2.0
// Executables on a device: what is refused, which variant runs, how arguments are packed.
import { sharedMemoryPatch } from "@muxkit/kernel-abi";
import { afterEach, expect, test } from "vitest";

import * as L from "../source/control-layout.ts";
import { planCall } from "../source/execute.ts";
import { loadExecutable } from "../source/load-executable.ts";
import { type LoadedExecutable, packArguments, selectVariant } from "../source/loaded-executable.ts";
import { openCore, type Rig } from "./core-rig.ts";
import { argument, kernel, testExecutable, variant } from "./executable-rig.ts";
import { KERNELS } from "./kernels.ts";

const open: Rig[] = [];
const rigOf = (): Rig => {
  const rig = openCore();
  open.push(rig);
  return rig;
};
afterEach(() => {
  for (const rig of open.splice(0)) rig.core.close();
});

function load(rig: Rig, bytes: Uint8Array): LoadedExecutable {
  const loaded = loadExecutable(rig.core, bytes, null);
  if (!loaded.ok) throw new Error(loaded.error.message);
  return loaded.value;
}

function refusal(bytes: Uint8Array): string {
  const loaded = loadExecutable(rigOf().core, bytes, null);
  return loaded.ok ? "accepted" : `${loaded.error.code}: ${loaded.error.message}`;
}

test("bytes that are no executable of ours are refused with the reason", () => {
  expect(refusal(new Uint8Array([1, 2, 3, 4]))).toMatch(/^invalid_binary: at byte 0/u);
  expect(refusal(testExecutable({ target: "gpu" }))).toBe(
    'invalid_binary: the executable is for the target "gpu", and this is "host"',
  );
  expect(refusal(testExecutable({ features: ["teleport"] }))).toMatch(
    /^invalid_binary: the executable needs teleport, and the engine has simd/u,
  );
  const broken = KERNELS.bytes.slice();
  broken[broken.length - 3] = 0xff;
  const code = { name: ".wasm", bytes: broken, features: [], patches: [sharedMemoryPatch(KERNELS.memoryFlagOffset)] };
  expect(refusal(testExecutable({ code: [code] }))).toMatch(
    /^invalid_binary: section "\.wasm": the engine refuses the code: /u,
  );
  expect(
    refusal(testExecutable({ code: [{ ...code, bytes: KERNELS.bytes, patches: [sharedMemoryPatch(3)] }] })),
  ).toMatch(/byte 3 is 109, where the patch "shared-memory" has one of 1, 3$/u);
  expect(refusal(testExecutable({ kernels: [kernel("absent", [])] }))).toBe(
    'invalid_binary: section ".wasm" does not export "absent" of kernel "absent"',
  );
});

test("a section that needs a feature which the engine lacks is skipped", () => {
  const rig = rigOf();
  const code = {
    name: ".wasm",
    bytes: KERNELS.bytes,
    features: [],
    patches: [sharedMemoryPatch(KERNELS.memoryFlagOffset)],
  };
  const future = {
    name: ".wasm.future",
    bytes: new Uint8Array([0, 1, 2]),
    features: ["teleport"],
    patches: [],
  };
  const loaded = load(
    rig,
    testExecutable({
      code: [code, future],
      kernels: [kernel("empty", [], { variants: [variant("empty"), variant("faster", { section: ".wasm.future" })] })],
    }),
  );
  expect(loaded.kernel("empty")?.variants.map((loadedCode) => loadedCode.variant.functionName)).toEqual(["empty"]);
});

test("code that runs when it is loaded, brings data or memory, or imports what does not exist is refused", () => {
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  const void0 = [1, 4, 1, 0x60, 0, 0];
  const memory = [
    2,
    16,
    1,
    3,
    ...new TextEncoder().encode("env"),
    6,
    ...new TextEncoder().encode("memory"),
    2,
    3,
    1,
    1,
  ];
  const body = [3, 2, 1, 0, 10, 9, 1, 7, 0, 3, 0x40, 0x0c, 0, 0x0b, 0x0b];
  const of = (...parts: readonly (readonly number[])[]): string =>
    refusal(
      testExecutable({
        code: [{ name: ".wasm", bytes: Uint8Array.from([...header, ...parts.flat()]), features: [], patches: [] }],
      }),
    );
  // Its start function never ends.
  expect(of(void0, [3, 2, 1, 0, 8, 1, 0, 10, 9, 1, 7, 0, 3, 0x40, 0x0c, 0, 0x0b, 0x0b])).toBe(
    'invalid_binary: section ".wasm" has a function that runs as soon as it is loaded, which no code of kernels has',
  );
  expect(of(void0, body, [11, 1, 0])).toMatch(/has data, which/u);
  expect(of([5, 3, 1, 0, 1])).toMatch(/has a memory of its own, which/u);
  expect(of([200, 0])).toMatch(/has a section of the unknown kind 200, which/u);
  expect(of(void0, [2, 9, 1, 3, ...new TextEncoder().encode("env"), 1, 0x78, 0, 0])).toBe(
    'invalid_binary: section ".wasm" imports function env.x, which the device does not provide',
  );
  expect(of(void0, memory, body)).toMatch(/does not export "fill"/u);
});

test("a variant for features of this engine replaces the one that all engines run, and unused code is not compiled", () => {
  const rig = rigOf();
  const code = { name: ".wasm", bytes: new Uint8Array([0, 1, 2]), features: [], patches: [] };
  const more = {
    name: ".wasm.more",
    bytes: KERNELS.bytes,
    features: ["simd"],
    patches: [sharedMemoryPatch(KERNELS.memoryFlagOffset)],
  };
  const variants = [
    variant("fill", { vectorWidth: 8 }),
    variant("empty", { section: ".wasm.more", engineFeatures: ["simd"] }),
  ];
  const loaded = load(rig, testExecutable({ code: [code, more], kernels: [kernel("empty", [], { variants })] }));
  expect(loaded.kernel("empty")?.variants.map((loadedCode) => loadedCode.variant.functionName)).toEqual(["empty"]);
});

test("a specialised variant runs only where its local size and its conditions hold", () => {
  const rig = rigOf();
  const loaded = load(
    rig,
    testExecutable({
      kernels: [
        kernel("k", [], {
          variants: [
            variant("empty"),
            variant("fill", { vectorWidth: 4 }),
            variant("slow", { localSize: [64, 1, 1], vectorWidth: 4 }),
            variant("saxpy", {
              localSize: [32, 1, 1],
              vectorWidth: 8,
              needsUniformGroups: true,
              needsZeroOffset: true,
            }),
          ],
        }),
      ],
    }),
  );
  const k = loaded.kernel("k");
  if (k === null) throw new Error("no kernel");
  const chosen = (x: number, uniform: boolean = true, zeroOffset: boolean = true): string | undefined =>
    selectVariant(k, [x, 1, 1], uniform, zeroOffset)?.variant.functionName;
  expect(chosen(64)).toBe("slow");
  expect(chosen(32)).toBe("saxpy");
  expect(chosen(32, false)).toBe("fill");
  expect(chosen(32, true, false)).toBe("fill");
  expect(chosen(16)).toBe("fill");
  expect(chosen(1)).toBe("empty");
});

test("arguments are packed at their offsets, local ones after the static local memory", () => {
  const rig = rigOf();
  const loaded = load(
    rig,
    testExecutable({
      kernels: [
        kernel(
          "fill",
          [
            argument("out", "pointer", 0),
            argument("tile", "local", 4),
            argument("n", "value", 8),
            argument("more", "local", 12),
          ],
          { variants: [variant("fill", { staticLocalBytes: 130 })] },
        ),
      ],
    }),
  );
  const k = loaded.kernel("fill");
  const code = k?.variants[0];
  if (k === null || code === undefined) throw new Error("no kernel");
  const packed = packArguments(k, code.variant, [
    { kind: "address", address: 0xffff0000 },
    { kind: "local", size: 100 },
    { kind: "bytes", bytes: new Uint8Array([1, 0, 0, 0]) },
    { kind: "local", size: 4 },
  ]);
  if (!packed.ok) throw new Error(packed.error);
  expect([...new Uint32Array(packed.value.bytes.buffer)]).toEqual([0xffff0000, 256, 1, 384]);
  expect(packed.value.localBytes).toBe(256);
  const refused = (...values: Parameters<typeof packArguments>[2][number][]): string => {
    const result = packArguments(k, code.variant, values);
    return result.ok ? "accepted" : result.error;
  };
  expect(refused({ kind: "local", size: 1 })).toBe('kernel "fill" takes 4 arguments and got 1');
  const local = { kind: "local", size: 1 } as const;
  const address = { kind: "address", address: 0 } as const;
  const value = { kind: "bytes", bytes: new Uint8Array(3) } as const;
  expect(refused(local, local, local, local)).toBe('argument 0 ("out") of kernel "fill" is a buffer, not local memory');
  expect(refused(address, address, value, local)).toBe(
    'argument 1 ("tile") of kernel "fill" is local memory, not a buffer',
  );
  expect(refused(address, local, value, local)).toBe('argument 2 ("n") of kernel "fill" has 4 bytes and got 3');
  expect(refused(address, local, address, local)).toBe('argument 2 ("n") of kernel "fill" is a value, not a buffer');
});

test("program-scope data is initialised with its pointers and shared by executables of one program", () => {
  const rig = rigOf();
  const bytes = testExecutable({
    programData: {
      size: 12,
      alignment: 4,
      bytes: new Uint8Array([1, 2, 3, 4]),
      relocations: [{ offset: 8, target: 4 }],
    },
  });
  const first = load(rig, bytes);
  const address = first.data?.block.address ?? 0;
  const at = address >>> 2;
  expect([...rig.core.memory.views.words.subarray(at, at + 3)]).toEqual([0x04030201, 0, address + 4]);
  const second = loadExecutable(rig.core, bytes, first);
  expect(second.ok && second.value.data === first.data).toBe(true);
});

test("ranges of more than 2^30 groups are cut so that base and remainder need no carry", () => {
  const words = new Int32Array(L.NODES + 2 * L.NODE_WORDS);
  const base = L.nodeBase(1);
  const shapes = [
    [5, 7, 11],
    [2 ** 31, 3, 2],
    [65536, 65536, 4],
    [3, 2 ** 31, 2],
    [1, 1, 2 ** 32 - 1],
    [2 ** 20, 2 ** 12, 3],
  ] as const;
  for (const [nx, ny, nz] of shapes) {
    [nx, ny, nz].forEach((count, i) => {
      words[base + L.NDRANGE_COUNT + i] = count | 0;
    });
    const total = nx * ny * nz;
    for (const from of [0, 1, 2 ** 30 - 1, 2 ** 30, 2 ** 31 + 5, Math.floor(total / 2), total - 1]) {
      if (from >= total) continue;
      const end = Math.min(total, from + 2 ** 30);
      const { x, y, z, first, end: last } = planCall(words, base, from, end);
      expect(last).toBeGreaterThan(first);
      expect(last).toBeLessThanOrEqual(2 ** 30);
      for (const i of [first, last - 1]) {
        const group = [
          (x >>> 0) + (i % nx),
          (y >>> 0) + (Math.floor(i / nx) % ny),
          (z >>> 0) + Math.floor(i / (nx * ny)),
        ] as const;
        expect(group[0] < nx && group[1] < ny && group[2] < nz).toBe(true);
        expect(group[0] + nx * (group[1] + ny * group[2])).toBe(from + i - first);
      }
    }
  }
});
