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

/** Writes the files; nothing that is there is touched. */
export const writeTarget: ParsedCommand["run"] = ({ values, positionals }, { out }, { clone }) => {
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0)
    throw new UsageError("a name is required: muxkit create-target NAME [--into DIR]");
  if (!isTargetName(name))
    throw new UsageError(
      `"${name}" is not a valid target name: use lower-case letters, digits and hyphens, ` +
        "starting with a letter, for example my-chip",
    );
  const folder = resolve(typeof values["into"] === "string" ? values["into"] : name);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new InputError(`${folder} is not empty; choose another folder with --into`);
  const files = targetFiles(name, VERSION);
  try {
    for (const [path, text] of files) {
      makeFolder(dirname(join(folder, path)));
      writeFileSync(join(folder, path), text);
    }
    if (clone !== undefined) useClone(folder, clone);
  } catch (cause) {
    throw new InputError(`the target cannot be written to ${folder}: ${fileReason(cause)}`, { cause });
  }
  const steps = [
    `cd ${relative(process.cwd(), folder) || "."}`,
    ...(clone === undefined ? ["npm install"] : []),
    "npm test",
  ];
  const source = clone === undefined ? "" : `It uses the packages of the clone ${clone}: leave out npm install.\n`;
  out(
    `${files.size} files of the target ${name} are in ${folder}\n\n${steps.map((step) => `  ${step}\n`).join("")}\n` +
      `${source}README.md describes the files; continue with docs/how-to/add-a-target.md of the kit.\n`,
  );
  return 0;
};
