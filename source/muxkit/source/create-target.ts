// SPDX-License-Identifier: Apache-2.0
// A new target as files: the example target under another name.
import { TARGET_TEMPLATE } from "./generated/target-template.ts";

/** The example's name. */
const EXAMPLE = "interpreter-device";

/** What a target may be called: a word, or some with hyphens between them. */
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u;

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** A name as code writes it: for packages, functions, classes, constants. */
function formsOf(name: string): readonly string[] {
  const words = name.split("-");
  const pascal = words.map(capital).join("");
  return [name, pascal.slice(0, 1).toLowerCase() + pascal.slice(1), pascal, words.join("_").toUpperCase()];
}

/** True for a name that a target can have. */
export function isTargetName(name: string): boolean {
  return NAME.test(name) && name.length <= 64;
}

/** A package's file with the kit's packages in a version. */
function withVersion(text: string, version: string): string {
  return text.replaceAll(/("(?:@muxkit\/[a-z-]+|muxkit)": )"[^"]*"/gu, `$1"${version}"`);
}

/** The files of a target of this name, by path. `version`: of the kit's packages that it uses. */
export function targetFiles(name: string, version: string): ReadonlyMap<string, string> {
  const own = formsOf(name);
  const renamed = (text: string): string =>
    formsOf(EXAMPLE).reduce((now, form, i) => now.replaceAll(form, own[i] ?? form), text);
  return new Map(
    TARGET_TEMPLATE.map(([path, text]) => [
      renamed(path),
      path.endsWith("package.json") ? withVersion(renamed(text), version) : renamed(text),
    ]),
  );
}
