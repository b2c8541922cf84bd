// SPDX-License-Identifier: Apache-2.0
// The code blocks of pages: programs that users copy, and the calls of commands that they type.
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** A fenced block of a page. */
export interface Snippet {
  /** The page, from the root of the repository. */
  readonly page: string;
  /** Its number among the blocks of its language on the page, from 1. */
  readonly index: number;
  /** What follows the fence; empty: nothing. */
  readonly language: string;
  readonly text: string;
}

/** Pages for users of the packages: their programs are complete but for what the reader has. */
export function userPages(): readonly string[] {
  const guides = ["compile-and-link", "import-kernels", "port-without-a-compiler", "use-in-a-browser", "use-spirv"];
  return [
    "README.md",
    ...guides.map((name) => `docs/how-to/${name}.md`),
    ...globSync(["{modules,source}/*/README.md", "tools/icd/README.md"], { cwd: root }).toSorted(),
  ];
}

/** The site's pages to learn from: their programs are complete. */
export function learnPages(): readonly string[] {
  return globSync(["site/index.md", "site/learn/*.md"], { cwd: root }).toSorted();
}

/** Pages for those who change the project: commands are complete, programs are parts of files. */
export function contributorPages(): readonly string[] {
  return ["CONTRIBUTING.md", ...globSync("docs/{internals,how-to}/*.md", { cwd: root }).toSorted()];
}

/** The blocks of a page in order. */
export function snippetsOf(page: string): readonly Snippet[] {
  const counts = new Map<string, number>();
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gmu)].map(([, language = "", code = ""]) => {
    const index = (counts.get(language) ?? 0) + 1;
    counts.set(language, index);
    return { page, index, language, text: code };
  });
}

/** The calls of the project's programs in a block, each as words; comments are left out. */
export function commandsOf({ language, text }: Snippet): readonly (readonly string[])[] {
  if (language !== "" && language !== "sh") return [];
  return text.split("\n").flatMap((line) => {
    const words = line
      .replace(/\s+#.*$/u, "")
      .trim()
      .split(/\s+/u);
    const own = words[0] === "npx" ? words.slice(1) : words;
    return ["muxkit", "clc", "veczc"].includes(own[0] ?? "") ? [own] : [];
  });
}
