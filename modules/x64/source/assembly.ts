// SPDX-License-Identifier: Apache-2.0
// Generated code as text: instructions as `objdump -M intel` prints them, with the lines of the source between them.
import { InternalError } from "@muxkit/cargo";
import type { Location } from "@muxkit/ir";
import { Decoder, printInstruction } from "@muxkit/x64-assembler";

import { sizedFunctions } from "./elf-content.ts";
import { form } from "./machine-builder.ts";
import type { X64Code } from "./module.ts";

const JUMPS: ReadonlySet<number> = new Set(
  ["jmp rel8", "jmp rel32", "jcc rel8, cc", "jcc rel32, cc", "call rel32"].map(form),
);

/** What fills up the space between functions. */
const FILLER = form("int3");

/** Where a jump or call goes; -1 for other instructions. */
function targetOf(decoder: Decoder): number {
  return JUMPS.has(decoder.form) ? decoder.offset + decoder.size + (decoder.operands[0] ?? 0) : -1;
}

/** Calls for each instruction of the code. */
function eachInstruction({ bytes }: X64Code, from: number, to: number, use: (decoder: Decoder) => void): void {
  const decoder = new Decoder();
  for (let at = from; at < to; at += decoder.size) {
    if (decoder.decode(bytes, at) === -1) throw new InternalError(`code cannot be decoded at ${at}`);
    use(decoder);
  }
}

function labelsOf(code: X64Code): ReadonlyMap<number, string> {
  const targets = new Set<number>();
  eachInstruction(code, 0, code.codeBytes, (decoder) => targets.add(targetOf(decoder)));
  targets.delete(-1);
  const named = new Map(code.functions.map(({ name, offset }) => [offset, name]));
  let count = 0;
  for (const target of [...targets].toSorted((a, b) => a - b)) if (!named.has(target)) named.set(target, `L${++count}`);
  return named;
}

/** The bytes of the constant that an instruction reaches, as words. */
function constantText({ bytes, codeBytes }: X64Code, reached: number): string {
  if (reached < codeBytes || reached >= bytes.length) return "";
  const words: string[] = [];
  for (let at = reached; at + 4 <= Math.min(bytes.length, reached + 16); at += 4)
    words.push(new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true).toString(16).padStart(8, "0"));
  return ` # constants+0x${(reached - codeBytes).toString(16)}: ${words.join(" ")}`;
}

/**
 * The code as text. `lineOf` gives a line of a file of the source, null where it is not known.
 *
 * @public
 */
export function printX64(code: X64Code, lineOf: (file: string, line: number) => string | null): string {
  const labels = labelsOf(code);
  const constants = new Map(code.distances.map(({ end, target }) => [end, target]));
  const out: string[] = [];
  let next = 0;
  let shown: Location | null = null;
  for (const { name, offset, size } of sizedFunctions(code)) {
    if (out.length > 0) out.push("");
    out.push(`${name}:`);
    shown = null;
    eachInstruction(code, offset, offset + size, (decoder) => {
      const at = decoder.offset;
      const label = labels.get(at);
      if (label !== undefined && at !== offset) out.push(`${label}:`);
      while ((code.lines[next]?.offset ?? Infinity) <= at) {
        const { location } = code.lines[next++] as X64Code["lines"][number];
        if (shown?.file === location.file && shown.line === location.line) continue;
        shown = location;
        const text = lineOf(location.file, location.line);
        out.push(`# ${location.file}:${location.line}${text === null ? "" : `: ${text.trim()}`}`);
      }
      if (decoder.form === FILLER) return;
      let text = printInstruction(decoder, at);
      const target = targetOf(decoder);
      if (target !== -1) text = `${text.slice(0, text.indexOf(" "))} ${labels.get(target) ?? ""}`;
      const reached = constants.get(at + decoder.size);
      out.push(`  ${text}${reached === undefined ? "" : constantText(code, reached)}`);
    });
  }
  return `${out.join("\n")}\n`;
}
