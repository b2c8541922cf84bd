// SPDX-License-Identifier: Apache-2.0
// Generated code as the sections and symbols of a file of ELF, with what debuggers want to know: lines, functions, and
// how to walk the stack.
import { InternalError } from "@muxkit/cargo";
import {
  Decoder,
  type DebugFunction,
  type ElfContent,
  type ElfReference,
  type ElfSection,
  type ElfSymbol,
  type FrameStep,
  debugSections,
  formAt,
  frameSections,
} from "@muxkit/x64-assembler";

import { form } from "./machine-builder.ts";
import type { X64Code, X64Function } from "./module.ts";

/** Bytes with a name, which go to the constants. @public */
export interface ElfData {
  /** The symbol. */
  readonly name: string;
  /** The bytes. */
  readonly bytes: Uint8Array;
}

/** What is said of the code, and what goes with it. @public */
export interface ElfAbout {
  /** The name of the source. */
  readonly source: string;
  /** The folder that names of files are in. */
  readonly directory: string;
  /** The compiler. */
  readonly producer: string;
  /** Further data. */
  readonly data: readonly ElfData[];
  /** Whether it becomes a shared object, for which no linker makes the table of frames. */
  readonly isShared: boolean;
}

const ALIGNMENT = 64;
const RETURN = form("ret");
const FRAME_FORMS: ReadonlySet<number> = new Set([form("sub r64/m64, s32"), form("sub r64/m64, s8")]);
/** Bytes of a return address. */
const WORD = 8;

/** From the instruction that takes the frame to each return; after a return the frame is there again. */
function frameSteps({ bytes }: X64Code, { name, offset, frameBytes }: X64Function, size: number): readonly FrameStep[] {
  if (frameBytes === 0) return [];
  const decoder = new Decoder();
  const steps: FrameStep[] = [];
  const full = frameBytes + WORD;
  for (let at = offset; at < offset + size; at += decoder.size) {
    if (decoder.decode(bytes, at) === -1) throw new InternalError(`code of ${name} cannot be decoded at ${at}`);
    const end = at - offset + decoder.size;
    if (at === offset) {
      if (!FRAME_FORMS.has(decoder.form)) throw new InternalError(`${name} begins by ${formAt(decoder.form).key}`);
      steps.push({ offset: end, rule: "depth", bytes: full });
    } else if (decoder.form === RETURN) {
      steps.push({ offset: at - offset, rule: "depth", bytes: WORD });
      if (end < size) steps.push({ offset: end, rule: "depth", bytes: full });
    }
  }
  return steps;
}

/** Functions with their bytes. */
export function sizedFunctions({ functions, codeBytes }: X64Code): readonly (X64Function & DebugFunction)[] {
  return functions.map((one, n) => ({ ...one, size: (functions[n + 1]?.offset ?? codeBytes) - one.offset }));
}

/** The constants and further data; and where the first constant would be if they began at a multiple of 64. */
function constants(
  { bytes, codeBytes }: X64Code,
  data: readonly ElfData[],
): { readonly section: ElfSection; readonly base: number; readonly symbols: readonly ElfSymbol[] } {
  // Constants keep their alignment, which counts from the beginning of the code.
  const base = codeBytes - (codeBytes % ALIGNMENT);
  const parts: Uint8Array[] = [new Uint8Array(codeBytes - base), bytes.subarray(codeBytes)];
  let end = bytes.length - base;
  const symbols = data.map(({ name, bytes: own }): ElfSymbol => {
    const gap = -end & (ALIGNMENT - 1);
    parts.push(new Uint8Array(gap), own);
    const offset = end + gap;
    end = offset + own.length;
    return { name, section: ".rodata", offset, size: own.length, isGlobal: true, isFunction: false };
  });
  const joined = new Uint8Array(end);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return {
    section: { name: ".rodata", kind: "data", bytes: joined, alignment: ALIGNMENT, references: [] },
    base,
    symbols,
  };
}

/** The content of a file of ELF. @public */
export function elfContentOf(code: X64Code, about: ElfAbout): ElfContent {
  const { bytes, codeBytes, entries, distances, lines } = code;
  const { source, directory, producer, isShared } = about;
  const functions = sizedFunctions(code);
  const { section, base, symbols } = constants(code, about.data);
  const references = distances.map(({ offset, end, target }): ElfReference => ({
    offset,
    kind: "relative",
    section: ".rodata",
    addend: target - base - (end - offset),
  }));
  const text: ElfSection = {
    name: ".text",
    kind: "code",
    bytes: bytes.slice(0, codeBytes),
    alignment: ALIGNMENT,
    references,
  };
  const frames = functions.map((one) => ({ ...one, steps: one.steps ?? frameSteps(code, one, one.size) }));
  const unit = {
    source,
    directory,
    producer,
    codeBytes,
    functions,
    lines: lines.map(({ offset, location: { file, line, column } }) => ({ offset, file, line, column })),
  };
  return {
    source,
    sections: [text, section, ...frameSections(frames, isShared), ...debugSections(unit)],
    symbols: [
      ...functions.map(({ name, offset, size }) => ({
        name,
        section: ".text",
        offset,
        size,
        isGlobal: entries.get(name) === offset,
        isFunction: true,
      })),
      ...symbols,
    ],
  };
}
