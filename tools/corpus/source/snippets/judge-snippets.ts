// SPDX-License-Identifier: Apache-2.0
// Verdicts on snippets: each through our front end alone, all of a batch through the fastest clang in one file. Other
// clangs are asked about those on which it differs from us.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openclC } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { hostModule } from "@muxkit/host-compiler";

import { type ClangVerdict, type Difference, type Found, differencesOf } from "../compare.ts";
import type { Clang } from "../judge.ts";
import { type Message, type Verdict, failedVerdict, normalised } from "../verdict.ts";
import { PRELUDE, PRELUDE_LINES, type Snippet, type SnippetTable, batchText, textOf } from "./snippet.ts";

/** Snippets of one file for clang. */
const BATCH = 500;

const device = hostDeviceInfo({}, 1);

/** Our verdict on a snippet. */
export function judgeHere(snippet: Snippet, version: string): Verdict {
  const module = hostModule({ device });
  try {
    // Not linked: functions that are called may be defined elsewhere, as clang takes it.
    const parsed = module.parseOptions(`-cl-std=CL${version}`, "compile");
    const compiled = parsed.ok ? module.compile(openclC(`${PRELUDE}\n${textOf(snippet, 0)}\n`)) : parsed;
    const messages = module.diagnostics.flatMap(({ severity, code, message }): readonly Message[] =>
      severity === "note" ? [] : [{ severity, code, text: message, file: "", line: 1 }],
    );
    return { outcome: compiled.ok ? "accepted" : "refused", messages, reason: "" };
  } catch (error) {
    return failedVerdict(error instanceof Error ? error.message : String(error));
  }
}

/** What a clang says of the lines of a batch, snippet by snippet. */
function splitVerdict({ messages }: Verdict, count: number): readonly Verdict[] {
  const lists: Message[][] = Array.from({ length: count }, () => []);
  for (const message of messages) lists[message.line - 1 - PRELUDE_LINES]?.push({ ...message, file: "", line: 1 });
  return lists.map((list) => ({
    outcome: list.some(({ severity }) => severity === "error") ? "refused" : "accepted",
    messages: list,
    reason: "",
  }));
}

/** A snippet on which a clang differs from us. */
interface Candidate {
  readonly snippet: Snippet;
  readonly ours: Verdict;
  /** By the fastest clang. */
  readonly verdict: Verdict;
}

/** Kind and messages of a difference, without names and numbers. */
function causeOf({ kind, ours, theirs }: Difference): string {
  return [kind, normalised(ours.text), normalised(theirs.text)].join("\n");
}

const isOwn = (file: string): boolean => file === "";

/** Compares snippets with clangs, batch by batch. */
class SnippetJudge {
  readonly #folder = mkdtempSync(join(tmpdir(), "muxkit-snippets-"));
  /** It judges all snippets: a program, where there is one. */
  readonly #fast: Clang;
  /** These judge what the first one differs in. */
  readonly #others: readonly Clang[];
  /** Causes of which one snippet was judged alone: in a batch, an error may confuse what follows. */
  readonly #confirmed = new Set<string>();

  constructor(clangs: readonly [Clang, ...Clang[]]) {
    this.#fast = clangs.at(-1) ?? clangs[0];
    this.#others = clangs.slice(0, -1);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }

  /** What a clang says of each snippet, all in one file. */
  async #judge(clang: Clang, snippets: readonly Snippet[], version: string): Promise<readonly Verdict[]> {
    const file = join(this.#folder, "snippets.cl");
    writeFileSync(file, batchText(snippets));
    const verdict = await clang.judge({ name: "snippets", file, options: [`-cl-std=CL${version}`] });
    if (verdict.outcome !== "failed") return splitVerdict(verdict, snippets.length);
    if (snippets.length === 1) return [verdict];
    // One of them ends the clang: the others are judged without it.
    const half = Math.ceil(snippets.length / 2);
    const first = await this.#judge(clang, snippets.slice(0, half), version);
    return [...first, ...(await this.#judge(clang, snippets.slice(half), version))];
  }

  /** True where a clang differs from us when it sees the snippet alone, or another clang may. */
  async #holdsAlone({ snippet, ours, verdict }: Candidate, version: string): Promise<boolean> {
    const { name: clang } = this.#fast;
    const [first] = differencesOf(ours, [{ clang, verdict }], isOwn);
    // What both refuse, another clang may take.
    if (first === undefined) return ours.outcome === "refused" && this.#others.length > 0;
    const cause = causeOf(first);
    if (this.#confirmed.has(cause)) return true;
    const [alone = verdict] = await this.#judge(this.#fast, [snippet], version);
    const [again] = differencesOf(ours, [{ clang, verdict: alone }], isOwn);
    const holds = again?.kind === first.kind;
    if (holds) this.#confirmed.add(cause);
    return holds;
  }

  /** Differences on the snippets of one batch. */
  async compare(batch: readonly Snippet[], version: string): Promise<readonly Found[]> {
    const verdicts = await this.#judge(this.#fast, batch, version);
    const candidates: Candidate[] = [];
    for (const [i, snippet] of batch.entries()) {
      const candidate: Candidate = {
        snippet,
        ours: judgeHere(snippet, version),
        verdict: verdicts[i] ?? failedVerdict(""),
      };
      // oxlint-disable-next-line no-await-in-loop -- there is one file
      if (await this.#holdsAlone(candidate, version)) candidates.push(candidate);
    }
    if (candidates.length === 0) return [];
    const differing = candidates.map(({ snippet }) => snippet);
    const more: (readonly Verdict[])[] = [];
    // oxlint-disable-next-line no-await-in-loop -- there is one file
    for (const clang of this.#others) more.push(await this.#judge(clang, differing, version));
    return candidates.flatMap(({ snippet, ours, verdict }, i) => {
      const all: readonly ClangVerdict[] = [
        { clang: this.#fast.name, verdict },
        ...this.#others.map(({ name }, at) => ({ clang: name, verdict: more[at]?.[i] ?? failedVerdict("") })),
      ];
      const program = `${snippet.rule} (CL${version}): ${textOf(snippet, 0)}`;
      return differencesOf(ours, all, isOwn).map((difference) => ({ program, difference }));
    });
  }
}

/** What came of a table. */
export interface TableResult {
  readonly table: SnippetTable;
  readonly snippets: number;
  readonly found: readonly Found[];
}

/** A multiplier of Knuth's multiplicative hash: indices are spread evenly, whatever the period of a table. */
const SPREAD = 2_654_435_761;

/** One of so many snippets, spread over all. */
function spread(snippets: readonly Snippet[], every: number): readonly Snippet[] {
  return snippets.filter((_, i) => Math.imul(i, SPREAD) >>> 0 < 2 ** 32 / every);
}

/** Judges snippets of tables, one of `every`. `progress` hears of each table. */
export async function judgeTables(
  tables: readonly SnippetTable[],
  clangs: readonly [Clang, ...Clang[]],
  every: number,
  progress: (result: TableResult) => void,
): Promise<void> {
  const judge = new SnippetJudge(clangs);
  for (const table of tables) {
    const found: Found[] = [];
    const all = [...table.make()];
    const snippets = every === 1 ? all : spread(all, every);
    for (const version of table.versions)
      for (let i = 0; i < snippets.length; i += BATCH)
        // oxlint-disable-next-line no-await-in-loop -- the clang of npm has one memory
        found.push(...(await judge.compare(snippets.slice(i, i + BATCH), version)));
    progress({ table, snippets: snippets.length * table.versions.length, found });
  }
  judge.close();
}
