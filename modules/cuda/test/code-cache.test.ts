// SPDX-License-Identifier: Apache-2.0
// Compiled code that is kept: it is found again, by what it depends on, and what is damaged is compiled anew.
import { err, ok } from "@muxkit/cargo";
import { type CudaGpu, overSerial } from "@muxkit/cuda";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { type CodeCache, loadCode } from "../source/code-cache.ts";
import { MemoryDriver } from "./memory-driver.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A GPU that notes what it compiles and loads, and a store in memory. */
function rig(): {
  readonly gpu: CudaGpu;
  readonly told: string[];
  readonly files: Map<string, Uint8Array>;
  readonly cache: (machine: string) => CodeCache;
} {
  const opened = overSerial(new MemoryDriver()).open(0);
  if (!opened.ok) throw new Error(opened.error.message);
  const told: string[] = [];
  const files = new Map<string, Uint8Array>();
  const gpu = Object.assign(opened.value, {
    compile: (ptx: Uint8Array) => {
      told.push("compile");
      return ok(encode(`code of ${new TextDecoder().decode(ptx)}`));
    },
    load: (code: Uint8Array) => {
      const text = new TextDecoder().decode(code);
      told.push(text);
      return text.includes("refused") ? err({ code: 218, message: "refused" }) : ok({});
    },
  });
  const store = {
    read: (name: string) => files.get(name) ?? null,
    write: (name: string, bytes: Uint8Array) => void files.set(name, bytes),
  };
  return { gpu, told, files, cache: (machine) => ({ store, machine }) };
}

test("code is compiled once for a text, a driver and a kind of GPU", () => {
  const { gpu, told, cache, files } = rig();
  for (const [text, machine] of [
    ["a", "580 9.0"],
    ["a", "580 9.0"],
    ["b", "580 9.0"],
    ["a", "581 9.0"],
    ["a", "580 8.0"],
    ["b", "580 9.0"],
  ] as const)
    expect(loadCode(gpu, encode(text), cache(machine)).ok).toBe(true);
  expect(told.filter((one) => one === "compile").length).toBe(4);
  expect(told.filter((one) => one === "code of a").length).toBe(4);
  expect(files.size).toBe(4);
});

test("files that are damaged, cut, empty or another's are compiled anew, and are whole again", () => {
  const { gpu, told, cache, files } = rig();
  for (const text of ["a", "other"]) expect(loadCode(gpu, encode(text), cache("m")).ok).toBe(true);
  const [[name, whole] = ["", new Uint8Array(0)], [, other] = ["", new Uint8Array(0)]] = [...files];
  const damage = fc.oneof(
    fc
      .tuple(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 1, max: 255 }))
      .map(([at, bits]) => whole.map((byte, i) => (i === at ? byte ^ bits : byte))),
    fc.nat({ max: whole.length - 1 }).map((bytes) => whole.slice(0, bytes)),
    fc.uint8Array({ min: 1, max: 3 }).map((more) => Uint8Array.of(...whole, ...more, 1)),
    fc.constant(other),
  );
  fc.assert(
    fc.property(damage, (bytes) => {
      told.length = 0;
      files.set(name, bytes);
      expect(loadCode(gpu, encode("a"), cache("m")).ok).toBe(true);
      expect(told).toEqual(["compile", "code of a"]);
      expect(files.get(name)).toEqual(whole);
    }),
    { numRuns: 50 },
  );
});

test("code that the driver does not load is not kept", () => {
  const { gpu, cache, files } = rig();
  expect(loadCode(gpu, encode("refused"), cache("m")).ok).toBe(false);
  expect(files.size).toBe(0);
});
