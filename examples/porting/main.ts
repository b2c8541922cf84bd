// SPDX-License-Identifier: Apache-2.0
// An application that compiles while it runs, taken to where nothing compiles, in three phases and without a changed
// line. `node --conditions=source examples/porting/main.ts [FOLDER]`: FOLDER keeps the program library.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const APPLICATION = join(import.meta.dirname, "application.ts");
const CREATE = "1";
const USE = "2";

const [, , given] = process.argv;
const root = resolve(given ?? mkdtempSync(join(tmpdir(), "muxkit-porting-")));

function runApplication(title: string, variables: Readonly<Record<string, string>>): void {
  console.log(`\n${title}`);
  for (const [name, value] of Object.entries(variables)) console.log(`  ${name}=${value}`);
  const text = execFileSync(process.execPath, [...process.execArgv, APPLICATION], {
    encoding: "utf8",
    env: { ...process.env, ...variables },
  });
  console.log(text.trim().replaceAll(/^/gmu, "  | "));
}

runApplication("1. Where there is no device: the application runs with stubs and records what it needs.", {
  CL_CONTEXT_OFFLINE_DEVICE_ALTERA: "muxkit",
  CL_CONTEXT_COMPILER_MODE_ALTERA: CREATE,
  CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA: root,
});

console.log("\n2. Outside of the application: every entry of the library is compiled.");
const scripts = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith("build.cmd"))
  .toSorted();
for (const path of scripts) {
  const script = join(root, path);
  if (process.platform === "win32") execFileSync(script, { shell: true, stdio: "inherit" });
  else execFileSync("sh", [script], { stdio: "inherit" });
  console.log(`  ${path}: ${existsSync(join(script, "..", "kernels.bin")) ? "compiled" : "no binary"}`);
}

runApplication("3. On the device: nothing is compiled any more.", {
  CL_CONTEXT_COMPILER_MODE_ALTERA: USE,
  CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA: root,
});

if (given === undefined) rmSync(root, { recursive: true });
