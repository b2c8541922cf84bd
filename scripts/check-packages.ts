// SPDX-License-Identifier: Apache-2.0
// Packs every package and meets the tarballs as a user would: publint, are-the-types-wrong, no install scripts, size,
// and a consumer project that installs all of them with --ignore-scripts, type-checks a program and runs it
// under the oldest supported Node, the system's and the project's; every command under the oldest.
import { type SpawnSyncReturns, execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, isAbsolute, join, relative, resolve } from "node:path";

import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

import { COMMAND_ROWS } from "./consumer/commands.table.ts";
import { AMBIENT, SNIPPET_ROWS } from "./consumer/snippets.table.ts";
import { OLDEST_NODE, oldestNode } from "./oldest-node.ts";
import { type Manifest, type Packed, installAll, manifestOf, packAll } from "./packages.ts";
import { learnPages, snippetsOf, userPages } from "./snippets.ts";

const root = resolve(import.meta.dirname, "..");
/** Installed: two front ends, a vectoriser and a code generator, once for programs and once for the commands. */
const MOST_BYTES = 5e6;
/** Of the package with the baked library, compressed. */
const MOST_LIBRARY_BYTES = 600e3;
/** Of what the baked library does in a new process before the first function is read. */
const MOST_LIBRARY_MS = 2;
/** The package that others must not need. */
const DRIVER = "@muxkit/icd";
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];
/** Problems only of tools that cannot load ES modules. */
const ESM_ONLY = new Set(["CJSResolvesToESM", "NoResolution"]);

const problems: string[] = [];

async function lint({ manifest, tarball, folder }: Packed): Promise<void> {
  const bytes = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  for (const message of messages)
    problems.push(`${manifest.name}: publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
  const checked = await checkPackage(createPackageFromTarballData(bytes));
  if (!checked.types) problems.push(`${manifest.name}: the tarball has no types`);
  else
    for (const problem of checked.problems) {
      if (
        ESM_ONLY.has(problem.kind) &&
        !(
          "resolutionKind" in problem &&
          (problem.resolutionKind === "bundler" || problem.resolutionKind === "node16-esm")
        )
      )
        continue;
      problems.push(`${manifest.name}: are the types wrong: ${JSON.stringify(problem)}`);
    }
  if ((manifest.description ?? "") === "") problems.push(`${manifest.name}: there is no description`);
  for (const field of ["homepage", "bugs", "keywords", "license"] as const)
    if ((manifest[field]?.length ?? 0) === 0) problems.push(`${manifest.name}: package.json has no "${field}"`);
  if (manifest.engines?.node !== `>=${OLDEST_NODE.split(".", 2).join(".")}`)
    problems.push(`${manifest.name}: "engines" promises another Node than ${OLDEST_NODE}`);
  if (manifest.repository?.directory !== relative(root, folder))
    problems.push(`${manifest.name}: package.json does not name its folder in "repository"`);
  for (const name of INSTALL_SCRIPTS)
    if (manifest.scripts?.[name] !== undefined) problems.push(`${manifest.name}: has an install script, ${name}`);
}

function listed({ manifest, tarball, folder }: Packed): void {
  const files = execFileSync("tar", ["tzf", tarball], { encoding: "utf8" }).split("\n");
  if (!files.includes("package/README.md")) problems.push(`${manifest.name}: the tarball has no README.md`);
  for (const [, target = ""] of readFileSync(join(folder, "README.md"), "utf8").matchAll(/\]\(([^)\s]+)\)/gu))
    if (!/^https:|^#/u.test(target))
      problems.push(`${manifest.name}: README.md links to ${target}, which a package's page does not have`);
  for (const file of files)
    if (/\/test\/|\.test\.|\.tsbuildinfo$/u.test(file)) problems.push(`${manifest.name}: the tarball has ${file}`);
  for (const file of files) {
    // The compiler does not remove the declarations of deleted sources.
    const module = /^package\/dist\/types\/(.*)\.d\.ts$/u.exec(file)?.[1];
    const sources = [`${module ?? ""}.ts`, `${module ?? ""}.d.ts`].map((name) => join(folder, "source", name));
    if (module !== undefined && !sources.some((source) => existsSync(source)))
      problems.push(`${manifest.name}: the tarball has ${file}, whose source is gone`);
  }
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Paths of this machine: they would differ in the next build. */
function relocatable(name: string, folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, "utf8");
    if (text.includes(`${root}/`)) problems.push(`${name}: ${relative(folder, path)} names an absolute path`);
    if (!path.endsWith(".map")) continue;
    const { sources } = JSON.parse(text) as { readonly sources: readonly string[] };
    for (const source of sources)
      if (isAbsolute(source) || !existsSync(resolve(path, "..", source)))
        problems.push(`${name}: ${relative(folder, path)} maps to ${source}, which is not in the package`);
  }
}

/** Entry points that need more than the consumer of this check has: the package `typescript`, or Node from 22.15 on. */
const NEED_MORE: ReadonlySet<string> = new Set([
  "@muxkit/typescript-kernels",
  "@muxkit/vitest",
  "muxkit/sycl/register",
]);

/** Packages that installing `name` brings, itself included. */
function closure(name: string, modules: string, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const needed of Object.keys(manifestOf(join(modules, name)).dependencies ?? {})) closure(needed, modules, found);
  return found;
}

/** A program that imports every entry point of every package by name. */
function importAll(packed: readonly Packed[]): string {
  const names = packed
    .flatMap(({ manifest }) => Object.keys(manifest.exports ?? {}).map((entry) => join(manifest.name, entry)))
    .filter((name) => !NEED_MORE.has(name));
  const imports = names.map((name, i) => `import * as p${i} from "${name}";`);
  return (
    `${imports.join("\n")}\nfor (const p of ` +
    `[${names.map((_, i) => `p${i}`).join(", ")}]) if (Object.keys(p).length === 0) ` +
    `throw new Error("an entry point exports nothing");\nconsole.log("${names.length} ` +
    `entry points imported");\n`
  );
}

/** Nodes to run under: the oldest that is supported, the first on the user's own PATH, and the project's. */
function nodes(): readonly string[] {
  const own = join(root, "node_modules", ".bin");
  const outside = (process.env["PATH"] ?? "").split(delimiter).filter((entry) => !entry.includes("node_modules"));
  const system = outside.map((entry) => join(entry, "node")).find((path) => globSync(path).length > 0);
  const oldest = oldestNode();
  return [...(oldest === null ? [] : [oldest]), ...(system === undefined ? [] : [system]), join(own, "node")];
}

/** What a user writes whose kernels were compiled ahead of time; there is nothing to check it against before. */
const MODULE_USER = `import { openDevice } from "muxkit/runtime";
import { saxpy } from "./saxpy.cl.js";
const device = await openDevice();
const y = device.array(Float32Array, 4), x = device.array(Float32Array.of(1, 2, 3, 4));
saxpy(4, y, x, 2.5);
console.log((await y.read()).join(", "));
// @ts-expect-error -- a text is no factor
void (() => saxpy(4, y, x, "2.5"));
device.close();
`;

/** Writes the programs of the pages for users, whole; gives the names of all, and of those that are run. */
function writeSnippets(folder: string): { readonly all: readonly string[]; readonly run: readonly string[] } {
  const programs = userPages()
    .flatMap(snippetsOf)
    .filter(({ language }) => language === "ts");
  const rows = new Map(SNIPPET_ROWS.map((row) => [row.program as string, row]));
  const all: string[] = [];
  const run: string[] = [];
  for (const { page, index, text } of programs) {
    const row = rows.get(`${page} ${index}`);
    if (row === undefined) {
      problems.push(`${page}: program ${index} is not in scripts/consumer/snippets.table.ts`);
      continue;
    }
    rows.delete(row.program);
    const name = `page-${row.program.replaceAll(/\W+/gu, "-")}`;
    writeFileSync(join(folder, `${name}.ts`), `${row.prelude}${text.replaceAll('"./saxpy.cl"', '"./saxpy.cl.js"')}`);
    all.push(name);
    if (row.runs) run.push(name);
  }
  for (const { page, index, text } of learnPages()
    .flatMap(snippetsOf)
    .filter(({ language }) => language === "ts")) {
    const name = `learn-${page.replaceAll(/\W+/gu, "-")}-${index}`;
    writeFileSync(join(folder, `${name}.ts`), text);
    all.push(name);
  }
  for (const name of rows.keys()) problems.push(`scripts/consumer/snippets.table.ts: there is no program ${name}`);
  writeFileSync(join(folder, "ambient.d.ts"), AMBIENT);
  return { all, run };
}

function tryOut(packed: readonly Packed[], folder: string): void {
  for (const name of ["main.ts", "saxpy.cl"]) cpSync(join(root, "scripts", "consumer", name), join(folder, name));
  const compiled = spawnSync(process.execPath, ["node_modules/.bin/clc", "saxpy.cl", "--emit", "esm,dts"], {
    cwd: folder,
    encoding: "utf8",
  });
  if (compiled.status !== 0) problems.push(`clc fails: ${compiled.stderr}`);
  writeFileSync(join(folder, "module.ts"), MODULE_USER);
  writeFileSync(join(folder, "every-package.ts"), importAll(packed));
  const pages = writeSnippets(folder);
  const config = {
    compilerOptions: {
      target: "es2022",
      module: "nodenext",
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      outDir: ".",
      lib: ["es2022", "dom"],
      types: [],
    },
    files: ["main.ts", "module.ts", "every-package.ts", "ambient.d.ts", ...pages.all.map((name) => `${name}.ts`)],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const types = spawnSync(join(root, "node_modules", ".bin", "tsc"), ["-p", folder], { encoding: "utf8" });
  if (types.status !== 0) problems.push(`the consumer does not type-check:\n${types.stdout}`);
  for (const node of nodes()) {
    for (const args of [
      ["every-package.js"],
      ["main.js"],
      ["module.js"],
      ...pages.run.map((name) => [`${name}.js`]),
      ["node_modules/.bin/muxkit", "run", join(root, "benchmarks/suite/tiny/saxpy.json"), "--json"],
    ]) {
      const run = spawnSync(node, args, { cwd: folder, encoding: "utf8", timeout: 60_000 });
      const first = run.stdout.split("\n")[0]?.slice(0, 120) ?? "";
      if (run.status === 0) console.log(`  ${node}: ${first}`);
      else problems.push(`${node} ${args.join(" ")} fails: ${run.stderr || first || `signal ${String(run.signal)}`}`);
    }
  }
  const modules = join(folder, "node_modules");
  const runtime = closure("muxkit", modules);
  const size = [...runtime].reduce((sum, name) => sum + bytesOf(join(modules, name)), 0);
  console.log(`  installed: ${(size / 2 ** 20).toFixed(2)} MiB in ${runtime.size} packages`);
  if (size > MOST_BYTES)
    problems.push(`muxkit and its run-time dependencies take ${size} bytes; ${MOST_BYTES} are allowed`);
  for (const file of globSync(`${folder}/node_modules/**/package.json`)) {
    const { name, scripts } = JSON.parse(readFileSync(file, "utf8")) as Partial<Manifest>;
    for (const script of INSTALL_SCRIPTS)
      if (scripts?.[script] !== undefined)
        problems.push(`${name ?? file}, which muxkit installs, has an install script, ${script}`);
  }
}

/** The environment of programs that find this Node first. */
function environmentOf(node: string): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}` };
}

/** Runs every command under the oldest supported Node, as a user calls it. */
function tryCommands(folder: string): void {
  const node = oldestNode();
  if (node === null) return;
  const job = join(root, "benchmarks", "suite", "tiny", "saxpy.json");
  const text = readFileSync(job, "utf8").replace("../stream.cl", join(root, "benchmarks", "suite", "stream.cl"));
  writeFileSync(join(folder, "saxpy.json"), text);
  const env = { ...environmentOf(node), MUXKIT_CACHE: "off" };
  for (const { program, args, status, says } of COMMAND_ROWS) {
    const run = spawnSync(node, [join("node_modules", ".bin", program), ...args], {
      cwd: folder,
      encoding: "utf8",
      env,
      timeout: 60_000,
    });
    const all = `${run.stdout}${run.stderr}`;
    if (run.status !== status || !says.test(all))
      problems.push(
        `Node ${OLDEST_NODE}: ${program} ${args.join(" ")} ends with ${String(run.status)} and says: ${all.slice(0, 500)}`,
      );
  }
  console.log(`  Node ${OLDEST_NODE}: ${COMMAND_ROWS.length} calls of commands`);
}

/** The one line of `npm run pack`, in an empty project. */
function tryLine(packed: readonly Packed[], folder: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), "{}");
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", ...packed.map(({ tarball }) => tarball)];
  const installed = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  const run = spawnSync("npx", ["--offline", "muxkit", "--version"], { cwd: folder, encoding: "utf8" });
  if (installed.status !== 0 || run.status !== 0)
    problems.push(`npm install of all tarballs in an empty project fails: ${installed.stderr}${run.stderr}`);
}

/** A target from the tarballs passes its tests, as somebody would write it before the packages are published. */
function tryTarget(folder: string, tarballs: string): void {
  const node = nodes().at(-1) ?? process.execPath;
  const env = environmentOf(node);
  const inTarget = (program: string, ...args: readonly string[]): SpawnSyncReturns<string> =>
    spawnSync(program, args, { cwd: join(folder, "my-chip"), encoding: "utf8", env, timeout: 240_000 });
  const made = spawnSync(node, ["node_modules/.bin/muxkit", "create-target", "my-chip", "--from", tarballs], {
    cwd: folder,
    encoding: "utf8",
  });
  if (made.status !== 0) {
    problems.push(`create-target --from fails: ${made.stderr}`);
    return;
  }
  const installed = inTarget("npm", "install", "--no-audit", "--no-fund", "--loglevel=error");
  if (installed.status !== 0) {
    problems.push(`the dependencies of a target from tarballs cannot be installed: ${installed.stderr}`);
    return;
  }
  const tests = inTarget("npm", "test");
  if (tests.status !== 0) problems.push(`a target from tarballs fails its tests: ${tests.stdout.slice(-2000)}`);
  console.log(`  a target from tarballs: ${/^. pass \d+$/mu.exec(tests.stdout)?.[0] ?? "no tests"}`);
}

/** The example of tests of kernels, as somebody copies it: Vitest, Jest and node:test run them from the tarballs. */
function tryKernelTests(packed: readonly Packed[], folder: string): void {
  cpSync(join(root, "examples", "kernel-tests"), folder, { recursive: true });
  const file = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Record<string, Readonly<Record<string, string>>>;
  const tarballs = Object.fromEntries(packed.map((one) => [one.manifest.name, `file:${one.tarball}`]));
  const own = Object.entries(tarballs).filter(([name]) => name in (manifest["devDependencies"] ?? {}));
  const devDependencies = { ...manifest["devDependencies"], ...Object.fromEntries(own) };
  writeFileSync(file, JSON.stringify({ ...manifest, devDependencies, overrides: tarballs }));
  const env = environmentOf(nodes().at(-1) ?? process.execPath);
  const inExample = (...args: readonly string[]): SpawnSyncReturns<string> =>
    spawnSync("npm", args, { cwd: folder, encoding: "utf8", env, timeout: 300_000 });
  const installed = inExample("install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund");
  if (installed.status !== 0 && /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENOTCACHED/u.test(installed.stderr)) {
    console.log("  tests of kernels: !! skipped, Jest cannot be installed: the registry cannot be reached");
    return;
  }
  for (const script of ["check", "vitest", "jest", "node-test"]) {
    const run = installed.status === 0 ? inExample("run", script) : installed;
    const text = `${run.stdout}${run.stderr}`;
    if (run.status !== 0) problems.push(`examples/kernel-tests: npm run ${script} fails: ${text.slice(-2000)}`);
    if (text.includes("did not exit")) problems.push(`examples/kernel-tests: npm run ${script} does not end`);
  }
  console.log("  tests of kernels: Vitest, Jest, node:test");
}

/**
 * What the baked library weighs, and how long a new process needs before it can look a function up, and for the first
 * one: the best of several.
 */
function measureLibrary(packed: readonly Packed[], folder: string): void {
  const library = packed.find(({ manifest }) => manifest.name === "@muxkit/builtins");
  if (library === undefined) throw new Error("there is no package @muxkit/builtins");
  const bytes = statSync(library.tarball).size;
  const program = `import { builtinLibrary } from "@muxkit/builtins";
const layout = { pointerBytes: [4, 4, 4, 4, 4], sizeBits: 32, littleEndian: true };
const times = [];
for (const name of ["nothing()", "exp(float)"]) {
  const begin = performance.now();
  builtinLibrary(layout).find(name);
  times.push(performance.now() - begin);
}
console.log(times.join(" "));`;
  const [node = process.execPath] = nodes().slice(-1);
  const times = Array.from({ length: 7 }, () =>
    execFileSync(node, ["--input-type=module", "-e", program], { cwd: folder, encoding: "utf8" })
      .trim()
      .split(" ")
      .map(Number),
  );
  const [best, first] = [0, 1].map((i) => Math.min(...times.map((list) => list[i] ?? Number.NaN))) as [number, number];
  console.log(
    `  the baked library: ${(bytes / 1000).toFixed(0)} kB compressed, starts in ` +
      `${best.toFixed(2)} ms, and the first function takes ${first.toFixed(2)} ms`,
  );
  if (bytes > MOST_LIBRARY_BYTES)
    problems.push(`@muxkit/builtins takes ${bytes} bytes compressed; ${MOST_LIBRARY_BYTES} are allowed`);
  if (!(best < MOST_LIBRARY_MS))
    problems.push(`the baked library needs ${best.toFixed(2)} ms to start; ${MOST_LIBRARY_MS} are allowed`);
}

/**
 * The driver of native programs: nobody's dependency, whole in its tarball, and useful when it is installed; without it
 * the command says what to install.
 */
function tryDriver(packed: readonly Packed[], folder: string): void {
  for (const { manifest } of packed)
    if (DRIVER in (manifest.dependencies ?? {}))
      problems.push(`${manifest.name} depends on ${DRIVER}, which users install only if they want it`);
  const driver = packed.find(({ manifest }) => manifest.name === DRIVER);
  if (driver === undefined) throw new Error(`there is no package ${DRIVER}`);
  const files = execFileSync("tar", ["tzf", driver.tarball], { encoding: "utf8" }).split("\n");
  for (const file of globSync("native/**/*.{c,h}", { cwd: driver.folder }))
    if (!files.includes(`package/${file}`)) problems.push(`${DRIVER}: the tarball lacks ${file}`);
  if (process.platform !== "linux") return;
  const home = join(folder, "home");
  const environment = { PATH: process.env["PATH"], HOME: home, TMPDIR: tmpdir(), MUXKIT_CACHE: "off" };
  const icd = (...words: readonly string[]): SpawnSyncReturns<string> =>
    spawnSync("npx", ["--offline", "muxkit", "icd", ...words], {
      cwd: folder,
      encoding: "utf8",
      env: environment,
      timeout: 120_000,
    });
  const wants = (words: readonly string[], status: number, expected: RegExp): void => {
    const run = icd(...words);
    const all = `${run.stdout}${run.stderr}`;
    if (run.status !== status || !expected.test(all))
      problems.push(`npx muxkit icd ${words.join(" ")} ends with ${String(run.status)} and says: ${all.slice(0, 500)}`);
  };
  const hasCompiler = spawnSync("cc", ["--version"], { stdio: "ignore" }).error === undefined;
  const hasPrograms = hasCompiler && spawnSync("clinfo", ["--version"], { stdio: "ignore" }).error === undefined;
  if (hasCompiler) {
    wants(["install", "--user"], 0, /^compiled .*libmuxkit_icd\.so\n[^]*export OCL_ICD_VENDORS=/u);
    wants(["path"], 0, /libmuxkit_icd\.so\n$/u);
    wants(["env"], 0, /^OCL_ICD_VENDORS=[^\n]*\n$/u);
    if (hasPrograms) wants(["run", "--", "clinfo", "-l"], 0, /^Platform #0: Muxkit$/mu);
    wants(["uninstall"], 0, /^removed /u);
    if (existsSync(join(home, ".local")))
      problems.push(
        `${DRIVER}: uninstalling leaves ${readdirSync(join(home, ".local"), { recursive: true }).join(", ")}`,
      );
  }
  console.log(
    `  the driver: ${(statSync(driver.tarball).size / 1000).toFixed(0)} kB compressed; ` +
      (hasPrograms
        ? "installed, clinfo finds it, uninstalled"
        : "!! skipped where it is compiled and used: no cc, or no clinfo"),
  );
  rmSync(join(folder, "node_modules", DRIVER), { recursive: true });
  wants(["path"], 1, /npm install @muxkit\/icd/u);
}

const work = mkdtempSync(join(tmpdir(), "muxkit-packages-"));
try {
  const packed = packAll(work);
  await Promise.all(packed.map(lint));
  packed.forEach(listed);
  console.log(`${packed.length} packages packed`);
  const folder = join(work, "consumer");
  const complaint = installAll(packed, folder);
  if (complaint !== "") problems.push(`the tarballs cannot be installed: ${complaint}`);
  for (const { manifest } of packed) relocatable(manifest.name, join(folder, "node_modules", manifest.name));
  tryOut(packed, folder);
  tryCommands(folder);
  rmSync(join(folder, "my-chip"), { recursive: true, force: true });
  tryTarget(folder, work);
  tryLine(packed, join(work, "empty"));
  tryKernelTests(packed, join(work, "kernel-tests"));
  measureLibrary(packed, folder);
  tryDriver(packed, folder);
} finally {
  rmSync(work, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
