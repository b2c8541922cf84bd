// SPDX-License-Identifier: Apache-2.0
// Folders that are made for a user: one by one, by several processes at once, and not at all where the system makes
// none.
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { afterAll, describe, expect, test } from "vitest";

import { makeFolder } from "../source/make-folder.ts";

const PACKAGE = join(import.meta.dirname, "..");
const JOB = join(PACKAGE, "../../benchmarks/suite/tiny/img_blur5.json");
const SOURCE = join(PACKAGE, "../../benchmarks/suite/image.cl");
/** Below it the system makes no folder, and reports that its parent is missing. */
const NOWHERE = "/proc/muxkit";
/** Far more than any of these programs takes, in ms. */
const LIMIT_MS = 50_000;

const root = mkdtempSync(join(tmpdir(), "muxkit-folders-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});

const scriptOf = (file: string): string => JSON.stringify(pathToFileURL(join(PACKAGE, "source", file)).href);

/** A process of its own: what would wait forever is ended. */
function script(
  text: string,
  environment: NodeJS.ProcessEnv = {},
): { readonly status: number | null; readonly out: string; readonly error: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=source", "--input-type=module", "-e", text],
    { cwd: PACKAGE, encoding: "utf8", timeout: LIMIT_MS, env: { ...process.env, ...environment } },
  );
  return { status, out: stdout, error: stderr };
}

/** The program muxkit, in a process of its own. */
function cli(...args: readonly string[]): ReturnType<typeof script> {
  return script(`import { main } from ${scriptOf("command/main.ts")};
process.exitCode = main(${JSON.stringify(args)}, { out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text) });`);
}

test("missing folders are made, with their mode, and the outermost is returned", () => {
  expect(makeFolder(join(root, "a", "b", "c"), 0o700)).toBe(join(root, "a"));
  expect(makeFolder(join(root, "a", "b", "c"))).toBeUndefined();
  expect(makeFolder(join(root, "a", "b", "d", ""))).toBe(join(root, "a", "b", "d", ""));
  expect(makeFolder(join(root, "a", "e", "f", ""))).toBe(join(root, "a", "e"));
  expect(makeFolder("/")).toBeUndefined();
  const modes = ["a", "a/b", "a/b/c"].map((path) => statSync(join(root, path)).mode & 0o777);
  expect(modes.every((mode) => mode === 0o700 || process.platform === "win32")).toBe(true);
  symlinkSync(join(root, "a"), join(root, "link"));
  expect(makeFolder(join(root, "link"))).toBeUndefined();
  expect(makeFolder(join(root, "link", "g"))).toBe(join(root, "link", "g"));
});

test("where a file is in the way the system's error is thrown", () => {
  const file = join(root, "file");
  writeFileSync(file, "");
  symlinkSync(join(root, "gone"), join(root, "dangling"));
  expect(() => makeFolder(file)).toThrow("EEXIST");
  expect(() => makeFolder(join(file, "a", "b"))).toThrow("ENOTDIR");
  expect(() => makeFolder(join(root, "dangling"))).toThrow("EEXIST");
  expect(() => makeFolder(join(root, "dangling", "a"))).toThrow(/EEXIST|ENOENT/u);
});

test("processes that make the same folders at the same time all have them", async () => {
  const base = join(root, "shared");
  mkdirSync(base);
  const making = `import { makeFolder } from ${scriptOf("make-folder.ts")};
let made = 0;
for (let i = 0; i < 300; i++) if (makeFolder(${JSON.stringify(base)} + "/" + i + "/a/b/c") !== undefined) made++;
console.log(made);`;
  const run = (): Promise<number> =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", making], {
      cwd: PACKAGE,
      timeout: LIMIT_MS,
    }).then(({ stdout }) => Number(stdout));
  const made = await Promise.all([run(), run(), run(), run()]);
  // Each folder is returned by those calls that made a part of it.
  expect(made.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(300);
  for (let i = 0; i < 300; i++) expect(statSync(join(base, String(i), "a", "b", "c")).isDirectory()).toBe(true);
});

describe.skipIf(process.platform !== "linux")(
  "below /proc, where the system makes no folder",
  { timeout: LIMIT_MS + 10_000 },
  () => {
    test("MUXKIT_CACHE stores nothing, without a message", () => {
      const writing = `import { programStore } from ${scriptOf("cache/cache-folder.ts")};
const store = programStore(process.env);
store.write("a", Uint8Array.of(1));
console.log(store.folder, store.read("a"), store.files());`;
      expect(script(writing, { MUXKIT_CACHE: NOWHERE })).toEqual({
        status: 0,
        out: `${NOWHERE}/programs null []\n`,
        error: "",
      });
    });

    test("a library of programs reports that it cannot be written", () => {
      const adding = `import { ProgramFolder } from ${scriptOf("library/program-folder.ts")};
console.log(new ProgramFolder(${JSON.stringify(NOWHERE)}).add({ device: "muxkit", source: "", options: "" }).error);`;
      expect(script(adding)).toMatchObject({
        status: 0,
        out: expect.stringContaining(`the program library at ${NOWHERE} cannot be written: ENOENT`) as string,
        error: "",
      });
    });

    const none = "there is no such file or folder\n";
    test.each([
      [
        ["run", JOB, "--runs", "1", "--dump", NOWHERE],
        `the outputs cannot be written to the folder ${NOWHERE}: ${none}`,
      ],
      [["create-target", "my-chip", "--into", NOWHERE], `the target cannot be written to ${NOWHERE}: ${none}`],
      [["compile", SOURCE, "-o", `${NOWHERE}/out/`], `the folder ${NOWHERE}/out/ cannot be created: ${none}`],
    ])("muxkit %j says one sentence", (args, sentence) => {
      expect(cli(...args)).toEqual({ status: 1, out: "", error: `muxkit ${args[0] ?? ""}: ${sentence}` });
    });
  },
);
