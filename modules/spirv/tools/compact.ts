// SPDX-License-Identifier: Apache-2.0
// The grammar's description (grammar/*.txt) read into rows, and rows written compactly for source/generated/.
import { readFileSync } from "node:fs";

/** What a row of an instruction or an enumerant needs; the words after each `|`. */
interface Needs {
  readonly needs: readonly string[];
  readonly by: readonly string[];
  readonly from: string;
  readonly until: string;
}

/** An instruction, an enumerant, or an instruction of an extended set. */
export interface Row extends Needs {
  readonly name: string;
  readonly value: number;
  readonly operands: readonly string[];
}

/** Rows under one heading: a class of instructions, an enumeration, an extended set. */
export interface Group {
  readonly heading: string;
  readonly name: string;
  readonly rows: readonly Row[];
}

/** The whole description. */
export interface Description {
  readonly classes: readonly Group[];
  readonly enumerations: readonly Group[];
  readonly sets: readonly Group[];
}

const HEADING = /^(class|enum|mask|set) (\S+)$/u;
const ROW = /^(\S+) (\d+|0x[\da-f]+)(?: : ([^|]+))?((?: \| [^|]+)*)$/u;
const FIELD = /^(needs|by|from|until|reserved)\b ?(.*)$/u;

function readRow(file: string, line: string): Row {
  const [, name = "", value = "", operands = "", tail = ""] = ROW.exec(line) ?? [];
  if (name === "") throw new Error(`${file}: "${line}" is neither a heading nor a row`);
  const fields = new Map(
    tail
      .split(" | ")
      .slice(1)
      .map((field): [string, string] => {
        const [, key = "", rest = ""] = FIELD.exec(field.trim()) ?? [];
        if (key === "") throw new Error(`${file}: "${field}" in "${line}" is no field`);
        return [key, rest];
      }),
  );
  const list = (key: string): string[] => (fields.get(key) ?? "").split(" ").filter((word) => word !== "");
  return {
    name,
    value: Number(value),
    operands: operands.split(" ").filter((word) => word !== ""),
    needs: list("needs"),
    by: list("by"),
    from: fields.has("reserved") ? "reserved" : (fields.get("from") ?? ""),
    until: fields.get("until") ?? "",
  };
}

function readGroups(folder: URL, file: string): readonly Group[] {
  const groups: { heading: string; name: string; rows: Row[] }[] = [];
  for (const line of readFileSync(new URL(file, folder), "utf8").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [, heading, name] = HEADING.exec(line) ?? [];
    if (heading !== undefined && name !== undefined) groups.push({ heading, name, rows: [] });
    else groups.at(-1)?.rows.push(readRow(file, line));
  }
  return groups;
}

/** Reads the description from its folder. */
export function readDescription(folder: URL): Description {
  return {
    classes: readGroups(folder, "instructions.txt"),
    enumerations: readGroups(folder, "enumerants.txt"),
    sets: readGroups(folder, "extended.txt"),
  };
}

/** Kinds of operands that are no enumeration, in the order of their numbers. */
export const PLAIN_KINDS: readonly string[] = [
  "type",
  "result",
  "id",
  "scope",
  "semantics",
  "integer",
  "string",
  "number",
  "extended",
  "opcode",
  "case",
  "member",
  "phi",
];

const DIGITS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

function listed(texts: readonly (string | number)[]): string {
  return texts.join(",") || "-";
}

function version(text: string): string {
  if (text === "") return "-";
  return text === "reserved" ? "r" : text.slice(2);
}

/** The compact text of all tables: one line a row, fields divided by blanks, empty ones at the end left out. */
export function compactText({ classes, enumerations, sets }: Description): Readonly<Record<string, string>> {
  const kinds = [...PLAIN_KINDS, ...enumerations.map(({ name }) => name)];
  if (kinds.length > DIGITS.length) throw new Error("more kinds of operands than letters");
  const capabilities = new Map(
    enumerations.find(({ name }) => name === "Capability")?.rows.map(({ name, value }) => [name, value]),
  );
  const extensions = [
    ...new Set([...classes, ...enumerations, ...sets].flatMap(({ rows }) => rows.flatMap(({ by }) => by))),
  ].toSorted();
  const letters = (operands: readonly string[]): string =>
    operands
      .map((operand) => {
        const kind = operand.replace(/[?*]$/u, "");
        const index = kinds.indexOf(kind);
        if (index < 0) throw new Error(`"${kind}" is no kind of operand`);
        return `${DIGITS[index] ?? ""}${operand.slice(kind.length)}`;
      })
      .join("");
  const line = ({ name, value, operands, needs, by, from, until }: Row): string =>
    [
      name,
      value,
      letters(operands) || "-",
      listed(needs.map((need) => capabilities.get(need) ?? need)),
      listed(by.map((extension) => extensions.indexOf(extension))),
      version(from),
      version(until),
    ]
      .join(" ")
      .replace(/(?: -)+$/u, "");
  const text = (groups: readonly Group[], sign: (group: Group) => string, prefix = ""): string =>
    groups
      .flatMap((group) => [
        `${sign(group)}${group.name}`,
        ...group.rows.map((row) => line({ ...row, name: row.name.slice(prefix.length) })),
      ])
      .join("\n");
  return {
    INSTRUCTIONS: text(classes, () => "#", "Op"),
    ENUMERANTS: text(enumerations, ({ heading }) => (heading === "mask" ? "|" : "#")),
    EXTENDED: text(sets, () => "#"),
    EXTENSIONS: extensions.map((name) => name.replace(/^SPV_/u, "")).join(" "),
  };
}

function union(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(" | ");
}

/** Types of the names, for those who write tables by name. */
export function nameTypes({ classes, enumerations, sets }: Description): string {
  const record = (groups: readonly Group[]): string =>
    groups
      .map(({ name, rows }) => `  readonly ${JSON.stringify(name)}: ${union(rows.map((row) => row.name))};\n`)
      .join("");
  return [
    `/** The name of an instruction. @public */`,
    `export type OpName = ${union(classes.flatMap(({ rows }) => rows.map(({ name }) => name)))};`,
    ``,
    `/** The class of an instruction. @public */`,
    `export type OpClass = ${union(classes.map(({ name }) => name))};`,
    ``,
    `/** The names of each enumeration's values. @public */`,
    `export type EnumerantNames = {`,
    `${record(enumerations)}};`,
    ``,
    `/** The names of each extended set's instructions. @public */`,
    `export type ExtendedNames = {`,
    `${record(sets)}};`,
    ``,
  ].join("\n");
}
