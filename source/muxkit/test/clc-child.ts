// SPDX-License-Identifier: Apache-2.0
// Many calls of `clc` in one process, in its folder: what clc-link.test.ts and clc.test.ts request on standard input, a
// list of words for each call.
import { readFileSync } from "node:fs";

import { COMPILE } from "../source/command/compile.ts";
import { runCommand } from "../source/command/main.ts";

const calls = JSON.parse(readFileSync(0, "utf8")) as readonly (readonly string[])[];
const answers = calls.map((args) => {
  let error = "";
  const code = runCommand("clc", COMPILE, args, {
    out: () => undefined,
    bytes: () => undefined,
    error: (text) => {
      error += text;
    },
  });
  return { code, error };
});
process.stdout.write(JSON.stringify(answers));
