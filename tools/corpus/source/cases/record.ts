// SPDX-License-Identifier: Apache-2.0
// Records the verdicts of the clangs of this machine on every case that the record does not have, or checks all that it
// has: `npm run clang:record`, `npm run clang:check`.
import { openClangs } from "../judge.ts";
import { hashOf, readCases } from "./case.ts";
import { type ClangLine, askClang, readVerdicts, writeVerdicts } from "./verdicts.ts";

const LIMIT_MS = 60_000;
const [mode = "check"] = process.argv.slice(2);
const cases = readCases();
const recorded = readVerdicts();
const hashes = cases.map(hashOf);
let wrong = 0;
const made = new Map<string, ReadonlyMap<string, ClangLine>>();
const clangs = await openClangs(LIMIT_MS);
for (const clang of clangs) {
  // What a clang says of a program does not change as long as it is the same clang.
  const known = recorded.get(clang.name) ?? new Map<string, ClangLine>();
  const asked = mode === "record" ? cases.filter((item) => !known.has(hashOf(item))) : cases;
  // oxlint-disable-next-line no-await-in-loop -- one machine
  const lines = await askClang(clang, asked);
  clang.close();
  made.set(clang.name, new Map(hashes.map((hash) => [hash, lines.get(hash) ?? known.get(hash) ?? null])));
  for (const item of asked) {
    const [said, kept] = [lines.get(hashOf(item)), known.get(hashOf(item))];
    if (mode === "record" || said === kept) continue;
    wrong++;
    process.stderr.write(
      `${item.chapter}: ${item.name}: ${clang.name} says ${said ?? "ok"}, the record ${kept ?? "ok"}\n`,
    );
  }
  process.stdout.write(`${clang.name}: ${asked.length} of ${cases.length} cases judged\n`);
}
// A clang that is not on this machine keeps its verdicts.
for (const [name, lines] of recorded)
  if (!made.has(name)) made.set(name, new Map(hashes.map((hash) => [hash, lines.get(hash) ?? null])));
if (mode === "record") writeVerdicts(made);
else process.exitCode = wrong === 0 ? 0 : 1;
process.exit();
