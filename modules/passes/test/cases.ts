// SPDX-License-Identifier: Apache-2.0
// The golden cases: one folder per pass, one file per idea. `idea.ir` is the input, `idea.after.ir` the output;
// `library.ir` of a folder holds built-ins by name.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { type Module, describeVerifierError, parseModule, verifyModule } from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";
import { EMPTY_CONTEXT, type PassContext } from "@muxkit/passes";

const ROOT = join(import.meta.dirname, "cases");

/** One case. */
export interface Case {
  readonly pass: string;
  /** The text's first line. */
  readonly idea: string;
  readonly text: string;
  /** File of the expected output. */
  readonly after: string;
}

/** Parses and verifies a module. Throws for a text that is not a well-formed module. */
export function parsed(text: string): Module {
  const result = parseModule(text);
  if (!result.ok) throw new Error(`${result.error.line}: ${result.error.message}`);
  const broken = verifyModule(result.value);
  if (broken.length > 0) throw new Error(broken.map(describeVerifierError).join("\n"));
  return result.value;
}

/** Folders of cases, each named for its pass. */
export const FOLDERS: readonly string[] = readdirSync(ROOT).toSorted();

/** All cases. */
export const CASES: readonly Case[] = FOLDERS.flatMap((pass) =>
  readdirSync(join(ROOT, pass))
    .filter((name) => name.endsWith(".ir") && !name.endsWith(".after.ir") && name !== "library.ir")
    .toSorted()
    .map((name) => {
      const text = readFileSync(join(ROOT, pass, name), "utf8");
      return {
        pass,
        idea: /^; (.+)/u.exec(text)?.[1] ?? name,
        text,
        after: join(ROOT, pass, name.replace(/ir$/u, "after.ir")),
      };
    }),
);

/** Of a machine that hides latencies by copies of loops. */
export const FOUR_COPIES = {
  ...EMPTY_CONTEXT.machine.unrolling,
  copies: 4,
  rowCopies: 4,
  copiedInstructions: 256,
} as const;

/** Of machines for which the passes of these folders are. */
const MACHINES: Readonly<Record<string, Partial<MachineTarget>>> = {
  "run-time-unroll": { unrolling: FOUR_COPIES },
  "coarsen-threads": { coarsening: { items: 4, bytes: 8, instructions: 64 } },
};

/** The context of a case's pass, with the folder's library when it has one. */
export function contextOf(pass: string, remark: (text: string) => void = () => undefined): PassContext {
  const file = join(ROOT, pass, "library.ir");
  const library = existsSync(file) ? parsed(readFileSync(file, "utf8")) : null;
  const { machine } = EMPTY_CONTEXT;
  return {
    ...EMPTY_CONTEXT,
    machine: { ...machine, ...MACHINES[pass] },
    remark,
    resolveBuiltin: ({ name, parameters }) => library?.functions.get(`${name}(${parameters.join(",")})`) ?? null,
  };
}
