// SPDX-License-Identifier: Apache-2.0
// How the programs of this package start: the first file of each is bundled as a script of its own, and loads the
// others with what the engine made of them in processes before.
import { codeStore, programStore } from "../cache/cache-folder.ts";
import type { Edge, Streams } from "../command/command.ts";
import type { CompilerPart } from "../compiler-part.ts";
import type { NativePart } from "../native-part.ts";
import type { ProgramPart } from "../program-part.ts";
import { writeTo } from "./output.ts";
import { Scripts } from "./scripts.ts";
import { Tiering } from "./tiering.ts";

/** What a program does with its arguments; it returns the exit code. */
export type RunPart = (part: ProgramPart, args: readonly string[], streams: Streams, edge: Edge) => number;

/** Runs a program whose scripts are in a folder, and ends the process where that may be done. */
export function runProgram(folder: string, run: RunPart): void {
  const args = process.argv.slice(2);
  const tiering = new Tiering();
  tiering.patient();
  const scripts = new Scripts(folder, codeStore(process.env), tiering);
  const part = scripts.load("program-part.cjs") as ProgramPart;
  const out = writeTo(1, () => process.stdout);
  const code = run(
    part,
    args,
    {
      out,
      bytes: out,
      error: writeTo(2, () => process.stderr),
      get isTerminal() {
        return process.stderr.isTTY;
      },
      // Evaluated where something is to be coloured: standard error is not opened before.
      get wantsColor() {
        return part.wantsColor(process.env, process.stderr.isTTY);
      },
    },
    {
      load: () => (scripts.load("compiler-part.cjs") as { readonly COMPILER_PART: CompilerPart }).COMPILER_PART,
      loadNative: () => (scripts.load("native-part.cjs") as { readonly NATIVE_PART: NativePart }).NATIVE_PART,
      store: programStore(process.env),
      built: () => {
        tiering.usual();
      },
    },
  );
  scripts.keep(args);
  process.exitCode = code;
  // Everything is written, except on Windows, where streams may still be busy. What the process holds is not released
  // piece by piece.
  if (process.platform !== "win32") process.exit();
}
