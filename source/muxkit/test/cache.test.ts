// SPDX-License-Identifier: Apache-2.0
// What is kept on disk for later processes: built programs, and what the engine made of the program's own scripts.
import { execFile, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { brotliCompressSync } from "node:zlib";

import { readKeptFile } from "@muxkit/loader";
import { afterAll, beforeEach, expect, test, vi } from "vitest";

import { cacheFolder, codeStore, programStore } from "../source/cache/cache-folder.ts";
import type { StoreStatistics } from "../source/cache/cache-stats.ts";
import { main } from "../source/command/main.ts";
import { runMain } from "../source/command/program.ts";
import { COMPILER_PART } from "../source/compiler-part.ts";
import { NATIVE_PART } from "../source/native-part.ts";
import { writeTo } from "../source/start/output.ts";
import { Scripts } from "../source/start/scripts.ts";
import { Tiering, tieringFlags } from "../source/start/tiering.ts";
import { DiskStore, keptBuild } from "./kept-build.ts";

const root = mkdtempSync(join(tmpdir(), "muxkit-cache-"));
let folder = root;
let number = 0;
beforeEach(() => {
  folder = join(root, String(number++));
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

test("bytes are kept by name, and the last ones stay", () => {
  const store = new DiskStore(folder);
  expect(store.read("a")).toBeNull();
  expect(store.files()).toEqual([]);
  store.write("a", Uint8Array.of(1, 2, 3));
  new DiskStore(folder).write("a", Uint8Array.of(4, 5));
  expect([...(new DiskStore(folder).read("a") ?? [])]).toEqual([4, 5]);
  expect(readdirSync(folder)).toEqual(["a"]);
  store.clear();
  expect(store.read("a")).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
});

test("what was used least recently goes when there is too much, and what a process left unfinished", () => {
  const store = new DiskStore(folder, { mostBytes: 250, writesALook: 1 });
  const age = (name: string, seconds: number): void => {
    const time = new Date(Date.now() - seconds * 1000);
    utimesSync(join(folder, name), time, time);
  };
  for (const [name, seconds] of [
    ["a", 50],
    ["b", 40],
  ] as const) {
    store.write(name, new Uint8Array(100));
    age(name, seconds);
  }
  writeFileSync(join(folder, "old.1.0.part"), "");
  age("old.1.0.part", 7200);
  writeFileSync(join(folder, "new.1.0.part"), "");
  // Reading is using.
  expect(store.read("a")).not.toBeNull();
  store.write("c", new Uint8Array(100));
  expect(readdirSync(folder).toSorted()).toEqual(["a", "c", "new.1.0.part"]);
});

test("a folder that cannot be written or read stores nothing, without a message", () => {
  mkdirSync(folder);
  const file = join(folder, "file");
  writeFileSync(file, "");
  const below = new DiskStore(join(file, "programs"));
  below.write("a", Uint8Array.of(1));
  expect([below.read("a"), below.files()]).toEqual([null, []]);
  below.clear();
  // A name that is taken by a folder: what was written next to it is removed again.
  const store = new DiskStore(folder);
  mkdirSync(join(folder, "taken"));
  store.write("taken", Uint8Array.of(1));
  expect(store.read("taken")).toBeNull();
  expect(readdirSync(folder).toSorted()).toEqual(["file", "taken"]);
  chmodSync(folder, 0o500);
  store.write("b", Uint8Array.of(1));
  chmodSync(folder, 0o700);
});

test("writers at the same time: readers see one whole text or another", async () => {
  const program = `
    import { workerData } from "node:worker_threads";
    const { DiskStore } = await import(workerData.module);
    const store = new DiskStore(workerData.folder, { writesALook: 4 });
    for (let i = 0; i < 200; i++) {
      store.write("same", new Uint8Array(5000).fill(workerData.value));
      const read = store.read("same");
      if (read === null || read.length !== 5000 || !read.every((byte) => byte === read[0]))
        throw new Error("torn: " + read);
    }`;
  const writers = [1, 2, 3].map(
    (value) =>
      new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
        workerData: { module: new URL("../source/cache/disk-store.ts", import.meta.url).href, folder, value },
      }),
  );
  const ends = await Promise.all(
    writers.map(
      (writer) =>
        new Promise<number | Error>((resolve) => {
          writer.once("error", (error) => {
            resolve(error instanceof Error ? error : new Error(String(error)));
          });
          writer.once("exit", resolve);
        }),
    ),
  );
  expect(ends).toEqual([0, 0, 0]);
  expect(readdirSync(folder)).toEqual(["same"]);
});

test("the folder is the system's for what can be made again, or the one that is requested", () => {
  expect(cacheFolder({ XDG_CACHE_HOME: "/x" }, "linux")).toBe(join("/x", "muxkit"));
  expect(cacheFolder({ XDG_CACHE_HOME: "relative" }, "linux")).toBe(join(homedir(), ".cache", "muxkit"));
  expect(cacheFolder({}, "darwin")).toBe(join(homedir(), "Library", "Caches", "muxkit"));
  expect(cacheFolder({ LOCALAPPDATA: "/local" }, "win32")).toBe(join("/local", "muxkit"));
  expect(cacheFolder({ MUXKIT_CACHE: "/mine" })).toBe("/mine");
  expect(programStore({ MUXKIT_CACHE: "/mine" })?.folder).toBe(join("/mine", "programs"));
  expect(programStore({ MUXKIT_CACHE: "off" })).toBeNull();
  expect(codeStore({ MUXKIT_CACHE: "off", XDG_CACHE_HOME: "/x" })?.folder).toBe(join("/x", "muxkit", "code"));
  expect(codeStore({ NODE_DISABLE_COMPILE_CACHE: "1" })).toBeNull();
});

function cacheCommand(...args: string[]): string {
  let text = "";
  const streams = {
    out: (more: string) => {
      text += more;
    },
    error: (more: string) => {
      text += more;
    },
  };
  expect(main(["cache", ...args], streams)).toBe(args.includes("more") ? 2 : 0);
  return text;
}

test("muxkit cache lists what is kept, and removes it", () => {
  vi.stubEnv("MUXKIT_CACHE", folder);
  try {
    expect(JSON.parse(cacheCommand("--json"))).toEqual({
      programs: { folder: join(folder, "programs"), files: 0, bytes: 0 },
      gpu: { folder: join(folder, "gpu"), files: 0, bytes: 0 },
      code: { folder: join(folder, "code"), files: 0, bytes: 0 },
    });
    programStore(process.env)?.write("a", new Uint8Array(2000));
    expect(cacheCommand()).toBe(
      `built programs: 1 files, 2 KiB, in ${join(folder, "programs")}\n` +
        `code of GPUs: 0 files, 0 KiB, in ${join(folder, "gpu")}\n` +
        `muxkit's own code, compiled: 0 files, 0 KiB, in ${join(folder, "code")}\n`,
    );
    expect(cacheCommand("--clear")).toContain("built programs: 0 files, 0 KiB");
    expect(cacheCommand("more")).toContain("takes no file");
    vi.stubEnv("MUXKIT_CACHE", "off");
    expect(cacheCommand()).toContain("built programs: off\n");
  } finally {
    vi.unstubAllEnvs();
  }
});

const SGEMM = readFileSync(join(import.meta.dirname, "../../../benchmarks/suite/sgemm.cl"), "utf8");

test("a hit takes less than 3 ms and loads no compiler; what is damaged is built and kept again", () => {
  const store = new DiskStore(folder);
  const made = keptBuild(store, SGEMM);
  expect(made.loads).toBe(1);
  const hits = Array.from({ length: 15 }, () => keptBuild(store, SGEMM));
  for (const { loads, binary } of hits) expect([loads, binary]).toEqual([0, made.binary]);
  // The best of them: a machine that does something else is no failure.
  expect(Math.min(...hits.map(({ milliseconds }) => milliseconds))).toBeLessThan(3);
  const [file] = store.files();
  if (file === undefined) throw new Error("nothing is kept");
  const bytes = store.read(file.name)?.slice() ?? new Uint8Array();
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(join(folder, file.name), bytes);
  expect(keptBuild(store, SGEMM)).toMatchObject({ loads: 1, binary: made.binary });
  expect(keptBuild(store, SGEMM)).toMatchObject({ loads: 0, binary: made.binary });
});

test("processes that build the same at the same time: each gets it whole, and whole files stay", async () => {
  const kept = pathToFileURL(join(import.meta.dirname, "kept-build.ts")).href;
  const script = `import { createHash } from "node:crypto";
import { DiskStore, keptBuild } from ${JSON.stringify(kept)};
const store = new DiskStore(${JSON.stringify(folder)}, { mostBytes: 60_000, writesALook: 2 });
const builds = Array.from({ length: 12 }, (_, n) => keptBuild(store,
    "kernel void k(global int* x) { x[get_global_id(0)] += " + n % 6 + "; }"));
console.log(createHash("sha256").update(Buffer.concat(builds.map(({ binary }) => binary))).digest("hex"));`;
  const run = (): Promise<string> =>
    promisify(execFile)(process.execPath, ["--conditions=source", "--input-type=module", "-e", script], {
      cwd: join(import.meta.dirname, ".."),
    }).then(({ stdout }) => stdout);
  const told = await Promise.all([run(), run(), run(), run()]);
  expect(told[0]).toMatch(/^[0-9a-f]{64}\n$/u);
  expect(new Set(told).size).toBe(1);
  const files = readdirSync(folder);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((name) => name.endsWith(".part"))).toEqual([]);
  for (const name of files)
    expect(readKeptFile(new Uint8Array(readFileSync(join(folder, name))))?.kernels).toEqual(["k"]);
});

test("muxkit cache --list and --stats: what is whole, how long a hit takes, and apart from it the engine's compilation", () => {
  vi.stubEnv("MUXKIT_CACHE", folder);
  try {
    expect(cacheCommand("--stats")).toContain(
      "0 whole, 0 damaged; at most 64 MiB are cached\n  time to read and check a program: none\n",
    );
    const store = programStore(process.env);
    if (store === null) throw new Error("there is no store");
    keptBuild(store, SGEMM);
    store.write("damaged", new Uint8Array(50));
    const before = store.files();
    const { statistics, entries } = JSON.parse(cacheCommand("--stats", "--list", "--json")) as {
      readonly statistics: StoreStatistics;
      readonly entries: readonly { readonly kernels: readonly string[] | null }[];
    };
    expect(statistics).toMatchObject({ mostBytes: 64 * 2 ** 20, whole: 1, damaged: 1 });
    expect(statistics.hit?.median).toBeGreaterThan(0);
    expect(statistics.engine?.median).toBeGreaterThan(0);
    expect(entries.map(({ kernels }) => kernels)).toEqual(
      expect.arrayContaining([null, expect.arrayContaining(["sgemm_naive"])]),
    );
    expect(cacheCommand("--stats")).toMatch(
      /\n {2}1 whole, 1 damaged; [^]*time of the engine to compile its code, which is not cached: [\d.]+ ms in the median, [\d.]+ ms at most\n/u,
    );
    expect(cacheCommand("--list")).toMatch(/ damaged\n[^]* \d{4}-.*Z .*sgemm_naive|sgemm_naive[^]* damaged\n/u);
    // A look-up is not a use.
    expect(store.files()).toEqual(before);
  } finally {
    vi.unstubAllEnvs();
  }
});

test("the program runs a job with what it has and without a store, to the same outputs", () => {
  const job = join(import.meta.dirname, "../../../benchmarks/suite/tiny/img_blur5.json");
  const run = (store: DiskStore | null): unknown => {
    let text = "";
    const code = runMain(
      ["run", job, "--json", "--runs", "3"],
      {
        out: (more) => {
          text += more;
        },
        error: (more) => {
          text += more;
        },
      },
      { load: () => COMPILER_PART, loadNative: () => NATIVE_PART, store, built: () => undefined },
    );
    expect(code, text).toBe(0);
    return (JSON.parse(text) as { readonly outputs: unknown }).outputs;
  };
  const own = run(null);
  const store = new DiskStore(folder);
  expect([run(store), run(store)]).toEqual([own, own]);
});

function scriptFolder(): string {
  const scripts = join(folder, "scripts");
  mkdirSync(scripts, { recursive: true });
  writeFileSync(
    join(scripts, "shared.cjs"),
    '(function(require,scriptUrl){"use strict";let count=0;return{count:()=>++count,url:scriptUrl};})\n',
  );
  writeFileSync(
    join(scripts, "first.cjs"),
    '(function(require,scriptUrl){"use ' +
      'strict";const{count,url}=require("./shared.js");const{sep}=require("node:path");return{add:(a,b)=>a+b,count,url,sep};})\n',
  );
  return scripts;
}

interface First {
  readonly add: (a: number, b: number) => number;
  readonly count: () => number;
  readonly url: string;
  readonly sep: string;
}

function loadFirst(scripts: Scripts): First {
  return scripts.load("first.cjs") as First;
}

test("scripts find each other and Node's modules, and run once", () => {
  const scripts = new Scripts(scriptFolder(), null);
  const { add, count, url, sep } = loadFirst(scripts);
  expect([
    add(1, 2),
    count(),
    (scripts.load("shared.cjs") as First).count(),
    url.endsWith("/shared.cjs"),
    sep.length,
  ]).toEqual([3, 1, 2, true, 1]);
  expect(() => scripts.load("none.cjs")).toThrow("none.cjs");
});

test("what the engine made of scripts is kept, again for each kind of use, and not believed when it is damaged", () => {
  const path = scriptFolder();
  const store = new DiskStore(join(folder, "code"));
  const use = (...args: string[]): number => {
    const scripts = new Scripts(path, store);
    const sum = loadFirst(scripts).add(2, 3);
    scripts.keep(args);
    return sum;
  };
  const kept = (): readonly Buffer[] => store.files().map(({ name }) => readFileSync(join(store.folder, name)));
  expect(use("run", "a")).toBe(5);
  expect(new Set(store.files().map(({ name }) => name.split("-")[0]))).toEqual(new Set(["first.cjs", "shared.cjs"]));
  const [before] = kept();
  expect(use("run", "a")).toBe(5);
  expect(kept()[0]).toEqual(before);
  // Uses that none before has: the files show it.
  for (let i = 0; i < 20; i++) expect(use("check", String(i))).toBe(5);
  expect(kept()[0]?.subarray(4, 8)).not.toEqual(before?.subarray(4, 8));
  for (const { name } of store.files()) {
    const file = join(store.folder, name);
    const whole = readFileSync(file);
    for (const damaged of [
      Buffer.alloc(0),
      Buffer.from("none"),
      Buffer.concat([whole.subarray(0, 8), Buffer.alloc(whole.length - 8)]),
    ]) {
      writeFileSync(file, damaged);
      expect(use("run", "a")).toBe(5);
    }
    expect(readFileSync(file).length).toBeGreaterThan(100);
  }
});

test("a compressed script is decompressed once, and again where what was kept of it is damaged", () => {
  const path = scriptFolder();
  const plain = join(path, "first.cjs");
  writeFileSync(`${plain}.br`, brotliCompressSync(readFileSync(plain)));
  rmSync(plain);
  expect(loadFirst(new Scripts(path, null)).add(2, 3)).toBe(5);
  const store = new DiskStore(join(folder, "code"));
  const use = (): number => loadFirst(new Scripts(path, store)).add(2, 3);
  const texts = (): readonly string[] => store.files().flatMap(({ name }) => (name.endsWith("-text") ? [name] : []));
  expect([use(), texts().length]).toEqual([5, 1]);
  const file = join(store.folder, texts()[0] ?? "");
  const whole = readFileSync(file);
  writeFileSync(file, Buffer.concat([whole.subarray(0, -9), Buffer.from("=>{}};})\n")]));
  expect([use(), texts().length]).toEqual([5, 1]);
  expect(readFileSync(file)).toEqual(whole);
  // Another version of the script has another name.
  writeFileSync(`${plain}.br`, brotliCompressSync(Buffer.from("(function(){return{add:(a,b)=>a*b};})")));
  expect([use(), texts().length]).toEqual([6, 2]);
});

test("what the engine made is taken again under the flags that it was made under, whatever the flags are now", () => {
  const path = scriptFolder();
  const store = new DiskStore(join(folder, "code"));
  const tiering = new Tiering();
  const use = (): void => {
    const scripts = new Scripts(path, store, tiering);
    expect(loadFirst(scripts).add(2, 3)).toBe(5);
    scripts.keep(["run", "a"]);
  };
  tiering.patient();
  use();
  const files = (): readonly Buffer[] => store.files().map(({ name }) => readFileSync(join(store.folder, name)));
  const before = files();
  tiering.usual();
  use();
  // Nothing was rejected, or it would be written anew, with what a second process ran.
  expect(files()).toEqual(before);
  tiering.usual();
});

test("flags are patient from the first thread that begins to the last that ends", () => {
  // The engine rejects what it has made under other flags, of a text that is not in its memory. It compares lengths.
  let texts = 100;
  const newText = (): string => `(function add(a) { return a + ${texts++}; })`;
  const usual = new Script(newText()).createCachedData();
  const isPatient = (): boolean => new Script(newText(), { cachedData: usual }).cachedDataRejected === true;
  const first = new Tiering();
  const other = new Tiering(first.shared);
  const steps: readonly (readonly [step: () => void, isPatient: boolean])[] = [
    [() => first.patient(), true],
    [() => first.patient(), true],
    [() => other.patient(), true],
    [() => first.usual(), true],
    [() => first.usual(), true],
    [() => other.usual(), false],
    [() => other.patiently(() => first.patiently(() => undefined)), false],
    [() => first.patiently(() => expect(isPatient()).toBe(true)), false],
  ];
  expect(isPatient()).toBe(false);
  for (const [step, wanted] of steps) {
    step();
    expect(isPatient()).toBe(wanted);
  }
  // A thread that was ended while it changed the flags holds nobody up.
  first.shared[0] = 1;
  first.patient();
  expect(isPatient()).toBe(true);
  first.usual();
  expect(isPatient()).toBe(false);
});

test("a server's threads leave its own flags behind, which are neither the engine's nor patient", () => {
  if (!tieringFlags(process.versions.v8).some(({ usual, serving }) => usual !== serving)) return;
  let texts = 100;
  const newText = (): string => `(function subtract(a) { return a - ${texts++}; })`;
  const made = (): Buffer => new Script(newText()).createCachedData();
  const isOf = (cachedData: Buffer): boolean => new Script(newText(), { cachedData }).cachedDataRejected === false;
  const usual = made();
  const first = new Tiering(null, "serving");
  const other = new Tiering(first.shared, "serving");
  first.patient();
  const patient = made();
  first.usual();
  const serving = made();
  expect([usual, patient, serving].map(isOf)).toEqual([false, false, true]);
  other.patiently(() => {
    expect([usual, patient, serving].map(isOf)).toEqual([false, true, false]);
  });
  expect([usual, patient, serving].map(isOf)).toEqual([false, false, true]);
  // The flags are the process's: other tests have the engine's.
  const last = new Tiering();
  last.patient();
  last.usual();
  expect(isOf(usual)).toBe(true);
});

const flagNames = (engine: string): readonly string[] => tieringFlags(engine).map(({ name }) => name);

test("the flags of the engine's compilers: those that each supported version of V8 has, with its own defaults", () => {
  const counts = ["--invocation-count-for-maglev", "--invocation-count-for-turbofan"];
  expect(
    ["10.2.154", "11.3.244.8-node.33", "12.4.254.21-node.33", "13.6.233.17-node.37", "99.0"].map(flagNames),
  ).toEqual([[], ["--interrupt-budget"], counts, counts, counts]);
  const options = spawnSync(process.execPath, ["--v8-options"], { encoding: "utf8" }).stdout;
  const flags = tieringFlags(process.versions.v8);
  expect(flags.length).toBeGreaterThan(0);
  for (const { name, usual, patient, serving } of flags) {
    expect(options).toContain(`default: ${name}=${usual}\n`);
    expect(patient).toBeGreaterThan(usual);
    expect(serving).toBeGreaterThanOrEqual(usual);
    expect(serving).toBeLessThanOrEqual(patient);
  }
});

test("the engine's flags are again what they were at first, also those that other flags imply", () => {
  const url = new URL("../source/start/tiering.ts", import.meta.url).href;
  const program = `
    import { cachedDataVersionTag } from "node:v8";
    import { Tiering } from ${JSON.stringify(url)};
    const first = cachedDataVersionTag();
    const tiering = new Tiering();
    const tags = [() => tiering.patient(), () => tiering.usual()].map((step) => {
      step();
      return cachedDataVersionTag() === first;
    });
    console.log(JSON.stringify(tags));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
  expect(JSON.parse(stdout)).toEqual([tieringFlags(process.versions.v8).length === 0, true]);
});

test("texts are written whole to descriptors, in order; Windows has its streams", () => {
  mkdirSync(folder);
  const path = join(folder, "out");
  const descriptor = openSync(path, "w");
  const lines = Array.from({ length: 500 }, (_, i) => `line ${i}: ${"ä".repeat(i)}\n`);
  const write = writeTo(
    descriptor,
    () => {
      throw new Error("no stream is opened");
    },
    "linux",
  );
  for (const line of lines) write(line);
  closeSync(descriptor);
  expect(readFileSync(path, "utf8")).toBe(lines.join(""));
  let text = "";
  writeTo(
    descriptor,
    () => ({
      write: (more) => {
        text += more;
      },
    }),
    "win32",
  )("there");
  expect(text).toBe("there");
  expect(() => {
    write("closed");
  }).toThrow("EBADF");
});
