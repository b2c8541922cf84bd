// SPDX-License-Identifier: Apache-2.0
// Records clang's verdict on every case that the record does not have, or checks all that it has: `npm run
// clang:record`, `npm run clang:check`.
import { writeFileSync } from "node:fs";

import { type Case, hashOf, readCases } from "./cases.ts";
import { CLANG_VERSION, RECORD_FILE, loadClang, readRecord, readVerdicts } from "./clang.ts";

const [mode = "check"] = process.argv.slice(2);
const clang = await loadClang();
if (typeof clang === "string") {
  process.stderr.write(`SKIPPED: clang cannot be loaded (${clang}); nothing was compared\n`);
  process.exit(mode === "record" ? 1 : 0);
}

const cases = readCases();
// The verdict of a program does not change as long as clang does not.
const kept = mode === "record" ? readVerdicts() : new Map<string, number | null>();
const asked = cases.filter((item) => !kept.has(hashOf(item)));
const lines = await clang.judgeAll(asked);
const verdicts = asked.map((item, i): [hash: string, line: number | null, item: Case] => [
  hashOf(item),
  lines[i] ?? null,
  item,
]);

if (mode === "record") {
  const made = new Map(verdicts.map(([hash, line]): [string, number | null] => [hash, line]));
  const entries = cases
    .map((item): [string, number | null] => {
      const hash = hashOf(item);
      return [hash, (made.has(hash) ? made.get(hash) : kept.get(hash)) ?? null];
    })
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(
    RECORD_FILE,
    `${JSON.stringify({ clang: CLANG_VERSION, verdicts: Object.fromEntries(entries) }, null, 1)}\n`,
  );
  process.stdout.write(`${cases.length} verdicts of clang recorded, ${asked.length} of them new\n`);
} else {
  const record = readRecord();
  const wrong = verdicts.filter(([hash, line]) => record.get(hash) !== line);
  for (const [hash, line, { chapter, name }] of wrong)
    process.stderr.write(
      `${chapter}: ${name}: clang says ${line ?? "ok"}, the record ${record.get(hash) ?? "ok or nothing"}\n`,
    );
  process.stdout.write(`${cases.length} cases judged by clang, ${wrong.length} differ from the record\n`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
