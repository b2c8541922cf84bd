// SPDX-License-Identifier: Apache-2.0
// Reads api/vk.xml, the source of truth of the Vulkan layer, and checks that it makes sense in itself.
import { readSchemaFile } from "../../../tools/build/schema-file.ts";

/** Anything with a name. */
export interface Named {
  readonly name: string;
  readonly doc?: string;
}
/** A kind of object. */
export interface HandleNode extends Named {
  readonly parent?: string;
  readonly destroy?: string;
}
/** A constant. */
export interface ValueNode extends Named {
  readonly value: string;
}
/** Values of which a word has one, or any. */
export interface ValuesNode extends Named {
  readonly width?: "64";
  readonly value: readonly ValueNode[];
}
/** A member of a structure, or a parameter. */
export interface MemberNode extends Named {
  readonly type: string;
  readonly list?: "true";
  readonly optional?: "true";
}
/** A structure. */
export interface StructNode extends Named {
  readonly sType?: string;
  readonly extends?: string;
  readonly returned?: "true";
  readonly member: readonly MemberNode[];
}
/** An entry point. */
export interface FunctionNode extends Named {
  readonly returns: string;
  readonly list?: "true";
  readonly errors?: string;
  readonly results?: string;
  readonly extension?: string;
  readonly native?: "false";
  readonly param: readonly MemberNode[];
}
/** Entry points that belong together. */
export interface SectionNode {
  readonly title: string;
  readonly function: readonly FunctionNode[];
}
/** The whole schema. */
export interface Schema {
  readonly version: string;
  readonly handle: readonly HandleNode[];
  readonly enum: readonly ValuesNode[];
  readonly flags: readonly ValuesNode[];
  readonly struct: readonly StructNode[];
  readonly section: readonly SectionNode[];
}

const LISTS = new Set(["handle", "enum", "flags", "value", "struct", "member", "section", "function", "param"]);

/** Types that are no names of Vulkan's own, as TypeScript has them. */
export const PLAIN_TYPES: Readonly<Record<string, string>> = {
  uint32_t: "number",
  int32_t: "number",
  size_t: "number",
  float: "number",
  uint64_t: "bigint",
  VkDeviceSize: "number",
  VkDeviceAddress: "number",
  VkBool32: "boolean",
  timeout: "number",
  string: "string",
  bytes: "ArrayBufferView",
  words: "Uint32Array | Uint8Array",
  uuid: "Uint8Array",
  object: "VkHandle",
  callback: "VkDebugUtilsMessengerCallback",
  any: "unknown",
  void: "void",
};

/** Every function of the schema. */
export function functionsOf(schema: Schema): readonly FunctionNode[] {
  return schema.section.flatMap((section) => section.function);
}

/** What is wrong in the schema: names that lead nowhere, and names that are there twice. */
function mistakes(schema: Schema): readonly string[] {
  const functions = functionsOf(schema);
  const lists: readonly (readonly Named[])[] = [schema.handle, schema.enum, schema.flags, schema.struct, functions];
  const known = new Set([...lists.flat().map(({ name }) => name), ...Object.keys(PLAIN_TYPES)]);
  const structs = new Set(schema.struct.map(({ name }) => name));
  const values = new Set(schema.enum.flatMap(({ value }) => value.map(({ name }) => name)));
  const found: string[] = [];
  const need = (isRight: boolean, message: string): void => {
    if (!isRight) found.push(message);
  };
  const seen = new Set<string>();
  for (const { name } of [...lists.flat(), ...[...schema.enum, ...schema.flags].flatMap(({ value }) => value)]) {
    need(!seen.has(name), `${name} is there twice`);
    seen.add(name);
  }
  for (const { name, parent, destroy } of schema.handle)
    for (const other of [parent, destroy]) need(other === undefined || known.has(other), `${name}: no ${other}`);
  for (const { name, sType, extends: targets, member } of schema.struct) {
    need(sType === undefined || values.has(sType), `${name}: ${sType} is no value`);
    need(targets === undefined || sType !== undefined, `${name} is in chains, so it has an sType`);
    for (const target of targets?.split(" ") ?? []) need(structs.has(target), `${name}: no ${target}`);
    for (const { name: own, type } of member) need(known.has(type), `${name}.${own}: no ${type}`);
  }
  for (const { name, returns, errors, results, param } of functions) {
    need(known.has(returns), `${name}: no ${returns}`);
    for (const result of `${errors ?? ""} ${results ?? ""}`.split(" "))
      need(result === "" || values.has(result), `${name}: ${result} is no result`);
    for (const { name: own, type } of param) need(known.has(type), `${name}: ${own}: no ${type}`);
  }
  return found;
}

/** Reads the schema; a mistake in it throws. */
export function readSchema(): Schema {
  const read = readSchemaFile(new URL("api/vk.xml", import.meta.url), LISTS) as Schema;
  const filled: Schema = {
    ...read,
    enum: read.enum.map((node) => ({ ...node, value: node.value ?? [] })),
    flags: read.flags.map((node) => ({ ...node, value: node.value ?? [] })),
    struct: read.struct.map((node) => ({ ...node, member: node.member ?? [] })),
    section: read.section.map((part) => ({
      ...part,
      function: part.function.map((fn) => ({ ...fn, param: fn.param ?? [] })),
    })),
  };
  const wrong = mistakes(filled);
  if (wrong.length > 0) throw new Error(`api/vk.xml:\n${wrong.join("\n")}`);
  return filled;
}
