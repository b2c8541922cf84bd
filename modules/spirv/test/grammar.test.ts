// SPDX-License-Identifier: Apache-2.0
// The grammar's tables: complete, as generated, and the same as Debian's spirv-headers has them, in both directions.
import { existsSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import {
  ENUMERATIONS,
  EXTENDED_SETS,
  KIND_ENUMERATION,
  OP_ROWS,
  type OperandRow,
  enumerationOfKind,
  opRow,
} from "@muxkit/spirv";

import { PLAIN_KINDS, compactText, nameTypes, readDescription } from "../tools/compact.ts";

const HEADERS = "/usr/include/spirv/unified1";

/** An operand of the headers' JSON. */
interface JsonOperand {
  readonly kind: string;
  readonly quantifier?: string;
}

interface JsonAvailability {
  readonly capabilities?: readonly string[];
  readonly extensions?: readonly string[];
  readonly version?: string;
  readonly lastVersion?: string;
}

interface JsonInstruction extends JsonAvailability {
  readonly opname: string;
  readonly opcode: number;
  readonly operands?: readonly JsonOperand[];
}

interface JsonGrammar {
  readonly instructions: readonly JsonInstruction[];
  readonly operand_kinds: readonly {
    readonly category: string;
    readonly kind: string;
    readonly enumerants?: readonly (JsonAvailability & {
      readonly enumerant: string;
      readonly value: number | string;
      readonly parameters?: readonly JsonOperand[];
    })[];
  }[];
}

const KINDS: Readonly<Record<string, string>> = {
  IdResultType: "type",
  IdResult: "result",
  IdRef: "id",
  IdScope: "scope",
  IdMemorySemantics: "semantics",
  LiteralInteger: "integer",
  LiteralString: "string",
  LiteralContextDependentNumber: "number",
  LiteralExtInstInteger: "extended",
  LiteralSpecConstantOpInteger: "opcode",
  PairLiteralIntegerIdRef: "case",
  PairIdRefLiteralInteger: "member",
  PairIdRefIdRef: "phi",
};

function theirOperands(operands: readonly JsonOperand[] = []): string {
  return operands.map(({ kind, quantifier = "" }) => `${KINDS[kind] ?? kind}${quantifier}`).join(" ");
}

function ourOperands(operands: readonly OperandRow[]): string {
  return operands
    .map(({ kind, quantifier }) => `${PLAIN_KINDS[kind] ?? enumerationOfKind(kind)?.name ?? "?"}${quantifier}`)
    .join(" ");
}

const capabilityNames = new Map(
  ENUMERATIONS.find(({ name }) => name === "Capability")?.rows.map(({ name, value }) => [name, value]),
);

function versionNumber(text: string): number {
  return 0x10000 + Number(text.slice(2)) * 0x100;
}

function theirs({ capabilities = [], extensions = [], version = "1.0", lastVersion }: JsonAvailability): unknown {
  return {
    capabilities: capabilities.map((name) => capabilityNames.get(name)),
    extensions: [...extensions],
    since: version === "None" ? Infinity : versionNumber(version),
    until: lastVersion === undefined ? Infinity : versionNumber(lastVersion),
  };
}

function ours({
  capabilities,
  extensions,
  since,
  until,
}: {
  readonly capabilities: readonly number[];
  readonly extensions: readonly string[];
  readonly since: number;
  readonly until: number;
}): unknown {
  return { capabilities: [...capabilities], extensions: [...extensions], since, until };
}

function headers(file: string): JsonGrammar {
  return JSON.parse(readFileSync(`${HEADERS}/${file}`, "utf8")) as JsonGrammar;
}

describe("the grammar", () => {
  test("what is generated is what the description says", () => {
    const folder = new URL("../", import.meta.url);
    const description = readDescription(new URL("grammar/", folder));
    const tables = readFileSync(new URL("source/generated/tables.ts", folder), "utf8");
    for (const [name, text] of Object.entries(compactText(description)))
      expect(tables, name).toContain(`export const ${name} = \`${text}\`;`);
    expect(readFileSync(new URL("source/generated/names.ts", folder), "utf8")).toContain(nameTypes(description));
  });

  test("kinds of operands have the numbers that the generator gives them", () => {
    expect(KIND_ENUMERATION).toBe(PLAIN_KINDS.length);
    for (const { operands } of OP_ROWS.values())
      for (const { kind } of operands)
        expect(kind < KIND_ENUMERATION || enumerationOfKind(kind) !== undefined).toBe(true);
  });

  test("every opcode, name and value is there once", () => {
    for (const row of OP_ROWS.values()) expect(opRow(row.opcode)?.opcode).toBe(row.opcode);
    for (const { name, rows, byName } of ENUMERATIONS) expect(byName.size, name).toBe(rows.length);
    for (const { name, rows, byName } of EXTENDED_SETS.values()) expect(byName.size, name).toBe(rows.size);
  });
});

describe.skipIf(!existsSync(HEADERS))("the grammar and Debian's spirv-headers", () => {
  test("instructions", () => {
    const { instructions } = headers("spirv.core.grammar.json");
    const found = instructions.map((row) => [
      row.opname,
      { opcode: row.opcode, operands: theirOperands(row.operands), needs: theirs(row) },
    ]);
    const known = [...OP_ROWS.values()].map((row) => [
      row.name,
      { opcode: row.opcode, operands: ourOperands(row.operands), needs: ours(row) },
    ]);
    expect(Object.fromEntries(known)).toEqual(Object.fromEntries(found));
  });

  test("enumerants", () => {
    const kinds = [
      ...headers("spirv.core.grammar.json").operand_kinds,
      ...headers("extinst.opencl.debuginfo.100.grammar.json").operand_kinds,
    ].filter(({ category }) => category.endsWith("Enum"));
    const found = kinds.map(({ kind, category, enumerants = [] }) => [
      kind,
      {
        isMask: category === "BitEnum",
        rows: enumerants.map((row) => [row.enumerant, Number(row.value), theirOperands(row.parameters), theirs(row)]),
      },
    ]);
    const known = ENUMERATIONS.map(({ name, isMask, rows }) => [
      name,
      { isMask, rows: rows.map((row) => [row.name, row.value, ourOperands(row.operands), ours(row)]) },
    ]);
    expect(Object.fromEntries(known)).toEqual(Object.fromEntries(found));
  });

  test.each([
    ["OpenCL.std", "opencl.std.100"],
    ["GLSL.std.450", "glsl.std.450"],
    ["OpenCL.DebugInfo.100", "opencl.debuginfo.100"],
    ["NonSemantic.Shader.DebugInfo.100", "nonsemantic.shader.debuginfo.100"],
    ["NonSemantic.DebugPrintf", "nonsemantic.debugprintf"],
    ["NonSemantic.ClspvReflection", "nonsemantic.clspvreflection"],
  ])("%s", (set, file) => {
    const found = headers(`extinst.${file}.grammar.json`).instructions.map((row) => [
      row.opname,
      row.opcode,
      theirOperands(row.operands),
    ]);
    const known = [...(EXTENDED_SETS.get(set)?.rows.values() ?? [])].map((row) => [
      row.name,
      row.number,
      ourOperands(row.operands),
    ]);
    expect(known).toEqual(found);
  });
});
