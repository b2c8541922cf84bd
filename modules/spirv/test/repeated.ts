// SPDX-License-Identifier: Apache-2.0
// Large modules: the functions of a small one over and over, each time with ids and names of their own. What is
// declared for all of them stays once.
import { assemble } from "@muxkit/spirv";

const RESULT = /^%(\S+) = /u;
const TARGET = /^(?:OpName|OpDecorate|OpExecutionMode|OpEntryPoint Kernel) %(\S+)/u;

/** A module in assembly whose functions are there `times` times. */
export function repeatedText(text: string, times: number): string {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith(";"));
  const first = lines.findIndex((line) => line.includes("= OpFunction "));
  const [head, functions] = [lines.slice(0, first), lines.slice(first)];
  const own = new Set(functions.flatMap((line) => RESULT.exec(line)?.[1] ?? []));
  const copy = (line: string, time: number): string =>
    line.replaceAll(/%([^\s"]+)/gu, (whole, id: string) => (own.has(id) ? `%${id}_t${time}` : whole));
  const all = Array.from({ length: times }, (_, time) => time);
  return [
    ...head.flatMap((line) => {
      if (!own.has(TARGET.exec(line)?.[1] ?? "")) return [line];
      return all.map((time) =>
        line.startsWith("OpEntryPoint") ? copy(line, time).replace(/"([^"]*)"/u, `"$1_${time}"`) : copy(line, time),
      );
    }),
    ...all.flatMap((time) => functions.map((line) => copy(line, time))),
  ].join("\n");
}

/** The words of a module in assembly with its functions repeated until it has at least so many. */
export function repeatedModule(text: string, words: number): Uint32Array {
  const make = (times: number): Uint32Array => {
    const assembled = assemble(repeatedText(text, times));
    if (!assembled.ok) throw new Error(`line ${assembled.error.line}: ${assembled.error.message}`);
    return assembled.value;
  };
  const [one, two] = [make(1).length, make(2).length];
  return make(Math.max(1, Math.ceil((words - one) / (two - one)) + 1));
}
