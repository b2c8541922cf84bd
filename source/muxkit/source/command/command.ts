// SPDX-License-Identifier: Apache-2.0
// A command of `muxkit`: what it is called, what it takes, what it does.
import type { ParseArgsConfig } from "node:util";

import type { ProgramStore } from "@muxkit/loader";

import type { CompilerPart } from "../compiler-part.ts";
import type { NativePart } from "../native-part.ts";

/** What a program's first file supplies to its commands. */
export interface Edge {
  /** Returns what compiles, which is loaded at the first call. */
  readonly load: () => CompilerPart;
  /** Returns what writes machine code, which is loaded at the first call. */
  readonly loadNative: () => NativePart;
  /** Keeps what was built; null: nothing does. */
  readonly store: ProgramStore | null;
  /** Called when a command has built what it runs, before it runs it. */
  readonly built: () => void;
  /** The clone of the project whose sources run; absent in the published program. */
  readonly clone?: string;
}

/** Where a command writes. */
export interface Streams {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Bytes to where `out` writes; absent: only texts can be written there. */
  readonly bytes?: (bytes: Uint8Array) => void;
  /** True when `error` is a terminal, where a line can be written over. */
  readonly isTerminal?: boolean;
  /** True when what goes to `error` should be coloured. */
  readonly wantsColor?: boolean;
}

/** What the arguments say: options by name, and the rest. */
export interface Parsed {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

/** What every command says of itself. */
interface CommandFacts {
  /** How it is called, for the help. */
  readonly usage: string;
  /** One line for the list of commands. */
  readonly summary: string;
}

/** A command that reads its words itself. */
export interface WordsCommand extends CommandFacts {
  /** Does it under the name that it was called by; gives the exit code. */
  readonly runWords: (name: string, args: readonly string[], streams: Streams, edge: Edge) => number;
}

/** A command whose options are a table. */
export interface ParsedCommand extends CommandFacts {
  /** Its options, as node:util's parseArgs takes them. */
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /** What each option does. */
  readonly help: Readonly<Record<string, string>>;
  /** Does it; gives the exit code. */
  readonly run: (parsed: Parsed, streams: Streams, edge: Edge) => number;
}

/** One command. */
export type Command = ParsedCommand | WordsCommand;

/** The user gave wrong arguments: the message says which, the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What is wrong with the input: file, line, what. */
export class InputError extends Error {
  override readonly name = "InputError";
}
