// SPDX-License-Identifier: Apache-2.0
// Every word that the grammar asks for by name. The lexer marks them, so that nobody looks other names up.
import { LANGUAGE_WORDS } from "../parse/type-words.ts";

/** Words of expressions and of extensions, and the operator that the preprocessor runs. */
const OTHERS =
  "vec_step __alignof__ __alignof _Alignof _Generic __builtin_offsetof asm __asm__ __asm __extension__ _Static_assert _Pragma defined";

/** The words: those of types, qualifiers, storage classes and statements, and all others. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set([...LANGUAGE_WORDS, ...OTHERS.split(" ")]);
