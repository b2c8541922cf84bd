// SPDX-License-Identifier: Apache-2.0
// Every word that the grammar compares with. The lexer marks them, so that other names are not looked up.
import { LANGUAGE_WORDS } from "../parse/type-words.ts";

/** Words of expressions and of extensions, and the operator that the preprocessor runs. */
const OTHERS =
  "vec_step __alignof__ __alignof _Alignof _Generic __builtin_offsetof asm __asm__ " +
  "__asm __label__ __extension__ _Static_assert _Pragma defined " +
  "__builtin_astype __builtin_convertvector __builtin_types_compatible_p";

/** The words: those of types, qualifiers, storage classes and statements, and all others. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set([...LANGUAGE_WORDS, ...OTHERS.split(" ")]);
