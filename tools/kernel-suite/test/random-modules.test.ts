// SPDX-License-Identifier: Apache-2.0
// Random modules written as SPIR-V and read again: the functions have the results that they had, interpreted and as
// code, and spirv-val accepts what is written. MUXKIT_FUZZ_RUNS says how many.
import { firstDifference, hasSpirvVal, runThreeWays, spirvVerdict } from "@muxkit/kernel-suite";
import { describeInterpreterError, interpretCopies } from "@muxkit/interpreter";
import {
  Builder,
  GLOBAL,
  I1,
  I8,
  IrFunction,
  type Module,
  Op,
  VOID,
  type Value,
  isFloat,
  pointerType,
  printModule,
  scalarOf,
  verifyModule,
  withLanesOf,
} from "@muxkit/ir";
import { describeSpirvError, describeWriterError, parseModule, validateModule, writeSpirv } from "@muxkit/spirv";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Random, randomConstant, randomMachineModule } from "../../../modules/ir/test/random-module.ts";

const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "25");
const hasValidator = hasSpirvVal();
if (!hasValidator)
  console.warn("!! spirv-val is not here (Debian package spirv-tools): what compares with it is skipped");
/** Bytes for the result of a call. */
const SLOT = 128;

const isTruth = (type: Value["type"]): boolean => scalarOf(type) === I1;

/** Adds a kernel that calls each function twice with constants and writes the results to memory. */
function addKernel(module: Module, seed: number): readonly Value["type"][] {
  const random = new Random(seed ^ 0x5555);
  const types: Value["type"][] = [];
  const functions = [...module.functions.values()];
  const kernel = module.addFunction(new IrFunction("k", VOID, [{ type: pointerType(GLOBAL), name: "out" }]));
  kernel.kernel = {
    arguments: [
      {
        name: "out",
        typeName: "uchar*",
        kind: "pointer",
        addressSpace: "global",
        access: "none",
        isConst: false,
        isRestrict: false,
        isVolatile: false,
        size: 4,
        alignment: 4,
      },
    ],
    requiredWorkGroupSize: null,
    workGroupSizeHint: null,
    vecTypeHint: null,
    requiredSubGroupSize: null,
    uniformWorkGroups: true,
    attributes: "",
  };
  const builder = new Builder(kernel.addBlock("entry"));
  const [out] = kernel.parameters as [Value];
  for (const fn of [...functions, ...functions]) {
    const result = builder.call(
      fn,
      fn.parameters.map(({ type }) => randomConstant(random, type)),
    );
    if (fn.returnType === VOID) continue;
    const value = isTruth(result.type) ? builder.convert(Op.ZEXT, result, withLanesOf(I8, result.type)) : result;
    builder.store(value, builder.address(out, null, 1, types.length * SLOT), 1);
    types.push(value.type);
  }
  builder.return();
  expect(verifyModule(module)).toEqual([]);
  return types;
}

/** Results with one word for every NaN. */
function withoutNaNs(bytes: Uint8Array, types: readonly Value["type"][]): Uint8Array {
  const plain = bytes.slice();
  const view = new DataView(plain.buffer);
  types.forEach((type, slot) => {
    const scalar = scalarOf(type);
    if (!isFloat(scalar)) return;
    const size = scalar.bits / 8;
    for (let at = slot * SLOT; at < (slot + 1) * SLOT; at += size) {
      if (size === 4 && Number.isNaN(view.getFloat32(at, true))) view.setFloat32(at, Number.NaN, true);
      if (size === 8 && Number.isNaN(view.getFloat64(at, true))) view.setFloat64(at, Number.NaN, true);
    }
  });
  return plain;
}

/** What the vectoriser makes and SPIR-V does not have: such a module is no case. */
const REFUSED = /^SPIR-V has no vector /u;

/** What is wrong with a module that is written and read again; empty: nothing; null: it is no case. */
function difference(seed: number): string | null {
  const module = randomMachineModule(seed);
  const types = addKernel(module, seed);
  const contents = new Uint8Array(types.length * SLOT + 1);
  const written = writeSpirv(module);
  if (!written.ok) return REFUSED.test(written.error.message) ? null : describeWriterError(written.error);
  const parsed = parseModule(written.value);
  if (!parsed.ok) return describeSpirvError(parsed.error);
  const [wrong] = validateModule(parsed.value, { environment: "opencl" });
  if (wrong !== undefined) return describeSpirvError(wrong);
  const verdict = hasValidator ? spirvVerdict(written.value) : "";
  if (verdict !== "") return verdict;
  const one = { globalSize: [1], localSize: [1] };
  const direct = interpretCopies(module, "k", { arguments: [{ kind: "buffer", bytes: contents }], ...one });
  if (!direct.ok) return describeInterpreterError(direct.error);
  const wanted = withoutNaNs(direct.value.buffers[0] ?? new Uint8Array(0), types);
  const outcomes = runThreeWays({
    source: { kind: "spirv", source: written.value },
    kernel: "k",
    arguments: [{ contents }],
    global: [1],
    local: [1],
  });
  for (const { way, buffers } of outcomes) {
    const got = withoutNaNs(buffers[0] ?? new Uint8Array(0), types);
    const text = firstDifference(
      { way: "the module", buffers: [wanted], printed: "" },
      { way: `${way}, by SPIR-V`, buffers: [got], printed: "" },
      ["bits"],
    );
    if (text !== null) return `${text}\n${printModule(module)}`;
  }
  return "";
}

test(
  "random modules by SPIR-V",
  () => {
    fc.assert(
      fc.property(fc.nat(0x7fff_ffff), (seed) => {
        const text = difference(seed);
        fc.pre(text !== null);
        expect(text).toBe("");
      }),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 2000,
);
