// SPDX-License-Identifier: Apache-2.0
// Random kernels as machine code that a wrong generator makes, beside that of the right one: the front of the compiler
// is the same for both, and runs once a kernel. Code passes the verifier before it runs, so that a wrong generator
// harms nothing but the kernel's memory; what the verifier refuses has found the mutant.
import { join } from "node:path";

import { NATIVE_BACKENDS } from "@muxkit/host-compiler/native";
import { encodeModule } from "@muxkit/ir";
import {
  type BuildOptions,
  type DifferentialLaunch,
  Machine,
  type MachineArgument,
  type Outcome,
  build,
  firstDifference,
} from "@muxkit/kernel-suite";
import type { LoadedExecutable } from "@muxkit/metadata";

import { kindOf, launchOf } from "../compare.ts";
import { generate } from "../generate/program.ts";
import { render } from "../tree.ts";
import { importMutated } from "./load.ts";
import type { Mutant } from "./mutants.table.ts";

type Generator = typeof import("./native-code.ts");

/** Says what the kernel of a seed shows of a mutant; null: nothing. */
export type Hunter = (seed: number) => string | null;

/** Kinds of code by turns: with vectors by the machine's facts, with few lanes, with many, as it was written. */
const KINDS: readonly BuildOptions[] = [{}, { width: 4 }, { width: 16, rows: 1 }, { options: "-cl-opt-disable" }];

function run(image: LoadedExecutable, way: string, launch: DifferentialLaunch): Outcome {
  const machine = new Machine();
  const places = launch.arguments.map((argument): MachineArgument =>
    "contents" in argument ? { buffer: machine.upload(argument.contents) } : argument,
  );
  machine.run(image, launch.kernel, places, launch.global, launch.local, {
    offset: launch.offset ?? [],
    cancelWord: 1,
  });
  return {
    way,
    printed: machine.printed,
    buffers: places.flatMap((place, i) => {
      const argument = launch.arguments[i];
      return argument !== undefined && "contents" in argument && "buffer" in place
        ? [machine.bytes(place.buffer, argument.contents.length).slice()]
        : [];
    }),
  };
}

/** Prepares the hunt for a mutant of the code generator. */
export async function nativeHunter(mutant: Mutant): Promise<Hunter> {
  const { machineCode } = await importMutated<Generator>(mutant, join(import.meta.dirname, "native-code.ts"));
  const results = new Map([["env.clock", 0]]);
  return (seed) => {
    const { tree, launch: where } = generate(seed);
    const launch = launchOf(render(tree), where);
    let wrong: (() => Uint8Array) | null = null;
    const kind = KINDS[seed % KINDS.length] ?? {};
    const image = build(launch.source, {
      ...kind,
      options: `${launch.options ?? ""} ${kind.options ?? ""}`,
      verifyEach: false,
      native: {
        ...NATIVE_BACKENDS["x64.3"],
        generate: (module, entries) => {
          const binary = encodeModule(module);
          wrong = () => machineCode(binary, entries, results);
          return NATIVE_BACKENDS["x64.3"].generate(module, entries);
        },
      },
    });
    const right = run(image, "right", launch);
    try {
      const bytes = (wrong as unknown as () => Uint8Array)();
      const code = image.code.map((section) => ({ ...section, bytes }));
      return firstDifference(right, run({ ...image, code }, "wrong", launch), []) === null
        ? null
        : "native code differs";
    } catch (error) {
      return kindOf(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    }
  };
}
