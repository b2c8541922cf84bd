// SPDX-License-Identifier: Apache-2.0
// The reference page, and the table of rules that the conformance suite goes through.
import { schemaNumber } from "../../../tools/build/schema-file.ts";
import { API, BANNER, type EnumNode, type FunctionNode, type ParamNode } from "./schema.ts";

function parameterRow({ name, type, doc, rule }: ParamNode): string {
  return `| \`${name}\` | \`${type.replaceAll("|", "\\|")}\` | ${doc} | ${rule === "any" ? "" : rule} |`;
}

function functionSection(fn: FunctionNode): string {
  const checks = (fn.check ?? []).map(({ name }) => name).join(", ");
  const more = checks === "" ? "" : ` Further checks: ${checks}.`;
  return `## ${fn.name}

${fn.doc} Returns \`${fn.returns}\`.${more}

| parameter | type | is | checked for |
|---|---|---|---|
${fn.param.map(parameterRow).join("\n")}
`;
}

function enumSection({ name, doc, constant }: EnumNode): string {
  const rows = constant.map((row) => `| ${row.name} | ${schemaNumber(row.name, row.value)} | ${row.doc} |`);
  return `## ${name}

${doc}

| name | value | |
|---|--:|---|
${rows.join("\n")}
`;
}

/** docs/mux-reference.md */
export function reference(): string {
  const head = `# The runtime API

Generated from \`modules/mux/tools/api/mux.xml\`, version ${API.version}. ${API.function.length} entry points, ${API.enum.length} enums.
`;
  const enums = API.enum.filter(({ name }) => name !== "MuxImageFormat");
  return [head, ...API.function.map(functionSection), ...enums.map(enumSection)].join("\n");
}

function quotedList(words: readonly string[]): string {
  return `[${words.map((word) => `"${word}"`).join(", ")}]`;
}

function rulesOf({ name, type, rule }: ParamNode): string {
  const rules = rule.split(" ").filter((word) => word !== "any");
  return `      { name: "${name}", type: ${JSON.stringify(type)}, rules: ${quotedList(rules)} },\n`;
}

/** modules/unitmux/source/generated/entry-points.ts: parameters with their rules, and the checks of several at once. */
export function rulesTable(): string {
  const banner = BANNER.replace(
    "tools/generate.ts from tools/api/mux.xml",
    "modules/mux/tools/generate.ts from modules/mux/tools/api/mux.xml",
  );
  const rows = API.function.map((fn) => {
    const marks = [
      ...(fn.destroys === undefined ? [] : [`destroys: "${fn.destroys}"`]),
      ...(fn.command === "true" ? ["isCommand: true"] : []),
    ];
    const checks = quotedList((fn.check ?? []).map(({ name }) => name));
    return `  {
    name: "${fn.name}", checks: ${checks},${marks.length === 0 ? "" : ` ${marks.join(", ")},`}
    parameters: [
${fn.param.map(rulesOf).join("")}    ],
  },
`;
  });
  return `${banner}import type { EntryPointRules } from "../entry-point-rules.ts";

/** Every entry point. */
export const ENTRY_POINTS: readonly EntryPointRules[] = [
${rows.join("")}];
`;
}
