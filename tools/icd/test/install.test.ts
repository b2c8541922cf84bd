// SPDX-License-Identifier: Apache-2.0
// muxkit icd install, uninstall, path, env, run: each below a folder of its own, which is afterwards as it was.
import { spawnSync } from "node:child_process";
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { HAS_LOADER, KEPT_CC, MAIN, type Outcome, has } from "./rig.ts";

const HAS_CLINFO = HAS_LOADER && has("clinfo");
const LIMIT = 300_000;
const NOBODY = 65_534;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "muxkit install ünïcode "));
  chmodSync(root, 0o755);
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

interface How {
  readonly environment?: NodeJS.ProcessEnv;
  readonly uid?: number;
}

/** Runs `muxkit icd` with a home of its own and nothing of ours in the environment. */
function icd(words: readonly string[], { environment = {}, uid }: How = {}): Outcome {
  // Only the installed paths are tested here: a library that was compiled before will do.
  const own = {
    PATH: process.env["PATH"],
    HOME: join(root, "home"),
    TMPDIR: tmpdir(),
    CC: KEPT_CC,
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    ...environment,
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=source", MAIN, ...words], {
    encoding: "utf8",
    env: own,
    timeout: LIMIT,
    cwd: "/",
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  return { status, output: stdout, errors: stderr };
}

/** Every file and folder below the root. */
function tree(): readonly string[] {
  return globSync("**/*", { cwd: root })
    .concat(globSync("**/.*", { cwd: root }))
    .toSorted();
}

/** Platforms that programs see. */
function platforms(environment: NodeJS.ProcessEnv): string {
  return spawnSync("clinfo", ["-l"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], MUXKIT_CACHE: "off", ...environment },
  }).stdout;
}

describe.skipIf(!HAS_LOADER)("installing", () => {
  test.skipIf(!HAS_CLINFO)(
    "for the user: the line for the shell works, and uninstalling leaves nothing",
    () => {
      const before = tree();
      const { status, output, errors } = icd(["install", "--user"]);
      expect({ status, errors }).toEqual({ status: 0, errors: "" });
      const line = /^ {2}export (.*)$/mu.exec(output)?.[1] ?? "";
      expect(line).toContain(join(root, "home", ".local", "share", "muxkit", "icd", "vendors"));
      expect(icd(["env"]).output).toBe(`${line}\n`);
      const shell = spawnSync("sh", ["-c", `export ${line}; exec clinfo -l`], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], MUXKIT_CACHE: "off" },
      });
      expect({ status: shell.status, errors: shell.stderr }).toEqual({ status: 0, errors: "" });
      expect(shell.stdout).toMatch(/^Platform #0: Muxkit\n.*Device #0: /u);
      const path = icd(["path"]);
      expect(path).toEqual({
        status: 0,
        errors: "",
        output: `${join(root, "home", ".local", "share", "muxkit", "icd", "libmuxkit_icd.so")}\n`,
      });
      expect(icd(["run", "--", "clinfo", "-l"], { environment: { MUXKIT_CACHE: "off" } }).output).toBe(shell.stdout);
      expect(icd(["uninstall"]).status).toBe(0);
      expect(tree()).toEqual(before);
      expect(icd(["path"]).status).toBe(1);
      expect(icd(["uninstall"]).output).toBe("nothing is installed\n");
    },
    LIMIT,
  );

  test(
    "twice is once; what others put into the folders stays",
    () => {
      mkdirSync(join(root, "data", "muxkit"), { recursive: true });
      writeFileSync(join(root, "data", "muxkit", "other"), "");
      const environment = { XDG_DATA_HOME: join(root, "data") };
      const before = tree();
      expect(icd(["install"], { environment }).status).toBe(0);
      const once = tree();
      expect(icd(["install", "--user"], { environment }).status).toBe(0);
      expect(tree()).toEqual(once);
      expect(icd(["uninstall", "--user"], { environment }).status).toBe(0);
      expect(tree()).toEqual(before);
    },
    LIMIT,
  );

  test("XDG_DATA_HOME that is no absolute path is none", () => {
    expect(icd(["path"], { environment: { XDG_DATA_HOME: "relative/data" } }).output).toBe(
      `${join(root, "home", ".local", "share", "muxkit", "icd", "libmuxkit_icd.so")}\n`,
    );
  });

  test.skipIf(!HAS_CLINFO)(
    "for all users, below another root, next to somebody else's driver",
    () => {
      mkdirSync(join(root, "system", "etc", "OpenCL", "vendors"), { recursive: true });
      writeFileSync(join(root, "system", "etc", "OpenCL", "vendors", "other.icd"), "libother.so\n");
      const before = tree();
      const words = ["--system", "--prefix", join(root, "system")];
      const { status, output } = icd(["install", ...words]);
      const vendors = join(root, "system", "etc", "OpenCL", "vendors");
      expect(status).toBe(0);
      expect(output).toContain(`registered in ${join(vendors, "muxkit.icd")}: every program finds it\n`);
      expect(readFileSync(join(vendors, "muxkit.icd"), "utf8")).toBe(
        `${join(root, "system", "usr", "local", "lib", "muxkit-icd", "libmuxkit_icd.so")}\n`,
      );
      expect(platforms({ OCL_ICD_VENDORS: vendors })).toContain("Muxkit");
      // One for the user next to it is another one.
      expect(icd(["install"]).status).toBe(0);
      symlinkSync(
        join(root, "home", ".local", "share", "muxkit", "icd", "vendors", "muxkit.icd"),
        join(vendors, "second.icd"),
      );
      expect(platforms({ OCL_ICD_VENDORS: vendors }).match(/^Platform #\d: Muxkit$/gmu)).toHaveLength(2);
      rmSync(join(vendors, "second.icd"));
      expect(icd(["uninstall", "--user"]).output).not.toContain("system");
      expect(icd(["uninstall", ...words]).status).toBe(0);
      expect(tree()).toEqual(before);
    },
    LIMIT,
  );

  test(
    "what another version built is built again when it is used",
    () => {
      expect(icd(["install"]).status).toBe(0);
      const folder = join(root, "home", ".local", "share", "muxkit", "icd");
      const [server, stamp] = [join(folder, "libmuxkit_icd.server"), join(folder, "libmuxkit_icd.stamp")];
      const right = readFileSync(server, "utf8");
      writeFileSync(server, "/usr/bin/node\n/gone/main.js\nserve\n");
      expect(icd(["env"]).status).toBe(0);
      expect(readFileSync(server, "utf8")).toBe(right);
      writeFileSync(stamp, "another");
      writeFileSync(join(folder, "libmuxkit_icd.so"), "old");
      expect(icd(["env"]).status).toBe(0);
      expect(readFileSync(join(folder, "libmuxkit_icd.so")).length).toBeGreaterThan(10_000);
    },
    LIMIT,
  );

  test(
    "folders that cannot be written are named, with what helps; nothing is left",
    () => {
      writeFileSync(join(root, "file"), "");
      const before = tree();
      const blocked = icd(["install"], { environment: { XDG_DATA_HOME: join(root, "file", "data") } });
      expect(blocked).toEqual({
        status: 1,
        output: "",
        errors:
          `muxkit icd install: ${join(root, "file", "data", "muxkit", "icd")} cannot be ` +
          `written (ENOTDIR): XDG_DATA_HOME may name another folder\n`,
      });
      // Below it no folder can be made, whatever is above.
      expect(icd(["install"], { environment: { XDG_DATA_HOME: "/proc" } })).toEqual({
        status: 1,
        output: "",
        errors: "muxkit icd install: /proc/muxkit cannot be written (ENOENT): XDG_DATA_HOME may name another folder\n",
      });
      expect(tree()).toEqual(before);
    },
    LIMIT,
  );

  test.skipIf(process.getuid?.() !== 0)(
    "who may not write the system's folders is told to be root, and has what is one's own",
    () => {
      mkdirSync(join(root, "system"), { mode: 0o755 });
      mkdirSync(join(root, "home"));
      chmodSync(join(root, "home"), 0o777);
      const before = tree();
      const refused = icd(["install", "--system", "--prefix", join(root, "system")], { uid: NOBODY });
      expect({ status: refused.status, errors: refused.errors }).toEqual({
        status: 1,
        errors: expect.stringMatching(
          /^muxkit icd install: .*system.* cannot be written \(EACCES\): for all users \(--system\) run it as root; .*\n$/u,
        ) as string,
      });
      expect(icd(["install", "--user"], { uid: NOBODY }).status).toBe(0);
      expect(icd(["uninstall"], { uid: NOBODY }).status).toBe(0);
      expect(tree()).toEqual(before);
    },
    LIMIT,
  );

  test(
    "without a compiler, or with one that fails, the message names the remedy, and nothing is written",
    () => {
      mkdirSync(join(root, "empty"));
      const before = tree();
      const none = icd(["install"], { environment: { PATH: join(root, "empty"), CC: undefined } });
      expect(none).toEqual({
        status: 1,
        output: "",
        errors: expect.stringMatching(
          /^muxkit icd install: there is no C compiler "cc": install one \(Debian and Ubuntu: apt install gcc libc6-dev;.*\), or name yours in CC\n$/u,
        ) as string,
      });
      expect(icd(["run", "--", "true"], { environment: { CC: "false" } })).toMatchObject({
        status: 1,
        errors: expect.stringContaining("false could not compile the library") as string,
      });
      expect(icd(["install"], { environment: { CC: "cc -Wall -Werror" } }).errors).toBe("");
      icd(["uninstall"]);
      expect(tree()).toEqual(before);
    },
    LIMIT,
  );

  test.each([
    [["install", "--user", "--system"], 1, "--user and --system cannot be combined"],
    [["install", "--prefix", "/x"], 1, "--prefix goes with --system"],
    [["install", "--everywhere"], 1, "Unknown option '--everywhere'"],
    [["run"], 1, "name the program to run: muxkit icd run -- PROGRAM ARGS"],
    [["fly"], 2, 'there is no "fly"'],
  ] as const)("%j is refused with one sentence", (words, status, sentence) => {
    const outcome = icd(words);
    expect(outcome.status).toBe(status);
    expect(outcome.errors).toContain(sentence);
    expect(outcome.errors).not.toContain("    at ");
  });

  test(
    "run returns the program's own exit code",
    () => {
      expect(icd(["run", "--", "sh", "-c", "exit 42"]).status).toBe(42);
      expect(icd(["run", "--", "sh", "-c", "kill -TERM $$"])).toMatchObject({
        status: 143,
        errors: "sh ended by SIGTERM\n",
      });
      expect(icd(["run", "--", "/nowhere/program"])).toMatchObject({
        status: 1,
        errors: expect.stringContaining("/nowhere/program could not be started") as string,
      });
    },
    LIMIT,
  );
});
