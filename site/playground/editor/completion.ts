// SPDX-License-Identifier: Apache-2.0
// Completion of built-in functions with their prototypes, of keywords, types, and the names of the text.
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { BUILTINS } from "@muxkit/builtin-table";

import { KEYWORDS, TYPES } from "./opencl-language.ts";

/** What the letters of the table's patterns stand for, in words that need no table. */
const LETTERS: Readonly<Record<string, string>> = {
  T: "gentype",
  S: "scalar",
  U: "ugentype",
  I: "igentype",
  N: "intn",
};

/** A type of a pattern in words. */
function word(text: string): string {
  const bare = text.trim().replace(/^[sfwq]:/, "");
  const [, sigil = "", rest = bare] = /^([*^@]*)(.*)$/.exec(bare) ?? [];
  const type = LETTERS[rest] ?? rest;
  return sigil === "" ? type : `${sigil.includes("^") ? "const " : ""}${type}*`;
}

/** A pattern of the table of built-ins as a prototype: `T(T,T)` of max is `gentype max(gentype, gentype)`. */
export function prototypeOf(name: string, pattern: string): string {
  const [, result = "", parameters = ""] = /^(.*?)\((.*)\)$/.exec(pattern) ?? [];
  return `${word(result)} ${name}(${parameters === "" ? "" : parameters.split(",").map(word).join(", ")})`;
}

/** Names of built-in functions that are offered: those without reserved prefixes. */
export const BUILTIN_NAMES: ReadonlySet<string> = new Set(
  BUILTINS.map(({ name }) => name).filter((name) => !name.startsWith("__")),
);

function options(): readonly Completion[] {
  const byName = new Map<string, string[]>();
  for (const { name, patterns } of BUILTINS) {
    if (!BUILTIN_NAMES.has(name)) continue;
    const list = byName.get(name) ?? [];
    list.push(...patterns.map((pattern) => prototypeOf(name, pattern)));
    byName.set(name, list);
  }
  return [
    ...[...byName].map(([label, prototypes]): Completion => {
      const [first = ""] = prototypes;
      const more = [...new Set(prototypes)];
      return {
        label,
        type: "function",
        detail: first.slice(first.indexOf("(")),
        info: more.slice(0, 6).join("\n"),
      };
    }),
    ...KEYWORDS.map((label): Completion => ({ label, type: "keyword" })),
    ...TYPES.map((label): Completion => ({ label, type: "type" })),
  ];
}

let known: readonly Completion[] | null = null;

/** The editor's source of completions. */
export function completeOpenCL(context: CompletionContext): CompletionResult | null {
  const typed = context.matchBefore(/[A-Za-z_]\w*/);
  if (typed === null || (typed.to - typed.from < 2 && !context.explicit)) return null;
  known ??= options();
  const taken = new Set(known.map(({ label }) => label));
  const own = new Set(context.state.doc.toString().match(/[A-Za-z_]\w{2,}/g));
  own.delete(typed.text);
  const names = [...own].filter((name) => !taken.has(name)).map((label): Completion => ({ label, type: "variable" }));
  return { from: typed.from, options: [...known, ...names], validFor: /^\w*$/ };
}
