// SPDX-License-Identifier: Apache-2.0
// Enumerations, structures and the classes of objects.
import { schemaNumber } from "../../../tools/build/schema-file.ts";
import { API, BANNER, describe, type EnumNode, type HandleNode, type MemberNode, usedNames } from "./schema.ts";

function enumeration({ name, doc, constant }: EnumNode): string {
  const rows = constant
    .map((row) => `  /** ${row.doc} */\n  ${row.name}: ${schemaNumber(row.name, row.value)},`)
    .join("\n");
  return `${describe(doc)}
export const ${name} = {
${rows}
} as const;
${describe(doc)}
export type ${name} = (typeof ${name})[keyof typeof ${name}];
`;
}

/** source/generated/enums.ts */
export function enums(): string {
  return `${BANNER}\n${API.enum.map(enumeration).join("\n")}`;
}

function members(list: readonly MemberNode[] | undefined): string {
  return (list ?? [])
    .map(
      ({ name, type, doc, optional }) =>
        `  /** ${doc} */\n  readonly ${name}${optional === "true" ? "?" : ""}: ${type};\n`,
    )
    .join("");
}

/** The class of a kind of object: its members, and the constructor that targets call. */
function handleClass(node: HandleNode): string {
  const isDevice = node.kind === "device";
  const all = node.member ?? [];
  const fixed = all.filter(({ optional }) => optional !== "true");
  const given = [...fixed, ...(isDevice ? [{ name: "target", type: "MuxTarget" }] : [])];
  // What only some targets say, they set themselves: it costs the others nothing.
  const said = all.filter((member) => !fixed.includes(member));
  const saidMembers = members(said).replaceAll("  readonly", "  declare readonly");
  const partType = given.map(({ name, type }) => `readonly ${name}: ${type}`).join("; ");
  const assignments = given.map(({ name }) => `    this.${name} = part.${name};`).join("\n");
  const device = isDevice ? "part.info" : "part.device.info";
  const runner = isDevice ? "  /** What runs it. */\n  readonly target: MuxTarget;\n" : "";
  return `${describe(`${node.doc} Targets extend it with what they keep of one.`)}
export class ${node.name} extends MuxObject {
${members(fixed)}${saidMembers}${runner}
  /** Made by targets only. */
  constructor(part: { ${partType} }) {
    super("${node.kind.replaceAll("_", " ")}", MuxObjectKind.${node.kind} + (${device}.id & 0xffff));
${assignments}
  }
}
`;
}

/** source/generated/structs.ts */
export function structs(): string {
  const body = [
    ...API.struct.map(
      (node) => `${describe(node.doc)}
export interface ${node.name} {
${members(node.member)}}
`,
    ),
    ...API.union.map(
      (node) => `${describe(node.doc)}
export type ${node.name} = ${node.types.split(" ").join(" | ")};
`,
    ),
    ...API.handle.map(handleClass),
  ].join("\n");
  // Words in comments are no uses.
  const enumTypes = usedNames(body.replaceAll(/\/\*\*[\s\S]*?\*\//gu, ""), API.enum);
  const imported = enumTypes.map((name) => (name === "MuxObjectKind" ? name : `type ${name}`)).join(", ");
  return `${BANNER}import type { MuxDeviceInfo } from "../device-info.ts";
import { MuxObject } from "../object.ts";
import { ${imported} } from "./enums.ts";
import type { MuxTarget } from "./target.ts";

${body}`;
}
