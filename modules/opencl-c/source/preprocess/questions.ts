// SPDX-License-Identifier: Apache-2.0
// Questions that #if asks compilers: __has_attribute(x), __has_builtin(x), __has_extension(x), __has_feature(x). They
// count as defined macros.
import { isKnownAttribute } from "../parse/attribute-names.ts";
import { isCompilerBuiltin } from "../sema/compiler-builtins.ts";

/** What is answered about a name, which has lost the underscores around it. */
export const QUESTIONS: ReadonlyMap<string, (name: string) => boolean> = new Map<string, (name: string) => boolean>([
  ["__has_attribute", (name) => isKnownAttribute(name.replace(/^__(.*)__$/u, "$1"))],
  ["__has_builtin", isCompilerBuiltin],
  ["__has_extension", () => false],
  ["__has_feature", () => false],
]);
