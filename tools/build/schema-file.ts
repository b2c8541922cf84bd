// SPDX-License-Identifier: Apache-2.0
// What generators of API packages share: an interface is described in an XML file, files are written from it, and
// continuous integration compares them. This module knows nothing of any interface.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { XMLParser } from "fast-xml-parser";

/**
 * The element `interface` of a schema, its attributes and children as properties. Elements named in `lists` are arrays,
 * however many there are; an attribute of the same name stays a text.
 */
export function readSchemaFile(file: URL, lists: ReadonlySet<string>): unknown {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    parseAttributeValue: false,
    isArray: (name, _path, _isLeaf, isAttribute) => !isAttribute && lists.has(name),
  });
  const { interface: read }: { readonly interface: unknown } = parser.parse(readFileSync(file, "utf8"));
  return read;
}

/** The value of a constant: a number, or a shift such as `1<<3`. Throws for anything else. */
export function schemaNumber(name: string, value: string): number {
  const [base = "", shift] = value.split("<<");
  const number = shift === undefined ? Number(base) : Number(base) * 2 ** Number(shift);
  if (!Number.isInteger(number)) throw new Error(`${name}: ${value} is no number`);
  return number;
}

/** A file that is not there is an empty one. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

/**
 * Writes generated files; with `--check` among the arguments of the process, compares them, and names those that differ
 * with the command that writes them.
 */
export function writeGenerated(files: readonly (readonly [path: string, text: string])[], command: string): void {
  for (const [path, text] of files) {
    if (!process.argv.includes("--check")) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    } else if (textOf(path) !== text) {
      console.error(`${path} is stale: run ${command}`);
      process.exitCode = 1;
    }
  }
}
