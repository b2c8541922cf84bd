// SPDX-License-Identifier: Apache-2.0
// A launch as one file of OpenCL C: what the random kernels found, reduced, and kept as a test.
import type { DifferentialLaunch } from "./differential.ts";

/** A launch, and its results where they were checked against another implementation. */
export interface KernelCase {
  readonly launch: DifferentialLaunch;
  /** Of each buffer argument, in order: how its bytes begin; empty where nothing was recorded. */
  readonly expected: readonly Uint8Array[];
}

type StoredArgument =
  | { readonly value: string }
  | { readonly contents: string }
  | { readonly zeros: number }
  | { readonly local: number };

interface Stored {
  readonly kernel: string;
  readonly options: string;
  readonly global: readonly number[];
  readonly local: readonly number[];
  readonly offset: readonly number[];
  readonly widths?: readonly number[];
  readonly arguments: readonly StoredArgument[];
  readonly expected?: readonly string[];
}

const MARK = "// launch: ";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"));

/** The text of a case: a line with the launch, then the source. */
export function writeCase({ launch, expected }: KernelCase, comment: string): string {
  const list = launch.arguments.map((argument): StoredArgument => {
    if ("value" in argument) return { value: hex(argument.value) };
    if ("local" in argument) return argument;
    if ("sampler" in argument || argument.image !== undefined)
      throw new Error("cases are of kernels without images and samplers");
    return argument.contents.every((byte) => byte === 0)
      ? { zeros: argument.contents.length }
      : { contents: hex(argument.contents) };
  });
  const { kernel, options = "", global, local, offset = [], widths, source } = launch;
  const stored: Stored = {
    kernel,
    options,
    global,
    local,
    offset,
    ...(widths === undefined ? {} : { widths }),
    arguments: list,
    ...(expected.length === 0 ? {} : { expected: expected.map(hex) }),
  };
  return `// ${comment.replaceAll("\n", " ")}\n${MARK}${JSON.stringify(stored)}\n${source}`;
}

/** Reads a case. Throws when its line is missing. */
export function readCase(text: string): KernelCase {
  const line = text.split("\n").find((one) => one.startsWith(MARK));
  if (line === undefined) throw new Error(`a case has a line that starts with "${MARK}"`);
  const { arguments: list, expected = [], ...rest } = JSON.parse(line.slice(MARK.length)) as Stored;
  return {
    launch: {
      source: text,
      ...rest,
      arguments: list.map((argument) => {
        if ("value" in argument) return { value: bytes(argument.value) };
        if ("local" in argument) return argument;
        return { contents: "zeros" in argument ? new Uint8Array(argument.zeros) : bytes(argument.contents) };
      }),
    },
    expected: expected.map(bytes),
  };
}
