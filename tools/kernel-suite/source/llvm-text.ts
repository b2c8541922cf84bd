// SPDX-License-Identifier: Apache-2.0
// LLVM's text, rewritten so that its translator to SPIR-V and spirv-opt take it. What clang writes at -O2 is good LLVM,
// and the translator of LLVM 14 stops at some of it, miscompiles one instruction, and writes what spirv-opt refuses.
// Each step keeps what a function computes:
//
//   1. every value gets a name, so that blocks can change places: numbers must come in order;
//   2. `freeze`, which the translator does not know, is the value that it is given: SPIR-V has no undefined ones;
//   3. `sitofp` of truth values, of which the translator makes 1 where LLVM has -1, is a choice of two numbers;
//   4. a choice of vectors by one truth value is one by a vector of it, which versions before 1.4 ask for;
//   5. a lane of a vector of other lanes than SPIR-V has is a part of the lane that it was cut from;
//   6. one value of all lanes of a vector (llvm.vector.reduce) is computed lane after lane;
//   7. ints of few bits, at whose switches the translator stops, are wider ones (llvm-ints.ts);
//   8. allocations of a fixed size stand first in the first block, as variables of SPIR-V must;
//   9. where a block branches to another one twice, the second edge gets a block of its own (critical edges are split):
//      a phi of SPIR-V has one value for each predecessor;
//  10. blocks stand in reverse postorder, so that each comes after those that dominate it.
//
// Cost: linear in the text, but for the search of what such a lane was cut from.
import { promoteInts } from "./llvm-ints.ts";

/** A block: its name, and its instructions, of which the last one branches. */
interface Block {
  readonly name: string;
  instructions: string[];
}

const LABEL = /^("[^"]+"|[-\w$.]+):/u;
const NAME = String.raw`%(?:"[^"]+"|[-\w$.]+)`;
const TARGET = new RegExp(String.raw`label (${NAME})`, "gu");

/** The instructions of a function's lines; those of a switch are one. */
function blocksOf(lines: readonly string[]): Block[] | null {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const [, name] = LABEL.exec(line) ?? [];
    if (name !== undefined) blocks.push({ name: `%${name}`, instructions: [] });
    else if (line.trim() !== "") {
      let instruction = line.trim();
      while (/^switch .*\[[^\]]*$/su.test(instruction) && at + 1 < lines.length)
        instruction += `\n    ${lines[++at]?.trim() ?? ""}`;
      const last = blocks.at(-1);
      // Without a name of its own the first block has a number, which nothing shows.
      if (last === undefined) return null;
      last.instructions.push(instruction);
    }
  }
  return blocks;
}

const targetsOf = (block: Block): string[] =>
  [...(block.instructions.at(-1) ?? "").matchAll(TARGET)].map(([, name]) => name ?? "");

const FREEZE = /= freeze (<\d+ x \w+>|\w+) ([^,\n]+)/u;
const FROM_TRUTH = new RegExp(String.raw`= sitofp ((?:<(\d+) x )?i1>?) (${NAME}) to ((?:<\d+ x )?(\w+)>?)`, "u");
/** The number -1 as LLVM writes it. */
const MINUS_ONE: Readonly<Record<string, string>> = {
  half: "0xHBC00",
  float: "-1.000000e+00",
  double: "-1.000000e+00",
};

/** True for text with an instruction that the translator makes another one of. @public */
export function isMiscompiled(text: string): boolean {
  return FROM_TRUTH.test(text);
}

function replaced(instruction: string): string {
  return instruction
    .replace(FREEZE, "= select i1 true, $1 $2, $1 $2")
    .replace(FROM_TRUTH, (_, bits: string, lanes: string | undefined, value: string, type: string, scalar: string) => {
      const one = `${scalar} ${MINUS_ONE[scalar] ?? ""}`;
      const number =
        lanes === undefined ? one : `${type} <${Array.from({ length: Number(lanes) }, () => one).join(", ")}>`;
      return `= select ${bits} ${value}, ${number}, ${type} zeroinitializer`;
    });
}

/** A choice of vectors, and not of pointers to them. */
const CHOICE = new RegExp(
  String.raw`^(${NAME}) = (select\b.*?) i1 (${NAME}|true), (<(\d+) x [^>]+>)(?!\*| addrspace)`,
  "u",
);

/** A choice of vectors by a vector. */
function splat(instruction: string, number: () => string): string[] {
  const [whole, name = "", operation = "", condition = "", type = "", lanes = ""] = CHOICE.exec(instruction) ?? [];
  if (whole === undefined) return [instruction];
  const mask = `<${lanes} x i1>`;
  const [first, all] = [number(), number()];
  return [
    `${first} = insertelement ${mask} poison, i1 ${condition}, i32 0`,
    `${all} = shufflevector ${mask} ${first}, ${mask} poison, <${lanes} x i32> zeroinitializer`,
    `${name} = ${operation} ${mask} ${all}, ${type}${instruction.slice(whole.length)}`,
  ];
}

const LANES: ReadonlySet<number> = new Set([2, 3, 4, 8, 16]);
const LANE = new RegExp(String.raw`^(${NAME}) = extractelement <(\d+) x i(\d+)> (${NAME}), i\d+ (\d+)`, "u");

/** The definition of a value that begins as an operation does. */
function definitionOf(blocks: readonly Block[], value: string, operation: string): string {
  return (
    blocks.flatMap(({ instructions }) => instructions).find((one) => one.startsWith(`${value} = ${operation} `)) ?? ""
  );
}

/** A lane of a vector that SPIR-V has not, as a part of the wide lane of the vector that was cast. */
function partOfLane(instruction: string, blocks: readonly Block[], number: () => string): string[] {
  const [, name = "", lanes = "2", bits = "8", vector = "", index = "0"] = LANE.exec(instruction) ?? [];
  if (LANES.has(Number(lanes))) return [instruction];
  const cast = new RegExp(String.raw`= bitcast (<\d+ x i(\d+)>) (${NAME}) to`, "u");
  const [, type = "", from = "0", whole = ""] = cast.exec(definitionOf(blocks, vector, "bitcast")) ?? [];
  const parts = Number(from) / Number(bits);
  if (parts < 2) return [instruction];
  const [lane, shifted] = [number(), number()];
  return [
    `${lane} = extractelement ${type} ${whole}, i32 ${Math.floor(Number(index) / parts)}`,
    `${shifted} = lshr i${from} ${lane}, ${(Number(index) % parts) * Number(bits)}`,
    `${name} = trunc i${from} ${shifted} to i${bits}`,
  ];
}

const REDUCTION = new RegExp(
  String.raw`^(${NAME}) = .*\bcall \S+ @llvm\.vector\.reduce\.(\w+)\.\w+\((<(\d+) x (i\d+)>) (${NAME})\)`,
  "u",
);
/** Reductions that one instruction makes of two lanes. */
const OPERATIONS: ReadonlySet<string> = new Set(["add", "mul", "and", "or", "xor"]);
/** Those that choose one of two lanes, by the predicates of their comparisons. */
const PREDICATES: Readonly<Record<string, string>> = { smax: "sgt", smin: "slt", umax: "ugt", umin: "ult" };

/** A reduction of ints, lane after lane. */
function laneAfterLane(instruction: string, number: () => string): string[] {
  const [, name = "", operation = "", type = "", lanes = "0", lane = "", vector = ""] =
    REDUCTION.exec(instruction) ?? [];
  const predicate = PREDICATES[operation];
  if (name === "" || (predicate === undefined && !OPERATIONS.has(operation))) return [instruction];
  let all = number();
  const made = [`${all} = extractelement ${type} ${vector}, i32 0`];
  for (let at = 1; at < Number(lanes); at++) {
    const [one, isFirst] = [number(), number()];
    const next = at === Number(lanes) - 1 ? name : number();
    made.push(`${one} = extractelement ${type} ${vector}, i32 ${at}`);
    if (predicate === undefined) made.push(`${next} = ${operation} ${lane} ${all}, ${one}`);
    else
      made.push(
        `${isFirst} = icmp ${predicate} ${lane} ${all}, ${one}`,
        `${next} = select i1 ${isFirst}, ${lane} ${all}, ${lane} ${one}`,
      );
    all = next;
  }
  return made;
}

/** Takes away vectors that SPIR-V has not and that nothing uses any more. */
function withoutUnused(blocks: readonly Block[]): void {
  const all = blocks.flatMap(({ instructions }) => instructions);
  const uses = new Map<string, number>();
  for (const one of all)
    for (const [name] of one.matchAll(new RegExp(NAME, "gu"))) uses.set(name, (uses.get(name) ?? 0) + 1);
  for (const block of blocks)
    block.instructions = block.instructions.filter((one) => {
      const [, name = ""] = new RegExp(String.raw`^(${NAME}) = bitcast `, "u").exec(one) ?? [];
      return name === "" || uses.get(name) !== 1;
    });
}

const ALLOCATION = /^\S+ = alloca (?!.*, i\d+ %)/u;

function allocationsFirst(blocks: readonly Block[]): void {
  const moved: string[] = [];
  for (const block of blocks) {
    moved.push(...block.instructions.filter((one) => ALLOCATION.test(one)));
    block.instructions = block.instructions.filter((one) => !ALLOCATION.test(one));
  }
  blocks[0]?.instructions.unshift(...moved);
}

const PHI = /^\S+ = phi /u;

/**
 * Gives the second edge between two blocks, and those after it, blocks of their own where a phi has values for them.
 */
function splitEdges(blocks: readonly Block[], number: () => string): Block[] {
  const byName = new Map(blocks.map((block) => [block.name, block]));
  const all = [...blocks];
  for (const { name, instructions } of blocks) {
    const seen = new Set<string>();
    const last = instructions.at(-1) ?? "";
    instructions[instructions.length - 1] = last.replaceAll(TARGET, (whole, target: string) => {
      const own = byName.get(target);
      if (!seen.has(target) || own === undefined || !PHI.test(own.instructions[0] ?? "")) {
        seen.add(target);
        return whole;
      }
      const edge = number();
      all.push({ name: edge, instructions: [`br label ${target}`] });
      own.instructions = own.instructions.map((one) => {
        // The last of the phi's values for this block is the new edge's: all of them are the same one.
        const at = PHI.test(one) ? one.lastIndexOf(`, ${name} ]`) : -1;
        return at < 0 ? one : `${one.slice(0, at)}, ${edge} ]${one.slice(at + name.length + 4)}`;
      });
      return `label ${edge}`;
    });
  }
  return all;
}

/** Blocks in reverse postorder; those that nothing reaches come last. */
function ordered(blocks: readonly Block[]): Block[] {
  const byName = new Map(blocks.map((block) => [block.name, block]));
  const [first] = blocks;
  const seen = new Set(first === undefined ? [] : [first]);
  const postorder: Block[] = [];
  const path = [...seen].map((block) => ({ block, targets: targetsOf(block) }));
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const target = byName.get(top.targets.pop() ?? "");
    if (target !== undefined) {
      if (seen.has(target)) continue;
      seen.add(target);
      path.push({ block: target, targets: targetsOf(target) });
    } else if (top.targets.length === 0) {
      postorder.push(top.block);
      path.pop();
    }
  }
  return [...postorder.toReversed(), ...blocks.filter((block) => !seen.has(block))];
}

/** A function's lines between its head and its end; null: they cannot be taken apart. */
function prepared(lines: readonly string[]): string[] | null {
  let made = 0;
  const number = (): string => `%made.${made++}`;
  const blocks = blocksOf(lines);
  if (blocks === null) return null;
  for (const block of blocks)
    block.instructions = block.instructions
      .flatMap((one) => splat(replaced(one), number))
      .flatMap((one) => partOfLane(one, blocks, number))
      .flatMap((one) => laneAfterLane(one, number));
  const wide = promoteInts(
    blocks.map(({ instructions }) => instructions),
    number,
  );
  for (const [at, block] of blocks.entries()) block.instructions = wide?.[at] ?? block.instructions;
  withoutUnused(blocks);
  allocationsFirst(blocks);
  return ordered(splitEdges(blocks, number)).flatMap(({ name, instructions }) => [
    `${name.slice(1)}:`,
    ...instructions.map((one) => `  ${one}`),
  ]);
}

/** Values and blocks that have numbers get names. */
const named = (line: string): string => line.replace(/^(\d+):/u, "n.$1:").replaceAll(/%(\d+)\b/gu, "%n.$1");

/** A module's text as the translator takes it. @public */
export function prepareForTranslator(text: string): string {
  // Types without names are written like values.
  if (/^%\d+ = type/mu.test(text)) return text;
  return text.replaceAll(/^(define .*\{)\n([^]*?)^\}$/gmu, (whole, head: string, body: string) => {
    const lines = prepared(body.split("\n").map(named));
    return lines === null ? whole : `${named(head)}\n${lines.join("\n")}\n}`;
  });
}
