// SPDX-License-Identifier: Apache-2.0
// Disassemblers of others to compare with, where they are installed.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether a program is installed; says loudly when not. */
export function isInstalled(program: string): boolean {
  const isHere = spawnSync(program, ["--version"]).status === 0;
  if (!isHere) process.stderr.write(`!! ${program} is not installed: encodings are not compared with it\n`);
  return isHere;
}

/** What objdump says of code, by offset. */
export function objdump(code: Uint8Array): ReadonlyMap<number, string> {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-x64-"));
  try {
    const file = join(folder, "code.bin");
    writeFileSync(file, code);
    const options = ["-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn", file];
    const output = execFileSync("objdump", options, { encoding: "utf8", maxBuffer: 2 ** 28 });
    const lines = output.matchAll(/^\s*([\da-f]+):\s+(.*)$/gmu);
    return new Map([...lines].map(([, offset = "", text = ""]) => [Number.parseInt(offset, 16), text]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What llvm-mc says of instructions, one text each, `undefined` for those that it refuses. */
export function llvmDisassemble(instructions: readonly Uint8Array[]): readonly (string | undefined)[] {
  const input = instructions.map((bytes) => [...bytes].map((byte) => `0x${byte.toString(16)}`).join(" ")).join("\n");
  const options = ["--disassemble", "--triple=x86_64", "--output-asm-variant=1"];
  const { stdout, stderr } = spawnSync("llvm-mc", options, { encoding: "utf8", input, maxBuffer: 2 ** 28 });
  const refused = new Set([...stderr.matchAll(/<stdin>:(\d+):\d+: /gu)].map(([, line]) => Number(line) - 1));
  // Prefixes have a line of their own.
  const joined = stdout.replaceAll(/^\t(lock|rep)\s*\n\s*/gmu, "\t$1 ");
  const texts = joined.split("\n").filter((line) => line.startsWith("\t") && !line.startsWith("\t."));
  return instructions.map((_, n) => (refused.has(n) ? undefined : texts.shift()));
}

/** The text without what only objdump says. */
export function plainObjdump(text: string): string {
  return text
    .replace(/\s+#.*$/u, "")
    .replace("+0x0]", "]")
    .replace(/\{1to\d+\}|\{evex\} /gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}

/** Numbers as both write them: decimal, with the sign that the width gives. */
function plainNumber(text: string): string {
  if (text.startsWith("-")) return `-${BigInt(text.slice(1))}`;
  const value = BigInt(text);
  // In decimal, llvm-mc leaves out the sign of some immediates of 16 and 32 bits.
  const digits = text.startsWith("0x")
    ? text.slice(2)
    : value >> 15n === 1n
      ? "ffff"
      : value >> 31n === 1n
        ? "ffffffff"
        : "";
  const isNegative = [2, 4, 8, 16].includes(digits.length) && Number.parseInt(digits[0] ?? "0", 16) >= 8;
  return String(isNegative ? value - (1n << BigInt(4 * digits.length)) : value);
}

/** An address as a sum whose terms are in alphabetical order. */
function plainAddress(text: string): string {
  const terms = text
    .replaceAll(/\s/gu, "")
    .replaceAll("-", "+-")
    .split("+")
    .filter((term) => term !== "");
  const factors = terms.map((term) => term.replace(/^(\w+)\*(\d)$/u, "$2*$1").replace(/^1\*/u, ""));
  return `[${factors
    .filter((term) => term !== "0")
    .toSorted()
    .join("+")}]`;
}

/** The text of either disassembler in one spelling. */
export function plainIntel(text: string): string {
  return (
    text
      .toLowerCase()
      .replaceAll(/\s+/gu, " ")
      .trim()
      .replace(/\s*#.*$/u, "")
      .replaceAll(/\{evex\}|byte ptr es:\[rdi\], ?byte ptr (?:ds:)?\[rsi\]|byte ptr es:\[rdi\], ?al/gu, "")
      .replaceAll(" bcst ", " ptr ")
      .replaceAll(/\brep movsb?|\brep stosb?/gu, (name) => name.replace(/b$/u, ""))
      // One says the size of an element, the other that of all.
      .replace(/^(\w+(?:gather|scatter).*?)[a-z]+ ptr /u, "$1")
      // It does not print the prefix of these.
      .replace(/^lock (?=xadd|cmpxchg)/u, "")
      .replaceAll(/-?\b(?:0x[\da-f]+|\d{5,})/gu, plainNumber)
      .replaceAll(/\[([^\]]*)\]/gu, (_, address: string) => plainAddress(address))
      .replaceAll(/\s+/gu, " ")
      .replaceAll(", ", ",")
      .replaceAll(" {", "{")
      .trim()
  );
}
