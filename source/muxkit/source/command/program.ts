// SPDX-License-Identifier: Apache-2.0
// The `muxkit` program: finds the command, parses its arguments, reports errors in one sentence.
import { parseArgs } from "node:util";

import { SettingError } from "@muxkit/cargo";
import { useNativeVerifier } from "@muxkit/host";
import { OpenCLError } from "@muxkit/opencl";
import { nearest } from "@muxkit/report";

import { useHostCompiler } from "../late-compiler.ts";
import { JobError } from "../job/job.ts";
import { CACHE } from "./cache.ts";
import { CHECK } from "./check.ts";
import { COMPILE } from "./compile.ts";
import { type Command, type Edge, InputError, type ParsedCommand, type Streams, UsageError } from "./command.ts";
import { CREATE_TARGET } from "./create-target.ts";
import { EXPLAIN } from "./explain.ts";
import { ICD } from "./icd.ts";
import { INFO } from "./info.ts";
import { RUN } from "./run.ts";
import { SPIRV } from "./spirv.ts";
import { VECTORIZE } from "./vectorize.ts";
import { VERSION } from "./version.ts";

const COMMANDS: Readonly<Record<string, Command>> = {
  run: RUN,
  compile: COMPILE,
  check: CHECK,
  explain: EXPLAIN,
  vectorize: VECTORIZE,
  spirv: SPIRV,
  info: INFO,
  cache: CACHE,
  "create-target": CREATE_TARGET,
  icd: ICD,
};

function help(): string {
  const list = Object.values(COMMANDS).map(({ usage, summary }) => `  ${usage.padEnd(46)} ${summary}`);
  return (
    `muxkit ${VERSION}: OpenCL C on this machine's processor\n\n${list.join("\n")}\n\n` +
    `muxkit COMMAND --help lists the options of a command.\n`
  );
}

function commandHelp({ usage, summary, help: texts }: ParsedCommand): string {
  const list = Object.entries(texts).map(([name, text]) => `  --${name} ${text}`);
  return `${usage}\n${summary}\n\n${list.join("\n")}\n`;
}

/** What a user can mend is told as a sentence; everything else is a defect and keeps its stack. */
function isUsersError(error: unknown): error is Error {
  return (
    error instanceof JobError ||
    error instanceof InputError ||
    error instanceof OpenCLError ||
    error instanceof UsageError ||
    error instanceof SettingError
  );
}

/** Runs the program; gives the exit code: 0, 1 for a failure, 2 for wrong arguments. */
export function runMain(args: readonly string[], streams: Streams, edge: Edge): number {
  const [name = "", ...rest] = args;
  if (name === "--version") {
    streams.out(`${VERSION}\n`);
    return 0;
  }
  if (name === "" || name === "--help" || name === "-h" || name === "help") {
    streams.out(help());
    return name === "" ? 2 : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const names = Object.keys(COMMANDS);
    const best = nearest(name, names);
    streams.error(
      `muxkit: unknown ${name.startsWith("-") ? "option" : "command"} "${name}"; ` +
        `available: ${names.join(", ")}${best === null ? "" : `; did you mean ${best}?`}\n`,
    );
    return 2;
  }
  useHostCompiler(edge.load, edge.store, null);
  useNativeVerifier(edge.load);
  return runCommand(`muxkit ${name}`, command, rest, streams, edge);
}

/** Runs one command; errors that the user can mend are told after its name. */
export function runCommand(
  name: string,
  command: Command,
  args: readonly string[],
  streams: Streams,
  edge: Edge,
): number {
  try {
    if ("runWords" in command) return command.runWords(name, args, streams, edge);
    const parsed = parse(command, args);
    if (parsed === null) {
      streams.out(commandHelp(command));
      return 0;
    }
    return command.run(parsed, streams, edge);
  } catch (error) {
    if (!isUsersError(error)) throw error;
    streams.error(`${name}: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** The arguments; null asks for help. */
function parse(
  command: ParsedCommand,
  args: readonly string[],
): {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
} | null {
  if (args.includes("--help") || args.includes("-h")) return null;
  // A value may begin with a minus: build options do.
  const joined: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    const takesValue = arg.startsWith("--") && command.options[arg.slice(2)]?.type === "string" && i + 1 < args.length;
    joined.push(takesValue ? `${arg}=${args[++i] ?? ""}` : arg);
  }
  try {
    const { values, positionals } = parseArgs({
      args: joined,
      options: command.options,
      allowPositionals: true,
      strict: true,
    });
    return { values: values as Readonly<Record<string, string | boolean | undefined>>, positionals };
  } catch (error) {
    // What follows the first sentence is advice for other cases.
    const message = (error instanceof Error ? error.message : String(error)).split(". ", 1)[0] ?? "";
    const [, wrong = ""] = /'--([^']*)'/u.exec(message) ?? [];
    const best = Object.hasOwn(command.options, wrong) ? null : nearest(wrong, Object.keys(command.options));
    throw new UsageError(`${message}${best === null ? "" : `; did you mean --${best}?`}; ${command.usage}`, {
      cause: error,
    });
  }
}
