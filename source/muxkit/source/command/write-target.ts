// SPDX-License-Identifier: Apache-2.0
// muxkit create-target: writes a target of the user's own, which works from the start.
import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";

import { isTargetName, targetFiles } from "../create-target.ts";
import { makeFolder } from "../make-folder.ts";
import { InputError, type ParsedCommand, UsageError } from "./command.ts";
import { fileReason } from "./file-reason.ts";
import { VERSION } from "./version.ts";

/**
 * Makes a target use the packages of a clone of the kit, from their sources, instead of published ones: npm's scripts
 * and the type check select the condition `source`, and the clone's `node_modules` is linked unless a folder above the
 * target is the clone.
 */
function useClone(folder: string, clone: string): void {
  writeFileSync(join(folder, ".npmrc"), "node-options=--conditions=source\n");
  const config = join(folder, "tsconfig.json");
  const text = readFileSync(config, "utf8");
  writeFileSync(config, text.replace('"noEmit": true', '"customConditions": ["source"],\n    "noEmit": true'));
  const path = relative(clone, folder);
  const isInside = !path.startsWith("..") && !isAbsolute(path);
  if (!isInside) symlinkSync(join(clone, "node_modules"), join(folder, "node_modules"), "junction");
}

/** The kit's packages in a folder of tarballs, by name, as npm's `file:` references. Throws InputError. */
function tarballsIn(folder: string): ReadonlyMap<string, string> {
  let files: readonly string[];
  try {
    files = readdirSync(folder);
  } catch (cause) {
    throw new InputError(`--from ${folder}: the folder cannot be read: ${fileReason(cause)}`, { cause });
  }
  const found = new Map<string, string>();
  for (const file of files) {
    const [, name] = /^muxkit(?:-([a-z][a-z\d]*(?:-[a-z][a-z\d]*)*))?-\d+\.\d+\.\d+[\w.-]*\.tgz$/u.exec(file) ?? [null];
    if (name !== null) found.set(name === undefined ? "muxkit" : `@muxkit/${name}`, `file:${join(folder, file)}`);
  }
  if (!found.has("muxkit"))
    throw new InputError(`--from ${folder}: there is no tarball of muxkit; npm run pack in a clone writes them`);
  return found;
}

/** What a manifest has that is rewritten. */
interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  overrides?: Record<string, string>;
}

/** Makes a target use the packages of a folder of tarballs: those that its manifests name, and what those need. */
function useTarballs(folder: string, files: ReadonlyMap<string, string>, tarballs: ReadonlyMap<string, string>): void {
  for (const path of files.keys()) {
    if (!path.endsWith("package.json")) continue;
    const file = join(folder, path);
    const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
    for (const list of [manifest.dependencies, manifest.devDependencies])
      for (const name of Object.keys(list ?? {})) {
        const tarball = tarballs.get(name);
        if (tarball !== undefined && list !== undefined) list[name] = tarball;
      }
    if (path === "package.json") manifest.overrides = Object.fromEntries(tarballs);
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

/** The oldest Node that runs the target's tests, as its manifest says it. */
function targetNode(files: ReadonlyMap<string, string>): string {
  const { engines } = JSON.parse(files.get("package.json") ?? "{}") as {
    readonly engines?: { readonly node?: string };
  };
  return (engines?.node ?? "").replace(">=", "");
}

/** Writes the files; nothing that is there is touched. */
export const writeTarget: ParsedCommand["run"] = ({ values, positionals }, { out }, { clone }) => {
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0)
    throw new UsageError("a name is required: muxkit create-target NAME [--into DIR] [--from DIR]");
  if (!isTargetName(name))
    throw new UsageError(
      `"${name}" is not a valid target name: use lower-case letters, digits and hyphens, ` +
        "starting with a letter, for example my-chip",
    );
  const folder = resolve(typeof values["into"] === "string" ? values["into"] : name);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new InputError(`${folder} is not empty; choose another folder with --into`);
  const tarballs = typeof values["from"] === "string" ? tarballsIn(resolve(values["from"])) : null;
  const own = tarballs === null ? clone : undefined;
  const files = targetFiles(name, VERSION);
  try {
    for (const [path, text] of files) {
      makeFolder(dirname(join(folder, path)));
      writeFileSync(join(folder, path), text);
    }
    if (tarballs !== null) useTarballs(folder, files, tarballs);
    else if (clone !== undefined) useClone(folder, clone);
  } catch (cause) {
    throw new InputError(`the target cannot be written to ${folder}: ${fileReason(cause)}`, { cause });
  }
  const needs = targetNode(files);
  const steps = [
    `cd ${relative(process.cwd(), folder) || "."}`,
    ...(own === undefined ? ["npm install"] : []),
    "npm test",
  ];
  const source = own === undefined ? "" : `It uses the packages of the clone ${own}: leave out npm install.\n`;
  out(
    `${files.size} files of the target ${name} are in ${folder}\n` +
      `Its tests run TypeScript as it is and need Node ${needs} or newer; this is ${process.versions.node}.\n\n` +
      `${steps.map((step) => `  ${step}\n`).join("")}\n` +
      `${source}README.md describes the files; continue with docs/how-to/add-a-target.md of the kit.\n`,
  );
  return 0;
};
