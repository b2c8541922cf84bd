// SPDX-License-Identifier: Apache-2.0
// Folders of programs, and their build options.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readPrograms } from "@muxkit/corpus";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "muxkit-corpus-"));
afterAll(() => rmSync(folder, { recursive: true }));

function put(name: string, text: string): void {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), text);
}

put("a.cl", "");
put("notes.txt", "");
put("fft/b.cl", "");
put("fft/deep/c.cl", "");
put(
  "corpus.options",
  "# all\n\n**: -I include -DALL\na.cl [one]: -D N=1\na.cl [two]: -D 'N=a b'\nfft/*.cl: -cl-std=CL2.0\n",
);
put("fft/corpus.options", "deep/c.cl: -Ix\n");

test("lines of all folders above a file hold, by pattern; builds by name", () => {
  const common = ["-I", join(folder, "include"), "-DALL"];
  expect(readPrograms([folder]).map(({ name, options }) => [name, options])).toEqual([
    ["a.cl [one]", [...common, "-D", "N=1"]],
    ["a.cl [two]", [...common, "-D", "N=a b"]],
    ["fft/b.cl", [...common, "-cl-std=CL2.0"]],
    ["fft/deep/c.cl", [...common, `-I${join(folder, "fft/x")}`]],
  ]);
});

test("a single file has the options of its folder", () => {
  expect(readPrograms([join(folder, "fft/deep/../b.cl")]).map(({ name, options }) => [name, options])).toEqual([
    ["b.cl", []],
  ]);
});

test("a line that is not written right is an error with its place", () => {
  put("bad/corpus.options", "a.cl -D N\n");
  expect(() => readPrograms([join(folder, "bad")])).toThrow(/bad\/corpus.options:1: write "PATTERN: OPTIONS"/u);
});
