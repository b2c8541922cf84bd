#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The executable: nothing but the edge. It is bundled as a script of its own, and loads the others.
import type { CompilerPart } from "./compiler-part.ts";
import { codeStore, programStore } from "./cache/cache-folder.ts";
import type { ProgramPart } from "./program-part.ts";
import { writeTo } from "./start/output.ts";
import { Scripts } from "./start/scripts.ts";
import { Tiering } from "./start/tiering.ts";

const args = process.argv.slice(2);
const tiering = new Tiering();
tiering.patient();
const scripts = new Scripts(import.meta.dirname, codeStore(process.env), tiering);
const { runMain, wantsColor } = scripts.load("program-part.cjs") as ProgramPart;
const out = writeTo(1, () => process.stdout);
const code = runMain(
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
      return wantsColor(process.env, process.stderr.isTTY);
    },
  },
  {
    load: () => (scripts.load("compiler-part.cjs") as { readonly COMPILER_PART: CompilerPart }).COMPILER_PART,
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
