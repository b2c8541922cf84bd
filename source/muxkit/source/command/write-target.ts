// SPDX-License-Identifier: Apache-2.0
// muxkit create-target: writes a target of the user's own, which works from the start.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { isTargetName, targetFiles } from "../create-target.ts";
import { makeFolder } from "../make-folder.ts";
import { InputError, type ParsedCommand, UsageError } from "./command.ts";
import { fileReason } from "./file-reason.ts";
import { VERSION } from "./version.ts";

/** Writes the files; nothing that is there is touched. */
export const writeTarget: ParsedCommand["run"] = ({ values, positionals }, { out }) => {
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
  } catch (cause) {
    throw new InputError(`the target cannot be written to ${folder}: ${fileReason(cause)}`, { cause });
  }
  out(
    `${files.size} files of the target ${name} are in ${folder}\n\n  cd ` +
      `${relative(process.cwd(), folder) || "."}\n  npm install\n  npm test\n\nREADME.md ` +
      `describes the files; continue with docs/how-to/add-a-target.md of the kit.\n`,
  );
  return 0;
};
