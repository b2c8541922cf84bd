// SPDX-License-Identifier: Apache-2.0
/**
 * Kernels that can be stopped: their text with a look at a word of the GPU's memory at the beginning, and at the labels
 * that a later branch leads to, which every loop passes. A thread that finds the word set ends. In loops it looks once
 * in 64 times, because a look takes as long as an access to the last cache. Barriers do not wait for threads that have
 * ended. Functions that are called are left as they are: their loops are the library's, which end.
 *
 * Cost: two passes over the lines of a kernel.
 */

import { SIMT_VARIABLE_MARK } from "@muxkit/kernel-abi";

/** What the names of such kernels end with. */
export const STOPPABLE = "_stoppable";
/** Bytes of their parameter beyond that of the kernel: the word's address, and room to keep the alignment. */
export const STOP_BYTES = 16;

/** A thread looks when so many bits of its counter are zero. */
const COUNTER_BITS = 0x3f;

const HEAD = /^\.visible \.entry (?<name>[\w$]+)\(\.param (?<type>.*) (?<parameter>\w+)\[(?<bytes>\d+)\]\)/u;
const LABEL = /^(?<label>\$\w+):$/u;
const BRANCH = /^ +(?:@!?%\w+ )?bra(?:\.uni)? (?<label>\$\w+);$/u;
const DECLARATION = /^ +\.(?:reg|local|shared) /u;
const PRAGMA = /^ +\.pragma /u;

const LOOK: readonly string[] = [
  "  ld.volatile.global.u32 %stop_word, [%stop_address];",
  "  setp.ne.u32 %stop, %stop_word, 0;",
  "  @%stop exit;",
];

/** Labels that a branch below them leads to. */
function loopLabels(lines: readonly string[]): ReadonlySet<string> {
  const above = new Set<string>();
  const loops = new Set<string>();
  for (const line of lines) {
    const label = LABEL.exec(line)?.groups?.["label"];
    if (label !== undefined) above.add(label);
    const target = BRANCH.exec(line)?.groups?.["label"];
    if (target !== undefined && above.has(target)) loops.add(target);
  }
  return loops;
}

/** A kernel's lines with looks. */
function stoppableKernel(lines: readonly string[]): readonly string[] {
  const [head = "", ...rest] = lines;
  const { name = "", type = "", parameter = "", bytes = "" } = HEAD.exec(head)?.groups ?? {};
  const loops = loopLabels(rest);
  const out = [`.visible .entry ${name}${STOPPABLE}(.param ${type} ${parameter}[${Number(bytes) + STOP_BYTES}])`];
  const open = rest.indexOf("{");
  let at = open + 1;
  while (DECLARATION.test(rest[at] ?? "")) at++;
  out.push(...rest.slice(0, at));
  out.push("  .reg .pred %stop;", "  .reg .b32 %stop_word, %stop_count;", "  .reg .b64 %stop_address;");
  out.push(`  ld.param.u64 %stop_address, [${parameter}+${bytes}];`, "  mov.u32 %stop_count, 0;", ...LOOK);
  let looks = 0;
  let isDue = false;
  for (const line of rest.slice(at)) {
    if (isDue && !PRAGMA.test(line)) {
      const label = `$stop_${looks++}`;
      out.push(
        "  add.u32 %stop_count, %stop_count, 1;",
        `  and.b32 %stop_word, %stop_count, ${COUNTER_BITS};`,
        "  setp.ne.u32 %stop, %stop_word, 0;",
        `  @%stop bra ${label};`,
        ...LOOK,
        `${label}:`,
      );
      isDue = false;
    }
    out.push(line);
    isDue ||= loops.has(LABEL.exec(line)?.groups?.["label"] ?? "");
  }
  return out;
}

/** True when a program has variables that its kernels share. */
export function hasVariables(ptx: string): boolean {
  return ptx.includes(`\n${SIMT_VARIABLE_MARK}\n`);
}

/**
 * The text with stoppable kernels: in place of the others, or behind them where the program has variables, which all
 * kernels of one module share.
 */
export function stoppablePtx(ptx: string): string {
  const keepsOthers = hasVariables(ptx);
  const out: string[] = [];
  const behind: string[] = [];
  let kernel: string[] | null = null;
  for (const line of ptx.split("\n")) {
    if (kernel === null && HEAD.test(line)) kernel = [];
    if (kernel === null) {
      out.push(line);
      continue;
    }
    kernel.push(line);
    if (line !== "}") continue;
    if (keepsOthers) out.push(...kernel);
    behind.push(...stoppableKernel(kernel));
    kernel = null;
  }
  return [...out, ...behind, ""].join("\n");
}
