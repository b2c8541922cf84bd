// SPDX-License-Identifier: Apache-2.0
// docs/mutants.md: written by a command, read by the test.
import type { Hunt } from "./hunt.ts";
import { MUTANTS } from "./mutants.table.ts";

const HEAD = `# Wrong rewrites that random kernels find

Written by \`npm run differential -- --mutants --write\`. Each row is a change of the compiler's text
(\`tools/kernel-generator/source/mutation/mutants.table.ts\`)
that makes it wrong. Random kernels run on that compiler until one shows it: its ways disagree, or, where the
front end is wrong and all ways agree, Oclgrind or
PoCL disagree with it. Front ends are tried on portable kernels only, so their seeds are even.
Machine code of x86-64 runs beside that of the right generator, once it has passed the verifier.
PTX is run by its interpreter, beside the interpreter of the IR.

| wrong rewrite | where | what goes wrong | kernels | seed | what showed it |
|---|---|---|--:|--:|---|
`;

/** The page for these hunts. */
export function writePage(hunts: ReadonlyMap<string, Hunt>): string {
  const rows = MUTANTS.flatMap(({ name, area, doc }) => {
    const hunted = hunts.get(name);
    return hunted === undefined
      ? []
      : [
          `| ${name} | ${area} | ${doc.replaceAll("|", "\\|")} | ${hunted.kernels} | ` +
            `${hunted.seed ?? "none"} | ${hunted.shown.replaceAll("|", "\\|")} |`,
        ];
  });
  return `${HEAD}${rows.join("\n")}\n`;
}

/** The seed of each mutant on the page. */
export function readPage(text: string): ReadonlyMap<string, number> {
  return new Map(
    [...text.matchAll(/^\| (\S+) \| [^|]+ \| (?:[^|\\]|\\.)+ \| \d+ \| (\d+) \|/gmu)].map(
      ([, name = "", seed = ""]) => [name, Number(seed)],
    ),
  );
}
