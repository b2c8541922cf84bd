// SPDX-License-Identifier: Apache-2.0
// Our assembler beside an independent one: every module in assembly of this repository, and every case of the
// validator, becomes the same words by spirv-as.
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";

import { describe, expect, test } from "vitest";

import { assemble } from "@muxkit/spirv";

import { hasTool, runTool } from "./debian.ts";
import { CASE_TEXTS } from "./validation-texts.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "dist", ".git", "out"]);

/** What spirv-as alone refuses: ours writes sets and numbers that it does not know, so that readers can be tested. */
const MEANT = /Invalid extended instruction (?:name|import) /u;

/** The files in assembly below a folder. */
function assemblyFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : assemblyFiles(path);
    return entry.name.endsWith(".spvasm") ? [path] : [];
  });
}

/** Words by both, ids numbered in the order of the text; without magic number, version and generator. */
function byBoth(text: string): readonly [ours: readonly number[] | string, theirs: readonly number[] | string] {
  const own = assemble(text, { keepsNumbers: false });
  // The newest version has the names of all.
  const { status, bytes, error } = runTool("spirv-as", ["--target-env", "spv1.6", "-o", "-"], text);
  const { length, buffer, byteOffset } = bytes;
  const theirs = new Uint32Array(buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer);
  return [own.ok ? [...own.value.subarray(3)] : own.error.message, status === 0 ? [...theirs.subarray(3)] : error];
}

describe.skipIf(!hasTool("spirv-as"))("spirv-as", () => {
  const files = assemblyFiles(ROOT).map((path): [string, string] => [relative(ROOT, path), path]);

  test("there are modules in assembly", () => {
    expect(files.length).toBeGreaterThan(40);
  });

  test.each(files)("%s: the same words", (_, path) => {
    const [ours, theirs] = byBoth(readFileSync(path, "utf8"));
    expect(theirs).not.toBeTypeOf("string");
    expect(ours).toEqual(theirs);
  });

  // Every eighth case; MUXKIT_SPIRV=whole for all of them: a process takes longer than everything else here.
  test("cases of the validator: the same words", () => {
    const asked = CASE_TEXTS.filter((_, index) => index % 8 === 0 || process.env["MUXKIT_SPIRV"] === "whole");
    const different = asked.flatMap(({ name, text }) => {
      const [ours, theirs] = byBoth(text);
      if (typeof theirs === "string" && MEANT.test(theirs)) return [];
      const isSame = JSON.stringify(ours) === JSON.stringify(theirs);
      return isSame ? [] : [`${name}: ${typeof theirs === "string" ? theirs : "other words"}`];
    });
    expect(different).toEqual([]);
  });
});
