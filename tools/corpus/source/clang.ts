// SPDX-License-Identifier: Apache-2.0
// Clang's verdict on a program: by the clang on PATH, or by the one that npm brings as WebAssembly.
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";

import type { Command, Tree } from "@yowasp/clang";

import { includedFiles } from "./includes.ts";
import type { Program } from "./programs.ts";
import { type Message, type Verdict, failedVerdict } from "./verdict.ts";

/** Options of every program: the target's pointers have 32 bits, as ours, and all errors are told. */
export const CLANG_OPTIONS: readonly string[] = [
  ..."-x cl -target spir-unknown-unknown -fsyntax-only -ferror-limit=0".split(" "),
  // What a runtime defines.
  ..."-D__OPENCL_VERSION__=300 -D__IMAGE_SUPPORT__=1".split(" "),
  ..."-fno-caret-diagnostics -fno-color-diagnostics -fno-spell-checking".split(" "),
];

/** Options of ours that clang does not know: alone, and those that take the next word. */
const OWN_OPTION = /^-(?:cl-wfv=|cl-precache-local-sizes=|cl-opt-disable|cl-kernel-arg-info|muxkit-)/u;
const OWN_OPTION_WITH_WORD: ReadonlySet<string> = new Set(["-S", "-X"]);

const MESSAGE = /^(.+?):(\d+):\d+: (?:fatal )?(error|warning): (.*?)(?: \[(-W[^\]]*)\])?$/u;

/** Words of a build that compilers of others know. */
export function foreignWords({ options }: Program): readonly string[] {
  return options.filter(
    (word, i) =>
      !OWN_OPTION.test(word) && !OWN_OPTION_WITH_WORD.has(word) && !OWN_OPTION_WITH_WORD.has(options[i - 1] ?? ""),
  );
}

/** Words of a build as clang takes them; without a version it means 1.2, as `clBuildProgram` does. */
export function clangWords(program: Program): readonly string[] {
  const words = foreignWords(program);
  const version = words.some((word) => word.startsWith("-cl-std=")) ? [] : ["-cl-std=CL1.2"];
  return [...version, ...words, "-I", dirname(program.file)];
}

/** The messages in what clang wrote. */
export function messagesIn(text: string): readonly Message[] {
  return text.split("\n").flatMap((one): readonly Message[] => {
    const [, file = "", line = "", severity, message = "", code = ""] = MESSAGE.exec(one) ?? [];
    if (severity !== undefined)
      return [{ severity: severity as Message["severity"], code, text: message, file, line: Number(line) }];
    const [, driver] = /^(?:clang|clang-\d+|LLVM)[^:]*: error: (.*)$/u.exec(one) ?? [];
    return driver === undefined ? [] : [{ severity: "error", code: "", text: driver, file: "", line: 0 }];
  });
}

function verdictOf(said: string, status: number | null): Verdict {
  const messages = messagesIn(said);
  const isRefused = messages.some(({ severity }) => severity === "error");
  if (/Stack dump:|PLEASE submit a bug report/u.test(said)) return failedVerdict("clang crashed");
  if (status !== 0 && !isRefused) return failedVerdict(said.trim().split("\n")[0] ?? `status ${status ?? "none"}`);
  return { outcome: isRefused ? "refused" : "accepted", messages, reason: "" };
}

/** A verdict of a clang that is a program. */
export function judgeNatively(command: string, program: Program, limitMs: number): Promise<Verdict> {
  const args = [...CLANG_OPTIONS, ...clangWords(program), program.file];
  return new Promise((done) => {
    execFile(command, args, { timeout: limitMs, maxBuffer: 1 << 26 }, (error, _, stderr) => {
      if (error?.killed === true) done(failedVerdict(`no end within ${limitMs / 1000} s`));
      else done(verdictOf(stderr, error === null ? 0 : typeof error.code === "number" ? error.code : null));
    });
  });
}

/** The first line of `--version` of a clang that is a program; null: it cannot be run. */
export function versionOf(command: string): Promise<string | null> {
  return new Promise((done) => {
    execFile(command, ["--version"], (error, stdout) => done(error === null ? (stdout.split("\n")[0] ?? "") : null));
  });
}

/** Puts a file into a tree of folders, by its absolute path. */
function put(tree: Tree, path: string, text: string): void {
  const folders = path.split("/").filter((part) => part !== "");
  const name = folders.pop() ?? "";
  let at = tree;
  for (const folder of folders) at = (at[folder] ??= {}) as Tree;
  at[name] = text;
}

/** Clang as WebAssembly, loaded: writes to standard error and returns its status. */
async function runModule(clang: Command, args: readonly string[], tree: Tree): Promise<[said: string, status: number]> {
  let said = "";
  let status = 0;
  const decoder = new TextDecoder();
  const stderr = (bytes: Uint8Array | null): void => {
    if (bytes !== null) said += decoder.decode(bytes, { stream: true });
  };
  try {
    await clang([...args], tree, { stdout: null, stderr, fetchProgress: () => undefined });
  } catch (error) {
    // A program with errors ends clang with a status, which is no failure of ours.
    if (!(error instanceof Error) || !("code" in error)) throw error;
    status = Number(error.code);
  }
  return [said, status];
}

/** A path in the tree of clang as WebAssembly: it has no working folder but the root. */
function inTree(path: string): string {
  return path.replace(/^\/+/u, "");
}

/** The clang of npm. Its programs share one memory: calls must not overlap. */
export async function loadClangModule(): Promise<(program: Program) => Promise<Verdict>> {
  const { commands } = await import("@yowasp/clang");
  const { clang } = commands;
  return async (program) => {
    const tree: Tree = {};
    for (const [path, text] of includedFiles(program)) put(tree, path, text);
    const words = clangWords(program);
    const relative = words.map((word, i) =>
      words[i - 1] === "-I" ? inTree(word) : word.startsWith("-I/") ? `-I${inTree(word.slice(2))}` : word,
    );
    const [said, status] = await runModule(clang, [...CLANG_OPTIONS, ...relative, inTree(program.file)], tree);
    const verdict = verdictOf(said, status);
    return { ...verdict, messages: verdict.messages.map((one) => ({ ...one, file: one.file && join("/", one.file) })) };
  };
}
