// SPDX-License-Identifier: Apache-2.0
// Storage classes and `inline` (C99 6.7.1, 6.7.4; OpenCL C 6.8).
import type { Specifiers } from "../ast.ts";
import { report } from "../diagnostics.table.ts";
import type { Token } from "../lex/token.ts";
import type { Cursor } from "./cursor.ts";

/** What the words of a declaration set. */
export type StorageFlags = {
  -readonly [K in "isTypedef" | "isStatic" | "isExtern" | "isInline" | "isKernel" | "storage"]: Specifiers[K];
};

/** No storage class. */
export function noStorage(): StorageFlags {
  return { isTypedef: false, isStatic: false, isExtern: false, isInline: false, isKernel: false, storage: null };
}

type Flag = Exclude<keyof StorageFlags, "storage">;

/** The flag that a word sets; null: the language has the word for nothing but to refuse it. */
const WORDS: Readonly<Record<string, Flag | null>> = {
  typedef: "isTypedef",
  static: "isStatic",
  extern: "isExtern",
  inline: "isInline",
  __inline: "isInline",
  __inline__: "isInline",
  kernel: "isKernel",
  __kernel: "isKernel",
  auto: null,
  register: null,
};

const CLASSES: ReadonlySet<Flag> = new Set<Flag>(["isTypedef", "isStatic", "isExtern"]);

/** Applies a storage-class word; false: it is none. */
export function setStorage(flags: StorageFlags, { text, span }: Pick<Token, "text" | "span">): boolean {
  if (!Object.hasOwn(WORDS, text)) return false;
  const flag = WORDS[text] ?? null;
  if (flag !== null) flags[flag] = true;
  if (flag !== "isKernel") flags.storage ??= { word: text, span };
  return true;
}

/** True for a storage class that a declaration has one of. */
function isClass(word: string): boolean {
  const flag = Object.hasOwn(WORDS, word) ? (WORDS[word] ?? null) : null;
  return flag !== null && CLASSES.has(flag);
}

/** True for a storage class, `inline` or `kernel`. */
export function isStorage({ isReserved, text }: Token): boolean {
  return isReserved && Object.hasOwn(WORDS, text);
}

/** Takes the storage class, `inline` or `kernel` at the cursor. */
export function acceptStorage(cursor: Cursor, flags: StorageFlags): void {
  const token = cursor.next();
  const { text } = token;
  const { span } = token;
  const missing = cursor.words.missing(text);
  if ((WORDS[text] ?? null) === null) report(cursor.diagnostics, "storageClass", span, [text]);
  else if (missing !== null) report(cursor.diagnostics, "needsFeature", span, [text, missing]);
  else if (flags.storage !== null && flags.storage.word !== text && isClass(text) && isClass(flags.storage.word))
    report(cursor.diagnostics, "specifiers", span, [text, flags.storage.word]);
  setStorage(flags, token);
}

/** Reports a storage class where none can be. `where` is the end of a sentence: "before a parameter". */
export function refuseStorage(cursor: Cursor, { storage }: Specifiers, where: string): void {
  if (storage !== null && WORDS[storage.word] !== null)
    report(cursor.diagnostics, "misplaced", storage.span, [storage.word, where]);
}
