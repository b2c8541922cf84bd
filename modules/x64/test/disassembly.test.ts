// SPDX-License-Identifier: Apache-2.0
// Whole functions of random modules: our decoder reads all code that is generated, says the same text as objdump, and
// the verifier takes it. Nothing is run, so that every machine checks it.
import { Decoder, printInstruction, verifyCode } from "@muxkit/x64-assembler";
import { describe, expect, test } from "vitest";

import { randomMachineModule } from "../../ir/test/random-module.ts";
import { isInstalled, objdump, plainObjdump } from "../../x64-assembler/test/tools.ts";
import { type X64Code, generateX64 } from "../source/module.ts";
import { X64_TIERS, type X64TierName } from "../source/tier.ts";
import { featureBits } from "./run.ts";

const MODULES = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "60");

/** Code of a module whose functions are all exported. */
function codeOf(seed: number, tier: X64TierName): X64Code {
  const module = randomMachineModule(seed);
  return generateX64(module, { exports: [...module.functions.keys()], tier });
}

describe.each(X64_TIERS.map(({ name }) => name))("%s", (tier) => {
  const codes = Array.from({ length: MODULES }, (_, seed) => codeOf(seed + 1, tier));

  test("the verifier takes it", () => {
    const refused = codes.flatMap(({ bytes, codeBytes, entries }, n) => {
      const verified = verifyCode({
        bytes,
        codeSize: codeBytes,
        entries: [...entries.values()].toSorted((a, b) => a - b),
        features: featureBits(tier),
        stackBytes: 2 ** 20,
      });
      return verified.ok ? [] : [`module ${n + 1}: ${verified.error.reason}`];
    });
    expect(refused).toEqual([]);
  });

  test.skipIf(!isInstalled("objdump"))("objdump says the same text of every instruction", () => {
    const decoder = new Decoder();
    let instructions = 0;
    const different = codes.flatMap(({ bytes, codeBytes }, n) => {
      const theirs = objdump(bytes.subarray(0, codeBytes));
      const found: string[] = [];
      for (let offset = 0; offset < codeBytes; offset += decoder.size) {
        if (decoder.decode(bytes, offset) === -1) return [`module ${n + 1}: nothing decodes at ${offset}`];
        const ours = plainObjdump(printInstruction(decoder));
        const other = plainObjdump(theirs.get(offset) ?? "nothing");
        if (ours !== other) found.push(`module ${n + 1}, ${offset}: ${ours} | ${other}`);
        instructions++;
      }
      return found;
    });
    expect(different.slice(0, 20)).toEqual([]);
    expect(instructions).toBeGreaterThan(100 * MODULES);
  });
});
