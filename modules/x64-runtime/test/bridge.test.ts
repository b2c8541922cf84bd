// SPDX-License-Identifier: Apache-2.0
// The bridge in processes of its own, in each Node that is here: calls, faults beside V8's, stops, refusals.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { IS_SUPPORTED, NODES, bundle, compileAddon, run, temporaryFolder } from "./run-program.ts";

const scratch = temporaryFolder();
const folder = join(scratch.path, "code");
const profiles = join(scratch.path, "profiles");
const programs = new Map<string, string>();

const PROGRAMS = [
  "children",
  "details",
  "elsewhere",
  "faults",
  "other-handlers",
  "signals",
  "stop",
  "workers",
] as const;

beforeAll(() => {
  for (const name of PROGRAMS) programs.set(name, bundle(name, scratch.path));
});
afterAll(() => scratch.remove());

const program = (name: string): string => programs.get(name) ?? "";
/** Rounds of six faults in each of four threads. */
const ROUNDS = Number(process.env["MUXKIT_FAULT_ROUNDS"] ?? "420");

/** How a program ends that finds no bridge: its status and its only line, without what Node itself warns of. */
function refusal(node: string, flags: readonly string[], place: string): string {
  const { text, status } = run(node, flags, program("details"), [place]);
  const sentences = text.split("\n").filter((line) => line !== "" && !/Warning|--trace-warnings/u.test(line));
  return `${status}: ${sentences.join(" | ")}`;
}

const noexec = join(scratch.path, "noexec");
/** Runs what follows where a file system that executes nothing is mounted at `noexec`. */
const IN_NOEXEC = ["-rm", "sh", "-c", `mount -t tmpfs -o noexec none ${noexec} && exec "$@"`, "sh"];
mkdirSync(noexec);
const mayMount = IS_SUPPORTED && spawnSync("unshare", [...IN_NOEXEC, "true"]).status === 0;
if (!mayMount)
  process.stderr.write("!! nothing can be mounted here: the refusal of a folder that is noexec is not tested\n");

const otherAddon = IS_SUPPORTED ? compileAddon("handlers", scratch.path) : null;

describe.skipIf(!IS_SUPPORTED).each(NODES)("Node %s", (_, node) => {
  test("calls: arguments, memory, MXCSR, stack, pages", () => {
    const { text } = run(node, [], program("details"), [folder]);
    const { features, ...rest } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    expect(rest).toEqual({
      sum: 654_321,
      loaded: 77,
      wrapped: 77,
      mxcsr: 0x1f80,
      isSubnormalKept: true,
      endOfMxcsr: "instruction",
      isRestored: true,
      alignment: 56,
      wholeStack: 1,
      tooMuchStack: "stack",
      lostRegisters: 5,
      released: "memory",
      placedAgain: 9,
      writesItself: "memory",
      tooLarge: 0,
      stillWorks: "number",
      refused: "InternalError",
      hasHandlers: true,
    });
    const flags = /^flags\s*:(.*)$/mu.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1]?.split(" ") ?? [];
    // Linux has other names for some.
    const names: Readonly<Record<string, string>> = { lzcnt: "abm", sse3: "pni", avx512_vbmi: "avx512vbmi" };
    const known = (features as string[]).map((name) => names[name] ?? name);
    expect(known.filter((name) => !flags.includes(name))).toEqual([]);
    expect(flags.includes("avx2")).toBe(known.includes("avx2"));
    expect(flags.includes("avx512f")).toBe(known.includes("avx512f"));
  });

  test("faults are values, and V8's traps stay traps, in four threads at once", () => {
    const { text, status, signal } = run(node, [], program("faults"), [folder, String(ROUNDS)]);
    const line = `${6 * ROUNDS} faults, ${ROUNDS / 2} traps, wrong: none\n`;
    expect({ text, status, signal }).toEqual({ text: line.repeat(4), status: 0, signal: null });
  });

  test("endless loops are stopped by a signal, and only the call that is meant", () => {
    const { text } = run(node, [], program("stop"), [folder, "100"]);
    expect(text).toBe("stopped 100, wrong 0, a thread that is not there: false\n");
  });

  test("workers come and go, also such that are terminated in a kernel", () => {
    const { text } = run(node, [], program("workers"), [folder, "24"]);
    expect(text).toBe("24 workers, wrong: 0, blocks left: none\n");
  });

  test("children of the process: spawned and forked ones, with faults on both sides", () => {
    const { text, status } = run(node, [], program("children"), [folder, "4"]);
    expect({ text, status }).toEqual({
      text: "spawned 4, forked 4, by signal SIGSEGV, wrong 0, faults in the worker: true, handlers: true\n",
      status: 0,
    });
  });

  test.each([
    ["", []],
    [", while V8's profiler interrupts it", ["--cpu-prof", "--cpu-prof-interval=100", `--cpu-prof-dir=${profiles}`]],
  ])("signals outside of kernels, and full stacks%s", (_title, flags) => {
    const { text, status, signal } = run(node, flags, program("signals"), [folder, "60"]);
    expect({ text, status, signal }).toEqual({
      text:
        "kicked outside: true, wrong 0, ended 1\n" +
        "signals inside: 0 before it returned, heard true, right true\n" +
        "deep: true, wrong 0, RangeError, then memory\n",
      status: 0,
      signal: null,
    });
  });

  test("faults are values while V8's profiler interrupts threads", () => {
    const flags = ["--cpu-prof", "--cpu-prof-interval=100", `--cpu-prof-dir=${profiles}`];
    const { text, status } = run(node, flags, program("faults"), [folder, "60"]);
    expect({ text, status }).toEqual({ text: "360 faults, 30 traps, wrong: none\n".repeat(4), status: 0 });
  });

  test.skipIf(otherAddon === null)("another addon's handlers over the bridge's", () => {
    const { text } = run(node, [], program("other-handlers"), [folder, otherAddon ?? ""]);
    const ends = ["memory", "memory", "memory", "arithmetic", "instruction", "stack", "RuntimeError"];
    expect(JSON.parse(text)).toEqual({
      before: true,
      under: false,
      handedOn: ends,
      seen: ends.length,
      after: true,
      again: ends,
      seenThen: ends.length,
      alone: false,
    });
  });

  test.each(["sent", "jumped"])("a fault elsewhere ends the process: %s", (origin) => {
    const { text, signal } = run(node, [], program("elsewhere"), [folder, origin]);
    expect({ text: text.includes("still here"), signal }).toEqual({ text: false, signal: "SIGSEGV" });
  });

  describe("refusals are one sentence", () => {
    test("--no-addons", () => {
      expect(refusal(node, ["--no-addons"], folder)).toBe(
        "3: Native code is not used, because this process may not load addons " +
          "(--no-addons, or --permission without --allow-addons).",
      );
    });

    test("--permission without --allow-addons", () => {
      const flag =
        process.allowedNodeEnvironmentFlags.has("--permission") && node === process.execPath
          ? "--permission"
          : "--experimental-permission";
      expect(refusal(node, [flag, "--allow-fs-read=*", "--allow-fs-write=*", "--allow-worker"], folder)).toContain(
        "3: Native code is not used, because this process may not load addons",
      );
    });

    test("no guard behind the memory", () => {
      expect(refusal(node, ["--disable-wasm-trap-handler"], folder)).toContain(
        "3: Native code is not used, because the engine keeps no free address space behind the memory",
      );
    });

    test.skipIf(!mayMount)("a folder that is mounted noexec", () => {
      const { text, status } = run("unshare", [...IN_NOEXEC, node], program("details"), [join(noexec, "code")]);
      expect(`${status}: ${text}`).toMatch(
        /^3: Native code is not used, because nothing in \S+ may be executed; its folder may be mounted noexec\.\n$/u,
      );
    });

    test("a folder that others may write to", () => {
      const open = join(scratch.path, "open");
      mkdirSync(open, { recursive: true });
      chmodSync(open, 0o777);
      expect(refusal(node, [], open)).toBe(
        `3: Others may write to the folder ${open}, so that no native code is kept there; take their right away.`,
      );
    });
  });
});
