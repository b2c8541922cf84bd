// SPDX-License-Identifier: Apache-2.0
// The instructions of a program library's entry: a script that compiles it with `clc`.

/** What a script is written from. */
export interface ScriptFacts {
  /** First word of the device's name. */
  readonly device: string;
  /** Build options, word by word. */
  readonly options: readonly string[];
  /** Names of files next to the script. */
  readonly source: string;
  readonly binary: string;
  /** Where the host program ran: relative folders of headers are meant from there. */
  readonly workingFolder: string;
  /** Node's name of the system that the script is for. */
  readonly platform: string;
}

function quotedForShell(word: string): string {
  return /^[\w./:=,+@%-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * For a command script of Windows: blanks and its special characters lose their meaning in quotes, percent signs are
 * doubled.
 */
function quotedForCommand(word: string): string {
  return `"${word.replaceAll('"', String.raw`\"`).replaceAll("%", "%%")}"`;
}

function windowsScript({ device, options, source, binary, workingFolder }: ScriptFacts): string {
  const words = ["-d", device, ...options].map(quotedForCommand).join(" ");
  return [
    "@echo off",
    "if not defined CLC set CLC=clc",
    `cd /d ${quotedForCommand(workingFolder)} || exit /b 1`,
    `%CLC% -o "%~dp0${binary}" ${words} "%~dp0${source}"`,
    "",
  ].join("\r\n");
}

function shellScript({ device, options, source, binary, workingFolder }: ScriptFacts): string {
  const words = ["-d", device, ...options].map(quotedForShell).join(" ");
  return [
    "#!/bin/sh",
    "# Compiles the program in this folder; CLC is the command of the compiler.",
    'here=$(cd -- "$(dirname -- "$0")" && pwd) || exit 1',
    `cd -- ${quotedForShell(workingFolder)} || exit 1`,
    `exec \${CLC:-clc} -o "$here/${binary}" ${words} "$here/${source}"`,
    "",
  ].join("\n");
}

/** The script for a system. */
export function buildScript(facts: ScriptFacts): string {
  return facts.platform === "win32" ? windowsScript(facts) : shellScript(facts);
}
